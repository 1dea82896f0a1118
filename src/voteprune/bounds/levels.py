"""Bounds for every committee size S and threshold L at once, from one set of prices.

With S and L fixed, pattern i is decided as it should be (t_i = 1) only if at least r_i members
vote the right way, where r_i = L + 1 for a pattern that gains as a positive and S - L for one that
gains as a negative. Write A_i for the classifiers that vote the right way on it. Then

    x(A_i minus B)  >=  (r_i - |B|) t_i         for every B inside A_i   (a hull row)
    x(D_ij)         >=  t_i + t_j - 1           for i positive, j negative, D_ij = v_i minus v_j

hold for all committees. Any prices u, v >= 0 on such rows turn into a bound by weak duality:

    base + sum v + sum_i max(0, w_i - prices on t_i) + the S largest prices on x.

The same prices, rescaled so that u (r_i - |B|) stays what it was, bound every other (S, L) too,
and the prices on x then depend on L and on S - L alone. So one linear program, solved at one
(S, L), bounds them all for the cost of a few vector sums. `relaxation` finds good prices; nothing
here trusts it: whatever the prices are, the bound holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..formulation.model import Floats
from ..formulation.rows import objective_scale
from ..problem import Problem


@dataclass(frozen=True, eq=False)
class HullRow:
    """The row ``x(columns) >= (r - skipped) t_i``, with so many classifiers of A_i left out."""

    pattern: int
    columns: NDArray[np.bool_]
    skipped: int


@dataclass(frozen=True, eq=False)
class PairRow:
    """The row ``x(columns) >= t_i + t_j - 1``."""

    first: int
    second: int
    columns: NDArray[np.bool_]


Row = HullRow | PairRow


@dataclass(frozen=True, eq=False)
class Levels:
    """The data of all (S, L): patterns with a gain, seen from the side they want to be on.

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
    """

    helps: NDArray[np.bool_]
    positive: NDArray[np.bool_]
    weights: Floats
    base: float
    required: NDArray[np.intp]
    size_min: int
    size_max: int

    @classmethod
    def of(cls, problem: Problem) -> tuple[Levels, float]:
        """Return the levels of a problem, and how many units make one of theirs.

        Forbidden classifiers are left out. Limits on cost, diversity and criteria are not looked
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
            required=np.flatnonzero(np.isin(problem.allowed, problem.required)),
            size_min=problem.size_min,
            size_max=min(problem.size_max, len(problem.allowed)),
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

    def pairs(self) -> NDArray[np.intp]:
        """Return all (S, L) with size_min <= S <= size_max and 0 <= L < S."""
        return np.array(
            [(s, level) for s in range(self.size_min, self.size_max + 1) for level in range(s)],
            dtype=np.intp,
        )

    def needs(self, size: int, level: int) -> Floats:
        """Return r_i, how many right votes each pattern needs."""
        return np.where(self.positive, level + 1.0, float(size - level))

    def bounds(
        self,
        rows: Sequence[Row],
        prices: Floats,
        at: tuple[int, int],
        pairs: NDArray[np.intp],
    ) -> Floats:
        """Bound the objective at each of the pairs by prices found at one of them.

        Parameters
        ----------
        rows, prices
            Rows and a price on each, negative ones counting as 0.
        at
            The (S, L) the prices were found at.
        pairs
            Where to bound; m x 2.
        """
        needs = self.needs(*at)
        k, most = self.n_classifiers, int(pairs[:, 0].max())
        left = self.weights.copy()
        constant = self.base
        fixed = np.zeros(k)
        # Prices of hull rows, by side and number of skipped classifiers.
        hull: dict[tuple[bool, int], Floats] = {}
        paid: dict[tuple[bool, int], float] = {}
        for row, price in zip(rows, prices, strict=True):
            if price <= 0:
                continue
            if isinstance(row, PairRow):
                left[row.first] -= price
                left[row.second] -= price
                constant += price
                fixed[row.columns] += price
            else:
                key = bool(self.positive[row.pattern]), row.skipped
                amount = price * (needs[row.pattern] - row.skipped)
                left[row.pattern] -= amount
                hull.setdefault(key, np.zeros(k))[row.columns] += amount
                paid[key] = paid.get(key, 0.0) + amount
        left = np.maximum(left, 0.0)
        constant += float(left.sum())

        # Everything on the positive side depends on L + 1 alone, on the negative on S - L.
        side_prices, side_constant = {}, {}
        for side in (True, False):
            column_prices, extra = np.zeros((most + 1, k)), np.zeros(most + 1)
            reach = self.helps[self.positive == side].sum(axis=1)
            worth = left[self.positive == side]
            for (row_side, skipped), amounts in hull.items():
                if row_side == side:
                    steps = np.arange(1, most - skipped + 1)
                    column_prices[skipped + 1 :] += amounts / steps[:, None]
                    extra[: skipped + 1] += paid[side, skipped]
            # A pattern that cannot get as many right votes is lost.
            lost = np.bincount(reach, weights=worth, minlength=k + 1).cumsum()
            extra[1:] -= lost[:most]
            side_prices[side], side_constant[side] = column_prices, extra
        levels, opposite = pairs[:, 1] + 1, pairs[:, 0] - pairs[:, 1]
        columns = fixed + side_prices[True][levels] + side_prices[False][opposite]
        best = _best_members(columns, pairs[:, 0], self.required)
        constants = constant + side_constant[True][levels] + side_constant[False][opposite]
        return np.asarray(constants + best)


def _best_members(columns: Floats, sizes: NDArray[np.intp], required: NDArray[np.intp]) -> Floats:
    """Return, row by row, the largest sum over so many columns, the required ones among them."""
    forced = columns[:, required].sum(axis=1)
    free = np.delete(columns, required, axis=1)
    free = -np.sort(-free, axis=1)
    sums = np.concatenate([np.zeros((len(free), 1)), np.cumsum(free, axis=1)], axis=1)
    places = np.clip(sizes - len(required), 0, free.shape[1])
    return np.asarray(forced + sums[np.arange(len(free)), places])
