"""Vote files: what the pools say, in the paper's layout, to be kept, published and pruned again.

Columns ``datatype``, ``real_class``, ``index``, then one probability per classifier; gzipped CSV,
the same bytes for the same votes.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np

from voteprune.files import outfile
from voteprune.tables.checked_rows import INDEX, LABEL, PART

from .protocol import PoolAnswers

DECIMALS = 6


def file_name(dataset: str, seed: int, fold: int, key: str, k: int) -> str:
    """Return what a run calls the vote file of one fold.

    Parameters
    ----------
    dataset, seed, fold
        The fold.
    key
        The cell's hash, so that votes of another pool or other data are never taken for these.
    k
        How many classifiers.
    """
    return f"{dataset}-s{seed}-f{fold}-{key[:8]}-k{k}.csv.gz"


def find_votes(folder: Path, dataset: str, seed: int, fold: int, key: str, k: int) -> Path | None:
    """Return the smallest vote file of a fold with K classifiers or more; None if there is none."""
    found = {}
    for path in folder.glob(f"{dataset}-s{seed}-f{fold}-{key[:8]}-k*.csv.gz"):
        size = path.name.removesuffix(".csv.gz").rpartition("-k")[2]
        if size.isdigit() and int(size) >= k:
            found[int(size)] = path
    return found[min(found)] if found else None


def write_votes(path: Path, said: PoolAnswers) -> None:
    """Write a vote file, whole or not at all.

    Parameters
    ----------
    path
        Where; its folder is made if need be.
    said
        Probabilities are cut, not rounded, to six decimals: 0.4999999 must not become a vote.
    """
    import polars as pl

    scale = 10**DECIMALS
    values = np.floor(said.values * scale) / scale
    n_test = len(said.y) - said.n_validation
    frame = pl.DataFrame(
        {
            PART: ["validation"] * said.n_validation + ["test"] * n_test,
            LABEL: said.y,
            INDEX: said.index,
            **{name: values[:, place] for place, name in enumerate(said.names)},
        }
    )
    text = io.BytesIO()
    frame.write_csv(text)
    data = gzip.compress(text.getvalue(), compresslevel=6, mtime=0)
    outfile.make_folder(path.parent)
    outfile.write_bytes(path, data)


def clear_leftovers(path: Path) -> None:
    """Delete what a run that was killed has left of a vote file."""
    for leftover in path.parent.glob(f".{path.name}.*"):
        leftover.unlink(missing_ok=True)
