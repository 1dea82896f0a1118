"""`Guards`: which single moves limits on members forbid, for many walks at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.constraints import Group
from ..problem.problem import Problem
from .groups import Flags, Groups

_ROOM = 1e-9
"""Room for rounding, in favour of a move: what walks come to is checked exactly."""


class Guards:
    """Limits on size, cost, coverage and diversity, as walks see them.

    A walk may have one member too many or too few for a step, or it could not swap two where there
    is but one size; and one too few of a group of which exactly so many sit.

    Parameters
    ----------
    problem
        Whose limits.
    """

    def __init__(self, problem: Problem) -> None:
        columns = list(problem.allowed)
        self._least, self._most = problem.size_min, min(problem.size_max, len(columns))
        self._fixed = np.isin(columns, problem.required)
        self._groups = Groups(problem)
        limits = [
            limit.in_shares(columns)
            for limit in problem.cost_limits
            if not isinstance(limit.request, Group)
        ]
        self._costs = [(costs, most + _ROOM * len(columns)) for costs, most in limits]
        self._voted = None
        if problem.coverage is not None and problem.coverage.least:
            self._voted = problem.coverage.voted[:, columns].astype(np.float64)
            self._weight = problem.coverage.weight.astype(np.float64)
            self._covered = float(problem.coverage.least) * (1 - _ROOM)
        floors = problem.floors
        self._tau = None if floors is None else floors.tau
        self._gamma = None if floors is None else floors.gamma
        self._scores = None if floors is None else floors.scores[np.ix_(columns, columns)]
        if self._scores is not None:
            # The most that one more or one less among the others can do to each.
            self._lowest, self._highest = self._scores.min(axis=1), self._scores.max(axis=1)

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
        if self._groups:
            forbidden |= self._groups.forbid(chosen)
        if self._voted is not None:
            # Who leaves takes along the rows on which nobody else votes.
            seen = chosen @ self._voted.T
            lost = ((seen == 1) * self._weight) @ self._voted
            kept = ((seen > 0) @ self._weight)[:, None] - lost
            forbidden |= chosen & (kept < self._covered)
        if self._scores is not None:
            sums = chosen @ self._scores
            after = sizes[:, None] + np.where(chosen, -1, 1)
            if self._gamma is not None:
                total = (sums * chosen).sum(axis=1)[:, None] + np.where(chosen, -2, 2) * sums
                forbidden |= total < self._gamma * after * (after - 1) - _ROOM
            if self._tau is not None:
                forbidden |= ~chosen & (sums < self._tau * (after - 1) - _ROOM)
                self._forbid_isolating(forbidden, self._tau, chosen, sums, after)
        return forbidden

    def keep_groups(self, chosen: Flags) -> Flags:
        """Tell which walks keep all limits on groups."""
        return np.asarray(self._groups.missing(chosen) == 0)

    def _forbid_isolating(
        self,
        forbidden: Flags,
        tau: float,
        chosen: Flags,
        sums: NDArray[np.float64],
        after: NDArray[np.intp],
    ) -> None:
        """Forbid moves after which a member that stays would be too much like the rest."""
        assert self._scores is not None
        least = tau * chosen.sum(axis=1)[:, None]
        close = (sums + self._lowest < least) | (sums - self._highest < least - 2 * tau)
        walks, members = np.nonzero(chosen & close)
        if not len(walks):
            return
        change = np.where(chosen[walks], -self._scores[members], self._scores[members])
        spare = sums[walks, members][:, None] + change - tau * (after[walks] - 1)
        # Who leaves need not be unlike the others.
        spare[np.arange(len(walks)), members] = 0.0
        firsts = np.flatnonzero(np.diff(walks, prepend=-1))
        isolating = np.logical_or.reduceat(spare < -_ROOM, firsts, axis=0)
        forbidden[walks[firsts]] |= isolating


_PENALTY = 4.0
"""What a violated limit on a criterion weighs against the objective."""


def price_of(limited: Floats, net: Floats) -> float:
    """Return what a walk pays for each unit that is missing.

    Parameters
    ----------
    limited
        What each pattern adds to the criterion when it is called positive.
    net
        What it adds to the objective.
    """
    return float(_PENALTY * max(np.abs(net).sum(), 1.0) / max(np.abs(limited).sum(), 1.0))
