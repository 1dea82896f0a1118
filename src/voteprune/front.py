"""`front`: for every committee size, or for every budget, the best value found and its bound."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import numpy as np

from .exceptions import InputError
from .problem.constraints import Budget, Constraint
from .problem.diversity import Diversity
from .problem.margin import Margin
from .problem.metrics import Criterion
from .problem.plurality import PluralityCriterion, PluralityProblem
from .problem.problem import Problem
from .soft.probabilities import Probabilities
from .soft.pruning import SoftPruning
from .soft.tree import TOLERANCE
from .solve.cost_front import CostFront
from .solve.fronts import SIZE, AnyCommittee, Front
from .solve.request import (
    NO_PENALTY,
    PENALTY,
    Arguments,
    Circumstances,
    check_arguments,
    check_callback,
    check_plurality_plan,
    check_soft_plan,
)
from .solve.size_front import SizeFront, SoftFront
from .solve.solve import compiled
from .strategies.registry import METHODS
from .tree.sizes.driver import MOST_CLASSIFIERS
from .votes.plurality import PluralityVotes
from .votes.votes import Votes, as_votes, refuse_twice


class _Runner(Protocol):
    def run(self, told: Callable[[], object]) -> str: ...

    def front(self) -> Front: ...


By = str | Budget | Sequence[object] | Mapping[str, object]
"""What a front is by: "size", or what every classifier costs."""


def front(
    votes: object,
    y: object = None,
    *,
    by: By = SIZE,
    objective: Criterion | Margin | PluralityCriterion | None = None,
    diversity: str | Diversity | None = None,
    constraints: Constraint | Sequence[Constraint] | None = (),
    sample_weight: object = None,
    time_limit: float | None = 60.0,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    gap: float | None = None,
    callback: Callable[[Front], object] | None = None,
    penalty: float | None = None,
) -> Front:
    """Find the best committee of every size or of every budget, each with its proved bound.

    Ctrl-C returns the front so far rather than raising.

    Parameters
    ----------
    votes, y, sample_weight, objective, diversity, constraints, time_limit, random_state, n_jobs
        As in `prune`, for votes of two classes and more, and for `Probabilities`. Limits on the
        size say which sizes are looked at.
    by
        "size", or what the classifiers cost: one cost each, a mapping from name to cost in which
        a classifier that is not named is free, or a `Budget`, whose limit is the largest budget
        looked at. By size, weighted sums of the counts of two classes get the best committee of
        exactly so many members; all others that of at most so many.
    gap
        By cost: a bound that is no further than this share above the value is good enough, 0.01
        for one per cent; only a full proof is when omitted.
    callback
        Told the front after every round; a true return value ends the run.
    penalty
        For `Probabilities`, as in `prune`.

    Raises
    ------
    InputError
        If an argument is wrong; nothing has been started then.
    """
    began = time.monotonic()
    check_callback(callback)
    if objective is None:
        objective = "log_loss" if isinstance(votes, Probabilities) else "accuracy"
    if penalty is not None and not isinstance(votes, Probabilities):
        raise InputError("penalty", NO_PENALTY)
    budget = _check_by(by, gap)
    if isinstance(votes, Votes) and votes.abstentions == "skip":
        votes = PluralityVotes.of_two(votes)
    arguments = Arguments(
        objective=objective, diversity=diversity, constraints=constraints, time_limit=time_limit,
        random_state=random_state, n_jobs=n_jobs, gap=gap,
    )  # fmt: skip
    if isinstance(votes, Probabilities | PluralityVotes):
        refuse_twice(y, sample_weight)
    if isinstance(votes, Probabilities):
        return _soft(
            votes, arguments, PENALTY if penalty is None else penalty, budget, began, callback
        )
    if isinstance(votes, PluralityVotes):
        plan = check_plurality_plan(arguments)
        plural = PluralityProblem.of(votes, plan.criterion, plan.requests)
        return front_of(plural, plan.circumstances, budget, began, callback)
    plan = check_arguments(arguments)
    problem = compiled(as_votes(votes, y, sample_weight), plan, began)
    return front_of(problem, plan.circumstances, budget, began, callback)


def _check_by(by: object, gap: object) -> Budget | None:
    """Return what classifiers cost, with the largest budget as its limit; None for sizes."""
    if isinstance(by, str):
        if by != SIZE:
            raise InputError("by", f'is {by!r}; give "size", or what every classifier costs.')
        if gap is not None:
            raise InputError("gap", "is for fronts by cost. Leave it out, or give by=costs.")
        return None
    try:
        budget = by if isinstance(by, Budget) else Budget(by, 0)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError("by", f"{error.argument.removeprefix('Budget')} {error.message}") from None
    costs = [item[1] if isinstance(item, tuple) else item for item in budget.costs]
    if any(cost < 0 for cost in costs):
        raise InputError("by", "costs must not be negative: what costs more could then cost less.")
    if not isinstance(by, Budget):
        return budget.within(sum(costs, Fraction(0)))
    return budget


def _soft(
    said: Probabilities,
    arguments: Arguments,
    penalty: object,
    budget: Budget | None,
    began: float,
    callback: Callable[[Front], object] | None,
) -> Front:
    plan = check_soft_plan(arguments, penalty)
    problem = SoftPruning.of(said, plan.criterion, plan.requests, plan.penalty)
    return front_of(problem, plan.circumstances, budget, began, callback)


def front_of(
    problem: Problem | PluralityProblem | SoftPruning,
    circumstances: Circumstances,
    budget: Budget | None = None,
    began: float | None = None,
    callback: Callable[[Front], object] | None = None,
    start: AnyCommittee | None = None,
) -> Front:
    """Find the front of a problem that has been put together.

    Parameters
    ----------
    problem
        What to choose from; its limits on the size say which sizes are looked at.
    circumstances
        How the exact method is run.
    budget
        What every classifier costs, and the largest budget to look at; None for a front by size.
    began
        When the run began, as `time.monotonic` tells it; now when omitted.
    callback
        As for `front`.
    start
        A committee that is known; in a front by cost it stays where others are no better.

    Raises
    ------
    InputError
        If there are too many classifiers for a front by size.
    """
    began = time.monotonic() if began is None else began
    runner = _runner(problem, circumstances, budget, began, start)
    ended = runner.run(lambda: callback is not None and callback(runner.front()))
    return replace(runner.front(), termination=ended)


def _runner(
    problem: Problem | PluralityProblem | SoftPruning,
    circumstances: Circumstances,
    budget: Budget | None,
    began: float,
    start: AnyCommittee | None,
) -> _Runner:
    """Return what makes the front of a problem of this kind."""
    names = problem.said.names if isinstance(problem, SoftPruning) else problem.votes.names
    asked = problem, names, budget, METHODS["exact"], circumstances, began
    if isinstance(problem, SoftPruning):
        if budget is None:
            return SoftFront(problem, began, circumstances.seconds)
        return CostFront(*asked, TOLERANCE, start)
    sums = isinstance(problem, Problem) and problem.objective.kind == "linear"
    if budget is not None or not sums or problem.must_cover:
        return CostFront(*asked, start=start)
    assert isinstance(problem, Problem)
    if len(problem.allowed) > MOST_CLASSIFIERS:
        raise InputError(
            "votes",
            f"a front by size needs at most {MOST_CLASSIFIERS} eligible classifiers, these are "
            f"{len(problem.allowed)}. Forbid some, or ask prune for single sizes.",
        )
    return SizeFront(problem, circumstances, began)
