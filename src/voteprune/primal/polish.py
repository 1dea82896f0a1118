"""Fewer members at the same value: members dropped, two swapped for one, smaller sizes tried.

A proof ends at the first committee that meets the bound, and others with fewer members may be as
good. Where all smaller committees can be tried in a moment they are, and then it is proved which
size is the smallest. Elsewhere members leave, or two make room for one, as long as the value stays.
What is tried depends on sizes alone, never on the clock, so that equal runs have equal answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem.fscore import FScoreObjective
from ..problem.objective import curve_of
from ..problem.plurality import PluralityProblem
from ..problem.problem import Problem
from ..problem.seats import Seats
from ..run.run import Run
from .brute import margin_values, recount_all, seconds_to_recount
from .enumeration import Sums, affordable, rows_together, try_all
from .plurality_tabu import PluralityTabuSearch

_SECONDS = 0.1
"""How long trying all smaller committees should take at the most, as it is estimated."""

_PRODUCTS, _CELLS = 2**29, 2**21
"""The most that swaps may take: multiplications, or where there is no matrix product for them
patterns that are looked at, over all pairs of members and all who could take their place."""

_MOST_OFFERED = 200
"""Swaps that are recounted: limits may forbid many that have the value."""


def polish(problem: Problem | PluralityProblem, run: Run) -> None:
    """Look for smaller committees that are as good as the incumbent, while there is time."""
    incumbent = run.incumbent
    while incumbent.members is not None and not incumbent.smallest and run.seconds_left > 0:
        if _try_smaller(problem, run):
            return
        before = incumbent.members
        _drop(problem, run, before)
        if incumbent.members == before:
            _swap(problem, run, before)
        if incumbent.members == before:
            return


def _try_smaller(problem: Problem | PluralityProblem, run: Run) -> bool:
    """Try all smaller committees if that takes but a moment; tell whether it was done."""
    incumbent, limit = run.incumbent, min(_SECONDS, run.seconds_left)
    sizes = range(problem.least_size, len(incumbent.committee.members))
    if isinstance(problem, Problem) and problem.objective.kind == "linear":
        if not affordable(problem, sizes, limit):
            return False
        try_all(problem, incumbent, sizes, run.deadline)
        return True
    if seconds_to_recount(problem, sizes) > limit:
        return False
    recount_all(problem, incumbent, sizes, run.deadline)
    return True


def _drop(problem: Seats, run: Run, members: Sequence[int]) -> None:
    """Offer the members without each one of them."""
    for k in members:
        if k not in problem.required:
            run.incumbent.offer([other for other in members if other != k])
            if run.seconds_left <= 0:
                return


def _swap(problem: Seats, run: Run, members: tuple[int, ...]) -> None:
    """Offer the members with one in the place of two, until that is kept."""
    incumbent = run.incumbent
    found = _SWAPS[incumbent.problem.objective.kind](problem, run, members)
    for swapped in islice(found, _MOST_OFFERED):
        if run.seconds_left <= 0 or incumbent.offer(swapped):
            return


def _pairs(problem: Seats, members: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of members that may leave together."""
    return list(combinations([k for k in members if k not in problem.required], 2))


def _others(problem: Seats, members: Sequence[int]) -> NDArray[np.intp]:
    """Return who may join."""
    return np.array(sorted(set(problem.allowed) - set(members)), dtype=np.intp)


def _of_sums(problem: Problem, run: Run, members: Sequence[int]) -> Iterator[list[int]]:
    """Yield what is as good by a weighted sum of the counts."""
    score = run.incumbent.score - problem.gains.base
    return _as_good(problem, score, members)


def _of_curves(problem: Problem, run: Run, members: Sequence[int]) -> Iterator[list[int]]:
    """Yield what is as good on the tangent: for a ratio, exactly what is as good."""
    committee = run.incumbent.committee
    tangent = problem.weighing(curve_of(problem).curve.tangent(problem.confusion(committee)))
    return _as_good(tangent, tangent.score(committee) - tangent.gains.base, members)


def _as_good(problem: Problem, net: Any, members: Sequence[int]) -> Iterator[list[int]]:
    """Yield members with one in the place of two that gain so much, by matrix products."""
    free = np.array(sorted(set(problem.allowed) - set(problem.required)), dtype=np.intp)
    pairs, size, patterns = _pairs(problem, members), len(members), problem.patterns.n_patterns
    if not pairs or len(pairs) * size * patterns * len(free) > _PRODUCTS:
        return
    sums = Sums(
        problem.gains.net, problem.gains.step, problem.patterns.matrix, free, problem.required
    )
    needed = sums.at_least(net)
    inside = np.flatnonzero(np.isin(free, members))
    kept = np.array([[k for k in inside if free[k] not in pair] for pair in pairs], dtype=np.intp)
    rows = rows_together(patterns, size)
    for first in range(0, len(kept), rows):
        some = kept[first : first + rows]
        values = sums.fix(some, size).with_one()
        values[inside] = -np.inf
        for who, row in chain.from_iterable(_highest(values, needed)):
            yield sorted([*problem.required, *free[some[row]].tolist(), int(free[who])])


def _highest(values: NDArray[Any], needed: float) -> Iterator[NDArray[np.intp]]:
    """Yield the places of values that suffice, the highest first."""
    places = np.argwhere(values >= needed)
    yield places[np.argsort(-values[tuple(places.T)], kind="stable")]


def _of_margins(problem: Problem, run: Run, members: Sequence[int]) -> Iterator[list[int]]:
    """Yield what is as good by its margins."""
    pairs, others, matrix = _pairs(problem, members), _others(problem, members), problem.patterns
    if len(pairs) * len(others) * matrix.n_patterns > _CELLS or not len(others):
        return
    joining = matrix.matrix[:, others].T.astype(np.intp)
    sizes = np.full(len(others), len(members) - 1)
    for pair in pairs:
        kept = [k for k in members if k not in pair]
        values = margin_values(problem, problem.counts(kept) + joining, sizes)
        for place in np.flatnonzero(values + problem.gains.base >= run.incumbent.score):
            yield sorted([*kept, int(others[place])])


def _of_classes(problem: PluralityProblem, run: Run, members: Sequence[int]) -> Iterator[list[int]]:
    """Yield what is as good by a plurality; for an F-score, on its tangent."""
    pairs, others = _pairs(problem, members), _others(problem, members)
    if len(pairs) * len(others) * problem.n_patterns > _CELLS or not len(others):
        return
    if isinstance(problem.objective, FScoreObjective):
        problem = problem.tangent(members)
    tabu, score = PluralityTabuSearch(problem, run), problem.score(members)
    for pair in pairs:
        kept = [k for k in members if k not in pair]
        counts = tabu.counts(np.isin(np.arange(problem.n_classifiers), kept))
        for place in np.flatnonzero(tabu.joins(counts, others) >= float(score)):
            yield sorted([*kept, int(others[place])])


_SWAPS: Mapping[str, Callable[[Any, Run, Sequence[int]], Iterator[list[int]]]] = {
    "linear": _of_sums,
    "curve": _of_curves,
    "margin": _of_margins,
    "plurality": _of_classes,
    "f-score": _of_classes,
}
"""Members with one in the place of two that may be as good, by the objective's kind."""
