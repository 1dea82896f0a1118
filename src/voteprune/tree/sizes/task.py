"""`Task`, `Result`, `SizesProof`: what a worker is given and hands back, and the proof made of it.

A proof begins with one node, number 0, that holds every (S, L) and no decision but who is required.
Each step takes something out of a node, decides something in it, or splits it. What is left in the
end are the open nodes; the highest bound among them is what the proof proves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...bounds.levels import Levels
from ...bounds.node import Node
from ...bounds.relaxation_rows import LimitRow, Row
from ...numbers.floats import Floats
from ...solvers import Worker

WORKER = Worker("voteprune.tree.sizes.worker")
"""The module that works on tasks."""

Report = Callable[[float, int, list[int]], None]
"""Told the highest bound in the task, the number of open nodes, and members to look at."""


@dataclass(frozen=True, eq=False)
class Step:
    """One step.

    Parameters
    ----------
    number
        Its number, unique; later steps may point back to its prices.
    node
        The node it is about.
    rows, prices, at
        Prices, and the (S, L) they were found at; empty for a step without.
    closed
        What leaves the node, one row each: S, L, and the number of the step whose prices bound it
        below the target, given what is decided in the node by now. -1 stands for the closure bound,
        -2 for a node with every classifier decided, whose one committee was recounted.
    decided
        Variables (classifiers first, then patterns) and the values they are fixed at from now on in
        what is left of the node (reduced-cost fixing): with the opposite value, the prices of this
        step bound every (S, L) left below the target. A pattern decided right says nothing about an
        (S, L) it cannot be right at.
    heirs
        The two nodes that take its place: key, the branching variable, its value. The heir
        in which a pattern is right leaves out every (S, L) it cannot be right at.
    """

    number: int
    node: int
    rows: tuple[Row | LimitRow, ...] = ()
    prices: Floats = field(default_factory=lambda: np.empty(0))
    at: tuple[int, int] = (0, 0)
    closed: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    decided: tuple[tuple[int, int], ...] = ()
    heirs: tuple[tuple[int, int, int], ...] = ()


@dataclass
class SizesProof:
    """A proof as far as it went.

    Parameters
    ----------
    levels, scale
        The data it is about, and how many units make one of theirs.
    steps
        In order.
    nodes
        What is open; `Node.by` says which step's prices gave each bound.
    """

    levels: Levels
    scale: float
    steps: list[Step] = field(default_factory=list)
    nodes: tuple[Node, ...] = ()

    def go_on(self, steps: Sequence[Step], nodes: tuple[Node, ...]) -> None:
        """Take further steps and what they leave open at once: Ctrl-C comes before or after."""
        vars(self).update(steps=[*self.steps, *steps], nodes=nodes)


@dataclass(frozen=True, eq=False)
class Task:
    """What one worker is given.

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
class Result:
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
