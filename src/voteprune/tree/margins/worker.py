"""Dual prices for one size after the other, each read for all sizes; runs in a worker process.

Best first, by bound, among the sizes that have had no program of their own, until all of these are
below the target.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from ...bounds.margin_prices import Sizes
from ...numbers.floats import Floats
from .task import Report, Result, Task


def price(sizes: Sizes, size: int, deadline: float) -> tuple[Floats, list[int]] | None:
    """Return the prices of votes at a size, and the members its linear program would take.

    The program: x_k between 0 and 1, `size` of them in sum; every pattern fills the pieces of its
    concave function, steepest first, with the votes it gets.
    """
    pieces = list(sizes.segments(size))
    patterns = np.array([piece[0] for piece in pieces], dtype=np.intp)
    lengths, slopes = (np.array([piece[i] for piece in pieces], dtype=float) for i in (1, 2))
    n_patterns, k = sizes.votes.shape
    least, _ = sizes.ranges(size)
    fill = sparse.csr_array(
        (np.ones(len(pieces)), (patterns, np.arange(len(pieces)))), shape=(n_patterns, len(pieces))
    )
    one_row = np.concatenate([np.ones(k), np.zeros(len(pieces))])[None, :]
    rows = sparse.vstack(
        [sparse.hstack([-sparse.csr_array(sizes.votes.astype(float)), fill]), one_row], format="csr"
    )
    low = np.zeros(k)
    low[sizes.required] = 1.0
    answer = linprog(
        np.concatenate([np.zeros(k), -slopes]),
        A_eq=rows,
        b_eq=np.append(-least.astype(float), size),
        bounds=np.column_stack(
            [np.concatenate([low, np.zeros(len(pieces))]), np.concatenate([np.ones(k), lengths])]
        ),
        method="highs",
        options={"time_limit": max(deadline - time.monotonic(), 0.01)},
    )
    if answer.x is None or answer.status != 0:
        return None
    # The program minimises: one more vote for free lowers its value by the price.
    prices = -np.asarray(answer.eqlin.marginals, dtype=float)[:-1]
    members = np.argsort(-answer.x[:k], kind="stable")[:size].tolist()
    return prices, members


def solve(task: Task, report: Report | None) -> Result:
    """Bound all sizes as low as the linear programs go."""
    listed, bounds, unpriced = task.sizes.all(), task.bounds, task.open.copy()
    found: list[tuple[int, ...]] = []
    while time.monotonic() < task.deadline:
        worth = np.flatnonzero(unpriced & (bounds >= task.target))
        if not len(worth):
            break
        # Among equals the middle one: its prices say most about the others.
        worst = worth[bounds[worth] >= bounds[worth].max() - 1e-9]
        place = int(worst[len(worst) // 2])
        priced = price(task.sizes, listed[place], task.latest)
        unpriced[place] = False
        if priced is None:
            continue
        prices, members = priced
        bounds = np.minimum(bounds, task.sizes.bounds(prices, listed[place]))
        found.append(tuple(members))
        if report is not None:
            report(float(bounds.max()), members)
    return Result(bounds, unpriced, tuple(found))
