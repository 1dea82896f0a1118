"""Files become tables: the three readers that the rest of the package calls.

A file's first bytes tell gzip and Parquet apart from text, whatever the file is called; only a
name that ends in .parquet or .pq is taken at its word, so that a damaged one is reported as such.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import FileFormatError, InputError
from ..votes.plurality import PluralityVotes
from ..votes.votes import Votes
from .checked_rows import (
    NEEDED,
    Choose,
    ClassTable,
    Rows,
    VoteTable,
    brief,
    class_names,
    parse_number,
    with_point,
)
from .csvfile import Gaps, WordLabels, decode, read_csv, reader_of, records_of
from .file_bytes import enough_memory, import_polars, is_parquet, load
from .format_detection import opened, read_sheet
from .joining import File, shown_source
from .layout import first_of_every_model, has_test_rows, table_layout, votes_layout
from .parquet import is_in_pieces, read_parquet, scan_pieces
from .read_options import ReadOptions


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
    return read_source([path], ReadOptions(target, k))


def read_source(paths: Sequence[str | Path], options: ReadOptions) -> VoteTable:
    """Read votes with their labels from whatever files hold them.

    Parameters
    ----------
    paths
        One table, files and folders that are joined by their ids, or a table in pieces.
    options
        How to read them.

    Raises
    ------
    FileFormatError
        If a file cannot be read so; a CSV file's line is named.
    InputError
        If the files do not have what `options` names.
    """
    if is_in_pieces(paths, options):
        return scan_pieces(paths, options)
    loaded = opened(paths, options)
    rows, path = _rows(loaded, options), shown_source(loaded)
    if options.k is not None:
        rows = rows.of(first_of_every_model(rows.names, options.k))
    validation, test = rows, None
    if rows.is_test is not None and has_test_rows(path, rows.is_test, options):
        validation, test = rows.where(~rows.is_test), rows.where(rows.is_test)
    try:
        votes = Votes(
            complete(path, validation, options), validation.labels, names=validation.names,
            abstentions=options.abstentions,
        ).cut_at(options.cut)  # fmt: skip
        if rows.classes is not None:
            votes = votes.called(*class_names(rows.classes))
    except FileFormatError:
        raise
    except InputError as error:
        raise FileFormatError(path, error.message) from None
    if test is not None:
        complete(path, test, options)
    return VoteTable(
        votes, validation.ids, test, rows.notes, rows.costs, rows.classes, validation.numbers
    )


def complete(path: str | Path, rows: Rows, options: ReadOptions) -> NDArray[Any]:
    """Return the votes; refuse them where some are missing that must not."""
    if options.abstentions is not None or rows.numbers is None or not np.isnan(rows.numbers).any():
        return rows.said
    absent = np.isnan(rows.numbers)
    row, column = np.argwhere(absent)[0]
    raise FileFormatError(
        path,
        f"{int(absent.sum())} of {absent.size} votes are missing, the first by "
        f"{brief(rows.names[column])} on row {brief(rows.ids[row])}; "
        f"{int((~absent.any(axis=0)).sum())} of {len(rows.names)} classifiers vote on every row. "
        f"{NEEDED}",
    )


def read_rows(paths: Sequence[str | Path], options: ReadOptions) -> Rows:
    """Read rows with their labels; what nobody voted is NaN in their numbers."""
    loaded = opened(paths, options)
    try:
        return _rows(loaded, options)
    except Gaps:
        sheet = read_sheet(loaded, options, text=True)
        assert sheet is not None
        return sheet.rows(options)


def read_plurality(path: str | Path, target: str | None) -> PluralityVotes:
    """Read a table of class labels with the true ones.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet.
    target
        Name of the column of true classes; every other column but ``index`` is a classifier.

    Raises
    ------
    FileFormatError
        If the file is not such a table; a CSV file's line is named.
    InputError
        If `target` is no column.
    """
    return read_classes([path], ReadOptions(target)).validation


def read_classes(
    paths: Sequence[str | Path], options: ReadOptions, test: str | Path | None = None
) -> ClassTable:
    """Read class labels with the true ones from whatever files hold them."""
    for option in ("positive", "cutoff"):
        if getattr(options, option) is not None:
            raise InputError(option, "is for two classes. Leave it out with --plurality.")
    loaded = opened(paths, options)
    sheet = read_sheet(loaded, options, text=True)
    assert sheet is not None
    notes, others = (*sheet.notes, *sheet.doubts()), None
    is_test = sheet.is_test
    if is_test is not None and has_test_rows(sheet.path, is_test, options):
        if test is not None:
            raise InputError("--test", "is one set of test rows, the table has another. Give one.")
        sheet, others = sheet.where(~is_test), sheet.where(is_test)
    if test is not None:
        others = read_sheet(opened([test], options), options, sheet.names, text=True)
        assert others is not None
        if others.labels is None:
            raise InputError("--test", f"{test} has no labels. Name their column with --target.")
        others = others.of(sheet.names)
    classes = sheet.classes() | (set() if others is None else others.classes())
    return ClassTable(
        sheet.plurality(options, classes),
        None if others is None else others.plurality(options, classes),
        notes,
        sheet.costs,
    )


def _rows(loaded: Sequence[File], options: ReadOptions) -> Rows:
    sheet = read_sheet(loaded, options)
    if sheet is not None:
        return sheet.rows(options)
    path = loaded[0].path
    try:
        return _read(loaded[0], lambda columns: table_layout(path, columns, options), options)
    except WordLabels:
        words = read_sheet(loaded, options, text=True)
        assert words is not None
        return words.rows(options)  # which says what the words are


def read_votes(path: str | Path, names: Sequence[str], options: ReadOptions | None = None) -> Rows:
    """Read the votes of some classifiers, in the order of `names`; labels may be absent.

    Other columns may hold anything. Labels and parts are read where `options` names them, or the
    file has the paper's ``real_class`` and ``datatype``.

    Parameters
    ----------
    path
        CSV, gzipped CSV or Parquet, or any other file that `read_source` reads.
    names
        The classifiers to read, each once.
    options
        How to read them.

    Raises
    ------
    FileFormatError
        If a classifier has no column, or the file is no table; a CSV file's line is named.
    InputError
        If a name stands twice in `names`.
    """
    options = options or ReadOptions()
    if len(set(names)) != len(names):
        raise InputError("names", "two members have the same name; they are found by name.")
    loaded = opened([path], options)
    sheet = read_sheet(loaded, options, names)
    if sheet is None:
        return _read(
            loaded[0], lambda columns: votes_layout(path, columns, names, options), options
        )
    rows = sheet.of(names).rows(options)
    complete(path, rows, options)
    return rows


def read_costs(path: str | Path) -> dict[str, float]:
    """Read what classifiers cost.

    Parameters
    ----------
    path
        CSV, plain or gzipped, with commas, semicolons or tabs: a name and a cost per line; the
        header ``name,cost`` may be left out.

    Raises
    ------
    FileFormatError
        If a line is anything else, or a name stands twice.
    """
    costs: dict[str, float] = {}
    text = decode(path, load(path))
    reader = reader_of(text, None)
    for line, record in records_of(path, reader):
        if not costs and [cell.strip().lower() for cell in record] == ["name", "cost"]:
            continue
        plain = reader.dialect.delimiter == ","
        cost = parse_number(record[-1] if plain else with_point(record[-1]))
        if len(record) != 2 or cost is None or not math.isfinite(cost):
            raise FileFormatError(path, "expected a classifier's name and its cost.", line)
        if record[0] in costs:
            raise FileFormatError(path, f"{record[0]!r} stands twice; names must differ.", line)
        costs[record[0]] = cost
    if not costs:
        raise FileFormatError(path, "names no cost; expected lines of name,cost.", 1)
    return costs


def _read(file: File, choose: Choose, options: ReadOptions) -> Rows:
    path, data = file.path, file.data
    with enough_memory(path):
        polars = import_polars()
        if is_parquet(path, data):
            return read_parquet(path, data, choose, polars)
        return read_csv(path, data, choose, polars, options.sep)
