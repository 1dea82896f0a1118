"""Where one part hands over to another: deadlines, claims and words arrive as they were sent."""

import importlib
import json
import math
import time
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent, StopRequested
from voteprune.run.run import Run
from voteprune.solve.explain import explain
from voteprune.solve.explanation import Claim
from voteprune.solvers import Answer, OutOfTime
from voteprune.strategies import certificate
from voteprune.strategies import exact_curve as parametric
from voteprune.strategies import exact_margin as margins_exact
from voteprune.strategies import exact_plurality as plurality_exact
from voteprune.strategies.curve_parts import Parts
from voteprune.tree import dispatch
from voteprune.verify.table import read_table

explaining = importlib.import_module("voteprune.solve.explain")  # the module, not its function


def pool(seed, n=300, k=24, right=0.68):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return np.where(rng.random((n, k)) < right, y[:, None], 1 - y[:, None]), y


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["mcc", "gmean"])
def test_rows_that_all_but_weigh_the_same_hide_no_better_committee(objective):
    """What is optimal is so exactly: no solver is asked, so there is no rounding to blame."""
    rng = np.random.default_rng(7)
    for _ in range(40):
        k, n = int(rng.integers(4, 8)), int(rng.integers(10, 24))
        y, matrix = np.r_[0, 1, rng.integers(0, 2, n - 2)], rng.integers(0, 2, (n, k))
        weights = 1.0 + rng.random(n).round(3) * 1e-6
        votes = vp.Votes(matrix, y, sample_weight=weights)
        solution = vp.prune(votes, objective=objective, random_state=0)
        yardstick = solution.problem
        sets = ([i for i in range(k) if code >> i & 1] for code in range(1, 2**k))
        best = max(found[1] for found in map(yardstick.best, sets) if found is not None)
        assert (solution.status, solution.trusted) == ("optimal", ())
        assert solution.bound == solution.value
        assert yardstick.score(solution.committee) == best


def test_what_is_near_without_a_solver_is_not_called_optimal(monkeypatch):
    """Nobody's rounding: the pool is too large to be tried, and something may be left."""
    monkeypatch.setattr(parametric, "_TRY_ALL", 0)
    monkeypatch.setattr(parametric._Climb, "_near", lambda self, part: True)
    monkeypatch.setattr(parametric._Climb, "_helped", lambda self, part, before: False)
    monkeypatch.setattr("voteprune.strategies.second_opinion.is_small", lambda *_: False)
    votes = vp.Votes(*pool(1, n=30, k=5))
    solution = vp.prune(votes, objective="mcc", random_state=0)
    assert solution.status == "feasible" or solution.bound == solution.value


def test_a_certificate_writes_the_cut_of_its_run_and_finds_no_other(monkeypatch):
    solution = vp.prune(*pool(2, n=80), certificate=True, random_state=0, time_limit=20)
    monkeypatch.setattr(certificate, "closure", None)
    cut = json.loads(solution.certificate.to_json())["cut"]
    assert cut["bound"] == solution.certificate.cut.bound


def test_explanations_bound_no_longer_than_they_may(monkeypatch):
    """With no time for proofs the closure bound has a moment for each member."""
    given, closure_bound = [], explaining.closure_bound

    def hear(problem, until=math.inf):
        given.append(until - time.monotonic())
        return closure_bound(problem, until)

    monkeypatch.setattr(explaining, "closure_bound", hear)
    solution = vp.prune(*pool(3, n=60, k=8), random_state=0)
    solution.explain(time_limit=0)
    assert len(given) == solution.committee.size
    assert max(given) <= 0.2


def test_a_claim_that_an_exchange_refutes_bounds_no_member():
    """A solver said that these three are best; one swap is better, so its word is worth nothing."""
    problem = Problem.of(vp.Votes(*pool(3)), "accuracy")
    committee = problem.best([0, 1, 2])[0]
    value = float(problem.score(committee) * problem.gains.unit)
    found = explain(problem, committee, "accuracy", Claim(value, True, ("cpsat",)), 0.0)
    for role in found.members:
        if role.best is not None and role.best > value:
            assert role.trusted == ()
            assert role.bound > role.best
    assert any(role.best is not None and role.best > value for role in found.members)


def test_workers_without_time_are_no_failure_on_any_backend(monkeypatch):
    """Some of joblib's backends come back only when all is done, and raise where they are asked."""

    def raise_at_once(*_):
        raise OutOfTime("no time")

    monkeypatch.setattr(dispatch, "_send", raise_at_once)
    with pytest.raises(OutOfTime):
        dispatch.run_tasks("a module", [None, None], lambda *_: None)


def test_a_lie_caught_in_a_part_of_a_run_stays_known_when_the_run_is_stopped(monkeypatch):
    problem = Problem.of(vp.Votes(*pool(4, n=30, k=6)), vp.Ramp(1))
    incumbent = Incumbent(problem)
    incumbent.offer([0])

    def lie(problem, run, build):
        run.incumbent.distrust("highs", "lied")
        raise StopRequested

    monkeypatch.setattr(margins_exact, "solve_model", lie)
    sizes = dict.fromkeys(range(1, 7), incumbent.bound)
    queue = margins_exact._Queue(dict(sizes), dict(sizes), {}, {}, ("highs",))
    with pytest.raises(StopRequested):
        margins_exact._work_on(problem, Run(incumbent, time.monotonic() + 9), queue, [3])
    assert incumbent.caught == {"highs"}
    assert incumbent.incidents == ["highs lied"]


def test_an_optimum_without_a_solution_is_believed_for_no_number_of_classes(monkeypatch):
    monkeypatch.setattr(plurality_exact, "ENUMERATE", 0)
    monkeypatch.setattr("voteprune.mip.solve.solve", lambda *_: Answer("optimal", None, 1e9))
    matrix, y = pool(5, n=30, k=6, right=0.6)
    # Limits on classes are left to a solver.
    limit = vp.AtLeast("accuracy", 0.01)
    solution = vp.prune(vp.PluralityVotes(matrix, y), constraints=limit, random_state=0)
    assert solution.termination == "solver failed"
    assert "without a solution" in solution.incidents[0]


def test_the_bound_of_a_part_never_rises(monkeypatch):
    """At the deadline only the polygon is looked at, which may lie above the best lattice point."""
    problem = Problem.of(vp.Votes(*pool(6, n=30, k=6)), "f1")
    incumbent = parametric.Incumbent(problem)
    parts = Parts(incumbent, time.monotonic() + 60)
    (part,) = [part for part in parts.left if not part.flat][:1]
    parts.cut(part, vp.Weights(tp=1), Fraction(19, 2), Fraction(19, 2), ())
    before = part.summit.score
    parts._deadline = time.monotonic() - 1
    parts.cut(part, vp.Weights(tp=1), Fraction(10**6), Fraction(10**6), ())
    assert part.summit.score <= before
    assert part.proved <= before


def test_names_are_escaped_once(tmp_path):
    (tmp_path / "v.csv").write_text("a,y\n1,1\n")
    with pytest.raises(vp.FileFormatError, match=r"columns 'b\\x1b\[31m';"):
        read_table(tmp_path / "v.csv", ["b\x1b[31m"], "y")
