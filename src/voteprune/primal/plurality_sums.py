"""Gains added up bit by bit for many committees at once, 64 in one machine word.

`Sums` and `Pile` make short whole numbers of the gains, never too low. A row of words has one bit
for each committee; a number for each committee is a list of rows, one for each binary place, the
lowest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..problem.wins import Places, Wins

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

_WORTH_BITS = 12
"""What a row of a class is worth is kept to so many bits at the most."""

_FEW_BITS = 4
"""Bits in the weights behind a win, in the mean, beyond which they are rounded up."""


def packed(bits: Bools) -> Words:
    """Return bits as words, 64 in each."""
    words: Words = np.packbits(bits, axis=-1, bitorder="little").view(np.uint64)
    return words


def unpacked(words: Words) -> Bools:
    """Return words as bits."""
    octets = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").view(bool)


def at_place(planes: list[list[Words]], place: int) -> list[Words]:
    """Return what is to be added at a binary place."""
    while len(planes) <= place:
        planes.append([])
    return planes[place]


def add(planes: Sequence[Sequence[Words]], width: int) -> list[Words]:
    """Add up numbers.

    Parameters
    ----------
    planes
        Rows by binary place, in arrays of any number of them.
    width
        Words in a row.

    Returns
    -------
    list
        The sum, a row for each place.
    """
    sums: list[Words] = []
    carries: list[Words] = []
    for place in range(len(planes)):
        _add_place(planes[place], carries, sums, width)
    while carries:
        _add_place([], carries, sums, width)
    return sums


def _add_place(rows: Sequence[Words], carries: list[Words], sums: list[Words], width: int) -> None:
    """Add up the rows of one place; carry over to the next."""
    here = [part for part in (*rows, *carries) if len(part)]
    carries.clear()
    if not here:
        sums.append(np.zeros(width, dtype=np.uint64))
        return
    left: Words = np.concatenate(here)
    while len(left) > 1:
        if len(left) == 2:
            carries.append(np.bitwise_and(left[:1], left[1:]))
            left = np.bitwise_xor(left[:1], left[1:])
            break
        # Full adders: three rows become a sum, kept in place of the third, and a carry.
        third = len(left) // 3
        a, b, c = left[:third], left[third : 2 * third], left[2 * third : 3 * third]
        carry: Words = np.bitwise_and(a, b)
        np.bitwise_xor(a, b, out=a)
        np.bitwise_and(a, c, out=b)
        np.bitwise_or(carry, b, out=carry)
        np.bitwise_xor(c, a, out=c)
        carries.append(carry)
        left = left[2 * third :]
    sums.append(left[0])


def at_least(planes: Sequence[Words], least: NDArray[np.object_], shape: tuple[int, int]) -> Words:
    """Tell, as bits, where sums are at least so much, which is a number for each row of words."""
    every, none = ~np.uint64(0), np.uint64(0)
    above, equal = np.zeros((2, *shape), dtype=np.uint64)
    above[[number <= 0 for number in least]] = every
    equal[[number >> len(planes) == 0 for number in least]] = every
    for place in range(len(planes) - 1, -1, -1):
        ones = np.array([number >> place & 1 for number in least], dtype=bool)[:, None]
        above |= equal & planes[place] & np.where(ones, none, every)
        equal &= planes[place] ^ np.where(ones, none, every)
    above |= equal
    return above


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


class Pile(NamedTuple):
    """Rows that are added up together: so many times what a row of the group is worth."""

    group: int
    place: int  # the binary place of the weights
    rows: slice


def piles_of(sums: Sums) -> tuple[list[Pile], Places]:
    """Return the piles, and which win each of their rows is about.

    A win stands in as many piles as there are ones in its weight.
    """
    piles, who = [], list[Places]()
    for group in range(len(sums.worths)):
        mine = np.flatnonzero(sums.group == group)
        for place in range(int(sums.weights[mine].max(initial=0)).bit_length()):
            some = mine[sums.weights[mine] >> place & 1 == 1]
            first = sum(len(part) for part in who)
            piles.append(Pile(group, place, slice(first, first + len(some))))
            who.append(some)
    return piles, np.concatenate([*who, np.zeros(0, dtype=np.intp)]).astype(np.intp)
