"""Fronts by cost: the staircase over all subsets, and no bound below it, from bad starts too."""

from contextlib import ExitStack
from fractions import Fraction
from itertools import combinations, pairwise
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from badproblems import LIMITS, OF_PLURALITY, bad_plurality, bad_problem
from badstart import Way, Workers, compiled, search_switched_off
from soft_oracle import fitted, pool
from voteprune.problem.plurality import PluralityProblem
from voteprune.soft.pruning import SoftPruning
from voteprune.solve.cost_front import Ceiling, CostFront, Staircase


def prices(seed, k):
    """Decimals, some equal, some 0, some out of all proportion."""
    rng = np.random.default_rng(seed)
    costs = [round(float(c), int(rng.integers(0, 3))) for c in rng.uniform(0, 3, k)]
    if seed % 3 == 0:
        costs[int(rng.integers(k))] = 10**12
    return costs


def cost_of(costs, members):
    return sum((Fraction(str(costs[k])) for k in members), Fraction(0))


def staircase(worth):
    """Of pairs of cost and worth, those that nothing as cheap reaches."""
    steps = []
    for cost, value in sorted(worth, key=lambda pair: (pair[0], -pair[1])):
        if not steps or value > steps[-1][1]:
            steps.append((cost, value))
    return steps


def sets_of(truth):
    """Every allowed set of members, and the rank of its value."""
    codes, ranks = truth.of_sets
    return {tuple(truth.sets.who(int(c))): int(r) for c, r in zip(codes, ranks, strict=True)}


def proved_front(problem, known, costs, ask):
    """Ask for a front with search off, holding every bound that is told against the truth."""
    lower, wrong = Staircase.lower, []
    score = {members: problem.best(list(members))[1] for members in known}

    def watched(self, ceiling):
        lower(self, ceiling)
        within = [score[m] for m in known if cost_of(costs, m) <= ceiling.budget]
        if within and (ceiling.bound is None or ceiling.bound < max(within)):
            wrong.append((ceiling, max(within)))

    with ExitStack() as stack:
        enter = stack.enter_context
        enter(search_switched_off(Way(leaves=True), Workers(Way(leaves=True), 0)))
        enter(mock.patch.object(CostFront, "_look_around"))
        enter(mock.patch.object(Staircase, "lower", watched))
        found = ask()
    assert wrong == []
    return found


def check_steps(found, known, costs):
    """The points are the staircase over all subsets, and each is proved."""
    exact = staircase((cost_of(costs, members), rank) for members, rank in known.items())
    told = [(point.cost, known[point.committee.members]) for point in found.points]
    assert told == exact
    for point in found.points:
        assert point.cost == cost_of(costs, point.committee.members)
        assert point.optimal
        assert point.size == point.committee.size
    assert found.optimal


@pytest.mark.parametrize(
    ("limit", "objective"),
    [
        *((limit, "sum") for limit in LIMITS),
        *((limit, "margin") for limit in ("budget", "tau", "several")),
        *((limit, "curve") for limit in ("none", "floor")),
    ],
)
def test_every_step_is_found_and_proved_from_nothing(limit, objective):
    bad = bad_problem(70, limit, objective, k=5, n=14)
    known, costs = sets_of(bad.truth), prices(LIMITS.index(limit), 5)

    def ask():
        return vp.front(bad.instance.votes, by=costs, **bad.instance.request(), random_state=0)

    check_steps(proved_front(compiled(bad), known, costs, ask), known, costs)


@pytest.mark.parametrize("limit", OF_PLURALITY)
def test_several_classes_have_their_staircase(limit):
    bad = bad_plurality(70, limit, k=5)
    known, costs = sets_of(bad.truth), prices(OF_PLURALITY.index(limit), 5)
    problem = PluralityProblem.of(bad.votes, bad.objective, bad.constraints)
    asked = {"objective": bad.objective, "constraints": bad.constraints, "random_state": 0}
    found = proved_front(problem, known, costs, lambda: vp.front(bad.votes, by=costs, **asked))
    check_steps(found, known, costs)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["log_loss", "brier"])
@pytest.mark.parametrize(
    "limits", [(), (vp.Group([0, 1, 2], at_least=1, at_most=2), vp.Forbid(3)), (vp.Require(4),)]
)
def test_soft_committees_have_their_staircase(limits, objective):
    """Against fits of every subset by an independent convex solver."""
    said, costs = vp.Probabilities(*pool(5, k=5, n=24)), prices(1, 5)
    problem = SoftPruning.of(said, objective, limits, 1.0)
    total = problem.total
    worth = {
        members: -fitted(problem.numbers, members) / total
        for size in range(1, 6)
        for members in combinations(range(5), size)
        if problem.numbers.allows(members)
    }
    lower, wrong = Staircase.lower, []

    def watched(self, ceiling):
        lower(self, ceiling)
        within = [value for m, value in worth.items() if cost_of(costs, m) <= ceiling.budget]
        if within and (ceiling.bound is None or ceiling.bound < max(within) - 1e-9):
            wrong.append(ceiling)

    with mock.patch.object(Staircase, "lower", watched):
        found = vp.front(
            said, by=costs, objective=objective, constraints=limits, penalty=1.0, random_state=0
        )
    assert wrong == []
    assert found.optimal
    exact = staircase((cost_of(costs, members), value) for members, value in worth.items())
    for budget, value in exact:
        point = found.at_most(budget)
        assert point.value == pytest.approx(value, rel=5e-6)
        assert point.bound >= value - 1e-9
    assert list(found.costs) == sorted(found.costs)


def test_sizes_of_what_is_no_weighted_sum_are_sizes_at_most():
    bad = bad_problem(71, "none", "curve", k=5)
    known = sets_of(bad.truth)
    found = vp.front(bad.instance.votes, **bad.instance.request(), random_state=0)
    assert found.by == "size"
    assert found.sizes == (1, 2, 3, 4, 5)
    for point in found.points:
        best = max(rank for members, rank in known.items() if len(members) <= point.size)
        assert known[point.committee.members] == best
        assert point.optimal
        assert point.cost == point.size


def votes_of(n=60, k=12, seed=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    right = rng.random((n, k)) < rng.uniform(0.55, 0.8, k)
    return vp.Votes(np.where(right, y[:, None], 1 - y[:, None]), y)


@pytest.mark.parametrize("request_", [{"time_limit": 0}, {"stop": True}, {"interrupt": True}])
def test_a_front_cut_short_bounds_every_budget(request_):
    votes, costs = votes_of(), prices(2, 12)
    whole = vp.front(votes, by=costs, random_state=0)
    assert whole.optimal

    def tell(front):
        if request_.get("interrupt"):
            raise KeyboardInterrupt
        return True

    cut = vp.front(
        votes, by=costs, random_state=0, time_limit=request_.get("time_limit", 60), callback=tell
    )
    assert len(cut.points) >= 1
    for point in whole.points:
        # Who has found nothing so cheap says what may be there.
        told = [other for other in cut.points if other.cost <= point.cost]
        assert told[-1].bound >= point.value
        assert told[-1].value is None or told[-1].value <= point.value


def test_bounds_only_fall_and_values_only_rise():
    votes, costs, seen = votes_of(), prices(2, 12), []
    vp.front(votes, by=costs, random_state=0, callback=lambda front: seen.append(front))
    assert len(seen) > 2
    budgets = sorted({cost for front in seen for cost in front.costs})
    for earlier, later in pairwise(seen):
        for budget in budgets:
            before, after = (
                [point for point in front.points if float(point.cost) <= budget][-1:]
                for front in (earlier, later)
            )
            if before and after:
                assert after[0].bound <= before[0].bound
                assert (after[0].value or 0) >= (before[0].value or 0)


def test_a_budget_says_how_far_the_front_goes():
    votes, costs = votes_of(k=6), [1.5, 2, 2.5, 0.5, 1, 3]
    whole = vp.front(votes, by=costs, random_state=0)
    part = vp.front(votes, by=vp.Budget(costs, 4, name="price"), random_state=0)
    assert part.by == "price"
    assert part.limit == 4
    assert part.points[:-1] == tuple(p for p in whole.points if p.cost <= 4)[:-1]
    assert part.at_most(4).value == whole.at_most(4).value
    with pytest.raises(vp.InputError, match="goes up to 4"):
        part.at_most(5)
    named = vp.front(votes, by=dict(zip(votes.names, costs, strict=True)), random_state=0)
    assert named.points == whole.points


def test_nothing_is_allowed_and_the_front_is_empty():
    votes = votes_of(k=5)
    for limits in (
        [vp.Require(0), vp.Forbid(0)],
        [vp.AtLeast("size", 3), vp.Forbid(0, 1, 2)],
        [vp.AtLeast("accuracy", 1)],
    ):
        front = vp.front(votes, by=[1] * 5, constraints=limits, random_state=0)
        assert front.points == ()
        assert "no committee is allowed" in front.summary()
    dear = vp.Budget([5] * 5, 4)
    assert vp.front(votes, by=dear, random_state=0).points == ()


@pytest.mark.slow
def test_a_gap_that_is_good_enough_ends_the_work():
    said, costs = vp.Probabilities(*pool(5, k=6, n=40)), prices(1, 6)
    fine = vp.front(said, by=costs, penalty=1.0, random_state=0)
    rough = vp.front(said, by=costs, penalty=1.0, gap=0.2, random_state=0)
    assert len(rough.points) <= len(fine.points)
    assert all(point.gap <= 0.2 for point in rough.points)
    for point in fine.points:
        assert rough.at_most(point.cost).bound >= point.value - 1e-9


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        ({"by": "price"}, "by"),
        ({"by": [1, 2]}, "costs"),
        ({"by": [1, -2, 1, 1, 1]}, "by"),
        ({"by": {"nobody": 1}}, "costs"),
        ({"by": [1, "two", 1, 1, 1]}, "by"),
        ({"by": 3}, "by"),
        ({"by": [1] * 5, "gap": -1}, "gap"),
        ({"gap": 0.1}, "gap"),
        ({"by": [1] * 5, "objective": "acuracy"}, "objective"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(wrong, argument):
    with pytest.raises(vp.InputError, match=argument):
        vp.front(votes_of(k=5), **wrong)


def test_a_committee_refutes_a_solvers_word_and_what_is_proved_stays():
    stairs = Staircase(Fraction(0), Fraction(10), Fraction(1))
    stairs.lower(Ceiling(Fraction(6), 3, 8, ("liar",)))
    stairs.lower(Ceiling(Fraction(2), None, None, ("liar",)))
    assert stairs.offer(Fraction(1), 5, "five")
    assert stairs.ceiling(Fraction(1)) == Ceiling(Fraction(6), 8, 8)
    assert not stairs.offer(Fraction(1), 5, "as good")
    assert not stairs.offer(Fraction(11), 9, "too dear")
    (stretch,) = [stretch for stretch in stairs.stretches() if stretch.step is not None]
    assert (stretch.low, stretch.high, stretch.settled) == (1, 10, False)


def test_a_bound_holds_for_smaller_budgets_alone():
    stairs = Staircase(Fraction(0), Fraction(10), Fraction(1))
    stairs.lower(Ceiling(Fraction(6), 3, 3))
    assert stairs.ceiling(Fraction(6)).bound == 3
    assert stairs.ceiling(Fraction(7)) is None
    stairs.offer(Fraction(2), 3, "three")
    first, second = stairs.stretches()
    assert (first.low, first.high, first.step) == (0, 1, None)
    assert (second.settled_to, second.settled) == (6, False)
