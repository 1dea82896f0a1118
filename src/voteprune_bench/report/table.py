"""Tables as data, and as text: for a terminal, in Markdown, LaTeX and CSV.

A `Table` holds our figures with the paper's beside them; a `Listing` holds words. Every form of a
table is made of a listing, so there is one place where a figure is rounded.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from voteprune.exceptions import shown

MISSING = "-"
"""What stands where there is no figure."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Our figure and the paper's.

    Parameters
    ----------
    ours, spread
        Mean and standard deviation; None where there is none.
    paper, paper_spread
        The same as published.
    runs
        How many runs `ours` is the mean of.
    runs_spread
        Standard deviation of single runs, where `spread` is one of something else.
    lacking
        How many more runs the method has there, which have no such figure or an infinite one.
    of
        Of how many `ours` is a count, where that is not what the line says of all.
    """

    ours: float | None = None
    spread: float | None = None
    paper: float | None = None
    paper_spread: float | None = None
    runs: int = 0
    runs_spread: float | None = None
    lacking: int = 0
    of: int | None = None

    @property
    def aside(self) -> str:
        """What stands behind our figure, so that nobody takes it for one of all runs."""
        if self.of is not None:
            return f"of {self.of}"
        return f"({self.lacking} lacking)" if self.lacking else ""

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's; None unless there are both."""
        return None if self.ours is None or self.paper is None else self.ours - self.paper


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table.

    Parameters
    ----------
    keys
        What the line is about, such as data set and K.
    entries
        One for every column.
    summary
        Whether it sums up lines above it.
    """

    keys: tuple[str, ...]
    entries: tuple[Entry, ...]
    summary: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Our figures with the paper's beside them.

    Parameters
    ----------
    name
        Short, fit for a file's name.
    title, note
        What it shows, and what to know before reading it.
    keys
        Headings of the lines' keys.
    columns
        Headings of the entries: methods.
    lines
        In order.
    decimals
        Digits that are shown; CSV has them all.
    better
        What is better, "high" or "low".
    rivals
        Whether the entries of a line compete, so that one of them is the best.
    """

    name: str
    title: str
    note: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    decimals: int = 4
    better: str = "high"
    rivals: bool = True

    def shown(self, value: float | None, signed: bool = False) -> str:
        """Round a figure as this table does."""
        if value is None:
            return MISSING
        text = f"{value:{'+' if signed else ''}.{self.decimals}f}"
        # -0.0000 is a rounding, not a direction.
        return text.replace("-", "").replace("+", "") if not float(text) else text

    def winners(self, line: Line) -> set[int]:
        """Return the columns whose figure, as shown, is the best of the line."""
        shown = {
            index: float(self.shown(entry.ours))
            for index, entry in enumerate(line.entries)
            if entry.ours is not None
        }
        if not self.rivals or len(shown) < 2:
            return set()
        top = max(shown.values()) if self.better == "high" else min(shown.values())
        return {index for index, value in shown.items() if value == top}

    def stacked(self, spreads: bool = True) -> Listing:
        """Return one line for our figures, one for the paper's, and one for the difference.

        Parameters
        ----------
        spreads
            Whether standard deviations stand with their means; a terminal is too narrow.
        """

        def cell(value: float | None, spread: float | None) -> str:
            text = self.shown(value)
            return f"{text} ± {self.shown(spread)}" if spreads and spread is not None else text

        rows: list[tuple[str, ...]] = []
        for line in self.lines:
            some = [entry for entry in line.entries if entry.paper is not None]
            ours = (
                f"{cell(entry.ours, entry.spread)} {entry.aside}".rstrip() for entry in line.entries
            )
            rows.append((*line.keys, "ours", *ours))
            if some:
                theirs = (cell(entry.paper, entry.paper_spread) for entry in line.entries)
                signed = (self.shown(entry.difference, signed=True) for entry in line.entries)
                blank = ("",) * len(line.keys)
                rows += [(*blank, "paper", *theirs), (*blank, "difference", *signed)]
        headings = (*self.keys, "", *self.columns)
        return Listing(self.name, self.title, self.note, headings, tuple(rows), len(self.keys) + 1)

    def long(self) -> Listing:
        """Return one line for every entry, all digits: the form for CSV."""
        headings = (
            *("method", "method_runs", "lacking"),
            *("ours", "std", "std_runs", "paper", "paper_std", "difference"),
        )
        rows = tuple(
            (
                *line.keys,
                column,
                str(entry.runs),
                str(entry.lacking),
                *(
                    "" if value is None else repr(value)
                    for value in (
                        entry.ours,
                        entry.spread,
                        entry.runs_spread,
                        entry.paper,
                        entry.paper_spread,
                        entry.difference,
                    )
                ),
            )
            for line in self.lines
            for column, entry in zip(self.columns, line.entries, strict=True)
        )
        return Listing(self.name, self.title, self.note, (*self.keys, *headings), rows)

    def to_text(self) -> str:
        """Return the table for a terminal."""
        return self.stacked(spreads=False).to_text()

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return self.stacked().to_markdown()

    def to_latex(self) -> str:
        """Return the table in LaTeX."""
        return self.stacked().to_latex()

    def to_csv(self) -> str:
        """Return one line for every figure, all digits."""
        return self.long().to_csv()


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of words.

    Parameters
    ----------
    name, title, note
        As in `Table`.
    headings
        One for every column.
    rows
        Each of as many cells.
    left
        How many columns are aligned to the left; the others hold figures.
    """

    name: str
    title: str
    note: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1

    def to_text(self) -> str:
        """Return the table for a terminal."""
        lines = [tuple(map(shown, line)) for line in (self.headings, *self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.headings))]
        body = (
            "  ".join(
                cell.ljust(width) if i < self.left else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )
        note = [shown(self.note)] if self.note else []
        return "\n".join([shown(self.title), *note, "", *body]) + "\n"

    def to_markdown(self) -> str:
        """Return the table in Markdown, under a heading."""
        rule = [":---" if i < self.left else "---:" for i in range(len(self.headings))]
        lines = [
            f"| {' | '.join(cells)} |"
            for cells in (
                map(_cell, self.headings),
                rule,
                *(map(_cell, row) for row in self.rows),
            )
        ]
        note = [markdown(shown(self.note)), ""] if self.note else []
        return "\n".join([f"## {markdown(shown(self.title))}", "", *note, *lines]) + "\n"

    def to_latex(self) -> str:
        r"""Return a LaTeX table; it needs ``\usepackage{booktabs}``."""
        form = "l" * self.left + "r" * (len(self.headings) - self.left)
        lines = [" & ".join(map(_latex, row)) + r" \\" for row in (self.headings, *self.rows)]
        caption = f"{self.title}. {self.note}" if self.note else f"{self.title}."
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{_latex(caption)}}}",
                rf"\label{{tab:{self.name}}}",
                rf"\begin{{tabular}}{{{form}}}",
                r"\toprule",
                lines[0],
                r"\midrule",
                *lines[1:],
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    def to_csv(self) -> str:
        """Return the table as CSV, without its title."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.headings, *self.rows])
        return out.getvalue()


# Underscores inside a word, as in aps_part, are none; an ampersand is where an entity may follow.
_MARKUP = re.compile(r"[\\`*<>\[\]~]|(?<!\w)_+|_++(?!\w)|&(?=#?\w+;)")
"""What would be markup in Markdown, and not the sign itself."""


def markdown(text: str) -> str:
    """Return a text for Markdown, in which names of any kind stand as they are."""
    return _MARKUP.sub(lambda found: "".join(f"\\{sign}" for sign in found[0]), text)


def _cell(text: str) -> str:
    return markdown(shown(" ".join(text.split()))).replace("|", r"\|")


_LATEX = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    # At the beginning of a line these two would be taken for options of the line before it.
    "*": "{*}",
    "[": "{[}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _latex(cell: str) -> str:
    text = "".join(_LATEX.get(sign, sign) for sign in shown(cell))
    return re.sub("-(?=-)", "-{}", text)  # two of them are a dash
