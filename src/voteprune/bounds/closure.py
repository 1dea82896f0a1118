"""The closure bound: one minimum cut bounds every committee of every size and threshold.

A vote count is monotone: if every classifier that votes for pattern p also votes for q, no
committee can call p positive and q negative. So if p is worth more as a positive and q as a
negative, one of the two is lost. Which losses are cheapest is a bipartite minimum cut between
the patterns that want to be positive and those that want to be negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import maximum_flow

from ..exact import magnitude
from ..problem import Problem

_MOST_EDGES = 4_000_000
_MOST_CAPACITY = 2**30
_BLOCK = 4096


def conflicts(
    matrix: NDArray[np.bool_], low: NDArray[np.intp], high: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs (i in low, j in high) with votes(i) a subset of votes(j), as places.

    At most a few million pairs, which is more than enough; a bound from fewer is still valid.
    """
    missing = (~matrix[high]).astype(np.float32).T
    firsts, seconds, found = [], [], 0
    for begin in range(0, len(low), _BLOCK):
        block = matrix[low[begin : begin + _BLOCK]].astype(np.float32)
        first, second = np.nonzero(block @ missing == 0)
        firsts.append(first + begin)
        seconds.append(second)
        found += len(first)
        if found > _MOST_EDGES:
            break
    empty = np.empty(0, dtype=np.intp)
    return (
        np.concatenate([empty, *firsts])[:_MOST_EDGES],
        np.concatenate([empty, *seconds])[:_MOST_EDGES],
    )


def closure_bound(problem: Problem) -> int:
    """Return a bound on the objective in units; forbidden classifiers have no say."""
    net = problem.gains.net
    matrix = problem.patterns.matrix[:, list(problem.allowed)]
    wants_one = np.flatnonzero(net > 0)
    wants_zero = np.flatnonzero(net < 0)
    first, second = conflicts(matrix, wants_one, wants_zero)
    if not len(first):
        return problem.gains.ceiling
    # The flow library counts in 32 bits. Capacities are rounded down, so the flow, and with it
    # what must be lost, is never overestimated.
    unit = magnitude(net) // _MOST_CAPACITY + 1
    capacity = np.array([abs(int(value)) // unit for value in net], dtype=np.int32)
    n_one, n_zero = len(wants_one), len(wants_zero)
    source, sink = n_one + n_zero, n_one + n_zero + 1
    graph = sparse.csr_array(
        (
            np.concatenate(
                [
                    capacity[wants_one],
                    np.full(len(first), _MOST_CAPACITY, dtype=np.int32),
                    capacity[wants_zero],
                ]
            ),
            (
                np.concatenate([np.full(n_one, source), first, n_one + np.arange(n_zero)]),
                np.concatenate([np.arange(n_one), n_one + second, np.full(n_zero, sink)]),
            ),
        ),
        shape=(sink + 1, sink + 1),
    )
    lost = int(maximum_flow(graph, source, sink).flow_value) * unit
    return problem.gains.floor_to_step(problem.gains.ceiling - lost)
