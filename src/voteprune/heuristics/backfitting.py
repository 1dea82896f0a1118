"""Reduced-error pruning with backfitting: greedy, but every choice is revised.

The classifier that makes the committee best joins; then the members, in order of entry, are each
offered their best replacement from outside. The first one whose replacement improves the
objective is replaced, the newcomer takes its place in the order, and the revision starts again,
until nobody's replacement helps or 100 have been made. Then the next classifier joins.

The size is fixed beforehand, so all sizes from 20 % to 80 % of the pool are tried and the best
in-sample wins (section 5.2 of the paper). A run towards a larger size passes through the
committees of all smaller ones, so a single run finds them all. Ties: lowest index, smallest size.
"""

from __future__ import annotations

import numpy as np

from ..numbers.exact import IntArray
from ..numbers.tally import tally, tally_pairs
from ..problem.committee import majority
from ..run.run import Run
from .hill_climbing import by_objective
from .pool import Pool
from .prefix import Prefix, Step, grow, heuristic

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


METHODS = (
    heuristic(
        "backfitting",
        "greedy by the objective with every choice revised, 20 % to 80 % of the pool",
        "Friedman, Stuetzle: Projection pursuit regression, 1981; for ensembles Margineantu, "
        "Dietterich: Pruning adaptive boosting, 1997",
        grow(with_revision, Pool.middle_sizes),
    ),
)
