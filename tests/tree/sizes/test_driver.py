"""What is dealt to workers is what is open, and what they hand back is what is open next."""

import time
from dataclasses import replace

import numpy as np
import pytest

from certified import write_votes
from everycommittee import small
from interrupting import Keyboard
from voteprune.bounds.levels import Region
from voteprune.bounds.relaxation_rows import Row
from voteprune.run import incumbent as incumbents
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.solve.certifying import certificate_of
from voteprune.tree import driver as rounds
from voteprune.tree.checkpoint import Kept, save_proof
from voteprune.tree.sizes import driver as module
from voteprune.tree.sizes import task as tasks
from voteprune.tree.sizes import worker
from voteprune.tree.sizes.driver import SizesDriver, _spread
from voteprune.tree.sizes.task import Result, Step
from voteprune.verify import trying, verify


def started(seed, record=None, *, none=False, **sizes):
    """A driver whose incumbent holds the worst committee, and the committees by worth."""
    problem, committees = small(seed, **sizes)
    allowed = sorted((one for one in committees if one.allowed), key=lambda one: one.units)
    run = Run(Incumbent(problem), time.monotonic() + 60, record=record)
    if not none:
        run.incumbent.offer(list(allowed[0].members), allowed[0].level)
    return SizesDriver(problem, run), run, allowed


def contents(nodes):
    """Everything that nodes hold, whatever their order, and however they are divided."""
    return sorted(
        (node.key, *pair, bound, int(done), int(by), node.decided.tobytes())
        for node in nodes
        for pair, bound, done, by in zip(
            node.pairs.tolist(), node.bounds.tolist(), node.done, node.by, strict=True
        )
    )


def pieces(node, count):
    """A node in pieces with keys and bounds of their own."""
    parts = []
    for piece in range(count):
        part = node.only(np.arange(len(node)) % count == piece)
        bounds = part.bounds - piece - np.arange(len(part)) / 100
        parts.append(replace(part, key=piece + 1, bounds=bounds, by=part.by + piece))
    return tuple(parts)


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_what_is_dealt_is_what_is_open(workers, count):
    driver, _, _ = started(3, k=6)
    nodes = pieces(driver._nodes[0], count)
    dealt = _spread(nodes, workers)
    assert contents(node for hand in dealt for node in hand) == contents(nodes)
    assert 0 < len(dealt) <= workers
    assert all(hand and all(len(node) for node in hand) for hand in dealt)
    # Everybody has something while there is anything left to split.
    assert len(dealt) == min(workers, sum(len(node) for node in nodes)) or workers == 1
    tops = [max(float(node.bounds.max()) for node in hand) for hand in dealt]
    every = sorted((float(node.bounds.max()) for hand in dealt for node in hand), reverse=True)
    assert tops == every[: len(dealt)]
    lengths = [len(hand) for hand in dealt]
    assert max(lengths) - min(lengths) <= 1
    if workers > 1 and count >= workers:
        assert sorted(node.key for hand in dealt for node in hand) == [n.key for n in nodes]


def test_few_nodes_are_split_where_thresholds_are_alike():
    driver, _, _ = started(3, k=6)
    node = driver._nodes[0]
    (first,), (second,) = _spread((node,), 2)
    shares = [sorted((part.pairs[:, 1] + 1) / part.pairs[:, 0]) for part in (first, second)]
    assert abs(len(first) - len(second)) <= 1
    assert max(min(shares)) <= min(max(shares)) or max(max(shares)) <= min(min(shares))
    one = node.only(np.arange(len(node)) == 0)
    assert [contents(hand) for hand in _spread((one,), 4)] == [contents((one,))]


def test_tasks_say_what_the_driver_knows():
    driver, run, allowed = started(5)
    problem = run.incumbent.problem
    assert not driver.over
    driver.branch = True
    (task,) = driver._tasks(1, 7.0)
    assert contents(task.nodes) == contents(driver._nodes)
    assert (task.deadline, task.latest) == (7.0, run.deadline)
    assert (task.first_number, task.branch, task.record, task.rows) == (0, True, False, ())
    assert len({each.token for each in driver._tasks(3, 7.0)}) == 1
    assert task.token != started(5)[0]._tasks(1, 7.0)[0].token
    sizes = range(driver._levels.size_min, driver._levels.size_max + 1)
    target = (allowed[0].units + problem.gains.step) / driver._scale
    for size in range(len(task.targets)):
        expected = target if size in sizes else -1e300
        assert task.targets[size] == pytest.approx(expected, rel=1e-15)
    # The root holds every committee, under a bound that holds.
    node = task.nodes[0]
    assert {one.pair for one in allowed} <= set(map(tuple, node.pairs.tolist()))
    assert node.bounds.max() * driver._scale == pytest.approx(run.incumbent.proved, rel=1e-12)


def test_without_a_committee_nothing_is_a_target():
    driver, _, _ = started(5, none=True)
    assert (driver._tasks(1, 7.0)[0].targets == -1e300).all()
    assert not driver.over


def share_of(nodes, **more):
    known = {"rows": (), "conflicts": frozenset(), "members": (), "steps": (), "next_number": 0,
             "settled": False}  # fmt: skip
    return Result(nodes=tuple(nodes), **{**known, **more})


def test_what_all_workers_hand_back_is_open_next():
    driver, run, allowed = started(6, record=[])
    nodes = pieces(driver._nodes[0], 3)
    problem, best = run.incumbent.problem, allowed[-1]
    places = tuple(problem.allowed.index(k) for k in best.members)
    row = Row((0,), np.ones(driver._levels.n_classifiers, dtype=bool), (1, 0))
    steps = [Step(number, 0) for number in (4, 9)]
    shares = [
        share_of(nodes[:1], next_number=9, settled=True, conflicts=frozenset({(0, 1)}),
                 steps=(steps[0],), rows=(row,)),
        share_of(nodes[1:], next_number=5, settled=True, conflicts=frozenset({(0, 2)}),
                 steps=(steps[1],), members=(places,)),
    ]  # fmt: skip
    driver._take(shares)
    assert contents(driver._nodes) == contents(nodes)
    assert driver.settled
    assert driver._conflicts == {(0, 1), (0, 2)}
    assert run.record[-1].steps[-2:] == steps
    assert run.incumbent.score == best.units
    tasks = driver._tasks(3, 1.0)
    assert {task.first_number for task in tasks} == {9}
    assert [task.rows for task in tasks] == [(row,), (), (row,)]
    assert all(task.record for task in tasks)
    driver._take([shares[0], share_of(nodes[1:])])
    assert not driver.settled


@pytest.mark.parametrize("record", [None, []])
def test_stock_is_taken_of_what_may_hold_something_better(record):
    driver, run, allowed = started(7, record=record)
    problem, levels, scale = run.incumbent.problem, driver._levels, driver._scale
    target = float(driver._targets()[levels.size_max])
    node = driver._nodes[0]
    m, room = np.arange(len(node)), float(levels.room(target))
    # Far above, on the target, a hair below what rounding may do to it, and clearly below it.
    bounds = np.choose(m % 4, [target + 2 * problem.gains.step / scale, target,
                               target - room / 2, target - 2 * room - 1e-9])  # fmt: skip
    driver._nodes = (replace(node, bounds=bounds, key=3), replace(node, bounds=0 * bounds - 1e9))
    driver._number = 20
    driver._take_stock()
    (left,) = driver._nodes
    assert left.pairs.tolist() == node.pairs[m % 4 < 3].tolist()
    assert run.incumbent.open_boxes == 1
    told = run.incumbent.bound
    expected = allowed[0].units + 3 * problem.gains.step
    assert told == min(problem.gains.ceiling, expected)
    if record is not None:
        steps = record[-1].steps
        assert [(step.number, step.node) for step in steps] == [(21, 3), (22, 0)]
        assert steps[0].closed.tolist() == [[*p, -1] for p in node.pairs[m % 4 == 3].tolist()]
        assert len(steps[1].closed) == len(node)
        assert record[-1].nodes is driver._nodes
        assert driver._number == 22
    assert not driver.over
    assert driver.open_sizes == {int(size) for size in left.pairs[:, 0]}
    driver._nodes = (replace(node, bounds=0 * bounds - 1e9),)
    driver._take_stock()
    assert driver.over
    assert run.incumbent.closed
    assert run.incumbent.open_boxes == 0
    assert driver.region() is None


def test_every_size_has_its_own_incumbent_and_bound():
    problem, committees = small(8, k=6, limits=False)
    run = Run(Incumbent(problem), time.monotonic() + 60)
    sizes = (1, 2, 4)
    incumbents = {size: Incumbent(problem) for size in sizes}
    for size in sizes[:2]:
        incumbents[size].offer([0, 1, 2, 3][:size])
    run.incumbent.offer([0])
    driver = SizesDriver(problem, run, incumbents)
    assert driver.open_sizes == set(sizes)
    targets = driver._targets()
    for size in sizes[:2]:
        units = incumbents[size].score + problem.gains.step
        assert targets[size] == pytest.approx(units / driver._scale)
    assert targets[4] == targets[3] == -1e300
    (node,) = driver._nodes
    bounds = np.where(node.pairs[:, 0] == 1, -1e9, node.pairs[:, 0] * problem.gains.ceiling / 5)
    driver._nodes = (replace(node, bounds=bounds / driver._scale),)
    driver._take_stock()
    assert driver.open_sizes <= {2, 4}
    assert incumbents[1].closed
    assert incumbents[4].bound == problem.gains.floor_to_step(4 * problem.gains.ceiling / 5 + 1e-4)
    before = [each.bound for each in incumbents.values()]
    driver._report(0.0, 1, [3, 4])
    # A bound of one worker is about all sizes, and none of them is alone.
    assert [each.bound for each in incumbents.values()] == before
    best = max(one.units for one in committees if one.members == (3, 4))
    assert incumbents[2].score == max(best, incumbents[2].score)
    driver._report(0.0, 1, [1, 2, 3])
    assert run.incumbent.members == (0,)


def test_a_report_is_a_bound_while_something_is_open():
    driver, run, allowed = started(9)
    gains, scale = run.incumbent.problem.gains, driver._scale
    before = run.incumbent.bound
    driver._report(allowed[-1].units / scale, 0, [])
    assert run.incumbent.bound == before
    assert run.incumbent.open_boxes == 0
    driver._report(allowed[-1].units / scale, 2, [])
    assert run.incumbent.bound == min(before, gains.floor_to_step(allowed[-1].units))
    assert run.incumbent.open_boxes == 2


def test_a_committee_that_is_reported_comes_before_the_bound_that_leaves_it_out():
    driver, run, allowed = started(9)
    best, problem = allowed[-1], run.incumbent.problem
    places = [problem.allowed.index(k) for k in best.members]
    driver._report((best.units - problem.gains.step) / driver._scale, 1, places)
    assert run.incumbent.score == best.units
    assert run.incumbent.bound == best.units
    assert run.incumbent.incidents == []


def test_a_solver_is_asked_about_all_that_is_open_where_it_is_near(monkeypatch):
    driver, run, _ = started(12, k=6, limits=False)
    node, levels = driver._nodes[0], driver._levels
    weight = float(levels.weights.sum())
    target = float(driver._targets()[levels.size_max])
    some = node.only((node.pairs[:, 0] >= 2) & (node.pairs[:, 0] <= 4) & (node.pairs[:, 1] >= 1))
    used = np.flatnonzero(run.incumbent.problem.gains.net != 0)
    positive, negative = (np.flatnonzero(levels.positive == side)[0] for side in (True, False))
    other = np.flatnonzero(~levels.positive)[1]
    driver._conflicts = {(int(negative), int(positive)), (int(positive), int(other))}
    for above, asked in ((0.0149, True), (0.0151, False)):
        bounds = np.full(len(some), target)
        bounds[-1] = target + above * weight
        halves = [replace(some, bounds=bounds).only(np.arange(len(some)) % 2 == side)
                  for side in (0, 1)]  # fmt: skip
        driver._nodes = tuple(halves)
        region = driver.region()
        assert (region is not None) == asked
        if region is not None:
            # The one that wants to be positive comes first.
            pairs = {(int(used[positive]), int(used[j])) for j in (negative, other)}
            assert set(region.conflicts) == pairs
            sizes, chosen = some.pairs.T
            assert region == Region(
                int(sizes.min()), int(sizes.max()), 1, int(chosen.max()), region.conflicts
            )
    driver._nodes = (replace(some, bounds=np.full(len(some), target)),)
    monkeypatch.setattr(module, "_FEW_PATTERNS", levels.n_patterns)
    assert driver.region() is not None
    monkeypatch.setattr(module, "_FEW_PATTERNS", levels.n_patterns - 1)
    assert driver.region() is None


def test_one_that_stopped_goes_on_from_its_file(tmp_path):
    driver, run, _ = started(11)
    file = tmp_path / "proof.npz"
    nodes = pieces(driver._nodes[0], 3)
    driver._nodes = nodes
    driver._save(file)
    again = replace(run, checkpoint=file)
    resumed = SizesDriver(run.incumbent.problem, again)
    assert contents(resumed._nodes) == contents(nodes)
    assert resumed._tasks(1, 0.0)[0].first_number == 3
    # A file of nogoods says nothing about sizes: all of them are open.
    save_proof(file, run.incumbent.problem, Kept(run.incumbent.committee, nogood_nodes=()))
    begun = SizesDriver(run.incumbent.problem, again)
    assert sum(map(len, begun._nodes)) == len(driver._levels.pairs())


MODULES = (module, tasks, rounds, incumbents)


@pytest.mark.slow
def test_wherever_ctrl_c_comes_what_a_worker_found_is_kept_or_its_size_is_open():
    """A size with nothing open and no committee would be told to have none."""
    problem, committees = small(6)
    best = {}
    for one in sorted((one for one in committees if one.allowed), key=lambda one: one.units):
        best[len(one.members)] = one
    found = tuple(tuple(problem.allowed.index(k) for k in one.members) for one in best.values())

    def taken(moments):
        run = Run(Incumbent(problem), time.monotonic() + 60)
        own = {s: Incumbent(replace(problem, size_min=s, size_max=s)) for s in best}
        driver, keyboard = SizesDriver(problem, run, own), Keyboard(moments, *MODULES)

        def work():
            driver._take([share_of((), members=found)])
            driver._take_stock()

        keyboard.during(work)
        for size, incumbent in own.items():
            assert size in driver.open_sizes or incumbent.score == best[size].units
            assert incumbent.bound >= best[size].units
        return keyboard

    for moment in range(taken(()).counted):
        assert taken((moment,)).pressed == 1


@pytest.mark.slow
def test_wherever_ctrl_c_comes_the_certificate_holds(tmp_path, monkeypatch):
    """What is told has its steps on file, though nothing is small enough to be tried."""
    monkeypatch.setattr(trying, "MOST", 0)
    driver, run, _ = started(6, record=[])
    problem = run.incumbent.problem
    (task,) = driver._tasks(1, time.monotonic() + 60)
    said = []
    share = worker.solve(replace(task, branch=True), lambda *news: said.append(news))
    write_votes(tmp_path / "v.csv", problem)

    def held(moments):
        record = []
        driver, run, _ = started(6, record=record)
        keyboard = Keyboard(moments, *MODULES)

        def work():
            for news in said:
                driver._report(*news)
            driver._take([share])
            driver._take_stock()

        keyboard.during(work)
        made = certificate_of(problem, replace(run, record=record), "feasible", ())
        (tmp_path / "c.json").write_text(made.to_json())
        found = verify(tmp_path / "c.json", tmp_path / "v.csv", "label")
        assert found.proved, found.summary()
        return keyboard

    assert said
    assert share.steps
    for moment in np.linspace(0, held(()).counted - 1, 60).astype(int).tolist():
        assert held((moment,)).pressed == 1
