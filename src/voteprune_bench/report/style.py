"""How pictures look: a handful of colours, and SVG that takes the page's colours, light or dark."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from voteprune.chart import FAINT, GUESSED, INK, PROVED, require_matplotlib

GRID, LIGHT, MUTED, PAGE = "#eceff1", "#dde2e6", "#8d969e", "#ffffff"
AMBER, GREEN, VIOLET = "#c98a1b", "#3d8b6e", "#7b5ea7"

METHODS = {"F1": PROVED, "F2": AMBER, "F3": GREEN, "F1-theta": VIOLET}
"""Colours of the paper's formulations; every other method is `GUESSED`."""

VARIABLES = {
    INK: "--ink",
    FAINT: "--faint",
    GRID: "--grid",
    LIGHT: "--light",
    MUTED: "--muted",
    PAGE: "--page",
    PROVED: "--red",
    GUESSED: "--blue",
    AMBER: "--amber",
    GREEN: "--green",
    VIOLET: "--violet",
}
"""The page's name of every colour that a picture may use."""


@contextmanager
def styled(name: str) -> Iterator[None]:
    """Draw in this style.

    Parameters
    ----------
    name
        Of the picture; it salts the ids inside, so that the same picture is the same file.
    """
    require_matplotlib()
    from matplotlib import rc_context

    settings = {
        "svg.fonttype": "none",  # text stays text: it can be found, copied and read aloud
        "svg.hashsalt": name,
        "text.parse_math": False,  # a name may hold dollars
        "font.size": 9,
        "text.color": INK,
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 9,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.axisbelow": True,
        "xtick.color": FAINT,
        "ytick.color": FAINT,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "grid.color": GRID,
        "legend.frameon": False,
    }
    with rc_context(settings):
        yield


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure.

    Parameters
    ----------
    width, height
        In inches.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def clock(seconds: float) -> str:
    """Write a time in the unit that suits it.

    Parameters
    ----------
    seconds
        Zero or more.
    """
    if seconds < 0.0995:
        return f"{1000 * seconds:.2g} ms"
    return f"{seconds:.2g} s" if seconds < 99.5 else f"{seconds:.0f} s"


def to_svg(figure: Any) -> str:
    """Return the figure as SVG, for a file of its own.

    Parameters
    ----------
    figure
        A matplotlib figure.
    """
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def inline(svg: str, name: str, label: str) -> str:
    """Return a picture for the inside of a page: its own ids, the page's colours.

    Parameters
    ----------
    svg
        From `to_svg`.
    name
        Of the picture; put before every id, since a page may hold several.
    label
        What it shows, for readers who cannot see it.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", body)
    # The picture's paper is the page's own.
    body = re.sub(r"#[0-9a-f]{6}\b", lambda found: _themed(found.group()), body)
    escaped = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return body.replace("<svg", f'<svg role="img" aria-label="{escaped}"', 1)


def _themed(colour: str) -> str:
    return f"var({VARIABLES[colour]})" if colour in VARIABLES else colour
