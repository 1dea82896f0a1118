"""Pictures that are tables of shades."""

from __future__ import annotations

from typing import Any

from voteprune.web.pictures import GREEN, GUESSED, PROVED, VIOLET, heat_map

from .facts import Facts


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
