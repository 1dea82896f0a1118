"""`Ledger`: the best committee and the best bound of a run, every entry recounted.

Methods offer members and bounds; the ledger recounts, keeps what is better, tells the user's
callback, and remembers the path for a convergence plot.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from .committee import Committee
from .exact import float_above
from .problem import Problem


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands.

    Parameters
    ----------
    seconds
        Time since the run began.
    value
        Objective of the best committee so far, in the criterion's own unit; None before the first.
    bound
        What no committee can exceed.
    open_boxes
        How many parts of the proof are open; None where it is not made of boxes.
    """

    seconds: float
    value: float | None
    bound: float
    open_boxes: int | None = None

    @property
    def gap(self) -> float | None:
        """``(bound - value) / |value|``, None before the first committee."""
        return relative_gap(self.value, self.bound)


OPTIMAL_GAP = 1e-3
"""Largest gap that may count as a solver's rounding, where weights are too fine for integers."""


def relative_gap(value: float | None, bound: float | None) -> float | None:
    """Return ``(bound - value) / |value|``: 0 when they are equal, infinite when value is 0."""
    if value is None or bound is None:
        return None
    if bound == value:
        return 0.0
    return (bound - value) / abs(value) if value else float("inf")


Callback = Callable[[Progress], object]
"""Called on every improvement; a true return value ends the run."""


class Counted(Protocol):
    """An objective in integer units: what is reachable, and what a unit is worth."""

    @property
    def ceiling(self) -> int:
        """What no committee can exceed."""

    @property
    def unit(self) -> Fraction:
        """What one unit is worth."""

    def floor_to_step(self, units: Fraction | float) -> int:
        """Return the largest reachable sum that is not above `units`."""


class StopRequested(Exception):  # noqa: N818 - a request, not a fault
    """The user's callback asked to stop."""


class Book:
    """Best value, best bound, incidents and trace of one run, whatever is voted on.

    `unwritten` says which files were asked for and could not be written when last tried.

    Parameters
    ----------
    gains
        What the objective counts, see `Counted`.
    callback
        Told of every improvement.
    began
        When the run began, as `time.monotonic` tells it; now when omitted.
    """

    def __init__(
        self, gains: Counted, callback: Callback | None = None, began: float | None = None
    ) -> None:
        self._gains = gains
        self.units: int | None = None
        self.bound: int = gains.ceiling
        self.incidents: list[str] = []
        self.unwritten: list[str] = []
        self.trace: list[Progress] = []
        self.open_boxes: int | None = None
        self._callback = callback
        self.began = time.monotonic() if began is None else began

    @property
    def seconds(self) -> float:
        """Time since the run began."""
        return time.monotonic() - self.began

    @property
    def closed(self) -> bool:
        """Whether the best committee meets the bound, exactly."""
        return self.units is not None and self.bound <= self.units

    def tighten(self, bound: Fraction | float) -> bool:
        """Take a valid upper bound in units, rounded down to what can be reached."""
        if bound == float("inf"):
            return False
        reachable = self._gains.floor_to_step(bound)
        if reachable >= self.bound:
            return False
        self.bound = reachable if self.units is None else max(reachable, self.units)
        self._tell()
        return True

    def distrust(self, incident: str) -> None:
        """Note what a solver did, and fall back to the bound that needs no solver."""
        self.incidents.append(incident)
        self.bound = self._gains.ceiling
        self._tell()

    def progress(self) -> Progress:
        """Return where the run stands, in the criterion's own unit."""
        unit = self._gains.unit
        value = None if self.units is None else float(self.units * unit)
        bound = value if value is not None and self.closed else float_above(self.bound * unit)
        return Progress(self.seconds, value, bound, self.open_boxes)

    def _tell(self) -> None:
        progress = self.progress()
        self.trace.append(progress)
        if self._callback is not None and self._callback(progress):
            raise StopRequested


class Ledger(Book):
    """The book of a run that looks for a committee.

    Parameters
    ----------
    problem
        What is being solved.
    callback, began
        As for every `Book`.
    """

    def __init__(
        self, problem: Problem, callback: Callback | None = None, began: float | None = None
    ) -> None:
        super().__init__(problem.gains, callback, began)
        self.problem = problem
        self.committee: Committee | None = None

    def offer(self, members: Sequence[int], threshold: int | None = None) -> bool:
        """Recount a set of members; keep it if it beats the best so far.

        Parameters
        ----------
        members
            Indices into the pool.
        threshold
            The threshold they sit with; the best for them when omitted.
        """
        if threshold is None:
            best = self.problem.best_threshold(members)
        else:
            committee = self.problem.committee(members, threshold)
            allowed = self.problem.allows(committee)
            best = (committee, self.problem.units(committee)) if allowed else None
        if best is None or (self.units is not None and best[1] <= self.units):
            return False
        self.committee, self.units = best
        self._tell()
        return True
