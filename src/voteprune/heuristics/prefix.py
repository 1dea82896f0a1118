"""Growing a committee one by one and keeping the best of its beginnings.

Most heuristics of the literature are orders: each says who joins next. What they share is here:
the running vote counts, the sizes that are allowed, the choice of the best prefix by the
objective (the shortest among equals), and the time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..problem.problem import Problem
from ..run.run import Method, Outcome, Run
from .pool import Counts, Pool


@dataclass(eq=False)
class Prefix:
    """A committee on its way: members in order of entry, and their votes on each pattern."""

    pool: Pool
    members: list[int] = field(default_factory=list)
    counts: Counts = field(init=False)

    def __post_init__(self) -> None:
        self.counts = self.pool.no_counts()

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.members)

    @property
    def left_out(self) -> NDArray[np.intp]:
        """Classifiers that have not joined, by index."""
        absent = np.ones(self.pool.size, dtype=bool)
        absent[self.members] = False
        return np.flatnonzero(absent)

    def add(self, k: int) -> None:
        """Let a classifier join."""
        self.members.append(k)
        self.counts += self.pool.votes[:, k]

    def swap(self, place: int, k: int) -> None:
        """Let a classifier take the place of a member."""
        self.counts -= self.pool.votes[:, self.members[place]]
        self.counts += self.pool.votes[:, k]
        self.members[place] = k

    def value(self) -> int:
        """Return what the members gain by majority, up to a constant."""
        return self.pool.value(self.counts, self.size)


Step = Callable[[Prefix], None]
"""Lets one more classifier join."""

Start = Callable[[Pool, Run], Step]
"""Prepares the steps of one run."""

Sizes = Callable[[Pool], range]
"""Which sizes a method may end with."""


def grow(start: Start, sizes: Sizes = Pool.sizes) -> Callable[[Problem, Run], Outcome]:
    """Return a method's function: step by step, then the best prefix by the objective."""

    def solve(problem: Problem, run: Run) -> Outcome:
        pool = Pool.of(problem)
        wanted = sizes(pool)
        step, prefix = start(pool, run), Prefix(pool)
        best: tuple[int, list[int]] | None = None
        try:
            while prefix.size < wanted[-1]:
                if prefix.size and run.seconds_left <= 0:
                    # No size that is allowed has been reached, and there is no time to choose.
                    prefix.add(int(prefix.left_out[0]))
                else:
                    step(prefix)
                if prefix.size in wanted:
                    value = prefix.value()
                    if best is None or value > best[0]:
                        best = value, list(prefix.members)
                if best is not None and prefix.size < wanted[-1] and run.seconds_left <= 0:
                    return Outcome("time limit")
            return Outcome("finished")
        finally:
            # Also on Ctrl-C: what was found is not lost.
            if best is not None:
                pool.offer(run, best[1])

    return solve


def in_order(order: Callable[[Pool, Run], Iterable[int]]) -> Start:
    """Return the steps of an order that is known beforehand."""

    def start(pool: Pool, run: Run) -> Step:
        coming = iter(order(pool, run))
        return lambda prefix: prefix.add(next(coming))

    return start


def heuristic(
    name: str,
    summary: str,
    reference: str,
    solve: Callable[[Problem, Run], Outcome],
    honours: tuple[str, ...] = ("size", "forbid"),
) -> Method:
    """Return a method that finds members, proves nothing, and votes by majority by default."""
    return Method(
        name, summary, reference, solve,
        proves=False, thresholds=("majority", "tuned"), honours=honours,
    )  # fmt: skip
