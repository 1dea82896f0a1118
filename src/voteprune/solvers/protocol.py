"""What a solver is: one function from a sparse model to an answer.

Every module beside this one that is named after a solver has one function::

    def solve(model, options, start, report) -> Answer

It runs in a process of its own (see `worker`), imports its library itself, and may call `report`
as often as it likes with what it has found so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..numbers.floats import Floats

Report = Callable[[Floats | None, float], None]
"""Called with a solution vector or None, and the best upper bound so far (infinite if none)."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a solver is to run.

    Parameters
    ----------
    deadline
        When to stop, as `time.monotonic` tells it; the same clock in every
        process of a machine.
    threads
        How many threads to use.
    seed
        Seed of the solver's own randomness.
    presolve
        Whether the solver may simplify the model first.
    end
        When nobody has time to wait for an answer any more; the deadline when omitted.
    """

    deadline: float
    threads: int = 1
    seed: int = 0
    presolve: bool = True
    end: float | None = None

    @property
    def seconds_left(self) -> float:
        """Time left until the deadline, never negative."""
        return max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a solver says at the end.

    Parameters
    ----------
    status
        "optimal", "infeasible", or "stopped" when it ran into its deadline.
    solution
        The best solution vector, None if there is none.
    bound
        Upper bound on the model's objective; infinite if it has none.
    """

    status: Literal["optimal", "infeasible", "stopped"]
    solution: Floats | None
    bound: float


class LicenceLimit(Exception):  # noqa: N818 - a fact, not a fault
    """Raised by a solver module when the licence does not cover the model's size."""
