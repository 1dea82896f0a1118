"""Bounds of margins are what their definition says, size by size, whatever the prices are."""

from itertools import combinations

import numpy as np
import pytest

import voteprune as vp
from instances import drawn
from margin_oracle import margin_instance
from voteprune.bounds.margin_prices import Sizes
from voteprune.problem.margin import margin_of
from voteprune.problem.problem import Problem
from voteprune.tree.margins import worker
from voteprune.tree.margins.task import Task
from voteprune.tree.margins.worker import price, solve

SEEDS = range(10)


def small(seed, *, plain=False):
    """A problem on margins, half of them with members that must or must not sit."""

    def draw(seed):
        votes, request, _ = margin_instance(seed, most_classifiers=5, most_rows=14)
        k = votes.matrix.shape[1]
        asked = (vp.Require(0), vp.Forbid(k - 1)) if k > 3 and seed % 2 and not plain else ()
        return Problem.of(votes, request["objective"], asked)

    return drawn(seed, draw, lambda problem: len(problem.allowed) > 2)


def sets_of(problem, size):
    """All sets of a size that have who is required, as places among those allowed."""
    needed = {problem.allowed.index(k) for k in problem.required}
    for some in combinations(range(len(problem.allowed)), size):
        if needed <= set(some):
            yield list(some)


def worth_of(sizes, size, counts):
    """What patterns are worth at a size with so many votes each."""
    each = sizes.margin.worth(size) / (2 * sizes.margin.reach(size))
    return sizes.weights[0] * each[0][counts] + sizes.weights[1] * each[1][counts]


@pytest.mark.parametrize("seed", SEEDS)
def test_patterns_add_up_to_what_a_committee_is_worth(seed):
    problem = small(seed)
    sizes, scale = Sizes.of(problem)
    assert [problem.allowed[k] for k in sizes.required] == sorted(problem.required)
    assert list(sizes.all()) == list(
        range(max(1, len(problem.required)), min(problem.size_max, len(problem.allowed)) + 1)
    )
    for size in sizes.all():
        least, most = sizes.ranges(size)
        seen = []
        for places in sets_of(problem, size):
            counts = sizes.votes[:, places].sum(axis=1)
            seen.append(counts)
            committee = problem.committee([problem.allowed[k] for k in places], size // 2)
            told = worth_of(sizes, size, counts).sum() * scale
            assert told == pytest.approx(float(problem.score(committee)), rel=1e-9)
        np.testing.assert_array_equal(least, np.min(seen, axis=0))
        np.testing.assert_array_equal(most, np.max(seen, axis=0))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bound_is_the_best_votes_of_every_pattern_and_the_best_members(seed):
    problem = small(seed)
    sizes, _ = Sizes.of(problem)
    rng = np.random.default_rng(seed)
    for at in sizes.all():
        for prices in rng.normal(size=(2, len(sizes.votes))) * sizes.weights.sum(axis=0):
            told = sizes.bounds(prices, at)
            assert len(told) == len(sizes.all())
            for size, bound in zip(sizes.all(), told, strict=True):
                here = prices * sizes.margin.reach(at) / sizes.margin.reach(size)
                least, most = sizes.ranges(size)
                rest = sum(
                    max(
                        worth_of(sizes, size, np.full(len(here), v))[p] - here[p] * v
                        for v in range(least[p], most[p] + 1)
                    )
                    for p in range(len(here))
                )
                own = here @ sizes.votes
                members = max(own[places].sum() for places in sets_of(problem, size))
                assert bound == pytest.approx(rest + members, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pieces_are_the_least_concave_function_above(seed):
    problem = small(seed)
    sizes, _ = Sizes.of(problem)
    for size in sizes.all():
        counts, worth = sizes.corners(size)
        least, most = sizes.ranges(size)
        assert (np.diff(counts, axis=1) >= 0).all()
        np.testing.assert_array_equal(counts[:, 0], least)
        np.testing.assert_array_equal(counts[:, -1], most)
        for column in range(counts.shape[1]):
            np.testing.assert_allclose(
                worth[:, column], worth_of(sizes, size, counts[:, column]), rtol=1e-12
            )
        pieces = {p: [] for p in range(len(counts))}
        for p, length, slope in sizes.segments(size):
            pieces[p].append((length, slope))
        for p, mine in pieces.items():
            assert sum(length for length, _ in mine) == most[p] - least[p]
            slopes = [slope for _, slope in mine]
            assert slopes == sorted(slopes, reverse=True)
            assert len(set(slopes)) == len(slopes)
            every = np.arange(least[p], most[p] + 1)
            real = np.array([worth_of(sizes, size, np.full(len(counts), v))[p] for v in every])
            ends = np.cumsum([0.0, *(length for length, _ in mine)])
            high = real[0] + np.cumsum([0.0, *(length * slope for length, slope in mine)])
            hull = np.interp(every - least[p], ends, high)
            assert (hull >= real - 1e-9).all()
            for end, value in zip(ends, high, strict=True):
                assert value == pytest.approx(real[int(end)])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_prices_of_a_program_are_the_best_there_are_at_its_size(seed):
    problem = small(seed)
    sizes, _ = Sizes.of(problem)
    rng = np.random.default_rng(seed)
    for place, at in enumerate(sizes.all()):
        prices, members = price(sizes, at, np.inf)
        bound = sizes.bounds(prices, at)[place]
        for step in (1e-3, 0.1, 1.0):
            # A bound is convex in its prices: what is best nearby is best.
            other = prices + step * rng.normal(size=len(prices))
            assert sizes.bounds(other, at)[place] >= bound - 1e-7 * max(1.0, abs(bound))
        assert len(set(members)) == len(members) == at
        assert set(sizes.required.tolist()) <= set(members)


def task_of(sizes, bounds, open_sizes=None, target=-np.inf, deadline=np.inf):
    every = np.ones(len(bounds), dtype=bool)
    return Task(sizes, bounds, every if open_sizes is None else open_sizes, target, deadline, 1e9)


def test_the_highest_comes_first_and_of_equals_the_one_in_the_middle(monkeypatch):
    problem = small(3, plain=True)
    sizes, _ = Sizes.of(problem)
    listed, asked, told = list(sizes.all()), [], []
    monkeypatch.setattr(Sizes, "bounds", lambda self, prices, at: np.full(len(listed), 50.0 + at))

    def made(those, size, latest):
        assert those is sizes
        assert latest == 1e9
        asked.append(size)
        return None if size == listed[1] else (np.zeros(1), [size])

    monkeypatch.setattr(worker, "price", made)
    bounds = np.array([90.0, 100.0, *[80.0] * (len(listed) - 2)])
    share = solve(task_of(sizes, bounds, target=55.0), lambda *said: told.append(said))
    # The second has no program that could be solved, and is not asked again.
    assert asked[:2] == [listed[1], listed[0]]
    assert share.bounds.tolist() == [51.0] * len(listed)
    assert share.members == ((listed[0],),)
    assert told == [(51.0, [listed[0]])]
    assert share.open.tolist() == [False, False, *[True] * (len(listed) - 2)]
    asked.clear()
    bounds = np.array([1.0, *[70.0] * (len(listed) - 1)])
    open_sizes = np.arange(len(listed)) > 1
    solve(task_of(sizes, bounds, open_sizes, target=60.0), None)
    equals = listed[2:]
    assert asked == [equals[len(equals) // 2]]
    assert open_sizes.sum() == len(listed) - 2


def test_nothing_is_begun_after_the_deadline_or_below_the_target(monkeypatch):
    problem = small(3, plain=True)
    sizes, _ = Sizes.of(problem)
    monkeypatch.setattr(worker, "price", None)
    bounds = np.arange(len(sizes.all()), dtype=float)
    for task in (
        task_of(sizes, bounds, deadline=-np.inf),
        task_of(sizes, bounds, target=bounds.max() + 0.1),
        task_of(sizes, bounds, np.zeros(len(bounds), dtype=bool)),
    ):
        share = solve(task, None)
        np.testing.assert_array_equal(share.bounds, bounds)
        np.testing.assert_array_equal(share.open, task.open)
        assert share.members == ()


def test_a_program_without_time_has_no_prices(monkeypatch):
    problem = small(4)
    sizes, _ = Sizes.of(problem)
    limits, linprog = [], worker.linprog

    def late(*given, options, **named):
        limits.append(options["time_limit"])
        answer = linprog(*given, **named)
        answer.status = 1
        return answer

    monkeypatch.setattr(worker, "linprog", late)
    assert price(sizes, sizes.size_min, -np.inf) is None
    assert limits == [0.01]
    assert margin_of(problem).margin is sizes.margin
