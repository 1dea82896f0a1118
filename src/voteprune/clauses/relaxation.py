"""The linear program of the clauses: bounds, and which decisions to look at next.

There is one variable for each pattern and one for each classifier, and no committee behind them
but what the clauses say. Clauses are kept in a pool; those that a solution breaks enter the
program, those that it has no use for leave it. The bound comes from the prices by weak duality,

    base + sum of prices x (|A| - 1) + the most that what is left of each gain can add,

so it holds whatever the solver does. Only the worker process imports this.
"""

from __future__ import annotations

import time

import highspy
import numpy as np
from numpy.typing import NDArray

from ..formulation.model import Floats
from .case import Case
from .clause import Clause

_VIOLATION = 1e-3
_MOST_ROWS = 150
_SPARE_ROWS = 200
_LEAST_SECONDS = 0.05


class Relaxation:
    """The program and its pool.

    Parameters
    ----------
    case
        The data.
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        self.n = case.n_patterns + case.n_classifiers
        self._indices = np.arange(self.n, dtype=np.int32)
        self._gains = np.concatenate([case.net, np.zeros(case.n_classifiers)])
        self._penalty = 10.0 * float(np.abs(case.net).sum()) + 1.0
        self._pool = np.zeros((1024, self.n), dtype=np.float32)
        self._least = np.zeros(1024)
        self._size = 0
        self._known: set[object] = set()
        self._low, self._high = np.zeros(self.n), np.ones(self.n)
        for row, least in zip(case.on_patterns, case.least_patterns, strict=True):
            self._keep(np.concatenate([row, np.zeros(case.n_classifiers)]), least)
        self._start([])
        self._enough = 2 * _SPARE_ROWS

    def _start(self, rows: list[int]) -> None:
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("presolve", "off")
        # The last column lets every row be broken at a high price, so there is always a solution.
        self._highs.addVars(self.n + 1, np.zeros(self.n + 1), np.append(np.ones(self.n), np.inf))
        cost = np.append(-self._gains, self._penalty)
        self._highs.changeColsCost(self.n + 1, np.arange(self.n + 1, dtype=np.int32), cost)
        self._rows: list[int] = []
        self._enter(rows)

    def add(self, clause: Clause) -> bool:
        """Put a clause into the pool; tell if it is new."""
        if clause.key in self._known:
            return False
        self._known.add(clause.key)
        row = np.zeros(self.n)
        row[list(clause.places)] = np.where(clause.values, -1.0, 1.0)
        self._keep(row, 1.0 - sum(clause.values))
        return True

    def _keep(self, row: Floats, least: float) -> None:
        if self._size == len(self._pool):
            self._pool = np.concatenate([self._pool, np.zeros_like(self._pool)])
            self._least = np.concatenate([self._least, np.zeros_like(self._least)])
        self._pool[self._size], self._least[self._size] = row, least
        self._size += 1

    def _enter(self, rows: list[int]) -> None:
        """Write rows of the pool into the program."""
        if not rows:
            return
        written = [np.flatnonzero(self._pool[row]) for row in rows]
        values = [
            np.append(self._pool[row, at], 1.0) for row, at in zip(rows, written, strict=True)
        ]
        columns = [np.append(at, self.n) for at in written]
        lengths = np.array([len(part) for part in columns])
        self._highs.addRows(
            len(rows), self._least[rows], np.full(len(rows), np.inf), int(lengths.sum()),
            (np.cumsum(lengths) - lengths).astype(np.int32),
            np.concatenate(columns).astype(np.int32), np.concatenate(values).astype(np.float64),
        )  # fmt: skip
        self._rows += rows

    def look(self, low: Floats, high: Floats, latest: float) -> float:
        """Return a bound on what lies between low and high, from the rows in the program alone."""
        self._low, self._high = low, high
        self._highs.changeColsBounds(self.n, self._indices, low, high)
        seconds = max(_LEAST_SECONDS, latest - time.time())
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)
        self._highs.run()
        return self._bound()

    def _bound(self) -> float:
        prices = np.maximum(np.array(self._highs.getSolution().row_dual), 0.0)
        used = np.flatnonzero(prices)
        rows = np.array(self._rows, dtype=np.intp)[used]
        left = self._gains + prices[used] @ self._pool[rows].astype(np.float64)
        best = np.maximum(left * self._low, left * self._high).sum()
        return float(self._case.base - prices[used] @ self._least[rows] + best)

    def bound(self, low: Floats, high: Floats, target: float, latest: float) -> float:
        """Return a bound on what lies between low and high, with all that the pool has to say."""
        value = self.look(low, high, latest)
        while value >= target and time.time() < latest and self._enter_broken():
            value = self.look(low, high, latest)
        return value

    def _enter_broken(self) -> bool:
        broken = self._least[: self._size] - self._pool[: self._size] @ self.solution().astype(
            np.float32
        )
        broken[self._rows] = 0.0
        places = np.flatnonzero(broken > _VIOLATION)
        if len(places) > _MOST_ROWS:
            places = places[np.argsort(-broken[places])[:_MOST_ROWS]]
        self._enter(places.tolist())
        return len(places) > 0

    def solution(self) -> Floats:
        """Return z and x of the last solution."""
        return np.array(self._highs.getSolution().col_value)[: self.n]

    def tidy(self) -> None:
        """Take out the rows that the last solution has no use for, once they are many."""
        if len(self._rows) < self._enough:
            return
        basis = self._highs.getBasis()
        slack = highspy.HighsBasisStatus.kBasic
        kept = [place for place, status in enumerate(basis.row_status) if status != slack]
        fresh = highspy.HighsBasis()
        fresh.col_status = list(basis.col_status)
        fresh.row_status = [basis.row_status[place] for place in kept]
        fresh.valid = True
        self._start([self._rows[place] for place in kept])
        self._highs.setBasis(fresh)
        self._enough = max(2 * _SPARE_ROWS, len(kept) + _SPARE_ROWS)


def fractions(solution: Floats) -> Floats:
    """Return how far each variable is from 0 and 1."""
    return np.minimum(solution, 1.0 - solution)


def limits_of(decided: NDArray[np.int8]) -> tuple[Floats, Floats]:
    """Return the lowest and highest value of every variable, given what is decided."""
    return (decided == 1).astype(np.float64), (decided != 0).astype(np.float64)
