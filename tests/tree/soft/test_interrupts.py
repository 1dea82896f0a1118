"""Ctrl-C at any moment, and again at any moment after: no open node of a soft tree is lost."""

import time

import numpy as np
import pytest

import voteprune as vp
from interrupting import Keyboard
from soft_oracle import committees, fitted, pool
from voteprune.run import incumbent as incumbents
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.soft import nodes, tree
from voteprune.soft.pruning import SoftPruning
from voteprune.soft.tree import TOLERANCE, SoftTree
from voteprune.tree import driver as rounds
from voteprune.tree.soft import driver
from voteprune.tree.soft.checkpoint import SoftCheckpoint
from voteprune.tree.soft.driver import SoftDriver

MODULES = (tree, nodes, driver, rounds, incumbents)
LATER = (0, 1, 2, 4, 7, 12, 20, 35, 60, 100, 180, 300, 500)
"""Bytecodes from the first Ctrl-C to the second."""


@pytest.fixture(scope="module")
def case():
    """A problem, what its committees cost, and a tree that has begun from a bad start."""
    said = vp.Probabilities(*pool(3, n=40, k=6))
    problem = SoftPruning.of(said, "log_loss", [vp.AtMost("size", 2)], 0.1)
    values = {members: fitted(problem.numbers, members) for members in committees(problem.numbers)}
    worst = max(values, key=values.__getitem__)
    begun = SoftTree(problem.numbers, problem.loss, search=False, incumbent=worst)
    begun.round(most_nodes=3)
    return problem, values, begun.state()


def at_hand(_worker, tasks, report, meanwhile, end):
    """Workers in this process that do two nodes each, while this tree does one."""
    meanwhile()
    done = []
    for task in tasks:
        other = SoftTree(task.problem, search=False)
        other.resume(task.state)
        other.round(most_nodes=2)
        done.append(other.state())
    return done


def assert_nothing_is_lost(state, values):
    """What is better than the incumbent lies in an open node."""
    best = values.get(tuple(state.members.tolist()), np.inf)
    for members, value in values.items():
        sits = np.where(np.isin(np.arange(state.decisions.shape[1]), members), 1, -1)
        inside = ((state.decisions == 0) | (state.decisions == sits)).all(axis=1)
        found = (inside & (state.bounds <= value * (1 + 1e-9))).any()
        assert found or value >= best * (1 - 2 * TOLERANCE)


def interrupted(case, file, shared, moments):
    """How often Ctrl-C came in a round, and how many bytecodes there were; no law is broken."""
    problem, values, begun = case
    run = Run(Incumbent(problem), time.monotonic() + 600, checkpoint=file)
    open_tree = SoftTree(problem.numbers, problem.loss, search=False)
    open_tree.resume(begun)
    file.unlink(missing_ok=True)
    proof, keyboard = SoftDriver(problem, run, open_tree), Keyboard(moments, *MODULES)
    # How far it gets must not depend on how busy the machine is.
    proof._alone = 600.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "_STRIDE", 600.0)
        patch.setattr(SoftDriver, "pays", property(lambda _: shared))
        patch.setattr(rounds, "run_tasks", at_hand)
        for owner, name in (
            (SoftTree, "_push"), (SoftTree, "recall"), (SoftTree, "state"), (SoftDriver, "_keep"),
        ):  # fmt: skip
            patch.setattr(owner, name, keyboard.listening(getattr(owner, name)))
        keyboard.during(lambda: proof.round(run.deadline, 2))
    best = min(values.values())
    assert_nothing_is_lost(open_tree.state(), values)
    assert open_tree.lower_bound <= best * (1 + 1e-9)
    assert -run.incumbent.bound * problem.total <= best * (1 + 1e-9)
    if file.exists():
        assert_nothing_is_lost(SoftCheckpoint(file, problem.numbers).load(), values)
    return keyboard.pressed, keyboard.counted


@pytest.mark.parametrize("shared", [False, True])
def test_wherever_ctrl_c_comes_and_comes_again_no_open_node_is_lost(shared, case, tmp_path):
    file = tmp_path / "soft.npz"
    pressed, counted = interrupted(case, file, shared, ())
    assert pressed == 0
    assert counted > 1000
    twice = 0
    for place, moment in enumerate(np.linspace(0, counted - 1, 78).astype(int).tolist()):
        pressed, _ = interrupted(case, file, shared, (moment, LATER[place % len(LATER)]))
        assert pressed
        twice += pressed == 2
    assert twice > 30
