"""The scale of a margin, chosen by cross-validation on short searches.

The rows are split into folds. For every scale a committee is searched for on all folds but one and
its accuracy counted on that one; the scale with the most rows right over all folds is taken, the
larger one where two are level, for it asks for more. The searches are short and counted in walks,
not in seconds, so the same seed chooses the same scale on any machine, unless time runs out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..constraints import AtLeast, AtMost, Constraint
from ..ledger import Ledger
from ..openings import open_run
from ..run import Run
from ..votes import Votes
from .objective import Margin, Ramp
from .problem import MarginProblem
from .walk import MarginWalker

SCALES = tuple(Fraction(theta) for theta in ("0.25", "0.5", "1", "2"))
"""From nearly accuracy to nearly the mean margin."""

DEFAULT = Fraction(1)
"""What is taken where there are too few rows, or too little time, to choose."""

Rows = NDArray[np.intp]

_FOLDS = 5
_WALKS = 4
_SHARE = 0.5
"""Share of the time limit that the choice may take."""


def choose_margin(
    margin: Margin | str,
    votes: Votes,
    requests: Sequence[Constraint],
    seed: int,
    seconds: float,
) -> Margin:
    """Return the margin asked for, its scale chosen where that was left open."""
    return (
        margin if isinstance(margin, Margin) else choose_scale(Ramp, votes, requests, seed, seconds)
    )


def choose_scale(
    kind: type[Margin],
    votes: Votes,
    requests: Sequence[Constraint],
    seed: int,
    seconds: float,
) -> Margin:
    """Return a margin of this kind, its scale chosen by cross-validation.

    Limits on criteria and on diversity are left aside here: they are meant for all rows.

    Parameters
    ----------
    kind
        `Ramp` or `Hinge`.
    votes, requests
        What committees are chosen from, and what they must respect.
    seed
        Seed of the folds and of the searches.
    seconds
        Time limit of the whole run; the choice takes a share of it at most.
    """
    kept = [
        request
        for request in requests
        if not (isinstance(request, AtLeast | AtMost) and request.what != "size")
    ]
    deadline = time.time() + _SHARE * seconds
    right = np.zeros(len(SCALES))
    for fit, held_out in _folds(votes, seed):
        with threadpool_limits(1, "blas"):
            judged = [
                _right_outside(votes, fit, held_out, kind(theta), kept, seed, deadline)
                for theta in SCALES
            ]
        if time.time() >= deadline:
            break
        right += judged
    if not right.any():
        return kind(DEFAULT)
    return kind(max(zip(right.tolist(), SCALES, strict=True))[1])


def _folds(votes: Votes, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield rows to search on and rows to judge on; nothing where a class has too few rows."""
    weighty = np.flatnonzero(votes.weights > 0)
    labels = votes.labels[weighty]
    folds = min(_FOLDS, int(labels.sum()), int((~labels).sum()))
    if folds < 2:
        return
    # Imported here: whoever needs no scale chosen need not wait for scikit-learn.
    from sklearn.model_selection import StratifiedKFold

    splits = StratifiedKFold(folds, shuffle=True, random_state=seed % 2**32)
    for fit, held_out in splits.split(weighty, labels):
        yield weighty[fit], weighty[held_out]


def _right_outside(
    votes: Votes,
    fit: Rows,
    held_out: Rows,
    margin: Margin,
    requests: Sequence[Constraint],
    seed: int,
    deadline: float,
) -> float:
    """Return the weight of the held-out rows that a committee from the others gets right."""
    problem = MarginProblem.for_margin(votes.take(fit), margin, requests)
    ledger = Ledger(problem)
    if open_run(problem, Run(ledger, deadline)) is None and problem.allowed:
        walker = MarginWalker(problem, ledger, seed)
        for _ in range(_WALKS):
            walker.walk(deadline)
    if ledger.committee is None:
        return 0.0
    decided = ledger.committee.predict(votes.matrix[held_out]) == 1
    return float(votes.weights[held_out][decided == votes.labels[held_out]].sum())
