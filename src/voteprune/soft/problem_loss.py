"""`loss_of`, `sample_of`: the loss that a problem asks for, on all rows or on some.

First committees and Hessians may be made of a sample of the rows, bounds never are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .logistic import LogLoss, SoftmaxLoss
from .loss_protocol import Loss
from .moments import Moments
from .pools import PoolBrier, PoolLogLoss
from .problem import LOG_LOSS, POOL_LOG_LOSS, Places, SoftProblem

_FEWEST = 50
"""Rows of a class that are taken at least, if there are as many."""


def loss_of(problem: SoftProblem) -> Loss:
    """Return the loss of a problem, on the rows that carry weight."""
    if problem.moments is not None:
        return PoolBrier(problem.moments)
    answers = np.moveaxis(problem.answers, 1, 0)
    labels, weights = problem.labels, problem.weights
    carrying = weights > 0
    if not carrying.all():
        answers, labels, weights = answers[:, carrying], labels[carrying], weights[carrying]
    answers = np.ascontiguousarray(answers)
    if problem.loss == LOG_LOSS:
        kind = LogLoss if answers.ndim == 2 else SoftmaxLoss
        return kind(answers, labels, weights)
    if problem.loss == POOL_LOG_LOSS:
        return PoolLogLoss(answers, labels, weights)
    return PoolBrier(Moments.of(answers, labels, weights))


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A smaller problem with the same ridge, whose classes weigh what they did.

    Parameters
    ----------
    problem, loss
        Of these rows alone.
    rows
        Their places among the rows that carry weight.
    """

    problem: SoftProblem
    loss: Loss
    rows: Places


def sample_of(problem: SoftProblem, n_rows: int) -> Sample:
    """Return about so many rows of a problem, drawn class by class, always the same ones."""
    random = np.random.default_rng(0)
    carrying = np.flatnonzero(problem.weights > 0)
    labels, weights = problem.labels[carrying], problem.weights[carrying]
    drawn, scaled = [], []
    for label in np.flatnonzero(np.bincount(labels)):
        own = np.flatnonzero(labels == label)
        wanted = min(len(own), max(_FEWEST, round(n_rows * len(own) / len(labels))))
        some = np.sort(random.choice(own, wanted, replace=False))
        drawn.append(some)
        scaled.append(weights[some] * (weights[own].sum() / weights[some].sum()))
    rows, heavy = np.concatenate(drawn), np.concatenate(scaled)
    part = replace(
        problem,
        answers=problem.answers[carrying[rows]],
        labels=labels[rows],
        weights=heavy,
        penalty=problem.ridge * len(rows) / float(heavy.sum()),
    )
    return Sample(part, loss_of(part), rows)
