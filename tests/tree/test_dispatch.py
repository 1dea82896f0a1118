"""Tasks dealt to workers: something can be done here meanwhile, and nobody waits in vain."""

import time
from dataclasses import dataclass

import pytest

from voteprune.solvers import SolverFailure
from voteprune.tree import dispatch
from voteprune.tree.dispatch import run_tasks


@dataclass(frozen=True)
class Nap:
    """A task: sleep for so long, then answer."""

    seconds: float
    deadline: float
    latest: float
    fault: str = ""


def naps(*seconds, fault=""):
    now = time.monotonic()
    return [Nap(each, now + 20, now + 30, fault) for each in seconds]


@pytest.fixture(autouse=True)
def sleepers(monkeypatch):
    """Workers that sleep; what is asked to give up is noted."""
    given_up = []

    def call(worker, request, deadline, report, meanwhile=None, end=None):
        (task,) = request
        time.sleep(task.seconds)
        if task.fault:
            raise SolverFailure(task.fault)
        return task.seconds

    monkeypatch.setattr(dispatch, "call", call)
    monkeypatch.setattr(dispatch, "give_up", given_up.append)
    return given_up


def no_report(*_):
    raise AssertionError("several workers do not report")


def test_answers_come_in_the_order_of_the_tasks():
    assert run_tasks("a module", naps(0.2, 0.1), no_report) == [0.2, 0.1]


def test_something_is_done_until_the_last_is_ready_and_no_longer():
    strides = []

    def meanwhile():
        time.sleep(0.01)
        strides.append(time.monotonic())
        return True

    assert run_tasks("a module", naps(0.3, 0.1), no_report, meanwhile) == [0.3, 0.1]
    assert time.monotonic() - strides[-1] < 5  # the deadline was 20 s away
    assert len(strides) > 1


def test_what_says_that_it_has_done_enough_is_not_asked_again():
    asked = []
    run_tasks("a module", naps(0.2, 0.2), no_report, lambda: asked.append(1))
    assert asked == [1]


def test_a_fault_of_one_worker_is_a_failure_that_says_so():
    with pytest.raises(SolverFailure, match="the cat got it"):
        run_tasks("a module", naps(0.1, 0.1, fault="the cat got it"), no_report, lambda: True)


def test_workers_that_cannot_be_reached_are_a_failure_too(monkeypatch):
    def gone(**_):
        raise OSError("the cluster is gone")

    monkeypatch.setattr(dispatch.joblib, "Parallel", gone)
    with pytest.raises(SolverFailure, match="the cluster is gone"):
        run_tasks("a module", naps(0.1, 0.1), no_report)


@pytest.mark.parametrize("exception", [KeyboardInterrupt, RuntimeError])
def test_what_is_raised_here_comes_through_and_the_workers_are_given_up(exception, sleepers):
    def meanwhile():
        raise exception

    began = time.monotonic()
    with pytest.raises(exception):
        run_tasks("a module", naps(3, 3), no_report, meanwhile)
    assert time.monotonic() - began < 2
    assert sleepers == ["a module"]


HERE, AWAY = "here", "away"


@pytest.mark.parametrize(
    ("machine", "ahead", "waited", "apart"),
    [
        (HERE, 0.0, 3.0, 0.0),  # one machine, one clock: what was waited is gone
        (AWAY, 5000.0, 3.0, 5000.0),  # another clock, a shared wall clock
        (AWAY, -5000.0, 3.0, -5000.0),
        (AWAY, 2.0, 3.0, 2.0),  # two machines that were started nearly together
        (HERE, 5000.0, 3.0, 5000.0),  # two machines of one name
        (AWAY, 5000.0, -100.0, 4900.0),  # wall clocks that disagree tell nothing
        (AWAY, 5000.0, 900.0, 5900.0),
    ],
)
def test_deadlines_are_moved_by_what_clocks_are_apart(machine, ahead, waited, apart, monkeypatch):
    monkeypatch.setattr(dispatch.platform, "node", lambda: HERE)
    sent = dispatch.Sent(machine, 100.0, 1e9)
    monkeypatch.setattr(dispatch.time, "monotonic", lambda: 100.0 + ahead + waited)
    monkeypatch.setattr(dispatch.time, "time", lambda: 1e9 + waited)
    assert sent.clocks_apart() == pytest.approx(apart)


def test_a_task_from_another_machine_has_the_time_that_it_had_there(monkeypatch):
    heard = []
    monkeypatch.setattr(
        dispatch, "call", lambda worker, request, *_, end: heard.append((*request, end))
    )
    now = time.monotonic()
    sent = dispatch.Sent("away", now - 1000, time.time())
    dispatch._work("a module", Nap(0.0, now - 990, now - 980), sent, now - 970)
    ((task, end),) = heard
    assert task.deadline == pytest.approx(now + 10, abs=1)
    assert task.latest == pytest.approx(now + 20, abs=1)
    assert end == pytest.approx(now + 30, abs=1)
