"""The scale is chosen by cross-validation: the same for the same seed, and within the time."""

import numpy as np
import pytest

import voteprune as vp
from voteprune.strategies.margin_scale import AUTOMATIC_CHOICE, choose_among, choose_margin


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    return vp.Votes(np.where(rng.random((60, 6)) < 0.7, y[:, None], 1 - y[:, None]), y)


@pytest.mark.slow
def test_the_same_seed_chooses_the_same_scale_and_committee(votes):
    request = {"objective": "margin", "method": "search", "random_state": 3, "time_limit": None}
    first, second = vp.prune(votes, **request), vp.prune(votes, **request)
    assert first.committee == second.committee
    assert first.objective == second.objective
    assert first.objective in {str(margin) for margin in AUTOMATIC_CHOICE}


def test_a_scale_that_is_given_is_kept(votes):
    assert choose_margin(vp.Hinge(3), votes, (), 0, 1e8) == vp.Hinge(3)


def test_too_few_rows_or_no_time_leave_the_default(votes):
    tiny = vp.Votes([[0, 1], [1, 1], [0, 1]], [0, 1, 1])
    assert choose_margin("margin", tiny, (), 0, 1e8) == AUTOMATIC_CHOICE[0]
    assert choose_margin("margin", votes, (), 0, 0.0) == AUTOMATIC_CHOICE[0]
    assert vp.prune(votes, objective="margin", method="search", time_limit=0).value is not None


@pytest.mark.slow
def test_another_scale_must_be_clearly_better_than_the_default():
    """Nine classifiers that err alone and one that is a little better than each of them."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 150)
    skill = np.array([0.76, *[0.72] * 9])
    votes = vp.Votes(np.where(rng.random((150, 10)) < skill, y[:, None], 1 - y[:, None]), y)
    # By size^1 and this wide a single member is worth most, and is worse than the nine together.
    poor, good = vp.Hinge(0.5, 1), vp.Ramp(1)
    assert choose_among([poor, good], votes, (), 0, 1e8) == good
    assert choose_among([good, poor], votes, (), 0, 1e8, lead=0) == good
    assert choose_among([poor, good], votes, (), 0, 1e8, lead=99) == poor


def test_limits_that_only_all_rows_can_meet_do_not_disturb_the_choice(votes):
    asked = [vp.AtLeast("tp", 20), vp.AtMost("size", 3)]
    solution = vp.prune(
        votes, objective="margin", method="search", constraints=asked, random_state=0
    )
    assert solution.confusion.tp >= 20
    assert solution.committee.size <= 3
