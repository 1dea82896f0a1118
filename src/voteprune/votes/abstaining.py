"""Abstentions: cells in which a classifier says nothing, and what that counts for."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..files.jsonfile import Fields

Abstentions = Literal["skip", "against"]
"""What an abstention counts for: nothing, or a vote for the class that also wins ties."""

HOW_TO_ABSTAIN = (
    "or say what an abstention counts for: abstentions='skip' (for nothing, those who vote decide) "
    "or abstentions='against' (not positive)"
)
"""The cure for a missing vote that somebody meant."""


def check_abstentions(abstentions: object) -> Abstentions | None:
    """Return the rule for abstentions, None where there are to be none."""
    for rule in get_args(Abstentions):
        if abstentions == rule:
            known: Abstentions = rule
            return known
    if abstentions is None:
        return None
    raise InputError(
        "abstentions",
        f"is {abstentions!r}; expected 'skip' (those who vote decide), 'against' (not positive), "
        "or None, by which a missing vote is an error.",
    )


def read_abstentions(fields: Fields) -> Abstentions | None:
    """Read the rule from a document; one without it knows no abstentions."""
    if fields.missing("abstentions"):
        return None
    return check_abstentions(fields.text("abstentions"))


def check_same_rule(votes: Abstentions | None, committee: Abstentions | None) -> None:
    """Refuse votes whose abstentions count for something else than the committee's."""
    if votes != committee:
        raise InputError(
            "votes",
            f"counts abstentions by {votes!r}, the committee was chosen by {committee!r}. Read "
            "them by the same rule.",
        )


def is_missing(cell: object) -> bool:
    """Tell whether a single cell says nothing."""
    # pandas' NA has no truth value; nothing else that counts as a vote is unlike itself.
    return cell is None or type(cell).__name__ == "NAType" or (
        isinstance(cell, float) and cell != cell
    )  # fmt: skip


def says_something(cell: object) -> bool:
    """Tell whether a single cell is neither missing nor empty text."""
    return not (is_missing(cell) or (isinstance(cell, str) and not cell))


def unmasked(values: Any) -> object:
    """Return an array with masked entries as one with None in their place."""
    if not np.ma.is_masked(values):
        return values
    cells: NDArray[Any] = np.ma.getdata(values).astype(object)
    cells[np.ma.getmaskarray(values)] = None
    return cells


def fill_gaps(table: NDArray[Any], filler: object) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Put something into the cells that say nothing, and tell which cells say something.

    Parameters
    ----------
    table
        Numbers, in which NaN says nothing; text, in which an empty cell does; or objects.
    filler
        What comes into the gaps; nobody must read it.

    Returns
    -------
    table, voted
        `voted` is None where no cell was empty.
    """
    if table.dtype.kind == "f":
        gaps = np.isnan(table)
    elif table.dtype.kind == "U":
        gaps = table == ""
    elif table.dtype == object:
        said = np.fromiter(map(says_something, table.flat), dtype=bool, count=table.size)
        gaps = ~said.reshape(table.shape)
    else:
        return table, None
    if not gaps.any():
        return table, None
    other_kind = table.dtype.kind == "U" or isinstance(filler, str)
    filled = table.astype(object) if other_kind else table.copy()
    filled[gaps] = filler
    voted: NDArray[np.bool_] = ~gaps
    voted.setflags(write=False)
    return filled, voted
