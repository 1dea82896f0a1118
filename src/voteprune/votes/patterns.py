"""`Patterns`: rows that every classifier votes the same on, merged.

A committee cannot tell two rows with the same vote vector apart, so the distinct vote vectors
with the positive and the negative weight behind them say everything the rows say. Merging is
associative: patterns of parts of the data can be made anywhere and put together in any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray, combine, total
from .packed import WORD, from_words, row_words
from .votes import Votes


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Distinct vote vectors in canonical (lexicographic) order with their class weights.

    Parameters
    ----------
    matrix
        Bool array of shape (P, K), rows distinct and sorted. A classifier's column lies in one
        piece, for votes are counted column by column.
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
        matrix, weights, labels = votes.matrix, votes.weights, votes.labels
        kept = weights > 0
        if not kept.all():
            matrix, weights, labels = matrix[kept], weights[kept], labels[kept]
        if matrix.shape[1] < WORD and (weights == weights[0]).all():
            return _merge_equals(matrix, labels, weights[0], votes.denominator)
        zeros = np.zeros_like(weights)
        return _merge_rows(
            matrix,
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
        order, firsts = sorted_rows(np.vstack([self.matrix, matrix]))
        numbers = np.empty(len(order), dtype=np.intp)
        # The patterns are distinct and sorted, so they number themselves.
        numbers[order] = np.cumsum(firsts) - 1
        return numbers[self.n_patterns :]

    def classifier_groups(self) -> NDArray[np.intp]:
        """Tell identical classifiers: the lowest index that votes as each one does."""
        first: dict[bytes, int] = {}
        columns = (np.packbits(column).tobytes() for column in self.matrix.T)
        return np.array([first.setdefault(votes, k) for k, votes in enumerate(columns)], np.intp)

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


def sorted_rows(matrix: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the lexicographic order of the rows, and which of them, so ordered, are new.

    Rows are packed into words of 64 votes. The first word sorts most of them; those it leaves
    together are sorted by the next where they differ there.
    """
    words = row_words(matrix)
    order = np.argsort(words[0])
    new = np.ones(len(order), dtype=bool)
    first = words[0][order]
    new[1:] = first[1:] != first[:-1]
    for word in words[1:]:
        there = word[order]
        differs = ~new
        differs[1:] &= there[1:] != there[:-1]
        if not differs.any():
            continue
        groups = np.cumsum(new)
        mixed = np.zeros(groups[-1] + 1, dtype=bool)
        mixed[groups[differs]] = True
        places = np.flatnonzero(mixed[groups])
        rows = order[places]
        order[places] = rows[np.lexsort((word[rows], groups[places]))]
        there = word[order]
        new[1:] |= there[1:] != there[:-1]
    return order, new


def _merge_rows(
    matrix: NDArray[np.bool_], positive: IntArray, negative: IntArray, denominator: int
) -> Patterns:
    order, new = sorted_rows(matrix)
    firsts = np.flatnonzero(new)
    return Patterns(
        from_words(row_words(matrix[order[firsts]]), matrix.shape[1]),
        np.add.reduceat(positive[order], firsts),
        np.add.reduceat(negative[order], firsts),
        denominator,
    )


def _merge_equals(
    matrix: NDArray[np.bool_], labels: NDArray[np.bool_], weight: int, denominator: int
) -> Patterns:
    """Merge rows of one weight, whose votes and label fit into one word: sorting says it all."""
    rows = row_words(matrix)[0] | labels
    rows.sort()
    label, word = rows & np.uint64(1), rows >> np.uint64(1)
    firsts = np.flatnonzero(np.concatenate([[True], word[1:] != word[:-1]]))
    both = np.diff(firsts, append=len(rows))
    positive = np.add.reduceat(label, firsts).astype(np.int64)
    distinct = from_words((word[firsts] << np.uint64(1))[None, :], matrix.shape[1])
    return Patterns(
        distinct,
        combine([(int(weight), positive)]),
        combine([(int(weight), both - positive)]),
        denominator,
    )
