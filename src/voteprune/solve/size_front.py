"""`SizeFront`: the best committee of every size, each with its bound.

One run does it all: the prices that bound one size bound every other (`bounds.prices`), and the
best committee of one size, with one member more or less, is where the search for the next begins.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..bounds.closure import bound_by_closure
from ..primal.enumeration import affordable, try_all
from ..primal.search import search, thinned
from ..primal.tabu import TabuSearch
from ..problem.infeasible import nobody_fits
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Outcome, outcome_of
from ..tree.sizes.driver import SizesDriver
from .fronts import Front, FrontPoint
from .request import Circumstances

TRY_SHARE, _SEARCH_SHARE = 0.2, 0.4
"""Shares of the time for trying small sizes in full, and for the search before the proof."""

_PATIENCE = 32
"""Walks without a better committee after which the search of a size ends."""


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
        least = max(problem.size_min, len(problem.required))
        self._sizes = range(least, min(problem.size_max, len(problem.allowed)) + 1)
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
