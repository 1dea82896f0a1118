"""Figures and names as people write them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from ..exceptions import shown
from .committee import Committee


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


def wrap(label: str, names: tuple[str, ...], width: int = 96) -> list[str]:
    """Lay names out in lines under a label."""
    lines, line = [], label
    for place, name in enumerate(map(shown, names)):
        word = name if place == len(names) - 1 else f"{name}, "
        if len(line) + len(word) > width and line != label:
            lines.append(line.rstrip())
            line = " " * len(label)
        line += word
    return [*lines, line]


def lines_of(lines: Iterable[str]) -> str:
    """Put lines together to a text in which whatever they quote is shown, never sent."""
    return "\n".join(map(shown, lines))
