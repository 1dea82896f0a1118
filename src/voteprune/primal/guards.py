"""`Groups` and `Guards`: how a search keeps limits on members.

`Groups` says how far committees are from keeping limits on groups, and how to get there; `Guards`
which single moves limits on members forbid, for many walks at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.constraints import Group
from ..problem.limits import CostLimit
from ..problem.problem import Problem
from ..problem.seats import Seats

Flags = NDArray[np.bool_]

_WEIGHT = 2
"""What one member too few of a group weighs against one too many in all: who is missing joins
first, even where the size is full, and then somebody leaves who is not needed."""

_ROOM = 1e-9
"""Room for rounding, in favour of a move: what walks come to is checked exactly."""

_PENALTY = 4.0
"""What a violated limit on a criterion weighs against the objective."""


class Groups:
    """The groups of a problem over the classifiers that are not forbidden, for search.

    What is missing of a set of members is how many sit too many or too few, over all groups.
    """

    def __init__(self, seats: Seats) -> None:
        columns = list(seats.allowed)
        self._fixed = np.isin(columns, seats.required)
        self._sizes = seats.size_min, min(seats.size_max, len(columns))
        limits = [limit for limit in seats.cost_limits if isinstance(limit.request, Group)]
        costs = np.array([[limit.costs[k] for k in columns] for limit in limits], dtype=np.int64)
        self._costs = costs.reshape(len(limits), len(columns))
        self._most = np.array([limit.most for limit in limits], dtype=np.int64)
        # Where a group must have exactly so many, an exchange passes through one fewer.
        exactly = [_exactly(limit) for limit in limits]
        self._loose = (self._costs[np.array(exactly, dtype=bool)] != 0).any(axis=0)

    def __bool__(self) -> bool:
        return len(self._most) > 0

    def missing(self, chosen: Flags) -> NDArray[np.int64]:
        """Return what is missing of each set of members; sets x K."""
        over = chosen.astype(np.int64) @ self._costs.T - self._most
        return np.asarray(np.maximum(over, 0).sum(axis=1))

    def _missing_after(self, chosen: Flags) -> NDArray[np.int64]:
        """Return what is missing after each classifier has come or gone; sets x K."""
        over = chosen.astype(np.int64) @ self._costs.T - self._most
        after = np.zeros(chosen.shape, dtype=np.int64)
        for spent, costs in zip(over.T, self._costs, strict=True):
            after += np.maximum(spent[:, None] + np.where(chosen, -costs, costs), 0)
        return after

    def forbid(self, chosen: Flags) -> Flags:
        """Tell which classifier must not come or go in which set.

        Where something is missing, only who makes that less moves.
        """
        before, after = self.missing(chosen)[:, None], self._missing_after(chosen)
        exchanging = chosen & self._loose & (before == 0) & (after == 1)
        return np.asarray((after > 0) & (after >= before) & ~exchanging)

    def fit(self, chosen: Flags, worth: Floats) -> Flags:
        """Return a set near this one that keeps groups and sizes, as far as single moves lead.

        Parameters
        ----------
        chosen
            Who sits, of those who are not forbidden.
        worth
            Of several who could move, who is worth more joins and who is worth less leaves.
        """
        chosen = chosen | self._fixed
        for _ in range(2 * len(chosen)):
            lacking = self._lacking(chosen)
            if lacking == 0:
                break
            size, sign = int(chosen.sum()), np.where(chosen, -1, 1)
            after = _WEIGHT * self._missing_after(chosen[None])[0] + self._off_size(size + sign)
            able = np.flatnonzero((after < lacking) & ~(chosen & self._fixed))
            if not len(able):
                break
            least = able[after[able] == after[able].min()]
            who = least[np.argmax((sign * worth)[least])]
            chosen[who] = not chosen[who]
        return chosen

    def _lacking(self, chosen: Flags) -> int:
        missing = int(self.missing(chosen[None])[0])
        return _WEIGHT * missing + int(self._off_size(np.array([chosen.sum()]))[0])

    def _off_size(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        low, high = self._sizes
        return np.asarray(np.maximum(sizes - high, 0) + np.maximum(low - sizes, 0))


def _exactly(limit: CostLimit) -> bool:
    return isinstance(limit.request, Group) and limit.request.at_least == limit.request.at_most


def fitted(groups: Groups, seats: Seats, members: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return members near these that keep the groups, where single moves lead to some."""
    columns = np.array(seats.allowed, dtype=np.intp)
    place = {k: place for place, k in enumerate(order)}
    worth = np.array([-place.get(k, 0) for k in seats.allowed], dtype=np.float64)
    chosen = groups.fit(np.isin(columns, members), worth)
    found: list[int] = columns[chosen].tolist()
    return found


class Guards:
    """Limits on size, cost, coverage and diversity, as walks see them.

    A walk may have one member too many or too few for a step, or it could not swap two where there
    is but one size; and one too few of a group of which exactly so many sit.
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
            # Rows on which only the one who leaves votes are covered no more.
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
        # The limit no longer holds for the one who leaves.
        spare[np.arange(len(walks)), members] = 0.0
        firsts = np.flatnonzero(np.diff(walks, prepend=-1))
        isolating = np.logical_or.reduceat(spare < -_ROOM, firsts, axis=0)
        forbidden[walks[firsts]] |= isolating


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
