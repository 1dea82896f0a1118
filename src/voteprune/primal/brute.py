"""Every committee of hard votes: all subsets of a small pool, or all of few members one by one.

`solve_by_brute_force` and its like are the oracle, for pools of at most twenty classifiers.
`recount_all` and its like recount committees one by one, under any limit, where limits leave few.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray, magnitude, sum_by_group
from ..problem.fscore import FScoreObjective
from ..problem.infeasible import Found, explain
from ..problem.margin import margin_of
from ..problem.plurality import PluralityProblem
from ..problem.problem import Problem
from ..problem.seats import Seats
from ..run.incumbent import Incumbent
from ..run.run import Outcome, Run
from .first_committees import open_run
from .plurality_tabu import offer_openings

MOST_CLASSIFIERS = 20
_CHUNK, _CELLS = 4096, 2**24
"""Subsets looked at together, and subsets times patterns."""

Values = Callable[[Problem, NDArray[np.intp], NDArray[np.intp]], IntArray]
"""What subsets are worth at best, limits aside, in units less the base: given the problem, the
vote counts (subsets by patterns) and the sizes."""

_INT64_ROOM = 2**62

_CELLS_OF_CLASSES = 2**21
"""Subsets times patterns times classes that are counted together."""

_ROUNDING = 1e-9
"""By how much a share in floats may be too low, and far more."""

_PER_COMMITTEE, _PER_CELL = 2.5e-4, 5e-8
"""Seconds for a recount, and for each pattern and class in it."""

_SHARE = 0.5
"""Share of the time left that recounting one by one may take."""


def best_nets(problem: Problem, counts: NDArray[np.intp], sizes: NDArray[np.intp]) -> IntArray:
    """Return each subset's best net gain over all its thresholds."""
    subsets, most = len(counts), int(sizes.max()) + 1
    # All vote counts of all subsets into one sum by group, then everything above a threshold.
    groups = (np.arange(subsets)[:, None] * (most + 1) + counts).ravel()
    nets = np.broadcast_to(problem.gains.net, counts.shape).ravel()
    by_count = sum_by_group(nets, groups, subsets * (most + 1)).reshape(subsets, most + 1)
    above = np.cumsum(by_count[:, ::-1], axis=1)[:, ::-1][:, 1:]
    # Thresholds from the size on do not exist; their sum of 0 may look too good.
    best = above[:, 0]
    for level in range(1, most):
        best = np.where((above[:, level] > best) & (sizes > level), above[:, level], best)
    return np.asarray(best)


def is_small(problem: Problem, most: int) -> bool:
    """Tell whether all committees can be tried: subsets times patterns are at most so many."""
    k = problem.n_classifiers
    return k <= MOST_CLASSIFIERS and 2**k * problem.patterns.n_patterns <= most


def solve_by_brute_force(problem: Problem, run: Run, values: Values = best_nets) -> Outcome:
    """Try all committees; proves what it finds unless the time runs out."""
    _check_few(problem.n_classifiers)
    outcome = open_run(problem, run) or _enumerate(problem, run, values)
    if not outcome.infeasible:
        return outcome

    def find(anything: Problem) -> Found:
        look = replace(run, incumbent=Incumbent(anything))
        impossible = _enumerate(anything, look, values).infeasible
        return look.incumbent.committee, impossible

    return replace(outcome, explanation=explain(problem, find))


def _enumerate(problem: Problem, run: Run, values: Values) -> Outcome:
    patterns = problem.patterns.matrix.T.astype(np.float32)
    chunk = min(_CHUNK, _CELLS // problem.patterns.n_patterns)

    def worth(chosen: NDArray[np.bool_]) -> NDArray[Any]:
        counts = (chosen.astype(np.float32) @ patterns).astype(np.intp)
        return values(problem, counts, chosen.sum(axis=1))

    return _try_all(problem.n_classifiers, run, chunk, worth, problem.gains.base)


def _try_all(
    k: int, run: Run, chunk: int, worth: Callable[[NDArray[np.bool_]], NDArray[Any]], base: int = 0
) -> Outcome:
    """Try all subsets of K classifiers, so many at once, best first.

    Parameters
    ----------
    k, run, chunk
        How many classifiers, the run, and how many subsets are looked at together.
    worth
        Tells what subsets (subsets by classifiers) are worth, limits aside, or more.
    base
        What is added to each of these values.
    """
    incumbent = run.incumbent
    for first in range(1, 2**k, max(1, chunk)):
        if time.monotonic() >= run.deadline:
            return Outcome("time limit")
        codes = np.arange(first, min(first + max(1, chunk), 2**k))
        chosen = ((codes[:, None] >> np.arange(k)) & 1).astype(bool)
        if incumbent.closed:
            # Nothing is better, but a smaller one may be as good.
            chosen = chosen[chosen.sum(axis=1) < len(incumbent.committee.members)]
            if not len(chosen):
                continue
        best, sizes = worth(chosen), chosen.sum(axis=1)
        plain = best.tolist()
        # Best first, of equals the smaller: the exact check of limits runs only for what could be
        # kept.
        by_size = np.argsort(sizes, kind="stable")
        for place in by_size[np.argsort(-best[by_size], kind="stable")]:
            score = base + plain[place]
            if incumbent.score is not None and score <= incumbent.score:
                larger = sizes[place] > len(incumbent.committee.members)
                if score < incumbent.score or larger:
                    break
            if time.monotonic() >= run.deadline:
                return Outcome("time limit")
            members = np.flatnonzero(chosen[place]).tolist()
            if incumbent.welcomes(score, members):
                incumbent.offer(members)
    return all_tried(run)


def all_tried(run: Run) -> Outcome:
    """Conclude where every committee was tried: the best is optimal, or none is allowed."""
    if run.incumbent.score is None:
        return Outcome("proved", infeasible=True)
    run.incumbent.close()
    run.incumbent.compared = run.incumbent.problem.n_classifiers
    return Outcome("proved")


def _check_few(k: int) -> None:
    if k > MOST_CLASSIFIERS:
        raise InputError(
            "method",
            f"brute force tries 2^K subsets and takes at most {MOST_CLASSIFIERS} classifiers, "
            f"the pool has {k}. Use method='exact'.",
        )


def enumerate_margins(problem: Problem, run: Run) -> Outcome:
    """Try all sets of members; proves what it finds unless the time runs out."""
    return solve_by_brute_force(problem, run, margin_values)


def margin_values(problem: Problem, counts: NDArray[np.intp], sizes: NDArray[np.intp]) -> IntArray:
    """Return what subsets are worth by majority, in units less the base."""
    objective = margin_of(problem)
    values = np.zeros(len(counts), dtype=object)
    for size in np.unique(sizes).tolist():
        among = np.flatnonzero(sizes == size)
        worth, factor = objective.margin.worth(size), objective.factor(size)
        steps = sum(
            _weighted(weights, each[counts[among]])
            for weights, each in zip(
                (problem.patterns.positive, problem.patterns.negative), worth, strict=True
            )
        )
        values[among] = steps * factor - problem.gains.base
    return values


def _weighted(weights: IntArray, steps: NDArray[np.int64]) -> IntArray:
    """Return the exact sum over patterns, one for every subset, as Python integers."""
    largest = int(np.abs(steps).max(initial=0))
    if weights.dtype == object or magnitude(weights) * largest >= _INT64_ROOM:
        steps = steps.astype(object)
    return np.asarray((steps * weights).sum(axis=1)).astype(object)


def try_all_pluralities(problem: PluralityProblem, run: Run) -> Outcome:
    """Try all committees; proves what it finds unless the time runs out.

    Where it has run out before the first was tried, one is taken that is found by hand.
    """
    _check_few(problem.n_classifiers)
    p, c = problem.n_patterns, problem.n_classes
    named = [(problem.codes == label).astype(np.float32).T for label in range(c)]

    def worth(chosen: NDArray[np.bool_]) -> NDArray[Any]:
        counts = np.stack([chosen.astype(np.float32) @ part for part in named], axis=2)
        decided = counts.argmax(axis=2)
        if isinstance(problem.objective, FScoreObjective):
            return problem.objective.values(decided) + _ROUNDING
        return np.asarray(problem.gain[np.arange(p), decided].sum(axis=1) + problem.gains.base)

    outcome = _try_all(problem.n_classifiers, run, _CELLS_OF_CLASSES // (p * c), worth)
    if run.incumbent.members is None and not outcome.infeasible:
        offer_openings(problem, run)
    return outcome


def are_few(problem: PluralityProblem, run: Run, most: int) -> bool:
    """Tell whether there is time to recount every committee that limits on members leave.

    Parameters
    ----------
    problem, run
        What is asked, and how much time there is.
    most
        Committees times patterns times classes, at the most.
    """
    sizes = problem.sizes
    enough = _count(problem, sizes) * problem.n_patterns * problem.n_classes <= most
    return enough and seconds_to_recount(problem, sizes) <= _SHARE * run.seconds_left


def seconds_to_recount(problem: Problem | PluralityProblem, sizes: range) -> float:
    """Estimate how long it takes to recount every committee of some sizes."""
    if isinstance(problem, PluralityProblem):
        cells = problem.n_patterns * problem.n_classes
    else:
        cells = problem.patterns.n_patterns
    return _count(problem, sizes) * (_PER_COMMITTEE + _PER_CELL * cells)


def try_few(problem: PluralityProblem, run: Run) -> Outcome:
    """Recount every committee; proves what it finds unless the time runs out."""
    if not recount_all(problem, run.incumbent, problem.sizes, run.deadline):
        return Outcome("time limit")
    return Outcome("proved") if run.incumbent.closed else all_tried(run)


def recount_all(problem: Seats, incumbent: Incumbent, sizes: range, deadline: float) -> bool:
    """Offer every committee of the smallest sizes there are; tell if there was time for all.

    Parameters
    ----------
    problem
        What is asked.
    incumbent
        Where committees go; it notes up to which size all have been compared with it.
    sizes
        From the least on.
    deadline
        When to stop, as `time.monotonic` tells it.
    """
    required = sorted(problem.required)
    free = sorted(set(problem.allowed) - set(required))
    for size in sizes:
        for others in combinations(free, size - len(required)):
            if time.monotonic() >= deadline:
                return False
            if incumbent.closed and len(incumbent.committee.members) <= size:
                return True  # nothing from here on is better or smaller
            incumbent.offer([*required, *others])
        incumbent.compared = max(incumbent.compared, size)
    return True


def _count(problem: Seats, sizes: range) -> int:
    free = len(set(problem.allowed) - set(problem.required))
    return sum(comb(free, size - len(problem.required)) for size in sizes)
