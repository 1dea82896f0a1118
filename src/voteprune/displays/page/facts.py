"""What the page tells, as plain values; `pictures` draws them and `page` writes them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...exceptions import InputError, shown
from ...front import front_of
from ...numbers.floats import Floats
from ...problem.constraints import AtMost, Budget, Constraint
from ...problem.plurality import PluralityProblem
from ...problem.problem import Problem
from ...soft.committee import SoftCommittee
from ...soft.probabilities import Probabilities
from ...soft.pruning import SoftPruning
from ...solve.explanation import Explanation
from ...solve.fronts import Front, FrontPoint
from ...solve.request import Circumstances
from ...solve.soft_solution import SoftSolution
from ...strategies.registry import METHODS
from . import listings
from .listings import Answer, Reasons, Table

_LEAST_FRONT = 10
"""The front goes to twice the committee's size, and to this size at the least."""

_MOST = 3
"""Budgets that have a front each."""

_NO_VOTES = (
    "This answer was read from a file, which holds no votes. What is lost without each member, the "
    "front, and how members agree stand on the page of an answer as prune() returns it."
)

_BINS = 10
"""Into so many parts a reliability curve cuts what the committee says."""

_NOBODY = -1
"""The decision of a classifier that does not favour any class."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that the page tells.

    Parameters
    ----------
    answer
        The answer itself, for its path.
    title, headline
        What it is, and the answer in a sentence.
    tiles
        Figures with their words.
    rule
        How the committee decides.
    members, confusion
        Who sits, and what was decided right and wrong.
    swaps, rows
        Sentences on free exchanges, and on rows that no committee gets right.
    front, no_front
        The best of every size, or why there is none.
    by_cost
        For every budget that was asked for, the best of every smaller one and of larger ones.
    agreement, names
        How often two members say the same, None for fewer than two; and their names.
    reliability
        Of a soft committee: how often what it says comes true.
    run
        What made it, as names and words.
    command
        The command to run again; empty where there is none.
    missing
        Why parts of the page are missing; empty where none is.
    """

    answer: Answer
    title: str
    headline: str
    tiles: tuple[tuple[str, str], ...]
    rule: str
    members: Table
    confusion: Table | None
    swaps: str
    rows: tuple[tuple[str, str], ...]
    front: Front | None
    no_front: str
    by_cost: tuple[Front, ...]
    agreement: Floats | None
    names: tuple[str, ...]
    reliability: Reliability | None
    run: tuple[tuple[str, str], ...]
    command: str
    missing: str


def collect(
    solution: Answer,
    seconds: float,
    explanation: Reasons | None = None,
    about: Mapping[str, str] | None = None,
    command: str = "",
) -> Facts:
    """Find out all that the page tells.

    Parameters
    ----------
    solution
        The answer.
    seconds
        Time for what is lost without each member, half of it, and for the front.
    explanation
        What is lost, where that is known already.
    about
        More lines on the run.
    command
        The command to run again.

    Raises
    ------
    InputError
        If there is no committee to show.
    """
    committee, problem = solution.committee, solution.problem
    if committee is None:
        raise InputError("solution", f"{solution.status}: there is no committee to show.")
    deadline = time.monotonic() + seconds
    why = explanation
    if why is None and problem is not None:
        why = solution.explain(time_limit=seconds / 2)
    budgets = _budgets(solution)
    share = max(0.0, deadline - time.monotonic()) / (1 + len(budgets))
    found, no_front = _front(solution, share)
    by_cost = tuple(_cost_front(solution, budget, share) for budget in budgets if share > 0)
    if found is not None:
        found = replace(
            found,
            points=tuple(_with_answer(p, solution, found.cumulative) for p in found.points),
        )
    alike = nobody = curve = None
    # Of rows that are scanned nobody knows who was wrong together.
    scanned = isinstance(problem, SoftPruning) and problem.numbers.moments is not None
    if problem is not None and not scanned:
        said = decided(problem)
        nobody = wrong_by_all(said, _allowed(problem))
        if committee.size > 1:
            alike = agreement(said.of(committee.members), said.weights)
    if isinstance(solution, SoftSolution) and solution.problem and solution.committee:
        curve = reliability(solution.problem.said, solution.committee)
    return Facts(
        answer=solution,
        title=f"A committee of {committee.size} out of {solution.n_classifiers} classifiers",
        headline=solution.summary().partition("\n")[0],
        tiles=listings.tiles(solution),
        rule=listings.rule(solution),
        members=listings.members(solution, why),
        confusion=listings.confusion(solution),
        swaps=listings.swaps(why) if isinstance(why, Explanation) else "",
        rows=listings.rows_lost(why, nobody),
        front=found,
        no_front=no_front,
        by_cost=by_cost,
        agreement=alike,
        names=tuple(listings.cut(name, 24) for name in committee.names),
        reliability=curve,
        run=listings.run(solution, about or {}),
        command=shown(command),
        missing="" if problem is not None else _NO_VOTES,
    )


def _allowed(problem: Problem | PluralityProblem | SoftPruning) -> list[int]:
    """Return who may sit."""
    if isinstance(problem, SoftPruning):
        return [k for k in range(problem.n_classifiers) if k not in problem.numbers.forbidden]
    return list(problem.allowed)


def _with_answer(point: FrontPoint, solution: Answer, cumulative: bool) -> FrontPoint:
    """Return a point of the front with what the answer itself says about its size."""
    committee, value = solution.committee, solution.value
    assert committee is not None
    assert value is not None
    fits = committee.size <= point.size if cumulative else committee.size == point.size
    # Of equals the page shows its own.
    if fits and (point.value is None or value >= point.value):
        point = replace(point, committee=committee, value=value)
    # What no committee at all exceeds, none of this size does.
    if solution.bound is not None and point.bound is not None and solution.bound < point.bound:
        point = replace(point, bound=solution.bound, trusted=solution.trusted)
    return point


def _front(solution: Answer, seconds: float) -> tuple[Front | None, str]:
    """Return the best of every size near the committee's, or why there is none."""
    if solution.problem is None or solution.committee is None:
        return None, ""
    if not seconds > 0:
        return None, "There was no time left for the front. Ask for more."
    most = min(max(2 * solution.committee.size, _LEAST_FRONT), solution.n_classifiers)
    requests: tuple[Constraint, ...] = (*solution.problem.requests, AtMost("size", most))
    try:
        return front_of(_under(solution, requests), _circumstances(solution, seconds)), ""
    except InputError as error:
        return None, f"There is no front: {shown(error.message)}"


def _under(
    solution: Answer, requests: tuple[Constraint, ...]
) -> Problem | PluralityProblem | SoftPruning:
    """Return what the answer was chosen from, under other constraints."""
    problem = solution.problem
    assert problem is not None
    if isinstance(problem, Problem):
        return problem.with_requests(requests, problem.asked_diversity)
    return problem.with_requests(requests)


def _circumstances(solution: Answer, seconds: float) -> Circumstances:
    return Circumstances.of(METHODS["exact"], time_limit=seconds, random_state=solution.seed)


def _budgets(solution: Answer) -> list[Budget]:
    """Return the first budgets that were asked for, of costs that a front may be by."""
    return [
        b for b in listings.budgets(solution) if min(b.for_pool(listings.names(solution))) >= 0
    ][:_MOST]


def _cost_front(solution: Answer, budget: Budget, seconds: float) -> Front:
    """Return the best of every budget up to twice the one that was asked for."""
    assert solution.problem is not None
    others = tuple(item for item in solution.problem.requests if item is not budget)
    twice = Budget(budget.for_pool(listings.names(solution)), 2 * budget.limit, budget.name)
    return front_of(
        _under(solution, others), _circumstances(solution, seconds), twice,
        start=solution.committee,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decisions:
    """Classes as places, n rows by K classifiers, -1 where none is favoured; labels, weights."""

    matrix: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: Floats

    def of(self, members: Sequence[int]) -> NDArray[np.int64]:
        """Return what these members decide."""
        return self.matrix[:, list(members)]


def decided(problem: Problem | PluralityProblem | SoftPruning) -> Decisions:
    """Return what every classifier of a problem decides."""
    if isinstance(problem, SoftPruning):
        said = problem.said
        return Decisions(_favoured(said), said.labels.astype(np.int64), said.weights)
    votes = problem.votes
    matrix = votes.matrix.astype(np.int64)
    if votes.voted is not None and votes.abstentions == "skip":
        matrix = np.where(votes.voted, matrix, _NOBODY)
    return Decisions(
        matrix,
        votes.labels.astype(np.int64),
        (votes.weights / votes.denominator).astype(np.float64),
    )


def _favoured(said: Probabilities) -> NDArray[np.int64]:
    odds = said.log_odds
    if odds.ndim == 2:
        return np.where(odds == 0, _NOBODY, odds > 0).astype(np.int64)
    top = odds.argmax(axis=2)
    alone = (odds == odds.max(axis=2, keepdims=True)).sum(axis=2) == 1
    return np.where(alone, top, _NOBODY).astype(np.int64)


def agreement(decisions: NDArray[np.int64], weights: Floats) -> Floats:
    """Return the share of the rows on which two members say the same, of those both decide.

    Parameters
    ----------
    decisions
        Classes as places, n rows by S members; -1 where a member favours none.
    weights
        Of the rows.

    Returns
    -------
    array of shape (S, S)
        nan for two members that never both decide.
    """
    clear = (decisions != _NOBODY).astype(np.float64)
    both = clear.T @ (weights[:, None] * clear)
    same = np.zeros_like(both)
    for place in np.unique(decisions[decisions != _NOBODY]):
        chosen = (decisions == place).astype(np.float64)
        same += chosen.T @ (weights[:, None] * chosen)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(both > 0, same / both, np.nan))


def wrong_by_all(decisions: Decisions, allowed: Sequence[int]) -> list[int]:
    """Return the rows with weight that none of the classifiers who may sit decides right."""
    right = (decisions.of(allowed) == decisions.labels[:, None]).any(axis=1)
    return [int(row) for row in np.flatnonzero(~right & (decisions.weights > 0))]


@dataclass(frozen=True, slots=True)
class Reliability:
    """How often what a committee says comes true.

    Parameters
    ----------
    said, true, weight
        Of each part of the scale that has rows: the mean probability, the share of rows on which it
        came true, and their weight.
    error
        Mean distance of the two, weighted: the expected calibration error.
    what
        Whose probability it is.
    """

    said: tuple[float, ...]
    true: tuple[float, ...]
    weight: tuple[float, ...]
    error: float
    what: str


def reliability(said: Probabilities, committee: SoftCommittee) -> Reliability:
    """Compare what a committee says with what is true, on the rows it was chosen on."""
    scored = said.scored(committee)
    shares, labels, weights = scored.shares, scored.labels, scored.weights
    if len(said.classes) == 2:
        given, true = shares[:, 1], labels == 1
        what = f"probability of {committee.classes[1]}"
    else:
        given, true = shares.max(axis=1), shares.argmax(axis=1) == labels
        what = "probability of the class that is decided for"
    parts = np.minimum((given * _BINS).astype(np.intp), _BINS - 1)
    weight = np.bincount(parts, weights, _BINS)
    kept = weight > 0
    mean = np.bincount(parts, weights * given, _BINS)[kept] / weight[kept]
    share = np.bincount(parts, weights * true, _BINS)[kept] / weight[kept]
    return Reliability(
        said=tuple(mean.tolist()),
        true=tuple(share.tolist()),
        weight=tuple(weight[kept].tolist()),
        error=float((np.abs(mean - share) * weight[kept]).sum() / weight.sum()),
        what=what,
    )
