"""Prices bound by their definition, term by term, whatever the prices are."""

from itertools import combinations

import numpy as np
import pytest

import voteprune as vp
from everycommittee import right, rows_of, small
from instances import not_below
from voteprune.bounds.levels import Levels
from voteprune.bounds.node import FREE, Node
from voteprune.bounds.prices import Prices
from voteprune.bounds.relaxation_rows import LimitRow
from voteprune.problem.problem import Problem

SEEDS = range(8)
IMPOSSIBLE = -1e300


def some_prices(levels, rows, at, rng):
    """Good and odd ones: most are 0, some negative, some huge."""
    kinds = rng.choice(5, len(rows), p=[0.4, 0.1, 0.1, 0.3, 0.1])
    of_kind = np.array([0.0, -1.0, 1e-9, 1.0, 1e4])[kinds]
    prices = of_kind * rng.random(len(rows)) * levels.weights.max()
    says = [isinstance(row, LimitRow) or row.factor(*at) > 0 for row in rows]
    # A row that says nothing at this level has no price there.
    return np.where(says, prices, 0.0)


def some_node(levels, rng, share):
    everything = Node.everything(levels, np.inf)
    n = len(everything.decided)
    decided = np.where(rng.random(n) < share, rng.integers(0, 2, n), everything.decided)
    return everything.deciding(np.arange(n), decided.astype(np.int8))


def definition(levels, rows, prices, at, node):
    """Left, charges and bounds, one row and one pattern at a time."""
    k = levels.n_classifiers
    members, patterns = node.decided[:k], node.decided[k:]
    left, bounds, charges = levels.weights.astype(float).copy(), [], []
    for row, price in zip(rows, prices, strict=True):
        if price > 0 and isinstance(row, LimitRow):
            left = left + price * row.on_patterns
        elif price > 0:
            for pattern in row.patterns:
                left[pattern] -= price * row.factor(*at)
    for size, level in node.pairs.tolist():
        bound, charge = levels.base, np.zeros(k)
        for row, price in zip(rows, prices, strict=True):
            if price <= 0:
                continue
            if isinstance(row, LimitRow):
                charge += price * row.on_members
                bound -= price * row.least
                continue
            amount, factor = price * row.factor(*at), row.factor(size, level)
            bound += amount * (len(row.patterns) - 1)
            if factor <= 0:
                bound += amount
            elif row.away:
                charge[row.columns] -= amount / factor
                bound += amount / factor * row.columns.sum()
            else:
                charge[row.columns] += amount / factor
        for i, value in enumerate(patterns.tolist()):
            needed = level + 1 if levels.positive[i] else size - level
            if levels.helps[i].sum() < needed or value == 0:
                continue
            if levels.helps[i][members != 0].sum() >= needed:
                bound += left[i] if value == 1 else max(left[i], 0.0)
            elif value == 1:
                bound = -np.inf
        free, sitting = np.flatnonzero(members == FREE), np.flatnonzero(members == 1)
        sums = [charge[list(some)].sum() for some in combinations(free, size - len(sitting))] if (
            size >= len(sitting)) else []  # fmt: skip
        bound = bound + charge[sitting].sum() + max(sums) if sums else -np.inf
        bounds.append(max(bound, IMPOSSIBLE))
        charges.append(charge)
    return left, np.array(bounds), np.array(charges)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_judgement_is_what_its_definition_says(seed):
    problem, _ = small(seed)
    levels, _ = Levels.of(problem)
    rng = np.random.default_rng(seed)
    pairs = levels.pairs()
    for share in (0.0, 0.1, 0.25, 0.5):
        rows = [*levels.limits, *rows_of(levels, rng)]
        at = tuple(pairs[rng.integers(len(pairs))].tolist())
        prices, node = some_prices(levels, rows, at, rng), some_node(levels, rng, share)
        judgement = Prices(levels, rows, prices, at).judge(node)
        left, bounds, charges = definition(levels, rows, prices, at, node)
        room = 1e-9 * max(1.0, prices.max(initial=0.0) * len(levels.helps))
        np.testing.assert_allclose(judgement.left, left, rtol=1e-9, atol=room)
        np.testing.assert_allclose(judgement.charges, charges, rtol=1e-9, atol=room)
        np.testing.assert_allclose(judgement.bounds, bounds, rtol=1e-9, atol=room)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_committee_exceeds_what_odd_prices_say_of_its_size_and_threshold(seed):
    problem, committees = small(seed)
    levels, scale = Levels.of(problem)
    rng = np.random.default_rng(seed)
    pairs = levels.pairs()
    for share in (0.0, 0.0, 0.15):
        rows = [*levels.limits, *rows_of(levels, rng)]
        at = tuple(pairs[rng.integers(len(pairs))].tolist())
        node = some_node(levels, rng, share)
        told = Prices(levels, rows, some_prices(levels, rows, at, rng), at).judge(node)
        bound_at = dict(zip(map(tuple, node.pairs.tolist()), told.bounds, strict=True))
        for one in committees:
            here = np.concatenate([one.x, right(levels, one)])
            for i in range(levels.n_patterns):
                # Where a pattern cannot be right, that it must be says nothing.
                if not levels.reachable(i, np.array([one.pair]))[0]:
                    here[levels.n_classifiers + i] = node.decided[levels.n_classifiers + i]
            if one.allowed and ((node.decided == FREE) | (node.decided == here)).all():
                assert not_below(bound_at[one.pair], one.units, scale)


def test_a_node_keeps_what_it_holds_whatever_is_taken_from_it():
    rng = np.random.default_rng(0)
    votes = vp.Votes(rng.integers(0, 2, (12, 5)), np.arange(12) % 2)
    levels, _ = Levels.of(Problem.of(votes, "accuracy", (vp.Require(1, 3), vp.Forbid(0))))
    node = Node.everything(levels, 7.0)
    assert node.key == 0
    assert (node.bounds == 7.0).all()
    assert (node.done == 0).all()
    assert (node.by == -1).all()
    assert len(node) == len(levels.pairs())
    assert np.flatnonzero(node.decided != FREE).tolist() == levels.required.tolist() == [0, 2]
    assert (node.decided[levels.required] == 1).all()
    targets = np.arange(levels.size_max + 1.0)
    np.testing.assert_array_equal(node.excess(targets), 7.0 - node.pairs[:, 0])
    lower = np.where(np.arange(len(node)) % 2, 7.0, 5.0)
    bounded = node.bounded(lower, 4)
    np.testing.assert_array_equal(bounded.bounds, lower)
    # Of equal bounds the one that was known stays.
    np.testing.assert_array_equal(bounded.by, np.where(np.arange(len(node)) % 2, -1, 4))
    assert (bounded.bounded(lower + 1, 5).by == bounded.by).all()
    keep = np.arange(len(node)) % 3 == 0
    part = bounded.only(keep)
    for name in ("pairs", "bounds", "done", "by"):
        np.testing.assert_array_equal(getattr(part, name), getattr(bounded, name)[keep])
    np.testing.assert_array_equal(part.decided, node.decided)
    np.testing.assert_array_equal(part.leaving(), np.column_stack([part.pairs, part.by]))
    np.testing.assert_array_equal(part.leaving(by=-2)[:, 2], np.full(len(part), -2))


def test_two_children_divide_a_node_and_have_had_no_program():
    problem, _ = small(4)
    levels, _ = Levels.of(problem)
    node = Node.everything(levels, 7.0)
    node = type(node)(node.key, node.pairs, node.bounds, node.done + 2, node.decided, node.by)
    variable = int(np.flatnonzero(node.decided == FREE)[1])
    zero, one = node.branch(variable, (8, 9))
    assert (zero.key, one.key) == (8, 9)
    for child, value in ((zero, 0), (one, 1)):
        assert child.decided[variable] == value
        assert (np.delete(child.decided, variable) == np.delete(node.decided, variable)).all()
        assert not child.done.any()
        np.testing.assert_array_equal(child.pairs, node.pairs)
    assert node.decided[variable] == FREE
