"""Which constraints clash, when no committee meets them all.

A deletion filter: leave out one constraint after the other, and for good if the rest still
clashes. What remains clashes, and would not with any one of its constraints less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .committee import Committee
from .constraints import Constraint
from .diversity import Diversity
from .formulas import Weights
from .problem import Problem

Found = tuple[Committee | None, bool]
"""A committee that meets some constraints, or whether it is proved that there is none."""

Find = Callable[[Problem], Found]
"""Looks for any committee a problem allows."""


def any_committee(
    problem: Problem, requests: Sequence[Constraint], diversity: str | Diversity | None
) -> Problem:
    """Return the problem of finding anything at all: the first committee is optimal."""
    return problem.weighing(Weights()).with_requests(requests, diversity)


def explain(problem: Problem, find: Find) -> str:
    """Return a sentence that names constraints that clash.

    Parameters
    ----------
    problem
        A problem no committee is allowed by.
    find
        Looks for a committee under some of the constraints, with a constant objective.
    """
    # Said twice is asked once.
    kept: list[Constraint | str | Diversity] = list(dict.fromkeys(problem.requests))
    if problem.diversity is not None and problem.asked_diversity is not None:
        kept.append(problem.asked_diversity)
    sure = True
    for item in tuple(kept):
        fewer = [other for other in kept if other is not item]
        if not fewer:
            break  # without constraints there is a committee, whoever denies it
        committee, impossible = find(any_committee(problem, *_split(fewer)))
        if impossible:
            kept = fewer
        elif committee is None:
            sure = False
    words = [
        str(problem.diversity) if isinstance(item, str | Diversity) else str(item) for item in kept
    ]
    if len(words) == 1:
        return f"no committee of this pool meets: {words[0]}."
    listed = f"{', '.join(words[:-1])} and {words[-1]}"
    rest = (
        "any one less and there is one." if sure else "a smaller clash was not ruled out in time."
    )
    return f"no committee meets {listed} together; {rest}"


def _split(
    items: list[Constraint | str | Diversity],
) -> tuple[tuple[Constraint, ...], str | Diversity | None]:
    diversity = next((item for item in items if isinstance(item, str | Diversity)), None)
    return tuple(item for item in items if not isinstance(item, str | Diversity)), diversity
