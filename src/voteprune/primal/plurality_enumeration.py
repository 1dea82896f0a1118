"""All committees of some sizes with more than two classes, 64 of them in one machine word.

A committee is a head and a tail (`plurality_duels`). For one head the tails that win a pattern are
what the rows of its duels have in common, and how much each tail earns is a sum of such rows, each
times its gain: added up bit by bit, with carries, for all tails at once. Tails that may beat the
target stand in one more row of bits. A win needs a row only at the heads where some tails of the
size have it and some lack it, and of its duels only those that are unsure there.

Sums are of whole numbers. Gains that are too long are divided and rounded up, so that no sum is too
low, and whatever may be better is recounted exactly, the highest first.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem.wins import Bools, Places, Wins
from .plurality_duels import EVERYTHING, NOTHING, Duels, Needs, Tails, table_rows
from .plurality_sums import Sums, Words, add, at_least, at_place, packed, piles_of, unpacked

FREE = -1
"""What is said of a column that is not decided; 1 says that it sits, 0 that it does not."""

_FEWEST_TAILS, _MOST_TAILS = 64, 2**13
"""Tails that are listed, at the least and at the most."""

_TABLE = 2**28
"""Bytes that the table may take, unless that leaves no more tails than one word holds."""

_WORDS = 512
"""Words of tails, over all heads, that are worked on together."""

_VOTES = 2**22
"""Duels, over all heads, that are worked on together."""

_BLOCK = 2**17
"""Words that are added up together, so few that they stay in a cache."""

_MANY = 16
"""Unsure duels of a win beyond which it makes no difference how many they are."""

_PER_WORD, _PER_ROW, _PER_DUEL, _PER_BATCH = 1e-9, 5e-9, 0.5e-9, 5e-4
"""Seconds: for a word of tails in a sum, for a win and for a duel at a head, and for some heads
that are worked on together."""

_TELLING = 0.05
"""Seconds that it takes to learn how good estimates are."""

_CLEAR = 1e-9
"""Sums of a few dozen numbers in [-1, 1] err far less than this in double precision."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of trying.

    Parameters
    ----------
    done
        Whether all were tried.
    found
        Columns that earn more than anything before, the best last.
    """

    done: bool
    found: tuple[tuple[int, ...], ...]


class Enumeration:
    """All committees of some wins, by heads and tails."""

    def __init__(self, wins: Wins) -> None:
        self.wins = wins
        free = np.ones(wins.n_classifiers, dtype=bool)
        free[wins.required] = False
        self.tails = Tails.of(_tail(wins, np.flatnonzero(free)), wins.size_max)
        self.tail = self.tails.columns
        self.head = np.setdiff1d(np.arange(wins.n_classifiers), self.tail)
        self.sums = Sums.of(wins)
        self.piles, self._who = piles_of(self.sums)
        self.members = [packed(column) for column in self.tails.listed.T]
        filled = np.asarray(self.tails.listed.any(axis=1))
        filled[0] = True  # the empty tail comes first
        self.filled = packed(filled)
        self._pace = 1.0

    @cached_property
    def duels(self) -> Duels:
        """The duels of all piles, and with them the table."""
        return Duels.of(self.wins, self._who, self.head, self.tails)

    def seconds(self, decided: NDArray[np.int8], sizes: range) -> float:
        """Estimate how long it takes to try all committees of a node."""
        sit, free = (int((decided[self.head] == value).sum()) for value in (1, FREE))
        spent = 0.0
        for heads in range(free + 1):
            for seats in self.seats(sit + heads, sizes):
                words = self.tails.words(seats)
                count, width = comb(free, heads), words.stop - words.start
                each = len(self._who) * (width * _PER_WORD + _PER_ROW)
                each += len(self.wins.win) * _PER_DUEL
                spent += count * each + -(-count // self.together(width)) * _PER_BATCH
        return self._pace * spent

    def together(self, width: int) -> int:
        """Return how many heads are worked on together, with so many words of tails."""
        return max(1, min(_WORDS // width, _VOTES // max(1, len(self.wins.win))))

    def seats(self, seated: int, sizes: range) -> range:
        """Return the sizes of the tails that bring a head to one of the sizes."""
        most = len(self.tails.first) - 2
        return range(max(sizes.start - seated, 0), min(sizes.stop - 1 - seated, most) + 1)

    def run(self, decided: NDArray[np.int8], sizes: range, target: int, deadline: float) -> Tried:
        """Try all committees of a node that may earn as much as a target.

        Parameters
        ----------
        decided
            By column: 1 sits, 0 does not, `FREE` may or may not.
        sizes
            In steps of 1.
        target
            Units that it takes to be of interest; once such a committee is found, more than it has.
        deadline
            When to stop, as `time.monotonic` tells it.
        """
        trial = _Trial(self, decided, target, deadline)
        thought, began = self.seconds(decided, sizes), time.thread_time()
        tried = trial.run(sizes)
        took = time.thread_time() - began
        if tried.done and took > _TELLING:
            self._pace *= (took / thought) ** 0.5
        return tried


class _Trial:
    """The committees of one node."""

    def __init__(
        self, listed: Enumeration, decided: NDArray[np.int8], target: int, deadline: float
    ) -> None:
        self._all, self._wins, self._duels = listed, listed.wins, listed.duels
        self._target, self._deadline = target, deadline
        self._sit = np.flatnonzero(decided[listed.head] == 1)
        self._free = np.flatnonzero(decided[listed.head] == FREE)
        self._valid = listed.filled.copy()
        for members, value in zip(listed.members, decided[listed.tail], strict=True):
            if value != FREE:
                self._valid &= members if value else ~members
        self._costs = [
            (shares[listed.head], listed.tails.listed @ shares[listed.tail], most + _CLEAR)
            for shares, most in listed.wins.costs
        ]
        worths = listed.sums.worths
        self._worths = np.array([worths[p.group] << p.place for p in listed.piles], dtype=object)
        self._ends = np.array([0, *(pile.rows.stop for pile in listed.piles)])
        which = np.repeat(np.arange(len(listed.piles)), np.diff(self._ends))
        self._in_pile = (which[:, None] == np.arange(len(listed.piles))).astype(np.float32)
        self._found: list[tuple[int, ...]] = []

    def run(self, sizes: range) -> Tried:
        """Try all of some sizes."""
        for count in range(len(self._free) + 1):
            for seats in self._all.seats(len(self._sit) + count, sizes):
                words = self._all.tails.words(seats)
                if not self._valid[words].any():
                    continue
                reach = self._duels.reach(seats)
                together = self._all.together(words.stop - words.start)
                for heads, needs in self._heads(count, together):
                    if time.monotonic() >= self._deadline:
                        return Tried(False, tuple(self._found))
                    if not self._batch(heads, needs, reach, seats):
                        return Tried(False, tuple(self._found))
        return Tried(True, tuple(self._found))

    def _heads(self, count: int, most: int) -> Iterator[tuple[Bools, Needs]]:
        """Yield all heads with so many of those who may sit, and the votes each duel needs then.

        What is needed stands layer by layer, layers x heads x n. A head shares its first members
        with the one before, so that votes are mostly counted already.
        """
        columns = self._duels.differences
        counted = [self._duels.lead.copy()]
        for k in self._sit.tolist():
            counted[0] -= columns[k]
        counted += [counted[0].copy() for _ in range(count)]
        every, before = comb(len(self._free), count), [-1] * count
        sets = combinations(range(len(self._free)), count)
        for first in range(0, every, most):
            b = min(most, every - first)
            heads = np.zeros((b, len(self._all.head)), dtype=bool)
            heads[:, self._sit] = True
            needs = np.empty((len(counted[0]), b, counted[0].shape[1]), dtype=counted[0].dtype)
            for place, members in zip(range(b), sets, strict=False):
                same = 0
                while same < count and members[same] == before[same]:
                    same += 1
                for k in range(same, count):
                    who = int(self._free[members[k]])
                    np.subtract(counted[k], columns[who], out=counted[k + 1])
                before = list(members)
                needs[:, place] = counted[count]
                heads[place, self._free[before]] = True
            yield heads, needs

    def _batch(self, heads: Bools, needs: Needs, reach: tuple[Needs, Needs], seats: int) -> bool:
        """Try some heads with all tails of a size; tell if there was time."""
        ahead, behind = reach
        unsure = needs > behind[:, None]
        dead = (needs > ahead[:, None]).any(axis=0)
        alive = np.asarray(unsure.any(axis=0) & ~dead)
        unsure &= alive
        most = self._worth((~dead).astype(np.float32) @ self._in_pile)
        may = np.asarray(most >= self._least())
        if not may.any():
            return True
        if not may.all():
            heads, needs, unsure = heads[may], needs[:, may], unsure[:, may]
            alive, most = alive[may], most[may]
        b, n = alive.shape
        at = np.flatnonzero(alive)
        firsts = np.searchsorted(at, n * np.arange(b)[:, None] + self._ends)
        counts = np.diff(firsts, axis=1)
        base = most - self._worth(counts)
        words = self._all.tails.words(seats)
        planes = self._add_up(at, firsts, needs, unsure, seats)
        may_win = at_least(planes, self._least() - base, (b, words.stop - words.start))
        may_win &= self._valid[words]
        for head_costs, tail_costs, limit in self._costs:
            some = tail_costs[64 * words.start : 64 * words.stop]
            may_win &= packed((heads @ head_costs)[:, None] + some[None, :] <= limit)
        return not may_win.any() or self._judge(heads, words, planes, may_win, base)

    def _worth(self, counts: NDArray[Any]) -> NDArray[np.object_]:
        """Return what so many rows of each pile are worth, for each head, exactly."""
        worth: NDArray[np.object_] = counts.astype(np.int64).astype(object) @ self._worths
        return worth

    def _add_up(
        self, at: Places, firsts: Places, needs: Needs, unsure: Bools, seats: int
    ) -> list[Words]:
        """Return the sums of all tails, bit by bit, the lowest first.

        Parameters
        ----------
        at
            Where wins are alive in heads x n.
        firsts
            heads x piles + 1: where in this the wins of each pile begin for each head.
        needs, unsure
            layers x heads x n: the votes that duels need, and whether some tail lacks them.
        seats
            The size of the tails.
        """
        table, b = self._duels.tables[seats], needs.shape[1]
        rows, height, several = self._rows(at, firsts, needs, unsure)
        width = b * table.shape[1]
        together = max(1, _BLOCK // width)
        groups: list[list[list[Words]]] = [[] for _ in self._all.sums.worths]
        for i, pile in enumerate(self._all.piles):
            for first in range(int(height[i]), int(height[i + 1]), together):
                last = min(first + together, int(height[i + 1]))
                won = table.take(rows[0, b * first : b * last], axis=0)
                for order in range(1, len(rows)):
                    end = min(last, int(height[i] + several[i, order]))
                    if end <= first:
                        break
                    won[: b * (end - first)] &= table.take(rows[order, b * first : b * end], axis=0)
                _include(
                    groups[pile.group], add([[won.reshape(-1, width)]], width), 1 << pile.place
                )
        totals: list[list[Words]] = []
        for counted, worth in zip(groups, self._all.sums.worths, strict=True):
            _include(totals, add(counted, width), worth)
        return [row.reshape(b, -1) for row in add(totals, width)]

    def _rows(
        self, at: Places, firsts: Places, needs: Needs, unsure: Bools
    ) -> tuple[Places, Places, Places]:
        """Return which rows of the table are to be added up, given what `_add_up` is.

        Returns
        -------
        rows
            duels x (H b): for the heads side by side, H wins below each other, the row of its first
            unsure duel, of its second, and so on.
        height
            Where each pile begins, and the last ends.
        several
            piles x duels: in how many of a pile's rows some head has a win with more unsure duels.
        """
        layers, b, _ = needs.shape
        counts = np.diff(firsts, axis=1)
        height = np.append(0, counts.max(axis=0, initial=0).cumsum())
        # Of each head and pile, wins with many unsure duels come first.
        number = unsure.view(np.uint8).sum(axis=0, dtype=np.uint8).ravel()[at]
        key = _MANY * np.repeat(np.arange(1, counts.size + 1), counts.ravel())
        key -= np.minimum(number, _MANY)
        short = key.astype(np.uint16) if _MANY * counts.size < 2**16 else key
        shift = (height[:-1] - firsts[:, :-1]) * b + np.arange(b)[:, None]
        place = np.zeros(needs[0].size, dtype=np.intp)
        place[at[np.argsort(short, kind="stable")]] = np.arange(len(at)) * b + np.repeat(
            shift.ravel(), counts.ravel()
        )
        listed = np.bincount(key, minlength=_MANY * counts.size).reshape(*counts.shape, _MANY)
        most = int(number.max(initial=1))
        more = np.maximum(_MANY - 1 - np.arange(most), 0)
        several = listed.cumsum(axis=2).max(axis=0)[:, more]
        rows = np.full((most, b * int(height[-1])), EVERYTHING)
        rows[0] = NOTHING
        flat = rows.ravel()
        for layer in range(layers):
            here = np.flatnonzero(unsure[layer])
            there = place[here]
            flat[there] = (self._duels.start[layer] + needs[layer]).ravel()[here]
            place[here] = there + rows.shape[1]  # where the next duel of the win goes
        return rows, height, several

    def _judge(
        self,
        heads: Bools,
        words: slice,
        planes: Sequence[Words],
        may: Words,
        base: NDArray[np.object_],
    ) -> bool:
        """Recount what may be better, the highest first; tell if there was time for all."""
        listed = self._all
        head, tail = np.nonzero(unpacked(may))
        values = base.astype(np.float64)[head]
        for place, row in enumerate(planes):
            values += unpacked(row)[head, tail] * 2.0**place
        for i in np.argsort(-values, kind="stable").tolist():
            if values[i] < self._least() * (1 - _CLEAR):
                return True
            if time.monotonic() >= self._deadline:
                return False
            columns = [
                *listed.head[heads[head[i]]].tolist(),
                *listed.tail[listed.tails.listed[64 * words.start + tail[i]]].tolist(),
            ]
            score = self._wins.score(columns)
            if score >= self._target and self._wins.affords(columns):
                self._target = score + 1
                self._found.append(tuple(sorted(columns)))
        return True

    def _least(self) -> int:
        """Return the least sum that may stand for the target."""
        return -(-self._target // self._all.sums.divisor)


def _include(planes: list[list[Words]], number: Sequence[Words], times: int) -> None:
    """Put a number, so many times, among what is to be added up."""
    for bit in range(times.bit_length()):
        if times >> bit & 1:
            for place, row in enumerate(number):
                at_place(planes, bit + place).append(row[None])


def _tail(wins: Wins, columns: Places) -> Places:
    """Return the columns that tails are made of."""
    most = max(_FEWEST_TAILS, _MOST_TAILS)
    while True:
        width = tail_width(len(columns), wins.size_max, most)
        tail = columns[len(columns) - width :]
        if most <= _FEWEST_TAILS or table_rows(wins, tail) * most // 8 <= _TABLE:
            return tail
        most //= 2


def tail_width(columns: int, size_max: int, most: int) -> int:
    """Return how many columns can be in tails, if there are to be so many tails at the most."""
    width = 0
    while width < columns and sum(comb(width + 1, s) for s in range(size_max + 1)) <= most:
        width += 1
    return width
