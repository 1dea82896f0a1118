"""How all displays look."""

from __future__ import annotations

from typing import Any

from ..web.pictures import FAINT, INK, require_matplotlib


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
