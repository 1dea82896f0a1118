"""Single steps of the tree for several classes: what is kept, written down, told, never lost."""

import json
import math
import time
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from badproblems import OF_PLURALITY, bad_plurality
from badstart import Way, faults_of_plurality
from interrupting import Keyboard
from pluralcerts import check
from pluralities import bounded_first, known
from voteprune.primal.plurality_enumeration import Tried
from voteprune.problem.plurality import PluralityProblem
from voteprune.run import incumbent as incumbents
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.solve.certifying import plurality_certificate_of
from voteprune.tree import driver as rounds
from voteprune.tree.plurality import driver as drivers
from voteprune.tree.plurality import task as tasks
from voteprune.tree.plurality import worker
from voteprune.tree.plurality.checkpoint import (
    Kept,
    _fault,
    check_plurality_checkpoint,
    load_proof,
    resumed,
    save_proof,
)
from voteprune.tree.plurality.driver import PluralityDriver
from voteprune.tree.plurality.task import FREE, NO_PRICES, Node, Result, Step, Task

SOON = 600.0


def free(k, **decided):
    whole = np.full(k, FREE, dtype=np.int8)
    for name, value in decided.items():
        whole[int(name[1:])] = value
    return whole


def plain(k=6):
    return next(
        case
        for case in map(known, range(1000))
        if case.wins.n_classifiers == k and not len(case.wins.required)
    )


def task_of(case, nodes, target=0, **more):
    later = time.monotonic() + SOON
    return Task(case.wins, case.scale, tuple(nodes), target, later, later, **more)


def tree_of(case, nodes=(), target=0, report=None, **more):
    task = task_of(case, nodes, target, **more)
    return worker._Tree(task, worker._Memory(task), report)


def left(tree):
    return [node for _, _, node in sorted(tree._heap, key=lambda entry: entry[:2])]


@pytest.mark.parametrize("limit", OF_PLURALITY)
def test_from_a_bad_start_nothing_is_lost(limit):
    start = ("worst", None)[OF_PLURALITY.index(limit) % 2]
    way = Way(start=start, leaves=True, steps=5)
    assert faults_of_plurality(bad_plurality(54, limit, k=5), way) == []


def test_a_node_has_as_many_seats_as_are_left_and_is_empty_when_they_cannot_be_filled():
    for size, decided, seats, empty in (
        (2, free(4), 2, False), (2, free(4, c0=1), 1, False), (2, free(4, c0=1, c1=1), 0, False),
        (1, free(4, c0=1, c1=1), -1, True), (4, free(4), 4, False), (4, free(4, c2=0), 4, True),
        (3, free(4, c2=0), 3, False), (0, free(4), 0, False),
    ):  # fmt: skip
        node = Node(size, 1.0, decided)
        assert (node.seats, node.empty) == (seats, empty)


def test_a_branch_is_both_sides_and_neither_has_been_bounded():
    node = Node(2, 3.5, free(4, c0=1), bounded=True, key=7, by=9)
    without, with_it = node.branch(2)
    assert without.decided.tolist() == [1, FREE, 0, FREE]
    assert with_it.decided.tolist() == [1, FREE, 1, FREE]
    for child in (without, with_it):
        assert (child.size, child.bound, child.bounded, child.by) == (2, 3.5, False, 9)
    assert node.decided.tolist() == [1, FREE, FREE, FREE]


@pytest.mark.parametrize("record", [False, True])
def test_what_cannot_be_better_is_not_kept_and_written_down_where_that_is_wanted(record):
    case = plain()
    at = 24.0
    nodes = [
        Node(3, at, free(6), key=0), Node(3, at - 0.5, free(6), key=1, by=5),
        Node(1, at, free(6, c0=1, c1=1), key=2), Node(3, at + 1, free(6), key=3),
        Node(6, at, free(6, c0=0), key=4),
    ]  # fmt: skip
    tree = tree_of(case, nodes, int(at * case.scale), record=record)
    assert [node.key for node in left(tree)] == [3, 0]
    told = [(step.node, step.by, step.heirs, step.tried) for step in tree._steps]
    gone = [(1, 5, (), False), (2, NO_PRICES, (), False), (4, NO_PRICES, (), False)]
    assert told == (gone if record else [])


def test_of_equals_the_latest_comes_first_and_the_highest_before_all():
    case = plain()
    tree = tree_of(case, [Node(3, 5.0, free(6), key=k) for k in range(3)])
    assert [node.key for node in left(tree)] == [2, 1, 0]


def test_a_node_that_there_was_no_time_to_try_stays_open():
    case = plain()
    node = Node(3, 50.0, np.array([1, 1, 1, 0, 0, 0], dtype=np.int8), key=4)
    tree = tree_of(case, [node], record=True)
    tree._memory.listed.run = lambda *_: Tried(False, ((0, 1, 2),))
    share = tree.work()
    assert [left.key for left in share.nodes] == [4]
    assert share.members == ((0, 1, 2),)
    assert share.steps == ()


def test_nothing_is_begun_after_the_deadline():
    case = plain()
    node = Node(3, 50.0, free(6))
    share = worker.solve(replace(task_of(case, [node]), deadline=time.monotonic() - 1))
    assert len(share.nodes) == 1
    assert share.members == ()


def test_what_was_tried_raises_the_target_by_one_and_is_told():
    case = plain()
    best = max(s for m, s in case.scores.items() if len(m) == 3)
    reports = []
    node = Node(3, 1e6, free(6), key=2)
    tree = tree_of(case, [node], 0, lambda *said: reports.append(said), record=True)
    assert tree._try_all(node)
    assert tree._target == best + 1
    assert [(s.node, s.tried, s.by) for s in tree._steps] == [(2, True, NO_PRICES)]
    bound, count, members = reports[-1]
    assert (bound, count) == (1e6, 1)
    assert case.scores[tuple(members)] == best
    assert tuple(members) in tree._members
    # Nothing new: nothing is told but the bound.
    assert tree._try_all(node)
    assert reports[-1][2] == []
    tree._heap = []
    assert tree._try_all(node)
    assert reports[-1][:2] == (-np.inf, 0)


class Told:
    """A linear program that says what it is told to."""

    def __init__(self, bound, charges, x, elsewhere=np.inf):
        self.said, self.other = (bound, np.array(charges), np.array(x)), elsewhere

    def bound(self, decided, target, deadline):
        return self.said

    def elsewhere(self, size, decided):
        return self.other

    def priced(self):
        return "prices"


@pytest.mark.parametrize("record", [False, True])
def test_prices_decide_and_what_they_decide_is_written_down(record):
    case = plain()
    node = Node(3, 50.0, free(6), key=1)
    told = Told(30.0, [9.0, 5.0, 4.0, 3.5, 0.0, -9.0], [1.0, 1, 0.5, 0.5, 0, 0])
    tree = tree_of(case, (), int(28 * case.scale), record=record, first_number=10)
    tree._memory.program = lambda task, size: told
    tree._bound(node)
    (heir,) = left(tree)
    # Room of 2: who is dearer than the first left out by more sits, and the other way round.
    assert heir.decided.tolist() == [1, FREE, FREE, FREE, 0, 0]
    assert heir.bounded
    assert (heir.bound, heir.by, heir.key) == (30.0, 11, 12)
    assert tree._number == 12
    assert tree._prices == ({11: "prices"} if record else {})
    if record:
        (step,) = tree._steps
        assert (step.node, step.by, step.heirs) == (1, 11, (12,))
        assert step.decided == ((0, 1), (4, 0), (5, 0))
    assert (0, 1, 2) in tree._members


def test_a_program_that_closes_its_node_leaves_a_step():
    case = plain()
    tree = tree_of(case, (), int(28 * case.scale), record=True, first_number=3)
    tree._memory.program = lambda task, size: Told(27.0, np.zeros(6), np.zeros(6))
    tree._bound(Node(3, 50.0, free(6), key=1))
    assert not tree._heap
    assert [(s.node, s.by, s.heirs) for s in tree._steps] == [(1, 4, ())]
    assert tree._memory.closed == tree._memory.solved == 1


def test_nodes_without_a_program_are_bounded_by_the_prices_of_another():
    case = plain()
    waiting, bounded = Node(2, 40.0, free(6), key=5), Node(3, 41.0, free(6), True, key=6)
    low = Node(4, 33.0, free(6), key=7)
    tree = tree_of(case, [waiting, bounded, low], int(28 * case.scale), record=True)
    tree._carry_over(Told(0, [0], [0], elsewhere=35.0), 9)
    assert [(n.key, n.bound, n.by) for n in left(tree)] == [
        (6, 41.0, NO_PRICES), (5, 35.0, 9), (7, 33.0, NO_PRICES),
    ]  # fmt: skip
    tree._carry_over(Told(0, [0], [0], elsewhere=20.0), 10)
    assert [n.key for n in left(tree)] == [6]
    assert [(s.node, s.by) for s in tree._steps[-2:]] == [(5, 10), (7, 10)]


def test_programs_of_a_token_are_kept_and_no_more_than_there_is_room_for():
    case = plain()
    task = task_of(case, (), token="one")
    memory = worker._memory(task)
    assert worker._memory(replace(task)) is memory
    assert worker._memory(replace(task, token="two")) is not memory
    assert list(worker._kept) == ["two"]
    none = worker._memory(replace(task, token=""))
    assert worker._memory(replace(task, token="")) is not none
    made = worker._Memory(task)
    with mock.patch.object(worker, "_PROGRAMS", 2):
        first = made.program(task, 2)
        made.program(task, 3)
        assert made.program(task, 2) is first
        made.program(task, 4)
        assert list(made.programs) == [2, 4]  # the one that was not used for longest goes
        assert made.program(task, 2) is first
    with mock.patch.object(worker, "_ENTRIES", made.entries):
        made.program(task, 5)
        made.program(task, 6)
    assert 6 in made.programs
    assert made.size(task, 3) is made.size(task, 3)
    assert made.size(task, 3).size == 3


def test_deciding_keeps_all_that_reaches_the_target():
    """Every set of the seats' size whose charges come within the room of the best."""
    random = np.random.default_rng(0)
    for _ in range(60):
        k = int(random.integers(2, 7))
        decided = random.choice(np.array([-1, -1, -1, 0, 1], dtype=np.int8), k)
        size = int((decided == 1).sum() + random.integers(0, (decided < 0).sum() + 1))
        node = Node(size, 0.0, decided)
        charges = random.integers(-3, 4, k).astype(float)
        room = float(random.choice([0.0, 0.5, 1.0, 2.0]))
        found = worker._decide(node, charges, room)
        sets = (np.arange(2**k)[:, None] >> np.arange(k)) & 1
        inside = sets[(sets.sum(axis=1) == size)
                      & ((decided < 0) | (sets == decided)).all(axis=1)]  # fmt: skip
        worth = inside @ charges
        tops = inside[worth >= worth.max() - room]
        assert ((found < 0) | (tops == found)).all()
        for column in np.flatnonzero((found < 0) & (decided < 0)):
            for value in (0, 1):
                side = worth[inside[:, column] == value]
                if len(side):
                    assert side.max() >= worth.max() - room


# The module.


def driver_of(case, record=None, members=None, nodes=None, tmp_path=None):
    file = None
    if nodes is not None:
        file = tmp_path / "proof"
        save_proof(file, case.problem, Kept(members, tuple(nodes)))
    run = Run(Incumbent(case.problem), time.monotonic() + 60, checkpoint=file, record=record)
    if members is not None and nodes is None:
        run.incumbent.offer(members)
    return PluralityDriver(case.problem, run), run


def sized():
    return next(
        case
        for case in map(known, range(1000))
        if case.wins.size_max - case.wins.size_min >= 2 and len(case.wins.required) == 1
        and not case.problem.forbidden
    )  # fmt: skip


def test_it_begins_with_a_node_for_every_size_and_a_bound_that_is_true_of_all():
    case = sized()
    driver, run = driver_of(case)
    sizes = [node.size for node in driver._nodes]
    assert sizes == list(range(case.wins.size_min, case.wins.size_max + 1))
    assert [node.key for node in driver._nodes] == list(range(len(sizes)))
    for node in driver._nodes:
        assert np.flatnonzero(node.decided == 1).tolist() == case.wins.required.tolist()
        assert (np.delete(node.decided, case.wins.required) == FREE).all()
        assert node.bound * case.scale >= max(case.scores.values())
        # Above it by what roundings could be.
        told = Fraction(node.bound) * Fraction(case.scale) + case.problem.gains.base
        assert told > run.incumbent.proved
        assert not node.bounded
    assert run.incumbent.open_boxes == len(sizes)
    assert not driver.over
    assert 0 < driver.search_share < 1


def test_a_record_begins_with_the_roots_and_has_every_step():
    case, record = sized(), []
    driver, _ = driver_of(case, record)
    (proof,) = record
    assert proof.roots == tuple((node.size, node.key) for node in driver._nodes)
    assert proof.nodes == driver._nodes
    (task,) = driver._tasks(1, 5.0)
    assert task.record
    assert task.first_number == len(driver._nodes)
    share = Result(driver._nodes[:1], (), (Step(7),), {3: "p"}, 40)
    driver._take([share])
    assert driver._number == 40
    assert proof.prices == {3: "p"}
    assert [s.node for s in proof.steps] == [7]
    none, _ = driver_of(case)
    assert not none._tasks(1, 5.0)[0].record


def test_shares_are_put_together():
    case = sized()
    driver, run = driver_of(case)
    nodes = driver._nodes
    best = max(case.scores, key=case.scores.__getitem__)
    driver._take([Result(nodes[:1], (best,), next_number=4), Result(nodes[2:], (), next_number=9)])
    assert driver._nodes == (*nodes[:1], *nodes[2:])
    assert driver._number == 9
    assert run.incumbent.score == case.scores[best]


def test_nodes_go_where_they_cannot_be_better_or_are_empty():
    case = sized()
    k = case.wins.n_classifiers
    driver, run = driver_of(case)
    some = next(m for m in case.scores)
    run.incumbent.offer(some)
    gains = case.problem.gains
    target = driver._target()
    assert target == case.scores[some] + gains.step - gains.base
    at = target / case.scale
    full = np.ones(k, dtype=np.int8)
    driver._nodes = (
        Node(2, at, free(k), key=1), Node(2, at * (1 - 1e-6) - 1e-6, free(k), key=2),
        Node(k - 1, at, full, key=3), Node(2, at + 0.25, free(k), key=4),
    )  # fmt: skip
    driver._take_stock()
    assert [node.key for node in driver._nodes] == [1, 4]
    assert run.incumbent.open_boxes == 2
    driver._nodes = ()
    driver._take_stock()
    assert driver.over
    assert run.incumbent.closed


def test_without_an_incumbent_all_that_earns_something_is_better():
    case = sized()
    driver, _ = driver_of(case)
    assert driver._target() == 0


def test_what_goes_is_a_step_of_the_record():
    case, record = sized(), []
    driver, _ = driver_of(case, record)
    k = case.wins.n_classifiers
    stays = Node(2, 1e9, free(k), key=1)
    driver._nodes = (stays, Node(2, -1.0, free(k), key=2, by=6))
    driver._take_stock()
    assert [(s.node, s.by) for s in record[0].steps] == [(2, 6)]
    assert record[0].nodes == (stays,)


@pytest.mark.parametrize("recorded", [False, True])
def test_reports_give_the_committee_first_and_a_bound_only_where_something_is_open(recorded):
    case = sized()
    driver, run = driver_of(case, [] if recorded else None)
    gains, best = case.problem.gains, max(case.scores, key=case.scores.__getitem__)
    before = run.incumbent.proved
    driver._report(-math.inf, 0, list(best))
    assert run.incumbent.score == case.scores[best]
    assert run.incumbent.proved == before
    low = (case.scores[best] - gains.base + 0.5) / case.scale
    driver._report(low, 3, [])
    assert run.incumbent.open_boxes == 3
    assert (run.incumbent.proved < before) == (not recorded)
    assert run.incumbent.proved >= case.scores[best]


def test_bounds_are_counted_in_units_from_the_base():
    case = sized()
    driver, _ = driver_of(case)
    assert driver._in_units(1.5) == case.problem.gains.base + 1.5 * case.scale


# Files.


def test_a_committee_on_file_is_offered(tmp_path):
    case = known(5, groups=False)
    best = max(case.scores, key=case.scores.__getitem__)
    members = tuple(case.problem.allowed[k] for k in best)
    save_proof(tmp_path / "proof", case.problem, Kept(members, ()))
    run = Run(Incumbent(case.problem), time.monotonic() + 60, checkpoint=tmp_path / "proof")
    kept = resumed(case.problem, run)
    assert kept.members == members
    assert run.incumbent.score == case.scores[best]
    none = Run(Incumbent(case.problem), time.monotonic() + 60, checkpoint=tmp_path / "nothing")
    assert resumed(case.problem, none) is None
    assert none.incumbent.score is None


@pytest.mark.parametrize(
    ("change", "fine"),
    [
        ({}, True), ({"size": 2}, True), ({"size": 4}, True), ({"size": 1}, False),
        ({"size": 5}, False), ({"bound": math.inf}, False), ({"bound": -math.inf}, False),
        ({"decided": np.full(4, -1, dtype=np.int8)}, False),
        ({"decided": np.array([1, 0, -1, 1, 0], dtype=np.int8)}, True),
        ({"decided": np.array([1, 0, -1, 1, -2], dtype=np.int8)}, False),
    ],
)  # fmt: skip
def test_nodes_on_file_are_gone_on_from_if_they_are_some(change, fine, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 12)
    votes = vp.PluralityVotes(rng.integers(0, 3, (12, 6)), y)
    limits = [vp.AtLeast("size", 2), vp.AtMost("size", 4), vp.Forbid(5)]
    problem = PluralityProblem.of(votes, "accuracy", limits)
    node = replace(Node(3, 1.0, np.full(5, -1, dtype=np.int8)), **change)
    file = tmp_path / "proof"
    try:
        save_proof(file, problem, Kept((5,), (node,)))
    except ValueError:
        assert not fine
        return
    if fine:
        assert load_proof(file, problem).members == (5,)
    else:
        with pytest.raises(vp.FileFormatError, match="damaged"):
            load_proof(file, problem)


def test_members_on_file_are_of_the_pool(tmp_path):
    case = known(5, groups=False)
    n = case.problem.n_classifiers
    for members, fine in (((0, n - 1), True), ((n,), False), ((-1,), False)):
        save_proof(tmp_path / "proof", case.problem, Kept(members, ()))
        if fine:
            assert load_proof(tmp_path / "proof", case.problem).members == members
        else:
            with pytest.raises(vp.FileFormatError, match="damaged"):
                load_proof(tmp_path / "proof", case.problem)


@pytest.mark.parametrize(
    ("objective", "limits"),
    [
        ("f1_macro", ()), ("accuracy", (vp.AtLeast("coverage", 0.5),)),
        ("accuracy", (vp.AtLeast("recall", 0.1, of=1),)),
    ],
)  # fmt: skip
def test_what_the_tree_knows_nothing_of_keeps_nothing_on_file(objective, limits, tmp_path):
    rng = np.random.default_rng(0)
    named = rng.integers(0, 3, (12, 4)).astype(object)
    named[0, 0] = None
    votes = vp.PluralityVotes(named, rng.permutation(np.arange(12) % 3), abstentions="skip")
    problem = PluralityProblem.of(votes, objective, limits)
    with pytest.raises(vp.InputError, match="keeps nothing"):
        check_plurality_checkpoint(tmp_path / "proof", "exact", problem)
    plain_one = PluralityProblem.of(votes)
    file = check_plurality_checkpoint(tmp_path / "proof", "exact", plain_one)
    assert file == tmp_path / "proof"


def test_nodes_of_another_pool_are_a_fault():
    case = known(5, groups=False)
    width, size = len(case.problem.allowed), case.problem.size_max
    for wide, kind, fault in (
        (width, np.int8, ""), (width + 1, np.int8, "shape"), (width, np.int16, "shape"),
    ):  # fmt: skip
        node = Node(size, 1.0, np.full(wide, -1, dtype=kind))
        told = _fault(Kept(None, (node,)), case.problem)
        assert fault in told
        assert bool(told) == bool(fault)


def cut_short(task):
    """What comes of a task when time is over with a node split and its heirs open."""
    for looks in range(1, 100):
        ticks = iter([0.0] * looks)
        clock = SimpleNamespace(monotonic=lambda ticks=ticks: next(ticks, 2.0))
        with bounded_first(0.0), mock.patch.object(worker, "time", clock):
            share = worker.solve(replace(task, deadline=1.0, token=str(looks)))
        heirs = {heir for step in share.steps for heir in step.heirs}
        if heirs & {node.key for node in share.nodes}:
            return share
    raise AssertionError("no node was split")


@pytest.mark.slow
def test_wherever_ctrl_c_comes_the_certificate_can_be_written_and_holds(tmp_path):
    """Steps are never on record without the nodes that they leave open."""
    case = sized()
    driver, _ = driver_of(case, [])
    (begun,) = driver._tasks(1, time.monotonic() + 60)
    share = cut_short(begun)

    def held(moments):
        record = []
        driver, run = driver_of(case, record)
        keyboard = Keyboard(moments, drivers, tasks, rounds, incumbents)

        def work():
            driver._take([share])
            driver._take_stock()

        keyboard.during(work)
        status = "unknown" if run.incumbent.score is None else "feasible"
        made = plurality_certificate_of(case.problem, run, status, ())
        found = check(json.loads(replace(made, target="y").to_json()), case, tmp_path)
        assert found.holds, found.summary()
        return keyboard

    for moment in np.linspace(0, held(()).counted - 1, 60).astype(int).tolist():
        assert held((moment,)).pressed == 1
