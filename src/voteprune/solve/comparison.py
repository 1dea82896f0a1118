"""`Comparison`: what several methods made of the same votes, as data and as a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..exceptions import shown
from ..files import jsonfile, outfile
from ..web.chart import Mark, chart_file, draw, new_axes
from .plurality_solution import PluralitySolution
from .solution import Solution
from .words import html_of_table, wrap


@dataclass(frozen=True, slots=True)
class Row:
    """What one method made of the votes; None where there is nothing to say.

    Parameters
    ----------
    method
        Its name.
    status, termination, trusted
        As on its `Solution`.
    size, threshold
        Of the committee; where most votes win there is no threshold.
    value, bound
        The objective on the votes, and what no committee can exceed.
    accuracy, balanced_accuracy
        On the votes the committee was chosen on.
    test_accuracy, test_balanced_accuracy
        On the test votes.
    diversity
        Mean PFC of the members on the votes; a committee of one has none, nor have several
        classes and votes in which abstentions are skipped.
    seconds
        What it took.
    """

    method: str
    status: str
    termination: str
    size: int | None
    threshold: int | None
    value: float | None
    bound: float | None
    accuracy: float | None
    balanced_accuracy: float | None
    test_accuracy: float | None
    test_balanced_accuracy: float | None
    diversity: float | None
    seconds: float
    trusted: tuple[str, ...] = ()


COLUMNS = tuple(column.name for column in fields(Row))
"""The columns of a comparison, in order."""

_SHOWN = {
    "method": "method",
    "size": "size",
    "threshold": "threshold",
    "value": "objective",
    "bound": "bound",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced",
    "test_accuracy": "test acc.",
    "test_balanced_accuracy": "test bal.",
    "diversity": "mean PFC",
    "seconds": "seconds",
    "status": "status",
    "trusted": "word of",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rows of a comparison, in the order the methods were given.

    Parameters
    ----------
    objective
        The criterion every method was asked to maximise.
    rows
        One per method.
    solutions
        The methods' solutions, in the same order.
    left_out
        Methods that were not compared, and why, where none were named.
    """

    objective: str
    rows: tuple[Row, ...]
    solutions: tuple[Solution | PluralitySolution, ...]
    left_out: dict[str, str] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        return f"<Comparison: {self.objective}, {', '.join(row.method for row in self.rows)}>"

    def _repr_html_(self) -> str:
        header, *rows = self._cells()
        return html_of_table(f"Methods by {self.objective}", header, rows)

    def table(self) -> str:
        """Return the rows as text; columns nobody has anything to say in are left out.

        Below stands which methods were left out, and why.
        """
        lines = self._cells()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([*text, *self._notes()])

    def _notes(self) -> list[str]:
        """Say which methods were left out, one paragraph for each reason."""
        lines = []
        for reason in dict.fromkeys(self.left_out.values()):
            names = [name for name, why in self.left_out.items() if why == reason]
            label = f"Left out ({shown(reason)}): "
            (line, *more) = wrap(label, names)
            lines += [label.rstrip(), *wrap("  ", names)] if more else [line]
        return ["", *lines] if lines else []

    def _cells(self) -> list[list[str]]:
        """Return the header and the rows, without columns nobody has anything to say in."""
        told = [
            name
            for name in _SHOWN
            if any(getattr(row, name) not in (None, ()) for row in self.rows)
            and not (name == "value" and self.objective in ("accuracy", "balanced_accuracy"))
        ]
        rows = [[_cell(name, getattr(row, name)) for name in told] for row in self.rows]
        return [[_SHOWN[name] for name in told], *rows]

    def to_csv(self) -> str:
        """Return all columns as CSV text; what is not known is empty."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self.rows:
            values = (getattr(row, name) for name in COLUMNS)
            writer.writerow(
                "" if value is None else " ".join(value) if isinstance(value, tuple) else value
                for value in values
            )
        return out.getvalue()

    def to_json(self) -> str:
        """Return all columns as JSON text; what is not known is null."""
        rows = [{name: getattr(row, name) for name in COLUMNS} for row in self.rows]
        told = {"objective": self.objective, "rows": rows, "left_out": self.left_out}
        return jsonfile.dump("comparison", told)

    def plot(self, ax: Any = None) -> Any:
        """Draw accuracy against size; needs matplotlib, ``pip install 'voteprune[plot]'``.

        Heights are balanced accuracies where that is the objective, and are taken on the test
        votes where there are any; hollow marks then tell the height on the votes.

        Parameters
        ----------
        ax
            matplotlib axes to draw on; those of a new figure when omitted.

        Returns
        -------
        The axes.
        """
        axes = new_axes() if ax is None else ax
        draw(axes, *self._picture())
        return axes

    def save_plot(self, path: str | Path) -> None:
        """Draw accuracy against size into a file, whose ending (png, svg, pdf) says its format."""
        form = Path(path).suffix.lower().removeprefix(".") or "png"
        outfile.write_bytes(path, chart_file(form, *self._picture()))

    def _picture(self) -> tuple[list[Mark], str, float | None]:
        measure = "balanced_accuracy" if self.objective == "balanced_accuracy" else "accuracy"
        marks = [
            Mark(
                row.method, row.size, fitted, getattr(row, f"test_{measure}"), row.bound is not None
            )
            for row in self.rows
            if row.size is not None and (fitted := getattr(row, measure)) is not None
        ]
        bounds = [row.bound for row in self.rows if row.bound is not None]
        bound = min(bounds) if bounds and self.objective == measure else None
        return marks, measure.replace("_", " "), bound


def _cell(name: str, value: Any) -> str:
    if value is None or value == ():
        return "-"
    if isinstance(value, tuple):
        return ", ".join(value)
    if name == "seconds":
        return f"{value:.2f}"
    return f"{value:.4f}" if isinstance(value, float) else shown(str(value))
