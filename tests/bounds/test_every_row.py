"""Every row is true: whatever is ever put into a program holds for every allowed committee.

As the provers generate them, rows, nogoods and prices are checked by `watching` on every run of
`test_badstart`. Here they are drawn at random, senseless ones among them, or written out in full,
on problems with every kind of limit.
"""

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from badproblems import LIMITS, OF_PLURALITY, Bad, bad_plurality, bad_problem, truth_of
from badstart import compiled
from oracle import metric, satisfied
from voteprune.bounds.closure import closure_bound
from voteprune.bounds.levels import Levels
from voteprune.bounds.margin_prices import Sizes
from voteprune.bounds.node import Node
from voteprune.bounds.prices import Prices
from voteprune.bounds.relaxation_rows import LimitRow, Row
from voteprune.mip.margin import margin_model
from voteprune.mip.merged import merged_model
from voteprune.problem.outline import Outline
from voteprune.problem.plurality import PluralityProblem
from voteprune.run.incumbent import Incumbent
from voteprune.strategies.curve_parts import Parts
from voteprune.strategies.exact_plurality import plurality_model
from voteprune.tree.margins.driver import at_size
from voteprune.tree.margins.worker import price
from voteprune.tree.nogoods.conflicts import Conflicts
from voteprune.tree.nogoods.nogood import Case, prove
from voteprune.tree.nogoods.relaxation import Relaxation, limits_of
from watching import Watch, rows_of_all_kinds

FREE = -1


def watched(seed, limit, objective="sum", **sizes):
    bad = bad_problem(seed, limit, objective, **sizes)
    problem = compiled(bad)
    return bad, problem, Watch(bad, problem)


ROOM = 1e-7
"""What rows and bounds of a model may be missed by: solvers do not keep them more exactly."""

ONE_SIDED = ("floor", "ceiling", "several")
"""Limits that may look at rows which a one-sided criterion leaves out of sight."""


@pytest.mark.parametrize(
    ("limit", "objective"),
    [*((limit, "sum") for limit in LIMITS), *((limit, "one-sided") for limit in ONE_SIDED)],
)
def test_rows_of_levels_and_any_prices_on_them(limit, objective):
    for seed in (70, 71):
        _, problem, watch = watched(seed, limit, objective)
        levels, _ = Levels.of(problem)
        rng = np.random.default_rng(seed)
        rows = [*levels.limits, *rows_of_all_kinds(levels, rng)]
        watch.rows(None, None, rows)
        everything = Node.everything(levels, np.inf)
        for _ in range(6):
            at = tuple(int(v) for v in everything.pairs[rng.integers(len(everything))])
            prices = rng.random(len(rows)) * levels.weights.max() * (rng.random(len(rows)) < 0.2)
            for place, row in enumerate(rows):
                # A row that does not hold at this level has no price there.
                if isinstance(row, Row) and row.factor(*at) <= 0:
                    prices[place] = 0.0
                if isinstance(row, LimitRow):
                    prices[place] = rng.random() * levels.weights.max()
            decided = np.where(
                rng.random(len(everything.decided)) < 0.1,
                rng.integers(0, 2, len(everything.decided)), everything.decided,
            ).astype(np.int8)  # fmt: skip
            node = everything.deciding(np.arange(len(decided)), decided)
            watch.judged(None, Prices(levels, rows, prices, at).judge(node), node)
        assert watch.wrong == []
        assert watch.seen["prices"] == 6


@pytest.mark.parametrize("limit", LIMITS)
def test_clauses_and_any_mixture_of_patterns(limit):
    for seed, objective in ((72, "sum"), (73, "one-sided" if limit in ONE_SIDED else "sum")):
        _, problem, watch = watched(seed, limit, objective)
        case, _ = Case.of(problem)
        rng, relaxation, conflicts = np.random.default_rng(seed), Relaxation(case), Conflicts(case)
        latest = time.monotonic() + 60
        for turn in range(40):
            amounts = rng.random((2, case.n_patterns)) * (rng.random((2, case.n_patterns)) < 0.2)
            who = rng.choice([FREE, 0, 1], case.n_classifiers, p=[0.6, 0.2, 0.2]).astype(np.int8)
            prices = rng.random(len(case.on_members)) * (rng.random(len(case.on_members)) < 0.7)
            found = [prove(case, *amounts, prices, who)]
            if turn % 4 == 0:
                conflicts.decide(who)
                sides = rng.random(case.n_patterns)
                found.append(conflicts.find(sides, 1 - sides, latest))
            for nogood in found:
                if nogood is not None:
                    watch.nogood(None, None, nogood)
                    relaxation.add(nogood)
            n = case.n_patterns + case.n_classifiers
            decided = np.where(rng.random(n) < 0.1, rng.integers(0, 2, n), FREE).astype(np.int8)
            if turn % 4 == 0:
                low, high = limits_of(decided)
                bound = relaxation.bound(low, high, -np.inf, latest)
                watch.looked(None, bound, low, high, latest)
        assert watch.wrong == []
        assert watch.seen["nogoods"]


@pytest.mark.parametrize("limit", LIMITS)
def test_prices_and_rows_of_margins(limit):
    bad, problem, watch = watched(74, limit, "margin")
    sizes, _ = Sizes.of(problem)
    rng = np.random.default_rng(74)
    for at in sizes.all():
        good, _ = price(sizes, at, np.inf)
        for prices in (good, good + rng.normal(size=len(good)) / 4, np.zeros(len(good))):
            watch.sized(sizes, sizes.bounds(prices, at))
    assert watch.wrong == []
    assert watch.seen["prices"]
    truth, units = bad.truth, bad.truth.units(problem.gains.unit)
    everyone = {tuple(bad.truth.sets.who(code)) for code in range(1, 2**bad.truth.sets.k)}
    worth = {truth.sets.who(code): int(u) for code, u in zip(truth.code, units, strict=True)}
    for size in sizes.all():
        here = at_size(problem, size)
        median = sorted(worth.values())[len(worth) // 2]
        plain, above = margin_model(here), margin_model(here, above=median)
        best = max((w for who, w in worth.items() if len(who) == size), default=None)
        if best is not None:  # by one unit is better, too
            who = next(who for who, w in worth.items() if len(who) == size and w == best)
            barely = margin_model(here, above=best - 1)
            assert satisfied(barely.model, barely.encode(who, size // 2), ROOM)
        for members in everyone:
            if len(members) != size:
                continue
            solution = plain.encode(members, size // 2)
            assert satisfied(plain.model, solution, ROOM) == (members in worth)
            if members in worth:
                told = plain.base + Fraction(plain.scale) * Fraction(
                    float(plain.model.objective @ solution)
                )
                assert abs(told - worth[members]) <= Fraction(1, 10**6) * max(1, abs(told))
                assert here.gains.floor_to_step(worth[members]) == worth[members]
                assert satisfied(above.model, solution, ROOM) == (worth[members] > median)


@pytest.mark.parametrize("growth", [0, 0.5, 1])
@pytest.mark.parametrize("kind", [vp.Ramp, vp.Hinge])
def test_no_vote_count_beats_the_corners_whatever_its_price(kind, growth):
    """Between kinks a row's worth is straight, so the counts beside them are enough."""
    bad = bad_problem(81, "required", "margin", k=9)
    for theta in (0.5, 1, 1.3, 2):
        margin = kind(theta, growth)
        problem = compiled(replace(bad, instance=replace(bad.instance, objective=margin)))
        sizes, _ = Sizes.of(problem)
        for size in sizes.all():
            least, most = sizes.ranges(size)
            counts, worth = sizes.corners(size)
            each = margin.worth(size) / (2 * margin.reach(size))
            for p in range(len(counts)):
                slopes = np.linspace(-1.2, 1.2, 49) * sizes.weights[:, p].sum() / margin.reach(size)
                there = np.arange(least[p], most[p] + 1)
                value = sizes.weights[0, p] * each[0][there] + sizes.weights[1, p] * each[1][there]
                for slope in slopes:
                    highest = (worth[p] - slope * counts[p]).max()
                    assert highest == pytest.approx((value - slope * there).max(), abs=1e-9)


@pytest.mark.parametrize("limit", OF_PLURALITY)
def test_rows_of_pluralities(limit):
    """A set of members fits the rows iff it is allowed, with what it decides and nothing else."""
    for seed in (75, 76):
        bad = bad_plurality(seed, limit)
        problem = PluralityProblem.of(bad.votes, bad.objective, bad.constraints)
        formulation, sets = plurality_model(problem), bad.truth.sets
        values, met = sets.values(bad.objective), set(bad.truth.code.tolist())
        base = np.zeros(formulation.model.n_variables)
        claims = np.flatnonzero(formulation.model.objective > 0)
        for code in range(1, 2**sets.k):
            solution = formulation.encode(sets.who(code), 0)
            assert satisfied(formulation.model, solution, ROOM) == (code in met)
            decided = problem.counts(sets.who(code)).argmax(axis=1)
            gained = problem.gain[np.arange(problem.n_patterns), decided]
            assert code not in met or (gained <= problem.gains.net).all()
            told = formulation.scale * float(formulation.model.objective @ solution)
            assert told == pytest.approx(float(values[code] / problem.gains.unit), rel=1e-12)
            if code in met and code % 5 == 0:
                for claim in claims[solution[claims] == 0]:
                    more = solution + (np.arange(len(base)) == claim)
                    assert not satisfied(formulation.model, more, ROOM)


@pytest.mark.parametrize("limit", LIMITS)
def test_rows_of_the_merged_model_on_a_region(limit):
    """With levels and conflicts given, as the engine asks about what survives."""
    _, problem, watch = watched(77, limit)
    level = int(np.median(watch.level))
    levels, _ = Levels.of(problem)
    used = np.flatnonzero(problem.gains.net != 0)
    some = [
        (int(used[i]), int(used[j]))
        for i in np.flatnonzero(levels.positive) for j in np.flatnonzero(~levels.positive)
    ]  # fmt: skip
    formulation = merged_model(
        problem, merge_classifiers=False, levels=(level, problem.n_classifiers - 1),
        conflicts=tuple(some),
    )  # fmt: skip
    for members, at in zip(watch.members, watch.level.tolist(), strict=True):
        solution = formulation.encode(np.flatnonzero(members).tolist(), at)
        assert satisfied(formulation.model, solution, ROOM) == (at >= level)


@pytest.mark.parametrize("limit", LIMITS)
def test_half_planes_and_the_closure_bound(limit):
    """The outline that limits draw, cut by closure bounds in any direction, holds every point."""
    for seed in (78, 79):
        bad, problem, _ = watched(seed, limit, "curve")
        rng, sets, truth = np.random.default_rng(seed), bad.truth.sets, bad.truth
        denominator = problem.patterns.denominator
        points = [sets.points[p] for p in np.unique(sets.place[truth.code, truth.level])]
        ratio = (
            problem.objective.formula if isinstance(problem.objective.formula, vp.Ratio) else None
        )
        if ratio is not None:
            points = [point for point in points if metric(ratio.denominator, *point)]
        outline = Outline.of(problem.objective.formula, problem.patterns, problem.metric_limits)
        for _ in range(10):
            weights = vp.Weights(*(int(w) for w in rng.integers(-3, 4, 4)))
            inner = problem.weighing(weights)
            bound = closure_bound(inner) * inner.gains.unit
            assert bound >= max(metric(weights, *point) for point in points)
            outline = outline.below(weights, bound, denominator)
        best = max(metric(bad.instance.objective, *point) for point in points)
        for tp, _, _, fp in points:
            assert all(p.holds(tp * denominator, fp * denominator) for p in outline.planes)
        assert outline.summit().score >= best
        assert outline.lattice_summit(None).score >= best
        assert outline.lattice_summit(best) is None or outline.lattice_summit(best).score > best
        least, most = outline.tp_range()
        assert all(least <= point[0] * denominator <= most for point in points)


def no_positives():
    """A ratio that is best where 0 divides 0, on a pool where some committee has it so."""
    ratio = vp.Ratio(vp.Weights(tp=1), vp.Weights(tp=1, fp=1), zero_division=1)
    for seed in range(100):
        bad = bad_problem(seed, "none", "curve", n=12)
        instance = replace(bad.instance, objective=ratio)
        truth = truth_of(instance)
        if any(value == 1 for value in truth.ranked) and truth.best == 1:
            points = [truth.sets.points[p] for p in np.unique(truth.sets.place[truth.sets.real])]
            if not any(tp and not fp for tp, _, _, fp in points):
                return Bad(instance, truth)
    raise AssertionError("there is always a positive")


@pytest.mark.parametrize("limit", [*LIMITS, "no positives"])
def test_parts_hold_everything_however_they_are_split(limit):
    for seed in (82, 83):
        bad = no_positives() if limit == "no positives" else bad_problem(seed, limit, "curve")
        problem = compiled(bad)
        watch, rng = Watch(bad, problem), np.random.default_rng(seed)
        incumbent = Incumbent(problem)
        parts = Parts(incumbent)
        watch.parts(parts, None)
        for _ in range(6):
            some = [part for part in parts.left if not part.flat]
            parts.split(some[rng.integers(len(some))])
            watch.parts(parts, None)
        assert watch.wrong == []
        assert watch.seen["nodes"] == 7
