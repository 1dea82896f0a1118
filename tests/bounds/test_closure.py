"""The closure bound is never below a committee."""

import time
from itertools import product

import numpy as np
import pytest

import voteprune as vp
from instances import drawn, random_instance
from oracle import Oracle
from voteprune.bounds import closure as module
from voteprune.bounds.closure import (
    bound_by_closure,
    capacities,
    closure,
    closure_bound,
    conflicts,
    sides_wanted,
)
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run

SEEDS = range(16)


def small(seed):
    instance = random_instance(seed, most_classifiers=6, most_rows=20)
    return Problem.of(instance.votes, instance.objective), instance


@pytest.mark.parametrize("seed", SEEDS)
def test_the_closure_bound_holds_for_every_committee(seed):
    problem, instance = small(seed)
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    assert closure_bound(problem) * problem.gains.unit >= truth.best(instance.objective)
    assert closure_bound(problem) <= problem.gains.ceiling


def test_the_closure_bound_sees_a_conflict():
    # The positive row's votes are a subset of the negative row's: one of them is lost.
    votes = vp.Votes([[1, 0, 0], [1, 1, 0], [0, 0, 0]], [1, 0, 0])
    problem = Problem.of(votes)
    assert problem.gains.ceiling == 3
    assert closure_bound(problem) == 2


def test_gains_beyond_32_bits_still_give_a_valid_closure_bound():
    big = 10.0**15
    votes = vp.Votes([[1, 0], [1, 1], [0, 0]], [1, 0, 0], sample_weight=[big, big, 1.0])
    problem = Problem.of(votes, vp.Weights(tp=1, tn=1))
    bound = closure_bound(problem)
    assert 10**15 + 1 <= bound < problem.gains.ceiling


def test_the_closure_bound_gives_up_what_nobody_votes_for_and_what_everybody_does():
    # Calling every row positive would lose only the second, but no committee calls the first so.
    votes = vp.Votes([[0, 0], [1, 0]], [1, 0], sample_weight=[5, 1])
    problem = Problem.of(votes)
    assert problem.gains.ceiling == 6
    assert closure_bound(problem) == 1


def told_apart(problem):
    """The bound from its definition: the best decisions that no vote count forbids, all tried."""
    net, matrix = problem.gains.net, problem.patterns.matrix[:, list(problem.allowed)]
    used = np.flatnonzero(net != 0).tolist()
    pairs = [
        (p, q) for p in used for q in used
        if net[p] > 0 > net[q] and (matrix[p] <= matrix[q]).all()
    ]  # fmt: skip
    best = None
    for values in product((False, True), repeat=len(used)):
        called = dict(zip(used, values, strict=True))
        never = (called[p] and not matrix[p].any() for p in used)
        always = (not called[p] and matrix[p].all() for p in used)
        if any(never) or any(always) or any(called[p] > called[q] for p, q in pairs):
            continue
        units = problem.gains.base + sum(int(net[p]) for p in used if called[p])
        best = units if best is None else max(best, units)
    return best


def alone(problem):
    """What would be left if only what nobody or everybody votes for were lost."""
    net, matrix = problem.gains.net, problem.patterns.matrix[:, list(problem.allowed)]
    hopeless = (net > 0) & ~matrix.any(axis=1) | (net < 0) & matrix.all(axis=1)
    return problem.gains.ceiling - int(np.abs(net[hopeless]).sum())


@pytest.mark.parametrize("seed", range(12))
def test_the_closure_bound_is_the_best_that_no_vote_count_forbids(seed):
    def draw(seed):
        rng = np.random.default_rng(seed)
        k, n = int(rng.integers(3, 5)), int(rng.integers(6, 10))
        weights = rng.integers(1, 4, n) if seed % 2 else np.ones(n)
        votes = vp.Votes(rng.integers(0, 2, (n, k)), np.arange(n) % 2, sample_weight=weights)
        objective = ("accuracy", vp.Weights(tp=2, tn=3), "recall")[seed % 3]
        return Problem.of(votes, objective, (vp.Forbid(0),) if seed % 5 == 0 else ())

    # Something is lost beyond what is lost alone.
    problem = drawn(seed, draw, lambda one: seed % 3 == 2 or told_apart(one) < alone(one))
    bound, flow = closure(problem)
    assert bound == closure_bound(problem) == problem.gains.floor_to_step(told_apart(problem))
    net, matrix = problem.gains.net, problem.patterns.matrix[:, list(problem.allowed)]
    through = np.zeros(len(net), dtype=object)
    for p, q, amount in flow:
        assert net[p] > 0 > net[q]
        assert (matrix[p] <= matrix[q]).all()
        assert matrix[p].any()
        assert not matrix[q].all()
        assert amount > 0
        through[p], through[q] = through[p] + amount, through[q] + amount
    assert (through <= np.abs(net)).all()
    lost = sum(amount for _, _, amount in flow)
    assert bound == problem.gains.floor_to_step(alone(problem) - lost)


def pools(n=30):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, n)
    votes = vp.Votes(rng.integers(0, 2, (n, 4)), y, sample_weight=rng.integers(1, 90, n))
    return Problem.of(votes, vp.Weights(tp=3, tn=2))


@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_capacities_are_rounded_down_where_they_are_too_large(most, monkeypatch):
    problem = pools()
    exact = closure_bound(problem)
    monkeypatch.setattr(module, "_MOST_CAPACITY", most)
    net = problem.gains.net
    capacity, unit = capacities(net)
    assert int(capacity.sum()) <= most
    for had, gain in zip(capacity.tolist(), net.tolist(), strict=True):
        assert abs(gain) - unit < had * unit <= abs(gain)
    bound, flow = closure(problem)
    assert exact <= bound <= problem.gains.ceiling
    assert all(amount % unit == 0 for _, _, amount in flow)
    assert most < 40 or flow


def test_no_capacity_is_more_than_there_is_to_lose_though_floats_cannot_tell():
    for gain in (2**61 - 1, 2**200 - 1, 3**90):
        net = np.array([gain, -gain], dtype=object)
        capacity, unit = capacities(net)
        assert (abs(gain) - unit < capacity.astype(object) * unit).all()
        assert (capacity.astype(object) * unit <= abs(gain)).all()


def all_pairs(matrix, low, high):
    return [
        (i, j) for i, p in enumerate(low) for j, q in enumerate(high)
        if (matrix[p] <= matrix[q]).all()
    ]  # fmt: skip


@pytest.mark.parametrize("block", [1, 2, 1024])
def test_pairs_are_all_there_are_however_many_are_compared_at_once(block, monkeypatch):
    rng = np.random.default_rng(1)
    matrix = rng.random((15, 4)) < 0.5
    low, high = np.arange(0, 9), np.array([14, 3, 9, 10, 0])
    for name, value in (("_BLOCK", block), ("_MOST_CELLS", 5 * block)):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            first, second = conflicts(matrix, low, high)
            assert list(zip(first, second, strict=True)) == all_pairs(matrix, low, high)
    for some, others in ((low[:0], high), (low, high[:0])):
        assert [len(part) for part in conflicts(matrix, some, others)] == [0, 0]


def test_of_too_many_pairs_some_are_left_out(monkeypatch):
    problem = pools()
    matrix, ones, zeros, _ = sides_wanted(problem)
    every = all_pairs(matrix, ones, zeros)
    assert len(every) > 4
    monkeypatch.setattr(module, "_BLOCK", 1)
    exact = closure_bound(problem)
    for most in (0, 1, 3, len(every), len(every) + 1):
        monkeypatch.setattr(module, "_MOST_EDGES", most)
        first, second = conflicts(matrix, ones, zeros)
        assert list(zip(first, second, strict=True)) == every[:most]
        assert (closure_bound(problem) == exact) or most < len(every)
        assert closure_bound(problem) >= exact


class Clock:
    """A clock that goes on by one at every look from now on."""

    def __init__(self, pace):
        self.now, self.pace = 100.0, pace

    def monotonic(self):
        self.now += self.pace
        return self.now - self.pace


def test_pairs_are_looked_for_until_the_deadline_and_not_longer(monkeypatch):
    rng = np.random.default_rng(1)
    matrix = rng.random((8, 3)) < 0.5
    some = np.arange(8)
    monkeypatch.setattr(module, "_BLOCK", 1)
    for looks in range(5):
        monkeypatch.setattr(module, "time", Clock(1.0))
        first, _ = conflicts(matrix, some, some, 100.0 + looks)
        expected = [i for i, _ in all_pairs(matrix, some, some) if i < looks]
        assert first.tolist() == expected


def test_no_more_pairs_than_can_be_paired_off_in_the_time_that_is_left(monkeypatch):
    problem = pools()
    monkeypatch.setattr(module, "time", Clock(0.0))
    monkeypatch.setattr(module, "_EDGES_PER_SECOND", 4.0)
    matrix, ones, zeros, _ = sides_wanted(problem)
    every = [(ones[i], zeros[j]) for i, j in all_pairs(matrix, ones, zeros)]
    for pairs in range(4):
        bound, flow = closure(problem, 100.0 + pairs / 2 + 0.1)
        assert {(p, q) for p, q, _ in flow} <= set(every[:pairs])
        assert bool(flow) == (pairs > 0)
        assert bound >= closure_bound(problem, 99.0 + 10**9)
    # With no time there is a bound all the same, and with all of it every pair.
    assert closure(problem, 0.0)[1] == []
    assert closure(problem)[0] == closure(problem, 100.0 + 10**7)[0] < closure(problem, 100.5)[0]


def test_the_bound_of_a_run_is_tightened_and_what_proves_it_is_recorded():
    problem = pools()
    for record in (None, []):
        run = Run(Incumbent(problem), time.monotonic() + 60, record=record)
        bound_by_closure(problem, run)
        bound, flow = closure(problem)
        assert run.incumbent.bound == bound < problem.gains.ceiling
        assert record is None or [(cut.bound, cut.flow) for cut in record] == [(bound, flow)]
