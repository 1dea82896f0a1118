"""The methods for soft committees: branch and bound with proof, search alone, every subset.

The penalised loss of all committees is bounded by one vector of dual prices at a time
(`soft.bound`); reduced costs fix members in and out, and what is left is branched (`soft.tree`).
"""

from __future__ import annotations

from itertools import combinations

from ..exceptions import InputError
from ..run.run import Outcome, Run
from ..soft.pruning import SoftPruning
from ..soft.tree import MANY_ROWS, TOLERANCE, SoftTree
from ..tree.soft.driver import SoftDriver

MOST_TRIED = 12
"""Classifiers up to which every subset is fitted."""


def solve_exact(problem: SoftPruning, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    incumbent = run.incumbent
    problem.search.deadline = run.deadline
    run.incumbent.offer(first_members(problem))
    tree = SoftTree(
        problem.numbers,
        problem.loss,
        # Tighter than what is told: what is told is lower than the bound by a hair.
        tolerance=0.9 * TOLERANCE,
        keep_steps=run.record is not None,
        deadline=run.deadline,
    )
    tree.latest = run.deadline
    if problem.said.n_rows >= MANY_ROWS:
        # A second fit would be slow. With fewer rows it is made, from the same start in every run,
        # so that weights are the same to the last digit whichever way they were found.
        tree.search.share(problem.search)
    if incumbent.members is not None:
        tree.offer(incumbent.members)
    if run.record is not None:
        run.record.append(tree)
    driver = SoftDriver(problem, run, tree)
    while not driver.over:
        if run.seconds_left <= 0:
            return Outcome("time limit")
        driver.round(run.deadline)
    if incumbent.score is None:
        return Outcome("proved", infeasible=True, explanation=_clash(problem))
    # What is told is another fit than the tree's own; and where hardly any loss is left, its
    # rounding is more than the tolerance.
    gap = incumbent.progress().gap
    return Outcome("proved" if gap is not None and gap <= TOLERANCE else "solver tolerance")


def solve_by_search(problem: SoftPruning, run: Run) -> Outcome:
    """Grow a committee and improve it by swaps, without a proof."""
    problem.search.deadline = run.deadline
    run.incumbent.offer(first_members(problem))
    point = problem.search.greedy(run.deadline)
    if point is not None:
        best = problem.search.swaps(point, run.deadline)
        run.incumbent.offer(best.members.tolist())
    return Outcome("finished" if run.seconds_left > 0 else "time limit")


def solve_by_brute_force(problem: SoftPruning, run: Run) -> Outcome:
    """Fit every subset that is allowed."""
    k = problem.n_classifiers
    if k > MOST_TRIED:
        raise InputError(
            "method",
            f"brute force fits 2^K committees and takes at most {MOST_TRIED} classifiers, the pool "
            f"has {k}. Use method='exact'.",
        )
    problem.search.deadline = run.deadline
    for size in range(1, k + 1):
        for members in combinations(range(k), size):
            if run.seconds_left <= 0:
                return Outcome("time limit")
            run.incumbent.offer(members)
    if run.incumbent.score is None:
        return Outcome("proved", infeasible=True, explanation=_clash(problem))
    run.incumbent.close()
    return Outcome("proved")


def first_members(problem: SoftPruning) -> tuple[int, ...]:
    """Return as few members as limits on size and members allow, for when there is no time."""
    numbers = problem.numbers
    free = [
        k
        for k in range(problem.n_classifiers)
        if k not in numbers.required and k not in numbers.forbidden
    ]
    missing = max(0, max(1, numbers.size_min) - len(numbers.required))
    return (*numbers.required, *free[:missing])


def _clash(problem: SoftPruning) -> str:
    asked = " and ".join(map(str, problem.requests))
    return f"no committee meets {asked}." if asked else "no committee can be fitted."
