"""Sums of square roots, compared exactly.

Square roots of integers that are no rational multiples of each other are linearly independent
over the rationals (Besicovitch, 1940). So roots are first gathered by their kind, sqrt(p) and
sqrt(q) being of one kind iff p q is a square. A sum in which no irrational kind is left is a
fraction; any other is not a fraction at all, never equals a limit, and enough digits tell on
which side of it the sum lies. As ties are rare, digits are asked first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

_FIRST_BITS = 128


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
    listed = [(-limit, 1), *terms]
    sign = _sign_by_digits(listed, _FIRST_BITS)
    if sign:
        return sign
    kinds: dict[int, Fraction] = {1: Fraction(0)}
    for factor, radicand in listed:
        kind, multiple = _kind_of(radicand, kinds)
        kinds[kind] = kinds.get(kind, Fraction(0)) + factor * multiple
    left = [(factor, kind) for kind, factor in kinds.items() if factor]
    if all(kind == 1 for _, kind in left):
        held = kinds[1]
        return (held > 0) - (held < 0)
    bits = _FIRST_BITS
    while not sign:
        bits *= 2
        sign = _sign_by_digits(left, bits)
    return sign


def _kind_of(radicand: int, kinds: Iterable[int]) -> tuple[int, Fraction]:
    """Return a kind k and the fraction f with sqrt(radicand) = f * sqrt(k)."""
    for kind in kinds:
        root = math.isqrt(radicand * kind)
        if root * root == radicand * kind:
            return kind, Fraction(root, kind)
    return radicand, Fraction(1)


def _sign_by_digits(terms: Iterable[tuple[Fraction, int]], bits: int) -> int:
    """Return the sign of a sum as far as so many binary digits tell it; 0 if they do not."""
    low = high = 0
    for factor, radicand in terms:
        # factor * sqrt(radicand) lies between two neighbours in units of 2 ** -bits.
        square = (factor.numerator**2 * radicand << 2 * bits) // factor.denominator**2
        root = math.isqrt(square)
        if factor >= 0:
            low, high = low + root, high + root + 1
        else:
            low, high = low - root - 1, high - root
    return (low > 0) - (high < 0)
