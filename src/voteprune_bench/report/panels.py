"""Pictures with one small panel per data set, and pictures that are tables of shades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from voteprune.web.pictures import (
    AMBER,
    FAINT,
    GREEN,
    GUESSED,
    INK,
    PAGE,
    PROVED,
    VIOLET,
    clock,
    heat_map,
    new_figure,
)

from .facts import Facts

METHODS = {"F1": PROVED, "F2": AMBER, "F3": GREEN, "F1-theta": VIOLET}
"""Colours of the paper's formulations; every other method is `GUESSED`."""


_STROKES = ("-", "--", ":", "-.")
"""What tells lines of the same colour apart."""

_ACROSS = 3
"""Panels in a row."""


def loss_panels(facts: Facts, pool_size: int) -> Any:
    """Draw accuracy on the validation part and on the test part, method by method.

    Parameters
    ----------
    facts, pool_size
        What to draw, and for which K.
    """
    points = [p for p in facts.points if p.pool_size == pool_size and p.dataset]
    datasets = [name for name in facts.datasets if any(p.dataset == name for p in points)]
    if not datasets:
        return None
    methods = [name for name in facts.methods if any(p.method == name for p in points)][::-1]
    published = {
        (line.keys[0], method): entry.paper
        for line in facts.tables["accuracy"].lines
        if line.keys[1] == str(pool_size)
        for method, entry in zip(facts.methods, line.entries, strict=True)
    }
    figure, panels = _panels(datasets, 0.55 + 0.165 * len(methods), sharey=True)
    for dataset, ax in zip(datasets, panels, strict=True):
        for point in (p for p in points if p.dataset == dataset):
            place = methods.index(point.method)
            colour = METHODS.get(point.method, GUESSED)
            ax.plot([point.outside, point.inside], [place] * 2, color=FAINT, lw=1, zorder=1)
            ax.plot(point.inside, place, "o", ms=4, mfc=PAGE, mec=colour, zorder=2)
            ax.plot(point.outside, place, "o", ms=5, mfc=colour, mec=PAGE, mew=0.5, zorder=3)
            theirs = published.get((dataset, point.method))
            if theirs is not None:
                ax.plot(theirs, place, "|", ms=8, mew=1.4, color=INK, zorder=4)
        ax.set_title(dataset)
        ax.set_yticks(range(len(methods)), methods)
        ax.locator_params(axis="x", nbins=4)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
        ax.tick_params(axis="y", length=0)
        ax.tick_params(labelsize=8)
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x")
    return figure


def gap_panels(facts: Facts, pool_size: int) -> Any:
    """Draw the median gap over time.

    Parameters
    ----------
    facts, pool_size
        What to draw, and for which K.
    """
    from matplotlib.lines import Line2D
    from matplotlib.ticker import LogLocator, NullLocator

    lines = [line for line in facts.gap_lines if line.pool_size == pool_size and line.seconds]
    datasets = [name for name in facts.datasets if any(line.dataset == name for line in lines)]
    if not datasets:
        return None
    methods = [name for name in facts.methods if any(line.method == name for line in lines)]
    others = [name for name in methods if name not in METHODS]
    styles: dict[str, dict[str, Any]] = {
        name: {"color": METHODS[name]}
        if name in METHODS
        else {"color": GUESSED, "ls": _STROKES[others.index(name) % len(_STROKES)]}
        for name in methods
    }
    figure, panels = _panels(datasets, 1.9, sharex=True)
    for dataset, ax in zip(datasets, panels, strict=True):
        for line in (line for line in lines if line.dataset == dataset):
            colour = styles[line.method]["color"]
            ax.plot(line.seconds, line.per_cent, **styles[line.method], drawstyle="steps-post")
            ax.plot(line.seconds[-1], line.per_cent[-1], "o", ms=4, mfc=colour, mec=PAGE, mew=0.5)
            if line.paper is not None:
                ax.plot(300, line.paper, "s", ms=4.5, mfc=PAGE, mec=colour, mew=1.3,
                        zorder=3, clip_on=False)  # fmt: skip
        ax.set_xscale("log")
        # Losses begin with a gap of 100 %, beside which all others would be a line on the ground.
        ax.set_yscale("symlog", linthresh=1)
        ax.set_ylim(bottom=0, top=max(1.05 * ax.get_ylim()[1], 2))
        ax.set_yticks([tick for tick in (0, 1, 10, 100) if tick <= ax.get_ylim()[1]])
        ax.yaxis.set_minor_locator(NullLocator())
        ax.set_title(dataset)
        ax.xaxis.set_major_locator(LogLocator(10, numticks=5))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(lambda value, _: clock(value))
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        ax.tick_params(labelsize=8)
        ax.grid()
    handles = [Line2D([], [], **styles[name], label=name) for name in methods]
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles), labelcolor=INK)
    return figure


def _panels(datasets: Sequence[str], height: float, **shared: bool) -> tuple[Any, list[Any]]:
    """Return a figure and as many axes as there are data sets, in rows."""
    across = min(_ACROSS, len(datasets))
    down = math.ceil(len(datasets) / across)
    figure = new_figure(8.0, height * down + 0.4)
    grid = figure.subplots(down, across, squeeze=False, **shared).ravel()
    for spare in grid[len(datasets) :]:
        spare.set_visible(False)
    return figure, list(grid[: len(datasets)])


def paper_heat(facts: Facts, pool_size: int) -> Any:
    """Draw our accuracies minus the paper's; None where the paper has none.

    Parameters
    ----------
    facts, pool_size
        What to draw, and for which K.
    """
    table = facts.tables["accuracy"]
    lines = [
        line
        for line in table.lines
        if line.keys[1] == str(pool_size)
        and any(entry.difference is not None for entry in line.entries)
    ]
    kept = [
        i
        for i in range(len(table.columns))
        if any(line.entries[i].difference is not None for line in lines)
    ]
    cells = [
        [None if (gap := line.entries[i].difference) is None else 100 * gap for i in kept]
        for line in lines
    ]
    values = [abs(value) for row in cells for value in row if value is not None]
    if not values:
        return None
    # Beyond the 90th percentile all is strong, so that one outlier does not bleach the rest.
    strong = max(sorted(values)[int(0.9 * (len(values) - 1))], 0.5)
    return heat_map(
        [line.keys[0] for line in lines],
        [table.columns[i] for i in kept],
        cells,
        lambda value: (GUESSED if value > 0 else PROVED, min(abs(value) / strong, 1)),
        lambda value: f"{value:+.2f}",
    )


def diversity_heat(facts: Facts, pool_size: int) -> Any:
    """Draw the mean failure credit of the committees; None where there is none.

    Parameters
    ----------
    facts, pool_size
        What to draw, and for which K.
    """
    (heat,) = (heat for heat in facts.diversity if heat.pool_size == pool_size)
    if not any(value is not None for row in heat.cells for value in row):
        return None
    return heat_map(
        heat.lines, heat.columns, heat.cells, lambda v: (GREEN, v), lambda v: f"{v:.2f}"
    )


def family_heat(facts: Facts, pool_size: int) -> Any:
    """Draw whose seats they are.

    Parameters
    ----------
    facts, pool_size
        What to draw, and for which K.
    """
    (heat,) = (heat for heat in facts.families if heat.pool_size == pool_size)
    values = [value for row in heat.cells for value in row if value is not None]
    if not values:
        return None
    top = max(values)
    return heat_map(
        heat.lines,
        heat.columns,
        heat.cells,
        lambda v: (VIOLET, v / top),
        lambda v: f"{100 * v:.0f}",
    )
