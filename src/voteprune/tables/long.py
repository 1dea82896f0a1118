"""Tables with a line for each vote: item, judge, vote, and perhaps what it cost."""

from __future__ import annotations

from pathlib import Path

from ..exceptions import FileFormatError, InputError
from .labels import LabelRows
from .layout import require_column
from .rows import brief, parse_number
from .sheet import Sheet
from .wish import Wish

LONG = (("item", "judge", "vote"), ("task", "worker", "label"))
"""Columns by which such a table is known; the second are crowd-kit's."""

COST = "cost"
"""The column that tells what a vote cost."""


def read_long(path: str | Path, table: LabelRows, wish: Wish, columns: tuple[str, ...]) -> Sheet:
    """Put a table with a line for each vote into columns, one per judge.

    Parameters
    ----------
    path
        The file, for messages.
    table
        Its cells.
    wish
        How to read it; the target is a column that says the same on all lines of an item.
    columns
        Those of item, judge and vote.
    """
    for name in columns:
        require_column(path, table.columns, "long", name)
    require_column(path, table.columns, "target", None if wish.labels else wish.target)
    items, judges, votes = (table.column(name).tolist() for name in columns)
    lines = table.lines or range(1, len(items) + 1)
    said: dict[str, dict[str, str]] = {}
    for line, item, judge, vote in zip(lines, items, judges, votes, strict=True):
        if not item or not judge:
            raise FileFormatError(path, f"{columns[0]} and {columns[1]} must be named.", line)
        if item in said.setdefault(judge, {}):
            raise FileFormatError(
                path, f"{brief(judge)} votes twice on {brief(item)}; once is allowed.", line
            )
        said[judge][item] = vote
    rows = tuple(dict.fromkeys(items))
    truth: dict[str, str] | None = None
    if wish.labels is None:
        if wish.target is None:
            raise InputError(
                "labels",
                f"is missing. {path} has votes; name a file of labels ({columns[0]} and label), or "
                "its own column of them with --target.",
            )
        truth = {}
        for line, item, label in zip(lines, items, table.column(wish.target).tolist(), strict=True):
            if truth.setdefault(item, label) != label:
                raise FileFormatError(
                    path, f"{wish.target!r} of {brief(item)} is not the same everywhere.", line
                )
    return Sheet(
        str(path),
        tuple(said),
        rows,
        tuple([column.get(item, "") for item in rows] for column in said.values()),
        None if truth is None else [truth[item] for item in rows],
        wish.target or "label",
        columns[0],
        costs=_costs(path, table, judges),
    )


def _costs(path: str | Path, table: LabelRows, judges: list[str]) -> dict[str, float] | None:
    """Return what a vote of each judge costs on average, where the table tells."""
    if COST not in table.columns:
        return None
    spent: dict[str, list[float]] = {}
    lines = table.lines or range(1, len(judges) + 1)
    for line, judge, cell in zip(lines, judges, table.column(COST).tolist(), strict=True):
        cost = parse_number(cell)
        if cost is None or not 0 <= cost < float("inf"):
            raise FileFormatError(path, f"{COST!r} is {brief(cell)}; expected 0 or more.", line)
        spent.setdefault(judge, []).append(cost)
    return {
        judge: costs[0] if len(set(costs)) == 1 else sum(costs) / len(costs)
        for judge, costs in spent.items()
    }
