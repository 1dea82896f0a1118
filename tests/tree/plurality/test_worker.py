"""The tree for several classes from a bad start: no search, no rounding, whatever the leaves."""

import time
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from pluralities import holds, known
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
        mock.patch.object(worker, "LEAF", leaf),
        mock.patch.object(worker, "_WORTH", leaf),
        mock.patch.object(worker, "_PROGRAM", 0.0),
        mock.patch.object(trying, "_MOST_TAILS", 2),
        mock.patch.object(trying, "_FEWEST_TAILS", 1),
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


@pytest.mark.parametrize("block", range(3))
def test_the_optimum_is_found_and_nothing_is_left(block):
    for seed in range(20 * block, 20 * block + 20):
        case = known(seed)
        best = max(case.scores.values())
        for target in {0, best // 2, best}:
            for leaf in (0.0, 600.0):
                nodes, found, reported = work(case, target, leaf)
                assert nodes == ()
                assert max(case.scores.get(m, -1) for m in found) == best
                for bound, open_nodes in reported:
                    assert not open_nodes or bound * case.scale >= target


@pytest.mark.parametrize("block", range(2))
def test_what_is_better_lies_in_an_open_node_until_it_is_looked_at(block):
    for seed in range(100 + 15 * block, 115 + 15 * block):
        nodes, _, _ = work(known(seed), 0, steps=25)
        assert nodes == ()


def test_above_the_optimum_there_is_nothing():
    for seed in range(40):
        case = known(seed)
        nodes, found, _ = work(case, max(case.scores.values()) + 1)
        assert nodes == ()
        assert all(case.scores.get(m, 0) <= max(case.scores.values()) for m in found)


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
