"""Files become tables: the three readers that the rest of the package calls.

A file's first bytes tell gzip and Parquet apart from text, whatever the file is called; only a
name that ends in .parquet or .pq is taken at its word, so that a damaged one is reported as such.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import FileFormatError, InputError
from ..votes.votes import Votes
from .csvfile import decode, read_csv, records_of
from .files import enough_memory, load
from .layout import first_of_every_model, table_layout, votes_layout
from .parquet import read_parquet
from .rows import PART, Choose, Rows, VoteTable, parse_number


def read_table(path: str | Path, *, target: str | None = None, k: int | None = None) -> VoteTable:
    """Read a table of votes with their labels.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet.
    target
        Name of the label column; not needed for the paper's layout.
    k
        Take only so many classifiers: the first k / (number of models) of every model, as the
        paper does. ``rf_1, rf_2, ...`` are the classifiers of the model ``rf``.

    Raises
    ------
    FileFormatError
        If the file is not such a table; a CSV file's line is named.
    InputError
        If `target` is no column, or `k` does not fit the models.
    """
    rows = _read(path, lambda columns: table_layout(path, columns, target))
    if k is not None:
        chosen = first_of_every_model(rows.names, k)
        names = tuple(rows.names[i] for i in chosen)
        rows = Rows(rows.votes[:, chosen], names, rows.ids, rows.labels, rows.is_test)
    none = np.zeros(len(rows.ids), dtype=bool)
    is_test = none if rows.is_test is None else rows.is_test
    validation = rows.where(~is_test)
    if not validation.ids:
        raise FileFormatError(path, f"has test rows only; {PART} must say validation somewhere.")
    try:
        votes = Votes(validation.votes, validation.labels, names=validation.names)
    except InputError as error:
        raise FileFormatError(path, error.message) from None
    return VoteTable(votes, validation.ids, rows.where(is_test) if is_test.any() else None)


def read_votes(path: str | Path, names: Sequence[str]) -> Rows:
    """Read the votes of some classifiers, in the order of `names`; labels may be absent.

    Other columns may hold anything. Labels and parts are read where the file has the paper's
    ``real_class`` and ``datatype``.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet.
    names
        The classifiers to read, each once.

    Raises
    ------
    FileFormatError
        If a classifier has no column, or the file is no table; a CSV file's line is named.
    InputError
        If a name stands twice in `names`.
    """
    if len(set(names)) != len(names):
        raise InputError("names", "two members have the same name; they are found by name.")
    return _read(path, lambda columns: votes_layout(path, columns, names))


def read_costs(path: str | Path) -> dict[str, float]:
    """Read what classifiers cost.

    Parameters
    ----------
    path
        CSV, plain or gzipped: a name and a cost per line; the header ``name,cost`` may be left
        out.

    Raises
    ------
    FileFormatError
        If a line is anything else, or a name stands twice.
    """
    costs: dict[str, float] = {}
    text = decode(path, load(path))
    for line, record in records_of(path, csv.reader(io.StringIO(text, newline=""), strict=True)):
        if not costs and [cell.strip().lower() for cell in record] == ["name", "cost"]:
            continue
        cost = parse_number(record[-1])
        if len(record) != 2 or cost is None or not math.isfinite(cost):
            raise FileFormatError(path, "expected a classifier's name and its cost.", line)
        if record[0] in costs:
            raise FileFormatError(path, f"{record[0]!r} stands twice; names must differ.", line)
        costs[record[0]] = cost
    if not costs:
        raise FileFormatError(path, "names no cost; expected lines of name,cost.", 1)
    return costs


def _read(path: str | Path, choose: Choose) -> Rows:
    with enough_memory(path):
        data, polars = load(path), import_polars()
        if is_parquet(path, data):
            return read_parquet(path, data, choose, polars)
        return read_csv(path, data, choose, polars)


def import_polars() -> Any:
    """Return the module polars, as late as can be."""
    try:
        import polars
    except ImportError:
        raise InputError(
            "polars", "is needed to read tables. Install it: pip install 'voteprune[cli]'"
        ) from None
    return polars


def is_parquet(path: str | Path, data: bytes) -> bool:
    """Tell a Parquet file by its first bytes, or by its name."""
    return data[:4] == b"PAR1" or Path(path).suffix.lower() in (".parquet", ".pq")
