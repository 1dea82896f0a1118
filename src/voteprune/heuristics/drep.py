"""Diversity regularised pruning (DREP): accurate among those that differ most.

Starts with the best classifier. At each step the classifiers outside are sorted by how much they
agree with the committee's majority; the least agreeing share (rho) are candidates, and among them
the one that makes the committee best joins. The authors stop when the error no longer falls. With
a majority of whole votes a committee of two rarely beats its better half, which would stop nearly
every run at once, so the order is followed to its end and its best prefix kept.
"""

from __future__ import annotations

import math

import numpy as np

from ..numbers.tally import tally
from ..problem.committee import majority
from ..run.run import Run
from .pool import Pool, best_of, descending
from .prefix import Prefix, Step, grow, heuristic

RHO = 0.4
"""Share of the classifiers outside that may join, the most different ones."""


def by_regularised_diversity(pool: Pool, run: Run) -> Step:
    """Add the best for the objective among the most different."""
    weight = pool.positive + pool.negative

    def step(prefix: Prefix) -> None:
        outside = prefix.left_out
        values = pool.values_with(prefix.counts, prefix.size)
        if prefix.size:
            decided = prefix.counts > majority(prefix.size)
            # Differing rows, up to a constant: a vote differs where the decision is negative.
            difference = tally(weight * np.where(decided, -1, 1), pool.votes)
            places = descending(difference[outside])[: math.ceil(RHO * len(outside))]
            outside = outside[places]
        prefix.add(best_of(values, outside))

    return step


METHODS = (
    heuristic(
        "drep",
        "diversity regularised: the best among those that differ most from the committee",
        "Li, Yu, Zhou: Diversity regularized ensemble pruning, 2012",
        grow(by_regularised_diversity),
    ),
)
