"""Weighted vote counts of many classifiers at once: matrix products that are exact.

A product of integers in double precision is exact while no partial sum can reach 2**53, in
whatever order it is added up, and in single precision, at half the cost, below 2**24. Heavier
weights are cut into digits that small, multiplied digit by digit, and put together again in
Python's integers. The votes stay one byte each; only a few thousand rows at a time become floats,
which is also what fits the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exact import IntArray

Bools = NDArray[np.bool_]

_ROWS = 2048
"""Rows turned into floats at a time; more of them leave the cache and take thrice as long."""

_EXACT_BITS, _SINGLE_BITS = 53, 24


def tally(weights: IntArray, votes: Bools) -> IntArray:
    """Return, for every classifier, the exact weight of the rows it votes positive on.

    Parameters
    ----------
    weights
        One integer per row, of any size and sign.
    votes
        n x K.
    """
    rows = np.flatnonzero(weights)
    return _by_digits(
        weights, rows, (votes.shape[1],), lambda part, at: part @ votes[at].astype(part.dtype)
    )


def tally_pairs(weights: IntArray, left: Bools, right: Bools) -> NDArray[Any]:
    """Return the exact weight of the rows on which both of a pair vote positive.

    Parameters
    ----------
    weights
        One integer per row, of any size and sign.
    left, right
        n x K and n x M; the result is K x M.
    """
    rows = np.flatnonzero(weights)
    return _by_digits(
        weights,
        rows,
        (left.shape[1], right.shape[1]),
        lambda part, at: (left[at] * part[:, None]).T @ right[at].astype(part.dtype),
    )


def _by_digits(
    weights: IntArray, rows: NDArray[np.intp], shape: tuple[int, ...], product: Any
) -> NDArray[Any]:
    """Add up a product over blocks of rows, for every digit of the weights."""
    total: NDArray[Any] = np.zeros(shape, dtype=object if weights.dtype == object else np.int64)
    for scale, digits in _digits(weights[rows]):
        part = np.zeros(shape)
        for first in range(0, len(rows), _ROWS):
            block = slice(first, first + _ROWS)
            # A slice of all rows is a view; picking rows costs a copy.
            at = block if len(rows) == len(weights) else rows[block]
            # BLAS may look at what lies beside its arguments, which raises floating-point flags
            # once in a while; votes and digits themselves are finite.
            with np.errstate(all="ignore"):
                part += product(digits[block], at)
        whole = part.astype(np.int64)
        total = total + (whole if scale == 1 else whole.astype(object) * scale)
    return total


def _digits(weights: IntArray) -> Iterator[tuple[int, NDArray[Any]]]:
    """Write integers as sums of scale * digit, where all sums of digits are exact as floats."""
    if not len(weights):
        return
    largest = max(abs(int(weights.max())), abs(int(weights.min())))
    room = _EXACT_BITS - len(weights).bit_length()
    if largest.bit_length() <= room:
        single = int(np.abs(weights).sum()) < 2**_SINGLE_BITS
        yield 1, weights.astype(np.float32 if single else np.float64)
        return
    signs = np.where(weights < 0, -1.0, 1.0)
    rest, scale = np.abs(weights), 1
    while (rest > 0).any():
        yield scale, (rest & ((1 << room) - 1)).astype(np.float64) * signs
        rest, scale = rest >> room, scale << room
