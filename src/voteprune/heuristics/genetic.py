"""A genetic algorithm over sets of members.

A set is a string of bits, its fitness what the committee gains by majority, fewer members first
among equals. Each generation keeps its best sets; the others are children of two parents that
each won a tournament, every bit from either parent and flipped with probability 1 / K. All
children of a generation are counted in one matrix product.
"""

from __future__ import annotations

import numpy as np

from ..numbers.exact import IntArray
from ..numbers.tally import Bools
from ..problem.problem import Problem
from ..run.run import Outcome, Run
from .pool import Pool
from .prefix import heuristic

POPULATION = 64
GENERATIONS = 100
ELITE = 4
TOURNAMENT = 3


def solve_genetic(problem: Problem, run: Run) -> Outcome:
    """Evolve sets of members; every improvement is entered."""
    pool = Pool.of(problem)
    rng = np.random.default_rng(run.seed)
    sets = first_generation(pool, rng)
    record: int | None = None
    for generation in range(GENERATIONS + 1):
        values = pool.majority_values(sets)
        ranking = by_fitness(values, sets)
        sets, values = sets[ranking], values[ranking]
        if record is None or values[0] > record:
            record = int(values[0])
            pool.offer(run, np.flatnonzero(sets[0]).tolist())
        if generation < GENERATIONS and run.seconds_left <= 0:
            return Outcome("time limit")
        sets = np.vstack([sets[:ELITE], children(pool, sets, rng)])
    return Outcome("finished")


def first_generation(pool: Pool, rng: np.random.Generator) -> Bools:
    """Draw random sets of all allowed sizes."""
    sizes = rng.choice(np.array(pool.sizes()), size=POPULATION)
    return np.argsort(rng.random((POPULATION, pool.size)), axis=1) < sizes[:, None]


def by_fitness(values: IntArray, sets: Bools) -> list[int]:
    """Return the sets' places, best first; fewer members first among equals."""
    sizes = sets.sum(axis=1)
    return sorted(range(len(sets)), key=lambda i: (-int(values[i]), int(sizes[i]), i))


def children(pool: Pool, ranked: Bools, rng: np.random.Generator) -> Bools:
    """Return the next generation but its elite, of sets that are ranked best first."""
    born = POPULATION - ELITE
    # Ranked best first, so the winner of a tournament is the lowest place drawn.
    parents = rng.integers(POPULATION, size=(2, born, TOURNAMENT)).min(axis=2)
    either = rng.random((born, pool.size)) < 0.5
    sets = np.where(either, ranked[parents[0]], ranked[parents[1]])
    sets ^= rng.random((born, pool.size)) < 1 / pool.size
    return fit_sizes(sets, pool.sizes(), rng)


def fit_sizes(sets: Bools, sizes: range, rng: np.random.Generator) -> Bools:
    """Let random members join or leave where a set is smaller or larger than allowed."""
    wanted = np.clip(sets.sum(axis=1), sizes[0], sizes[-1])
    # Members first, in random order; then the others, in random order.
    keys = rng.random(sets.shape) + ~sets
    ranks = np.argsort(np.argsort(keys, axis=1), axis=1)
    return np.asarray(ranks < wanted[:, None])


METHODS = (
    heuristic(
        "genetic",
        "genetic algorithm over sets of members",
        "Zhou, Wu, Tang: Ensembling neural networks: many could be better than all, 2002",
        solve_genetic,
    ),
)
