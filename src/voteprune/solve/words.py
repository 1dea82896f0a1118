"""Answers as people read them: figures and names in text, small tables of HTML in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape

from ..exceptions import shown
from ..problem.committee import Committee
from ..problem.confusion import Confusion

_RARE = 0.05
"""Share of a class below which accuracy says little about it."""

_LABEL = 15
"""Where the text of a line in a summary begins; what stands before it says what it is."""


def votes(committee: Committee) -> str:
    """Say how many votes there are where that is not the number of members."""
    return "" if committee.n_votes == committee.size else f"{committee.n_votes} votes, "


def seats(committee: Committee) -> tuple[str, ...]:
    """Return the members' names, with how often they vote where that is more than once."""
    pairs = zip(committee.names, committee.multiplicities, strict=True)
    return tuple(name if votes == 1 else f"{name} x{votes}" for name, votes in pairs)


def percent(gap: float) -> str:
    """Write a share as a percentage."""
    return "inf" if math.isinf(gap) else f"{100 * gap:.3g} %"


def count(number: int | Fraction) -> str:
    """Write an exact count, a fraction as a decimal."""
    return str(number) if isinstance(number, int) else f"{float(number):g}"


def weighing(n_rows: int, confusion: Confusion | Iterable[Iterable[Fraction]] | None) -> str:
    """Say what the rows count for where that is not their number: they are weighed, or merged."""
    if confusion is None:
        return ""
    if isinstance(confusion, Confusion):
        confusion = ((confusion.positives, confusion.negatives),)
    total = sum((cell for row in confusion for cell in row), Fraction(0))
    whole = int(total) if total.denominator == 1 else total
    return "" if total == n_rows else f" that count for {count(whole)}"


def wrap(label: str, names: Sequence[str], between: str = ", ", width: int = 96) -> list[str]:
    """Lay names out in lines under a label."""
    lines, line = [], label
    for place, name in enumerate(map(shown, names)):
        word = name if place == len(names) - 1 else f"{name}{between}"
        if len(line) + len(word) > width and line != label:
            lines.append(line.rstrip())
            line = " " * len(label)
        line += word
    return [*lines, line]


def lines_of(lines: Iterable[str]) -> str:
    """Put lines together to a text in which whatever they quote is shown, never sent."""
    return "\n".join(map(shown, lines))


def shares(counts: Confusion, objective: str) -> list[str]:
    """Say how often a committee is right, beside how often one is who always says the same."""
    smaller = 1 - counts.base_rate
    lines = [
        f"  right        accuracy {counts.accuracy:.6g}, balanced accuracy "
        f"{counts.balanced_accuracy:.6g}; base rate {counts.base_rate:.6g}"
    ]
    return lines + rare(smaller, "positive" if counts.positives < counts.negatives else "negative",
                        objective)  # fmt: skip


def rare(share: float, name: str, objective: str) -> list[str]:
    """Warn of accuracy where a class is so rare that leaving it out hardly shows."""
    if objective != "accuracy" or share >= _RARE:
        return []
    return [
        f"  warning      only {percent(share)} of the rows are {name}, so accuracy hardly counts "
        "them; balanced_accuracy does"
    ]


def html_of_summary(summary: str) -> str:
    """Return a summary as HTML: its first line as a title, the others as rows of a table."""
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
    """Return a table as HTML."""
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
