"""Some of the rows or classifiers, picked by place, by name, or by a truth value for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError

_LISTED = 5
"""Names that a message lists."""


def read_rows(rows: object, n: int, argument: str = "rows") -> NDArray[np.intp]:
    """Return which of n rows, or columns, are meant: their places, or a truth value for each.

    Raises
    ------
    InputError
        If it is neither.
    """
    array = np.asarray(rows)
    if array.dtype == bool and array.shape == (n,):
        return np.flatnonzero(array)
    if array.ndim == 1 and not array.size:
        return np.empty(0, dtype=np.intp)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(
            argument,
            f"is {rows!r:.80}; expected whole numbers, or one truth value for each of the {n}. "
            "Give places such as [0, 2].",
        )
    if array.min() < -n or array.max() >= n:
        odd = next(place for place in array.tolist() if not -n <= place < n)
        raise InputError(argument, f"names place {odd}; there are {n}, from 0 to {n - 1}.")
    return array.astype(np.intp)


def read_columns(columns: object, names: Sequence[str]) -> list[int]:
    """Return which classifiers are meant, by names or as for `read_rows`.

    Raises
    ------
    InputError
        If it is neither, a name is not there, or there are none.
    """
    if isinstance(columns, str):
        raise InputError("columns", f"is {columns!r}; give a list of names: [{columns!r}].")
    listed = list(columns) if isinstance(columns, Iterable) else columns
    if not (isinstance(listed, list) and listed and all(isinstance(each, str) for each in listed)):
        places = [int(place) for place in read_rows(listed, len(names), "columns")]
        if not places:
            raise InputError("columns", "names no classifier. Give one at least.")
        return places
    place = {name: k for k, name in enumerate(names)}
    if unknown := [name for name in listed if name not in place]:
        known = ", ".join(map(repr, names[:_LISTED])) + ", ..." * (len(names) > _LISTED)
        raise InputError(
            "columns", f"{unknown[0]!r:.60} is no classifier's name. Give some of {known}."
        )
    return [place[name] for name in listed]
