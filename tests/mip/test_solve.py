"""What a solver says is held against what recounts, and against nothing else."""

import time
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import voteprune as vp
import voteprune.mip.solve as solve_module
from voteprune.bounds.levels import Region
from voteprune.mip.merged import merged_model
from voteprune.mip.paper import paper_model
from voteprune.mip.solve import (
    FALSE_INFEASIBLE,
    NOT_RECOUNTING,
    settle,
    solve_merged,
    solve_model,
    solve_paper,
)
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import OPTIMAL_GAP, Incumbent
from voteprune.run.run import Outcome, Run
from voteprune.solvers import Answer, Options, OutOfTime, Solver, SolverFailure, SolverInfo
from voteprune.solvers.model import TimeOver

RNG = np.random.default_rng(5)
LABELS = np.arange(70) % 2
MATRIX = np.where(RNG.random((70, 9)) < 0.7, LABELS[:, None], 1 - LABELS[:, None])


def test_members_that_do_not_recount_are_cut_off_and_the_rest_still_proves(monkeypatch):
    """After the cut the solver need not know the incumbent, which sits among the cut-off."""
    truth = vp.prune(MATRIX, LABELS, method="brute")
    asked = []

    def solve(info, model, options, start, report):
        asked.append(model.n_rows)
        if len(asked) == 1:
            # Claims for these members more than they are worth: every pattern at its best.
            boast = np.where(model.objective > 0, 1.0, np.where(model.objective < 0, 0.0, start))
            return Answer("optimal", boast, float(model.objective @ boast))
        alone = np.zeros(model.n_variables)
        alone[0] = 1.0
        return Answer("optimal", alone, float(model.objective @ alone))

    monkeypatch.setattr("voteprune.mip.solve.solve", solve)
    solution = vp.prune(MATRIX, LABELS, method="merged", start=truth.committee)
    assert asked == [asked[0], asked[0] + 1]
    assert (solution.status, solution.value, solution.incidents) == ("optimal", truth.value, ())


VOTES = vp.Votes(MATRIX, LABELS)


def run_of(problem, seconds=60.0, **more):
    return Run(Incumbent(problem), time.monotonic() + seconds, **more)


class Script:
    """Takes the place of all solvers: what it says when it is asked for the n-th time."""

    def __init__(self, monkeypatch, *answers):
        self.answers, self.calls, self.names = answers, [], []
        monkeypatch.setattr("voteprune.mip.solve.solve", self)

    def __call__(self, info, model, options, start, report):
        self.names.append(info.name)
        self.calls.append((model, options, start))
        answer = self.answers[min(len(self.calls), len(self.answers)) - 1]
        return answer(model, start, report) if callable(answer) else answer


def honest(model, start, report):
    """The start, and its worth as the bound."""
    return Answer("optimal", start, float(model.objective @ start))


def slack_of(formulation, value):
    """How far off a solver may be: a millionth of the largest number there is."""
    return 1e-6 * max(1.0, np.abs(formulation.model.objective).max(), abs(value))


def test_the_solver_is_asked_as_the_run_says(monkeypatch):
    problem = Problem.of(VOTES)
    for solver, threads in ((Solver("scipy", presolve=False, threads=3), 3), (Solver(), 2)):
        script = Script(monkeypatch, Answer("stopped", None, np.inf))
        run = run_of(problem, solver=solver, threads=2, seed=11, latest=time.monotonic() + 99)
        assert solve_model(problem, run, merged_model) == Outcome("time limit")
        ((_, options, start),) = script.calls
        assert options == Options(run.deadline, threads, 11, solver.presolve, run.latest)
        assert (script.names, start) == ([solver.name], None)
        assert run.incumbent.bound == problem.objective.ceiling


def test_the_best_committee_is_where_the_solver_begins(monkeypatch):
    problem = Problem.of(VOTES)
    script = Script(monkeypatch, honest)
    run = run_of(problem)
    run.incumbent.offer([0, 3, 4])
    formulation = merged_model(problem)
    assert solve_model(problem, run, merged_model) == Outcome("proved", trusted=("highs",))
    ((model, _, start),) = script.calls
    assert formulation.members(start) == [0, 3, 4]
    worth = formulation.base + formulation.scale * float(model.objective @ start)
    assert worth == pytest.approx(run.incumbent.score)
    assert run.incumbent.closed
    assert run.incumbent.trusted == ("highs",)
    assert run.incumbent.proved == problem.objective.ceiling


def test_outside_its_region_the_solver_need_not_know_the_best_committee(monkeypatch):
    problem = Problem.of(VOTES)
    best = vp.prune(VOTES, method="brute").committee
    inside = Region(best.size, best.size, best.threshold, best.threshold)
    outside = Region(1, 1, 0, 0, conflicts=((0, 1),))
    assert not outside.holds(best)
    for region, begins in ((inside, True), (outside, False)):
        script = Script(monkeypatch, Answer("infeasible", None, -np.inf))
        run = run_of(problem)
        run.incumbent.offer(best.members, best.threshold)
        outcome = settle(problem, run, region)
        ((model, _, start),) = script.calls
        assert (start is not None) == begins
        limits = replace(problem, size_min=region.size_min, size_max=region.size_max)
        expected = merged_model(
            limits, levels=(region.level_min, region.level_max), conflicts=region.conflicts
        ).model
        for name in ("objective", "low", "high", "row_low", "row_high"):
            assert np.array_equal(getattr(model, name), getattr(expected, name))
        if begins:
            assert outcome == Outcome("solver failed")
            assert run.incumbent.incidents == [f"highs {FALSE_INFEASIBLE}"]
        else:
            assert outcome == Outcome("proved", trusted=("highs",))
            assert run.incumbent.closed
            assert run.incumbent.trusted == ("highs",)
            assert not run.incumbent.incidents


def test_a_low_bound_outside_the_region_contradicts_nobody(monkeypatch):
    """What is best elsewhere may be better than all there is here."""
    problem = Problem.of(VOTES)
    best = vp.prune(VOTES, method="brute").committee

    def low(model, start, report):
        report(None, -1e6)
        return Answer("stopped", None, -1e6)

    Script(monkeypatch, low)
    run = run_of(problem)
    run.incumbent.offer(best.members, best.threshold)
    assert settle(problem, run, Region(1, 1, 0, 0)) == Outcome("time limit")
    assert run.incumbent.closed
    assert not run.incumbent.incidents


def test_nobody_is_asked_about_what_is_proved(monkeypatch):
    problem = Problem.of(VOTES)
    script = Script(monkeypatch, honest)
    run = run_of(problem)
    run.incumbent.offer([0])
    run.incumbent.close()
    assert settle(problem, run) == Outcome("proved")
    assert not script.calls


@pytest.mark.parametrize("method", [solve_merged, solve_paper])
def test_first_committees_come_first(method, monkeypatch):
    problem = Problem.of(VOTES)
    script = Script(monkeypatch, honest)
    run = run_of(problem)
    assert method(problem, run).termination == "proved"
    assert script.calls[0][2] is not None
    over = run_of(problem, seconds=-1)
    assert method(problem, over) == Outcome("time limit")
    assert over.incumbent.committee is not None
    assert len(script.calls) == 1
    # The paper's model has a variable for every row, the other one for every pattern.
    plain = (merged_model if method is solve_merged else paper_model)(problem).model
    assert script.calls[0][0].n_variables == plain.n_variables


def test_without_time_nothing_is_built(monkeypatch):
    problem = Problem.of(VOTES)
    script = Script(monkeypatch, honest)
    run = run_of(problem, seconds=-1)
    assert solve_model(problem, run, None) == Outcome("time limit")

    def slow(*_, **__):
        raise TimeOver

    assert solve_model(problem, run_of(problem), slow) == Outcome("time limit")
    built = []

    def late(problem, *, deadline):
        built.append(deadline)
        return merged_model(problem)

    run = run_of(problem)
    Script(monkeypatch, Answer("stopped", None, np.inf))
    solve_model(problem, run, late)
    assert built == [run.deadline]
    assert not script.calls


@pytest.mark.parametrize(("left", "times"), [(0.0, 0), (1e-3, 1), (0.5, 1)])
def test_whatever_time_is_left_is_made_use_of(left, times, monkeypatch):
    asked = []

    def solve(*_):
        asked.append(1)
        raise OutOfTime

    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    monkeypatch.setattr("voteprune.mip.solve.solve", solve)
    problem = Problem.of(VOTES)
    assert settle(problem, Run(Incumbent(problem), 100.0 + left)).termination == "time limit"
    assert len(asked) == times


def test_a_convict_is_not_asked(monkeypatch):
    problem = Problem.of(VOTES)
    script = Script(monkeypatch, honest)
    run = run_of(problem)
    run.incumbent.distrust("highs", "ended")
    assert solve_model(problem, run, None) == Outcome("solver failed")
    assert not script.calls
    run.incumbent.offer([0])
    scipy = replace(run, solver=Solver("scipy"))
    assert solve_model(problem, scipy, merged_model).termination == "proved"


def test_failures_are_told_unless_time_was_over(monkeypatch):
    problem = Problem.of(VOTES)

    def fail(error):
        def answer(*_):
            raise error

        return answer

    Script(monkeypatch, fail(SolverFailure("highs crashed")))
    run = run_of(problem)
    assert solve_model(problem, run, merged_model) == Outcome("solver failed")
    assert run.incumbent.incidents == ["highs crashed"]
    run = run_of(problem)

    def too_late(*_):
        monkeypatch.setattr("voteprune.mip.solve.time.monotonic", lambda: run.end)
        raise SolverFailure("highs does not end")

    Script(monkeypatch, too_late)
    with monkeypatch.context():
        assert solve_model(problem, run, merged_model) == Outcome("time limit")
    monkeypatch.undo()
    assert run.incumbent.incidents == ["highs does not end"]
    Script(monkeypatch, fail(OutOfTime("no time")))
    run = run_of(problem)
    assert solve_model(problem, run, merged_model) == Outcome("time limit")
    assert not run.incumbent.incidents


def test_what_a_solver_reports_on_the_way_is_recounted(monkeypatch):
    problem = Problem.of(VOTES)
    formulation = merged_model(problem)
    good = formulation.encode([0, 3, 4], 1)
    worth = float(formulation.model.objective @ good)

    def talk(model, start, report):
        report(np.zeros(3), np.inf)  # no solution of this model
        report(None, worth + 0.2)
        assert run.incumbent.trusted == ("highs",)
        report(good, np.nan)
        assert run.incumbent.members == (0, 3, 4)
        return Answer("stopped", formulation.encode([1], 0), np.inf)

    Script(monkeypatch, talk)
    run = run_of(problem)
    assert solve_model(problem, run, merged_model) == Outcome("time limit")
    assert run.incumbent.members == (0, 3, 4)
    told = Fraction(worth + 0.2) + Fraction(slack_of(formulation, worth + 0.2))
    units = formulation.base + Fraction(formulation.scale) * told
    assert run.incumbent.bound == problem.objective.reachable(units)


def test_whoever_contradicts_what_it_said_on_the_way_is_not_believed(monkeypatch):
    problem = Problem.of(VOTES)
    formulation = merged_model(problem)
    poor, good = formulation.encode([8], 0), formulation.encode([0, 3, 4], 1)
    assert formulation.model.objective @ poor < formulation.model.objective @ good

    def talk(model, start, report):
        report(None, float(model.objective @ poor))
        report(good, np.inf)
        return honest(model, good, report)

    Script(monkeypatch, talk)
    run = run_of(problem)
    assert solve_model(problem, run, merged_model) == Outcome("solver failed")
    assert run.incumbent.caught == {"highs"}
    assert len(run.incumbent.incidents) == 1
    assert run.incumbent.bound == problem.objective.ceiling


def test_nothing_found_and_nothing_left_is_infeasible(monkeypatch):
    problem = Problem.of(VOTES)
    Script(monkeypatch, Answer("infeasible", None, -np.inf))
    run = run_of(problem)
    outcome = solve_model(problem, run, merged_model)
    assert outcome == Outcome("proved", infeasible=True, trusted=("highs",))


@pytest.mark.parametrize("bound", [np.nan, -1e6])
def test_a_bound_below_what_recounts_is_not_used(bound, monkeypatch):
    problem = Problem.of(VOTES)
    Script(monkeypatch, lambda model, start, report: Answer("optimal", start, bound))
    run = run_of(problem)
    run.incumbent.offer([0])
    assert solve_model(problem, run, merged_model) == Outcome("solver failed")
    words = "highs claimed a bound below a committee that recounts; not used"
    assert run.incumbent.incidents == [words]
    assert run.incumbent.bound == problem.objective.ceiling


def test_an_optimum_comes_with_its_solution(monkeypatch):
    problem = Problem.of(VOTES)
    Script(monkeypatch, Answer("optimal", None, 0.5))
    run = run_of(problem)
    assert solve_model(problem, run, merged_model) == Outcome("solver failed")
    assert run.incumbent.incidents == ["highs claimed an optimum without a solution; not used"]


UNEVEN = vp.Votes(MATRIX, LABELS, sample_weight=np.where(np.arange(70) < 2, 3 * 10**6, 1))
"""Where a millionth of the heaviest rows, one of each class, is three others."""


@pytest.mark.parametrize(
    ("above", "told"),
    [(-0.5, "proved"), (-1.5, "low"), (0.0, "proved"), (2.5, "proved"), (3.5, "open")],
)
def test_bounds_and_optima_agree_up_to_a_solvers_tolerance(above, told, monkeypatch):
    """A bound is widened by it once; value and bound of an optimum may be four times that apart."""
    problem = Problem.of(UNEVEN)
    formulation = merged_model(problem)

    def answer(model, start, report):
        worth = float(model.objective @ start)
        return Answer("optimal", start, worth + above * slack_of(formulation, worth))

    Script(monkeypatch, answer)
    run = run_of(problem)
    wrong = np.flatnonzero((MATRIX[0] != LABELS[0]) & (MATRIX[1] == LABELS[1]))
    run.incumbent.offer(wrong[:1].tolist())  # on one of the two that matter
    outcome = solve_model(problem, run, merged_model)
    if told == "proved":
        assert outcome == Outcome("proved", trusted=("highs",))
        assert not run.incumbent.incidents
        assert run.incumbent.bound >= run.incumbent.score
        return
    assert outcome == Outcome("solver failed")
    assert run.incumbent.bound == problem.objective.ceiling
    assert run.incumbent.caught == {"highs"}
    (incident,) = run.incumbent.incidents
    assert ("below a committee" if told == "low" else "own bound does not prove") in incident


def test_tolerance_is_no_proof_where_it_is_much_of_the_value(monkeypatch):
    heavy = np.where(np.arange(70) == 0, 3 * 10**6, 1)
    votes = vp.Votes(MATRIX, LABELS, sample_weight=heavy)
    problem = Problem.of(votes, vp.Weights(tp=1, fp=-1))
    formulation = merged_model(problem)
    right = np.flatnonzero(MATRIX[0] == LABELS[0])
    worst = min(right, key=lambda k: problem.best([k])[1])
    gaps = []
    for above in (0.0, 2.0):

        def answer(model, start, report, above=above):
            worth = float(model.objective @ start)
            return Answer("optimal", start, worth + above * slack_of(formulation, worth))

        Script(monkeypatch, answer)
        run = run_of(problem)
        run.incumbent.offer([worst])
        assert 0 < run.incumbent.score * problem.gains.unit < 25
        outcome = solve_model(problem, run, merged_model)
        assert outcome == Outcome("solver tolerance", trusted=("highs",))
        gaps.append(run.incumbent.progress().gap)
    assert OPTIMAL_GAP < gaps[0] < gaps[1]


def test_an_optimum_of_nothing_has_no_gap_to_speak_of(monkeypatch):
    """What is won on one heavy row is lost on the other, and a light one is missed."""
    heavy = 3 * 10**6
    votes = vp.Votes([[1, 1], [1, 0], [0, 1]], [1, 0, 1], sample_weight=[heavy, heavy, 2])
    problem = Problem.of(votes, vp.Weights(tp=1, fp=-1))
    assert problem.best([0])[1] == 0 < problem.objective.ceiling
    formulation = merged_model(problem)

    def answer(model, start, report):
        return Answer("optimal", start, slack_of(formulation, 0.0))

    Script(monkeypatch, answer)
    run = run_of(problem)
    run.incumbent.offer([0])
    assert solve_model(problem, run, merged_model) == Outcome("proved", trusted=("highs",))
    assert run.incumbent.progress().gap == np.inf


def test_a_gap_within_rounding_is_none(monkeypatch):
    assert OPTIMAL_GAP == 1e-3
    problem = Problem.of(UNEVEN)
    formulation = merged_model(problem)

    def answer(model, start, report):
        worth = float(model.objective @ start)
        return Answer("optimal", start, worth + slack_of(formulation, worth))

    Script(monkeypatch, answer)
    run = run_of(problem)
    run.incumbent.offer([0, 3, 4])
    assert solve_model(problem, run, merged_model).termination == "proved"
    assert 0 < run.incumbent.progress().gap <= 1e-3


def boast(formulation, members):
    """A solution that has these members and decides every pattern at its best."""
    model = formulation.model
    plain = formulation.encode(members, 0)
    return np.where(model.objective > 0, 1.0, np.where(model.objective < 0, 0.0, plain))


def test_a_solver_that_keeps_boasting_is_given_up(monkeypatch):
    problem = Problem.of(VOTES)
    formulation = merged_model(problem, merge_classifiers=False)
    solution = boast(formulation, [1])
    top = float(formulation.model.objective @ solution)
    script = Script(monkeypatch, Answer("optimal", solution, top))
    run = run_of(problem)
    assert solve_model(problem, run, merged_model) == Outcome("solver failed")
    assert len(script.calls) == 100
    assert run.incumbent.incidents == [f"highs {NOT_RECOUNTING}"]
    assert run.incumbent.bound == problem.objective.ceiling


def test_members_that_were_cut_off_are_not_what_the_solver_begins_with(monkeypatch):
    problem = Problem.of(VOTES)
    formulation = merged_model(problem)
    assert formulation.binary_members is not None
    solution = boast(formulation, [0, 3, 4])
    top = float(formulation.model.objective @ solution)
    nothing = Answer("infeasible", None, -np.inf)
    script = Script(monkeypatch, Answer("optimal", solution, top), nothing)
    run = run_of(problem)
    assert solve_model(problem, run, merged_model) == Outcome("proved", trusted=("highs",))
    assert run.incumbent.members == (0, 3, 4)
    assert run.incumbent.closed
    first, second = script.calls
    assert second[0].n_rows == first[0].n_rows + 1
    assert second[2] is None
    cut = second[0].matrix[[-1]].toarray()[0]
    for members in ([0, 3, 4], [0, 3], [0, 3, 4, 5], [1]):
        chosen = formulation.encode(members, 0)
        assert (cut @ chosen >= second[0].row_low[-1]) == (members != [0, 3, 4])


def test_twins_get_variables_of_their_own_before_anybody_is_cut_off(monkeypatch):
    twins = vp.Votes(np.column_stack([MATRIX, MATRIX[:, 0]]), LABELS)
    problem = Problem.of(twins)
    formulation = merged_model(problem)
    assert formulation.binary_members is None
    solution = boast(formulation, [1])
    asked = []

    def build(problem, **named):
        asked.append({name: value for name, value in named.items() if name != "deadline"})
        assert named["deadline"] == run.deadline
        return merged_model(problem, **named)

    answer = Answer("optimal", solution, float(formulation.model.objective @ solution))
    Script(monkeypatch, answer, Answer("stopped", None, np.inf))
    run = run_of(problem)
    assert solve_model(problem, run, build) == Outcome("time limit")
    assert asked == [{}, {"merge_classifiers": False}]


def test_a_relaxation_is_refined_as_long_as_there_is_something_to_refine(monkeypatch):
    problem = Problem.of(VOTES)
    formulation = merged_model(problem)
    solution = boast(formulation, [1])
    top = float(formulation.model.objective @ solution)
    refined = []

    def refine(members):
        refined.append(members)
        return len(refined) < 150

    def stop(*_):
        return Answer("stopped", None, np.inf)

    built = []

    def build(problem, **named):
        assert named == {"deadline": run.deadline}
        built.append(1)
        return formulation

    script = Script(monkeypatch, *[Answer("optimal", solution, top)] * 150, stop)
    run = run_of(problem)
    assert solve_model(problem, run, build, refine) == Outcome("time limit")
    assert refined == [[1]] * 150  # no repair of anything
    assert len(built) == 150
    assert script.calls[-1][0].n_rows == formulation.model.n_rows + 1


def test_time_may_run_out_between_two_questions(monkeypatch):
    problem = Problem.of(VOTES)
    formulation = merged_model(problem)
    solution = boast(formulation, [1])
    run = run_of(problem)

    def refine(members):
        monkeypatch.setattr("voteprune.run.run.time.monotonic", lambda: run.deadline)
        return True

    top = float(formulation.model.objective @ solution)
    script = Script(monkeypatch, Answer("optimal", solution, top))
    assert solve_model(problem, run, lambda *_, **__: formulation, refine).termination == (
        "time limit"
    )
    assert len(script.calls) == 1


CLASH = [vp.AtMost("fp", 0), vp.AtLeast("recall", 1), vp.AtMost("size", 8)]


@pytest.mark.parametrize("seconds", [60.0, 0.0])
def test_a_clash_is_confirmed_by_another_solver_and_explained(seconds, monkeypatch):
    problem = Problem.of(VOTES, requests=CLASH)
    monkeypatch.setattr(solve_module, "EXPLAIN_SECONDS", 60.0)
    script = Script(monkeypatch, Answer("infeasible", None, -np.inf))
    run = replace(run_of(problem, seconds), solver=Solver("scipy"))
    if seconds:
        outcome = settle(problem, run)
    else:  # the proof took all the time, and a little is left to explain it
        outcome = solve_module._explained(
            problem, run, Outcome("proved", infeasible=True, trusted=("scipy",))
        )
    assert outcome == Outcome(
        "proved",
        infeasible=True,
        trusted=("scipy", "highs"),
        explanation=outcome.explanation,
    )
    assert "any one less" in outcome.explanation
    assert "fp <= 0 and recall >= 1" in outcome.explanation
    assert set(script.names) == ({"scipy", "highs"} if seconds else {"highs"})
    script = Script(monkeypatch, Answer("infeasible", None, -np.inf))
    own = run_of(problem)
    assert settle(problem, own).trusted == ("highs",)
    assert set(script.names) == {"highs"}


def test_what_another_solver_cannot_confirm_stays_one_solvers_word(monkeypatch):
    problem = Problem.of(VOTES, requests=CLASH)
    Script(monkeypatch, Answer("infeasible", None, -np.inf), Answer("stopped", None, np.inf))
    run = replace(run_of(problem), solver=Solver("scipy"))
    outcome = settle(problem, run)
    assert (outcome.infeasible, outcome.trusted) == (True, ("scipy",))
    assert "not ruled out" in outcome.explanation


def test_a_committee_that_another_solver_finds_refutes_a_clash(monkeypatch):
    asked = [vp.AtLeast("size", 2), vp.AtLeast("accuracy", 0.6)]
    problem = Problem.of(VOTES, requests=asked)

    def find(model, start, report):
        return Answer("infeasible", None, -np.inf) if script.names[-1] == "scipy" else None

    script = Script(monkeypatch, find)
    run = replace(run_of(problem), solver=Solver("scipy"))
    assert settle(problem, run) == Outcome("solver failed")
    assert run.incumbent.incidents == [f"scipy {FALSE_INFEASIBLE}"]
    assert run.incumbent.committee is not None
    assert problem.allows(run.incumbent.committee)


def test_bounds_in_units_are_exact_and_wide_enough():
    formulation = merged_model(Problem.of(UNEVEN))
    assert solve_module._units(formulation, np.inf) == np.inf
    assert solve_module._units(formulation, -np.inf) == np.inf
    for bound in (-3.0, 0.0, 0.25, 7.5):
        wide = Fraction(bound) + Fraction(slack_of(formulation, bound))
        expected = formulation.base + Fraction(formulation.scale) * wide
        assert solve_module._units(formulation, bound) == expected
        claimed = Fraction(formulation.scale) * (
            Fraction(bound) - Fraction(slack_of(formulation, bound))
        )
        least = formulation.base + claimed
        assert solve_module._reaches(formulation, least, bound)
        assert not solve_module._reaches(formulation, least - Fraction(1, 10**9), bound)
    empty = replace(formulation, model=replace(formulation.model, objective=np.zeros(3)))
    assert solve_module._slack(empty, 0.0) == 1e-6


def test_what_is_just_within_tolerance_is_within_it():
    problem = Problem.of(UNEVEN)
    formulation = merged_model(problem)
    room = 4 * Fraction(formulation.scale) * Fraction(slack_of(formulation, 0.5))
    committee = problem.committee([0], 0)
    scope = solve_module._Scope(None)
    for more, within in ((0, True), (Fraction(1, 10**9), False)):
        stands = SimpleNamespace(score=5, bound=5 + room + more, committee=committee)
        assert solve_module._closes(formulation, stands, 0.5) == within
        units = solve_module._units(formulation, 0.5) + more
        counted = SimpleNamespace(score=units, committee=committee)
        assert solve_module._bound_holds(formulation, 0.5, counted, scope) == within
    assert scope.holds(committee)
    assert not scope.holds(None)


@pytest.mark.parametrize("method", [solve_merged, solve_paper])
def test_nobody_is_asked_where_first_committees_are_perfect(method, monkeypatch):
    script = Script(monkeypatch, honest)
    perfect = Problem.of(vp.Votes(np.column_stack([LABELS, MATRIX]), LABELS))
    assert method(perfect, run_of(perfect)) == Outcome("proved")
    assert not script.calls


def test_a_solver_that_is_not_there_is_said_to_be(monkeypatch):
    def require(info):
        raise vp.InputError("solver", f"{info.name} is not installed.")

    monkeypatch.setattr(SolverInfo, "require", require)
    script = Script(monkeypatch, honest)
    problem = Problem.of(VOTES)
    with pytest.raises(vp.InputError, match="highs is not installed"):
        solve_model(problem, run_of(problem), merged_model)
    assert not script.calls


def test_members_who_are_not_allowed_are_cut_off(monkeypatch):
    """As where floats take a limit for met; there is no committee yet to hold against it."""
    problem = Problem.of(VOTES, requests=[vp.AtMost("size", 1)])
    formulation = merged_model(problem)
    wrong = formulation.encode([0, 1], 0)
    worth = float(formulation.model.objective @ wrong)
    script = Script(monkeypatch, Answer("optimal", wrong, worth), Answer("stopped", None, np.inf))
    run = run_of(problem)
    assert solve_model(problem, run, merged_model) == Outcome("time limit")
    assert run.incumbent.committee is None
    assert [call[0].n_rows for call in script.calls] == [
        formulation.model.n_rows, formulation.model.n_rows + 1,
    ]  # fmt: skip
