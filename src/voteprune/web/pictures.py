"""How pictures look: a handful of colours, and SVG that takes the page's colours, light or dark."""

from __future__ import annotations

import importlib.util
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..exceptions import not_installed

INK, FAINT = "#33383d", "#b9c0c7"
PROVED, GUESSED = "#d1495b", "#2e6f95"
GRID, LIGHT, MUTED, PAGE = "#eceff1", "#dde2e6", "#8d969e", "#ffffff"
AMBER, GREEN, VIOLET = "#c98a1b", "#3d8b6e", "#7b5ea7"

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

Shade = Callable[[float], tuple[str, float]]
"""A value's colour and its strength, from 0 to 1."""


def require_matplotlib() -> None:
    """Say what to do where matplotlib is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise not_installed("matplotlib", "draw", "plot")


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
    """Return an empty figure."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def heat_map(
    lines: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[float | None]],
    shade: Shade,
    words: Callable[[float], str],
) -> Any:
    """Draw a table of shades.

    Parameters
    ----------
    lines, columns
        What stands beside the cells and above them.
    cells
        A row for each line; None where there is nothing.
    shade
        A value's colour and its strength.
    words
        What is written into a cell.
    """
    from matplotlib.patches import Rectangle

    long = max(map(len, columns)) > 8
    figure = new_figure(8.0, (1.1 if long else 0.5) + 0.3 * len(lines))
    ax = figure.subplots()
    for y, row in enumerate(cells):
        for x, value in enumerate(row):
            if value is None:
                ax.text(x, y, "-", ha="center", va="center", color=MUTED)
                continue
            colour, strength = shade(value)
            # Half strength at most: the words on top stay readable, on light and on dark.
            ax.add_patch(
                Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, fc=colour, alpha=0.55 * strength, lw=0)
            )
            ax.text(x, y, words(value), ha="center", va="center", fontsize=8, color=INK)
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(lines) - 0.5, -0.5)
    ax.set_yticks(range(len(lines)), lines)
    ax.set_xticks(range(len(columns)), columns, rotation=30 if long else 0,
                  ha="left" if long else "center")  # fmt: skip
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=8.5)
    ax.spines[:].set_visible(False)
    return figure


def clock(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    if seconds < 0.0995:
        return f"{1000 * seconds:.2g} ms"
    return f"{seconds:.2g} s" if seconds < 99.5 else f"{seconds:.0f} s"


def to_svg(figure: Any) -> str:
    """Return the figure as SVG, for a file of its own."""
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
    # Inside tags alone: the texts between them are names, and may look like anything.
    body = re.sub(r"<[^<>]+>", lambda tag: _at_home(tag[0], name), body)
    escaped = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return body.replace("<svg", f'<svg role="img" aria-label="{escaped}"', 1)


def _at_home(tag: str, name: str) -> str:
    """Return a tag of a picture with ids of its own and the page's colours."""
    tag = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", tag)
    # The picture's paper is the page's own.
    return re.sub(r"#[0-9a-f]{6}\b", lambda found: _themed(found.group()), tag)


def _themed(colour: str) -> str:
    return f"var({VARIABLES[colour]})" if colour in VARIABLES else colour


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes to draw on: the caller's own, or those of a new figure of this size."""
    require_matplotlib()
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def dress(ax: Any, across: str, up: str) -> None:
    """Name the axes, and take away all ink that says nothing."""
    ax.set_xlabel(across, color=INK)
    ax.set_ylabel(up, color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(which="both", labelcolor=INK, color=FAINT, labelsize=9)
    ax.grid(axis="y", color="#eceff1", lw=0.8)
    ax.set_axisbelow(True)


def legend(ax: Any) -> None:
    """Put the legend above the axes, where it hides nothing."""
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=5,
        columnspacing=1.2,
        handletextpad=0.5,
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        borderaxespad=0.2,
    )


def words(objective: str) -> str:
    """Write a criterion's name as people do."""
    return objective.replace("_", " ")
