"""`Probabilities`: what every member says about every row, as log-odds, and what was true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..reading import read_names, read_vector
from .tensor import (
    SCORE,
    VOTE,
    Floats,
    log_odds_of,
    member_of,
    tensor_of,
)

Label = str | int | float | bool
"""What a class may be called."""

CLIP = 0.001
"""How near to 0 and 1 a probability may come before its logarithm is taken."""


class Probabilities:
    """Validated log-odds of K members on n rows with labels, weights and names.

    Immutable: the arrays are copies of the caller's and cannot be written to.

    Parameters
    ----------
    predictions
        Two classes: n rows by K members, probabilities of the positive class. More: n x K x C, the
        last axis in the order of `classes`. An array, nested sequence, data frame (a column per
        member), or a mapping from names to arrays: a vector of probabilities, the n x C matrix of
        `predict_proba`, or a vector of class labels. NaN is an abstention. A member whose answers
        are all 0 or 1 merely votes.
    y
        n labels, numbers or text.
    sample_weight
        n non-negative weights; every row counts once when omitted.
    names
        K distinct names; the frame's or mapping's own, else ``c0, c1, ...`` when omitted.
    classes
        All classes, in the order of the last axis; the sorted labels when omitted.
    positive
        The positive class of two; the second of `classes` when omitted.
    scores
        Which members give scores that are no probabilities, as `decision_function` or grades do:
        all (True), none (False), or some by name or place. They come in as log-odds as they are.
    clip
        Probabilities are cut to [clip, 1 - (C - 1) clip] before logarithms are taken.

    Attributes
    ----------
    log_odds : array of shape (n, K), or log-probabilities of shape (n, K, C) from three classes on
        A mere vote is +1 or -1 (a unit vector), an abstention 0 (the zero vector).
    labels : places in `classes`, of shape (n,); for two classes 1 is the positive one
    weights : array of shape (n,)
    names : tuple of str
    classes : tuple of labels; for two classes the positive one last
    kinds : tuple of str, "probability", "vote" or "score" for each member
    clip : float
    """

    __slots__ = ("classes", "clip", "kinds", "labels", "log_odds", "names", "weights")

    log_odds: Floats
    labels: NDArray[np.intp]
    weights: Floats
    names: tuple[str, ...]
    classes: tuple[Label, ...]
    kinds: tuple[str, ...]
    clip: float

    def __init__(
        self,
        predictions: object,
        y: object,
        *,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
        classes: Sequence[Label] | None = None,
        positive: Label | None = None,
        scores: bool | Sequence[int | str] = False,
        clip: float = CLIP,
    ) -> None:
        if y is None:
            raise InputError("y", "is missing. Give the true classes, one per row.")
        if isinstance(predictions, Mapping):
            n = _rows_of_first(predictions)
        else:
            predictions, columns = tensor_of(predictions, "predictions")
            n = len(predictions)
        truth = read_vector(y, n, "y")
        axis, labels = _read_classes(truth, classes)
        known, labels = _positive_last(axis, labels, positive)
        place = axis.index(known[-1])
        clip = _read_clip(clip, len(known))
        weights = _read_weights(sample_weight, n)
        _check_classes(known, labels, weights)
        if isinstance(predictions, Mapping):
            columns = tuple(str(name) for name in predictions)
            members = [
                member_of(values, n, known, f"predictions[{name!r}]", place=place)
                for name, values in predictions.items()
            ]
        else:
            members = _columns(predictions, len(known), place)
        chosen = read_names(names, columns, len(members))
        kinds, stored = log_odds_of(members, chosen, _read_scores(scores, chosen), clip, len(known))
        values = (known, clip, kinds, labels, stored, chosen, weights)
        _fill(self, values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"Probabilities is immutable; build a new one instead of setting {name!r}."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, tuple(getattr(self, slot) for slot in self.__slots__)

    @property
    def n_rows(self) -> int:
        """Number of rows n."""
        return int(self.log_odds.shape[0])

    @property
    def n_classifiers(self) -> int:
        """Number of members K."""
        return int(self.log_odds.shape[1])

    def shares(self) -> Floats:
        """Return the clipped probabilities behind the log-odds, for linear pools.

        A mere vote is as sure as clipping allows, an abstention gives every class the same.

        Raises
        ------
        InputError
            If a member gives scores, which are no probabilities.
        """
        if SCORE in self.kinds:
            name = self.names[self.kinds.index(SCORE)]
            raise InputError(
                "scores",
                f"{name!r} gives scores, and a linear pool needs probabilities. Calibrate it "
                "first, or combine log-odds.",
            )
        return np.stack([self._shares_of(k) for k in range(self.n_classifiers)], axis=1)

    def _shares_of(self, k: int) -> Floats:
        odds, sure = self.log_odds[:, k], 1 - (len(self.classes) - 1) * self.clip
        if odds.ndim == 2:
            silent = ~odds.any(axis=1)
            share = np.exp(odds)
            if self.kinds[k] == VOTE:
                share = np.where(odds > 0, sure, self.clip)
            share[silent] = 1 / len(self.classes)
            return np.asarray(share / share.sum(axis=1, keepdims=True))
        if self.kinds[k] == VOTE:
            return np.where(odds > 0, sure, np.where(odds < 0, self.clip, 0.5))
        return np.asarray(1 / (1 + np.exp(-odds)))

    def select(self, columns: Sequence[int]) -> Probabilities:
        """Return what some of the members say, in the order given."""
        places = list(columns)
        return _restore(
            self.classes,
            self.clip,
            tuple(self.kinds[k] for k in places),
            self.labels,
            _by_member(self.log_odds[:, places]),
            tuple(self.names[k] for k in places),
            self.weights,
        )

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> Probabilities:
        """Return what is said on some of the rows, in the order given.

        Raises
        ------
        InputError
            If a class is missing among them.
        """
        places = np.asarray(rows, dtype=np.intp)
        labels, weights = self.labels[places], self.weights[places]
        _check_classes(self.classes, labels, weights)
        odds = _by_member(self.log_odds[places])
        return _restore(self.classes, self.clip, self.kinds, labels, odds, self.names, weights)

    def __repr__(self) -> str:
        return (
            f"Probabilities({self.n_rows} rows, {len(self.classes)} classes; "
            f"{self.n_classifiers} classifiers)"
        )


def _fill(self: Probabilities, values: tuple[Any, ...]) -> None:
    for slot, value in zip(Probabilities.__slots__, values, strict=True):
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(self, slot, value)


def _restore(*values: Any) -> Probabilities:
    made = Probabilities.__new__(Probabilities)
    _fill(made, values)
    return made


def _by_member(odds: Floats) -> Floats:
    """Return a tensor whose memory lies member by member, which is how it is gone through."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(odds, 1, 0)), 0, 1)


def _rows_of_first(predictions: Mapping[Any, Any]) -> int:
    if not predictions:
        raise InputError("predictions", "has no member. Give at least one.")
    first = next(iter(predictions.values()))
    return len(first) if hasattr(first, "__len__") else 0


def _columns(tensor: NDArray[Any], n_classes: int, place: int) -> list[NDArray[Any]]:
    """Return the members of a tensor, two classes as the probability of the positive one."""
    if tensor.ndim == 2 and n_classes == 2:
        return list(tensor.T)
    if tensor.ndim == 2:
        raise InputError(
            "predictions",
            f"has 2 dimensions, and y has {n_classes} classes. Give n x K x {n_classes}, or a "
            "mapping from names to n x C probabilities or vectors of labels.",
        )
    if tensor.shape[2] != n_classes:
        raise InputError(
            "predictions",
            f"knows {tensor.shape[2]} classes and y {n_classes}; they must match. Name all of "
            "them in classes=, and have rows of each.",
        )
    return list(np.moveaxis(tensor[:, :, place] if n_classes == 2 else tensor, 1, 0))


def _read_classes(
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


def _positive_last(
    axis: tuple[Label, ...], labels: NDArray[np.intp], positive: Label | None
) -> tuple[tuple[Label, ...], NDArray[np.intp]]:
    if positive is None:
        return axis, labels
    if len(axis) != 2 or positive not in axis:
        raise InputError("positive", f"must be one of two classes; they are {list(axis[:8])}.")
    return (axis, labels) if axis[1] == positive else (axis[::-1], 1 - labels)


def _read_weights(sample_weight: object, n: int) -> Floats:
    if sample_weight is None:
        return np.ones(n)
    weights = read_vector(sample_weight, n, "sample_weight")
    if (
        weights.dtype.kind not in "biuf"
        or not np.isfinite(weights).all()
        or (weights < 0).any()
        or not np.isfinite(weights.sum(dtype=np.float64))
    ):
        raise InputError("sample_weight", "weights must be finite numbers, zero or above.")
    return weights.astype(np.float64)


def _check_classes(known: tuple[Label, ...], labels: NDArray[np.intp], weights: Floats) -> None:
    totals = np.bincount(labels, weights=weights, minlength=len(known))
    if not (totals > 0).all():
        label = known[int(np.argmin(totals))]
        raise InputError(
            "y",
            f"no row of class {label!r} carries weight. Every class must be present: leave it out "
            "of classes=, or add rows of it.",
        )


def _read_clip(clip: float, n_classes: int) -> float:
    if not isinstance(clip, int | float | np.floating) or not 0 < clip < 1 / n_classes:
        raise InputError(
            "clip", f"is {clip!r}; with {n_classes} classes it lies between 0 and 1/{n_classes}."
        )
    return float(clip)


def _read_scores(scores: bool | Sequence[int | str], names: tuple[str, ...]) -> set[int]:
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
