"""Rows of votes packed into words of 64, which sort and compare as the rows do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORD = 64
"""Votes in a word."""


def row_words(matrix: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return the rows as words of 64 votes, W x N; as numbers they are ordered as votes are."""
    packed = np.packbits(matrix, axis=1)
    n, width = packed.shape
    padded = np.zeros((n, 8 * -(-width // 8)), dtype=np.uint8)
    padded[:, :width] = packed
    return np.ascontiguousarray(padded.view(">u8").T).astype(np.uint64)


def from_words(words: NDArray[np.uint64], width: int) -> NDArray[np.bool_]:
    """Return rows of votes again, column by column."""
    matrix = np.empty((words.shape[1], width), dtype=bool, order="F")
    for k in range(width):
        matrix[:, k] = words[k // WORD] >> np.uint64(WORD - 1 - k % WORD) & np.uint64(1)
    return matrix


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Distinct patterns, with how many rows have them and how many of these are positive.

    Where classifiers may say nothing, a pattern is what is voted and, in as many words again, by
    whom.
    """

    words: NDArray[np.uint64]
    rows: NDArray[np.int64]
    positive: NDArray[np.int64]

    def __add__(self, other: Packed) -> Packed:
        return merged([self, other])


def unpacked(
    packed: Packed, width: int, gaps: bool = False
) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None, NDArray[np.bool_], NDArray[np.int64]]:
    """Return rows for every pattern and label, in canonical order.

    Returns
    -------
    tuple
        Votes; who votes, None where everybody does; labels; weights.
    """
    order = np.lexsort(packed.words[::-1])
    words, rows, positive = packed.words[:, order], packed.rows[order], packed.positive[order]
    yes, no = np.flatnonzero(positive > 0), np.flatnonzero(rows > positive)
    places = np.concatenate([yes, no])
    labels = np.arange(len(places)) < len(yes)
    weights = np.concatenate([positive[yes], (rows - positive)[no]])
    said, voted = words[:, places], None
    if gaps:
        said, who = np.split(said, 2)
        voted = from_words(who, width)
        voted = None if voted.all() else voted
    return from_words(said, width), voted, labels, weights


def merged(parts: Sequence[Packed]) -> Packed:
    """Put pieces together; the order of the pieces makes no difference."""
    words = np.concatenate([part.words for part in parts], axis=1)
    rows = np.concatenate([part.rows for part in parts])
    positive = np.concatenate([part.positive for part in parts])
    order = np.lexsort(words[::-1])
    words = words[:, order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (words[:, 1:] != words[:, :-1]).any(axis=0)
    firsts = np.flatnonzero(new)
    if not len(firsts):
        return Packed(words, rows, positive)
    return Packed(
        words[:, firsts],
        np.add.reduceat(rows[order], firsts),
        np.add.reduceat(positive[order], firsts),
    )
