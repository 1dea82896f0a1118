"""`Task`: the open nodes that a worker is given; what it hands back is a `TreeState`, too."""

from __future__ import annotations

from dataclasses import dataclass

from ...soft.nodes import TreeState
from ...soft.problem import SoftProblem
from ...solvers import Worker

WORKER = Worker("voteprune.tree.soft.worker")
"""What worker processes run."""


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
