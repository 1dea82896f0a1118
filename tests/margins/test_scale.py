"""The scale is chosen by cross-validation: the same for the same seed, and within the time."""

import numpy as np
import pytest

import voteprune as vp
from voteprune.margins import choose_margin
from voteprune.margins.scale import DEFAULT, SCALES


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    return vp.Votes(np.where(rng.random((60, 6)) < 0.7, y[:, None], 1 - y[:, None]), y)


def test_the_same_seed_chooses_the_same_scale_and_committee(votes):
    request = {"objective": "margin", "method": "search", "random_state": 3, "time_limit": None}
    first, second = vp.prune(votes, **request), vp.prune(votes, **request)
    assert first.committee == second.committee
    assert first.objective == second.objective
    assert first.objective in {str(vp.Ramp(theta)) for theta in SCALES}


def test_a_scale_that_is_given_is_kept(votes):
    assert choose_margin(vp.Hinge(3), votes, (), 0, 1e8) == vp.Hinge(3)


def test_too_few_rows_or_no_time_leave_the_default(votes):
    tiny = vp.Votes([[0, 1], [1, 1], [0, 1]], [0, 1, 1])
    assert choose_margin("margin", tiny, (), 0, 1e8) == vp.Ramp(DEFAULT)
    assert choose_margin("margin", votes, (), 0, 0.0) == vp.Ramp(DEFAULT)
    assert vp.prune(votes, objective="margin", method="search", time_limit=0).value is not None


def test_limits_that_only_all_rows_can_meet_do_not_disturb_the_choice(votes):
    asked = [vp.AtLeast("tp", 20), vp.AtMost("size", 3)]
    solution = vp.prune(
        votes, objective="margin", method="search", constraints=asked, random_state=0
    )
    assert solution.confusion.tp >= 20
    assert solution.committee.size <= 3
