"""Rounds of a proof: what workers hand back is taken, and a round that failed costs nothing."""

import math
import time
from dataclasses import dataclass

import numpy as np
import pytest

import voteprune as vp
from voteprune.exceptions import OutputError
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.solvers import OutOfTime, SolverFailure, Worker
from voteprune.tree import driver as module
from voteprune.tree.background import SEARCH_SHARE, Searching
from voteprune.tree.driver import Driver


def problem_of(k=4):
    rng = np.random.default_rng(0)
    return Problem.of(vp.Votes(rng.integers(0, 2, (20, k)), np.arange(20) % 2), "accuracy",
                      (vp.Forbid(0),))  # fmt: skip


@dataclass
class Clock:
    """A clock that only work moves on."""

    now: float = 100.0

    def monotonic(self):
        return self.now


class Counting(Driver):
    """A proof of so many rounds; every call is noted."""

    worker = Worker("a module")

    def __init__(self, run, rounds=3, first=1.0, longest=4.0):
        super().__init__(run.incumbent.problem, run, first, longest)
        self.left, self.calls = rounds, []

    @property
    def over(self):
        return self.left <= 0

    def _tasks(self, workers, deadline):
        self.calls.append(("deal", workers, deadline))
        return [("task", place) for place in range(workers)]

    def _take(self, shares):
        self.left -= 1
        self.calls.append(("take", shares))

    def _take_stock(self):
        self.calls.append(("stock",))

    def _report(self, *said):
        self.calls.append(("report", said))

    def _save(self, file):
        self.calls.append(("save", file))
        if self.full:
            raise OutputError(file, "no space")

    full = False


class Turns:
    """Search that notes its turns."""

    def __init__(self, workers=2, meanwhile=None):
        self.workers, self.meanwhile, self.turns = workers, meanwhile, []

    def begin_round(self, worker):
        assert worker == Counting.worker
        return self.workers, self.meanwhile

    def take_turn(self, seconds):
        self.turns.append(seconds)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def shared(monkeypatch, clock, seconds=0.5, fault=None):
    """Workers that take so long; what they are given is noted."""
    given = []

    def run_tasks(worker, tasks, report, meanwhile, end):
        given.append((worker, tasks, report, meanwhile, end))
        clock.now += seconds
        if fault is not None:
            raise fault
        return [("share", *task) for task in tasks]

    monkeypatch.setattr(module, "run_tasks", run_tasks)
    return given


def run_of(**more):
    return Run(Incumbent(problem_of()), 150.0, **more)


def test_rounds_go_on_until_nothing_is_open(clock, monkeypatch):
    given, driver = shared(monkeypatch, clock), Counting(run_of())
    turns = Turns(2, lambda: True)
    assert list(driver.rounds(math.inf, turns)) == [True] * 3
    assert [call[0] for call in driver.calls] == ["deal", "take", "stock"] * 3
    worker, tasks, report, meanwhile, end = given[0]
    assert (worker, tasks) == (Counting.worker, [("task", 0), ("task", 1)])
    assert (report, meanwhile, end) == (driver._report, turns.meanwhile, 150.0)
    assert driver.calls[1] == ("take", [("share", "task", 0), ("share", "task", 1)])
    # After the last one nobody needs to search.
    assert turns.turns == pytest.approx([SEARCH_SHARE * 0.5] * 2)


def test_no_round_begins_when_time_is_up(clock, monkeypatch):
    shared(monkeypatch, clock, seconds=20.0)
    driver = Counting(run_of(), rounds=10)
    assert len(list(driver.rounds(math.inf, Turns()))) == 3  # until 150
    clock.now = 100.0
    assert len(list(Counting(run_of(), rounds=10).rounds(120.0, Turns()))) == 1
    assert list(Counting(run_of(), rounds=0).rounds(math.inf, Turns())) == []


def test_a_round_that_used_its_time_makes_the_next_one_longer(clock, monkeypatch):
    driver = Counting(run_of(), rounds=99)
    for seconds, expected in ((0.5, 1.0), (1.0, 1.0), (2.0, 1.5), (9.0, 2.25), (9.0, 3.375),
                              (9.0, 4.0), (9.0, 4.0)):  # fmt: skip
        shared(monkeypatch, clock, seconds)
        now = clock.now
        assert driver.round(math.inf)
        deals = [call for call in driver.calls if call[0] == "deal"]
        assert deals[-1] == ("deal", 1, pytest.approx(now + expected))
    now = clock.now
    driver.round(now + 0.25)
    assert [call for call in driver.calls if call[0] == "deal"][-1][2] == now + 0.25


def test_workers_without_time_lose_nothing(clock, monkeypatch):
    shared(monkeypatch, clock, fault=OutOfTime("late"))
    driver = Counting(run_of())
    assert driver.round(math.inf)
    assert [call[0] for call in driver.calls] == ["deal"]
    assert driver._run.incumbent.incidents == []


def test_workers_that_fail_are_an_incident_and_what_was_open_stays_so(clock, monkeypatch):
    shared(monkeypatch, clock, fault=SolverFailure("it died"))
    driver = Counting(run_of())
    assert not driver.round(math.inf)
    assert [call[0] for call in driver.calls] == ["deal"]
    assert driver._run.incumbent.incidents == ["it died"]
    assert driver.left == 3


def test_what_is_open_is_put_on_file_after_every_round(clock, monkeypatch, tmp_path):
    shared(monkeypatch, clock)
    file = tmp_path / "proof.npz"
    driver = Counting(run_of(checkpoint=file), rounds=2)
    driver._run.incumbent.unwritten.append("an earlier one")
    driver.full = True
    driver.round(math.inf)
    assert [call[0] for call in driver.calls] == ["deal", "take", "stock", "save"]
    assert driver.calls[-1] == ("save", file)
    (complaint,) = driver._run.incumbent.unwritten
    assert "no space" in complaint
    driver.full = False
    driver.round(math.inf)
    assert driver._run.incumbent.unwritten == []


def test_members_are_looked_at_once_and_by_their_place_among_those_allowed():
    run = run_of()
    driver, offered = Counting(run), []
    run.incumbent.offer = offered.append
    for columns in ((0,), (1, 2), (0,), (1, 2)):
        driver._offer(columns)
    assert offered == [[1], [2, 3]]
    assert driver._seen == {(0,), (1, 2)}
    driver._judge_of = lambda size: None
    driver._offer((2,))
    assert offered == [[1], [2, 3]]
    assert (2,) not in driver._seen


def test_every_driver_has_a_token_of_its_own():
    assert Counting(run_of())._token != Counting(run_of())._token


class Tabu:
    """A search that finds nothing."""


def test_search_has_its_turn_where_it_is_not_in_the_background(monkeypatch):
    from voteprune.tree import background

    asked = []
    monkeypatch.setattr(background, "search", lambda *given: asked.append(given) or 0)
    run = Run(Incumbent(problem_of()), time.monotonic() + 50)
    alone, tabu = Searching(run, None), Tabu()
    alone.take_turn(1.0)
    assert alone.begin_round(Counting.worker) == (1, None)
    assert asked == []
    turns = Searching(run, tabu)
    assert turns.begin_round(Counting.worker) == (1, None)
    for seconds, expected in ((1.0, 1.0), (1000.0, 10.0)):
        now = time.monotonic()
        turns.take_turn(seconds)
        searched, incumbent, until, patience = asked.pop()
        assert (searched, incumbent, patience) == (tabu, run.incumbent, 20 * 4)
        assert until == pytest.approx(now + expected, abs=0.5)
    several = Searching(Run(run.incumbent, run.deadline, threads=3), tabu)
    workers, meanwhile = several.begin_round(Counting.worker)
    assert workers == 2
    assert meanwhile is several._background
    several.take_turn(1.0)
    assert asked == []
    assert Searching(Run(run.incumbent, run.deadline, threads=3), None)._background is None


def test_turns_get_shorter_while_nothing_better_turns_up(monkeypatch):
    """They are whole for half a walk per classifier, and never less than a quarter."""
    from voteprune.tree import background

    asked, ended = [], [1, 1, 2, 4, 100, 3, 1]
    run = Run(Incumbent(problem_of()), time.monotonic() + 5000)

    def search(tabu, incumbent, until, patience):
        asked.append(until - time.monotonic())
        if len(asked) == 6:
            incumbent.offer([1])
        return ended[len(asked) - 1]

    monkeypatch.setattr(background, "search", search)
    searching = Searching(run, Tabu())
    for _ in ended:
        searching.take_turn(16.0)
    # Four classifiers: two walks. Idle before each turn: 0, 1, 2, 4, 8, 108, and 3 after the news.
    shares = [1, 1, 1, 1 / 2, 1 / 4, 1 / 4, 2 / 3]
    assert asked == pytest.approx([16 * share for share in shares], abs=0.5)
