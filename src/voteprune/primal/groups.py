"""`Groups`: how far committees are from keeping limits on groups, and how to get there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.constraints import Group
from ..problem.limits import CostLimit
from ..problem.seats import Seats

Flags = NDArray[np.bool_]

_WEIGHT = 2
"""What one member too few of a group weighs against one too many in all: who is missing joins
first, even where the size is full, and then somebody leaves who is not needed."""


class Groups:
    """The groups of a problem over the classifiers that are not forbidden, for search.

    What is missing of a set of members is how many sit too many or too few, over all groups.

    Parameters
    ----------
    seats
        The problem.
    """

    def __init__(self, seats: Seats) -> None:
        columns = list(seats.allowed)
        self._fixed = np.isin(columns, seats.required)
        self._sizes = seats.size_min, min(seats.size_max, len(columns))
        limits = [limit for limit in seats.cost_limits if isinstance(limit.request, Group)]
        costs = np.array([[limit.costs[k] for k in columns] for limit in limits], dtype=np.int64)
        self._costs = costs.reshape(len(limits), len(columns))
        self._most = np.array([limit.most for limit in limits], dtype=np.int64)
        # Of exactly so many nobody could ever be exchanged, if one could not leave first.
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
    """Return members near these that keep the groups, where single moves lead to some.

    Parameters
    ----------
    groups, seats
        Of one problem.
    members
        Who sits.
    order
        Whom to take first, and leave out last.
    """
    columns = np.array(seats.allowed, dtype=np.intp)
    place = {k: place for place, k in enumerate(order)}
    worth = np.array([-place.get(k, 0) for k in seats.allowed], dtype=np.float64)
    chosen = groups.fit(np.isin(columns, members), worth)
    found: list[int] = columns[chosen].tolist()
    return found
