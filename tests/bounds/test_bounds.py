"""No bound is ever below a committee it claims to bound, whatever the prices."""

import time

import numpy as np
import pytest

from instances import random_instance
from oracle import Oracle
from voteprune.bounds import Levels, closure_bound, relaxation
from voteprune.bounds.levels import HullRow, PairRow
from voteprune.problem import Problem

SEEDS = range(40)


def small(seed):
    instance = random_instance(seed, most_classifiers=6, most_rows=20)
    return Problem.of(instance.votes, instance.objective), instance


def best_by_level(problem):
    """The best value in units of every (S, L), by trying all committees."""
    best = {}
    k = problem.n_classifiers
    for code in range(1, 2**k):
        members = [i for i in range(k) if code >> i & 1]
        for level in range(len(members)):
            units = problem.units(problem.committee(members, level))
            key = len(members), level
            best[key] = max(best.get(key, units), units)
    return best


@pytest.mark.parametrize("seed", SEEDS)
def test_the_closure_bound_holds_for_every_committee(seed):
    problem, instance = small(seed)
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    assert closure_bound(problem) * problem.gains.unit >= truth.best(instance.objective)
    assert closure_bound(problem) <= problem.gains.ceiling


def test_the_closure_bound_sees_a_conflict():
    import voteprune as vp

    # The positive row's votes are a subset of the negative row's: one of them is lost.
    votes = vp.Votes([[1, 0], [1, 1], [0, 0]], [1, 0, 0])
    problem = Problem.of(votes)
    assert problem.gains.ceiling == 3
    assert closure_bound(problem) == 2


def test_gains_beyond_32_bits_still_give_a_valid_closure_bound():
    import voteprune as vp

    big = 10.0**15
    votes = vp.Votes([[1, 0], [1, 1], [0, 0]], [1, 0, 0], sample_weight=[big, big, 1.0])
    problem = Problem.of(votes, vp.Weights(tp=1, tn=1))
    bound = closure_bound(problem)
    assert 10**15 + 1 <= bound < problem.gains.ceiling


@pytest.mark.parametrize("seed", SEEDS)
def test_any_prices_at_any_level_bound_every_level(seed):
    """Random rows and random prices: nothing about them needs to be clever to be valid."""
    problem, _ = small(seed)
    levels, scale = Levels.of(problem)
    if not levels.n_patterns:
        pytest.skip("no pattern has a gain in this instance")
    rng = np.random.default_rng(seed)
    rows = [HullRow(i, levels.helps[i], 0) for i in range(levels.n_patterns)]
    for i in range(levels.n_patterns):
        left_out = levels.helps[i] & (rng.random(levels.n_classifiers) < 0.4)
        rows.append(HullRow(i, levels.helps[i] & ~left_out, int(left_out.sum())))
    for i in np.flatnonzero(levels.positive):
        rows += [
            PairRow(int(i), int(j), levels.helps[i] & levels.helps[j])
            for j in np.flatnonzero(~levels.positive)
        ]
    best = best_by_level(problem)
    pairs = levels.pairs()
    for _ in range(5):
        at = tuple(int(v) for v in pairs[rng.integers(len(pairs))])
        needs = levels.needs(*at)
        prices = rng.random(len(rows)) * levels.weights.max() * (rng.random(len(rows)) < 0.5)
        # A row that cannot hold at this level has no price there.
        for place, row in enumerate(rows):
            if isinstance(row, HullRow) and row.skipped >= needs[row.pattern]:
                prices[place] = 0.0
        bounds = scale * levels.bounds(rows, prices, at, pairs)
        for (size, level), bound in zip(pairs.tolist(), bounds, strict=True):
            assert bound >= best[size, level] - 1e-6 * max(1, abs(best[size, level]))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_relaxation_bounds_every_level_and_reports_only_valid_bounds(seed):
    problem, _ = small(seed)
    levels, scale = Levels.of(problem)
    if not levels.n_patterns:
        pytest.skip("no pattern has a gain in this instance")
    best = best_by_level(problem)
    reported = []
    pairs, bounds = relaxation.solve(
        levels,
        -np.inf,
        problem.gains.ceiling / scale,
        time.time() + 20,
        lambda bound, members: reported.append(bound),
    )
    slack = 1e-6 * max(1, abs(max(best.values())))
    for (size, level), bound in zip(pairs.tolist(), bounds, strict=True):
        assert scale * bound >= best[size, level] - slack
    assert all(scale * bound >= max(best.values()) - slack for bound in reported)
    assert reported == sorted(reported, reverse=True)


def test_the_closure_bound_gives_up_what_nobody_votes_for_and_what_everybody_does():
    import voteprune as vp

    # Calling every row positive would lose only the second, but no committee calls the first so.
    votes = vp.Votes([[0, 0], [1, 0]], [1, 0], sample_weight=[5, 1])
    problem = Problem.of(votes)
    assert problem.gains.ceiling == 6
    assert closure_bound(problem) == 1
