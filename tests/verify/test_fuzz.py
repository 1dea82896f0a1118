"""Whatever is done to a certificate: what the checker calls proved is true."""

import copy
import random
from functools import cache

import numpy as np
import pytest

import voteprune as vp
from certified import best_of, certify, document_of, refute
from forging import Truth, check, digest_of
from voteprune.exceptions import FileFormatError
from voteprune.problem.problem import Problem
from voteprune.strategies.certificate import Certificate

LIMITS = {
    "no limits": ((), None),
    "members": ((vp.Require(1), vp.Forbid(3), vp.AtLeast("size", 2)), None),
    "sizes": ((vp.AtMost("size", 3), vp.AtLeast("size", 2)), None),
    "criterion": ((vp.AtLeast("recall", 0.7), vp.AtMost("fp", 3)), None),
    "costs": ((vp.Budget([3, 1, 2, 2, 1], 5), vp.Budget([1, 2, 0, 1, 3], 4)), None),
    "tau": ((vp.AtLeast("size", 2),), vp.Diversity(0.35, measure="disagreement")),
    "gamma": ((vp.AtLeast("size", 2),), vp.Diversity(gamma=0.05, measure="kappa")),
    "all": (
        (vp.AtMost("size", 4), vp.AtLeast("recall", 0.4), vp.Budget([3, 1, 2, 2, 1], 7)),
        vp.Diversity(0.1, 0.2, "fc"),
    ),
    "groups": ((vp.Group([0, 1, 2], at_most=1), vp.Group([2, 3, 4], at_least=1, at_most=2)), None),
}
KINDS = ("steps", "clauses", "tried", "infeasible", "open")
EDITS = 40


@cache
def source(limits):
    """A problem under some limits, with its rows."""
    rng = np.random.default_rng(list(LIMITS).index(limits) + 20)
    labels = np.arange(16) % 2
    matrix = np.where(rng.random((16, 5)) < 0.62, labels[:, None], 1 - labels[:, None])
    weights = np.where(rng.random(16) < 0.3, 1.5, 1.0)
    problem = Problem.of(
        vp.Votes(matrix, labels, sample_weight=weights), "balanced_accuracy", *LIMITS[limits]
    )
    rows = [f"{''.join(map(str, row))} {label}" for row, label in zip(matrix, labels, strict=True)]
    return problem, rows


@cache
def certificate(limits, kind):
    """A certificate that holds, and is proved in a certain way."""
    problem, _ = source(limits)
    best = best_of(problem)
    units = problem.score(best)
    if kind in ("steps", "open"):
        made = certify(problem, target="label")
    elif kind == "clauses":
        made = Certificate(problem, "optimal", best, units, refute(problem, units), target="label")
    else:
        made = Certificate(problem, "optimal", best, units, target="label")
    document = document_of(made)
    if kind == "open":
        leave_open(document["proof"])
    if kind == "infeasible":
        document.update(status="infeasible", committee=None)
        document["limits"]["size_min"] = 5
        document["limits"]["size_max"] = 4
    return document


def leave_open(proof):
    """Let what leaves a box last be left in it, for the same reasons."""
    last = {step["box"]: step for step in proof["steps"]}
    for box, step in last.items():
        if step["closed"] and not step["heirs"]:
            proof["open"].append({"box": box, "pairs": step["closed"]})
            step["closed"] = []


def numbers_in(value, path=()):
    """Where a document has numbers."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        if isinstance(inner, dict | list):
            yield from numbers_in(inner, (*path, key))
        elif type(inner) in (int, float):
            yield (*path, key)


def lists_in(value, path=()):
    """Where a document has lists with something in them."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        if isinstance(inner, list) and inner:
            yield (*path, key)
        if isinstance(inner, dict | list):
            yield from lists_in(inner, (*path, key))


def holder_of(document, path):
    for key in path[:-1]:
        document = document[key]
    return document


def some_path(rng, paths):
    """A path, all parts of a certificate equally likely however long they are."""
    parts = {}
    for path in paths:
        parts.setdefault(path[:2], []).append(path)
    return rng.choice(rng.choice(list(parts.values())))


def edit_number(rng, document, rows):
    paths = [path for path in numbers_in(document) if path[0] not in ("schema", "format")]
    path = some_path(rng, paths)
    holder = holder_of(document, path)
    value, other = holder[path[-1]], some_path(rng, paths)
    holder[path[-1]] = rng.choice(
        [value + 1, value - 1, 2 * value, -value, 0, 1, value / 2 if type(value) is float else -2,
         holder_of(document, other)[other[-1]]]
    )  # fmt: skip


def drop(rng, document, rows):
    path = some_path(rng, lists_in(document))
    holder = holder_of(document, path)[path[-1]]
    del holder[rng.randrange(len(holder))]


def double(rng, document, rows):
    path = some_path(rng, lists_in(document))
    holder = holder_of(document, path)[path[-1]]
    holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(rng.choice(holder)))


def swap(rng, document, rows):
    path = some_path(rng, lists_in(document))
    holder = holder_of(document, path)[path[-1]]
    i, j = (rng.randrange(len(holder)) for _ in range(2))
    holder[i], holder[j] = holder[j], holder[i]


def swap_labels(rng, document, rows):
    i = rng.randrange(len(rows))
    rows[i] = rows[i][:-1] + str(1 - int(rows[i][-1]))


def change_votes(rng, document, rows):
    i, k = rng.randrange(len(rows)), rng.randrange(5)
    rows[i] = rows[i][:k] + str(1 - int(rows[i][k])) + rows[i][k + 1 :]


def forget_limits(rng, document, rows):
    kind = rng.choice(["required", "forbidden", "costs", "criteria", "diversity", "sizes"])
    limits = document["limits"]
    if kind == "sizes":
        limits.update(size_min=1, size_max=5)
    else:
        limits[kind] = None if kind == "diversity" else []


def claim_less(rng, document, rows):
    document.update(status="unknown", committee=None, bound=document["bound"] - 1)


EDITORS = (edit_number, edit_number, edit_number, drop, double, swap, swap_labels, change_votes,
           forget_limits)  # fmt: skip


def signed_again(document, rows):
    """Put the fingerprint right, as a forger would."""
    votes = document["votes"]
    if votes["row_weights"] is None or len(votes["row_weights"]) == len(rows):
        votes["digest"] = digest_of(votes["names"], rows, votes["row_weights"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limits", LIMITS)
def test_what_is_proved_is_true(limits, kind, tmp_path, monkeypatch):
    rng = random.Random(f"{limits} {kind}")
    document = certificate(limits, kind)
    _, rows = source(limits)
    # Where there are steps, they alone must do.
    monkeypatch.setattr("voteprune.verify.trying.MOST", 2**27 if kind in KINDS[2:4] else 0)
    assert check(document, rows, tmp_path).proved
    for _ in range(EDITS):
        forged, others = copy.deepcopy(document), list(rows)
        if rng.random() < 0.6 and kind != "infeasible":
            claim_less(rng, forged, others)
        for editor in rng.choices(EDITORS, k=rng.choice([1, 1, 2, 3])):
            editor(rng, forged, others)
        signed_again(forged, others)
        try:
            found = check(forged, others, tmp_path)
        except FileFormatError:
            continue
        if found.proved:
            truth = Truth(others, forged["votes"]["row_weights"])
            assert not truth.contradicts(forged), found.summary()
            assert truth.seats(forged), found.summary()
