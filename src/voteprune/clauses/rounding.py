"""From weights on classifiers to a committee: the best of those with the most weight."""

from __future__ import annotations

import numpy as np

from ..formulation.model import Floats
from .case import Case

_MOST_MEMBERS = 60


def best_of_the_heaviest(case: Case, weights: Floats) -> tuple[float, tuple[int, ...]]:
    """Return the best value of the S heaviest classifiers for any S and threshold, and who.

    Limits are not looked at; whoever takes the answer recounts it.
    """
    order = np.argsort(-weights, kind="stable")[: min(case.size_max, _MOST_MEMBERS)]
    sizes = np.arange(1, len(order) + 1)
    counts = np.cumsum(case.votes[:, order], axis=1)
    # One histogram of the counts for every size, all in one.
    width = len(order) + 2
    places = counts + width * sizes - width
    sums = np.bincount(
        places.ravel(), weights=np.repeat(case.net, len(order)), minlength=width * len(order)
    ).reshape(len(order), width)
    # What has more than L votes, for L from 0 on; there is no L beyond S - 1.
    values = sums[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    values[np.arange(width - 1)[None, :] >= sizes[:, None]] = -np.inf
    values[sizes < case.size_min] = -np.inf
    best = int(np.argmax(values.max(axis=1)))
    return case.base + float(values[best].max()), tuple(sorted(order[: best + 1].tolist()))
