"""Prices that bound the margin of every committee size at once.

At size S a margin is a sum over patterns of functions F_p of the vote count v_p alone. Put any
price mu_p on a vote for pattern p. What a committee is worth is then

    sum_p (F_p(v_p) - mu_p v_p)  +  sum over members k of (sum of mu_p where k votes positive)

and no committee of size S exceeds the sum of the largest first terms plus the S largest column
prices. A first term is straight between its kinks, so its largest value lies at an end of the
range or beside a kink. One vote moves F_p by its weight over the reach, so prices that are good at
one size, scaled by the reach, are good at the others too.

The bound holds for any prices; `tree.margins.worker` finds good ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats, objective_scale
from ..problem.committee import majority
from ..problem.margin import Margin, margin_of
from ..problem.problem import Problem


@dataclass(frozen=True, eq=False)
class Sizes:
    """What the bounds of all sizes are made of, in floats.

    Parameters
    ----------
    margin
        The objective.
    votes
        P x A: the votes of the classifiers that are not forbidden.
    weights
        2 x P: weight of the positive and of the negative rows behind each pattern.
    required
        Places among the A of classifiers that must sit.
    size_min, size_max
        The sizes that are allowed.
    """

    margin: Margin
    votes: NDArray[np.bool_]
    weights: Floats
    required: NDArray[np.intp]
    size_min: int
    size_max: int

    @classmethod
    def of(cls, problem: Problem) -> tuple[Sizes, float]:
        """Read a problem; the bounds times the float returned with it are in units."""
        patterns = problem.patterns
        scale = objective_scale(np.concatenate([patterns.positive, patterns.negative]))
        allowed = np.array(problem.allowed, dtype=np.intp)
        sizes = cls(
            margin_of(problem).margin,
            patterns.matrix[:, allowed],
            np.stack(
                [side.astype(float) / scale for side in (patterns.positive, patterns.negative)]
            ),
            problem.required_places,
            problem.least_size,
            problem.most_size,
        )
        return sizes, scale * float(margin_of(problem).row_units)

    def all(self) -> range:
        """Return the sizes a committee can have."""
        return range(self.size_min, self.size_max + 1)

    def ranges(self, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the fewest and the most votes every pattern can have at a size."""
        pro = self.votes.sum(axis=1, dtype=np.int64)
        contra = self.votes.shape[1] - pro
        sure = self.votes[:, self.required].sum(axis=1, dtype=np.int64)
        least = np.maximum(sure, size - contra)
        return least, np.minimum(pro, size - len(self.required) + sure)

    def corners(self, size: int) -> tuple[NDArray[np.int64], Floats]:
        """Return the vote counts where a straight line under F_p can touch it, and F_p there.

        Returns
        -------
        counts, worth
            P x 6 each, counts in ascending order, some of them equal.
        """
        least, most = self.ranges(size)
        reach = self.margin.reach(size)
        # v - L - 1/2 = +- reach / 2, rounded down and up.
        kinks = [majority(size) + (1 + sign * reach) // 2 for sign in (-1, 1)]
        inner = np.array([kinks[0], kinks[0] + 1, kinks[1], kinks[1] + 1])
        counts = np.clip(inner[None, :], least[:, None], most[:, None])
        counts = np.column_stack([least, counts, most])
        worth = self.margin.worth(size) / (2 * reach)
        return counts, np.asarray(
            self.weights[0][:, None] * worth[0][counts]
            + self.weights[1][:, None] * worth[1][counts]
        )

    def bounds(self, prices: Floats, at: int) -> Floats:
        """Return a bound for every size, from prices made for size `at`."""
        own = prices @ self.votes
        return np.array([self._bound(size, prices, own, at) for size in self.all()])

    def _bound(self, size: int, prices: Floats, own: Floats, at: int) -> float:
        ratio = self.margin.reach(at) / self.margin.reach(size)
        counts, worth = self.corners(size)
        rest = (worth - ratio * prices[:, None] * counts).max(axis=1).sum()
        columns = ratio * np.delete(own, self.required)
        free = size - len(self.required)
        best = -np.partition(-columns, free - 1)[:free].sum() if free else 0.0
        return float(rest + best + ratio * own[self.required].sum())

    def segments(self, size: int) -> Iterator[tuple[int, float, float]]:
        """Yield the straight pieces of the least concave functions above the F_p.

        Yields
        ------
        pattern, length, slope
            In ascending order of the vote count, so that slopes fall.
        """
        counts, worth = self.corners(size)
        for p in range(len(counts)):
            hull: list[tuple[int, float]] = []
            for point in zip(counts[p].tolist(), worth[p].tolist(), strict=True):
                if hull and hull[-1][0] == point[0]:
                    continue
                while len(hull) > 1 and _slope(hull[-1], point) >= _slope(hull[-2], hull[-1]):
                    hull.pop()
                hull.append(point)
            for first, second in pairwise(hull):
                yield p, float(second[0] - first[0]), _slope(first, second)


def _slope(first: tuple[int, float], second: tuple[int, float]) -> float:
    return (second[1] - first[1]) / (second[0] - first[0])
