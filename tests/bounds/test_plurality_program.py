"""The linear relaxation for several classes: as strong as all its rows, and no rounds for nothing.

Every family has exponentially many rows. Another model of the same relaxation has few: a column y
for each win and member, what of the member can be in the part that wins, at most x and at most t,
and a column z for each duel and voter of the rival, what of the voter must be in it.
"""

import time
from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from scipy.optimize import linprog

import voteprune as vp
from pluralities import known, random_node
from voteprune.bounds import plurality_program
from voteprune.bounds.plurality_program import WinsProgram
from voteprune.bounds.plurality_rows import Size
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.wins import Wins

FAMILIES = ("need", "duel", "total")


def relaxed(wins, size, decided, families=FAMILIES):
    """The value of the relaxation by the other model; None if no x is within the limits."""
    at = Size(wins, size)
    k, n = wins.n_classifiers, wins.n_wins
    y, z = k + n, k + n + n * k
    columns, rows, most = z + len(wins.win) * k, [], []

    def at_most(right, *terms):
        row = np.zeros(columns)
        for places, factor in terms:
            np.add.at(row, places, factor)
        rows.append(row)
        most.append(right)

    for shares, limit in wins.costs:
        at_most(limit, (np.arange(k), shares))
    for pattern in np.unique(wins.pattern):
        at_most(1.0, (k + np.flatnonzero(wins.pattern == pattern), 1.0))
    for win in range(n):
        t, part = k + win, y + win * k + np.arange(k)
        mine, duels = wins.mine[win], np.flatnonzero(wins.win == win)
        for member in range(k):
            at_most(0.0, (part[member], 1.0), (member, -1.0))
            at_most(0.0, (part[member], 1.0), (t, -1.0))
        if "need" in families:
            at_most(0.0, (t, at.votes[win]), (part[mine], -1.0))
        for duel in duels if "duel" in families else ():
            theirs = np.flatnonzero(wins.theirs[duel])
            sure = z + duel * k + theirs
            for member, place in zip(theirs, sure, strict=True):
                at_most(1.0, (member, 1.0), (t, 1.0), (place, -1.0))
            at_most(0.0, (t, wins.lead[duel]), (sure, 1.0), (part[mine], -1.0))
        for count in range(len(duels) + 1) if "total" in families else ():
            for some in map(list, combinations(duels, count)):
                neither = ~mine & ~wins.theirs[some].any(axis=0)
                owed = size + wins.lead[some].sum()
                at_most(0.0, (t, owed), (part[mine], -1.0 - count), (part[neither], -1.0))
    bounds = np.zeros((columns, 2))
    bounds[:, 1] = 1.0
    bounds[:k] = np.stack([decided == 1, decided != 0], axis=1)
    bounds[k:y, 1] = ~at.lost(decided)
    cost = np.zeros(columns)
    cost[k:y] = -wins.weights
    together = np.concatenate([np.ones(k), np.zeros(columns - k)])[None]
    left = np.array(rows).reshape(-1, columns)
    found = linprog(cost, left, np.array(most), together, [size], bounds)
    assert found.status in (0, 2)
    return None if found.status == 2 else -found.fun


def noisy(seed):
    """A pool that is right a bit more often than chance, so that rivals are level; some budgets."""
    rng = np.random.default_rng(seed)
    classes, k = 3 + seed % 3, 7 + 2 * (seed % 2)
    y = rng.integers(0, classes, 14)
    guesses = rng.integers(0, classes, (14, k))
    named = np.where(rng.random((14, k)) < 0.35, y[:, None], guesses)
    # The budget is for less than three average members.
    budget = [vp.Budget(rng.integers(1, 9, k).tolist(), 12)] if seed % 4 == 3 else []
    return Wins.of(PluralityProblem.of(vp.PluralityVotes(named, y), "accuracy", budget))[0]


def nodes():
    """Nodes of small problems: of every size all that is open, and one with some decided."""
    rng = np.random.default_rng(0)
    cases = [known(seed, most_classifiers=6, most_rows=12).wins for seed in range(20)]
    for wins in (*cases, *map(noisy, range(8))):
        for size in range(wins.size_min, wins.size_max + 1):
            whole = np.full(wins.n_classifiers, -1, dtype=np.int8)
            whole[wins.required] = 1
            for decided in (whole, random_node(rng, wins)):
                if 0 <= size - (decided == 1).sum() <= (decided < 0).sum():
                    yield wins, size, decided


@pytest.fixture
def thorough(monkeypatch):
    """Rows are separated until none is broken."""
    monkeypatch.setattr(plurality_program, "_ROUNDS", 60)
    monkeypatch.setattr(plurality_program, "_PROGRESS", -1.0)


@pytest.mark.slow
@pytest.mark.usefixtures("thorough")
def test_the_bound_is_the_value_of_the_relaxation_with_all_its_rows():
    needed: set[str] = set()
    limits = 0
    for wins, size, decided in nodes():
        value = relaxed(wins, size, decided)
        if value is None:
            continue
        bound, _, _ = WinsProgram(Size(wins, size)).bound(decided, 0.0, time.monotonic() + 60)
        close = 2e-3 * max(1.0, float(wins.weights.max(initial=1.0)))
        assert bound == pytest.approx(value, abs=close)
        limits += len(wins.costs)
        for family in {*FAMILIES} - needed:  # one node is enough to show it
            others = [name for name in FAMILIES if name != family]
            if relaxed(wins, size, decided, others) > value + 5 * close:
                needed.add(family)
    # No family says only what the others do.
    assert needed == {*FAMILIES}
    assert limits > 10


@pytest.mark.parametrize(
    ("rounds", "target", "seconds", "looks"),
    [(1, 0.0, 60, 0), (2, 0.0, 60, 1), (3, 0.0, 60, 2), (3, 1e6, 60, 0), (3, 0.0, -1, 0)],
)
def test_rows_are_looked_for_round_by_round_while_it_pays(
    rounds, target, seconds, looks, monkeypatch
):
    """Not after the last round, not once the bound is below the target, not out of time."""
    monkeypatch.setattr(plurality_program, "_ROUNDS", rounds)
    monkeypatch.setattr(plurality_program, "_PROGRESS", -1.0)
    size = Size(noisy(5), 5)
    with mock.patch.object(size, "violated", wraps=size.violated) as look:
        decided = np.full(size.wins.n_classifiers, -1, dtype=np.int8)
        WinsProgram(size).bound(decided, target, time.monotonic() + seconds)
    assert look.call_count == looks
