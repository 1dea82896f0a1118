"""From what members say, in all its forms, to log-odds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.floats import ROUNDING, Floats
from ..votes.abstaining import unmasked

LARGEST, SMALLEST = 1e50, 1e-50
"""Largest score, weight or penalty that is taken, and the smallest weight or penalty: products of
them and their squares stay far from where floats end. The checker takes more."""

PROBABILITY, VOTE, SCORE = "probability", "vote", "score"
"""What kind of answer a member gives."""

AS_THEN = "what this member gave when it was chosen"
"""The cure for new rows that are something else."""

_SUM_SLACK = 1e-3
"""How far from 1 the probabilities of a row may sum: single precision, rounded files."""


def tensor_of(values: object, argument: str) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Return numbers of n x K or n x K x C, missing ones NaN, with column names if there are any.

    Raises
    ------
    InputError
        If it is no such array of numbers, or empty.
    """
    array, columns = numbers_of(values, argument)
    if array.ndim not in (2, 3) or not array.size:
        raise InputError(
            argument,
            f"expected n rows by K members (by C classes), got shape {array.shape}. Give one "
            "column per member.",
        )
    return array, columns


def numbers_of(values: object, argument: str) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Return an array of numbers or labels, missing ones NaN or None, and column names."""
    try:
        frame = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    except nw.exceptions.NarwhalsError as error:
        raise InputError(argument, f"is a data frame that cannot be read: {error}") from None
    columns = None
    if isinstance(frame, nw.DataFrame):
        columns = tuple(str(name) for name in frame.columns)
    if isinstance(frame, nw.DataFrame | nw.Series):
        values = frame.to_numpy()
    if isinstance(values, np.ma.MaskedArray):
        is_number = values.dtype.kind in "biuf"
        values = np.ma.filled(values.astype(np.float64), np.nan) if is_number else unmasked(values)
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(argument, "has rows of different length. Give a matrix.") from None
    if array.dtype == object:
        cells = [np.nan if _is_missing(cell) else cell for cell in array.flat]
        if not any(isinstance(cell, str) for cell in cells):
            try:
                array = np.array(cells, dtype=np.float64).reshape(array.shape)
            except (TypeError, ValueError):
                array = np.empty(0, dtype="V1")
    if array.dtype.kind not in "biufUO":
        raise InputError(argument, "expected numbers, one column per member, got something else.")
    if array.ndim > 1 and array.dtype.kind in "UO":
        raise InputError(
            argument,
            "expected numbers, got text. Give probabilities, or a mapping from names to vectors "
            "of class labels.",
        )
    return array, columns


def member_of(
    values: object,
    n: int,
    classes: Sequence[Any],
    argument: str,
    *,
    place: int,
    labels: bool = False,
) -> NDArray[Any]:
    """Return one member's answers: n, or n x C from three classes on.

    Parameters
    ----------
    values
        A vector of probabilities, a vector of class labels, or an n x C matrix.
    n
        Number of rows.
    classes
        The classes, for two of them the positive one last.
    argument
        What the member is called in errors.
    place
        Which column of a matrix belongs to the positive class of two.
    labels
        Whether a vector of numbers is one of labels, where there are two classes.
    """
    array, _ = numbers_of(values, argument)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    width = len(classes)
    if array.shape not in ((n,), (n, width)):
        raise InputError(
            argument,
            f"has shape {array.shape}; expected {n} answers, or {n} x {width} probabilities. Give "
            "one of the two.",
        )
    if array.ndim == 2:
        return array if width > 2 else array[:, place]
    if width == 2 and array.dtype.kind in "biuf" and not labels:
        return array
    return _votes_of_labels(array, classes, argument)


def may_be_labels(classes: Sequence[Any]) -> bool:
    """Tell whether numbers are one thing as labels of these classes, another as probabilities."""
    return len(classes) == 2 and not isinstance(classes[0], str) and tuple(classes) != (0, 1)


def are_labels(values: object, classes: Sequence[Any], argument: str) -> bool:
    """Tell whether all numbers of a vector are classes, and something else as probabilities."""
    if not may_be_labels(classes):
        return False
    array, _ = numbers_of(values, argument)
    if array.dtype.kind not in "biuf" or array.ndim == 0 or array.size > len(array):
        return False
    said = array[~np.isnan(array)] if array.dtype.kind == "f" else array
    if array.dtype.kind == "f" and ((said >= 0) & (said <= 1)).all():
        # They may be either, and a member that is sure of everything must not be turned round.
        return False
    return set(np.unique(said).tolist()) <= set(classes)


def _votes_of_labels(array: NDArray[Any], classes: Sequence[Any], argument: str) -> Floats:
    """Return class labels as 0/1 (two classes) or unit vectors, NaN where one is missing."""
    place = {label: i for i, label in enumerate(classes)}
    votes = np.zeros((len(array), len(classes)))
    for row, label in enumerate(array.tolist()):
        if _is_missing(label) or label != label:
            votes[row] = np.nan
        elif label in place:
            votes[row, place[label]] = 1
        else:
            raise InputError(
                argument,
                f"{label!r} is none of the classes. The classes are {list(classes)[:8]}.",
            )
    return votes[:, 1] if len(classes) == 2 else votes


def log_odds_of(
    members: Sequence[NDArray[Any]],
    names: tuple[str, ...],
    scores: set[int],
    clip: float,
    n_classes: int,
) -> tuple[tuple[str, ...], Floats]:
    """Return each member's kind, and log-odds n x K (x C) whose memory lies member by member.

    Raises
    ------
    InputError
        If an answer lies outside [0, 1], a row's do not sum to 1, or a member never answers.
    """
    stored = np.empty((len(members), *members[0].shape))
    kinds = []
    for k, (said, name) in enumerate(zip(members, names, strict=True)):
        values = said.astype(np.float64)
        kind = _kind(values, name, is_score=k in scores)
        stored[k] = odds_of_kind(values, kind, clip, n_classes)
        kinds.append(kind)
    return tuple(kinds), np.moveaxis(stored, 0, 1)


def odds_of_kind(values: Floats, kind: str, clip: float, n_classes: int) -> Floats:
    """Return one member's answers as log-odds (log-probabilities); NaN, an abstention, is 0."""
    odds = values.astype(np.float64)
    silent = np.isnan(odds)
    if kind == PROBABILITY:
        np.clip(odds, clip, 1 - (n_classes - 1) * clip, out=odds)
        odds = np.log(odds) if odds.ndim == 2 else np.log(odds / (1 - odds))
    elif kind == VOTE and odds.ndim == 1:
        odds = 2 * odds - 1
    odds[silent] = 0
    return odds


def read_again(odds: Floats, classes: Sequence[Any], name: str, *, labels: bool) -> Floats:
    """Return votes for one of two classes with their numbers read the other way.

    Parameters
    ----------
    odds
        Log-odds of votes.
    classes
        The two classes, the positive one last.
    name
        The member, for errors.
    labels
        Whether the numbers are class labels, which were read as votes of 0 and 1, or the reverse.

    Raises
    ------
    InputError
        If the numbers are nothing of the kind.
    """
    said = np.where(odds > 0, *((1, 0) if labels else classes[::-1])).astype(np.float64)
    said[odds == 0] = np.nan
    if labels:
        said = _votes_of_labels(said, classes, f"predictions[{name!r}]")
    else:
        check_range(said, name, AS_THEN)
    return odds_of_kind(said, VOTE, 0, 2)


def recoded(
    odds: Floats, coded: tuple[str, float], wanted: tuple[str, float], n_classes: int, name: str
) -> Floats:
    """Return one member's log-odds as another kind and clip have them.

    Probabilities of who was always sure when it was chosen are told from their log-odds. What was
    cut is taken for 0 or 1, so that a probability is off by the clip at most.

    Parameters
    ----------
    odds
        As `odds_of_kind` returns them.
    coded, wanted
        The kind and the clip that they were made with, and those to have.
    n_classes
        Number of classes C.
    name
        The member, for errors.

    Raises
    ------
    InputError
        If what it said cannot be told from its log-odds, or was meant otherwise.
    """
    (kind, clip), (new_kind, new_clip) = coded, wanted
    silent = ~odds.reshape(len(odds), -1).any(axis=1)
    if kind == VOTE and new_kind == PROBABILITY:
        said = odds.copy() if odds.ndim == 2 else (odds + 1) / 2
        said[silent] = np.nan
        return odds_of_kind(said, PROBABILITY, new_clip, n_classes)
    if kind == PROBABILITY and new_kind == VOTE:
        low, high = _ends(clip, n_classes, odds.ndim)
        said = np.exp(odds) if odds.ndim == 2 else 1 / (1 + np.exp(-odds))
        said[odds <= low], said[odds >= high] = 0, 1
        said[silent] = np.nan
        return odds_of_kind(said, VOTE, new_clip, n_classes)
    if kind != new_kind:
        raise InputError(
            "predictions",
            f"{name!r} is a {kind} member there, and was a {new_kind} member when it was chosen. "
            "Give what it gave then, with the same scores=, or the answers themselves.",
        )
    if kind != PROBABILITY or clip == new_clip:
        return odds
    low, high = _ends(clip, n_classes, odds.ndim)
    if clip > new_clip and (((odds <= low) | (odds >= high)).T & ~silent).any():
        raise InputError(
            "predictions",
            f"{name!r} has probabilities cut at clip={clip:g}, and the committee cuts at "
            f"{new_clip:g}. Build Probabilities with clip={new_clip!r}, or give the answers "
            "themselves.",
        )
    cut = np.clip(odds, *_ends(new_clip, n_classes, odds.ndim))
    cut[silent] = 0
    return np.asarray(cut)


def _ends(clip: float, n_classes: int, dimensions: int) -> Floats:
    """Return the lowest and the highest log-odds (log-probability) that are left by clipping."""
    ends = np.array([clip, 1 - (n_classes - 1) * clip])
    return np.asarray(np.log(ends) if dimensions == 2 else np.log(ends / (1 - ends)))


def shares_of(odds: Floats, kind: str, clip: float, n_classes: int) -> Floats:
    """Return one member's log-odds as probabilities, for linear pools.

    A mere vote is as sure as clipping allows, an abstention gives every class the same. Who only
    voted when it was chosen may be unsure on new rows, and is clipped like all others.
    """
    sure = 1 - (n_classes - 1) * clip
    if odds.ndim == 2:
        silent = ~odds.any(axis=1)
        share = np.clip(odds, clip, sure) if kind == VOTE else np.exp(odds)
        share[silent] = 1 / n_classes
        return np.asarray(share / share.sum(axis=1, keepdims=True))
    if kind == VOTE:
        return np.clip((odds + 1) / 2, clip, sure)
    return np.asarray(1 / (1 + np.exp(-odds)))


def check_finite(values: Floats, name: str) -> None:
    """Refuse infinity."""
    if np.isinf(values).any():
        raise InputError("predictions", f"{name!r} is infinite somewhere. Give finite numbers.")


def check_scores(values: Floats, name: str) -> None:
    """Refuse finite scores that are too large to be weighted and added up."""
    if (np.abs(values) > LARGEST).any():
        raise InputError(
            "predictions", f"{name!r} gives scores beyond {LARGEST:g}. Divide its scores."
        )


def brought_within(values: NDArray[Any]) -> NDArray[Any]:
    """Return probabilities with those brought back that are beyond 0 or 1 by no more than a hair.

    Weighted means of probabilities come out so, and are no mistake of anybody's.
    """
    near = ((values < 0) & (values >= -ROUNDING)) | ((values > 1) & (values <= 1 + ROUNDING))
    return np.where(near, np.clip(values, 0, 1), values) if near.any() else values


def check_range(values: Floats, name: str, cure: str) -> None:
    """Refuse what is no probability; `cure` is what to give."""
    outside = (values < 0) | (values > 1)
    if outside.any():
        row = int(np.argwhere(outside)[0][0])
        raise InputError(
            "predictions",
            f"{name!r} says {values[outside][0]} on row {row}. Probabilities lie in [0, 1]: give "
            f"{cure}.",
        )


def _kind(values: Floats, name: str, *, is_score: bool) -> str:
    silent = np.isnan(values)
    if values.ndim == 2:
        partly = silent.any(axis=1) & ~silent.all(axis=1)
        if partly.any():
            raise InputError(
                "predictions",
                f"{name!r} answers row {np.argmax(partly)} for some of the classes only. Give all "
                "of them, or NaN for all.",
            )
    if silent.all():
        raise InputError("predictions", f"{name!r} is missing on every row. Leave this member out.")
    check_finite(values, name)
    if is_score:
        check_scores(values, name)
        return SCORE
    check_range(values, name, "predict_proba, or say scores=True for scores that are none")
    if values.ndim == 2:
        off = np.abs(values.sum(axis=1) - 1) > _SUM_SLACK
        if off.any():
            raise InputError(
                "predictions",
                f"{name!r} gives row {np.argmax(off)} probabilities that sum to "
                f"{values[np.argmax(off)].sum():.6g}. They must sum to 1: normalise them first.",
            )
    return VOTE if np.isin(values[~silent], (0, 1)).all() else PROBABILITY


def _is_missing(cell: object) -> bool:
    # pandas' NA has no truth value.
    return cell is None or type(cell).__name__ == "NAType"
