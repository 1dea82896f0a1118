"""Margineantu and Dietterich's two orders: reduced-error pruning with backfitting, and kappa.

**Backfitting** is greedy, but every choice is revised. The classifier that makes the committee best
joins; then the members, in order of entry, are each offered their best replacement from outside.
The first one whose replacement improves the objective is replaced, the newcomer takes its place in
the order, and the revision starts again, until nobody's replacement helps or 100 have been made.
Then the next classifier joins. Ties: lowest index, smallest size.

**Kappa pruning** takes the pairs that agree least. Cohen's kappa of two classifiers is
(agreement - chance) / (1 - chance), from their votes alone: 0 when they agree as often as chance
would have it, 1 when always. Pairs come in the order of increasing kappa, equal ones by their
lower, then their higher index; a pair brings in whichever of its two is not in yet, the lower index
first. Kappas are compared as exact fractions.

Both take a size that is fixed beforehand, so all sizes from 20 % to 80 % of the pool are tried and
the best for the objective is kept (section 5.2 of the paper). A run towards a larger size passes
through the committees of all smaller ones, so a single run finds them all.
"""

from __future__ import annotations

import numpy as np

from ..numbers.exact import IntArray, argsort_ratios
from ..numbers.tally import tally, tally_pairs
from ..problem.committee import majority
from ..run.run import Run
from .hill_climbing import by_objective
from .pool import Pool
from .prefix import Prefix, Step, grow, heuristic, in_order

MOST_ROUNDS = 100
"""Replacements after each addition."""


def with_revision(pool: Pool, run: Run) -> Step:
    """Add the best classifier, then revise all members."""
    add = by_objective(pool, run)

    def step(prefix: Prefix) -> None:
        add(prefix)
        for _ in range(MOST_ROUNDS):
            outside = prefix.left_out
            if not len(outside) or run.seconds_left <= 0:
                return
            improvements = swap_gains(prefix, outside)
            helpful = np.flatnonzero((improvements > 0).any(axis=1))
            if not len(helpful):
                return
            place = int(helpful[0])
            prefix.swap(place, int(outside[np.argmax(improvements[place])]))

    return step


def swap_gains(prefix: Prefix, outside: IntArray) -> IntArray:
    """Return what the objective gains by every swap of a member (row) for an outsider (column).

    A swap moves a count by one at most, so only patterns with as many votes as the threshold, or
    one more, can change sides. Let the member leave first: a pattern then hangs on the outsider's
    vote if it had L votes and not the member's, or L + 1 with the member's; in the latter case it
    is lost when the outsider does not vote for it.
    """
    pool, edge = prefix.pool, majority(prefix.size)
    near = np.flatnonzero((prefix.counts == edge) | (prefix.counts == edge + 1))
    votes, net = pool.votes[near], pool.net[near]
    above = prefix.counts[near] > edge
    members = votes[:, prefix.members]
    hanging = members == above[:, None]
    won = tally_pairs(net, hanging, votes[:, outside])
    lost = tally(np.where(above, net, 0), members)
    return np.asarray(won - lost[:, None])


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
        "backfitting",
        "greedy by the objective with every choice revised, 20 % to 80 % of the pool",
        "Friedman, Stuetzle: Projection pursuit regression, 1981; for ensembles Margineantu, "
        "Dietterich: Pruning adaptive boosting, 1997",
        grow(with_revision, Pool.middle_sizes),
    ),
    heuristic(
        "kappa",
        "kappa pruning: pairs that agree least, 20 % to 80 % of the pool",
        "Margineantu, Dietterich: Pruning adaptive boosting, 1997",
        grow(in_order(by_kappa), Pool.middle_sizes),
    ),
)
