"""The loss that a problem asks for."""

from __future__ import annotations

import numpy as np

from .logistic import LogLoss, SoftmaxLoss
from .loss import Loss
from .moments import Moments
from .pools import PoolBrier, PoolLogLoss
from .problem import LOG_LOSS, POOL_LOG_LOSS, SoftProblem


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
