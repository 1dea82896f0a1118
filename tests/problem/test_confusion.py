"""The four counts."""

from fractions import Fraction
from itertools import product

import numpy as np

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
