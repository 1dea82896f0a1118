"""All committees of some sizes, tried."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import NDArray

from ..exact import IntArray
from ..ledger import Ledger
from ..problem import Problem
from .estimate import rows_together
from .sums import Fixed, Floats, Places, Sums

_CLEAR = 1e-9
"""Sums of a few dozen numbers in [-1, 1] err far less than this in double precision."""

_JUDGED = 4096
"""Committees whose costs and diversity are looked at together."""


def try_all(problem: Problem, ledger: Ledger, sizes: range, deadline: float) -> range:
    """Try all committees of some sizes and enter what is better than the best so far.

    Parameters
    ----------
    problem
        What is being solved, with all its limits.
    ledger
        Where better committees go.
    sizes
        Out of `sizes_of`, in steps of 1.
    deadline
        When to stop, as `time.monotonic` tells it.

    Returns
    -------
    range
        The sizes of which all committees were tried: the first ones, or all.
    """
    trial = None
    for size in sizes:
        if time.monotonic() >= deadline:
            return range(sizes.start, size)
        trial = trial or _Trial(problem, ledger, deadline)
        if not trial.size(size):
            return range(sizes.start, size)
    return sizes


class _Trial:
    """All committees of one problem, size by size."""

    def __init__(self, problem: Problem, ledger: Ledger, deadline: float) -> None:
        self._problem, self._ledger, self._deadline = problem, ledger, deadline
        self._required = list(problem.required)
        self._free = np.array(sorted(set(problem.allowed) - set(problem.required)), dtype=np.intp)
        self._worth = self._sums(problem.gains.net, problem.gains.step)
        # In shares of the largest cost, as floats.
        self._costs = [
            limit.in_shares(range(problem.n_classifiers)) for limit in problem.cost_limits
        ]

    @cached_property
    def _limits(self) -> list[tuple[Sums, float]]:
        """Sums that limits on criteria speak of, and their least."""
        found = []
        for limit in self._problem.metric_limits:
            sums = self._sums(limit.gains.net, limit.gains.step)
            found.append((sums, sums.at_least(limit.least - limit.gains.base)))
        return found

    def _sums(self, net: IntArray, step: int) -> Sums:
        return Sums(net, step, self._problem.patterns.matrix, self._free, self._required)

    def size(self, size: int) -> bool:
        """Try all committees of a size; tell if there was time for all."""
        seats = size - len(self._required)
        if seats < 2:
            for others in combinations(self._free.tolist(), seats):
                if time.monotonic() >= self._deadline:
                    return False
                self._ledger.offer([*self._required, *others])
            return True
        rows = rows_together(len(self._worth.weights), size)
        return all(self._block(block, size) for block in _blocks(len(self._free), seats - 2, rows))

    def _block(self, fixed: Places, size: int) -> bool:
        """Try some sets of fixed members with all pairs of later ones."""
        last = fixed[:, -1] if fixed.shape[1] else np.full(1, -1)
        worth = self._worth.fix(fixed, size)
        limits: list[Fixed] = []
        for d in range(int(last[0]) + 1, len(self._free) - 1):
            # Sets are in the order of their last members.
            before = int(np.searchsorted(last, d))
            joined = worth.join(d, before)
            for level in range(size):
                if time.monotonic() >= self._deadline or self._ledger.closed:
                    return False
                rest, common = joined.at(level)
                if not (rest.max(axis=0) + common >= self._needed()).any():
                    continue
                limits = limits or [sums.fix(fixed, size) for sums, _ in self._limits]
                values = rest + common
                may = values >= self._needed()
                for (_, least), limit in zip(self._limits, limits, strict=True):
                    others, shared = limit.join(d, before).at(level)
                    may &= others + shared >= least
                later, rows = np.nonzero(may)
                pairs = np.column_stack([np.full(len(later), d), later + d + 1])
                chosen = np.hstack([fixed[rows], pairs])
                if not self._judge(chosen, values[later, rows]):
                    return False
        return True

    def _needed(self) -> float:
        """Return the least sum of a committee that is better than the best so far."""
        if self._ledger.units is None:
            return -np.inf
        gains = self._problem.gains
        return self._worth.at_least(self._ledger.units + gains.step - gains.base)

    def _judge(self, chosen: Places, values: Floats) -> bool:
        """Offer what may be better and allowed, the highest first; tell if there was time."""
        if len(values):
            self._offer(chosen[values.argmax()])
        left = np.flatnonzero(values >= self._needed())
        order = left[np.argsort(-values[left], kind="stable")]
        for first in range(0, len(order), _JUDGED):
            if time.monotonic() >= self._deadline:
                return False
            some = order[first : first + _JUDGED]
            for place in some[self._plausible(chosen[some])]:
                if values[place] < self._needed():
                    return True
                self._offer(chosen[place])
        return True

    def _offer(self, places: Places) -> None:
        self._ledger.offer(sorted([*self._required, *self._free[places].tolist()]))

    def _plausible(self, places: Places) -> NDArray[np.bool_]:
        """Tell which members are not clearly over a limit on costs or on diversity."""
        required = np.tile(np.array(self._required, dtype=np.intp), (len(places), 1))
        who = np.hstack([required, self._free[places]])
        fine = np.ones(len(who), dtype=bool)
        for shares, most in self._costs:
            fine &= shares[who].sum(axis=1) <= most + _CLEAR
        floors, size = self._problem.floors, who.shape[1]
        if floors is None or size < 2:
            return fine
        means = [
            sum(floors.scores[who[:, k], who[:, other]] for other in range(size)) / (size - 1)
            for k in range(size)
        ]
        if floors.tau is not None:
            fine &= np.min(means, axis=0) >= floors.tau - _CLEAR
        if floors.gamma is not None:
            fine &= np.mean(means, axis=0) >= floors.gamma - _CLEAR
        return fine


def _blocks(free: int, seats: int, rows: int) -> Iterator[Places]:
    """Yield all sets that leave room for two later members, in the order of their last member."""
    if not seats:
        yield np.zeros((1, 0), dtype=np.intp)
        return
    sets = (
        (*others, last)
        for last in range(seats - 1, free - 2)
        for others in combinations(range(last), seats - 1)
    )
    while True:
        flat = np.fromiter(chain.from_iterable(islice(sets, rows)), dtype=np.intp)
        if not len(flat):
            return
        yield flat.reshape(-1, seats)
