"""Local search alone: finds what can be found, within the limits, and claims nothing."""

import numpy as np
import pytest

import voteprune as vp
from instances import random_instance
from oracle import Oracle


@pytest.mark.parametrize("seed", range(8))
def test_small_pools_are_searched_through(seed):
    """With every kind of limit: never a committee that breaks one, and nearly always the best."""
    instance = random_instance(seed, most_classifiers=7, most_rows=30)
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    best = truth.best(instance.objective, instance.constraints, instance.diversity)
    solution = vp.prune(
        instance.votes, method="search", **instance.request(), random_state=seed, time_limit=10
    )
    assert solution.bound is None
    if best is None:
        assert solution.status in ("unknown", "infeasible")  # where counting shows it
    elif not instance.constraints and instance.diversity is None:
        assert solution.weights.value(solution.confusion) == best
    elif solution.committee is not None:
        assert solution.weights.value(solution.confusion) <= best


@pytest.mark.slow
def test_limits_rarely_keep_the_search_from_the_best():
    missed = 0
    for seed in range(60, 80):
        instance = random_instance(seed, most_classifiers=7, most_rows=30)
        truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
        best = truth.best(instance.objective, instance.constraints, instance.diversity)
        solution = vp.prune(instance.votes, method="search", **instance.request(), random_state=0)
        value = None if solution.value is None else solution.weights.value(solution.confusion)
        missed += value != best
    assert missed <= 1


@pytest.mark.slow
def test_the_same_seed_walks_the_same_way():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    matrix = np.where(rng.random((120, 15)) < 0.65, y[:, None], 1 - y[:, None])
    one, two = (vp.prune(matrix, y, method="search", random_state=4) for _ in range(2))
    assert one.committee == two.committee
    assert one.termination == "finished"
