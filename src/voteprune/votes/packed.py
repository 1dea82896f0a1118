"""Rows of votes packed into words of 64, which sort and compare as the rows do."""

from __future__ import annotations

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
