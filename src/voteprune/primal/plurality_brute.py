"""Every subset, for small pools: the oracle."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..problem.fscore import FScoreObjective
from ..problem.plurality import PluralityProblem
from ..run.run import Outcome, Run

MOST_CLASSIFIERS = 20
_CELLS = 2**21
_ROUNDING = 1e-9
"""By how much a share in floats may be too low, and far more."""


def solve_by_brute_force(problem: PluralityProblem, run: Run) -> Outcome:
    """Try all committees; proves what it finds unless the time runs out."""
    k, p, c = problem.n_classifiers, problem.n_patterns, problem.n_classes
    if k > MOST_CLASSIFIERS:
        raise InputError(
            "method",
            f"brute force tries 2^K subsets and takes at most {MOST_CLASSIFIERS} classifiers, "
            f"the pool has {k}. Use method='exact'.",
        )
    named = [(problem.codes == label).astype(np.float32).T for label in range(c)]
    chunk = max(1, _CELLS // (p * c))
    for first in range(1, 2**k, chunk):
        if time.monotonic() >= run.deadline:
            return Outcome("time limit")
        subsets = np.arange(first, min(first + chunk, 2**k))
        chosen = ((subsets[:, None] >> np.arange(k)) & 1).astype(bool)
        counts = np.stack([chosen.astype(np.float32) @ part for part in named], axis=2)
        decided = counts.argmax(axis=2)
        values: NDArray[Any]
        if isinstance(problem.objective, FScoreObjective):
            values = problem.objective.values(decided) + _ROUNDING
        else:
            values = problem.gain[np.arange(p), decided].sum(axis=1) + problem.gains.base
        # Best first: the exact check of limits runs only for what could be kept.
        for place in np.argsort(values, kind="stable")[::-1]:
            if run.incumbent.score is not None and values[place] <= run.incumbent.score:
                break
            if time.monotonic() >= run.deadline:
                return Outcome("time limit")
            run.incumbent.offer(np.flatnonzero(chosen[place]).tolist())
    if run.incumbent.score is None:
        return Outcome("proved", infeasible=True)
    run.incumbent.tighten(run.incumbent.score)
    return Outcome("proved")
