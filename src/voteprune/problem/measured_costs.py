"""`seconds_of`: what members cost, measured: how long fitted estimators take to predict rows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..exceptions import InputError

_WHO = "Budget.measured(estimators)"


def seconds_of(
    estimators: object, X: object, repeats: int = 5, method: str = "predict"
) -> dict[str, float] | list[float]:
    """Return the median seconds that each estimator takes for some rows, to three digits.

    Parameters
    ----------
    estimators
        A mapping from name to fitted estimator, pairs of both, or fitted estimators alone.
    X
        The rows.
    repeats
        How often each is timed, in turns, so that a slow moment hits all alike; once more before,
        for what a first call sets up.
    method
        What is called: predict, predict_proba or decision_function.

    Returns
    -------
    dict or list
        By name, or in the estimators' order where they have none.
    """
    names, members = _listed(estimators)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise InputError(
            "Budget.measured(repeats)", f"is {repeats!r}; give a whole number from 1 on."
        )
    taken: list[list[float]] = [[] for _ in members]
    for _ in range(repeats + 1):
        for place, member in enumerate(members):
            taken[place].append(_timed(member, X, method, names[place] if names else str(place)))
    costs = [float(f"{statistics.median(each[1:]):.3g}") for each in taken]
    return dict(zip(names, costs, strict=True)) if names else costs


def _listed(estimators: object) -> tuple[list[str], list[Any]]:
    """Return names, none where they have none, and estimators."""
    if isinstance(estimators, Mapping):
        pairs = list(estimators.items())
    elif isinstance(estimators, Sequence) and not isinstance(estimators, str):
        if not all(isinstance(item, tuple) and len(item) == 2 for item in estimators):
            return [], _some(list(estimators))
        pairs = list(estimators)
    else:
        raise InputError(
            _WHO,
            f"expected fitted estimators, pairs of name and estimator, or a mapping, got "
            f"{type(estimators).__name__}.",
        )
    return [str(name) for name, _ in pairs], _some([member for _, member in pairs])


def _some(members: list[Any]) -> list[Any]:
    if not members:
        raise InputError(_WHO, "are none. Give the fitted members of the pool.")
    return members


def _timed(member: Any, X: object, method: str, name: str) -> float:
    ask = getattr(member, method, None)
    if not callable(ask):
        raise InputError(_WHO, f"{name} has no {method}. Give fitted estimators.")
    began = time.perf_counter()
    try:
        ask(X)
    except Exception as error:
        raise InputError(
            _WHO, f"{name} cannot predict these rows ({error}). Give fitted estimators, and rows "
            "as they were fitted on."
        ) from error  # fmt: skip
    return time.perf_counter() - began
