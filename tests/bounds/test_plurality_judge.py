"""What prices prove about several classes, by loops: bounds, charges, programs and their rows."""

import time
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from pluralities import known, random_node
from voteprune.bounds import plurality_program
from voteprune.bounds.plurality_program import WinsProgram
from voteprune.bounds.plurality_rows import DUEL, NEED, TOTAL, Priced, Rows, Size
from voteprune.numbers.floats import SLACK


def cases():
    rng = np.random.default_rng(0)
    for seed in range(25):
        case = known(seed, most_classifiers=6)
        wins = case.wins
        for size in range(wins.size_min, wins.size_max + 1):
            decided = random_node(rng, wins)
            if wins.n_wins and 0 <= size - (decided == 1).sum() <= (decided < 0).sum():
                yield case, Size(wins, size), decided, rng


def made(at, rng):
    wins = at.wins
    x = np.clip(rng.dirichlet(np.ones(wins.n_classifiers)) * at.size, 0, 1)
    rows = at.basic().plus(at.violated(x, rng.random(wins.n_wins) ** 0.3))
    prices = rng.exponential(size=len(rows)) * (rng.random(len(rows)) < 0.6)
    return rows, prices, rng.exponential(size=len(wins.costs))


def test_a_bound_is_the_sum_that_prices_leave_and_a_hair_more():
    """Of each pattern the best win that is left; who sits; the dearest of the others; the rest."""
    seen = 0
    for _, at, decided, rng in cases():
        wins = at.wins
        rows, prices, limits = made(at, rng)
        bound, charges = at.judge(rows, prices, limits, decided)
        lost = at.lost(decided)
        left = [Fraction(float(weight)) for weight in wins.weights]
        own = [Fraction(0)] * wins.n_classifiers
        exact = Fraction(0)
        for row in range(len(rows)):
            price = Fraction(float(prices[row]))
            left[rows.win[row]] += price * Fraction(float(rows.factor[row]))
            exact -= price * Fraction(float(rows.least[row]))
            for k in range(len(own)):
                own[k] += price * Fraction(float(rows.members[row, k]))
        for price, (shares, most) in zip(limits, wins.costs, strict=True):
            exact += Fraction(float(price)) * (Fraction(float(most)) + Fraction(SLACK))
            for k in range(len(own)):
                own[k] -= Fraction(float(price)) * Fraction(float(shares[k]))
        for pattern in set(wins.pattern.tolist()):
            here = [max(left[w], 0) for w in np.flatnonzero(wins.pattern == pattern) if not lost[w]]
            exact += max(here, default=0)
        exact += sum(own[k] for k in np.flatnonzero(decided == 1))
        seats = at.size - int((decided == 1).sum())
        exact += sum(sorted((own[k] for k in np.flatnonzero(decided < 0)), reverse=True)[:seats])
        np.testing.assert_allclose(charges, [float(one) for one in own], atol=1e-9)
        assert Fraction(bound) > exact
        assert bound == pytest.approx(float(exact), rel=1e-5, abs=1e-5)
        seen += len(rows)
    assert seen > 300


def test_carried_prices_charge_the_wins_the_same():
    """And rows that say nothing there, or said nothing here, have none."""
    for case, at, _, rng in cases():
        rows, prices, _ = made(at, rng)
        for size in range(1, case.wins.n_classifiers + 1):
            there = Size(case.wins, size)
            moved, new = at.carried(rows, prices, there)
            assert (new >= 0).all()
            for i in range(len(rows)):
                win = rows.win[i]
                factor = rows.factor[i]
                if rows.kind[i] == NEED:
                    factor = factor + at.votes[win] - there.votes[win]
                elif rows.kind[i] == TOTAL:
                    factor = factor + at.size - size
                assert moved.factor[i] == factor
                if there.possible[win] and factor < 0 and rows.factor[i] < 0:
                    assert new[i] * factor == pytest.approx(prices[i] * rows.factor[i])
                else:
                    assert new[i] == 0


def test_rows_are_chosen_and_put_together_as_they_are():
    for _, at, _, rng in list(cases())[:20]:
        rows, prices, limits = made(at, rng)
        both = rows.plus(rows)
        assert len(both) == 2 * len(rows)
        some = both.only(np.arange(len(rows), 2 * len(rows)))
        for name in ("win", "members", "factor", "least", "kind", "rivals"):
            np.testing.assert_array_equal(getattr(some, name), getattr(rows, name))
        kept = Priced.of(at.size, rows, prices, limits)
        dear = np.flatnonzero(prices > 0)
        assert kept.size == at.size
        np.testing.assert_array_equal(kept.win, rows.win[dear])
        np.testing.assert_array_equal(kept.kind, rows.kind[dear])
        np.testing.assert_array_equal(kept.prices, prices[dear])
        np.testing.assert_array_equal(kept.limit_prices, limits)
        counted = np.unpackbits(kept.counted, axis=1)[:, : at.wins.n_classifiers]
        np.testing.assert_array_equal(counted, rows.members[dear] != 0)
        for kind, rivals in zip(rows.kind, rows.rivals, strict=True):
            assert rivals.sum() == {NEED: 0, DUEL: 1}.get(int(kind), rivals.sum())


def test_what_is_broken_by_more_than_a_hair_is_found():
    """Every need, duel and total that a point breaks by a hundredth is among what is separated."""
    found = dict.fromkeys((NEED, DUEL, TOTAL), 0)
    for _, at, _, rng in cases():
        wins = at.wins
        x = np.clip(rng.dirichlet(np.ones(wins.n_classifiers)) * at.size, 0, 1)
        t = rng.random(wins.n_wins) ** 0.3
        rows = at.violated(x, t)
        told = {(int(w), int(kind)) for w, kind in zip(rows.win, rows.kind, strict=True)}
        for win in np.flatnonzero(at.possible):
            most = np.minimum(x, t[win])
            mine = wins.mine[win]
            votes = float(most[mine].sum())
            if at.votes[win] * t[win] - votes > 0.01:
                assert (win, NEED) in told
                found[NEED] += 1
            for duel in np.flatnonzero(wins.win == win):
                theirs = wins.theirs[duel]
                sure = np.maximum(x[theirs] - 1 + t[win], 0).sum()
                if sure + wins.lead[duel] * t[win] - votes > 0.01:
                    assert (win, DUEL) in told
                    found[DUEL] += 1
        assert not set(rows.win.tolist()) & set(np.flatnonzero(~at.possible).tolist())
        found[TOTAL] += int((rows.kind == TOTAL).sum())
    assert min(found.values()) > 20


def program(seed=3):
    case = next(
        c for c in (known(s, most_classifiers=7) for s in range(seed, 99))
        if c.wins.n_wins > 4 and c.wins.n_classifiers > 4 and len(c.wins.costs)
    )  # fmt: skip
    return case, WinsProgram(Size(case.wins, min(3, case.wins.size_max)))


def test_rows_without_a_price_are_dropped_where_there_are_too_many(monkeypatch):
    case, made_one = program()
    decided = np.full(case.wins.n_classifiers, -1, dtype=np.int8)
    monkeypatch.setattr(plurality_program, "_PROGRESS", -1.0)
    monkeypatch.setattr(plurality_program, "_MOST_ROWS", 10**6)
    later = time.monotonic() + 60
    bound = made_one.bound(decided, 0.0, later)[0]
    count, dear = len(made_one._rows), int((made_one._prices()[0] > 0).sum())
    assert count > dear > 0
    made_one._drop()
    assert len(made_one._rows) == count
    monkeypatch.setattr(plurality_program, "_MOST_ROWS", 0)
    made_one._drop()
    assert len(made_one._rows) == dear
    assert made_one._highs.getNumRow() == made_one._fixed_rows + dear
    again = made_one.bound(decided, 0.0, later)[0]
    assert again == pytest.approx(bound, rel=1e-3, abs=1e-3)


def test_prices_are_of_rows_and_limits_and_none_where_the_solver_has_none():
    case, made_one = program()
    n, limits = len(made_one._rows), len(case.wins.costs)
    head = [7.0, *range(limits), *[0.5] * (made_one._fixed_rows - 1 - limits)]
    tail = np.linspace(-1, 1, n)
    made_one._highs = SimpleNamespace(getSolution=lambda: SimpleNamespace(row_dual=[*head, *tail]))
    prices, of_limits = made_one._prices()
    np.testing.assert_array_equal(prices, np.maximum(tail, 0))
    np.testing.assert_array_equal(of_limits, np.arange(limits))
    made_one._highs = SimpleNamespace(getSolution=lambda: SimpleNamespace(row_dual=[1.0]))
    prices, of_limits = made_one._prices()
    assert prices.tolist() == [0.0] * n
    assert of_limits.tolist() == [0.0] * limits


def test_the_best_prices_are_those_of_the_best_bound():
    case, made_one = program()
    decided = np.full(case.wins.n_classifiers, -1, dtype=np.int8)
    bound, charges, x = made_one.bound(decided, 0.0, time.monotonic() + 60)
    told = made_one.size.judge(*made_one._best, decided)
    assert told[0] == bound
    np.testing.assert_array_equal(told[1], charges)
    assert made_one.elsewhere(made_one.size, decided) == pytest.approx(bound)
    assert x.shape == charges.shape
    assert x.sum() == pytest.approx(made_one.size.size)
    assert made_one.priced().size == made_one.size.size
    assert (made_one.priced().prices > 0).all()


def test_decisions_are_bounds_of_the_program_and_go_again():
    case, made_one = program()
    k = case.wins.n_classifiers
    later = time.monotonic() + 60
    decided = np.full(k, -1, dtype=np.int8)
    whole = made_one.bound(decided, 0.0, later)[0]
    decided[0], decided[1] = 1, 0
    x = made_one.bound(decided, 0.0, later)[2]
    assert x[0] == pytest.approx(1)
    assert x[1] == pytest.approx(0)
    decided[:2] = -1
    assert made_one.bound(decided, 0.0, later)[0] == pytest.approx(whole, rel=1e-3, abs=1e-3)


def test_no_rows_at_all_are_rows():
    case, made_one = program()
    none = made_one._rows.only(np.zeros(0, dtype=np.intp))
    assert isinstance(none, Rows)
    assert len(none) == 0
    decided = np.full(case.wins.n_classifiers, -1, dtype=np.int8)
    zero = np.zeros(len(case.wins.costs))
    bound, _ = made_one.size.judge(none, np.zeros(0), zero, decided)
    best = [case.wins.weights[case.wins.pattern == p][~made_one.size.lost(decided)[
        case.wins.pattern == p]].max(initial=0) for p in np.unique(case.wins.pattern)]  # fmt: skip
    assert bound == pytest.approx(sum(best), rel=1e-5)


@pytest.mark.parametrize(
    ("bounds", "looks"),
    [
        ([100.0, 50.0, 49.5], 2),  # a hundredth of what is left to the target is not worth it
        ([100.0, 50.0, 48.9, 48.8], 3),
        ([100.0, 101.0], 1),
        ([100.0, 9.9], 1),  # below the target
        ([100.0, 10.0, 9.9], 2),
    ],
)
def test_rounds_go_on_while_the_bound_comes_nearer_to_the_target(bounds, looks, monkeypatch):
    case, made_one = program()
    decided = np.full(case.wins.n_classifiers, -1, dtype=np.int8)
    told, charges = iter(bounds), np.zeros(case.wins.n_classifiers)
    seen = []
    monkeypatch.setattr(made_one.size, "judge", lambda *_: (next(told), charges))
    some = made_one.size.basic().only(np.arange(1))
    monkeypatch.setattr(made_one.size, "violated", lambda *_: seen.append(1) or some)
    best, _, _ = made_one.bound(decided, 10.0, time.monotonic() + 60)
    assert len(seen) == looks
    assert best == min(bounds[: looks + 1])
