"""The four counts."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import voteprune as vp


def test_rows_are_counted_by_what_is_true_and_what_is_predicted():
    # Every kind of row a different number of times, so that no count can stand for another.
    kinds = dict(zip(product((True, False), repeat=2), (1, 2, 3, 5), strict=True))
    rows = [kind for kind, times in kinds.items() for _ in range(times)]
    labels, predicted = np.array(rows).T
    confusion = vp.Confusion.count(labels, predicted)
    assert confusion == vp.Confusion(tp=1, fn=2, tn=5, fp=3)
    assert (confusion.positives, confusion.negatives) == (3, 8)


def test_whole_numbers_are_integers_and_shares_stay_exact():
    confusion = vp.Confusion(tp=Fraction(4, 2), fn=Fraction(1, 3), tn=0, fp=Fraction(5, 7))
    assert (type(confusion.tp), confusion.tp) == (int, 2)
    assert (type(confusion.fn), confusion.fn) == (Fraction, Fraction(1, 3))
    assert confusion.positives == Fraction(7, 3)
    assert confusion.negatives == Fraction(5, 7)


def test_shares_are_their_textbook_formulas():
    confusion = vp.Confusion(tp=1, fn=2, tn=5, fp=3)
    assert confusion.accuracy == 6 / 11
    assert confusion.balanced_accuracy == pytest.approx((1 / 3 + 5 / 8) / 2)
    assert confusion.base_rate == 8 / 11
    assert vp.Confusion(tp=8, fn=1, tn=2, fp=0).base_rate == 9 / 11
    halves = vp.Confusion(*(Fraction(count, 2) for count in (1, 2, 5, 3)))
    assert (halves.accuracy, halves.base_rate) == (6 / 11, 8 / 11)


def test_a_class_without_rows_has_no_balanced_accuracy():
    for nobody in ({"tp": 0, "fn": 0, "tn": 1, "fp": 1}, {"tp": 1, "fn": 1, "tn": 0, "fp": 0}):
        assert math.isnan(vp.Confusion(**nobody).balanced_accuracy)
