"""How committees are cut into heads and tails, and how long they are thought to take."""

import time
from math import comb
from unittest import mock

import numpy as np
import pytest

from pluralities import known
from voteprune.primal import plurality_enumeration as trying
from voteprune.primal.plurality_duels import Tails, table_rows
from voteprune.primal.plurality_enumeration import FREE, Enumeration, tail_width

SOON = 600.0


def wide(k=7):
    return next(
        case.wins
        for case in map(known, range(1000))
        if case.wins.n_classifiers == k and not len(case.wins.required) and case.wins.size_max == k
    )


@pytest.mark.parametrize("size_max", [1, 2, 5])
def test_tails_are_as_wide_as_they_may_be_many(size_max):
    for columns in range(8):
        for most in (1, 2, 3, 8, 16, 17, 100):
            width = tail_width(columns, size_max, most)
            many = [sum(comb(w, s) for s in range(size_max + 1)) for w in range(columns + 1)]
            assert width == max(w for w in range(columns + 1) if many[w] <= most)


def test_tails_are_the_last_columns_and_no_more_than_the_table_has_room_for():
    wins = wide()
    columns = np.arange(7)
    with (
        mock.patch.object(trying, "_MOST_TAILS", 2**5),
        mock.patch.object(trying, "_FEWEST_TAILS", 2),
    ):
        assert trying._tail(wins, columns).tolist() == [2, 3, 4, 5, 6]
        room = table_rows(wins, columns[2:]) * 2**5 // 8
        with mock.patch.object(trying, "_TABLE", room):
            assert trying._tail(wins, columns).tolist() == [2, 3, 4, 5, 6]
        with mock.patch.object(trying, "_TABLE", room - 1):
            assert trying._tail(wins, columns).tolist() == [3, 4, 5, 6]
        with mock.patch.object(trying, "_TABLE", 0):
            assert trying._tail(wins, columns).tolist() == [6]


def test_heads_and_tails_are_all_columns_and_who_is_required_is_in_the_head():
    case = next(c for c in map(known, range(1000)) if len(c.wins.required) == 1
                and c.wins.n_classifiers > 4)  # fmt: skip
    listed = Enumeration(case.wins)
    assert sorted([*listed.head, *listed.tail]) == list(range(case.wins.n_classifiers))
    assert case.wins.required[0] in listed.head
    assert len(listed.tail) == case.wins.n_classifiers - 1


def test_sizes_of_tails_bring_heads_to_the_sizes():
    with mock.patch.object(trying, "_MOST_TAILS", 8), mock.patch.object(trying, "_FEWEST_TAILS", 1):
        listed = Enumeration(wide())
    width = len(listed.tail)
    assert width == 3
    for seated in range(5):
        for first in range(1, 7):
            for last in range(first, 8):
                told = list(listed.seats(seated, range(first, last + 1)))
                assert told == [s for s in range(width + 1) if first <= seated + s <= last]


def test_heads_are_worked_on_together_as_far_as_words_and_votes_allow():
    listed = Enumeration(wide())
    duels = len(listed.wins.win)
    assert listed.together(1) == min(trying._WORDS, trying._VOTES // duels)
    assert listed.together(100) == trying._WORDS // 100
    assert listed.together(10**6) == 1
    with mock.patch.object(trying, "_VOTES", 3 * duels):
        assert listed.together(1) == 3


def test_the_time_is_that_of_all_heads_with_all_their_tails():
    with mock.patch.object(trying, "_MOST_TAILS", 8), mock.patch.object(trying, "_FEWEST_TAILS", 1):
        listed = Enumeration(wide())
    decided = np.full(7, FREE, dtype=np.int8)
    decided[listed.head[0]], decided[listed.head[1]] = 1, 0
    rows, duels = len(listed._who), len(listed.wins.win)
    expected = 0.0
    for heads in range(3):
        for seats in range(4):
            if 3 <= 1 + heads + seats <= 4:
                words = listed.tails.words(seats)
                width, count = words.stop - words.start, comb(2, heads)
                expected += count * (rows * (width * 1e-9 + 5e-9) + duels * 0.5e-9)
                expected += -(-count // listed.together(width)) * 5e-4
    assert listed.seconds(decided, range(3, 5)) == pytest.approx(expected, rel=1e-12)
    listed._pace = 3.0
    assert listed.seconds(decided, range(3, 5)) == pytest.approx(3 * expected, rel=1e-12)


def test_the_pace_is_learned_from_what_took_long_enough_to_tell():
    listed = Enumeration(wide())
    decided = np.full(7, FREE, dtype=np.int8)
    thought = listed.seconds(decided, range(1, 8))
    for took, pace in ((0.05, 1.0), (4 * thought + 1.0, ((4 * thought + 1.0) / thought) ** 0.5)):
        with mock.patch.object(trying.time, "thread_time", side_effect=[0.0, took]):
            listed.run(decided, range(1, 8), 0, time.monotonic() + SOON)
        assert listed._pace == pytest.approx(pace)


def test_out_of_time_what_was_found_is_handed_back_and_the_rest_is_open():
    """At every look at the clock: not done, and nothing that was found is lost."""
    listed = Enumeration(wide())
    decided = np.full(7, FREE, dtype=np.int8)
    whole = listed.run(decided, range(1, 8), 0, time.monotonic() + SOON)
    assert whole.done
    found, looks = set(), 0
    for looks in range(200):
        clock = iter([0.0] * looks)
        with mock.patch.object(trying.time, "monotonic", side_effect=lambda c=clock: next(c, 2.0)):
            tried = listed.run(decided, range(1, 8), 0, 1.0)
        scores = [listed.wins.score(members) for members in tried.found]
        assert scores == sorted(set(scores))
        found.add(tried.found)
        if tried.done:
            break
    assert tried.found == whole.found
    assert looks > 3
    assert len(found) > 1
    exactly = mock.patch.object(trying.time, "monotonic", return_value=1.0)
    with exactly:
        assert not listed.run(decided, range(1, 8), 0, 1.0).done


def test_words_of_a_size_are_its_own():
    tails = Tails.of(np.arange(9), 4)
    assert tails.first.tolist() == [0, 1, 2, 3, 5, 7]
    assert tails.words(3) == slice(3, 5)
    assert tails.listed[:64].sum() == 0
