"""`Patterns`: rows that every classifier votes the same on, merged.

A committee cannot tell two rows with the same vote vector apart, so the distinct vote vectors
with the positive and the negative weight behind them say everything the rows say. Merging is
associative: patterns of parts of the data can be made anywhere and put together in any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exact import IntArray, combine, sum_by_group, total
from .exceptions import InputError
from .votes import Votes


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Distinct vote vectors in canonical (lexicographic) order with their class weights.

    Parameters
    ----------
    matrix
        Bool array of shape (P, K), rows distinct and sorted.
    positive, negative
        Exact integer weight of the positive and the negative rows behind each pattern, in units
        of ``1 / denominator``.
    denominator
        Common denominator of all weights.
    """

    matrix: NDArray[np.bool_]
    positive: IntArray
    negative: IntArray
    denominator: int = 1

    def __post_init__(self) -> None:
        for array in (self.matrix, self.positive, self.negative):
            array.setflags(write=False)

    @classmethod
    def of(cls, votes: Votes) -> Patterns:
        """Merge the rows of `votes`; rows of weight zero vanish."""
        kept = votes.weights > 0
        weights, labels = votes.weights[kept], votes.labels[kept]
        zeros = np.zeros_like(weights)
        return _merge_rows(
            votes.matrix[kept],
            np.where(labels, weights, zeros),
            np.where(labels, zeros, weights),
            votes.denominator,
        )

    def merge(self, other: Patterns) -> Patterns:
        """Return the patterns of both data sets together."""
        if self.n_classifiers != other.n_classifiers:
            raise InputError(
                "other",
                f"has {other.n_classifiers} classifiers, these patterns have "
                f"{self.n_classifiers}; only patterns of one pool can be merged.",
            )
        denominator = math.lcm(self.denominator, other.denominator)
        scaled = [
            [combine([(denominator // part.denominator, weight)]).astype(object)
             for weight in (part.positive, part.negative)]
            for part in (self, other)
        ]  # fmt: skip
        return _merge_rows(
            np.vstack([self.matrix, other.matrix]),
            combine([(1, np.concatenate([scaled[0][0], scaled[1][0]]))]),
            combine([(1, np.concatenate([scaled[0][1], scaled[1][1]]))]),
            denominator,
        )

    @property
    def n_patterns(self) -> int:
        """Number of distinct vote vectors P."""
        return int(self.matrix.shape[0])

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers K."""
        return int(self.matrix.shape[1])

    @property
    def totals(self) -> tuple[int, int]:
        """Weight of the positive and of the negative class, in units."""
        return total(self.positive), total(self.negative)

    def places(self, matrix: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return which pattern each of these rows is; all of them must be among the patterns."""
        keys = _row_keys(np.vstack([self.matrix, matrix]))
        # The patterns are distinct and sorted, so they number themselves.
        return np.unique(keys, return_inverse=True)[1][self.n_patterns :]

    def classifier_groups(self) -> NDArray[np.intp]:
        """Tell identical classifiers: the lowest index that votes as each one does."""
        columns = _row_keys(np.ascontiguousarray(self.matrix.T))
        _, first, inverse = np.unique(columns, return_index=True, return_inverse=True)
        return first[inverse]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Patterns):
            return NotImplemented
        return self.denominator == other.denominator and all(
            np.array_equal(mine, theirs)
            for mine, theirs in (
                (self.matrix, other.matrix),
                (self.positive, other.positive),
                (self.negative, other.negative),
            )
        )

    __hash__ = None  # type: ignore[assignment]


def _row_keys(matrix: NDArray[np.bool_]) -> NDArray[Any]:
    """Return one sortable key of packed bits per row."""
    packed = np.packbits(matrix, axis=1)
    return np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1])))[:, 0]


def _merge_rows(
    matrix: NDArray[np.bool_], positive: IntArray, negative: IntArray, denominator: int
) -> Patterns:
    _, first, inverse = np.unique(_row_keys(matrix), return_index=True, return_inverse=True)
    return Patterns(
        np.ascontiguousarray(matrix[first]),
        sum_by_group(positive, inverse, len(first)),
        sum_by_group(negative, inverse, len(first)),
        denominator,
    )
