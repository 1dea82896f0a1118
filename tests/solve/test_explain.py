"""Every figure of an explanation is what trying all committees gives, every claim holds there."""

import json
import math

import numpy as np
import pytest

import voteprune as vp
from instances import drawn, random_instance
from margin_oracle import MarginOracle
from oracle import metric
from voteprune.bounds.inevitable_errors import rows_given_up
from voteprune.problem.metrics import CURVES
from voteprune.problem.problem import Problem

SEEDS = range(16)
KINDS = ["sum", "curve", "margin"]
ROOTS = ("mcc", "gmean")
"""Criteria that the oracle gives as squares with a sign."""


def problem_of(seed, kind):
    """A random problem, and what every committee that may be chosen is worth, exactly."""
    instance = random_instance(seed, most_classifiers=6, most_rows=25)
    request, rng = instance.request(), np.random.default_rng(seed + 10**6)
    truth = MarginOracle(instance.matrix, instance.labels, instance.sample_weight)
    if kind == "curve":
        request["objective"] = [*CURVES, "f3"][rng.integers(len(CURVES) + 1)]
    elif kind == "margin":
        shape = (vp.Ramp, vp.Hinge)[rng.integers(2)]
        request["objective"] = shape([0.25, 0.5, 1, 2][rng.integers(4)])

    def worth(members, level, counts):
        if kind != "margin":
            return metric(request["objective"], *counts)
        majority = level == len(members) // 2
        return truth.margin_of(request["objective"], members) if majority else None

    everything = {
        (tuple(members), level): (worth(members, level, counts), counts)
        for members, level, counts in truth.committees()
    }
    return instance, request, truth, everything


def explained(seed, time_limit, kind, method="exact"):
    def draw(seed):
        instance, request, truth, everything = problem_of(seed, kind)
        if method != "exact":
            request = {"objective": request["objective"], "constraints": (), "diversity": None}
        limits = request["constraints"], request["diversity"]
        worth = {
            key: value
            for key, (value, counts) in everything.items()
            if value is not None and truth.allowed(list(key[0]), counts, *limits)
        }
        return instance, request, worth

    instance, request, worth = drawn(seed, draw, lambda found: bool(found[2]))
    solution = vp.prune(instance.votes, method=method, random_state=0, **request)
    return solution, solution.explain(time_limit=time_limit), worth


def best_of(worth, wanted):
    return max((value for (who, _), value in worth.items() if wanted(who)), default=None)


def as_value(exact, objective):
    root = math.copysign(math.sqrt(abs(exact)), exact) if objective in ROOTS else float(exact)
    return None if exact is None else root


def near(value, exact, objective):
    return (value is None) == (exact is None) and (
        exact is None or value == pytest.approx(as_value(exact, objective), rel=1e-9, abs=1e-9)
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_others_are_worth_is_their_best_allowed_threshold(seed, kind):
    solution, told, worth = explained(seed, 0, kind)
    for role in told.members:
        rest = tuple(k for k in solution.committee.members if k != role.member)
        alone = best_of(worth, lambda who, rest=rest: who == rest)
        assert near(role.without, alone, solution.objective)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("time_limit", [0, 30])
def test_bound_and_verdict_hold_for_every_committee_without_a_member(seed, time_limit, kind):
    solution, told, worth = explained(seed, time_limit, kind)
    own = worth[solution.committee.members, solution.committee.threshold]
    for role in told.members:
        best = best_of(worth, lambda who, role=role: role.member not in who)
        value = None if best is None else as_value(best, solution.objective)
        assert role.best is None or (best is not None and role.best <= value + 1e-9)
        if role.bound is None:
            assert best is None
        elif best is not None:
            assert role.bound >= value
        assert role.verdict != "needed" or best is None or best < own
        assert role.verdict != "replaceable" or best >= own
        if time_limit:
            assert near(role.best, best, solution.objective)
            assert role.verdict == ("replaceable" if best is not None and best >= own else "needed")
            assert near(role.bound, best, solution.objective)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("kind", "method"),
    [*((kind, "exact") for kind in KINDS), ("sum", "hc-uwa"), ("curve", "hc-uwa")],
)
def test_swaps_are_exactly_the_exchanges_that_cost_nothing(seed, kind, method):
    solution, told, worth = explained(seed, 0, kind, method)
    committee = solution.committee
    own = worth[committee.members, committee.threshold]
    names, expected = solution.problem.votes.names, {}
    for out in committee.members:
        for join in range(len(names)):
            new = tuple(sorted({*committee.members, join} - {out}))
            if join not in committee.members:
                best = best_of(worth, lambda who, new=new: who == new)
                if best is not None and best >= own:
                    expected[names[out], names[join]] = as_value(best, solution.objective)
    found = {(swap.out, swap.join): swap.value for swap in told.swaps}
    assert found == pytest.approx(expected)
    for swap in told.swaps:
        members = tuple(
            sorted({*committee.members, names.index(swap.join)} - {names.index(swap.out)})
        )
        assert near(swap.value, worth[members, swap.threshold], solution.objective)


@pytest.mark.parametrize("kind", ["curve", "margin"])
@pytest.mark.parametrize("seed", range(20))
def test_rows_given_up_are_wrong_in_every_committee_as_good(seed, kind):
    """Whatever the criterion, and whoever the committee: the best, or the one in the middle."""
    instance, request, truth, everything = problem_of(seed, kind)
    votes, objective = instance.votes, request["objective"]
    problem = Problem.of(votes, objective)
    worth = {key: value for key, (value, _) in everything.items() if value is not None}
    ranked = sorted(worth, key=lambda key: worth[key])
    for members, level in (ranked[-1], ranked[len(ranked) // 2]):
        given_up = rows_given_up(problem, problem.committee(members, level))
        as_good = [key for key in worth if worth[key] >= worth[members, level]]
        for others, threshold in as_good:
            called = truth.matrix[:, list(others)].sum(axis=1) > threshold
            assert (called[given_up] != truth.labels[given_up]).all()


def test_rows_are_given_up_for_every_kind_of_criterion():
    """The claim is not an empty one: perfect members apart, both labels on a pattern cost a row."""
    y = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    matrix = np.column_stack([[1, 1, 1, 0, 0, 0, 1, 1, 1, 1]] * 3)
    matrix[0, 1] = matrix[3, 2] = 1 - matrix[0, 1]
    for objective in ("f1", "mcc", "gmean", "precision", vp.Ramp(0.25)):
        told = vp.prune(matrix, y, objective=objective).explain()
        assert told.sacrificed == (9,)


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


@pytest.mark.parametrize("objective", ["f1", "f3", "mcc", vp.Ramp(1), vp.Hinge(0.6, growth=0.75)])
def test_so_does_one_for_any_criterion(solved, objective):
    votes, limits, _ = solved
    solution = vp.prune(votes, objective=objective, random_state=0, **limits)
    again = vp.Solution.from_json(solution.to_json())
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
