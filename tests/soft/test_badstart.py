"""Soft committees from a bad start, search off, under every kind of limit: no bound told is below
the optimum, nothing better is lost, and the run ends there. `make proof` runs hundreds."""

import numpy as np
import pytest

from soft_badstart import LIMITS, OBJECTIVES, STARTS, faults_from_a_bad_start, soft_case


def cases(limit):
    """One problem of each loss, two and three classes."""
    for place, objective in enumerate(OBJECTIVES):
        seed = 3 * LIMITS.index(limit) + place
        yield seed, soft_case(seed, limit, objective, 2 + seed % 2)


@pytest.mark.parametrize("limit", LIMITS)
def test_the_tree_alone_ends_at_the_optimum_and_loses_nothing(limit):
    for seed, case in cases(limit):
        start = case.start(STARTS[seed % 4], seed)
        assert faults_from_a_bad_start(case, start) == []


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["size", "fewest", "several"])
def test_a_proof_that_is_killed_again_and_again_loses_nothing(limit, tmp_path):
    for seed, case in cases(limit):
        file = tmp_path / f"{seed}.npz"
        assert faults_from_a_bad_start(case, case.start("worst", seed), file) == []
        assert file.exists() or np.isinf(min(case.losses.values(), default=np.inf))
