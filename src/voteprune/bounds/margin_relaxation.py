"""Dual prices for `margin_prices`: one linear program at a size, its prices read for all of them.

Runs in a worker process; see `solvers.worker`. Best first: the size with the highest bound among
those that have had no program of their own, until all others are below the target.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from ..numbers.floats import Floats
from .margin_prices import Sizes

Report = Callable[[float, list[int]], None]
"""Told the bound over all sizes, and the members a fractional solution would round to."""


def solve(sizes: Sizes, target: float, start: float, deadline: float, report: Report) -> Floats:
    """Bound all sizes as low as the linear programs go.

    Parameters
    ----------
    sizes
        The data.
    target
        Bounds below this need no more work: nothing there beats the incumbent.
    start
        A bound for all sizes, to begin with.
    deadline
        When to stop, as `time.monotonic` tells it.
    report
        Told after every linear program.

    Returns
    -------
    bounds
        One for every size.
    """
    listed = sizes.all()
    bounds = np.full(len(listed), start)
    done = np.zeros(len(listed), dtype=bool)
    while time.monotonic() < deadline:
        open_ones = np.flatnonzero(~done & (bounds >= target))
        if not len(open_ones):
            break
        # Among equals the middle one: its prices say most about the others.
        worst = open_ones[bounds[open_ones] >= bounds[open_ones].max() - 1e-9]
        place = int(worst[len(worst) // 2])
        found = price(sizes, listed[place], deadline)
        done[place] = True
        if found is None:
            continue
        prices, members = found
        bounds = np.minimum(bounds, sizes.bounds(prices, listed[place]))
        report(float(bounds.max()), members)
    return bounds


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
