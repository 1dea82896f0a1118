"""Search beside workers: a core of its own while it finds something, then a share of its time."""

import time

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.tree import background as beside
from voteprune.tree.background import SEARCH_SHARE, BackgroundSearch


class Sleeper:
    """A local search that takes its time and finds nothing."""

    def __init__(self):
        self.busy = 0.0

    def walk(self, until):
        began = time.monotonic()
        time.sleep(0.05)  # longer than a stride
        self.busy += time.monotonic() - began
        return 1


@pytest.fixture
def run():
    labels = np.arange(20) % 2
    problem = Problem.of(vp.Votes(np.random.default_rng(0).integers(0, 2, (20, 4)), labels))
    return Run(Incumbent(problem), time.monotonic() + 60, threads=3)


@pytest.fixture(autouse=True)
def prepared(monkeypatch):
    started = []
    monkeypatch.setattr(beside, "prepare", started.append)
    return started


def test_a_worker_more_when_nothing_has_been_found_for_long(run, prepared, monkeypatch):
    monkeypatch.setattr(beside, "_DRY", 0.0)
    monkeypatch.setattr(beside, "_DRY_SHARE", 0.0)
    search = BackgroundSearch(run, Sleeper())
    assert search.begin_round("a module") == 2
    assert search()
    assert prepared == ["a module"]  # while the round goes on
    assert search.begin_round("a module") == 3


def test_it_keeps_its_core_as_long_as_that_is_young(run, prepared, monkeypatch):
    monkeypatch.setattr(beside, "_DRY", 1000.0)
    search = BackgroundSearch(run, Sleeper())
    assert search()
    assert search.begin_round("a module") == 2
    assert prepared == []


@pytest.mark.slow
def test_among_as_many_workers_as_cores_it_takes_its_share_however_long_a_step_is(run, monkeypatch):
    monkeypatch.setattr(beside, "_DRY", 0.0)
    monkeypatch.setattr(beside, "_DRY_SHARE", 0.0)
    tabu = Sleeper()
    search = BackgroundSearch(run, tabu)
    search.begin_round("a module")
    search()
    search.begin_round("a module")
    tabu.busy, began = 0.0, time.monotonic()
    while time.monotonic() - began < 2:
        search()
    assert tabu.busy / (time.monotonic() - began) == pytest.approx(SEARCH_SHARE, abs=0.1)


def test_a_proof_that_is_written_down_has_one_worker(run, monkeypatch):
    monkeypatch.setattr(beside, "_DRY", 0.0)
    written = Run(run.incumbent, run.deadline, threads=3, record=[])
    search = BackgroundSearch(written, Sleeper())
    assert search.begin_round("a module") == 1
    search()
    assert search.begin_round("a module") == 1
