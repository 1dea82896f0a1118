"""`WinsProgram`: the linear relaxation of one size with more than two classes, in HiGHS.

Only worker processes import this, for HiGHS does not live with every other solver in one process.
Limits are penalised instead of enforced, so every program is feasible and has dual prices.
"""

from __future__ import annotations

import time

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..numbers.floats import Floats
from .plurality_rows import Priced, Rows, Size
from .program import LEAST_SECONDS

_ROUNDS = 8
"""Rounds of separation. Only speed depends on it."""

_PROGRESS = 0.02
"""The least share of the distance to the target for which another round is worth while."""

_MOST_ROWS = 3
"""Rows for each win beyond which those without a price are dropped."""


class WinsProgram:
    """The linear program of one size, which grows by rows and is solved node by node."""

    def __init__(self, size: Size) -> None:
        self._wins, self.size = size.wins, size
        wins = size.wins
        k, n, limits = wins.n_classifiers, wins.n_wins, len(wins.costs)
        self._penalty = 10.0 * float(wins.weights.sum()) + 1.0
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        columns = k + n + limits
        self._columns = np.arange(columns, dtype=np.int32)
        high = np.concatenate([np.ones(k + n), np.full(limits, np.inf)])
        self._highs.addVars(columns, np.zeros(columns), high)
        cost = np.concatenate([np.zeros(k), -wins.weights, np.full(limits, self._penalty)])
        self._highs.changeColsCost(columns, self._columns, cost)
        self._highs.addRow(float(size.size), float(size.size), k, self._columns[:k], np.ones(k))
        for place, (shares, most) in enumerate(wins.costs):
            where = np.append(self._columns[:k], k + n + place)
            self._highs.addRow(-most, np.inf, k + 1, where, np.append(-shares, 1.0))
        twice = np.flatnonzero(np.bincount(wins.pattern) > 1)
        for pattern in twice.tolist():
            one = (k + np.flatnonzero(wins.pattern == pattern)).astype(np.int32)
            self._highs.addRow(-np.inf, 1.0, len(one), one, np.ones(len(one)))
        self._fixed_rows = 1 + limits + len(twice)
        basic = self.size.basic()
        self._rows = basic.only(np.zeros(0, dtype=np.intp))
        self._add(basic)
        self._best = self._rows, *self._prices()

    def _add(self, rows: Rows) -> None:
        count, k, n = len(rows), self._wins.n_classifiers, self._wins.n_wins
        on_wins = sparse.csr_array((rows.factor, (np.arange(count), rows.win)), shape=(count, n))
        written = sparse.hstack([sparse.csr_array(rows.members), on_wins], format="csr")
        assert written.shape[1] == k + n
        self._highs.addRows(
            count, rows.least, np.full(count, np.inf), written.nnz,
            written.indptr[:-1].astype(np.int32), written.indices.astype(np.int32), written.data,
        )  # fmt: skip
        self._rows = self._rows.plus(rows)

    def _drop(self) -> None:
        """Drop the rows without a price where there are too many."""
        if len(self._rows) <= _MOST_ROWS * self._wins.n_wins:
            return
        idle = np.flatnonzero(self._prices()[0] <= 0)
        self._highs.deleteRows(len(idle), (self._fixed_rows + idle).astype(np.int32))
        self._rows = self._rows.only(np.delete(np.arange(len(self._rows)), idle))

    def bound(
        self, decided: NDArray[np.int8], target: float, deadline: float
    ) -> tuple[float, Floats, Floats]:
        """Bound a node.

        Parameters
        ----------
        decided
            By column: 1 sits, 0 does not, -1 may or may not.
        target
            Bounds below are as good as any.
        deadline
            When to stop, as `time.monotonic` tells it.

        Returns
        -------
        bound, charges, x
            The bound, what it charges each member, and the members of the fractional solution.
        """
        k, n = self._wins.n_classifiers, self._wins.n_wins
        low, high = np.zeros(k + n), np.ones(k + n)
        low[:k], high[:k] = decided == 1, decided != 0
        high[k:] = ~self.size.lost(decided)
        self._highs.changeColsBounds(k + n, self._columns[: k + n], low, high)
        best, charges, x = np.inf, np.zeros(k), np.zeros(k)
        self._solve(deadline)
        for last in range(_ROUNDS):
            solution = np.array(self._highs.getSolution().col_value)
            prices = self._prices()
            bound, charged = self.size.judge(self._rows, *prices, decided)
            gained = best - bound
            if bound < best:
                best, charges, self._best = bound, charged, (self._rows, *prices)
            if len(solution) < k + n:
                break
            x = solution[:k]
            late = time.monotonic() >= deadline
            if best < target or late or gained < _PROGRESS * (best - target) or last == _ROUNDS - 1:
                break
            fresh = self.size.violated(x, solution[k : k + n])
            if not len(fresh):
                break
            self._add(fresh)
            self._solve(deadline)
        self._drop()
        return best, charges, x

    def elsewhere(self, size: Size, decided: NDArray[np.int8]) -> float:
        """Bound a node of another size by the prices of the last node that was bounded here."""
        rows, prices, limit_prices = self._best
        rows, prices = self.size.carried(rows, prices, size)
        return size.judge(rows, prices, limit_prices, decided)[0]

    def priced(self) -> Priced:
        """Return the prices that gave the last node its bound."""
        return Priced.of(self.size.size, *self._best)

    def _solve(self, deadline: float) -> None:
        seconds = max(LEAST_SECONDS, deadline - time.monotonic())
        # HiGHS counts all its runs.
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)
        self._highs.run()

    def _prices(self) -> tuple[Floats, Floats]:
        """Return the dual prices of the rows and of the limits, none negative."""
        prices = np.array(self._highs.getSolution().row_dual)
        if len(prices) != self._fixed_rows + len(self._rows):
            return np.zeros(len(self._rows)), np.zeros(len(self._wins.costs))
        limits = prices[1 : 1 + len(self._wins.costs)]
        return np.maximum(prices[self._fixed_rows :], 0.0), np.maximum(limits, 0.0)
