"""Sums over the patterns that committees take, for many committees at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..exact import IntArray, magnitude
from ..problem import count_votes

Floats = NDArray[Any]
Places = NDArray[np.intp]

SINGLE, _DOUBLE = 2**24, 2**53
"""Sums of whole numbers below are exact in single and in double precision."""


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

    def join(self, d: int, before: int) -> Joined:
        """Let d join the first so many sets, with every e after it."""
        voting = self._positive[d]
        some = self._by_count[voting, :, :before]
        _, counts, sets = some.shape
        # Sizes by name: of nothing none can be worked out.
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
    single = magnitude(whole) < SINGLE
    return whole.astype(np.float32 if single else np.float64), divisor
