"""Branch and bound over who sits in a soft committee, on some of the open nodes.

Runs in a worker process; see `solvers.worker`. It works until a moment and hands back what is still
open, so any number of workers can share the nodes, and a run can be put on file in between.
"""

from __future__ import annotations

from collections.abc import Callable

from threadpoolctl import threadpool_limits

from ...soft.nodes import TreeState
from ...soft.tree import SoftTree
from .task import Task

_known: dict[str, SoftTree] = {}
"""The tree of the last problem, by its token."""


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
