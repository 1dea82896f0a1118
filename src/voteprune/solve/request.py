"""What `prune` is asked for apart from the votes, checked once, before any work starts."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import joblib
import numpy as np

from ..exceptions import InputError
from ..numbers.exact import exact
from ..problem.class_limits import check_class_limits
from ..problem.constraints import Constraint, check_constraints
from ..problem.diversity import Diversity, check_diversity
from ..problem.margin import Margin, check_margin
from ..problem.metrics import Criterion, check_criterion
from ..problem.plurality import check_criterion as check_plurality_criterion
from ..problem.plurality import kind_of_criterion
from ..run.incumbent import Callback, Incumbent
from ..run.run import Method, Run, ThresholdRule
from ..soft.problem import check_penalty
from ..soft.pruning import OBJECTIVES
from ..solvers import Solver
from ..strategies.registry import (
    METHODS,
    check_honours,
    check_threshold,
    for_margins,
    unknown_method,
)
from ..votes.plurality import Label
from ..votes.reading import places_in

_Criterion = TypeVar("_Criterion", bound=Criterion | Margin)


PENALTY = 30.0
"""Ridge on the weights, in units of one row: what was chosen for "log_loss" on unseen rows, see
docs/results/protocol.md."""

NO_PENALTY = "is for vp.Probabilities only. Leave it out."

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
class Arguments:
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
    checkpoint: object = None
    certificate: object = False

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
    """Check arguments of `prune` for votes on two classes, see `check_arguments`."""
    return check_arguments(Arguments(**asked))


def check_arguments(arguments: Arguments) -> Plan:
    """Check every argument of `prune` that can be judged before there are votes on two classes.

    Whoever must train classifiers to have votes can so refuse a wrong argument first.

    Raises
    ------
    InputError
        If an argument is wrong.
    """
    method = _check_method(arguments.method, arguments.solver)
    margin = check_margin(arguments.objective)
    if margin is not None:
        method = for_margins(method, arguments.threshold)
    circumstances = arguments.circumstances(method)
    requests = check_constraints(arguments.constraints)
    criterion, limits = check_configuration(
        margin or check_criterion(arguments.objective, "objective"),
        check_diversity(arguments.diversity),
    )
    check_honours(method, requests, limits)
    return Plan(method, circumstances, criterion, requests, limits)


def _check_method(method: object, solver: object) -> Method:
    if solver == "brute":
        method = "brute"
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_method("method", method)
    return METHODS[method]


def check_plurality_plan(arguments: Arguments, classes: Sequence[Label] | None = None) -> Plan:
    """Check all arguments that can be judged before there are votes.

    Raises
    ------
    InputError
        If an argument is wrong, or makes sense with two classes only.
    """
    _refuse_binary_options(arguments)
    criterion = check_plurality_criterion(
        arguments.objective, 2 if classes is None else len(classes)
    )
    method = _check_plurality_method(arguments, kind_of_criterion(criterion))
    circumstances = arguments.circumstances(method)
    requests = check_constraints(arguments.constraints)
    if classes is not None:
        check_class_limits(requests, classes)
    return Plan(method, circumstances, criterion, requests)


def check_able(names: Sequence[object], kind: str, argument: str) -> None:
    """Refuse methods that cannot maximise an objective of some kind for several classes."""
    able = [method.name for method in METHODS.values() if kind in method.others]
    for name in names:
        if name not in able:
            what = " by an F-score" * (kind == "f-score")
            raise InputError(
                argument,
                f"{name!r} does not choose plurality committees{what}. There are "
                f"{', '.join(able)}.",
            )


def _check_plurality_method(arguments: Arguments, kind: str) -> Method:
    name = "brute" if arguments.solver == "brute" else arguments.method
    check_able([name], kind, "method")
    return METHODS[str(name)]


def _refuse_binary_options(arguments: Arguments) -> None:
    if arguments.diversity not in (None, "F1"):
        raise InputError(
            "diversity",
            "limits on diversity are for two classes, which these votes are not read as. Leave it "
            "out, or give vp.Votes with abstentions='against' or none.",
        )
    if arguments.threshold is not None:
        raise InputError(
            "threshold",
            "the class with most votes wins, so there is no threshold. Leave it out, or give "
            "vp.Votes with abstentions='against' or none.",
        )


def check_soft_plan(arguments: Arguments, penalty: object) -> Plan:
    """Check all arguments that can be judged before there are probabilities.

    Raises
    ------
    InputError
        If an argument is wrong, or makes no sense for soft committees.
    """
    method = _check_soft_method(arguments)
    circumstances = arguments.circumstances(method)
    objective = _check_soft_objective(arguments.objective)
    requests = check_constraints(arguments.constraints)
    check_callback(arguments.callback)
    return Plan(method, circumstances, objective, requests, penalty=_check_penalty(penalty))


def _check_soft_objective(objective: object) -> str:
    """Return what soft committees are to minimise, or say what is known."""
    if isinstance(objective, str) and objective in OBJECTIVES:
        return objective
    raise InputError(
        "objective",
        f"{objective!r} is not for probabilities. Known are {', '.join(OBJECTIVES)}; criteria of "
        "votes need vp.Votes, or voting='hard' of the estimator.",
    )


def _check_soft_method(arguments: Arguments) -> Method:
    able = [method.name for method in METHODS.values() if "soft" in method.others]
    if not isinstance(arguments.method, str) or arguments.method not in able:
        raise InputError(
            "method",
            f"{arguments.method!r} does not choose soft committees. {', '.join(able)} do.",
        )
    if arguments.solver is not None:
        raise InputError("solver", "soft committees need no solver. Leave it out.")
    if arguments.diversity not in (None, "F1"):
        raise InputError(
            "diversity",
            "limits on diversity are about votes, and soft committees take probabilities. Leave it "
            "out, or give vp.Votes.",
        )
    if arguments.threshold is not None:
        raise InputError(
            "threshold",
            "soft committees have a cut-off on their probability, which limits on criteria move. "
            "Leave it out, or give vp.Votes.",
        )
    return replace(METHODS[arguments.method], uses_solver=False)


def _check_penalty(penalty: object) -> float:
    if isinstance(penalty, bool) or not isinstance(penalty, int | float | np.number):
        raise InputError(
            "penalty", f"is {penalty!r}; expected a number above 0, such as {PENALTY:g}."
        )
    check_penalty(float(penalty))
    return float(penalty)


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


def check_start(start: object, n_classifiers: int, names: Sequence[str] = ()) -> list[int] | None:
    """Return the members of a committee to start from; None where there is none.

    Parameters
    ----------
    start
        A committee, whose members are found by name where pool and committee have been named, or
        members by their places.
    n_classifiers, names
        The pool.

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
    if listed is not start:
        called = getattr(start, "names", ())
        if called and not (listed := places_in(names, called, listed)):
            strange = next(name for name in called if name not in names)
            raise InputError(
                "start",
                f"has a member {strange!r:.60}, which the pool has not. Give a committee of this "
                "pool, or members by their places.",
            )
    try:
        members = sorted({operator.index(k) for k in listed})
    except TypeError:
        raise InputError(
            "start",
            f"expected a committee, or members by their places such as [0, 2], got {start!r:.80}.",
        ) from None
    if not members or members[0] < 0 or members[-1] >= n_classifiers:
        raise InputError("start", f"members must be indices between 0 and {n_classifiers - 1}.")
    return members


def check_callback(callback: object) -> None:
    """Refuse what cannot be called."""
    if callback is not None and not callable(callback):
        raise InputError("callback", f"expected a function, got {callback!r}.")
