"""`Run`: everything a method is given besides the problem, and what it hands back."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from .ledger import Ledger
from .solvers import Solver


@dataclass(frozen=True, slots=True)
class Run:
    """The circumstances of one solve.

    Parameters
    ----------
    ledger
        Where committees and bounds go.
    deadline
        When to stop, as `time.time` tells it.
    solver
        Which solver to use, for methods that use one.
    threads
        How many threads may be used.
    seed
        Seed of all randomness.
    """

    ledger: Ledger
    deadline: float
    solver: Solver = field(default_factory=Solver)
    threads: int = 1
    seed: int = 0

    @property
    def seconds_left(self) -> float:
        """Time left until the deadline, never negative."""
        return max(0.0, self.deadline - time.time())


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a method ended; what it found is in the ledger.

    Parameters
    ----------
    termination
        "proved", "time limit", "solver failed" or "finished".
    infeasible
        Whether it proved that no committee meets the constraints.
    explanation
        Which constraints clash, when they do.
    """

    termination: str
    infeasible: bool = False
    explanation: str = ""
