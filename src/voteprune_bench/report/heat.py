"""Pictures that are tables of shades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from voteprune.chart import GUESSED, INK, PROVED

from .facts import Facts
from .style import GREEN, MUTED, VIOLET, new_figure

Shade = Callable[[float], tuple[str, float]]
"""A value's colour and its strength, from 0 to 1."""


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
    return _heat(
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
    return _heat(heat.lines, heat.columns, heat.cells, lambda v: (GREEN, v), lambda v: f"{v:.2f}")


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
    return _heat(
        heat.lines,
        heat.columns,
        heat.cells,
        lambda v: (VIOLET, v / top),
        lambda v: f"{100 * v:.0f}",
    )


def _heat(
    lines: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[float | None]],
    shade: Shade,
    words: Callable[[float], str],
) -> Any:
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
