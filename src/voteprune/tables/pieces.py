"""A table in pieces: a folder of Parquet files with the same columns, scanned and merged.

Votes are merged where they are equal; probabilities are summed, for the squared loss alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..exceptions import InputError
from ..soft.probabilities import Probabilities, ScannedProbabilities
from ..votes.parquet_files import parquet_files
from ..votes.votes import Votes
from .files import import_polars
from .layout import first_of_every_model
from .parquet import unreadable
from .rows import INDEX, VoteTable
from .wish import Wish

_PARQUET = (".parquet", ".pq")


def is_in_pieces(paths: Sequence[str | Path], wish: Wish) -> bool:
    """Tell whether files are pieces of one table, and not a file per model.

    Parameters
    ----------
    paths
        Files and folders.
    wish
        How to read them. Files of models are joined by an id or have labels of their own.
    """
    if wish.target is None or wish.id is not None or wish.labels is not None or wish.long:
        return False
    found = [
        inside
        for path in map(Path, paths)
        for inside in (path.iterdir() if path.is_dir() else [path])
        if not inside.name.startswith((".", "_"))  # as _SUCCESS, which others write beside them
    ]
    several = len(found) > 1 or any(Path(path).is_dir() for path in paths)
    if not several or not all(path.name.lower().endswith(_PARQUET) for path in found):
        return False
    return not found or INDEX not in _columns(found[0])  # by which a file per model is joined


def scan_pieces(paths: Sequence[str | Path], wish: Wish) -> VoteTable:
    """Read the votes of a table in pieces; equal rows are merged on the way.

    Parameters
    ----------
    paths, wish
        As for `read_source`.

    Raises
    ------
    FileFormatError
        If a file cannot be read.
    InputError
        If the columns are not those that `wish` names, or it asks for what needs single rows.
    """
    files, source, voters, notes = _pieces(paths, wish)
    assert wish.target is not None
    votes = Votes.scan(
        source, wish.target, names=voters,
        positive=_positive(wish), cutoff=wish.cut, abstentions=wish.abstentions,
    )  # fmt: skip
    merged = f"{len(files)} files: {int(votes.weights.sum())} rows, {votes.n_rows} after merging"
    return VoteTable(votes, (), None, (merged, *notes))


def scan_soft_pieces(
    paths: Sequence[str | Path], wish: Wish, clip: float
) -> tuple[ScannedProbabilities, tuple[str, ...]]:
    """Read the probabilities of a table in pieces, and what is to be said of it.

    Parameters
    ----------
    paths, wish
        As for `scan_pieces`.
    clip
        As for `Probabilities`.

    Raises
    ------
    FileFormatError, InputError
        As `scan_pieces` does.
    """
    files, source, voters, notes = _pieces(paths, wish)
    assert wish.target is not None
    said = Probabilities.scan(
        source, wish.target, names=voters, positive=_positive(wish), clip=clip
    )
    return said, (f"{len(files)} files: {said.n_rows} rows", *notes)


def _pieces(
    paths: Sequence[str | Path], wish: Wish
) -> tuple[list[str], Any, tuple[str, ...], tuple[str, ...]]:
    """Return the files, what to scan, the classifiers' columns, and what is to be said of them."""
    assert wish.target is not None
    if wish.split is not None:
        raise InputError("split", "is for one table. Give the test rows with --test.")
    if wish.grade is not None:
        raise InputError(
            "positive", f"is {wish.positive!r}; in tables in pieces the positive class is a value."
        )
    files = parquet_files(paths)
    voters, notes = wish.voters(files[0], _columns(files[0]), (wish.target,))
    if wish.k is not None:
        voters = tuple(voters[k] for k in first_of_every_model(voters, wish.k))
    return files, _silenced(files, voters, wish) if wish.abstain else files, voters, notes


def _positive(wish: Wish) -> int | str:
    return 1 if wish.word is None else wish.word


def _silenced(files: Sequence[str], voters: Sequence[str], wish: Wish) -> Any:
    """Return the rows of all pieces, with nothing where a vote is a number that abstains."""
    pl = import_polars()
    try:
        numbers = [float(word) for word in wish.abstain]
    except ValueError:
        raise InputError(
            "abstain",
            f"is {', '.join(wish.abstain)}; in tables in pieces votes are numbers, and so is what "
            "abstains: --abstain -1, say.",
        ) from None
    votes = [pl.col(name) for name in voters]
    return pl.scan_parquet(files).with_columns(
        pl.when(vote.cast(pl.Float64).is_in(numbers)).then(None).otherwise(vote).alias(name)
        for vote, name in zip(votes, voters, strict=True)
    )


def _columns(file: str | Path) -> tuple[str, ...]:
    pl = import_polars()
    try:
        return tuple(pl.read_parquet_schema(file))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise unreadable(file, error) from None
