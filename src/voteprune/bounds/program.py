"""`Program`: the linear relaxation of one (S, L), in HiGHS: where good dual prices come from.

Only the worker process imports this, for HiGHS does not live with every other solver in one
process. Variables that a node fixes become bounds on x and t. Two things are penalised instead of
enforced: that a pattern is fixed as decided right, and the problem's limits. So every program is
feasible and has dual prices, even where the node holds no committee.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import highspy
import numpy as np
from scipy import sparse

from ..numbers.floats import Floats
from .levels import Levels
from .node import Node
from .relaxation_rows import LimitRow, Row

LEAST_SECONDS = 0.05
"""Seconds that a linear program gets even when time is up."""


class Program:
    """The linear program of one (S, L), which grows by rows and is solved node by node."""

    def __init__(self, levels: Levels, at: tuple[int, int], known: Sequence[Row]) -> None:
        self._levels, self._at = levels, at
        k, n, limits = levels.n_classifiers, levels.n_patterns, len(levels.limits)
        self.rows: list[Row | LimitRow] = []
        self._penalty = 10.0 * float(levels.weights.sum()) + 1.0
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._n_columns = k + n + limits
        self._indices = np.arange(self._n_columns, dtype=np.int32)
        self._highs.addVars(
            self._n_columns,
            np.zeros(self._n_columns),
            np.concatenate([np.ones(k + n), np.full(limits, np.inf)]),
        )
        self._highs.addRow(float(at[0]), float(at[0]), k, self._indices[:k], np.ones(k))
        self._add_limits()
        self.add([*levels.basic_rows, *known])

    def _add_limits(self) -> None:
        limits = self._levels.limits
        if limits:
            parts = [(row.on_members, row.on_patterns) for row in limits]
            members, patterns = (np.array(part) for part in zip(*parts, strict=True))
            # Each has an artificial column, so that the program is always feasible.
            written = np.hstack([members, patterns, np.eye(len(limits))])
            lows = np.array([row.least for row in limits])
            self._append(limits, sparse.csr_array(written), lows)

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        if not rows:
            return
        k = self._levels.n_classifiers
        factors = np.array([float(row.factor(*self._at)) for row in rows])
        widths = np.array([row.shift if row.away else 0 for row in rows])
        pairs = np.array([len(row.patterns) - 1 for row in rows])
        where, members = np.nonzero(np.array([row.columns for row in rows]))
        signs = np.array([-1.0 if row.away else 1.0 for row in rows])
        ends = [(i, k + p) for i, row in enumerate(rows) for p in row.patterns]
        last, patterns = np.array(ends, dtype=np.intp).T
        written = sparse.csr_array(
            (
                np.concatenate([signs[where], -factors[last]]),
                (np.concatenate([where, last]), np.concatenate([members, patterns])),
            ),
            shape=(len(rows), self._n_columns),
        )
        self._append(rows, written, -factors * pairs - widths)

    def _append(
        self, rows: Sequence[Row | LimitRow], written: sparse.csr_array, lows: Floats
    ) -> None:
        self._highs.addRows(
            len(rows),
            lows,
            np.full(len(rows), np.inf),
            written.nnz,
            written.indptr[:-1].astype(np.int32),
            written.indices.astype(np.int32),
            written.data.astype(np.float64),
        )
        self.rows += rows

    def solve(self, node: Node, deadline: float) -> None:
        """Solve it for a node, from where the last solution left off."""
        levels, k, n = self._levels, self._levels.n_classifiers, self._levels.n_patterns
        members, patterns = node.decided[:k], node.decided[k:]
        low, high = np.zeros(self._n_columns), np.full(self._n_columns, np.inf)
        low[:k] = members == 1
        high[:k] = members != 0
        reachable = levels.reach >= levels.needs(*self._at)
        high[k : k + n] = (patterns != 0) & reachable
        cost = np.full(self._n_columns, self._penalty)
        cost[:k] = 0.0
        cost[k : k + n] = -levels.weights - np.where(patterns == 1, self._penalty, 0.0)
        self._highs.changeColsBounds(self._n_columns, self._indices, low, high)
        self._highs.changeColsCost(self._n_columns, self._indices, cost)
        seconds = max(LEAST_SECONDS, deadline - time.monotonic())
        # HiGHS counts all its runs.
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)
        self._highs.run()

    def value(self, node: Node) -> float:
        """Return the value of the last solution, to compare decisions by; it proves nothing."""
        must = int((node.decided[self._levels.n_classifiers :] == 1).sum())
        objective = float(self._highs.getInfo().objective_function_value)
        return self._levels.base - objective - must * self._penalty

    def solution(self) -> tuple[Floats, Floats]:
        """Return x and t."""
        values = np.array(self._highs.getSolution().col_value)
        k, n = self._levels.n_classifiers, self._levels.n_patterns
        return values[:k], values[k : k + n]

    def prices(self) -> Floats:
        """Return the dual price of every row but the first, which fixes the size."""
        return np.array(self._highs.getSolution().row_dual)[1:]
