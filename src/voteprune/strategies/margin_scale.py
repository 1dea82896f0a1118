"""The scale of a margin, chosen by cross-validation on short searches.

The rows are split into folds. For every scale a committee is searched for on all folds but one and
judged on that one. The scale with the most rows right over all folds is taken, if it has more right
than the default by over a standard error: on a few hundred rows the scales are close, and a choice
that follows every chance is worse than none. The searches are short and counted in walks, not in
seconds, so the same seed chooses the same scale on any machine, unless time runs out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..numbers.threads import threadpool_limits
from ..primal.first_committees import open_run
from ..primal.margin_tabu import MarginTabuSearch
from ..problem.constraints import AtLeast, AtMost, Constraint
from ..problem.margin import Margin, Ramp
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Run
from ..votes.votes import Votes

AUTOMATIC_CHOICE = tuple(Ramp(theta, growth=0.75) for theta in (0.6, 0.3, 1.2))
"""What "margin" chooses from, the default first."""

Rows = NDArray[np.intp]

_FOLDS = 5
_WALKS = 4
_MOST_ROWS = 50_000
"""How many rows are looked at: where there are more, chance has little to say."""

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
    if isinstance(margin, Margin):
        return margin
    return choose_among(AUTOMATIC_CHOICE, votes, requests, seed, seconds)


def choose_among(
    candidates: Sequence[Margin],
    votes: Votes,
    requests: Sequence[Constraint],
    seed: int,
    seconds: float,
    lead: float = 1.0,
) -> Margin:
    """Return the margin that does best in cross-validation.

    Limits on criteria and on diversity are left aside here: they are meant for all rows.

    Parameters
    ----------
    candidates
        The margins, the default first: it is what is taken where there are too few rows, or too
        little time, to choose.
    votes, requests
        What committees are chosen from, and what they must respect.
    seed
        Seed of the folds and of the searches.
    seconds
        Time limit of the whole run; the choice takes a share of it at most.
    lead
        By how many standard errors another must be ahead of the default.
    """
    kept = [
        request
        for request in requests
        if not (isinstance(request, AtLeast | AtMost) and request.what != "size")
    ]
    deadline = time.monotonic() + _SHARE * seconds
    if votes.n_rows > _MOST_ROWS:
        votes = votes.thinned(_MOST_ROWS, np.random.default_rng(seed))
    right: list[Floats] = []
    for fit, held_out in _folds(votes, seed):
        with threadpool_limits(1, "blas"):
            judged = [
                _right_outside(votes, fit, held_out, margin, kept, seed, deadline)
                for margin in candidates
            ]
        if time.monotonic() >= deadline:
            break
        right.append(np.stack(judged))
    if not right:
        return candidates[0]
    ahead = np.hstack(right)
    ahead = ahead - ahead[0]
    best = int(np.argmax(ahead.sum(axis=1)))
    error = float(np.sqrt(ahead.shape[1]) * ahead[best].std())
    return candidates[best if ahead[best].sum() > lead * error else 0]


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
) -> Floats:
    """Return the weight of every held-out row that a committee from the others gets right."""
    problem = Problem.of(votes.take(fit), margin, requests)
    incumbent = Incumbent(problem)
    if open_run(problem, Run(incumbent, deadline)) is None and problem.allowed:
        tabu = MarginTabuSearch(problem, incumbent, seed)
        for _ in range(_WALKS):
            tabu.walk(deadline)
    weights = votes.weights[held_out].astype(float)
    if incumbent.committee is None:
        return np.zeros_like(weights)
    # What is counted are votes, which `predict` would take for classes.
    committee = incumbent.committee
    decided = committee._count_pool(votes.matrix[held_out]) > committee.threshold
    return np.where(decided == votes.labels[held_out], weights, 0.0)
