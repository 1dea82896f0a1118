"""The best committee and the best bound of a run: what is kept, what is told, and when it ends."""

import time
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest

import voteprune as vp
from interrupting import Keyboard
from voteprune.problem.problem import Problem
from voteprune.run import incumbent as module
from voteprune.run.incumbent import Incumbent, StopRequested, relative_gap

LABELS = np.array([1, 1, 1, 0, 0, 0, 0])
# Who is right on how many of the seven rows: 6, 5, 2.
MATRIX = np.array([[1, 1, 1, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 1], [0, 0, 1, 0, 1, 1, 1]]).T


def incumbent(*constraints, callback=None, **more):
    problem = Problem.of(vp.Votes(MATRIX, LABELS), "accuracy", list(constraints))
    return Incumbent(problem, callback, **more)


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


def standing(book):
    """Rows right by the bound and by what is proved, and whose word the difference is."""
    return book.bound / right(1, book), book.proved / right(1, book), book.trusted


def test_of_every_bound_it_is_known_whose_word_it_is():
    book = incumbent()
    assert standing(book) == (7, 7, ())
    assert book.tighten(right(6, book), by=["s", "t"])
    assert standing(book) == (6, 7, ("s", "t"))
    assert not book.tighten(right(6, book))  # nothing new, but now it is proved
    assert standing(book) == (6, 6, ())
    assert not book.tighten(right(7, book))
    assert standing(book) == (6, 6, ())
    assert book.tighten(right(5, book))
    assert standing(book) == (5, 5, ())
    assert book.tighten(right(4, book), by=["s"])
    assert standing(book) == (4, 5, ("s",))
    assert not book.tighten(right(5, book), by=["t"])
    assert standing(book) == (4, 5, ("s",))


def test_a_solver_that_is_not_trusted_any_more_takes_its_bounds_along():
    book = incumbent()
    book.tighten(right(5, book), by=["s"])
    book.distrust("u", "ended")
    assert (book.incidents, book.caught, len(book.trace)) == (["u ended"], {"u"}, 1)
    assert standing(book) == (5, 7, ("s",))
    book.distrust("s", "ended too")
    assert (book.incidents, book.caught) == (["u ended", "s ended too"], {"s", "u"})
    assert standing(book) == (7, 7, ())
    assert [news.bound for news in book.trace] == pytest.approx([5 / 7, 1])
    assert not book.tighten(right(5, book), by=["t", "s"])
    assert standing(book) == (7, 7, ())
    assert book.tighten(right(5, book), by=["t"])
    book.disbelieve(["t"])
    assert (book.caught, standing(book)) == ({"s", "t", "u"}, (7, 7, ()))
    assert len(book.incidents) == 2
    assert book.tighten(right(6, book))  # nobody's word is always taken


def test_a_committee_above_a_claim_convicts_those_who_made_it():
    book = incumbent()
    book.distrust("u", "ended")
    book.tighten(right(5, book), by=["s", "t"])
    book.offer([2])
    book.offer([1])  # as many as were claimed: no more than that
    assert (book.caught, standing(book)) == ({"u"}, (5, 7, ("s", "t")))
    book.offer([0])
    claim = "claimed a bound that a committee found later exceeds; not used"
    assert book.incidents == ["u ended", f"s {claim}", f"t {claim}"]
    assert (book.caught, standing(book)) == ({"s", "t", "u"}, (7, 7, ()))
    assert [news.bound for news in book.trace[-2:]] == pytest.approx([5 / 7, 1])


def test_a_committee_above_a_proof_is_a_fault_and_nothing_stays_proved():
    book = incumbent()
    book.tighten(right(6, book))
    book.offer([0])
    assert (book.incidents, standing(book)) == ([], (6, 6, ()))
    wrong = incumbent()
    wrong.tighten(right(5, wrong))
    wrong.tighten(right(4, wrong), by=["s"])
    wrong.offer([1])
    assert (wrong.caught, standing(wrong)) == ({"s"}, (5, 5, ()))
    wrong.offer([0])
    assert len(wrong.incidents) == 2
    assert "a fault of voteprune" in wrong.incidents[1]
    assert standing(wrong) == (7, 7, ())


def test_a_bound_that_is_restated_may_rise_but_not_above_what_is_proved():
    book = incumbent()
    book.restate(right(5, book), right(6, book), ["s"])
    assert standing(book) == (5, 6, ("s",))
    book.restate(right(5, book), right(6, book), ["s"])
    assert len(book.trace) == 1  # no news
    book.restate(right(4, book), right(7, book), ["t"])
    assert standing(book) == (4, 6, ("t",))
    book.restate(right(5, book), right(7, book), ["s"])
    assert standing(book) == (5, 6, ("s",))
    book.restate(right(7, book), right(7, book), [])
    assert standing(book) == (6, 6, ())
    assert [news.bound for news in book.trace] == pytest.approx([5 / 7, 4 / 7, 5 / 7, 6 / 7])


def test_a_bound_that_is_restated_is_never_below_the_best():
    book = incumbent()
    book.offer([1])
    book.restate(right(6, book), right(7, book), ["s"])
    assert standing(book) == (6, 7, ("s",))
    book.restate(right(3, book), right(6, book), ["s"])
    assert standing(book) == (5, 6, ("s",))
    book.restate(right(3, book), right(4, book), ["s"])
    assert standing(book) == (5, 5, ())


def test_what_is_restated_on_the_word_of_a_convict_is_what_is_proved():
    book = incumbent()
    book.distrust("s", "ended")
    book.restate(right(4, book), right(6, book), ["t", "s"])
    assert standing(book) == (6, 6, ())
    book.restate(right(4, book), right(6, book), ["t"])
    assert standing(book) == (4, 6, ("t",))


def test_closing_proves_the_best_and_nothing_before_there_is_one():
    book = incumbent()
    book.close()
    assert standing(book) == (7, 7, ())
    book.offer([1])
    book.close()
    assert (standing(book), book.closed) == ((5, 5, ()), True)


def test_who_sits_is_known_from_the_first_committee_on():
    book = incumbent()
    assert (book.members, book.threshold) == (None, 0)
    book.offer([1, 0], 1)
    assert (book.members, book.threshold) == ((0, 1), 1)


def test_the_run_ends_at_the_gap_that_was_asked_for_and_not_above_it():
    twin = incumbent()
    twin.offer([1])
    twin.tighten(right(6, twin))
    gap = twin.progress().gap
    assert gap == pytest.approx(0.2)
    book = incumbent(gap=gap)
    book.tighten(Fraction(13, 2) * right(1, book), by=["s"])  # no gap yet
    book = incumbent(gap=gap)
    book.offer([1])
    with pytest.raises(StopRequested, match="gap reached"):
        book.tighten(right(6, book))
    smaller = incumbent(gap=nextafter(gap, 0))
    smaller.offer([1])
    smaller.tighten(right(6, smaller))


def test_seconds_count_from_when_the_run_began():
    assert incumbent(began=time.monotonic() - 1000).progress().seconds >= 1000
    book = incumbent()
    assert book.progress().open_boxes is None
    book.open_boxes = 3
    assert book.progress().open_boxes == 3
    book.offer([1])
    assert book.progress().open_boxes == 3


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


def life(book):
    """A run's committees and bounds, with solvers that speak the truth and others that do not."""
    book.offer([2])
    book.tighten(right(6, book))
    book.tighten(right(4, book), by=["liar"])
    book.offer([1])
    book.restate(right(5, book), right(6, book), ["other"])
    book.tighten(right(6, book), by=["third"])
    book.distrust("other", "ended")
    book.restate(right(5, book), right(6, book), [])
    book.offer([0])
    book.close()


@pytest.mark.slow
def test_wherever_ctrl_c_comes_no_word_passes_for_a_proof_and_no_committee_has_anothers_score():
    keyboard, whole = Keyboard((), module), incumbent()
    keyboard.during(lambda: life(whole))
    for moment in range(keyboard.counted):
        book = incumbent()
        assert Keyboard((moment,), module).during(lambda book=book: life(book))
        if book.committee is not None:
            assert book.problem.score(book.committee) == book.score <= book.bound
        assert right(6, book) <= book.proved
        assert book.bound <= book.proved
        assert book.caught.isdisjoint(book.trusted)
        if not book.trusted:
            assert book.bound >= right(6, book)


def test_a_bound_that_nobody_vouches_for_is_what_is_proved():
    book = incumbent()
    book.restate(right(4, book), right(6, book), [])
    assert standing(book) == (6, 6, ())
    book.offer([1])
    book.restate(right(3, book), right(7, book), ())
    assert standing(book) == (6, 6, ())
    book.tighten(right(5, book), by=["s"])
    book.restate(right(5, book), right(6, book), [])
    assert standing(book) == (6, 6, ())  # nor does what another has said
