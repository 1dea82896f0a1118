"""Requests that leave nothing end as "infeasible" with the clash named, whatever is asked how."""

import re
import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import voteprune as vp
from voteprune.primal.tabu import TabuSearch
from voteprune.problem.infeasible import (
    any_committee,
    cheapest,
    counted_clash,
    explain,
    leaves_nothing,
    name_clash,
    nobody_fits,
    seats_alone,
)
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
@pytest.mark.slow
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


def subsets_of(k):
    return [members for size in range(1, k + 1) for members in combinations(range(k), size)]


def draw_seats(rng, k, kind):
    """Limits on who sits, at random, tight enough that they often leave nobody."""
    requests = [vp.AtLeast("size", int(rng.integers(1, k + 1)))]
    requests.append(vp.AtMost("size", int(rng.integers(requests[0].limit, k + 1))))
    for kind_of_limit in (vp.Require, vp.Forbid):
        if rng.random() < 0.5:
            named = rng.choice(k, int(rng.integers(1, 3)), replace=False)
            requests.append(kind_of_limit(*named.tolist()))
    if kind == "budgets":
        for name in ("cost", "memory"):
            costs = rng.integers(-4, 5, k).tolist()
            requests.append(vp.Budget(costs, int(rng.integers(-9, 6)), name=name))
    elif kind == "groups":
        cut = int(rng.integers(1, k))
        order = rng.permutation(k).tolist()
        for part in (order[:cut], order[cut:], order[: cut + 1]):
            least, most = sorted(rng.integers(0, len(part) + 1, 2).tolist())
            requests.append(vp.Group(part, at_least=least, at_most=most))
    return requests


@pytest.mark.parametrize("kind", ["seats", "budgets", "groups"])
def test_what_counting_says_of_limits_is_so(kind):
    """Of one limit exactly; of several groups, whatever it rules out is not there."""
    rng = np.random.default_rng(len(kind))
    counted, tried = {True: 0, False: 0}, {True: 0, False: 0}
    for _ in range(250):
        k = int(rng.integers(2, 6))
        problem = seats_alone([f"c{place}" for place in range(k)], draw_seats(rng, k, kind))
        everybody = subsets_of(k)

        def possible(limits, problem=problem, everybody=everybody):
            alone = replace(problem, cost_limits=limits)
            return any(alone.may_sit(set(members)) for members in everybody)

        for limit in (None, *problem.cost_limits):
            found = cheapest(problem, limit)
            limits = () if limit is None else (limit,)
            assert (found is not None) == possible(limits)
            if found is None:
                continue
            assert len(set(found)) == len(found)
            assert replace(problem, cost_limits=limits).may_sit(set(found))
            if limit is not None:
                free = replace(problem, cost_limits=())
                least = min(
                    sum(limit.costs[member] for member in members)
                    for members in everybody
                    if free.may_sit(set(members))
                )
                assert sum(limit.costs[member] for member in found) == least
        each = all(possible((limit,)) for limit in problem.cost_limits) and possible(())
        assert leaves_nothing(problem) == (not each)
        counted[leaves_nothing(problem)] += 1
        assert nobody_fits(problem) or each
        if nobody_fits(problem):
            assert not possible(problem.cost_limits)
        tried[nobody_fits(problem)] += 1
    assert min(counted.values()) > 20
    assert min(tried.values()) > 20


@pytest.mark.parametrize(
    ("groups", "least", "most", "fits"),
    [
        # Two of each of two groups must sit: four seats do, three do not.
        ([((0, 1, 2), 2, None), ((3, 4, 5), 2, None)], 1, 4, True),
        ([((0, 1, 2), 2, None), ((3, 4, 5), 2, None)], 1, 3, False),
        # One of each of two groups may sit, beside the two who are in none.
        ([((0, 1), None, 1), ((2, 3), None, 1)], 4, 6, True),
        ([((0, 1), None, 1), ((2, 3), None, 1)], 5, 6, False),
        # Groups that share somebody are not both counted.
        ([((0, 1, 2), 2, None), ((2, 3, 4), 2, None)], 1, 3, True),
        ([((0, 1, 2), None, 1), ((2, 3, 4), None, 1)], 4, 6, True),
    ],
)
def test_seats_are_counted_by_groups_that_share_nobody(groups, least, most, fits):
    requests = [vp.AtLeast("size", least), vp.AtMost("size", most)]
    requests += [vp.Group(who, at_least=low, at_most=high) for who, low, high in groups]
    seats = seats_alone([f"c{place}" for place in range(6)], requests)
    assert not leaves_nothing(seats)
    assert nobody_fits(seats) == (not fits)


def test_budgets_are_no_groups():
    """Costs of 1 and -1 are nobody's number of seats."""
    requests = [vp.Budget([1, 1, 1], 1), vp.Budget([-1, -1, -1], 0, name="x"),
                vp.AtMost("size", 1)]  # fmt: skip
    assert not nobody_fits(seats_alone(["a", "b", "c"], requests))
    requests = [vp.Budget([1, 1, -1], 0), vp.AtLeast("size", 2)]
    assert not nobody_fits(seats_alone(["a", "b", "c"], requests))


def test_whoever_is_forbidden_is_no_seat_of_a_group():
    requests = [vp.Forbid(0, 1), vp.Group([0, 1], at_most=1), vp.AtLeast("size", 2)]
    assert not nobody_fits(seats_alone(["a", "b", "c", "d"], requests))
    requests = [vp.Forbid(0, 1), vp.Group([0, 1], at_most=1), vp.Group([1, 2, 3], at_most=1),
                vp.AtLeast("size", 2)]  # fmt: skip
    assert nobody_fits(seats_alone(["a", "b", "c", "d"], requests))


def test_only_what_is_about_seats_is_asked_of_them():
    requests = [vp.AtLeast("recall", 0.9), vp.AtMost("size", 2), vp.Require("b")]
    seats = seats_alone(["a", "b", "c"], requests)
    assert seats.requests == (requests[1], requests[2])
    assert (seats.size_max, seats.required, seats.n_classifiers) == (2, (1,), 3)
    assert seats.votes.names == ("a", "b", "c")


@pytest.mark.parametrize("seed", range(16))
def test_a_counted_clash_names_as_little_as_clashes(seed):
    """By the definition, for every set of members; limits on criteria are not in it."""
    rng, k = np.random.default_rng(seed), 5
    names = [f"c{member}" for member in range(k)]
    everybody = [set(members) for members in subsets_of(k)]

    def possible(requests):
        return any(all(meets(request, some, k) for request in requests) for some in everybody)

    kind = ("seats", "budgets", "groups")[seed % 3]
    requests = [vp.AtLeast("recall", 0.5), *draw_seats(rng, k, kind), vp.AtMost("fp", 9)]
    votes = vp.Votes(np.eye(k + 2)[:, :k], np.arange(k + 2) % 2, names=names)
    problem = Problem.of(votes, "accuracy", requests)
    told = counted_clash(problem)
    assert bool(told) == leaves_nothing(problem)
    if not told:
        return
    assert "recall" not in told
    assert "fp" not in told
    named = [
        request
        for request in requests
        if re.search(re.escape(str(request)) + r"(,| and |\.| together)", told)
    ]
    assert not possible(named)
    if len(named) == 1:
        assert told == f"no committee of this pool meets: {named[0]}."
    else:
        assert told.endswith("together; any one less and there is one.")
        for request in named:
            assert possible([other for other in named if other is not request])


def test_a_clash_is_named_as_far_as_somebody_looked():
    """Of four, b and d clash; what is not known is kept, and said."""

    def clash(unknown=()):
        looked = []

        def look(some):
            looked.append(some)
            if len(some) in unknown:
                return None
            return not {"b", "d"} <= set(some)

        return looked, look

    looked, look = clash()
    told = name_clash(["a", "b", "c", "b", "d"], look)
    assert told == "no committee meets b and d together; any one less and there is one."
    assert looked == [["b", "c", "d"], ["c", "d"], ["b", "d"], ["b"]]
    _, look = clash(unknown=(3,))
    told = name_clash(["a", "b", "c", "d"], look, str.upper)
    expected = "no committee meets A, B, C and D together; a smaller clash was not ruled out"
    assert told == f"{expected} in time."
    _, look = clash(unknown=(1,))
    assert name_clash(["b", "d"], look).endswith("not ruled out in time.")
    asked = []
    told = name_clash(["x"], lambda some: asked.append(some))
    assert (told, asked) == ("no committee of this pool meets: x.", [])
    told = name_clash(["x", "y"], lambda some: False)
    assert told == "no committee of this pool meets: y."


def test_diversity_is_one_of_the_limits_that_clash():
    """Asked of a problem with limits of every kind; what is looked for is any committee."""
    votes = vp.Votes(np.eye(6)[:, :4], [1, 0, 1, 0, 1, 0])
    requests = (vp.AtLeast("size", 3), vp.AtMost("fp", 0))
    asked = vp.Diversity(Fraction(9, 10))
    problem = Problem.of(votes, "recall", requests, asked)
    seen = []

    def find(anything):
        seen.append((anything.requests, anything.diversity))
        assert anything.objective.ceiling == 0
        assert anything.score(anything.committee([0, 1], 0)) == 0
        return None, True

    told = explain(problem, find)
    assert seen == [((requests[1],), asked), ((), asked)]
    assert told == f"no committee of this pool meets: {asked}."
    # A name stands for limits, which are told.
    named = Problem.of(votes, "recall", (), "F3")
    assert explain(named, find) == f"no committee of this pool meets: {named.diversity}."
    plain = Problem.of(votes, "recall", requests)
    seen.clear()
    found = plain.committee([0], 0)

    def partly(anything):
        seen.append((anything.requests, anything.diversity))
        return (found, False) if len(seen) == 1 else (None, False)

    told = explain(plain, partly)
    assert seen == [((requests[1],), None), ((requests[0],), None)]
    assert told.endswith("fp <= 0 together; a smaller clash was not ruled out in time.")
    # A configuration that limits nothing is no part of a clash.
    free = Problem.of(votes, "recall", (vp.AtMost("fp", 0),), "F1")
    assert explain(free, find) == "no committee of this pool meets: fp <= 0."
    everything = any_committee(problem, requests, None)
    assert (everything.requests, everything.diversity) == (requests, None)
    assert everything.asked_diversity is None
