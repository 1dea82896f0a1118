"""The pictures of a report, each drawn from `Facts` alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from voteprune.web.chart import Mark, draw
from voteprune.web.pictures import (
    FAINT,
    GUESSED,
    INK,
    MUTED,
    PAGE,
    clock,
    inline,
    new_figure,
    styled,
    to_svg,
)

from .facts import Facts
from .panels import METHODS, diversity_heat, family_heat, gap_panels, loss_panels, paper_heat
from .ranks import ALPHA
from .standings import slug


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn picture.

    Parameters
    ----------
    name
        Fit for a file's name.
    kind
        What kind of picture; the same for every K.
    pool_size
        K.
    title, note
        What it shows, and how to read it.
    svg
        The picture itself, for a file of its own.
    """

    name: str
    kind: str
    pool_size: int
    title: str
    note: str
    svg: str

    @property
    def inline(self) -> str:
        """The picture for the inside of a page."""
        return inline(self.svg, self.name, f"{self.title}, K = {self.pool_size}. {self.note}")


Drawer = Callable[[Facts, int], Any]
"""Facts and K to a matplotlib figure, or None where there is nothing to draw."""


def draw_all(facts: Facts, pool_sizes: Sequence[int] | None = None) -> Iterator[Picture]:
    """Draw every picture there is something to draw for.

    Parameters
    ----------
    facts
        From `collect`.
    pool_sizes
        For these K; for all when omitted.
    """
    for kind, title, note, drawer in _PICTURES:
        for pool_size in facts.pool_sizes if pool_sizes is None else pool_sizes:
            name = f"{kind}_k{pool_size}"
            with styled(name):
                figure = drawer(facts, pool_size)
                if figure is not None:
                    yield Picture(name, kind, pool_size, title, note, to_svg(figure))


def _critical(measure: str) -> Drawer:
    def drawer(facts: Facts, pool_size: int) -> Any:
        (verdict,) = (
            test.verdict
            for test in facts.tests
            if test.measure == measure and test.pool_size == pool_size
        )
        if verdict.p_value is None:
            return None
        from pandas import DataFrame  # scikit-posthocs brings it
        from scikit_posthocs import critical_difference_diagram

        figure = new_figure(8.0, 1.1 + 0.17 * len(verdict.methods))
        names = list(verdict.methods)
        ax = figure.subplots()
        ax.spines["top"].set_visible(True)  # the scale
        drawn = critical_difference_diagram(
            dict(zip(names, verdict.ranks, strict=True)),
            DataFrame(verdict.pairs, index=names, columns=names),
            alpha=ALPHA,
            ax=ax,
            text_h_margin=0.06,
            label_fmt_left="{label}  {rank:.2f}",
            label_fmt_right="{rank:.2f}  {label}",
            label_props={"fontsize": 9},
            marker_props={"s": 26, "zorder": 3},
            elbow_props={"linewidth": 1},
            crossbar_props={"color": INK, "linewidth": 3, "solid_capstyle": "round"},
            color_palette={name: METHODS.get(name, GUESSED) for name in names},
        )
        for bar in (bar for bars in drawn["crossbars"] for bar in bars):
            # Its points come in the order of a set of names, which is another in every process.
            bar.set_xdata(sorted(bar.get_xdata()))
        _ruler(ax, min(verdict.ranks), verdict.critical_difference or 0.0)
        return figure

    return drawer


def _ruler(ax: Any, start: float, length: float) -> None:
    """Show, above the scale, how far apart two ranks must be; the library's own hides the scale."""
    across = ax.get_xaxis_transform()
    ax.plot([start, start + length], [1.22] * 2, "|-", ms=8, mew=1.4, lw=1.4, color=MUTED,
            transform=across, clip_on=False)  # fmt: skip
    ax.text(start + length / 2, 1.27, f"critical difference {length:.2f}", color=MUTED,
            fontsize=8.5, ha="center", va="bottom", transform=across)  # fmt: skip


def _sizes(facts: Facts, pool_size: int) -> Any:
    marks = [
        Mark(point.method, point.size, point.inside, point.outside, point.proves)
        for point in facts.points
        if point.pool_size == pool_size and not point.dataset
    ]
    if not marks:
        return None
    figure = new_figure(8.0, 4.8)
    draw(figure.subplots(), marks, "mean accuracy", None)
    return figure


def _seats(facts: Facts, pool_size: int) -> Any:
    seats = [seat for seat in facts.seats if seat.pool_size == pool_size][::-1]
    if not seats:
        return None
    figure = new_figure(8.0, 0.7 + 0.23 * len(seats))
    ax = figure.subplots()
    bars = ax.barh([seat.name for seat in seats], [seat.share for seat in seats], color=GUESSED)
    ax.bar_label(
        bars, [f"{100 * seat.share:.0f} %" for seat in seats], padding=4, color=INK, fontsize=8
    )
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    ax.set_xlabel("share of the committees it sits in")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    return figure


def _seconds(facts: Facts, pool_size: int) -> Any:
    from matplotlib.ticker import LogLocator, NullLocator

    found = [item for item in facts.seconds if item.pool_size == pool_size][::-1]
    if not found:
        return None
    figure = new_figure(8.0, 0.8 + 0.27 * len(found))
    ax = figure.subplots()
    for place, item in enumerate(found):
        colour = METHODS.get(item.method, GUESSED)
        # A clock cannot tell less than a tenth of a millisecond from nothing.
        least, lower, median, upper, most = (
            max(value, 1e-4)
            for value in (item.least, item.lower, item.median, item.upper, item.most)
        )
        ax.plot([least, most], [place] * 2, color=FAINT, lw=1.2, zorder=1)
        ax.plot([lower, upper], [place] * 2, color=colour, lw=5, alpha=0.45, zorder=2,
                solid_capstyle="butt")  # fmt: skip
        ax.plot(median, place, "o", ms=6, mfc=colour, mec=PAGE, zorder=3)
        ax.annotate(clock(median), (most, place), (6, 0), textcoords="offset points", va="center",
                    fontsize=8, color=MUTED)  # fmt: skip
    ax.set_xscale("log")
    ax.set_yticks(range(len(found)), [item.method for item in found])
    ax.xaxis.set_major_locator(LogLocator(10, numticks=12))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(lambda value, _: clock(value))
    ax.set_xlabel("time per committee (logarithmic)")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    ax.margins(x=0.08)
    return figure


_PICTURES: tuple[tuple[str, str, str, Drawer], ...] = (
    *(
        (
            f"critical_difference_{slug(measure)}",
            f"Critical differences by {measure}",
            "Average ranks over the data sets, the best on the left. A bar joins methods that "
            "Nemenyi's test cannot tell apart at the 5 % level.",
            _critical(measure),
        )
        for measure in ("accuracy", "balanced accuracy")
    ),
    (
        "difference_from_paper",
        "Where we differ from the paper",
        "Our accuracy on the test part minus the paper's, in percentage points.",
        paper_heat,
    ),
    (
        "size",
        "Accuracy against size",
        "Means over the data sets that have every method: filled on the test part, hollow on the "
        "validation part the committee was chosen on.",
        _sizes,
    ),
    (
        "in_and_out",
        "In-sample against out-of-sample",
        "Hollow: accuracy on the validation part. Filled: on the test part. Upright stroke: the "
        "paper's, on its test part.",
        loss_panels,
    ),
    (
        "gap_over_time",
        "How the gap closes",
        "Median gap over the runs, from the moment on at which half of them have one; logarithmic "
        "above 1 %. Square: the paper's mean after 300 seconds of CPLEX 12.8 on 8 cores.",
        gap_panels,
    ),
    (
        "diversity",
        "Diversity of the committees",
        "Mean failure credit over all pairs of members: 1 if no two fail together, 0 if they "
        "always do.",
        diversity_heat,
    ),
    (
        "families",
        "Whose seats they are",
        "Each family's share of a method's seats, in per cent. The full ensemble, FE, shows the "
        "pool's own shares.",
        family_heat,
    ),
    (
        "selected",
        "Who is selected most often",
        "Share of all committees that are smaller than the pool, over all methods and data sets.",
        _seats,
    ),
    (
        "time",
        "Time per method",
        "Dot and figure: median. Thick: the middle half of the runs. Thin: all of them.",
        _seconds,
    ),
)
"""Kind, title, note and drawer."""
