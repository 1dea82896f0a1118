"""Margins mean what their definition says, and speak up when they are misused."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from margin_oracle import margin_value, reach_of
from voteprune.problem.problem import Problem


@pytest.mark.parametrize("growth", [0, 0.25, 0.5, 0.75, 1])
@pytest.mark.parametrize("theta", [0.01, 0.25, 0.3, 0.5, 1, 1.7, 4])
def test_the_reach_is_the_nearest_number_of_half_votes(theta, growth):
    margin = vp.Ramp(theta, growth)
    for size in (*range(1, 40), 99, 100):
        assert margin.reach(size) == reach_of(margin, size)


@pytest.mark.parametrize("kind", [vp.Ramp, vp.Hinge])
@pytest.mark.parametrize("theta", [0.2, 0.5, 1, 3])
def test_a_committee_is_worth_what_the_definition_says(kind, theta):
    rng = np.random.default_rng(5)
    matrix, labels = rng.integers(0, 2, (30, 9)), np.arange(30) % 2
    weight = rng.integers(0, 5, 30) / 4 + 0.25
    problem = Problem.of(vp.Votes(matrix, labels, sample_weight=weight), kind(theta))
    exact = [Fraction(repr(float(w))) for w in weight]
    for size in range(1, 10):
        members = rng.choice(9, size, replace=False).tolist()
        committee, units = problem.best(members)
        assert committee.threshold == size // 2
        assert units * problem.gains.unit == margin_value(
            kind(theta), matrix, labels, exact, members
        )


def test_a_small_scale_is_accuracy_by_majority():
    rng = np.random.default_rng(6)
    votes = vp.Votes(rng.integers(0, 2, (40, 7)), np.arange(40) % 2)
    problem = Problem.of(votes, vp.Ramp(0.01))
    for size in range(1, 8):
        committee, units = problem.best(list(range(size)))
        counts = problem.confusion(committee)
        assert units * problem.gains.unit == Fraction(counts.tp + counts.tn, 40)


def test_a_hinge_is_never_worth_more_than_the_ramp():
    rng = np.random.default_rng(7)
    votes = vp.Votes(rng.integers(0, 2, (40, 8)), np.arange(40) % 2)
    ramp, hinge = (Problem.of(votes, kind(1)) for kind in (vp.Ramp, vp.Hinge))
    for size in range(1, 9):
        members = list(range(size))
        assert hinge.best(members)[1] <= ramp.best(members)[1]


def test_only_a_majority_is_allowed():
    problem = Problem.of(vp.Votes([[0, 1, 1], [1, 0, 1]], [0, 1]), vp.Ramp(1))
    assert problem.allows(problem.committee([0, 1, 2], 1))
    assert not problem.allows(problem.committee([0, 1, 2], 0))


@pytest.mark.parametrize("theta", [0, -1, 1e9, float("nan"), "wide", None, True])
def test_a_scale_that_is_none_is_refused(theta):
    with pytest.raises(vp.InputError, match=r"Ramp\(theta\)"):
        vp.Ramp(theta)


def test_a_growth_that_is_no_quarter_is_refused():
    with pytest.raises(vp.InputError, match=r"Hinge\(growth\).*one of 0, 0.25, 0.5, 0.75, 1"):
        vp.Hinge(1, 0.6)


def test_margins_say_what_they_are():
    assert str(vp.Ramp(0.5)) == "ramp(theta=0.5)"
    assert str(vp.Hinge(2, 0.75)) == "hinge(theta=2, growth=0.75)"


def test_what_margins_cannot_do_is_refused_before_any_work():
    votes = vp.Votes([[0, 1], [1, 1]], [0, 1])
    for wrong, words in (
        ({"objective": vp.Ramp}, r"objective.*needs a scale"),
        ({"objective": vp.Ramp(1), "threshold": "tuned"}, "threshold.*counted from the majority"),
        ({"objective": "margin", "method": "hc-uwa"}, "method.*cannot optimise a margin"),
        ({"objective": "margin", "method": "paper"}, "method.*cannot optimise a margin"),
        (
            {"objective": vp.Ramp(1), "method": "search", "diversity": "F1-theta"},
            "diversity.*balanced accuracy",
        ),
    ):
        with pytest.raises(vp.InputError, match=f"(?s){words}"):
            vp.prune(votes, **wrong)
