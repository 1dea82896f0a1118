"""Where committees of interest lie, piece by piece: each law it rests on, at its edges."""

import numpy as np
import pytest

from soft_oracle import committees, draw
from voteprune.soft import region as regions
from voteprune.soft.loss_protocol import margin
from voteprune.soft.newton import fit, nearest
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.region import (
    Region,
    average_curvature,
    curvature,
    gram,
    least_curvature,
    region_of,
    unbalanced,
)
from voteprune.soft.sharpening import Sharpened


def case(seed=0, n=120, k=6):
    problem = draw(seed, n=n, k=k)
    object.__setattr__(problem, "penalty", 0.3)
    object.__setattr__(problem, "size_max", 3)
    return problem, loss_of(problem)


def exactly(loss, intercept, weights):
    """The log loss in extended precision."""
    long = np.longdouble
    z = loss.answers.T.astype(long) @ weights.astype(long) + long(intercept)
    return loss.weights.astype(long) @ np.logaddexp(long(0), -loss.signs * z)


def test_curvature_is_the_second_derivative():
    z, step = np.linspace(-9, 9, 37), 1e-4
    soft = lambda x: np.logaddexp(0, x)  # noqa: E731
    np.testing.assert_allclose(
        curvature(z), (soft(z + step) - 2 * soft(z) + soft(z - step)) / step**2, atol=1e-6
    )
    assert curvature(np.array([0.0]))[0] == 0.25


def test_a_gram_matrix_is_the_weighted_sum_of_squares():
    random = np.random.default_rng(0)
    columns, weights = random.normal(size=(3, 9)), random.random(9)
    expected = sum(w * np.outer(c, c) for w, c in zip(weights, columns.T, strict=True))
    np.testing.assert_allclose(gram(columns, weights), expected)


@pytest.mark.parametrize("level", [1e-6, 0.01, 1.0, 7.0, 1e4])
def test_the_farthest_is_where_the_level_is_met_and_no_nearer(level):
    found = regions._farthest(level)
    assert np.exp(-found) + found - 1 >= level
    near = found * (1 - 1e-5)
    assert np.exp(-near) + near - 1 < level


def test_near_by_curvature_is_estimated_from_below_and_meets_what_is_computed():
    """On either side of where it is no longer computed, and at no distance at all."""
    tangents = np.repeat(np.linspace(-12, 12, 49), 9)
    away = np.tile([0, 1e-9, 1e-4, 0.05, 0.0999999, 0.1, 0.1000001, -0.05, -0.1], 49)
    told = average_curvature(tangents, tangents + away)
    t, u = np.longdouble(tangents), np.longdouble(np.where(away == 0, 1e-3, away))
    long = np.longdouble(0)
    rise = np.logaddexp(long, t + u) - np.logaddexp(long, t) - u / (1 + np.exp(-t))
    exact = np.where(away == 0, curvature(tangents), 2 * rise / u**2)
    big = np.abs(away) > 1e-3
    assert (told[big] <= exact[big]).all()
    assert (told <= curvature(tangents) * (1 + np.abs(away))).all()
    assert (told >= 0.93 * np.minimum(exact, curvature(tangents)))[np.abs(away) >= 0.1].all()
    assert (told >= 0.96 * curvature(tangents))[np.abs(away) < 0.1].all()


def test_the_least_is_over_both_ends_of_both_intervals():
    ends = [np.array([v]) for v in (-2.0, 1.5, -4.0, 3.0)]
    first, last, lower, upper = ends
    four = [average_curvature(t, p)[0] for t in (first, last) for p in (lower, upper)]
    assert least_curvature(*ends)[0] == min(four)
    for t in (first, last):
        two = [average_curvature(t, p)[0] for p in (lower, upper)]
        assert least_curvature(t, t, lower, upper)[0] == min(two)
        assert two[0] != two[1]


@pytest.mark.parametrize("seed", range(6))
def test_a_tangent_holds_for_intercepts_as_far_away_as_it_says(seed):
    """Out of balance it is below the loss within the drift, its edges included."""
    loss = case(seed)[1]
    random = np.random.default_rng(seed)
    weights = random.exponential(0.5, 6)
    z = loss.scores(np.array([random.normal() * 2]), loss.answers, weights)
    for middle, drift in ((0.0, 0.0), (0.7, 0.3), (-3.0, 2.0), (0.0, 50.0)):
        base, gains = unbalanced(loss, loss.tangent(z), middle, drift)
        for intercept in (middle - drift, middle, middle + drift):
            for other in (weights, weights * 0, random.exponential(1, 6), weights * 100):
                line = np.longdouble(base) - gains.astype(np.longdouble) @ other
                assert line <= exactly(loss, intercept, other)
    at = loss.tangent(z)
    own = float(np.mean(z - weights @ loss.answers))
    base, gains = unbalanced(loss, at, own, 0.0)
    assert base - gains @ weights == pytest.approx(at.value, rel=1e-9)
    # Far out the roundings of the gains count, nearby those of the base.
    exact = -at.slope[1:]
    assert (gains > exact).all()
    assert base < at.entropy + at.slope[0] * own
    wide = unbalanced(loss, at, own, 1.0)[0]
    assert wide == pytest.approx(base - abs(at.slope[0]), rel=1e-9)


def test_the_best_intercept_is_where_the_loss_is_level():
    loss = case(2)[1]
    weights = np.array([0.5, 0.1, 0.0, 0.3, 0.2, 0.9])
    for first in (-2.0, 0.3, 3.0):
        z = loss.scores(np.array([first]), loss.answers, weights)
        found, there = regions._balanced(loss, first, z)
        np.testing.assert_allclose(there, loss.scores(np.array([found]), loss.answers, weights))
        assert abs(loss.tangent(there).slope[0]) <= 1e-9 * loss.weights.sum()


@pytest.mark.parametrize("seed", range(8))
def test_with_decisions_the_region_is_about_the_committees_that_keep_them(seed):
    problem, loss = case(seed)
    random = np.random.default_rng(seed)
    scope = np.zeros(6, dtype=np.int8)
    scope[seed % 6], scope[(seed + 2) % 6] = 1, -1
    fits = {
        s: fit(loss, problem.ridge, np.array(s))
        for s in committees(problem)
        if seed % 6 in s and (seed + 2) % 6 not in s
    }
    costs = sorted(point.value for point in fits.values())
    near = nearest(loss, np.zeros(1), random.exponential(0.3, 6), np.flatnonzero(scope >= 0))
    for incumbent in (costs[-1] * 1.5, costs[len(costs) // 2], costs[0] * (1 + 1e-5)):
        region = region_of(problem, loss, scope, near, incumbent)
        assert region is not None
        assert region.scope is scope
        for point in fits.values():
            if point.value < incumbent:
                assert ((region.lower <= point.z) & (point.z <= region.upper)).all()
                assert abs(point.intercepts[0] - region.intercept) <= region.drift
    wide = region_of(problem, loss, scope, near, costs[-1] * 1.5)
    best = min(fits.values(), key=lambda point: point.value)
    small = region_of(problem, loss, scope, best, best.value * 1.001)
    assert (small.upper - small.lower).mean() < (wide.upper - wide.lower).mean()


def test_there_is_no_region_where_the_point_shows_that_nobody_is_better():
    problem, loss = case(1)
    scope = np.full(6, -1, dtype=np.int8)
    scope[1] = 1
    point = fit(loss, problem.ridge, np.array([1]))
    assert region_of(problem, loss, scope, point, point.value * (1 - 1e-3)) is None
    assert region_of(problem, loss, scope, point, point.value * (1 + 1e-3)) is not None


def test_a_region_is_as_small_as_the_loss_allows():
    """Along a single weight: it is not wider than ten times what costs less than the incumbent."""
    problem, loss = case(1, n=400)
    scope = np.full(6, -1, dtype=np.int8)
    scope[1] = 1
    point = fit(loss, problem.ridge, np.array([1]))
    above = 1.001
    region = region_of(problem, loss, scope, point, point.value * above)
    reach = 0.0
    for step in np.linspace(-0.5, 0.5, 401):
        weights = (np.arange(6) == 1) * (point.weights[0] + step)
        z = loss.scores(point.intercepts, loss.answers, weights)
        if loss.value(z) + problem.ridge / 2 * weights @ weights < point.value * above:
            reach = max(reach, np.abs(z - point.z).max())
    assert reach <= (region.upper - region.lower).max() / 2 <= 10 * reach


def test_a_node_is_held_where_it_agrees_with_all_decisions_of_the_scope():
    scope = np.array([1, -1, 0, 0], dtype=np.int8)
    region = Region(scope, np.zeros(1), np.ones(1), 0.0, 1.0)
    for decisions, held in (
        ([1, -1, 0, 0], True), ([1, -1, 1, -1], True), ([1, 0, 0, 0], False),
        ([0, -1, 0, 0], False), ([-1, -1, 0, 0], False), ([1, 1, 0, 0], False),
    ):  # fmt: skip
        assert region.holds(np.array(decisions, dtype=np.int8)) == held


@pytest.mark.parametrize("seed", range(6))
def test_a_sharpened_tangent_is_below_every_committee_of_interest_to_the_last_digit(seed):
    """With its larger ridge: base - gains w + (lambda + d) / 2 w^2 in units of each member."""
    problem, loss = case(seed, n=60)
    scope, everybody = np.zeros(6, dtype=np.int8), np.arange(6)
    whole = fit(loss, problem.ridge, everybody)
    fits = [fit(loss, problem.ridge, np.array(s)) for s in committees(problem)]
    incumbent = sorted(point.value for point in fits)[len(fits) // 2]
    region = region_of(problem, loss, scope, whole, incumbent)
    sharp = Sharpened(loss, problem.ridge, region, scope, whole.z)
    assert sharp.units.max() > 1
    near = 0
    for scale in (0.0, 1e-3, 0.02, 0.1):
        random = np.random.default_rng(seed)
        weights = whole.weights * np.exp(random.normal(0, scale, 6))
        point = nearest(sharp, whole.intercepts, weights * sharp.units, everybody)
        dual = sharp.dual(point.z)
        near += sharp.near(point.z[:-6])
        for one in fits:
            if one.value >= incumbent:
                continue
            own = np.zeros(6)
            own[one.members] = one.weights * sharp.units[one.members]
            ridge = problem.ridge / 2 * own @ own
            exact = exactly(loss, one.intercepts[0], own / sharp.units)
            exact += problem.ridge / 2 * np.longdouble(one.weights) @ one.weights
            line = np.longdouble(dual.base) - dual.gains.astype(np.longdouble) @ own + ridge
            assert line <= exact * (1 + 1e-15)
    assert near


def test_what_a_sharpened_point_adds_is_rounded_to_the_safe_side():
    """The bend alone, against fractions of the same numbers."""
    problem, loss = case(3, n=60)
    scope, everybody = np.zeros(6, dtype=np.int8), np.arange(6)
    whole = fit(loss, problem.ridge, everybody)
    region = region_of(problem, loss, scope, whole, whole.value * 1.05)
    sharp = Sharpened(loss, problem.ridge, region, scope, whole.z)
    weights = whole.weights * 1.01
    z = loss.scores(whole.intercepts, loss.answers, weights)
    base, gains = sharp._bent(loss.tangent(z), weights)
    plain, raw = unbalanced(loss, loss.tangent(z), region.intercept, region.drift)
    long, unit = np.longdouble, 2.0**-53
    np.testing.assert_allclose(
        (sharp.units**2 - 1) * problem.ridge, sharp._excess, rtol=1e-9, atol=1e-12
    )
    bent = sharp._excess.astype(long) * weights
    more = bent @ weights.astype(long) / 2
    # Nothing but the bend: what the plain tangent is charged has a test of its own.
    charged = plain + more - base
    assert 0.5 * 4 * margin(6) * 2 * more <= charged + 4 * unit * abs(plain)
    assert charged <= 2 * 4 * margin(6) * 2 * more + 4 * unit * abs(plain)
    exact = (raw.astype(long) + bent) / sharp.units
    charged = 4 * unit * np.abs(bent) / sharp.units + 16 * unit * np.abs(exact)
    assert (gains - exact >= 0.6 * charged).all()
    assert (gains - exact <= 1.4 * charged).all()


def test_what_the_ridge_is_raised_by_is_below_the_curvature_with_room_for_roundings():
    problem, loss = case(3, n=60)
    scope, everybody = np.zeros(6, dtype=np.int8), np.arange(6)
    scope[5] = -1
    whole = fit(loss, problem.ridge, everybody)
    region = region_of(problem, loss, scope, whole, whole.value * 1.05)
    sharp = Sharpened(loss, problem.ridge, region, scope, whole.z)
    width = 0.125 * (region.upper - region.lower)
    centre = whole.z.astype(np.float32)
    curves = least_curvature(centre - width, centre + width, region.lower, region.upper)
    columns = np.vstack([np.ones(len(whole.z)), loss.answers[:5]])
    made = gram(columns, loss.weights * curves * (1 - 1e-6))
    rest = made[1:, 1:] - np.outer(made[1:, 0], made[0, 1:]) / made[0, 0]
    assert sharp._excess[5] == 0
    left = np.linalg.eigvalsh(rest - np.diag(sharp._excess[:5]))
    rounding = 64 * margin(len(curves) + 6) * np.trace(made)
    assert left[0] >= 0.99 * rounding
    little = 1e-4 * problem.ridge
    assert sharp._excess[:5].min() >= -1.001 * (little + rounding)
    assert sharp._excess.max() > problem.ridge
    # And as large as can be: nearly singular along some direction.
    assert left[0] <= 0.05 * sharp._excess.max()
    # Near is within the same part of each interval, edges included.
    first, last = sharp._trusted
    np.testing.assert_allclose(last - first, 2 * width)
    for rows, near in ((first, True), (last, True), (first - 1e-9, False), (last + 1e-9, False)):
        assert sharp.near(rows) == near
        one = whole.z.copy()
        one[3] = rows[3]
        assert sharp.near(one) == near


def test_what_roundings_could_be_of_a_tangent_is_charged_in_full():
    loss = case(2)[1]
    weights = np.array([0.5, 0.1, 0.0, 0.3, 0.2, 0.9])
    z = loss.scores(np.array([0.4]), loss.answers, weights)
    at, mass = loss.tangent(z), loss.weights.sum()
    slack = 4 * margin(len(z))
    for middle, drift in ((0.0, 0.0), (0.7, 0.3), (-30.0, 2.0)):
        base, gains = unbalanced(loss, at, middle, drift)
        exact = np.longdouble(at.entropy) + np.longdouble(at.slope[0]) * middle
        exact -= np.longdouble(abs(at.slope[0])) * drift
        charged = slack * (at.entropy + mass * (1 + abs(middle) + drift))
        assert 0.8 * charged <= exact - base <= 1.2 * charged
        more = gains + at.slope[1:]
        np.testing.assert_allclose(more, loss.largest * slack * mass, rtol=0.2)


def _noted(true, to):
    """A function that notes what it was given, as it was then, and what it found."""

    def noted(*given):
        given = tuple(one.copy() if isinstance(one, np.ndarray) else one for one in given)
        found = true(*given)
        to.append((given, found.copy() if isinstance(found, np.ndarray) else found))
        return found

    return noted


def test_an_interval_is_as_wide_as_its_derivation_has_it(monkeypatch):
    """The last round again: what is to be shared, and a bound on everybody's weights, in full."""
    problem, loss = case(1, n=60)
    drifts, plains, grams, solved = [], [], [], []
    watch = (
        (regions, "unbalanced", drifts), (regions, "bound_of", plains), (regions, "gram", grams),
        (np.linalg, "cholesky", solved),
    )  # fmt: skip
    for module, name, seen in watch:
        monkeypatch.setattr(module, name, _noted(getattr(module, name), seen))
    scope = np.array([1, 0, 0, 0, 0, -1], dtype=np.int8)
    point = fit(loss, problem.ridge, np.array([0, 1, 2]))
    solved.clear()
    incumbent = point.value * 1.1
    region = region_of(problem, loss, scope, point, incumbent)
    length = np.sqrt(2 * incumbent / problem.ridge)
    heavy = min(loss.weights[loss.signs == side].max() for side in (-1, 1))
    far = incumbent / heavy + length * np.sqrt(5) * loss.largest[:5].max()
    assert drifts[0][0][2] == 0.0
    assert drifts[0][0][3] == pytest.approx(far, rel=1e-12)
    above = incumbent - plains[0][1].value
    size = (length + np.linalg.norm(point.weights)) ** 2
    (columns, _), bare = grams[-1]
    made = solved[-1][0][0]
    np.testing.assert_array_equal(columns, np.vstack([np.ones(len(point.z)), loss.answers[:5]]))
    rounding = 16 * margin(len(point.z) + 5) * np.trace(bare)
    little = max(0.01 * above / size, rounding)
    expected = bare + little * np.diag([0.0, 1, 1, 1, 1, 1])
    expected[0, 0] -= rounding
    np.testing.assert_allclose(made, expected, rtol=1e-15)
    assert made[0, 0] < bare[0, 0]
    twice = 2 * above + (little + rounding) * size
    inverse = np.linalg.inv(made)
    lever = np.einsum("ij,ik,kj->j", columns, inverse, columns)
    middle = (region.upper + region.lower) / 2
    away = (region.upper - region.lower) / 2
    exact = np.sqrt(twice * lever)
    assert (away >= exact * (1 + 4e-7) + 0.9e-9).all()
    assert (away <= exact * (1 + 6e-7) + 1.1e-9).all()
    assert region.drift >= np.sqrt(twice * inverse[0, 0]) * (1 + 4e-7)
    assert region.drift <= np.sqrt(twice * inverse[0, 0]) * (1 + 6e-7)
    weights = np.zeros(6)
    weights[:3] = point.weights
    np.testing.assert_allclose(middle, weights @ loss.answers + region.intercept, atol=1e-9)
    # Curvature of the last intervals but one, nowhere more than at their middle.
    assert (grams[-1][0][1] <= loss.weights * curvature(middle) * (1 + 1e-12)).all()
    assert len(solved) == 5
