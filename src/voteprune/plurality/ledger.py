"""`PluralityLedger`: best committee and best bound of a run, every entry recounted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

from ..exact import float_above
from ..ledger import Callback, Progress, StopRequested
from .problem import PluralityProblem


class PluralityLedger:
    """Best members, best bound, incidents and trace of one run.

    Parameters
    ----------
    problem
        What is being solved.
    callback
        Told of every improvement; a true return value ends the run.
    """

    def __init__(self, problem: PluralityProblem, callback: Callback | None = None) -> None:
        self.problem = problem
        self.members: tuple[int, ...] | None = None
        self.units: int | None = None
        self.bound = problem.gains.ceiling
        self.incidents: list[str] = []
        self.trace: list[Progress] = []
        self._callback = callback
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time since the run began."""
        return time.perf_counter() - self._began

    @property
    def closed(self) -> bool:
        """Whether the best committee meets the bound, exactly."""
        return self.units is not None and self.bound <= self.units

    def offer(self, members: Sequence[int]) -> bool:
        """Recount a set of members; keep it if it is allowed and beats the best so far."""
        if not members or not self.problem.allows(members):
            return False
        units = self.problem.units(members)
        if self.units is not None and units <= self.units:
            return False
        self.members, self.units = tuple(sorted(members)), units
        self._tell()
        return True

    def tighten(self, bound: Fraction | float) -> None:
        """Take a valid upper bound in units, rounded down to what can be reached."""
        if bound == float("inf"):
            return
        reachable = self.problem.gains.floor_to_step(bound)
        if reachable < self.bound:
            self.bound = reachable if self.units is None else max(reachable, self.units)
            self._tell()

    def distrust(self, incident: str) -> None:
        """Note what a solver did, and fall back to the bound that needs no solver."""
        self.incidents.append(incident)
        self.bound = self.problem.gains.ceiling
        self._tell()

    def progress(self) -> Progress:
        """Return where the run stands, in the criterion's own unit."""
        unit = self.problem.gains.unit
        value = None if self.units is None else float(self.units * unit)
        bound = value if value is not None and self.closed else float_above(self.bound * unit)
        return Progress(self.seconds, value, bound)

    def _tell(self) -> None:
        progress = self.progress()
        self.trace.append(progress)
        if self._callback is not None and self._callback(progress):
            raise StopRequested
