"""Forward hill climbing: add whoever has the highest fitness, keep the best prefix.

The first pick is the best single classifier, whatever the fitness; then classifiers join one by
one until all have, and the committee kept is the prefix that is best for the objective by
majority vote. Ties: the lowest index joins, the shortest prefix wins. This is the procedure of
the paper's section 5.2; with the objective "accuracy" it is the paper's to the letter. With
another objective the first pick, the fitness of hc-acc and the choice of the prefix follow it,
while the diversity measures stay as their authors defined them.

Every fitness but accuracy itself is a sum over the rows, in which a candidate earns something by
being right that depends only on the committee's votes on that row. So one step is one pass over
the patterns and one product of a vector with the votes.

With S the committee, and for each row whether the candidate h and the majority of S are right:

=====================  ==========  ==========  ==========  ==========
measure                h right,    h right,    h wrong,    h wrong,
                       S wrong     S right     S right     S wrong
=====================  ==========  ==========  ==========  ==========
complementariness      1           0           0           0
concurrency            2           1           0           -2
uncertainty weighted   NT          NF          -NF         -NT
=====================  ==========  ==========  ==========  ==========

where NT and NF are the shares of S that are right and wrong on the row. S wrong means NT <= 1/2,
so the weight is the share of the side that lost: the closer the decision, the more it counts.
"""

from __future__ import annotations

import numpy as np

from ..numbers.exact import IntArray
from ..numbers.tally import Bools
from ..run.run import Run
from .pool import Pool, Worth, best_of
from .prefix import Prefix, Start, Step, grow, heuristic

MDSQ_POINT = (3, 40)
"""Where margin distance minimisation pulls every row's mean margin: 3/40 = 0.075."""


def complementariness(correct: IntArray, size: int, right: Bools) -> IntArray:
    """Return 1 where the committee is wrong, 0 where it is right."""
    return np.where(right, 0, 1)


def concurrency(correct: IntArray, size: int, right: Bools) -> IntArray:
    """Return 1 - 0 where the committee is right, and 2 - (-2) where it is wrong."""
    return np.where(right, 1, 4)


def uncertainty(correct: IntArray, size: int, right: Bools) -> IntArray:
    """Return the votes of the losing side.

    Right minus wrong is twice its share; the factor 2 / size is the same for all candidates and
    left out, which keeps the numbers whole.
    """
    return np.asarray(np.minimum(correct, size - correct))


def by_measure(worth: Worth) -> Start:
    """Return hill climbing by a measure; the first pick goes by the objective."""

    def start(pool: Pool, run: Run) -> Step:
        def step(prefix: Prefix) -> None:
            if prefix.size:
                scores = pool.scores(worth, prefix.counts, prefix.size)
            else:
                scores = pool.own_values()
            prefix.add(best_of(scores, prefix.left_out))

        return step

    return start


def by_objective(pool: Pool, run: Run) -> Step:
    """Return hill climbing by the objective itself, by majority vote."""

    def step(prefix: Prefix) -> None:
        scores = pool.values_with(prefix.counts, prefix.size)
        prefix.add(best_of(scores, prefix.left_out))

    return step


def by_margin_distance(pool: Pool, run: Run) -> Step:
    """Return margin distance minimisation.

    A row's margin is (right - wrong) / K, counting absent classifiers as 0. The next classifier
    is the one that brings the vector of margins nearest to the point (p, ..., p). Since a vote
    is +1 or -1, its square is constant and only the product with p K - (right - wrong) matters.
    """
    top, bottom = MDSQ_POINT

    def distance(correct: IntArray, size: int, right: Bools) -> IntArray:
        return np.asarray(top * pool.size - bottom * (2 * correct - size))

    def step(prefix: Prefix) -> None:
        prefix.add(best_of(pool.scores(distance, prefix.counts, prefix.size), prefix.left_out))

    return step


METHODS = (
    heuristic(
        "hc-acc",
        "hill climbing by the objective",
        "Fan, Chu, Wang, Yu: Pruning and dynamic scheduling of cost-sensitive ensembles, 2002",
        grow(by_objective),
    ),
    heuristic(
        "hc-com",
        "hill climbing by complementariness: right where the committee is wrong",
        "Martinez-Munoz, Suarez: Aggregation ordering in bagging, 2004",
        grow(by_measure(complementariness)),
    ),
    heuristic(
        "hc-con",
        "hill climbing by concurrency: complementariness that also punishes shared errors",
        "Banfield, Hall, Bowyer, Kegelmeyer: Ensemble diversity measures and their application "
        "to thinning, 2005",
        grow(by_measure(concurrency)),
    ),
    heuristic(
        "hc-uwa",
        "hill climbing by uncertainty weighted accuracy: close decisions count most",
        "Partalas, Tsoumakas, Vlahavas: An ensemble uncertainty aware measure for directed hill "
        "climbing ensemble pruning, 2010",
        grow(by_measure(uncertainty)),
    ),
    heuristic(
        "reduced-error",
        "greedy by the objective, 20 % to 80 % of the pool; backfitting without revision",
        "Margineantu, Dietterich: Pruning adaptive boosting, 1997",
        grow(by_objective, Pool.middle_sizes),
    ),
    heuristic(
        "mdsq",
        "margin distance minimisation: every row a little on the right side",
        "Martinez-Munoz, Suarez: Aggregation ordering in bagging, 2004",
        grow(by_margin_distance),
    ),
)
