"""Ensemble selection with replacement and bagging.

From a bag, a random half of the pool, classifiers are selected greedily by the objective and with
replacement, so a good one may be selected again and weigh more; the selection starts with the few
best of the bag. The best prefix of each bag's selection counts, and the bags' selections are
added up to one multiplicity per classifier.

The multiplicities are votes: a classifier selected five times votes five times. Of the most often
selected, as many sit as are best for the objective, within the limits on the size.
"""

from __future__ import annotations

import numpy as np

from ..problem.problem import Problem
from ..run.run import Outcome, Run
from .pool import Pool, best_of, descending
from .prefix import Prefix, heuristic

BAGS = 20
"""How many bags; each holds a random half of the pool."""

FIRST = 5
"""How many of the best start a bag's selection."""

MOST_PICKS = 60
"""How many picks a bag makes at most, repetitions included."""


def solve_caruana(problem: Problem, run: Run) -> Outcome:
    """Select from bags, add up, and let the most often selected sit with as many votes."""
    pool = Pool.of(problem)
    sizes = pool.sizes()
    rng = np.random.default_rng(run.seed)
    own = pool.own_values()
    picked = np.zeros(pool.size, dtype=np.int64)
    termination = "finished"
    for bag_number in range(BAGS):
        if bag_number and run.seconds_left <= 0:
            termination = "time limit"
            break
        bag = rng.choice(pool.size, size=max(1, pool.size // 2), replace=False)
        np.add.at(picked, select_with_replacement(pool, run, np.sort(bag), own), 1)
    # Among the equally often selected, the better on their own come first.
    rank = np.argsort(descending(own))
    order = sorted(range(pool.size), key=lambda k: (-int(picked[k]), int(rank[k])))
    prefix = Prefix(pool)
    best: tuple[int, list[int]] | None = None
    for seats, k in enumerate(order[: sizes[-1]], 1):
        # Who was never selected sits only where a size demands it, with one vote.
        for _ in range(max(1, int(picked[k]))):
            prefix.add(k)
        value = prefix.value()
        if seats in sizes and (best is None or value > best[0]):
            best = value, list(prefix.members)
    if best is not None:
        pool.offer(run, best[1])
    return Outcome(termination)


def select_with_replacement(pool: Pool, run: Run, bag: np.ndarray, own: np.ndarray) -> list[int]:
    """Return the best prefix of a greedy selection from the bag, members as often as picked."""
    prefix = Prefix(pool)
    best_value, best_size = None, 0
    start = sorted(bag, key=lambda k: (-int(own[k]), k))[:FIRST]
    while prefix.size < MOST_PICKS:
        if prefix.size < len(start):
            prefix.add(int(start[prefix.size]))
        else:
            prefix.add(best_of(pool.values_with(prefix.counts, prefix.size), bag))
        value = prefix.value()
        if best_value is None or value > best_value:
            best_value, best_size = value, prefix.size
        if run.seconds_left <= 0:
            break
    return prefix.members[:best_size]


METHODS = (
    heuristic(
        "caruana",
        "greedy selection with replacement from bags; who is selected often votes often",
        "Caruana, Niculescu-Mizil, Crew, Ksikes: Ensemble selection from libraries of models, "
        "2004; Caruana, Munson, Niculescu-Mizil: Getting the most out of ensemble selection, 2006",
        solve_caruana,
    ),
)
