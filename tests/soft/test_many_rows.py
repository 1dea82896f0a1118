"""What is done differently with many rows, done with few: the same optimum, no bound above it."""

import time

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import committees, draw, fitted, optimum, pool, result_of
from voteprune.soft import curvature, tree
from voteprune.soft.curvature import Curvature
from voteprune.soft.newton import fit, nearest
from voteprune.soft.nodes import Pseudocosts
from voteprune.soft.polytope import Polytope
from voteprune.soft.problem_loss import loss_of, sample_of
from voteprune.soft.relaxation import relax
from voteprune.soft.tree import SoftTree

KINDS = [(c, loss) for c in (2, 3) for loss in ("log_loss", "pool_log_loss", "pool_brier")]


@pytest.fixture
def many(monkeypatch):
    """Let few rows count as many: a shared Hessian, made of some rows, as are first committees."""
    for module, name, value in (
        (curvature, "_CHEAP", 0), (curvature, "_MANY", 0), (curvature, "_SAMPLE", 12),
        (tree, "MANY_ROWS", 0), (tree, "_SAMPLE", 12),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)


def ended(problem, **options):
    """The tree at its end, and every bound that was told."""
    found = SoftTree(problem, tolerance=1e-8, **options)
    told = [found.lower_bound]
    while not found.round(most_nodes=1):
        told.append(found.lower_bound)
        assert len(told) < 500
    return found, [*told, found.lower_bound]


@pytest.mark.parametrize("start", ["search", "bad"])
@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_many_rows_end_at_the_optimum_too(kind, limits, start, many):
    drawn = (draw(s, n=40, k=5, classes=kind[0], loss=kind[1], limits=limits) for s in range(5, 50))
    problem = next(one for one in drawn if any(committees(one)))
    best, options = optimum(problem), {}
    if start == "bad":
        worst = max(committees(problem), key=lambda members: fitted(problem, members))
        options = {"search": False, "incumbent": worst}
    found, told = ended(problem, **options)
    assert max(told) <= best * (1 + 1e-7)
    assert result_of(found).penalised_loss == pytest.approx(best, rel=3e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_keeps_the_ridge_and_what_the_classes_weigh(kind):
    problem = draw(2, n=300, k=4, classes=kind[0], loss=kind[1])
    part = sample_of(problem, 60)
    carrying = np.flatnonzero(problem.weights > 0)
    assert len(part.rows) < len(carrying)
    assert part.problem.ridge == pytest.approx(problem.ridge)
    np.testing.assert_array_equal(part.problem.labels, problem.labels[carrying][part.rows])
    for label in range(kind[0]):
        whole = problem.weights[problem.labels == label].sum()
        some = part.problem.weights[part.problem.labels == label].sum()
        assert some == pytest.approx(whole)


@pytest.mark.parametrize("kind", KINDS)
def test_a_guess_is_the_fit_where_the_model_was_made(kind):
    """And where the loss is quadratic, everywhere."""
    problem = draw(2, n=60, k=4, classes=kind[0], loss=kind[1])
    loss = loss_of(problem)
    members, everybody = np.array([0, 2]), np.arange(4)
    point = fit(loss, problem.ridge, members)
    shared = Curvature(loss)
    shared.centre(point.z)
    guess = shared.guess(point, loss.dual(point.z), members, problem.ridge)
    assert guess == pytest.approx(point.value, rel=1e-9)
    if kind[1] == "pool_brier":
        far = fit(loss, problem.ridge, everybody)
        guess = shared.guess(far, loss.dual(far.z), members, problem.ridge)
        assert guess == pytest.approx(point.value, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_dual_point_knows_loss_and_slope_of_its_point(kind):
    problem = draw(3, n=30, k=4, classes=kind[0], loss=kind[1])
    loss, everybody = loss_of(problem), np.arange(4)
    random = np.random.default_rng(1)
    weights = random.dirichlet(np.ones(4))
    intercepts = random.normal(size=loss.n_intercepts)
    columns = loss.gather(everybody)
    z = loss.scores(intercepts, columns, weights)
    dual = loss.dual(z)
    assert dual.value == pytest.approx(loss.value(z), rel=1e-12)
    np.testing.assert_allclose(dual.slope, loss.derivatives(z, columns)[0], rtol=1e-9, atol=1e-9)


def test_splits_that_brought_much_on_both_sides_come_first():
    costs, members = Pseudocosts(4), np.arange(4)
    gains, shares = np.ones(4), np.array([0.5, 0.5, 0.5, 1.0])
    for member, down, up in ((0, 2.0, 2.0), (1, 3.9, 0.1), (3, 4.0, 4.0)):
        costs.note(member, False, down)
        costs.note(member, True, up)
    scores = costs.scores(members, gains, shares, 10.0)
    # Nobody has been split on 2, which counts as the average; 3 has a whole seat.
    assert np.argsort(-scores).tolist() == [2, 0, 1, 3]
    eager = costs.scores(members, np.array([1.0, 0.5, 0.5, 1.0]), shares, 10.0)
    assert np.argmax(eager) == 0
    assert np.isfinite(costs.scores(members, gains, shares, np.inf)).all()


def test_swaps_that_a_round_cut_short_go_on_in_the_next():
    """On a busy machine a round is over before the root's swaps are."""
    problem = draw(7, n=60, k=6)
    tree = SoftTree(problem, tolerance=1e-12)
    swaps, deadlines = tree.search.swaps, []

    def slow(point, deadline):
        deadlines.append(deadline)
        while len(deadlines) == 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        return point if len(deadlines) == 1 else swaps(point, deadline)

    tree.search.swaps = slow
    tree.begin()
    tree.round(time.monotonic() + 0.05)
    assert len(deadlines) == 1
    tree.round()
    assert len(deadlines) == 2
    assert tree.finished


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_bound_is_there_with_the_first_committee(seed, classes, many):
    problem = draw(seed, n=60, k=5, classes=classes)
    found = SoftTree(problem)
    found.begin()
    assert np.isfinite(found.lower_bound)
    assert found.lower_bound <= optimum(problem) * (1 + 1e-9)


@pytest.mark.parametrize("keep_steps", [False, True])
def test_an_interrupt_of_the_tree_on_some_rows_leaves_the_root_open(keep_steps, many, monkeypatch):
    problem = draw(1, n=30, k=4)
    found = SoftTree(problem, keep_steps=keep_steps)
    found.offer(max(committees(problem), key=lambda members: fitted(problem, members)))
    whole = SoftTree.round

    def stop(self, *given, **options):
        if self is not found:
            raise KeyboardInterrupt
        return whole(self, *given, **options)

    monkeypatch.setattr(SoftTree, "round", stop)
    with pytest.raises(KeyboardInterrupt):
        found.round()
    assert found.n_open == len(found.state().bounds) == 1
    assert not found.finished
    assert found.lower_bound < optimum(problem)
    found.round()
    assert result_of(found).penalised_loss == pytest.approx(optimum(problem), rel=3e-6)


def test_a_front_that_is_interrupted_there_proves_nothing(many, monkeypatch):
    said, whole = vp.Probabilities(*pool(3, n=60, k=5)), SoftTree.round

    def stop(self, *given, **options):
        if options:  # the tree on some rows
            raise KeyboardInterrupt
        return whole(self, *given, **options)

    monkeypatch.setattr(SoftTree, "round", stop)
    front = vp.front(said, objective="log_loss", constraints=vp.AtMost("size", 3), penalty=0.1)
    assert not any(point.optimal for point in front.points)


def test_no_step_is_begun_that_would_be_late(many, monkeypatch):
    """One look at all rows makes a bound; what comes after it takes longer."""
    problem = draw(3, n=60, k=5)
    loss = loss_of(problem)
    everybody, nobody = np.arange(5), np.arange(0)
    polytope = Polytope.at(*problem.rows, nobody, everybody)
    near = nearest(loss, np.zeros(1), np.full(5, 0.1), everybody)
    asked, dual = [], loss.dual
    monkeypatch.setattr(loss, "dual", lambda z: asked.append(1) or dual(z))
    given = (loss, problem.ridge, nobody, everybody, polytope, near)
    late = relax(*given, latest=time.monotonic())
    assert len(asked) == 1
    assert late.bound.value <= optimum(problem)
    assert relax(*given).bound.value > late.bound.value
