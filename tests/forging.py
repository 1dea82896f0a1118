"""Certificates written by hand, and what is true of the votes they are about."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction

from oracle import Oracle, keeps, mean_of, pfc
from voteprune.verify import verify

FREE = {
    "size_min": 1,
    "size_max": 99,
    "required": [],
    "forbidden": [],
    "costs": [],
    "criteria": [],
    "diversity": None,
}
"""No limits."""

RIGHT = {"tp": 1, "fn": 0, "tn": 1, "fp": 0}
"""Weights that count the rows that are decided right."""


def digest_of(names, rows, row_weights=None):
    """The fingerprint of names and votes, as the page on the format has it."""
    weights = [1] * len(rows) if row_weights is None else row_weights
    sums = {}
    for row, weight in zip(rows, weights, strict=True):
        votes, label = row.split()
        if Fraction(weight):
            sums.setdefault(votes, [Fraction(0), Fraction(0)])[label == "0"] += Fraction(weight)
    lines = [json.dumps(names), *(f"{votes} {p} {n}" for votes, (p, n) in sorted(sums.items()))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def claim(rows, bound, *, flow=(), limits=None, **changes):
    """A certificate that says nothing but a bound on the rows that are right.

    Parameters
    ----------
    rows
        Votes and label of each, such as ``"101 1"``.
    bound
        What no committee is said to exceed.
    flow
        Of the cut.
    limits
        Those that there are.
    changes
        Other fields.
    """
    names = [f"c{k}" for k in range(len(rows[0].split()[0]))]
    return {
        "format": "voteprune.certificate",
        "schema": 1,
        "status": "unknown",
        "votes": {
            "n_rows": len(rows),
            "names": names,
            "target": "label",
            "row_weights": None,
            "digest": digest_of(names, rows),
        },
        "objective": {"name": "rows right", "weights": dict(RIGHT), "unit": 1},
        "limits": {**FREE, **(limits or {})},
        "committee": None,
        "bound": bound,
        "cut": {"bound": len(rows), "flow": list(flow)},
        "proof": None,
        "refutation": None,
        "trusted": [],
        **changes,
    }


def seat(members, threshold, value):
    """A committee as a certificate names it."""
    return {"members": list(members), "threshold": threshold, "value": value}


def step(number, box, *, prices=(), closed=(), decided=(), heirs=()):
    """One step of a proof."""
    return {
        "number": number,
        "box": box,
        "prices": [list(price) for price in prices],
        "closed": [list(pair) for pair in closed],
        "decided": [list(decision) for decision in decided],
        "heirs": [list(heir) for heir in heirs],
    }


def proof(*steps, rows=(), left=()):
    """A proof by sizes and thresholds."""
    return {"rows": list(rows), "steps": list(steps), "open": list(left)}


def split(cell, place, *heirs):
    """A cell of a refutation that is split."""
    return {"cell": cell, "place": place, "heirs": list(heirs)}


def shut(cell, prices=(), limits=()):
    """A cell of a refutation that is closed."""
    return {
        "cell": cell,
        "prices": [list(price) for price in prices],
        "limits": [list(limit) for limit in limits],
    }


def clause(yes=(), no=(), sits=(), out=(), limits=()):
    """A clause; shares are 1 each."""
    return {
        "yes": [[i, 1] for i in yes],
        "no": [[i, 1] for i in no],
        "sits": list(sits),
        "out": list(out),
        "limits": [list(limit) for limit in limits],
    }


def refutation(*cells, clauses=()):
    """A refutation by clauses."""
    return {"clauses": list(clauses), "cells": list(cells)}


def write_rows(path, names, rows):
    """Write votes as the checker reads them."""
    lines = [",".join([*names, "label"])]
    lines += [",".join([*votes, label]) for votes, label in (row.split() for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def check(document, rows, folder):
    """Write a document and its votes, and check them."""
    (folder / "c.json").write_text(json.dumps(document))
    write_rows(folder / "v.csv", document["votes"]["names"], rows)
    return verify(folder / "c.json", folder / "v.csv")


class Truth:
    """All committees of some votes, judged by what a certificate asks of them."""

    def __init__(self, rows, row_weights=None):
        matrix = [[int(vote) for vote in row.split()[0]] for row in rows]
        labels = [int(row.split()[1]) for row in rows]
        weights = [Fraction(weight) for weight in row_weights or [1] * len(rows)]
        # The oracle reads weights as floats; those of the tests are short enough for that.
        self._oracle = Oracle(matrix, labels, [float(weight) for weight in weights])
        self._committees = list(self._oracle.committees())

    def best(self, document):
        """The most that an allowed committee is worth, in units; None if none is allowed."""
        limits, objective = document["limits"], document["objective"]
        worths = [
            weigh(objective["weights"], counts)
            for members, _, counts in self._committees
            if self._allowed(members, counts, limits)
        ]
        return max(worths) / Fraction(objective["unit"]) if worths else None

    def contradicts(self, document):
        """Whether a committee refutes what a certificate claims."""
        best = self.best(document)
        if document["status"] == "infeasible":
            return best is not None
        return best is not None and best > document["bound"]

    def seats(self, document):
        """Whether the committee of a certificate is allowed and worth what it says, if any."""
        if document["committee"] is None:
            return True
        claimed, limits = document["committee"], document["limits"]
        return any(
            self._allowed(members, counts, limits)
            and weigh(document["objective"]["weights"], counts)
            == claimed["value"] * Fraction(document["objective"]["unit"])
            for members, level, counts in self._committees
            if (members, level) == (sorted(claimed["members"]), claimed["threshold"])
        )

    def _allowed(self, members, counts, limits):
        return (
            limits["size_min"] <= len(members) <= limits["size_max"]
            and set(limits["required"]) <= set(members)
            and not set(limits["forbidden"]) & set(members)
            and all(
                sum(Fraction(cost["costs"][k]) for k in members) <= Fraction(cost["most"])
                for cost in limits["costs"]
            )
            and all(
                weigh(limit["weights"], counts) >= Fraction(limit["least"])
                for limit in limits["criteria"]
            )
            and (len(members) < 2 or self._diverse(tuple(members), limits["diversity"]))
        )

    def _diverse(self, members, diversity):
        if diversity is None:
            return True
        measure = diversity["measure"]
        means = pfc(self._oracle.measured(measure), members)
        return keeps(measure, mean_of(means), Fraction(diversity["gamma"])) and all(
            keeps(measure, mean, Fraction(diversity["tau"])) for mean in means
        )


def weigh(weights, counts):
    """A weighted sum of the confusion counts."""
    return sum(
        Fraction(weights[name]) * count
        for name, count in zip(("tp", "fn", "tn", "fp"), counts, strict=True)
    )
