"""Whose word an answer is: a solver's is never passed off as a proof, and a proof needs no word."""

import json
from unittest import mock

import numpy as np
import pytest

import faulty_solver
import voteprune as vp
from certified import write_votes
from faulty_solver import seed_of
from voteprune.mip import solve as mip
from voteprune.primal import polish
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Outcome
from voteprune.solve import solve as carrying
from voteprune.solve.solution import Solution
from voteprune.solvers import SOLVERS, SolverInfo, solve
from voteprune.strategies import exact as engine
from voteprune.strategies import exact_margin as margins_exact
from voteprune.strategies import exact_plurality as plurality_exact
from voteprune.strategies import second_opinion
from voteprune.strategies.registry import METHODS
from voteprune.strategies.second_opinion import whom_to_trust
from voteprune.tree.sizes import driver as proving
from voteprune.verify import verify


def pool(seed, n=60, k=10, low=0.55, high=0.75):
    """Labels and votes of classifiers that err independently."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    right = rng.random((n, k)) < rng.uniform(low, high, k)
    return np.where(right, y[:, None], 1 - y[:, None]), y


def uneven(seed=2, n=60, k=18):
    """Rows that differ in how hard they are, so that no committee gets all of them right."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    right = rng.random((n, k)) < np.clip(0.75 + rng.normal(0, 0.3, (n, 1)), 0.02, 0.98)
    return np.where(right, y[:, None], 1 - y[:, None]), y


def large(seed=0):
    """A pool too large to be tried, in which two members do not get everything right."""
    return pool(seed, n=40, k=20, low=0.6, high=0.8)


PAIR = [vp.AtMost("size", 2)]


@pytest.fixture
def asked(monkeypatch):
    """The names of the MIP solvers that were really asked, in order."""
    names = []

    def counting(info, *arguments):
        names.append(info.name)
        return solve(info, *arguments)

    monkeypatch.setattr(mip, "solve", counting)
    return names


@pytest.fixture
def liar(monkeypatch):
    """A solver of this name lies, all others are asked in earnest; enumeration comes last."""
    facts = ("faulty", "faulty_solver", "numpy", "numpy", "")
    info = SolverInfo(*facts, warm_start=True, streams=True, licence="none")
    monkeypatch.setitem(SOLVERS, "faulty", info)

    def lying(info, model, options, start, report):
        if info.name == "faulty":
            return faulty_solver.solve(model, options, start, report)
        return solve(info, model, options, start, report)

    for module, limit in (
        (engine, "ENUMERATE"),
        (margins_exact, "_ENUMERATE"),
        (plurality_exact, "ENUMERATE"),
    ):
        monkeypatch.setattr(module, limit, 0)
    monkeypatch.setattr(mip, "solve", lying)


def without_opinion():
    """Nobody tries anything after a solver has spoken."""
    return mock.patch.multiple(
        carrying,
        second_opinion=lambda problem, run, outcome: outcome,
        polish=lambda problem, run: None,
    )


def search_alone():
    """All pools count as too large to be tried."""
    return mock.patch.object(second_opinion, "ENUMERATE", 0)


MODELS = {
    "merged": {"method": "merged"},
    "paper": {"method": "paper"},
    "limits": {
        "method": "merged",
        "constraints": [vp.AtMost("size", 4), vp.AtLeast("recall", 0.6)],
    },
    "ratio": {"method": "merged", "objective": "f1"},
    "curve": {"method": "merged", "objective": "mcc"},
}
"""Requests that are nothing but a model for a solver."""


def lied_to(seed, lie, n=60, k=10, **request):
    """What the best committee is worth, and what `prune` makes of a liar's answers."""
    matrix, y = pool(seed, n, k)
    truth = vp.prune(matrix, y, **{**request, "method": "brute"})
    solution = vp.prune(matrix, y, **request, solver="faulty", random_state=seed_of(lie))
    assert solution.value <= truth.value
    assert all(incident.startswith("faulty claimed") for incident in solution.incidents)
    return truth.value, solution


@pytest.mark.usefixtures("liar")
@pytest.mark.parametrize("lie", ["start as optimum", "optimum too early"])
@pytest.mark.parametrize("model", ["merged", "ratio"])
def test_on_small_pools_a_lie_costs_neither_the_optimum_nor_its_proof(model, lie):
    """Pools most of which the liar gets wrong: all are tried, and what it did is told.

    Only where it contradicts what is known already is it dismissed before.
    """
    caught = optimal = 0
    for seed in range(8):
        best, solution = lied_to(seed, lie, 40, 8, **MODELS[model])
        assert solution.trusted == ()
        if solution.status == "optimal":
            assert solution.value == best
        else:
            assert solution.termination == "solver failed"
            assert solution.incidents
            assert solution.bound >= best
        optimal += solution.status == "optimal"
        caught += bool(solution.incidents)
    assert optimal >= 2
    assert caught >= 2


@pytest.mark.usefixtures("liar")
@pytest.mark.parametrize("model", MODELS)
def test_where_nobody_looks_again_the_answer_says_whose_word_it_is(model):
    """A false "optimal" is never without the liar's name."""
    false = 0
    for seed in range(8):
        with without_opinion():
            best, solution = lied_to(seed, "start as optimum", **MODELS[model])
        if solution.bound < best:
            false += 1
            assert solution.trusted == ("faulty",)
            assert solution.summary().startswith("Optimal, on faulty's word: no committee")
            assert json.loads(solution.to_json())["trusted"] == ["faulty"]
    assert false >= 3


@pytest.mark.usefixtures("liar")
def test_who_looks_for_fewer_members_refutes_some_lies():
    """What is better than the claimed optimum is kept, and the claim is not."""
    silent = mock.patch.object(carrying, "second_opinion", lambda problem, run, outcome: outcome)
    caught = 0
    for seed in range(8):
        with silent, mock.patch.object(polish, "_try_smaller", return_value=False):
            best, solution = lied_to(seed, "start as optimum", method="merged")
        assert solution.bound >= best or solution.trusted == ("faulty",)
        if solution.incidents:
            caught += 1
            assert (solution.status, solution.termination) == ("feasible", "solver failed")
            assert solution.bound >= best
    assert caught


@pytest.mark.slow
@pytest.mark.usefixtures("liar")
def test_a_moment_of_search_refutes_most_lies_about_pools_that_are_too_large_to_try():
    caught = []
    for seed in range(5):
        with search_alone():
            best, solution = lied_to(seed, "start as optimum", method="merged")
        if solution.incidents:
            assert solution.incidents == (
                "faulty claimed a bound that a committee found later exceeds; not used",
            )
            assert (solution.status, solution.termination) == ("feasible", "solver failed")
            assert solution.bound >= best
        else:
            assert solution.trusted == ("faulty",) or solution.value == best
        caught.append(bool(solution.incidents))
    assert sum(caught) >= 3


@pytest.mark.slow
@pytest.mark.usefixtures("liar")
@pytest.mark.parametrize("model", ["merged", "ratio"])
def test_a_solver_that_contradicts_itself_is_not_believed(model):
    """It says that nothing is better than its start, and then hands in something better."""
    caught = 0
    for seed in range(12):
        with without_opinion():
            best, solution = lied_to(seed, "contradicts itself", 24, 7, **MODELS[model])
        if solution.incidents:
            caught += 1
            assert solution.termination == "solver failed"
            assert solution.trusted == ()
            assert solution.bound >= best
        else:
            assert (solution.status, solution.value) == ("optimal", best)
    assert caught >= 4


LIMITED = (vp.AtLeast("accuracy", 0.01),)
"""With limits on classes plurality votes are left to a solver."""


@pytest.mark.slow
@pytest.mark.usefixtures("liar")
def test_margins_and_classes_say_whose_word_it_is_too(monkeypatch):
    """Without a search the liar has something to hide."""
    monkeypatch.setattr(margins_exact, "search", lambda *_, **__: None)
    monkeypatch.setattr(plurality_exact.Searching, "search", lambda *_: None)
    false = 0
    for seed in range(4):
        matrix, y = pool(seed, n=30, k=7)
        for votes, objective, limits in (
            (vp.Votes(matrix, y), vp.Ramp(0.5), ()),
            (vp.PluralityVotes(matrix, y), "accuracy", LIMITED),
        ):
            truth = vp.prune(votes, objective=objective, constraints=limits, method="brute")
            assert truth.trusted == ()
            with without_opinion():
                solution = vp.prune(
                    votes, objective=objective, constraints=limits, solver="faulty",
                    random_state=seed_of("start as optimum"),
                )  # fmt: skip
            if solution.status == "optimal" and solution.value < truth.value:
                false += 1
                assert solution.trusted == ("faulty",)
                assert "on faulty's word" in solution.summary()
                assert solution.explain(time_limit=0).trusted == ("faulty",)
                again = type(solution).from_json(solution.to_json())
                assert again.trusted == solution.trusted
            else:
                assert solution.bound >= truth.value
    assert false >= 3


@pytest.mark.usefixtures("liar")
def test_a_false_infeasible_is_refuted_by_whoever_finds_a_committee(monkeypatch):
    """By HiGHS, by trying all, by a moment's search; and labelled where nobody does."""
    matrix, y = pool(0)
    monkeypatch.setattr(mip, "open_run", lambda problem, run: None)
    asking = {"method": "merged", "constraints": [vp.AtLeast("size", 2)]}
    lie = {"solver": "faulty", "random_state": seed_of("infeasible without a start")}
    with without_opinion():
        solution = vp.prune(matrix, y, **asking, **lie)
    assert solution.committee is not None
    assert solution.incidents == (f"faulty {mip.FALSE_INFEASIBLE}",)

    monkeypatch.setattr(mip, "_SECOND", "faulty")
    best = vp.prune(matrix, y, **{**asking, "method": "brute"}).value
    solution = vp.prune(matrix, y, **asking, **lie)
    assert (solution.status, solution.value, solution.trusted) == ("optimal", best, ())
    assert solution.incidents == (f"faulty {mip.FALSE_INFEASIBLE}",)
    with search_alone():
        solution = vp.prune(matrix, y, **asking, **lie)
    assert (solution.status, solution.termination) == ("feasible", "solver failed")
    assert solution.bound >= best
    with without_opinion():
        solution = vp.prune(matrix, y, **asking, **lie)
    assert (solution.status, solution.trusted) == ("infeasible", ("faulty",))
    assert solution.summary().startswith("Infeasible, on faulty's word: no committee")


def test_a_perfect_classifier_needs_no_solver(asked):
    """However large the pool: it reaches what no committee can exceed."""
    matrix, y = pool(0, k=30)
    matrix[:, 4] = y
    solution = vp.prune(matrix, y, certificate=True)
    assert solution.status == "optimal"
    assert (asked, solution.trusted, solution.certificate.trusted) == ([], (), ())


OWN = {
    "tried": (pool(0), {}),
    "cut": (pool(2, n=40, k=22, low=0.8, high=0.9), {}),
    "levels": (large(), {"constraints": PAIR}),
    "hinge": (large(), {"constraints": PAIR, "objective": vp.Hinge(0.5)}),
    "ratio": (large(), {"constraints": PAIR, "objective": "f1"}),
    "infeasible": (pool(0), {"constraints": [vp.AtMost("size", 1), vp.AtLeast("accuracy", 1)]}),
}


@pytest.mark.parametrize("path", OWN)
def test_what_voteprune_proves_rests_on_nobodys_word(path, asked):
    votes, request = OWN[path]
    solution = vp.prune(*votes, **request, random_state=0)
    assert solution.termination == "proved"
    assert (asked, solution.trusted) == ([], ())
    assert solution.summary().startswith(("Optimal: no", "Infeasible: no"))


@pytest.mark.slow
def test_clauses_rest_on_nobodys_word(asked, monkeypatch):
    ended = []
    refute = engine._prove_by_nogoods

    def refuting(problem, run, *rest):
        refute(problem, run, *rest)
        ended.append(run.incumbent.closed)

    monkeypatch.setattr(engine, "ENUMERATE", 0)
    monkeypatch.setattr(engine, "_prove_by_nogoods", refuting)
    monkeypatch.setattr(engine.NogoodsDriver, "promises", staticmethod(lambda *_: True))
    monkeypatch.setattr(engine.NogoodsDriver, "hopeless", lambda self, late: False)
    start = vp.prune(*uneven(), method="search", time_limit=1).committee
    solution = vp.prune(*uneven(), start=start, random_state=0)
    assert (ended, asked, solution.trusted) == ([True], [], ())


def test_a_front_rests_on_nobodys_word(asked):
    front = vp.front(*pool(0, n=30, k=6), time_limit=20)
    assert all(point.optimal and point.trusted == () for point in front.points)
    assert asked == []


SOLVED = {
    "merged": {"method": "merged"},
    "paper": {"method": "paper"},
    "ratio": {"method": "merged", "objective": "f1"},
    "ramp": {"objective": vp.Ramp(0.5)},
    "infeasible": {"method": "merged", "constraints": [*PAIR, vp.AtLeast("accuracy", 0.99)]},
    "exact": {"constraints": [*PAIR, vp.AtLeast("accuracy", 0.99)]},
    "no margin": {
        "objective": vp.Ramp(0.5),
        "constraints": [*PAIR, vp.AtLeast("accuracy", 0.99)],
    },
}


@pytest.mark.parametrize("path", SOLVED)
def test_what_a_solver_settled_says_so(path, asked, monkeypatch):
    monkeypatch.setattr(engine, "ENUMERATE", 0)  # committees of two are tried in a moment
    solution = vp.prune(*large(), **{"constraints": PAIR, **SOLVED[path]}, random_state=0)
    assert solution.termination == "proved"
    assert set(asked) == {"highs"}
    assert solution.trusted == ("highs",)
    assert solution.summary().startswith(("Optimal, on HiGHS's word", "Infeasible, on HiGHS's"))


@pytest.mark.slow
@pytest.mark.parametrize("whom", [["highs"], []])
def test_the_certificate_names_the_solver_that_was_asked_and_no_other(
    whom, asked, monkeypatch, tmp_path
):
    """Sizes and thresholds that are nearly refuted go to a solver, or are branched here."""
    monkeypatch.setattr(engine.NogoodsDriver, "promises", staticmethod(lambda *_: False))
    monkeypatch.setattr(proving, "_CLOSE", 1.0 if whom else -1.0)
    solution = vp.prune(*uneven(), certificate=True, random_state=0)
    assert solution.status == "optimal"
    assert asked == whom
    assert solution.trusted == tuple(whom)
    claims = tuple((name, solution.certificate.bound) for name in whom)
    assert solution.certificate.trusted == claims
    solution.certificate.save(tmp_path / "c.json")
    write_votes(tmp_path / "v.csv", solution.problem)
    monkeypatch.setattr("voteprune.verify.trying.MOST", 1)  # else the checker tries them all
    checked = verify(tmp_path / "c.json", tmp_path / "v.csv", target="label")
    assert checked.holds
    assert checked.proved == (not whom)


def test_several_classes_that_a_solver_settled_say_so(asked, monkeypatch):
    monkeypatch.setattr(plurality_exact, "ENUMERATE", 0)
    votes = vp.PluralityVotes(*pool(0, n=20, k=6))
    solution = vp.prune(votes, constraints=LIMITED, random_state=0)
    assert (solution.status, asked, solution.trusted) == ("optimal", ["highs"], ("highs",))
    # Either budget leaves a pair, so counting is not enough.
    dear_first, dear_last = vp.Budget([5, 5, 5, 1, 1, 1], 2), vp.Budget([1, 1, 1, 5, 5, 5], 2)
    clash = dear_first, dear_last, vp.AtLeast("size", 2)
    solution = vp.prune(votes, constraints=[*clash, *LIMITED])
    assert (solution.status, solution.trusted) == ("infeasible", ("highs",))
    assert solution.summary().startswith("Infeasible, on HiGHS's word: no")


def test_several_classes_are_proved_on_nobodys_word(asked, monkeypatch):
    monkeypatch.setattr(plurality_exact, "ENUMERATE", 0)
    votes = vp.PluralityVotes(*pool(0, n=20, k=6))
    solution = vp.prune(votes, random_state=0)
    assert (solution.status, asked, solution.trusted) == ("optimal", [], ())
    clash = vp.Budget([5, 5, 5, 1, 1, 1], 2), vp.Budget([1, 1, 1, 5, 5, 5], 2)
    solution = vp.prune(votes, constraints=[*clash, vp.AtLeast("size", 2)])
    assert (solution.status, asked, solution.trusted) == ("infeasible", [], ())


def test_no_more_than_rounding_is_left_on_the_word_of_whoever_says_so(incumbent):
    """The bound is proved, but not that nothing lies between it and the best committee."""
    incumbent.offer([0])
    rounded = Outcome("proved", trusted=("x",))
    assert whom_to_trust(incumbent, rounded, "optimal") == ("x",)
    assert whom_to_trust(incumbent, rounded, "feasible") == ()
    incumbent.close()
    assert whom_to_trust(incumbent, rounded, "optimal") == ()


def test_pools_of_one_pattern_are_no_less_solvable_for_being_larger():
    """Twenty-one are too many to try, however few patterns there are."""
    for votes in (
        vp.Votes(np.ones((3, 21)), [1, 0, 1]),
        vp.PluralityVotes(np.ones((3, 21)), [1, 0, 1]),
    ):
        solution = vp.prune(votes)
        assert (solution.status, solution.value) == ("optimal", 2 / 3)
    assert vp.prune(np.ones((3, 21)), [1, 0, 1], objective=vp.Ramp(0.5)).status == "optimal"


@pytest.mark.slow
def test_two_solvers_that_agree_are_both_named(asked):
    solution = vp.prune(*large(), **SOLVED["infeasible"], solver="scipy")
    assert set(asked) == {"scipy", "highs"}
    assert solution.trusted == ("scipy", "highs")
    assert solution.summary().startswith("Infeasible, on SciPy's and HiGHS's word: no")


@pytest.mark.parametrize("method", ["search", "hc-uwa"])
def test_what_proves_nothing_rests_on_nothing(method):
    assert vp.prune(*pool(0), method=method).trusted == ()


@pytest.mark.slow
def test_a_bound_on_a_solvers_word_says_so_though_the_time_was_up(asked):
    solution = vp.prune(*pool(0, n=90, k=18, low=0.5, high=0.6), method="merged", time_limit=1.5)
    assert solution.status == "feasible"
    assert solution.trusted == ("highs",) == tuple(asked)
    assert solution.summary().startswith("Feasible, on HiGHS's word: at most")


@pytest.mark.slow
def test_explanations_and_tables_say_whose_word_it_is():
    solution = vp.prune(*large(), method="merged", constraints=PAIR, random_state=0)
    why = solution.explain(time_limit=0)
    assert why.trusted == ("highs",)
    assert "no committee exceeds 0.95, on HiGHS's word" in why.summary()
    # What voteprune knows by itself of committees without a member is less.
    assert all(role.trusted == ("highs",) for role in why.members)
    small = vp.prune(*pool(0)).explain(time_limit=5)
    assert small.trusted == ()
    assert all(role.trusted == () for role in small.members)

    found = vp.compare(
        *large(), methods=["merged", "search"], constraints=PAIR, time_limit=10, random_state=0
    )
    assert [row.trusted for row in found.rows] == [("highs",), ()]
    head, merged, search = found.table().splitlines()
    assert head.endswith("word of")
    assert merged.endswith("highs")
    assert search.endswith("-")
    assert [line.split(",")[-1] for line in found.to_csv().splitlines()] == ["trusted", "highs", ""]
    rows = json.loads(found.to_json())["rows"]
    assert [row["trusted"] for row in rows] == [["highs"], []]
    assert "word of" not in vp.compare(*pool(0), methods=["exact"]).table()


def test_without_a_member_that_it_needs_a_verdict_says_whose_word_it_is(asked):
    """What is possible without each member is settled by a solver here."""
    solution = vp.prune(*large(), method="merged", constraints=PAIR, random_state=0)
    with mock.patch.dict(METHODS, {"exact": METHODS["merged"]}):
        why = solution.explain(time_limit=20)
    needed = [role for role in why.members if role.verdict == "needed"]
    assert needed
    for role in needed:
        assert role.trusted == ("highs",)
        assert "needed, on HiGHS's word" in why.summary()


def test_a_file_that_does_not_say_may_rest_on_the_solver_it_names():
    solution = vp.prune(*pool(0), method="merged")
    assert solution.trusted == ()
    assert Solution.from_json(solution.to_json()) == solution
    older = json.loads(solution.to_json())
    del older["trusted"]
    assert Solution.from_json(json.dumps(older)).trusted == ("highs",)
    older["solver"] = None
    assert Solution.from_json(json.dumps(older)).trusted == ()


@pytest.fixture
def incumbent():
    return Incumbent(Problem.of(vp.Votes(*pool(0))))


def test_a_ledger_keeps_a_claim_beside_what_is_proved(incumbent):
    top = incumbent.bound
    incumbent.tighten(top - 10, by=("x",))
    assert (incumbent.bound, incumbent.proved, incumbent.trusted) == (top - 10, top, ("x",))
    incumbent.tighten(top - 5)
    assert (incumbent.bound, incumbent.proved, incumbent.trusted) == (top - 10, top - 5, ("x",))
    incumbent.tighten(top - 10)
    assert (incumbent.bound, incumbent.proved, incumbent.trusted) == (top - 10, top - 10, ())
    incumbent.tighten(top - 12, by=("x",))
    assert incumbent.trusted == ("x",)
    incumbent.tighten(top - 14)
    assert (incumbent.bound, incumbent.trusted) == (top - 14, ())


def test_a_better_committee_refutes_a_claim_and_whoever_made_it(incumbent):
    ranked = sorted((incumbent.problem.best([k])[1], k) for k in range(10))
    worse, better = ranked[0], ranked[-1]
    incumbent.offer([worse[1]])
    incumbent.tighten(better[0] + 3)
    incumbent.tighten(worse[0], by=("x",))
    assert incumbent.closed
    incumbent.offer([better[1]])
    assert (incumbent.score, incumbent.bound, incumbent.trusted) == (better[0], better[0] + 3, ())
    assert incumbent.incidents == [
        "x claimed a bound that a committee found later exceeds; not used"
    ]
    assert not incumbent.tighten(better[0], by=("x",))
    assert not incumbent.closed
    assert incumbent.tighten(better[0], by=("y",))
    assert incumbent.closed


def test_a_better_plurality_committee_refutes_a_claim_too():
    incumbent = Incumbent(PluralityProblem.of(vp.PluralityVotes(*pool(0))))
    ranked = sorted((incumbent.problem.score([k]), k) for k in range(10))
    incumbent.offer([ranked[0][1]])
    incumbent.tighten(ranked[0][0], by=("x",))
    assert incumbent.closed
    incumbent.offer([ranked[-1][1]])
    assert (incumbent.bound, incumbent.trusted) == (incumbent.problem.gains.ceiling, ())
    assert (incumbent.caught, len(incumbent.incidents)) == ({"x"}, 1)


def test_a_bound_of_our_own_that_a_committee_refutes_is_owned_up_to(incumbent):
    incumbent.tighten(0)
    incumbent.offer([0])
    assert incumbent.bound == incumbent.proved == incumbent.problem.gains.ceiling
    assert "fault of voteprune" in incumbent.incidents[0]


def test_an_account_keeps_claims_as_a_ledger_does():
    problem = Problem.of(vp.Votes(*pool(0)), "f1")
    incumbent = Incumbent(problem)
    incumbent.offer([0])
    low, top = incumbent.score, incumbent.bound
    incumbent.restate(low, top, ("x",))
    assert (incumbent.closed, incumbent.trusted) == (True, ("x",))
    incumbent.restate(low, low, ("x",))
    assert (incumbent.closed, incumbent.trusted) == (True, ())
    incumbent = Incumbent(problem)
    incumbent.offer([0])
    incumbent.restate(low, top, ("x",))
    incumbent.offer(range(10))
    assert (incumbent.bound, incumbent.trusted, incumbent.caught) == (top, (), {"x"})
    incumbent.restate(incumbent.score, top, ("x",))
    assert not incumbent.closed
    incumbent.close()
    assert (incumbent.closed, incumbent.trusted) == (True, ())
