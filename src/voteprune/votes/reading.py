"""What users bring, checked: votes, probabilities, labels, weights, names, Parquet files.

Two values stand for the two classes. Where they are not 0 and 1, one of them is named as positive,
and predictions may be such values too, beside or instead of probabilities.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..exceptions import FileFormatError, InputError
from ..numbers.exact import IntArray, common_denominator, compact, exact, to_integers
from ..numbers.floats import ROUNDING
from .abstaining import HOW_TO_ABSTAIN, is_missing, unmasked

_LISTED = 5
"""Values that a message lists."""


@dataclass(frozen=True, slots=True)
class TwoClasses:
    """What the two classes are called.

    Parameters
    ----------
    positive, negative
        Two values, both text or both numbers; `negative` is None where no row has it.
    """

    positive: Any
    negative: Any

    @property
    def beside_probabilities(self) -> bool:
        """Whether no number from 0 to 1 means one thing as a class and another as a probability."""
        ends = ((self.positive, 1), (self.negative, 0))
        numbers = [(float(name), end) for name, end in ends if isinstance(name, Real)]
        return all(not 0 <= number <= 1 or number == end for number, end in numbers)

    def __str__(self) -> str:
        return f"{self.positive!r} and {self.negative!r}"


def check_cutoff(cutoff: object) -> float:
    """Return the number from which on a vote is positive."""
    if isinstance(cutoff, bool) or not isinstance(cutoff, Real) or not math.isfinite(cutoff):
        raise InputError("cutoff", f"is {cutoff!r}; expected a number. 0.5 suits probabilities.")
    return float(cutoff)


def holds_probabilities(cutoff: float) -> bool:
    """Tell whether numbers that are cut here must be probabilities; others may be any."""
    return 0 < cutoff < 1


def read_matrix(
    values: object, argument: str, *, words: bool = False, gaps: bool = False
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Return a matrix that is not empty, with column names if it has any.

    Parameters
    ----------
    values
        An array, nested sequence, mapping of names to columns, or data frame.
    argument
        What it is called, for messages.
    words
        Whether cells may be text.
    gaps
        Whether text may stand beside cells that say nothing, and entries may be masked.
    """
    table, columns = _as_matrix(unmasked(values) if gaps else values, argument, words, gaps)
    if table.ndim != 2:
        raise InputError(
            argument,
            f"expected a matrix of n rows by K classifiers, got {table.ndim} dimension(s). "
            "Give one column per classifier.",
        )
    n, k = table.shape
    if n == 0 or k == 0:
        raise InputError(argument, f"expected at least one row and one classifier, got {n} x {k}.")
    return table, columns


def truth_names(classes: Iterable[object]) -> bool:
    """Tell whether truth values name classes, which 0 and 1 are; else they are votes."""
    return set(classes) == {0, 1}


def to_votes(
    table: NDArray[Any], argument: str, cutoff: float = 0.5, classes: TwoClasses | None = None
) -> NDArray[np.bool_]:
    """Turn a matrix into votes, True for a positive one.

    Parameters
    ----------
    table
        Numbers; or classes, where `classes` says what they are called.
    argument
        What it is called, for messages.
    cutoff
        From where on a number is a positive vote.
    classes
        What the two classes are called where they are not 0 and 1.
    """
    if table.dtype == bool and classes is None:
        return table.copy()
    if classes is None:
        _check_numbers(table, argument, cutoff)
        return np.asarray(table >= cutoff, dtype=bool)
    named = table == classes.positive
    known = named | (table == classes.negative)
    words = np.array([isinstance(cell, str) for cell in table.flat]).reshape(table.shape)
    odd = ~known & (words | (not classes.beside_probabilities))
    if odd.any():
        row, column = np.argwhere(odd)[0]
        raise InputError(
            argument,
            f"row {row}, column {column} is {table.item(row, column)!r:.60}, which is none of the "
            f"classes {classes}. Give predictions of these two, one column per classifier.",
        )
    numbers = np.where(known, named, table.astype(object)).astype(np.float64)
    _check_numbers(numbers, argument, cutoff)
    return np.where(known, named, numbers >= cutoff)


def _check_numbers(numbers: NDArray[Any], argument: str, cutoff: float) -> None:
    if not np.isfinite(numbers).all():
        row, column = np.argwhere(~np.isfinite(numbers))[0]
        missing = int(np.isnan(numbers).sum())
        raise InputError(
            argument,
            f"row {row}, column {column} is {numbers[row, column]} ({missing} missing in all). "
            "Every classifier needs a finite vote on every row: leave such rows or classifiers "
            f"out, fill in what should count, {HOW_TO_ABSTAIN}.",
        )
    outside = (numbers < -ROUNDING) | (numbers > 1 + ROUNDING)
    if holds_probabilities(cutoff) and outside.any():
        row, column = np.argwhere(outside)[0]
        raise InputError(
            argument,
            f"row {row}, column {column} is {numbers[row, column]}. Votes are 0 or 1 and "
            "probabilities lie in [0, 1]: give predict_proba(X)[:, 1], or say where grades or "
            "decision functions are cut: cutoff=0, say.",
        )


def _as_matrix(
    values: object, argument: str, words: bool, gaps: bool
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    if isinstance(values, Mapping):
        return _stack(values, argument, words, gaps)
    try:
        frame = nw.from_native(values, eager_only=True, pass_through=True)
    except nw.exceptions.NarwhalsError as error:
        raise InputError(argument, f"is a data frame that cannot be read: {error}") from None
    refuse_masked(values, argument)
    columns = None
    if isinstance(frame, nw.DataFrame):
        columns = tuple(str(name) for name in frame.columns)
        values = frame.to_numpy()
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        raise InputError(
            argument, "has rows of different length. Give a matrix, one column per classifier."
        ) from None
    return _of_one_kind(array, argument, words, gaps), columns


def _stack(
    values: Mapping[Any, object], argument: str, words: bool, gaps: bool
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Put the columns of a mapping side by side."""
    if not values:
        raise InputError(argument, "is an empty mapping. Give one array of votes per classifier.")
    if gaps:
        values = {name: unmasked(column) for name, column in values.items()}
    for column in values.values():
        refuse_masked(column, argument)
    columns = {str(name): np.asarray(_plain(column)) for name, column in values.items()}
    first = next(iter(columns))
    for name, column in columns.items():
        if column.ndim != 1 or len(column) != len(columns[first]):
            raise InputError(
                argument,
                f"column {name!r} has shape {column.shape}, {first!r} has {columns[first].shape}. "
                "Give one vector of votes per classifier, all of one length.",
            )
    if len(columns) != len(values):
        raise InputError(argument, "has two columns of one name; names must differ.")
    checked = [_of_one_kind(column[:, None], argument, words, gaps) for column in columns.values()]
    kinds = {"text" if column.dtype.kind in "US" else "numbers" for column in checked}
    if len(kinds) > 1:
        checked = [column.astype(object) for column in checked]
    return np.hstack(checked), tuple(columns)


def _plain(column: object) -> Any:
    series = nw.from_native(column, eager_only=True, allow_series=True, pass_through=True)
    return series.to_numpy() if isinstance(series, nw.Series) else column


def _of_one_kind(array: NDArray[Any], argument: str, words: bool, gaps: bool) -> NDArray[Any]:
    """Return numbers, with NaN for what is missing, or text where that is welcome."""
    if array.dtype == object:
        cells = [np.nan if is_missing(cell) else cell for cell in array.flat]
        if not any(isinstance(cell, str) for cell in cells):
            with contextlib.suppress(TypeError, ValueError):
                array = np.array(cells, dtype=np.float64).reshape(array.shape)
        elif words and all(isinstance(cell, str) for cell in cells):
            array = array.astype(str)
        elif words and gaps and all(isinstance(cell, str) or is_missing(cell) for cell in cells):
            return array
    if array.dtype.kind in "biuf" or (words and array.dtype.kind == "U"):
        return array
    raise InputError(argument, f"{_first_odd_cell(array)} {_CURE}")


_CURE = (
    "Expected numbers, one column per classifier: votes 0 or 1, or probabilities. Where cells are "
    "words, say which is positive: positive='bad'."
)


def _first_odd_cell(array: NDArray[Any]) -> str:
    """Say what is not a number, and where."""
    if not array.ndim:
        return f"is a {type(array.item()).__name__}."
    for place in np.ndindex(array.shape):
        cell = array[place].item() if isinstance(array[place], np.generic) else array[place]
        if not isinstance(cell, Real | np.bool_) and not is_missing(cell):
            where = ", ".join(f"{w} {i}" for w, i in zip(("row", "column"), place, strict=False))
            return f"{where} is {cell!r:.60}, a {type(cell).__name__}."
    return f"holds {array.dtype}."


def read_binary_labels(
    y: object, n: int, positive: object = None
) -> tuple[NDArray[np.bool_], TwoClasses | None]:
    """Return which rows are positive, and the classes' names where `positive` is one of them.

    Parameters
    ----------
    y
        n labels.
    n
        How many there must be.
    positive
        Which value is the positive class; None where labels are 0 and 1.
    """
    if y is None:
        raise InputError("y", "is missing. Give the true labels, 0 or 1, one per row.")
    array = read_vector(y, n, "y")
    distinct = sorted(set(array.tolist()), key=repr)
    if positive is None:
        if set(distinct) <= {0, 1}:
            return np.asarray(array == 1, dtype=bool), None
        raise InputError("y", f"labels must be 0 and 1 (1 is the positive class), got "
                         f"{_listed(distinct)}. {_cure_for_labels(distinct)}")  # fmt: skip
    if positive not in distinct:
        raise InputError(
            "positive", f"is {positive!r:.60}, which no label is. Labels are {_listed(distinct)}."
        )
    others = [value for value in distinct if value != positive]
    if len(others) > 1:
        raise InputError(
            "y", f"has {len(distinct)} values, {_listed(distinct)}. {_cure_for_labels(distinct)}"
        )
    labels = np.asarray(array == positive, dtype=bool)
    return labels, TwoClasses(positive, others[0] if others else None)


def _cure_for_labels(distinct: list[Any]) -> str:
    if len(distinct) == 2 and not any(is_missing(value) for value in distinct):
        first, second = distinct
        return f"Say which is positive: positive={first!r} or positive={second!r}."
    return "Map them first, as in y == 'positive', or take vp.PluralityVotes for several classes."


def _listed(values: list[Any]) -> str:
    more = ", ..." if len(values) > _LISTED else ""
    return ", ".join(f"{value!r:.60}" for value in values[:_LISTED]) + more


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
    if array.dtype == object:
        with contextlib.suppress(InputError):
            # Fractions, decimals and long integers are exact as they are.
            weights = [exact(weight, "sample_weight") for weight in array]
            if min(weights) >= 0:
                unit = common_denominator(weights)
                return compact(np.array([int(w * unit) for w in weights], dtype=object)), unit
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all() or (array < 0).any():
        raise InputError("sample_weight", "weights must be finite numbers, zero or above.")
    return to_integers(array.astype(np.int64) if array.dtype == bool else array)


def read_names(
    names: Sequence[str] | None, columns: tuple[str, ...] | None, k: int
) -> tuple[str, ...]:
    """Return one distinct name per classifier."""
    if names is None:
        chosen = columns if columns is not None else _unnamed(range(k))
    else:
        chosen = tuple(str(name) for name in names)
    if len(chosen) != k:
        raise InputError("names", f"has {len(chosen)} names for {k} classifiers; they must match.")
    if len(set(chosen)) != k:
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise InputError("names", f"{twice!r} stands for two classifiers; names must differ.")
    return chosen


def places_by_name(there: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return where members stand among the names of others' votes; none where one is not there.

    Then the votes' names are others than the pool's, and their columns must be the pool's.
    """
    place = {name: k for k, name in enumerate(there)}
    return [place[name] for name in names] if place.keys() >= set(names) else []


def places_in(there: Sequence[str], names: Sequence[str], own: Sequence[int]) -> list[int]:
    """Return where members stand in another pool: by their names, else by their own places.

    Parameters
    ----------
    there
        Names of the other pool.
    names, own
        Names of the members, and their places in their pool.

    Returns
    -------
    list
        Nothing where a member's name is not there, though members and pool have been named.
    """
    nobody_named = tuple(there) == _unnamed(range(len(there))) or tuple(names) == _unnamed(own)
    return places_by_name(there, names) or (list(own) if nobody_named else [])


def _unnamed(places: Iterable[int]) -> tuple[str, ...]:
    """Return what classifiers are called whom nobody has named."""
    return tuple(f"c{place}" for place in places)


def columns_by_name(votes: object, names: Sequence[str]) -> object | None:
    """Return some columns of a data frame or mapping, in the order of `names`; None of an array.

    Raises
    ------
    InputError
        If a column is missing.
    """
    frame = nw.from_native(votes, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        columns = _named(frame.columns, names)
        chosen: object = frame.select(nw.col(column) for column in columns).to_native()
        return chosen
    if isinstance(votes, Mapping):
        return dict(zip(names, (votes[key] for key in _named(votes, names)), strict=True))
    return None


def _named(there: Iterable[Any], names: Sequence[str]) -> list[Any]:
    """Return the columns with these names; keys need not be text."""
    columns = {str(name): name for name in there}
    missing = [name for name in names if name not in columns]
    if missing:
        raise InputError("votes", f"has no column for the member(s) {', '.join(missing[:5])}.")
    return [columns[name] for name in names]


PARQUET = (".parquet", ".pq")
"""How Parquet files are called."""


def is_hidden(path: Path) -> bool:
    """Tell what other programs write beside tables, as _SUCCESS and ._part.parquet."""
    return path.name.startswith((".", "_"))


def parquet_files(source: object) -> list[str]:
    """Return the files that a path, a folder, a pattern or several of them name."""
    if isinstance(source, str | Path):
        source = [source]
    if not isinstance(source, Iterable) or hasattr(source, "columns"):
        raise InputError(
            "source",
            f"is a {type(source).__name__}; expected Parquet files, a polars LazyFrame or a Dask "
            "data frame. A frame in memory goes to vp.Votes.",
        )
    found: list[str] = []
    for path in source:
        if not isinstance(path, str | Path):
            raise InputError("source", f"holds {path!r:.60}; expected paths.")
        place = Path(path)
        if place.is_dir():
            tables = [p for p in place.iterdir() if p.name.lower().endswith(PARQUET)]
            inside = [p for p in tables if not is_hidden(p)]
        elif not place.exists() and any(mark in str(path) for mark in "*?["):
            fitting = Path(place.anchor or ".").glob(str(place.relative_to(place.anchor)))
            inside = [p for p in fitting if is_hidden(place) or not is_hidden(p)]
        else:
            inside = [place] if place.exists() else []
        if not inside:
            raise FileFormatError(path, "names no Parquet file that exists.")
        found += sorted(map(str, inside))
    return found
