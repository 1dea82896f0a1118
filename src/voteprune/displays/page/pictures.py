"""The pictures of the page, as SVG that takes the page's colours, light or dark."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...web.pictures import (
    FAINT,
    GREEN,
    GUESSED,
    INK,
    heat_map,
    inline,
    new_figure,
    styled,
    to_svg,
)
from ..convergence import ConvergenceDisplay
from ..front import FrontDisplay
from .facts import Facts, Reliability
from .listings import cut

_MOST_MEMBERS = 24
"""Beyond so many members a heat map cannot be read."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn picture with its words.

    Parameters
    ----------
    name, title, note
        What it is called inside the page, what it shows, and how to read it.
    svg
        For the inside of the page.
    """

    name: str
    title: str
    note: str
    svg: str


def draw_all(facts: Facts) -> dict[str, Picture]:
    """Draw all there is to draw."""
    return {picture.name: picture for picture in _drawn(facts)}


def _drawn(facts: Facts) -> Iterator[Picture]:
    less = facts.reliability is not None
    if facts.answer.trace:
        better = "falls" if less else "rises"
        yield _picture(
            "path",
            "Value and bound over time",
            f"The blue line {better} as better committees are found; the red one is what no "
            "committee can beat. Where they meet, nothing better is left.",
            lambda: _on_axes(lambda ax: ConvergenceDisplay.from_solution(facts.answer, ax)),
        )
    if facts.front is not None:
        front = facts.front
        size = f"{'at most' if front.cumulative else 'exactly'} so many members"
        yield _picture(
            "sizes",
            "What every size can reach",
            f"The best committee of {size}. A full dot is proved best; a hollow one may be beaten, "
            "up to the red line.",
            lambda: _on_axes(
                partial(FrontDisplay.from_front, front, marked=facts.answer.committee)
            ),
        )
    for place, priced in enumerate(facts.by_cost):
        yield _picture(
            cost_name(place),
            f"What every budget of {cut(priced.by, 24)} can reach",
            "The best committee that costs no more, up to twice the budget that was asked for. A "
            "full dot is proved best; what lies between the lines is open.",
            partial(
                _on_axes, partial(FrontDisplay.from_front, priced, marked=facts.answer.committee)
            ),
        )
    if facts.reliability is not None:
        curve = facts.reliability
        yield _picture(
            "reliability",
            "How far its probabilities can be believed",
            "On the diagonal, what is said with 80 % comes true in 80 of 100 rows. Larger dots "
            f"stand for more rows. The mean distance is {curve.error:.3f}. These are the rows that "
            "the committee was chosen on; on new rows it is usually larger.",
            lambda: _reliability(curve),
        )
    if facts.agreement is not None and len(facts.names) <= _MOST_MEMBERS:
        cells = [
            [None if i == j or math.isnan(share) else 100 * share for j, share in enumerate(row)]
            for i, row in enumerate(facts.agreement.tolist())
        ]
        shares = [cell for row in cells for cell in row if cell is not None]
        low, high = (min(shares), max(shares)) if shares else (0.0, 100.0)
        yield _picture(
            "agreement",
            "How often two members say the same",
            "Percent of the rows. Stronger green: they agree more often.",
            lambda: heat_map(
                facts.names,
                facts.names,
                cells,
                lambda value: (GREEN, 0.1 + 0.9 * (value - low) / max(high - low, 1e-9)),
                lambda value: f"{value:.0f}",
            ),
        )


def cost_name(place: int) -> str:
    """Return what the picture and the table of a front by cost are called inside the page."""
    return f"costs{place}"


def _picture(name: str, title: str, note: str, drawn: Callable[[], Any]) -> Picture:
    with styled(name), warnings.catch_warnings():
        # Browsers have letters that matplotlib's font has not; the text stays text.
        warnings.filterwarnings("ignore", "Glyph")
        svg = to_svg(drawn())
    return Picture(name, title, note, inline(svg, name, f"{title}. {note}"))


def _on_axes(draw: Callable[[Any], Any]) -> Any:
    figure = new_figure(7.5, 3.8)
    draw(figure.subplots())
    return figure


def _reliability(curve: Reliability) -> Any:
    figure = new_figure(5.2, 4.6)
    ax = figure.subplots()
    ax.plot([0, 1], [0, 1], color=FAINT, lw=1.2, ls=(0, (5, 3)))
    ax.plot(curve.said, curve.true, color=GUESSED, lw=1.6)
    top = max(curve.weight)
    ax.scatter(
        curve.said, curve.true, [20 + 130 * w / top for w in curve.weight], color=GUESSED, zorder=3
    )
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel(curve.what, color=INK)
    ax.set_ylabel("share of the rows on which it came true", color=INK)
    ax.grid(visible=True)
    return figure
