"""What every classifier decides on every row, whatever it gave, and how far it can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...numbers.floats import Floats
from ...problem.plurality import PluralityProblem
from ...problem.problem import Problem
from ...soft.committee import SoftCommittee
from ...soft.probabilities import Probabilities
from ...soft.pruning import SoftPruning

_BINS = 10
"""Into so many parts a reliability curve cuts what the committee says."""

_NOBODY = -1
"""The decision of a classifier that does not favour any class."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """Classes as places, n rows by K classifiers, -1 where none is favoured; labels, weights."""

    matrix: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: Floats

    def of(self, members: Sequence[int]) -> NDArray[np.int64]:
        """Return what these members decide."""
        return self.matrix[:, list(members)]


def decided(problem: Problem | PluralityProblem | SoftPruning) -> Decisions:
    """Return what every classifier of a problem decides."""
    if isinstance(problem, SoftPruning):
        said = problem.said
        return Decisions(_favoured(said), said.labels.astype(np.int64), said.weights)
    votes = problem.votes
    matrix = votes.matrix.astype(np.int64)
    if votes.voted is not None and votes.abstentions == "skip":
        matrix = np.where(votes.voted, matrix, _NOBODY)
    return Decisions(
        matrix,
        votes.labels.astype(np.int64),
        (votes.weights / votes.denominator).astype(np.float64),
    )


def _favoured(said: Probabilities) -> NDArray[np.int64]:
    odds = said.log_odds
    if odds.ndim == 2:
        return np.where(odds == 0, _NOBODY, odds > 0).astype(np.int64)
    top = odds.argmax(axis=2)
    alone = (odds == odds.max(axis=2, keepdims=True)).sum(axis=2) == 1
    return np.where(alone, top, _NOBODY).astype(np.int64)


def agreement(decisions: NDArray[np.int64], weights: Floats) -> Floats:
    """Return the share of the rows on which two members say the same, of those both decide.

    Parameters
    ----------
    decisions
        Classes as places, n rows by S members; -1 where a member favours none.
    weights
        Of the rows.

    Returns
    -------
    array of shape (S, S)
        nan for two members that never both decide.
    """
    clear = (decisions != _NOBODY).astype(np.float64)
    both = clear.T @ (weights[:, None] * clear)
    same = np.zeros_like(both)
    for place in np.unique(decisions[decisions != _NOBODY]):
        chosen = (decisions == place).astype(np.float64)
        same += chosen.T @ (weights[:, None] * chosen)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(both > 0, same / both, np.nan))


def wrong_by_all(decisions: Decisions, allowed: Sequence[int]) -> list[int]:
    """Return the rows with weight that none of the classifiers who may sit decides right."""
    right = (decisions.of(allowed) == decisions.labels[:, None]).any(axis=1)
    return [int(row) for row in np.flatnonzero(~right & (decisions.weights > 0))]


@dataclass(frozen=True, slots=True)
class Reliability:
    """How often what a committee says comes true.

    Parameters
    ----------
    said, true, weight
        Of each part of the scale that has rows: the mean probability, the share of rows on which it
        came true, and their weight.
    error
        Mean distance of the two, weighted: the expected calibration error.
    what
        Whose probability it is.
    """

    said: tuple[float, ...]
    true: tuple[float, ...]
    weight: tuple[float, ...]
    error: float
    what: str


def reliability(said: Probabilities, committee: SoftCommittee) -> Reliability:
    """Compare what a committee says with what is true, on the rows it was chosen on."""
    shares = committee.predict_proba(said)
    if len(said.classes) == 2:
        given, true = shares[:, 1], said.labels == 1
        what = f"probability of {committee.classes[1]}"
    else:
        given, true = shares.max(axis=1), shares.argmax(axis=1) == said.labels
        what = "probability of the class that is decided for"
    parts = np.minimum((given * _BINS).astype(np.intp), _BINS - 1)
    weight = np.bincount(parts, said.weights, _BINS)
    kept = weight > 0
    mean = np.bincount(parts, said.weights * given, _BINS)[kept] / weight[kept]
    share = np.bincount(parts, said.weights * true, _BINS)[kept] / weight[kept]
    return Reliability(
        said=tuple(mean.tolist()),
        true=tuple(share.tolist()),
        weight=tuple(weight[kept].tolist()),
        error=float((np.abs(mean - share) * weight[kept]).sum() / weight.sum()),
        what=what,
    )
