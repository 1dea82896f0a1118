"""Guards forbid exactly the moves after which a limit on members would be broken."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from voteprune.primal.guards import Guards
from voteprune.problem.problem import Problem

LIMITS = {
    "cost": {"requests": [vp.Budget([1, 2, 3, 4, 5, 6, 7, 8], 14)]},
    "cost beyond floats": {"requests": [vp.Budget([10**400, *range(7)], 10**399)]},
    "mean": {"diversity": vp.Diversity(tau=0, gamma=Fraction(9, 20))},
    "members": {"diversity": vp.Diversity(tau=Fraction(2, 5), gamma=Fraction(2, 5))},
    "required": {"requests": [vp.Require(2), vp.Forbid(5)]},
    "F3": {"diversity": "F3"},
}


@pytest.mark.parametrize("kind", LIMITS)
@pytest.mark.parametrize("seed", range(4))
def test_a_move_is_forbidden_if_what_it_leads_to_is(kind, seed):
    rng = np.random.default_rng(seed)
    votes = vp.Votes(rng.integers(0, 2, (40, 8)), np.arange(40) % 2)
    problem = Problem.of(votes, **LIMITS[kind])
    columns = np.array(problem.allowed)
    chosen = rng.random((20, len(columns))) < 0.5
    chosen |= np.isin(columns, problem.required)
    chosen = chosen[chosen.any(axis=1)]
    forbidden = Guards(problem).forbid(chosen, chosen.sum(axis=1))
    for walk, before in enumerate(chosen):
        for place in range(len(columns)):
            after = before.copy()
            after[place] = not after[place]
            allowed = after.any() and problem.allows_members(columns[after].tolist())
            assert forbidden[walk, place] == (not allowed)
