"""Every figure of an explanation is what trying all committees gives, every claim holds there."""

import json
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from instances import random_instance
from oracle import Oracle, metric

SEEDS = range(60)


def explained(seed, time_limit, method="exact"):
    instance = random_instance(seed, most_classifiers=6, most_rows=25)
    request = instance.request() if method == "exact" else {"objective": instance.objective}
    solution = vp.prune(instance.votes, method=method, random_state=0, **request)
    if solution.committee is None:
        pytest.skip("nothing to explain")
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    worth = {}
    for members, level, counts in truth.committees():
        if truth.allowed(members, counts, request.get("constraints", ()), request.get("diversity")):
            worth[tuple(members), level] = metric(instance.objective, *counts)
    return solution, solution.explain(time_limit=time_limit), worth


def best_of(worth, wanted):
    return max((value for (who, _), value in worth.items() if wanted(who)), default=None)


def near(value, exact):
    return (value is None) == (exact is None) and (
        exact is None or value == pytest.approx(float(exact), rel=1e-12, abs=1e-12)
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_others_are_worth_is_their_best_allowed_threshold(seed):
    solution, told, worth = explained(seed, 0)
    for role in told.members:
        rest = tuple(k for k in solution.committee.members if k != role.member)
        assert near(role.without, best_of(worth, lambda who, rest=rest: who == rest))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("time_limit", [0, 30])
def test_bound_and_verdict_hold_for_every_committee_without_a_member(seed, time_limit):
    solution, told, worth = explained(seed, time_limit)
    own = worth[solution.committee.members, solution.committee.threshold]
    for role in told.members:
        best = best_of(worth, lambda who, role=role: role.member not in who)
        assert role.best is None or (best is not None and role.best <= float(best) + 1e-12)
        if role.bound is None:
            assert best is None
        elif best is not None:
            assert Fraction(role.bound) >= best or role.bound == float(best)
        assert role.verdict != "needed" or best is None or best < own
        assert role.verdict != "replaceable" or best >= own
        if time_limit:
            assert near(role.best, best)
            assert role.verdict == ("replaceable" if best is not None and best >= own else "needed")
            assert near(role.bound, best)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["exact", "hc-uwa"])
def test_swaps_are_exactly_the_exchanges_that_cost_nothing(seed, method):
    solution, told, worth = explained(seed, 0, method)
    committee = solution.committee
    own = worth[committee.members, committee.threshold]
    names, expected = solution.problem.votes.names, {}
    for out in committee.members:
        for join in range(len(names)):
            new = tuple(sorted({*committee.members, join} - {out}))
            if join not in committee.members:
                best = best_of(worth, lambda who, new=new: who == new)
                if best is not None and best >= own:
                    expected[names[out], names[join]] = float(best)
    found = {(swap.out, swap.join): swap.value for swap in told.swaps}
    assert found == pytest.approx(expected)
    for swap in told.swaps:
        members = {*committee.members, names.index(swap.join)} - {names.index(swap.out)}
        assert near(swap.value, worth[tuple(sorted(members)), swap.threshold])


@pytest.fixture(scope="module")
def solved():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    matrix = np.where(rng.random((60, 7)) < 0.7, y[:, None], 1 - y[:, None])
    matrix[5], matrix[8] = 0, 1  # a positive and a negative nobody gets right
    votes = vp.Votes(matrix, y, names=[f"tree {i}" for i in range(7)])
    limits = {"constraints": [vp.AtMost("size", 5)], "diversity": "F2"}
    return votes, limits, vp.prune(votes, random_state=0, **limits)


def test_a_solution_from_a_file_explains_itself_with_its_votes(solved):
    votes, limits, solution = solved
    again = vp.Solution.from_json(solution.to_json())
    assert again.problem is None
    assert again.explain(votes, **limits) == solution.explain()


def test_rows_and_swaps_are_told_in_words_and_as_data(solved, tmp_path):
    _, _, solution = solved
    told = solution.explain()
    assert told.hopeless == (5, 8)
    assert told.least_wrong == 2 + len(told.disputed)
    text = told.summary()
    for word in (*solution.committee.names, "2 rows that nobody gets right", "accuracy", "swaps"):
        assert word in text
    told.save(tmp_path / "why.json")
    document = json.loads((tmp_path / "why.json").read_text())
    assert document["format"] == "voteprune.explanation"
    assert document["hopeless"] == [5, 8]
    assert [role["name"] for role in document["members"]] == list(solution.committee.names)
    assert document["swaps"] == [
        {"out": s.out, "join": s.join, "threshold": s.threshold, "value": s.value}
        for s in told.swaps
    ]


def test_a_committee_of_one_with_perfect_votes_is_explained():
    one = vp.AtMost("size", 1)
    solution = vp.prune([[0, 0], [1, 0], [1, 1]], [0, 1, 1], constraints=one)
    told = solution.explain()
    assert [role.verdict for role in told.members] == ["needed"]
    assert (told.least_wrong, told.sacrificed, told.swaps) == (0, (), ())
    assert "each of the 3 is right in some committee" in told.summary()


def test_members_with_several_votes_are_bounded_by_the_closure_alone(solved):
    votes, _, _ = solved
    solution = vp.prune(votes, method="caruana", random_state=0)
    assert solution.committee.n_votes > solution.committee.size
    for role in solution.explain().members:
        assert role.bound >= role.best >= role.without


def test_wrong_requests_are_refused_by_name(solved):
    votes, limits, solution = solved
    again = vp.Solution.from_json(solution.to_json())
    other = vp.Votes(~votes.matrix, votes.labels)
    smaller = votes.select(range(4))
    for argument, call in {
        "votes": lambda: again.explain(),
        "votes:": lambda: again.explain(other, **limits),
        "votes: ": lambda: again.explain(smaller, **limits),
        "constraints": lambda: again.explain(votes),
        "time_limit": lambda: solution.explain(time_limit=-1),
        "time_limit:": lambda: solution.explain(time_limit=float("nan")),
    }.items():
        with pytest.raises(vp.InputError, match=argument.strip(": ")):
            call()
    nothing = vp.prune([[0, 1], [1, 1]], [0, 1], constraints=[vp.Require(0), vp.Forbid(0)])
    with pytest.raises(vp.InputError, match="no committee to explain"):
        nothing.explain()
