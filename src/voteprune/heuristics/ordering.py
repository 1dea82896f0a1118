"""Orders: by a score against the whole pool, by diversity (DREP), by clusters.

The best prefix of an order is kept by the objective. Scoring every classifier once and sorting is
cheaper than hill climbing by a factor of K; there each classifier k has a signature c_k, +1 on the
rows it is right on and -1 on the others.
"""

from __future__ import annotations

import math

import numpy as np

from ..numbers.exact import IntArray, times, total
from ..numbers.tally import Bools, tally
from ..problem.committee import majority
from ..run.run import Run
from .pool import Pool, best_of, descending
from .prefix import Prefix, Step, grow, heuristic, in_order

ALPHA = 0.2
"""Share of the margin in margin & diversity ordering; the rest is diversity."""

_GRID = 2**20
"""Logarithms are rounded to this grid once, so that all sums of them are exact."""


def by_orientation(pool: Pool, run: Run) -> list[int]:
    """Order by the angle between signature and reference vector, smallest first.

    The pool's signature e is the sum of all signatures. The reference is the part of
    o = (1, ..., 1) at right angles to e: the direction in which the pool, as it is, does nothing.
    Signatures are equally long, so angles sort as products with ``|e|^2 o - (o.e) e``.
    """
    lead = 2 * pool.votes.sum(axis=1, dtype=np.int64) - pool.size
    # On positive rows c = 2 x - 1 and e = lead; on negative rows both change their sign.
    by_one = pool.positive - pool.negative
    by_pool = times(pool.positive + pool.negative, lead)
    squared, along = total(times(by_pool, lead)), total(times(by_one, lead))
    with_ones = 2 * tally(by_one, pool.votes) - total(by_one)
    with_pool = 2 * tally(by_pool, pool.votes) - total(by_pool)
    return descending(squared * with_ones.astype(object) - along * with_pool.astype(object))


def contribution(correct: IntArray, size: int, right: Bools) -> IntArray:
    """Return the individual contribution of being right minus that of being wrong.

    With v_max and v_min the votes of the winning and the losing side of the whole pool: right
    with the minority earns 2 v_max - v_min, right with the majority v_min, and wrong
    v_right - v_wrong - v_max. At a tie both first cases agree.
    """
    wrong = size - correct
    most, least = np.maximum(correct, wrong), np.minimum(correct, wrong)
    if_right = np.where(correct > wrong, least, 2 * most - least)
    return np.asarray(if_right - (correct - wrong - most))


def margin_and_diversity(correct: IntArray, size: int, right: Bools) -> IntArray:
    """Return what being right earns by margin and diversity; being wrong earns nothing.

    ``-alpha log |margin| - (1 - alpha) log share``: a row counts more the closer the pool's vote
    is and the fewer are right on it. The margin (right - wrong) / K is taken as 1 / K at least,
    and so is the share.
    """
    margin = np.maximum(np.abs(2 * correct - size), 1) / size
    share = np.maximum(correct, 1) / size
    worth = -ALPHA * np.log(margin) - (1 - ALPHA) * np.log(share)
    return np.asarray(np.rint(worth * _GRID), dtype=np.int64)


def by_contribution(pool: Pool, run: Run) -> list[int]:
    """Order by individual contribution."""
    return descending(pool.scores(contribution, pool.votes.sum(axis=1), pool.size))


def by_margin_and_diversity(pool: Pool, run: Run) -> list[int]:
    """Order by margin and diversity."""
    return descending(pool.scores(margin_and_diversity, pool.votes.sum(axis=1), pool.size))


RHO = 0.4
"""Share of the classifiers outside that may join, the most different ones."""


def by_regularised_diversity(pool: Pool, run: Run) -> Step:
    """Add the best for the objective among the most different.

    Starts with the best classifier. At each step the classifiers outside are sorted by how much
    they agree with the committee's majority; the least agreeing share (rho) are candidates, and
    among them the one that makes the committee best joins. The authors stop when the error no
    longer falls. With a majority of whole votes a committee of two rarely beats its better half,
    which would stop nearly every run at once, so the order is followed to its end and its best
    prefix kept.
    """
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


def by_clusters(pool: Pool, run: Run) -> list[int]:
    """Return the representatives, the one that is silenced last first.

    Agglomerative clustering with complete linkage, the distance of two classifiers being the weight
    of the rows they vote differently on. Every cluster is represented by its best classifier. A
    merge silences one representative, the worse of the two; read backwards, the merges are an order
    in which classifiers join, and the best number of clusters is the best prefix of that order.
    """
    # SciPy's clustering takes a while to import; whoever does not cluster need not wait.
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    if pool.size == 1:
        return [0]
    distances = squareform(pool.pairs().differ.astype(float), checks=False)
    own = pool.own_values()
    representatives, silenced = list(range(pool.size)), []
    for one, other, *_ in linkage(distances, method="complete"):
        pair = sorted(
            (representatives[int(one)], representatives[int(other)]),
            key=lambda k: (-int(own[k]), k),
        )
        representatives.append(pair[0])
        silenced.append(pair[1])
    return [representatives[-1], *reversed(silenced)]


METHODS = (
    heuristic(
        "orientation",
        "orientation ordering: point where the whole pool is weakest",
        "Martinez-Munoz, Suarez: Pruning in ordered bagging ensembles, 2006",
        grow(in_order(by_orientation)),
    ),
    heuristic(
        "contribution",
        "individual contribution ordering: right with the minority counts most",
        "Lu, Wu, Zhu, Bongard: Ensemble pruning via individual contribution ordering, 2010",
        grow(in_order(by_contribution)),
    ),
    heuristic(
        "margin-diversity",
        "margin and diversity ordering: right on close rows, and where few are",
        "Guo, Liu, Li, Wu, Guo, Xu: Margin & diversity based ordering ensemble pruning, 2018",
        grow(in_order(by_margin_and_diversity)),
    ),
    heuristic(
        "drep",
        "diversity regularised: the best among those that differ most from the committee",
        "Li, Yu, Zhou: Diversity regularized ensemble pruning, 2012",
        grow(by_regularised_diversity),
    ),
    heuristic(
        "cluster",
        "clusters of classifiers that vote alike, the best of each",
        "Giacinto, Roli, Fumera: Design of effective multiple classifier systems by clustering "
        "of classifiers, 2000; Lazarevic, Obradovic: Effective pruning of neural network "
        "classifier ensembles, 2001",
        grow(in_order(by_clusters)),
    ),
)
