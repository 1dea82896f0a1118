"""All committees of a few members, at every threshold, by matrix products.

Let a committee be some fixed members, d and e, and n the votes of the fixed ones on a pattern. At
threshold L it takes the patterns with n > L, those with n = L on which d or e votes, and those with
n = L - 1 on which both do. With the gains g of the patterns and

    c_j(d) = sum of g v_d over n = j,        D_j(d, e) = sum of g v_d v_e over n = j

its value is

    sum of g over n > L  +  c_L(d) + c_L(e) - D_L(d, e)  +  D_(L-1)(d, e).

For one d, many sets of fixed members and all e, every D_j is one product over the patterns that d
votes for. Members are in order, fixed ones first, so that every committee is met once.

Sums of whole numbers are exact in single precision below 2^24 and in double precision below 2^53;
gains that are larger are divided and rounded up, so that no sum is too low. What the sums say is
never more than that a committee may be better than the best one: whatever may is judged exactly,
the highest first. Limits on criteria are sums of the same kind, and exclude committees in the same
way; limits on costs and diversity exclude those that are clearly over, before anybody recounts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations, islice
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, magnitude
from ..problem.infeasible import Found, explain
from ..problem.problem import Problem, count_votes
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from .first_committees import open_run

Floats = NDArray[Any]
Places = NDArray[np.intp]

_SINGLE, _DOUBLE = 2**24, 2**53
"""Sums of whole numbers below are exact in single and in double precision."""

_CELLS = 2**19
"""Patterns times vote counts times sets of fixed members that are worked on together."""

_MOST_ENTRIES = 2**25
"""Patterns times classifiers beyond which the votes take too much memory as floats."""

_PER_PATTERN, _PER_SUM, _PER_STEP, _PER_ENTRY = 2.5e-11, 3e-9, 3e-5, 2e-8
"""Seconds, in single precision: for each pattern in a sum, for each sum, for each threshold of a
product, and for each vote that becomes a float. Half as much again as one core of a small server
takes (docs/benchmarks/small.md)."""

_CLEAR = 1e-9
"""Sums of a few dozen numbers in [-1, 1] err far less than this in double precision."""

_JUDGED = 4096
"""Committees whose costs and diversity are looked at together."""


def solve_small(problem: Problem, run: Run, seconds: float) -> Outcome | None:
    """Try every committee there is; None if there was no time for all.

    Parameters
    ----------
    problem, run
        As for every method. The run's deadline is when to give up.
    seconds
        How long it may take to try those that fewer constraints allow, should there be none.
    """
    sizes, incumbent = problem.sizes, run.incumbent
    tried = try_all(problem, incumbent, sizes, run.deadline)
    if incumbent.closed:
        return Outcome("proved")
    if tried != sizes:
        return None
    if incumbent.score is not None:
        incumbent.close()
        return Outcome("proved")
    return Outcome("proved", infeasible=True, explanation=_clash(problem, run, seconds))


def _clash(problem: Problem, run: Run, seconds: float) -> str:
    """Say which constraints clash; where fewer of them allow too many committees to try, less."""

    def find(anything: Problem) -> Found:
        look = replace(run, incumbent=Incumbent(anything))
        sizes = anything.sizes
        if open_run(anything, look) is None and affordable(
            anything, sizes, min(seconds, look.seconds_left)
        ):
            tried = try_all(anything, look.incumbent, sizes, look.deadline)
            return look.incumbent.committee, look.incumbent.committee is None and tried == sizes
        return look.incumbent.committee, False

    return explain(problem, find)


def seconds_for(problem: Problem, size: int) -> float:
    """Estimate how long it takes to try all committees of a size.

    Infinite where the votes are too many for memory.
    """
    free = len(set(problem.allowed) - set(problem.required))
    open_seats = size - len(problem.required)
    entries = problem.patterns.n_patterns * problem.n_classifiers
    if entries > _MOST_ENTRIES:
        return float("inf")
    if open_seats < 2:
        return _PER_ENTRY * entries * max(free, 1)
    slow = 1 if magnitude(problem.gains.net) // problem.gains.step < _SINGLE else 2
    # A sum for each threshold; the patterns of one vote count are not separated from the others.
    each = (size - 1) * problem.patterns.n_patterns * _PER_PATTERN + size * _PER_SUM
    sums = 1 + len(problem.metric_limits)
    fixed = comb(max(free - 2, 0), open_seats - 2)
    # Whoever comes after the fixed members may be the first of the pair.
    steps = free * (1 + fixed / rows_together(problem.patterns.n_patterns, size)) / (open_seats - 1)
    products = comb(free, open_seats) * each * slow * sums
    return products + steps * size * _PER_STEP + _PER_ENTRY * entries * sums


def affordable(problem: Problem, sizes: range, seconds: float) -> bool:
    """Tell whether all committees of these sizes can be tried in so many seconds."""
    spent = 0.0
    for size in sizes:
        spent += seconds_for(problem, size)
        if spent > seconds:
            return False
    return True


def rows_together(patterns: int, size: int) -> int:
    """Return how many sets of fixed members are worked on together."""
    return max(1, _CELLS // (max(patterns, 1) * (size - 1)))


def try_all(problem: Problem, incumbent: Incumbent, sizes: range, deadline: float) -> range:
    """Try all committees of some sizes and enter what is better than the best so far.

    A smaller one that is as good is better. Where these are the smallest sizes there are, the
    incumbent notes up to which size all have been compared with it.

    Returns
    -------
    range
        The sizes of which all committees were tried: the first ones, or all.
    """
    trial = None
    for size in sizes:
        if time.monotonic() >= deadline:
            return range(sizes.start, size)
        trial = trial or _Trial(problem, incumbent, deadline)
        if not trial.size(size):
            return range(sizes.start, size)
        if sizes.start == problem.least_size:
            incumbent.compared = max(incumbent.compared, size)
    return sizes


class _Trial:
    """All committees of one problem, size by size."""

    def __init__(self, problem: Problem, incumbent: Incumbent, deadline: float) -> None:
        self._problem, self._incumbent, self._deadline = problem, incumbent, deadline
        self._size = 0
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
        self._size = size
        seats = size - len(self._required)
        if seats < 2:
            for others in combinations(self._free.tolist(), seats):
                if time.monotonic() >= self._deadline:
                    return False
                self._incumbent.offer([*self._required, *others])
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
                if time.monotonic() >= self._deadline or self._closed:
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

    @property
    def _fewer(self) -> bool:
        """Whether committees of this size are smaller than the best so far."""
        known = self._incumbent.members
        return known is not None and self._size < len(known)

    @property
    def _closed(self) -> bool:
        """Whether nothing of this size can be kept any more."""
        return self._incumbent.closed and not self._fewer

    def _needed(self) -> float:
        """Return the least sum of a committee that is better than the best so far."""
        if self._incumbent.score is None:
            return -np.inf
        gains = self._problem.gains
        more = 0 if self._fewer else gains.step
        return self._worth.at_least(self._incumbent.score + more - gains.base)

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
        self._incumbent.offer(sorted([*self._required, *self._free[places].tolist()]))

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


class Sums:
    """Weights over the patterns that committees take, for many committees at once.

    Parameters
    ----------
    net
        The weights, of any size and sign.
    step
        A common divisor of them.
    matrix
        Votes on the patterns.
    free
        Those who may or may not sit.
    required
        Those who must.
    """

    def __init__(
        self,
        net: IntArray,
        step: int,
        matrix: NDArray[np.bool_],
        free: Places,
        required: Sequence[int],
    ) -> None:
        used = np.flatnonzero(net != 0)
        self.weights, self._divisor = _fitting(net[used], step)
        self._reach = float(np.abs(self.weights).sum()) + 1
        self._ballots = np.ascontiguousarray(matrix[used][:, free].T)
        self._votes = self._ballots.astype(self.weights.dtype)
        self._start = count_votes(matrix[used], required)
        self._positive = [np.flatnonzero(ballots) for ballots in self._ballots]

    def at_least(self, units: int) -> float:
        """Return the least sum, as these are kept, that may stand for so many units."""
        # Beyond their reach all numbers are alike, and single precision cannot tell them apart.
        return max(-self._reach, min(self._reach, float(-(-units // self._divisor))))

    def fix(self, fixed: Places, size: int) -> Fixed:
        """Fix some members, a set in each row, of committees of a size."""
        counts = np.repeat(self._start[None, :], len(fixed), axis=0)
        for place in range(fixed.shape[1]):
            counts += self._ballots[fixed[:, place]]
        # They have at most size - 2 votes.
        by_count = np.empty((len(self.weights), size - 1, len(fixed)), dtype=self.weights.dtype)
        for count in range(size - 1):
            np.multiply(count == counts.T, self.weights[:, None], out=by_count[:, count])
        return Fixed(self._votes, self._positive, by_count)


class Fixed:
    """Sums of weights that sets of fixed members take together with one or two others.

    Parameters
    ----------
    votes
        Who may join, by patterns.
    positive
        The patterns that each votes for.
    by_count
        Weights by the votes that each set has on the pattern: patterns x votes x sets, 0 elsewhere.
    """

    def __init__(self, votes: Floats, positive: list[Places], by_count: Floats) -> None:
        self._votes, self._positive, self._by_count = votes, positive, by_count
        patterns, counts, sets = by_count.shape
        alone = votes @ by_count.reshape(patterns, counts * sets)
        self._alone = alone.reshape(-1, counts, sets)
        totals = by_count.sum(axis=0)
        self._above = np.cumsum(totals[::-1], axis=0)[::-1] - totals

    def with_one(self) -> Floats:
        """Return the sums with each who may join, at the best threshold: who by sets."""
        return np.asarray((self._above + self._alone).max(axis=1))

    def join(self, d: int, before: int) -> Joined:
        """Let d join the first so many sets, with every e after it."""
        voting = self._positive[d]
        some = self._by_count[voting, :, :before]
        _, counts, sets = some.shape
        # Not reshape(..., -1): of an empty array NumPy cannot infer a dimension.
        both = self._votes[d + 1 :, voting] @ some.reshape(len(voting), counts * sets)
        return Joined(
            both.reshape(-1, counts, sets),
            self._alone[d + 1 :, :, :before],
            self._above[:, :before] + self._alone[d, :, :before],
        )


class Joined(NamedTuple):
    """The sums for one d: with d and e, with e, and whoever e is; by votes and sets."""

    both: Floats
    alone: Floats
    common: Floats

    def at(self, level: int) -> tuple[Floats, Floats]:
        """Return the sums at a threshold: e by sets, and what to add whoever e is."""
        if level == len(self.common):
            return self.both[:, -1], np.zeros_like(self.common[-1])
        rest = self.alone[:, level] - self.both[:, level]
        if level:
            rest += self.both[:, level - 1]
        return rest, self.common[level]


def _fitting(net: IntArray, step: int) -> tuple[Floats, int]:
    """Return integers as floats whose sums are exact, and what they were divided by.

    What does not divide is rounded up.
    """
    divisor = step
    if magnitude(net) // step >= _DOUBLE:
        # Rounding adds at most one for each.
        divisor = -(-magnitude(net) // (_DOUBLE // 2 - len(net)))
    whole = -(-net // divisor)
    single = magnitude(whole) < _SINGLE
    return whole.astype(np.float32 if single else np.float64), divisor
