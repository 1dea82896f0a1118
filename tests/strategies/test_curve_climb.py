"""Tangent after tangent: what a method is asked, when it ends, and that every bound holds."""

import time
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent, StopRequested
from voteprune.run.run import Method, Outcome, Run
from voteprune.strategies import exact_curve
from voteprune.strategies.exact_curve import cut_by_closure, solve_any

CURVES = ("f1", "mcc", "gmean", "precision", "npv", "cohen_kappa", "jaccard")


def problem_of(seed, objective, requests=(), n=24, k=4, weight=None):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    matrix = np.where(rng.random((n, k)) < 0.7, labels[:, None], 1 - labels[:, None])
    return Problem.of(vp.Votes(matrix, labels, sample_weight=weight), objective, requests)


def all_of(problem):
    """Every committee that is allowed, and what it is worth."""
    k, found = problem.n_classifiers, {}
    for code in range(1, 2**k):
        members = [i for i in range(k) if code >> i & 1]
        for level in range(len(members)):
            committee = problem.committee(members, level)
            if problem.allows(committee):
                found[committee] = problem.score(committee)
    return found


def tried(problem, run):
    """Maximise a weighted sum by trying all, from the worst to the best."""
    found = sorted(all_of(problem).items(), key=lambda pair: pair[1])
    if not found:
        return Outcome("proved", infeasible=True, explanation="tried")
    for committee, _ in (found[0], found[-1]):
        run.incumbent.offer(committee.members, committee.threshold)
    run.incumbent.close()
    return Outcome("proved")


def method_of(solve, *, proves=True, others=None):
    return Method("scripted", "", "", solve, proves=proves, others=others or {})


class Watched(Incumbent):
    """An incumbent that knows the truth, and what has been claimed below it."""

    def __init__(self, problem, **named):
        self.truth = max(all_of(problem).values(), default=None)
        self.wrong = []
        super().__init__(problem, **named)

    def _tell(self):
        if self.truth is not None and not self.bound >= self.truth:
            self.wrong.append(self.bound)
        super()._tell()


def run_of(problem, seconds=1000.0, **more):
    return Run(Watched(problem), time.monotonic() + seconds, **more)


@pytest.fixture
def alone(monkeypatch):
    """Neither search nor closures: all that is known comes from the method."""
    monkeypatch.setattr(exact_curve, "is_small", lambda problem, most: True)


def test_other_kinds_have_functions_of_their_own():
    for objective, expected in (("accuracy", "sums"), (vp.Ramp(1), "margins")):
        problem = problem_of(0, objective)
        method = method_of(
            lambda problem, run: Outcome("sums"),
            others={"margin": lambda problem, run: Outcome("margins")},
        )
        assert solve_any(problem, method, run_of(problem)) == Outcome(expected)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("objective", CURVES)
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_proved_whatever_the_curve(objective, seed):
    weight = np.random.default_rng(seed).integers(1, 4, 24) if seed else None
    requests = [vp.AtLeast("recall", 0.6), vp.AtMost("size", 3)] if seed == 2 else []
    problem = problem_of(seed, objective, requests, weight=weight)
    run = run_of(problem)
    assert solve_any(problem, method_of(tried), run) == Outcome("proved")
    assert run.incumbent.score == run.incumbent.truth == run.incumbent.bound
    assert run.incumbent.trusted == ()
    assert not run.incumbent.wrong
    assert not run.incumbent.incidents


@pytest.mark.usefixtures("alone")
def test_a_ratio_of_ones_own_with_zeros_below():
    for seed in range(4):
        for zero in (-1, Fraction(1, 3), 2):
            ratio = vp.Ratio(vp.Weights(tp=2, fp=-1), vp.Weights(fp=1, fn=1), zero_division=zero)
            problem = problem_of(seed, ratio, n=8, k=3)
            run = run_of(problem)
            assert solve_any(problem, method_of(tried), run) == Outcome("proved")
            assert run.incumbent.score == run.incumbent.truth == run.incumbent.bound
            assert not run.incumbent.wrong


@pytest.mark.parametrize("objective", ["f1", "mcc"])
def test_search_and_closures_come_first_where_pools_are_large(objective, monkeypatch):
    monkeypatch.setattr(exact_curve, "is_small", lambda problem, most: False)
    monkeypatch.setattr(exact_curve, "_SEARCH_SECONDS", 0.05)
    problem = problem_of(5, objective, n=40, k=5)
    run = run_of(problem)
    first = []

    def ask(inner, part):
        if not first:
            first.append((run.incumbent.committee, run.incumbent.bound))
        return tried(inner, part)

    assert solve_any(problem, method_of(ask), run) == Outcome("proved")
    assert run.incumbent.score == run.incumbent.truth == run.incumbent.bound
    assert not run.incumbent.wrong
    assert not first or (first[0][0] is not None and first[0][1] < problem.objective.ceiling)


@pytest.mark.parametrize("weight", [None, np.arange(60) % 3 / 2 + 0.5])
def test_closures_alone_bound_and_stop_in_time(weight):
    problem = problem_of(1, "f1", n=60, k=6, weight=weight)
    run = run_of(problem)
    cut_by_closure(method_of(tried), run)
    assert run.incumbent.truth <= run.incumbent.bound < problem.objective.ceiling
    assert run.incumbent.proved == run.incumbent.bound
    bounds = [news.bound for news in run.incumbent.trace]
    assert all(later <= earlier for earlier, later in pairwise(bounds))
    late = run_of(problem, seconds=-1.0)
    cut_by_closure(method_of(tried), late)
    assert late.incumbent.bound == problem.objective.ceiling
    closed = run_of(problem)
    closed.incumbent.offer([0])
    closed.incumbent.close()
    cut_by_closure(method_of(tried), closed)
    assert closed.incumbent.bound == closed.incumbent.score


class Steps:
    """A heuristic that offers one committee each time it is asked, and notes the question."""

    def __init__(self, *committees):
        self.committees, self.asked, self.ended = list(committees), [], 0

    def __call__(self, problem, run):
        self.asked.append((problem.weights, run.incumbent.committee, run))
        if len(self.asked) <= len(self.committees):
            run.incumbent.offer(*self.committees[len(self.asked) - 1])
        self.ended += 1
        return Outcome("finished", explanation=str(len(self.asked)))


def climbing(problem, count):
    """So many committees, each better than the last, with their thresholds."""
    found = sorted(all_of(problem).items(), key=lambda pair: pair[1])
    better = []
    for committee, score in found:
        best = problem.best(committee.members)
        if best[0] == committee and (not better or score > better[-1][1]):
            better.append((committee, score))
    assert len(better) >= count
    return [(one.members, one.threshold) for one, _ in better[-count:]]


@pytest.mark.parametrize("steps", [1, 3, 9])
def test_a_heuristic_follows_the_tangent_at_its_own_last_committee(steps):
    problem = problem_of(3, "f1", n=60, k=5)
    committees = climbing(problem, steps)
    script = Steps(*committees)
    run = run_of(problem)
    outcome = solve_any(problem, method_of(script, proves=False), run)
    count = min(steps + 1, 8)
    assert outcome == Outcome("finished", explanation=str(count))
    assert len(script.asked) == count
    assert all(known is None for _, known, _ in script.asked)
    expected = [problem.objective.weights]
    for members, level in committees:
        told = problem.confusion(problem.committee(members, level))
        expected.append(problem.objective.curve.tangent(told))
    assert [weights for weights, _, _ in script.asked] == expected[:count]
    assert run.incumbent.members == committees[min(steps, 8) - 1][0]
    assert run.incumbent.bound == problem.objective.ceiling
    assert {asked.deadline for _, _, asked in script.asked} == {run.deadline}


def test_without_time_a_heuristic_is_asked_once():
    problem = problem_of(3, "f1", n=60, k=5)
    script = Steps(*climbing(problem, 3))
    solve_any(problem, method_of(script, proves=False), run_of(problem, seconds=-1.0))
    assert len(script.asked) == 1


def test_a_heuristic_that_finds_nothing_begins_with_the_first_tangent():
    problem = problem_of(3, "f1")
    script = Steps()
    solve_any(problem, method_of(script, proves=False), run_of(problem))
    assert [weights for weights, _, _ in script.asked] == [problem.objective.weights]


@pytest.mark.parametrize("rule", ["tuned", "majority"])
def test_thresholds_are_tuned_to_the_curve_unless_the_majority_is_asked_for(rule):
    problem = problem_of(4, "f1", n=40)
    own = problem.best([0, 1, 2])[0].threshold
    other = next(level for level in range(3) if level != own)
    script = Steps(([0, 1, 2], other))
    run = run_of(problem, threshold=rule)
    solve_any(problem, method_of(script, proves=False), run)
    assert run.incumbent.committee.threshold == (own if rule == "tuned" else other)


def test_members_who_are_named_twice_keep_their_votes():
    problem = problem_of(4, "f1", n=40)
    script = Steps(([0, 1, 1, 2], 1))
    run = run_of(problem, threshold="majority")
    solve_any(problem, method_of(script, proves=False), run)
    assert run.incumbent.committee.multiplicities == (1, 2, 1)


@pytest.mark.usefixtures("alone")
def test_a_prover_begins_with_the_best_committee():
    problem = problem_of(2, "f1")
    known = []

    def ask(inner, run):
        known.append(run.incumbent.members)
        return tried(inner, run)

    run = run_of(problem)
    run.incumbent.offer([1, 2])
    solve_any(problem, method_of(ask), run)
    assert known[0] == (1, 2)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(("objective", "shares"), [("f1", [1, 1, 1]), ("mcc", [0.4, 0.8, 1])])
def test_a_tangent_gets_more_time_when_it_had_too_little(objective, shares):
    problem = problem_of(2, objective)
    given = []

    def slow(inner, run):
        given.append((run.deadline - time.monotonic()) / outer.seconds_left)
        if len(given) < 4:
            return Outcome("time limit")
        return tried(inner, run)

    outer = run_of(problem)
    assert solve_any(problem, method_of(slow), outer) == Outcome("proved")
    assert given[:3] == pytest.approx(shares, abs=0.01)
    assert outer.incumbent.score == outer.incumbent.truth


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("ending", ["solver failed", "interrupted"])
def test_what_ends_a_tangent_for_other_reasons_ends_the_proof(ending):
    problem = problem_of(2, "f1")
    asked = []

    def fail(inner, run):
        asked.append(1)
        run.incumbent.offer([0])
        return Outcome(ending)

    run = run_of(problem)
    assert solve_any(problem, method_of(fail), run) == Outcome(ending)
    assert len(asked) == 1
    assert run.incumbent.members == (0,)
    assert run.incumbent.bound >= run.incumbent.truth


@pytest.mark.usefixtures("alone")
def test_time_that_is_over_ends_the_proof_with_a_bound():
    problem = problem_of(2, "f1")
    run = run_of(problem, seconds=-1.0)
    assert solve_any(problem, method_of(lambda *_: Outcome("time limit")), run) == Outcome(
        "time limit"
    )
    run = run_of(problem, seconds=-1.0)
    run.incumbent.offer([0])
    assert solve_any(problem, method_of(tried), run) == Outcome("time limit")
    assert run.incumbent.bound >= run.incumbent.truth
    assert len(run.incumbent.trace) >= 1


def lying(truth_first):
    """A solver that claims too little is possible."""

    def solve(inner, run):
        found = sorted(all_of(inner).items(), key=lambda pair: pair[1])
        if not found:
            return Outcome("proved", infeasible=True, trusted=("s",))
        committee = found[-1 if truth_first else 0][0]
        run.incumbent.offer(committee.members, committee.threshold)
        run.incumbent.tighten(run.incumbent.score, ["s"])
        return Outcome("proved", trusted=("s",))

    return solve


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("objective", ["f1", "mcc"])
def test_what_solvers_claim_of_tangents_is_their_word_for_the_curve(objective):
    problem = problem_of(1, objective)
    run = Run(Incumbent(problem), time.monotonic() + 1000)
    truth = max(all_of(problem).values())
    assert solve_any(problem, method_of(lying(truth_first=True)), run) == Outcome("proved")
    assert run.incumbent.score == truth
    assert run.incumbent.trusted == ("s",)
    assert run.incumbent.proved >= truth
    run = Run(Incumbent(problem), time.monotonic() + 1000)
    worst = min(all_of(problem), key=all_of(problem).get)
    run.incumbent.offer(worst.members, worst.threshold)
    outcome = solve_any(problem, method_of(lying(truth_first=False)), run)
    assert run.incumbent.proved >= truth
    if run.incumbent.score < truth:
        assert run.incumbent.trusted == ("s",) or outcome.termination == "solver failed"


@pytest.mark.usefixtures("alone")
def test_a_solver_caught_on_a_tangent_is_caught():
    problem = problem_of(1, "f1")
    run = Run(Incumbent(problem), time.monotonic() + 1000)
    run.incumbent.incidents.append("t ended before")

    def caught(inner, own):
        own.incumbent.offer([0])
        own.incumbent.distrust("s", "ended")
        return Outcome("proved")

    assert solve_any(problem, method_of(caught), run) == Outcome("solver failed")
    assert run.incumbent.incidents == ["t ended before", "s ended"]
    assert run.incumbent.caught == {"s"}
    assert run.incumbent.bound >= max(all_of(problem).values())


@pytest.mark.usefixtures("alone")
def test_incidents_are_told_though_the_user_stops_the_run():
    problem = problem_of(1, "f1")
    run = Run(Incumbent(problem, lambda news: True), time.monotonic() + 1000)

    def caught(inner, own):
        own.incumbent.distrust("s", "ended")
        own.incumbent.offer([0])
        raise AssertionError("not reached")

    with pytest.raises(StopRequested):
        solve_any(problem, method_of(caught), run)
    assert run.incumbent.incidents == ["s ended"]
    assert run.incumbent.members == (0,)


@pytest.mark.usefixtures("alone")
def test_nothing_allowed_is_said_in_the_methods_own_words():
    requests = [vp.AtLeast("tp", 12), vp.AtMost("fp", 0)]
    problem = problem_of(0, "f1", requests)
    assert not all_of(problem)
    said = Outcome("proved", infeasible=True, explanation="so it is", trusted=("s",))
    once = []
    run = run_of(problem)
    assert solve_any(problem, method_of(lambda *_: once.append(1) or said), run) == said
    assert len(once) == 1
    # Where 0 divides there are two parts; if neither is the whole, that is asked about then.
    ratio = vp.Ratio(vp.Weights(tp=1, fp=-1, fn=1), vp.Weights(fp=1), zero_division=1)
    problem = problem_of(0, ratio, requests)
    asked = []

    def clash(inner, run):
        asked.append((inner.requests, inner.weights))
        return said

    assert solve_any(problem, method_of(clash), run_of(problem)) == said
    assert [len(limits) for limits, _ in asked] == [3, 2]
    assert asked[-1] == (tuple(requests), vp.Weights())


@pytest.mark.usefixtures("alone")
def test_a_better_committee_ends_a_tangent_that_has_taken_long(monkeypatch):
    problem = problem_of(3, "f1", n=60, k=5)
    (worse, _), (better, _) = climbing(problem, 2)
    ended = []

    def long(inner, own):
        if ended:
            return tried(inner, own)
        try:
            own.incumbent.offer(better)
        finally:
            ended.append(1)
        return Outcome("finished")

    for patience, result in ((-1.0, "proved"), (1000.0, "finished")):
        monkeypatch.setattr(exact_curve, "_STALE_SECONDS", patience)
        ended.clear()
        run = run_of(problem)
        run.incumbent.offer(worse)
        assert solve_any(problem, method_of(long), run).termination == result
        assert run.incumbent.score >= problem.best(better)[1]
    # A heuristic is not cut short.
    monkeypatch.setattr(exact_curve, "_STALE_SECONDS", -1.0)
    script = Steps((worse,), (better,))
    outcome = solve_any(problem, method_of(script, proves=False), run_of(problem))
    assert outcome.termination == "finished"
    assert script.ended == len(script.asked) == 3


@pytest.mark.usefixtures("alone")
def test_bounds_on_the_way_are_told_on_the_way():
    """While a tangent is being worked on, the half-plane so far is already a bound."""
    problem = problem_of(3, "f1", n=60, k=5)
    run = run_of(problem)
    run.incumbent.offer([0])
    told = []

    def improving(inner, own):
        best = max(all_of(inner).values())
        for room in (5, 3, 1):
            own.incumbent.tighten(best + room * inner.gains.step)
            told.append(run.incumbent.bound)
        return tried(inner, own)

    assert solve_any(problem, method_of(improving), run) == Outcome("proved")
    assert told[0] > told[1] > told[2] >= run.incumbent.truth
    assert not run.incumbent.wrong


def heavy(n=24):
    """Weights so fine that no lattice of them can be looked at."""
    return 10.0**9 + np.arange(n) ** 2 / 7


@pytest.mark.usefixtures("alone")
def test_where_the_lattice_is_too_fine_few_committees_are_all_recounted():
    for seed in range(3):
        problem = problem_of(seed, "mcc", n=24, k=4, weight=heavy())
        run = run_of(problem)
        assert solve_any(problem, method_of(tried), run) == Outcome("proved")
        assert run.incumbent.score == run.incumbent.truth == run.incumbent.bound
        assert not run.incumbent.wrong
        assert run.incumbent.trusted == ()


def climb_of(problem, run, method=None):
    return exact_curve._Climb(run.incumbent, method or method_of(tried), run)


def test_trying_all_proves_the_best_or_runs_out_of_time():
    problem = problem_of(2, "gmean")
    run = run_of(problem)
    climb = climb_of(problem, run)
    assert climb._try_all() == Outcome("proved")
    assert run.incumbent.score == run.incumbent.truth == run.incumbent.bound == run.incumbent.proved
    assert not climb._parts.left
    late = run_of(problem, seconds=-1.0)
    assert climb_of(problem, late)._try_all() == Outcome("time limit")
    assert late.incumbent.committee is None


def test_a_part_is_helped_by_a_tenth_of_the_way_or_a_better_committee():
    problem = problem_of(2, "f1")
    run = run_of(problem)
    climb = climb_of(problem, run)
    (part,) = climb._parts.left
    part.asked_at = None
    assert climb._helped(part, Fraction(1))  # nothing found yet
    run.incumbent.offer([0])
    score = run.incumbent.score
    assert climb._helped(part, Fraction(1))  # not asked at this one
    part.asked_at = score
    for left, helped in ((9, True), (10, False), (8, True)):
        part.summit = replace(part.summit, score=score + Fraction(left, 100))
        assert climb._helped(part, score + Fraction(10, 100)) == helped
    for distance, near in ((10**-7, True), (10**-5, False), (0, True)):
        part.summit = replace(part.summit, score=score + Fraction(distance))
        assert climb._near(part) == near
    assert not climb_of(problem, run_of(problem))._near(part)


def test_tangents_at_points_are_rounded_and_at_committees_exact():
    problem = problem_of(2, "mcc")
    run = run_of(problem)
    climb = climb_of(problem, run)
    curve = problem.objective.curve
    assert climb._tangent_here() == problem.objective.weights
    run.incumbent.offer([0, 1])
    told = problem.confusion(run.incumbent.committee)
    assert climb._tangent_here() == curve.tangent(told)
    point = Fraction(told.tp), Fraction(told.fp)
    assert climb._tangent_at(point) == curve.tangent(told).rounded()


def test_the_constants_that_bound_a_climb():
    """What they trade is time; but a part must be split in the end, and rounding stays rounding."""
    assert Fraction(9, 10) == exact_curve._PROGRESS
    assert exact_curve._NEAR == 1e-6
    assert exact_curve._TRY_ALL == 2**12
    assert exact_curve._MOST_TANGENTS == 8


@pytest.fixture
def stuck(monkeypatch, alone):
    """No half-plane helps any more; returns how trying all and splitting were asked for."""
    noted, kept = [], []

    class Kept(exact_curve.Parts):
        def __init__(self, *given):
            super().__init__(*given)
            kept.append(self)

        def split(self, part):
            noted.append("split")
            return False

    monkeypatch.setattr(exact_curve, "Parts", Kept)
    climb = exact_curve._Climb
    monkeypatch.setattr(climb, "_helped", lambda self, part, before: False)
    monkeypatch.setattr(climb, "_try_all", lambda self: noted.append("all") or Outcome("tried"))
    return noted, kept


def asked_at_most(times, solve):
    """A method that is not asked without end."""
    asked = []

    def ask(inner, run):
        asked.append(1)
        assert len(asked) <= times, "asked again and again"
        return solve(inner, run)

    return method_of(ask)


def loose(*by):
    """Maximise a weighted sum, with a bound on it that is not met."""

    def solve(inner, run):
        committee, score = max(all_of(inner).items(), key=lambda pair: pair[1])
        run.incumbent.offer(committee.members, committee.threshold)
        run.incumbent.tighten(score + Fraction(inner.gains.ceiling - score, 2), by)
        return Outcome("proved")

    return solve


@pytest.mark.parametrize(
    ("near", "few", "by", "expected"),
    [
        (1.0, 2**4, (), ("tried", ["all"])),
        (1.0, 2**4 - 1, (), ("solver tolerance", [])),
        (1.0, 0, ("s",), ("proved", [])),
        (-1.0, 2**4, (), ("solver tolerance", ["split"])),
    ],
)
def test_what_is_done_where_tangents_can_do_no_more(near, few, by, expected, stuck, monkeypatch):
    """Few committees are tried; what is near is rounding; the rest is split if it can be."""
    noted, kept = stuck
    monkeypatch.setattr(exact_curve, "_NEAR", near)
    monkeypatch.setattr(exact_curve, "_TRY_ALL", few)
    problem = problem_of(3, "mcc", n=60, k=4)
    run = run_of(problem)
    outcome = solve_any(problem, asked_at_most(9, loose(*by)), run)
    assert (outcome.termination, noted) == expected
    assert run.incumbent.score < run.incumbent.bound
    if not noted:
        assert run.incumbent.bound == max(part.summit.score for part in kept[0].left)
    assert run.incumbent.trusted == by


def test_a_tangent_that_helps_is_followed_by_another_however_near_the_bound_is(stuck, monkeypatch):
    """What is near is rounding only where nothing helps any more: until then a run goes on."""
    noted, _ = stuck
    helping = iter(range(3))
    climb = exact_curve._Climb
    monkeypatch.setattr(
        climb, "_helped", lambda self, part, before: next(helping, None) is not None
    )
    monkeypatch.setattr(exact_curve, "_NEAR", 1.0)
    monkeypatch.setattr(exact_curve, "_TRY_ALL", 0)
    problem = problem_of(3, "mcc", n=60, k=4)
    outcome = solve_any(problem, asked_at_most(9, loose()), run_of(problem))
    assert (outcome.termination, noted) == ("solver tolerance", [])
    assert next(helping, None) is None, "it ended although a tangent had helped"


def test_a_lattice_too_fine_is_as_good_a_reason_to_try_all(stuck, monkeypatch):
    noted, _ = stuck
    monkeypatch.setattr(exact_curve, "_NEAR", -1.0)
    monkeypatch.setattr(exact_curve, "_TRY_ALL", 2**4)
    problem = problem_of(3, "mcc", n=60, k=4, weight=heavy(60))
    assert solve_any(problem, asked_at_most(9, loose()), run_of(problem)) == Outcome("tried")
    assert noted == ["all"]


@pytest.mark.parametrize("case", ["worthwhile", "not", "closed", "empty"])
def test_closures_are_taken_while_each_is_worth_its_time(case, monkeypatch):
    problem = problem_of(1, "f1", n=60, k=4)
    run = run_of(problem)
    run.incumbent.truth = None  # what is said here need not be true
    calls = []

    def closure(inner, until):
        calls.append(until)
        return {"empty": -(10**9), "not": 10**9}.get(case, inner.gains.ceiling)

    summits = []
    cut = exact_curve.Parts.cut

    def cutting(self, part, *bounds):
        cut(self, part, *bounds)
        summits.append(part.summit.score)
        if case == "worthwhile":
            lower = part.summit.score - Fraction(len(summits), 1000)
            part.summit = replace(part.summit, score=lower)

    monkeypatch.setattr(exact_curve, "closure_bound", closure)
    monkeypatch.setattr(exact_curve.Parts, "cut", cutting)
    if case == "closed":
        run.incumbent.offer([0])
        run.incumbent.close()
    cut_by_closure(method_of(tried), run)
    assert len(calls) == {"worthwhile": 12, "not": 1, "closed": 0, "empty": 1}[case]
    assert all(until < run.deadline for until in calls)


ZERO = vp.Ratio(vp.Weights(tp=1), vp.Weights(tp=1, fp=1), zero_division=2)
"""Highest where nothing is called positive, which closures know nothing of."""


@pytest.mark.usefixtures("alone")
def test_committees_that_0_divides_are_not_cut_off_nor_dropped_unseen():
    problem = problem_of(1, ZERO)
    run = run_of(problem)
    cut_by_closure(method_of(tried), run)
    assert run.incumbent.bound == 2
    for ending in ("solver failed", "interrupted"):
        run = run_of(problem)
        outcome = solve_any(problem, method_of(lambda *_, ending=ending: Outcome(ending)), run)
        assert outcome == Outcome(ending)
        assert run.incumbent.bound == 2


def test_half_a_second_is_time_enough_to_go_on(monkeypatch, alone):
    problem = problem_of(3, "f1", n=60, k=5)
    monkeypatch.setattr(Run, "seconds_left", property(lambda run: 0.5))
    run = run_of(problem)
    assert climb_of(problem, run)._try_all() == Outcome("proved")
    script = Steps(*climbing(problem, 3))
    solve_any(problem, method_of(script, proves=False), run_of(problem))
    assert len(script.asked) == 4
    run = run_of(problem)
    run.incumbent.offer([0])
    assert solve_any(problem, method_of(tried), run) == Outcome("proved")


def test_what_was_proved_before_a_solver_was_caught_is_told(stuck):
    _, kept = stuck
    problem = problem_of(3, "mcc", n=60, k=4)
    run = run_of(problem)

    def caught(inner, own):
        outcome = loose()(inner, own)
        own.incumbent.distrust("s", "ended")
        return outcome

    assert solve_any(problem, method_of(caught), run) == Outcome("solver failed")
    assert run.incumbent.bound == max(part.proved for part in kept[0].left)


@pytest.mark.parametrize(("seconds", "tangents"), [(60.0, 3), (-1.0, 1)])
def test_without_time_one_walk_is_the_last(seconds, tangents, monkeypatch):
    problem = problem_of(3, "f1", n=60, k=5)
    left, asked = climbing(problem, 2), []
    run = run_of(problem, seconds=seconds)

    def ask(self, *_):
        asked.append(1)
        if left:
            run.incumbent.offer(*left.pop(0))
        return Outcome("finished")

    monkeypatch.setattr(exact_curve._Climb, "_ask", ask)
    climb_of(problem, run)._search()
    assert len(asked) == tangents
