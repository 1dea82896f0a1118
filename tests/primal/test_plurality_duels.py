"""Heads and tails: what the table says of tails is what their members vote."""

from itertools import combinations

import numpy as np
import pytest

from pluralities import known
from voteprune.primal.plurality_duels import (
    EVERYTHING,
    NOTHING,
    Duels,
    Tails,
    table_rows,
)
from voteprune.primal.plurality_sums import unpacked


def drawn(seed):
    """Draw wins, some of them twice and in any order, with a head and tails."""
    rng = np.random.default_rng(seed)
    while not (case := known(int(rng.integers(2**31)))).wins.n_wins:
        pass
    wins = case.wins
    columns = np.sort(rng.permutation(wins.n_classifiers)[: rng.integers(wins.n_classifiers + 1)])
    head = np.setdiff1d(np.arange(wins.n_classifiers), columns)
    who = rng.integers(wins.n_wins, size=2 * wins.n_wins)
    tails = Tails.of(columns, int(rng.integers(1, wins.n_classifiers + 1)))
    return wins, who, head, tails


def votes(wins, win, members):
    """How many votes more than it must a class has in each duel of a win."""
    duels = range(wins.first[win], wins.first[win + 1])
    mine = wins.mine[win, members].sum()
    return sorted(int(mine - wins.theirs[d, members].sum() - wins.lead[d]) for d in duels)


@pytest.mark.parametrize("seed", range(8))
def test_tails_are_all_subsets_by_size_and_nothing_else(seed):
    _, _, _, tails = drawn(seed)
    width = len(tails.columns)
    for size in range(len(tails.first) - 1):
        words = tails.words(size)
        part = [tuple(np.flatnonzero(m)) for m in tails.listed[64 * words.start : 64 * words.stop]]
        every = list(combinations(range(width), size))
        assert part[: len(every)] == every
        assert not any(part[len(every) :])


@pytest.mark.parametrize("seed", range(8))
def test_rows_are_the_tails_that_have_the_votes_which_a_head_leaves_to_them(seed):
    wins, who, head, tails = drawn(seed)
    duels = Duels.of(wins, who, head, tails)
    rng = np.random.default_rng(seed)
    for size, table in enumerate(duels.tables):
        ahead, behind = duels.reach(size)
        words = tails.words(size)
        listed = tails.listed[64 * words.start : 64 * words.stop]
        listed = listed[: len(list(combinations(range(len(tails.columns)), size)))]
        assert not unpacked(table[NOTHING]).any()
        assert unpacked(table[EVERYTHING]).all()
        seated = rng.random(len(head)) < 0.5
        needs = duels.lead.copy()
        for k in np.flatnonzero(seated):
            needs -= duels.differences[k]
        for place, win in enumerate(who):
            has = np.array(
                [votes(wins, win, [*head[seated], *tails.columns[tail]]) for tail in listed]
            ).reshape(len(listed), -1)
            told = np.ones(len(listed), dtype=bool)
            for layer, need in enumerate(needs[:, place]):
                if need > ahead[layer, place]:
                    told[:] = False
                elif need > behind[layer, place]:
                    row = unpacked(table[duels.start[layer, place] + need])[: len(listed)]
                    # Neither all nor none: it would be no row to add up.
                    assert row.any()
                    assert not row.all()
                    told &= row
            assert np.array_equal(told, (has >= 0).all(axis=1))


@pytest.mark.parametrize("seed", range(8))
def test_the_table_is_as_long_as_was_said(seed):
    wins, _, head, tails = drawn(seed)
    duels = Duels.of(wins, np.arange(wins.n_wins), head, tails)
    assert {len(table) for table in duels.tables} == {table_rows(wins, tails.columns)}
