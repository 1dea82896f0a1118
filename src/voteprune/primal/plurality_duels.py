"""`Duels`: what heads leave to tails, duel by duel, and which tails make up for it.

Columns are split: a committee is a head, of some columns, and a tail, of the others. The tails are
listed once, by size, and a set of tails is a row of bits. For each duel and each lead of the rival
that a head may leave, the tails that make up for it are such a row, kept in a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..problem.wins import Bools, Places, Wins
from .plurality_sums import Words, packed

Needs = NDArray[np.signedinteger]
"""Votes, as few bytes to each as will do: 8 bits, or 16 where there are more classifiers."""

NOTHING, EVERYTHING = 0, 1
"""The first rows of the table: no tail, and every one."""

_MOST_IN_A_BYTE = 120
"""Classifiers whose votes can be counted in 8 bits with a sign, with some to spare."""


@dataclass(frozen=True, eq=False)
class Tails:
    """Some columns, and all their subsets up to a size, which stand by size, each from a word on.

    Parameters
    ----------
    columns
        The columns.
    listed
        The members of each, T x width; nobody where a word is filled up.
    first
        The word with which each size begins, and the end.
    """

    columns: Places
    listed: Bools
    first: Places

    @classmethod
    def of(cls, columns: Places, most: int) -> Tails:
        """List the subsets of some columns of at most so many members."""
        parts, first, width = [], [0], len(columns)
        for size in range(min(width, most) + 1):
            count = comb(width, size)
            words = -(-count // 64)
            part = np.zeros((64 * words, width), dtype=bool)
            every = chain.from_iterable(combinations(range(width), size))
            who = np.fromiter(every, dtype=np.intp, count=count * size)
            part[np.arange(count)[:, None], who.reshape(count, size)] = True
            parts.append(part)
            first.append(first[-1] + words)
        return cls(columns, np.concatenate(parts), np.array(first))

    def words(self, seats: int) -> slice:
        """Return the words of all tails of a size."""
        return slice(int(self.first[seats]), int(self.first[seats + 1]))


@dataclass(frozen=True, eq=False)
class Duels:
    """The duels of some wins, in layers: at most one of each win in every layer.

    Who has fewer duels than others has some that are always won.

    Parameters
    ----------
    lead
        layers x n: votes by which the class must be ahead.
    differences
        For each column of the head, layers x n: 1 if it votes for the class, -1 for the rival.
    pro, contra
        layers x n: voters of the class and of the rival among the columns of the tails.
    start
        layers x n: the row of the table where no votes are needed from the tail, if there were one;
        the row where some are stands as many rows below.
    tables
        For each size of tails, the tails that have as many votes more for the class than for the
        rival as are needed.
    width
        How many columns tails have.
    """

    lead: Needs
    differences: list[Needs]
    pro: Needs
    contra: Needs
    start: NDArray[np.int32]
    tables: list[Words]
    width: int

    @classmethod
    def of(cls, wins: Wins, who: Places, head: Places, tails: Tails) -> Duels:
        """Return the duels of some wins."""
        numbers: type[np.signedinteger] = np.int8
        if wins.n_classifiers > _MOST_IN_A_BYTE:
            numbers = np.int16
        count = np.diff(wins.first)[who]
        layers, n = max(1, int(count.max(initial=0))), len(who)
        # Strong rivals first: where a win is open, its first duel is most often the reason.
        strongest = np.lexsort((-wins.theirs.sum(axis=1), wins.win))
        table = _Table(tails)
        # Nothing is needed to win a duel with nobody by -1 votes.
        lead = np.full((layers, n), -1, dtype=numbers)
        differences = np.zeros((len(head), layers, n), dtype=numbers)
        pro, contra = np.zeros((2, layers, n), dtype=numbers)
        start = np.zeros((layers, n), dtype=np.int32)
        for layer in range(layers):
            there = np.flatnonzero(count > layer)
            duel = strongest[wins.first[who[there]] + layer]
            mine, theirs = wins.mine[who[there]], wins.theirs[duel]
            lead[layer, there] = wins.lead[duel]
            differences[:, layer, there] = (mine[:, head].astype(numbers) - theirs[:, head]).T
            mine, theirs = mine[:, tails.columns], theirs[:, tails.columns]
            pro[layer, there], contra[layer, there] = mine.sum(axis=1), theirs.sum(axis=1)
            start[layer, there] = table.rows(mine, theirs)
        tables, width = table.by_size(), len(tails.columns)
        return cls(lead, list(differences), pro, contra, start, tables, width)

    def reach(self, seats: int) -> tuple[Needs, Needs]:
        """Return by how many votes tails of a size can be ahead, and are at the least."""
        # A tail takes whom it can get: first one side's voters, then those of neither.
        pro, contra = np.minimum(self.pro, seats), np.minimum(self.contra, seats)
        ahead = pro - np.maximum(0, seats - (self.width - self.contra))
        behind = np.maximum(0, seats - (self.width - self.pro)) - contra
        return ahead.astype(self.pro.dtype), behind.astype(self.pro.dtype)


class _Table:
    """Rows of bits for the duels among tails, each once."""

    def __init__(self, tails: Tails) -> None:
        self._tails, self._known = tails, dict[bytes, int]()
        self._members = tails.listed.astype(np.float32).T
        ends = np.zeros((2, len(tails.listed)), dtype=bool)
        ends[EVERYTHING] = True
        self._blocks, self._rows = [packed(ends)], len(ends)

    def rows(self, mine: Bools, theirs: Bools) -> Places:
        """Return where the rows of some duels would be if no votes were needed."""
        distinct, place = _distinct(mine, theirs)
        found, fresh = np.empty(len(distinct), dtype=np.intp), []
        for i, voters in enumerate(np.packbits(distinct, axis=1)):
            key = voters.tobytes()
            if key not in self._known:
                low, high = self._range(distinct[i])
                self._known[key] = self._rows - low
                self._rows += high - low
                fresh.append(i)
            found[i] = self._known[key]
        for first in range(0, len(fresh), 64):
            self._add(distinct[fresh[first : first + 64]])
        return found[place]

    def _range(self, voters: Bools) -> tuple[int, int]:
        """Return the least and the most votes, and one more, that some tails have and some lack."""
        width = len(self._tails.columns)
        return 1 - int(voters[width:].sum()), 1 + int(voters[:width].sum())

    def _add(self, duels: Bools) -> None:
        """Add the rows of some duels."""
        width = len(self._tails.columns)
        difference = duels[:, :width].astype(np.float32) - duels[:, width:]
        for voters, votes in zip(duels, difference @ self._members, strict=True):
            needs = np.arange(*self._range(voters), dtype=np.float32)
            self._blocks.append(packed(votes[None, :] >= needs[:, None]))

    def by_size(self) -> list[Words]:
        """Return the table, cut by the sizes of tails."""
        every = np.concatenate(self._blocks)
        sizes = range(len(self._tails.first) - 1)
        return [np.ascontiguousarray(every[:, self._tails.words(size)]) for size in sizes]


def _distinct(mine: Bools, theirs: Bools) -> tuple[Bools, Places]:
    """Return the different duels, and which each one is."""
    both = np.hstack([mine, theirs])
    octets = np.packbits(np.pad(both, ((0, 0), (0, 1))), axis=1)  # one at the least
    keys = np.ascontiguousarray(octets).view(np.dtype((np.void, octets.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return both[first], place


def table_rows(wins: Wins, columns: Places) -> int:
    """Return how many rows a table has with tails of some columns."""
    mine = wins.mine[wins.win][:, columns]
    distinct, _ = _distinct(mine, wins.theirs[:, columns])
    return len((NOTHING, EVERYTHING)) + int(distinct.sum())
