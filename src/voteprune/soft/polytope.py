"""The committees that are still allowed, relaxed: 0 <= x <= 1, the limits as rows, their prices."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from ..numbers.floats import Floats
from .loss_protocol import margin
from .problem import Places

_STEPS = 60
_HALVINGS = 25
_HIGHEST = 1e4
"""Where no x keeps all rows prices would rise for ever; this many times the largest is enough."""

_NO_FAMILY = np.zeros((0, 1), dtype=bool)

_FAR = 1e3
"""Times all weights together that a seat costs where there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Ridge:
    """A penalty at some weights: its value, derivatives, and the shares x behind it."""

    value: float
    gradient: Floats
    hessian: Floats
    shares: Floats
    prices: Floats
    """What the rows of the polytope cost."""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The largest sum of some values that an allowed set can have, rounded up.

    Parameters
    ----------
    value
        The sum, or something above it.
    cost_in, cost_out
        How much less it is at least with a member in, or out.
    prices
        Prices of the rows that show it; none where sorting does.
    """

    value: float
    cost_in: Floats
    cost_out: Floats
    prices: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """``lines x <= limits`` with x in [0, 1]; a single line is the size, all ones.

    `tight` says which rows of the problem these are, where `at` made it. The last `needs` rows each
    want at least one of some members, none of whom two rows want; `needing` adds them.
    """

    lines: Floats
    limits: Floats
    tight: NDArray[np.bool_] | None = None
    needs: int = 0

    @classmethod
    def at(cls, lines: Floats, limits: Floats, inside: Places, free: Places) -> Polytope:
        """Return what is left of the limits when some sit and others are free.

        Rows that nothing free can break are left out, and rows that all free members together
        can only just meet stay as they are.
        """
        rest = limits - lines[:, inside].sum(axis=1)
        # Costs that meet a limit exactly may exceed it by roundings.
        noise = margin(len(inside)) * (np.abs(lines[:, inside]).sum(axis=1) + np.abs(limits))
        rest[(rest < 0) & (rest >= -4 * noise)] = 0.0
        left = lines[:, free]
        tight = np.maximum(left, 0).sum(axis=1) > rest
        tight[0] = True
        return cls(left[tight], rest[tight], tight)

    def needing(self, wanted: Places) -> Polytope:
        """Return the same with at least one of every family that is wanted.

        Parameters
        ----------
        wanted
            For each member the number of its family, 0 if nobody of it need sit.
        """
        families = np.unique(wanted[wanted > 0])
        if not len(families):
            return self
        rows = -(wanted == families[:, None]).astype(np.float64)
        return Polytope(
            np.vstack([self.lines, rows]),
            np.concatenate([self.limits, np.full(len(rows), -1.0)]),
            self.tight,
            len(rows),
        )

    @property
    def sizes_alone(self) -> bool:
        """Whether nothing is limited but the size, beside families that are wanted."""
        return len(self.lines) == 1 + self.needs

    def spread(self, prices: Floats) -> Floats:
        """Return prices of these rows as prices of all rows of the problem, 0 where none is."""
        if self.tight is None or not len(prices):
            return prices
        whole = np.zeros(len(self.tight))
        whole[self.tight] = prices
        return whole

    @property
    def broken(self) -> bool:
        """Whether no x at all can keep some row, with room for rounding."""
        least = np.minimum(self.lines, 0).sum(axis=1)
        room = margin(self.lines.shape[1]) * (np.abs(self.lines).sum(axis=1) + np.abs(self.limits))
        return bool((least > self.limits + 64 * room).any())

    def ridge(self, weights: Floats, ridge: float, near: Floats | None = None) -> Ridge:
        """Return lambda / 2 times the least sum of w^2 / x over the polytope, and derivatives.

        By prices u of the rows: with p = u lines a member pays min over x of
        lambda w^2 / (2 x) + p x, which is sqrt(2 lambda p) w while p > lambda w^2 / 2, and
        lambda w^2 / 2 + p from there on. For a size limit alone this is the squared k-support
        norm. The Hessian lets the prices follow the weights. `near` are prices to start from.
        """
        prices = self._prices(weights, ridge, near)
        paid = prices @ self.lines
        short = self.lines[1:][prices[1:] > 0] < 0 if self.sizes_alone else _NO_FAMILY
        for family in short:
            paid[family] = ridge / 2 * weights[family].sum() ** 2  # nothing cancels
        square = ridge * weights**2 / 2
        partly = paid > square
        paid_partly = np.where(partly, paid, 1.0)
        steep = np.sqrt(2 * ridge * np.maximum(paid, 0.0))
        value = np.where(partly, steep * weights, square + paid).sum() - prices @ self.limits
        hessian = np.diag(np.where(partly, 0.0, ridge))
        if self.sizes_alone:
            # All pay the same price, so tau, the sum of weights over the seats left, follows them;
            # families that share a seat pay lambda / 2 times the square of their sum.
            rest = partly & ~short.any(axis=0)
            whole = np.count_nonzero(~partly & ~short.any(axis=0))
            seats = float(self.limits[0]) - len(short) - whole
            hessian[np.ix_(rest, rest)] = ridge / max(seats, 1e-9)
            for family in short:
                hessian[np.ix_(family, family)] = ridge
        elif partly.any():
            rows = self.lines[prices > 0][:, partly]
            change = rows * np.sqrt(ridge / (2 * paid_partly[partly]))
            bend = weights[partly] * np.sqrt(ridge / 8) * paid_partly[partly] ** -1.5
            inner = (rows * bend) @ rows.T
            hessian[np.ix_(partly, partly)] = change.T @ np.linalg.pinv(inner) @ change
        shares = np.where(partly, weights * np.sqrt(ridge / (2 * paid_partly)), 1.0)
        shares = np.where((weights > 0) | (paid < 0), np.minimum(shares, 1.0), 0.0)
        gradient = np.where(partly, steep, ridge * weights)
        return Ridge(float(value), gradient, hessian, shares, prices)

    def packing(self, columns: Places) -> Polytope:
        """Return the rows on some of the members that leaving members out can only help.

        Where only sizes count, a family that is wanted keeps its seat if none of it is among them.
        """
        lines = self.lines[:, columns]
        if self.sizes_alone:
            return replace(self, lines=lines)
        upper = (self.lines >= 0).all(axis=1)
        return Polytope(lines[upper], self.limits[upper])

    def entry(self, prices: Floats, ridge: float) -> Floats:
        """Return what each member's gain must exceed to get weight, at prices of the rows."""
        return np.sqrt(2 * ridge * np.maximum(prices @ self.lines, 0.0))

    def _prices(self, weights: Floats, ridge: float, near: Floats | None) -> Floats:
        if self.sizes_alone:
            return ridge / 2 * self._levels(weights)
        return dual_prices(self.lines, self.limits, weights, ridge, near)

    def _levels(self, weights: Floats) -> Floats:
        """Return the prices in units of lambda / 2: tau^2, and by how much less some families pay.

        A family that is wanted and has less weight than tau would get less than a seat. It gets
        one, shared in proportion, which leaves fewer to the others: tau rises, and so on.
        """
        seats, mine = int(self.limits[0]), self.lines[1:] < 0
        together = mine @ weights
        short = np.zeros(len(mine), dtype=bool)
        while True:
            tau = _threshold(weights[~mine[short].any(axis=0)], seats - int(short.sum()))
            more = ~short & (together < tau)
            if not more.any():
                break
            short |= more
        top = max(tau, float(together[short].max(initial=0.0))) ** 2
        return np.concatenate([[top], np.where(short, top - together**2, 0.0)])

    def selection(self, values: Floats) -> Selection:
        """Return the largest sum of non-negative values over the polytope, rounded up.

        With a size limit alone by sorting. Else by prices: for any u >= 0 it is at most
        u limits + sum max(0, value - u lines). The linear program only proposes u, so its answer
        needs no trust.
        """
        if self.sizes_alone:
            return _largest_few(values, int(self.limits[0]), self.lines[1:] < 0)
        prices = self._linear_prices(values)
        paid = prices @ self.lines
        over = values - paid
        value = prices @ self.limits + np.maximum(over, 0.0).sum()
        room = (
            4
            * margin(len(values))
            * (prices @ (np.abs(self.limits) + np.abs(self.lines).sum(axis=1)) + values.sum())
        )
        return Selection(float(value + room), np.maximum(-over, 0.0), np.maximum(over, 0.0), prices)

    def _linear_prices(self, values: Floats) -> Floats:
        unit = max(float(values.max(initial=0.0)), 1e-300)
        done = linprog(-values / unit, A_ub=self.lines, b_ub=self.limits, bounds=(0, 1))
        if done.status == 0:
            return np.asarray(np.maximum(-done.ineqlin.marginals, 0.0) * unit)
        # No x keeps all rows: prices along which the bound grows without limit.
        m, n = self.lines.shape
        done = linprog(
            np.concatenate([self.limits, np.ones(n)]),
            A_ub=np.hstack([-self.lines.T, -np.eye(n)]),
            b_ub=np.zeros(n),
            bounds=[(0, 1)] * m + [(0, None)] * n,
        )
        if done.status == 0 and done.fun < -1e-9:
            far = (1e3 * values.sum() + 1e6) / -done.fun
            return np.asarray(np.maximum(done.x[:m], 0.0) * far)
        return np.zeros(m)


def _threshold(weights: Floats, seats: int) -> float:
    """Return tau: the weight from which on a member has a whole seat."""
    if seats >= len(weights):
        return 0.0
    if seats <= 0:
        # Nobody may sit, so nobody should want to.
        return _FAR * float(weights.sum())
    falling = np.sort(weights)[::-1]
    tails = np.cumsum(falling[::-1])[::-1][:seats]
    levels = tails / (seats - np.arange(seats))
    return float(levels[int(np.argmax(levels >= falling[:seats]))])


def _largest_few(values: Floats, seats: int, wanted: NDArray[np.bool_]) -> Selection:
    """Return the largest sum of so many values, with at least one of every family that is wanted.

    The best of each wanted family sit, and of all the others the best that there is room for.
    """
    n, room = len(values), seats - len(wanted)
    if not n:
        return Selection(0.0, values, values, np.zeros(0))
    own = np.where(wanted, values, -np.inf)
    firsts = np.argmax(own, axis=1)
    others = np.delete(values, firsts)
    falling = np.sort(others)[::-1]
    total = float((values[firsts].sum() + falling[:room].sum()) * (1 + 4 * margin(n)))
    # Who comes takes the place of the last that sits; who leaves makes room for the first outside.
    last = falling[room - 1] if 0 < room <= len(others) else 0.0 if room else np.inf
    first = falling[room] if room < len(others) else 0.0
    price = np.full(n, last)
    for family, best in zip(wanted, values[firsts], strict=True):
        price[family] = min(best, last)
    more, less = np.maximum(price - values, 0.0), np.maximum(values - first, 0.0)
    own[np.arange(len(wanted)), firsts] = -np.inf
    heirs = own.max(axis=1, initial=-np.inf)
    more[firsts], less[firsts] = 0.0, values[firsts] - np.minimum(heirs, first)
    return Selection(total, more, less, np.zeros(0))


def dual_prices(
    lines: Floats, limits: Floats, weights: Floats, ridge: float, near: Floats | None = None
) -> Floats:
    """Return prices u >= 0 of the rows that make the shares of the members keep the limits.

    They maximise sum over members of min over x of (lambda w^2 / (2 x) + p x) - u limits with
    p = u lines, by a projected Newton method. Nothing that is proved rests on them.

    Parameters
    ----------
    lines, limits
        The rows.
    weights
        Of the members.
    ridge
        Lambda.
    near
        Prices to start from.
    """
    top = max(float(weights.max(initial=0.0)), 1e-9)
    unit = ridge * top**2 / 2
    # Weights in units of the largest. Zeros make the function kinked; next to nothing does not.
    square = np.maximum(weights / top, 1e-5) ** 2
    prices = np.full(len(lines), 0.1) if near is None else np.minimum(near / unit, _HIGHEST)
    value, share, paid = _value(lines, limits, square, prices)
    for _ in range(_STEPS):
        slope = lines @ share - limits
        moving = (prices > 0) | (slope > 0)
        if np.abs(slope[moving]).max(initial=0.0) <= 1e-11 * (1 + np.abs(limits).max()):
            break
        bend = np.where(share < 1, share / (2 * np.maximum(paid, 1e-300)), 0.0)
        inner = (lines[moving] * bend) @ lines[moving].T
        inner.flat[:: len(inner) + 1] += 1e-10 * np.trace(inner) + 1e-10
        step = np.zeros(len(prices))
        step[moving] = np.linalg.solve(inner, slope[moving])
        step *= min(1.0, 4 * (1 + prices.max()) / max(float(np.abs(step).max()), 1e-300))
        length = 1.0
        for _ in range(_HALVINGS):
            there = np.clip(prices + length * step, 0.0, _HIGHEST)
            trial, trial_share, trial_paid = _value(lines, limits, square, there)
            if trial > value:
                break
            length /= 2
        else:
            break
        prices, value, share, paid = there, trial, trial_share, trial_paid
    return prices * unit


def _value(
    lines: Floats, limits: Floats, square: Floats, prices: Floats
) -> tuple[float, Floats, Floats]:
    paid = prices @ lines
    partly = paid > square
    safe = np.where(partly, paid, 1.0)
    share = np.where(partly, np.sqrt(square / safe), 1.0)
    each = np.where(partly, 2 * np.sqrt(square * safe), square + paid)
    return float(each.sum() - prices @ limits), share, paid
