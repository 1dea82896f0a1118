"""Sums of square roots fall on the right side of a limit, however close it is."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from voteprune.numbers.exact import sign_of_root_sum


def terms(*pairs):
    return [(Fraction(factor), radicand) for factor, radicand in pairs]


def test_roots_of_one_kind_cancel():
    assert sign_of_root_sum(terms((2, 2), (-1, 8)), Fraction(0)) == 0
    assert sign_of_root_sum(terms((1, 12), (-2, 3), (1, 4)), Fraction(2)) == 0
    assert sign_of_root_sum(terms((Fraction(1, 3), 18), (-1, 2)), Fraction(-1, 10**50)) == 1


def test_roots_of_different_kinds_never_tie():
    # sqrt(2) + sqrt(3) - sqrt(5 + 2 sqrt(6)) is 0, but only because of a root within a root.
    assert sign_of_root_sum(terms((1, 2), (1, 3)), Fraction(314626436994197, 10**14)) == 1
    assert sign_of_root_sum(terms((1, 2), (1, 3)), Fraction(314626436994198, 10**14)) == -1


def test_squares_are_fractions():
    assert sign_of_root_sum(terms((Fraction(1, 2), 9), (1, 1)), Fraction(5, 2)) == 0
    assert sign_of_root_sum([], Fraction(0)) == 0
    assert sign_of_root_sum([], Fraction(-1, 7)) == 1


@pytest.mark.parametrize("digits", [5, 30, 200])
def test_a_limit_a_hair_away_is_told_apart(digits):
    with localcontext(prec=digits + 10):
        near = Fraction(
            str((Decimal(7).sqrt() + Decimal(11).sqrt()).quantize(Decimal(10) ** -digits))
        )
    hair = Fraction(1, 10**digits)
    assert sign_of_root_sum(terms((1, 7), (1, 11)), near - hair) == 1
    assert sign_of_root_sum(terms((1, 7), (1, 11)), near + hair) == -1


@pytest.mark.parametrize("seed", range(16))
def test_the_sign_is_that_of_many_digits(seed):
    rng = np.random.default_rng(seed)
    drawn = [
        (Fraction(int(rng.integers(-9, 10)), int(rng.integers(1, 9))), int(rng.integers(1, 40)))
        for _ in range(rng.integers(1, 12))
    ]
    limit = Fraction(int(rng.integers(-20, 20)), int(rng.integers(1, 5)))
    with localcontext(prec=80):
        value = (
            sum(
                (Decimal(f.numerator) / f.denominator * Decimal(r).sqrt() for f, r in drawn),
                Decimal(0),
            )
            - Decimal(limit.numerator) / limit.denominator
        )
    expected = 0 if abs(value) < Decimal(10) ** -60 else (1 if value > 0 else -1)
    assert sign_of_root_sum(drawn, limit) == expected
