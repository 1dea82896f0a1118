"""`MarginProblem`: a pruning problem whose objective is a margin, in exact integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..committee import Committee, majority
from ..constraints import Constraint
from ..diversity import Diversity
from ..exact import IntArray, combine, sum_by_group
from ..exceptions import InputError
from ..gains import Gains
from ..problem import Problem
from ..votes import Votes
from .objective import Margin, Ramp

_MOST_DIGITS = 2**800


@dataclass(frozen=True, eq=False)
class MarginProblem(Problem):
    """A `Problem` that judges committees by a margin and lets them decide by majority only.

    Its `gains` are those of accuracy, written in the margin's finer unit. No row is worth more
    than a row won, so their ceiling holds for margins too. So does the closure bound: worth grows
    with the votes, so of two rows that exclude each other one row's worth can be had at most. Only
    a row that nobody gets right is not lost whole, if it is lost by less than the reach.

    Parameters
    ----------
    margin
        The objective.
    row_units
        Units that a unit of row weight is worth when fully won: a multiple of twice the reach of
        every size.
    """

    margin: Margin = field(default_factory=lambda: Ramp(1))
    row_units: int = 1

    @classmethod
    def for_margin(
        cls,
        votes: Votes,
        margin: Margin,
        requests: Sequence[Constraint] = (),
        diversity: str | Diversity | None = None,
    ) -> MarginProblem:
        """Compile votes, a margin and constraints.

        Raises
        ------
        InputError
            If a constraint does not fit the pool, or the pool is too large for exact margins.
        """
        plain = cls.of(votes, "accuracy", requests, diversity)
        assert isinstance(plain, cls)
        scale = 2 * math.lcm(*{margin.reach(size) for size in range(1, votes.n_classifiers + 1)})
        if scale * max(plain.gains.ceiling, 1) > _MOST_DIGITS:
            raise InputError(
                "objective",
                f"{margin} on {votes.n_classifiers} classifiers needs larger numbers than floats "
                "can hold. Take a smaller theta, or fewer classifiers.",
            )
        gains = plain.gains
        finer = Gains(gains.base * scale, combine([(scale, gains.net)]), gains.unit / scale, 1)
        per_weight = 1 / (sum(plain.patterns.totals) * finer.unit)
        assert per_weight.denominator == 1
        return replace(
            plain, criterion=str(margin), gains=finer, margin=margin, row_units=int(per_weight)
        )

    def on_rows(self, votes: Votes) -> MarginProblem:
        """Return the same problem on other rows of the same pool, with the diversity of these."""
        there = MarginProblem.for_margin(votes, self.margin, self.requests)
        return replace(there, asked_diversity=self.asked_diversity, floors=self.floors)

    @property
    def least_loss(self) -> Fraction:
        """Share of what a row could gain that is lost, at the least, when it is decided wrong.

        It is lost by half a vote or more, so of its worth at most ``(reach - 1) / (2 * reach)`` is
        left, and the reach grows with the size.
        """
        largest = self.margin.reach(self.size_max)
        return Fraction(largest + 1, 2 * largest)

    def factor(self, size: int) -> int:
        """Return how many units one step of `Margin.worth` is, per unit of weight."""
        return self.row_units // (2 * self.margin.reach(size))

    def units(self, committee: Committee) -> int:
        """Recount a committee's objective, in integer units of ``gains.unit``."""
        return self.units_of(self.counts(committee.ballots), committee.n_votes)

    def units_of(self, counts: NDArray[np.int64], size: int) -> int:
        """Return what a committee of this size with these vote counts is worth, in units."""
        worth = self.margin.worth(size)
        steps = sum(
            int(weight) * int(step)
            for weights, steps in zip(self._by_count(counts, size), worth, strict=True)
            for weight, step in zip(weights, steps, strict=True)
        )
        return steps * self.factor(size)

    def _by_count(self, counts: NDArray[np.int64], size: int) -> tuple[IntArray, IntArray]:
        patterns = self.patterns
        return (
            sum_by_group(patterns.positive, counts, size + 1),
            sum_by_group(patterns.negative, counts, size + 1),
        )

    def allows(self, committee: Committee) -> bool:
        """Tell exactly whether a committee decides by majority and meets every limit."""
        return committee.threshold == majority(committee.n_votes) and super().allows(committee)

    def best_threshold(self, members: Sequence[int]) -> tuple[Committee, int] | None:
        """Return these members with their majority and its value in units; None if not allowed."""
        if not members:
            return None
        committee = self.committee(members, majority(len(members)))
        return (committee, self.units(committee)) if self.allows(committee) else None
