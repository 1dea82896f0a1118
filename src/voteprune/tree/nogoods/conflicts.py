"""`Conflicts`: separation of nogoods by one linear program, in HiGHS.

Ask for weights x on the classifiers and a threshold L such that every pattern is on the side it is
wanted on, by a margin as large as possible; pattern i may miss it by c_i, which is how much it
costs to have i in a nogood. The patterns whose rows are tight are the mixture that proves a nogood,
and the dual prices of these rows are its shares: the cheapest nogood there is. Only the worker
process imports this.
"""

from __future__ import annotations

import time

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...bounds.node import FREE
from ...bounds.program import LEAST_SECONDS
from ...numbers.floats import Floats
from .nogood import Case, Nogood, prove
from .relaxation import add_rows, rows_in_use

_TINY = 1e-9
"""Shares and margins below this are rounding and count as 0."""

_FAR = 1e4
"""A margin that is reached only where nothing holds it down."""

_BROKEN = 1e-7
"""By how much a row must be broken, relative to the margin: the tolerance HiGHS works to."""

_MOST_ROWS = 25
"""Rows that are entered at a time, the most violated first. Only speed depends on it."""


class Conflicts:
    """The linear program, which is solved for one node after the other.

    Rows for patterns are added when a solution breaks them, and removed when there are many: few of
    them are ever tight.
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        k = case.n_classifiers
        self._votes = case.votes.astype(np.float64)
        self._decided = np.full(k, FREE, dtype=np.int8)
        self._columns = np.arange(k, dtype=np.int32)
        everyone, limits = np.ones((1, k)), len(case.on_members)
        # Columns: x, L, the margin. x_k <= margin, for these are shares of a committee.
        self._frame = sparse.csr_array(
            sparse.vstack([
                sparse.hstack([sparse.eye_array(k), sparse.csr_array((k, 1)), -np.ones((k, 1))]),
                sparse.csr_array(np.hstack([everyone, [[-1.0, -1.0]]])),
                sparse.csr_array(np.hstack([everyone, [[0.0, -float(case.size_max)]]])),
                sparse.csr_array(np.hstack([everyone, [[0.0, -float(case.size_min)]]])),
                sparse.hstack([
                    sparse.csr_array(case.on_members), sparse.csr_array((limits, 1)),
                    -case.least_members[:, None],
                ]),
            ])
        )  # fmt: skip
        nothing = np.full(limits, np.inf)
        self._frame_low = np.concatenate(
            [np.full(k, -np.inf), [0.0, -np.inf, 0.0], np.zeros(limits)]
        )
        self._frame_high = np.concatenate([np.zeros(k), [np.inf, 0.0, np.inf], nothing])
        self._start([])

    def _start(self, rows: list[int]) -> None:
        k = self._case.n_classifiers
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("presolve", "off")
        self._highs.addVars(k + 2, np.zeros(k + 2), np.append(np.full(k + 1, np.inf), _FAR))
        self._highs.changeColCost(k + 1, -1.0)
        add_rows(self._highs, self._frame, self._frame_low, self._frame_high)
        self._rows: list[int] = []
        self._present = np.zeros(2 * self._case.n_patterns, dtype=bool)
        self._enter(rows)

    def _enter(self, rows: list[int]) -> None:
        """Write rows in: of pattern i on the yes side, of pattern i on the no side at n + i."""
        if not rows:
            return
        n = self._case.n_patterns
        patterns = np.array(rows) % n
        yes = np.array(rows) < n
        margins = np.where(yes, -1.0, 0.0)
        written = np.column_stack([self._votes[patterns], -np.ones(len(rows)), margins])
        free = np.full(len(rows), np.inf)
        add_rows(self._highs, sparse.csr_array(written), -free, free)
        self._rows += rows
        self._present[rows] = True

    def decide(self, decided: NDArray[np.int8]) -> None:
        """Say which classifiers sit (1) and which do not (0) from now on."""
        self._decided = decided.copy()

    def _write_decisions(self) -> None:
        k = self._case.n_classifiers
        highest = np.where(self._decided == 0, 0.0, np.inf)
        self._highs.changeColsBounds(k, self._columns, np.zeros(k), highest)
        sits = self._decided == 1
        sits[self._case.required] = True
        low = np.where(sits, 0.0, -np.inf)
        self._highs.changeRowsBounds(k, self._columns, low, np.zeros(k))

    def find(self, yes: Floats, no: Floats, latest: float) -> Nogood | None:
        """Return the nogood that costs least, None if there is none.

        Parameters
        ----------
        yes, no
            What it costs to have a pattern as a positive or as a negative in the nogood; infinity
            where it is not to be part of it.
        latest
            When to give up.
        """
        n, k = self._case.votes.shape
        self._write_decisions()
        first = self._frame.shape[0]
        costs = np.concatenate([yes, no])
        while True:
            rows = np.array(self._rows, dtype=np.intp)
            low = np.where(rows < n, -costs[rows], -np.inf)
            high = np.where(rows < n, np.inf, costs[rows])
            numbers = np.arange(first, first + len(rows), dtype=np.int32)
            self._highs.changeRowsBounds(len(rows), numbers, low, high)
            seconds = max(LEAST_SECONDS, latest - time.monotonic())
            self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)
            self._highs.run()
            fresh = self._broken(costs)
            if not fresh or time.monotonic() >= latest:
                break
            self._enter(fresh)
        amounts = np.abs(np.array(self._highs.getSolution().row_dual))
        amounts[amounts < _TINY] = 0.0
        shares = np.zeros(2 * n)
        shares[rows] = amounts[first : first + len(rows)]
        prices = amounts[k + 3 : first]
        self._tidy()
        return prove(self._case, shares[:n], shares[n:], prices, self._decided)

    def _broken(self, costs: Floats) -> list[int]:
        """Return the rows that the last solution breaks most."""
        k = self._case.n_classifiers
        values = np.array(self._highs.getSolution().col_value)
        self._weights = np.asarray(np.clip(values[:k] / max(values[k + 1], _TINY), 0.0, 1.0))
        votes = self._votes @ values[:k] - values[k]
        broken = np.concatenate([values[k + 1] - votes, votes]) - costs
        broken[self._present] = 0.0
        rows = np.flatnonzero(broken > _BROKEN * max(values[k + 1], 1.0))
        if len(rows) > _MOST_ROWS:
            rows = rows[np.argpartition(-broken[rows], _MOST_ROWS)[:_MOST_ROWS]]
        return [int(row) for row in rows]

    def _tidy(self) -> None:
        """Remove rows that were not tight in the last solution, once there are many."""
        if len(self._rows) >= 2 * self._case.n_classifiers:
            first = self._frame.shape[0]
            kept, basis = rows_in_use(self._highs, first)
            self._start([self._rows[number] for number in kept])
            self._highs.setBasis(basis)

    def weights(self) -> Floats:
        """Return how much of each classifier the last answer would have in a committee, 0 to 1."""
        return self._weights
