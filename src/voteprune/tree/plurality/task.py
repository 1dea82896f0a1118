"""`Task`, `Result`, `PluralityProof`: what a worker is given and hands back, and the proof of it.

A proof begins with a node for every size. Each step closes a node, decides something in it, or
branches it. What is left in the end are the open nodes; the highest bound among them is what the
proof proves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...bounds.plurality_rows import Priced
from ...problem.wins import Wins
from ...solvers import Worker

WORKER = Worker(f"{__package__}.worker")
"""What worker processes run."""

FREE = -1
"""What is said of a column that is not decided."""

NO_PRICES = -1
"""What stands for the prices of a node that has the first bound there is."""

Report = Callable[[float, int, list[int]], None]
"""Told the highest bound in the task, the number of open nodes, and members to look at."""


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
    key, by
        Its number, and that of the prices that gave the bound; only where a proof is written down.
    """

    size: int
    bound: float
    decided: NDArray[np.int8]
    bounded: bool = False
    key: int = 0
    by: int = NO_PRICES

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
    """What one worker is given.

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
    record
        Whether steps are written down.
    first_number
        From where on nodes and prices are numbered.
    """

    wins: Wins
    scale: float
    nodes: tuple[Node, ...]
    target: int
    deadline: float
    latest: float
    token: str = ""
    record: bool = False
    first_number: int = 0


@dataclass(frozen=True, eq=False)
class Step:
    """What became of a node; nothing more than its bound where nothing else is said.

    Parameters
    ----------
    node
        Its key.
    by
        The number of the prices that bound it, or that decide something in it.
    decided
        Columns and what is decided of them from now on (reduced-cost fixing): with the opposite
        the prices bound all that is left.
    branch
        The column that it is branched on, -1 for none.
    heirs
        What takes its place: one node if something was decided, two after branching, the one
        without the column first.
    tried
        Whether all its committees were tried.
    """

    node: int
    by: int = NO_PRICES
    decided: tuple[tuple[int, int], ...] = ()
    branch: int = -1
    heirs: tuple[int, ...] = ()
    tried: bool = False


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a task.

    Parameters
    ----------
    nodes
        What is open.
    members
        Sets of columns worth a look.
    steps, prices
        Proof steps, and the prices they rest on by their numbers, if they are written down.
    next_number
        From where on to number what comes next.
    """

    nodes: tuple[Node, ...]
    members: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...] = ()
    prices: dict[int, Priced] = field(default_factory=dict)
    next_number: int = 0


@dataclass
class PluralityProof:
    """A proof as far as it went.

    Parameters
    ----------
    wins, scale
        The data it is about, and how many units make one of their weights.
    roots
        The sizes and the keys of their first nodes.
    prices
        All prices, by their numbers.
    steps
        In order.
    nodes
        What is open.
    """

    wins: Wins
    scale: float
    roots: tuple[tuple[int, int], ...]
    prices: dict[int, Priced] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    nodes: tuple[Node, ...] = ()

    def go_on(
        self, steps: Sequence[Step], prices: Mapping[int, Priced], nodes: tuple[Node, ...]
    ) -> None:
        """Take further steps and what they leave open at once: Ctrl-C comes before or after."""
        vars(self).update(
            steps=[*self.steps, *steps], prices={**self.prices, **prices}, nodes=nodes
        )
