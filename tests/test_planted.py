"""A committee planted in a large pool: no bound may ever fall below what it is worth."""

import numpy as np
import pytest

import voteprune as vp


def planted_pool(seed, n=300, k=100, size=5):
    """A hidden committee that is always right, among classifiers that are right too rarely."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    matrix = np.where(rng.random((n, k)) < 0.6, y[:, None], 1 - y[:, None])
    members = rng.choice(k, size, replace=False)
    # On every row a bare majority of the hidden members votes right.
    for row in range(n):
        right = rng.choice(size, size // 2 + 1, replace=False)
        matrix[row, members] = 1 - y[row]
        matrix[row, members[right]] = y[row]
    return matrix, y, sorted(members.tolist())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["exact", "merged", "paper"])
def test_bounds_stay_above_a_planted_committee(seed, method):
    matrix, y, members = planted_pool(seed)
    bounds = []
    solution = vp.prune(
        matrix,
        y,
        method=method,
        time_limit=2,
        random_state=seed,
        callback=lambda progress: bounds.append(progress.bound),
    )
    assert min([*bounds, solution.bound]) >= 1.0
    told = vp.prune(matrix, y, start=members, time_limit=0)
    assert (told.status, told.value) == ("optimal", 1.0)
