"""Strides of a search in the background, and single tasks, under a clock that only they move."""

import sys
import time
from concurrent.futures import Future
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from voteprune.solvers import OutOfTime, SolverFailure
from voteprune.tree import background as beside
from voteprune.tree import dispatch
from voteprune.tree.background import BackgroundSearch


class Clock:
    """A clock that moves when somebody sleeps or searches."""

    def __init__(self):
        self.now, self.slept = 100.0, []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def stage(monkeypatch):
    """A run with a search that takes so long and finds so much; what was prepared is noted."""
    clock = Clock()
    stage = SimpleNamespace(clock=clock, takes=0.02, finds=0, asked=[], prepared=[])
    incumbent = SimpleNamespace(score=5, closed=False)
    type_of = type("", (), {"seconds": property(lambda self: clock.now - 100.0)})
    stage.incumbent = type_of()
    stage.incumbent.__dict__.update(vars(incumbent))
    stage.run = SimpleNamespace(incumbent=stage.incumbent, deadline=1e6, threads=4, record=None)

    def search(tabu, incumbent, until, patience):
        stage.asked.append((tabu, incumbent, until, patience))
        clock.now += stage.takes
        incumbent.score += stage.finds

    monkeypatch.setattr(beside, "time", clock)
    monkeypatch.setattr(beside, "search", search)
    monkeypatch.setattr(beside, "prepare", stage.prepared.append)
    return stage


def test_a_stride_is_short_and_ends_with_the_run(stage):
    search = BackgroundSearch(stage.run, "tabu")
    assert search()
    assert stage.asked == [("tabu", stage.incumbent, pytest.approx(100.02), sys.maxsize)]
    stage.run.deadline = stage.clock.now + 0.01
    search()
    assert stage.asked[-1][2] == pytest.approx(stage.run.deadline)
    stage.incumbent.closed = True
    assert not search()


@pytest.mark.parametrize(("before", "patience"), [(0.0, 1.5), (20.0, 20 / 3)])
def test_it_is_dry_after_a_second_and_a_half_or_a_quarter_of_all_time(stage, before, patience):
    stage.clock.now += before
    search = BackgroundSearch(stage.run, "tabu")
    assert search.begin_round("worker") == 3
    began = stage.clock.now
    while not stage.prepared:
        search()
    # A quarter of the time until then, which goes on, too.
    assert stage.clock.now - began == pytest.approx(patience, abs=0.06)
    assert stage.prepared == ["worker"]
    for _ in range(200):
        search()
    assert stage.prepared == ["worker"]
    assert stage.clock.slept == []
    assert search.begin_round("worker") == 4


def test_news_makes_it_young_again_and_dry_is_dry_for_good(stage):
    search = BackgroundSearch(stage.run, "tabu")
    stage.takes = 1.0
    search()
    stage.finds = 1
    search()
    stage.finds = 0
    search()  # one second after the news
    assert not stage.prepared
    assert search.begin_round("worker") == 3
    search()
    assert stage.prepared == ["worker"]
    stage.finds = 1
    search()
    assert search.begin_round("worker") == 4


def test_nobody_is_prepared_for_a_proof_that_is_written_down_or_before_a_round(stage):
    stage.takes = 10.0
    search = BackgroundSearch(stage.run, "tabu")
    search()
    assert stage.prepared == []
    stage.run.record = []
    written = BackgroundSearch(stage.run, "tabu")
    assert written.begin_round("worker") == 1
    written()
    assert stage.prepared == []
    assert written.begin_round("worker") == 1


def test_among_as_many_workers_as_cores_it_rests_three_times_as_long_as_it_searches(stage):
    search = BackgroundSearch(stage.run, "tabu")
    stage.takes = 2.0
    search.begin_round("worker")
    search()
    assert search.begin_round("worker") == 4
    stage.takes = 0.05
    search.clock = stage.clock
    stage.clock.now += 100.0
    stage.asked.clear()
    search()
    ended = stage.clock.now
    while len(stage.asked) == 1:
        stage.incumbent.closed = False
        assert search()
        if len(stage.asked) == 1:
            stage.incumbent.closed = True
            assert not search()
    assert stage.clock.now - ended == pytest.approx(0.15 + 0.05, abs=1e-9)
    assert max(stage.clock.slept) <= 0.02
    assert sum(stage.clock.slept) == pytest.approx(0.15)


@dataclass(frozen=True)
class Errand:
    """A task."""

    name: str
    deadline: float = 5.0
    latest: float = 9.0


def test_a_single_task_is_worked_on_here_with_its_reports_and_its_time(monkeypatch):
    heard = []
    monkeypatch.setattr(dispatch, "call", lambda *given, **named: heard.append((given, named)) or 7)
    task = Errand("one")
    assert dispatch.run_tasks("worker", [task], "report", "meanwhile", 11.0) == [7]
    assert heard == [(("worker", (task,), 9.0, "report", "meanwhile", 11.0), {})]


def test_several_are_worked_on_without_reports_each_until_its_own_end(monkeypatch):
    heard = []

    def call(worker, request, latest, report, end=None):
        heard.append((worker, request[0].name, latest, end))
        assert report("anything", 1) is None
        return request[0].name

    monkeypatch.setattr(dispatch, "call", call)
    tasks = [Errand("a", latest=8.0), Errand("b")]
    assert dispatch.run_tasks("worker", tasks, None, None, 11.0) == ["a", "b"]
    assert sorted(heard) == [("worker", "a", 8.0, 11.0), ("worker", "b", 9.0, 11.0)]
    heard.clear()
    assert dispatch.run_tasks("worker", tasks, None) == ["a", "b"]
    assert [end for *_, end in heard] == [None, None]


def test_a_backend_that_comes_back_only_when_all_is_done_does_as_well(monkeypatch):
    monkeypatch.setattr(dispatch, "call", lambda worker, request, *_, **__: request[0].name)
    made, parallel = [], dispatch.joblib.Parallel

    def old(**options):
        made.append(options)
        if "return_as" in options:
            raise ValueError("not here")
        return parallel(**options)

    monkeypatch.setattr(dispatch.joblib, "Parallel", old)
    assert dispatch.run_tasks("worker", [Errand("a"), Errand("b")], None) == ["a", "b"]
    assert made == [
        {"n_jobs": 2, "prefer": "threads", "return_as": "generator"},
        {"n_jobs": 2, "prefer": "threads"},
    ]


@pytest.mark.parametrize("error", [OutOfTime("late"), SolverFailure("it died"), KeyError("what")])
def test_what_a_worker_raises_is_a_failure_unless_it_had_no_time(error, monkeypatch):
    shares: Future = Future()
    shares.set_exception(error)
    monkeypatch.setattr(dispatch, "_send", lambda *_: shares)
    expected = OutOfTime if isinstance(error, OutOfTime) else SolverFailure
    with pytest.raises(expected) as raised:
        dispatch.run_tasks("worker", [Errand("a"), Errand("b")], None)
    assert isinstance(raised.value, OutOfTime) == isinstance(error, OutOfTime)
    assert isinstance(error, OutOfTime) or "a worker failed" in str(raised.value)


def test_a_failure_while_dealing_is_told_as_it_is(monkeypatch):
    def deal(*_):
        raise SolverFailure("the very words")

    monkeypatch.setattr(dispatch, "_send", deal)
    with pytest.raises(SolverFailure, match=r"^the very words"):
        dispatch.run_tasks("worker", [Errand("a"), Errand("b")], None)


def test_tasks_are_sent_from_here_and_now():
    before = time.monotonic(), time.time()
    sent = dispatch.Sent()
    assert before[0] <= sent.moment <= time.monotonic()
    assert before[1] <= sent.wall <= time.time() + 1e-3
    assert sent.machine == dispatch.platform.node()
    assert sent.clocks_apart() == 0.0


@pytest.mark.parametrize(("waited", "apart"), [(0.0, 0.0), (30.0, 0.0), (30.5, 30.5)])
def test_half_a_minute_is_the_longest_that_a_task_waits_on_one_machine(waited, apart, monkeypatch):
    monkeypatch.setattr(dispatch.platform, "node", lambda: "here")
    monkeypatch.setattr(dispatch.time, "monotonic", lambda: 100.0 + waited)
    monkeypatch.setattr(dispatch.time, "time", lambda: 1e9 + waited)
    assert dispatch.Sent("here", 100.0, 1e9).clocks_apart() == pytest.approx(apart)
    away = dispatch.Sent("away", 100.0, 1e9).clocks_apart()
    assert away == pytest.approx(apart)
