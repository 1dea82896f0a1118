"""Find clauses: the linear program of all mixtures at once, in HiGHS.

Ask for weights x on the classifiers and a threshold L such that every pattern is on the side it is
wanted on, by a margin as large as possible; pattern i may miss it by c_i, which is how much it
costs to have i in a clause. What holds the margin down are the patterns of a mixture that proves a
clause, and the prices are their shares: the cheapest clause there is. Only the worker process
imports this.
"""

from __future__ import annotations

import time

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..formulation.model import Floats
from .case import Case
from .clause import Clause, prove

_TINY = 1e-9
_NEVER = 1e4
"""Cost of a decision that shall not be part of a clause."""

_LEAST_SECONDS = 0.05


class Conflicts:
    """The linear program, which is solved for one cell after the other.

    Parameters
    ----------
    case
        The data.
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        n, k = case.votes.shape
        ones, votes = np.ones((n, 1)), case.votes.astype(np.float64)
        everyone, nothing = np.ones((1, k)), np.zeros((1, 1))
        # Columns: x, L, the margin. x_k <= margin, for shares of a committee, not of a weight.
        rows = sparse.csr_array(
            sparse.vstack([
                sparse.csr_array(np.hstack([votes, -ones, -ones])),
                sparse.csr_array(np.hstack([votes, -ones, 0 * ones])),
                sparse.hstack([sparse.eye_array(k), sparse.csr_array((k, 1)), -np.ones((k, 1))]),
                sparse.csr_array(np.hstack([everyone, -np.ones((1, 2))])),
                sparse.csr_array(np.hstack([everyone, nothing, [[-float(case.size_max)]]])),
                sparse.csr_array(np.hstack([everyone, nothing, [[-float(case.size_min)]]])),
                sparse.hstack([
                    sparse.csr_array(case.on_members),
                    sparse.csr_array((len(case.on_members), 1)),
                    -case.least_members[:, None],
                ]),
            ])
        )  # fmt: skip
        rows.eliminate_zeros()
        limits = len(case.on_members)
        self._low = np.concatenate([
            np.zeros(n), np.full(n, -np.inf), np.full(k, -np.inf), [0.0, -np.inf, 0.0],
            np.zeros(limits),
        ])  # fmt: skip
        self._high = np.concatenate([
            np.full(n, np.inf), np.zeros(n), np.zeros(k), [np.inf, 0.0, np.inf],
            np.full(limits, np.inf),
        ])  # fmt: skip
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("presolve", "off")
        self._highs.addVars(k + 2, np.zeros(k + 2), np.full(k + 2, np.inf))
        self._highs.changeColCost(k + 1, -1.0)
        self._highs.addRows(
            rows.shape[0], self._low, self._high, rows.nnz, rows.indptr[:-1].astype(np.int32),
            rows.indices.astype(np.int32), rows.data,
        )  # fmt: skip
        self._rows = np.arange(len(self._low), dtype=np.int32)
        self._columns = np.arange(k, dtype=np.int32)
        self._decided = np.full(k, -1, dtype=np.int8)

    def decide(self, decided: NDArray[np.int8]) -> None:
        """Say which classifiers sit (1) and which do not (0) from now on."""
        n, k = self._case.votes.shape
        self._decided = decided.copy()
        self._highs.changeColsBounds(
            k, self._columns, np.zeros(k), np.where(decided == 0, 0.0, np.inf)
        )
        self._low[2 * n : 2 * n + k] = np.where(self._sits(), 0.0, -np.inf)

    def _sits(self) -> NDArray[np.bool_]:
        sits = np.asarray(self._decided == 1)
        sits[self._case.required] = True
        return sits

    def find(self, yes: Floats, no: Floats, latest: float) -> Clause | None:
        """Return the clause that costs least, None if there is none.

        Parameters
        ----------
        yes, no
            What it costs to have a pattern as a positive or as a negative in the clause; infinity
            where it is not to be part of it.
        latest
            When to give up.
        """
        n, k = self._case.votes.shape
        self._low[:n] = -np.minimum(yes, _NEVER)
        self._high[n : 2 * n] = np.minimum(no, _NEVER)
        self._highs.changeRowsBounds(len(self._rows), self._rows, self._low, self._high)
        seconds = max(_LEAST_SECONDS, latest - time.time())
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + seconds)
        self._highs.run()
        amounts = np.abs(np.array(self._highs.getSolution().row_dual))
        amounts[amounts < _TINY] = 0.0
        a, b = amounts[:n], amounts[n : 2 * n]
        if (a[np.isinf(yes)] > 0).any() or (b[np.isinf(no)] > 0).any():
            return None
        return prove(self._case, a, b, amounts[2 * n + k + 3 :], self._decided)

    def weights(self) -> Floats:
        """Return how much of each classifier the last answer would have in a committee, 0 to 1."""
        k = self._case.n_classifiers
        values = np.array(self._highs.getSolution().col_value)
        return np.asarray(np.clip(values[:k] / max(values[k + 1], _TINY), 0.0, 1.0))
