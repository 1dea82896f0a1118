"""Any point bounds every committee: the dual of each loss, from points good and bad."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from soft_oracle import draw, fitted
from voteprune.soft.bound import bound_of
from voteprune.soft.losses import loss_of
from voteprune.soft.newton import fit
from voteprune.soft.polytope import Polytope

KINDS = [(c, loss) for c in (2, 3) for loss in ("log_loss", "pool_log_loss", "pool_brier")]
NOBODY = np.zeros(0, dtype=np.intp)


@pytest.mark.parametrize("kind", KINDS)
def test_every_point_bounds_every_committee_and_the_best_point_its_own(kind):
    problem = draw(2, n=24, k=4, classes=kind[0], loss=kind[1])
    loss, random = loss_of(problem), np.random.default_rng(0)
    sets = [s for m in range(1, 5) for s in combinations(range(4), m)]
    values = {s: fitted(problem, s) for s in sets}
    for _ in range(20):
        weights = random.exponential(size=4) * random.choice([0.1, 1, 10])
        if loss.total is not None:
            weights /= weights.sum()
        intercepts = random.normal(size=loss.n_intercepts) * 3
        dual = loss.dual(loss.scores(intercepts, loss.gather(np.arange(4)), weights))
        for seats in range(1, 5):
            polytope = Polytope(np.ones((1, 4)), np.array([float(seats)]))
            bound = bound_of(dual, problem.ridge, NOBODY, np.arange(4), polytope, loss.total)
            for s in sets:
                if len(s) <= seats:
                    assert bound.value <= values[s] * (1 + 1e-8)
                    for k in range(4):
                        told = bound.with_in[k] if k in s else bound.with_out[k]
                        assert told <= values[s] * (1 + 1e-8)
    for s in sets:
        members = np.array(s)
        point = fit(loss, problem.ridge, members)
        assert point.value == pytest.approx(values[s], rel=3e-7)
        alone = Polytope(np.ones((1, 0)), np.zeros(1))
        own = bound_of(loss.dual(point.z), problem.ridge, members, NOBODY, alone, loss.total)
        assert own.value <= point.value
        assert own.value == pytest.approx(point.value, rel=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_wrong_intercept_is_repaired(classes):
    """Rare classes make the intercept large, and then a dual point out of balance lies."""
    problem = draw(2, n=24, k=4, classes=classes)
    weights = problem.weights * np.where(problem.labels == 0, 30.0, 1.0)
    loss, members = loss_of(replace(problem, weights=weights)), np.arange(4)
    ridge = replace(problem, weights=weights).ridge
    point = fit(loss, ridge, members)
    alone = Polytope(np.ones((1, 0)), np.zeros(1))
    for shift in (-0.3, -0.05, 0.05, 0.3):
        z = loss.scores(point.intercepts + shift, loss.gather(members), point.weights)
        assert bound_of(loss.dual(z), ridge, members, NOBODY, alone).value <= point.value
