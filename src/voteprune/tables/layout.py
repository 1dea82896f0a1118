"""Which column of a table plays which part.

Only names are looked at here, never cells: the columns of a file come in, a `Layout` goes out, or
an error that lists the columns there are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..exceptions import FileFormatError, InputError
from .rows import INDEX, LABEL, PART, Layout, brief


def table_layout(path: str | Path, columns: tuple[str, ...], target: str | None) -> Layout:
    """Choose the columns of a table with labels: the paper's layout, or a target and the rest.

    Parameters
    ----------
    path
        The file, for messages.
    columns
        Its columns.
    target
        The label column; may be None in the paper's layout only.
    """
    paper = PART in columns and LABEL in columns
    if target is None and not paper:
        raise FileFormatError(
            path,
            f"does not have the paper's columns {PART} and {LABEL}. For any other table name the "
            f"label column with target (--target NAME). The columns are {_listed(columns)}.",
        )
    if target is not None and target not in columns:
        raise InputError("target", f"{path} has no column {target!r}, only {_listed(columns)}.")
    if target not in (None, LABEL) and paper:
        raise InputError(
            "target", f"{path} has the paper's layout, its labels are in {LABEL}; leave it out."
        )
    label = target or LABEL
    index = INDEX if INDEX in columns and label != INDEX else None
    part = PART if paper else None
    votes = tuple(name for name in columns if name not in (label, index, part))
    if not votes:
        raise FileFormatError(path, "has no classifier: give one column of votes for each.")
    return Layout(votes, label, part, index)


def votes_layout(path: str | Path, columns: tuple[str, ...], names: Sequence[str]) -> Layout:
    """Choose some classifiers by name, and the paper's own columns where the file has them.

    Parameters
    ----------
    path
        The file, for messages.
    columns
        Its columns.
    names
        The classifiers wanted.
    """
    missing = [name for name in names if name not in columns]
    if missing:
        raise FileFormatError(
            path,
            f"has no column for {_listed(missing)}. The committee's members are found by "
            f"name; the columns are {_listed(columns)}.",
        )
    paper = LABEL in columns and PART in columns
    return Layout(
        tuple(names),
        LABEL if paper else None,
        PART if paper else None,
        INDEX if INDEX in columns else None,
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
            f"is {k}, but the file has {len(models)} models ({_listed(list(models))}) and k takes "
            f"equally many of each. Give a multiple of {len(models)}.",
        )
    for model, found in models.items():
        if len(found) < each:
            raise InputError(
                "k", f"is {k}, {each} of every model, but {model} has only {len(found)}."
            )
    return [place for found in models.values() for _, place in sorted(found)[:each]]


def _listed(names: Sequence[str]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > 8 else ""
    return ", ".join(brief(name) for name in names[:8]) + more
