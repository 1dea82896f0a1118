"""Rounds of a soft committee's proof: when they are shared, what is told, and what is on file."""

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import draw, pool
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.soft.pruning import SoftPruning
from voteprune.soft.tree import SoftTree
from voteprune.tree.soft import driver as module
from voteprune.tree.soft import worker
from voteprune.tree.soft.checkpoint import SoftCheckpoint, _fault, check_soft_checkpoint, digest
from voteprune.tree.soft.driver import SoftDriver
from voteprune.tree.soft.worker import Task


def made(checkpoint=None, record=None, objective="log_loss", classes=2, **options):
    said = vp.Probabilities(*pool(3, n=40, k=6, n_classes=classes))
    problem = SoftPruning.of(said, objective, [vp.AtMost("size", 2)], 0.1)
    run = Run(Incumbent(problem), time.monotonic() + 600, checkpoint=checkpoint, record=record)
    tree = SoftTree(problem.numbers, problem.loss, search=False, **options)
    return problem, run, tree


def test_a_round_is_shared_where_all_speaks_for_it(monkeypatch):
    problem, run, tree = made()
    driver = SoftDriver(problem, run, tree)
    rows = len(problem.numbers.labels)
    fine = {
        "able": True, "threads": 2, "record": None, "pays": rows, "began": 0.0, "left": 1.001,
        "nodes": 8, "settled": True,
    }  # fmt: skip

    def pays(**other):
        given = {**fine, **other}
        monkeypatch.setattr(module, "_PAYS", given["pays"])
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 1.5))
        driver._able, driver._began = given["able"], given["began"]
        driver._run = SimpleNamespace(
            threads=given["threads"], record=given["record"], seconds_left=given["left"]
        )
        families = SimpleNamespace(settled=given["settled"])
        driver._tree = SimpleNamespace(
            problem=problem.numbers, n_open=given["nodes"], families=families
        )
        return driver.pays

    assert pays()
    for wrong in (
        {"able": False}, {"threads": 1}, {"record": []}, {"pays": rows + 1}, {"began": 0.001},
        {"left": 1.0}, {"nodes": 7}, {"threads": 3}, {"settled": False},
    ):  # fmt: skip
        assert not pays(**wrong)
    assert pays(threads=3, nodes=12)


def test_the_incumbent_is_told_bounds_above_nothing_and_committees():
    problem, run, tree = made()
    driver = SoftDriver(problem, run, tree)
    assert run.incumbent.open_boxes == 1
    before = run.incumbent.bound
    driver._take_stock()
    assert run.incumbent.bound == before
    tree.offer((0, 1))
    driver._take_stock()
    assert run.incumbent.members is not None
    tree.round(most_nodes=2)
    driver._take_stock()
    assert tree.lower_bound > 0
    assert run.incumbent.bound == -tree.lower_bound / problem.total
    assert run.incumbent.open_boxes == tree.n_open
    while not driver.over:
        driver.round(run.deadline)
    assert tree.finished
    assert run.incumbent.bound == -tree.lower_bound / problem.total


def test_nodes_are_dealt_with_all_that_a_worker_needs():
    problem, run, tree = made(tolerance=1e-5)
    tree.round(most_nodes=4)
    driver = SoftDriver(problem, run, tree)
    n = tree.n_open
    tasks = driver._tasks(2, 77.0)
    assert 0 < len(tasks) <= 2
    for task in tasks:
        assert task.problem is problem.numbers
        assert (task.tolerance, task.deadline, task.latest) == (1e-5, 77.0, run.deadline)
        assert task.token == driver._token
    driver._take([task.state for task in tasks])
    assert tree.n_open == n
    assert not tree._away


@pytest.mark.parametrize("shared", [False, True])
def test_an_interrupt_loses_nothing(shared, tmp_path, monkeypatch):
    problem, run, tree = made(tmp_path / "soft.npz")
    tree.round(most_nodes=3)
    driver = SoftDriver(problem, run, tree)
    before = {row.tobytes() for row in tree.state().decisions}
    nodes = tree.nodes

    def stop(*_):
        if shared:
            driver._tasks(2, 5.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(SoftDriver, "pays", property(lambda _: shared))
    monkeypatch.setattr(driver, "_shared" if shared else "_take_stock", stop)
    with pytest.raises(KeyboardInterrupt):
        driver.round(time.monotonic())
    kept = SoftCheckpoint(tmp_path / "soft.npz", problem.numbers).load()
    assert {row.tobytes() for row in kept.decisions} == before
    assert kept.nodes == nodes
    again = made(tmp_path / "soft.npz")
    SoftDriver(*again)
    assert {row.tobytes() for row in again[2].state().decisions} == before
    assert again[2].nodes == nodes


def test_writing_takes_no_more_than_a_fifth_of_the_time(tmp_path, monkeypatch):
    problem, run, tree = made(tmp_path / "soft.npz")
    driver = SoftDriver(problem, run, tree)
    ticks = iter([0.0, 2.0])
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    driver._save(tmp_path / "soft.npz")
    assert driver._alone == 8.0
    ticks = iter([0.0, 0.0])
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    driver._save(tmp_path / "soft.npz")
    assert driver._alone == module._LONG


def test_strides_begin_short_so_that_early_committees_are_told_early(monkeypatch):
    problem, run, tree = made()
    driver = SoftDriver(problem, run, tree)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 0.0))
    asked = []
    monkeypatch.setattr(tree, "round", asked.append)
    for _ in range(6):
        driver.round(10.0)
    assert asked == pytest.approx([0.03, 0.06, 0.12, 0.24, 0.25, 0.25])
    driver.round(0.1)
    assert asked[-1] == 0.1


def test_a_worker_keeps_the_tree_of_its_last_token():
    problem, _, tree = made()
    tree.round(most_nodes=3)
    later = time.monotonic() + 600
    task = Task(problem.numbers, tree.state(), 1e-6, later, later + 5, "one")
    done = worker.solve(task, None)
    assert len(done.bounds) == 0
    kept = worker._known["one"]
    assert kept.tolerance == 1e-6
    assert kept.latest == kept.search.deadline == later + 5
    worker.solve(replace(task, deadline=time.monotonic() - 1), None)
    assert worker._known["one"] is kept
    open_still = worker.solve(replace(task, deadline=time.monotonic() - 1, token="two"), None)
    assert list(worker._known) == ["two"]
    assert len(open_still.bounds) == len(tree.state().bounds)


# Files.


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("objective", ["log_loss", "brier"])
def test_a_tree_on_file_is_the_same(objective, classes, tmp_path):
    problem, _, tree = made(objective=objective, classes=classes)
    file = SoftCheckpoint(tmp_path / "soft.npz", problem.numbers)
    assert file.load() is None
    for rounds in (0, 4):
        tree.round(most_nodes=rounds)
        state = tree.state()
        file.save(state)
        again = file.load()
        for name in ("decisions", "bounds", "intercepts", "weights", "members"):
            np.testing.assert_array_equal(getattr(again, name), getattr(state, name))
        assert (again.closed, again.nodes) == (state.closed, state.nodes)
        assert again.members.dtype == np.intp
    free = {"log_loss": classes - 1}.get(objective, 0)
    assert state.intercepts.shape[1] == free
    wrong = replace(state, intercepts=np.zeros((len(state.bounds), free + 1)))
    assert "intercepts" in _fault(wrong, problem.numbers)


def test_faults_are_found_and_nothing_else_is_one():
    problem, _, tree = made()
    tree.offer((0, 1))
    tree.round(most_nodes=3)
    state, numbers = tree.state(), problem.numbers
    assert _fault(state, numbers) == ""
    assert _fault(replace(state, members=np.zeros(0, dtype=np.intp)), numbers) == ""
    low = state.bounds.copy()
    low[0] = -np.inf
    assert _fault(replace(state, bounds=low, closed=np.inf), numbers) == ""
    n = len(state.bounds)
    for change, word in (
        ({"decisions": state.decisions[:, :-1]}, "shape"),
        ({"weights": state.weights[:-1]}, "shape"),
        ({"intercepts": np.full((n, 1), np.nan)}, "no numbers"),
        ({"weights": np.full((n, 6), np.inf)}, "no numbers"),
        ({"decisions": np.full((n, 6), 2, dtype=np.int8)}, "none"),
        ({"decisions": state.decisions.astype(np.int16)}, "none"),
        ({"bounds": np.full(n, np.nan)}, "bounds"), ({"closed": np.nan}, "bounds"),
        ({"members": np.array([0, 1, 2])}, "not allowed"),
    ):  # fmt: skip
        assert word in _fault(replace(state, **change), numbers)


def test_every_limit_is_in_the_digest():
    from fractions import Fraction

    from voteprune.soft.problem import Budget, Group

    base = replace(draw(1, n=24, k=5), size_max=3)
    ones = tuple(map(Fraction, (1, 1, 1, 1, 1)))
    others = [
        base, replace(base, penalty=7.0), replace(base, size_min=2), replace(base, size_max=2),
        replace(base, required=(1,)), replace(base, required=(1, 2)), replace(base, forbidden=(1,)),
        replace(base, budgets=(Budget(ones, Fraction(2)),)),
        replace(base, budgets=(Budget(ones, Fraction(3)),)),
        replace(base, budgets=(Budget((*ones[:4], Fraction(2)), Fraction(3)),)),
        replace(base, groups=(Group((0, 1), 1, 2),)), replace(base, groups=(Group((0, 1), 0, 2),)),
        replace(base, groups=(Group((0, 1), 1),)), replace(base, groups=(Group((0, 2), 1, 2),)),
    ]  # fmt: skip
    assert len({digest(one) for one in others}) == len(others)
    assert digest(replace(base, required=(2, 1))) == digest(replace(base, required=(1, 2)))
    assert digest(replace(base, size_max=None)) == digest(replace(base, size_max=5))
    assert digest(replace(base, labels=base.labels.astype(np.int32))) == digest(base)


def test_only_proofs_are_kept(tmp_path):
    problem, _, _ = made()
    assert check_soft_checkpoint(None, "exact", problem) is None
    assert check_soft_checkpoint(tmp_path / "c", "exact", problem) == tmp_path / "c"
    with pytest.raises(vp.InputError):
        check_soft_checkpoint(tmp_path / "c", "search", problem)


def test_a_run_is_given_less_tolerance_than_it_tells(monkeypatch):
    """What is told is lower than the bound by a hair, and must be within the tolerance still."""
    from voteprune.strategies import exact_soft

    given = []

    class Watched(SoftTree):
        def __init__(self, *said, **named):
            given.append(named)
            super().__init__(*said, **named)

    monkeypatch.setattr(exact_soft, "SoftTree", Watched)
    problem, run, _ = made()
    outcome = exact_soft.solve_exact(problem, run)
    assert outcome.termination == "proved"
    (named,) = given
    assert named["tolerance"] == 0.9 * exact_soft.TOLERANCE
    assert named["deadline"] == run.deadline
    assert named["keep_steps"] is False
    record = []
    problem, run, _ = made(record=record)
    exact_soft.solve_exact(problem, run)
    assert given[1]["keep_steps"] is True
    assert isinstance(record[0], SoftTree)
    assert record[0].latest == run.deadline
    assert problem.search.deadline == run.deadline


@pytest.mark.parametrize(
    ("limits", "first"),
    [
        ([], (0,)), ([vp.AtLeast("size", 3)], (0, 1, 2)), ([vp.Require("c4")], (4,)),
        ([vp.Require("c4"), vp.AtLeast("size", 2)], (4, 0)),
        ([vp.Require("c0", "c1"), vp.AtLeast("size", 2)], (0, 1)), ([vp.Forbid("c0")], (1,)),
        ([vp.Require("c1"), vp.Forbid("c0"), vp.AtLeast("size", 3)], (1, 2, 3)),
    ],
)  # fmt: skip
def test_the_first_committee_is_the_smallest_that_there_may_be(limits, first):
    from voteprune.strategies.exact_soft import first_members

    said = vp.Probabilities(*pool(3, n=40, k=6))
    assert first_members(SoftPruning.of(said, "log_loss", limits, 0.1)) == first
