"""Gains that are scaled down for floats: targets and bounds are those of the units all the same."""

import time
from dataclasses import replace

import numpy as np
import pytest

import voteprune as vp
from voteprune.bounds.margin_prices import Sizes
from voteprune.bounds.relaxation_rows import _scaled
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.tree.margins.driver import MarginsDriver
from voteprune.tree.margins.task import Result
from voteprune.tree.nogoods.driver import NogoodsDriver
from voteprune.tree.sizes.driver import SizesDriver


def large(objective="accuracy"):
    """A problem whose gains are far above what solvers are happy with, and a run that has begun."""
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    matrix = np.where(rng.random((24, 5)) < 0.65, y[:, None], 1 - y[:, None])
    weights = rng.integers(10**8, 10**9, 24).astype(float)
    problem = Problem.of(vp.Votes(matrix, y, sample_weight=weights), objective)
    run = Run(Incumbent(problem), time.monotonic() + 60)
    run.incumbent.offer([0])
    return problem, run


@pytest.mark.parametrize("driver_of", [SizesDriver, NogoodsDriver])
def test_targets_and_bounds_of_sums(driver_of):
    problem, run = large()
    driver = driver_of(problem, run)
    assert driver._scale > 1
    (task,) = driver._tasks(1, 0.0)
    target = float(np.max(task.targets if driver_of is SizesDriver else task.target))
    step = problem.gains.step
    assert target * driver._scale == pytest.approx(run.incumbent.score + step, rel=1e-12)
    (node,) = task.nodes
    bound = float(np.max(node.bounds if driver_of is SizesDriver else node.bound))
    assert bound * driver._scale == pytest.approx(run.incumbent.proved, rel=1e-12)
    before, half = run.incumbent.proved, (run.incumbent.score + run.incumbent.proved) / 2
    said = half / driver._scale
    driver._report(said, 1, *([[]] if driver_of is SizesDriver else []))
    assert run.incumbent.proved == pytest.approx(half, rel=1e-5)
    assert half <= run.incumbent.proved + step < before


def test_targets_and_bounds_of_margins():
    problem, run = large(vp.Ramp(0.5))
    driver = MarginsDriver(problem, run, run.deadline)
    _, scale = Sizes.of(problem)
    assert driver._scale == scale > 1
    (task,) = driver._tasks(1, 0.0)
    assert task.target * scale == pytest.approx(run.incumbent.score + 1, rel=1e-12)
    np.testing.assert_allclose(task.bounds * scale, float(run.incumbent.proved), rtol=1e-12)
    # What workers have bounded is what is told of the sizes from then on.
    lower = task.bounds * 0.9
    driver._take([Result(lower, task.open, ())])
    for size, told in driver.bounds.items():
        assert told == pytest.approx(float(lower[size - 1]) * scale, rel=1e-4)
        assert told < run.incumbent.proved


def test_a_limit_on_nothing_is_a_row_without_coefficients():
    row = _scaled(np.empty(0), np.empty(0), -1.0)
    assert (len(row.on_members), len(row.on_patterns), row.least) == (0, 0, -1.0)


def test_one_thread_is_one_thread_for_several_sizes(monkeypatch):
    from voteprune.run.run import Outcome
    from voteprune.strategies import exact_margin as exact

    problem, run = large(vp.Ramp(0.5))
    asked = []

    def solve_model(problem, run, build):
        asked.append(run.threads)
        return Outcome("time limit")

    monkeypatch.setattr(exact, "solve_model", solve_model)
    bounds = {2: 10**15, 3: 10**15}
    queue = exact._Queue(dict(bounds), dict(bounds), {}, {}, ("highs",))
    exact._work_on(problem, replace(run, threads=1), queue, [2, 3])
    assert asked == [1, 1]
