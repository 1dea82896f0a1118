"""The relaxation of a node: as good as it can be, for every loss and limit, and true on the way."""

import time
from dataclasses import replace

import numpy as np
import pytest

from soft_oracle import draw
from voteprune.soft import relaxation
from voteprune.soft.bound import bound_of
from voteprune.soft.curvature import Curvature
from voteprune.soft.newton import nearest
from voteprune.soft.polytope import Polytope
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.relaxation import relax

KINDS = [(c, loss) for c in (2, 3) for loss in ("log_loss", "pool_log_loss", "pool_brier")]
NOBODY = np.zeros(0, dtype=np.intp)


def case(kind, seed, limits=False, k=6, n=40):
    problem = draw(seed, n=n, k=k, classes=kind[0], loss=kind[1])
    rows = [np.ones(k)], [min(3.0, k - 1)]
    if limits:
        costs = np.random.default_rng(seed).integers(1, 4, k)
        team = np.arange(k) % 2
        rows = [np.ones(k), costs, -team], [3.0, 5.0, -1.0]
    return problem, loss_of(problem), np.array(rows[0], dtype=float), np.array(rows[1])


def start(loss, k):
    weights = np.zeros(k) if loss.total is None else np.full(k, 1 / k)
    return nearest(loss, np.zeros(loss.n_intercepts), weights, np.arange(k))


def met(problem, loss, found, inside, free, polytope):
    """The relaxation at the point that was found: what it costs with its own shares."""
    weights = np.zeros(problem.n_members)
    weights[found.point.members] = found.point.weights
    z = loss.scores(found.point.intercepts, loss.gather(np.arange(problem.n_members)), weights)
    penalty = problem.ridge / 2 * weights[inside] @ weights[inside]
    return loss.value(z) + penalty + polytope.ridge(weights[free], problem.ridge).value


def exact(problem, loss, inside, free, polytope):
    """The relaxation, in one go, where the cut-off is so near that nothing short of it will do."""
    given, near = (loss, problem.ridge, inside, free, polytope), start(loss, problem.n_members)
    value, rough = np.inf, near
    for _ in range(8):
        found = relax(*given, rough, value)
        value = met(problem, loss, found, inside, free, polytope) * (1 + 1e-8)
        rough = found.point
    return relax(*given, near, value), value


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize("seated", [False, True])
def test_bound_and_relaxation_meet(kind, limits, seated):
    problem, loss, lines, caps = case(kind, 5, limits)
    inside = np.array([1]) if seated else NOBODY
    free = np.setdiff1d(np.arange(6), inside)
    polytope = Polytope.at(lines, caps, inside, free)
    found, near = exact(problem, loss, inside, free, polytope)
    value = met(problem, loss, found, inside, free, polytope)
    assert found.bound.value <= value * (1 + 1e-9)
    assert found.bound.value >= near * (1 - 1e-6)
    assert (found.point.weights >= 0).all()
    assert ((found.shares >= 0) & (found.shares <= 1)).all()
    assert (polytope.lines @ found.shares <= polytope.limits + 1e-3).all()
    assert found.point.value == pytest.approx(value, rel=1e-6)
    np.testing.assert_array_equal(found.dual.gains, loss.dual(found.point.z).gains)
    z = loss.scores(found.point.intercepts, loss.gather(found.point.members), found.point.weights)
    np.testing.assert_allclose(found.point.z, z, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS[:3])
@pytest.mark.parametrize("newcomers", [1, 24])
def test_members_come_who_gain_more_than_their_seat_costs(kind, newcomers, monkeypatch):
    """A few at a time, and in the end everybody who matters has had a say."""
    monkeypatch.setattr(relaxation, "_NEWCOMERS", newcomers)
    problem, loss, lines, caps = case(kind, 8, k=24, n=80)
    problem = replace(problem, penalty=3.0)
    free = np.arange(24)
    polytope = Polytope.at(lines, caps, NOBODY, free)
    found, value = exact(problem, loss, NOBODY, free, polytope)
    assert found.bound.value >= value * (1 - (1e-6 if newcomers > 1 else 1e-3))
    assert found.bound.value <= value


@pytest.mark.parametrize("kind", KINDS)
def test_it_ends_at_the_cutoff_and_when_time_is_over(kind):
    problem, loss, lines, caps = case(kind, 5)
    free = np.arange(6)
    polytope = Polytope.at(lines, caps, NOBODY, free)
    near = start(loss, 6)
    whole = relax(loss, problem.ridge, NOBODY, free, polytope, near)
    dual = loss.dual(near.z)
    first = bound_of(dual, problem.ridge, NOBODY, free, polytope, loss.total).value
    at_once = relax(loss, problem.ridge, NOBODY, free, polytope, near, cutoff=first)
    assert at_once.point is near
    assert at_once.bound.value == first
    assert not at_once.shares.any()
    above = relax(loss, problem.ridge, NOBODY, free, polytope, near, cutoff=first + 1e-9)
    assert above.bound.value > first or whole.bound.value == pytest.approx(first)
    over = time.monotonic() - 1
    late = relax(loss, problem.ridge, NOBODY, free, polytope, near, deadline=over)
    assert first <= late.bound.value <= whole.bound.value + 1e-9 * abs(whole.bound.value)
    assert late.shares.any()


def test_far_from_the_cutoff_it_is_not_made_exact(monkeypatch):
    rounds = []
    minimise = relaxation.minimise
    problem, loss, lines, caps = case((2, "log_loss"), 5, n=60)
    free = np.arange(6)
    polytope = Polytope.at(lines, caps, NOBODY, free)
    value = exact(problem, loss, NOBODY, free, polytope)[1]
    monkeypatch.setattr(
        relaxation, "minimise", lambda *given: rounds.append(given) or minimise(*given)
    )
    counts = []
    for cutoff in (-1e9, np.inf, 2 * value, value):
        rounds.clear()
        relax(loss, problem.ridge, NOBODY, free, polytope, start(loss, 6), cutoff)
        counts.append(len(rounds))
    # A cut-off that the start meets takes none, one that is infinitely far away a single round.
    assert counts[:2] == [0, 1]
    assert 1 <= counts[2] < counts[3] < 12


@pytest.mark.parametrize("kind", KINDS)
def test_a_hessian_from_elsewhere_ends_at_the_same_bound(kind, monkeypatch):
    problem, loss, lines, caps = case(kind, 5)
    free = np.arange(6)
    polytope = Polytope.at(lines, caps, NOBODY, free)
    value = exact(problem, loss, NOBODY, free, polytope)[1]
    curvature = Curvature(loss, problem)
    weights = np.random.default_rng(0).exponential(size=6)
    curvature.centre(nearest(loss, np.full(loss.n_intercepts, 1.0), weights, free).z)
    monkeypatch.setattr(Curvature, "shares", lambda *_: True)
    near = start(loss, 6)
    found = relax(loss, problem.ridge, NOBODY, free, polytope, near, value, np.inf, curvature)
    assert value * (1 - 1e-6) <= found.bound.value <= value


def test_prices_of_some_rows_are_prices_of_all():
    polytope = Polytope(np.array([[1.0, 1], [-1, 0], [0, 2]]), np.ones(3))
    part = polytope.packing(np.arange(2))
    assert relaxation._all_rows(polytope, part, np.array([3.0, 4.0])).tolist() == [3, 0, 4]
    assert relaxation._all_rows(polytope, polytope, np.arange(3.0)).tolist() == [0, 1, 2]


def test_those_inside_pay_the_plain_ridge():
    part = Polytope(np.ones((1, 2)), np.array([1.0]))
    weights = np.array([2.0, 0.5, 1.5])
    made = relaxation._penalty(part, 1, 0.8)(weights)
    alone = part.ridge(weights[1:], 0.8)
    assert made.value == pytest.approx(0.8 * 4 / 2 + alone.value)
    assert made.gradient.tolist() == [0.8 * 2, *alone.gradient]
    assert made.shares.tolist() == [1.0, *alone.shares]
    np.testing.assert_allclose(made.hessian[0], [0.8, 0, 0])
    np.testing.assert_allclose(made.hessian[1:, 1:], alone.hessian)
    np.testing.assert_array_equal(made.prices, alone.prices)
