"""What a soft committee owes to whom: verdicts at their edges, and how they are written."""

import time

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import pool
from voteprune.soft.newton import Point
from voteprune.soft.tree import TOLERANCE, SoftTree
from voteprune.solve import soft_explain
from voteprune.solve.soft_explain import NearCommittee, SoftExplanation, SoftRole


@pytest.fixture(scope="module")
def solution():
    said = vp.Probabilities(*pool(6, k=5), names=list("abcde"))
    return vp.prune(said, constraints=vp.AtMost("size", 2), penalty=0.5)


def role(solution, value=None):
    problem, committee = solution.problem, solution.committee
    problem.search.deadline = np.inf
    value = solution.value if value is None else value
    until = time.monotonic() + 60
    return soft_explain._role(
        problem, committee, committee.members[0], committee.weights[0], value, until
    )


def test_a_member_is_replaceable_within_the_tolerance_and_needed_above_it(solution):
    true = role(solution)
    assert true.name == solution.committee.names[0]
    assert true.member == solution.committee.members[0]
    assert true.weight == solution.committee.weights[0]
    assert true.best < true.bound < 0 or true.best == pytest.approx(true.bound)
    # Values of the committee around what can be had without the member.
    for share, verdict in ((0.5, "replaceable"), (-3.0, "replaceable"), (10.0, "needed")):
        value = true.best * (1 - share * TOLERANCE)
        assert role(solution, value).verdict == verdict


def test_who_was_not_decided_on_is_open(solution, monkeypatch):
    monkeypatch.setattr(SoftTree, "round", lambda *_: False)
    problem, committee = solution.problem, solution.committee
    value = -1e-9
    told = soft_explain._role(problem, committee, committee.members[0], 1.0, value, 0.0)
    assert told.verdict == "open"
    assert told.bound == 0.0
    assert told.bound >= value


def test_the_others_alone_are_weighed_anew(solution):
    told = role(solution)
    rest = solution.committee.members[1:]
    assert told.without == solution.problem.best(rest)[1]
    assert told.best >= told.without


def test_others_are_near_allowed_and_seat_others(solution):
    problem, committee = solution.problem, solution.committee
    for members in ((0,), (1,), (0, 1), (2, 3), (1, 4), (0, 1, 2)):
        problem.search.fit(members)
    every = {}
    for members, point in problem.search.fitted.items():
        value = -point.value / problem.total
        seated = problem.numbers.sitting(point.members.tolist(), point.weights)
        if problem.numbers.allows(members) and seated != committee.members:
            every[seated] = max(value, every.get(seated, value))
    assert len(every) > 3
    for near in (0.0, 0.05, 10.0):
        told = soft_explain._others(problem, committee, solution.value, near)
        least = solution.value - near * abs(solution.value)
        expected = sorted(
            ((m, v) for m, v in every.items() if v >= least), key=lambda pair: (-pair[1], pair[0])
        )
        assert [(one.members, one.value) for one in told] == expected[:10]
        for one in told:
            assert one.names == tuple("abcde"[k] for k in one.members)


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_fits_that_seat_the_same_the_better_is_told(solution, turned, monkeypatch):
    problem, committee = solution.problem, solution.committee
    one = next(k for k in range(5) if (k,) != committee.members)
    other = (one + 1) % 5
    fits = {}
    for members, loss in (((one,), 2.0), (tuple(sorted((one, other))), 3.0)):
        weights = np.where(np.array(members) == one, 1.0, 0.0)
        loss = 5.0 - loss if turned else loss
        fits[members] = Point(np.array(members), np.zeros(1), weights, loss, loss, np.zeros(0))
    monkeypatch.setattr(problem.search, "fitted", fits)
    (found,) = soft_explain._others(problem, committee, -1.0, near=1e9)
    assert found.members == (one,)
    assert found.value == -2.0 / problem.total


def test_it_is_written_as_losses():
    roles = (
        SoftRole(3, "d", 1.25, -0.75, -0.5, -0.25, "needed"),
        SoftRole(1, "b", 0.5, None, None, None, "open"),
    )
    told = SoftExplanation(-0.125, roles, (NearCommittee((0, 2), ("a", "c"), -0.375),), 0.1)
    lines = told.summary().splitlines()
    assert lines[0] == "A committee of 2 with a penalised loss of 0.125."
    assert lines[3].split() == ["d", "1.25", "0.5", "0.25", "needed"]
    assert lines[4].split() == ["b", "0.5", "none", "none", "open"]
    assert "a, c: 0.375" in lines[5]
    page = told._repr_html_()
    for word in ("0.125", "1.25", "0.5", "0.25", "needed", "none"):
        assert word in page
    fields = told._fields()
    assert fields["members"][0]["bound"] == -0.25
    assert fields["others"][0]["members"] == (0, 2)


def test_time_is_shared_by_the_members(solution, monkeypatch):
    """Each has what is left, divided by those that are still to come."""
    untils, clock = [], [0.0]
    monkeypatch.setattr(soft_explain.time, "monotonic", lambda: clock[0])

    def spent(problem, committee, member, weight, value, until):
        untils.append(until)
        clock[0] += 1.0
        return SoftRole(member, "x", weight, None, None, None, "open")

    monkeypatch.setattr(soft_explain, "_role", spent)
    n = len(solution.committee.members)
    told = soft_explain.explain_soft(
        solution.problem, solution.committee, solution.value, 10.0, 0.1
    )
    expected = [k + (10.0 - k) / (n - k) for k in range(n)]
    assert untils == pytest.approx(expected)
    weights = [one.weight for one in told.members]
    assert weights == sorted(weights, reverse=True)
    assert solution.problem.search.deadline == 10.0
    assert told.near == 0.1
