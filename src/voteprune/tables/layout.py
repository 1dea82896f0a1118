"""Which column of a table plays which part.

Only names are looked at here, never cells: the columns of a file come in, a `Layout` goes out, or
an error that lists the columns there are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..exceptions import FileFormatError, InputError
from .checked_rows import INDEXES, LABEL, PART, Bools, Layout, brief
from .read_options import ReadOptions


def table_layout(path: str | Path, columns: tuple[str, ...], options: ReadOptions) -> Layout:
    """Choose the columns of a table with labels: the paper's layout, or a target and the rest.

    Parameters
    ----------
    path
        The file, for messages.
    columns
        Its columns.
    options
        What the user says about them; the target may be missing in the paper's layout only.
    """
    target = options.target
    paper = PART in columns and LABEL in columns
    if target is None and not paper:
        raise FileFormatError(
            path,
            "needs the name of its label column: --target NAME (target= in Python). The paper's "
            f"layout, with {PART} and {LABEL}, needs none. The columns are {listed(columns)}.",
        )
    require_column(path, columns, "target", target)
    if target not in (None, LABEL) and paper:
        raise InputError(
            "target", f"{path} has the paper's layout, its labels are in {LABEL}; leave it out."
        )
    label = target or LABEL
    index = index_column(path, columns, options, label)
    part = part_column(path, columns, options, PART if paper else None)
    votes, notes = options.voters(str(path), columns, (label, index, part, PART if paper else None))
    if not votes:
        raise FileFormatError(path, "has no classifier: give one column of votes for each.")
    return Layout(
        votes, label, part, index, options.test_value, options.cut, notes, options.numbers
    )


def require_column(
    path: str | Path, columns: Sequence[str], argument: str, name: str | None
) -> None:
    """Refuse the name of a column that a file does not have."""
    if name is not None and name not in columns:
        raise InputError(argument, f"{path} has no column {name!r}, only {listed(columns)}.")


def index_column(
    path: str | Path, columns: Sequence[str], options: ReadOptions, label: str | None
) -> str | None:
    """Return the column that names the rows, ``index`` or that of pandas where nothing is said."""
    require_column(path, columns, "id", options.id)
    known = (name for name in INDEXES if name in columns and name != label)
    return options.id or next(known, None)


def guessed_id(columns: Sequence[str], taken: Sequence[str | None]) -> str | None:
    """Return a column called id; only where the voters are known, so that none is mistaken."""
    return next((name for name in columns if name.lower() == "id" and name not in taken), None)


def part_column(
    path: str | Path, columns: Sequence[str], options: ReadOptions, paper: str | None = None
) -> str | None:
    """Return the column that tells test rows from others, the paper's where nothing is said."""
    require_column(path, columns, "split", options.test_column)
    return options.test_column or paper


def votes_layout(
    path: str | Path, columns: tuple[str, ...], names: Sequence[str], options: ReadOptions
) -> Layout:
    """Choose some classifiers by name, with labels, parts and ids where the file has them."""
    missing = [name for name in names if name not in columns]
    if missing:
        raise FileFormatError(
            path,
            f"has no column for {listed(missing)}. The committee's members are found by "
            f"name; the columns are {listed(columns)}.",
        )
    paper = LABEL in columns and PART in columns
    require_column(path, columns, "target", options.target)
    index = index_column(path, columns, options, options.target)
    if index is None:
        index = guessed_id(columns, (*names, options.target))
    return Layout(
        tuple(names),
        options.target or (LABEL if paper else None),
        part_column(path, columns, options, PART if paper else None),
        index,
        options.test_value,
        options.cut,
    )


def model_of(name: str) -> tuple[str, int]:
    """Return the model a classifier belongs to and its number in it: ``rf_2`` is the second rf.

    Parameters
    ----------
    name
        The classifier's; without a number it is a model of its own, with number 0.
    """
    stem = re.fullmatch(r"(.+)_(\d+)", name)
    return (stem[1], int(stem[2])) if stem else (name, 0)


def first_of_every_model(names: tuple[str, ...], k: int) -> list[int]:
    """Return the places of k classifiers, equally many of every model, by their number.

    ``rf_1, rf_2, ...`` are the classifiers of the model ``rf``; a name without a number is a
    model of its own.

    Parameters
    ----------
    names
        The classifiers there are.
    k
        How many to take; a multiple of the number of models.
    """
    models: dict[str, list[tuple[int, int]]] = {}
    for place, name in enumerate(names):
        model, number = model_of(name)
        models.setdefault(model, []).append((number, place))
    each, rest = divmod(k, len(models))
    if k < 1 or rest:
        raise InputError(
            "k",
            f"is {k}, but the file has {len(models)} models ({listed(list(models))}) and k takes "
            f"equally many of each. Give a multiple of {len(models)}.",
        )
    for model, found in models.items():
        if len(found) < each:
            raise InputError(
                "k", f"is {k}, {each} of every model, but {model} has only {len(found)}."
            )
    return [place for found in models.values() for _, place in sorted(found)[:each]]


def has_test_rows(path: str | Path, is_test: Bools, options: ReadOptions) -> bool:
    """Tell whether some rows are test rows; refuse a table that has no others."""
    if is_test.all():
        told = f"{PART} must say validation somewhere" if options.split is None else "see --split"
        raise FileFormatError(path, f"has test rows only; {told}.")
    if options.split is not None and not is_test.any():
        raise InputError(
            "split",
            f"is {brief(options.split)}, but no row of {path} says so. Name a value it has.",
        )
    return bool(is_test.any())


def listed(names: Sequence[str]) -> str:
    """List the first few of some names."""
    more = f", ... ({len(names)} in all)" if len(names) > 8 else ""
    return ", ".join(brief(name) for name in names[:8]) + more
