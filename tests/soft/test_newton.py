"""Newton's method: optimal weights of every committee, from any start, and what time leaves."""

import time
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from soft_oracle import draw, fitted, penalised
from voteprune.soft import newton
from voteprune.soft.newton import fit, minimise, nearest, plain_ridge, scored, weights_of
from voteprune.soft.problem_loss import loss_of

KINDS = [(c, loss) for c in (2, 3) for loss in ("log_loss", "pool_log_loss", "pool_brier")]


def case(kind, seed=6):
    problem = draw(seed, n=30, k=5, classes=kind[0], loss=kind[1])
    return problem, loss_of(problem)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_is_optimal_and_says_what_it_costs(kind):
    problem, loss = case(kind)
    random = np.random.default_rng(0)
    starts = [None]
    for scale in (0.3, 2.0):
        weights = random.exponential(size=5) * scale
        starts.append(nearest(loss, np.full(loss.n_intercepts, 1.0), weights, np.arange(5)))
    for s in [(0,), (1, 2), (0, 2, 4), (0, 1, 2, 3, 4)]:
        for near in starts:
            members = np.array(s)
            point = fit(loss, problem.ridge, members, near)
            assert point.settled
            assert (point.weights >= 0).all()
            columns = loss.gather(members)
            z = loss.scores(point.intercepts, columns, point.weights)
            np.testing.assert_array_equal(point.z, z)
            assert point.loss == loss.value(z)
            square = problem.ridge / 2 * point.weights @ point.weights
            assert point.value == pytest.approx(point.loss + square, rel=1e-12)
            own = penalised(problem, s, point.intercepts, point.weights)
            assert point.value == pytest.approx(own, rel=1e-9)
            slope = loss.derivatives(z, columns)[0]
            free = loss.n_intercepts
            each = slope[free:] + problem.ridge * point.weights
            if loss.total is not None:
                assert point.weights.sum() == pytest.approx(loss.total, rel=1e-9)
                each = each - each[np.argmax(point.weights)]
            near_zero = 1e-5 * point.value
            assert np.abs(slope[:free]).max(initial=0) <= near_zero
            assert each.min() >= -near_zero
            assert np.abs(each * point.weights).max() <= near_zero


@pytest.mark.parametrize("classes", [2, 3])
def test_a_start_where_every_row_is_sure_and_wrong_ends_at_the_optimum_all_the_same(classes):
    """There the loss is all but a plane, and the minimum of its model out of all proportion."""
    problem = replace(draw(3, n=40, k=6, classes=classes), penalty=0.1)
    loss, members = loss_of(problem), np.array([0, 2, 5])
    best = fitted(problem, members)
    for height, weight in product((0.0, 50.0, -50.0, 1e3, -1e3), (0.0, 100.0, 1e4)):
        intercepts, weights = np.full(loss.n_intercepts, height), np.full(3, weight)
        point = minimise(loss, plain_ridge(problem.ridge), members, intercepts, weights)
        assert point.settled
        assert point.value == pytest.approx(best, rel=1e-7)


def test_what_steps_did_not_do_for_is_not_called_settled(monkeypatch):
    problem, loss = case((2, "log_loss"))
    whole = fit(loss, problem.ridge, np.arange(3))
    monkeypatch.setattr(newton, "_STEPS", 1)
    begun = fit(loss, problem.ridge, np.arange(3))
    assert not begun.settled
    while not begun.settled:
        begun = fit(loss, problem.ridge, np.arange(3), begun)
    assert begun.value == pytest.approx(whole.value, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_few_steps_do(kind, monkeypatch):
    problem, loss = case(kind)
    solved = []
    solve = newton.signed_minimum
    monkeypatch.setattr(
        newton, "signed_minimum", lambda *given: solved.append(given) or solve(*given)
    )
    for s in combinations(range(5), 3):
        solved.clear()
        point = fit(loss, problem.ridge, np.array(s))
        assert len(solved) <= (3 if kind[1] == "pool_brier" else 12)
        solved.clear()
        again = fit(loss, problem.ridge, np.array(s), point)
        assert len(solved) <= 2
        assert again.value == pytest.approx(point.value, rel=1e-11)


def test_when_time_is_over_what_there_is_is_returned_and_not_called_settled():
    problem, loss = case((2, "log_loss"))
    over, members = time.monotonic() - 1, np.arange(3)
    first = fit(loss, problem.ridge, members, None, over)
    assert not first.settled
    assert first.weights.any()
    again = fit(loss, problem.ridge, members, first, over)
    assert not again.settled
    assert again.value == pytest.approx(first.value, rel=1e-12)
    done = fit(loss, problem.ridge, members, first)
    assert done.settled
    assert done.value < first.value
    bare = minimise(loss, plain_ridge(1.0), members, np.zeros(1), np.zeros(3), deadline=over)
    assert not bare.weights.any()
    two = minimise(
        loss, plain_ridge(1.0), members, np.zeros(1), np.zeros(3), deadline=over, least=2
    )
    one = minimise(
        loss, plain_ridge(1.0), members, np.zeros(1), np.zeros(3), deadline=over, least=1
    )
    assert two.value < one.value < bare.value


def test_a_rough_answer_takes_fewer_steps_and_is_nearly_as_good(monkeypatch):
    problem, loss = case((2, "log_loss"))
    solved = []
    solve = newton.signed_minimum
    monkeypatch.setattr(
        newton, "signed_minimum", lambda *given: solved.append(given) or solve(*given)
    )
    members, penalty = np.arange(5), plain_ridge(problem.ridge)
    values, steps = [], []
    for accuracy in (1e-1, 1e-4, 1e-12):
        solved.clear()
        values.append(minimise(loss, penalty, members, np.zeros(1), np.zeros(5), accuracy).value)
        steps.append(len(solved))
    assert steps == sorted(steps)
    assert steps[0] < steps[-1]
    assert values[0] <= values[-1] * 1.2


def test_a_plain_penalty_has_its_derivatives():
    made = plain_ridge(3.0)(np.array([1.0, 2.0]))
    assert made.value == 7.5
    assert made.gradient.tolist() == [3.0, 6.0]
    assert made.hessian.tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert made.shares.tolist() == [1.0, 1.0]
    assert not len(made.prices)


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_point_has_the_weights_of_those_allowed(kind):
    _, loss = case(kind)
    weights, b = np.array([1.0, 0.0, 2.0, 5.0, 1.0]), np.full(loss.n_intercepts, 0.4)
    point = nearest(loss, b, weights, np.array([0, 1, 2]))
    assert point.members.tolist() == [0, 2]
    expected = [1.0, 2.0] if loss.total is None else [1 / 3, 2 / 3]
    np.testing.assert_allclose(point.weights, expected)
    assert weights_of(point, 5).tolist() == [expected[0], 0, expected[1], 0, 0]
    columns = loss.gather(point.members)
    np.testing.assert_array_equal(point.z, loss.scores(b, columns, point.weights))
    np.testing.assert_array_equal(scored(loss, point).z, point.z)
    alone = nearest(loss, b, weights, np.array([1]))
    if loss.total is None:
        assert not len(alone.members)
    else:
        assert alone.weights.tolist() == [1.0]
    both = nearest(loss, b, 0 * weights, np.array([1, 4]))
    assert both.weights.tolist() == ([] if loss.total is None else [0.5, 0.5])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("penalty", [1e6, 1e15, 1e30, 1e50])
def test_intercepts_move_beside_a_ridge_that_dwarfs_them(classes, penalty):
    """No weight is worth having then, and the intercepts alone give what each class weighs."""
    problem = replace(draw(3, n=40, k=4, classes=classes), penalty=penalty)
    problem = replace(problem, labels=np.minimum(np.arange(40) // 8, classes - 1))
    loss = loss_of(problem)
    mass = np.bincount(problem.labels, weights=problem.weights)
    alone = -float(mass @ np.log(mass / mass.sum()))
    for members in ([0], [0, 1, 2, 3]):
        point = fit(loss, problem.ridge, np.array(members))
        assert point.settled
        assert point.value <= alone * (1 + 1e-12)
        assert point.value == pytest.approx(alone, rel=10 / penalty + 1e-9)
