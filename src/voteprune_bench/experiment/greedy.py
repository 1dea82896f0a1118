"""Greedy selection of members, by AutoGluon's own code as it comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rivals import Fitted, Floats, Rival

try:
    from autogluon.core import metrics
    from autogluon.core.models.greedy_ensemble.ensemble_selection import EnsembleSelection
except ImportError as error:
    raise ImportError(
        f"{error.name} is not installed: pip install 'voteprune[autogluon]'", name=error.name
    ) from None

ROUNDS = 25
"""How often a member is added, in AutoGluon's weighted ensemble too."""


def by_log_loss(
    said: Floats, y: NDArray[np.int64], *, time_limit: float | None, random_state: int
) -> Rival:
    """Choose members one by one, again and again, by the log loss of their mean."""
    return _chosen(metrics.log_loss, said, y, random_state)


def by_accuracy(
    said: Floats, y: NDArray[np.int64], *, time_limit: float | None, random_state: int
) -> Rival:
    """Choose members one by one, again and again, by the accuracy of their mean."""
    return _chosen(metrics.accuracy, said, y, random_state)


def _chosen(metric: Any, said: Floats, y: NDArray[np.int64], seed: int) -> Rival:
    draw = np.random.RandomState(seed)
    model = EnsembleSelection(ROUNDS, problem_type="binary", metric=metric, random_state=draw)
    model.fit(list(said.T), y)
    return Fitted(tuple(np.flatnonzero(model.weights_).tolist()), _Columns(model))


@dataclass(frozen=True, slots=True)
class _Columns:
    """A model that takes a list of columns, asked with a matrix."""

    model: Any

    def predict_proba(self, said: Floats) -> Floats:
        return np.asarray(self.model.predict_proba(list(said.T)))
