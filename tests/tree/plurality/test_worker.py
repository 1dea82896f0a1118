"""The tree for several classes from a bad start: no search, no rounding, whatever the leaves."""

import time
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from pluralities import bounded_first, holds, known
from voteprune.primal import plurality_enumeration as trying
from voteprune.tree.plurality import worker
from voteprune.tree.plurality.task import FREE, Node, Task


def everything(case):
    decided = np.full(case.wins.n_classifiers, FREE, dtype=np.int8)
    decided[case.wins.required] = 1
    bound = float(case.wins.weights.sum()) + 1.0
    sizes = range(case.wins.size_min, case.wins.size_max + 1)
    return tuple(Node(size, bound, decided) for size in sizes)


def task_of(case, nodes, target):
    later = time.monotonic() + 600
    return Task(case.wins, case.scale, nodes, target, later, later)


def work(case, target, leaf=0.0, steps=None):
    """Work from a target on, for some steps at a time; check all that is open on the way."""
    nodes, found, reported = everything(case), [], []

    def report(bound, open_nodes, members):
        reported.append((bound, open_nodes))

    ticks = iter(range(10**9))
    end = 10**9
    # With leaves of no time the linear programs have to bound and to branch.
    with (
        # What a program rounds to would hide what a branch has lost.
        mock.patch.object(worker._Tree, "_round_off", return_value=[]),
        bounded_first(leaf),
    ):
        if steps is None:
            share = worker.solve(task_of(case, nodes, target), report)
            return share.nodes, list(share.members), reported
        while nodes:
            task = replace(task_of(case, nodes, target), deadline=next(ticks) + steps, latest=end)
            with mock.patch.object(worker.time, "monotonic", side_effect=ticks):
                share = worker.solve(task, None)
            nodes = share.nodes
            found += share.members
            seen = [case.scores[m] for m in found if m in case.scores]
            best = max(case.scores.values())
            # What is better than all that was looked at lies in an open node, below its bound.
            if best >= target and best not in seen:
                tops = [m for m, score in case.scores.items() if score == best]
                assert any(
                    node.bound * case.scale >= best
                    for node in nodes
                    for m in tops
                    if len(m) == node.size and holds(node.decided, m)
                )
    return nodes, found, reported


@pytest.mark.slow
@pytest.mark.parametrize("block", range(3))
def test_the_optimum_is_found_and_nothing_is_left(block):
    for seed in range(10 * block, 10 * block + 10):
        case = known(seed)
        best = max(case.scores.values())
        for target in {0, best // 2, best}:
            for leaf in (0.0, 600.0):
                nodes, found, reported = work(case, target, leaf)
                assert nodes == ()
                assert max(case.scores.get(m, -1) for m in found) == best
                for bound, open_nodes in reported:
                    assert not open_nodes or bound * case.scale >= target


@pytest.mark.slow
@pytest.mark.parametrize("block", range(2))
def test_what_is_better_lies_in_an_open_node_until_it_is_looked_at(block):
    for seed in range(100 + 8 * block, 108 + 8 * block):
        nodes, _, _ = work(known(seed), 0, steps=25)
        assert nodes == ()


def test_above_the_optimum_there_is_nothing():
    for seed in range(40):
        case = known(seed)
        nodes, found, _ = work(case, max(case.scores.values()) + 1)
        assert nodes == ()
        assert all(case.scores.get(m, 0) <= max(case.scores.values()) for m in found)


@pytest.mark.slow
def test_bounds_of_nodes_are_above_all_in_them():
    """Programs of single nodes, with whatever was decided before."""
    programs = 0
    for seed in range(40):
        case = known(seed)
        rng = np.random.default_rng(seed)
        for size in range(case.wins.size_min, case.wins.size_max + 1):
            program = worker.WinsProgram(worker.Size(case.wins, size))
            for _ in range(3):
                decided = rng.choice(
                    np.array([-1, -1, 0, 1], dtype=np.int8), case.wins.n_classifiers
                )
                decided[case.wins.required] = 1
                node = Node(size, 1e9, decided)
                best = case.best(decided, size)
                if node.empty or best is None:
                    continue
                target = best / case.scale
                bound, charges, _ = program.bound(decided, target, time.monotonic() + 60)
                assert bound * case.scale >= best
                programs += 1
                for other in range(case.wins.size_min, case.wins.size_max + 1):
                    there = case.best(decided, other)
                    if there is not None:
                        told = program.elsewhere(worker.Size(case.wins, other), decided)
                        assert told * case.scale >= there
                # All that reaches the target is still there after what prices decide.
                after = worker._decide(node, charges, bound - target)
                tops = [
                    m
                    for m, score in case.scores.items()
                    if score == best and len(m) == size and holds(decided, m)
                ]
                assert all(holds(after, m) for m in tops)
    assert programs > 100


class Told:
    """Stands in for a linear program: it says what it is told to, and keeps what it was asked."""

    def __init__(self, bound, charges, x):
        self.said, self.targets = (bound, np.array(charges), np.array(x)), []

    def bound(self, decided, target, deadline):
        self.targets.append(target)
        return self.said

    def elsewhere(self, size, decided):
        return np.inf


def tree_of(case, nodes, target, program, **more):
    """A tree all of whose nodes are bounded by one program."""
    with mock.patch.object(trying, "_MOST_TAILS", 1), mock.patch.object(trying, "_FEWEST_TAILS", 1):
        task = replace(task_of(case, nodes, target), **more)
        memory = worker._Memory(task)
    memory.program = lambda task, size: program
    return worker._Tree(task, memory, None)


def scaled(case, times):
    """The same problem, its weights divided by some power of two."""
    wins = replace(case.wins, weights=case.wins.weights / times)
    return replace(case, wins=wins, scale=case.scale * times)


def plain(k=6):
    """A problem without limits on members, and its node of size 3."""
    case = next(
        case
        for case in map(known, range(1000))
        if case.wins.n_classifiers == k and not len(case.wins.required)
    )
    return case, Node(3, 50.0, np.full(k, FREE, dtype=np.int8))


@pytest.mark.parametrize("times", [1.0, 8.0])
def test_what_only_reaches_the_target_stays_open(times):
    case, node = plain()
    case = scaled(case, times)
    for bound, stays in ((24.0, True), (23.5, False), (30.0, True), (70.0, True)):
        program = Told(bound, np.zeros(6), np.full(6, 0.5))
        tree = tree_of(case, (), int(24 * case.scale), program)
        tree._bound(node)
        assert program.targets == [24.0]
        left = [entry[2] for entry in tree._heap]
        # No bound is ever given up for a higher one.
        assert [each.bound for each in left] == [min(bound, node.bound)] * stays
        assert all(each.bounded for each in left)


@pytest.mark.parametrize("times", [1.0, 8.0])
def test_weights_of_another_scale_have_the_same_optimum(times):
    for seed in range(12):
        case = scaled(known(seed), times)
        best = max(case.scores.values())
        nodes, found, _ = work(case, best)
        assert nodes == ()
        assert max(case.scores.get(m, -1) for m in found) == best


@pytest.mark.parametrize(
    ("x", "charges", "column"),
    [
        ([1.0, 0.1, 0.55, 0.9, 0.0, 0.45], [9.0, 9.0, 0.0, 0.0, 0.0, 0.5], 5),
        ([1.0, 0.1, 0.6, 0.9, 0.0, 0.4], [9.0, 9.0, -2.0, 0.0, 0.0, 0.5], 2),
        ([1.0, 0.3, 0.2, 0.9, 0.0, 0.6], [0.0, 0.0, 9.0, 9.0, 9.0, 0.0], 5),
    ],
)
def test_a_node_is_branched_where_the_relaxation_is_most_divided(x, charges, column):
    """Of those equally divided it is who is charged most."""
    case, node = plain()
    tree = tree_of(case, (), 0, Told(24.0, charges, x))
    tree._branch(replace(node, bounded=True))
    without, with_it = sorted((entry[2] for entry in tree._heap), key=lambda n: n.decided.sum())
    for child, value in ((without, 0), (with_it, 1)):
        assert np.flatnonzero(child.decided != FREE).tolist() == [column]
        assert child.decided[column] == value
        assert not child.bounded


def test_what_programs_take_is_learned():
    case, node = plain()
    tree = tree_of(case, (), 0, Told(24.0, np.zeros(6), np.full(6, 0.5)))
    with mock.patch.object(worker.time, "monotonic", side_effect=range(0, 10**6, 3)):
        for _ in range(60):
            tree._bound(node)
    assert tree._memory.program_seconds == pytest.approx(3.0)


def test_a_program_is_worth_as_much_trying_as_it_takes_until_one_closes_a_node():
    case, node = plain()
    for bound, worth in ((23.0, 62 / 61), (24.0, 62)):
        tree = tree_of(case, (), int(24 * case.scale), Told(bound, np.zeros(6), np.full(6, 0.5)))
        with mock.patch.object(worker.time, "monotonic", side_effect=range(0, 10**6, 3)):
            for _ in range(60):
                tree._bound(node)
        assert tree._memory.worth == pytest.approx(3 * worth)


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("left", [1.0, 100.0])
@pytest.mark.parametrize("program", [0.1, 3.0, 400.0])
@pytest.mark.parametrize("others", [0.0, 99.0])
@pytest.mark.parametrize("record", [False, True])
def test_a_node_is_tried_where_that_takes_no_longer_than_a_program_is_worth(
    bounded, left, program, others, record
):
    case, node = plain()
    told = Told(24.0, np.zeros(6), np.full(6, 0.5))
    with (
        mock.patch.object(worker.time, "monotonic", return_value=0.0),
        mock.patch.object(trying.Enumeration, "seconds", return_value=others) as seconds,
    ):
        tree = tree_of(case, (node,), 0, told, latest=left, record=record)
        tree._memory.program_seconds = program
        # Before any is solved, every other program is thought to close its node. Where not all can
        # be tried, or others are to check it, each is taken to be worth itself.
        worth = (2 if others < left and not record else 1) * program
        most = min(worth, worker.LONG_LEAF, left)
        most = max(most, worker.LEAF) if bounded else most
        for seconds.return_value in (0.99 * most, 1.01 * most):
            tried = tree._is_leaf(replace(node, bounded=bounded))
            assert tried == (seconds.return_value < most)
