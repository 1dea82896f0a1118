"""Hill climbs as first committees, so that none that had time to end beats the exact method.

Only size limits and forbidden members are known to them. Under other limits what they end with may
not be allowed, and counts for nothing then.
"""

from __future__ import annotations

import time

from ..heuristics import HEURISTICS
from ..primal.enumeration import sizes_of
from ..problem.problem import Problem
from ..run.run import Run

CLIMBS = ("hc-acc", "backfitting", "hc-com", "hc-con", "mdsq", "hc-uwa", "reduced-error")
"""Those who look at the objective itself first, then by what they cost."""

_BY_NAME = {method.name: method for method in HEURISTICS}

_VOTES_PER_SECOND = 3e8
"""Votes that a step of a climb reads in a second, or half of them."""


def climb(problem: Problem, run: Run, share: float) -> None:
    """Enter what hill climbs find, for a share of the time left.

    Parameters
    ----------
    problem, run
        As for every method.
    share
        Of the time left; a climb that is not over by then is interrupted after its step, and
        where a single step would take longer there is none.
    """
    until = run.soon(share)
    step = len(problem.allowed) * problem.patterns.n_patterns / _VOTES_PER_SECOND
    if not sizes_of(problem):
        return
    for name in CLIMBS:
        if time.monotonic() + step >= until or run.incumbent.closed:
            return
        _BY_NAME[name].solve(problem, run.part(until))
