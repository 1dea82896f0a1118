"""Pairwise measures of diversity of two classifiers, as exact fractions.

With a, b, c, d the weights of the rows on which both are right, only the first is, only the second
is, and neither is. The correlation is no fraction in general; it is rounded towards more diversity
by less than 2^-200, which never refuses what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .pool import Pattern

_BITS = 201

SIGNS = {"fc": 1, "disagreement": 1, "double_fault": -1, "q": -1, "correlation": -1, "kappa": -1}
"""1 where more of the measure is more diverse and limits are floors, -1 where they are ceilings."""


class Measure:
    """A measure on the votes of a pool, pair by pair."""

    def __init__(self, name: str, patterns: Sequence[Pattern]) -> None:
        self.name, self.sign = name, SIGNS[name]
        self._patterns = patterns
        self._known: dict[tuple[int, int], Fraction] = {}

    def score(self, first: int, second: int) -> Fraction:
        """Return the measure of two classifiers, its sign such that more is more diverse."""
        pair = (min(first, second), max(first, second))
        if pair not in self._known:
            self._known[pair] = self.sign * self._measure(*pair)
        return self._known[pair]

    def _measure(self, first: int, second: int) -> Fraction:
        a = b = c = d = whole = ones_first = ones_second = Fraction(0)
        for pattern in self._patterns:
            one, other = pattern.votes[first] == "1", pattern.votes[second] == "1"
            both_right = pattern.positive if one else pattern.negative
            both_wrong = pattern.negative if one else pattern.positive
            weight = pattern.positive + pattern.negative
            whole += weight
            ones_first += weight * one
            ones_second += weight * other
            if one == other:
                a, d = a + both_right, d + both_wrong
            else:
                # Where they differ, the first is right on one class and the second on the other.
                b, c = b + both_right, c + both_wrong
        twins = Fraction(int(b + c == 0))
        if self.name == "fc":
            return _ratio(b + c, b + c + 2 * d, Fraction(0))
        if self.name == "disagreement":
            return _ratio(b + c, whole, twins)
        if self.name == "double_fault":
            return _ratio(d, whole, twins)
        if self.name == "q":
            return _ratio(a * d - b * c, a * d + b * c, twins)
        if self.name == "kappa":
            chance = ones_first * ones_second + (whole - ones_first) * (whole - ones_second)
            return _ratio(whole * (a + d) - chance, whole * whole - chance, twins)
        square = (a + b) * (c + d) * (a + c) * (b + d)
        return _over_root(a * d - b * c, square) if square else twins


class Scores:
    """A measure of some classifiers, pair by pair, in whole numbers over one denominator."""

    def __init__(self, measure: Measure, seats: Iterable[int]) -> None:
        self.seats = frozenset(seats)
        exact = {
            k: {other: measure.score(k, other) for other in self.seats - {k}} for k in self.seats
        }
        self.scale = math.lcm(*(x.denominator for row in exact.values() for x in row.values()))
        self._rows = {
            k: {other: int(x * self.scale) for other, x in row.items()} | {k: 0}
            for k, row in exact.items()
        }

    def sums(self, members: Sequence[int]) -> list[int]:
        """Return for each member its scores with all the others, added up."""
        return [sum(map(self._rows[k].__getitem__, members)) for k in members]


def _ratio(top: Fraction, bottom: Fraction, otherwise: Fraction) -> Fraction:
    return top / bottom if bottom else otherwise


def _over_root(top: Fraction, square: Fraction) -> Fraction:
    """Return top / sqrt(square), rounded down a little."""
    # sqrt(p / q) = sqrt(p q) / q; isqrt rounds down, one more rounds up.
    product = square.numerator * square.denominator << 2 * (_BITS + 1)
    root = math.isqrt(product) + (top > 0)
    return Fraction(math.floor((top * (square.denominator << 2 * _BITS + 1)) / root), 1 << _BITS)
