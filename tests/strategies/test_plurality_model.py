"""The integer program of several classes, row by row: sets fit iff they are allowed."""

from itertools import combinations

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.plurality import PluralityProblem
from voteprune.strategies.exact_plurality import plurality_model


def votes(seed=0, classes=3, k=5, n=12, silent=0.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    named = np.where(rng.random((n, k)) < 0.45, y[:, None], rng.integers(0, classes, (n, k)))
    named = named.astype(object)
    named[rng.random((n, k)) < silent] = None
    rule = "skip" if silent else None
    return vp.PluralityVotes(named, y, classes=list(range(classes)), abstentions=rule)


def satisfied(model, solution):
    rows = model.matrix @ solution
    return (
        (rows >= model.row_low - 1e-7).all()
        and (rows <= model.row_high + 1e-7).all()
        and (solution >= model.low - 1e-9).all()
        and (solution <= model.high + 1e-9).all()
    )


LIMITS = [
    (),
    (vp.AtMost("size", 3), vp.AtLeast("size", 2)),
    (vp.Require("c1"), vp.Forbid("c3")),
    (vp.Budget([3, 1, 2, 2, 1], limit=5),),
    (vp.AtLeast("recall", 0.5, of=1),),
    (vp.AtLeast("recall", 0.25, of=0), vp.Require("c0")),
]


@pytest.mark.parametrize("silent", [0.0, 0.3])
@pytest.mark.parametrize("requests", LIMITS)
def test_a_set_fits_the_rows_iff_it_is_allowed_and_claims_no_win_that_it_has_not(requests, silent):
    problem = PluralityProblem.of(votes(silent=silent), "balanced_accuracy", requests)
    made = plurality_model(problem)
    model, claims = made.model, np.flatnonzero(made.model.objective != 0)
    allowed = 0
    for members in (m for size in range(1, 6) for m in combinations(range(5), size)):
        solution = made.encode(members, 0)
        assert satisfied(model, solution) == problem.allows(members)
        told = made.scale * float(model.objective @ solution) + made.base
        assert told == pytest.approx(problem.score(members), rel=1e-9)
        if not problem.allows(members):
            continue
        allowed += 1
        assert made.members(solution) == list(members)
        for claim in claims[solution[claims] == 0]:
            more = solution.copy()
            more[claim] = 1
            assert not satisfied(model, more)
    assert allowed


def test_who_must_and_must_not_sit_at_once_leaves_nothing():
    problem = PluralityProblem.of(votes(), "accuracy", (vp.Require("c1"), vp.Forbid("c1")))
    made = plurality_model(problem)
    for members in (m for size in range(1, 6) for m in combinations(range(5), size)):
        assert not satisfied(made.model, made.encode(members, 0))


def test_only_what_can_earn_something_is_in_the_program():
    problem = PluralityProblem.of(votes(), {0: 1, 1: 0, 2: 2})
    made = plurality_model(problem)
    claims = np.count_nonzero(made.model.objective)
    assert claims == np.count_nonzero((problem.gain > 0) & problem.can_win(()))
    assert made.model.n_variables == 5 + claims
    fewer = problem.with_requests((vp.Forbid("c0", "c2", "c4"),))
    less = plurality_model(fewer)
    named = fewer.can_win((0, 2, 4))
    assert np.count_nonzero(less.model.objective) == np.count_nonzero((fewer.gain > 0) & named)
