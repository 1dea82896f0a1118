"""Trying all committees of a size finds the best there is, under every limit and from any start."""

import math
import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from certified import write_votes
from instances import drawn, random_instance
from voteprune.numbers.exact import total
from voteprune.primal import enumeration, polish
from voteprune.primal.brute import solve_by_brute_force
from voteprune.primal.enumeration import (
    Sums,
    affordable,
    seconds_for,
    solve_small,
    try_all,
)
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.strategies import exact
from voteprune.verify import verify


def compiled(seed, most_classifiers=8):
    given = random_instance(seed, most_classifiers, 30)
    return Problem.of(given.votes, given.objective, given.constraints, given.diversity)


def optimum(problem):
    run = Run(Incumbent(problem), math.inf)
    solve_by_brute_force(problem, run)
    return run.incumbent.score


def tried(problem, start=None, cells=300):
    """The incumbent after everything was tried, a few sets and a few committees at a time."""
    incumbent = Incumbent(problem)
    if start is not None:
        incumbent.offer(start)
    with (
        mock.patch.object(enumeration, "_CELLS", cells),
        mock.patch.object(enumeration, "_JUDGED", 3),
    ):
        sizes = try_all(problem, incumbent, problem.sizes, math.inf)
    # What meets the bound ends it.
    assert sizes == problem.sizes or incumbent.closed
    return incumbent


def pool(k=26, n=120, seed=0, **weights):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.5
    labels[:2] = 0, 1
    return vp.Votes((rng.random((n, k)) < 0.65) == labels[:, None], labels, **weights)


@pytest.mark.parametrize("seed", range(30))
def test_equal_to_brute_force_under_every_limit(seed):
    problem = compiled(5000 + seed)
    assert tried(problem).score == optimum(problem)


@pytest.mark.parametrize(
    "kind", ["none", "size", "require", "forbid", "budget", "floor", "two floors", "F3", "q", "all"]
)
@pytest.mark.parametrize("seed", range(4))
def test_equal_to_brute_force_under_each_limit_from_a_bad_start(kind, seed):
    rng = np.random.default_rng(seed)
    budget = vp.Budget([round(float(c), 1) for c in rng.uniform(-0.5, 3, 9)], 4)
    floors = [vp.AtLeast("recall", 0.7), vp.AtLeast("specificity", 0.6)]
    wishes = {
        "size": [vp.AtLeast("size", 3), vp.AtMost("size", 5)],
        "require": [vp.Require(2), vp.Require(7)],
        "forbid": [vp.Forbid(0), vp.Forbid(8)],
        "budget": [budget],
        "floor": floors[:1],
        "two floors": floors,
        "all": [vp.Require(3), vp.Forbid(1), budget, floors[0], vp.AtMost("size", 6)],
    }
    diversity = {"F3": "F3", "q": vp.Diversity(0.6, measure="q"), "all": "F2"}.get(kind)
    problem = Problem.of(pool(9, 50, seed), "accuracy", wishes.get(kind, []), diversity)
    best = optimum(problem)
    assert tried(problem).score == best
    worst = min(
        (found[1], members)
        for size in problem.sizes
        for members in combinations(range(9), size)
        if (found := problem.best(members))
    )
    assert tried(problem, worst[1]).score == best


@pytest.mark.parametrize("bits", [10, 30, 60, 300])
@pytest.mark.parametrize("seed", range(6))
def test_weights_of_any_size_are_exact(bits, seed):
    rng = np.random.default_rng(seed)
    four = [int(d) * 2**bits // 1000 + int(d) for d in rng.integers(-400, 1000, 4)]
    weights = rng.integers(1, 5, 40)
    votes = pool(8, 40, seed, sample_weight=weights)
    problem = Problem.of(votes, vp.Weights(*four), [vp.AtLeast(vp.Weights(tp=2**bits), 2**bits)])
    assert tried(problem).score == optimum(problem)


@pytest.mark.parametrize(
    ("largest", "kind"),
    [(2**24 - 4, np.float32), (2**24, np.float64), (2**53 - 4, np.float64), (2**90, np.float64)],
)
def test_sums_are_exact_or_rounded_up(largest, kind):
    net = np.array([largest, 1, -1, 1], dtype=object)
    matrix = np.ones((4, 3), dtype=bool)
    sums = Sums(net, 1, matrix, np.arange(3), [])
    assert sums.weights.dtype == kind
    rest, common = sums.fix(np.array([[0]]), 3).join(1, 1).at(2)
    held = float(rest[0, 0] + common[0])
    assert held >= sums.at_least(total(net))
    if largest < 2**53:
        assert held == sums.at_least(total(net)) == largest + 1
        assert held < sums.at_least(total(net) + 1)


def test_the_least_sum_is_a_whole_number_of_steps_and_no_farther_than_they_reach():
    sums = Sums(np.array([6, -4, 8, 0]), 2, np.ones((4, 3), dtype=bool), np.arange(3), [])
    for units in range(-40, 40):
        assert sums.at_least(units) == max(-10, min(10, math.ceil(units / 2)))


@pytest.mark.parametrize("bits", [10, 30, 52, 54, 90])
def test_whoever_is_as_good_as_another_reaches_what_that_one_asks_for(bits):
    """However gains are divided and rounded: otherwise a better committee would not be seen."""
    rng = np.random.default_rng(bits)
    net = np.array([int(part * 2**bits) for part in rng.normal(size=9)], dtype=object)
    matrix = rng.random((9, 5)) < 0.5
    sums = Sums(net, 1, matrix, np.arange(5), [])
    found = []
    for first, d, e in combinations(range(5), 3):
        joined = sums.fix(np.array([[first]]), 3).join(d, 1)
        for level in range(3):
            rest, common = joined.at(level)
            taken = matrix[:, [first, d, e]].sum(axis=1) > level
            found.append((float(rest[e - d - 1, 0] + common[0]), total(net[taken])))
    for held, worth in found:
        assert all(held >= sums.at_least(other) for _, other in found if other <= worth)
    # And not everybody reaches what the best one asks for.
    best = max(worth for _, worth in found)
    assert sum(held >= sums.at_least(best) for held, _ in found) < len(found) / 2


def test_every_committee_is_met_once():
    problem = Problem.of(pool(9, 40), "accuracy", [vp.Require(4)])
    met = []
    incumbent = Incumbent(problem)
    with (
        mock.patch.object(incumbent, "offer", lambda members: met.append(tuple(sorted(members)))),
        mock.patch.object(enumeration, "_CELLS", 500),
    ):
        try_all(problem, incumbent, range(2, 6), math.inf)
    expected = [
        members for size in range(2, 6) for members in combinations(range(9), size) if 4 in members
    ]
    assert set(met) == set(expected)
    # At most once for each threshold, and once more as the highest of its product.
    assert max(met.count(members) for members in expected) <= 10


@pytest.mark.parametrize("kind", ["budget", "tau", "gamma"])
def test_nobody_who_is_on_a_limit_is_taken_for_over_it(kind):
    """Limits that some committee meets exactly, which sums of floats may miss by a little."""
    rng, votes = np.random.default_rng(0), pool(7, 40)
    costs = [round(float(c), 1) for c in rng.uniform(0.1, 3, 7)]
    matrix = vp.diversity_matrix(votes, measure="disagreement")
    for pair in combinations(range(7), 2):
        tied = Fraction(str(costs[pair[0]])) + Fraction(str(costs[pair[1]]))
        apart = Fraction(round(matrix[pair] * 40), 40)
        problem = {
            "budget": lambda tied=tied: Problem.of(votes, requests=[vp.Budget(costs, tied)]),
            "tau": lambda apart=apart: Problem.of(
                votes, diversity=vp.Diversity(apart, measure="disagreement")
            ),
            "gamma": lambda apart=apart: Problem.of(
                votes, diversity=vp.Diversity(gamma=apart, measure="disagreement")
            ),
        }[kind]()
        judge = enumeration._Trial(problem, Incumbent(problem), math.inf)
        for size in (2, 3, 4):
            sets = np.array(list(combinations(range(7), size)))
            allowed = np.array([problem.allows_members(members) for members in sets.tolist()])
            plausible = judge._plausible(sets)
            assert (plausible == allowed).all()
            assert size > 2 or plausible[sets.tolist().index(list(pair))]


def test_twins_may_sit_together():
    """One who votes as another does is another member all the same."""

    def twinned(seed):
        matrix = pool(5, 40, seed).matrix
        return Problem.of(
            vp.Votes(np.hstack([matrix, matrix[:, :1]]), pool(5, 40, seed).labels),
            "accuracy",
            [vp.AtLeast("size", 3), vp.AtMost("size", 3)],
        )

    def needed(problem):
        without = replace(problem, forbidden=(5,))
        return optimum(problem) > optimum(without)

    problem = drawn(0, twinned, needed)
    assert {0, 5} <= set(tried(problem).committee.members)


class Clock:
    """A clock that every look moves on by one."""

    now = 0

    def monotonic(self):
        self.now += 1
        return self.now


@pytest.mark.parametrize("ends", [1, 2, 5, 20, 60, 150])
def test_what_is_said_to_be_tried_was_tried_when_time_ran_out(ends):
    problem = Problem.of(pool(12, 60), "accuracy", [vp.AtMost("size", 5)])
    incumbent, clock = Incumbent(problem), Clock()
    with (
        mock.patch.object(enumeration, "time", clock),
        mock.patch.object(enumeration, "_CELLS", 2000),
    ):
        sizes = try_all(problem, incumbent, problem.sizes, ends)
    assert sizes != problem.sizes
    assert clock.now == ends  # the first look that is too late is the last
    if sizes:
        best = optimum(replace(problem, size_min=sizes[0], size_max=sizes[-1]))
        assert incumbent.score >= best
    else:
        assert ends < 20


def test_what_did_not_end_in_time_is_given_up_and_says_nothing():
    problem = Problem.of(pool(12, 60), "accuracy", [vp.AtMost("size", 5)])
    run, clock = Run(Incumbent(problem), 20), Clock()
    with mock.patch.object(enumeration, "time", clock):
        assert solve_small(problem, run, math.inf) is None
    assert run.incumbent.committee is not None
    assert not run.incumbent.closed


@pytest.mark.parametrize("certificate", [False, True])
@pytest.mark.parametrize("limit", [20, None])
def test_half_of_the_time_is_left_for_other_proofs_where_trying_does_not_end(
    limit, certificate, monkeypatch
):
    """However wrong the estimate was, and it is not believed twice."""
    given = []

    def endless(_problem, _incumbent, sizes, deadline):
        given.append(deadline - time.monotonic())
        return range(sizes.start, sizes.start)

    monkeypatch.setattr(enumeration, "try_all", endless)
    monkeypatch.setattr(polish, "_SECONDS", 0)  # smaller sizes are tried by the same function
    monkeypatch.setattr(exact.NogoodsDriver, "promises", staticmethod(lambda *_: False))
    asked = {"time_limit": limit, "certificate": certificate, "random_state": 0}
    solution = vp.prune(pool(n=40), constraints=vp.AtMost("size", 3), **asked)
    assert len(given) == 1
    assert given[0] <= (600 if limit is None else limit / 2)
    assert solution.status == "optimal"
    problem = solution.problem
    assert problem.score(solution.committee) == tried(problem, cells=2**19).score


def test_a_step_between_two_looks_at_the_clock_is_bounded():
    """However many committees there are, a product takes a bounded number of them."""
    for patterns in (10, 500, 10_000, 10**6):
        for size in (3, 5, 9):
            rows = enumeration.rows_together(patterns, size)
            assert rows == 1 or rows * patterns * (size - 1) <= 2**19


def test_more_work_takes_longer_and_too_many_votes_are_refused():
    problem = Problem.of(pool(), "accuracy")
    spent = [seconds_for(problem, size) for size in range(3, 10)]
    assert spent == sorted(spent)
    assert affordable(problem, range(1, 3), sum(spent))
    assert not affordable(problem, range(1, 10), spent[-1])
    assert not affordable(problem, range(1, 3), 0)
    with mock.patch.object(enumeration, "_MOST_ENTRIES", 26 * 119):
        assert seconds_for(problem, 2) == math.inf


@pytest.mark.slow
@pytest.mark.parametrize("most", [2, 3])
def test_a_size_limit_is_proved_by_trying_and_its_certificate_is_checked(most, tmp_path):
    votes = pool(n=60)
    with (
        mock.patch("voteprune.strategies.exact.search"),
        mock.patch("voteprune.strategies.exact.settle") as settle,
    ):
        solution = vp.prune(
            votes, constraints=vp.AtMost("size", most), certificate=True, random_state=0
        )
        plain = vp.prune(votes, constraints=vp.AtMost("size", most), random_state=0)
    settle.assert_not_called()
    problem = solution.problem
    best = max(
        problem.best(members)[1]
        for size in range(1, most + 1)
        for members in combinations(range(26), size)
    )
    for found in (solution, plain):
        assert found.status == "optimal"
        assert found.bound == found.value == float(best * problem.gains.unit)
        assert found.trusted == ()
    write_votes(tmp_path / "v.csv", problem)
    solution.certificate.save(tmp_path / "c.json")
    assert verify(tmp_path / "c.json", tmp_path / "v.csv", target="label").proved


def test_what_cannot_be_tried_again_is_taken_on_trust(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "voteprune.strategies.exact.NogoodsDriver.promises", staticmethod(lambda *_: False)
    )
    solution = vp.prune(
        pool(n=60), constraints=vp.AtMost("size", 3), certificate=True, random_state=0
    )
    assert solution.certificate.proof is None
    write_votes(tmp_path / "v.csv", solution.problem)
    solution.certificate.save(tmp_path / "c.json")
    monkeypatch.setattr("voteprune.verify.trying.MOST", 1)
    checked = verify(tmp_path / "c.json", tmp_path / "v.csv", target="label")
    assert checked.holds
    assert not checked.proved
    assert "tried, too large to try again" in checked.trusted[0]


def test_limits_that_leave_nothing_are_named():
    asked = [vp.AtMost("size", 2), vp.AtLeast("accuracy", 1)]
    solution = vp.prune(pool(), constraints=asked, random_state=0)
    assert solution.status == "infeasible"
    assert solution.termination == "proved"
    assert "size <= 2" in solution.explanation or "accuracy >= 1" in solution.explanation


def test_there_is_always_a_set_of_fixed_members_to_work_on():
    """Of none at a time, none would ever be tried."""
    rows_together = enumeration.rows_together
    assert rows_together(10**8, 5) == rows_together(2**19 + 1, 2) == 1
    assert rows_together(2**18, 2) == rows_together(2**17, 3) == 2
    assert rows_together(0, 2) == rows_together(1, 2) == 2**19


def test_sizes_are_those_that_limits_on_members_leave():
    votes = vp.Votes(np.eye(6)[:, :5], [0, 1, 0, 1, 0, 1])

    def sizes(*requests):
        return Problem.of(votes, "accuracy", requests).sizes

    assert sizes() == range(1, 6)
    assert sizes(vp.AtLeast("size", 2), vp.AtMost("size", 3)) == range(2, 4)
    assert sizes(vp.Forbid(0, 1)) == range(1, 4)
    assert sizes(vp.Require(0, 1, 2), vp.AtMost("size", 4)) == range(3, 5)
    assert not sizes(vp.Require(0, 1, 2), vp.AtMost("size", 2))
