"""`SizeFront`, `SoftFront`: the best committee of every size, each with its bound.

Votes need one run for all sizes: the prices that bound one size bound every other
(`bounds.prices`), and the search for a size starts from the best committee of its neighbour, with
one member more or less. Probabilities need one tree per size limit. Each starts from the committee
of the limit below, and a bound for one limit holds for every smaller one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..bounds.closure import bound_by_closure
from ..numbers.threads import threadpool_limits
from ..primal.enumeration import affordable, try_all
from ..primal.search import search, thinned
from ..primal.tabu import TabuSearch
from ..problem.infeasible import nobody_fits
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Outcome, outcome_of
from ..soft.committee import SoftCommittee
from ..soft.newton import Point
from ..soft.pruning import SoftPruning
from ..soft.tree import TOLERANCE, SoftTree
from ..strategies.exact_soft import first_members
from ..tree.sizes.driver import SizesDriver
from .fronts import Front, FrontPoint
from .request import Circumstances

TRY_SHARE, _SEARCH_SHARE = 0.2, 0.4
"""Shares of the time for trying small sizes in full, and for the search before the proof."""

_PATIENCE = 32
"""Walks without a better committee after which the search of a size ends."""

_STRIDE = 0.25


class SizeFront:
    """The committees and bounds of all sizes, as far as time allows.

    Parameters
    ----------
    problem
        What to choose from; its limits on the size say which sizes are looked at.
    circumstances
        How the run goes.
    began
        When it began, as `time.monotonic` tells it.
    """

    def __init__(self, problem: Problem, circumstances: Circumstances, began: float) -> None:
        self._problem = problem
        self._run = circumstances.begin(Incumbent(problem, None, began), None, began)
        self._sizes = problem.sizes
        self._incumbents = {
            size: Incumbent(replace(problem, size_min=size, size_max=size), None, began)
            for size in self._sizes
        }
        self._driver: SizesDriver | None = None
        self._tried: set[int] = set()

    def run(self, told: Callable[[], object]) -> str:
        """Work until all is proved, time is over, or somebody ends it; return which."""

        def work() -> Outcome:
            bound_by_closure(self._problem, self._run)
            for incumbent in self._incumbents.values():
                incumbent.tighten(self._run.incumbent.proved)
            self._try_small()
            self._search(self._run.soon(_SEARCH_SHARE))
            return self._prove(told)

        return outcome_of(work).termination

    def front(self) -> Front:
        """Return where things stand."""
        points = tuple(self._point(*known) for known in self._incumbents.items())
        return Front(self._problem.objective.name, points, self._run.incumbent.seconds)

    def _point(self, size: int, incumbent: Incumbent) -> FrontPoint:
        progress, committee = incumbent.progress(), incumbent.committee
        nothing = committee is None and self._finished(size)
        bound = None if nothing else progress.bound
        return FrontPoint(size, committee, progress.value, bound, incumbent.trusted)

    def _finished(self, size: int) -> bool:
        """Tell whether nothing of a size is open."""
        known = self._driver is not None and size not in self._driver.open_sizes
        return size in self._tried or known

    def _try_small(self) -> None:
        """Try all committees of the smallest sizes, as far as a share of the time goes."""
        until = self._run.soon(TRY_SHARE)
        for size in self._sizes:
            incumbent, only = self._incumbents[size], range(size, size + 1)
            if not affordable(self._problem, only, until - time.monotonic()):
                return
            if try_all(incumbent.problem, incumbent, only, until) != only and not incumbent.closed:
                return
            incumbent.close()
            self._tried.add(size)

    def _search(self, until: float) -> None:
        """Search size by size, up and down, each from its neighbour's best."""
        order = [*self._sizes, *reversed(self._sizes)]
        for place, size in enumerate(order):
            if time.monotonic() >= until:
                return
            incumbent, seed = self._incumbents[size], self._run.seed
            for neighbour in (size - 1, size + 1):
                self._step_from(neighbour, size)
            if not incumbent.closed and not nobody_fits(incumbent.problem):
                walked = thinned(incumbent.problem, incumbent, seed, self._run.seconds_left)
                tabu = TabuSearch(*walked, seed + place)
                seconds = (until - time.monotonic()) / (len(order) - place)
                search(tabu, incumbent, time.monotonic() + seconds, _PATIENCE)

    def _step_from(self, neighbour: int, size: int) -> None:
        """Offer a neighbour's best committee with one member more, or one less."""
        known = self._incumbents.get(neighbour)
        if known is None or known.committee is None:
            return
        members = set(known.committee.members)
        others = members if neighbour > size else set(self._problem.allowed) - members
        for k in sorted(others):
            self._incumbents[size].offer(sorted(members ^ {k}))

    def _prove(self, told: Callable[[], object]) -> Outcome:
        """Bound what was not tried, round by round."""
        still_open = {
            size: incumbent
            for size, incumbent in self._incumbents.items()
            if size not in self._tried and not incumbent.closed
        }
        driver = self._driver = SizesDriver(self._problem, self._run, still_open)
        while not driver.over and self._run.seconds_left > 0:
            if not driver.round(self._run.deadline, self._run.threads):
                return Outcome("solver failed")
            driver.branch = driver.branch or driver.settled
            if told():
                return Outcome("callback")
        return Outcome("proved" if driver.over else "time limit")


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
        tree.latest = self._deadline
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
