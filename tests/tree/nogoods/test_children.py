"""A node that is branched on a pattern leaves children under bounds of their own."""

import time

import numpy as np

from everycommittee import small
from voteprune.bounds.node import FREE
from voteprune.tree.nogoods import worker
from voteprune.tree.nogoods.nogood import Case
from voteprune.tree.nogoods.relaxation import Relaxation, limits_of
from voteprune.tree.nogoods.task import Node, Task


def test_every_child_has_the_lower_of_two_bounds_and_refuted_ones_are_closed():
    lower = closed = 0
    for seed in range(8):
        problem, _ = small(seed, n=20)
        case, _ = Case.of(problem)
        end = time.monotonic() + 60
        undecided = np.full(case.n_patterns + case.n_classifiers, FREE, dtype=np.int8)
        known = Relaxation(case)
        for nogood in worker._pairs(case):
            known.add(nogood)
        bound = known.bound(*limits_of(undecided), -np.inf, end)
        for target in (-1e9, bound - 1e-3):
            task = Task(case, (), (), target, end, end, record=True)
            tree = worker._Tree(task, None)
            solution = np.full(len(undecided), 0.5)  # any pattern will do
            children = tree._branch_on_pattern(Node(1e30, undecided), bound, solution)
            variable = tree._steps[0].variable
            left = {int(child.decided[variable]): child.bound for child in children}
            shut = [step.node for step in tree._steps[1:]]
            for value in (0, 1):
                decided = undecided.copy()
                decided[variable] = value
                proved = known.bound(*limits_of(decided), -np.inf, end)
                if value in left:
                    assert abs(left[value] - min(bound, proved)) < 0.05 * np.abs(case.net).sum()
                    lower += left[value] < bound
                else:
                    assert proved < target
                    closed += 1
            assert len(shut) == 2 - len(left)
    assert lower
    assert closed
