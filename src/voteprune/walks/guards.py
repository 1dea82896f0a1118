"""`Guards`: which single moves limits on members forbid, for many walks at once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..problem import Problem
from .starts import Flags

_ROOM = 1e-9
"""Room for rounding, in favour of a move: what walks come to is checked exactly."""


class Guards:
    """Limits on size, cost and diversity, as walks see them.

    A walk may have one member too many or too few for a step, or it could not swap two where there
    is but one size.

    Parameters
    ----------
    problem
        Whose limits.
    """

    def __init__(self, problem: Problem) -> None:
        columns = list(problem.allowed)
        self._least, self._most = problem.size_min, min(problem.size_max, len(columns))
        self._fixed = np.isin(columns, problem.required)
        self._costs = []
        for limit in problem.cost_limits:
            # In shares of the largest, for exact numbers may be beyond the range of floats.
            largest = Fraction(max(abs(limit.costs[k]) for k in columns) or 1)
            costs = np.array([float(limit.costs[k] / largest) for k in columns])
            most = min(limit.most / largest, Fraction(len(columns)))
            self._costs.append(
                (costs, float(max(most, Fraction(-len(columns) - 1))) + _ROOM * len(columns))
            )
        floors = problem.floors
        self._tau = None if floors is None else floors.tau
        self._gamma = None if floors is None else floors.gamma
        self._scores = None if floors is None else floors.scores[np.ix_(columns, columns)]

    def forbid(self, chosen: Flags, sizes: NDArray[np.intp]) -> Flags:
        """Tell which classifier must not come or go in which walk.

        Parameters
        ----------
        chosen
            Who sits in each walk; walks x K.
        sizes
            How many.
        """
        crowded, scarce = sizes > self._most, (sizes < self._least) | (sizes <= 1)
        forbidden = np.where(chosen, scarce[:, None] | self._fixed, crowded[:, None])
        for costs, most in self._costs:
            spent = chosen @ costs
            forbidden |= spent[:, None] + np.where(chosen, -costs, costs) > most
        if self._scores is not None:
            sums = chosen @ self._scores
            after = sizes[:, None] + np.where(chosen, -1, 1)
            if self._gamma is not None:
                total = (sums * chosen).sum(axis=1)[:, None] + np.where(chosen, -2, 2) * sums
                forbidden |= total < self._gamma * after * (after - 1) - _ROOM
            if self._tau is not None:
                forbidden |= ~chosen & (sums < self._tau * (after - 1) - _ROOM)
                for walk, members in enumerate(chosen):
                    forbidden[walk] |= self._isolates(members, sums[walk], after[walk])
        return forbidden

    def _isolates(
        self, members: Flags, sums: NDArray[np.float64], after: NDArray[np.intp]
    ) -> Flags:
        """Tell after which moves of a walk a member that stays would be too much like the rest."""
        assert self._scores is not None
        assert self._tau is not None
        sitting = np.flatnonzero(members)
        change = np.where(members, -self._scores[sitting], self._scores[sitting])
        spare = sums[sitting, None] + change - self._tau * (after - 1)
        spare[np.arange(len(sitting)), sitting] = 0.0  # who leaves need not be unlike the others
        return np.asarray(spare.min(axis=0) < -_ROOM)
