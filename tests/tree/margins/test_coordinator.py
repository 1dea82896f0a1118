"""Proofs about margins in rounds: several workers, the file they are kept in, Ctrl-C."""

import time

import numpy as np
import pytest

import voteprune as vp
from margin_oracle import margin_instance
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.solvers import isolated
from voteprune.strategies import exact_margin as exact
from voteprune.strategies import second_opinion
from voteprune.tree.background import BackgroundSearch
from voteprune.tree.checkpoint import Kept, SizeBounds, load_proof, save_proof
from voteprune.tree.margins.coordinator import MarginsDriver
from voteprune.tree.margins.task import Share


@pytest.fixture(autouse=True)
def proved(monkeypatch):
    """Keep small pools from being tried out, and leave something to prove."""
    monkeypatch.setattr(exact, "_ENUMERATE", 0)
    monkeypatch.setattr(exact, "_SEARCH_SECONDS", 0.0)


def pool(seed=0, rows=60, k=9):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    return vp.Votes(np.where(rng.random((rows, k)) < 0.65, y[:, None], 1 - y[:, None]), y)


@pytest.mark.parametrize("seed", [200, 201, 204, 212])
def test_several_workers_prove_the_optimum(seed):
    votes, request, truth = margin_instance(seed, most_classifiers=7)
    best = truth.best_margin(request["objective"], request["constraints"], request["diversity"])
    bounds = []
    solution = vp.prune(
        votes, **request, n_jobs=3, callback=lambda progress: bounds.append(progress.bound)
    )
    if best is None:
        assert solution.status == "infeasible"
        return
    assert solution.status == "optimal", solution.summary()
    assert solution.value == pytest.approx(float(best), abs=1e-9)
    assert all(bound is None or bound >= float(best) - 1e-9 for bound in bounds)
    assert not solution.incidents


def test_what_was_proved_and_what_a_solver_said_come_back_from_the_file(tmp_path):
    problem, file = Problem.of(pool(), vp.Ramp(0.5)), tmp_path / "proof.npz"
    state = SizeBounds(
        proved={1: 7, 3: 10**40}, priced=(3,), waiting={3: 9}, settled={1: 7}, turns={3: 8.5},
        trusted=("highs",),
    )  # fmt: skip
    committee = problem.committee([1, 4, 5], 1)
    save_proof(file, problem, Kept(committee, sizes=state))
    kept = load_proof(file, problem)
    assert kept.sizes == state
    assert kept.committee == committee
    assert kept.nodes is kept.nogood_nodes is None
    with pytest.raises(vp.InputError, match="belongs to another problem"):
        vp.prune(pool(), objective=vp.Ramp(0.75), checkpoint=file)
    with pytest.raises(vp.InputError, match="belongs to another problem"):
        vp.prune(pool(), checkpoint=file)


def test_a_size_that_had_its_program_has_no_other_after_a_kill(tmp_path):
    problem, file = Problem.of(pool(), vp.Ramp(0.5)), tmp_path / "proof.npz"
    run = Run(Incumbent(problem), time.monotonic() + 60, checkpoint=file)
    driver = MarginsDriver(problem, run, run.deadline)
    (task,) = driver._deal(1, run.deadline)
    assert task.open.all()
    priced = ()
    while not priced:  # on a busy machine a round may be over before its first program is
        assert driver.round(run.deadline)
        priced = load_proof(file, problem).sizes.priced
    proved = driver.bounds
    again = Run(Incumbent(problem), time.monotonic() + 60, checkpoint=file)
    resumed = MarginsDriver(problem, again, again.deadline)
    tasks = resumed._deal(2, again.deadline)
    listed = task.sizes.all()
    assert not any(task.open[listed.index(size)] for task in tasks for size in priced)
    assert resumed.bounds == proved


def test_sizes_that_a_round_did_not_come_to_stay_open():
    problem = Problem.of(pool(), vp.Ramp(0.5))
    run = Run(Incumbent(problem), time.monotonic() + 60)
    driver = MarginsDriver(problem, run, run.deadline)
    first, second = driver._deal(2, run.deadline)
    assert not (first.open & second.open).any()
    unpriced = first.open.copy()
    unpriced[np.flatnonzero(unpriced)[0]] = False
    shares = [Share(first.bounds, unpriced, ()), Share(second.bounds - 1, second.open & False, ())]
    driver._take(shares)
    (task,) = driver._deal(1, run.deadline)
    assert (task.open == unpriced).all()
    assert (task.bounds == first.bounds - 1).all()


def test_a_proof_that_was_stopped_goes_on_from_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(second_opinion, "ENUMERATE", 0)  # no second opinion by trying everything
    votes, file, asked = pool(), tmp_path / "proof.npz", []
    whole = vp.prune(votes, objective=vp.Ramp(0.5), random_state=0, time_limit=60)
    assert whole.status == "optimal"
    true_work = exact._work_on

    def work_on(problem, run, queue, sizes, *rest):
        asked.extend(sizes)
        true_work(problem, run, queue, sizes, *rest)

    monkeypatch.setattr(exact, "_work_on", work_on)
    keep = MarginsDriver.keep

    def stop(self, state):
        keep(self, state)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MarginsDriver, "keep", stop)
        first = vp.prune(votes, objective=vp.Ramp(0.5), random_state=0, checkpoint=file)
    assert first.termination == "interrupted"
    problem = Problem.of(votes, vp.Ramp(0.5))
    kept = load_proof(file, problem).sizes
    best = problem.score(first.committee)
    better = {size for size, bound in kept.proved.items() if bound > best}
    assert better <= {*kept.settled, *kept.waiting}
    assert len(better) > 1
    before = list(asked)
    asked.clear()
    second = vp.prune(votes, objective=vp.Ramp(0.5), random_state=0, checkpoint=file)
    assert second.status == "optimal"
    assert second.value == whole.value
    assert second.trusted == whole.trusted == ("highs",)
    # The size of the best committee is asked about again: it vouches for the solver.
    assert set(asked) - {second.committee.size} <= set(kept.waiting)
    assert before


@pytest.mark.slow
def test_ctrl_c_ends_all_solvers_and_keeps_what_was_found(monkeypatch):
    busy = []

    def press(self):
        there = isolated._busy.get("highs", [])
        busy.extend(worker.process for worker in there)
        if len(there) == 2:
            raise KeyboardInterrupt
        time.sleep(0.01)
        return True

    monkeypatch.setattr(BackgroundSearch, "__call__", press)
    monkeypatch.setattr(BackgroundSearch, "begin_round", lambda self, worker: 2)
    votes = pool(3, rows=300, k=30)
    solution = vp.prune(votes, objective=vp.Ramp(0.5), n_jobs=3, random_state=0, time_limit=60)
    assert solution.termination == "interrupted"
    assert solution.value <= solution.bound
    assert not isolated._busy["highs"]
    assert all(process.poll() is not None for process in busy[-2:])
