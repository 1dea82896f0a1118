"""`Certificate`: the answer and its whole proof on file, for somebody who believes nobody.

It names the votes by their fingerprint, the problem in exact numbers, the committee, the minimum
cut as a flow, and every step of the proof with its prices. `voteprune.verify` checks it against the
votes without any of the code that made it; docs/certificate.md has the format. On file nodes are
called boxes (of the tree by sizes) and cells (by nogoods), and nogoods are called clauses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds.closure import Cut, closure
from ..bounds.node import Node
from ..bounds.relaxation_rows import LimitRow, Row, limit_kinds
from ..files.jsonfile import Written
from ..numbers.exact import on_file
from ..problem.committee import Committee
from ..problem.formulas import write_four
from ..problem.problem import Problem
from ..problem.seats import Seats
from ..tree.nogoods.nogood import Case, Nogood
from ..tree.nogoods.task import NogoodsProof
from ..tree.sizes.task import SizesProof, Step
from ..votes.plurality import PluralityVotes
from ..votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Certificate(Written):
    """What is claimed, and all that supports it.

    Parameters
    ----------
    problem
        What was solved; its criterion is a weighted sum.
    status
        As in `Solution`, but "feasible" where that is optimal up to a solver's rounding.
    committee
        The best committee found, None where there is none.
    bound
        What no committee exceeds, in units of ``problem.gains.unit``.
    proof
        The steps of the proof, by sizes and thresholds or by nogoods; None where there are none:
        the cut closed the gap, all committees were tried, or a solver did it.
    trusted
        Claims of solvers that nobody can check: who, and the bound in units.
    target
        Name of the label column in the file of votes, where it is known.
    cut
        The closure bound that the proof begins with, and its flow; found anew when omitted.
    """

    _KIND: ClassVar[str] = "certificate"
    _INDENT: ClassVar[int | None] = None

    problem: Problem
    status: str
    committee: Committee | None
    bound: int
    proof: SizesProof | NogoodsProof | None = None
    trusted: tuple[tuple[str, int], ...] = ()
    target: str | None = None
    cut: Cut | None = None

    def _fields(self) -> dict[str, Any]:
        problem, committee = self.problem, self.committee
        unit = problem.gains.unit
        return {
            "status": self.status,
            "votes": _votes(problem, self.target),
            "objective": {
                "name": problem.objective.name,
                "weights": write_four(problem.weights),
                "unit": on_file(unit),
            },
            "limits": _limits(problem),
            "committee": None if committee is None else {
                "members": list(committee.members),
                "threshold": committee.threshold,
                "value": problem.score(committee),
            },
            "bound": self.bound,
            "cut": _cut(problem, self.cut or Cut(*closure(problem))),
            "proof": _Writer(problem, self.proof).written()
            if isinstance(self.proof, SizesProof)
            else None,
            "refutation": _refutation(self.proof) if isinstance(self.proof, NogoodsProof) else None,
            "trusted": [list(claim) for claim in self.trusted],
        }  # fmt: skip


def _votes(problem: Problem, target: str | None) -> dict[str, Any]:
    votes, patterns = problem.votes, problem.patterns
    lines = [json.dumps(list(votes.names))]
    weights = zip(patterns.matrix, patterns.positive, patterns.negative, strict=True)
    for row, positive, negative in weights:
        text = "".join("1" if vote else "0" for vote in row)
        shares = (Fraction(int(weight), patterns.denominator) for weight in (positive, negative))
        lines.append(" ".join([text, *map(str, shares)]))
    return fingerprint(votes, target, lines)


def fingerprint(
    votes: Votes | PluralityVotes,
    target: str | None,
    lines: Iterable[str],
    more: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Say which votes a certificate is about."""
    plain = votes.denominator == 1 and bool((votes.weights == 1).all())
    return {
        "n_rows": votes.n_rows,
        "names": list(votes.names),
        **more,
        "target": target,
        "row_weights": None if plain else [
            on_file(Fraction(int(weight), votes.denominator)) for weight in votes.weights
        ],
        "digest": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
    }  # fmt: skip


def limits_on_members(problem: Seats) -> dict[str, Any]:
    """Write who may sit, how many, and at what cost."""
    return {
        "size_min": problem.size_min,
        "size_max": problem.size_max,
        "required": list(problem.required),
        "forbidden": list(problem.forbidden),
        "costs": [
            {"costs": list(limit.costs), "most": limit.most} for limit in problem.cost_limits
        ],
    }


def _limits(problem: Problem) -> dict[str, Any]:
    diversity = problem.diversity
    return {
        **limits_on_members(problem),
        "criteria": [
            {
                "weights": write_four(limit.weights),
                "least": on_file(limit.least * limit.gains.unit),
            }
            for limit in problem.metric_limits
        ],
        "diversity": None if diversity is None else {
            "measure": diversity.measure,
            "tau": on_file(diversity.tau),
            "gamma": on_file(diversity.gamma),
        },
    }  # fmt: skip


def _cut(problem: Problem, cut: Cut) -> dict[str, Any]:
    used = np.flatnonzero(problem.gains.net != 0)
    number = {int(pattern): place for place, pattern in enumerate(used)}
    flow = [[number[i], number[j], amount] for i, j, amount in cut.flow]
    return {"bound": cut.bound, "flow": flow}


class _Writer:
    """Writes a proof, every row once."""

    def __init__(self, problem: Problem, proof: SizesProof) -> None:
        self._proof = proof
        self._rows: list[dict[str, Any]] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        kinds = limit_kinds(problem, len(proof.levels.limits))
        # Rows that have been in another process are known by what they say.
        self._limits = {
            _content(limit): kind for limit, kind in zip(proof.levels.limits, kinds, strict=True)
        }

    def written(self) -> dict[str, Any]:
        steps = [self._step(step) for step in self._proof.steps]
        return {"rows": self._rows, "steps": steps, "open": [_open(b) for b in self._proof.nodes]}

    def _step(self, step: Step) -> dict[str, Any]:
        prices = zip(step.rows, step.prices.tolist(), strict=True)
        return {
            "number": step.number,
            "box": step.node,
            "prices": [
                [self._number(row), self._amount(row, price, step.at)]
                for row, price in prices
                if price > 0
            ],
            "closed": step.closed.tolist(),
            "decided": [list(decision) for decision in step.decided],
            "heirs": [list(heir) for heir in step.heirs],
        }

    def _amount(self, row: Row | LimitRow, price: float, at: tuple[int, int]) -> float:
        """Return what a row is priced at in units, whatever (S, L) the price was found at."""
        factor = 1 if isinstance(row, LimitRow) else row.factor(*at)
        return price * factor * self._proof.scale

    def _number(self, row: Row | LimitRow) -> int:
        key = _content(row)
        if key not in self._numbers:
            self._numbers[key] = len(self._rows)
            self._rows.append(
                {"limit": list(self._limits[key])}
                if isinstance(row, LimitRow)
                else {
                    "patterns": list(row.patterns),
                    "members": _hex(row.columns),
                    "away": row.away,
                }
            )
        return self._numbers[key]


def _refutation(refuted: NogoodsProof) -> dict[str, Any]:
    """Write a refutation, every nogood once."""
    case, numbers = refuted.case, dict[object, int]()
    nogoods: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    for step in refuted.steps:
        if step.heirs is not None:
            nodes.append({"cell": step.node, "place": step.variable, "heirs": list(step.heirs)})
            continue
        prices = []
        for nogood, price in zip(step.nogoods, step.prices, strict=True):
            if nogood.key not in numbers:
                numbers[nogood.key] = len(nogoods)
                nogoods.append(_nogood(case, nogood))
            prices.append([numbers[nogood.key], price * refuted.scale])
        limits = [[*case.pattern_limits[row], price * refuted.scale] for row, price in step.limits]
        nodes.append({"cell": step.node, "prices": prices, "limits": limits})
    return {"clauses": nogoods, "cells": nodes}


def _nogood(case: Case, nogood: Nogood) -> dict[str, Any]:
    said = list(zip(nogood.variables, nogood.values, nogood.shares, strict=True))
    n = case.n_patterns
    prices = zip(case.member_limits, nogood.prices, strict=False)
    return {
        "yes": [[variable, share] for variable, value, share in said if variable < n and value],
        "no": [[variable, share] for variable, value, share in said if variable < n and not value],
        "sits": [variable - n for variable, value, _ in said if variable >= n and value],
        "out": [variable - n for variable, value, _ in said if variable >= n and not value],
        "limits": [[*limit, price] for limit, price in prices if price > 0],
    }


def _content(row: Row | LimitRow) -> tuple[Any, ...]:
    if isinstance(row, LimitRow):
        return row.on_members.tobytes(), row.on_patterns.tobytes(), row.least
    return row.patterns, np.packbits(row.columns).tobytes(), row.away


def _hex(columns: NDArray[np.bool_]) -> str:
    """Write who is counted as a hexadecimal number: the first classifier is the lowest bit."""
    return np.packbits(columns, bitorder="little").tobytes()[::-1].hex()


def _open(node: Node) -> dict[str, Any]:
    return {"box": node.key, "pairs": node.leaving().tolist()}
