"""Pairwise measures of diversity, each a K x K matrix from one product of the votes.

For two classifiers let a, b, c, d be the shares of the (weighted) rows on which both are right,
only the first is, only the second is, and neither is.

=============  ==========================================================  ================
measure        definition                                                  diverse when
=============  ==========================================================  ================
fc             (b + c) / (b + c + 2 d), the paper's failure credit         high
disagreement   b + c                                                       high
double_fault   d                                                           low
q              (a d - b c) / (a d + b c), Yule's Q                         low
correlation    (a d - b c) / sqrt((a+b) (c+d) (a+c) (b+d))                 low
kappa          (agreement - chance) / (1 - chance), Cohen's, of the votes  low
=============  ==========================================================  ================

Where a denominator is 0 the pair shows nothing: q, correlation and kappa are then 1 for two that
never differ and 0 otherwise, fc is 0 as in the paper. See Kuncheva, Whitaker: Measures of
diversity in classifier ensembles, 2003. Limits on any of them are a `Diversity`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import sign_of_root_sum
from ..numbers.tally import tally
from ..numbers.threads import threadpool_limits
from ..votes.patterns import Patterns
from ..votes.votes import as_votes
from .diversity import Diversity, check_measure
from .pairwise import FailureCredit, Floors, Matrix, PairMeasure, configure, divide


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Exact weights of the rows on which the classifiers of each pair are right or wrong.

    Everything follows from the failures of each and the rows on which two differ.

    Parameters
    ----------
    whole
        Weight n of all rows.
    positive
        K integers: weight of the rows each classifier votes positive on.
    credit
        Failures and differences of all pairs.
    """

    whole: int
    positive: NDArray[Any]
    credit: FailureCredit

    @classmethod
    def of(cls, patterns: Patterns) -> PairCounts:
        """Count all pairs."""
        positive = tally(patterns.positive + patterns.negative, patterns.matrix)
        return cls(sum(patterns.totals), positive, FailureCredit.of(patterns))

    @cached_property
    def differ(self) -> NDArray[Any]:
        """Rows on which exactly one is right: b + c."""
        return self._wide(self.credit.hamming)

    @cached_property
    def neither(self) -> NDArray[Any]:
        """Rows on which both are wrong: d."""
        failures = self._wide(self.credit.failures)
        return np.asarray((failures[:, None] + failures[None, :] - self.differ) // 2)

    @property
    def only_one(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rows on which only the first is right, and only the second: b, c."""
        failures = self._wide(self.credit.failures)
        return failures[None, :] - self.neither, failures[:, None] - self.neither

    @property
    def products(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Both right times neither, and only the first times only the second: a d, b c."""
        first, second = self.only_one
        return (self.whole - self.differ - self.neither) * self.neither, first * second

    @property
    def twins(self) -> NDArray[np.bool_]:
        """Pairs that never differ."""
        return np.asarray(self.differ == 0, dtype=bool)

    @property
    def wholes(self) -> NDArray[Any]:
        """Weight of all rows, once for each pair."""
        return np.full_like(self.differ, self.whole)

    def kappa(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return numerator and denominator of Cohen's kappa, both times n squared."""
        n, own = self.whole, self._wide(self.positive)
        chance = own[:, None] * own[None, :] + (n - own[:, None]) * (n - own[None, :])
        return n * (n - self.differ) - chance, n * n - chance

    def _wide(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Make room for products of two weights."""
        return weights.astype(np.int64 if self.whole < 2**31 else object)


@dataclass(frozen=True, slots=True, eq=False)
class Ratios(PairMeasure):
    """A measure that is a fraction of integers for every pair.

    Parameters
    ----------
    tops, bottoms
        K x K exact integers.
    otherwise
        K x K: the value where a bottom is 0.
    """

    tops: NDArray[Any]
    bottoms: NDArray[Any]
    otherwise: NDArray[np.bool_]

    def pair(self, k: int, other: int) -> Fraction:
        """Return the exact measure of two classifiers."""
        top, bottom = int(self.tops[k, other]), int(self.bottoms[k, other])
        return Fraction(top, bottom) if bottom else Fraction(int(self.otherwise[k, other]))

    def matrix(self) -> Matrix:
        """Return all pairs as floats."""
        return divide(self.tops, self.bottoms, self.otherwise.astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class Correlation(PairMeasure):
    """The correlation of being right: integers over square roots of integers.

    Parameters
    ----------
    tops
        K x K exact integers.
    spread
        K exact integers: the bottom of a pair is the root of the product of their two.
    otherwise
        K x K: the value where a bottom is 0.
    """

    tops: NDArray[Any]
    spread: NDArray[Any]
    otherwise: NDArray[np.bool_]

    def pair(self, k: int, other: int) -> Fraction:
        """Refuse: most correlations are no fractions. Use `side` to compare sums of them."""
        raise TypeError("a correlation is no fraction in general")

    def side(self, pairs: Sequence[tuple[int, int]], limit: Fraction) -> int:
        """Return the sign of the sum over some pairs less a limit, exactly."""
        terms = []
        for k, other in pairs:
            square = int(self.spread[k]) * int(self.spread[other])
            if square:
                terms.append((Fraction(int(self.tops[k, other]), square), square))
            else:
                terms.append((Fraction(int(self.otherwise[k, other])), 1))
        return sign_of_root_sum(terms, limit)

    def matrix(self) -> Matrix:
        """Return all pairs as floats."""
        # Scaled, so that no product of two leaves the range of floats.
        largest = max(int(self.spread.max(initial=0)), 1)
        roots = np.sqrt(divide(self.spread, np.asarray(largest), np.zeros(len(self.spread))))
        tops = divide(self.tops, np.asarray(largest), np.zeros(self.tops.shape))
        return divide(tops, roots[:, None] * roots[None, :], self.otherwise.astype(np.float64))


def _disagreement(pairs: PairCounts) -> PairMeasure:
    return Ratios(pairs.differ, pairs.wholes, pairs.twins)


def _double_fault(pairs: PairCounts) -> PairMeasure:
    return Ratios(pairs.neither, pairs.wholes, pairs.twins)


def _q(pairs: PairCounts) -> PairMeasure:
    same, apart = pairs.products
    return Ratios(same - apart, same + apart, pairs.twins)


def _correlation(pairs: PairCounts) -> PairMeasure:
    same, apart = pairs.products
    wrong = pairs._wide(pairs.credit.failures)
    return Correlation(same - apart, wrong * (pairs.whole - wrong), pairs.twins)


def _kappa(pairs: PairCounts) -> PairMeasure:
    return Ratios(*pairs.kappa(), pairs.twins)


MEASURES: dict[str, Callable[[PairCounts], PairMeasure]] = {
    "fc": lambda pairs: pairs.credit,
    "disagreement": _disagreement,
    "double_fault": _double_fault,
    "q": _q,
    "correlation": _correlation,
    "kappa": _kappa,
}
"""Every pairwise measure by name."""


def floors_of(diversity: str | Diversity | None, patterns: Patterns) -> Floors | None:
    """Return the limits asked for, with their measure of this pool; None if there are none."""
    if diversity in (None, "F1", "F1-theta"):
        return None
    pairs = PairCounts.of(patterns)
    limits = configure(diversity, pairs.credit)
    # The paper's configurations ask for nothing where the full ensemble has no diversity at all.
    if limits is None or limits.idle:
        return None
    return Floors(MEASURES[limits.measure](pairs), limits)


def diversity_matrix(
    votes: object, y: object = None, *, measure: str = "disagreement", sample_weight: object = None
) -> Matrix:
    """Return a pairwise measure of diversity between all classifiers.

    Parameters
    ----------
    votes
        `Votes`, or n rows by K classifiers of votes or probabilities together with `y`.
        Abstentions that count against are votes for 0, as they are for a committee.
    y
        Labels 0/1; only where `votes` is not a `Votes`.
    measure
        "fc", "disagreement", "double_fault", "q", "correlation" or "kappa"; see
        `voteprune.measures` for their definitions.
    sample_weight
        Weight of each row; only where `votes` is not a `Votes`.

    Returns
    -------
    K x K floats, symmetric.

    Raises
    ------
    InputError
        If the measure is not known, the votes are wrong, or some of them are skipped.
    """
    definition = MEASURES[check_measure(measure)]
    read = as_votes(votes, y, sample_weight)
    if read.voted is not None and read.abstentions == "skip":
        raise InputError(
            "votes",
            "skips abstentions, and a measure compares two votes on every row: who says nothing is "
            "neither right nor wrong. Read them with abstentions='against', or take the rows on "
            "which everybody votes.",
        )
    patterns = Patterns.of(read)
    # Small products: more threads take more time to wake than they save.
    with threadpool_limits(1, "blas"):
        return definition(PairCounts.of(patterns)).matrix()
