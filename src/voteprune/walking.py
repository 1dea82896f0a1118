"""Local search on vote counts: a good committee in the first second.

At a fixed threshold L only the patterns with exactly L or L + 1 votes can change sides when one
member comes or goes, so the gains of all joins, departures and swaps are a few small matrix
products over those critical patterns. After every move the threshold is set anew, exactly, from
one histogram of the vote counts. A tabu list keeps the walk from turning back at once, and where
it does not get on, the patterns it has on the wrong side come to weigh more, until it finds another
way. Walks start from random committees and from disturbed good ones.

Floats guide the walk; every committee worth keeping is recounted by the ledger, which also
enforces every limit.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .formulation.model import Floats
from .ledger import Ledger
from .problem import Problem

_PATIENCE = 60
"""Moves without a better committee after which a walk ends."""

_IMPATIENCE = 0.1
"""How much more of its weight a pattern on the wrong side gets after a move that gained nothing."""

_ELITE = 12
_TRIES = 40
"""How many of the best moves are tried where limits on members forbid some."""

_PENALTY = 4.0
"""What a violated limit on a criterion weighs against the objective."""


class Walker:
    """Walks through committees of one problem.

    Parameters
    ----------
    problem
        What is being solved.
    ledger
        Where good committees go.
    seed
        Seed of all choices.
    """

    def __init__(self, problem: Problem, ledger: Ledger, seed: int) -> None:
        self._problem, self._ledger = problem, ledger
        self._random = np.random.default_rng(seed)
        self._columns = np.array(problem.allowed, dtype=np.intp)
        matrix = problem.patterns.matrix[:, self._columns]
        self._votes = matrix.astype(np.float32)
        self._counts_of = matrix.astype(np.int32)
        self._net = problem.gains.net.astype(np.float64)
        # What guides the walk; the net gains, where it has not been stuck.
        self._guide = self._net
        self._limits = []
        for limit in problem.metric_limits:
            net = limit.gains.net.astype(np.float64)
            price = _PENALTY * max(np.abs(self._net).sum(), 1.0) / max(np.abs(net).sum(), 1.0)
            self._limits.append((net, float(limit.least - limit.gains.base), price))
        self._fixed = np.isin(self._columns, problem.required)
        self._noise = 0.4 * float(problem.gains.step)
        self._own = self._net @ self._votes
        self._decay = 0.0
        self._elite: list[tuple[float, NDArray[np.bool_]]] = []
        self._hints: deque[NDArray[np.bool_]] = deque(maxlen=_ELITE)
        # Only these limits need the exact check of a set of members after every move.
        self._guarded = bool(problem.cost_limits) or problem.diversity is not None

    def hint(self, members: Sequence[int]) -> None:
        """Have a later walk start from these members."""
        self._hints.append(np.isin(self._columns, members))

    def walk(self, deadline: float) -> None:
        """Walk once, from a new start to where nothing better turns up."""
        chosen = self._start()
        if chosen is None:
            return
        # Half of the walks look beyond the patterns that can change sides at once.
        self._decay = float(self._random.choice((0.0, 0.5)))
        counts = self._counts_of[:, chosen].sum(axis=1)
        self._guide = self._net
        level, value = self._best_level(counts, int(chosen.sum()))
        best, best_chosen = value, chosen.copy()
        self._offer_if_better(chosen, value)
        tabu = np.zeros(len(chosen), dtype=np.int64)
        step = idle = 0
        while idle < _PATIENCE and time.time() < deadline and not self._ledger.closed:
            step += 1
            move = self._move(chosen, counts, level, value, tabu >= step)
            if move is None:
                break
            leave, join = move
            tenure = step + int(self._random.integers(4, 12))
            for k, sign in ((leave, -1), (join, 1)):
                if k >= 0:
                    chosen[k] = sign > 0
                    counts = counts + sign * self._counts_of[:, k]
                    tabu[k] = tenure
            before = value
            level, value = self._best_level(counts, int(chosen.sum()))
            level = self._level_ahead(counts, int(chosen.sum()), level, stuck=value <= before)
            idle += 1
            if value > best:
                best, best_chosen, idle = value, chosen.copy(), 0
                self._offer_if_better(chosen, value)
        self._remember(best, best_chosen)

    def _start(self) -> NDArray[np.bool_] | None:
        """Return a committee to walk from that limits on members allow, None if none is found."""
        for _ in range(_TRIES):
            chosen = self._draw()
            if not self._guarded or self._allowed(chosen):
                return chosen
        if self._ledger.committee is None:
            return None
        return np.isin(self._columns, self._ledger.committee.members)

    def _draw(self) -> NDArray[np.bool_]:
        random, k = self._random, len(self._columns)
        if self._hints:
            chosen = self._hints.pop()
        elif self._elite and random.random() < 0.7:
            chosen = self._elite[int(random.integers(len(self._elite)))][1].copy()
            for place in random.integers(0, k, int(random.integers(2, 7))):
                chosen[place] = not chosen[place]
        else:
            # Skewed towards small committees of classifiers that are good alone.
            size = int(random.integers(1, min(k, 40) + 1))
            weight = self._own - self._own.min()
            weight = weight + 0.1 * weight.max() + 1e-9
            chosen = np.zeros(k, dtype=bool)
            chosen[random.choice(k, size, replace=False, p=weight / weight.sum())] = True
        return self._fit_size(chosen | self._fixed)

    def _fit_size(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        low, high = self._problem.size_min, self._problem.size_max
        size = int(chosen.sum())
        if size > high:
            removable = np.flatnonzero(chosen & ~self._fixed)
            count = min(size - high, len(removable))
            chosen[self._random.choice(removable, count, replace=False)] = False
        elif size < low:
            addable = np.flatnonzero(~chosen)
            count = min(low - size, len(addable))
            chosen[self._random.choice(addable, count, replace=False)] = True
        return chosen

    def _best_level(self, counts: NDArray[np.int32], size: int) -> tuple[int, float]:
        """Return the best threshold and the value there, limits on criteria priced in."""
        values = self._by_level(counts, size, self._net)
        level = int(np.argmax(values))
        return level, float(values[level])

    def _level_ahead(self, counts: NDArray[np.int32], size: int, level: int, *, stuck: bool) -> int:
        """Return the threshold to go on at, after another look at what weighs how much."""
        if stuck:
            wrong = np.where(self._net > 0, counts <= level, counts > level)
            self._guide = self._guide + _IMPATIENCE * wrong * self._net
        return int(np.argmax(self._by_level(counts, size, self._guide)))

    def _by_level(self, counts: NDArray[np.int32], size: int, worth: Floats) -> Floats:
        """Return the value at each threshold if patterns are worth so much, limits priced in."""
        values = _sums_above(counts, worth, size)
        for net, least, price in self._limits:
            values = values - price * np.maximum(0.0, least - _sums_above(counts, net, size))
        return values

    def _move(
        self,
        chosen: NDArray[np.bool_],
        counts: NDArray[np.int32],
        level: int,
        value: float,
        tabu: NDArray[np.bool_],
    ) -> tuple[int, int] | None:
        """Return who leaves and who joins (-1 for nobody) in the best move that is allowed."""
        gains, leaves, joins = self._all_moves(chosen, counts, level)
        if not len(gains):
            return None
        blocked = np.zeros(len(gains), dtype=bool)
        blocked |= (leaves >= 0) & tabu[leaves]
        blocked |= (joins >= 0) & tabu[joins]
        # A move that beats everything so far is welcome whatever the list says.
        record = -np.inf if self._ledger.units is None else self._ledger.units
        record -= self._problem.gains.base
        blocked &= value + gains <= record
        gains = np.where(blocked, -np.inf, gains + self._noise * self._random.random(len(gains)))
        if not self._guarded:
            place = int(np.argmax(gains))
            return None if gains[place] == -np.inf else (int(leaves[place]), int(joins[place]))
        for place in np.argsort(-gains)[:_TRIES]:
            if gains[place] == -np.inf:
                return None
            leave, join = int(leaves[place]), int(joins[place])
            after = chosen.copy()
            if leave >= 0:
                after[leave] = False
            if join >= 0:
                after[join] = True
            if self._allowed(after):
                return leave, join
        return None

    def _all_moves(
        self, chosen: NDArray[np.bool_], counts: NDArray[np.int32], level: int
    ) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
        """Return the gain of every move, with who leaves and who joins."""
        net = self._priced(counts, level)
        below, above = np.flatnonzero(counts == level), np.flatnonzero(counts == level + 1)
        votes_below, votes_above = self._votes[below], self._votes[above]
        worth_below = votes_below * net[below, None]
        worth_above = votes_above * net[above, None]
        inside = np.flatnonzero(chosen & ~self._fixed)
        outside = np.flatnonzero(~chosen)
        size = int(chosen.sum())
        # What turns positive if k joins, and what turns negative if k leaves.
        rise, fall = worth_below.sum(axis=0), worth_above.sum(axis=0)
        both = votes_above[:, inside].T @ worth_above[:, outside]
        both -= votes_below[:, inside].T @ worth_below[:, outside]
        swap = rise[outside][None, :] - fall[inside][:, None] + both
        nobody = np.full(max(len(inside), len(outside)), -1, dtype=np.intp)
        parts = [(swap.ravel(), np.repeat(inside, len(outside)), np.tile(outside, len(inside)))]
        if size < self._problem.size_max:
            # Join, at the same threshold or at one more.
            alone = nobody[: len(outside)]
            parts.append((rise[outside], alone, outside))
            parts.append((fall[outside] - net[above].sum(), alone, outside))
        if size > self._problem.size_min:
            # Leave, at the same threshold or at one less.
            alone = nobody[: len(inside)]
            if level <= size - 2:
                parts.append((-fall[inside], inside, alone))
            if level >= 1:
                parts.append((net[below].sum() - rise[inside], inside, alone))
        gains, leaves, joins = (np.concatenate(part) for part in zip(*parts, strict=True))
        pull = self._pull(net, counts, level)
        return gains + pull[joins] - pull[leaves], leaves, joins

    def _pull(self, net: Floats, counts: NDArray[np.int32], level: int) -> Floats:
        """Return what tells equal moves apart: how far each brings near misses on their way.

        The last entry, which a place of -1 reads, is 0: nobody pulls at nothing.
        """
        away = np.abs(counts - (level + 0.5)) - 0.5
        pull = np.append((net * self._decay**away) @ self._votes, 0.0)
        return np.asarray(pull * (self._noise / max(float(np.abs(pull).max()), 1e-12)))

    def _priced(self, counts: NDArray[np.int32], level: int) -> Floats:
        """Return what guides the walk, with the gains of violated limits at their price."""
        net = self._guide
        for limited, least, price in self._limits:
            if limited[counts > level].sum() < least:
                net = net + price * limited
        return net

    def _allowed(self, chosen: NDArray[np.bool_]) -> bool:
        return self._problem.allows_members(self._members(chosen))

    def _members(self, chosen: NDArray[np.bool_]) -> list[int]:
        members: list[int] = self._columns[chosen].tolist()
        return members

    def _offer_if_better(self, chosen: NDArray[np.bool_], value: float) -> None:
        record = self._ledger.units
        if record is None or value + self._problem.gains.base > record:
            self._ledger.offer(self._members(chosen))

    def _remember(self, value: float, chosen: NDArray[np.bool_]) -> None:
        self._elite.append((value, chosen))
        if len(self._elite) > _ELITE:
            self._elite.remove(min(self._elite, key=lambda kept: kept[0]))


def _sums_above(counts: NDArray[np.int32], net: Floats, size: int) -> Floats:
    """Return the sum of net gains above each threshold 0 .. size - 1."""
    by_count = np.bincount(counts, weights=net, minlength=size + 1)
    return np.asarray(by_count[::-1].cumsum()[::-1][1 : size + 1])
