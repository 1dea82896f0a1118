"""Logarithms and log-odds are as near to the truth as is claimed, everywhere."""

import math
import random
from array import array
from decimal import Context, Decimal
from fractions import Fraction

import pytest

from voteprune.verify import logarithms
from voteprune.verify.logarithms import LOG_ROOM, ROUNDING, exp_above, log
from voteprune.verify.soft_document import Member
from voteprune.verify.soft_table import log_odds

EXACT = Context(prec=60)


def odd_numbers():
    rng = random.Random(1)
    near = [1 + side * 2.0**-k for k in range(1, 54) for side in (1, -1) if k < 53 or side < 0]
    edges = [(256 + i) / 512 for i in range(257)]
    edges += [math.nextafter(edge, side) for edge in edges for side in (0, 2)]
    return near + edges + [rng.random() * 2.0 ** rng.randint(-300, 300) for _ in range(2000)]


def test_logarithms_are_off_by_no_more_than_their_room():
    worst = Decimal(0)
    for x in odd_numbers():
        off = abs(Decimal(log(x)) - EXACT.ln(Decimal(x)))
        worst = max(worst, off / Decimal(LOG_ROOM * (1 + abs(math.frexp(x)[1]))))
    assert Decimal("0.1") < worst <= 1


def test_the_series_is_short_because_every_middle_is_near():
    """As the proof says: |f| is at most 2^-10, and what three terms leave out is not seen."""
    bias, parts = Decimal(0), len(logarithms._MIDDLES)
    assert parts == 256
    for place, c in enumerate(logarithms._MIDDLES):
        low, high = (0.5 + (place + end) / (2 * parts) for end in (0, 1))
        last = math.nextafter(high, 0)
        assert max(abs(m - c) / (m + c) for m in (low, last)) <= 2.0**-10
        assert logarithms._LOGS[place] == float(EXACT.ln(Decimal(c)))
        bias += Decimal(log(last)) - EXACT.ln(Decimal(last))
    assert abs(bias / parts) < Decimal(float(ROUNDING)) / 5


@pytest.mark.parametrize("y", [-0.5, -30.0, -600.0])
def test_exponentials_are_never_too_low_however_bad_the_library_and_the_logarithm(y, monkeypatch):
    """The exponential proposed is too low by 1.5 rooms, and the logarithm hides one of them."""
    room = LOG_ROOM * (1 + abs(math.frexp(math.exp(y))[1]))
    exp = math.exp
    monkeypatch.setattr(logarithms.math, "exp", lambda x: exp(x - 1.5 * room))
    monkeypatch.setattr(logarithms, "log", lambda x: log(x) + room)
    assert Decimal(exp_above(y)) >= EXACT.exp(Decimal(y))


def test_an_exponential_that_is_far_off_is_not_believed(monkeypatch):
    exp = math.exp
    for off in (1.1, 1.9, 5.0):
        monkeypatch.setattr(logarithms.math, "exp", lambda x, off=off: exp(x - off))
        assert exp_above(-3.0) == 1.0


def test_exponentials_are_never_too_low_and_hardly_too_high():
    rng = random.Random(2)
    for y in [0.0, -1e-17, -745.0, -1e90, -700.0] + [
        -rng.random() * 10**k for k in range(-5, 4)
    ] * 20:
        true, found = EXACT.exp(Decimal(max(y, -1e4))), Decimal(exp_above(y))
        assert found >= true
        assert y < -699 or found <= true * Decimal(1 + 1e-11)


@pytest.mark.parametrize("clip", [0.001, 0.3, 1e-9])
def test_log_odds_are_off_by_no_more_than_is_claimed(clip):
    rng = random.Random(3)
    said = [0.0, 1.0, 0.5, clip, 1 - clip, math.nextafter(0.5, 0), math.nextafter(0.5, 1)]
    said += [rng.random() for _ in range(200)] + [math.nan]
    for width, n_classes in ((1, 2), (3, 3)):
        member = Member("m", "probability", ("m",) * width)
        found = log_odds(member, [array("d", said)] * width, clip)[0]
        assert found[-1] == 0
        low, high = Decimal(clip), 1 - (n_classes - 1) * Decimal(clip)
        for p, odds in zip(said[:-1], found, strict=False):
            cut = min(max(Decimal(p), low), high)
            ratio = EXACT.divide(cut, EXACT.subtract(1, cut)) if width == 1 else cut
            off = abs(Fraction(EXACT.ln(ratio)) - Fraction(odds))
            assert off <= 64 * n_classes * ROUNDING * (1 + abs(Fraction(odds)))


def test_votes_are_one_step_and_scores_are_as_they_are():
    votes = array("d", [0.0, 1.0, math.nan])
    assert list(log_odds(Member("m", "vote", ("m",)), [votes], 0.001)[0]) == [-1, 1, 0]
    unit = [votes, array("d", [1.0, 0.0, math.nan]), array("d", [0.0, 0.0, math.nan])]
    assert [list(part) for part in log_odds(Member("m", "vote", ("m",) * 3), unit, 0.001)] == [
        [0, 1, 0], [1, 0, 0], [0, 0, 0],
    ]  # fmt: skip
    scores = array("d", [-7.5, 3.0, math.nan])
    assert list(log_odds(Member("m", "score", ("m",)), [scores], 0.001)[0]) == [-7.5, 3, 0]


@pytest.mark.parametrize("said", [(1.0, 1.0, 0.0), (0.5, 0.5, 0.0), (0.0, 0.0, 0.0)])
def test_votes_of_several_classes_must_be_unit_vectors(said):
    both = [array("d", [one]) for one in said]
    with pytest.raises(ValueError, match="does not merely vote"):
        log_odds(Member("m", "vote", ("m",) * 3), both, 0.001)


def small_and_large():
    rng = random.Random(2)
    edge = 2.0**-10
    near = [2.0**-k * f for k in range(1, 1000, 7) for f in (1.0, 1.3)]
    edges = [edge, math.nextafter(edge, 0), math.nextafter(edge, 1), 1.0, 0.5, 2.0, 1e300]
    return near + edges + [rng.random() * 2.0 ** rng.randint(-60, 40) for _ in range(2000)]


def test_log_of_1_and_a_little_is_never_too_low_and_hardly_too_high():
    """As a share of it, however little it is."""
    assert logarithms.log_1p_above(0.0) == 0.0
    for t in small_and_large():
        true = EXACT.ln(EXACT.add(1, Decimal(t))) if t > 1e-25 else Decimal(t)
        excess = EXACT.divide(Decimal(logarithms.log_1p_above(t)), true) - 1
        assert 0 <= excess <= Decimal("2e-12")


def test_minus_log_is_never_too_high_and_hardly_too_low():
    shares = [1 - k / 2.0**53 for k in (0, 1, 2, 3, 1000, 2**20, 2**43 - 1, 2**43, 2**43 + 1)]
    shares += [t for t in small_and_large() if t <= 1]
    for x in shares:
        true = -EXACT.ln(Decimal(x))
        found = Decimal(logarithms.minus_log_below(x))
        assert 0 <= found <= true
        assert found >= true * (1 - Decimal("2e-12"))


@pytest.mark.parametrize("sign", [1, -1])
def test_bounds_of_logarithms_hold_where_the_logarithm_is_off_by_its_room(sign, monkeypatch):
    def poor(x):
        return log(x) - sign * LOG_ROOM / 2 * (1 + abs(math.frexp(x)[1]))

    monkeypatch.setattr(logarithms, "log", poor)
    for t in small_and_large():
        if t > 1e-9:
            assert Decimal(logarithms.log_1p_above(t)) >= EXACT.ln(EXACT.add(1, Decimal(t)))
        if 1e-9 < t <= 1:
            assert Decimal(logarithms.minus_log_below(t)) <= -EXACT.ln(Decimal(t))
