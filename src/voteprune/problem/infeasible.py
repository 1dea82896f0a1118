"""Which constraints clash, when no committee meets them all.

A deletion filter: leave out one constraint after the other, for good if the rest is still
infeasible. What remains is an irreducible infeasible subset.

Whether sizes, members and a budget or a group leave anything is a matter of counting, for every
method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..votes.votes import Votes
from .committee import Committee
from .constraints import AtLeast, AtMost, Budget, Constraint, Group
from .diversity import Diversity
from .limits import CostLimit
from .problem import Problem
from .seats import Seats

T = TypeVar("T")

Found = tuple[Committee | None, bool]
"""A committee that meets some constraints, or whether it is proved that there is none."""

Find = Callable[[Problem], Found]
"""Looks for any committee a problem allows."""


def cheapest(seats: Seats, limit: CostLimit | None) -> list[int] | None:
    """Return members that cost least, None if sizes, members and one budget allow none at all."""
    free = sorted(set(seats.allowed) - set(seats.required))
    least = max(seats.size_min, len(seats.required))
    most = min(seats.size_max, len(seats.allowed))
    if least > most or not set(seats.required).issubset(seats.allowed):
        return None
    if limit is None:
        return [*seats.required, *free[: least - len(seats.required)]]
    free.sort(key=lambda k: limit.costs[k])
    open_seats = range(len(seats.required), most)
    joining = [
        k for place, k in zip(open_seats, free, strict=False) if place < least or limit.costs[k] < 0
    ]
    members = [*seats.required, *joining]
    return members if sum(limit.costs[k] for k in members) <= limit.most else None


def leaves_nothing(seats: Seats) -> bool:
    """Tell whether sizes and members, with one of the budgets or without, allow no committee."""
    return any(cheapest(seats, limit) is None for limit in (None, *seats.cost_limits))


def nobody_fits(seats: Seats) -> bool:
    """Tell whether counting shows that nothing is allowed: by one limit, or by groups together."""
    return leaves_nothing(seats) or not (
        _seats_of_groups(seats, -1) <= seats.size_max
        and seats.size_min <= _seats_of_groups(seats, 1)
    )


def _seats_of_groups(seats: Seats, sign: int) -> int:
    """Return how many can sit at the most (1), or must at the least (-1).

    By groups that share nobody, the first ones first: the true number may be nearer the middle.
    """
    counted: set[int] = set()
    total = 0
    for limit in seats.cost_limits:
        members = {k for k in seats.allowed if limit.costs[k] == sign}
        if isinstance(limit.request, Group) and members and not members & counted:
            counted |= members
            total += sign * limit.most
    return total + (len(seats.allowed) - len(counted) if sign > 0 else 0)


def counted_clash(problem: Problem) -> str:
    """Return a sentence on sizes, members and a budget or group that clash; empty if none do."""
    if not leaves_nothing(problem):
        return ""
    requests = [
        request
        for request in problem.requests
        if not isinstance(request, AtLeast | AtMost) or request.what == "size"
    ]
    seats = [request for request in requests if not isinstance(request, Budget | Group)]
    budgets = [request for request in requests if isinstance(request, Budget | Group)]

    def find(anything: Problem) -> Found:
        # A group may have two limits. The numbers of its members that are possible are all those
        # between two: if each limit can be kept alone, both can be together, though perhaps not by
        # the committee that is returned here.
        if leaves_nothing(anything):
            return None, True
        members = cheapest(anything, next(iter(anything.cost_limits), None))
        return anything.committee(members or (), 0), False

    for budget in ([], *([budget] for budget in budgets)):
        fewer = problem.with_requests([*seats, *budget], None)
        if leaves_nothing(fewer):
            return explain(fewer, find)
    raise AssertionError("one of them leaves nothing")


def seats_alone(names: Sequence[str], requests: Sequence[Constraint]) -> Problem:
    """Return a problem on two classes that asks the same of who sits, and nothing else.

    Who may sit together does not depend on what was voted on: what is counted there holds for
    problems of other kinds, too.
    """
    votes = Votes(np.zeros((2, len(names)), dtype=np.int8), np.arange(2), names=names)
    about_seats = [
        request
        for request in requests
        if not isinstance(request, AtLeast | AtMost) or request.what == "size"
    ]
    return Problem.of(votes, requests=about_seats)


def any_committee(
    problem: Problem, requests: Sequence[Constraint], diversity: str | Diversity | None
) -> Problem:
    """Return the problem of finding anything at all: the first committee is optimal."""
    anything = replace(problem, objective=problem.objective.constant(problem.patterns))
    return anything.with_requests(requests, diversity)


def explain(problem: Problem, find: Find) -> str:
    """Return a sentence that names constraints that clash.

    Parameters
    ----------
    problem
        A problem no committee is allowed by.
    find
        Looks for a committee under some of the constraints, with a constant objective.
    """
    asked: list[Constraint | str | Diversity] = list(problem.requests)
    if problem.diversity is not None and problem.asked_diversity is not None:
        asked.append(problem.asked_diversity)

    def look(fewer: list[Constraint | str | Diversity]) -> bool | None:
        committee, impossible = find(any_committee(problem, *_split(fewer)))
        return False if impossible else None if committee is None else True

    def words(item: Constraint | str | Diversity) -> str:
        return str(problem.diversity) if isinstance(item, str | Diversity) else str(item)

    return name_clash(asked, look, words)


def name_clash(
    asked: Sequence[T], look: Callable[[list[T]], bool | None], words: Callable[[T], str] = str
) -> str:
    """Return a sentence that names some of what was asked that clashes, as little as can be.

    Parameters
    ----------
    asked
        What no committee meets.
    look
        Tells whether a committee meets some of it; None if that is not known.
    words
        What it is called.
    """
    # A constraint that was given twice is asked about once.
    kept, sure = list(dict.fromkeys(asked)), True
    for item in tuple(kept):
        fewer = [other for other in kept if other is not item]
        if not fewer:
            break  # without constraints there is a committee, whoever denies it
        found = look(fewer)
        if found is False:
            kept = fewer
        elif found is None:
            sure = False
    named = [words(item) for item in kept]
    if len(named) == 1:
        return f"no committee of this pool meets: {named[0]}."
    listed = f"{', '.join(named[:-1])} and {named[-1]}"
    rest = (
        "any one less and there is one." if sure else "a smaller clash was not ruled out in time."
    )
    return f"no committee meets {listed} together; {rest}"


def _split(
    items: list[Constraint | str | Diversity],
) -> tuple[tuple[Constraint, ...], str | Diversity | None]:
    diversity = next((item for item in items if isinstance(item, str | Diversity)), None)
    return tuple(item for item in items if not isinstance(item, str | Diversity)), diversity
