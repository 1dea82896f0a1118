"""Requests that leave nothing end as "infeasible" with the clash named, whatever is asked how."""

import re
import time
from itertools import combinations

import numpy as np
import pytest

import voteprune as vp
from voteprune.primal.tabu import TabuSearch
from voteprune.problem.infeasible import cheapest, leaves_nothing, seats_alone
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.strategies import exact_plurality
from voteprune.strategies.registry import METHODS, kind_of

OBJECTIVES = ("accuracy", "f1", "mcc", "jaccard", vp.Ramp(1), vp.Hinge(2))


def draw_votes(rng, k):
    """Votes of k classifiers, on some pools all alike, on some without any difference to make."""
    n = int(rng.choice([2, 3, 40]))
    labels = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    matrix = rng.integers(0, 2, (n, k)) if rng.random() < 0.6 else np.ones((n, k))
    weights = rng.choice([1, 3, 10**9], n)
    return vp.Votes(matrix, labels, sample_weight=weights)


def draw_clash(rng, k):
    """Requests on members that no committee meets together, but one with any of them less."""
    who, size = int(rng.integers(k)), int(rng.integers(2, k + 1))
    costs = rng.integers(1, 6, k)
    return [
        [vp.Budget(costs.tolist(), limit=int(np.sort(costs)[:size].sum()) - 1),
         vp.AtLeast("size", size)],
        [vp.Require(who), vp.Forbid(who)],
        [vp.AtLeast("size", k), vp.Forbid(who)],
        [vp.Forbid(*range(k))],
        [vp.Budget([0] * k, limit=-1)],
        [vp.Require(who), vp.Budget([1e-9 * (j == who) for j in range(k)], limit=0)],
    ][rng.integers(6)]  # fmt: skip


def able(method, objective, requests, k):
    """Tell whether a method takes on such a request at all."""
    if isinstance(objective, str):
        return all(kind_of(r) in method.honours for r in requests) and (
            method.name != "brute" or k <= 20
        )
    return method.name in ("exact", "search")


@pytest.mark.parametrize("seed", range(6))
def test_every_method_says_infeasible_and_names_the_clash(seed):
    rng = np.random.default_rng(seed)
    asked = 0
    for method in METHODS.values():
        k = int(rng.choice([2, 12, 22, 30]))
        votes, clash = draw_votes(rng, k), draw_clash(rng, k)
        more = [vp.AtMost("size", k)] if rng.random() < 0.5 else []
        objective = OBJECTIVES[rng.integers(len(OBJECTIVES))]
        if not able(method, objective, [*clash, *more], k):
            objective, more, k = "accuracy", [], 12
            votes, clash = draw_votes(rng, k), [vp.Forbid(*range(k))]
        solution = vp.prune(
            votes, objective=objective, method=method.name, constraints=[*clash, *more],
            time_limit=20, random_state=0,
        )  # fmt: skip
        asked += 1
        assert solution.status == "infeasible", (method.name, objective, clash)
        assert solution.committee is None
        assert solution.bound is None
        assert all(str(request) in solution.explanation for request in clash)
        assert not any(str(request) in solution.explanation for request in more)
        assert not solution.incidents
    assert asked == len(METHODS)


@pytest.mark.parametrize("method", ["exact", "search", "hc-acc", "full", "best"])
def test_with_several_classes_too(method):
    rng = np.random.default_rng(0)
    votes = vp.PluralityVotes(rng.integers(0, 3, (30, 14)), rng.integers(0, 3, 30))
    for seed in range(5):
        clash = draw_clash(np.random.default_rng(seed), 14)
        solution = vp.prune(votes, method=method, constraints=clash, time_limit=20)
        assert solution.status == "infeasible"
        assert all(str(request) in solution.explanation for request in clash)


def meets(request, chosen, k):
    """Tell from the definition whether a set of members meets a constraint on who sits."""
    match request:
        case vp.AtLeast(limit=limit):
            return len(chosen) >= limit
        case vp.AtMost(limit=limit):
            return len(chosen) <= limit
        case vp.Require(members=members):
            return chosen.issuperset(members)
        case vp.Forbid(members=members):
            return chosen.isdisjoint(members)
        case vp.Budget():
            names = [f"c{member}" for member in range(k)]
            return sum(request.for_pool(names)[member] for member in chosen) <= request.limit
    members, least, most = request.range([f"c{member}" for member in range(k)])
    return least <= len(chosen.intersection(members)) <= most


def draw_requests(rng, k):
    """Limits on who sits, of every kind, tight enough to clash often."""
    half = rng.permutation(k)[: k // 2].tolist()
    low, high = sorted(rng.integers(1, k + 1, 2).tolist())
    return [
        vp.AtLeast("size", low),
        vp.AtMost("size", high),
        vp.Require(int(rng.integers(k))),
        vp.Forbid(*rng.permutation(k)[: rng.integers(1, 3)].tolist()),
        vp.Budget(rng.integers(1, 9, k).tolist(), limit=int(rng.integers(4, 20))),
        vp.Budget(rng.integers(1, 9, k).tolist(), int(rng.integers(4, 20)), name="memory"),
        vp.Group(half, at_least=int(rng.integers(0, len(half) + 1))),
        vp.Group(range(1, k), at_most=int(rng.integers(1, k))),
    ]


def pool_of(kind, rng, k):
    truth = np.arange(20) % 3
    if kind == "plurality":
        return vp.PluralityVotes(rng.integers(0, 3, (20, k)), truth)
    return vp.Probabilities(rng.random((20, k)), truth % 2)


@pytest.mark.parametrize("kind", ["plurality", "soft"])
def test_what_is_named_clashes_and_would_not_with_one_less(kind, monkeypatch):
    """Against the definition, for every set of members; by counting, trying and a solver."""
    rng, k = np.random.default_rng(5), 6
    subsets = [{member for member in range(k) if code >> member & 1} for code in range(1, 2**k)]

    def possible(requests):
        return any(all(meets(request, chosen, k) for request in requests) for chosen in subsets)

    clashes, counted = 0, 0
    while clashes < 12:
        requests = draw_requests(rng, k)
        if possible(requests):
            continue
        clashes += 1
        monkeypatch.setattr(exact_plurality, "ENUMERATE", 0 if clashes % 2 else 2**22)
        pool = pool_of(kind, rng, k)
        solution = vp.prune(pool, constraints=requests, time_limit=60, random_state=0)
        assert solution.status == "infeasible"
        named = [
            request
            for request in requests
            if re.search(re.escape(str(request)) + r"(,| and |\.| together)", solution.explanation)
        ]
        assert not possible(named)
        assert len(named) == 1 or "any one less and there is one" in solution.explanation
        for request in named:
            assert possible([other for other in named if other is not request])
        problem = seats_alone([f"c{member}" for member in range(k)], requests)
        counted += leaves_nothing(problem)
    assert 0 < counted < clashes  # both ways were taken


def test_counting_agrees_with_trying_everybody():
    rng = np.random.default_rng(1)
    clashes = 0
    for _ in range(400):
        k = int(rng.integers(1, 6))
        requests = [vp.AtLeast("size", int(rng.integers(1, k + 1)))]
        requests.append(vp.AtMost("size", int(rng.integers(requests[0].limit, k + 1))))
        requests += [vp.Require(int(rng.integers(k)))] * int(rng.random() < 0.4)
        requests += [vp.Forbid(int(rng.integers(k)))] * int(rng.random() < 0.4)
        costs = rng.integers(-4, 5, k).tolist()
        requests.append(vp.Budget(costs, limit=int(rng.integers(-9, 6))))
        votes = vp.Votes(np.eye(k + 2)[:, :k], np.arange(k + 2) % 2)
        problem = Problem.of(votes, "accuracy", requests)
        possible = any(
            problem.allows_members(members)
            for size in range(1, k + 1)
            for members in combinations(range(k), size)
        )
        found = cheapest(problem, problem.cost_limits[0])
        assert (found is not None) == possible == (not leaves_nothing(problem))
        assert found is None or problem.allows_members(found)
        clashes += not possible
    assert 50 < clashes < 350


def test_walks_go_on_where_no_pattern_counts():
    """Everybody says the same on rows that cancel out, and no committee is affordable."""
    requests = [vp.Budget([2] * 22, limit=3), vp.AtLeast("size", 2)]
    problem = Problem.of(vp.Votes(np.ones((2, 22)), [0, 1]), "accuracy", requests)
    tabu = TabuSearch(problem, Incumbent(problem), 0)
    assert tabu.walk(time.monotonic() + 60) > 0
    assert tabu.walk(time.monotonic() + 60) > 0
