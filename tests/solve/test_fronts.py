"""What a front tells: the cheapest that is good enough, with what is proved; and its document."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp

C = vp.Committee((0,), 0, ("a",), 2)


def point(cost, value, bound, size=1):
    return vp.FrontPoint(size, None if value is None else C, value, bound, price=Fraction(cost))


OPEN = vp.Front(
    "accuracy",
    (point(0, None, 0.7), point(1, 0.75, 0.75), point(3, 0.8, 0.9), point(5, 0.88, 0.92)),
    1.0,
    "price",
)


def test_the_cheapest_within_a_share_is_told_with_what_is_proved():
    near = OPEN.cheapest(within=0.1)
    assert (near.cost, near.point.value) == (3, 0.8)
    assert near.target == pytest.approx(0.792)
    assert near.proved
    assert near.shortfall == pytest.approx((0.92 - 0.8) / 0.92)
    best = OPEN.cheapest(within=0)
    assert best.cost == 5
    # A committee of price 3 may reach as much.
    assert (best.least_cost, best.proved) == (3, False)
    assert "nothing that costs less than 3 does" in str(best)


def test_the_cheapest_that_reaches_a_value_is_the_first_that_does():
    assert OPEN.cheapest(reaching=0.75).cost == 1
    assert OPEN.cheapest(reaching=0.75).proved
    # Nobody so cheap was found, and the bound leaves room for one.
    assert OPEN.cheapest(reaching=0.6).least_cost == 0
    assert not OPEN.cheapest(reaching=0.6).proved
    with pytest.raises(vp.InputError, match=r"has 0\.88, none can exceed 0\.92"):
        OPEN.cheapest(reaching=0.9)
    with pytest.raises(vp.InputError, match="none can"):
        OPEN.cheapest(reaching=0.95)


def test_losses_are_minus_their_values_and_shares_are_of_them():
    soft = vp.Front("log_loss", (point(1, -0.5, -0.5), point(2, -0.4, -0.4)), 1.0, "price")
    assert soft.cheapest(within=0.3).cost == 1
    assert soft.cheapest(within=0.2).cost == 2
    assert soft.cheapest(within=0.2).shortfall is None
    assert soft.cheapest(within=0.3).shortfall == pytest.approx(0.25)


@pytest.mark.parametrize(
    "asked", [{}, {"within": 0.1, "reaching": 1}, {"within": -1}, {"within": "x"}]
)
def test_what_makes_no_sense_is_refused(asked):
    with pytest.raises(vp.InputError, match="within"):
        OPEN.cheapest(**asked)


def test_a_front_by_size_has_a_smallest_committee():
    sizes = tuple(vp.FrontPoint(size, C, value, value) for size, value in ((1, 0.7), (2, 0.8)))
    front = vp.Front("accuracy", sizes, 1.0)
    assert front.cheapest(within=0.2).cost == 1
    assert front.cheapest(reaching=0.75).point.size == 2
    assert front.costs == (1.0, 2.0)


def test_a_document_is_the_front_again(tmp_path):
    OPEN.save(tmp_path / "front.json")
    assert vp.Front.load(tmp_path / "front.json") == OPEN
    text = OPEN.to_json()
    for wrong, right in (
        ('"bound": 0.92', '"bound": 0.5'),
        ('"kind": "committee"', '"kind": "club"'),
        ('"price": "3"', '"price": "x"'),
    ):
        assert wrong in text
        with pytest.raises(vp.FileFormatError):
            vp.Front.from_json(text.replace(wrong, right))


def test_the_table_tells_every_step():
    lines = OPEN.summary().split("\n")
    assert lines[0] == "accuracy by price, 1.0 s"
    assert lines[2].split() == ["price", "size", "value", "bound", "gap"]
    assert lines[3].split() == ["0", "none", "0.7"]
    assert lines[5].split() == ["3", "1", "0.8", "0.9", "12.50", "%"]
    assert OPEN._repr_html_().count("<tr>") == 5
    assert repr(OPEN) == "<Front: accuracy, 4 steps of price, 1 of them proved optimal>"


def test_fronts_of_losses_are_headed_and_told_as_losses():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    shares = np.clip(0.5 + 0.3 * (y[:, None] - 0.5) + rng.normal(0, 0.2, (60, 4)), 0.01, 0.99)
    front = vp.front(vp.Probabilities(shares, y), time_limit=5)
    lines = front.summary().splitlines()
    assert lines[0].startswith("penalised log_loss by largest committee size")
    assert lines[2].split() == ["size", "loss", "at", "least", "gap"]
    told = [float(line.split()[1]) for line in lines[3:]]
    assert told == pytest.approx([-value for value in front.values], rel=1e-5)
    best = vp.prune(vp.Probabilities(shares, y)).penalised_loss
    assert min(told) == pytest.approx(best, rel=1e-4)
    cheapest = front.cheapest(reaching=-front.values[0])
    assert cheapest.point.size == 1
    assert f"reaches {told[0]:.6g} (asked for: {told[0]:.6g})" in str(cheapest)
    assert "no smaller committee does" in str(cheapest)
    with pytest.raises(vp.InputError, match="none can"):
        front.cheapest(reaching=0.5 * best)


def test_sizes_are_whole_numbers():
    y = np.arange(20) % 2
    front = vp.front(np.column_stack([y, y, 1 - y]), y)
    assert front.at_most(2.0).value == 1
    with pytest.raises(vp.InputError, match="whole numbers of members"):
        front.at_most(2.5)


@pytest.mark.parametrize("given", [vp.Diversity(0.1), [vp.Diversity(0.1)]])
def test_diversity_among_constraints_names_its_own_argument(given):
    y = np.arange(20) % 2
    with pytest.raises(vp.InputError, match="diversity=") as raised:
        vp.prune(np.column_stack([y, y]), y, constraints=given)
    assert raised.value.argument == "constraints"
