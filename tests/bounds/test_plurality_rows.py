"""Rows and prices for several classes, held against every committee."""

import numpy as np
import pytest

from pluralities import holds, known, random_node
from voteprune.bounds.plurality_rows import Size


def truth(case, size):
    """All sets of a size as 0/1 vectors, allowed or not, and which wins each has."""
    k = case.wins.n_classifiers
    codes = np.array([c for c in range(1, 2**k) if c.bit_count() == size])
    chosen = (codes[:, None] >> np.arange(k) & 1).astype(bool)
    won = np.array([case.wins.won(np.flatnonzero(row).tolist()) for row in chosen])
    return chosen, won.reshape(len(chosen), case.wins.n_wins)


def fractional(rng, k, size):
    """A random point with 0 <= x <= 1 that sums to the size."""
    x = np.clip(rng.dirichlet(np.full(k, 0.5)) * size, 0, 1)
    while x.sum() < size - 1e-12:
        room = 1 - x
        x = np.clip(x + room * (size - x.sum()) / room.sum(), 0, 1)
    return x


@pytest.mark.parametrize("block", range(3))
def test_every_row_holds_for_every_committee(block):
    kinds = {"need": 0, "duel": 0, "total": 0}
    for seed in range(25 * block, 25 * block + 25):
        case, rng = known(seed, most_classifiers=7), np.random.default_rng(seed)
        k = case.wins.n_classifiers
        sizes = {size: Size(case.wins, size) for size in range(1, k + 1)}
        known_wins = {size: truth(case, size) for size in sizes}
        for size, at in sizes.items():
            chosen, won = known_wins[size]
            assert not won[:, ~at.possible].any()
            votes = chosen @ case.wins.mine.T.astype(int)
            # As few votes as it takes, and no fewer.
            fewest = np.where(won, votes, k + 1).min(axis=0, initial=k + 1)
            assert np.array_equal(fewest[at.possible], at.votes[at.possible])
            for rows in (
                at.basic(),
                *(
                    at.violated(fractional(rng, k, size), rng.random(case.wins.n_wins) ** 0.3)
                    for _ in range(4)
                ),
            ):
                left = chosen @ rows.members.T + won[:, rows.win] * rows.factor
                assert (left >= rows.least - 1e-9).all()
                for other in range(1, k + 1):
                    # Prices that are carried elsewhere stand on rows that hold there.
                    moved, prices = at.carried(rows, np.ones(len(rows)), sizes[other])
                    moved = moved.only(prices > 0)
                    some, theirs = known_wins[other]
                    left = some @ moved.members.T + theirs[:, moved.win] * moved.factor
                    assert (left >= moved.least - 1e-9).all()
                kinds["duel"] += int((rows.members < 0).any(axis=1).sum())
                kinds["total"] += int((rows.members > 1).any(axis=1).sum())
                kinds["need"] += len(rows)
    assert min(kinds.values()) > 100, kinds


def test_what_is_separated_is_broken():
    for seed in range(20):
        case, rng = known(seed), np.random.default_rng(seed)
        for size in range(1, case.wins.n_classifiers + 1):
            x, t = fractional(rng, case.wins.n_classifiers, size), rng.random(case.wins.n_wins)
            rows = Size(case.wins, size).violated(x, t)
            assert (rows.members @ x + rows.factor * t[rows.win] < rows.least).all()


def test_whatever_the_prices_no_committee_of_a_node_exceeds_the_bound():
    for seed in range(60):
        case, rng = known(seed), np.random.default_rng(seed)
        k = case.wins.n_classifiers
        for size in range(case.wins.size_min, case.wins.size_max + 1):
            at, decided = Size(case.wins, size), random_node(rng, case.wins)
            if not 0 <= size - (decided == 1).sum() <= (decided < 0).sum():
                continue
            rows = at.basic().plus(
                at.violated(fractional(rng, k, size), rng.random(case.wins.n_wins))
            )
            prices = rng.exponential(size=len(rows)) * (rng.random(len(rows)) < 0.5)
            prices *= rng.choice([0.01, 0.3, 3.0])
            limits = rng.exponential(size=len(case.wins.costs))
            bound, charges = at.judge(rows, prices, limits, decided)
            best = case.best(decided, size)
            if best is not None:
                assert bound * case.scale >= best
            lost = at.lost(decided)
            chosen, won = truth(case, size)
            inside = np.array([holds(decided, np.flatnonzero(row)) for row in chosen])
            assert not won[inside][:, lost].any()
            assert charges.shape == (k,)


def test_wins_are_lost_where_no_committee_of_a_node_wins_one_of_their_duels():
    found = 0
    for seed in range(40):
        case, rng = known(seed, most_classifiers=7), np.random.default_rng(seed)
        wins = case.wins
        for size in range(1, wins.n_classifiers + 1):
            at, decided = Size(wins, size), random_node(rng, wins)
            chosen, _ = truth(case, size)
            inside = chosen[[holds(decided, np.flatnonzero(row)) for row in chosen]].astype(int)
            if not len(inside):
                continue
            ahead = inside @ (wins.mine[wins.win].astype(int) - wins.theirs).T
            never = ~(ahead >= wins.lead).any(axis=0)
            lost = np.bincount(wins.win[never], minlength=wins.n_wins) > 0
            assert np.array_equal(at.lost(decided), lost | ~at.possible)
            found += int((lost & at.possible).sum())
    assert found > 100
