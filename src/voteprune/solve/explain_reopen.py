"""The problem behind a solution that was read from a file, from what `prune` was given."""

from __future__ import annotations

from ..exceptions import InputError
from ..problem.committee import Committee
from ..problem.confusion import Confusion
from ..problem.constraints import check_constraints
from ..problem.criteria import CURVES, METRICS
from ..problem.diversity import check_diversity
from ..problem.formulas import Formula
from ..problem.margin import read_margin
from ..problem.problem import Problem
from ..votes.votes import as_votes


def reopen(
    votes: object,
    y: object,
    sample_weight: object,
    constraints: object,
    diversity: object,
    objective: str,
    formula: Formula | None,
) -> Problem:
    """Put a problem together again.

    Parameters
    ----------
    votes, y, sample_weight, constraints, diversity
        As they were given to `prune`.
    objective, formula
        What is on file; no formula for a margin.
    """
    if votes is None:
        raise InputError("votes", "are not saved with a solution. Give them to explain().")
    # F1-theta asks for a criterion, which the solution knows, and limits nothing.
    limits = None if diversity == "F1-theta" else check_diversity(diversity)
    read, requests = as_votes(votes, y, sample_weight), check_constraints(constraints)
    if formula is None:
        return Problem.of(read, read_margin(objective), requests, limits)
    known = objective in METRICS or objective in CURVES
    return Problem.of(read, objective if known else formula, requests, limits)


def check_reopened(
    problem: Problem,
    committee: Committee,
    confusion: Confusion | None,
    value: float | None,
    constraints: tuple[str, ...],
    diversity: str | None,
) -> None:
    """Refuse a problem that is not the one a committee on file was found for.

    Parameters
    ----------
    problem
        From the votes and constraints at hand.
    committee, confusion, value, constraints, diversity
        What is on file.
    """
    if (
        committee.pool_size != problem.n_classifiers
        or problem.confusion(committee) != confusion
        or problem.objective.read(problem.score(committee)) != value
    ):
        raise InputError("votes", "are not those of the solution. Give the votes it was chosen on.")
    found = None if problem.diversity is None else str(problem.diversity)
    if (tuple(map(str, problem.requests)), found) != (constraints, diversity):
        asked = "; ".join([*constraints, *([diversity] if diversity else [])]) or "none"
        raise InputError(
            "constraints",
            f"are not those of the solution, which was found under: {asked}. "
            "Give the same constraints and diversity.",
        )
