"""Reduced-cost fixing: the values variables must have in everything better than the target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...bounds.levels import Levels
from ...bounds.node import FREE, Node
from ...numbers.floats import Floats

_MOST_TO_DECIDE = 1500
"""Sizes and thresholds beyond which nothing is fixed: all must agree, so it is work for little."""


def decisions(
    levels: Levels, node: Node, charges: Floats, left: Floats, room: Floats
) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Return the variables that can be fixed in all of a node, and their values.

    Parameters
    ----------
    levels
        The data.
    node
        The node, with nothing refuted in it.
    charges, left
        What prices say about it, see `Judgement`.
    room
        How far their bounds are above the target at each (S, L), with room for rounding.
    """
    nothing = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int8)
    if not len(node) or len(node) > _MOST_TO_DECIDE:
        return nothing
    k, patterns = levels.n_classifiers, node.decided[levels.n_classifiers :]
    sizes, chosen = node.pairs[:, 0], node.pairs[:, 1]
    # By how many right votes are needed, what it must cost to lose a pattern. Where it cannot
    # be right anyway nothing is claimed.
    costs = np.empty(len(left))
    for side in (True, False):
        needed = chosen + 1 if side else sizes - chosen
        most = np.full(k + 2, -np.inf)
        np.maximum.at(most, needed, room)
        on_side = levels.positive == side
        costs[on_side] = np.maximum.accumulate(most)[levels.reach[on_side]]
    lost = levels.helps[:, node.decided[:k] != 0].sum(axis=1) < levels.reach
    right = np.flatnonzero((patterns == FREE) & (left > costs) & np.isfinite(costs) & ~lost)
    wrong = np.flatnonzero((patterns == FREE) & (-left > costs))
    free = np.flatnonzero(node.decided[:k] == FREE)
    seats = sizes - int((node.decided[:k] == 1).sum())
    if (seats < 0).any() or (seats > len(free)).any():
        return nothing
    ordered = -np.sort(-charges[:, free], axis=1)
    m = np.arange(len(node))
    wall = np.full((len(node), 1), np.inf)
    ordered = np.concatenate([wall, ordered, -wall], axis=1)
    last_in, first_out = ordered[m, seats], ordered[m, seats + 1]
    must_sit = (charges[:, free] - first_out[:, None] > room[:, None]).all(axis=0)
    must_not = (last_in[:, None] - charges[:, free] > room[:, None]).all(axis=0)
    variables = np.concatenate([free[must_sit], free[must_not], k + right, k + wrong])
    values = np.concatenate([
        np.ones(must_sit.sum()), np.zeros(must_not.sum()),
        np.ones(len(right)), np.zeros(len(wrong)),
    ])  # fmt: skip
    return variables.astype(np.intp), values.astype(np.int8)
