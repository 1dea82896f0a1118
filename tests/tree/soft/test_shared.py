"""Soft committees whose open nodes are shared by workers: nothing is lost, nothing changes."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import draw, optimum, pool, result_of
from voteprune.soft.tree import SoftTree
from voteprune.solvers import SolverFailure, isolated
from voteprune.tree import driver
from voteprune.tree.soft import driver as shared
from voteprune.tree.soft import worker
from voteprune.tree.soft.checkpoint import SoftCheckpoint

LIMITS = [vp.AtMost("size", 4)]


@pytest.fixture
def said():
    return vp.Probabilities(*pool(3, n=80, k=14))


@pytest.fixture
def at_once(monkeypatch):
    """Share nodes from the first moment, however few rows there are, in short rounds."""
    for name, value in (
        ("_PAYS", 0),
        ("_FINE_ALONE", 0.0),
        ("_SHORT", 0.001),
        ("_LONG", 0.001),
        ("_FIRST", 0.05),
        ("_NODES", 1),
    ):
        monkeypatch.setattr(shared, name, value)
    monkeypatch.setattr(SoftTree, "_first_committees", lambda tree, deadline: None)


def ask(said, **request):
    return vp.prune(said, penalty=0.02, constraints=LIMITS, objective="log_loss", **request)


def here(monkeypatch, rounds):
    """Have tasks done in this process, after a trip through pickle; note how many there were."""

    def run_tasks(module, tasks, report, meanwhile, end):
        rounds.append(len(tasks))
        done = [worker.solve(task, report) for task in pickle.loads(pickle.dumps(tasks))]
        while meanwhile():
            pass
        return done

    monkeypatch.setattr(driver, "run_tasks", run_tasks)


def test_work_here_is_cut_into_strides_that_end_with_the_round(said, at_once, monkeypatch):
    """Else workers wait for somebody to hear them."""
    monkeypatch.setattr(shared, "_FIRST", 30.0)
    monkeypatch.setattr(shared, "_STRIDE", 0.02)
    here(monkeypatch, rounds := [])
    strides, original = [], SoftTree.round

    def spy(tree, deadline, **given):
        strides.append(deadline - time.monotonic())
        return original(tree, deadline, **given)

    monkeypatch.setattr(SoftTree, "round", spy)
    monkeypatch.setattr(worker, "solve", lambda task, report: task.state)
    assert ask(said, n_jobs=2, time_limit=60).status == "optimal"
    assert rounds
    assert max(strides) <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_several_workers_find_and_prove_what_one_does(n_jobs, said, at_once, monkeypatch):
    alone, rounds = ask(said), []
    here(monkeypatch, rounds)
    together = ask(said, n_jobs=n_jobs)
    assert rounds
    assert max(rounds) == n_jobs - 1
    assert together.status == alone.status == "optimal"
    assert together.committee == alone.committee
    assert together.lower_bound <= alone.penalised_loss * (1 + 1e-12)


@pytest.mark.slow
def test_workers_that_fail_cost_nothing_and_are_not_asked_again(said, at_once, monkeypatch):
    asked = []

    def fail(*_):
        asked.append(1)
        raise SolverFailure("a worker fell over")

    monkeypatch.setattr(driver, "run_tasks", fail)
    solution = ask(said, n_jobs=2)
    assert solution.status == "optimal"
    assert solution.committee == ask(said).committee
    assert solution.incidents == ("a worker fell over",)
    assert len(asked) == 1


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing(said, at_once, monkeypatch):
    """A real one, in the middle of its first round."""
    killed, take = [], isolated._take

    def doomed(*args):
        process = take(*args)
        killed.append(process.process.pid)
        threading.Timer(0.05, os.kill, (process.process.pid, signal.SIGKILL)).start()
        return process

    monkeypatch.setattr(isolated, "_take", doomed)
    solution = ask(said, n_jobs=2)
    assert killed
    assert solution.status == "optimal"
    assert "was killed by SIGKILL" in solution.incidents[0]
    assert solution.committee == ask(said).committee


@pytest.mark.slow
def test_an_interrupt_puts_what_workers_had_on_file(said, at_once, monkeypatch, tmp_path):
    file, dealt = tmp_path / "soft.npz", []

    def interrupted(module, tasks, report, meanwhile, end):
        dealt.extend(len(task.state.bounds) for task in tasks)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(driver, "run_tasks", interrupted)
        stopped = ask(said, n_jobs=2, checkpoint=file)
    assert stopped.termination == "interrupted"
    state = SoftCheckpoint(file, stopped.problem.numbers).load()
    assert len(state.bounds) > dealt[0] > 0
    again = ask(said, checkpoint=file)
    assert (again.status, again.committee) == ("optimal", ask(said).committee)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["log_loss", "pool_log_loss"])
def test_nodes_that_are_away_count_until_they_are_back(loss):
    """From a bad start: no bound told is above the optimum, and the optimum is found."""
    problem = draw(5, n=24, k=6, loss=loss)
    best = optimum(problem)
    tree = SoftTree(problem, tolerance=1e-8, search=False)
    other = SoftTree(problem, tolerance=1e-8, search=False)
    told = []
    while not tree.round(most_nodes=1):
        bound, n_open = tree.lower_bound, tree.n_open
        (*shares,) = tree.deal(2)
        assert (tree.lower_bound, tree.n_open) == (bound, n_open)
        assert len(tree.state().bounds) == n_open
        assert not tree.finished
        tree.round(most_nodes=4)  # what is here may be over, what is away is not
        told.append(tree.lower_bound)
        for place, share in enumerate(shares):
            other.resume(share)
            other.round(most_nodes=1)
            shares[place] = other.state()
        tree.take_back(shares)
        told.append(tree.lower_bound)
        assert len(told) < 500
    assert max(told, default=0.0) <= best * (1 + 1e-7)
    assert result_of(tree).penalised_loss == pytest.approx(best, rel=3e-7)
    assert np.isfinite(tree.closed)


def test_nodes_come_back_as_they_were():
    tree = SoftTree(draw(5, n=24, k=6), search=False)
    tree.round(most_nodes=3)
    before = tree.state()
    tree.deal(1)
    tree.recall()
    np.testing.assert_array_equal(tree.state().bounds, before.bounds)
    np.testing.assert_array_equal(
        np.sort(tree.state().decisions, axis=0), np.sort(before.decisions, axis=0)
    )
    assert not tree.idle


def test_what_is_away_is_open_when_nothing_is_left_here():
    tree = SoftTree(draw(5, n=24, k=6), search=False)
    tree.round(most_nodes=1)
    tree.deal(1)
    least = tree.state().bounds.min()
    tree.round()
    assert tree.idle
    assert not tree.finished
    assert tree.lower_bound == tree.state().bounds.min() >= least


def test_few_rows_start_no_worker(said, monkeypatch):
    monkeypatch.setattr(driver, "run_tasks", None)
    assert ask(said, n_jobs=2).status == "optimal"
