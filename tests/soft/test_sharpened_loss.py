"""Curvature in place of ridge: what it rests on, and that no bound is above what is attained."""

from dataclasses import replace

import numpy as np
import pytest

from soft_oracle import committees, draw, fitted, optimum, pool, result_of
from voteprune.soft import sharpening
from voteprune.soft.bound import bound_of
from voteprune.soft.newton import Point, fit, nearest, weights_of
from voteprune.soft.polytope import Polytope
from voteprune.soft.pools import FlatterBrier
from voteprune.soft.problem import Group, SoftProblem
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.region import Region, average_curvature, least_curvature, region_of
from voteprune.soft.sharpening import Sharpened, largest_diagonal
from voteprune.soft.tree import SoftTree

SEEDS = range(4)


@pytest.fixture
def at_once(monkeypatch):
    """Let the first nodes be sharpened, and count what that does."""
    made = []
    monkeypatch.setattr(sharpening, "_PATIENCE", 1)
    monkeypatch.setattr(sharpening, "_SERVES", 3)
    build = Sharpened.__init__

    def counted(self, loss, ridge, region, decisions, centre):
        assert region.holds(decisions)
        build(self, loss, ridge, region, decisions, centre)
        made.append(float(self.units.max()))

    monkeypatch.setattr(Sharpened, "__init__", counted)
    return made


def loose(seed, limits=False):
    """A problem whose ridge is small against its rows, with as many members in doubt."""
    drawn = (draw(s, n=160, k=6, limits=limits) for s in range(100 * seed, 100 * seed + 50))
    problem = next(one for one in drawn if any(committees(one)) and one.most > 1)
    object.__setattr__(problem, "penalty", 0.3)
    return problem


def bregman(place, tangent):
    """The definition, in extended precision."""
    p, t = np.longdouble(place), np.longdouble(tangent)
    return np.logaddexp(0, p) - np.logaddexp(0, t) - (p - t) / (1 + np.exp(-t))


def test_average_curvature_is_the_definition_rounded_down():
    random = np.random.default_rng(0)
    tangents = random.normal(0, 5, 4000)
    places = tangents + random.normal(0, 1, 4000) * 10.0 ** random.uniform(-2, 1.5, 4000)
    exact = 2 * bregman(places, tangents) / (places - tangents) ** 2
    told = average_curvature(tangents, places)
    assert (told <= exact).all()
    assert (told > 0).all()
    near = np.abs(tangents) < 8
    assert (told[near] >= 0.9 * exact[near]).all()


def test_least_curvature_is_that_of_a_fine_grid():
    random = np.random.default_rng(1)
    for _ in range(200):
        first, lower = random.normal(0, 4, 2)
        last, upper = first + random.exponential(2), lower + random.exponential(4)
        tangents, places = np.meshgrid(np.linspace(first, last, 60), np.linspace(lower, upper, 60))
        grid = average_curvature(tangents, places).min()
        least = least_curvature(*(np.array([end]) for end in (first, last, lower, upper)))[0]
        # Where tangent and place nearly meet, curvature is estimated, within a thirtieth.
        assert grid * 0.96 <= least <= grid * 1.0000001 or least < grid


def test_a_diagonal_is_below_its_matrix_and_next_to_it():
    random = np.random.default_rng(2)
    columns = random.normal(size=(8, 30))
    columns[3] = columns[2] + 1e-3 * random.normal(size=30)
    matrix = columns @ columns.T
    found = largest_diagonal(matrix)
    rest = np.linalg.eigvalsh(matrix - np.diag(found))
    assert rest[0] >= 0
    assert rest[0] < 0.1
    # Twins have next to nothing, and nobody else has to go without for that.
    assert found[[2, 3]].max() < 0.01 < 0.5 < np.delete(found, [2, 3]).min()


@pytest.mark.parametrize("seed", SEEDS)
def test_all_committees_of_interest_lie_in_the_region(seed):
    """Whatever incumbent it is made for, and whatever point it is made of."""
    problem = loose(seed, limits=seed % 2 == 1)
    loss, random = loss_of(problem), np.random.default_rng(seed)
    fits = {s: fit(loss, problem.ridge, np.array(s)) for s in committees(problem)}
    costs = sorted(point.value for point in fits.values())
    for incumbent in (costs[-1], costs[len(costs) // 2], costs[0] * 1.0001):
        scope = np.zeros(6, dtype=np.int8)
        near = nearest(loss, np.zeros(1), random.exponential(0.5, 6), np.arange(6))
        region = region_of(problem, loss, scope, near, incumbent)
        for point in fits.values():
            if point.value < incumbent:
                assert region is not None
                assert ((region.lower <= point.z) & (point.z <= region.upper)).all()
                assert abs(point.intercepts[0] - region.intercept) <= region.drift


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_no_bound_is_above_a_committee_of_interest(seed):
    """At the centre and away from it, in every node with one decision more."""
    problem = loose(seed)
    loss, random = loss_of(problem), np.random.default_rng(seed)
    costs = {s: fitted(problem, s) for s in committees(problem)}
    incumbent = max(sorted(costs.values())[len(costs) // 3], 1.02 * min(costs.values()))
    scope, everybody = np.zeros(6, dtype=np.int8), np.arange(6)
    nobody = everybody[:0]
    polytope = Polytope.at(*problem.rows, nobody, everybody)
    whole = fit(loss, problem.ridge, everybody)
    region = region_of(problem, loss, scope, whole, incumbent)
    sharp = Sharpened(loss, problem.ridge, region, scope, whole.z)
    near = 0
    for scale in (0.0, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1.0):
        weights = weights_of(whole, 6) * np.exp(random.normal(0, scale, 6))
        point = nearest(sharp, whole.intercepts, weights * sharp.units, everybody)
        bound = bound_of(sharp.dual(point.z), problem.ridge, nobody, everybody, polytope)
        near += sharp.near(point.z[:-6])
        told = [bound.value, *bound.with_in, *bound.with_out]
        kept = [lambda s: True]
        kept += [lambda s, k=k: k in s for k in everybody]
        kept += [lambda s, k=k: k not in s for k in everybody]
        for value, keeps in zip(told, kept, strict=True):
            least = min((c for s, c in costs.items() if keeps(s)), default=np.inf)
            assert min(value, incumbent) <= least * (1 + 1e-9)
    assert near > 2


@pytest.mark.slow
@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize("start", ["search", "bad"])
@pytest.mark.parametrize("seed", SEEDS)
def test_trees_end_at_the_optimum_and_tell_no_bound_above_it(seed, start, limits, at_once):
    problem = loose(seed, limits)
    best, options = optimum(problem), {}
    if start == "bad":
        ranked = sorted(committees(problem), key=lambda members: fitted(problem, members))
        options = {"search": False, "incumbent": ranked[len(ranked) // 2]}
    found = SoftTree(problem, tolerance=1e-8, **options)
    told = [found.lower_bound]
    while not found.round(most_nodes=1):
        told.append(found.lower_bound)
        assert len(told) < 500
    assert max(*told, found.lower_bound) <= best * (1 + 1e-7)
    assert result_of(found).penalised_loss == pytest.approx(best, rel=3e-7)


def families(n=4000, pairs=8):
    """Pairs of members, equally good, and a ridge that hardly counts against the rows."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n)
    seen = (2.0 * y - 1)[:, None] * random.uniform(0.8, 1.0, 2 * pairs) + random.normal(
        0, 1, (n, 1)
    )
    seen += np.repeat(random.normal(0, 0.8, (n, pairs)), 2, 1)
    seen += random.normal(0, 0.6, (n, 2 * pairs))
    return SoftProblem(seen, y, np.ones(n), penalty=1.0, size_max=4)


def test_a_sharpened_tree_is_smaller_and_ends_with_the_same_committee(at_once, monkeypatch):
    problem = families()
    sharp = SoftTree(problem)
    sharp.round()
    assert made_much(at_once)
    monkeypatch.setattr(sharpening, "_PATIENCE", 10**9)
    plain = SoftTree(problem)
    plain.round()
    assert sharp.finished
    assert plain.finished
    assert result_of(sharp).members == result_of(plain).members
    assert sharp.nodes < 0.7 * plain.nodes


def made_much(made):
    """Whether a ridge was raised by half and more."""
    return bool(made) and max(made) > 1.2


def test_a_proof_that_is_written_down_is_not_sharpened(at_once):
    tree = SoftTree(families(), keep_steps=True)
    tree.round()
    assert tree.finished
    assert not at_once


@pytest.mark.slow
def test_a_region_is_not_made_where_that_would_be_late(at_once):
    problem = families(pairs=5)
    tree = SoftTree(problem)
    tree.latest = 0.0
    tree.round()
    assert tree.finished
    assert not at_once
    SoftTree(problem).round()
    assert at_once


def test_another_state_makes_regions_of_its_own(at_once):
    """Nodes from elsewhere need not be among those that a region was made for."""
    problem = families()
    tree = SoftTree(problem)
    tree.round(most_nodes=6)
    state = tree.state()
    narrow = SoftTree(problem)
    narrow.round(most_nodes=6)
    narrow.resume(state)
    while not narrow.round(most_nodes=1):
        assert narrow.lower_bound <= narrow.best.value
    tree.round()
    assert result_of(narrow).members == result_of(tree).members


def test_nodes_that_a_region_is_not_about_do_without(at_once):
    """Workers hand back nodes that may not agree on what all nodes here agree on."""
    problem, parts = families(), []
    for choice in (1, -1):
        tree = SoftTree(problem)
        root = tree.state()
        root.decisions[0, 1] = choice
        parts.append(root)
    tree.resume(parts[0])
    tree.offer((1, 3, 5, 7))
    tree.round(most_nodes=3)
    assert at_once
    tree.take_back([parts[1]])
    tree.round()
    assert tree.finished


def test_the_intercept_is_free():
    """A member that says the same of all rows, nearly, has no curvature of its own."""
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 500)
    seen = 5 + 0.1 * random.normal(y[:, None], 1.0, (500, 1))
    problem = SoftProblem(seen, y, np.ones(500), penalty=1.0)
    loss, scope = loss_of(problem), np.zeros(1, dtype=np.int8)
    whole = fit(loss, problem.ridge, np.arange(1))
    region = region_of(problem, loss, scope, whole, whole.value * 1.001)
    sharp = Sharpened(loss, problem.ridge, region, scope, whole.z)
    hessian = loss.derivatives(whole.z, loss.gather(np.arange(1)))[1]
    own = hessian[1, 1] - hessian[0, 1] ** 2 / hessian[0, 0]
    raised = (sharp.units[0] ** 2 - 1) * problem.ridge
    assert 0.2 * own < raised < own


def test_a_ridge_that_is_lost_in_roundings_is_left_alone():
    """With next to no ridge the matrix is not known well enough to take anything from it."""
    problem = families(400)
    object.__setattr__(problem, "penalty", 1e-9)
    loss, scope = loss_of(problem), np.zeros(16, dtype=np.int8)
    whole = fit(loss, problem.ridge, np.arange(16))
    region = region_of(problem, loss, scope, whole, whole.value * 1.02)
    assert region is not None
    sharp = Sharpened(loss, problem.ridge, region, scope, whole.z)
    np.testing.assert_array_equal(sharp.units, 1.0)


def test_far_from_the_centre_bounds_are_plain():
    problem = families(400)
    loss = loss_of(problem)
    whole = fit(loss, problem.ridge, np.arange(16))
    scope = np.zeros(16, dtype=np.int8)
    region = region_of(problem, loss, scope, whole, whole.value * 1.02)
    sharp = Sharpened(loss, problem.ridge, region, scope, whole.z)
    far = nearest(sharp, whole.intercepts + 50, weights_of(whole, 16) * sharp.units, np.arange(16))
    assert not sharp.near(far.z[:-16])
    plain = loss.dual(far.z[:-16])
    dual = sharp.dual(far.z)
    assert dual.base == plain.base
    np.testing.assert_array_equal(dual.gains, plain.gains)


def test_value_and_slope_are_those_of_the_sharpened_loss():
    problem = families(300)
    loss = loss_of(problem)
    whole = fit(loss, problem.ridge, np.arange(16))
    scope = np.zeros(16, dtype=np.int8)
    region = region_of(problem, loss, scope, whole, whole.value * 1.05)
    sharp = Sharpened(loss, problem.ridge, region, scope, whole.z)
    members = np.array([1, 4, 9])
    columns, weights = sharp.gather(members), np.array([0.3, 0.1, 0.7])
    z = sharp.scores(np.array([0.2]), columns, weights)
    dual = sharp.dual(z)
    slope, hessian = sharp.derivatives(z, columns)
    assert dual.value == pytest.approx(sharp.value(z), rel=1e-12)
    np.testing.assert_allclose(slope, dual.slope[[0, *(1 + members)]], rtol=1e-9, atol=1e-9)
    step = 1e-5
    for k in range(3):
        moved = weights + step * (np.arange(3) == k)
        there = sharp.scores(np.array([0.2]), columns, moved)
        ahead, _ = sharp.derivatives(there, columns)
        np.testing.assert_allclose((ahead - slope) / step, hessian[1 + k], rtol=1e-3, atol=0.05)
    point, bare = sharp.plain(Point(members, np.array([0.2]), weights, 0.0, 0.0, z), dual)
    assert bare.value == pytest.approx(loss.value(point.z), rel=1e-12)
    np.testing.assert_allclose(bare.slope, loss.dual(point.z).slope, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("score", "ridge"), [(1000.0, 1.0), (0.5, 1e-12)])
def test_a_ridge_stays_where_nothing_is_curved_or_roundings_could_use_it_up(score, ridge):
    loss = loss_of(loose(0))
    scope, rows = np.zeros(6, dtype=np.int8), np.full(len(loss.weights), score)
    region = Region(scope, rows - 0.1, rows + 0.1, 0.0, 0.1)
    assert (Sharpened(loss, ridge, region, scope, rows).units == 1).all()


def brier(seed, limits=False):
    """A problem by squared loss whose ridge is small against its rows; no members are tied."""
    said, y = pool(seed, n=60, k=6, n_classes=2 + seed % 2)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(y))
    more = {"required": (1,), "groups": (Group((0, 2, 3), 0, 1),)} if limits else {}
    return SoftProblem(said, y, weights, penalty=0.3, loss="pool_brier", size_max=3, **more)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_squared_loss_less_its_curvature_bounds_every_committee(seed):
    """Whatever point a bound is made of, on the simplex or far from it, and for any members."""
    problem, random = brier(seed), np.random.default_rng(seed)
    plain = loss_of(problem)
    gained = []
    for _ in range(6):
        members = np.sort(random.choice(6, random.integers(2, 7), replace=False))
        delta = plain.least_curvature(members)
        assert 0 < delta <= np.linalg.eigvalsh(plain.gram[np.ix_(members, members)])[0]
        flat = FlatterBrier(plain, delta)
        nobody = members[:0]
        polytope = Polytope.at(*problem.rows, nobody, members)
        best = min(
            fitted(problem, chosen)
            for chosen in committees(problem)
            if set(chosen) <= set(members.tolist())
        )
        for spread in (0.0, 1.0, 5.0):
            z = np.zeros(6)
            z[members] = random.dirichlet(np.ones(len(members))) + spread * random.normal(
                size=len(members)
            )
            dual = flat.dual(z)
            ridge = problem.ridge + 2 * delta
            bound = bound_of(dual, ridge, nobody, members, polytope, plain.total).value
            assert bound <= best + 1e-9 * abs(best)
            less = bound_of(plain.dual(z), problem.ridge, nobody, members, polytope, plain.total)
            gained.append(bound > less.value)
            # Loss and gradient of the plain loss come back.
            told, undone = plain.dual(z), flat.undone(dual, z)
            assert undone.value == pytest.approx(told.value)
            assert undone.slope == pytest.approx(told.slope)
            assert flat.value(z) == pytest.approx(told.value - delta * z @ z)
            # Of a quadratic, slope and curvature say what it is anywhere else.
            step, there = random.normal(size=len(members)), z.copy()
            there[members] += step
            slopes, hessian = flat.derivatives(z, flat.gather(members))
            assert slopes == pytest.approx(dual.slope[members])
            rise = flat.value(there) - flat.value(z)
            assert rise == pytest.approx(slopes @ step + step @ hessian @ step / 2)
    assert np.mean(gained) > 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_members_that_say_the_same_have_no_curvature_to_give(seed):
    """Rounding alone would give them some, every other time."""
    problem = brier(seed)
    answers = problem.answers.copy()
    answers[:, 1:3] = answers[:, :1]
    plain = loss_of(replace(problem, answers=answers))
    assert plain.least_curvature(np.arange(6)) == 0
    assert plain.least_curvature(np.arange(2, 6)) > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_those_who_sit_count_for_the_curvature(seed):
    """A required member is nearly another one: together they have hardly any."""
    problem, random = brier(seed), np.random.default_rng(seed)
    answers = problem.answers.copy()
    answers[:, 2] = answers[:, 1] + 1e-4 * random.normal(size=answers[:, 1].shape)
    problem = replace(problem, answers=answers, required=(1,))
    best = optimum(problem)
    tree = SoftTree(problem, incumbent=(1, 4), search=False)
    while not tree.finished:
        tree.round(most_nodes=1)
        assert tree.lower_bound <= best * (1 + 1e-9)
    assert tree.best.value == pytest.approx(best, rel=2e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_trees_by_squared_loss_end_at_the_optimum_without_search(seed, monkeypatch):
    problem = brier(seed, limits=seed % 3 == 0)
    used = []
    build = FlatterBrier.__init__

    def counted(self, plain, delta):
        build(self, plain, delta)
        used.append(delta)

    monkeypatch.setattr(FlatterBrier, "__init__", counted)
    best = optimum(problem)
    worst = max(committees(problem), key=lambda chosen: fitted(problem, chosen))
    tree = SoftTree(problem, incumbent=worst, search=False)
    while not tree.finished:
        assert tree.lower_bound <= best * (1 + 1e-9)
        tree.round(most_nodes=1)
    assert used
    assert tree.best.value == pytest.approx(best, rel=2e-6)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_derivatives_of_a_flatter_loss_are_those_of_its_values(classes):
    plain = loss_of(draw(2, n=30, k=5, classes=classes, loss="pool_brier"))
    flat, members = FlatterBrier(plain, 0.4), np.array([0, 1, 3, 4])
    columns, weights, step = flat.gather(members), np.array([0.1, 0.2, 0.3, 0.4]), 1e-5

    def value(at):
        return flat.value(flat.scores(np.zeros(0), columns, at))

    slopes, hessian = flat.derivatives(flat.scores(np.zeros(0), columns, weights), columns)
    for k, unit in enumerate(np.eye(4)):
        there, back = value(weights + step * unit), value(weights - step * unit)
        assert slopes[k] == pytest.approx((there - back) / (2 * step), rel=1e-6, abs=1e-6)
        z = flat.scores(np.zeros(0), columns, weights + step * unit)
        bend = (flat.derivatives(z, columns)[0] - slopes) / step
        np.testing.assert_allclose(bend, hessian[k], rtol=1e-4, atol=1e-4)
