"""What any method has to beat: everybody, the best single classifier, a random order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..problem.problem import Problem
from ..run.run import Outcome, Run
from .pool import Pool, best_of
from .prefix import grow, heuristic, in_order


def solve_full(problem: Problem, run: Run) -> Outcome:
    """Take everybody who is allowed."""
    pool = Pool.of(problem)
    return _take(pool, run, range(pool.size))


def solve_best(problem: Problem, run: Run) -> Outcome:
    """Take the classifier that is best for the objective on its own."""
    pool = Pool.of(problem)
    return _take(pool, run, [best_of(pool.own_values(), range(pool.size))] if pool.size else [])


def _take(pool: Pool, run: Run, members: Sequence[int]) -> Outcome:
    pool.offer(run, members)
    return Outcome("finished")


def random_order(pool: Pool, run: Run) -> list[int]:
    """Return the classifiers in random order."""
    return [int(k) for k in np.random.default_rng(run.seed).permutation(pool.size)]


METHODS = (
    heuristic(
        "full",
        "everybody, by majority",
        "Breiman: Bagging predictors, 1996",
        solve_full,
        honours=("forbid",),
    ),
    heuristic(
        "best",
        "the best single classifier",
        "the first thing to try",
        solve_best,
        honours=("forbid",),
    ),
    heuristic(
        "random",
        "a random order's best beginning, 20 % to 80 % of the pool; the floor of a comparison",
        "shows what an order owes to the choice of the prefix alone",
        grow(in_order(random_order), Pool.middle_sizes),
    ),
)
