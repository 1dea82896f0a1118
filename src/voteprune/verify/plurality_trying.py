"""All committees of a part, thousands of them in one whole number.

Subsets of some of the classifiers are *tails*: those of one size are listed once, and a set of them
is a whole number with a bit for each. For a duel, the tails that make up for a lead are such a
number; so for one choice of the others, a *head*, the tails with which a class wins are what its
duels have in common. What each tail earns is then added up bit by bit, with carries, for all at
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

from .plurality_pool import PluralityPool, Standing, Win, bits

MOST_TAILS = 2**12
"""Subsets of the tails, of all sizes together."""

_KEPT = 2**17
"""Numbers that are remembered."""

_EACH, _WORDS = 8, 512
"""Steps that a duel takes at a head by itself, and bits of the tails that take one more."""

_JUDGED = 16
"""Steps that it takes to hold a committee against a limit."""


class Trying:
    """Tries parts."""

    def __init__(self, pool: PluralityPool, goal: int) -> None:
        self._pool, self._goal = pool, goal
        required = set(pool.document.required)
        columns = [k for k in bits(pool.allowed) if k not in required]
        width = _width(len(columns), pool.document.size_max)
        self._tails = columns[len(columns) - width :]
        self._tail_bits = sum(1 << k for k in self._tails)
        worst = [min((win.gain for win in wins), default=0) for wins in pool.wins]
        self._base = sum(worst)
        self._wins = [
            [(win, win.gain - least) for win in wins if win.gain > least]
            for wins, least in zip(pool.wins, worst, strict=True)
        ]
        self._duels = sum(1 + len(win.duels) for wins in self._wins for win, _ in wins)
        self._who: dict[int, list[int]] = {}
        self._known: dict[tuple[int, int, int], dict[int, int]] = {}

    def work(self, part: Standing) -> int:
        """Return how many steps it takes to try a part."""
        free = (part.free & ~self._tail_bits).bit_count()
        sits = (part.sits & ~self._tail_bits).bit_count()
        steps = 0
        for count in range(free + 1):
            seats = part.size - sits - count
            if 0 <= seats <= len(self._tails):
                tails = comb(len(self._tails), seats)
                each = (1 + self._duels) * (_EACH + tails // _WORDS)
                # What reaches the goal has to break a limit, which is looked at one by one.
                steps += comb(free, count) * (each + _JUDGED * tails * len(self._pool.limits))
        return steps

    def better(self, part: Standing) -> list[int] | None:
        """Return an allowed committee of a part that reaches the goal; None if there is none."""
        heads, fixed = bits(part.free & ~self._tail_bits), part.sits & ~self._tail_bits
        for count in range(len(heads) + 1):
            seats = part.size - fixed.bit_count() - count
            if not 0 <= seats <= len(self._tails):
                continue
            valid = self._valid(part, seats)
            if not valid:
                continue
            for chosen in combinations(heads, count):
                head = fixed | sum(1 << k for k in chosen)
                reached = valid & self._reaching(head, seats)
                if reached and (found := self._allowed(head, seats, reached)):
                    return found
        return None

    def _valid(self, part: Standing, seats: int) -> int:
        """Return the tails of a size that a part allows."""
        who = self._columns(seats)
        found = (1 << comb(len(self._tails), seats)) - 1
        for k, column in zip(self._tails, who, strict=True):
            if part.sits >> k & 1:
                found &= column
            elif not part.free >> k & 1:
                found &= ~column
        return found

    def _columns(self, seats: int) -> list[int]:
        """Return for each tail classifier in which tails of a size it is."""
        if seats not in self._who:
            found = [0] * len(self._tails)
            for place, chosen in enumerate(combinations(range(len(self._tails)), seats)):
                for k in chosen:
                    found[k] |= 1 << place
            self._who[seats] = found
        return self._who[seats]

    def _reaching(self, head: int, seats: int) -> int:
        """Return the tails of a size with which a head reaches the goal, whatever it costs."""
        full = (1 << comb(len(self._tails), seats)) - 1
        rows: dict[int, list[int]] = {}
        highest = self._base
        for wins in self._wins:
            most = 0
            for win, gain in wins:
                won = self._won(win, head, seats, full)
                if won:
                    rows.setdefault(gain, []).append(won)
                    most = max(most, gain)
            highest += most
        if highest < self._goal:
            return 0
        planes: list[list[int]] = []
        for gain, those in rows.items():
            counted = _added([those])
            for place in bits(gain):
                for plane, row in enumerate(counted):
                    while len(planes) <= place + plane:
                        planes.append([])
                    planes[place + plane].append(row)
        return _at_least(_added(planes), self._goal - self._base, full)

    def _won(self, win: Win, head: int, seats: int, full: int) -> int:
        """Return the tails of a size with which a class wins."""
        found, ahead = full, (win.mine & head).bit_count()
        mine = win.mine & self._tail_bits
        for theirs, lead in win.duels:
            need = lead - ahead + (theirs & head).bit_count()
            if need > mine.bit_count():
                return 0
            theirs &= self._tail_bits
            if need > -theirs.bit_count():
                found &= self._ahead(mine, theirs, seats)[need]
                if not found:
                    return 0
        return found

    def _ahead(self, mine: int, theirs: int, seats: int) -> dict[int, int]:
        """Return for every number the tails of a size in which one side has so many more."""
        key = mine, theirs, seats
        if key not in self._known:
            if len(self._known) * (1 + len(self._tails)) > _KEPT:
                self._known.clear()
            full = (1 << comb(len(self._tails), seats)) - 1
            low, high = -theirs.bit_count(), mine.bit_count()
            found = {level: full if level <= 0 else 0 for level in range(low, high + 1)}
            for k, column in zip(self._tails, self._columns(seats), strict=True):
                shift = (mine >> k & 1) - (theirs >> k & 1)
                if shift:
                    found = {
                        level: row & ~column
                        | column & found.get(level - shift, full if level - shift < low else 0)
                        for level, row in found.items()
                    }
            self._known[key] = found
        return self._known[key]

    def _allowed(self, head: int, seats: int, reached: int) -> list[int] | None:
        """Return a committee that keeps all limits, of a head and some tails; None if none does."""
        for place, chosen in enumerate(combinations(self._tails, seats)):
            if reached >> place & 1:
                members = sorted([*bits(head), *chosen])
                if not any(self._pool.faults(members)):
                    return members
        return None


def _width(columns: int, size_max: int) -> int:
    """Return how many of some columns can be tails."""
    width = 0
    while width < columns and (
        sum(comb(width + 1, size) for size in range(min(size_max, width + 1) + 1)) <= MOST_TAILS
    ):
        width += 1
    return width


def _added(planes: Sequence[Iterable[int]]) -> list[int]:
    """Add up numbers that are given bit by bit, the lowest first: three of a bit make two."""
    waiting, found = [list(rows) for rows in planes], list[int]()
    place = 0
    while place < len(waiting):
        rows = waiting[place]
        if len(rows) > 1 and place + 1 == len(waiting):
            waiting.append([])
        while len(rows) > 1:
            a, b = rows.pop(), rows.pop()
            c = rows.pop() if rows else 0
            either = a ^ b
            rows.append(either ^ c)
            if carry := a & b | either & c:
                waiting[place + 1].append(carry)
        found.append(rows[0] if rows else 0)
        place += 1
    return found


def _at_least(planes: Sequence[int], least: int, full: int) -> int:
    """Return in which places a number, given bit by bit, is not below another."""
    if least <= 0:
        return full
    if least.bit_length() > len(planes):
        return 0
    above, equal = 0, full
    for place in reversed(range(len(planes))):
        row = planes[place]
        if least >> place & 1:
            equal &= row
        else:
            above |= equal & row
            equal &= ~row
    return above | equal
