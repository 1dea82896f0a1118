"""Failure credit and other pairwise measures as exact numbers, and limits on them, checked.

The paper's measure is pairwise failure crediting (PFC). The failure credit of two classifiers is
the number of rows on which exactly one of them fails, over the number of failures of both: 0 for
twins, 1 when they never fail together. A member's PFC is its mean credit with the other members.

    FC_kl = Hamming(FP_k, FP_l) / (failures_k + failures_l),   0/0 = 0
    PFC_k = mean of FC_kl over the members l != k

All of it is kept as integers, so limits are compared exactly: in the paper's configuration F3
the full ensemble sits exactly on its own limit, where floats would toss a coin.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import total
from ..numbers.tally import tally, tally_pairs
from ..votes.patterns import Patterns
from .diversity import Diversity

Matrix = NDArray[np.float64]

_CLEAR = 1e-9
"""Sums of at most K values in [-1, 1] err far less than this in double precision."""


class PairMeasure(ABC):
    """A symmetric measure of all pairs of a pool: floats for a look, fractions for a verdict."""

    @abstractmethod
    def matrix(self) -> Matrix:
        """Return all pairs as floats."""

    @abstractmethod
    def pair(self, k: int, other: int) -> Fraction:
        """Return the exact measure of two classifiers, where it is a fraction."""

    def total(self, pairs: Sequence[tuple[int, int]]) -> Fraction:
        """Return the exact sum over some pairs."""
        # One fraction per distinct denominator, then halves: denominators stay short for long.
        numerators: dict[int, int] = {}
        for k, other in pairs:
            value = self.pair(k, other)
            held = numerators.get(value.denominator, 0)
            numerators[value.denominator] = held + value.numerator
        parts = [Fraction(top, bottom) for bottom, top in numerators.items()]
        while len(parts) > 1:
            parts = [sum(parts[i : i + 2], Fraction(0)) for i in range(0, len(parts), 2)]
        return parts[0] if parts else Fraction(0)

    def side(self, pairs: Sequence[tuple[int, int]], limit: Fraction) -> int:
        """Return the sign of the sum over some pairs less a limit, exactly."""
        held = self.total(pairs)
        return (held > limit) - (held < limit)

    def meets(self, limits: Diversity, members: Sequence[int]) -> bool:
        """Tell exactly whether a committee of these members meets the limits."""
        return Floors(self, limits).meet(members)


@dataclass(frozen=True, eq=False)
class Floors:
    """Limits on a measure, turned so that all of them are floors.

    A ceiling becomes a floor when measure and limit change their signs. Negative scores and
    negative floors are as common here as positive ones.
    """

    measure: PairMeasure
    limits: Diversity

    @cached_property
    def scores(self) -> Matrix:
        """The measure of all pairs, more being more diverse, with a diagonal of 0."""
        scores = self.limits.scale.sign * self.measure.matrix()
        np.fill_diagonal(scores, 0.0)
        return scores

    @property
    def tau(self) -> float | None:
        """Floor under every member's mean score, None where there is none."""
        return self._floor(self.limits.tau) if self.limits.limits_members else None

    @property
    def gamma(self) -> float | None:
        """Floor under the mean score of all pairs, None where `tau` implies it."""
        return self._floor(self.limits.gamma) if self.limits.limits_mean else None

    def meet(self, members: Sequence[int]) -> bool:
        """Tell exactly whether a committee of these members meets the limits."""
        size = len(members)
        if size < 2:
            return True
        # Floats decide the clear cases, exact numbers the ties.
        means = self.scores[np.ix_(list(members), list(members))].sum(axis=1) / (size - 1)
        for place, k in enumerate(members):
            slack = means[place] - self._floor(self.limits.tau)
            if slack < -_CLEAR:
                return False
            if slack < _CLEAR:
                pairs = [(k, other) for other in members if other != k]
                if not self._holds(pairs, self.limits.tau):
                    return False
        slack = means.mean() - self._floor(self.limits.gamma)
        if abs(slack) >= _CLEAR:
            return bool(slack > 0)
        pairs = [(k, other) for i, k in enumerate(members) for other in members[i + 1 :]]
        return self._holds(pairs, self.limits.gamma)

    def _floor(self, limit: Fraction) -> float:
        return self.limits.scale.sign * float(limit)

    def _holds(self, pairs: Sequence[tuple[int, int]], limit: Fraction) -> bool:
        return self.limits.scale.sign * self.measure.side(pairs, limit * len(pairs)) >= 0


@dataclass(frozen=True, slots=True, eq=False)
class FailureCredit(PairMeasure):
    """Failure credits of all pairs of a pool, exact.

    Parameters
    ----------
    hamming
        K x K integers: weight of the rows on which exactly one of the two fails.
    failures
        K integers: weight of the rows each classifier fails on.
    """

    hamming: NDArray[np.int64]
    failures: NDArray[np.int64]

    @classmethod
    def of(cls, patterns: Patterns) -> FailureCredit:
        """Compute all pairs at once, one matrix product."""
        weight, votes = patterns.positive + patterns.negative, patterns.matrix
        together = tally_pairs(weight, votes, votes)
        alone = np.diagonal(together)
        hamming = alone[:, None] + alone[None, :] - 2 * together
        found = tally(patterns.positive, votes)
        # Missed positive rows, and votes that are not on positive ones.
        return cls(hamming, (total(patterns.positive) - found) + (alone - found))

    def credit(self, k: int, other: int) -> Fraction:
        """Return the exact failure credit of two classifiers."""
        failures = int(self.failures[k]) + int(self.failures[other])
        return Fraction(int(self.hamming[k, other]), failures) if failures else Fraction(0)

    def pair(self, k: int, other: int) -> Fraction:
        """Return the exact failure credit of two classifiers."""
        return self.credit(k, other)

    def matrix(self) -> Matrix:
        """Return all credits as floats; the diagonal is 0."""
        both = self.failures[:, None] + self.failures[None, :]
        return divide(self.hamming, both, np.zeros(both.shape))

    def credit_sum(self, pairs: Sequence[tuple[int, int]]) -> Fraction:
        """Return the exact sum of the credits of some pairs."""
        return self.total(pairs)

    def pfc(self, members: Sequence[int]) -> tuple[Fraction, ...]:
        """Return every member's PFC within the committee; 0 for a committee of one."""
        others = max(len(members) - 1, 1)
        return tuple(
            self.total([(k, other) for other in members if other != k]) / others for k in members
        )


def divide(tops: NDArray[Any], bottoms: NDArray[Any], otherwise: Matrix) -> Matrix:
    """Return ``tops / bottoms`` as floats, and `otherwise` where a bottom is 0."""
    if object in (tops.dtype, bottoms.dtype):
        # Python divides integers that no float can hold, and rounds but once.
        safe = np.where(bottoms == 0, 1, bottoms)
        quotients = (tops.astype(object) / safe).astype(np.float64)
        return np.where(bottoms == 0, otherwise, quotients)
    floats = bottoms.astype(np.float64)
    return np.divide(tops.astype(np.float64), floats, out=otherwise.copy(), where=floats != 0)


def configure(diversity: str | Diversity | None, credit: FailureCredit) -> Diversity | None:
    """Return the limits a configuration stands for on this pool, None where it sets none.

    F2 asks for a mean PFC half-way between the full ensemble's least and mean PFC; F3 also asks
    every member for the full ensemble's least.
    """
    if isinstance(diversity, Diversity):
        return diversity
    if diversity not in ("F2", "F3") or len(credit.failures) < 2:
        return None
    everyone = credit.pfc(range(len(credit.failures)))
    least, mean = min(everyone), sum(everyone, Fraction(0)) / len(everyone)
    return Diversity(tau=least if diversity == "F3" else 0, gamma=(least + mean) / 2)
