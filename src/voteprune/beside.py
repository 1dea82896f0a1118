"""`Beside`: local search that goes on in this process while workers prove.

Every better committee refutes more, so at first searching has a core of its own, and there is one
worker less. When nothing better has turned up for a good while every core has a worker, and the
search takes only a share of its time.
"""

from __future__ import annotations

import sys
import time

from .run import Run
from .search import Walker, search
from .solvers import prepare

SHARE = 0.25
"""How much of its time a search takes that has found nothing for a good while."""

_STRIDE = 0.02
"""Seconds of searching at a time: workers may have something to say."""

_DRY, _DRY_SHARE = 1.5, 0.25
"""Seconds without news after which a core is better left to another worker; and the same as a share
of all time until then, if that is more."""


class Beside:
    """Something to do while workers prove, a stride at a time.

    Parameters
    ----------
    run
        Its circumstances.
    walker
        What searches.
    worker
        Name of the workers.
    """

    def __init__(self, run: Run, walker: Walker, worker: str) -> None:
        self._run, self._walker, self._worker = run, walker, worker
        self._news, self._dry, self._crowded = time.time(), False, False
        # A proof that is written down has one worker only.
        self._most = 1 if run.record is not None else run.threads

    def begin_round(self) -> int:
        """Return how many workers the next round has."""
        self._crowded = self._dry and self._most == self._run.threads
        return self._most if self._crowded else min(self._most, self._run.threads - 1)

    def __call__(self) -> bool:
        """Search for a stride; tell if there is a point in going on."""
        ledger = self._run.ledger
        best = ledger.units
        until = min(self._run.deadline, time.time() + _STRIDE)
        search(self._walker, ledger, until, patience=sys.maxsize)
        now = time.time()
        if ledger.units != best:
            self._news = now
        elif self._crowded:
            time.sleep(_STRIDE * (1 / SHARE - 1))
        elif not self._dry and now - self._news > max(_DRY, _DRY_SHARE * ledger.seconds):
            self._dry = True
            if self._most > 1:
                # The next round has one worker more, and starting up takes a while.
                prepare(self._worker, self._worker)
        return not ledger.closed
