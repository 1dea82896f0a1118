"""`Task` and `Share`: what a worker is given, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...bounds.levels import Levels
from ...bounds.node import Node
from ...bounds.relaxation_rows import Row
from ...numbers.floats import Floats
from ...solvers import Worker
from .proof import Step

WORKER = Worker("voteprune.tree.sizes.worker")
"""The module that works on tasks."""


@dataclass(frozen=True, eq=False)
class Task:
    """A share of the work.

    Parameters
    ----------
    levels
        The data.
    nodes
        What is open.
    rows
        Rows that were useful before.
    targets
        By size: bounds below this need no more work, nothing there beats the best known.
    deadline
        When to begin nothing new, as `time.monotonic` tells it.
    latest
        When to be done with what was begun.
    first_number
        From where on keys and steps are numbered.
    branch
        Whether nodes may be branched; if not, work ends when there is nothing else to do.
    record
        Whether proof steps are kept.
    token
        Tasks with the same token are about the same data; a worker that has seen it before need
        not build its linear programs anew.
    """

    levels: Levels
    nodes: tuple[Node, ...]
    rows: tuple[Row, ...]
    targets: Floats
    deadline: float
    latest: float
    first_number: int
    branch: bool = True
    record: bool = False
    token: str = ""


@dataclass(frozen=True, eq=False)
class Share:
    """What came of a task.

    Parameters
    ----------
    nodes
        What is open.
    rows
        Useful rows.
    conflicts
        Pairs of a positive and a negative pattern whose row was useful somewhere.
    members
        Sets of members worth a look.
    steps
        Proof steps, if they are kept.
    next_number
        From where on to number.
    settled
        Whether nothing was left to do but branching.
    """

    nodes: tuple[Node, ...]
    rows: tuple[Row, ...]
    conflicts: frozenset[tuple[int, int]]
    members: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]
    next_number: int
    settled: bool


Report = Callable[[float, int, list[int]], None]
"""Told the highest bound in the share, the number of open nodes, and members to look at."""
