"""`Method`: what a method is; `Run`: what it is given; `Outcome`: what it hands back."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ..numbers.threads import threadpool_limits
from ..solvers import Solver
from .incumbent import Incumbent, StopRequested

ThresholdRule = Literal["majority", "tuned"]
"""How many votes make a positive: more than half of them, or as many as suit the objective."""

CONSTRAINT_KINDS = (
    "size", "forbid", "require", "budget", "group", "criterion", "diversity", "coverage",
)  # fmt: skip
"""What a method may or may not be able to honour."""


@dataclass(frozen=True, slots=True)
class Run:
    """The circumstances of one solve.

    Parameters
    ----------
    incumbent
        Where committees and bounds go.
    deadline
        When to stop, as `time.monotonic` tells it.
    solver
        Which solver to use, for methods that use one.
    threads
        How many threads may be used.
    seed
        Seed of all randomness.
    threshold
        How the committee's threshold is set, for methods that leave it open.
    checkpoint
        File to keep an unfinished proof in, None for none.
    record
        Where proofs are written down step by step, None if nobody asked for them.
    latest
        When the whole is over that this is a part of.
    """

    incumbent: Incumbent
    deadline: float
    solver: Solver = field(default_factory=Solver)
    threads: int = 1
    seed: int = 0
    threshold: ThresholdRule = "tuned"
    checkpoint: Path | None = None
    record: list[Any] | None = None
    latest: float = -math.inf

    @property
    def end(self) -> float:
        """When nobody has time to wait any more."""
        return max(self.deadline, self.latest)

    def part(self, deadline: float, incumbent: Incumbent | None = None) -> Run:
        """Return the circumstances of a part of this run, with a deadline of its own.

        Parameters
        ----------
        deadline
            When to stop; not after the run itself.
        incumbent
            Where committees and bounds go, the run's own when omitted.
        """
        until = min(self.deadline, deadline)
        return replace(self, incumbent=incumbent or self.incumbent, deadline=until, latest=self.end)

    def soon(self, share: float) -> float:
        """Return the moment when a share of the time left is over."""
        return time.monotonic() + share * self.seconds_left

    @property
    def seconds_left(self) -> float:
        """Time left until the deadline, never negative."""
        return max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a method ended; what it found is in the incumbent.

    Parameters
    ----------
    termination
        "proved", "time limit", "solver failed" or "finished".
    infeasible
        Whether it proved that no committee meets the constraints.
    explanation
        Which constraints clash, when they do.
    trusted
        The solvers whose word it is that no committee meets the constraints, or that what is left
        between value and bound is rounding; none where voteprune has proved it. Whose word the
        bound is, the incumbent knows.
    """

    termination: str
    infeasible: bool = False
    explanation: str = ""
    trusted: tuple[str, ...] = ()


def outcome_of(work: Callable[[], Outcome]) -> Outcome:
    """Do the work of a run, and tell how it ended: by itself, on request, or by Ctrl-C."""
    try:
        # Solvers run in processes of their own; what runs here is BLAS on small matrices, which
        # takes all cores unless told otherwise, and is slower for it.
        with threadpool_limits(1, "blas"):
            return work()
    except StopRequested as request:
        return Outcome(str(request))
    except KeyboardInterrupt:
        return Outcome("interrupted")


Solve = Callable[[Any, Run], Outcome]
"""Takes a problem and a run to an outcome."""


@dataclass(frozen=True, slots=True)
class Method:
    """A way to prune.

    Parameters
    ----------
    name
        What `prune` calls it.
    summary
        One line for people.
    reference
        Where it comes from.
    solve
        The function for weighted sums of the counts, and through them for ratios and curves; it
        offers what it finds to the run's incumbent.
    uses_solver
        Whether it hands a model to a solver.
    proves
        Whether it bounds what any committee can reach; the others leave ``bound`` open.
    thresholds
        Rules for the threshold it can work with, its own first.
    honours
        Kinds of constraints it respects, out of `CONSTRAINT_KINDS`; it refuses all others.
    others
        The functions for other kinds of objectives, by `Objective.kind`.
    """

    name: str
    summary: str
    reference: str
    solve: Solve
    uses_solver: bool = False
    proves: bool = True
    thresholds: tuple[ThresholdRule, ...] = ("tuned",)
    honours: tuple[str, ...] = CONSTRAINT_KINDS
    others: Mapping[str, Solve] = field(default_factory=dict)
