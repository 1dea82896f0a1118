"""Pairwise failure crediting (PFC), the paper's measure of diversity, and limits on it.

The failure credit of two classifiers is the number of rows on which exactly one of them fails,
over the number of failures of both: 0 for twins, 1 when they never fail together. A member's PFC
is its mean failure credit with the other members.

    FC_kl = Hamming(FP_k, FP_l) / (failures_k + failures_l),   0/0 = 0
    PFC_k = mean of FC_kl over the members l != k

All of it is kept as integers, so limits are compared exactly: in the paper's configuration F3
the full ensemble sits exactly on its own limit, where floats would toss a coin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .exact import exact, total
from .exceptions import InputError
from .patterns import Patterns
from .tally import tally, tally_pairs

CONFIGURATIONS = ("F1", "F2", "F3", "F1-theta")
"""The paper's named configurations; F1-theta is F1 on balanced accuracy."""

_CLEAR = 1e-9
"""Sums of at most K credits in [0, 1] err far less than this in double precision."""


@dataclass(frozen=True, slots=True, init=False)
class Diversity:
    """Limits on the members' diversity.

    Parameters
    ----------
    tau
        Least PFC every single member must have, in [0, 1].
    gamma
        Least mean PFC of the committee, in [0, 1] and not below `tau`; the mean is never below
        the least, so omitting it is the same as ``gamma=tau``.

    Notes
    -----
    A committee of one has no pairs and meets every limit.
    """

    tau: Fraction
    gamma: Fraction

    def __init__(self, tau: object = 0, gamma: object = None) -> None:
        least = exact(tau, "tau")
        mean = least if gamma is None else exact(gamma, "gamma")
        for name, value in (("tau", least), ("gamma", mean)):
            if not 0 <= value <= 1:
                raise InputError(name, f"is {float(value):g}; diversity limits lie in [0, 1].")
        if mean < least:
            raise InputError(
                "gamma",
                f"is {float(mean):g}, below tau = {float(least):g}. The mean is never below the "
                "least, so gamma must not be below tau.",
            )
        object.__setattr__(self, "tau", least)
        object.__setattr__(self, "gamma", mean)

    def __str__(self) -> str:
        parts = [f"every PFC >= {float(self.tau):.4g}"] if self.tau else []
        if self.gamma > self.tau:
            parts.append(f"mean PFC >= {float(self.gamma):.4g}")
        return " and ".join(parts) or "no diversity limit"


@dataclass(frozen=True, slots=True, eq=False)
class FailureCredit:
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
        missed = total(patterns.positive) - tally(patterns.positive, votes)
        return cls(hamming, missed + tally(patterns.negative, votes))

    def credit(self, k: int, other: int) -> Fraction:
        """Return the exact failure credit of two classifiers."""
        failures = int(self.failures[k]) + int(self.failures[other])
        return Fraction(int(self.hamming[k, other]), failures) if failures else Fraction(0)

    def matrix(self) -> NDArray[np.float64]:
        """Return all credits as floats; the diagonal is 0."""
        both = (self.failures[:, None] + self.failures[None, :]).astype(np.float64)
        return np.divide(
            self.hamming.astype(np.float64), both, out=np.zeros_like(both), where=both > 0
        )

    def credit_sum(self, pairs: Sequence[tuple[int, int]]) -> Fraction:
        """Return the exact sum of the credits of some pairs."""
        # One fraction per distinct denominator, then halves: denominators stay short for long.
        numerators: dict[int, int] = {}
        for k, other in pairs:
            credit = self.credit(k, other)
            held = numerators.get(credit.denominator, 0)
            numerators[credit.denominator] = held + credit.numerator
        parts = [Fraction(top, bottom) for bottom, top in numerators.items()]
        while len(parts) > 1:
            parts = [sum(parts[i : i + 2], Fraction(0)) for i in range(0, len(parts), 2)]
        return parts[0] if parts else Fraction(0)

    def pfc(self, members: Sequence[int]) -> tuple[Fraction, ...]:
        """Return every member's PFC within the committee; 0 for a committee of one."""
        others = max(len(members) - 1, 1)
        return tuple(
            self.credit_sum([(k, other) for other in members if other != k]) / others
            for k in members
        )

    def meets(self, limits: Diversity, members: Sequence[int]) -> bool:
        """Tell exactly whether a committee of these members meets the limits."""
        size = len(members)
        if size < 2:
            return True
        chosen = np.ix_(list(members), list(members))
        # Floats decide the clear cases, exact fractions the ties.
        sums = self.matrix()[chosen].sum(axis=1) / (size - 1)
        for place, k in enumerate(members):
            slack = sums[place] - float(limits.tau)
            if slack < -_CLEAR:
                return False
            if slack < _CLEAR:
                pairs = [(k, other) for other in members if other != k]
                if self.credit_sum(pairs) < limits.tau * (size - 1):
                    return False
        slack = sums.mean() - float(limits.gamma)
        if abs(slack) >= _CLEAR:
            return bool(slack > 0)
        pairs = [(k, other) for i, k in enumerate(members) for other in members[i + 1 :]]
        return self.credit_sum(pairs) >= limits.gamma * math.comb(size, 2)


def check_diversity(diversity: object) -> str | Diversity | None:
    """Return a configuration's name or limits, or say what is allowed."""
    if diversity is None or isinstance(diversity, Diversity):
        return diversity
    if isinstance(diversity, str) and diversity in CONFIGURATIONS:
        return diversity
    raise InputError(
        "diversity",
        f"{diversity!r} is not known. Give one of {', '.join(CONFIGURATIONS)}, "
        "vp.Diversity(tau=..., gamma=...), or None.",
    )


def configure(diversity: str | Diversity | None, credit: FailureCredit) -> Diversity | None:
    """Return the limits a configuration stands for on this pool, None where it sets none.

    F2 asks for a mean PFC half-way between the full ensemble's least and mean PFC; F3 also asks
    every member for the full ensemble's least.
    """
    if isinstance(diversity, Diversity):
        return diversity if diversity.gamma > 0 else None
    if diversity not in ("F2", "F3") or len(credit.failures) < 2:
        return None
    everyone = credit.pfc(range(len(credit.failures)))
    least, mean = min(everyone), sum(everyone, Fraction(0)) / len(everyone)
    return Diversity(tau=least if diversity == "F3" else 0, gamma=(least + mean) / 2)
