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
diversity in classifier ensembles, 2003.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .diversity import FailureCredit
from .exceptions import InputError
from .patterns import Patterns
from .tally import tally
from .votes import as_votes

Matrix = NDArray[np.float64]


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

    def kappa(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return numerator and denominator of Cohen's kappa, both times n squared."""
        n, own = self.whole, self._wide(self.positive)
        chance = own[:, None] * own[None, :] + (n - own[:, None]) * (n - own[None, :])
        return n * (n - self.differ) - chance, n * n - chance

    def _wide(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Make room for products of two weights."""
        return weights.astype(np.int64 if self.whole < 2**31 else object)


def _q(pairs: PairCounts) -> Matrix:
    (first, second), neither = pairs.only_one, pairs.neither
    both = pairs.whole - pairs.differ - neither
    same, apart = both * neither, first * second
    return _ratio(same - apart, same + apart, pairs)


def _correlation(pairs: PairCounts) -> Matrix:
    (first, second), neither = pairs.only_one, pairs.neither
    both = pairs.whole - pairs.differ - neither
    wrong = pairs._wide(pairs.credit.failures)
    spread = (wrong * (pairs.whole - wrong)).astype(np.float64)
    bottom = np.sqrt(spread[:, None] * spread[None, :])
    return _ratio(both * neither - first * second, bottom, pairs)


def _ratio(top: NDArray[Any], bottom: NDArray[Any], pairs: PairCounts) -> Matrix:
    """Divide; 0/0 is 1 for two that never differ and 0 for others."""
    floats = bottom.astype(np.float64)
    nothing = np.where(pairs.differ == 0, 1.0, 0.0)
    return np.divide(top.astype(np.float64), floats, out=nothing, where=floats > 0)


MEASURES: dict[str, Callable[[PairCounts], Matrix]] = {
    "fc": lambda pairs: pairs.credit.matrix(),
    "disagreement": lambda pairs: pairs.differ.astype(np.float64) / pairs.whole,
    "double_fault": lambda pairs: pairs.neither.astype(np.float64) / pairs.whole,
    "q": _q,
    "correlation": _correlation,
    "kappa": lambda pairs: _ratio(*pairs.kappa(), pairs),
}
"""Every pairwise measure by name."""


def diversity_matrix(
    votes: object, y: object = None, *, measure: str = "disagreement", sample_weight: object = None
) -> Matrix:
    """Return a pairwise measure of diversity between all classifiers.

    Parameters
    ----------
    votes
        `Votes`, or n rows by K classifiers of votes or probabilities together with `y`.
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
        If the measure is not known or the votes are wrong.
    """
    if not isinstance(measure, str) or measure not in MEASURES:
        raise InputError("measure", f"{measure!r} is not known. Known are {', '.join(MEASURES)}.")
    patterns = Patterns.of(as_votes(votes, y, sample_weight))
    return MEASURES[measure](PairCounts.of(patterns))
