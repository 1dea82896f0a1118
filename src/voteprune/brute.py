"""Every subset and every threshold: the oracle, for pools of at most twenty classifiers."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from .exact import IntArray, magnitude
from .exceptions import InputError
from .infeasible import Found, explain
from .ledger import Ledger
from .openings import open_run
from .problem import Gains, Problem
from .run import Outcome, Run

MOST_CLASSIFIERS = 20
_CHUNK = 4096


def solve_by_brute_force(problem: Problem, run: Run) -> Outcome:
    """Try all committees; proves what it finds unless the time runs out."""
    k = problem.n_classifiers
    if k > MOST_CLASSIFIERS:
        raise InputError(
            "method",
            f"brute force tries 2^K subsets and takes at most {MOST_CLASSIFIERS} classifiers, "
            f"the pool has {k}. Use method='exact'.",
        )
    open_run(problem, run.ledger)
    outcome = _enumerate(problem, run)
    if not outcome.infeasible:
        return outcome

    def find(anything: Problem) -> Found:
        look = replace(run, ledger=Ledger(anything))
        impossible = _enumerate(anything, look).infeasible
        return look.ledger.committee, impossible

    return replace(outcome, explanation=explain(problem, find))


def _enumerate(problem: Problem, run: Run) -> Outcome:
    k = problem.n_classifiers
    patterns = problem.patterns.matrix.T.astype(np.int64)
    for first in range(1, 2**k, _CHUNK):
        if time.time() >= run.deadline:
            return Outcome("time limit")
        codes = np.arange(first, min(first + _CHUNK, 2**k))
        chosen = ((codes[:, None] >> np.arange(k)) & 1).astype(bool)
        counts = chosen @ patterns
        best = _best_values(problem, counts, chosen.sum(axis=1))
        # Best first: the exact check of limits on members runs only for what could be kept.
        for place in np.argsort(best, kind="stable")[::-1]:
            units = problem.gains.base + int(best[place])
            if run.ledger.units is not None and units <= run.ledger.units:
                break
            run.ledger.offer(np.flatnonzero(chosen[place]).tolist())
        if run.ledger.closed:
            break
    if run.ledger.units is None:
        return Outcome("proved", infeasible=True)
    run.ledger.tighten(run.ledger.units)
    return Outcome("proved")


def _best_values(problem: Problem, counts: IntArray, sizes: IntArray) -> IntArray:
    """Return each subset's best net gain over all its thresholds, limits aside, in units."""
    best = _values(problem.gains, counts > 0)
    for level in range(1, problem.n_classifiers):
        values = _values(problem.gains, counts > level)
        best = np.where((values > best) & (sizes > level), values, best)
    return best


def _values(gains: Gains, positive: IntArray) -> IntArray:
    exact_in_floats = gains.net.dtype != object and magnitude(gains.net) < 2**52
    net = gains.net.astype(np.float64 if exact_in_floats else object)
    values = positive.astype(net.dtype) @ net
    return np.asarray(values.astype(np.int64) if exact_in_floats else values)
