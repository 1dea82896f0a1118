"""What the tree by sizes knows of a problem is true of every committee, and no less than all."""

import numpy as np
import pytest

import voteprune as vp
from everycommittee import everybody, right, rows_of, small
from voteprune.bounds import levels as module
from voteprune.bounds.levels import Levels, Region, room
from voteprune.bounds.relaxation_rows import Row, base_factor, limit_kinds
from voteprune.problem.problem import Problem

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_decided_right_adds_up_to_what_a_committee_is_worth(seed):
    problem, committees = small(seed)
    levels, scale = Levels.of(problem)
    assert (levels.n_patterns, levels.n_classifiers) == levels.helps.shape
    assert (levels.weights > 0).all()
    for one in committees:
        told = levels.base + levels.weights @ right(levels, one)
        assert told * scale == pytest.approx(one.units, rel=1e-12, abs=1e-9 * scale)
        for i in range(levels.n_patterns):
            needed = levels.needs(*one.pair)[i]
            assert needed == (one.level + 1 if levels.positive[i] else one.size - one.level)
            assert (levels.helps[i] @ one.x >= needed) == bool(right(levels, one)[i])
            can = any(right(levels, two)[i] for two in committees if two.pair == one.pair)
            assert not can or levels.reachable(i, np.array([one.pair]))[0]
            assert levels.reachable(i, np.array([one.pair]))[0] == (levels.reach[i] >= needed)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_sizes_and_thresholds_that_are_allowed_are_there_and_no_others(seed):
    problem, committees = small(seed)
    levels, _ = Levels.of(problem)
    sizes = {size for size in range(1, problem.n_classifiers + 1)
             if max(problem.size_min, len(problem.required)) <= size
             and size <= min(problem.size_max, len(problem.allowed))}  # fmt: skip
    assert sorted(map(tuple, levels.pairs().tolist())) == sorted(
        (size, level) for size in sizes for level in range(size)
    )
    assert {one.pair for one in committees if one.allowed} <= set(map(tuple, levels.pairs()))
    assert [problem.allowed[k] for k in levels.required] == sorted(problem.required)


def test_who_is_required_or_forbidden_changes_the_range_of_sizes():
    rng = np.random.default_rng(0)
    votes = vp.Votes(rng.integers(0, 2, (12, 5)), np.arange(12) % 2)
    asked = (vp.Require(1, 3), vp.Forbid(0, 4))
    levels, _ = Levels.of(Problem.of(votes, "accuracy", asked))
    assert (levels.size_min, levels.size_max) == (2, 3)
    assert levels.required.tolist() == [0, 2]
    assert levels.sides(*range(levels.n_patterns)) == (
        int(levels.positive.sum()),
        int((~levels.positive).sum()),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_true_and_ask_for_as_much_as_they_can(seed):
    problem, committees = small(seed, limits=False)
    levels, _ = Levels.of(problem)
    rows = rows_of(levels, np.random.default_rng(seed), most=200)
    for pair in map(tuple, levels.pairs().tolist()):
        here = [one for one in committees if one.pair == pair]
        who, done = (
            np.array([one.x for one in here]),
            np.array([right(levels, one) for one in here]),
        )
        for row in rows:
            counted = (1 - who if row.away else who)[:, row.columns].sum(axis=1)
            asked = done[:, list(row.patterns)].sum(axis=1) - len(row.patterns) + 1
            factor = row.factor(*pair)
            if factor > 0:
                assert (counted >= factor * asked).all()
            if len(row.patterns) == 1 and not row.away and row.shift == 0:
                assert factor == levels.needs(*pair)[row.patterns[0]]
            if row.away and row.columns.sum() == (~levels.helps[row.patterns[0]]).sum():
                # Nobody is left out: as many stay away as the right votes leave no seat for.
                helps = levels.reach[row.patterns[0]]
                seats = pair[0] - levels.needs(*pair)[row.patterns[0]]
                assert factor == levels.n_classifiers - helps - seats


def test_factors_are_those_of_the_formulas():
    for size in range(1, 6):
        for level in range(size):
            right_votes = {(1, 0): level + 1, (0, 1): size - level}
            for sides, needed in right_votes.items():
                assert base_factor(sides, False, size, level) == needed
                assert base_factor(sides, True, size, level) == needed - size
            assert base_factor((2, 0), False, size, level) == 2 * (level + 1) - size
            assert base_factor((0, 2), False, size, level) == 2 * (size - level) - size
            assert base_factor((1, 1), False, size, level) == 1
    nobody = np.zeros(3, dtype=bool)
    plain = Row((0,), nobody, (1, 0))
    assert (plain.shift, plain.away, plain.basic, plain.portable) == (0, False, True, True)
    assert plain.factor(4, 1) == 2
    skipping, two = Row((0,), nobody, (1, 0), -1), Row((0, 1), nobody, (1, 1))
    assert skipping.factor(4, 1) == 1
    assert (skipping.basic, skipping.portable) == (False, True)
    assert (two.basic, two.portable) == (False, True)
    assert not Row((0, 1), nobody, (2, 0)).portable
    away = Row((0,), nobody, (1, 0), 0, away=True)
    assert (away.basic, away.portable) == (False, False)


def limited(seed, kind):
    rng = np.random.default_rng([seed, kind])
    k, n = 5, 14
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    votes = vp.Votes(np.where(rng.random((n, k)) < 0.7, y[:, None], 1 - y[:, None]), y)
    objective = ("accuracy", "recall")[seed % 2]
    constraints, diversity = [vp.AtMost("size", int(rng.integers(2, k + 1)))], None
    if kind == 0:
        costs = [int(c) for c in rng.integers(-2, 6, k)]
        constraints.append(vp.Budget(costs, int(rng.integers(1, 8))))
    elif kind == 1:
        constraints.append(vp.AtLeast("specificity", round(rng.random(), 1)))
        constraints.append(vp.AtMost("fn", int(rng.integers(1, 4))))
    else:
        diversity = vp.Diversity(tau=round(rng.uniform(0.1, 0.5), 1), measure="disagreement")
    return Problem.of(votes, objective, tuple(constraints), diversity)


def meets(problem, one):
    """Whether a committee meets all limits, were rows that do not count decided as they like."""
    used = np.flatnonzero(problem.gains.net != 0)
    for limit in problem.metric_limits:
        net = limit.gains.net.copy()
        seen = int(net[used][one.positive].sum())
        net[used] = 0
        if limit.gains.base + seen + int(net[net > 0].sum()) < limit.least:
            return False
    # Limits on members look at nothing but members.
    return one.allowed or bool(problem.metric_limits)


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_a_limit_cuts_off_what_breaks_it_and_nothing_else(kind):
    cut = kept = 0
    for seed in range(8):
        problem = limited(seed, kind)
        levels, _ = Levels.of(problem)
        for row in levels.limits:
            both = np.concatenate([row.on_members, row.on_patterns])
            assert np.abs(both).max() == pytest.approx(1.0 if both.any() else 0.0)
        for one in everybody(problem):
            if one.size > problem.size_max:
                continue
            had = [
                row.on_members @ one.x + row.on_patterns @ right(levels, one) >= row.least
                for row in levels.limits
            ]
            assert all(had) == meets(problem, one)
            cut, kept = cut + (not all(had)), kept + all(had)
    assert cut
    assert kept


def test_what_a_member_asks_of_others_is_nothing_where_it_does_not_sit():
    """The least that others can have together, so many as may sit, and no less."""
    for seed in range(6):
        problem = limited(seed, 2)
        levels, _ = Levels.of(problem)
        kinds = limit_kinds(problem, len(levels.limits))
        assert kinds == [("member", place) for place in range(len(levels.limits))]
        for (_, place), row in zip(kinds, levels.limits, strict=True):
            others = np.delete(row.on_members, place)
            least = np.sort(np.minimum(others, 0.0))[: problem.size_max].sum()
            assert row.on_members[place] == pytest.approx(least)
            assert row.least == pytest.approx(least, abs=1e-6)
            assert row.least < least


def test_kinds_are_told_in_the_order_of_the_rows():
    rng = np.random.default_rng(1)
    votes = vp.Votes(rng.integers(0, 2, (12, 4)), np.arange(12) % 2)
    asked = (vp.Budget([1, 2, 3, 4], 7), vp.AtLeast("recall", 0.1), vp.Budget([1, 1, 1, 1], 3))
    problem = Problem.of(votes, "accuracy", asked, vp.Diversity(tau=0.1, measure="disagreement"))
    kinds = limit_kinds(problem, len(Levels.of(problem)[0].limits))
    assert kinds[:3] == [("cost", 0), ("cost", 1), ("criterion", 0)]
    assert kinds[3:] == [("member", place) for place in range(4)]


def test_room_grows_with_the_largest_of_what_is_added_up():
    np.testing.assert_allclose(room(np.array([2.0, -8.0]), np.array([0.5, -20.0])), [8e-7, 2e-6])
    assert float(room(np.array([0.1]), 0.0)) == float(room(np.empty(0), 0.0)) == module.SAFETY
    problem, _ = small(0)
    levels, _ = Levels.of(problem)
    assert float(levels.room(1e6)) == pytest.approx(0.1)
    assert float(levels.room(0.0)) == float(room(levels.weights, 0.0))


def test_a_region_holds_what_lies_on_its_edges():
    region = Region(2, 3, 0, 1)
    problem, _ = small(5, k=6, limits=False)
    for one in everybody(problem):
        inside = 2 <= one.size <= 3 and one.level <= 1
        assert region.holds(problem.committee(list(one.members), one.level)) == inside
    assert not Region(1, 5, 1, 4).holds(problem.committee([0, 1], 0))
    assert not Region(1, 5, 0, 0).holds(problem.committee([0, 1], 1))
