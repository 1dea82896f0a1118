"""What people take instead of pruning: stacking of all, by scikit-learn's own code as it comes.

Its rivals, here and in `greedy`, are contenders whose `function` takes probabilities: they choose
by rows of probabilities and labels, and what they return has ``members`` and ``predict_proba``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

Floats = NDArray[np.float64]


class Rival(Protocol):
    """What a function that takes probabilities returns."""

    @property
    def members(self) -> tuple[int, ...]:
        """Whose probabilities count."""

    def predict_proba(self, said: Floats) -> Floats:
        """Return the probability of the positive class, or of both classes."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Some members, and the model that combines what they say."""

    members: tuple[int, ...]
    model: Any

    def predict_proba(self, said: Floats) -> Floats:
        """Return the probability of the positive class, or of both classes."""
        return np.asarray(self.model.predict_proba(said))


class Column(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is fitted already and says what stands in one column."""

    def __init__(self, place: int = 0) -> None:
        self.place = place
        self.classes_ = np.array([0, 1])

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Floats, y: object) -> Self:
        """Do nothing."""
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return the column as probabilities of both classes."""
        return np.column_stack([1 - X[:, self.place], X[:, self.place]])


def stacking(
    said: Floats, y: NDArray[np.int64], *, time_limit: float | None, random_state: int
) -> Rival:
    """Combine all classifiers by scikit-learn's `StackingClassifier`, as it comes."""
    from sklearn.ensemble import StackingClassifier
    from sklearn.exceptions import ConvergenceWarning

    everyone = tuple(range(said.shape[1]))
    model = StackingClassifier([(f"c{place}", Column(place)) for place in everyone], cv="prefit")
    with warnings.catch_warnings():
        # A hundred correlated columns may take the default regression more than its 100 steps.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(said, y)
    return Fitted(everyone, model)
