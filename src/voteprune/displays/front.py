"""`FrontDisplay`: what every committee size, or every budget, can reach, found and proved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..exceptions import InputError
from ..files import outfile
from ..front import front_of
from ..problem.committee import Committee
from ..problem.plurality_committee import PluralityCommittee
from ..soft.committee import SoftCommittee
from ..solve.fronts import SIZE, Front
from ..solve.plurality_solution import PluralitySolution
from ..solve.request import Arguments
from ..solve.soft_solution import SoftSolution
from ..solve.solution import Solution
from ..strategies.registry import METHODS
from ..web.chart import picture_file
from ..web.pictures import GUESSED, INK, PROVED, axes, dress, legend, words


class FrontDisplay:
    """Best value and bound for every committee size, or for every budget.

    A full dot is proved, value and bound are one; a hollow one stands below its bound, and what
    lies between may still be there.

    Parameters
    ----------
    sizes
        Committee sizes, in order.
    values
        Value of the best committee found of each size; nan or None where none was.
    bounds
        What no committee of each size can exceed; nan or None where there is no such committee.
    objective
        Name of the criterion.
    minimised
        Whether less is better: losses, and bounds below which none can be.
    costs
        What each committee costs, in a front by cost; values and bounds are steps then.
    by
        "size", or what the costs are called.
    limit
        The largest budget looked at; the last cost and a little more when omitted.
    marked
        Place of a point that is circled; none when omitted.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    bound_line_, proved_, found_, open_area_
        The artists: bounds, proved values, other values, and what lies between.
    marked_
        The circle, where there is one.
    step_line_
        What can be reached with every budget, in a front by cost.
    """

    def __init__(
        self,
        *,
        sizes: Sequence[int],
        values: Sequence[float | None],
        bounds: Sequence[float | None],
        objective: str,
        minimised: bool = False,
        costs: Sequence[float] | None = None,
        by: str = SIZE,
        limit: float | None = None,
        marked: int | None = None,
    ) -> None:
        if not len(sizes) == len(values) == len(bounds) or not len(sizes):
            raise InputError(
                "sizes", "values and bounds must be of one length, one entry per size or more."
            )
        self.sizes = np.asarray(sizes, dtype=np.intp)
        # None becomes nan, which is not drawn.
        self.values = np.array(values, dtype=np.float64)
        self.bounds = np.array(bounds, dtype=np.float64)
        self.objective = objective
        self.minimised, self.by, self.limit, self.marked = minimised, by, limit, marked
        self.costs = np.array(sizes if costs is None else costs, dtype=np.float64)

    @classmethod
    def from_front(
        cls,
        front: Front,
        ax: Any = None,
        *,
        marked: Committee | PluralityCommittee | SoftCommittee | None = None,
    ) -> FrontDisplay:
        """Draw a front.

        Parameters
        ----------
        front
            What `voteprune.front` returned.
        ax
            Axes to draw on; those of a new figure when omitted.
        marked
            A committee that is circled where it stands on the front.
        """
        more: dict[str, Any] = {"marked": _place(front, marked)}
        if front.by != SIZE:
            limit = None if front.limit is None else float(front.limit)
            more |= {"costs": front.costs, "by": front.by, "limit": limit}
        if not front.minimised:
            return cls(
                sizes=front.sizes,
                values=front.values,
                bounds=front.bounds,
                objective=str(front.objective),
                **more,
            ).plot(ax)
        # A soft committee's value is minus its loss, and what is proved is so up to a tolerance.
        return cls(
            sizes=front.sizes,
            values=[None if point.value is None else -point.value for point in front.points],
            bounds=[
                None
                if point.bound is None
                else -(point.value or 0.0 if point.optimal else point.bound)
                for point in front.points
            ],
            objective=f"penalised {front.objective}",
            minimised=True,
            **more,
        ).plot(ax)

    @classmethod
    def from_solution(
        cls,
        solution: Solution | PluralitySolution | SoftSolution,
        *,
        time_limit: float = 10.0,
        random_state: int = 0,
        ax: Any = None,
    ) -> FrontDisplay:
        """Find the front of the problem that a solution solves, and draw it with its committee.

        Parameters
        ----------
        solution
            As `prune` returned it.
        time_limit, random_state
            As for `front`.
        ax
            Axes to draw on; those of a new figure when omitted.

        Raises
        ------
        InputError
            If the votes are not at hand.
        """
        if solution.problem is None:
            raise InputError("solution", "knows its votes only as prune() returns it. Use front().")
        asked = Arguments(time_limit=time_limit, random_state=random_state)
        circumstances = asked.circumstances(METHODS["exact"])
        found = front_of(solution.problem, circumstances)
        return cls.from_front(found, ax, marked=solution.committee)

    def plot(self, ax: Any = None) -> FrontDisplay:
        """Draw.

        Parameters
        ----------
        ax
            Axes to draw on; those of a new figure when omitted.
        """
        ax = axes(ax, (7.5, 4.2))
        if self.by == SIZE:
            self._plot_sizes(ax)
        else:
            self._plot_steps(ax)
        legend(ax)
        self.ax_, self.figure_ = ax, ax.get_figure(root=True)
        return self

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, whose ending (png, svg, pdf) says its format."""
        form = Path(path).suffix.lower().removeprefix(".") or "png"
        outfile.write_bytes(path, picture_file(form, self.figure_))

    def _plot_steps(self, ax: Any) -> None:
        """Draw steps from each cost to the next: what was found, and what none exceeds."""
        beyond = self.costs[-1] + 0.05 * max(self.costs[-1] - self.costs[0], 1e-9)
        ends = np.append(self.costs, beyond if self.limit is None else self.limit)
        values, bounds = (np.append(each, each[-1]) for each in (self.values, self.bounds))
        self.open_area_ = ax.fill_between(
            ends, values, bounds, step="post", color=PROVED, alpha=0.08, lw=0, label=self._open()
        )
        what = "is below" if self.minimised else "exceeds"
        (self.bound_line_,) = ax.plot(
            ends, bounds, drawstyle="steps-post", color=PROVED, lw=1.6,
            label=f"none with this budget {what}",
        )  # fmt: skip
        (self.step_line_,) = ax.plot(
            ends, values, drawstyle="steps-post", color=GUESSED, lw=1.2, ls=":"
        )
        self._plot_dots(ax, self.costs)
        dress(ax, self.by, words(self.objective))

    def _open(self, label: str = "still open") -> str | None:
        """Return the label of what is not proved, for the legend; None where all is."""
        return None if (self.values == self.bounds).all() else label

    def _plot_dots(self, ax: Any, across: Any) -> None:
        proved = self.values == self.bounds
        dots = {"color": GUESSED, "ls": "", "marker": "o", "ms": 5.5, "zorder": 3}
        some = "proved best" if proved.any() else None
        (self.proved_,) = ax.plot(across[proved], self.values[proved], label=some, **dots)
        (self.found_,) = ax.plot(
            across[~proved],
            self.values[~proved],
            mfc="white",
            label=self._open("best found"),
            **dots,
        )

        self.marked_ = None
        if self.marked is not None:
            (self.marked_,) = ax.plot(
                across[self.marked], self.values[self.marked], color=INK, ls="", marker="o",
                ms=12, mew=1.4, mfc="none", zorder=4, label="this one",
            )  # fmt: skip

    def _plot_sizes(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        self.open_area_ = ax.fill_between(
            self.sizes, self.values, self.bounds, color=PROVED, alpha=0.08, lw=0, label=self._open()
        )
        what = "is below" if self.minimised else "exceeds"
        limit = f"no committee of this size {what}"
        (self.bound_line_,) = ax.plot(self.sizes, self.bounds, color=PROVED, lw=1.6, label=limit)
        self._plot_dots(ax, self.sizes)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        dress(ax, "members of the committee", words(self.objective))


def _place(
    front: Front, committee: Committee | PluralityCommittee | SoftCommittee | None
) -> int | None:
    """Return where a committee's members stand on a front; None if nowhere."""
    if committee is None:
        return None
    known = [None if p.committee is None else p.committee.members for p in front.points]
    return known.index(committee.members) if committee.members in known else None
