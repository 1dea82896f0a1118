"""`Relaxation`: the linear relaxation over decisions, with nogoods as rows that come and go.

All rows that are known are in a `Pool`; a program has but a few of them at a time.
"""

from __future__ import annotations

import time

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...bounds.program import LEAST_SECONDS
from ...numbers.floats import Floats
from .nogood import Case, Nogood

_VIOLATION = 1e-3
"""By how much a row of the pool must be broken to be entered. Only speed depends on it."""

_MOST_ROWS = 150
"""Rows that are entered at a time, the most violated first. Only speed depends on it."""

_SPARE_ROWS = 200
"""Rows beyond those in use after which the others are taken out. Only speed depends on it."""

Variables = NDArray[np.int32]
"""Numbers of variables, in the type HiGHS takes."""

_FEW = 8
"""Rows that are summed up faster one by one."""


def add_rows(highs: highspy.Highs, rows: sparse.csr_array, low: Floats, high: Floats) -> None:
    """Add rows to a program."""
    highs.addRows(
        rows.shape[0], low, high, rows.nnz, rows.indptr[:-1].astype(np.int32),
        rows.indices.astype(np.int32), rows.data.astype(np.float64),
    )  # fmt: skip


def rows_in_use(highs: highspy.Highs, first: int) -> tuple[list[int], highspy.HighsBasis]:
    """Return which rows, from the first that may go on, the last solution needs.

    Returns
    -------
    kept, basis
        Counted from that first row; and a basis for the program with the others taken out.
    """
    basis = highs.getBasis()
    status = list(basis.row_status)
    kept = [
        number
        for number, row in enumerate(status[first:])
        if row != highspy.HighsBasisStatus.kBasic
    ]
    fresh = highspy.HighsBasis()
    fresh.col_status = list(basis.col_status)
    fresh.row_status = status[:first] + [status[first + number] for number in kept]
    fresh.valid = True
    return kept, fresh


class Relaxation:
    """The linear program, in HiGHS, and the pool of all nogoods and limits known."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self.n = case.n_patterns + case.n_classifiers
        self._indices = np.arange(self.n, dtype=np.int32)
        self._gains = np.concatenate([case.net, np.zeros(case.n_classifiers)])
        self._penalty = 10.0 * float(np.abs(case.net).sum()) + 1.0
        self._pool = Pool(self.n)
        # What each of its rows is: a nogood, or a limit by its number.
        self._said: list[Nogood | int] = []
        self._known: set[object] = set()
        self._low, self._high = np.zeros(self.n), np.ones(self.n)
        for number, (row, least) in enumerate(
            zip(case.on_patterns, case.least_patterns, strict=True)
        ):
            self._said.append(number)
            variables = np.flatnonzero(row).astype(np.int32)
            self._pool.add(variables, row[variables], float(least))
        self._start([])
        self._enough = 2 * _SPARE_ROWS

    def _start(self, rows: list[int]) -> None:
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("presolve", "off")
        # Factors of nogoods are 1 or -1, those of limits 1 at the most: there is nothing to scale.
        self._highs.setOptionValue("simplex_scale_strategy", 0)
        # The last column lets every row be broken at a high price, so there is always a solution.
        self._highs.addVars(self.n + 1, np.zeros(self.n + 1), np.append(np.ones(self.n), np.inf))
        cost = np.append(-self._gains, self._penalty)
        self._highs.changeColsCost(self.n + 1, np.arange(self.n + 1, dtype=np.int32), cost)
        self._highs.changeColsBounds(self.n, self._indices, self._low, self._high)
        self._rows: list[int] = []
        # What is written in the program, entry by entry: variable, factor, row.
        self._at, self._by = np.empty(0, dtype=np.int32), np.empty(0)
        self._of = np.empty(0, dtype=np.intp)
        self._value: float | None = None
        self._enter(rows)

    def add(self, nogood: Nogood) -> bool:
        """Put a nogood into the pool; tell if it is new."""
        if nogood.key in self._known:
            return False
        self._known.add(nogood.key)
        self._said.append(nogood)
        variables = np.array(nogood.variables, dtype=np.int32)
        factors = np.where(nogood.values, -1.0, 1.0)
        self._pool.add(variables, factors, 1.0 - sum(nogood.values))
        return True

    def _enter(self, rows: list[int]) -> None:
        """Write rows of the pool into the program."""
        if not rows:
            return
        written = [self._pool.row(row) for row in rows]
        values = [np.append(factors, 1.0) for _, factors in written]
        columns = [np.append(variables, self.n) for variables, _ in written]
        lengths = np.array([len(part) for part in columns])
        owners = np.arange(len(self._rows), len(self._rows) + len(rows))
        self._at = np.concatenate([self._at, *(variables for variables, _ in written)])
        self._by = np.concatenate([self._by, *(factors for _, factors in written)])
        self._of = np.concatenate([self._of, np.repeat(owners, lengths - 1)])
        self._highs.addRows(
            len(rows), self._pool.least[rows], np.full(len(rows), np.inf), int(lengths.sum()),
            (np.cumsum(lengths) - lengths).astype(np.int32),
            np.concatenate(columns).astype(np.int32), np.concatenate(values),
        )  # fmt: skip
        self._rows += rows
        self._value = None

    def look(self, low: Floats, high: Floats, latest: float) -> float:
        """Return a bound on what lies between low and high, from the rows in the program alone."""
        if not (np.array_equal(low, self._low) and np.array_equal(high, self._high)):
            self._low, self._high, self._value = low, high, None
            self._highs.changeColsBounds(self.n, self._indices, low, high)
        if self._value is None:
            self._solve(latest)
            self._value, self._looked_at = self._bound(), 0
        return self._value

    def _solve(self, latest: float) -> None:
        seconds = max(LEAST_SECONDS, latest - time.monotonic())
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)
        self._highs.run()
        self._answer = self._highs.getSolution()

    def _bound(self) -> float:
        prices = np.maximum(np.array(self._answer.row_dual), 0.0)
        charged = np.bincount(self._at, weights=self._by * prices[self._of], minlength=self.n)
        left = self._gains + charged
        best = np.maximum(left * self._low, left * self._high).sum()
        return float(self._case.base - prices @ self._pool.least[self._rows] + best)

    def reasons(self) -> list[tuple[Nogood | int, float]]:
        """Return what the last bound rests on: nogoods and limits, each with its price."""
        prices = np.array(self._answer.row_dual)
        used = np.flatnonzero(prices > 0).tolist()
        return [(self._said[self._rows[row]], float(prices[row])) for row in used]

    def bound(self, low: Floats, high: Floats, target: float, latest: float) -> float:
        """Return a bound on what lies between low and high, with all that the pool has to say."""
        value = self.look(low, high, latest)
        while value >= target and time.monotonic() < latest and self._enter_broken():
            value = self.look(low, high, latest)
        return value

    def _enter_broken(self) -> bool:
        # Rows that were in the pool when this solution was last checked are not broken: otherwise
        # they would have been added, and the solution would be another.
        broken = np.zeros(len(self._pool))
        broken[self._looked_at :] = self._pool.lacking(self.solution(), self._looked_at)
        self._looked_at = len(self._pool)
        broken[self._rows] = 0.0
        rows = np.flatnonzero(broken > _VIOLATION)
        if len(rows) > _MOST_ROWS:
            rows = rows[np.argsort(-broken[rows])[:_MOST_ROWS]]
        self._enter(rows.tolist())
        return len(rows) > 0

    def solution(self) -> Floats:
        """Return z and x of the last solution."""
        return np.array(self._answer.col_value)[: self.n]

    def tidy(self) -> None:
        """Remove rows that were not tight in the last solution, once there are many."""
        if len(self._rows) < self._enough:
            return
        kept, basis = rows_in_use(self._highs, 0)
        self._start([self._rows[number] for number in kept])
        self._highs.setBasis(basis)
        self._enough = max(2 * _SPARE_ROWS, len(kept) + _SPARE_ROWS)


def fractions(solution: Floats) -> Floats:
    """Return how far each variable is from 0 and 1."""
    return np.minimum(solution, 1.0 - solution)


def limits_of(decided: NDArray[np.int8]) -> tuple[Floats, Floats]:
    """Return the lowest and highest value of every variable, given what is decided."""
    return (decided == 1).astype(np.float64), (decided != 0).astype(np.float64)


class Pool:
    """Rows ``sum of factors x variables >= least``, written one after the other."""

    def __init__(self, width: int) -> None:
        self._width, self._length = width, 0
        # With room to grow, for rows come one by one and all are asked about between them.
        self._variables, self._factors = np.empty(1024, dtype=np.int32), np.empty(1024)
        self._ends, self._least = np.zeros(65, dtype=np.int32), np.empty(64)

    def __len__(self) -> int:
        return self._length

    def add(self, variables: Variables, factors: Floats, least: float) -> None:
        """Write a row."""
        begin = int(self._ends[self._length])
        end = begin + len(variables)
        if self._length == len(self._least):
            self._ends = np.resize(self._ends, 2 * self._length + 1)
            self._least = np.resize(self._least, 2 * self._length)
        if end > len(self._variables):
            room = 2 * max(end, len(self._variables))
            self._variables = np.resize(self._variables, room)
            self._factors = np.resize(self._factors, room)
        self._variables[begin:end], self._factors[begin:end] = variables, factors
        self._least[self._length] = least
        self._length += 1
        self._ends[self._length] = end

    def row(self, number: int) -> tuple[Variables, Floats]:
        """Return the variables of a row and their factors."""
        span = slice(self._ends[number], self._ends[number + 1])
        return self._variables[span], self._factors[span]

    @property
    def least(self) -> Floats:
        """What each row asks for."""
        return self._least[: self._length]

    def lacking(self, solution: Floats, first: int = 0) -> Floats:
        """Return by how much a solution violates each row; negative where there is slack."""
        if self._length - first <= _FEW:
            rows = (self.row(number) for number in range(first, self._length))
            sums = np.array([factors @ solution[variables] for variables, factors in rows])
        else:
            begin, end = self._ends[first], self._ends[self._length]
            written = sparse.csr_array(
                (
                    self._factors[begin:end],
                    self._variables[begin:end],
                    self._ends[first : self._length + 1] - begin,
                ),
                shape=(self._length - first, self._width),
            )
            sums = written @ solution
        return np.asarray(self.least[first:] - sums)
