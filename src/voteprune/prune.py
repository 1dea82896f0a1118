"""`prune`: the one front door."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from .exceptions import InputError
from .problem.committee import Committee
from .problem.constraints import AtLeast, Constraint
from .problem.diversity import Diversity
from .problem.margin import Margin
from .problem.metrics import Criterion
from .problem.plurality import PluralityCriterion, PluralityProblem
from .problem.plurality_committee import PluralityCommittee
from .problem.problem import Problem
from .run.incumbent import Progress
from .run.run import Method, ThresholdRule
from .soft.committee import SoftCommittee
from .soft.probabilities import Probabilities
from .soft.pruning import SoftPruning
from .solve.certifying import (
    check_certified,
    check_plurality_certified,
    check_soft_certified,
    saved,
)
from .solve.plurality_solution import PluralitySolution
from .solve.promise_run import FIRST, Pledge, check_two_classes, keep_promise
from .solve.request import (
    NO_PENALTY,
    PENALTY,
    Arguments,
    Plan,
    check_arguments,
    check_callback,
    check_plurality_plan,
    check_soft_plan,
    check_start,
)
from .solve.soft_solution import SoftSolution
from .solve.solution import Solution
from .solve.solve import Beside, carry_out, compiled
from .solvers import Solver
from .tree.checkpoint import check_checkpoint
from .tree.plurality.checkpoint import check_plurality_checkpoint
from .tree.soft.checkpoint import check_soft_checkpoint
from .votes.plurality import PluralityVotes
from .votes.votes import Votes, as_votes, refuse_twice

_ONLY_TWO = (
    "there is none for several classes, nor where abstentions are skipped (abstentions='skip'), as "
    "those votes are counted likewise. Leave it out."
)
"""Why something cannot be had where most votes win."""


@overload
def prune(  # type: ignore[overload-overlap] # anything else may be read as votes
    votes: PluralityVotes,
    *,
    objective: PluralityCriterion | None = ...,
    method: str = ...,
    solver: str | Solver | None = ...,
    constraints: Constraint | Sequence[Constraint] | None = ...,
    time_limit: float | None = ...,
    start: PluralityCommittee | Sequence[int] | None = ...,
    callback: Callable[[Progress], object] | None = ...,
    random_state: int | np.random.Generator | np.random.RandomState | None = ...,
    n_jobs: int | None = ...,
    gap: float | None = ...,
    checkpoint: str | Path | None = ...,
    certificate: bool | str | Path = ...,
) -> PluralitySolution: ...


@overload
def prune(  # type: ignore[overload-overlap]
    votes: Probabilities,
    *,
    objective: str | None = ...,
    method: str = ...,
    constraints: Constraint | Sequence[Constraint] | None = ...,
    time_limit: float | None = ...,
    start: SoftCommittee | Sequence[int] | None = ...,
    callback: Callable[[Progress], object] | None = ...,
    random_state: int | np.random.Generator | np.random.RandomState | None = ...,
    n_jobs: int | None = ...,
    gap: float | None = ...,
    checkpoint: str | Path | None = ...,
    certificate: bool | str | Path = ...,
    promise: AtLeast | None = ...,
    holdout: float | None = ...,
    confidence: float | None = ...,
    penalty: float | None = ...,
) -> SoftSolution: ...


@overload
def prune(
    votes: object,
    y: object = ...,
    *,
    objective: Criterion | Margin | None = ...,
    method: str = ...,
    solver: str | Solver | None = ...,
    diversity: str | Diversity | None = ...,
    constraints: Constraint | Sequence[Constraint] | None = ...,
    threshold: ThresholdRule | None = ...,
    sample_weight: object = ...,
    time_limit: float | None = ...,
    start: Committee | Sequence[int] | None = ...,
    callback: Callable[[Progress], object] | None = ...,
    random_state: int | np.random.Generator | np.random.RandomState | None = ...,
    n_jobs: int | None = ...,
    checkpoint: str | Path | None = ...,
    certificate: bool | str | Path = ...,
    gap: float | None = ...,
    promise: AtLeast | None = ...,
    holdout: float | None = ...,
    confidence: float | None = ...,
) -> Solution: ...


def prune(
    votes: object,
    y: object = None,
    *,
    objective: Criterion | Margin | PluralityCriterion | None = None,
    method: str = "exact",
    solver: str | Solver | None = None,
    diversity: str | Diversity | None = None,
    constraints: Constraint | Sequence[Constraint] | None = (),
    threshold: ThresholdRule | None = None,
    sample_weight: object = None,
    time_limit: float | None = 60.0,
    start: Committee | PluralityCommittee | SoftCommittee | Sequence[int] | None = None,
    callback: Callable[[Progress], object] | None = None,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    checkpoint: str | Path | None = None,
    certificate: bool | str | Path = False,
    promise: AtLeast | None = None,
    holdout: float | None = None,
    confidence: float | None = None,
    gap: float | None = None,
    penalty: float | None = None,
) -> Solution | PluralitySolution | SoftSolution:
    """Choose the committee that is best for a criterion, with a proof of how good it is.

    Parameters
    ----------
    votes
        `Votes`, or n rows by K classifiers of votes or probabilities together with `y`; for more
        than two classes `PluralityVotes`. `Votes` in which abstentions are skipped are chosen from
        as `PluralityVotes` of the classes 0 and 1. `Probabilities` give a soft committee: weighted
        members that give probabilities, for two classes and more.
    y
        Labels 0/1; only where `votes` is not a `Votes`.
    objective
        What to maximise, accuracy when omitted: a criterion's name (see `METRICS` and `CURVES`),
        `Weights`, a `Ratio` of two, or a margin: `Ramp` or `Hinge` of a given scale, or "margin"
        for one whose scale is chosen by cross-validation. For `Probabilities` what to minimise:
        "log_loss" (weighted log-odds, the default), "pool_log_loss" or "brier" (linear pools).
    method
        Name of a method, see `methods`.
    solver
        For methods that use one: a name, see `solvers`, or a `Solver`. HiGHS when omitted;
        "brute" is short for ``method="brute"``.
    diversity
        `Diversity`, on any measure, or a configuration of the paper by name: "F1" asks for none,
        "F2" for a mean PFC, "F3" also for a least PFC, "F1-theta" is F1 on balanced accuracy.
    constraints
        One, or a list, of `AtLeast`, `AtMost`, `Require`, `Forbid`, `Budget`, `Group`.
    threshold
        How many votes make a positive: "majority" for more than half of them, "tuned" for what
        suits the objective best on these votes. The method's own rule when omitted: exact methods
        choose the threshold together with the members, most heuristics take the majority.
    sample_weight
        Weight of each row; only where `votes` is not a `Votes`.
    time_limit
        Seconds from the call on; None for no limit. 0 still returns a committee and a valid bound.
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
        from there; a run that is killed loses no more than its last few seconds. A file that
        cannot be written while it lasts is an incident on the solution, as for `certificate`.
    certificate
        Whether to write the proof down, for `voteprune.verify`: True leaves it on the solution, a
        path also saves it there. A proof that is written down is made on one core.
    promise
        What is to hold on new rows, ``AtLeast("recall", 0.95)``: some rows are held out, the
        committee is chosen on the others, and of several candidates, the safest first, the best
        is returned that passes an exact test on the rows held out. See `Solution.promise`. For
        `Probabilities` of two classes the candidates are the committee's cut-offs.
    holdout
        Share of the rows to hold out for the promise, 0.3 when omitted.
    confidence
        How sure the promise is to be, 0.95 when omitted.
    gap
        The run may end when the gap is no larger than this, 0.01 for one per cent; only a full
        proof ends it when omitted.
    penalty
        For `Probabilities`: the ridge on the members' weights, 30 when omitted. It is
        lambda = penalty x (sum of weights) / (rows that carry weight).

    Returns
    -------
    Solution
        For `PluralityVotes`, and where abstentions are skipped, a `PluralitySolution`; for
        `Probabilities` a `SoftSolution`.
        Ctrl-C returns the best committee so far rather than raising.

    Raises
    ------
    InputError
        If an argument is wrong; nothing has been started then.
    SolverError
        If the solver asked for is not installed, or its licence does not cover the problem.
    """
    began = time.monotonic()
    soft = isinstance(votes, Probabilities)
    if objective is None:
        objective = "log_loss" if soft else "accuracy"
    if penalty is not None and not soft:
        raise InputError("penalty", NO_PENALTY)
    if isinstance(votes, Votes) and votes.abstentions == "skip":
        votes = PluralityVotes.of_two(votes)
    arguments = Arguments(
        objective, method, solver, diversity, constraints, threshold, time_limit, start, callback,
        random_state, n_jobs, gap, checkpoint, certificate,
    )  # fmt: skip
    promised = {"promise": promise, "holdout": holdout, "confidence": confidence}
    if isinstance(votes, PluralityVotes | Probabilities):
        refuse_twice(y, sample_weight)
    if isinstance(votes, PluralityVotes):
        for name in (name for name, asked in promised.items() if asked is not None):
            raise InputError(name, _ONLY_TWO)
    check_callback(callback)
    if isinstance(votes, Probabilities):
        pledge = Pledge.of(**promised, checkpoint=checkpoint, certificate=certificate)
        return _prune_soft(votes, arguments, PENALTY if penalty is None else penalty, pledge, began)
    if isinstance(votes, PluralityVotes):
        plan = check_plurality_plan(arguments)
        several = PluralityProblem.of(votes, plan.criterion, plan.requests)
        checks = check_plurality_checkpoint, check_plurality_certified
        found: PluralitySolution = _run(several, plan, arguments, began, *checks)
        return found
    plan = check_arguments(arguments)
    pledge = Pledge.of(**promised, checkpoint=checkpoint, certificate=certificate)
    pool = as_votes(votes, y, sample_weight)
    if pledge is not None:
        pledge = pledge.about(pool)
        pool, held_out = pledge.split(pool, plan.circumstances.seed)
        half = replace(plan.circumstances, seconds=FIRST * plan.circumstances.seconds)
        plan = replace(plan, circumstances=half)
    problem = compiled(pool, plan, began)
    solution: Solution = _run(problem, plan, arguments, began, check_checkpoint, check_certified)
    if pledge is not None:
        return pledge.keep(solution, held_out, plan.method, plan.circumstances)
    return solution


def _prune_soft(
    said: Probabilities, arguments: Arguments, penalty: float, pledge: Pledge | None, began: float
) -> SoftSolution:
    """Choose a soft committee; where something is to be promised, its cut-off by other rows."""
    if pledge is not None:
        check_two_classes(said)
    plan = check_soft_plan(arguments, penalty)
    if pledge is not None:
        pledge = pledge.about(said)
        said, held_out = pledge.split(said, plan.circumstances.seed)
    problem = SoftPruning.of(said, plan.criterion, plan.requests, plan.penalty)
    checks = check_soft_checkpoint, check_soft_certified
    solution: SoftSolution = _run(problem, plan, arguments, began, *checks)
    return solution if pledge is None else keep_promise(pledge, solution, held_out)


def _run(
    problem: Any,
    plan: Plan,
    arguments: Arguments,
    began: float,
    check_file: Callable[[object, str, Any], Path | None],
    check_proof: Callable[[object, Any, Method, Path | None], bool],
) -> Any:
    """Check what can be checked now that there is a problem, solve it, and save its certificate."""
    pool = (problem.said if isinstance(problem, SoftPruning) else problem.votes).names
    first, method = check_start(arguments.start, len(pool), pool), plan.method
    if first is not None and isinstance(problem, Problem) and not method.proves:
        raise InputError(
            "start",
            f"{method.name} builds its committee by its own rule and takes no start. "
            "Leave it out, or use method='exact'.",
        )
    file = check_file(arguments.checkpoint, method.name, problem)
    certify = check_proof(arguments.certificate, problem, method, file)
    beside = Beside(first, arguments.callback, file, certify, began)
    return saved(carry_out(problem, method, plan.circumstances, beside), arguments.certificate)
