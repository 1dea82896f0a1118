"""`Task`, `solve`: branch and bound over who sits in a soft committee, on some of the open nodes.

`solve` runs in a worker process; see `solvers.worker`. It works until its deadline and hands back
the open nodes, a `TreeState` like the one it was given, so any number of workers can share them,
and a run can be put on file in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...numbers.threads import threadpool_limits
from ...soft.nodes import TreeState
from ...soft.problem import SoftProblem
from ...soft.tree import SoftTree
from ...solvers import Worker

WORKER = Worker("voteprune.tree.soft.worker")
"""What worker processes run."""

_known: dict[str, SoftTree] = {}
"""The tree of the last problem, by its token."""


@dataclass(frozen=True, eq=False)
class Task:
    """What one worker is given.

    Parameters
    ----------
    problem
        What is minimised.
    state
        Open nodes, and the incumbent's members.
    tolerance
        As for the tree.
    deadline, latest
        When to begin nothing new, and when to be done with what was begun.
    token
        Tasks with the same token are about the same problem; a worker that has seen it before keeps
        its Hessian and its pseudocosts.
    """

    problem: SoftProblem
    state: TreeState
    tolerance: float
    deadline: float
    latest: float
    token: str


def solve(task: Task, report: Callable[..., None]) -> TreeState:
    """Work on a task until its deadline; return what is open then."""
    with threadpool_limits(1, "blas"):
        tree = _known.get(task.token)
        if tree is None:
            _known.clear()
            tree = _known[task.token] = SoftTree(task.problem, tolerance=task.tolerance)
        tree.search.deadline = task.latest
        tree.resume(task.state)
        tree.latest = task.latest
        tree.round(task.deadline)
        return tree.state()
