"""What is dealt to workers is what is open, and what they hand back is what is open next."""

import time
from dataclasses import replace

import numpy as np
import pytest

from everycommittee import small
from voteprune.bounds.node import FREE
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.tree.background import SEARCH_SHARE
from voteprune.tree.checkpoint import Kept, save_proof
from voteprune.tree.nogoods import driver as module
from voteprune.tree.nogoods.driver import NogoodsDriver
from voteprune.tree.nogoods.nogood import Nogood
from voteprune.tree.nogoods.task import Node, NogoodsProof, Result, Step


def started(seed=3, record=None):
    """A driver whose incumbent holds the worst committee, and the committees by worth."""
    problem, committees = small(seed)
    allowed = sorted((one for one in committees if one.allowed), key=lambda one: one.units)
    run = Run(Incumbent(problem), time.monotonic() + 60, record=record)
    run.incumbent.offer(list(allowed[0].members), allowed[0].level)
    return NogoodsDriver(problem, run), run, allowed


def nodes_of(driver, count, bound=None):
    (root,) = driver._nodes
    made = []
    for key in range(count):
        decided = root.decided.copy()
        decided[key % len(decided)] = key % 2
        made.append(Node((root.bound if bound is None else bound) - key, decided, key + 1))
    return tuple(made)


def test_the_first_node_is_everything_under_a_bound_that_holds():
    driver, run, _ = started()
    (root,) = driver._nodes
    assert (root.decided == FREE).all()
    assert len(root.decided) == driver._case.n_patterns + driver._case.n_classifiers
    assert root.bound * driver._scale == pytest.approx(run.incumbent.proved, rel=1e-12)
    assert not driver.over
    assert run.incumbent.open_boxes == 1


@pytest.mark.parametrize("workers", [1, 2, 3, 9])
def test_every_open_node_is_dealt_once(workers):
    driver, run, allowed = started()
    nodes = driver._nodes = nodes_of(driver, 5)
    driver._number = 17
    driver._offer((0,))
    nogood = Nogood((0,), (True,), (1.0,))
    driver._nogoods = {nogood.key: nogood}
    tasks = driver._tasks(workers, 5.0)
    assert len(tasks) == min(workers, 5)
    assert sorted(node.key for task in tasks for node in task.nodes) == [n.key for n in nodes]
    best = [max(node.bound for node in task.nodes) for task in tasks]
    assert best == [node.bound for node in nodes[: len(tasks)]]
    step = run.incumbent.problem.gains.step
    for task in tasks:
        assert (task.deadline, task.latest) == (5.0, run.deadline)
        assert task.target * driver._scale == pytest.approx(run.incumbent.score + step)
        assert task.seen == {(0,)}
        assert (task.first_number, task.record) == (17, False)
        assert task.token == tasks[0].token != started()[0]._token
        # One alone remembers what it has found.
        assert task.nogoods == ((nogood,) if workers > 1 else ())
    assert allowed[0].units <= run.incumbent.score


@pytest.mark.parametrize("record", [None, []])
def test_what_all_workers_hand_back_is_open_next(record):
    driver, run, allowed = started(record=record)
    nodes, problem = nodes_of(driver, 4), run.incumbent.problem
    places = tuple(problem.allowed.index(k) for k in allowed[-1].members)
    first, second = Nogood((0,), (True,), (1.0,)), Nogood((1,), (True,), (1.0,))
    steps = [Step(0, 3, (1, 2)), Step(1)]
    driver._take([
        Result(nodes[:1], (first,), (), 8, (steps[0],)),
        Result(nodes[1:], (second,), (places,), 5, (steps[1],)),
    ])  # fmt: skip
    assert [node.key for node in driver._nodes] == [node.key for node in nodes]
    assert run.incumbent.score == allowed[-1].units
    tasks = driver._tasks(2, 1.0)
    assert {task.first_number for task in tasks} == {8}
    assert all(set(task.nogoods) == {first, second} for task in tasks)
    assert all(places in task.seen for task in tasks)
    assert all(task.record == (record is not None) for task in tasks)
    driver._take([Result((), (), (), 2)])
    assert driver._tasks(1, 1.0) == []
    assert driver._number == 8
    assert record is None or driver._written.steps == steps


def test_stock_is_taken_of_what_may_hold_something_better():
    driver, run, allowed = started(7)
    gains, case = run.incumbent.problem.gains, driver._case
    target = (run.incumbent.score + gains.step) / driver._scale
    room = case.room(target)
    (root,) = driver._nodes
    bounds = [target - 3 * room - 1e-9, target, target + 2 * gains.step / driver._scale,
              target - room / 2]  # fmt: skip
    driver._nodes = tuple(Node(bound, root.decided, key) for key, bound in enumerate(bounds))
    driver._take_stock()
    assert [node.key for node in driver._nodes] == [2, 1, 3]
    assert run.incumbent.open_boxes == 3
    assert run.incumbent.bound == min(gains.ceiling, run.incumbent.score + 3 * gains.step)
    driver._nodes = driver._nodes[:0]
    driver._take_stock()
    assert driver.over
    assert run.incumbent.closed
    assert run.incumbent.open_boxes == 0
    assert allowed[-1].units >= run.incumbent.score


def test_a_proof_that_is_written_down_is_handed_in_whole_or_not_at_all():
    record = []
    driver, run, _ = started(7, record)
    before = run.incumbent.bound
    (root,) = driver._nodes
    driver._nodes = (Node(-1e9, root.decided, 1), Node(root.bound - 1e-3, root.decided, 2))
    driver._take_stock()
    # Nothing is dropped that no step closes, and no bound is told.
    assert [node.key for node in driver._nodes] == [1, 2]
    driver._report(-1e9, 1)
    assert run.incumbent.bound == before
    assert record == []
    driver._nodes = ()
    driver._take_stock()
    assert run.incumbent.closed
    assert [type(proof) for proof in record] == [NogoodsProof]
    assert record[0].scale == driver._scale


def test_a_report_is_a_bound_while_something_is_open():
    driver, run, allowed = started(9)
    gains = run.incumbent.problem.gains
    before, bound = run.incumbent.bound, allowed[-1].units / driver._scale
    driver._report(bound, 0)
    assert (run.incumbent.bound, run.incumbent.open_boxes) == (before, 0)
    driver._report(bound, 2)
    assert run.incumbent.bound == min(before, gains.floor_to_step(allowed[-1].units))
    assert run.incumbent.open_boxes == 2


def test_a_bound_is_read_with_room_for_rounding():
    driver, _, _ = started()
    for bound in (0.0, 1e6, -1e6):
        room = driver._case.room(bound)
        assert driver._in_units(bound) == pytest.approx(driver._scale * (bound + room), rel=1e-15)


def near(share, record=None):
    """A problem and a run whose bound is a share of all weight above its best committee."""
    problem, committees = small(3, n=30, limits=False)
    run = Run(Incumbent(problem), time.monotonic() + 60, record=record)
    best = max(committees, key=lambda one: one.units)
    run.incumbent.offer(list(best.members), best.level)
    weight = sum(abs(int(gain)) for gain in problem.gains.net)
    run.incumbent.proved = run.incumbent.score + share * weight
    return problem, run


def test_nogoods_are_tried_where_little_is_missing_and_patterns_are_few(monkeypatch):
    for share, promising in ((0.0999, True), (0.1001, False)):
        assert NogoodsDriver.promises(*near(share)) == promising
    for share, promising in ((0.0599, True), (0.0601, False)):
        assert NogoodsDriver.promises(*near(share, [])) == promising
    problem, run = near(0.01)
    patterns = int(np.count_nonzero(problem.gains.net))
    monkeypatch.setattr(module, "_MOST_PATTERNS", patterns)
    assert NogoodsDriver.promises(problem, run)
    monkeypatch.setattr(module, "_MOST_PATTERNS", patterns - 1)
    assert not NogoodsDriver.promises(problem, run)
    monkeypatch.undo()
    assert not NogoodsDriver.promises(problem, replace(run, incumbent=Incumbent(problem)))


def test_they_are_not_tried_again_where_a_file_has_come_further(tmp_path):
    problem, run = near(0.09)
    file = tmp_path / "proof.npz"
    kept = replace(run, checkpoint=file)
    assert NogoodsDriver.promises(problem, kept)
    driver = NogoodsDriver(problem, kept)
    driver._nodes = nodes_of(driver, 3, 1e6)
    driver._save(file)
    assert NogoodsDriver.promises(problem, kept)
    resumed = NogoodsDriver(problem, kept)
    assert [node.decided.tolist() for node in resumed._nodes] == [
        node.decided.tolist() for node in driver._nodes
    ]
    assert [node.bound for node in resumed._nodes] == [node.bound for node in driver._nodes]
    save_proof(file, problem, Kept(run.incumbent.committee, nodes=()))
    assert not NogoodsDriver.promises(problem, kept)


def test_they_are_given_up_where_they_only_enumerate_or_are_late(monkeypatch):
    driver, run, _ = started()
    weight = sum(abs(int(gain)) for gain in run.incumbent.problem.gains.net)
    for share, far in ((0.0499, False), (0.0501, True)):
        run.incumbent.proved = run.incumbent.score + share * weight
        assert not driver.hopeless(late=False)
        assert driver.hopeless(late=True) == far
    monkeypatch.setattr(module, "_MOST_LOOKS", 2)
    driver._seen = {(0,), (1,)}
    assert not driver.hopeless(late=False)
    driver._seen.add((2,))
    assert driver.hopeless(late=False)


def test_search_has_as_much_time_as_the_proof_only_in_the_beginning():
    driver, run, _ = started()
    assert driver.search_share == 1.0
    run.incumbent.began = time.monotonic() - 1000.0
    assert driver.search_share == SEARCH_SHARE
