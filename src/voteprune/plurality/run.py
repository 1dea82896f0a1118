"""What a method for plurality committees is given."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ..solvers import Solver
from .ledger import PluralityLedger


@dataclass(frozen=True, slots=True)
class PluralityRun:
    """The circumstances of one solve.

    Parameters
    ----------
    ledger
        Where committees and bounds go.
    deadline
        When to stop, as `time.monotonic` tells it.
    solver, threads, seed
        Which solver, how many threads, the seed of all randomness.
    """

    ledger: PluralityLedger
    deadline: float
    solver: Solver = field(default_factory=Solver)
    threads: int = 1
    seed: int = 0

    @property
    def seconds_left(self) -> float:
        """Time left until the deadline, never negative."""
        return max(0.0, self.deadline - time.monotonic())
