"""Good prices for `levels`: a linear program at one (S, L), tightened by the rows it violates.

Runs in a worker process, for it imports HiGHS; see `solvers.worker`. The loop is best first: the
(S, L) with the highest bound is worked on, its prices bound all others, and it is put aside once
its own linear program can do no better.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formulation.model import Floats
from .levels import HullRow, Levels, PairRow, Row

_ROUNDS = 4
_MOST_ROWS = 400
_VIOLATION = 1e-3
_PROGRESS = 1e-3
_CLEANING = 0.5

Report = Callable[[float, list[int]], None]
"""Told the bound over all (S, L), and the members a fractional solution would round to."""


def solve(
    levels: Levels, target: float, start: float, deadline: float, report: Report
) -> tuple[NDArray[np.intp], Floats]:
    """Bound all (S, L) as low as the linear programs go.

    Parameters
    ----------
    levels
        The data.
    target
        Bounds below this need no more work: nothing there beats the incumbent.
    start
        A bound for all of them, to begin with.
    deadline
        When to stop, as `time.time` tells it.
    report
        Told after every linear program.

    Returns
    -------
    pairs, bounds
        All (S, L), and a bound for each.
    """
    pairs = levels.pairs()
    bounds = np.full(len(pairs), start)
    done = np.zeros(len(pairs), dtype=bool)
    rows: list[Row] = []

    def work_on(place: int) -> None:
        nonlocal rows, bounds
        size, level = (int(value) for value in pairs[place])
        rows, prices, members, converged = tighten(levels, size, level, rows, target, deadline)
        better = levels.bounds(rows, prices, (size, level), pairs)
        done[place] = converged or better[place] > bounds[place] - 1e-6
        bounds = np.minimum(bounds, better)
        # Rows that cost nothing here are dropped; they are found again where they matter.
        rows = [row for row, price in zip(rows, prices, strict=True) if price > 1e-9]
        rows = [row for row in rows if isinstance(row, PairRow) or row.skipped]
        report(float(bounds.max()), members)

    began = time.time()
    while time.time() < deadline:
        worst = np.flatnonzero(bounds >= bounds.max() - 1e-9)
        place = int(worst[len(worst) // 2])
        if bounds[place] < target or done[place]:
            break
        work_on(place)
    # The highest can do no better. What is nearly refuted may still be, and every size and
    # threshold that is shrinks what is left to a solver.
    until = min(deadline, time.time() + _CLEANING + 0.5 * (time.time() - began))
    while time.time() < until:
        left = np.flatnonzero((bounds >= target) & ~done)
        if not len(left):
            break
        work_on(int(left[np.argmin(bounds[left])]))
    return pairs, bounds


def tighten(
    levels: Levels, size: int, level: int, known: list[Row], target: float, deadline: float
) -> tuple[list[Row], Floats, list[int], bool]:
    """Solve the linear program at one (S, L), adding rows it violates for a few rounds.

    Returns
    -------
    rows, prices, members, converged
        The rows it ended with, their prices, the members its solution rounds to, and whether more
        rounds would not help.
    """
    needs = levels.needs(size, level)
    rows: list[Row] = [HullRow(i, levels.helps[i], 0) for i in range(levels.n_patterns)]
    rows += [row for row in known if isinstance(row, PairRow) or needs[row.pattern] > row.skipped]
    program = _Program(levels, size, needs, rows)
    value, converged = program.run(), False
    for _ in range(_ROUNDS):
        if converged or value < target or time.time() >= deadline:
            break
        fresh = _violated(levels, needs, *program.solution())
        converged = not fresh
        if fresh:
            rows += fresh
            program.add(fresh)
            before, value = value, program.run()
            converged = before - value < _PROGRESS * levels.weights.max()
    x, _ = program.solution()
    return rows, program.prices(), np.argsort(-x, kind="stable")[:size].tolist(), converged


def _violated(levels: Levels, needs: Floats, x: Floats, t: Floats) -> list[Row]:
    """Return the rows a fractional solution breaks most."""
    # The worst B for a pattern is where x exceeds t: those members count no more than t does.
    over = levels.helps & (x[None, :] > t[:, None] + 1e-7)
    skipped = over.sum(axis=1)
    held = levels.helps @ x - over @ x
    broken = np.where(needs > skipped, (needs - skipped) * t - held, 0.0)
    fresh: list[Row] = [
        HullRow(int(i), levels.helps[i] & ~over[i], int(skipped[i])) for i in _worst(broken)
    ]
    wants_one, wants_zero = np.flatnonzero(levels.positive), np.flatnonzero(~levels.positive)
    # For a negative pattern `helps` is the complement of its votes, so D_ij is an intersection.
    between = (levels.helps[wants_one] * x) @ levels.helps[wants_zero].T
    broken = t[wants_one][:, None] + t[wants_zero][None, :] - 1 - between
    for place in _worst(broken.ravel()):
        i, j = wants_one[place // len(wants_zero)], wants_zero[place % len(wants_zero)]
        fresh.append(PairRow(int(i), int(j), levels.helps[i] & levels.helps[j]))
    return fresh


def _worst(broken: Floats) -> NDArray[np.intp]:
    places = np.flatnonzero(broken > _VIOLATION)
    if len(places) > _MOST_ROWS:
        places = places[np.argpartition(-broken[places], _MOST_ROWS)[:_MOST_ROWS]]
    return places


class _Program:
    """The linear program at one (S, L), in HiGHS."""

    def __init__(self, levels: Levels, size: int, needs: Floats, rows: list[Row]) -> None:
        import highspy

        self._needs, self._k, self._base = needs, levels.n_classifiers, levels.base
        k, n = levels.n_classifiers, levels.n_patterns
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        reach = levels.helps.sum(axis=1)
        low = np.zeros(k + n)
        low[levels.required] = 1.0
        high = np.concatenate([np.ones(k), (reach >= needs).astype(float)])
        cost = np.concatenate([np.zeros(k), -levels.weights])
        self._highs.addVars(k + n, low, high)
        self._highs.changeColsCost(k + n, np.arange(k + n, dtype=np.int32), cost)
        self._highs.addRow(float(size), float(size), k, np.arange(k, dtype=np.int32), np.ones(k))
        self.add(rows)

    def add(self, rows: list[Row]) -> None:
        """Add rows ``x(columns) - ... >= ...``."""
        k = self._k
        columns, values, starts, lows = [], [], [0], []
        for row in rows:
            chosen = np.flatnonzero(row.columns)
            if isinstance(row, PairRow):
                tail, factors, low = [k + row.first, k + row.second], [-1.0, -1.0], -1.0
            else:
                tail = [k + row.pattern]
                factors = [row.skipped - self._needs[row.pattern]]
                low = 0.0
            columns += [chosen, np.array(tail)]
            values += [np.ones(len(chosen)), np.array(factors)]
            starts.append(starts[-1] + len(chosen) + len(tail))
            lows.append(low)
        self._highs.addRows(
            len(rows),
            np.array(lows),
            np.full(len(rows), np.inf),
            starts[-1],
            np.array(starts[:-1], dtype=np.int32),
            np.concatenate(columns).astype(np.int32),
            np.concatenate(values).astype(np.float64),
        )

    def run(self) -> float:
        """Solve and return the value."""
        self._highs.run()
        return self._base - float(self._highs.getInfo().objective_function_value)

    def solution(self) -> tuple[Floats, Floats]:
        """Return x and t."""
        values: Any = np.array(self._highs.getSolution().col_value)
        return values[: self._k], values[self._k :]

    def prices(self) -> Floats:
        """Return the price of every row but the first, which only counts the members."""
        return np.array(self._highs.getSolution().row_dual)[1:]
