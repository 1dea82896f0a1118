"""The report to read: one HTML file that needs nothing but itself, or many files.

The files are for a paper, a site, or a repository.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voteprune.files import outfile
from voteprune.web.pages import render_page, require_jinja

from .facts import Facts
from .figures import Picture
from .standings import verdict_words
from .table import Line, Table, markdown

FORMS = {"text": "txt", "markdown": "md", "latex": "tex", "csv": "csv"}
"""Forms of a table, and how their files end."""


def render(facts: Facts, pictures: Sequence[Picture]) -> str:
    """Return the page."""
    require_jinja("report")
    # The largest K first: it is the one the page shows unfolded.
    drawn: dict[str, list[Picture]] = {}
    for picture in sorted(pictures, key=lambda picture: picture.pool_size, reverse=True):
        drawn.setdefault(picture.kind, []).append(picture)
    return render_page(
        "voteprune_bench.report",
        "page.html",
        facts=facts,
        several=len(facts.pool_sizes) > 1,
        pictures=_Pictures(drawn),
        tables={name: _shown(table) for name, table in facts.tables.items()},
        tests=[
            {
                "measure": test.measure,
                "pool_size": test.pool_size,
                "words": verdict_words(test.verdict),
            }
            for test in reversed(facts.tests)
        ],
        listings=_listings(facts),
        coverage=facts.listings["coverage"],
        failures=facts.listings.get("failures"),
        sections=_sections(facts),
    )


class _Pictures(dict[str, list[Picture]]):
    """Pictures by kind; of a kind with nothing to draw there are none."""

    def __missing__(self, kind: str) -> list[Picture]:
        return []


def _sections(facts: Facts) -> list[tuple[str, str]]:
    names = {
        "accuracy": "Accuracy",
        "ranks": "Ranks",
        "balanced": "Balanced accuracy",
        "overfitting": "Over-fitting",
        "proof": "Proof",
        "committees": "Committees",
        "time": "Time",
        "run": "The run",
    }
    if "gaps" not in facts.tables:
        del names["proof"]
    return [(f"{anchor}-section", name) for anchor, name in names.items()]


def _listings(facts: Facts) -> list[dict[str, Any]]:
    """Return duels and p-values with the measure they are on."""
    return [
        {
            "measure": "balanced accuracy" if "_balanced_" in name else "accuracy",
            "name": name,
            "title": listing.title,
            "note": listing.note,
            "headings": listing.headings,
            "rows": listing.rows,
            "left": listing.left,
        }
        for name, listing in reversed(facts.listings.items())
        if name.startswith(("nemenyi_", "duels_")) and listing.rows
    ]


def _shown(table: Table) -> dict[str, Any]:
    """Return a table with every figure as it is shown."""
    return {
        "name": table.name,
        "title": table.title,
        "note": table.note,
        "keys": table.keys,
        "columns": table.columns,
        "compared": any(_compared(line) for line in table.lines),
        "lines": [
            {
                "keys": line.keys,
                "summary": line.summary,
                "compared": _compared(line),
                "cells": _cells(table, line),
            }
            for line in table.lines
        ],
    }


def _cells(table: Table, line: Line) -> list[dict[str, Any]]:
    winners = table.winners(line)
    found = []
    for column, entry in enumerate(line.entries):
        found.append(
            {
                "ours": table.shown(entry.ours),
                "spread": _spread(table, entry.spread),
                "aside": entry.aside,
                "paper": table.shown(entry.paper),
                "paper_spread": _spread(table, entry.paper_spread),
                "difference": table.shown(entry.difference, signed=True),
                "way": _way(table, entry.difference),
                "best": column in winners,
            }
        )
    return found


def _spread(table: Table, value: float | None) -> str:
    """Show a standard deviation; without its leading 0, so that wide tables fit."""
    return "" if value is None else table.shown(value).removeprefix("0")


def _way(table: Table, difference: float | None) -> str:
    """Say whether ours is better than the paper's, as far as the digits shown tell."""
    shown = 0.0 if difference is None else float(table.shown(difference))
    if not shown:
        return ""
    return "better" if (shown > 0) == (table.better == "high") else "worse"


def _compared(line: Line) -> bool:
    return any(entry.paper is not None for entry in line.entries)


def table_texts(facts: Facts, form: str, names: Sequence[str] | None = None) -> dict[str, str]:
    """Return tables and listings as texts, by name.

    Parameters
    ----------
    facts
        From `collect`.
    form
        One of `FORMS`.
    names
        Which; all when omitted.
    """
    everything = {**facts.tables, **facts.listings}
    return {
        name: getattr(table, f"to_{form}")()
        for name, table in everything.items()
        if names is None or name in names
    }


def write_files(facts: Facts, pictures: Sequence[Picture], folder: Path) -> list[Path]:
    """Write tables (Markdown, LaTeX, CSV), pictures (SVG) and one document that shows them all.

    Parameters
    ----------
    facts
        From `collect`.
    pictures
        From `draw_all`.
    folder
        Where to; made if it is not there. Files of the same names are replaced.

    Returns
    -------
    The files, ``results.md`` first.
    """
    texts = {Path("results.md"): _document(facts, pictures)}
    for form, ending in FORMS.items():
        if form != "text":
            for name, text in table_texts(facts, form).items():
                texts[Path("tables", f"{name}.{ending}")] = text
    for picture in pictures:
        texts[Path("figures", f"{picture.name}.svg")] = picture.svg
    for part in ("tables", "figures"):
        outfile.make_folder(folder / part)
    for path, text in texts.items():
        outfile.write_text(folder / path, text)
    return [folder / path for path in texts]


def _document(facts: Facts, pictures: Sequence[Picture]) -> str:
    """Return tables and pictures in one Markdown document."""
    parts = [f"# {markdown(facts.title)}\n"]
    parts.append(
        "".join(
            f"- **{markdown(tile.figure)}** {markdown(tile.words)}\n" for tile in facts.headline
        )
    )
    parts += table_texts(facts, "markdown", list(facts.tables)).values()
    parts += [
        f"## {picture.title}, K = {picture.pool_size}\n\n{picture.note}\n\n"
        f"![{picture.title}](figures/{picture.name}.svg)\n"
        for picture in pictures
    ]
    parts += table_texts(facts, "markdown", list(facts.listings)).values()
    if facts.about:
        about = "".join(f"- {markdown(name)}: {markdown(value)}\n" for name, value in facts.about)
        parts.append(f"## Versions and machine\n\n{about}")
    if facts.plan:
        parts.append(f"## The plan\n\n```toml\n{facts.plan.rstrip()}\n```\n")
    return "\n".join(parts)
