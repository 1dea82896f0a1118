"""The front: at every size, the best value found is a committee's, and the bound holds."""

import itertools

import numpy as np
import pytest

import voteprune as vp
from instances import random_instance
from voteprune.problem.problem import Problem
from voteprune.solve import size_front


def best_by_size(problem):
    best = {}
    k = problem.n_classifiers
    for code in range(1, 2**k):
        members = [i for i in range(k) if code >> i & 1]
        found = problem.best(members)
        if found is not None:
            size = len(members)
            best[size] = max(best.get(size, found[1]), found[1])
    return best


@pytest.mark.parametrize("seed", range(24))
def test_every_size_is_solved_and_proved_on_small_pools(seed, monkeypatch):
    if seed % 2:
        monkeypatch.setattr(size_front, "TRY_SHARE", 0)  # else all of them are tried
    instance = random_instance(seed, most_classifiers=7, most_rows=30)
    problem = Problem.of(
        instance.votes, instance.objective, instance.constraints, instance.diversity
    )
    found = vp.front(
        instance.votes,
        objective=instance.objective,
        constraints=instance.constraints,
        diversity=instance.diversity,
        time_limit=20,
        random_state=0,
    )
    best, unit = best_by_size(problem), problem.gains.unit
    sizes = range(problem.size_min, min(problem.size_max, len(problem.allowed)) + 1)
    assert [size for size in found.sizes if size in best] == sorted(best)
    assert set(found.sizes) <= set(sizes)
    for point in found.points:
        if point.size not in best:
            assert point.committee is None
            assert point.bound is None
            continue
        assert point.committee.size == point.size
        assert point.value == float(best[point.size] * unit)
        assert point.optimal
    if best:
        assert found.at_most(max(sizes)).value == float(max(best.values()) * unit)


@pytest.mark.slow
def test_a_front_cut_short_still_bounds_every_size():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    votes = vp.Votes((y[:, None] ^ (rng.random((200, 40)) < 0.3)).astype(int), y)
    seen = []
    found = vp.front(
        votes, time_limit=3, random_state=0, callback=seen.append, constraints=vp.AtMost("size", 9)
    )
    assert found.sizes == tuple(range(1, 10))
    assert all(point.bound >= point.value for point in found.points)
    for earlier, later in itertools.pairwise(seen):
        for before, after in zip(earlier.points, later.points, strict=True):
            assert after.bound <= before.bound
            assert after.value >= before.value
    assert "size" in found.summary()


def test_what_a_front_cannot_do_is_refused_first():
    votes = vp.Votes([[1, 0], [0, 1], [1, 1]], [1, 0, 1])
    with pytest.raises(vp.InputError, match="objective"):
        vp.front(votes, objective="acuracy")
    with pytest.raises(vp.InputError, match="limit"):
        vp.front(votes, time_limit=1, random_state=0).at_most(0)


def test_ctrl_c_returns_the_front_so_far():
    """Every size still has a bound, and no bound is below what a committee reaches."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 60)
    votes = vp.Votes(np.where(rng.random((60, 12)) < 0.7, y[:, None], 1 - y[:, None]), y)

    def interrupt(_):
        raise KeyboardInterrupt

    cut = vp.front(votes, constraints=[vp.AtMost("size", 7)], callback=interrupt, random_state=0)
    assert cut.sizes == tuple(range(1, 8))
    best = vp.front(votes, constraints=[vp.AtMost("size", 7)], random_state=0)
    assert all(b >= v for b, v in zip(cut.bounds, best.values, strict=True))
