"""Greedy checklists: members and threshold grow together.

A checklist says "positive if at least M of these N items are ticked", which is a committee with
its threshold. Items are added one by one; at every step all pairs of a new item and a threshold
are compared and the best pair is taken, so the threshold is chosen along the way and not after.
The best prefix is kept, at the threshold that is best for it. Ties: lowest threshold, then lowest
index.
"""

from __future__ import annotations

import numpy as np

from ..numbers.exact import IntArray, sum_by_group
from ..numbers.tally import tally
from ..problem.problem import Problem
from ..run.run import Method, Outcome, Run
from .pool import Pool
from .prefix import Prefix


def solve_checklist(problem: Problem, run: Run) -> Outcome:
    """Add the best item at its best threshold, again and again; keep the best prefix."""
    pool = Pool.of(problem)
    sizes = pool.sizes()
    prefix = Prefix(pool)
    best: tuple[int, list[int]] | None = None
    try:
        while prefix.size < sizes[-1]:
            outside = prefix.left_out
            gains = joint_gains(prefix)[:, outside]
            place = int(np.argmax(gains))
            value = int(gains.flat[place])
            prefix.add(int(outside[place % len(outside)]))
            if prefix.size in sizes and (best is None or value > best[0]):
                best = value, list(prefix.members)
            if run.seconds_left <= 0 and prefix.size < sizes[-1]:
                while best is None:
                    prefix.add(int(prefix.left_out[0]))
                    if prefix.size in sizes:
                        best = 0, list(prefix.members)
                return Outcome("time limit")
        return Outcome("finished")
    finally:
        if best is not None:
            pool.offer(run, best[1])


def joint_gains(prefix: Prefix) -> IntArray:
    """Return what the committee gains by every threshold (row) and newcomer (column).

    With threshold L, patterns of more than L votes are positive whoever joins, and those of
    exactly L votes are if the newcomer votes for them. The patterns fall apart by their count, so
    all thresholds together cost one pass.
    """
    pool, size = prefix.pool, prefix.size
    by_count = sum_by_group(pool.net, prefix.counts.astype(np.intp), size + 1)
    above = np.append(np.cumsum(by_count[::-1])[::-1][1:], 0)
    order = np.argsort(prefix.counts, kind="stable")
    borders = np.searchsorted(prefix.counts[order], np.arange(size + 2))
    return np.array(
        [
            above[level] + tally(pool.net[rows], pool.votes[rows])
            for level in range(size + 1)
            for rows in [order[borders[level] : borders[level + 1]]]
        ]
    )


METHODS = (
    Method(
        "checklist",
        "greedy M-of-N checklist: members and threshold chosen together",
        "after Zhang, Morris, Ustun, Ghassemi: Learning optimal predictive checklists, 2021",
        solve_checklist,
        proves=False,
        honours=("size", "forbid"),
    ),
)
