"""Margins mean what their definition says, and speak up when they are misused."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from margin_oracle import margin_value, reach_of
from voteprune.problem import margin as margin_module
from voteprune.problem.margin import check_margin, margin_of, read_margin
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


def test_scales_up_to_a_thousand_and_the_root_unless_told_otherwise():
    assert vp.Ramp(1000).theta == 1000
    assert vp.Ramp(Fraction(1, 10**9)).reach(5) == 1
    with pytest.raises(vp.InputError, match="at most 1000") as caught:
        vp.Hinge(1001)
    assert caught.value.argument == "Hinge(theta)"
    assert vp.Ramp(2).growth == Fraction(1, 2)
    assert vp.Ramp(2) == vp.Ramp(2, 0.5) != vp.Hinge(2)


@pytest.mark.parametrize("margin", [vp.Ramp(0.5), vp.Hinge(2, 0.75), vp.Ramp(3, 0), vp.Hinge(1, 1)])
def test_margins_are_read_as_they_are_written(margin):
    assert read_margin(str(margin)) == margin
    assert type(read_margin(str(margin))) is type(margin)


@pytest.mark.parametrize("text", ["ramp", "ramp(theta=)", "cliff(theta=1)", "ramp(theta=1) "])
def test_what_is_no_margin_is_not_read(text):
    with pytest.raises(vp.InputError, match="is no margin") as caught:
        read_margin(text)
    assert caught.value.argument == "objective"


def test_objectives_that_are_margins():
    assert check_margin(vp.Ramp(1)) == vp.Ramp(1)
    assert check_margin("margin") == "margin"
    for other in ("accuracy", None, vp.Weights(tp=1), int):
        assert check_margin(other) is None
    with pytest.raises(vp.InputError, match=r"Hinge needs a scale. Give Hinge\(1.0\)") as caught:
        check_margin(vp.Hinge)
    assert caught.value.argument == "objective"


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("theta", [0.25, 1, 2])
def test_worth_by_the_votes(theta, size):
    """Half a vote beyond the majority's edge is the least margin there is."""
    reach = vp.Ramp(theta).reach(size)
    for margin, floor in ((vp.Ramp(theta), -reach), (vp.Hinge(theta), -(10**9))):
        worth = margin.worth(size)
        assert worth.shape == (2, size + 1)
        for votes in range(size + 1):
            ahead = 2 * votes - (2 * (size // 2) + 1)  # in half votes
            for row, margin_here in enumerate((ahead, -ahead)):
                assert worth[row, votes] == reach + max(floor, min(reach, margin_here))


def compiled(objective, weight=None, requests=()):
    rng = np.random.default_rng(3)
    votes = vp.Votes(rng.integers(0, 2, (12, 5)), np.arange(12) % 2, sample_weight=weight)
    return Problem.of(votes, objective, requests)


def test_units_are_those_of_accuracy_cut_finer():
    problem = compiled(vp.Ramp(1.5), np.arange(1, 13) / 2)
    objective = problem.objective
    assert (objective.kind, objective.name) == ("margin", "ramp(theta=1.5)")
    assert objective.gains.step == 1
    accuracy = compiled("accuracy", np.arange(1, 13) / 2).gains
    for part in ("base", "ceiling", "net"):
        finer, coarse = getattr(objective.gains, part), getattr(accuracy, part)
        assert np.all(finer * objective.gains.unit == coarse * accuracy.unit)
    total = sum(problem.patterns.totals)
    assert objective.row_units * total * objective.gains.unit == 1
    for size in range(1, 6):
        whole = 2 * objective.margin.reach(size)
        assert objective.row_units % whole == 0
        assert objective.factor(size) == objective.row_units // whole
        reach = objective.margin.reach(size)
        assert objective.least_loss(size) == Fraction(reach + 1, 2 * reach)
    counts = problem.counts([0, 2, 3])
    committee = problem.committee([0, 2, 3], 1)
    assert objective.score_counts(problem.patterns, counts, 3) == problem.score(committee)


def test_members_who_may_not_sit_or_decide_so_have_no_best():
    problem = compiled(vp.Ramp(1), requests=[vp.AtLeast("recall", 1), vp.AtLeast("specificity", 1)])
    assert all(problem.best([k]) is None for k in range(5))
    assert problem.objective.best(problem, [0, 1]) is None


def test_an_objective_that_all_meet_alike_is_flat():
    problem = compiled(vp.Ramp(1))
    flat = problem.objective.constant(problem.patterns)
    assert (flat.flat, problem.objective.flat) == (True, False)
    assert flat.ceiling == 0
    assert flat.score(problem, problem.committee([0, 1, 2], 1)) == 0
    assert not flat.allows(problem.committee([0, 1, 2], 0))
    assert flat.margin == problem.objective.margin


def test_on_other_rows_it_is_the_same_margin():
    problem, other = compiled(vp.Hinge(2)), compiled(vp.Ramp(1), np.arange(1, 13) / 4)
    there = problem.objective.on(other.patterns)
    assert there.margin == vp.Hinge(2)
    assert there.row_units * sum(other.patterns.totals) * there.gains.unit == 1


def test_margins_that_no_float_holds_are_refused(monkeypatch):
    problem = compiled(vp.Ramp(1))
    scale = problem.objective.ceiling
    monkeypatch.setattr(margin_module, "_MOST_DIGITS", scale)
    compiled(vp.Ramp(1))
    monkeypatch.setattr(margin_module, "_MOST_DIGITS", scale - 1)
    with pytest.raises(vp.InputError, match="on 5 classifiers needs larger numbers") as caught:
        compiled(vp.Ramp(1))
    assert caught.value.argument == "objective"


def test_only_problems_with_a_margin_have_one():
    problem = compiled(vp.Ramp(1))
    assert margin_of(problem) is problem.objective
    with pytest.raises(AssertionError):
        margin_of(compiled("accuracy"))
