"""`PluralityCertificate`: a plurality committee and the tree that bounds all others, on file.

`voteprune.verify` checks it against the votes with none of the code that made it;
`voteprune/verify/plurality_document.py` and docs/certificate.md have the format.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..bounds.plurality_rows import Priced
from ..files.jsonfile import Written
from ..numbers.exact import on_file
from ..problem.plurality import PluralityObjective, PluralityProblem
from ..tree.plurality.task import PluralityProof, Step
from .certificate import fingerprint, limits_on_members

_KINDS = ("need", "duel", "total")
"""What rows are called, by their kind."""


@dataclass(frozen=True, eq=False)
class PluralityCertificate(Written):
    """What is claimed of a plurality committee, and all that supports it.

    Parameters
    ----------
    problem
        What was solved; its criterion is a weighted sum, and its limits are on members.
    status
        As in `PluralitySolution`.
    members
        The best committee found, None where there is none.
    bound
        What no committee exceeds, in units of ``problem.gains.unit``.
    proof
        The steps of the proof; None where there are none.
    tried
        Whether all committees were tried, where there are no steps.
    trusted
        Claims of solvers that nobody can check: who, and the bound in units.
    target
        Name of the label column in the file of votes, where it is known.
    """

    _KIND: ClassVar[str] = "plurality_certificate"
    _INDENT: ClassVar[int | None] = None

    problem: PluralityProblem
    status: str
    members: tuple[int, ...] | None
    bound: int
    proof: PluralityProof | None = None
    tried: bool = False
    trusted: tuple[tuple[str, int], ...] = ()
    target: str | None = None

    def _fields(self) -> dict[str, Any]:
        problem, objective = self.problem, self.problem.objective
        assert isinstance(objective, PluralityObjective)
        tree = _everything(problem, self.tried) if self.proof is None else None
        return {
            "status": self.status,
            "votes": _votes(problem, self.target),
            "objective": {
                "name": objective.name,
                "worths": [[true, said, on_file(worth)] for true, said, worth in objective.worths],
                "unit": on_file(objective.gains.unit),
            },
            "limits": limits_on_members(problem),
            "committee": None if self.members is None else {
                "members": list(self.members),
                "value": int(problem.score(self.members)),
            },
            "bound": int(self.bound),
            **(tree or _Writer(problem, self.proof).written()),
            "trusted": [list(claim) for claim in self.trusted],
        }  # fmt: skip


def _votes(problem: PluralityProblem, target: str | None) -> dict[str, Any]:
    votes = problem.votes
    lines = [json.dumps([list(votes.names), list(votes.classes), votes.abstentions])]
    for row, weights in zip(problem.codes.tolist(), problem.weight.tolist(), strict=True):
        shares = (f"{c}:{Fraction(w, votes.denominator)}" for c, w in enumerate(weights) if w)
        lines.append(" ".join([",".join(map(str, row)), *shares]))
    more = {"classes": list(votes.classes), "abstentions": votes.abstentions}
    return fingerprint(votes, target, lines, more)


def _everything(problem: PluralityProblem, tried: bool) -> dict[str, Any]:
    """Write a node for every size that says no more than whether its committees were tried."""
    sizes = range(problem.size_min, min(problem.size_max, len(problem.allowed)) + 1)
    return {
        "rows": [],
        "prices": [],
        "roots": [[size, place] for place, size in enumerate(sizes)],
        "nodes": [_node(tried=tried) for _ in sizes],
    }


def _node(
    prices: int | None = None,
    decided: list[list[int]] | None = None,
    branch: int | None = None,
    heirs: list[int] | None = None,
    *,
    tried: bool = False,
) -> dict[str, Any]:
    return {
        "prices": prices, "decided": decided or [], "branch": branch, "heirs": heirs or [],
        "tried": tried,
    }  # fmt: skip


class _Writer:
    """Writes a proof: what can be reached from the roots, every row and all prices once."""

    def __init__(self, problem: PluralityProblem, proof: PluralityProof | None) -> None:
        assert proof is not None
        self._proof, self._allowed = proof, problem.allowed
        self._bits = [1 << k for k in problem.allowed]
        # What is open comes last, so that what was closed stays so.
        still = (Step(node.key, node.by) for node in proof.nodes)
        self._steps = {step.node: step for step in (*still, *proof.steps)}
        self._rows: dict[tuple[Any, ...], int] = {}
        self._prices: list[dict[str, Any]] = []
        self._places: dict[int, int] = {}

    def written(self) -> dict[str, Any]:
        nodes: list[dict[str, Any]] = []
        left = [key for _, key in self._proof.roots]
        place_of = {key: place for place, key in enumerate(left)}
        for key in left:  # which grows
            step = self._steps[key]
            for heir in step.heirs:
                place_of[heir] = len(left)
                left.append(heir)
            nodes.append(
                _node(
                    self._priced(step.by),
                    [[int(self._allowed[column]), value] for column, value in step.decided],
                    int(self._allowed[step.branch]) if step.branch >= 0 else None,
                    [place_of[heir] for heir in step.heirs],
                    tried=step.tried,
                )
            )
        return {
            "rows": [[p, c, _KINDS[kind], list(rivals), f"{counted:x}"]
                     for p, c, kind, rivals, counted in self._rows],
            "prices": self._prices,
            "roots": [[size, place_of[key]] for size, key in self._proof.roots],
            "nodes": nodes,
        }  # fmt: skip

    def _priced(self, number: int) -> int | None:
        """Return the place of some prices, written if they were not yet; None for none."""
        priced = self._proof.prices.get(number)
        if priced is None:
            return None
        if number not in self._places:
            self._places[number] = len(self._prices)
            scale = self._proof.scale
            limits = enumerate(priced.limit_prices.tolist())
            self._prices.append(
                {
                    "size": priced.size,
                    "rows": [
                        [row, price * scale]
                        for row, price in zip(
                            self._numbers(priced), priced.prices.tolist(), strict=True
                        )
                    ],
                    "limits": [[place, price * scale] for place, price in limits if price > 0],
                }
            )
        return self._places[number]

    def _numbers(self, priced: Priced) -> list[int]:
        """Return the numbers of some rows."""
        wins = self._proof.wins
        counted = np.unpackbits(priced.counted, axis=1, count=wins.n_classifiers)
        numbers = []
        for row, win in enumerate(priced.win.tolist()):
            members = sum(self._bits[k] for k in np.flatnonzero(counted[row]).tolist())
            rivals = tuple(np.flatnonzero(priced.rivals[row]).tolist())
            said = int(wins.pattern[win]), int(wins.kind[win]), int(priced.kind[row])
            numbers.append(self._rows.setdefault((*said, rivals, members), len(self._rows)))
        return numbers
