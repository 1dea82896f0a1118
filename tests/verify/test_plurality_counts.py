"""What the checker for several classes counts: rows against every committee, tails bit by bit."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from pluralcerts import check, pool_of, said
from pluralities import known
from pluralparts import committees, inside, random_row, standing
from voteprune.verify import plurality_tree, plurality_trying
from voteprune.verify.plurality_pool import Standing, bits
from voteprune.verify.plurality_prices import FINE, Counter, _below, _lost
from voteprune.verify.plurality_trying import Trying, _added, _at_least


@pytest.mark.parametrize("seed", range(8))
def test_every_row_is_true_of_every_committee(seed, tmp_path):
    """What is counted is not negative, and makes up for the right side where the class wins."""
    rng, case = np.random.default_rng(seed), known(seed, most_classifiers=7)
    found = said(case, 0)
    found["rows"] = [random_row(rng, case) for _ in range(60)]
    pool = pool_of(found, case, tmp_path)
    counter, tight = Counter(pool), 0
    for row in pool.document.rows:
        parts, leads = pool.coefficients(row)
        for members, _ in committees(case):
            seated = sum(1 << k for k in members)
            counted = sum(
                value * (who & row.members & seated).bit_count() for value, who in parts
            ) + _below(row, parts)
            assert counted >= 0
            winner = pool._winner(pool._patterns[row.pattern], members)
            if winner == row.label:
                factor = counter._factor(row, parts, leads, len(members))
                assert counted >= factor
                tight += counted == factor > 0
    assert tight > 5


@pytest.mark.parametrize("seed", range(8))
def test_a_class_is_lost_where_no_committee_has_it_win_a_duel(seed, tmp_path):
    rng, case = np.random.default_rng(seed), known(seed, most_classifiers=6)
    pool = pool_of(said(case, 0), case, tmp_path)
    for size in range(1, pool.allowed.bit_count() + 1):
        part = standing(rng, pool, size, 0.4)
        if not 0 <= part.seats <= part.free.bit_count():
            continue
        others = combinations(bits(part.free), part.seats)
        seated = [part.sits | sum(1 << k for k in who) for who in others]
        for win in (win for wins in pool.wins for win in wins):
            ahead = [
                max((win.mine & s).bit_count() - (theirs & s).bit_count() for s in seated)
                for theirs, _ in win.duels
            ]
            duels = zip(ahead, win.duels, strict=True)
            assert _lost(win, part) == any(most < lead for most, (_, lead) in duels)


@pytest.mark.parametrize("most", [1, 3, 9, 2**12])
@pytest.mark.parametrize("seed", range(4))
def test_trying_finds_what_is_better_whatever_the_tails_are(seed, most, tmp_path, monkeypatch):
    monkeypatch.setattr(plurality_trying, "MOST_TAILS", most)
    rng, case = np.random.default_rng(seed), known(seed)
    pool = pool_of(said(case, 0), case, tmp_path)
    required = set(pool.document.required)
    columns = [k for k in bits(pool.allowed) if k not in required]
    scores = sorted(set(case.scores.values()))
    for goal in {scores[0], *scores[-3:], scores[-1] + 1}:
        trying = Trying(pool, goal)
        tails = columns[len(columns) - len(trying._tails) :]
        assert trying._tails == tails
        # As many as there may be subsets, no more and no fewer.
        for width, fits in ((len(tails), True), (len(tails) + 1, False)):
            sizes = range(min(pool.document.size_max, width) + 1)
            if width <= len(columns) and width:
                assert (sum(comb(width, size) for size in sizes) <= most) == fits
        for size in {len(members) for members in case.scores}:
            part = standing(rng, pool, size, 0.3)
            there = [
                list(who) for who, score in committees(case) if score >= goal and inside(part, who)
            ]
            told = trying.better(part)
            assert told in there if there else told is None


@pytest.mark.parametrize("most", [1, 3, 9, 2**12])
def test_steps_that_it_takes_to_try_a_part(most, tmp_path, monkeypatch):
    """Counted head by head: for every duel and class eight, and one for 512 tails; 16 per limit."""
    monkeypatch.setattr(plurality_trying, "MOST_TAILS", most)
    rng = np.random.default_rng(0)
    for seed in range(6):
        case = known(seed)
        pool = pool_of(said(case, 0), case, tmp_path)
        trying, least = Trying(pool, 0), [min(w.gain for w in wins) for wins in pool.wins]
        duels = sum(
            len(wins)
            for wins, low in zip(pool.wins, least, strict=True)
            for win in wins
            if win.gain > low
        )
        tails = sum(1 << k for k in trying._tails)
        width = tails.bit_count()
        for size in range(1, pool.allowed.bit_count() + 1):
            part = standing(rng, pool, size, 0.2)
            heads, fixed = bits(part.free & ~tails), (part.sits & ~tails).bit_count()
            steps = 0
            for count in range(len(heads) + 1):
                for _ in combinations(heads, count):
                    seats = size - fixed - count
                    if 0 <= seats <= width:
                        each = comb(width, seats)
                        steps += (1 + duels) * (8 + each // 512) + 16 * each * len(pool.limits)
            assert trying.work(part) == steps


def test_numbers_are_added_and_compared_bit_by_bit():
    rng = np.random.default_rng(0)
    for _ in range(200):
        places, count = 9, int(rng.integers(0, 9))
        chance = rng.choice([0.1, 0.5, 0.9])
        values, planes = [0] * places, [[] for _ in range(int(rng.integers(1, 4)))]
        for _ in range(count):
            plane, row = int(rng.integers(len(planes))), 0
            for place in range(places):
                if rng.random() < chance:
                    row |= 1 << place
                    values[place] += 1 << plane
            planes[plane].append(row)
        added = _added(planes)
        assert [sum((row >> k & 1) << b for b, row in enumerate(added)) for k in range(places)] == (
            values
        )
        full = (1 << places) - 1
        for least in range(-1, 40):
            there = sum(1 << place for place, value in enumerate(values) if value >= least)
            assert _at_least(added, least, full) == there


def test_a_part_is_empty_only_if_nobody_is_in_it(tmp_path):
    rng, empty = np.random.default_rng(0), 0
    for seed in range(20):
        case = known(seed, most_classifiers=6)
        pool = pool_of(said(case, 0), case, tmp_path)
        for size in range(1, len(pool.document.names) + 1):
            part = standing(rng, pool, size, 0.4)
            there = any(inside(part, who) for who, _ in committees(case))
            assert not (pool.empty(part) and there)
            empty += pool.empty(part)
            # With one limit at the most and everything decided it is known for sure.
            whole = Standing(size, sum(1 << k for k in range(size)), 0)
            if len(pool.limits) < 2:
                faults = [f for f in pool.faults(range(size)) if "members" not in f]
                must = set(pool.document.required) <= set(range(size))
                assert pool.empty(whole) == bool(faults) or not must
    assert empty > 20


def test_limits_on_work_are_those_of_the_page():
    assert plurality_tree.MOST == plurality_tree.MOST_TRIED == 2**31
    assert FINE == 64


def test_nothing_that_is_worth_anything_is_said_to_be_nothing(tmp_path):
    case = known(0)
    found = said(case, 0)
    found["objective"]["worths"] = []
    assert check(found, case, tmp_path).statement[0].endswith(": nothing")
