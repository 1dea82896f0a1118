"""Local search for margins: tabu walks, with the worth of all rows in view.

A margin is a sum over patterns of a function of the vote count alone, so the worth of all joins and
departures takes one matrix product each at the neighbouring sizes. In a swap a count moves by one,
and up and down cancel wherever the function is straight: only the patterns at its kinks need the
product over pairs. A tabu list keeps the walk from turning back at once. Walks start from random
committees and from disturbed good ones.

Floats guide the walk; every committee worth keeping is recounted by the incumbent, which also
enforces every limit.
"""

from __future__ import annotations

import time
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.committee import majority
from ..problem.margin import margin_of
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from .guards import Flags, price_of
from .search import search_alone
from .starts import Habits, Starts

_WALKS = 2
"""Walks per classifier without a better committee after which a search alone ends."""

_PATIENCE = 60
"""Moves without a better committee after which a walk ends."""

_HABITS = Habits(kept=12, near=0.7, between=0.0, distinct=False)

_TRIES = 40
"""How many of the best moves are tried where limits on members forbid some."""


def search_margin(problem: Problem, run: Run) -> Outcome:
    """Search alone, until nothing better has turned up for a good while."""
    return search_alone(problem, run, MarginTabuSearch, _WALKS)


class MarginTabuSearch:
    """Walks through committees that decide by majority, by their margins."""

    def __init__(self, problem: Problem, incumbent: Incumbent, seed: int) -> None:
        objective = margin_of(problem)
        self._problem, self._incumbent = problem, incumbent
        self._random = np.random.default_rng(seed)
        self._columns = np.array(problem.allowed, dtype=np.intp)
        matrix = problem.patterns.matrix[:, self._columns]
        self._matrix = matrix.astype(np.float64)
        self._counts_of = matrix.astype(np.int32)
        net = problem.gains.net.astype(np.float64)
        self._limits = []
        for limit in problem.metric_limits:
            limited = limit.gains.net.astype(np.float64)
            least = float(limit.least - limit.gains.base)
            self._limits.append((limited, least, price_of(limited, net)))
        self._fixed = np.isin(self._columns, problem.required)
        self._starts = Starts(
            problem, incumbent, net @ matrix.astype(np.float32), _HABITS, self._random
        )
        self._weights = np.stack(
            [problem.patterns.positive.astype(float), problem.patterns.negative.astype(float)]
        )
        self._base = float(problem.gains.base)
        # Differences below the worth of half a vote on one row are not worth telling apart.
        self._noise = 0.1 * float(objective.factor(problem.n_classifiers))

        @cache
        def worth(size: int) -> Floats:
            steps = objective.margin.worth(size).astype(float) * float(objective.factor(size))
            # Two more entries at each end: no pattern goes there, but sums over all look there.
            return np.pad(steps, ((0, 0), (2, 2)), mode="edge")

        self._worth = worth

    def walk(self, until: float) -> int:
        """Walk once, from a new start to where nothing better turns up; return 1, for one walk."""
        chosen = self._starts.draw()
        counts = self._counts_of[:, chosen].sum(axis=1)
        value = self._value(counts, int(chosen.sum()))
        best, best_chosen = value, chosen.copy()
        self._offer_if_better(chosen, value)
        tabu = np.zeros(len(chosen), dtype=np.int64)
        step = idle = 0
        while idle < _PATIENCE and time.monotonic() < until and not self._incumbent.closed:
            step += 1
            move = self._move(chosen, counts, value, tabu >= step)
            if move is None:
                break
            leave, join = move
            tenure = step + int(self._random.integers(4, 12))
            for k, sign in ((leave, -1), (join, 1)):
                if k >= 0:
                    chosen[k] = sign > 0
                    counts = counts + sign * self._counts_of[:, k]
                    tabu[k] = tenure
            value = self._value(counts, int(chosen.sum()))
            idle += 1
            if value > best:
                best, best_chosen, idle = value, chosen.copy(), 0
                self._offer_if_better(chosen, value)
        self._starts.remember(best, best_chosen)
        return 1

    def _value(self, counts: NDArray[np.int32], size: int) -> float:
        """Return the value at the majority, limits on criteria priced in."""
        value = float(self._each(counts, size, ()).sum()) - self._base
        for net, least, price in self._limits:
            value -= price * max(0.0, least - float(net[counts > majority(size)].sum()))
        return value

    def _move(
        self, chosen: Flags, counts: NDArray[np.int32], value: float, tabu: Flags
    ) -> tuple[int, int] | None:
        """Return who leaves and who joins (-1 for nobody) in the best move that is allowed."""
        gains, leaves, joins = self._all_moves(chosen, counts)
        if not len(gains):
            return None
        blocked = np.zeros(len(gains), dtype=bool)
        blocked |= (leaves >= 0) & tabu[leaves]
        blocked |= (joins >= 0) & tabu[joins]
        # A move that beats everything so far is welcome whatever the list says.
        record = -np.inf if self._incumbent.score is None else self._incumbent.score
        record -= self._problem.gains.base
        blocked &= value + gains <= record
        gains = np.where(blocked, -np.inf, gains + self._noise * self._random.random(len(gains)))
        if not self._starts.guarded:
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
            if self._starts.allowed(after):
                return leave, join
        return None

    def _all_moves(
        self, chosen: Flags, counts: NDArray[np.int32]
    ) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
        """Return the gain of every move, with who leaves and who joins."""
        size = int(chosen.sum())
        broken = tuple(
            price * net
            for net, least, price in self._limits
            if float(net[counts > majority(size)].sum()) < least
        )
        inside, outside = np.flatnonzero(chosen & ~self._fixed), np.flatnonzero(~chosen)
        here = self._each(counts, size, broken)
        rise = self._each(counts + 1, size, broken) - here
        fall = self._each(counts - 1, size, broken) - here
        bend = rise + fall
        kinks = np.flatnonzero(np.abs(bend) > 1e-9 * np.abs(rise))
        at_kinks = self._matrix[kinks]
        both = (at_kinks[:, inside] * bend[kinks, None]).T @ at_kinks[:, outside]
        swap = (rise @ self._matrix)[outside][None, :] + (fall @ self._matrix)[inside][:, None]
        swap -= both
        parts = [(swap.ravel(), np.repeat(inside, len(outside)), np.tile(outside, len(inside)))]
        for change, who in ((1, outside), (-1, inside)):
            if self._problem.size_min <= size + change <= self._problem.size_max:
                as_is = self._each(counts, size + change, broken)
                moved = self._each(counts + change, size + change, broken)
                gains = as_is.sum() - here.sum() + ((moved - as_is) @ self._matrix)[who]
                nobody = np.full(len(who), -1, dtype=np.intp)
                parts.append((gains, nobody, who) if change > 0 else (gains, who, nobody))
        gains, leaves, joins = (np.concatenate(part) for part in zip(*parts, strict=True))
        return gains, leaves, joins

    def _members(self, chosen: Flags) -> list[int]:
        members: list[int] = self._columns[chosen].tolist()
        return members

    def _offer_if_better(self, chosen: Flags, value: float) -> None:
        record = self._incumbent.score
        if record is None or value + self._base > record:
            self._incumbent.offer(self._members(chosen))

    def _each(self, counts: NDArray[np.int32], size: int, broken: tuple[Floats, ...]) -> Floats:
        """Return what every pattern is worth with these counts, with the broken limits' prices."""
        places = counts + 2
        worth = self._worth(size)
        each = self._weights[0] * worth[0][places] + self._weights[1] * worth[1][places]
        for priced in broken:
            each = each + priced * (counts > majority(size))
        return np.asarray(each)
