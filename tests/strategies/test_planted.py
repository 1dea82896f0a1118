"""A committee planted in a large pool: no bound may ever fall below what it is worth."""

from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from voteprune.primal import first_committees as openings
from voteprune.primal.tabu import TabuSearch


def planted_pool(seed, lost, n=150, k=24, size=5):
    """A hidden committee that is right on all rows but `lost`, among classifiers that guess."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    matrix = rng.integers(0, 2, (n, k))
    members = rng.choice(k, size, replace=False)
    # On every row a bare majority of the hidden members decides.
    for row in range(n):
        right = rng.choice(size, size // 2 + (row >= lost), replace=False)
        matrix[row, members] = 1 - y[row]
        matrix[row, members[right]] = y[row]
    return matrix, y, sorted(members.tolist())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["exact", "merged", "paper"])
def test_bounds_stay_above_a_planted_committee(seed, method):
    """Nobody searches, so a bound that is too low has no good committee to hide behind."""
    matrix, y, _ = planted_pool(seed, lost=3)
    worst = [int(np.argmin((matrix == y[:, None]).sum(axis=0)))]
    bounds = []
    with (
        mock.patch.object(TabuSearch, "walk", return_value=1),
        mock.patch.object(openings, "_simple_committees", return_value=[worst]),
    ):
        solution = vp.prune(
            matrix,
            y,
            method=method,
            time_limit=60,
            random_state=seed,
            callback=lambda progress: bounds.append(progress.bound),
        )
    assert min(bounds) == solution.bound == solution.value == 147 / 150
    assert solution.status == "optimal"
    assert len(set(bounds)) > 1


def test_one_who_is_told_the_planted_committee_needs_no_time():
    matrix, y, members = planted_pool(0, lost=0)
    told = vp.prune(matrix, y, start=members, time_limit=0)
    assert (told.status, told.value) == ("optimal", 1.0)
