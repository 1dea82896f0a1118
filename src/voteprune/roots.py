"""Sums of square roots, compared exactly.

Square roots of integers that are no rational multiples of each other are linearly independent
over the rationals (Besicovitch, 1940). So roots are first gathered by their kind, sqrt(p) and
sqrt(q) being of one kind iff p q is a square. A sum in which no irrational kind is left is a
fraction; any other is not a fraction at all, never equals a limit, and enough digits tell on
which side of it the sum lies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

_FIRST_BITS = 64


def sign_of_root_sum(terms: Iterable[tuple[Fraction, int]], limit: Fraction) -> int:
    """Return the sign of ``sum of factor * sqrt(radicand) - limit``, exactly.

    Parameters
    ----------
    terms
        Pairs of factor and radicand, a positive integer.
    limit
        What the sum is compared with.

    Returns
    -------
    -1, 0 or 1.
    """
    kinds: dict[int, Fraction] = {1: -limit}
    for factor, radicand in terms:
        kind, multiple = _kind_of(radicand, kinds)
        kinds[kind] = kinds.get(kind, Fraction(0)) + factor * multiple
    kinds = {kind: factor for kind, factor in kinds.items() if factor}
    if not set(kinds) - {1}:
        return _sign(kinds.get(1, Fraction(0)))
    bits = _FIRST_BITS
    while True:
        low, high = _enclose(kinds, bits)
        if low > 0 or high < 0:
            return _sign(low)
        bits *= 2


def _kind_of(radicand: int, kinds: Iterable[int]) -> tuple[int, Fraction]:
    """Return a kind k and the fraction f with sqrt(radicand) = f * sqrt(k)."""
    for kind in kinds:
        root = math.isqrt(radicand * kind)
        if root * root == radicand * kind:
            return kind, Fraction(root, kind)
    return radicand, Fraction(1)


def _enclose(kinds: dict[int, Fraction], bits: int) -> tuple[Fraction, Fraction]:
    """Return two fractions with the sum between them."""
    low = high = Fraction(0)
    for kind, factor in kinds.items():
        root = math.isqrt(kind << 2 * bits)
        ends = (
            factor * Fraction(root, 1 << bits),
            factor * Fraction(root + (kind != 1), 1 << bits),
        )
        low, high = low + min(ends), high + max(ends)
    return low, high


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
