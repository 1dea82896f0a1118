"""How open nodes are dealt to workers, and what the incumbent is told of them."""

import math
import time

import numpy as np
import pytest

from pluralities import known
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.tree.plurality.checkpoint import Kept, save_proof
from voteprune.tree.plurality.driver import PluralityDriver
from voteprune.tree.plurality.task import FREE, Node


def opened(tmp_path, bounds):
    """A driver that goes on from nodes with some bounds, and its incumbent."""
    case = known(5, groups=False)
    free = np.full(case.wins.n_classifiers, FREE, dtype=np.int8)
    free[case.wins.required] = 1
    nodes = tuple(Node(case.wins.size_max, bound, free) for bound in bounds)
    file = tmp_path / "proof"
    save_proof(file, case.problem, Kept(None, nodes))
    run = Run(Incumbent(case.problem), time.monotonic() + 60, checkpoint=file)
    return case, PluralityDriver(case.problem, run), run.incumbent


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 9])
def test_every_node_is_dealt_once_and_the_highest_to_different_workers(workers, tmp_path):
    bounds = [3.5, 9.25, 1.5, 7.0, 5.0]
    _, driver, _ = opened(tmp_path, bounds)
    dealt = [[node.bound for node in task.nodes] for task in driver._tasks(workers, 0.0)]
    assert sorted(bound for task in dealt for bound in task) == sorted(bounds)
    assert [task[0] for task in dealt] == sorted(bounds, reverse=True)[:workers]
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1


def test_the_incumbent_is_told_the_highest_bound_of_what_is_open(tmp_path):
    case, _, incumbent = opened(tmp_path, [1.5, 3.25, 2.0])
    gains = case.problem.gains
    reached = math.floor(3.25 * case.scale / gains.step) * gains.step
    assert gains.base + reached < case.problem.objective.ceiling
    assert incumbent.bound == incumbent.proved == gains.base + reached
    assert incumbent.open_boxes == 3
