"""Sums of whole numbers for many cases at once: bit by bit, 64 cases in one machine word.

A row of words has one bit for each case. A number for each case is a list of rows, one for each
binary place, the lowest first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]


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
