"""A fitted AutoGluon predictor, pruned by the predictions that it keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..prune import prune
from ..soft.committee import SoftCommittee
from ..soft.probabilities import CLIP, Probabilities
from ..solve.base_solution import require_committee
from ..solve.soft_solution import SoftSolution


@dataclass(frozen=True, slots=True, eq=False)
class PrunedPredictor:
    """A few models of a fitted predictor, weighted.

    Parameters
    ----------
    predictor
        The `TabularPredictor`, which keeps the models.
    solution
        What was chosen, with its proof.
    """

    predictor: Any
    solution: SoftSolution

    @property
    def committee(self) -> SoftCommittee:
        """Who sits, with which weight."""
        assert self.solution.committee is not None
        return self.solution.committee

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are asked; the others can be deleted."""
        return self.committee.names

    def predict_proba(self, data: Any) -> NDArray[np.float64]:
        """Return the probability of every class, in the order of `predictor.class_labels`.

        Parameters
        ----------
        data
            Rows, as `predictor.predict_proba` takes them.
        """
        return self.committee.predict_proba(self._said(data))

    def predict(self, data: Any) -> NDArray[Any]:
        """Return the class of every row.

        Parameters
        ----------
        data
            Rows, as `predictor.predict` takes them.
        """
        return np.asarray(self.committee.predict(self._said(data)))

    def _said(self, data: Any) -> dict[str, NDArray[np.float64]]:
        return self.predictor.predict_proba_multi(  # type: ignore[no-any-return]
            data, models=list(self.models), as_pandas=False
        )


def prune_autogluon(
    predictor: Any,
    *,
    models: Sequence[str] | None = None,
    clip: float = CLIP,
    **options: Any,
) -> PrunedPredictor:
    """Choose the best few models of a fitted AutoGluon predictor, with proof.

    No model is trained anew. What is pruned is what AutoGluon keeps: out-of-fold predictions where
    it bagged, else what the models say on its validation rows.

    Parameters
    ----------
    predictor
        A fitted `TabularPredictor` for classification.
    models
        Names of the models to choose from; all of the first layer that can predict when omitted.
        (Weighted ensembles and stacks ask other models, so their cost is not theirs alone.)
    clip
        See `Probabilities`.
    **options
        As for `prune` with probabilities: objective, penalty, constraints, time_limit, ...

    Returns
    -------
    PrunedPredictor
        Predicts on new rows by asking the chosen models alone.

    Raises
    ------
    InputError
        If the predictor is not for classification, keeps no such predictions, or an option is
        wrong.
    InfeasibleError
        If no committee meets the constraints.
    """
    kind = getattr(predictor, "problem_type", None)
    if kind not in ("binary", "multiclass"):
        raise InputError(
            "predictor", f"is for {kind!r}; expected a fitted TabularPredictor for classification."
        )
    known = predictor.model_names(level=1, can_infer=True)
    chosen = list(known if models is None else models)
    for name in chosen:
        if name not in predictor.model_names(can_infer=True):
            raise InputError("models", f"{name!r} is no model of it; there are {', '.join(known)}.")
    part = "val" if predictor.has_val else "train"
    said = predictor.predict_proba_multi(models=chosen, as_pandas=True)
    truth = predictor.transform_labels(
        predictor.load_data_internal(part, return_X=False)[1], inverse=True
    )
    classes = list(predictor.class_labels)
    # Out-of-fold predictions may leave out rows that AutoGluon has made up.
    rows = said[chosen[0]].index if chosen else truth.index
    probabilities = Probabilities(
        {name: frame.loc[rows, classes].to_numpy(dtype=float) for name, frame in said.items()},
        truth.loc[rows].to_numpy(),
        classes=classes,
        positive=classes[-1] if kind == "binary" else None,
        clip=clip,
    )
    solution = prune(probabilities, **{"objective": "log_loss", **options})
    require_committee(solution)
    return PrunedPredictor(predictor, solution)
