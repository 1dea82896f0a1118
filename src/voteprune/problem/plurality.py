"""`PluralityProblem`: votes, a criterion and constraints, compiled to integers; the only judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import (
    IntArray,
    combine,
    common_denominator,
    compact,
    exact,
    sum_by_group,
    total,
)
from ..votes.patterns import sorted_rows
from ..votes.plurality import Codes, Label, PluralityVotes
from .constraints import Budget, Constraint, Forbid, Require, size_range
from .gains import Gains
from .limits import CostLimit, seats_within
from .objective import CountedObjective
from .plurality_committee import PluralityCommittee, count_classes
from .problem import member_indices

PluralityCriterion = str | Mapping[Label, object]
"""A name, or what deciding a row of each class correctly is worth."""

CRITERIA = ("accuracy", "balanced_accuracy")


@dataclass(frozen=True, eq=False)
class PluralityObjective(CountedObjective):
    """What deciding rows of more than two classes correctly is worth.

    Parameters
    ----------
    criterion
        What was asked for, in words.
    """

    kind = "plurality"

    criterion: str

    @property
    def name(self) -> str:
        """What it is called in words."""
        return self.criterion


@dataclass(frozen=True, eq=False)
class PluralityProblem:
    """One pruning problem with plurality votes, ready for any method.

    Parameters
    ----------
    votes
        The rows.
    objective
        What is maximised: its unit, its step, and its ceiling, every pattern decided at its best.
    requests
        The constraints.
    codes
        Distinct rows of votes, P x K.
    weight
        Weight of the rows of each class behind each pattern, P x C.
    gain
        What deciding pattern p as class c earns, in units, P x C; nowhere negative.
    size_min, size_max, required, forbidden, cost_limits
        What members must respect.
    """

    votes: PluralityVotes
    objective: PluralityObjective
    requests: tuple[Constraint, ...]
    codes: Codes
    weight: IntArray
    gain: NDArray[Any]
    size_min: int
    size_max: int
    required: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()
    cost_limits: tuple[CostLimit, ...] = ()

    @classmethod
    def of(
        cls,
        votes: PluralityVotes,
        criterion: PluralityCriterion = "accuracy",
        requests: Sequence[Constraint] = (),
    ) -> PluralityProblem:
        """Compile votes, a criterion and constraints.

        Raises
        ------
        InputError
            If a constraint does not fit the pool, or names a class there is not.
        """
        codes, weight = _merge(votes)
        worths = _worths(criterion, votes, weight)
        scale = common_denominator(worths)
        columns = zip(worths, weight.T, strict=True)
        gain = np.stack([combine([(int(w * scale), column)]) for w, column in columns], axis=1)
        step = int(np.gcd.reduce(gain.ravel())) or 1
        best = compact(gain.max(axis=1))
        plain = cls(
            votes,
            PluralityObjective(
                Gains(0, best, Fraction(1, scale * votes.denominator), step),
                criterion if isinstance(criterion, str) else "weights by class",
            ),
            (),
            codes,
            weight,
            gain.astype(np.int64) if total(best) < 2**62 else gain,
            1,
            votes.n_classifiers,
        )
        return plain.with_requests(requests)

    def with_requests(self, requests: Sequence[Constraint]) -> PluralityProblem:
        """Return the same problem under other constraints."""
        votes = self.votes
        size_min, size_max = size_range(requests, votes.n_classifiers)
        forbidden = member_indices(requests, Forbid, votes.names)
        # A class that nobody names wins nowhere: with one member or more somebody names another.
        allowed = sorted(set(range(votes.n_classifiers)) - set(forbidden))
        named = count_classes(self.codes[:, allowed], self.n_classes) > 0
        best = compact(np.where(named, self.gain, 0).max(axis=1))
        return replace(
            self,
            requests=tuple(requests),
            objective=replace(self.objective, gains=replace(self.gains, net=best)),
            size_min=size_min,
            size_max=size_max,
            required=member_indices(requests, Require, votes.names),
            forbidden=forbidden,
            cost_limits=CostLimit.all_of(requests, votes.names),
        )

    def within(self, budget: Budget) -> PluralityProblem:
        """Return the same problem under one more budget, see `Problem.within`."""
        limit = CostLimit.of(budget, self.votes.names)
        forbidden, size_max = seats_within(limit, self.forbidden, self.size_max)
        return replace(
            self,
            requests=(*self.requests, budget),
            cost_limits=(*self.cost_limits, limit),
            forbidden=forbidden,
            size_max=size_max,
        )

    @property
    def gains(self) -> Gains:
        """The unit, the step and the ceiling: every pattern decided at its best."""
        return self.objective.gains

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers K."""
        return self.votes.n_classifiers

    @property
    def n_classes(self) -> int:
        """Number of classes C."""
        return len(self.votes.classes)

    @property
    def n_patterns(self) -> int:
        """Number of distinct rows of votes P."""
        return len(self.codes)

    @cached_property
    def allowed(self) -> tuple[int, ...]:
        """Classifiers that are not forbidden."""
        return tuple(sorted(set(range(self.n_classifiers)) - set(self.forbidden)))

    def committee(self, members: Sequence[int]) -> PluralityCommittee:
        """Name the members and make a committee of them."""
        ordered = tuple(sorted(members))
        names = tuple(self.votes.names[k] for k in ordered)
        return PluralityCommittee(ordered, names, self.votes.classes, self.n_classifiers)

    def counts(self, members: Sequence[int]) -> NDArray[np.int64]:
        """Count how many members name each class on each pattern."""
        return count_classes(self.codes[:, list(members)], self.n_classes)

    def best(
        self, members: Sequence[int], threshold: int | None = None
    ) -> tuple[PluralityCommittee, int] | None:
        """Return these members as a committee, and its score; None if they are not allowed.

        Most votes win, so there is no `threshold`.
        """
        if not members or not self.allows(members):
            return None
        return self.committee(members), self.score(members)

    def score(self, members: Sequence[int]) -> int:
        """Recount a committee's objective, in integer units of ``gains.unit``."""
        decided = self.counts(members).argmax(axis=1)
        return total(self.gain[np.arange(self.n_patterns), decided])

    def confusion(self, members: Sequence[int]) -> tuple[tuple[Fraction, ...], ...]:
        """Count rows by their true class (outer) and the class decided (inner), exactly."""
        decided, c = self.counts(members).argmax(axis=1), self.n_classes
        cells = [sum_by_group(weight, decided, c) for weight in self.weight.T]
        unit = Fraction(1, self.votes.denominator)
        return tuple(tuple(int(cell) * unit for cell in row) for row in cells)

    def allows(self, members: Sequence[int]) -> bool:
        """Tell exactly whether a set of members meets every limit."""
        chosen = set(members)
        return (
            self.size_min <= len(chosen) <= self.size_max
            and chosen.issuperset(self.required)
            and chosen.isdisjoint(self.forbidden)
            and all(sum(limit.costs[k] for k in chosen) <= limit.most for limit in self.cost_limits)
        )


def check_criterion(criterion: object) -> PluralityCriterion:
    """Return a criterion for plurality committees, or say what is known."""
    if isinstance(criterion, Mapping) or criterion in CRITERIA:
        return criterion
    raise InputError(
        "objective",
        f"{criterion!r} is not for more than two classes. Known are {', '.join(CRITERIA)} (the "
        "mean of the classes' recalls), and a mapping from class to what deciding one of its "
        "rows correctly is worth. Others need two classes: vp.Votes.",
    )


def _merge(votes: PluralityVotes) -> tuple[Codes, IntArray]:
    """Return the distinct rows of votes, and the weight of each class behind each, P x C."""
    kept = votes.weights > 0
    c = len(votes.classes)
    matrix: NDArray[Any] = votes.matrix.astype(np.uint8 if c <= 256 else np.int32)
    labels, weights = votes.labels, votes.weights
    if not kept.all():
        matrix, labels, weights = matrix[kept], labels[kept], weights[kept]
    # As bits, the highest first, codes are ordered as they are as numbers.
    length = max(1, (c - 1).bit_length())
    bits = np.empty((len(matrix), matrix.shape[1], length), dtype=bool)
    for place in range(length):
        bits[:, :, place] = matrix >> (length - 1 - place) & 1
    order, new = sorted_rows(bits.reshape(len(matrix), -1))
    groups = np.cumsum(new) - 1
    codes = np.asfortranarray(matrix[order[new]])
    cells = sum_by_group(weights[order], groups * c + labels[order], len(codes) * c)
    return codes, cells.reshape(len(codes), c)


def _worths(
    criterion: PluralityCriterion, votes: PluralityVotes, weight: IntArray
) -> list[Fraction]:
    """Return what a correct decision on a row of weight one is worth, for every class."""
    totals = [Fraction(total(weight[:, c]), votes.denominator) for c in range(weight.shape[1])]
    if criterion == "accuracy":
        return [1 / sum(totals, Fraction(0))] * len(totals)
    present = sum(1 for part in totals if part)
    if criterion == "balanced_accuracy":
        return [1 / (present * part) if part else Fraction(0) for part in totals]
    assert isinstance(criterion, Mapping)
    unknown = [label for label in criterion if label not in votes.classes]
    if unknown:
        raise InputError("objective", f"{unknown[0]!r} is none of the classes {votes.classes}.")
    worths = [exact(criterion.get(label, 0), f"objective[{label!r}]") for label in votes.classes]
    if min(worths) < 0:
        raise InputError(
            "objective", "what a correct decision is worth must not be negative. Give 0 or more."
        )
    return worths
