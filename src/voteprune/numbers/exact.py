"""Exact numbers: what is counted is counted in integers, what is compared is compared exactly.

A float is read as the decimal number it prints as, so ``0.1`` is one tenth and three of them
are ``0.3``. Arrays of weights become integers over one common denominator; they live in int64
while every sum of them fits, and in Python integers when it does not.

Sums of square roots are compared exactly, too. Roots of integers that are no rational multiples of
each other are linearly independent over the rationals (Besicovitch, 1940). So roots are first
gathered by their kind, sqrt(p) and sqrt(q) being of one kind iff p q is a square. A sum in
which no irrational kind is left is a fraction; any other is not a fraction at all, never equals a
limit, and enough digits tell on which side of it the sum lies. As ties are rare, digits are asked
first.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError

IntArray = NDArray[Any]
"""One-dimensional array of exact integers, dtype int64 or object (Python integers)."""

_INT64_ROOM = 2**62
_FLOAT_ROOM = 2**53
_DECIMAL_BITS = 1024
"""How long a denominator may be in decimal; Python itself writes no more than some 14,000 bits so,
and means of diversity over all pairs of weighted votes are longer."""

_FIRST_BITS = 128


def exact(value: object, argument: str) -> Fraction:
    """Read a number exactly.

    Parameters
    ----------
    value
        An int, float, Fraction, Decimal or NumPy scalar; text is not a number.
    argument
        Name for the error message.

    Raises
    ------
    InputError
        If `value` is not a finite number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Number):
        raise InputError(argument, f"expected a number, got {value!r}.")
    try:
        if isinstance(value, numbers.Integral):
            return Fraction(int(value))
        # str of a float, of any precision, is the shortest decimal that means it.
        return Fraction(str(value))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise InputError(argument, f"expected a finite number, got {value!r}.") from None


def show(value: Fraction) -> str:
    """Write a number as people do: whole, or as a decimal."""
    return str(value) if value.denominator == 1 else repr(float(value))


def on_file(value: Fraction) -> int | str:
    """Write a number for a certificate: whole, or as a fraction in text."""
    if value.denominator == 1:
        return int(value)
    if value.denominator.bit_length() > _DECIMAL_BITS:
        return f"{value.numerator:#x}/{value.denominator:#x}"
    return str(value)


def common_denominator(values: Iterable[Fraction]) -> int:
    """Return the least common denominator of `values`."""
    return math.lcm(*(value.denominator for value in values))


def to_integers(values: NDArray[Any]) -> tuple[IntArray, int]:
    """Write non-negative numbers as integers over one common denominator.

    Returns
    -------
    integers, denominator
        Such that ``values == integers / denominator`` exactly.
    """
    if values.dtype.kind in "iu":
        return compact(values), 1
    distinct, inverse = np.unique(values, return_inverse=True)
    fractions = [Fraction(str(value)) for value in distinct]
    denominator = common_denominator(fractions)
    integers = np.array([int(value * denominator) for value in fractions], dtype=object)
    return compact(integers[inverse]), denominator


def compact(values: NDArray[Any]) -> IntArray:
    """Store exact integers in int64 if no sum of them can overflow, else as Python integers."""
    if values.dtype.kind in "iu" and values.dtype.itemsize < 8:
        return values.astype(np.int64)
    if values.dtype == object:
        size = magnitude(values)
    else:
        # A float sum is good enough to tell whether we are anywhere near the edge.
        size = int(np.abs(values.astype(np.float64)).sum())
    return values.astype(np.int64 if size < _INT64_ROOM else object)


def combine(terms: Sequence[tuple[int, IntArray]]) -> IntArray:
    """Return the exact sum of ``factor * array`` over `terms`."""
    size = sum(abs(factor) * magnitude(array) for factor, array in terms)
    if size < _INT64_ROOM:
        total = np.zeros(len(terms[0][1]), dtype=np.int64)
    else:
        total = np.zeros(len(terms[0][1]), dtype=object)
    for factor, array in terms:
        if factor and magnitude(array):  # else one of the two may not fit the dtype
            total = total + factor * array.astype(total.dtype)
    return compact(total) if total.dtype == object else total


def times(weights: IntArray, factors: IntArray) -> IntArray:
    """Return the exact product, element by element."""
    largest = int(np.abs(factors).max(initial=0))
    fits = weights.dtype != object and magnitude(weights) * largest < _INT64_ROOM
    return weights * factors if fits else weights.astype(object) * factors.astype(object)


def magnitude(array: IntArray) -> int:
    """Return the exact sum of absolute values."""
    return int(np.abs(array).sum()) if len(array) else 0


def total(array: IntArray) -> int:
    """Return the exact sum as a Python integer."""
    return int(array.sum()) if len(array) else 0


def sum_by_group(values: IntArray, groups: NDArray[np.intp], n_groups: int) -> IntArray:
    """Return the exact sum of `values` within each of the groups ``0 .. n_groups - 1``."""
    if values.dtype != object and magnitude(values) < _FLOAT_ROOM:
        # bincount adds in double precision, which is exact for integers of this size.
        sums = np.bincount(groups, weights=values, minlength=n_groups)
        return sums.astype(np.int64)
    sums = np.zeros(n_groups, dtype=values.dtype)
    np.add.at(sums, groups, values)
    return sums


def ceil_div(value: Fraction) -> int:
    """Return the smallest integer that is not below `value`."""
    return -((-value.numerator) // value.denominator)


def float_above(value: Fraction) -> float:
    """Return the smallest convenient float that is not below `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def argsort_ratios(tops: NDArray[Any], bottoms: NDArray[Any]) -> list[int]:
    """Return the order of the numbers ``tops / bottoms``, exactly; equal ones stay in place.

    Floats sort what is clearly apart, exact fractions what is closer than their rounding.
    """
    floats = tops.astype(np.float64) / bottoms.astype(np.float64)
    order = np.argsort(floats, kind="stable").tolist()
    sorted_floats = floats[order]
    apart = np.diff(sorted_floats) > 1e-12 * np.maximum(1.0, np.abs(sorted_floats[1:]))
    result: list[int] = []
    for run in np.split(np.asarray(order, dtype=np.intp), np.flatnonzero(apart) + 1):
        result += (
            sorted(run.tolist(), key=lambda i: (Fraction(int(tops[i]), int(bottoms[i])), i))
            if len(run) > 1
            else run.tolist()
        )
    return result


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
