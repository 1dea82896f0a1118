"""Small problems as the two trees see them, with every committee there is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from instances import drawn, random_instance
from voteprune.bounds.relaxation_rows import Row
from voteprune.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class Seated:
    """A committee: its members among those allowed, its threshold, what it decides and is worth."""

    size: int
    level: int
    x: np.ndarray
    positive: np.ndarray
    units: int
    allowed: bool
    members: tuple[int, ...]

    @property
    def pair(self):
        return self.size, self.level


def everybody(problem):
    """Every committee of those who are not forbidden, allowed or not."""
    used = np.flatnonzero(problem.gains.net != 0)
    for size in range(1, len(problem.allowed) + 1):
        for members in combinations(problem.allowed, size):
            counts = problem.counts(list(members))
            for level in range(size):
                committee = problem.committee(list(members), level)
                yield Seated(
                    size, level, np.isin(problem.allowed, members).astype(float),
                    (counts > level)[used], problem.score(committee), problem.allows(committee),
                    members,
                )  # fmt: skip


def small(seed, k=5, n=14, *, limits=True):
    """A problem with several patterns, and all its committees."""

    def draw(seed):
        instance = random_instance(seed, k, n)
        asked = (instance.constraints, instance.diversity) if limits else ((), None)
        return Problem.of(instance.votes, instance.objective, *asked)

    def wanted(problem):
        # Of a pool of one or two there is nothing to choose.
        return (
            len(problem.allowed) > 2
            and np.count_nonzero(problem.gains.net) > 2
            and any(one.allowed for one in everybody(problem))
        )

    problem = drawn(seed, draw, wanted)
    return problem, list(everybody(problem))


def right(levels, one):
    """Which patterns a committee decides right, as numbers."""
    return (one.positive == levels.positive).astype(float)


def rows_of(levels, rng, most=40):
    """Rows of all kinds, with some classifiers left out."""
    k, rows = levels.n_classifiers, list(levels.basic_rows)
    for i in range(levels.n_patterns):
        out = rng.random(k) < 0.3
        helps, others = levels.helps[i] & ~out, ~levels.helps[i] & ~out
        rows.append(Row((i,), helps, levels.sides(i), -int((levels.helps[i] & out).sum())))
        rows.append(Row((i,), others, levels.sides(i), int(others.sum()), away=True))
        for j in range(i):
            both = levels.helps[i] & levels.helps[j]
            shift = -int((both & out).sum())
            rows.append(Row((i, j), both & ~out, levels.sides(i, j), shift))
    chosen = rng.permutation(len(rows))[:most]
    return [rows[place] for place in sorted(chosen.tolist())]
