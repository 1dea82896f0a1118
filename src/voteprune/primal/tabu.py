"""`TabuSearch`: tabu search on vote counts, for a good committee in the first second.

Many walks (runs of tabu search) go through the committees, all of them a step at a time, so that
one matrix product serves them all. In a step one classifier joins or leaves. At a fixed threshold L
only the patterns with exactly L or L + 1 votes can change sides by that, so the gains of all joins
and departures are sums over those patterns, and after every step the threshold is set anew, from
one histogram of the vote counts. A tabu list keeps a walk from turning back at once; where it does
not get on, the patterns it has on the wrong side come to weigh more, until it finds another way. A
walk that has found nothing better for a while ends and another begins (`starts`); and when many
have ended where others had been before, all begin anew.

Floats guide the walks; every committee worth keeping is recounted by the incumbent, which also
enforces every limit.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from .guards import Guards, price_of
from .starts import Habits, Starts

Places = NDArray[np.intp]

_WALKS, _FEWEST_WALKS = 32, 4
"""Walks that go at once, most and fewest: enough for a matrix product to be worth its while."""

_MOST_ENTRIES = 4_000_000
"""Walks times patterns times classifiers beyond which there are fewer walks, to save memory."""

_PATIENCE = 60
"""Steps without a better committee after which a walk ends. Only speed depends on it."""

_HABITS = Habits(kept=24, near=0.3, between=0.6, distinct=True)
"""Where walks begin, see `Habits`. Only speed depends on it."""

_STALE = 400
"""Walks without a better committee after which all begin anew, without the old elite."""

_TENURE = 4, 12
"""Tabu tenure: steps for which who came or went must stay so, at least and at most."""

_IMPATIENCE = 0.03
"""How much more of its weight a pattern on the wrong side gets after a step that gained nothing."""

_NOISE, _THRIFT = 0.4, 0.24
"""Share of the least gain by which moves are mixed up; and by which leaving is ahead of joining,
for the best committees are smaller than most of those that are nearly as good."""

_FAR, _REACH = 3, 0.3
"""One of so many walks looks beyond the patterns that can change sides at once; and what each vote
further away leaves of a pattern's pull."""

_MOST_BITS = 64
"""Length of the largest gain, in single precision."""


class TabuSearch:
    """Many runs of tabu search at once, in the committees of one problem."""

    def __init__(self, problem: Problem, incumbent: Incumbent, seed: int) -> None:
        self._problem, self._incumbent = problem, incumbent
        self._random = np.random.default_rng(seed)
        self._columns = np.array(problem.allowed, dtype=np.intp)
        net = problem.gains.net.astype(np.float64)
        # Units can be finer than single precision reaches; a power of two rounds nothing.
        self._unit = 2.0 ** max(0, int(np.frexp(np.abs(net).max(initial=0.0))[1]) - _MOST_BITS)
        net = net / self._unit
        limited = [limit.gains.net.astype(np.float64) for limit in problem.metric_limits]
        used = np.flatnonzero(np.any([net != 0, *(other != 0 for other in limited)], axis=0))
        matrix = problem.patterns.matrix[np.ix_(used, self._columns)]
        n, k = matrix.shape
        self._walks = walks = max(_FEWEST_WALKS, min(_WALKS, _MOST_ENTRIES // max(1, n * k)))
        self._all = np.arange(walks)
        self._votes = matrix.astype(np.float32)
        self._votes_of = np.ascontiguousarray(matrix.T).astype(np.int16)
        self._net, self._nets = net[used], np.tile(net[used], walks)
        self._wanted = self._net > 0
        self._limits = [
            (
                np.tile(other[used], walks),
                float(limit.least - limit.gains.base),
                price_of(other, net),
            )
            for limit, other in zip(problem.metric_limits, limited, strict=True)
        ]
        step = float(problem.gains.step) / self._unit
        self._noise, self._thrift = np.float32(_NOISE * step), np.float32(_THRIFT * step)
        self._guards = Guards(problem)
        own = self._net @ self._votes
        self._starts = Starts(problem, incumbent, own, _HABITS, self._random)
        # By how many votes a pattern has beyond the threshold.
        away = np.abs(np.arange(-k, k + 1) - 0.5) - 0.5
        self._pulls = (_REACH**away).astype(np.float32)
        # Some walks look further than others.
        self._far = self._all[: walks // _FAR]

        self._step = 0
        self._chosen = np.zeros((walks, k), dtype=bool)
        self._counts = np.zeros((walks, n), dtype=np.int16)
        # What guides each walk: the net gains, where it has not been stuck.
        self._guide = np.zeros((walks, n), dtype=np.float32)
        self._barred = np.zeros((walks, k), dtype=np.int64)
        self._idle = np.zeros(walks, dtype=np.intp)
        self._last, self._best = np.zeros(walks), np.zeros(walks)
        self._best_chosen = self._chosen.copy()
        for walk in range(walks):
            self._begin(walk)

    def walk(self, until: float) -> int:
        """Go on until a walk ends, or until a moment; return how many have ended."""
        while self._idle.max() < _PATIENCE:
            if time.monotonic() >= until or self._incumbent.closed:
                return 0
            self._take_step()
        ended = np.flatnonzero(self._idle >= _PATIENCE)
        for walk in ended:
            self._starts.remember(float(self._best[walk]), self._best_chosen[walk])
        stale = self._starts.stale >= _STALE
        if stale:
            self._starts.forget()
        for walk in self._all if stale else ended:
            self._begin(int(walk))
        return len(ended)

    def _begin(self, walk: int) -> None:
        """Begin a walk."""
        chosen = self._starts.draw()
        self._chosen[walk] = self._best_chosen[walk] = chosen
        self._counts[walk] = self._votes_of[chosen].sum(axis=0)
        self._guide[walk] = self._net
        self._barred[walk] = self._idle[walk] = 0
        self._last[walk] = self._best[walk] = -np.inf

    def _take_step(self) -> None:
        """Take one step of every walk."""
        self._step += 1
        sizes = self._chosen.sum(axis=1)
        width = int(sizes.max()) + 1
        # Where in a row of histograms, one for each walk, each of its patterns counts.
        places = (self._counts + width * self._all[:, None]).ravel()

        def by_level(worth: NDArray[np.floating]) -> Floats:
            """Return what is above each threshold, if patterns are worth so much."""
            by_count = np.bincount(places, weights=worth, minlength=self._walks * width)
            return by_count.reshape(self._walks, width)[:, :0:-1].cumsum(axis=1)[:, ::-1]

        lacking = [np.maximum(0.0, least - by_level(nets)) for nets, least, _ in self._limits]
        prices = [price for _, _, price in self._limits]
        fines = sum(price * lack for price, lack in zip(prices, lacking, strict=True))
        levels, values = self._highest(by_level(self._nets) - fines, sizes)
        record = self._record()
        self._take_stock(values, sizes, record)
        wrong = (self._counts > levels[:, None]) != self._wanted
        stuck = _IMPATIENCE * (values <= self._last)
        self._guide += wrong * (stuck[:, None] * self._net).astype(np.float32)
        self._last[:] = values  # in place: where no pattern counts, sums are integers
        levels, _ = self._highest(by_level(self._guide.ravel()) - fines, sizes)
        guide = self._guide
        for (nets, _, price), lack in zip(self._limits, lacking, strict=True):
            due = price * (lack[self._all, levels] > 0)
            guide = guide + (due[:, None] * nets.reshape(guide.shape)).astype(np.float32)
        gains = self._gains(guide, levels, sizes)
        # A move that beats everything so far is welcome whatever the list says.
        barred = (self._barred >= self._step) & (values[:, None] + gains <= record)
        gains[barred | self._guards.forbid(self._chosen, sizes)] = -np.inf
        self._flip(gains)

    def _highest(self, values: Floats, sizes: Places) -> tuple[Places, Floats]:
        """Return the best threshold of each walk, and the value there."""
        # A smaller committee has fewer thresholds than there are columns.
        real = np.arange(values.shape[1]) < sizes[:, None]
        levels = np.where(real, values, -np.inf).argmax(axis=1)
        return levels, values[self._all, levels]

    def _record(self) -> float:
        """Return the value of the best committee so far, as walks count it."""
        units = self._incumbent.score
        return -np.inf if units is None else float(units - self._problem.gains.base) / self._unit

    def _take_stock(self, values: Floats, sizes: Places, record: float) -> None:
        """Note where walks have come to something better than they had."""
        better = values > self._best
        better &= (sizes >= self._problem.size_min) & (sizes <= self._problem.size_max)
        better &= self._guards.keep_groups(self._chosen)
        self._idle += 1
        if better.any():
            self._idle[better] = 0
            self._best[better] = values[better]
            self._best_chosen[better] = self._chosen[better]
            fewest = len(self._incumbent.members or ())
            for walk in np.flatnonzero(
                better & ((values > record) | ((values == record) & (sizes < fewest)))
            ):
                self._incumbent.offer(self._columns[self._chosen[walk]].tolist())

    def _gains(
        self, guide: NDArray[np.float32], levels: Places, sizes: Places
    ) -> NDArray[np.float32]:
        """Return what each walk would gain if a classifier came or went."""
        walks, k = self._chosen.shape
        beyond = self._counts - levels[:, None].astype(np.int16)
        below, above = (beyond == 0) * guide, (beyond == 1) * guide
        far = self._far
        near = self._pulls.take(beyond[far].astype(np.intp) + k) * guide[far]
        # What turns positive if k joins, what turns negative if k leaves, and how far each brings
        # near misses on their way, which tells equal moves apart.
        sums = np.concatenate([below, above, near]) @ self._votes
        rise, fall = sums[: 2 * walks].reshape(2, walks, k)
        pull = rise + fall
        pull[far] = sums[2 * walks :]
        pull *= (self._noise / np.maximum(np.abs(pull).max(axis=1), 1e-12))[:, None]
        # Join, at the same threshold or at one more; leave, at the same or at one less.
        join = np.maximum(rise, fall - above.sum(axis=1)[:, None])
        same = np.where(levels <= sizes - 2, 0.0, -np.inf).astype(np.float32)
        less = np.where(levels >= 1, below.sum(axis=1), -np.inf).astype(np.float32)
        leave = np.maximum(same[:, None] - fall, less[:, None] - rise)
        gains = np.where(self._chosen, leave - pull + self._thrift, join + pull)
        gains += self._noise * self._random.random((walks, k), dtype=np.float32)
        return np.asarray(gains)

    def _flip(self, gains: NDArray[np.float32]) -> None:
        """Have the best classifier of each walk come or go; end walks that cannot go on."""
        who = gains.argmax(axis=1)
        possible = gains[self._all, who] > -np.inf
        self._idle[~possible] = _PATIENCE
        walks, who = self._all[possible], who[possible]
        leaves = self._chosen[walks, who]
        self._chosen[walks, who] = ~leaves
        change = np.where(leaves, -1, 1).astype(np.int16)
        self._counts[walks] += change[:, None] * self._votes_of[who]
        shortest, longest = _TENURE
        tenures = shortest + (longest - shortest) * self._random.random(len(walks))
        self._barred[walks, who] = self._step + tenures.astype(np.int64)
