"""`Node`, `Task` and `Share`: what is open, what a worker is given, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...problem.wins import Wins
from ...solvers import Worker

WORKER = Worker(f"{__package__}.worker")
"""What worker processes run."""

FREE = -1
"""What is said of a column that is not decided."""


@dataclass(frozen=True, eq=False)
class Node:
    """The committees of one size that have some members and lack some others.

    Parameters
    ----------
    size
        The size.
    bound
        What none of them exceeds, in weights.
    decided
        By column: 1 sits, 0 does not, -1 may or may not.
    bounded
        Whether its own linear program has been solved.
    """

    size: int
    bound: float
    decided: NDArray[np.int8]
    bounded: bool = False

    def branch(self, column: int) -> tuple[Node, Node]:
        """Return the node without a column and the one with it."""
        children = []
        for value in (0, 1):
            decided = self.decided.copy()
            decided[column] = value
            children.append(replace(self, decided=decided, bounded=False))
        return children[0], children[1]

    @property
    def seats(self) -> int:
        """How many seats are free."""
        return self.size - int((self.decided == 1).sum())

    @property
    def empty(self) -> bool:
        """Whether no committee has so many members."""
        return not 0 <= self.seats <= int((self.decided == FREE).sum())


@dataclass(frozen=True, eq=False)
class Task:
    """A share of the work.

    Parameters
    ----------
    wins
        The data.
    scale
        Units that make one of their weights.
    nodes
        What is open.
    target
        Units that it takes to beat the incumbent.
    deadline
        When to begin nothing new, as `time.monotonic` tells it.
    latest
        When to be done with what was begun.
    token
        Tasks with the same token are about the same data; a worker that has seen it before need
        not build its linear programs and its table anew.
    """

    wins: Wins
    scale: float
    nodes: tuple[Node, ...]
    target: int
    deadline: float
    latest: float
    token: str = ""


@dataclass(frozen=True, eq=False)
class Share:
    """What came of a task.

    Parameters
    ----------
    nodes
        What is open.
    members
        Sets of columns worth a look.
    """

    nodes: tuple[Node, ...]
    members: tuple[tuple[int, ...], ...]


Report = Callable[[float, int, list[int]], None]
"""Told the highest bound in the share, the number of open nodes, and members to look at."""
