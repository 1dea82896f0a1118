"""Any point bounds every committee: the dual of each loss, from points good and bad."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from soft_oracle import draw, fitted
from voteprune.soft.bound import Bound, bound_of
from voteprune.soft.loss_protocol import Dual, margin
from voteprune.soft.newton import fit
from voteprune.soft.polytope import Polytope
from voteprune.soft.problem_loss import loss_of

KINDS = [(c, loss) for c in (2, 3) for loss in ("log_loss", "pool_log_loss", "pool_brier")]
NOBODY = np.zeros(0, dtype=np.intp)


@pytest.mark.parametrize("kind", KINDS)
def test_every_point_bounds_every_committee_and_the_best_point_its_own(kind):
    problem = draw(2, n=24, k=4, classes=kind[0], loss=kind[1])
    loss, random = loss_of(problem), np.random.default_rng(0)
    sets = [s for m in range(1, 5) for s in combinations(range(4), m)]
    values = {s: fitted(problem, s) for s in sets}
    for _ in range(20):
        weights = random.exponential(size=4) * random.choice([0.1, 1, 10])
        if loss.total is not None:
            weights /= weights.sum()
        intercepts = random.normal(size=loss.n_intercepts) * 3
        dual = loss.dual(loss.scores(intercepts, loss.gather(np.arange(4)), weights))
        for seats in range(1, 5):
            polytope = Polytope(np.ones((1, 4)), np.array([float(seats)]))
            bound = bound_of(dual, problem.ridge, NOBODY, np.arange(4), polytope, loss.total)
            for s in sets:
                if len(s) <= seats:
                    assert bound.value <= values[s] * (1 + 1e-8)
                    for k in range(4):
                        told = bound.with_in[k] if k in s else bound.with_out[k]
                        assert told <= values[s] * (1 + 1e-8)
    for s in sets:
        members = np.array(s)
        point = fit(loss, problem.ridge, members)
        assert point.value == pytest.approx(values[s], rel=3e-7)
        alone = Polytope(np.ones((1, 0)), np.zeros(1))
        own = bound_of(loss.dual(point.z), problem.ridge, members, NOBODY, alone, loss.total)
        assert own.value <= point.value
        assert own.value == pytest.approx(point.value, rel=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_wrong_intercept_is_repaired(classes):
    """Rare classes make the intercept large, and then a dual point out of balance lies."""
    problem = draw(2, n=24, k=4, classes=classes)
    weights = problem.weights * np.where(problem.labels == 0, 30.0, 1.0)
    loss, members = loss_of(replace(problem, weights=weights)), np.arange(4)
    ridge = replace(problem, weights=weights).ridge
    point = fit(loss, ridge, members)
    alone = Polytope(np.ones((1, 0)), np.zeros(1))
    for shift in (-0.3, -0.05, 0.05, 0.3):
        z = loss.scores(point.intercepts + shift, loss.gather(members), point.weights)
        assert bound_of(loss.dual(z), ridge, members, NOBODY, alone).value <= point.value


def exact_bounds(dual, ridge, price, inside, allowed_sets):
    """What the dual point says of every set, in fractions: the base, less mu, less what sits."""
    g, base, mu, lam = map(_fractions, (dual.gains, [dual.base], [price], [ridge]))
    phi = [max(Fraction(0), gain - mu[0]) ** 2 / (2 * lam[0]) for gain in g]
    return {s: base[0] - mu[0] - sum(phi[k] for k in (*inside, *s)) for s in allowed_sets}


def _fractions(numbers):
    return [Fraction(float(number)) for number in numbers]


@pytest.mark.parametrize("seed", range(12))
def test_bounds_are_below_the_dual_to_the_last_digit_and_next_to_it(seed):
    """Large and small gains beside each other, a size limit alone and rows besides, any mu."""
    random = np.random.default_rng(seed)
    k, ridge = 7, float(random.choice([1e-3, 0.7, 50.0]))
    gains = random.normal(size=k) * 10.0 ** random.integers(-9, 3, k)
    dual = Dual(float(random.normal()) * 10.0 ** random.integers(-6, 6), gains, 0.0, gains)
    order = random.permutation(k)
    inside, free = np.sort(order[: seed % 3]), np.sort(order[seed % 3 :])
    lines, limits = np.ones((1, len(free))), np.array([float(1 + seed % 4)])
    if seed % 2:
        lines = np.vstack([lines, random.integers(0, 3, len(free))])
        limits = np.append(limits, 3.0)
    polytope = Polytope(lines, limits)
    total = 1.0 if seed % 4 > 1 else None
    shares = random.random(len(free)) if seed % 8 > 3 else None
    bound = bound_of(dual, ridge, inside, free, polytope, total, shares)
    assert (bound.price == 0) == (total is None)
    sets = [
        tuple(free[list(s)])
        for m in range(int(limits[0]) + 1)
        for s in combinations(range(len(free)), m)
        if (lines[:, list(s)].sum(axis=1) <= limits).all()
    ]
    exact = exact_bounds(dual, ridge, bound.price, inside, sets)
    size = Fraction(abs(dual.base)) + Fraction(abs(bound.price)) + abs(min(exact.values()))
    assert Fraction(bound.value) <= min(exact.values())
    if len(lines) == 1:
        assert Fraction(bound.value) >= min(exact.values()) - size / 10**12
    for place, member in enumerate(free):
        for side, told in ((True, bound.with_in[place]), (False, bound.with_out[place])):
            own = [value for s, value in exact.items() if (member in s) == side]
            if own:
                assert Fraction(float(told)) <= min(own)
            if own and len(lines) == 1:
                # Of whoever does not sit in the best set, or does, it tells what the swap costs.
                assert Fraction(float(told)) >= min(own) - size / 10**12


def test_what_roundings_could_be_is_charged_in_full():
    """Sixteen units of all that is summed up, as many of every value, and margins of both sums."""
    random, unit = np.random.default_rng(3), Fraction(2) ** -53
    inside, free, ridge = np.array([1, 4]), np.array([0, 2, 3, 5, 6]), 0.7
    for turn in range(12):
        gains = random.exponential(size=7)
        dual = Dual(float(random.normal()) * 10.0 ** (turn % 3 - 1), gains, 0.0, gains)
        polytope = Polytope(np.ones((1, 5)), np.array([2.0]))
        bound = bound_of(dual, ridge, inside, free, polytope, 1.0 if turn % 2 else None)
        mu, lam = Fraction(bound.price), Fraction(ridge)
        phi = [max(Fraction(0), g - mu) ** 2 / (2 * lam) for g in _fractions(gains)]
        seated = sum(phi[k] for k in inside)
        falling = sorted((phi[k] for k in free), reverse=True)
        best = falling[0] + falling[1]
        size = abs(Fraction(dual.base)) + abs(mu) + seated + best
        charged = 16 * unit * (size + seated + best)
        charged += 4 * (Fraction(margin(2)) * seated + Fraction(margin(5)) * best)
        exact = Fraction(dual.base) - mu - seated - best
        assert Fraction(7, 10) <= (exact - Fraction(bound.value)) / charged <= Fraction(13, 10)
        for place, k in enumerate(free):
            for told, cost in (
                (bound.with_in[place], max(falling[1] - phi[k], 0)),
                (bound.with_out[place], max(phi[k] - falling[2], 0)),
            ):
                own = charged + 4 * Fraction(margin(5)) * cost
                off = exact + cost - Fraction(float(told))
                assert Fraction(1, 2) * own <= off <= 2 * own


@pytest.mark.parametrize("given", [False, True])
def test_mu_makes_the_bound_of_a_pool_highest(given):
    random = np.random.default_rng(0)
    for _ in range(20):
        gains, ridge = random.normal(size=6) * 3, float(random.exponential())
        dual = Dual(1.0, gains, 0.0, gains)
        inside, free = np.array([0, 1]), np.arange(2, 6)
        lines = np.ones((1 + given, 4))
        polytope = Polytope(lines, np.full(len(lines), 2.0))
        shares = random.random(4)
        bound = bound_of(dual, ridge, inside, free, polytope, 1.0, shares)
        if not given:
            # Under a size limit alone the largest gains have the seats.
            shares = np.isin(np.arange(4), np.argsort(-gains[free])[:2])
        over = np.maximum(gains - bound.price, 0)
        assert over[inside].sum() + shares @ over[free] == pytest.approx(ridge, rel=1e-6)


def test_where_nobody_can_sit_mu_is_the_largest_gain():
    gains = np.array([1.0, 5.0, 2.0])
    dual, nobody = Dual(1.0, gains, 0.0, gains), NOBODY
    none = Polytope(np.ones((1, 3)), np.zeros(1))
    assert bound_of(dual, 1.0, nobody, np.arange(3), none, 1.0).price == 5.0


def test_prices_of_the_rows_come_with_a_bound():
    lines = np.array([np.ones(4), [3.0, 2.0, 2.0, 0.0], [0.1] * 4])
    polytope = Polytope.at(lines, np.array([3.0, 4.0, 2.0]), NOBODY, np.arange(4))
    gains = np.array([3.0, 2.0, 2.0, 1.0])
    bound = bound_of(Dual(0.0, gains, 0.0, gains), 1.0, NOBODY, np.arange(4), polytope)
    assert polytope.tight.tolist() == [True, True, False]
    assert len(bound.prices) == 3
    assert bound.prices[1] > 0 == bound.prices[2]


def test_reduced_costs_decide_at_the_cutoff_and_tell_what_they_close():
    bound = Bound(
        1.0,
        np.array([2.0, 1.5, 3.0, 1.9, 2.5]),
        np.array([1.0, 2.0, 4.0, 1.9, 1.0]),
        0.0,
        np.zeros(0),
    )
    fixed, shut = bound.fixing(2.0)
    # Who can be neither in nor out is told to be out: then the rest is empty, too.
    assert fixed.tolist() == [-1, 1, -1, 0, -1]
    assert shut == 2.0
    assert bound.fixing(2.2)[1] == 2.5
    nothing, none = bound.fixing(5.0)
    assert not nothing.any()
    assert none == np.inf
