"""Sets of members that evolve: a genetic algorithm, and Pareto ensemble pruning (PEP)."""

from __future__ import annotations

import math

import numpy as np

from ..numbers.exact import IntArray
from ..numbers.tally import Bools, tally
from ..problem.committee import majority
from ..problem.problem import Problem
from ..run.run import Outcome, Run
from .pool import Counts, Pool
from .prefix import heuristic

POPULATION = 64
GENERATIONS = 100
ELITE = 4
TOURNAMENT = 3


def solve_genetic(problem: Problem, run: Run) -> Outcome:
    """Evolve sets of members; every improvement is entered.

    A set is a string of bits, its fitness what the committee gains by majority, fewer members first
    among equals. Each generation keeps its best sets; the others are children of two parents that
    each won a tournament, every bit from either parent and flipped with probability 1 / K. All
    children of a generation are counted in one matrix product.
    """
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


BATCH = 64


class Archive:
    """The best set found for every size, as long as no smaller one is at least as good."""

    def __init__(self, pool: Pool, run: Run) -> None:
        self.sets: dict[int, tuple[int, Bools]] = {}
        self._pool, self._run = pool, run

    def enter(self, members: Bools, value: int) -> bool:
        """Take a set in unless it is dominated; throw out what it dominates."""
        size = int(members.sum())
        held = [kept for other, (kept, _) in self.sets.items() if other <= size]
        if held and max(held) >= value:
            return False
        record = max((kept for kept, _ in self.sets.values()), default=None)
        self.sets = {
            other: entry for other, entry in self.sets.items() if other < size or entry[0] > value
        }
        self.sets[size] = value, members.copy()
        if record is None or value > record:
            self._pool.offer(self._run, np.flatnonzero(members).tolist())
        return True


def solve_pareto(problem: Problem, run: Run) -> Outcome:
    """Mutate sets of the archive, and search in depth around every one that enters.

    Keeps an archive of sets none of which is at least as good in both goals as another. Again and
    again a random set of the archive has every bit flipped with probability 1 / K; if nothing in
    the archive dominates the result, it enters and its neighbourhood is searched in depth: flip the
    best bit not flipped yet, K times over, and offer every set on the way. The archive's best for
    the objective is the committee. The number of mutants is the authors' K^2 log K; they are drawn
    and counted in batches, all of a batch from the archive as it stood before.
    """
    pool = Pool.of(problem)
    sizes = pool.sizes()
    rng = np.random.default_rng(run.seed)
    archive = Archive(pool, run)
    mutants = fit_sizes(rng.random((1, pool.size)) < 0.5, sizes, rng)
    rounds = math.ceil(pool.size**2 * math.log(max(pool.size, 2)) / BATCH)
    for _ in range(rounds):
        values = pool.majority_values(mutants)
        for members, value in zip(mutants, values, strict=True):
            if archive.enter(members, int(value)):
                search_in_depth(pool, run, archive, members)
            if run.seconds_left <= 0:
                return Outcome("time limit")
        parents = np.array([members for _, members in archive.sets.values()])
        drawn = parents[rng.integers(len(parents), size=BATCH)]
        mutants = fit_sizes(drawn ^ (rng.random(drawn.shape) < 1 / pool.size), sizes, rng)
    return Outcome("finished")


def search_in_depth(pool: Pool, run: Run, archive: Archive, members: Bools) -> None:
    """Flip the best bit that has not been flipped yet, until all have; offer every set."""
    members = members.copy()
    counts = pool.votes[:, members].sum(axis=1, dtype=np.int32)
    fresh = np.ones(pool.size, dtype=bool)
    sizes = pool.sizes()
    while run.seconds_left > 0:
        size = int(members.sum())
        open_now = fresh & np.where(members, size - 1 >= sizes[0], size + 1 <= sizes[-1])
        places = np.flatnonzero(open_now)
        if not len(places):
            return
        values = flip_values(pool, counts, members)
        k = int(places[np.argmax(values[places])])
        counts += np.where(members[k], -1, 1) * pool.votes[:, k]
        members[k] = not members[k]
        fresh[k] = False
        archive.enter(members, int(values[k]))


def flip_values(pool: Pool, counts: Counts, members: Bools) -> IntArray:
    """Return what the committee gains after each single flip, up to a constant.

    A leaving member takes its vote along: patterns of one vote more than the smaller committee's
    threshold stay positive only if the vote was not its own.
    """
    size = int(members.sum())
    edge = majority(size - 1)
    above = np.where(counts == edge + 1, pool.net, 0)
    staying = pool.value(counts, 2 * edge) - tally(above, pool.votes)
    return np.where(members, staying, pool.values_with(counts, size))


METHODS = (
    heuristic(
        "genetic",
        "genetic algorithm over sets of members",
        "Zhou, Wu, Tang: Ensembling neural networks: many could be better than all, 2002",
        solve_genetic,
    ),
    heuristic(
        "pareto",
        "Pareto ensemble pruning: evolves the front of objective against size",
        "Qian, Yu, Zhou: Pareto ensemble pruning, 2015",
        solve_pareto,
    ),
)
