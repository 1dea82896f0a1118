"""Kappa pruning: take the pairs that agree least, until the committee is large enough.

Cohen's kappa of two classifiers is (agreement - chance) / (1 - chance), from their votes alone:
0 when they agree as often as chance would have it, 1 when always. Pairs come in the order of
increasing kappa, equal ones by their lower, then their higher index; a pair brings in whichever
of its two is not in yet, the lower index first. The size is fixed beforehand, so all sizes from
20 % to 80 % of the pool are tried and the best for the objective is kept (section 5.2 of the
paper). Kappas are compared as exact fractions.
"""

from __future__ import annotations

import numpy as np

from ..numbers.exact import argsort_ratios
from ..run.run import Run
from .pool import Pool
from .prefix import grow, heuristic, in_order


def by_kappa(pool: Pool, run: Run) -> list[int]:
    """Return the classifiers in the order in which pairs of least agreement bring them in."""
    if pool.size == 1:
        return [0]
    top, bottom = pool.pairs().kappa()
    # Both constant and equal: 0/0, two that never differ.
    never_differ = bottom == 0
    top, bottom = np.where(never_differ, 1, top), np.where(never_differ, 1, bottom)
    first, second = np.triu_indices(pool.size, 1)
    order = argsort_ratios(top[first, second], bottom[first, second])
    flat = np.column_stack([first[order], second[order]]).ravel()
    _, entries = np.unique(flat, return_index=True)
    return [int(k) for k in flat[np.sort(entries)]]


METHODS = (
    heuristic(
        "kappa",
        "kappa pruning: pairs that agree least, 20 % to 80 % of the pool",
        "Margineantu, Dietterich: Pruning adaptive boosting, 1997",
        grow(in_order(by_kappa), Pool.middle_sizes),
    ),
)
