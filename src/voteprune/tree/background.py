"""`Searching`: local search that goes on while workers prove, in the background or in turns.

A better incumbent prunes more, so at first searching has a core of its own, and there is one
worker less. When nothing better has turned up for a good while every core has a worker, and the
search takes only a share of its time. On a single core search and proof take turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from ..primal.search import LocalSearch, search
from ..run.run import Run
from ..solvers import Worker, prepare

SEARCH_SHARE = 0.25
"""Share of the time for a search that has found nothing for a good while."""

_STRIDE = 0.02
"""Seconds of searching at a time; reports of the workers are read in between."""

_DRY, _DRY_SHARE = 1.5, 0.25
"""Seconds without news after which a core is better left to another worker; and the same as a share
of all time until then, if that is more."""


_PATIENCE = 20
"""Walks per classifier without a better committee after which a turn ends: small pools are searched
through long before."""

_LIVELY, _LEAST_HOPE = 0.5, 0.25
"""Walks per classifier without a better committee after which turns get shorter, and the share of
their time that is always left."""


class Searching:
    """Local search beside a proof: in the background where there are cores, or else in turns."""

    def __init__(self, run: Run, tabu: LocalSearch | None) -> None:
        self._run, self._tabu = run, tabu
        self._idle = 0
        self._background = None if tabu is None or run.threads == 1 else BackgroundSearch(run, tabu)

    def begin_round(self, worker: Worker) -> tuple[int, Callable[[], bool] | None]:
        """Return how many workers the next round has, and what to do here meanwhile."""
        if self._background is None:
            return 1, None
        return self._background.begin_round(worker), self._background

    def take_turn(self, seconds: float) -> None:
        """Search between two rounds, unless that is done in the background.

        Turns get shorter while nothing better turns up: what many walks have not found, few more
        will not find either.
        """
        if self._background is None:
            lively = _LIVELY * self._run.incumbent.problem.n_classifiers
            self.search(seconds * min(1.0, max(lively / max(self._idle, 1), _LEAST_HOPE)))

    def search(self, seconds: float) -> None:
        """Search here and now, for a fifth of the time left at the most."""
        if self._tabu is not None:
            run = self._run
            until = time.monotonic() + min(seconds, 0.2 * run.seconds_left)
            patience = _PATIENCE * run.incumbent.problem.n_classifiers
            best = run.incumbent.score
            idle = search(self._tabu, run.incumbent, until, patience)
            self._idle = idle + (self._idle if run.incumbent.score == best else 0)


class BackgroundSearch:
    """Local search between reports of the workers, a few hundredths of a second at a time."""

    def __init__(self, run: Run, tabu: LocalSearch) -> None:
        self._run, self._tabu = run, tabu
        self._worker: Worker | None = None
        self._news, self._resume = time.monotonic(), 0.0
        # A search that has run dry counts as dry for good, even if it finds something later.
        self._dry = self._crowded = False

    def begin_round(self, worker: Worker) -> int:
        """Return how many workers the next round has."""
        self._worker = worker
        if self._run.record is not None:
            return 1  # as a proof that is written down always has
        self._crowded = self._dry
        return self._run.threads - (not self._crowded)

    def __call__(self) -> bool:
        """Search for a stride, or wait for one; tell if there is a point in going on."""
        incumbent, began = self._run.incumbent, time.monotonic()
        if self._crowded and began < self._resume:
            time.sleep(min(_STRIDE, self._resume - began))
            return not incumbent.closed
        best = incumbent.score
        search(self._tabu, incumbent, min(self._run.deadline, began + _STRIDE), sys.maxsize)
        now = time.monotonic()
        self._resume = now + (now - began) * (1 / SEARCH_SHARE - 1)
        if incumbent.score != best:
            self._news = now
        elif not self._dry and now - self._news > max(_DRY, _DRY_SHARE * incumbent.seconds):
            self._dry = True
            if self._run.record is None and self._worker is not None:
                # The next round has one worker more, and starting up takes a while.
                prepare(self._worker)
        return not incumbent.closed
