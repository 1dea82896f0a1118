"""First committees: cheap guesses that give every method something to beat within milliseconds."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ..numbers.tally import tally
from ..problem.problem import Problem
from ..run.run import Outcome, Run
from .guards import Groups, fitted

LATE = 0.1
"""Seconds that first committees may take when there is no time at all."""


def open_run(problem: Problem, run: Run) -> Outcome | None:
    """Offer the simple committees one would try by hand; tell if the run is over with that.

    When time is over the first that is allowed must do.
    """
    for members in _simple_committees(problem):
        run.incumbent.offer(members)
        if run.incumbent.committee is not None and time.monotonic() >= run.deadline + LATE:
            break
    if run.incumbent.closed:
        return Outcome("proved")
    return None if run.seconds_left > 0 else Outcome("time limit")


def _simple_committees(problem: Problem) -> Iterator[list[int]]:
    """Yield everybody, each one alone, and the best few by their own value or by their cost.

    Sizes grow geometrically, so a pool of a thousand costs no more than a few dozen recounts
    beyond the single classifiers.
    """
    required = list(problem.required)
    free = [k for k in problem.allowed if k not in set(required)]
    if required:
        yield required
    yield required + free
    # What each gains as a committee of one, limits aside.
    alone = tally(problem.gains.net, problem.patterns.matrix).tolist()
    orders = [sorted(free, key=lambda k: (-alone[k], k))]
    orders += [
        sorted(free, key=lambda k: (limit.costs[k], -alone[k], k)) for limit in problem.cost_limits
    ]
    for k in orders[0]:
        yield [*required, k]
    groups = Groups(problem)
    if groups:
        for members in ([], free, orders[0][: problem.size_max]):
            yield fitted(groups, problem, members, orders[0])
    for order in orders:
        size = 2
        while size < len(order):
            members = [*required, *order[:size]]
            yield members
            if groups:
                yield fitted(groups, problem, members, orders[0])
            size = max(size + 1, int(size * 1.3))
