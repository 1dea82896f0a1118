"""All committees of some sizes with more than two classes, 64 of them in one machine word.

Columns are split: a committee is a head, of some columns, and a tail, of the others. The tails are
listed once, by size, and a set of tails is a row of bits. For each duel and each lead of the rival
that a head may leave, the tails that make up for it are such a set, kept in a table. So for one
head the tails that win a pattern are what the rows of its duels have in common, and how much each
tail earns is a sum of such rows, each times its gain: added up bit by bit, with carries, for all
tails at once. Tails that may beat the target stand in one more row of bits.

Sums are of whole numbers. Gains that are too long are divided and rounded up, so that no sum is too
low, and whatever may be better is recounted exactly, the highest first.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..problem.wins import Bools, Places, Wins
from .bitsums import Words, add, at_least, at_place, packed, unpacked

Singles = NDArray[np.float32]

FREE = -1
"""What is said of a column that is not decided; 1 says that it sits, 0 that it does not."""

_FEWEST_TAILS, _MOST_TAILS = 64, 2**13
"""Tails that are listed, at the least and at the most."""

_TABLE = 2**26
"""Bytes that the table may take, unless that leaves no more tails than one word holds."""

_WORDS = 192
"""Words of tails, over all heads, that are worked on together."""

_BLOCK = 1024
"""Wins that are worked on together."""

_WORTH_BITS = 12
"""What a row of a class is worth is kept to so many bits at the most."""

_FEW_BITS = 4
"""Bits in the weights behind a win, in the mean, beyond which they are rounded up."""

_PER_WORD, _PER_HEAD, _PER_BATCH = 1.5e-9, 8e-9, 1.5e-3
"""Seconds: for a word of tails in a duel or a sum, for a duel at a head, and for some heads that
are worked on together."""

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


class Sums(NamedTuple):
    """How gains are added up: wins of one class have weights times a worth.

    Parameters
    ----------
    weights
        n: whole numbers.
    group
        n: which worth.
    worths
        One for each group.
    divisor
        Units that make 1; rounding up has happened if weights times worths are above units.
    """

    weights: NDArray[np.int64]
    group: Places
    worths: tuple[int, ...]
    divisor: int

    @classmethod
    def of(cls, wins: Wins) -> Sums:
        """Find short whole numbers that are nowhere below the gains."""
        units = [int(unit) for unit in wins.units]
        of_kind = {
            kind: int(np.gcd.reduce(wins.units[wins.kind == kind]))
            for kind in np.unique(wins.kind).tolist()
        }
        worths = sorted(set(of_kind.values()))
        group = np.array([worths.index(of_kind[k]) for k in wins.kind.tolist()], dtype=np.intp)
        weights = [unit // worths[g] for unit, g in zip(units, group, strict=True)]
        if sum(weight.bit_count() for weight in weights) > _FEW_BITS * len(weights):
            largest = max(units)
            divisor = -(-largest // 2**_WORTH_BITS)
            # All weights above the limit are rounded up to so few bits.
            rounded = [-(-unit // divisor) for unit in units]
            return cls(np.array(rounded), np.zeros(len(units), dtype=np.intp), (1,), divisor)
        common = int(np.gcd.reduce(np.array(worths, dtype=object))) if worths else 1
        divisor = max(common, -(-max(worths, default=1) // 2**_WORTH_BITS))
        return cls(
            np.array(weights, dtype=np.int64),
            group,
            tuple(-(-worth // divisor) for worth in worths),
            divisor,
        )

    @property
    def bits(self) -> int:
        """Bits that are added up for a word of tails."""
        counted = sum(int(weight).bit_count() for weight in self.weights)
        return counted + 10 * sum(worth.bit_count() for worth in self.worths)


class _Layer(NamedTuple):
    """At most one duel of every win: of the first n wins, in the enumeration's order."""

    difference: Singles  # n x heads: 1 who votes for the class, -1 who votes for the rival
    start: NDArray[np.int64]  # where the rows of the duel begin in the table
    low: NDArray[np.int64]  # votes that every tail makes up for: minus all of the rival's
    high: NDArray[np.int64]  # votes that no tail makes up for
    lead: NDArray[np.int64]


class Enumeration:
    """All committees of some wins, by heads and tails.

    Parameters
    ----------
    wins
        The data.
    """

    def __init__(self, wins: Wins) -> None:
        self._wins = wins
        k, free = wins.n_classifiers, np.ones(wins.n_classifiers, dtype=bool)
        free[wins.required] = False
        columns = np.flatnonzero(free)
        rows = len(wins.win) * min(len(columns), 13) or 1
        most = max(_FEWEST_TAILS, min(_MOST_TAILS, 8 * _TABLE // rows))
        width = tail_width(len(columns), wins.size_max, most)
        self.tail = columns[len(columns) - width :]
        self.head = np.setdiff1d(np.arange(k), self.tail)
        self._sums = Sums.of(wins)
        # Wins with most duels come first.
        duels = np.diff(wins.first)
        self._order = np.argsort(-duels, kind="stable")
        self._duels = duels[self._order]
        self._listed, self._from = _tails(width, min(width, wins.size_max))
        self._members = [packed(column) for column in self._listed.T]
        filled = np.asarray(self._listed.any(axis=1))
        filled[0] = True  # the empty tail comes first
        self._valid = packed(filled)
        self._weights = self._sums.weights[self._order]
        self._group = self._sums.group[self._order]
        self._units = np.array([float(unit) for unit in wins.units])[self._order]

    @cached_property
    def _layers(self) -> list[_Layer]:
        """The duels, and with them the table."""
        wins, blocks, offset, layers = self._wins, [], 0, []
        tails = self._listed.astype(np.float32).T
        known: dict[bytes, int] = {}
        for number in range(int(self._duels.max(initial=0))):
            who = self._order[self._duels > number]
            duel = wins.first[who] + number
            mine, theirs = wins.mine[who], wins.theirs[duel]
            both = np.hstack([mine[:, self.tail], theirs[:, self.tail]])
            distinct, place = np.unique(both, axis=0, return_inverse=True)
            high = distinct[:, : len(self.tail)].sum(axis=1, dtype=np.int64) + 1
            low = -distinct[:, len(self.tail) :].sum(axis=1, dtype=np.int64)
            starts = np.empty(len(distinct), dtype=np.int64)
            fresh = []
            for i, row in enumerate(distinct):
                key = np.packbits(row).tobytes()
                if key not in known:
                    known[key] = offset
                    offset += int(high[i] - low[i]) + 1
                    fresh.append(i)
                starts[i] = known[key]
            for first in range(0, len(fresh), 64):
                some = fresh[first : first + 64]
                ahead = (
                    distinct[some, : len(self.tail)].astype(np.float32)
                    - distinct[some, len(self.tail) :].astype(np.float32)
                ) @ tails
                for i, row in zip(some, ahead.astype(np.int8), strict=True):
                    levels = np.arange(low[i], high[i] + 1, dtype=np.int8)
                    blocks.append(packed(row[None, :] >= levels[:, None]))
            places = place.ravel()
            layers.append(
                _Layer(
                    mine[:, self.head].astype(np.float32) - theirs[:, self.head],
                    starts[places], low[places], high[places], wins.lead[duel],
                )
            )  # fmt: skip
        self._table = (
            np.concatenate(blocks) if blocks else np.zeros((0, len(self._valid)), dtype=np.uint64)
        )
        return layers

    def seconds(self, decided: NDArray[np.int8], sizes: range) -> float:
        """Estimate how long it takes to try all committees of a node."""
        sit, free = (int((decided[self.head] == value).sum()) for value in (1, FREE))
        work = 2 * len(self._wins.win) + 6 * self._sums.bits
        spent = 0.0
        for heads in range(free + 1):
            for seats in self._seats(sit + heads, sizes):
                words = self._words(seats)
                count, width = comb(free, heads), words.stop - words.start
                each = width * work * _PER_WORD + len(self._wins.win) * _PER_HEAD
                spent += count * each + -(-count * width // _WORDS) * _PER_BATCH
        return spent

    def _seats(self, seated: int, sizes: range) -> range:
        """Return the sizes of the tails that bring a head to one of the sizes."""
        most = len(self._from) - 2
        return range(max(sizes.start - seated, 0), min(sizes.stop - 1 - seated, most) + 1)

    def _words(self, seats: int) -> slice:
        """Return the words of all tails of a size."""
        return slice(int(self._from[seats]), int(self._from[seats + 1]))

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
        return _Trial(self, decided, target, deadline).run(sizes)


class _Trial:
    """The committees of one node."""

    def __init__(
        self, listed: Enumeration, decided: NDArray[np.int8], target: int, deadline: float
    ) -> None:
        self._all, self._wins = listed, listed._wins
        self._target, self._deadline = target, deadline
        self._sit = np.flatnonzero(decided[listed.head] == 1)
        self._free = np.flatnonzero(decided[listed.head] == FREE)
        self._valid = listed._valid.copy()
        for members, value in zip(listed._members, decided[listed.tail], strict=True):
            if value != FREE:
                self._valid &= members if value else ~members
        self._costs = [
            (shares[listed.head], listed._listed @ shares[listed.tail], most + _CLEAR)
            for shares, most in listed._wins.costs
        ]
        self._found: list[tuple[int, ...]] = []

    def run(self, sizes: range) -> Tried:
        """Try all of some sizes."""
        for count in range(len(self._free) + 1):
            for seats in self._all._seats(len(self._sit) + count, sizes):
                words = self._all._words(seats)
                if not self._valid[words].any():
                    continue
                together = max(1, _WORDS // (words.stop - words.start))
                for chosen in _batches(len(self._free), count, together):
                    if time.monotonic() >= self._deadline:
                        return Tried(False, tuple(self._found))
                    heads = np.zeros((len(chosen), len(self._all.head)), dtype=np.float32)
                    heads[:, self._sit] = 1.0
                    heads[np.arange(len(chosen))[:, None], self._free[chosen]] = 1.0
                    if not self._batch(heads, seats):
                        return Tried(False, tuple(self._found))
        return Tried(True, tuple(self._found))

    def _batch(self, heads: Singles, seats: int) -> bool:
        """Try some heads with all tails of a size; tell if there was time."""
        listed, layers, words = self._all, self._all._layers, self._all._words(seats)
        n, b = len(listed._order), len(heads)
        needs, dead, sure = [], np.zeros((n, b), dtype=bool), np.ones((n, b), dtype=bool)
        for layer in layers:
            need = layer.lead[:, None] - (layer.difference @ heads.T).astype(np.int64)
            # A tail takes whom it can get: first one side's voters, then those of neither.
            pro, contra = layer.high - 1, -layer.low
            ahead = np.minimum(pro, seats) - np.maximum(0, seats - (len(listed.tail) - contra))
            behind = np.maximum(0, seats - (len(listed.tail) - pro)) - np.minimum(contra, seats)
            dead[: len(need)] |= need > ahead[:, None]
            sure[: len(need)] &= need <= behind[:, None]
            needs.append(need)
        may = listed._units @ ~dead >= self._target * (1 - _CLEAR)
        if not may.all():
            if not may.any():
                return True
            heads, dead, sure = heads[may], dead[:, may], sure[:, may]
            needs = [need[:, may] for need in needs]
            b = len(heads)
        surely = sure.all(axis=1)
        alive = ~(dead.all(axis=1) | surely)
        sums = listed._sums
        worths = np.array(sums.worths, dtype=object)
        base = int((listed._weights[surely] * worths[listed._group[surely]]).sum())
        planes = self._add_up(np.flatnonzero(alive), needs, words, b)
        may_win = at_least(planes, self._least() - base, (b, words.stop - words.start))
        may_win &= self._valid[words]
        for head_costs, tail_costs, most in self._costs:
            some = tail_costs[64 * words.start : 64 * words.stop]
            may_win &= packed((heads @ head_costs)[:, None] + some[None, :] <= most)
        return not may_win.any() or self._judge(heads, words, planes, may_win, base)

    def _add_up(
        self, alive: Places, needs: list[NDArray[np.int64]], words: slice, b: int
    ) -> list[Words]:
        """Return the sums of all tails, bit by bit, the lowest first."""
        listed, width = self._all, b * (words.stop - words.start)
        groups: list[list[list[Words]]] = [[] for _ in listed._sums.worths]
        for first in range(0, len(alive), _BLOCK):
            block = alive[first : first + _BLOCK]
            won = np.full((len(block), b, words.stop - words.start), ~np.uint64(0))
            for layer, need in zip(listed._layers, needs, strict=True):
                # In order of falling numbers of duels.
                count = int(np.searchsorted(block, len(need)))
                if not count:
                    break
                some = block[:count]
                low = layer.low[some][:, None]
                place = np.clip(need[some], low, layer.high[some][:, None]) - low
                won[:count] &= listed._table[place + layer.start[some][:, None], words]
            flat = won.reshape(len(block), -1)
            weights, group = listed._weights[block], listed._group[block]
            for number in range(len(groups)):
                mine, rows = group == number, list[list[Words]]()
                for bit in range(int(weights[mine].max(initial=0)).bit_length()):
                    at_place(rows, bit).append(flat[mine & (weights >> bit & 1 == 1)])
                _include(groups[number], add(rows, width), 1)
        totals: list[list[Words]] = []
        for counted, worth in zip(groups, listed._sums.worths, strict=True):
            _include(totals, add(counted, width), worth)
        return [row.reshape(b, -1) for row in add(totals, width)]

    def _judge(
        self, heads: Singles, words: slice, planes: Sequence[Words], may: Words, base: int
    ) -> bool:
        """Recount what may be better, the highest first; tell if there was time for all."""
        listed = self._all
        head, tail = np.nonzero(unpacked(may))
        values = np.full(len(head), float(base))
        for place, row in enumerate(planes):
            values += unpacked(row)[head, tail] * 2.0**place
        for i in np.argsort(-values, kind="stable").tolist():
            if values[i] < self._least():
                return True
            if time.monotonic() >= self._deadline:
                return False
            columns = [
                *listed.head[heads[head[i]] > 0].tolist(),
                *listed.tail[listed._listed[64 * words.start + tail[i]]].tolist(),
            ]
            score = self._wins.score(columns)
            if score >= self._target and self._wins.affords(columns):
                self._target = score + 1
                self._found.append(tuple(sorted(columns)))
        return True

    def _least(self) -> int:
        """Return the least sum that may stand for the target."""
        return -(-self._target // self._all._sums.divisor)


def _include(planes: list[list[Words]], number: Sequence[Words], times: int) -> None:
    """Put a number, so many times, among what is to be added up."""
    for bit in range(times.bit_length()):
        if times >> bit & 1:
            for place, row in enumerate(number):
                at_place(planes, bit + place).append(row[None])


def tail_width(columns: int, size_max: int, most: int) -> int:
    """Return how many columns can be in tails, if there are to be so many tails at the most."""
    width = 0
    while width < columns and sum(comb(width + 1, s) for s in range(size_max + 1)) <= most:
        width += 1
    return width


def _tails(width: int, most: int) -> tuple[Bools, Places]:
    """List the subsets of some columns by size, each size from the beginning of a word on.

    Returns
    -------
    listed
        Their members, T x width; nobody where a word is filled up.
    first
        The word with which each size begins, and the end.
    """
    parts, first = [], [0]
    for size in range(most + 1):
        count = comb(width, size)
        words = -(-count // 64)
        part = np.zeros((64 * words, width), dtype=bool)
        who = np.fromiter(
            chain.from_iterable(combinations(range(width), size)), dtype=np.intp, count=count * size
        )
        part[np.arange(count)[:, None], who.reshape(count, size)] = True
        parts.append(part)
        first.append(first[-1] + words)
    return np.concatenate(parts), np.array(first)


def _batches(free: int, count: int, most: int) -> Iterator[Places]:
    """Yield all subsets of a size, so many at a time."""
    sets = combinations(range(free), count)
    while some := list(islice(sets, most)):
        yield np.array(some, dtype=np.intp).reshape(len(some), count)
