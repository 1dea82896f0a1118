"""Hessians that are shared are those of the members that are asked for."""

import numpy as np
import pytest
from scipy.optimize import minimize

from soft_oracle import draw
from voteprune.soft import curvature
from voteprune.soft.newton import fit
from voteprune.soft.problem_loss import loss_of


@pytest.mark.parametrize("most", [0, 600])
@pytest.mark.parametrize("loss", ["log_loss", "pool_log_loss"])
def test_a_shared_hessian_is_that_of_its_members(loss, most, monkeypatch):
    """Of all at once in small pools; of who was asked for so far in large ones."""
    monkeypatch.setattr(curvature, "_ALL", most)
    problem = draw(1, loss=loss)
    told = loss_of(problem)
    found = curvature.Curvature(told, problem)
    for turn in range(2):
        weights = np.full(6, (1 + turn) / 6)
        z = told.scores(np.zeros(told.n_intercepts), told.gather(np.arange(6)), weights)
        found.centre(z)
        for members in ([2, 4], [4], [0, 2, 5], [1]):
            at = np.array(members)
            assert np.allclose(found.shared(at), found.own(z, at), rtol=1e-12, atol=0)


def test_hessians_are_shared_from_a_centre_on_and_where_rows_are_many(monkeypatch):
    problem = draw(1)
    found = curvature.Curvature(loss_of(problem), problem)
    z = np.zeros(10)
    assert not found.centred
    assert not found.pays
    monkeypatch.setattr(curvature, "_CHEAP", 10 * 9)
    assert not found.shares(z, 4)
    found.centre(z)
    assert found.centred
    assert not found.shares(z, 3)
    assert found.shares(z, 4)
    for many, pays in ((10, True), (11, False)):
        monkeypatch.setattr(curvature, "_MANY", many)
        assert found.pays == pays


@pytest.mark.parametrize("most", [0, 600])
def test_a_hessian_is_made_once_for_all_or_for_who_is_new(most, monkeypatch):
    monkeypatch.setattr(curvature, "_ALL", most)
    problem = draw(1)
    told = loss_of(problem)
    found = curvature.Curvature(told, problem)
    made = []
    own = found.own
    monkeypatch.setattr(found, "own", lambda z, who: made.append(who.tolist()) or own(z, who))
    found.centre(np.zeros(len(told.weights)))
    for members in ([2, 4], [4], [2], [1, 4], [1, 2, 4]):
        found.shared(np.array(members))
    assert made == ([[0, 1, 2, 3, 4, 5]] if most else [[2, 4], [1, 2, 4]])
    found.centre(np.ones(len(told.weights)))
    found.shared(np.array([4]))
    assert made[-1] == ([0, 1, 2, 3, 4, 5] if most else [4])


@pytest.mark.parametrize("kind", ["log_loss", "pool_log_loss", "pool_brier"])
def test_some_rows_do_for_a_hessian_where_there_are_three_times_as_many(kind, monkeypatch):
    problem = draw(1, n=300, loss=kind)
    told = loss_of(problem)
    weights = np.full(6, 1 / 6)
    z = told.scores(np.zeros(told.n_intercepts), told.gather(np.arange(6)), weights)
    exact = told.derivatives(z, told.gather(np.arange(6)))[1]
    for rows, some in ((100, True), (101, False)):
        monkeypatch.setattr(curvature, "_SAMPLE", rows)
        made = curvature.Curvature(told, problem)
        found = made.own(z, np.arange(6))
        assert (made._sample is not None) == (some and kind != "pool_brier")
        assert np.allclose(found, exact, rtol=1e-9) == (made._sample is None)
        np.testing.assert_allclose(found, exact, rtol=0.6, atol=0.3 * np.abs(exact).max())
    assert curvature.Curvature(told)._sample is None


@pytest.mark.parametrize("total", [None, 1.0])
def test_a_model_is_the_loss_to_second_order(total):
    random = np.random.default_rng(0)
    root = random.normal(size=(4, 4))
    hessian, slope, place = root @ root.T, random.normal(size=4), random.normal(size=4)
    model = curvature.Model(2.5, slope, hessian, place, 1, total)
    assert (model.n_intercepts, model.total) == (1, total)
    assert model.value(place) == 2.5
    step = random.normal(size=4)
    exact = 2.5 + slope @ step + step @ hessian @ step / 2
    assert model.value(place + step) == pytest.approx(exact)
    told, bent = model.derivatives(place + step, np.zeros(0))
    np.testing.assert_allclose(told, slope + hessian @ step)
    bent += 1
    np.testing.assert_array_equal(model.derivatives(place, np.zeros(0))[1], hessian)
    np.testing.assert_array_equal(model.derivatives(place, np.zeros(0))[0], slope)
    assert model.scores(np.array([1.0]), np.zeros(0), np.array([2.0])).tolist() == [1, 2]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["log_loss", "pool_brier"])
def test_a_guess_is_the_best_of_the_model_over_the_committee(kind, classes):
    """By brute force: who leaves goes to 0, who stays moves as the quadratic model wants."""
    problem = draw(2, n=60, k=4, classes=classes, loss=kind)
    told, members = loss_of(problem), np.array([0, 2])
    point = fit(told, problem.ridge, np.array([0, 1, 3]))
    found = curvature.Curvature(told)
    found.centre(point.z)
    dual = told.dual(point.z)
    guess = found.guess(point, dual, members, problem.ridge)
    free, everybody = told.n_intercepts, np.arange(4)
    hessian = told.derivatives(point.z, told.gather(everybody))[1]
    weights = np.zeros(4)
    weights[point.members] = point.weights

    def model(theta):
        there = np.zeros(4)
        there[members] = theta[free:]
        step = np.concatenate([theta[:free] - point.intercepts, there - weights])
        square = problem.ridge / 2 * theta[free:] @ theta[free:]
        return dual.value + dual.slope @ step + step @ hessian @ step / 2 + square

    limits = [] if told.total is None else [{"type": "eq", "fun": lambda t: t[free:].sum() - 1}]
    best = minimize(
        model, np.full(free + 2, 0.5), method="SLSQP", constraints=limits,
        bounds=[(None, None)] * free + [(0, None)] * 2, options={"ftol": 1e-13, "maxiter": 300},
    )  # fmt: skip
    assert guess == pytest.approx(best.fun, rel=1e-5)
