"""The closure bound: one minimum cut bounds every committee of every size and threshold.

A vote count is monotone: if every classifier that votes for pattern p also votes for q, no
committee can call p positive and q negative. So if p is worth more as a positive and q as a
negative, one of the two is lost. Which losses are cheapest is a bipartite minimum cut between
the patterns that want to be positive and those that want to be negative.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..numbers.exact import IntArray, magnitude

# Worker processes, which start with an import of this, need none of these.
if TYPE_CHECKING:
    from ..problem.problem import Problem
    from ..run.run import Run

_MOST_EDGES = 4_000_000
"""Pairs beyond which the rest is left out, to save memory; the bound still holds."""

_MOST_CAPACITY = 2**30
"""The largest capacity of an edge: SciPy's maximum flow counts in 32 bits."""

CLOSURE_SHARE = 0.2
"""How much of the time left the bound may take, which is a moment for most problems."""

_BLOCK, _MOST_CELLS = 1024, 8_000_000
"""Patterns looked at together, and pairs, for no longer than a moment."""

_EDGES_PER_SECOND = 1_000_000
"""Pairs that a maximum flow gets through at the least; it cannot be interrupted."""


def conflicts(
    matrix: NDArray[np.bool_],
    low: NDArray[np.intp],
    high: NDArray[np.intp],
    deadline: float = math.inf,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs (i in low, j in high) with votes(i) a subset of votes(j), as places.

    At most a few million pairs, and no more than are found until `deadline`: a bound from some of
    them is valid, too.
    """
    missing = (~matrix[high]).astype(np.float32).T
    firsts, seconds, found = [], [], 0
    size = max(1, min(_BLOCK, _MOST_CELLS // max(1, len(high))))
    for begin in range(0, len(low), size):
        if time.monotonic() >= deadline:
            break
        block = matrix[low[begin : begin + size]].astype(np.float32)
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


def sides_wanted(
    problem: Problem,
) -> tuple[NDArray[np.bool_], NDArray[np.intp], NDArray[np.intp], int]:
    """Return who is eligible, which patterns want to be positive and negative, and what is lost.

    A pattern that nobody votes for is never positive, and one that everybody votes for always is;
    what they would gain on the other side is lost from the start.

    Returns
    -------
    matrix, wants_one, wants_zero, lost
        The votes of those not forbidden, the patterns that may have their way, and units.
    """
    net = problem.gains.net
    matrix = problem.patterns.matrix[:, list(problem.allowed)]
    hopeless = ((net > 0) & ~matrix.any(axis=1)) | ((net < 0) & matrix.all(axis=1))
    wants_one = np.flatnonzero((net > 0) & ~hopeless)
    wants_zero = np.flatnonzero((net < 0) & ~hopeless)
    lost = math.floor(problem.least_loss * magnitude(net[hopeless]))
    return matrix, wants_one, wants_zero, lost


@dataclass(frozen=True, slots=True)
class Cut:
    """A closure bound in units, and the flow that proves it, as `closure` returns them."""

    bound: int
    flow: list[tuple[int, int, int]]


def bound_by_closure(problem: Problem, run: Run) -> None:
    """Tighten a run's bound by the closure bound, for a share of the time left, and record it."""
    cut = Cut(*closure(problem, run.soon(CLOSURE_SHARE)))
    run.incumbent.tighten(cut.bound)
    if run.record is not None:
        run.record.append(cut)


def closure_bound(problem: Problem, deadline: float = math.inf) -> int:
    """Return a bound on the objective in units; forbidden classifiers have no say.

    Parameters
    ----------
    problem
        What is being solved.
    deadline
        When to be done, as `time.monotonic` tells it; in less time it is a weaker bound.
    """
    return closure(problem, deadline)[0]


def closure(problem: Problem, deadline: float = math.inf) -> tuple[int, list[tuple[int, int, int]]]:
    """Return the bound, and the flow that proves it.

    Returns
    -------
    bound, flow
        In units; and for some pairs of a pattern that wants to be positive and one that wants to
        be negative, not both of which can have their way, how much of both is paired off.
    """
    matrix, wants_one, wants_zero, lost = sides_wanted(problem)
    # Half the time for finding pairs, and no more of them than can be paired off in the other half.
    now = time.monotonic()
    half = max(0.0, deadline - now) / 2
    first, second = conflicts(matrix, wants_one, wants_zero, now + half)
    if half < _MOST_EDGES / _EDGES_PER_SECOND:
        most = int(half * _EDGES_PER_SECOND)
        first, second = first[:most], second[:most]
    flow: list[tuple[int, int, int]] = []
    if len(first):
        capacity, unit = capacities(problem.gains.net)
        pairs = pair_off(capacity[wants_one], capacity[wants_zero], first, second).tocoo()
        ends = zip(wants_one[pairs.row].tolist(), wants_zero[pairs.col].tolist(), strict=True)
        amounts = (int(amount) * unit for amount in pairs.data)
        flow = [(i, j, amount) for (i, j), amount in zip(ends, amounts, strict=True) if amount]
        lost += sum(amount for _, _, amount in flow)
    return problem.gains.floor_to_step(problem.gains.ceiling - lost), flow


def capacities(net: IntArray) -> tuple[NDArray[np.int32], int]:
    """Return what each pattern can lose, in a unit that the flow library can count in.

    It counts in 32 bits. Capacities are rounded down, so the flow, and with it what must be lost,
    is never overestimated.
    """
    unit = magnitude(net) // _MOST_CAPACITY + 1
    return (np.abs(net) // unit).astype(np.int32), unit


def pair_off(
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> sparse.csr_array:
    """Pair off as much as possible of what cannot be had together: a maximum flow.

    Parameters
    ----------
    low, high
        How much there is at each place of the two sides.
    first, second
        Places of the pairs that exclude each other.

    Returns
    -------
    sparse array
        How much of each pair is paired off. Of every unit one half is lost, whoever chooses; and
        as the largest flow is the smallest cut, this is all the pairs can say.
    """
    # Not above: worker processes import this module, never come here, and would start later.
    from scipy.sparse.csgraph import maximum_flow

    n_low, n_high = len(low), len(high)
    source, sink = n_low + n_high, n_low + n_high + 1
    endless = np.full(len(first), _MOST_CAPACITY, dtype=np.int32)
    graph = sparse.csr_array(
        (
            np.concatenate([low, endless, high]),
            (
                np.concatenate([np.full(n_low, source), first, n_low + np.arange(n_high)]),
                np.concatenate([np.arange(n_low), n_low + second, np.full(n_high, sink)]),
            ),
        ),
        shape=(sink + 1, sink + 1),
    )
    # Older releases of SciPy count the edges in 32 bits too, and do not convert.
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    flow = maximum_flow(graph, source, sink).flow
    return flow[:n_low, n_low : n_low + n_high]
