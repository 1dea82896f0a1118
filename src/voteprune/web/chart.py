"""The picture of a comparison: accuracy against size, every point named where it stands.

matplotlib belongs to an extra, so it is imported late.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .pictures import FAINT, GUESSED, INK, PROVED, require_matplotlib

_MANY_SIZES = 12
"""Sizes beyond this go on a logarithmic axis where most committees are small."""

_ANGLES = (0, 90, 270, 180, 45, 315, 135, 225, 22, 338, 67, 293, 158, 202, 113, 247)
_DISTANCES = (7.0, 12.0, 18.0, 26.0, 36.0, 48.0, 62.0, 78.0)
"""Where a name may stand: degrees, and points of a seventy-second of an inch from its dot."""

_BESIDE = 10.0
"""From this distance on a line leads from the name to its dot."""

Point = NDArray[np.float64]
"""Two numbers, across and up."""

Box = NDArray[np.float64]
"""Left, bottom, right and top."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One method in the picture.

    Parameters
    ----------
    name
        What is written beside it.
    size
        Members of its committee, or their mean over several.
    fitted
        Accuracy on the votes it was chosen on.
    tested
        Accuracy on other votes, where there are any.
    proves
        Whether the method bounds what any committee can reach.
    """

    name: str
    size: float
    fitted: float
    tested: float | None
    proves: bool

    @property
    def height(self) -> float:
        """Where it stands: on other votes if there are any."""
        return self.fitted if self.tested is None else self.tested


def new_axes() -> Any:
    """Return axes of a figure that notebooks show."""
    require_matplotlib()
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(8.5, 5.2), layout="constrained")[1]


def chart_file(form: str, marks: Sequence[Mark], measure: str, bound: float | None) -> bytes:
    """Draw, and return the picture as the bytes of a file."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 5.2), layout="constrained")
    draw(figure.subplots(), marks, measure, bound)
    return picture_file(form, figure)


def picture_file(form: str, figure: Any) -> bytes:
    """Return a figure as the bytes of a file in a format that matplotlib knows."""
    from matplotlib import rc_context

    content = io.BytesIO()
    dated = {"Date": None} if form == "svg" else None
    with rc_context({"svg.hashsalt": "voteprune"}):  # the same picture is the same file
        figure.savefig(content, format=form, dpi=160, metadata=dated)
    return content.getvalue()


def draw(ax: Any, marks: Sequence[Mark], measure: str, bound: float | None) -> None:
    """Draw accuracy against size.

    Parameters
    ----------
    ax
        Axes to draw on.
    marks
        The methods.
    measure
        What the heights are, "accuracy" or "balanced accuracy".
    bound
        What no committee can exceed on the votes it is chosen on, if that is known. It is drawn
        as a line if that leaves room for the rest, and told in words if not.
    """
    tested = any(mark.tested is not None for mark in marks)
    for mark in sorted(marks, key=lambda mark: mark.proves):  # what is proved lies on top
        colour = PROVED if mark.proves else GUESSED
        if mark.tested is not None:
            ax.plot([mark.size] * 2, [mark.fitted, mark.tested], color="#dde2e6", lw=1, zorder=1)
            ax.plot(mark.size, mark.fitted, "o", ms=4, mfc="white", mec=colour, zorder=2)
        ax.plot(mark.size, mark.height, "o", ms=7, mfc=colour, mec="white", mew=0.8, zorder=3)
    _draw_front(ax, marks)
    line = None
    if bound is not None and marks:
        heights = [height for mark in marks for height in (mark.fitted, mark.height)]
        if bound - max(heights) <= 0.6 * (max(heights) - min(heights)) + 1e-3:
            line = ax.axhline(bound, color=PROVED, lw=1, ls=(0, (5, 3)), zorder=1)
    _dress(ax, marks, measure, tested)
    _legend(ax, marks, tested, bound, line)
    _name(ax, marks)


def _draw_front(ax: Any, marks: Sequence[Mark]) -> None:
    """Join the committees that no smaller one matches."""
    best, front = -np.inf, []
    for mark in sorted(marks, key=lambda mark: (mark.size, -mark.height)):
        if mark.height > best:
            best = mark.height
            front.append(mark)
    xs, ys = [mark.size for mark in front], [mark.height for mark in front]
    if marks:
        xs, ys = [*xs, max(mark.size for mark in marks)], [*ys, best]
    ax.step(xs, ys, where="post", color=FAINT, lw=1.6, zorder=0)


def _dress(ax: Any, marks: Sequence[Mark], measure: str, tested: bool) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, ScalarFormatter

    sizes = [mark.size for mark in marks] or [1]
    largest = max(sizes)
    if largest > _MANY_SIZES and np.median(sizes) < largest / 2:
        ax.set_xscale("log")
        steps = [x for x in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200) if x <= largest]
        steps += [10**power * 5 for power in range(2, 7) if 10**power * 5 <= largest]
        ax.xaxis.set_major_locator(FixedLocator(steps))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(ScalarFormatter())
        ax.set_xlim(0.85, largest * 1.45)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlim(0.5 - 0.02 * largest, 1.12 * largest + 0.5)
    ax.margins(y=0.12)
    ax.set_xlabel("members of the committee", color=INK)
    ax.set_ylabel(f"{measure} on the {'test rows' if tested else 'votes'}", color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(labelcolor=INK, color=FAINT, labelsize=9)
    ax.grid(axis="y", color="#eceff1", lw=0.8)
    ax.set_axisbelow(True)


def _legend(ax: Any, marks: Sequence[Mark], tested: bool, bound: float | None, line: Any) -> None:
    from matplotlib.lines import Line2D

    def dot(colour: str, face: str, size: float, label: str) -> Any:
        return Line2D([], [], ls="", marker="o", ms=size, mfc=face, mec=colour, label=label)

    handles = []
    if any(mark.proves for mark in marks):
        handles.append(dot(PROVED, PROVED, 7, "with proof"))
    if any(not mark.proves for mark in marks):
        handles.append(dot(GUESSED, GUESSED, 7, "heuristic"))
    if tested:
        handles.append(dot(INK, "white", 4, "on the votes it was chosen on"))
    handles.append(Line2D([], [], color=FAINT, lw=1.6, label="best of this size or less"))
    if bound is not None:
        label = f"no committee exceeds {bound:.4g}{' there' if tested else ''}"
        label += "" if line else " (above)"
        handles.append(Line2D([], [], color=PROVED, lw=1, ls=(0, (5, 3)), label=label))
    ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=3 if tested else 4,
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
        handletextpad=0.4,
        columnspacing=1.6,
        borderaxespad=0.2,
    )


def _name(ax: Any, marks: Sequence[Mark]) -> None:
    """Write each point's names beside it, where they hide nothing; equals share one text."""
    from matplotlib.patheffects import withStroke

    names: dict[tuple[float, float], list[str]] = {}
    for mark in marks:
        names.setdefault((mark.size, mark.height), []).append(mark.name)
    root = ax.get_figure(root=True)
    root.draw_without_rendering()  # settles the layout, so that pixels mean something
    # From here on all is in points, as texts are; one pixel is 72 / dpi of them.
    scale = 72 / root.dpi
    inside = scale * _box(ax.get_window_extent())
    dots = {point: scale * ax.transData.transform(point) for point in names}
    hollow = [scale * ax.transData.transform((mark.size, mark.fitted)) for mark in marks]
    taken = [_around(dot, 5) for dot in dots.values()] + [_around(dot, 3) for dot in hollow]
    for point, dot in sorted(dots.items()):
        text = ax.annotate(
            _wrapped(names[point]), point, (0, 0), textcoords="offset points", fontsize=8,
            color=INK, linespacing=1.1, zorder=4,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )  # fmt: skip
        box = scale * _box(text.get_window_extent())
        places = list(_places(dot, box[2:] - box[:2]))
        others = [other for other in dots.values() if other is not dot]
        costs = [_cost(place, dot, taken, others, inside) for place in places]
        place = places[int(np.argmin(costs))]
        text.set_position(tuple(place[:2] - dot))
        taken.append(place)
        near = np.clip(dot, place[:2], place[2:])
        if np.hypot(*(near - dot)) > _BESIDE:  # too far to tell whose name it is
            ax.annotate(
                "", point, tuple(near - dot), textcoords="offset points", zorder=2,
                arrowprops={"arrowstyle": "-", "color": "#8d969e", "lw": 0.7, "shrinkB": 3,
                            "shrinkA": 0},
            )  # fmt: skip


def _places(dot: Point, size: Point) -> Iterator[Box]:
    """Yield boxes of a text around its dot, the nearest first, the usual sides before others."""
    for distance in _DISTANCES:
        for angle in np.radians(_ANGLES):
            side = np.array([np.cos(angle), np.sin(angle)])
            low = dot + distance * side + size * (np.clip(1.6 * side, -1, 1) - 1) / 2
            yield np.concatenate([low, low + size])


def _cost(
    place: Box, dot: Point, taken: Sequence[Box], others: Sequence[Point], inside: Box
) -> float:
    """Return how bad a place is: what it hides, how far it is, whose dots stand in between."""
    near = np.clip(dot, place[:2], place[2:])
    way = near - dot
    distance = float(np.hypot(*way))
    hidden = sum(_overlap(place, box) for box in taken)
    outside = float(np.prod(place[2:] - place[:2])) - _overlap(place, inside)
    along = [np.clip((other - dot) @ way / max(distance**2, 1e-9), 0, 1) for other in others]
    crossed = sum(
        float(np.hypot(*(dot + t * way - other))) < 5
        for t, other in zip(along, others, strict=True)
    )
    # A dot of others that is nearer to the text than its own one claims it.
    claimed = sum(
        float(np.hypot(*(np.clip(other, place[:2], place[2:]) - other))) < distance
        for other in others
    )
    return 4 * hidden + 8 * outside + 3 * distance + 60 * crossed + 120 * claimed


def _wrapped(names: Sequence[str], width: int = 26) -> str:
    lines = [""]
    for name in names:
        if lines[-1] and len(lines[-1]) + len(name) > width:
            lines.append("")
        lines[-1] += f"{', ' if lines[-1] else ''}{name}"
    return ",\n".join(lines)


def _around(dot: Point, radius: float) -> Box:
    return np.concatenate([dot - radius, dot + radius])


def _box(extent: Any) -> Box:
    return np.array([extent.x0, extent.y0, extent.x1, extent.y1])


def _overlap(one: Box, two: Box) -> float:
    sides = np.minimum(one[2:], two[2:]) - np.maximum(one[:2], two[:2])
    return float(np.prod(np.clip(sides, 0, None)))
