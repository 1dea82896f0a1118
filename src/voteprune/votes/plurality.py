"""`PluralityVotes`: which class every classifier named on every row, and which was true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray
from .ballots import read_matrix
from .reading import read_names, read_vector, read_weights, refuse_masked

Label = str | int | float | bool
"""What a class may be called."""

Codes = NDArray[np.int32] | NDArray[np.uint8]
"""Classes as places in the list of them."""


class PluralityVotes:
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
        omitted.

    Attributes
    ----------
    matrix : classes named, as places in `classes`, of shape (n, K)
    labels : true classes likewise, of shape (n,)
    weights : exact integers of shape (n,), in units of ``1 / denominator``
    denominator : int
    names : tuple of str
    classes : tuple of labels
    """

    __slots__ = ("classes", "denominator", "labels", "matrix", "names", "weights")

    matrix: Codes
    labels: Codes
    weights: IntArray
    denominator: int
    names: tuple[str, ...]
    classes: tuple[Label, ...]

    def __init__(
        self,
        predictions: object,
        y: object,
        *,
        sample_weight: object = None,
        names: Sequence[str] | None = None,
        classes: Sequence[Label] | None = None,
    ) -> None:
        table, columns = read_label_matrix(predictions, "predictions")
        n, k = table.shape
        if y is None:
            raise InputError("y", "is missing. Give the true classes, one per row.")
        truth = _plain(read_vector(y, n, "y"), "y")
        weights, denominator = read_weights(sample_weight, n)
        if not (weights > 0).any():
            raise InputError("sample_weight", "no row carries weight. Give one a positive weight.")
        known = _read_classes(classes, table, truth)
        matrix, labels = encode(table, known, "predictions"), encode(truth, known, "y")
        for array in (matrix, labels, weights):
            array.setflags(write=False)
        chosen = read_names(names, columns, k)
        values = (known, denominator, labels, matrix, chosen, weights)
        for slot, value in zip(sorted(self.__slots__), values, strict=True):
            object.__setattr__(self, slot, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"PluralityVotes is immutable; build a new one instead of setting {name!r}."
        )

    @property
    def n_rows(self) -> int:
        """Number of rows n."""
        return int(self.matrix.shape[0])

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers K."""
        return int(self.matrix.shape[1])

    def __repr__(self) -> str:
        return (
            f"PluralityVotes({self.n_rows} rows, {len(self.classes)} classes; "
            f"{self.n_classifiers} classifiers)"
        )


def read_label_matrix(values: object, argument: str) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Return a matrix of labels, with column names if it has any.

    Raises
    ------
    InputError
        If anything is missing, not a label, not a matrix, or empty.
    """
    if isinstance(values, Mapping):
        return read_matrix(values, argument, words=True)
    frame = nw.from_native(values, eager_only=True, pass_through=True)
    refuse_masked(values, argument)
    columns = None
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
    return _plain(table, argument), columns


def encode(labels: NDArray[Any], classes: Sequence[Label], argument: str) -> Codes:
    """Return each label's place among the classes.

    Raises
    ------
    InputError
        If a label is none of the classes.
    """
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
                "labels must be all text or all numbers, none missing. Convert them first.",
            )
        labels = np.array(cells).reshape(labels.shape)
    if labels.dtype.kind not in "biufUS" or (
        labels.dtype.kind == "f" and not np.isfinite(labels).all()
    ):
        raise InputError(
            argument, "labels must be text or finite numbers, none missing. Convert them first."
        )
    return labels.astype(str) if labels.dtype.kind == "S" else labels


def _read_classes(
    classes: Sequence[Label] | None, table: NDArray[Any], truth: NDArray[Any]
) -> tuple[Label, ...]:
    if classes is not None:
        known = tuple(np.asarray(list(classes)).tolist())
        if len(set(known)) != len(known) or not known:
            raise InputError("classes", "must be distinct, and at least one. Name each class once.")
        return known
    if (table.dtype.kind == "U") != (truth.dtype.kind == "U"):
        raise InputError(
            "y", "and the predictions must both be text or both be numbers. Convert one of them."
        )
    found: tuple[Label, ...] = tuple(np.union1d(np.unique(table), np.unique(truth)).tolist())
    return found
