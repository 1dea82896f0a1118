"""Far from the target the node with the highest bound is always the next."""

import time

import numpy as np
import pytest

from voteprune import Votes
from voteprune.bounds.node import FREE
from voteprune.problem.problem import Problem
from voteprune.tree.nogoods import worker
from voteprune.tree.nogoods.nogood import Case
from voteprune.tree.nogoods.task import Node, Task


@pytest.mark.slow
def test_far_from_the_target_no_node_is_worked_on_while_a_higher_one_is_open(monkeypatch):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 60)
    votes = np.where(random.random((60, 12)) < 0.7, y[:, None], 1 - y[:, None])
    case, _ = Case.of(Problem.of(Votes(votes, y), "accuracy", (), None))
    worked, work_on = [], worker._Tree._work_on

    def watched(tree, node):
        worked.append((node.bound, max((-entry[0] for entry in tree._heap), default=-np.inf)))
        return work_on(tree, node) if len(worked) < 60 else None

    monkeypatch.setattr(worker._Tree, "_work_on", watched)
    undecided = np.full(case.n_patterns + case.n_classifiers, FREE, dtype=np.int8)
    nodes, seen = (Node(60.0, undecided),), set()
    while nodes and len(worked) < 60:
        now = time.monotonic()
        # No committee is as bad as the target, so every bound is far above it.
        share = worker.solve(Task(case, nodes, (), -60.0, now + 9, now + 9, frozenset(seen)))
        nodes, seen = share.nodes, seen | set(share.members)
    assert len(worked) > 20
    assert all(bound >= others for bound, others in worked)
