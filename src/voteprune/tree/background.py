"""`BackgroundSearch`: local search that goes on in this process while workers prove.

A better incumbent prunes more, so at first searching has a core of its own, and there is one
worker less. When nothing better has turned up for a good while every core has a worker, and the
search takes only a share of its time.
"""

from __future__ import annotations

import sys
import time

from ..primal.search import LocalSearch, search
from ..run.run import Run
from ..solvers import prepare

SHARE = 0.25
"""Share of the time for a search that has found nothing for a good while."""

_STRIDE = 0.02
"""Seconds of searching at a time; reports of the workers are read in between."""

_DRY, _DRY_SHARE = 1.5, 0.25
"""Seconds without news after which a core is better left to another worker; and the same as a share
of all time until then, if that is more."""


class BackgroundSearch:
    """Local search between reports of the workers, a few hundredths of a second at a time.

    Parameters
    ----------
    run
        The circumstances of the proof.
    tabu
        What searches.
    """

    def __init__(self, run: Run, tabu: LocalSearch) -> None:
        self._run, self._tabu, self._worker = run, tabu, ""
        self._news, self._resume = time.monotonic(), 0.0
        # Once it is dry it stays so, even if it finds something late.
        self._dry = self._crowded = False

    def begin_round(self, worker: str) -> int:
        """Return how many workers the next round has.

        Parameters
        ----------
        worker
            The module they run.
        """
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
        self._resume = now + (now - began) * (1 / SHARE - 1)
        if incumbent.score != best:
            self._news = now
        elif not self._dry and now - self._news > max(_DRY, _DRY_SHARE * incumbent.seconds):
            self._dry = True
            if self._run.record is None:
                # The next round has one worker more, and starting up takes a while.
                prepare(self._worker, self._worker)
        return not incumbent.closed
