"""Means of pairs against fractions, at their limits and beside them."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import voteprune as vp
from instances import SCALES
from oracle import FLOORS, pair_table, pfc
from voteprune.problem.diversity_measures import floors_of
from voteprune.problem.pairwise import FailureCredit, PairMeasure, configure, divide

EXACT = ["fc", "disagreement", "double_fault", "q", "kappa"]
TINY = Fraction(1, 10**30)


class Listed(PairMeasure):
    """Credits as they are listed."""

    def __init__(self, table):
        self.table = table

    def matrix(self):
        return np.array(self.table, dtype=float)

    def pair(self, k, other):
        return self.table[k][other]


def pool(seed, k=5, n=18):
    random = np.random.default_rng(seed)
    matrix, labels = random.integers(0, 2, (n, k)), np.arange(n) % 2
    weights = random.integers(1, 4, n)
    return matrix, labels, weights


@pytest.mark.parametrize("measure", EXACT)
@pytest.mark.parametrize("seed", range(3))
def test_members_meet_limits_exactly_at_their_own_means(measure, seed):
    matrix, labels, weights = pool(seed)
    patterns = vp.Patterns.of(vp.Votes(matrix, labels, sample_weight=weights))
    table = pair_table(measure, matrix, labels, [Fraction(int(w)) for w in weights])
    sign = 1 if measure in FLOORS else -1
    low, high, _ = SCALES[measure]
    loosest = Fraction(low if sign > 0 else high)
    told = set()
    for size in (2, 3, 5):
        for members in combinations(range(5), size):
            means = pfc(table, list(members))
            mean = sum(means) / size
            worst = min(means) if sign > 0 else max(means)
            for tau, gamma in ((worst, None), (loosest, mean), (worst, mean)):
                for bit in (0, TINY, -TINY, Fraction(1, 10), Fraction(-1, 10)):
                    here = tau if tau == loosest else tau + sign * bit
                    there = None if gamma is None else gamma + sign * bit
                    limits = [value for value in (here, there) if value is not None]
                    if any(not low <= value <= high for value in limits):
                        continue
                    floors = floors_of(vp.Diversity(here, there, measure), patterns)
                    wanted = bit <= 0
                    assert floors.meet(members) == wanted
                    assert floors.measure.meets(floors.limits, members) == wanted
                    told.add(wanted)
    assert told == {True, False}


def test_members_and_pairs_are_judged_apart():
    """A member below its floor is not saved by the others, nor the mean by its members."""
    table = [[Fraction(0)] * 3 for _ in range(3)]
    for (a, b), value in {(0, 1): 9, (0, 2): 1, (1, 2): 2}.items():
        table[a][b] = table[b][a] = Fraction(value, 10)
    measure = Listed(table)
    # Members: 0.5, 0.55, 0.15; all: 0.4.
    for tau, gamma, wanted in (
        (Fraction(15, 100), Fraction(4, 10), True),
        (Fraction(15, 100), Fraction(41, 100), False),
        (Fraction(16, 100), Fraction(4, 10), False),
        (Fraction(1, 2), Fraction(1, 2), False),
        (Fraction(0), Fraction(4, 10) + TINY, False),
        (Fraction(15, 100) + TINY, Fraction(3, 10), False),
        (Fraction(0), Fraction(0), True),
    ):
        for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
            assert measure.meets(vp.Diversity(tau, gamma), order) == wanted
    assert measure.meets(vp.Diversity(1, 1), [1])
    assert not measure.meets(vp.Diversity(1, 1), [0, 2])


def test_the_sum_over_pairs_is_exact():
    random = np.random.default_rng(3)
    table = [[Fraction(int(random.integers(-9, 9)), int(random.integers(1, 30))) for _ in range(9)]
             for _ in range(9)]  # fmt: skip
    measure = Listed(table)
    for count in (0, 1, 2, 3, 5, 16, 36):
        pairs = list(combinations(range(9), 2))[:count]
        expected = sum((table[a][b] for a, b in pairs), Fraction(0))
        found = measure.total(pairs)
        assert (found, type(found)) == (expected, Fraction)
        for bit, side in ((0, 0), (TINY, -1), (-TINY, 1)):
            assert measure.side(pairs, expected + bit) == side


@pytest.mark.parametrize(
    ("diversity", "tau", "gamma"),
    [
        (vp.Diversity(Fraction(1, 4)), 0.25, None),
        (vp.Diversity(gamma=Fraction(1, 4)), None, 0.25),
        (vp.Diversity(Fraction(1, 4), Fraction(1, 2)), 0.25, 0.5),
        (vp.Diversity(Fraction(1, 4), measure="q"), -0.25, None),
        (vp.Diversity(gamma=Fraction(1, 4), measure="q"), None, -0.25),
    ],
)
def test_ceilings_become_floors(diversity, tau, gamma):
    matrix, labels, weights = pool(2)
    patterns = vp.Patterns.of(vp.Votes(matrix, labels, sample_weight=weights))
    floors = floors_of(diversity, patterns)
    assert (floors.tau, floors.gamma) == (tau, gamma)
    table = pair_table(diversity.measure, matrix, labels, [Fraction(int(w)) for w in weights])
    sign = 1 if diversity.measure in FLOORS else -1
    assert floors.scores == pytest.approx(sign * np.array(table, dtype=float))
    assert not np.diagonal(floors.scores).any()


@pytest.mark.parametrize("seed", range(4))
def test_failure_credit_is_its_definition(seed):
    matrix, labels, weights = pool(seed)
    matrix[:, 1] = labels  # never fails
    matrix[:, 2] = labels
    credit = FailureCredit.of(vp.Patterns.of(vp.Votes(matrix, labels, sample_weight=weights)))
    wrong = matrix != labels[:, None]
    assert credit.failures.tolist() == (weights @ wrong).tolist()
    table = pair_table("fc", matrix, labels, [Fraction(int(w)) for w in weights])
    floats = credit.matrix()
    for a in range(5):
        assert floats[a, a] == 0
        for b in range(5):
            assert credit.hamming[a, b] == weights[wrong[:, a] != wrong[:, b]].sum()
            if a != b:
                assert credit.pair(a, b) == credit.credit(a, b) == table[a][b]
                assert floats[a, b] == pytest.approx(float(table[a][b]))
    for members in ([0, 3], [0, 1, 4], [0, 1, 2, 3, 4]):
        assert credit.pfc(members) == tuple(pfc(table, members))
    assert credit.pfc([3]) == (0,)
    assert credit.credit(1, 2) == 0


@pytest.mark.parametrize("huge", [False, True])
def test_quotients_and_what_stands_for_them(huge):
    tops, bottoms = np.array([1, 0, 5, 0]), np.array([2, 0, -4, 7])
    if huge:
        tops, bottoms = tops.astype(object) * 10**400, bottoms.astype(object) * 10**400
    otherwise = np.array([9.0, 8.0, 7.0, 6.0])
    assert divide(tops, bottoms, otherwise).tolist() == [0.5, 8.0, -1.25, 0.0]
    assert otherwise.tolist() == [9.0, 8.0, 7.0, 6.0]  # not written on


def test_one_of_two_may_be_too_large_for_floats():
    tops, bottoms = np.array([10**400, 1], dtype=object), np.array([1, 2])
    bottoms_huge = np.array([2 * 10**400, 4 * 10**400], dtype=object)
    zero = np.zeros(2)
    assert divide(tops, bottoms_huge, zero).tolist() == [0.5, 0.0]
    assert divide(np.array([1, 2]), bottoms_huge, zero).tolist() == [0.0, 0.0]
    assert divide(np.array([6, 1], dtype=object), bottoms, zero).tolist() == [6.0, 0.5]


def test_a_configuration_is_for_two_at_least():
    def credit(k):
        matrix, labels, weights = pool(1, k)
        return FailureCredit.of(vp.Patterns.of(vp.Votes(matrix, labels, sample_weight=weights)))

    own = vp.Diversity(Fraction(1, 3))
    for name in ("F2", "F3"):
        assert configure(name, credit(1)) is None
        assert configure(name, credit(2)) is not None
    assert configure(own, credit(1)) is own
    for name in ("F1", "F1-theta", None):
        assert configure(name, credit(4)) is None
    values = credit(4).pfc(range(4))
    half = (min(values) + sum(values) / 4) / 2
    assert (configure("F2", credit(4)).tau, configure("F2", credit(4)).gamma) == (0, half)
    assert (configure("F3", credit(4)).tau, configure("F3", credit(4)).gamma) == (min(values), half)
