"""A soft problem as methods see it: limits compiled, budgets added, committees made of members."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import draw, pool
from voteprune.soft.log_odds import LARGEST, SMALLEST
from voteprune.soft.problem import Budget, Group, SoftProblem, check_penalty
from voteprune.soft.pruning import SoftPruning, check_limits, limits_of


def pruning(objective="log_loss", classes=2, requests=(), **options):
    predictions, y = pool(1, n=24, k=5, n_classes=classes)
    names = [f"c{k}" for k in range(5)]
    said = vp.Probabilities(predictions, y, names=names, **options)
    return SoftPruning.of(said, objective, requests, 0.5)


def test_requests_become_numbers():
    made = pruning(
        requests=(
            vp.AtLeast("size", 2), vp.AtMost("size", 4), vp.Require("c1"), vp.Forbid("c3"),
            vp.Budget([1, 2, 3, 4, 5], limit=9), vp.Group(["c0", "c2"], at_least=1, at_most=2),
        )
    )  # fmt: skip
    numbers = made.numbers
    assert (made.size_min, made.size_max) == (2, 4)
    assert (made.required, numbers.forbidden, made.allowed) == ((1,), (3,), (0, 1, 2, 4))
    assert [(tuple(map(int, b.costs)), int(b.limit)) for b in numbers.budgets] == [
        ((1, 2, 3, 4, 5), 9)
    ]
    assert numbers.groups == (Group((0, 2), 1, 2),)
    assert numbers.penalty == made.penalty == 0.5
    lines, limits = numbers.rows
    assert [name for name, _ in numbers.row_names] == [
        "size_max", "size_min", "cost", "at_most", "at_least",
    ]  # fmt: skip
    assert limits.tolist() == [4, -2, 9, 2, -1]
    assert lines.tolist() == [
        [1] * 5, [-1] * 5, [1, 2, 3, 4, 5], [1, 0, 1, 0, 0], [-1, 0, -1, 0, 0],
    ]  # fmt: skip
    plain = pruning().numbers
    assert plain.rows[1].tolist() == [5]
    assert plain.row_names == (("size_max", 0),)


def test_one_more_budget_is_kept_beside_the_others():
    made = pruning(requests=(vp.Budget([1, 1, 1, 1, 1], limit=4), vp.AtMost("size", 4)))
    loss = made.loss
    inner = made.within(vp.Budget([1, 2, 3, 9, 1], limit=4))
    assert len(inner.numbers.budgets) == 2
    assert inner.numbers.budgets[1].limit == 4
    assert inner.numbers.forbidden == (3,)
    assert inner.size_max == 3
    assert len(inner.requests) == 3
    assert inner.loss is loss
    assert made.with_requests(()).numbers.budgets == ()
    assert made.with_requests(()).penalty == 0.5


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("objective", ["log_loss", "pool_log_loss", "brier"])
def test_members_become_a_committee_with_the_best_weights(objective, classes):
    made = pruning(objective, classes, clip=0.02)
    committee, value = made.best([3, 1, 3])
    point = made.search.fit((1, 3))
    assert set(committee.members) <= {1, 3}
    assert committee.names == tuple(f"c{k}" for k in committee.members)
    heavy = {1: point.weights[0], 3: point.weights[1]}
    assert committee.weights == tuple(heavy[k] for k in committee.members)
    assert value == -point.value / made.total
    assert made.total == 24
    assert committee.pool_size == 5
    assert committee.clip == 0.02
    assert committee.classes == made.said.classes
    free = {"log_loss": 1 if classes == 2 else classes}.get(objective, 0)
    assert len(committee.intercepts) == free
    assert committee.intercepts[: len(point.intercepts)] == tuple(point.intercepts)
    assert committee.rule == ("log_odds" if objective == "log_loss" else "linear_pool")
    share = committee.predict_proba(made.said)
    own = share[np.arange(24), made.said.labels]
    if objective != "brier":
        mean = -np.log(own).mean()
        square = made.numbers.ridge / 2 * np.square(committee.weights).sum() / 24
        assert -value == pytest.approx(mean + square, rel=1e-9)
    assert made.best([]) is None
    assert pruning(requests=(vp.AtMost("size", 1),)).best([0, 1]) is None


def test_a_member_without_weight_leaves_unless_a_limit_needs_it():
    problem = replace(draw(1, k=5), size_max=None, size_min=1)
    weights = np.array([0.0, 1.0, 0.0])
    assert problem.sitting([4, 1, 0], weights) == (1,)
    assert problem.sitting([4, 1, 0], -weights) == (4,)
    assert replace(problem, size_min=2).sitting([4, 1, 0], weights) == (1, 4)
    assert replace(problem, required=(0,)).sitting([4, 1, 0], weights) == (0, 1)
    assert problem.sitting([2], np.zeros(1)) == (2,)


def test_what_is_allowed_is_kept_at_every_edge():
    base = replace(draw(1, k=5), size_max=3, size_min=2)
    assert [base.allows(range(m)) for m in range(5)] == [False, False, True, True, False]
    assert base.allows([1, 1, 2])
    assert not replace(base, required=(4,)).allows([0, 1])
    assert not replace(base, forbidden=(1,)).allows([0, 1])
    tenths = Budget((Fraction(1, 10), Fraction(2, 10), *[Fraction(3, 10)] * 3), Fraction(3, 10))
    dear = replace(base, budgets=(tenths,))
    assert dear.allows([0, 1])
    assert not dear.allows([0, 2])
    group = replace(base, groups=(Group((0, 1, 2), 1, 2),))
    assert not group.allows([3, 4])
    assert group.allows([0, 1, 4])
    assert not group.allows([0, 1, 2])
    assert Group((0, 1), 1).allows({0, 1, 5})
    assert base.most == 3
    assert replace(base, size_max=9).most == 5
    assert replace(base, size_max=None).most == 5


def test_numbers_that_are_no_problem_are_refused():
    fine = draw(1, k=5)
    costs = tuple(map(Fraction, (1, 1, 1, 1, 0)))
    for wrong in (
        {"loss": "hinge"}, {"size_min": 0}, {"size_min": 4, "size_max": 3}, {"required": (5,)},
        {"forbidden": (-1,)}, {"budgets": (Budget(costs[:4], Fraction(1)),)},
        {"budgets": (Budget((*costs[:4], Fraction(-1)), Fraction(1)),)},
        {"groups": (Group((0, 5)),)}, {"groups": (Group((-1,)),)}, {"penalty": 0.0},
    ):  # fmt: skip
        with pytest.raises(vp.InputError):
            replace(fine, **wrong)
    for right in (
        {"size_min": 3, "size_max": 3}, {"required": (0, 4)}, {"forbidden": (0, 4)},
        {"budgets": (Budget(costs, Fraction(1)),)}, {"groups": (Group((0, 4)),)},
    ):  # fmt: skip
        assert isinstance(replace(fine, **right), SoftProblem)


def test_penalties_at_the_edges():
    for fine in (SMALLEST, 1.0, LARGEST):
        check_penalty(fine)
    for wrong in (0.0, -1.0, np.inf, np.nan, SMALLEST / 1.1, LARGEST * 1.1):
        with pytest.raises(vp.InputError, match="penalty"):
            check_penalty(wrong)
    problem = replace(draw(1, k=3), penalty=2.0, weights=np.array([0.0, 3.0, 1.0] + [0.0] * 37))
    assert problem.ridge == 4.0


def test_limits_on_criteria_are_for_the_cutoff_of_two_classes():
    requests = (vp.AtMost("size", 3), vp.AtLeast("recall", 0.5), vp.Require("c1"))
    assert [limit.what for limit in limits_of(requests)] == ["recall"]
    check_limits(requests, 2)
    check_limits(requests[:1], 3)
    with pytest.raises(vp.InputError, match="two classes"):
        check_limits(requests, 3)
    with pytest.raises(vp.InputError, match="count votes"):
        check_limits((vp.AtLeast("coverage", 0.5),), 2)


def test_an_objective_is_its_value():
    objective = pruning("brier").objective
    assert objective.name == "brier"
    assert objective.kind == "soft"
    assert objective.ceiling == 0
    for score in (-0.25, Fraction(-1, 4)):
        assert objective.reachable(score) == -0.25
        assert objective.read(score) == objective.read_above(score) == -0.25


@pytest.mark.parametrize("positive", [1, 2])
def test_limits_on_a_class_move_the_cutoff_for_the_class_of_that_label(positive):
    rng = np.random.default_rng(2)
    y = np.where(np.arange(200) % 3 == 0, 1, 2)
    said = np.clip(rng.normal(np.where(y == positive, 0.6, 0.4)[:, None], 0.2, (200, 3)), 0, 1)
    given = vp.Probabilities(said, y, positive=positive)
    for of in (1, 2):
        solution = vp.prune(given, constraints=vp.AtLeast("recall", 0.95, of=of), random_state=0)
        predicted = solution.committee.predict(given)
        assert (predicted == of)[y == of].mean() >= 0.95
    with pytest.raises(vp.InputError, match="none of the classes"):
        vp.prune(given, constraints=vp.AtLeast("recall", 0.95, of=0))
