"""The best soft committee of at most so many members, for every number, each with its bound.

One tree per size. Each begins with the committee of the size below and its weights, and a bound for
one size holds for every smaller one, for whoever may sit there may sit here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from threadpoolctl import threadpool_limits

from ..soft.committee import SoftCommittee
from ..soft.newton import Point
from ..soft.pruning import SoftPruning
from ..soft.tree import TOLERANCE, SoftTree

_STRIDE = 0.25


@dataclass(frozen=True, slots=True)
class SoftPoint:
    """One size: the best committee of at most so many members, its value and the bound.

    `committee` and `value` are None where nothing was found; `bound` is None where it is proved
    that no committee is allowed.
    """

    size: int
    committee: SoftCommittee | None
    value: float | None
    bound: float | None


class SoftFront:
    """The trees of all sizes.

    Parameters
    ----------
    problem
        What to choose from; its limits on the size say which sizes are looked at.
    deadline
        When to stop, as `time.monotonic` tells it.
    """

    def __init__(self, problem: SoftPruning, deadline: float) -> None:
        numbers = problem.numbers
        self._problem, self._deadline = problem, deadline
        self._sizes = range(numbers.size_min, numbers.most + 1)
        self._trees: dict[int, SoftTree] = {}

    def run(self, told: Callable[[tuple[SoftPoint, ...]], object]) -> tuple[SoftPoint, ...]:
        """Work until all is proved, time is over, or who is told says so; return the points."""
        try:
            with threadpool_limits(1, "blas"):
                for place, size in enumerate(self._sizes):
                    self._begin(size)
                    share = (self._deadline - time.monotonic()) / (len(self._sizes) - place)
                    self._work(size, time.monotonic() + share)
                    if told(self.points()):
                        return self.points()
                # What is left open goes on in turns.
                while self._left():
                    for size in self._left():
                        self._work(size, min(self._deadline, time.monotonic() + _STRIDE))
                    if told(self.points()) or time.monotonic() >= self._deadline:
                        break
        except KeyboardInterrupt:
            pass
        return self.points()

    def points(self) -> tuple[SoftPoint, ...]:
        """Return where things stand."""
        total, points, lower = self._problem.total, list[SoftPoint](), 0.0
        for size in reversed(self._sizes):
            tree = self._trees.get(size)
            if tree is None:
                points.append(SoftPoint(size, None, None, 0.0 if not points else -lower / total))
                continue
            lower = max(lower, tree.lower_bound)
            if tree.best is None:
                bound = None if tree.finished else -lower / total
                points.append(SoftPoint(size, None, None, bound))
                continue
            found = self._problem.best(tree.best.members.tolist())
            committee, value = found if found is not None else (None, None)
            highest = -lower / total
            bound = highest if value is None else max(highest, value)
            points.append(SoftPoint(size, committee, value, bound))
        return tuple(reversed(points))

    def _left(self) -> list[int]:
        return [size for size, tree in self._trees.items() if not tree.finished]

    def _begin(self, size: int) -> None:
        below = self._trees.get(size - 1)
        near: Point | None = None if below is None else below.best
        tree = SoftTree(
            replace(self._problem.numbers, size_max=size),
            self._problem.loss,
            tolerance=0.9 * TOLERANCE,
            near=near,
        )
        # A committee's best weights do not depend on how many others there might be.
        tree.search.share(self._problem.search)
        self._trees[size] = tree
        if near is not None:
            tree.offer(tuple(near.members.tolist()))

    def _work(self, size: int, until: float) -> None:
        """Go on with a size, and tell the larger ones what was found."""
        tree = self._trees[size]
        tree.round(until)
        for larger in self._sizes:
            if larger > size and larger in self._trees and tree.best is not None:
                self._trees[larger].offer(tuple(tree.best.members.tolist()))
