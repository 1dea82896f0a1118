"""The dots are the values, the line is the bounds, and full dots are proved."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import voteprune as vp
from heuristics.test_laws import pool


@pytest.fixture
def front():
    return SimpleNamespace(
        sizes=(1, 2, 3, 4),
        values=(0.8, None, 0.9, 0.91),
        bounds=(0.8, 0.85, 0.95, 0.91),
        objective="balanced_accuracy",
        by="size",
        minimised=False,
    )


def test_what_is_drawn_is_the_front(front):
    display = vp.FrontDisplay.from_front(front)
    assert display.bound_line_.get_xydata().tolist() == [[1, 0.8], [2, 0.85], [3, 0.95], [4, 0.91]]
    assert display.proved_.get_xydata().tolist() == [[1, 0.8], [4, 0.91]]
    found = display.found_.get_xydata()
    assert found[:, 0].tolist() == [2, 3]
    assert np.isnan(found[0, 1])
    assert found[1, 1] == 0.9
    assert display.ax_.get_ylabel() == "balanced accuracy"


def test_sizes_without_any_committee_leave_a_gap(front):
    front.values, front.bounds = (None, 0.8, 0.9, 0.9), (None, 0.9, 0.9, 0.9)
    display = vp.FrontDisplay.from_front(front)
    assert np.isnan(display.bound_line_.get_ydata()[0])
    assert display.proved_.get_xdata().tolist() == [3, 4]


def test_facts_that_do_not_fit_are_refused(front):
    front.bounds = (0.8,)
    with pytest.raises(vp.InputError, match="one length"):
        vp.FrontDisplay.from_front(front)


@pytest.mark.slow
def test_a_solution_shows_the_front_of_its_own_problem():
    votes = pool().select(range(7))
    limits = {"objective": "balanced_accuracy", "constraints": [vp.AtMost("size", 5)]}
    solution = vp.prune(votes, random_state=0, **limits)
    display = vp.FrontDisplay.from_solution(solution, time_limit=20)
    assert display.sizes.tolist() == [1, 2, 3, 4, 5]
    assert np.nanmax(display.values) == solution.value
    assert (display.bounds >= display.values).all()
    same = vp.FrontDisplay.from_front(vp.front(votes, time_limit=20, random_state=0, **limits))
    assert same.values.tolist() == display.values.tolist()


def test_a_solution_from_a_file_does_not_know_its_votes():
    solution = vp.prune(pool(), method="full")
    with pytest.raises(vp.InputError, match="front"):
        vp.FrontDisplay.from_solution(vp.Solution.from_json(solution.to_json()))


def test_a_front_by_cost_is_drawn_as_steps(tmp_path):
    points = tuple(
        vp.FrontPoint(1, None, value, bound, price=Fraction(cost))
        for cost, value, bound in ((1, None, 0.7), (2, 0.75, 0.75), (5, 0.8, 0.9))
    )
    drawn = vp.FrontDisplay.from_front(vp.Front("accuracy", points, 1.0, "price", Fraction(8)))
    assert drawn.bound_line_.get_xydata().tolist() == [[1, 0.7], [2, 0.75], [5, 0.9], [8, 0.9]]
    assert drawn.bound_line_.get_drawstyle() == "steps-post"
    assert drawn.proved_.get_xydata().tolist() == [[2, 0.75]]
    assert drawn.found_.get_xydata()[1].tolist() == [5, 0.8]
    assert drawn.ax_.get_xlabel() == "price"
    drawn.save(tmp_path / "front.png")
    assert (tmp_path / "front.png").read_bytes().startswith(b"\x89PNG")


def test_the_committee_that_was_chosen_is_circled():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    votes = vp.Votes(np.where(rng.random((60, 5)) < 0.7, y[:, None], 1 - y[:, None]), y)
    for constraints in ((), vp.AtMost("size", 2)):
        solution = vp.prune(votes, constraints=constraints)
        display = vp.FrontDisplay.from_solution(solution)
        (across,), (value,) = display.marked_.get_data()
        assert (across, value) == (solution.committee.size, solution.value)
    front = vp.front(votes, by=[1.0, 2.0, 3.0, 4.0, 5.0])
    point = front.points[-1]
    display = vp.FrontDisplay.from_front(front, marked=point.committee)
    assert [each[0] for each in display.marked_.get_data()] == [point.cost, point.value]
    assert vp.FrontDisplay.from_front(front).marked_ is None


def test_the_legend_has_what_is_there(front):
    def labels(front):
        return [
            text.get_text() for text in vp.FrontDisplay.from_front(front).ax_.get_legend().texts
        ]

    limit = "no committee of this size exceeds"
    assert labels(front) == ["still open", limit, "proved best", "best found"]
    front.values = front.bounds
    assert labels(front) == [limit, "proved best"]
