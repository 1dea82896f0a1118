"""Limits on criteria and costs say in integers what was asked for, at the limit and beside it."""

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest

import voteprune as vp
from oracle import metric
from voteprune.problem.limits import (
    CostLimit,
    MetricLimit,
    about_positive,
    as_sums,
    class_totals,
    seats_within,
)

POSITIVES, NEGATIVES = 4, 3
MATRIX = np.eye(7, dtype=int)
LABELS = np.array([1] * POSITIVES + [0] * NEGATIVES)
PATTERNS = vp.Patterns.of(vp.Votes(MATRIX, LABELS, sample_weight=[0.5] * 7))
RATIOS = ["precision", "npv", "f1", "jaccard", "cohen_kappa"]
SUMS = ["accuracy", "balanced_accuracy", "recall", "specificity", "false_positive_rate", "fp", "tn"]


def counts():
    """Every four counts there can be, of halves."""
    for tp in range(POSITIVES + 1):
        for fp in range(NEGATIVES + 1):
            four = (tp, POSITIVES - tp, NEGATIVES - fp, fp)
            yield tuple(Fraction(count, 2) for count in four)


def met(limits, four):
    """Whether counts meet compiled limits, row by row."""
    positive = np.zeros(7, dtype=bool)
    order = np.argsort(PATTERNS.positive == 0, kind="stable")  # positive rows first
    positive[order[: int(2 * four[0])]] = True
    positive[order[POSITIVES : POSITIVES + int(2 * four[3])]] = True
    return all(
        limit.gains.base + int(limit.gains.net[positive].sum()) >= limit.least for limit in limits
    )


@pytest.mark.parametrize("what", [*SUMS, *RATIOS])
@pytest.mark.parametrize("kind", [vp.AtLeast, vp.AtMost])
def test_limits_on_criteria_are_met_by_what_meets_them(what, kind):
    values = {metric(what, *four) for four in counts()}
    near = {value + bit for value in values for bit in (0, Fraction(1, 1000), -Fraction(1, 1000))}
    asked = refused = 0
    for limit in sorted(near):
        try:
            request = kind(what, limit)
            limits = MetricLimit.all_of(request, PATTERNS)
        except vp.InputError:
            refused += 1  # no number that this can be
            continue
        asked += 1
        assert all(one.request is request for one in limits)
        for four in counts():
            value = metric(what, *four)
            wanted = value >= limit if kind is vp.AtLeast else value <= limit
            assert met(limits, four) == wanted, (limit, four)
    assert asked > 5
    assert refused <= 2


def test_what_0_over_0_is_taken_for_decides_how_a_limit_is_written():
    """Precision without a positive is 0, or whatever it is said to be."""
    below = vp.Weights(tp=1, fp=1)
    for taken in (0, Fraction(1, 2), 1):
        ratio = vp.Ratio(vp.Weights(tp=1), below, zero_division=taken)
        for kind, sign in ((vp.AtLeast, 1), (vp.AtMost, -1)):
            for limit in (Fraction(0), Fraction(1, 2), Fraction(2, 3), Fraction(1)):
                sums = as_sums(kind(ratio, limit), Fraction(4), Fraction(3))
                fails = sign * taken < sign * limit
                assert len(sums) == 1 + fails
                assert sums[0][1] == 0
                assert not fails or sums[1] == (below, None)
                limits = MetricLimit.all_of(kind(ratio, limit), PATTERNS)
                assert [one.least for one in limits[1:]] == [1] * fails
                for four in counts():
                    value = metric(ratio, *four)
                    wanted = value >= limit if sign > 0 else value <= limit
                    assert met(limits, four) == wanted


def test_a_ratio_that_holds_at_0_over_0_by_convention_alone_is_refused():
    """Where the denominator is 0 the numerator need not be, and says that the limit is broken."""
    ratio = vp.Ratio(vp.Weights(tp=1, fn=-1), vp.Weights(fp=1), zero_division=1)
    with pytest.raises(vp.InputError, match="zero_division") as caught:
        as_sums(vp.AtLeast(ratio, Fraction(1, 2)), Fraction(4), Fraction(3))
    assert caught.value.argument == "constraints"
    # The other way round it is broken by convention: the denominator must not be 0.
    found = as_sums(vp.AtMost(ratio, Fraction(1, 2)), Fraction(4), Fraction(3))
    assert found[1] == (vp.Weights(fp=1), None)


@pytest.mark.parametrize(("numerator", "kind", "broken"), [
    (vp.Weights(fn=-1), vp.AtLeast, True), (vp.Weights(tp=1), vp.AtLeast, False),
    (vp.Weights(fn=-1), vp.AtMost, False), (vp.Weights(tp=1), vp.AtMost, True),
])  # fmt: skip
def test_a_numerator_is_asked_for_the_sign_that_breaks_the_limit(numerator, kind, broken):
    ratio = vp.Ratio(numerator, vp.Weights(fp=1), zero_division=Fraction(1, 2))
    request = kind(ratio, Fraction(1, 2))
    if not broken:
        assert len(as_sums(request, Fraction(4), Fraction(3))) == 1
        return
    with pytest.raises(vp.InputError, match="zero_division"):
        as_sums(request, Fraction(4), Fraction(3))


def test_a_ceiling_comes_in_negated():
    assert as_sums(vp.AtMost("fp", 2), Fraction(4), Fraction(3)) == ((vp.Weights(fp=-1), -2),)
    assert as_sums(vp.AtLeast("tp", 2), Fraction(4), Fraction(3)) == ((vp.Weights(tp=1), 2),)


@pytest.mark.parametrize("what", ["size", "coverage"])
def test_limits_on_members_are_not_compiled_as_criteria(what):
    with pytest.raises(AssertionError):
        as_sums(vp.AtLeast(what, 1), Fraction(4), Fraction(3))


def test_a_limit_is_on_the_class_that_it_names():
    for what, other in (
        ("recall", "specificity"), ("precision", "npv"), ("tp", "tn"), ("fp", "fn"),
        ("false_positive_rate", "false_negative_rate"), ("accuracy", "accuracy"),
        ("balanced_accuracy", "balanced_accuracy"), ("cohen_kappa", "cohen_kappa"),
    ):  # fmt: skip
        for mine, theirs in ((what, other), (other, what)):
            limit = vp.AtMost(mine, 0.5, of="ham", name="mild")
            turned = about_positive(limit, ("ham", "spam"))
            assert turned == vp.AtMost(theirs, 0.5)
            assert turned.name == "mild"
        assert about_positive(vp.AtLeast(what, 0.5, of="spam"), ("ham", "spam")) == vp.AtLeast(
            what, 0.5
        )
    turned = about_positive(vp.AtLeast("f2", 0.5, of=1), (1, 2))
    assert turned.what == vp.Ratio(vp.Weights(tn=5), vp.Weights(tn=5, fp=4, fn=1))
    assert turned.name == "f2 of 1"
    four = about_positive(vp.AtLeast(vp.Weights(1, 2, 3, 4), 5, of=0), (0, 1)).what
    assert four == vp.Weights(3, 4, 1, 2)
    for free in (vp.AtLeast("recall", 0.5), vp.AtMost("size", 3), vp.Forbid(1)):
        assert about_positive(free, (1, 2)) is free
    # The command line has text alone.
    assert about_positive(vp.AtLeast("recall", 0.5, of="2"), (1, 2)) == vp.AtLeast("recall", 0.5)
    with pytest.raises(vp.InputError, match="none of the classes 1, 2") as caught:
        about_positive(vp.AtLeast("recall", 0.5, of=0), (1, 2))
    assert caught.value.argument == "constraints"


def test_classes_weigh_what_their_rows_do():
    assert class_totals(PATTERNS) == (2, Fraction(3, 2))


def subsets(n):
    return chain.from_iterable(combinations(range(n), size) for size in range(n + 1))


@pytest.mark.parametrize("seed", range(12))
def test_a_budget_in_integers_allows_who_the_budget_allows(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 6))
    costs = [Fraction(int(c), 6) for c in random.integers(-4 * (seed % 2), 13, n)]
    costs = [cost * 10 ** int(random.integers(0, 30) * (random.random() < 0.3)) for cost in costs]
    sums = sorted({sum((costs[k] for k in some), Fraction(0)) for some in subsets(n)})
    names = [f"c{k}" for k in range(n)]
    for spent in sums:
        for limit in (spent, spent - Fraction(1, 7), spent + Fraction(1, 7)):
            request = vp.Budget(costs, limit)
            found = CostLimit.of(request, names)
            assert found.request is request
            assert all(isinstance(cost, int) for cost in (*found.costs, found.most))
            for some in subsets(n):
                wanted = sum((costs[k] for k in some), Fraction(0)) <= limit
                assert (sum(found.costs[k] for k in some) <= found.most) == wanted
            # Whoever cannot be afforded costs no more than that takes.
            dear = found.most if found.most > 0 else 0
            dear += sum(-cost for cost in found.costs if cost < 0)
            assert max(found.costs) <= 2 * dear + 1


def test_one_that_is_out_of_all_proportion_costs_just_too_much():
    names = ["a", "b", "c"]
    assert CostLimit.of(vp.Budget([10**9, 1, 2], 3), names).costs == (7, 1, 2)
    assert CostLimit.of(vp.Budget([10**9, -1, 2], 3), names).costs == (9, -1, 2)
    assert CostLimit.of(vp.Budget([10**9, -1, 2], -5), names).costs == (3, -1, 2)
    assert CostLimit.of(vp.Budget([7, 1, 2], 3), names).costs == (7, 1, 2)
    assert CostLimit.of(vp.Budget([0.5, 1, 2], 3.25), names) == CostLimit(
        (2, 4, 8), 13, vp.Budget([0.5, 1, 2], 3.25)
    )


@pytest.mark.parametrize(
    ("least", "most", "expected"),
    [
        (None, 2, [((1, 0, 1, 1), 2)]),
        (None, 0, [((1, 0, 1, 1), 0)]),
        (None, 3, []),
        (0, 3, []),
        (1, None, [((-1, 0, -1, -1), -1)]),
        (1, 2, [((1, 0, 1, 1), 2), ((-1, 0, -1, -1), -1)]),
        (3, 3, [((-1, 0, -1, -1), -3)]),
    ],
)
def test_a_group_costs_1_where_so_many_may_and_less_than_nothing_where_so_many_must(
    least, most, expected
):
    names = ["a", "b", "c", "d"]
    group = vp.Group(["a", "c", "d"], at_least=least, at_most=most)
    budget = vp.Budget([1, 2, 3, 4], 5)
    found = CostLimit.all_of([vp.Require("a"), group, vp.AtMost("size", 2), budget], names)
    assert [(one.costs, one.most) for one in found[:-1]] == expected
    assert all(one.request is group for one in found[:-1])
    assert found[-1] == CostLimit((1, 2, 3, 4), 5, budget)


def test_shares_are_of_the_largest_cost_among_some():
    limit = CostLimit((4, -8, 2, 16), 6, vp.Require(0))
    shares, most = limit.in_shares([0, 1, 2])
    assert (shares.tolist(), most) == ([0.5, -1.0, 0.25], 0.75)
    shares, most = limit.in_shares([3])
    assert (shares.tolist(), most) == ([1.0], 0.375)
    free = CostLimit((0, 0, 5), 3, vp.Require(0))
    assert free.in_shares([])[1] == 3.0
    assert free.in_shares([0, 1])[0].tolist() == [0.0, 0.0]
    assert free.in_shares([0, 1])[1] == 3.0


@pytest.mark.parametrize(
    ("most", "told"),
    [(4, 4.0), (5, 4.0), (10**400, 4.0), (-4, -4.0), (-5, -4.0), (-(10**400), -4.0), (-3, -3.0)],
)
def test_a_limit_out_of_reach_is_cut_off_one_beyond_all_members(most, told):
    assert CostLimit((1, 1, 1), most, vp.Require(0)).in_shares([0, 1, 2])[1] == told


@pytest.mark.parametrize("seed", range(12))
def test_who_cannot_sit_within_costs_and_how_many_can(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 7))
    costs, most = random.integers(0, 6, n).tolist(), int(random.integers(0, 9))
    forbidden = tuple(k for k in range(n) if random.random() < 0.2)
    size_max = int(random.integers(1, n + 1))
    shut, seats = seats_within(CostLimit(tuple(costs), most, vp.Require(0)), forbidden, size_max)
    affordable = [
        some
        for some in subsets(n)
        if sum(costs[k] for k in some) <= most and not set(some) & set(forbidden)
    ]
    seated = set(chain.from_iterable(affordable))
    assert shut == tuple(k for k in range(n) if k not in seated)
    assert seats == min(size_max, max(len(some) for some in affordable))
