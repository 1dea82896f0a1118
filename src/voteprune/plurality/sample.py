"""A search on some of the patterns, where they are too many to walk through.

Floats guide walks and every committee is recounted on all patterns, so what walks see may be a
sample: patterns are drawn evenly along all that can be gained, each standing for its share of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..ledger import Progress
from .ledger import PluralityLedger
from .problem import PluralityProblem
from .run import PluralityRun

_MOST_ENTRIES = 300_000
"""Patterns times classifiers that walks go through."""


def thinned(problem: PluralityProblem, run: PluralityRun) -> tuple[PluralityProblem, PluralityRun]:
    """Return what to walk on: the problem and its run, or a sample that reports to the run."""
    most = _MOST_ENTRIES // problem.n_classifiers
    if problem.n_patterns <= most:
        return problem, run
    best = problem.gain.max(axis=1).astype(np.float64)
    along = np.cumsum(best)
    drawn = along[-1] / most * (np.arange(most) + np.random.default_rng(run.seed).random())
    places, times = np.unique(np.searchsorted(along, drawn), return_counts=True)
    places = np.minimum(places, problem.n_patterns - 1)
    share = along[-1] / most * times / np.maximum(best[places], 1.0)
    gain = np.rint(problem.gain[places].astype(np.float64) * share[:, None]).astype(np.int64)
    some = replace(
        problem,
        codes=np.asfortranarray(problem.codes[places]),
        weight=problem.weight[places],
        gain=gain,
        gains=replace(problem.gains, net=gain.max(axis=1), step=1),
    )

    def hear(_: Progress) -> None:
        if own.members is not None:
            run.ledger.offer(own.members)

    own = PluralityLedger(some, hear)
    if run.ledger.members is not None:
        own.offer(run.ledger.members)
    return some, replace(run, ledger=own)
