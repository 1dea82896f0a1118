"""The rows that are found are the ones a solution breaks most, whoever else would look for them."""

from itertools import combinations

import numpy as np
import pytest

from everycommittee import small
from voteprune.bounds import separation
from voteprune.bounds.levels import Levels
from voteprune.bounds.separation import violated

SEEDS = range(8)
ENOUGH = 1e-3


def some_solution(levels, at, rng):
    """Between 0 and 1, with as many members as there are seats, and too much decided right."""
    k = levels.n_classifiers
    x = rng.random(k) * (rng.random(k) < 0.8)
    for _ in range(60):
        x = np.clip(x * at[0] / max(x.sum(), 1e-9), 0, 1)
    t = np.where(rng.random(levels.n_patterns) < 0.2, 0.0, rng.random(levels.n_patterns) ** 0.3)
    return x, t


def broken_by(row, at, x, t):
    """By how much a solution breaks a row."""
    counted = (1 - x if row.away else x)[row.columns].sum()
    return row.factor(*at) * (t[list(row.patterns)].sum() - len(row.patterns) + 1) - counted


def worst_of(places, count, asked, wish):
    """The largest violation over all that may be left out, one set after the other."""
    return max(
        (asked - left_out) * wish - sum(count[k] for k in places if k not in out)
        for left_out in range(len(places) + 1)
        for out in combinations(places, left_out)
        if asked > left_out or left_out == 0
    ) if asked > 0 else 0.0  # fmt: skip


def expected(levels, at, x, t, *, portable):
    """Of each pattern and pair, and of who is there or away, the largest violation."""
    size, needs = at[0], levels.needs(*at)
    found = {}
    for i in range(levels.n_patterns):
        helps = np.flatnonzero(levels.helps[i]).tolist()
        found[(i,), False] = worst_of(helps, x, needs[i], t[i])
        if not portable:
            others = np.flatnonzero(~levels.helps[i]).tolist()
            asked = len(others) - size + needs[i]
            found[(i,), True] = worst_of(others, 1 - x, asked, t[i])
        for j in range(i + 1, levels.n_patterns):
            if portable and levels.positive[i] == levels.positive[j]:
                continue
            both = np.flatnonzero(levels.helps[i] & levels.helps[j]).tolist()
            asked, wish = needs[i] + needs[j] - size, t[i] + t[j] - 1
            near = x[both].sum() - asked * wish < 2.0
            if asked > 0 and near and min(t[i], t[j]) > ENOUGH:
                found[(i, j), False] = worst_of(both, x, asked, wish)
    return {key: by for key, by in found.items() if by > ENOUGH}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("portable", [False, True])
def test_every_pattern_and_pair_that_is_broken_gives_its_worst_row(seed, portable):
    problem, committees = small(seed, n=10, limits=False)
    levels, _ = Levels.of(problem)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        at = tuple(levels.pairs()[rng.integers(len(levels.pairs()))].tolist())
        x, t = some_solution(levels, at, rng)
        rows = violated(levels, at, x, t, portable=portable)
        told = {}
        for row in rows:
            assert row.factor(*at) > 0
            assert row.portable or not portable
            assert row.sides == levels.sides(*row.patterns)
            assert (row.patterns, row.away) not in told
            told[row.patterns, row.away] = broken_by(row, at, x, t)
            for one in committees:
                # True at every size and threshold, not only here.
                done = (one.positive == levels.positive)[list(row.patterns)]
                counted = (1 - one.x if row.away else one.x)[row.columns].sum()
                factor = row.factor(*one.pair)
                assert factor <= 0 or not done.all() or counted >= factor
        wanted = expected(levels, at, x, t, portable=portable)
        assert {key for key, by in wanted.items() if by > ENOUGH + 1e-6} <= told.keys()
        assert told.keys() <= wanted.keys()
        for key, by in told.items():
            assert by == pytest.approx(wanted[key], abs=1e-5)


def test_blocks_change_nothing(monkeypatch):
    problem, _ = small(1, n=16, limits=False)
    levels, _ = Levels.of(problem)
    rng = np.random.default_rng(1)
    pairs = 0
    for at in map(tuple, levels.pairs().tolist()):
        x, t = some_solution(levels, at, rng)
        whole = violated(levels, at, x, t)
        with monkeypatch.context() as patch:
            patch.setattr(separation, "_BLOCK", 2)
            parts = violated(levels, at, x, t)
        assert [row.patterns for row in whole] == [row.patterns for row in parts]
        pairs += sum(len(row.patterns) == 2 for row in whole)
    assert pairs


@pytest.mark.parametrize("limit", ["_MOST_ROWS", "_MOST_NEAR", "_MOST_LIVE"])
def test_where_there_are_too_many_the_worst_are_returned(limit, monkeypatch):
    problem, _ = small(2, k=6, n=24, limits=False)
    levels, _ = Levels.of(problem)
    rng = np.random.default_rng(2)
    cut = 0
    for at in map(tuple, levels.pairs().tolist()):
        x, t = some_solution(levels, at, rng)
        whole = {row.patterns: broken_by(row, at, x, t) for row in violated(levels, at, x, t)
                 if not row.away}  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(separation, limit, 3)
            rows = [row for row in violated(levels, at, x, t) if not row.away]
        for length in (1, 2):
            had = sorted((by for patterns, by in whole.items() if len(patterns) == length))
            left = [broken_by(row, at, x, t) for row in rows if len(row.patterns) == length]
            if limit == "_MOST_ROWS":
                np.testing.assert_allclose(sorted(left), had[-3:], atol=1e-6)
                cut += len(left) < len(had)
            elif length == 2:
                assert len(left) <= 3
                live = {
                    pattern for row in rows if len(row.patterns) == 2 for pattern in row.patterns
                }
                assert len(live) <= 3 or limit == "_MOST_NEAR"
                cut += len(left) < len(had)
                if limit == "_MOST_LIVE" and live:
                    # Those whose own row is tightest.
                    spare = levels.helps @ x - levels.needs(*at) * t
                    ranked = np.argsort(np.where(t > ENOUGH, spare, np.inf), kind="stable")[:3]
                    assert live <= set(ranked.tolist())
            else:
                assert len(left) == len(had)
    assert cut
