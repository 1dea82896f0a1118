"""The best soft committee of at most so many members, for every number, each with its bound.

One tree per size. Each begins with the committee of the size below and its weights, and a bound for
one size holds for every smaller one, for whoever may sit there may sit here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from threadpoolctl import threadpool_limits

from ..soft.committee import SoftCommittee
from ..soft.newton import Point
from ..soft.pruning import SoftPruning
from ..soft.tree import TOLERANCE, SoftTree
from ..strategies.exact_soft import first_members
from .fronts import Front, FrontPoint

_STRIDE = 0.25


class SoftFront:
    """The trees of all sizes.

    Parameters
    ----------
    problem
        What to choose from; its limits on the size say which sizes are looked at.
    began, seconds
        When the run began, as `time.monotonic` tells it, and how long it may take.
    """

    def __init__(self, problem: SoftPruning, began: float, seconds: float) -> None:
        numbers = problem.numbers
        self._problem, self._began, self._deadline = problem, began, began + seconds
        self._sizes = range(numbers.size_min, numbers.most + 1)
        self._trees: dict[int, SoftTree] = {}
        problem.search.deadline = self._deadline

    def run(self, told: Callable[[], object]) -> str:
        """Work until all is proved, time is over, or somebody ends it; return which."""
        try:
            with threadpool_limits(1, "blas"):
                for place, size in enumerate(self._sizes):
                    if self._trees and time.monotonic() >= self._deadline:
                        return "time limit"
                    self._begin(size)
                    share = (self._deadline - time.monotonic()) / (len(self._sizes) - place)
                    self._work(size, time.monotonic() + share)
                    if told():
                        return "callback"
                # What is left open goes on in turns.
                while self._left():
                    for size in self._left():
                        self._work(size, min(self._deadline, time.monotonic() + _STRIDE))
                    if told() or time.monotonic() >= self._deadline:
                        break
        except KeyboardInterrupt:
            return "interrupted"
        return "time limit" if self._left() else "proved"

    def front(self) -> Front:
        """Return where things stand."""
        seconds = time.monotonic() - self._began
        return Front(self._problem.objective.name, self._points(), seconds, cumulative=True)

    def _points(self) -> tuple[FrontPoint, ...]:
        total, points, lower = self._problem.total, list[FrontPoint](), 0.0
        last = max(self._trees, default=None)
        for size in reversed(self._sizes):
            tree = self._trees.get(size)
            if tree is not None:
                lower = max(lower, tree.lower_bound)
            elif last is not None:
                # Not begun when time was over: who may sit in fewer seats may sit in these.
                tree = self._trees[last]
            highest = 0.0 - lower / total
            if tree is None or tree.best is None:
                settled = size in self._trees and self._trees[size].finished
                points.append(_point(size, None, None, None if settled else highest))
                continue
            found = self._problem.best(tree.best.members.tolist())
            committee, value = found if found is not None else (None, None)
            bound = highest if value is None else max(highest, value)
            points.append(_point(size, committee, value, bound))
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
        first = first_members(self._problem) if near is None else tuple(near.members.tolist())
        tree.offer(first)

    def _work(self, size: int, until: float) -> None:
        """Go on with a size, and tell the larger ones what was found."""
        tree = self._trees[size]
        tree.round(until)
        for larger in self._sizes:
            if larger > size and larger in self._trees and tree.best is not None:
                self._trees[larger].offer(tuple(tree.best.members.tolist()))


def _point(
    size: int, committee: SoftCommittee | None, value: float | None, bound: float | None
) -> FrontPoint:
    return FrontPoint(size, committee, value, bound, tolerance=TOLERANCE)
