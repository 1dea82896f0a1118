"""Constraints say what they mean and refuse what they cannot mean."""

from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem import measured_costs

VOTES = vp.Votes([[0, 1, 1], [1, 1, 0], [1, 0, 1], [0, 0, 1]], [0, 1, 1, 0], names=["a", "b", "c"])


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (vp.AtLeast("size", 3), "size >= 3"),
        (vp.AtMost("fp", 50), "fp <= 50"),
        (vp.AtLeast("recall", 0.9), "recall >= 0.9"),
        (vp.Require("a", 2), "require a, 2"),
        (vp.Forbid(1), "forbid 1"),
        (vp.Budget([1, 2, 3], 2.5), "cost <= 2.5"),
        (vp.Budget([1, 2, 3], 2.5, name="latency"), "latency <= 2.5"),
        (vp.Group(["a", 2], at_most=1), "at most 1 of a, 2"),
        (vp.Group(["a", 2], at_least=1, name="team"), "at least 1 of team"),
        (vp.Group([0, 1, 2], at_least=1, at_most=2, name="team"), "1 to 2 of team"),
        (vp.Group([0, 1, 2], at_least=2, at_most=2, name="team"), "exactly 2 of team"),
        (vp.Group(range(10), at_most=2), "at most 2 of 0, 1, 2, 3, 4, 5, 6, 7, 2 more"),
    ],
)
def test_constraints_read_as_sentences(constraint, words):
    assert str(constraint) == words


def test_constraints_are_values():
    assert vp.AtLeast("recall", 0.9) == vp.AtLeast("recall", 0.9)
    assert vp.AtLeast("recall", 0.9) != vp.AtMost("recall", 0.9)
    assert len({vp.Require(1), vp.Require(1), vp.Forbid(1)}) == 2


def test_members_go_by_name_or_index():
    by_name = vp.prune(VOTES, method="brute", constraints=[vp.Require("c"), vp.Forbid("a")])
    by_index = vp.prune(VOTES, method="brute", constraints=[vp.Require(2), vp.Forbid(0)])
    assert by_name.committee == by_index.committee
    assert "c" in by_name.committee.names
    assert "a" not in by_name.committee.names


def test_a_budget_by_name_leaves_the_others_free():
    named = vp.Budget({"c": 5}, 4).for_pool(VOTES.names)
    assert named == vp.Budget([0, 0, 5], 4).for_pool(VOTES.names)


def test_a_budget_that_names_nobody_is_free_of_charge():
    free = vp.Budget({}, 4)
    assert free.for_pool(VOTES.names) == (0, 0, 0)
    assert free.within(2) == vp.Budget({}, 2)
    assert vp.prune(VOTES, constraints=free).value == vp.prune(VOTES).value


def test_a_series_is_read_by_its_index():
    pd = pytest.importorskip("pandas")
    named = vp.Budget(pd.Series({"b": 1, "a": 5}), 2)
    assert named == vp.Budget({"b": 1, "a": 5}, 2)
    assert named.for_pool(VOTES.names) == (5, 1, 0)
    assert vp.Budget(pd.Series([5, 1, 0]), 2) == vp.Budget([5, 1, 0], 2)
    with pytest.raises(vp.InputError, match="called '2'"):
        vp.Budget(pd.Series([5, 1, 0], index=[2, 1, 0]), 2).for_pool(VOTES.names)
    with pytest.raises(vp.InputError, match="twice"):
        vp.Budget(pd.Series([5, 1], index=["a", "a"]), 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: vp.AtLeast("size", 0),
        lambda: vp.AtMost("size", 2.5),
        lambda: vp.AtLeast("recal", 0.9),
        lambda: vp.AtLeast("recall", float("nan")),
        lambda: vp.AtLeast("recall", 90),
        lambda: vp.AtMost("false_positive_rate", 5),
        lambda: vp.AtLeast("precision", -0.1),
        lambda: vp.AtMost("fp", "many"),
        lambda: vp.Require(),
        lambda: vp.Require(1.5),
        lambda: vp.Forbid(True),
        lambda: vp.Budget(3, 1),
        lambda: vp.Budget([], 1),
        lambda: vp.Budget([1, float("inf")], 1),
        lambda: vp.Budget([1, 2], None),
        lambda: vp.Budget([1, 2], 1, name=""),
        lambda: vp.Group("ab", at_most=1),
        lambda: vp.Group(3, at_most=1),
        lambda: vp.Group([], at_most=1),
        lambda: vp.Group([1.5], at_most=1),
        lambda: vp.Group([0, 1]),
        lambda: vp.Group([0, 1], at_most=-1),
        lambda: vp.Group([0, 1], at_most=0.5),
        lambda: vp.Group([0, 1], at_most=True),
        lambda: vp.Group([0, 1], at_least=3),
        lambda: vp.Group([0, 0], at_least=2),
        lambda: vp.Group([0, 1, 2], at_least=2, at_most=1),
        lambda: vp.Group([0, 1], at_most=1, name=7),
        lambda: vp.Group.by_label("ab", at_most=1),
        lambda: vp.Group.by_label([None, None], at_most=1),
        lambda: vp.Group.by_prefix(["a_1", "b_1"], at_most=1),
        lambda: vp.Group.by_prefix(["a_1", "a_2"], "", at_most=1),
    ],
)
def test_a_constraint_that_means_nothing_cannot_be_made(make):
    with pytest.raises(vp.InputError):
        make()


@pytest.mark.parametrize(
    "constraints",
    [
        "recall",
        [("recall", 0.9)],
        [vp.Require("nobody")],
        [vp.Forbid(3)],
        [vp.Require(-1)],
        [vp.Budget([1, 2], 3)],
        [vp.Budget({"nobody": 1}, 3)],
        [vp.Group(["a", "nobody"], at_most=1)],
        [vp.Group([1, 3], at_most=1)],
        [vp.AtLeast("size", 3), vp.AtMost("size", 2)],
        [vp.AtLeast("size", 4)],
    ],
)
def test_a_constraint_that_does_not_fit_the_pool_is_refused(constraints):
    with pytest.raises(vp.InputError):
        vp.prune(VOTES, constraints=constraints)


def test_a_misspelt_limit_offers_what_can_be_limited_and_nothing_else():
    with pytest.raises(vp.InputError, match="Did you mean 'size'") as caught:
        vp.AtMost("sise", 3)
    offered = str(caught.value).split("Limits go on ")[1]
    for name in ("size", "recall", "tp", "precision", "f1", "cohen_kappa"):
        vp.AtMost(name, 1)
        assert name in offered
    for name in ("mcc", "gmean", "margin"):
        assert name not in offered
        with pytest.raises(vp.InputError):
            vp.AtMost(name, 1)


def test_no_constraints_may_be_none():
    assert vp.prune(VOTES, constraints=None).value == vp.prune(VOTES).value


def test_a_single_constraint_needs_no_list():
    assert vp.prune(VOTES, method="brute", constraints=vp.AtMost("size", 1)).committee.size == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("costs", "limit", "affordable"),
    [
        ([10**400, 1, 2, 3] * 3, 10**399, True),  # all but the dearest
        ([10**400] * 12, 3 * 10**400, True),
        ([1] * 12, 10**400, True),
        ([1] * 12, -(10**400), False),
        ([0.125, 1e300, 1, 2] * 3, 1.5, True),
        ([-1, 1e15, 1, 2] * 3, -2, True),
    ],
)
@pytest.mark.parametrize("method", ["exact", "merged", "paper"])
def test_budgets_of_any_size_mean_what_they_say(costs, limit, affordable, method):
    random = np.random.default_rng(1)
    labels = np.arange(40) % 2
    matrix = np.where(random.random((40, 12)) < 0.7, labels[:, None], 1 - labels[:, None])
    asked = {"method": method, "constraints": vp.Budget(costs, limit), "time_limit": 30}
    solution = vp.prune(matrix, labels, **asked)
    assert solution.status == ("optimal" if affordable else "infeasible")
    if affordable:
        within = [vp.Budget(costs, limit)]
        everything = vp.prune(matrix, labels, method="brute", constraints=within)
        assert solution.value == everything.value


def test_limits_are_shown_by_their_name_and_equal_without_it():
    limit = vp.AtLeast("recall", 0.9, name="safety")
    assert str(limit) == "safety: recall >= 0.9"
    assert limit == vp.AtLeast("recall", 0.9)
    assert str(vp.Require(1, name="ours")) == "ours: require 1"
    assert str(vp.AtMost("size", 3)) == "size <= 3"
    with pytest.raises(vp.InputError, match=r"AtMost\(name\)"):
        vp.AtMost("size", 3, name="")
    votes = vp.Votes([[1, 0, 1], [0, 1, 0]], [1, 0])
    told = vp.prune(votes, constraints=[vp.AtMost("size", 2, name="small")]).summary()
    assert "small: size <= 2" in told


class _Clock:
    now = 0.0

    def perf_counter(self):
        return self.now


class _Sleeper:
    """A member that takes so long by a clock, and ten times as long the first and third time."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds, self.calls = clock, seconds, 0

    def predict(self, X):
        self.calls += 1
        self.clock.now += self.seconds * (10 if self.calls in (1, 3) else 1)
        return [0] * len(X)


def test_costs_are_measured_by_the_median_of_predictions(monkeypatch):
    clock = _Clock()
    monkeypatch.setattr(measured_costs, "time", clock)
    quick, slow = _Sleeper(clock, 0.25), _Sleeper(clock, 2)
    budget = vp.Budget.measured({"quick": quick, "slow": slow}, [[0]] * 3, repeats=3)
    # Neither the first call nor one that was held up counts.
    assert dict(budget.costs) == {"quick": Fraction(1, 4), "slow": 2}
    assert quick.calls == slow.calls == 4
    assert budget.limit == Fraction(9, 4)
    assert str(budget.within(1)) == "seconds <= 1"
    assert budget.within(1).costs == budget.costs
    votes = vp.Votes([[1, 0], [0, 1], [1, 1]], [1, 0, 1], names=["quick", "slow"])
    assert vp.front(votes, by=budget, random_state=0).by == "seconds"
    listed = vp.Budget.measured([quick, slow], [[0]], 5, repeats=1, name="latency")
    assert listed.costs == (Fraction(1, 4), 2)
    assert str(listed) == "latency <= 5"


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (([], [[0]]), "none"),
        ((object(), [[0]]), "mapping"),
        (([object()], [[0]]), "no predict"),
        (([_Sleeper(_Clock(), 0)], 3), "cannot predict"),
        (([_Sleeper(_Clock(), 0)], [[0]], None, 0), "repeats"),
    ],
)
def test_what_cannot_be_measured_is_refused(given, word):
    estimators, rows, limit, repeats = (*given, None, 1)[:4] if len(given) < 4 else given
    with pytest.raises(vp.InputError, match=word):
        vp.Budget.measured(estimators, rows, limit, repeats=repeats)
