"""Votes on more rows than memory holds: Parquet files, lazy frames and Dask collections.

Rows are packed into words of 64 votes and merged where they lie, piece by piece, by polars'
streaming engine or on a Dask cluster. What comes back are `Votes` with one row per pattern and
label, which weighs as much as all rows it stands for: every committee has the same value, bound
and certificate of optimality on them as on the rows themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..exceptions import InputError
from ..numbers.floats import ROUNDING
from .abstaining import HOW_TO_ABSTAIN
from .packed import Packed
from .pieces import Columns, DaskTable, LazyTable, table_of
from .reading import TwoClasses, check_cutoff, holds_probabilities, read_names

MOST_PATTERNS = 50_000_000
"""Distinct patterns that are worked with: with 50 classifiers they fill about 8 GB."""


def scan_votes(
    source: object,
    target: str,
    *,
    names: Sequence[str] | None,
    ignore: Sequence[str],
    sample_weight: str | None,
    positive: object,
    cutoff: float,
    gaps: bool = False,
) -> tuple[tuple[str, ...], Packed, TwoClasses | None]:
    """Merge the rows of a table that need not fit into memory.

    Parameters
    ----------
    source
        Parquet files (a path, a folder, a pattern, or several of them), a polars LazyFrame, or a
        Dask data frame.
    target
        The column of labels.
    names
        The columns that are classifiers; all others when omitted.
    ignore
        Columns that are not.
    sample_weight
        A column of whole numbers that rows count for.
    positive
        The positive label; all other labels must be one value.
    cutoff
        From where on a number is a positive vote.
    gaps
        Whether classifiers may say nothing (null, NaN).

    Returns
    -------
    tuple
        The classifiers' names, the merged rows in no particular order, and what the classes are
        called where they are not 0 and 1.

    Raises
    ------
    InputError
        If a column is missing, holds no votes, or rows lack labels; or if more than
        `MOST_PATTERNS` patterns are left.
    """
    table = table_of(source)
    votes = voters(table.columns, target, names, ignore, sample_weight)
    columns = Columns(votes, target, sample_weight, positive, check_cutoff(cutoff), gaps)
    (negative,) = checked_facts(table, columns, labels_vote=True)["labels"] - {positive}
    if (negative, positive) != (0, 1):
        # Votes may be classes, as they may in memory, beside or instead of probabilities.
        columns = replace(columns, classes=TwoClasses(positive, negative))
        _refuse_strangers(table, columns)
    packed = table.packed(columns)
    if len(packed.rows) > MOST_PATTERNS:
        raise InputError(
            "source",
            f"has {len(packed.rows)} distinct patterns of votes, more than the {MOST_PATTERNS} "
            "that are worked with. Leave out classifiers (names=), or rows.",
        )
    return read_names(None, votes, len(votes)), packed, columns.classes


def _refuse_strangers(table: LazyTable | DaskTable, columns: Columns) -> None:
    """Refuse numbers that are neither a class nor a probability."""
    anything = columns.shares and not holds_probabilities(columns.cutoff)
    if anything or not columns.numbers:
        return
    for name in table.strangers(columns):
        raise InputError(
            "source",
            f"column {name!r} holds more than the classes {columns.classes}. Give votes for these "
            f"two; if it is no classifier, leave it out: ignore=[{name!r}].",
        )


def checked_facts(
    table: LazyTable | DaskTable, columns: Columns, *, labels_vote: bool = False
) -> dict[str, Any]:
    """Return what the columns hold, or refuse what would be read as something else than it is.

    Parameters
    ----------
    table, columns
        What is read.
    labels_vote
        Whether votes may be labels, too.
    """
    table.refuse_words(columns)
    facts = table.facts(columns)
    _check_facts(facts, columns, labels_vote)
    return facts


def voters(
    columns: Sequence[str],
    target: str,
    names: Sequence[str] | None,
    ignore: Sequence[str],
    weight: str | None,
) -> tuple[str, ...]:
    """Return the classifiers' columns, all of which are there."""
    for argument, several in (("names", names), ("ignore", ignore)):
        if isinstance(several, str):
            raise InputError(argument, f"is {several!r}; give a list of columns: [{several!r}].")
    asked = {"target": [target], "names": names or (), "ignore": ignore}
    asked["sample_weight"] = [] if weight is None else [weight]
    for argument, wanted in asked.items():
        for name in wanted:
            if name not in columns:
                listed = ", ".join(map(repr, columns[:8])) + ", ..." * (len(columns) > 8)
                raise InputError(argument, f"{name!r} is no column; there are {listed}.")
    others = {target, weight, *ignore}
    for name in names or ():
        if name in others:
            raise InputError(
                "names",
                f"{name!r} is a classifier there and plays another part. Name it once.",
            )
    wanted = tuple(columns if names is None else names)
    votes = tuple(n for n in read_names(None, wanted, len(wanted)) if n not in others)
    if not votes:
        raise InputError("names", "leaves no classifier. Name the columns that vote.")
    return votes


def _check_facts(facts: dict[str, Any], columns: Columns, labels_vote: bool) -> None:
    """Refuse what would be read as something else than it is."""
    if not facts["rows"]:
        raise InputError("source", "has no rows.")
    voting = facts["labels"] if labels_vote else set()
    for name in columns.votes:
        low, high, missing = (facts[f"{name} {what}"] for what in ("low", "high", "missing"))
        if missing and not columns.gaps:
            raise InputError(
                "source",
                f"column {name!r} lacks {missing} of {facts['rows']} votes. Leave such rows or "
                f"classifiers out, {HOW_TO_ABSTAIN}.",
            )
        if missing == facts["rows"]:
            continue
        if not math.isfinite(low) or not math.isfinite(high):
            raise InputError("source", f"column {name!r} is infinite somewhere. Give numbers.")
        beyond = [
            end for end in (low, high) if not -ROUNDING <= end <= 1 + ROUNDING and end not in voting
        ]
        if holds_probabilities(columns.cutoff) and beyond:
            raise InputError(
                "source",
                f"column {name!r} holds {beyond[0]}. Votes are 0 or 1 and "
                "probabilities lie in [0, 1]; say where other numbers are cut: cutoff=0, say.",
            )
    labels = facts["labels"]
    if any(label is None or label != label for label in labels):
        raise InputError("target", f"column {columns.target!r} lacks labels on some rows.")
    if columns.positive not in labels or len(labels) != 2:
        raise InputError(
            "target",
            f"column {columns.target!r} holds {', '.join(map(repr, sorted(labels, key=repr)[:5]))}"
            f"{', ...' * (len(labels) > 5)}; expected two labels, {columns.positive!r} for the "
            "positive class and another one. Say which is positive: positive='yes', say.",
        )
    if columns.weight is not None and not facts["whole"]:
        raise InputError(
            "sample_weight",
            f"column {columns.weight!r} must hold whole numbers, 0 or more, and some above 0. "
            "Multiply fractions by their common denominator.",
        )
