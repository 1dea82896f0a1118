"""Pareto ensemble pruning (PEP): two goals at once, a high objective and few members.

Keeps an archive of sets none of which is at least as good in both goals as another. Again and
again a random set of the archive has every bit flipped with probability 1 / K; if nothing in the
archive dominates the result, it enters and its neighbourhood is searched in depth: flip the best
bit not flipped yet, K times over, and offer every set on the way. The archive's best for the
objective is the committee. The number of mutants is the authors' K^2 log K; they are drawn and
counted in batches, all of a batch from the archive as it stood before.
"""

from __future__ import annotations

import math

import numpy as np

from ..numbers.exact import IntArray
from ..numbers.tally import Bools, tally
from ..problem.committee import majority
from ..problem.problem import Problem
from ..run.run import Outcome, Run
from .genetic import fit_sizes
from .pool import Counts, Pool
from .prefix import heuristic

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
    """Mutate sets of the archive, and search in depth around every one that enters."""
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
        "pareto",
        "Pareto ensemble pruning: evolves the front of objective against size",
        "Qian, Yu, Zhou: Pareto ensemble pruning, 2015",
        solve_pareto,
    ),
)
