"""Answers as a notebook shows them: small tables of HTML in which whatever they quote is text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ..exceptions import shown

_LABEL = 15
"""Where the text of a line in a summary begins; what stands before it says what it is."""


def html_of_summary(summary: str) -> str:
    """Return a summary as HTML: its first line as a title, the others as rows of a table.

    Parameters
    ----------
    summary
        Lines as `Solution.summary` writes them.
    """
    title, *lines = summary.split("\n")
    rows = [(line[:_LABEL].strip(), line[_LABEL:].strip()) for line in lines if line.strip()]
    cells = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{_text(label)}</th>'
        f'<td style="text-align:left">{_text(told)}</td></tr>'
        for label, told in rows
    )
    return f"<div><strong>{_text(title)}</strong><table>{cells}</table></div>"


def html_of_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], below: Sequence[str] = ()
) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    title
        What stands above it.
    header
        The columns' names.
    rows
        Each of as many cells.
    below
        Lines that stand under it.
    """
    head = "".join(f"<th>{_text(name)}</th>" for name in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    under = "".join(f"<div>{_text(line)}</div>" for line in below)
    return (
        f"<div><strong>{_text(title)}</strong><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{under}</div>"
    )


def _text(text: str) -> str:
    return escape(shown(text))
