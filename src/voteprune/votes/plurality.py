"""`PluralityVotes`: which class every classifier named on every row, and which was true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from .abstaining import (
    HOW_TO_ABSTAIN,
    Abstentions,
    check_abstentions,
    fill_gaps,
    says_something,
    unmasked,
)
from .frozen import HardVotes
from .reading import read_matrix, read_names, read_vector, read_weights, refuse_masked
from .votes import Votes

Label = str | int | float | bool
"""What a class may be called."""

Codes = NDArray[np.int32] | NDArray[np.uint8]
"""Classes as places in the list of them; the place after the last is no class: nobody is named."""


class PluralityVotes(HardVotes):
    """A validated n x K matrix of class labels with true labels, weights and classifier names.

    Immutable: the arrays are copies of the caller's and cannot be written to.

    Parameters
    ----------
    predictions
        n rows by K classifiers of class labels, numbers or text, as an array, nested sequence,
        or data frame.
    y
        n true labels.
    sample_weight
        n non-negative weights; every row counts once when omitted.
    names
        K distinct names; a data frame's column names, else ``c0, c1, ...`` when omitted.
    classes
        All classes in the order in which ties are broken, the first one first; sorted when
        omitted. The first is also the class of rows on which no member of a committee votes.
    abstentions
        What it counts for when a classifier says nothing (NaN, None, an empty or masked cell):
        "skip" for nothing, most of the votes cast win; "against" for a vote for the first of
        `classes`. A missing vote is an error when omitted.

    Attributes
    ----------
    matrix : classes named, as places in `classes`, of shape (n, K); ``len(classes)`` where a
        classifier abstains and that counts for nothing
    labels : true classes likewise, of shape (n,)
    weights : exact integers of shape (n,), in units of ``1 / denominator``
    denominator : int
    names : tuple of str
    classes : tuple of labels
    class_names : what the classes are called where they stand for those of `Votes`, else the same
    abstentions : "skip", "against" or None
    voted : bool array of shape (n, K), False where a classifier abstains; None where none does
    """

    __slots__ = ("class_names",)

    matrix: Codes
    labels: Codes
    classes: tuple[Label, ...]
    class_names: tuple[Any, ...]

    def __init__(
        self,
        predictions: object,
        y: object,
        *,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
        classes: Sequence[Label] | None = None,
        abstentions: Abstentions | None = None,
    ) -> None:
        rule = check_abstentions(abstentions)
        table, columns, voted = read_label_matrix(predictions, "predictions", gaps=rule is not None)
        n, k = table.shape
        if y is None:
            raise InputError("y", "is missing. Give the true classes, one per row.")
        truth = _plain(read_vector(y, n, "y"), "y")
        if classes is None:
            _refuse_probabilities(table, truth, voted)
        weights, denominator = read_weights(sample_weight, n)
        if not (weights > 0).any():
            raise InputError("sample_weight", "no row carries weight. Give one a positive weight.")
        known = _read_classes(classes, table, truth, voted)
        matrix, labels = encode(table, known, "predictions", voted, rule), encode(truth, known, "y")
        chosen = read_names(names, columns, k)
        self._fill(
            abstentions=rule,
            class_names=known,
            classes=known,
            cutoff=0.5,  # cells are classes, so nothing is cut
            denominator=denominator,
            labels=labels,
            matrix=matrix,
            names=chosen,
            voted=voted,
            weights=weights,
        )

    @classmethod
    def of_two(cls, votes: Votes) -> PluralityVotes:
        """Return votes on two classes as votes for the classes 0 and 1, called as they were.

        The majority of those who vote is the plurality then: ties, and rows on which nobody votes,
        go to 0.
        """
        matrix = votes.matrix.astype(np.int32)
        if votes.voted is not None and votes.abstentions == "skip":
            matrix[~votes.voted] = 2
        return cls._made(
            abstentions=votes.abstentions,
            class_names=votes.classes,
            classes=(0, 1),
            cutoff=votes.cutoff,
            denominator=votes.denominator,
            labels=votes.labels.astype(np.int32),
            matrix=matrix,
            names=votes.names,
            voted=votes.voted,
            weights=votes.weights,
        )

    def __repr__(self) -> str:
        return (
            f"PluralityVotes({self.n_rows} rows, {len(self.classes)} classes; "
            f"{self.n_classifiers} classifiers)"
        )


def _refuse_probabilities(
    table: NDArray[Any], truth: NDArray[Any], voted: NDArray[np.bool_] | None
) -> None:
    """Refuse fractions that no label is, which are hardly classes."""
    if table.dtype.kind != "f":
        return
    said = table if voted is None else table[voted]
    odd = said[said != np.floor(said)]
    if truth.dtype.kind in "iuf":
        odd = odd[~np.isin(odd, truth)]
    if len(odd):
        raise InputError(
            "predictions",
            f"{odd[0]:g} is no class of y. Give probabilities as vp.Probabilities(predictions, y), "
            "or name such classes with classes=.",
        )


def read_label_matrix(
    values: object, argument: str, *, gaps: bool = False
) -> tuple[NDArray[Any], tuple[str, ...] | None, NDArray[np.bool_] | None]:
    """Return a matrix of labels, its column names if it has any, and which cells say something.

    Parameters
    ----------
    values
        An array, nested sequence, mapping of names to columns, or data frame.
    argument
        What it is called, for messages.
    gaps
        Whether cells may say nothing; the last of what is returned is None where none is so.

    Raises
    ------
    InputError
        If anything is missing that must not, not a label, not a matrix, or empty.
    """
    columns = None
    if gaps:
        values = unmasked(values)
    if isinstance(values, Mapping):
        values, columns = read_matrix(values, argument, words=True, gaps=gaps)
    frame = nw.from_native(values, eager_only=True, pass_through=True)
    refuse_masked(values, argument)
    if isinstance(frame, nw.DataFrame):
        columns = tuple(str(name) for name in frame.columns)
        values = frame.to_numpy()
    try:
        table = np.asarray(values)
    except ValueError:
        raise InputError(argument, "has rows of different length. Give a matrix.") from None
    if table.ndim != 2 or not table.size:
        raise InputError(
            argument,
            f"expected a matrix of n rows by K classifiers, got shape {table.shape}. Give one "
            "column of class labels per classifier.",
        )
    if not gaps:
        return _plain(table, argument), columns, None
    filled, voted = fill_gaps(table, next(filter(says_something, table.flat), 0))
    if voted is None:
        return _plain(table, argument), columns, None
    plain = _plain(filled, argument)
    # Beside NaN whole numbers are floats, which says nothing about them.
    whole = plain.dtype.kind == "f" and bool((plain == np.rint(plain)).all())
    return plain.astype(np.int64) if whole else plain, columns, voted


def encode(
    labels: NDArray[Any],
    classes: Sequence[Label],
    argument: str,
    voted: NDArray[np.bool_] | None = None,
    rule: Abstentions | None = None,
) -> Codes:
    """Return each label's place among the classes.

    Parameters
    ----------
    labels, classes
        What is encoded.
    argument
        What it is called, for messages.
    voted, rule
        Which cells say something, and what the others count for.

    Raises
    ------
    InputError
        If a label is none of the classes.
    """
    if voted is not None:
        codes = np.full(labels.shape, 0 if rule == "against" else len(classes), dtype=np.int32)
        codes[voted] = encode(labels[voted], classes, argument)
        return codes
    place = {label: i for i, label in enumerate(classes)}
    distinct, inverse = np.unique(labels, return_inverse=True)
    unknown = [label for label in distinct.tolist() if label not in place]
    if unknown:
        listed = ", ".join(repr(label) for label in list(classes)[:8])
        raise InputError(
            argument, f"{unknown[0]!r} is none of the classes. The classes are {listed}."
        )
    codes = np.array([place[label] for label in distinct.tolist()], dtype=np.int32)
    return codes[inverse].reshape(labels.shape)


def _plain(labels: NDArray[Any], argument: str) -> NDArray[Any]:
    """Return labels of one kind that can be sorted: numbers or text."""
    if labels.dtype == object:
        cells = labels.ravel().tolist()
        if all(isinstance(cell, str) for cell in cells):
            return labels.astype(str)
        kinds = (int, float, np.number, bool, np.bool_)
        if not all(isinstance(cell, kinds) for cell in cells):
            raise InputError(
                argument,
                f"labels must be all text or all numbers, none missing. {_cure(argument)}",
            )
        labels = np.array(cells).reshape(labels.shape)
    if labels.dtype.kind not in "biufUS" or (
        labels.dtype.kind == "f" and not np.isfinite(labels).all()
    ):
        raise InputError(
            argument,
            f"labels must be text or finite numbers, none missing. {_cure(argument)}",
        )
    return labels.astype(str) if labels.dtype.kind == "S" else labels


def _cure(argument: str) -> str:
    return "Convert them first" + ("." if argument == "y" else f", {HOW_TO_ABSTAIN}.")


def _read_classes(
    classes: Sequence[Label] | None,
    table: NDArray[Any],
    truth: NDArray[Any],
    voted: NDArray[np.bool_] | None,
) -> tuple[Label, ...]:
    if classes is not None:
        known = tuple(np.asarray(list(classes)).tolist())
        if len(set(known)) != len(known) or not known:
            raise InputError("classes", "must be distinct, and at least one. Name each class once.")
        return known
    said = table if voted is None else table[voted]
    if said.size and (said.dtype.kind == "U") != (truth.dtype.kind == "U"):
        raise InputError(
            "y", "and the predictions must both be text or both be numbers. Convert one of them."
        )
    found: tuple[Label, ...] = tuple(np.unique(truth).tolist())
    if said.size:
        found = tuple(np.union1d(np.unique(said), np.unique(truth)).tolist())
    return found
