"""Labels, weights and options of `Probabilities`, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.floats import Floats
from ..votes.reading import read_vector
from .log_odds import LARGEST, SMALLEST

Label = str | int | float | bool
"""What a class may be called."""


def read_classes(
    truth: NDArray[Any], classes: Sequence[Label] | None
) -> tuple[tuple[Label, ...], NDArray[np.intp]]:
    """Return the classes as given or sorted, and each row's place among them."""
    if truth.dtype == object and not all(isinstance(label, str) for label in truth):
        if not all(isinstance(label, int | float | np.number | np.bool_) for label in truth):
            raise InputError(
                "y", "labels must be all text or all numbers, none missing. Convert them first."
            )
        truth = np.array(truth.tolist())
    if truth.dtype.kind not in "biufUO" or (truth.dtype.kind == "f" and np.isnan(truth).any()):
        raise InputError(
            "y", "labels must be text or numbers, none missing. Convert or drop them first."
        )
    distinct, places = np.unique(truth, return_inverse=True)
    found: list[Label] = distinct.tolist()
    known = found if classes is None else np.asarray(list(classes)).tolist()
    if len(set(known)) != len(known):
        raise InputError("classes", "must be distinct. Name each class once.")
    unknown = [label for label in found if label not in known]
    if unknown:
        raise InputError(
            "y", f"{unknown[0]!r} is none of the classes. The classes are {known[:8]}."
        )
    if len(known) < 2:
        raise InputError(
            "y", "has one class only, so there is nothing to choose between. Give two or more."
        )
    order = np.array([known.index(label) for label in found], dtype=np.intp)
    return tuple(known), order[places.reshape(-1)]


def positive_last(
    axis: tuple[Label, ...], labels: NDArray[np.intp], positive: Label | None
) -> tuple[tuple[Label, ...], NDArray[np.intp]]:
    """Return the classes and labels with the positive class of two last."""
    if positive is None:
        return axis, labels
    if len(axis) != 2 or positive not in axis:
        raise InputError("positive", f"must be one of two classes; they are {list(axis[:8])}.")
    return (axis, labels) if axis[1] == positive else (axis[::-1], 1 - labels)


def read_weights(sample_weight: object, n: int) -> Floats:
    """Return the rows' weights."""
    if sample_weight is None:
        return np.ones(n)
    weights = read_vector(sample_weight, n, "sample_weight")
    if (
        weights.dtype.kind not in "biuf"
        or not np.isfinite(weights).all()
        or (weights < 0).any()
        or weights.max() > LARGEST
        or ((weights > 0) & (weights < SMALLEST)).any()
    ):
        raise InputError(
            "sample_weight",
            f"weights must be numbers from {SMALLEST:g} to {LARGEST:g}, or 0. Scale them, or leave "
            "out what is negligible.",
        )
    return weights.astype(np.float64)


def check_classes(known: tuple[Label, ...], labels: NDArray[np.intp], weights: Floats) -> None:
    """Refuse a class of which no row carries weight."""
    totals = np.bincount(labels, weights=weights, minlength=len(known))
    if not (totals > 0).all():
        label = known[int(np.argmin(totals))]
        raise InputError(
            "y",
            f"no row of class {label!r} carries weight. Every class must be present: leave it out "
            "of classes=, or add rows of it.",
        )


def read_clip(clip: float, n_classes: int) -> float:
    """Return how near to 0 and 1 probabilities may come."""
    if not isinstance(clip, int | float | np.floating) or not 0 < clip < 1 / n_classes:
        raise InputError(
            "clip", f"is {clip!r}; with {n_classes} classes it lies between 0 and 1/{n_classes}."
        )
    return float(clip)


def read_scores(scores: bool | Sequence[int | str], names: tuple[str, ...]) -> set[int]:
    """Return the places of those who give scores."""
    if isinstance(scores, bool):
        return set(range(len(names))) if scores else set()
    places: set[int] = set()
    for member in scores:
        if isinstance(member, str) and member in names:
            places.add(names.index(member))
        elif not isinstance(member, str | bool) and 0 <= member < len(names):
            places.add(int(member))
        else:
            raise InputError("scores", f"{member!r} is no member. Give names or places.")
    return places
