"""Every subset and every threshold: the oracle, for pools of at most twenty classifiers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray, sum_by_group
from ..problem.infeasible import Found, explain
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from .first import open_run

MOST_CLASSIFIERS = 20
_CHUNK, _CELLS = 4096, 2**24
"""Subsets looked at together, and subsets times patterns."""

Values = Callable[[Problem, NDArray[np.intp], NDArray[np.intp]], IntArray]
"""What subsets are worth at best, limits aside, in units less the base: given the problem, the
vote counts (subsets by patterns) and the sizes."""


def best_nets(problem: Problem, counts: NDArray[np.intp], sizes: NDArray[np.intp]) -> IntArray:
    """Return each subset's best net gain over all its thresholds."""
    subsets, most = len(counts), int(sizes.max()) + 1
    # All vote counts of all subsets into one sum by group, then everything above a threshold.
    groups = (np.arange(subsets)[:, None] * (most + 1) + counts).ravel()
    nets = np.broadcast_to(problem.gains.net, counts.shape).ravel()
    by_count = sum_by_group(nets, groups, subsets * (most + 1)).reshape(subsets, most + 1)
    above = np.cumsum(by_count[:, ::-1], axis=1)[:, ::-1][:, 1:]
    # A threshold from the size on is none; there the sum is 0, which may look too good.
    best = above[:, 0]
    for level in range(1, most):
        best = np.where((above[:, level] > best) & (sizes > level), above[:, level], best)
    return np.asarray(best)


def is_small(problem: Problem, most: int) -> bool:
    """Tell whether all committees can be tried: subsets times patterns are at most so many."""
    k = problem.n_classifiers
    return k <= MOST_CLASSIFIERS and 2**k * problem.patterns.n_patterns <= most


def solve_by_brute_force(problem: Problem, run: Run, values: Values = best_nets) -> Outcome:
    """Try all committees; proves what it finds unless the time runs out."""
    k = problem.n_classifiers
    if k > MOST_CLASSIFIERS:
        raise InputError(
            "method",
            f"brute force tries 2^K subsets and takes at most {MOST_CLASSIFIERS} classifiers, "
            f"the pool has {k}. Use method='exact'.",
        )
    outcome = open_run(problem, run) or _enumerate(problem, run, values)
    if not outcome.infeasible:
        return outcome

    def find(anything: Problem) -> Found:
        look = replace(run, incumbent=Incumbent(anything))
        impossible = _enumerate(anything, look, values).infeasible
        return look.incumbent.committee, impossible

    return replace(outcome, explanation=explain(problem, find))


def _enumerate(problem: Problem, run: Run, values: Values) -> Outcome:
    k = problem.n_classifiers
    patterns = problem.patterns.matrix.T.astype(np.float32)
    chunk = max(1, min(_CHUNK, _CELLS // problem.patterns.n_patterns))
    for first in range(1, 2**k, chunk):
        if time.monotonic() >= run.deadline:
            return Outcome("time limit")
        codes = np.arange(first, min(first + chunk, 2**k))
        chosen = ((codes[:, None] >> np.arange(k)) & 1).astype(bool)
        counts = (chosen.astype(np.float32) @ patterns).astype(np.intp)
        best = values(problem, counts, chosen.sum(axis=1))
        # Best first: the exact check of limits on members runs only for what could be kept.
        for place in np.argsort(best, kind="stable")[::-1]:
            units = problem.gains.base + int(best[place])
            if run.incumbent.score is not None and units <= run.incumbent.score:
                break
            if time.monotonic() >= run.deadline:
                return Outcome("time limit")
            run.incumbent.offer(np.flatnonzero(chosen[place]).tolist())
        if run.incumbent.closed:
            break
    if run.incumbent.score is None:
        return Outcome("proved", infeasible=True)
    run.incumbent.close()
    return Outcome("proved")
