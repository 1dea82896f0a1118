"""`Task`, `Result`, `NogoodsProof`: what a worker is given and hands back, and the whole proof."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...solvers import Worker
from .nogood import Case, Nogood


@dataclass(frozen=True, eq=False)
class Step:
    """What became of a node.

    Parameters
    ----------
    node
        Its number; 0 is where everything begins.
    variable, heirs
        The variable it was branched on, and the numbers of its two children, with that variable
        at 0 and at 1; no heirs if it was closed.
    nogoods, prices
        What closed it: prices on nogoods.
    limits
        Prices on limits on what is called positive, by their numbers in the case.
    """

    node: int
    variable: int = -1
    heirs: tuple[int, int] | None = None
    nogoods: tuple[Nogood, ...] = ()
    prices: tuple[float, ...] = ()
    limits: tuple[tuple[int, float], ...] = ()


@dataclass
class NogoodsProof:
    """A proof that nothing beats the incumbent: a whole tree.

    Parameters
    ----------
    case, scale
        The data it is about, and how many units make one of theirs.
    steps
        In order. A node that was closed without any price holds one committee, which was recounted.
    """

    case: Case
    scale: float
    steps: list[Step] = field(default_factory=list)


WORKER = Worker("voteprune.tree.nogoods.worker")
"""The module that works on tasks."""


@dataclass(frozen=True, eq=False)
class Node:
    """A part of all committees: those that decide some variables in a certain way.

    Parameters
    ----------
    bound
        What none of them exceeds.
    decided
        For each pattern, then for each classifier, 1, 0, or `bounds.FREE`.
    key
        Its number in a proof that is written down.
    """

    bound: float
    decided: NDArray[np.int8]
    key: int = 0


@dataclass(frozen=True, eq=False)
class Task:
    """What one worker is given.

    Parameters
    ----------
    case
        The data.
    nodes
        What is open.
    nogoods
        Nogoods that others have found.
    target
        Bounds below this need no more work: nothing there beats the best known.
    deadline, latest
        When to begin nothing new, and when to be done with what was begun.
    seen
        Sets of members that have been looked at.
    token
        Tasks with the same token are about the same case; a worker that has seen it before keeps
        its nogoods and linear programs.
    first_number
        From where on nodes are numbered.
    record
        Whether proof steps are kept.
    """

    case: Case
    nodes: tuple[Node, ...]
    nogoods: tuple[Nogood, ...]
    target: float
    deadline: float
    latest: float
    seen: frozenset[tuple[int, ...]] = frozenset()
    token: str = ""
    first_number: int = 0
    record: bool = False


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a task.

    Parameters
    ----------
    nodes
        What is open.
    nogoods
        Nogoods found.
    members
        Sets of members worth a look.
    next_number
        From where on to number.
    steps
        Proof steps, if they are kept.
    """

    nodes: tuple[Node, ...]
    nogoods: tuple[Nogood, ...]
    members: tuple[tuple[int, ...], ...]
    next_number: int = 0
    steps: tuple[Step, ...] = ()
