"""An ensembler for TabArena's simulation: the best few configurations, weighted, with proof.

Importing this module needs the package ``tabarena``. Pass the class to TabArena's scorer::

    EnsembleScorer(..., ensembler_cls=SoftCommitteeEnsembler,
                   ensembler_kwargs={"max_size": 10}, use_fast_metrics=False)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from tabarena.simulation.ensemble import AbstractEnsembler

from ..exceptions import InputError
from ..problem.constraints import AtMost
from ..prune import prune
from ..soft.probabilities import CLIP, Probabilities
from ..solve.base_solution import require_committee
from ..solve.soft_solution import SoftSolution

Floats = NDArray[np.float64]


class SoftCommitteeEnsembler(AbstractEnsembler):  # type: ignore[misc]
    """A soft committee of TabArena's models.

    Log-odds are combined, so it is not linear in the probabilities: TabArena must hand them over as
    they are (``use_fast_metrics=False``).

    Parameters
    ----------
    problem_type, metric
        As TabArena gives them. The committee has the least penalised log loss, whatever the metric
        it is then judged by.
    max_size
        Most members.
    penalty, clip
        See `prune` and `Probabilities`; the library's own when omitted.
    time_limit
        Seconds, where TabArena sets no limit of its own.
    """

    linear = False

    def __init__(
        self,
        *,
        problem_type: str,
        metric: Any,
        max_size: int = 10,
        penalty: float | None = None,
        clip: float = CLIP,
        time_limit: float | None = 60.0,
    ) -> None:
        if problem_type not in ("binary", "multiclass"):
            raise InputError("problem_type", f"is {problem_type!r}; committees are of classifiers.")
        super().__init__(problem_type=problem_type, metric=metric)
        self.max_size, self.penalty, self.clip = max_size, penalty, clip
        self.time_limit = time_limit
        self.solution_: SoftSolution | None = None

    def _fit(self, *, predictions: Any, labels: Any, time_limit: float | None = None) -> None:
        truth = np.asarray(labels)
        said = _by_name(predictions)
        classes = list(range(2 if self.problem_type == "binary" else _width(said)))
        solution = prune(
            Probabilities(said, truth, classes=classes, clip=self.clip),
            objective="log_loss",
            constraints=AtMost("size", min(self.max_size, len(said))),
            time_limit=self.time_limit if time_limit is None else time_limit,
            penalty=self.penalty,
        )
        require_committee(solution)
        self.solution_ = solution

    def predict_proba(self, predictions: Any) -> Floats:
        """Return the committee's probabilities: of the positive class, or of all classes.

        Parameters
        ----------
        predictions
            What every model says, in the order of fitting.
        """
        shares: Floats = self._fitted().committee.predict_proba(_by_name(predictions))
        return shares[:, 1] if self.problem_type == "binary" else shares

    def models_used(self) -> NDArray[np.bool_]:
        """Tell which models are asked: the members alone."""
        used = np.zeros(self.n_models_, dtype=bool)
        used[list(self._fitted().committee.members)] = True
        return used

    def info(self) -> dict[str, Any]:
        """Return the weights by model, and what is proved."""
        solution = self._fitted()
        return {
            "weights": dict(zip(map(int, solution.committee.members), solution.committee.weights,
                                strict=True)),
            "status": solution.status,
            "gap": solution.gap,
        }  # fmt: skip

    def _fitted(self) -> Any:
        if self.solution_ is None:
            raise InputError("SoftCommitteeEnsembler", "is not fitted. Call fit first.")
        return self.solution_


def _by_name(predictions: Any) -> dict[str, Floats]:
    """Return what every model says, called by its number.

    TabArena keeps single precision, so that the classes of a row add up to 1 only nearly.
    """
    said = [np.asarray(model, dtype=float) for model in predictions]
    return {
        f"m{k}": model if model.ndim == 1 else model / model.sum(axis=1, keepdims=True)
        for k, model in enumerate(said)
    }


def _width(said: dict[str, Floats]) -> int:
    return int(next(iter(said.values())).shape[1])
