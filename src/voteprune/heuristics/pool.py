"""`Pool`: the classifiers a heuristic may choose from, and what they are worth.

Heuristics see local indices 0 .. K-1 of the classifiers that are not forbidden; a forbidden one
might as well not exist. Everything is counted on merged patterns in exact integers, so equal
scores are equal and ties go to the lowest index, never to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, times, total
from ..numbers.tally import Bools, tally
from ..problem.committee import majority
from ..problem.diversity_measures import PairCounts
from ..problem.problem import Problem
from ..run.run import Run
from ..votes.patterns import Patterns

Counts = NDArray[np.int32]
"""Positive votes of a committee on each pattern."""

Worth = Callable[[IntArray, int, Bools], IntArray]
"""What a candidate earns by being right rather than wrong on a row: a function of how many
members of the committee are right, of its size, and of whether its majority is right."""

_ROWS = 2048


@dataclass(frozen=True, eq=False)
class Pool:
    """The allowed classifiers' votes on the patterns, with the weights behind them.

    Parameters
    ----------
    problem
        What is being solved.
    columns
        Index in the problem of each classifier here.
    votes
        Bool array of shape (P, K).
    positive, negative
        Exact weight of each pattern's positive and negative rows.
    net
        What the objective gains when a pattern is decided positive.
    """

    problem: Problem
    columns: tuple[int, ...]
    votes: Bools
    positive: IntArray
    negative: IntArray
    net: IntArray

    @classmethod
    def of(cls, problem: Problem) -> Pool:
        """Take the allowed classifiers of a problem."""
        patterns, columns = problem.patterns, problem.allowed
        everyone = len(columns) == problem.n_classifiers
        votes = patterns.matrix if everyone else patterns.matrix[:, list(columns)]
        return cls(problem, columns, votes, patterns.positive, patterns.negative, problem.gains.net)

    @property
    def size(self) -> int:
        """Number of classifiers K."""
        return len(self.columns)

    def no_counts(self) -> Counts:
        """Return the counts of the empty committee."""
        return np.zeros(len(self.votes), dtype=np.int32)

    def value(self, counts: Counts, size: int) -> int:
        """Return what a committee of this size gains by majority, up to a constant."""
        return total(self.net[counts > majority(size)])

    def values_with(self, counts: Counts, size: int) -> IntArray:
        """Return what the committee would gain with each classifier joining it, by majority.

        Only patterns on the edge are in the newcomer's hands: those where its vote makes the
        count pass the threshold of the larger committee.
        """
        edge = majority(size + 1)
        decided = total(self.net[counts > edge])
        return decided + tally(np.where(counts == edge, self.net, 0), self.votes)

    def own_values(self) -> IntArray:
        """Return what each classifier gains as a committee of one, up to the same constant."""
        return tally(self.net, self.votes)

    def scores(self, worth: Worth, counts: Counts, size: int) -> IntArray:
        """Return each classifier's score, up to a constant, when being right earns `worth`.

        A row's worth depends only on how many members vote positive on it, so there are no more
        than size + 1 different ones for each class.
        """
        votes = np.arange(size + 1)
        positive = votes > majority(size)
        if_positive = np.asarray(worth(votes, size, positive))
        if_negative = np.asarray(worth(size - votes, size, ~positive))
        # A vote for positive is right on positive rows and wrong on negative ones.
        return tally(
            times(self.positive, if_positive[counts]) - times(self.negative, if_negative[counts]),
            self.votes,
        )

    def majority_values(self, committees: Bools) -> IntArray:
        """Return what many committees gain by majority, up to a constant.

        Parameters
        ----------
        committees
            m x K: which classifiers sit in each.
        """
        seats = committees.T.astype(np.float32)
        edges = (committees.sum(axis=1) // 2).astype(np.float32)  # the majority of each
        values = np.zeros(len(committees), dtype=self.net.dtype)
        for first in range(0, len(self.votes), _ROWS):
            block = slice(first, first + _ROWS)
            # Counts of at most K votes are small whole numbers, exact in single precision.
            decided = self.votes[block].astype(np.float32) @ seats > edges
            values = values + tally(self.net[block], decided)
        return values

    def pairs(self) -> PairCounts:
        """Count what all pairs of classifiers share."""
        problem = self.problem
        return PairCounts.of(
            Patterns(self.votes, self.positive, self.negative, problem.patterns.denominator)
        )

    def sizes(self) -> range:
        """Return the committee sizes that are allowed."""
        return range(self.problem.size_min, min(self.problem.size_max, self.size) + 1)

    def middle_sizes(self) -> range:
        """Return the sizes from 20 % to 80 % of the pool, the paper's rule for methods that need
        a size; limits on the size, where there are any, take its place.
        """  # noqa: D205
        if (self.problem.size_min, self.problem.size_max) != (1, self.problem.n_classifiers):
            return self.sizes()
        least = -(-self.size // 5)
        return range(least, max(least, 4 * self.size // 5) + 1)

    def offer(self, run: Run, members: Sequence[int]) -> None:
        """Enter members into the run's incumbent, with the threshold the run asks for."""
        chosen = [self.columns[k] for k in members]
        run.incumbent.offer(chosen, majority(len(chosen)) if run.threshold == "majority" else None)


def best_of(scores: IntArray, candidates: Sequence[int] | NDArray[np.intp]) -> int:
    """Return the candidate with the highest score, the lowest index where several have it."""
    places = np.sort(np.asarray(candidates))
    return int(places[np.argmax(scores[places])])


def descending(scores: IntArray) -> list[int]:
    """Return all indices from the highest score down, the lowest index first among equals."""
    return sorted(range(len(scores)), key=lambda k: (-int(scores[k]), k))
