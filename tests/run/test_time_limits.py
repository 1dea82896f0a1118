"""Time limits are kept, whatever the clock on the wall says and whatever the numbers are."""

import re
import time
from pathlib import Path

import numpy as np
import pytest

import voteprune as vp

SOURCE = Path(vp.__file__).parent


def hard_pool(n=400, k=60, seed=0):
    """Votes that no method proves anything about in a few seconds."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.5
    return vp.Votes((rng.random((n, k)) < 0.6) == labels[:, None], labels)


@pytest.mark.slow
@pytest.mark.parametrize("jump", [-30.0, 30.0])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_wall_clock_that_is_set_moves_no_limit(jump, n_jobs, monkeypatch):
    true_time, began = time.time, time.monotonic()

    def jumping():
        return true_time() + (jump if time.monotonic() > began + 0.2 else 0.0)

    monkeypatch.setattr(time, "time", jumping)
    solution = vp.prune(hard_pool(), time_limit=0.6, n_jobs=n_jobs, random_state=0)
    took = time.monotonic() - began
    assert solution.termination == "time limit"
    assert 0.5 < took < 2.6
    assert solution.seconds == pytest.approx(took, abs=0.3)


def test_only_between_machines_is_the_wall_clock_looked_at():
    named = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if re.search(r"\btime\.time\b|from time import .*\btime\b", path.read_text())
    }
    assert named <= {"tree/dispatch.py"}, named - {"tree/dispatch.py"}


@pytest.mark.parametrize("seed", range(8))
def test_limits_are_kept_whatever_the_weights(seed):
    """Few rows of weights that differ by many orders of magnitude, where 0 and 1 are no answer."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(7, 12)), int(rng.choice([13, 22]))
    labels = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    matrix = rng.integers(0, 2, (n, k))
    matrix[labels == 1] &= matrix[labels == 0][0]  # nobody is right on all of them
    sizes = [[3, 10**9], [1, 10**5, 10**9 + 7], [1e-6, 1, 12345.678], [3, 10**14]][seed % 4]
    objective = ["jaccard", "f1", "mcc", "gmean", "precision", "f2"][seed % 6]
    began = time.monotonic()
    solution = vp.prune(
        matrix, labels, sample_weight=rng.choice(sizes, n), objective=objective, time_limit=0.25,
        random_state=0,
    )  # fmt: skip
    assert time.monotonic() - began < 3
    assert solution.value <= solution.bound
