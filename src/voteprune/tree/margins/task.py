"""`Task` and `Result`: what a worker is given, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...bounds.margin_prices import Sizes
from ...numbers.floats import Floats
from ...solvers import Worker

WORKER = Worker("voteprune.tree.margins.worker")
"""The module that works on tasks."""


@dataclass(frozen=True, eq=False)
class Task:
    """What one worker is given.

    Parameters
    ----------
    sizes
        The data.
    bounds
        What is known of every size.
    open
        Which of them may have a linear program of their own here.
    target
        Bounds below this need no more work: nothing there beats the incumbent.
    deadline, latest
        When to begin nothing new, and when to be done with what was begun.
    """

    sizes: Sizes
    bounds: Floats
    open: NDArray[np.bool_]
    target: float
    deadline: float
    latest: float


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a task.

    Parameters
    ----------
    bounds
        What is known of every size now.
    open
        Which of those that the worker was given have had no program yet.
    members
        Sets of members worth a look.
    """

    bounds: Floats
    open: NDArray[np.bool_]
    members: tuple[tuple[int, ...], ...]


Report = Callable[[float, list[int]], None]
"""Told the bound over all sizes, and the members a fractional solution would round to."""
