"""Searching for soft committees: who may come, what they can gain, and that no swap is missed."""

import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from soft_oracle import allowed, committees, draw
from voteprune.soft import search as searching
from voteprune.soft.newton import fit
from voteprune.soft.problem import Budget, Group
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.search import Search

KINDS = [(c, loss) for c in (2, 3) for loss in ("log_loss", "pool_log_loss", "pool_brier")]


def made(seed, kind=(2, "log_loss"), **limits):
    problem = draw(seed, n=30, k=6, classes=kind[0], loss=kind[1])
    problem = replace(problem, **{"size_max": 3, **limits})
    return problem, Search(problem, loss_of(problem))


LIMITS = [
    {},
    {"size_min": 3, "forbidden": (2,)},
    {"budgets": (Budget(tuple(map(Fraction, (1, 2, 3, 2, 1, 4))), Fraction(5)),)},
    {"groups": (Group((0, 1, 2), 1, 1), Group((3, 4), 1)), "required": (5,)},
]


@pytest.mark.parametrize("limits", LIMITS)
def test_who_may_come_next_fits_and_helps_where_something_is_lacking(limits):
    problem, search = made(3, **limits)
    lines, caps = problem.rows
    for chosen in (set(s) for m in range(4) for s in combinations(range(6), m)):
        point = fit(search.loss, problem.ridge, np.array(sorted(chosen), dtype=np.intp))
        told = search._candidates(chosen, point)
        fits, lacks = [], []
        for k in set(range(6)) - chosen - set(problem.forbidden):
            sums = lines[:, [*chosen, k]].sum(axis=1)
            packing = (lines >= 0).all(axis=1)
            if (sums[packing] <= caps[packing]).all():
                fits.append(k)
                before = lines[:, sorted(chosen)].sum(axis=1)
                if ((before > caps) & (lines[:, k] < 0) & ~packing).any():
                    lacks.append(k)
        assert {k for k, _ in told} == set(lacks or fits)
        gains = search.loss.dual(point.z).gains
        assert [gains[k] for k, _ in told] == sorted((gains[k] for k, _ in told), reverse=True)
        for k, most in told:
            there = fit(search.loss, problem.ridge, np.array(sorted({*chosen, k})))
            assert there.value >= point.value - most - 1e-9 * point.value


@pytest.mark.parametrize("kind", KINDS)
def test_where_nobody_sits_everybody_may_come(kind):
    _, search = made(3, kind)
    assert [k for k, _ in search._candidates(set(), None)] == list(range(6))
    search.tries = 2
    assert len(search._candidates(set(), None)) == 6
    point = search.fit((0,))
    assert len(search._candidates({0}, point)) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_no_swap_is_missed(kind):
    problem, search = made(4, kind)
    # A pool needs somebody to stay: its weights sum to 1.
    for start in ((0,), (0, 4), (0, 3, 4))[search.loss.total is not None :]:
        found = search.swaps(search.fit(start))
        members = {int(k) for k in found.members}
        assert len(members) == len(start)
        assert found.value <= search.fit(start).value
        for out in members:
            for new in set(range(6)) - members:
                other = fit(search.loss, problem.ridge, np.array(sorted({*members, new} - {out})))
                assert other.value >= found.value * (1 - 2e-9)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_grown_and_swapped_is_allowed(kind, limits):
    problem, search = made(5, kind, **limits)
    first = search.greedy()
    assert first is not None
    assert allowed(problem, tuple(first.members))
    better = search.swaps(first)
    assert allowed(problem, tuple(better.members))
    assert set(problem.required) <= set(better.members.tolist())
    assert better.value <= first.value
    own = fit(search.loss, problem.ridge, better.members)
    assert better.value == pytest.approx(own.value, rel=1e-9)


def test_a_committee_grows_while_that_helps_and_as_long_as_limits_lack():
    problem, search = made(1, size_max=6)
    found = search.greedy()
    seated = set(found.members.tolist())
    for k in set(range(6)) - seated:
        more = fit(search.loss, problem.ridge, np.array(sorted({*seated, k})))
        assert more.value >= found.value * (1 - 1e-6)
    for least in range(1, 7):
        _, asked = made(1, size_max=6, size_min=least)
        assert len(asked.greedy().members) == max(least, len(seated))
    best = min(fit(search.loss, problem.ridge, np.array([k])).value for k in range(6))
    _, one = made(1, size_max=1)
    assert one.greedy().value == pytest.approx(best, rel=1e-9)


def test_where_the_required_do_not_fit_nothing_is_grown():
    dear = Budget(tuple(map(Fraction, (3, 3, 1, 1, 1, 1))), Fraction(5))
    assert made(1, required=(0, 1), budgets=(dear,))[1].greedy() is None
    just = Budget(tuple(map(Fraction, (3, 2, 1, 1, 1, 1))), Fraction(5))
    found = made(1, required=(0, 1), budgets=(just,))[1].greedy()
    assert found.members.tolist() == [0, 1]
    assert made(1, groups=(Group((0, 1), 2),), size_max=1)[1].greedy() is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("limits", LIMITS)
def test_shares_are_rounded_to_the_largest_that_fit(seed, limits):
    problem, search = made(2, **limits)
    random = np.random.default_rng(seed)
    inside = np.array(problem.required, dtype=np.intp)
    free = np.setdiff1d(np.arange(6), [*inside, *problem.forbidden])
    shares = random.random(len(free))
    chosen = set(inside.tolist())
    for k in sorted(free.tolist(), key=lambda k: -shares[free.tolist().index(k)]):
        rows, caps = problem.rows
        packing = (rows >= 0).all(axis=1)
        if (rows[packing][:, [*chosen, k]].sum(axis=1) <= caps[packing]).all():
            chosen.add(k)
    expected = tuple(sorted(chosen)) if problem.allows(chosen) else None
    assert search.rounded(inside, free, shares) == expected


def test_after_the_deadline_nothing_new_is_tried(monkeypatch):
    search = made(2)[1]
    point, over = search.fit((0, 1)), time.monotonic() - 1
    fitted = dict(search.fitted)
    assert search.swaps(point, over) is point
    assert search.greedy(over) is None or len(search.fitted) <= len(fitted) + 1
    clock = iter([0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    monkeypatch.setattr(searching.time, "monotonic", lambda: next(clock, 2.0))
    assert search.swaps(point, 1.0) is point


def test_a_committee_is_fitted_once_and_searches_share_what_they_know():
    problem, search = made(2)
    point = search.fit([4, 1])
    assert search.fit((1, 4)) is point
    assert not len(point.z)
    other = Search(problem, search.loss)
    search.deadline = 5.0
    other.share(search)
    assert other.fit((1, 4)) is point
    assert other.deadline == 5.0
    other.fit((0, 1))
    assert (0, 1) in search.fitted or (0, 1) in search.begun


@pytest.mark.parametrize(("rows", "tries"), [(250_000, 8), (1_000_000, 2), (10**9, 1)])
def test_with_many_rows_fewer_are_tried(rows, tries):
    problem, search = made(2)
    many = replace(problem, labels=np.broadcast_to(np.int64(0), rows))
    assert Search(many, search.loss).tries == tries


def test_every_allowed_committee_is_no_better_than_search_and_all_its_swaps():
    """On small pools they find the best, or nearly: within a hundredth."""
    for seed in range(6):
        problem, search = made(seed, size_max=2)
        best = min(fit(search.loss, problem.ridge, np.array(s)).value for s in committees(problem))
        assert search.swaps(search.greedy()).value <= best * 1.01


def test_a_seat_is_filled_by_the_best_of_few_and_by_the_first_when_time_is_over():
    search = made(2, size_max=6)[1]
    point = search.fit((0,))
    tried = [k for k, _ in search._candidates({0}, point)[: searching._GREEDY]]
    search.fitted.clear()
    found = search._best_newcomer({0}, point, time.monotonic() - 1)
    assert found == tried[0]
    assert len(search.fitted) == 1
    best = search._best_newcomer({0}, point, np.inf)
    values = {k: search.fit((0, k)).value for k in tried}
    assert best == min(values, key=values.__getitem__)
