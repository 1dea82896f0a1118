"""Vectors, weights and names as users bring them, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray, to_integers


def refuse_masked(values: object, argument: str) -> None:
    """Refuse arrays with masked entries."""
    if np.ma.is_masked(values):
        raise InputError(argument, "has masked entries. Drop or impute what is missing first.")


def read_vector(values: object, n: int, argument: str) -> NDArray[Any]:
    """Turn a sequence, array or series of n entries into an array."""
    refuse_masked(values, argument)
    series = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    try:
        array = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else values)
    except ValueError:
        raise InputError(argument, "expected a vector, got rows of different length.") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(argument, f"expected a vector, got {array.ndim} dimension(s).")
    if len(array) != n:
        raise InputError(
            argument, f"has {len(array)} entries but the votes have {n} rows; they must match."
        )
    return array


def read_weights(sample_weight: object, n: int) -> tuple[IntArray, int]:
    """Return the rows' weights as integers and their common denominator."""
    if sample_weight is None:
        return np.ones(n, dtype=np.int64), 1
    array = read_vector(sample_weight, n, "sample_weight")
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all() or (array < 0).any():
        raise InputError("sample_weight", "weights must be finite numbers, zero or above.")
    return to_integers(array.astype(np.int64) if array.dtype == bool else array)


def read_names(
    names: Sequence[str] | None, columns: tuple[str, ...] | None, k: int
) -> tuple[str, ...]:
    """Return one distinct name per classifier."""
    if names is None:
        chosen = columns if columns is not None else tuple(f"c{i}" for i in range(k))
    else:
        chosen = tuple(str(name) for name in names)
    if len(chosen) != k:
        raise InputError("names", f"has {len(chosen)} names for {k} classifiers; they must match.")
    if len(set(chosen)) != k:
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise InputError("names", f"{twice!r} stands for two classifiers; names must differ.")
    return chosen
