"""No hill climb that had time to end beats the exact method, which begins with them."""

import math
import time
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from instances import drawn, random_instance
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent, StopRequested
from voteprune.run.run import Run
from voteprune.strategies import exact
from voteprune.strategies.exact import CLIMBS, climb


def pool(k=24, n=150, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.5
    labels[:2] = 0, 1
    return vp.Votes((rng.random((n, k)) < 0.6) == labels[:, None], labels)


def beaten(votes, value, **asked):
    """The climbs that had time to end, and ended higher."""
    found = {}
    for name in CLIMBS:
        for threshold in ("majority", "tuned"):
            other = vp.prune(votes, method=name, threshold=threshold, random_state=0, **asked)
            assert other.termination == "finished"
            if other.value is not None and other.value > value:
                found[name, threshold] = other.value
    return found


ASKED = {
    "nothing": {},
    "weights": {"objective": vp.Weights(tp=3, tn=1, fp=-2)},
    "size": {"constraints": [vp.AtLeast("size", 3), vp.AtMost("size", 9)]},
    "forbid": {"constraints": [vp.Forbid(0), vp.Forbid(5)], "objective": "balanced_accuracy"},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("hasty", [False, True])
def test_no_climb_beats_what_comes_before_everything_else(hasty, name, seed, monkeypatch):
    """However little time there is after them: the run ends where search would begin.

    Or, where nogoods may end the run at once, after their first round, which finds nothing here.
    """

    def over(*_, **__):
        raise StopRequested("callback")

    monkeypatch.setattr(exact, "ENUMERATE", 0)
    monkeypatch.setattr(exact.NogoodsDriver, "promises", lambda *_: hasty)
    monkeypatch.setattr(exact.NogoodsDriver, "rounds", lambda *_: iter([True]))
    monkeypatch.setattr(exact.NogoodsDriver, "hopeless", over)
    monkeypatch.setattr(exact.Searching, "search", (lambda *_: None) if hasty else over)
    votes = pool(seed=seed)
    solution = vp.prune(votes, random_state=0, **ASKED[name])
    assert solution.termination == "callback"
    assert beaten(votes, solution.value, **ASKED[name]) == {}


@pytest.mark.parametrize("seed", range(6))
def test_no_climb_beats_a_run_with_time(seed):
    """On pools of every kind, under the limits that climbs know; brute force is off."""
    known = (vp.AtLeast, vp.AtMost, vp.Forbid)

    def plain(instance):
        return instance.diversity is None and all(
            isinstance(c, known) and getattr(c, "what", "size") == "size"
            for c in instance.constraints
        )

    instance = drawn(7000 + seed, random_instance, plain)
    asked = {"objective": instance.objective, "constraints": instance.constraints}
    with mock.patch.object(exact, "ENUMERATE", 0):
        solution = vp.prune(instance.votes, time_limit=20, random_state=0, **asked)
    assert beaten(instance.votes, solution.value, **asked) == {}


@pytest.mark.parametrize("limit", ["budget", "floor", "require", "F3"])
def test_what_climbs_find_counts_only_where_limits_allow_it(limit):
    wishes = {
        "budget": [vp.Budget([1.0] * 24, 2)],
        "floor": [vp.AtLeast("recall", 0.95)],
        "require": [vp.Require(23)],
    }
    diversity = "F3" if limit == "F3" else None
    problem = Problem.of(pool(), "accuracy", wishes.get(limit, []), diversity)
    run = Run(Incumbent(problem), math.inf)
    climb(problem, run, 0.5)
    assert run.incumbent.committee is None or problem.allows(run.incumbent.committee)


@pytest.mark.parametrize(("left", "rate"), [(0.0, 1e9), (30.0, 1.0)])
def test_without_time_for_a_step_there_is_no_climb(left, rate, monkeypatch):
    """Neither when time is over, nor where rows are so many that a step takes longer."""
    monkeypatch.setattr(exact, "_VOTES_PER_SECOND", rate)
    problem = Problem.of(pool(), "accuracy")
    run = Run(Incumbent(problem), time.monotonic() + left)
    with mock.patch.object(run.incumbent, "offer") as offer:
        climb(problem, run, 0.3)
    offer.assert_not_called()


def test_a_climb_that_takes_too_long_is_interrupted(monkeypatch):
    """Its deadline is the share, not the end of the run, and what it has found is kept."""
    seen = []

    class Slow:
        @staticmethod
        def solve(problem, run):
            seen.append(run.deadline)
            run.incumbent.offer([3])
            monkeypatch.setattr(exact, "time", mock.Mock(monotonic=lambda: math.inf))

    monkeypatch.setitem(exact._BY_NAME, CLIMBS[0], Slow)
    problem = Problem.of(pool(), "accuracy")
    began = time.monotonic()
    run = Run(Incumbent(problem), began + 1000)
    climb(problem, run, 0.3)
    assert len(seen) == 1
    assert seen[0] == pytest.approx(began + 300, abs=30)
    assert run.incumbent.committee.members == (3,)


def test_limits_that_leave_no_size_are_no_reason_to_fail():
    problem = Problem.of(pool(4, 30), "accuracy", [vp.AtLeast("size", 4), vp.Forbid(0)])
    run = Run(Incumbent(problem), math.inf)
    climb(problem, run, 0.5)
    assert run.incumbent.committee is None


class Noting:
    """Stands for every climb, and notes how it is asked."""

    def __init__(self, monkeypatch, does=lambda run: None):
        self.asked = []
        for name in CLIMBS:
            monkeypatch.setitem(exact._BY_NAME, name, mock.Mock(solve=self.noting(name, does)))

    def noting(self, name, does):
        def solve(problem, run):
            self.asked.append((name, run.deadline))
            does(run)

        return solve


def test_all_climbs_are_asked_in_their_order_until_the_best_is_proved(monkeypatch):
    problem = Problem.of(pool(5, 30), "accuracy")
    noting = Noting(monkeypatch)
    run = Run(Incumbent(problem), time.monotonic() + 1000)
    climb(problem, run, 0.25)
    assert [name for name, _ in noting.asked] == list(CLIMBS)
    assert len({deadline for _, deadline in noting.asked}) == 1
    assert noting.asked[0][1] == pytest.approx(run.deadline - 750, abs=10)

    def prove(run):
        run.incumbent.offer([0])
        run.incumbent.close()

    noting = Noting(monkeypatch, prove)
    climb(problem, Run(Incumbent(problem), time.monotonic() + 1000), 0.25)
    assert [name for name, _ in noting.asked] == [CLIMBS[0]]


@pytest.mark.parametrize(("room", "count"), [(1.0, 7), (0.0, 0), (-1.0, 0)])
def test_a_step_reads_every_vote_of_whoever_may_sit(room, count, monkeypatch):
    """A climb begins only if a step of it is over before the share is."""
    problem = Problem.of(pool(5, 30), "accuracy", [vp.Forbid(0)])
    cells = 4 * problem.patterns.n_patterns
    monkeypatch.setattr(exact, "_VOTES_PER_SECOND", 10.0)
    monkeypatch.setattr(exact, "time", mock.Mock(monotonic=lambda: 50.0))
    run = mock.Mock(wraps=Run(Incumbent(problem), math.inf))
    run.soon = lambda share: 50.0 + cells / 10.0 + room
    run.incumbent.closed = False
    noting = Noting(monkeypatch)
    climb(problem, run, 0.3)
    assert len(noting.asked) == count


def test_where_no_size_is_allowed_nobody_climbs(monkeypatch):
    noting = Noting(monkeypatch)
    problem = Problem.of(pool(4, 30), "accuracy", [vp.AtLeast("size", 4), vp.Forbid(0)])
    climb(problem, Run(Incumbent(problem), math.inf), 0.5)
    assert not noting.asked
