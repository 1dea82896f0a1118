"""`Prices`: dual prices on some rows, and the bounds they give at every (S, L) at once.

Any prices >= 0 on `rows` turn into a bound by weak duality: each row lowers the coefficient of its
t_i, which is w_i, and raises those of its x_k, which are 0, and

    base + constants of the rows + sum_i max(0, coefficient of t_i) + the S largest ones of x

is what no committee can exceed. The same prices, rescaled so that price times factor stays what it
was, bound every other (S, L) too. So one linear program, solved at one (S, L), bounds them all for
the cost of a few vector sums. `program` finds good prices; nothing here trusts it: whatever the
prices are, the bounds hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from .levels import Levels
from .node import FREE, Node
from .relaxation_rows import LimitRow, Row, Sides, base_factor

_IMPOSSIBLE = -1e300
"""Bound of an infeasible (S, L); finite, so that it can be added and compared like any other."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What prices say about a node.

    Parameters
    ----------
    bounds
        A bound at each of its (S, L).
    left
        What is left of each pattern's weight; negative where it is charged more.
    charges
        The coefficient of each x_k at each (S, L); m x K.
    """

    bounds: Floats
    left: Floats
    charges: Floats


class Prices:
    """Rows with their prices, summed up.

    Parameters
    ----------
    levels
        The data.
    rows, prices
        Rows and a price on each; those not positive count for nothing.
    at
        The (S, L) the prices were found at.
    """

    def __init__(
        self,
        levels: Levels,
        rows: Sequence[Row | LimitRow],
        prices: Floats,
        at: tuple[int, int],
    ) -> None:
        self._levels = levels
        self._left = levels.weights.copy()
        self._constant = levels.base
        self._fixed = np.zeros(levels.n_classifiers)
        # By sides and kind, then by shift: amounts on the members, and their sum over the rows.
        self._paid: dict[tuple[Sides, bool], dict[int, tuple[Floats, float]]] = {}
        for row in np.flatnonzero(prices > 0).tolist():
            self._pay(rows[row], float(prices[row]), at)

    def _pay(self, row: Row | LimitRow, price: float, at: tuple[int, int]) -> None:
        if isinstance(row, LimitRow):
            self._left += price * row.on_patterns
            self._fixed += price * row.on_members
            self._constant -= price * row.least
            return
        amount = price * row.factor(*at)
        for pattern in row.patterns:
            self._left[pattern] -= amount
        self._constant += amount * (len(row.patterns) - 1)
        by_shift = self._paid.setdefault((row.sides, row.away), {})
        on_members, paid = by_shift.get(row.shift) or (np.zeros(len(row.columns)), 0.0)
        on_members[row.columns] += amount
        by_shift[row.shift] = on_members, paid + amount

    def judge(self, node: Node) -> Judgement:
        """Bound a node at each of its (S, L)."""
        levels, k = self._levels, self._levels.n_classifiers
        sizes, chosen = node.pairs[:, 0], node.pairs[:, 1]
        members, patterns = node.decided[:k], node.decided[k:]
        left = np.where(patterns == FREE, np.maximum(self._left, 0.0), self._left)
        left[patterns == 0] = 0.0
        constants = np.full(len(node), self._constant + float(left.sum()))
        charges = np.tile(self._fixed, (len(node), 1))
        for (sides, away), by_shift in self._paid.items():
            factors = base_factor(sides, away, sizes, chosen)
            distinct, which = np.unique(factors, return_inverse=True)
            on_members, extra = _rescaled(by_shift, away, distinct)
            charges += on_members[which]
            constants += extra[which]
        reach = levels.helps[:, members != 0].sum(axis=1)
        for side in (True, False):
            needed = chosen + 1 if side else sizes - chosen
            # A pattern that cannot get as many right votes is wrong there, and where it is fixed as
            # right, that (S, L) is infeasible.
            for value, known in ((FREE, reach), (1, levels.reach)):
                lost = _sums_by(known, left, (levels.positive == side) & (patterns == value), k)
                constants -= lost[needed - 1]
            must = (levels.positive == side) & (patterns == 1)
            short = np.zeros(k + 2, dtype=bool)
            for low, high in {*zip(reach[must].tolist(), levels.reach[must].tolist(), strict=True)}:
                short[low + 1 : high + 1] = True
            constants[short[needed]] = _IMPOSSIBLE
        bounds = np.maximum(constants + _best_members(charges, sizes, members), _IMPOSSIBLE)
        return Judgement(bounds, self._left, charges)


def _sums_by(reach: NDArray[np.intp], left: Floats, mask: NDArray[np.bool_], most: int) -> Floats:
    """Return the sums of what is left of the patterns with a reach of at most 0, 1, 2, ..."""
    return np.bincount(reach[mask], weights=left[mask], minlength=most + 1).cumsum()


def _rescaled(
    by_shift: dict[int, tuple[Floats, float]], away: bool, factors: NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Return the charges on members and the constants for each base factor.

    A row whose factor is not positive is void there: what it charged on its patterns is added back.
    """
    k = len(next(iter(by_shift.values()))[0])
    on_members, constants = np.zeros((len(factors), k)), np.zeros(len(factors))
    for shift, (amounts, paid) in by_shift.items():
        holds = factors + shift > 0
        scaled = amounts / (factors[holds] + shift)[:, None]
        on_members[holds] += -scaled if away else scaled
        if away:
            # away(C) = |C| - x(C), and |C| is the shift
            constants[holds] += paid * shift / (factors[holds] + shift)
        constants[~holds] += paid
    return on_members, constants


def _best_members(charges: Floats, sizes: NDArray[np.intp], members: NDArray[np.int8]) -> Floats:
    """Return, row by row, the largest sum over so many members; impossible where none fit."""
    sitting, free = np.flatnonzero(members == 1), np.flatnonzero(members == FREE)
    ordered = -np.sort(-charges[:, free], axis=1)
    sums = np.concatenate([np.zeros((len(charges), 1)), np.cumsum(ordered, axis=1)], axis=1)
    seats = sizes - len(sitting)
    best = charges[:, sitting].sum(axis=1)
    best += sums[np.arange(len(charges)), np.clip(seats, 0, len(free))]
    best[(seats < 0) | (seats > len(free))] = _IMPOSSIBLE
    return np.asarray(best)
