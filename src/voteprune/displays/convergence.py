"""`ConvergenceDisplay`: how value and bound came together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exceptions import InputError
from ..numbers.floats import Floats
from ..solve.base_solution import BaseSolution
from ..solve.soft_solution import SoftSolution
from ..web.pictures import GUESSED, PROVED, axes, dress, legend, words

_WIDE = 30.0
"""From this ratio of the last to the first moment on, time goes on a logarithmic axis."""


class ConvergenceDisplay:
    """Best value and bound over the time of a run.

    The value rises as better committees are found, the bound falls as more is ruled out, and the
    area between them is what the run had not settled yet.

    Parameters
    ----------
    seconds
        Moments at which something changed, in order; the last is the end of the run.
    values
        Value of the best committee from each moment on; nan before the first one.
    bounds
        What no committee can exceed, from each moment on.
    objective
        Name of the criterion.
    minimised
        Whether less is better: losses, and bounds below which none can be.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    value_line_, bound_line_, open_area_
        The artists.

    Examples
    --------
    >>> import voteprune as vp
    >>> solution = vp.prune([[0, 1], [1, 1], [1, 0]], [0, 1, 1])
    >>> display = vp.ConvergenceDisplay.from_solution(solution)  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        seconds: Floats,
        values: Floats,
        bounds: Floats,
        objective: str,
        minimised: bool = False,
    ) -> None:
        self.seconds = np.asarray(seconds, dtype=np.float64)
        self.values = np.asarray(values, dtype=np.float64)
        self.bounds = np.asarray(bounds, dtype=np.float64)
        self.objective = objective
        self.minimised = minimised

    @classmethod
    def from_solution(cls, solution: BaseSolution, ax: Any = None) -> ConvergenceDisplay:
        """Draw the run that led to a solution.

        Parameters
        ----------
        solution
            As `prune` returned it; the path is not saved to files.
        ax
            Axes to draw on; those of a new figure when omitted.

        Raises
        ------
        InputError
            If the solution has no trace.
        """
        if not solution.trace:
            raise InputError(
                "solution",
                "has no trace, which files do not hold. Draw a solution as prune() returns it.",
            )
        moments = [step.seconds for step in solution.trace]
        values = [np.nan if step.value is None else step.value for step in solution.trace]
        bounds = [step.bound for step in solution.trace]
        # A soft committee's value is minus its loss, and a loss is what people know.
        minimised = isinstance(solution, SoftSolution)
        sign = -1.0 if minimised else 1.0
        return cls(
            seconds=np.array([*moments, max(solution.seconds, moments[-1])]),
            values=sign * np.array([*values, values[-1]]),
            bounds=sign * np.array([*bounds, bounds[-1]]),
            objective=f"penalised {solution.objective}" if minimised else solution.objective,
            minimised=minimised,
        ).plot(ax)

    def plot(self, ax: Any = None) -> ConvergenceDisplay:
        """Draw.

        Parameters
        ----------
        ax
            Axes to draw on; those of a new figure when omitted.
        """
        ax = axes(ax, (7.5, 4.2))
        steps = {"where": "post", "lw": 2}
        limit = "no committee is below" if self.minimised else "no committee exceeds"
        (self.bound_line_,) = ax.step(self.seconds, self.bounds, color=PROVED, label=limit, **steps)
        (self.value_line_,) = ax.step(
            self.seconds, self.values, color=GUESSED, label="best committee", **steps
        )
        self.open_area_ = ax.fill_between(
            self.seconds, self.values, self.bounds, step="post", color=PROVED, alpha=0.08, lw=0,
            label="still open",
        )  # fmt: skip
        first = self.seconds[self.seconds > 0].min(initial=np.inf)
        if self.seconds[-1] > _WIDE * first:
            ax.set_xscale("log")
            # Powers of ten would be formulas, which pages do not set.
            ax.xaxis.set_major_formatter("{x:g}")
        dress(ax, "seconds", words(self.objective))
        legend(ax)
        self.ax_, self.figure_ = ax, ax.get_figure(root=True)
        return self
