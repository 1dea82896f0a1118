"""The best committee and the best bound of a run: what is kept, what is told, and when it ends."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent, StopRequested, relative_gap

LABELS = np.array([1, 1, 1, 0, 0, 0, 0])
# Who is right on how many of the seven rows: 6, 5, 2.
MATRIX = np.array([[1, 1, 1, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 1], [0, 0, 1, 0, 1, 1, 1]]).T


def incumbent(*constraints, callback=None):
    problem = Problem.of(vp.Votes(MATRIX, LABELS), "accuracy", list(constraints))
    return Incumbent(problem, callback)


def right(rows, book):
    """Rows right, in the units of a incumbent."""
    return int(Fraction(rows, len(LABELS)) / book.problem.gains.unit)


def test_only_what_beats_the_best_is_kept():
    book = incumbent()
    assert book.offer([1])
    assert (book.committee.members, book.score) == ((1,), right(5, book))
    assert not book.offer([2])
    assert not book.offer([1])  # no better than itself
    assert (book.committee.members, book.score) == ((1,), right(5, book))
    assert book.offer([0])
    assert (book.committee.members, book.score) == ((0,), right(6, book))
    assert [news.value for news in book.trace] == [5 / 7, 6 / 7]


def test_a_threshold_that_is_given_is_kept_and_judged():
    book = incumbent()
    assert book.offer([0, 1], 0)
    assert (book.committee.threshold, book.score) == (0, right(6, book))
    limited = incumbent(vp.AtMost("size", 1))
    assert not limited.offer([0, 1], 0)
    assert not limited.offer([0, 1])
    assert limited.committee is None
    assert limited.offer([1], 0)


def test_a_bound_is_taken_when_it_is_lower_and_never_below_the_best():
    book = incumbent()
    assert book.bound == right(7, book)
    assert not book.closed
    assert not book.tighten(inf)
    assert not book.tighten(right(7, book))
    assert not book.trace
    assert book.tighten(Fraction(2 * right(6, book) + 1, 2))  # down to what can be reached
    assert book.bound == right(6, book)
    assert len(book.trace) == 1
    assert not book.tighten(right(7, book))
    assert book.bound == right(6, book)
    book.offer([1])
    assert not book.closed
    assert book.tighten(right(4, book))
    assert book.bound == right(5, book)
    assert book.closed


def test_progress_tells_value_and_bound_in_the_criterions_own_unit():
    book = incumbent()
    before = book.progress()
    assert (before.value, before.gap) == (None, None)
    assert before.bound == 1.0
    book.offer([1])
    open_now = book.progress()
    assert open_now.value == 5 / 7
    assert open_now.bound == 1.0
    assert open_now.gap == pytest.approx(0.4)
    book.offer([0])
    book.tighten(right(6, book))
    # The float next to 6/7 is below it; a bound that is met is the value, not the float above.
    assert book.progress().bound == book.progress().value == 6 / 7
    assert book.progress().gap == 0.0
    assert 0.0 <= book.progress().seconds < 60.0


def test_every_improvement_is_told_and_a_true_answer_ends_the_run():
    told = []
    book = incumbent(callback=lambda news: told.append(news.value) or len(told) == 3)
    book.offer([1])
    book.offer([2])
    book.tighten(right(6, book))
    assert told == [5 / 7, 5 / 7]
    with pytest.raises(StopRequested):
        book.offer([0])
    assert book.committee.members == (0,)  # kept all the same


def test_the_gap_is_relative_to_the_size_of_the_value():
    assert relative_gap(None, 1.0) is None
    assert relative_gap(1.0, None) is None
    assert relative_gap(0.0, 0.0) == 0.0
    assert relative_gap(0.0, 0.5) == inf
    assert relative_gap(2.0, 3.0) == 0.5
    assert relative_gap(-2.0, -1.0) == 0.5


def test_of_equals_the_smaller_is_kept_then_the_cheaper_and_nobody_is_told():
    told = []
    book = incumbent(vp.Budget([3, 2, 1], 6), callback=told.append)
    twins = np.column_stack([MATRIX[:, 0]] * 3)
    book = Incumbent(Problem.of(vp.Votes(twins, LABELS), "accuracy", book.problem.requests))
    assert book.offer([0, 1])
    path, score = list(book.trace), book.score
    assert not book.offer([0, 1, 2])
    assert book.offer([1, 2])  # as many, but cheaper
    assert not book.offer([0, 2])
    assert book.offer([0])
    assert book.offer([2])
    assert not book.offer([1])
    assert (book.members, book.score) == ((2,), score)
    assert book.trace == path


def test_the_smallest_is_known_where_all_smaller_ones_were_compared():
    book = incumbent()
    assert not book.smallest
    book.offer([0, 1, 2])
    assert not book.smallest
    book.compared = 1
    assert not book.smallest
    book.compared = 2
    assert book.smallest
    least = incumbent(vp.AtLeast("size", 2), vp.Require(0))
    least.offer([0, 1])
    assert least.smallest  # none smaller is allowed
