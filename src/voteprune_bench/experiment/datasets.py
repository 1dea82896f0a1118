"""Data sets by id: the paper's nine, a part of one of them, and any table of your own.

`datasets.toml` beside this module is the catalogue. BCW comes with scikit-learn; the others are
read from a data folder: ``data`` of a checkout has all but APS, and ``voteprune data`` fetches.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voteprune.exceptions import FileFormatError, InputError
from voteprune.tables.file_bytes import load as load_bytes

VARIABLE = "VOTEPRUNE_DATA"
"""Environment variable that names the data folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A binary classification task in a table.

    Parameters
    ----------
    id
        Short name in files and tables.
    name
        Long name.
    rows, negatives, positives
        What the paper's table says; None where nothing is known.
    features
        Number of columns that classifiers see, None where it is not known. The paper's table counts
        the label and identifiers of some sets too.
    sha256
        Checksum of the clean copy's text; empty where none is known.
    file
        A table of the user's own; None for the catalogue's sets.
    target, positive
        The label column and the word in it that means 1.
    raw
        How the published file becomes a clean copy, see `raw.py`.
    """

    id: str
    name: str
    rows: int | None = None
    negatives: int | None = None
    positives: int | None = None
    features: int | None = None
    sha256: str = ""
    file: Path | None = None
    target: str = "target"
    positive: str = "1"
    raw: dict[str, Any] | None = None

    @property
    def theta(self) -> float | None:
        """The paper's imbalance, N1 / N."""
        return self.positives / self.rows if self.rows and self.positives is not None else None


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A data set in memory.

    Parameters
    ----------
    numbers
        Numeric columns; nan is missing.
    words
        Text columns; None is missing.
    y
        Labels 0 and 1.
    fingerprint
        Checksum of what was read.
    """

    numbers: NDArray[np.float64]
    words: NDArray[np.object_]
    y: NDArray[np.int64]
    fingerprint: str


@cache
def catalogue() -> dict[str, Dataset]:
    """Return the data sets known by id."""
    text = Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8")
    return {key: Dataset(id=key, **entry) for key, entry in tomllib.loads(text).items()}


def data_folder(folder: str | Path | None = None) -> Path:
    """Return the folder with the data sets.

    Parameters
    ----------
    folder
        What the user asked for. Else what `VARIABLE` says, else ``data`` in the folder one works
        in, as in a checkout.
    """
    return Path(folder or os.environ.get(VARIABLE) or "data").expanduser().absolute()


def locate(dataset: Dataset, folder: Path) -> Path | None:
    """Return the data set's file; None for BCW, which scikit-learn has.

    Raises
    ------
    InputError
        If there is no such file.
    """
    if dataset.file is not None:
        if not dataset.file.is_file():
            raise InputError(dataset.id, f"{dataset.file} is not there. Correct its path.")
        return dataset.file.absolute()
    if dataset.id == "bcw":
        return None
    for name in (f"{dataset.id}.csv.gz", f"{dataset.id}.csv"):
        if (folder / name).is_file():
            return folder / name
    fetched = dataset.raw is not None and "url" in dataset.raw
    raise InputError(
        dataset.id,
        f"is not in the data folder {folder}. Name the right folder with --data-dir or {VARIABLE}"
        + (f", or fetch it: voteprune data download {dataset.id}" if fetched else "."),
    )


def load(dataset: Dataset, path: Path | None) -> Table:
    """Read a data set and check it against the catalogue.

    Raises
    ------
    FileFormatError
        If the file is no table, or has other rows or classes than the catalogue says.
    """
    table = _breast_cancer() if path is None else _read(dataset, path)
    source = path or "scikit-learn"
    check_counts(dataset, table.y, source)
    features = table.numbers.shape[1] + table.words.shape[1]
    if dataset.features not in (None, features):
        raise FileFormatError(
            str(source), f"has {features} features, {dataset.id} has {dataset.features}."
        )
    return table


def check_counts(dataset: Dataset, y: NDArray[np.int64], source: object) -> None:
    """Refuse labels whose numbers are not those of the paper's table."""
    found = (len(y), int((y == 0).sum()), int((y == 1).sum()))
    known = (dataset.rows, dataset.negatives, dataset.positives)
    for what, expected, actual in zip(("N", "N0", "N1"), known, found, strict=True):
        if expected is not None and expected != actual:
            raise FileFormatError(
                str(source),
                f"has {what} = {actual}, {dataset.id} has {expected}. Import the published file "
                f"again: voteprune data import {dataset.id} FILE",
            )
    if min(found) == 0:
        raise FileFormatError(str(source), "must have rows of both classes.")


def same_label(cell: str, word: str) -> bool:
    """Compare labels, numbers as numbers: ``1.`` is 1."""
    try:
        return float(cell) == float(word)
    except ValueError:
        return cell == word


def fingerprint_of(path: Path | None) -> str:
    """Return the checksum of a data set's text; BCW's is that of the catalogue."""
    if path is None:
        return catalogue()["bcw"].sha256
    return hashlib.sha256(load_bytes(path)).hexdigest()


def _breast_cancer() -> Table:
    from sklearn.datasets import load_breast_cancer

    numbers, benign = load_breast_cancer(return_X_y=True)
    none = np.empty((len(benign), 0), dtype=object)
    # scikit-learn has 1 for benign; the case to find is the malignant one.
    return Table(numbers, none, 1 - benign.astype(np.int64), fingerprint_of(None))


def _read(dataset: Dataset, path: Path) -> Table:
    try:
        import polars as pl
    except ImportError:
        raise InputError(
            "polars", "is needed to read data sets. Install it: pip install 'voteprune[bench]'"
        ) from None
    text = load_bytes(path)
    try:
        # Known sets say what is missing by an empty cell, and keep their words.
        missing = None if dataset.file is None else ["NA", "nan", "?"]
        frame = pl.read_csv(text, infer_schema_length=None, null_values=missing)
    except pl.exceptions.PolarsError as error:
        raise FileFormatError(path, f"is not a CSV table: {error}.") from None
    if dataset.target not in frame.columns:
        raise FileFormatError(
            path, f"has no column {dataset.target!r}, only {', '.join(frame.columns[:8])}, ..."
        )
    if not frame.height or frame.width < 2:
        raise FileFormatError(path, "has no rows." if not frame.height else "has no features.")
    labels = frame[dataset.target].cast(pl.String)
    classes = labels.unique().sort().to_list()
    if labels.null_count() or len(classes) > 2:
        raise FileFormatError(path, f"column {dataset.target!r} must hold two classes on all rows.")
    meant = [word for word in classes if same_label(word, dataset.positive)]
    if len(classes) == 2 and len(meant) != 1:
        raise FileFormatError(
            path,
            f"column {dataset.target!r} holds {classes[0]!r} and {classes[1]!r}, and positive is "
            f"{dataset.positive!r}. Say in the plan which of the two is positive.",
        )
    y = labels.is_in(meant).cast(pl.Int64).to_numpy()
    features = frame.drop(dataset.target)
    text_columns = [name for name, kind in features.schema.items() if kind == pl.String]
    numbers = features.drop(text_columns).cast(pl.Float64).to_numpy()
    if np.isinf(numbers).any():
        raise FileFormatError(path, "has infinite numbers. Correct them, or leave the cells empty.")
    words = np.array(features.select(text_columns).rows(), dtype=object)
    return Table(
        np.asarray(numbers, dtype=np.float64).reshape(len(y), -1),
        words.reshape(len(y), -1),
        np.asarray(y),
        hashlib.sha256(text).hexdigest(),
    )
