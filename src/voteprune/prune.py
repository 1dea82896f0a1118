"""`prune`: the one front door."""

from __future__ import annotations

import operator
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from .account import open_ledger
from .certifying import certificate_of, check_certified
from .checkpoint import check_checkpoint
from .circumstances import Circumstances
from .committee import Committee
from .confusion import Confusion
from .constraints import Constraint
from .diversity import Diversity
from .exceptions import InputError
from .formulas import worth
from .ledger import Progress, StopRequested
from .margins import AUTOMATIC, Margin, MarginProblem, choose_margin
from .objectives import Criterion
from .parametric import solve_any
from .plan import Plan, check_plan
from .problem import Problem
from .run import Method, Outcome, Run, ThresholdRule
from .solution import Solution, Status
from .solvers import Solver
from .votes import Votes, as_votes


def prune(
    votes: object,
    y: object = None,
    *,
    objective: Criterion | Margin = "accuracy",
    method: str = "exact",
    solver: str | Solver | None = None,
    diversity: str | Diversity | None = None,
    constraints: Constraint | Sequence[Constraint] = (),
    threshold: ThresholdRule | None = None,
    sample_weight: object = None,
    time_limit: float | None = 60.0,
    start: Committee | Sequence[int] | None = None,
    callback: Callable[[Progress], object] | None = None,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    checkpoint: str | Path | None = None,
    certificate: bool | str | Path = False,
) -> Solution:
    """Choose the committee that is best for a criterion, with a proof of how good it is.

    Parameters
    ----------
    votes
        `Votes`, or n rows by K classifiers of votes or probabilities together with `y`.
    y
        Labels 0/1; only where `votes` is not a `Votes`.
    objective
        What to maximise: a criterion's name (see `METRICS` and `CURVES`), `Weights`, a `Ratio` of
        two, or a margin: `Ramp` or `Hinge` of a given scale, or "margin" for one whose scale is
        chosen by cross-validation.
    method
        Name of a method, see `methods`.
    solver
        For methods that use one: a name, see `solvers`, or a `Solver`. HiGHS when omitted;
        "brute" is short for ``method="brute"``.
    diversity
        `Diversity`, on any measure, or a configuration of the paper by name: "F1" asks for none,
        "F2" for a mean PFC, "F3" also for a least PFC, "F1-theta" is F1 on balanced accuracy.
    constraints
        Any of `AtLeast`, `AtMost`, `Require`, `Forbid`, `Budget`.
    threshold
        How many votes make a positive: "majority" for more than half of them, "tuned" for what
        suits the objective best on these votes. The method's own rule when omitted: exact methods
        choose the threshold together with the members, most heuristics take the majority.
    sample_weight
        Weight of each row; only where `votes` is not a `Votes`.
    time_limit
        Seconds; None for no limit. 0 still returns a committee and a valid bound.
    start
        A committee, or its members, to start from.
    callback
        Called with a `Progress` on every improvement; a true return value ends the run.
    random_state
        Seed of all randomness; recorded on the solution.
    n_jobs
        How many cores to use, as in scikit-learn: None is one, -1 is all.
    checkpoint
        File to keep an unfinished proof in (method "exact"). Where it exists the proof goes on
        from there; a run that is killed loses no more than its last few seconds.
    certificate
        Whether to write the proof down, for `voteprune.verify`: True leaves it on the solution, a
        path also saves it there. A proof that is written down is made on one core.

    Returns
    -------
    Solution
        Ctrl-C returns the best committee so far rather than raising.

    Raises
    ------
    InputError
        If an argument is wrong; nothing has been started then.
    SolverError
        If the solver asked for is not installed, or its licence does not cover the problem.
    """
    plan = check_plan(
        objective=objective,
        method=method,
        solver=solver,
        diversity=diversity,
        constraints=constraints,
        threshold=threshold,
        time_limit=time_limit,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    if callback is not None and not callable(callback):
        raise InputError("callback", f"expected a function, got {callback!r}.")
    problem, circumstances = _compile(as_votes(votes, y, sample_weight), plan)
    first = _check_start(start, problem, plan.method)
    file = check_checkpoint(checkpoint, plan.method.name, problem)
    certify = check_certified(certificate, problem, plan.method, file)
    solution = carry_out(problem, plan.method, circumstances, first, callback, file, certify)
    if solution.certificate is not None and not isinstance(certificate, bool):
        solution.certificate.save(certificate)
    return solution


def _compile(votes: Votes, plan: Plan) -> tuple[Problem, Circumstances]:
    """Make the problem, and take what that took off the time limit."""
    criterion, circumstances = plan.criterion, plan.circumstances
    if not (isinstance(criterion, Margin) or criterion == AUTOMATIC):
        return Problem.of(votes, criterion, plan.requests, plan.diversity), circumstances
    began = time.time()
    margin = choose_margin(
        criterion, votes, plan.requests, circumstances.seed, circumstances.seconds
    )
    problem = MarginProblem.for_margin(votes, margin, plan.requests, plan.diversity)
    left = max(0.0, circumstances.seconds - (time.time() - began))
    return problem, replace(circumstances, seconds=left)


def carry_out(
    problem: Problem,
    method: Method,
    circumstances: Circumstances,
    start: Sequence[int] | None = None,
    callback: Callable[[Progress], object] | None = None,
    checkpoint: Path | None = None,
    certify: bool = False,
) -> Solution:
    """Run a method on a problem and conclude; all arguments have been checked.

    Parameters
    ----------
    problem, method, circumstances
        What to solve, by what, and how.
    start
        Members to start from.
    callback, checkpoint
        As in `prune`.
    certify
        Whether the proof is written down.
    """
    solver = circumstances.solver
    if solver is not None:
        solver.info.require()
    ledger = open_ledger(problem, callback)
    run = replace(circumstances.begin(ledger, checkpoint), record=[] if certify else None)
    try:
        if start is not None:
            ledger.offer(start)
        # Solvers run in processes of their own; what runs here is BLAS, which takes all cores
        # unless told otherwise, and is slower for it as soon as somebody else needs one.
        with threadpool_limits(circumstances.threads, "blas"):
            outcome = solve_any(problem, method, run)
    except StopRequested:
        outcome = Outcome("callback")
    except KeyboardInterrupt:
        outcome = Outcome("interrupted")
    return _conclude(problem, run, outcome, method, solver)


def _conclude(
    problem: Problem, run: Run, outcome: Outcome, method: Method, solver: Solver | None
) -> Solution:
    """Recount everything once more and write the proof down."""
    ledger, committee = run.ledger, run.ledger.committee
    confusion = None if committee is None else problem.confusion(committee)
    value = (
        None if confusion is None or committee is None else _value(problem, committee, confusion)
    )
    closed = method.proves and ledger.closed
    bound = ledger.progress().bound if method.proves else None
    status: Status
    if committee is None:
        status = "infeasible" if outcome.infeasible else "unknown"
    else:
        status = "optimal" if outcome.termination == "proved" or closed else "feasible"
    return Solution(
        status=status,
        termination="proved" if closed else outcome.termination,
        committee=committee,
        confusion=confusion,
        value=value,
        bound=None if status == "infeasible" else bound,
        objective=str(problem.criterion),
        weights=None if isinstance(problem, MarginProblem) else problem.formula or problem.weights,
        method=method.name,
        solver=None if solver is None else solver.name,
        seconds=ledger.seconds,
        seed=run.seed,
        n_rows=problem.votes.n_rows,
        n_patterns=problem.patterns.n_patterns,
        n_classifiers=problem.n_classifiers,
        constraints=tuple(str(request) for request in problem.requests),
        diversity=None if problem.diversity is None else str(problem.diversity),
        explanation=outcome.explanation,
        incidents=tuple(ledger.incidents),
        versions=_versions(solver),
        trace=tuple(ledger.trace),
        problem=problem,
        certificate=certificate_of(problem, run, status, solver),
    )


def _value(problem: Problem, committee: Committee, confusion: Confusion) -> float:
    """Return the objective of a committee, from its votes."""
    if problem.formula is not None:
        return worth(problem.formula, confusion)
    return float(problem.units(committee) * problem.gains.unit)


def _versions(solver: Solver | None) -> dict[str, str]:
    wanted = ["voteprune", "numpy", "scipy"]
    if solver is not None and solver.info.distribution not in wanted:
        wanted.append(solver.info.distribution)
    return {"python": platform.python_version(), **{name: _version_of(name) for name in wanted}}


@cache
def _version_of(distribution: str) -> str:
    # Reading the metadata takes longer than pruning a small pool.
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


def _check_start(start: object, problem: Problem, method: Method) -> list[int] | None:
    if start is None:
        return None
    if not method.proves:
        raise InputError(
            "start",
            f"{method.name} builds its committee by its own rule and takes no start. "
            "Leave it out, or use method='exact'.",
        )
    if isinstance(start, Committee) and start.pool_size != problem.n_classifiers:
        raise InputError(
            "start",
            f"was chosen from {start.pool_size} classifiers, this pool has "
            f"{problem.n_classifiers}. Give a committee of this pool.",
        )
    listed = start.members if isinstance(start, Committee) else start
    try:
        members = sorted({operator.index(k) for k in listed})  # type: ignore[attr-defined]
    except TypeError:
        raise InputError("start", f"expected a Committee or members, got {start!r}.") from None
    if not members or members[0] < 0 or members[-1] >= problem.n_classifiers:
        raise InputError(
            "start", f"members must be indices between 0 and {problem.n_classifiers - 1}."
        )
    return members
