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
from voteprune.tree.margins.driver import MarginsDriver, at_size
from voteprune.tree.margins.task import Result


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
    (task,) = driver._tasks(1, run.deadline)
    assert task.open.all()
    priced = ()
    while not priced:  # on a busy machine a round may be over before its first program is
        assert driver.round(run.deadline)
        priced = load_proof(file, problem).sizes.priced
    proved = driver.bounds
    again = Run(Incumbent(problem), time.monotonic() + 60, checkpoint=file)
    resumed = MarginsDriver(problem, again, again.deadline)
    tasks = resumed._tasks(2, again.deadline)
    listed = task.sizes.all()
    assert not any(task.open[listed.index(size)] for task in tasks for size in priced)
    assert resumed.bounds == proved


def test_sizes_that_a_round_did_not_come_to_stay_open():
    problem = Problem.of(pool(), vp.Ramp(0.5))
    run = Run(Incumbent(problem), time.monotonic() + 60)
    driver = MarginsDriver(problem, run, run.deadline)
    first, second = driver._tasks(2, run.deadline)
    assert not (first.open & second.open).any()
    unpriced = first.open.copy()
    unpriced[np.flatnonzero(unpriced)[0]] = False
    results = [
        Result(first.bounds, unpriced, ()),
        Result(second.bounds - 1, second.open & False, ()),
    ]
    driver._take(results)
    (task,) = driver._tasks(1, run.deadline)
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


def started(seed=0, *, record=None, file=None, worst=True):
    problem = Problem.of(pool(seed, rows=30, k=6), vp.Ramp(0.5))
    run = Run(Incumbent(problem), time.monotonic() + 60, record=record, checkpoint=file)
    if worst:
        run.incumbent.offer([0])
    return MarginsDriver(problem, run, 77.0), run


@pytest.mark.parametrize("workers", [1, 2, 4, 9])
def test_every_size_that_may_hold_something_better_is_dealt_once(workers):
    driver, run = started()
    target = (run.incumbent.score + 1) / driver._scale
    driver._bounds = target + np.array([3.0, -0.01, 1.0, 5.0, 0.0, 2.0])
    driver._open = np.array([True, True, True, True, True, False])
    tasks = driver._tasks(workers, 5.0)
    assert len(tasks) == min(workers, 4)
    dealt = np.array([task.open for task in tasks])
    assert dealt.sum(axis=0).tolist() == [1, 0, 1, 1, 1, 0]
    ranked = [3, 0, 2, 4]
    for place, task in enumerate(tasks):
        assert task.open[ranked[place]]
        assert (task.deadline, task.latest) == (5.0, 77.0)
        assert task.target == pytest.approx(target)
        assert (task.bounds == driver._bounds).all()
    assert not driver.over
    driver._open[[0, 2, 3]] = False
    assert not driver.over  # a bound that is just the target may be reached
    driver._bounds[4] -= 1e-6
    assert driver.over
    driver._take([])
    assert driver._open.tolist() == [False, True, False, False, False, False]


def test_without_a_committee_every_size_is_worth_a_program():
    driver, _ = started(worst=False)
    (task,) = driver._tasks(1, 1.0)
    assert task.target == -np.inf
    assert task.open.all()


def test_shares_lower_bounds_and_what_they_found_is_looked_at():
    driver, run = started()
    before = driver._bounds.copy()
    tasks = driver._tasks(2, 1.0)
    lower = [before.copy(), before.copy()]
    lower[0][0] -= 2.0
    lower[1][1] -= 1.0
    best = max(range(6), key=lambda k: run.incumbent.problem.best([k])[1])
    driver._take([
        Result(lower[0], np.zeros(6, dtype=bool), ((best,),)),
        Result(lower[1], tasks[1].open, ()),
    ])  # fmt: skip
    np.testing.assert_array_equal(driver._bounds, np.minimum(*lower))
    np.testing.assert_array_equal(driver._open, tasks[1].open)
    assert run.incumbent.members == (best,)


def test_the_bound_of_a_run_is_that_of_its_highest_size_with_room_for_rounding():
    driver, run = started()
    bound = driver._bounds.max() - 3.0
    driver._bounds = np.full(6, bound)
    driver._bounds[2] += 0.5
    driver._take_stock()
    exact = driver._scale * (bound + 0.5)
    gains = run.incumbent.problem.gains
    assert run.incumbent.bound in (gains.floor_to_step(exact * (1 + 1e-6)),
                                   gains.floor_to_step(exact))  # fmt: skip
    assert driver._in_units(0.0) == pytest.approx(1e-7 * driver._scale * driver._largest)
    assert driver._in_units(-1e9) == pytest.approx(driver._scale * (-1e9 + 100))
    before = run.incumbent.bound
    driver._report(bound - 1.0, [1, 2, 3])
    assert run.incumbent.bound < before
    assert (1, 2, 3) in driver._seen


def test_bounds_of_sizes_are_rounded_down_to_what_a_size_can_be_worth():
    driver, run = started()
    known = run.incumbent.proved
    assert driver.bounds == dict.fromkeys(range(1, 7), known)
    driver._bounds -= np.arange(6) / 7
    driver._known[5] = 5
    driver._bounded = True
    for place, (size, told) in enumerate(driver.bounds.items()):
        values = [
            run.incumbent.problem.best([k for k in range(6) if code >> k & 1])[1]
            for code in range(1, 64)
            if bin(code).count("1") == size
        ]
        above = driver._scale * driver._bounds[place]
        if size < 6:
            grid = at_size(run.incumbent.problem, size).gains
            assert told == min(known, grid.floor_to_step(driver._in_units(driver._bounds[place])))
            assert all(value <= told for value in values if value <= above)
            assert all(grid.floor_to_step(value) == value for value in values)
        else:
            assert told == 5
    assert at_size(run.incumbent.problem, 3).size_min == 3
    assert at_size(run.incumbent.problem, 3).size_max == 3


def test_what_had_its_program_and_what_was_proved_is_put_on_file(tmp_path):
    file = tmp_path / "proof.npz"
    driver, run = started(file=file)
    driver._open[[1, 3]] = False
    driver._bounds[2] -= 3.0
    driver._bounded = True
    driver.keep(SizeBounds(waiting={2: 9}, settled={}, turns={}, trusted=("highs",)))
    kept = load_proof(file, run.incumbent.problem)
    assert kept.sizes.priced == (2, 4)
    assert kept.sizes.proved == driver.bounds
    assert kept.sizes.waiting == {2: 9}
    assert kept.committee == run.incumbent.committee
    again, _ = started(file=file)
    assert again._open.tolist() == [True, False, True, False, True, True]
    assert again.bounds == driver.bounds
    assert again.kept.waiting == {2: 9}
