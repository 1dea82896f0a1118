"""`Levels`: the data of all committee sizes S and thresholds L at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats, objective_scale
from .relaxation_rows import LimitRow, Row, Sides, limit_rows

# Worker processes, which start with an import of this, need none of these.
if TYPE_CHECKING:
    from ..problem.committee import Committee
    from ..problem.problem import Problem

SAFETY = 1e-7
"""Relative room left for rounding when floating-point bounds are read."""


def room(weights: Floats, bounds: Floats | float) -> Floats:
    """Return how far off rounding may have put bounds that are sums of such weights."""
    largest = float(np.abs(weights).max(initial=1.0))
    return np.asarray(SAFETY * np.maximum(largest, np.abs(bounds)))


@dataclass(frozen=True, eq=False)
class Levels:
    """Patterns with a gain, seen from the side they want to be on.

    Parameters
    ----------
    helps
        n x K: whether the classifier votes the right way on the pattern.
    positive
        Which patterns want to be positive.
    weights
        What each pattern gains when decided the right way, scaled to a handy size.
    base
        What a committee gets that decides nothing the right way, in the same scale.
    required
        Columns that must sit.
    size_min, size_max
        Range of S.
    limits
        Rows for limits on cost, criteria and each member's diversity.
    """

    helps: NDArray[np.bool_]
    positive: NDArray[np.bool_]
    weights: Floats
    base: float
    required: NDArray[np.intp]
    size_min: int
    size_max: int
    limits: tuple[LimitRow, ...] = ()

    @classmethod
    def of(cls, problem: Problem) -> tuple[Levels, float]:
        """Return the levels of a problem, and how many units make one of theirs.

        Forbidden classifiers are left out. The limit on a committee's mean diversity is not looked
        at, which leaves the bounds valid.
        """
        gains = problem.gains
        used = np.flatnonzero(gains.net != 0)
        scale = objective_scale(gains.net)
        net = gains.net[used].astype(np.float64) / scale
        positive = net > 0
        votes = problem.patterns.matrix[used][:, list(problem.allowed)]
        levels = cls(
            helps=np.where(positive[:, None], votes, ~votes),
            positive=positive,
            weights=np.abs(net),
            base=gains.base / scale + float(net[~positive].sum()),
            required=problem.required_places,
            size_min=problem.least_size,
            size_max=problem.most_size,
            limits=tuple(limit_rows(problem, used, positive)),
        )
        return levels, scale

    @property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return len(self.weights)

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers."""
        return int(self.helps.shape[1])

    @cached_property
    def basic_rows(self) -> list[Row]:
        """The first row of every pattern."""
        return [Row((i,), self.helps[i], self.sides(i)) for i in range(self.n_patterns)]

    def sides(self, *patterns: int) -> Sides:
        """Return how many of the patterns want to be positive, and how many negative."""
        positive = int(self.positive[list(patterns)].sum())
        return positive, len(patterns) - positive

    def room(self, bounds: Floats | float) -> Floats:
        """Return how far off rounding may have put bounds."""
        return room(self.weights, bounds)

    @cached_property
    def reach(self) -> NDArray[np.intp]:
        """How many classifiers vote the right way on each pattern."""
        return np.asarray(self.helps.sum(axis=1))

    def reachable(self, pattern: int, pairs: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell at which (S, L) so many vote the right way that the pattern can be decided right."""
        sizes, chosen = pairs[:, 0], pairs[:, 1]
        needed = chosen + 1 if self.positive[pattern] else sizes - chosen
        return np.asarray(self.reach[pattern] >= needed)

    def pairs(self) -> NDArray[np.intp]:
        """Return all (S, L) with size_min <= S <= size_max and 0 <= L < S."""
        sizes = range(self.size_min, self.size_max + 1)
        return np.array(
            [(size, level) for size in sizes for level in range(size)], dtype=np.intp
        ).reshape(-1, 2)

    def needs(self, size: int, level: int) -> Floats:
        """Return r_i, how many right votes each pattern needs."""
        return np.where(self.positive, level + 1.0, float(size - level))


@dataclass(frozen=True, slots=True)
class Region:
    """Sizes and thresholds outside which nothing is better than the best committee so far.

    `conflicts` are pairs of patterns whose row was found useful there, see `merged_model`.
    """

    size_min: int
    size_max: int
    level_min: int
    level_max: int
    conflicts: tuple[tuple[int, int], ...] = ()

    def holds(self, committee: Committee) -> bool:
        """Tell whether a committee lies inside."""
        return (
            self.size_min <= committee.size <= self.size_max
            and self.level_min <= committee.threshold <= self.level_max
        )
