"""What `prune` is asked for apart from the votes, checked once, before any work starts."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import joblib
import numpy as np

from ..exceptions import InputError
from ..numbers.exact import exact
from ..problem.constraints import Constraint, check_constraints
from ..problem.criteria import Criterion, check_criterion
from ..problem.diversity import Diversity, check_diversity
from ..problem.margin import Margin, check_margin
from ..run.incumbent import Callback, Incumbent
from ..run.run import Method, Run, ThresholdRule
from ..solvers import Solver
from ..strategies.registry import (
    METHODS,
    check_honours,
    check_threshold,
    for_margins,
    unknown_method,
)

_Criterion = TypeVar("_Criterion", bound=Criterion | Margin)


_FOREVER = 1e8
"""Seconds that stand for "no limit"; every solver can take it."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a method is to be run, whatever the problem.

    Parameters
    ----------
    solver
        The solver, None for methods that use none.
    threshold
        The rule for the threshold.
    seconds
        How long it may take.
    seed
        Seed of all randomness.
    threads
        How many cores it may use.
    gap
        The gap at which it may end; None for 0.
    """

    solver: Solver | None
    threshold: ThresholdRule
    seconds: float
    seed: int
    threads: int
    gap: float | None = None

    @classmethod
    def of(
        cls,
        method: Method,
        *,
        solver: object = None,
        threshold: object = None,
        time_limit: object = 60.0,
        random_state: object = None,
        n_jobs: object = None,
        gap: object = None,
    ) -> Circumstances:
        """Read the arguments of `prune` that say how to run a method.

        Raises
        ------
        InputError
            If one of them is wrong, or the method cannot follow the threshold's rule.
        """
        chosen = None if solver == "brute" else _check_solver(solver)
        if solver not in (None, "brute") and not method.uses_solver:
            raise InputError(
                "solver", f"{method.name} uses no solver. Leave it out, or use another method."
            )
        return cls(
            chosen if method.uses_solver else None,
            check_threshold(threshold, method),
            _check_time_limit(time_limit),
            _check_seed(random_state),
            _check_jobs(n_jobs),
            _check_gap(gap, method),
        )

    def begin(self, incumbent: Incumbent, checkpoint: Path | None, began: float) -> Run:
        """Return the circumstances of a run that has begun at a moment of `time.monotonic`."""
        deadline = began + self.seconds
        solver = self.solver or Solver()
        return Run(incumbent, deadline, solver, self.threads, self.seed, self.threshold, checkpoint)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What `prune` was asked for, as it was asked."""

    objective: object = "accuracy"
    method: object = "exact"
    solver: object = None
    diversity: object = None
    constraints: object = ()
    threshold: object = None
    time_limit: object = 60.0
    start: object = None
    callback: Callback | None = None
    random_state: object = None
    n_jobs: object = None
    gap: object = None

    def circumstances(self, method: Method) -> Circumstances:
        """Return how a method is to be run.

        Raises
        ------
        InputError
            If one of the arguments is wrong.
        """
        return Circumstances.of(
            method,
            solver=self.solver,
            threshold=self.threshold,
            time_limit=self.time_limit,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            gap=self.gap,
        )


def _check_gap(gap: object, method: Method) -> float | None:
    if gap is None:
        return None
    share = float(exact(gap, "gap"))
    if share < 0:
        raise InputError("gap", f"is {gap!r}; give a share such as 0.01, or None for a full proof.")
    if not method.proves:
        raise InputError(
            "gap", f"{method.name} has no bound, so no gap. Leave it out, or use method='exact'."
        )
    return share


def _check_solver(solver: object) -> Solver:
    if isinstance(solver, Solver):
        return solver
    if solver is None or isinstance(solver, str):
        return Solver() if solver is None else Solver(solver)
    raise InputError("solver", f"expected a name or a vp.Solver, got {solver!r}.")


def _check_time_limit(time_limit: object) -> float:
    if time_limit is None or time_limit == math.inf:
        return _FOREVER
    seconds = float(exact(time_limit, "time_limit"))
    if seconds < 0:
        raise InputError("time_limit", f"is {time_limit!r}; give seconds, 0 or more, or None.")
    return min(seconds, _FOREVER)


def _check_seed(random_state: object) -> int:
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0] >> 1)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if whole and 0 <= random_state < 2**32:  # type: ignore[operator]
        return int(random_state)  # type: ignore[call-overload,no-any-return]
    raise InputError(
        "random_state",
        "expected a whole number from 0 to 2**32 - 1, a NumPy generator or None, "
        f"got {random_state!r}.",
    )


def _check_jobs(n_jobs: object) -> int:
    if n_jobs is not None and (
        isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0
    ):
        raise InputError("n_jobs", f"expected None or a whole number but 0, got {n_jobs!r}.")
    return int(joblib.effective_n_jobs(n_jobs))


@dataclass(frozen=True, slots=True)
class Plan:
    """What `prune` was asked for apart from the votes, checked.

    Parameters
    ----------
    method, circumstances
        By what, and how.
    criterion, requests, diversity
        What to maximise, and what to respect.
    penalty
        The ridge on weights, for soft committees alone.
    """

    method: Method
    circumstances: Circumstances
    criterion: Any
    requests: tuple[Constraint, ...]
    diversity: str | Diversity | None = None
    penalty: float = 0.0


def check_plan(**asked: Any) -> Plan:
    """Check arguments of `prune` for votes on two classes, see `check_wishes`."""
    return check_wishes(Wishes(**asked))


def check_wishes(wishes: Wishes) -> Plan:
    """Check every argument of `prune` that can be judged before there are votes on two classes.

    Whoever must train classifiers to have votes can so refuse a wrong argument first.

    Raises
    ------
    InputError
        If an argument is wrong.
    """
    method = _check_method(wishes.method, wishes.solver)
    margin = check_margin(wishes.objective)
    if margin is not None:
        method = for_margins(method, wishes.threshold)
    circumstances = wishes.circumstances(method)
    requests = check_constraints(wishes.constraints)
    criterion, limits = check_configuration(
        margin or check_criterion(wishes.objective, "objective"), check_diversity(wishes.diversity)
    )
    check_honours(method, requests, limits)
    return Plan(method, circumstances, criterion, requests, limits)


def _check_method(method: object, solver: object) -> Method:
    if solver == "brute":
        method = "brute"
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_method("method", method)
    return METHODS[method]


def check_configuration(
    criterion: _Criterion, diversity: str | Diversity | None
) -> tuple[_Criterion | str, str | Diversity | None]:
    """Let F1-theta set the objective, unless another one was asked for."""
    if diversity != "F1-theta":
        return criterion, diversity
    if criterion not in ("accuracy", "balanced_accuracy"):
        raise InputError(
            "diversity", f"F1-theta maximises balanced accuracy, but objective is {criterion}."
        )
    return "balanced_accuracy", None


def check_start(start: object, n_classifiers: int) -> list[int] | None:
    """Return the members of a committee to start from; None where there is none.

    Raises
    ------
    InputError
        If it is no committee of this pool.
    """
    if start is None:
        return None
    size = getattr(start, "pool_size", n_classifiers)
    if size != n_classifiers:
        raise InputError(
            "start",
            f"was chosen from {size} classifiers, this pool has {n_classifiers}. Give a committee "
            "of this pool.",
        )
    listed: Any = getattr(start, "members", start)
    try:
        members = sorted({operator.index(k) for k in listed})
    except TypeError:
        raise InputError("start", f"expected a committee or members, got {start!r}.") from None
    if not members or members[0] < 0 or members[-1] >= n_classifiers:
        raise InputError("start", f"members must be indices between 0 and {n_classifiers - 1}.")
    return members


def check_callback(callback: object) -> None:
    """Refuse what cannot be called."""
    if callback is not None and not callable(callback):
        raise InputError("callback", f"expected a function, got {callback!r}.")
