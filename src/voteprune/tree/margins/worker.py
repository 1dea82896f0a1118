"""Dual prices for one size after the other, each read for all sizes; runs in a worker process.

Best first: the size with the highest bound among those that have had no program of their own, until
all others are below the target.
"""

from __future__ import annotations

import time

import numpy as np

from ...bounds.margin_relaxation import price
from .task import Report, Share, Task


def solve(task: Task, report: Report | None) -> Share:
    """Bound all sizes as low as the linear programs go.

    Parameters
    ----------
    task
        What is open.
    report
        Told after every linear program.
    """
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
    return Share(bounds, unpriced, tuple(found))
