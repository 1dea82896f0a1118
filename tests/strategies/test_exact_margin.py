"""The exact method for margins: the optimum, by programs alone, and no bound below it, ever."""

import numpy as np
import pytest

import voteprune as vp
from faulty_solver import VICES
from margin_oracle import best_of, faults, margin_instance
from voteprune.bounds.closure import closure_bound
from voteprune.bounds.margin_prices import Sizes
from voteprune.numbers.exact import float_above
from voteprune.problem.problem import Problem
from voteprune.solvers import SOLVERS, SolverInfo, isolated
from voteprune.strategies import exact_margin as exact
from voteprune.tree.margins.worker import price


@pytest.fixture
def programs_only(monkeypatch):
    """Keep small pools from being enumerated."""
    monkeypatch.setattr(exact, "_ENUMERATE", 0)


@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("seed", range(200, 220))
def test_programs_prove_the_optimum_of_any_request(seed):
    """Every kind of limit, weight and scale; the bound holds at every moment of the run."""
    assert list(faults(seed)) == []


@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("solver", ["scipy", "cpsat", "scip"])
@pytest.mark.slow
def test_other_solvers_come_to_the_same_end(solver):
    if not next(known for known in vp.solvers() if known.name == solver).installed:
        pytest.skip(f"{solver} is not installed")
    votes, request, truth = margin_instance(217, most_classifiers=8)
    for margin in (vp.Ramp(0.5), vp.Hinge(0.5)):
        best = truth.best_margin(margin, request["constraints"], request["diversity"])
        solution = vp.prune(votes, **{**request, "objective": margin}, solver=solver)
        assert solution.status == "optimal", solution.summary()
        assert solution.value == pytest.approx(float(best), abs=1e-9)


@pytest.mark.usefixtures("programs_only")
@pytest.mark.parametrize("vice", ["crash", "bound too low", "false optimum", "false infeasible"])
@pytest.mark.slow
def test_a_faulty_solver_costs_neither_the_committee_nor_the_bound(vice, monkeypatch):
    monkeypatch.setitem(
        SOLVERS,
        "faulty",
        SolverInfo(
            "faulty", "faulty_solver", "numpy", "numpy", "", warm_start=True, streams=True,
            licence="none",
        ),
    )  # fmt: skip
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    votes = vp.Votes(np.where(rng.random((60, 8)) < 0.7, y[:, None], 1 - y[:, None]), y)
    truth = vp.prune(votes, objective=vp.Ramp(0.5), method="brute")
    solution = vp.prune(
        votes, objective=vp.Ramp(0.5), solver="faulty", random_state=VICES.index(vice)
    )
    isolated.end_workers()
    assert solution.status == "feasible"
    assert solution.termination == "solver failed"
    assert solution.value <= truth.value <= solution.bound
    assert all("faulty" in incident for incident in solution.incidents)


@pytest.mark.parametrize("seed", range(16))
def test_the_closure_bound_holds_where_nobody_gets_most_rows_right(seed):
    """Rows that are wrong in every committee are worth something still: they are lost by little."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 30)
    matrix = np.where(rng.random((30, 5)) < 0.8, y[:, None], 1 - y[:, None])
    matrix = np.where(rng.random((30, 1)) < 0.6, 1 - y[:, None], matrix)
    margin = (vp.Ramp, vp.Hinge)[seed % 2](1 + seed % 3)
    problem = Problem.of(vp.Votes(matrix, y), margin)
    best = vp.prune(problem.votes, objective=margin, method="brute")
    assert float_above(closure_bound(problem) * problem.gains.unit) >= best.value


@pytest.mark.parametrize("seed", range(300, 310))
def test_small_pools_are_enumerated_to_the_same_end(seed):
    votes, request, truth = margin_instance(seed)
    best = best_of(truth, request)
    solution = vp.prune(votes, **request)
    assert (None if best is None else float(best)) == solution.value


@pytest.mark.parametrize("seed", range(400, 410))
def test_any_prices_bound_every_size(seed):
    """Even senseless ones: no trust in whoever found them is needed."""
    votes, request, truth = margin_instance(seed)
    margin, rng = request["objective"], np.random.default_rng(seed)
    problem = Problem.of(votes, margin)
    sizes, scale = Sizes.of(problem)
    best = {}
    for members, _, _ in truth.committees():
        value = truth.margin_of(margin, members)
        best[len(members)] = max(value, best.get(len(members), value))
    unit = float(problem.gains.unit) * scale
    for at in sizes.all():
        good, _ = price(sizes, at, np.inf)
        for prices in (good, rng.normal(size=len(good)), np.zeros(len(good))):
            for size, bound in zip(sizes.all(), sizes.bounds(prices, at), strict=True):
                assert bound * unit >= float(best[size]) - 1e-9


def test_the_prices_of_a_program_are_better_than_none():
    votes, _, _ = margin_instance(401)
    sizes, _ = Sizes.of(Problem.of(votes, vp.Hinge(1)))
    for place, size in enumerate(sizes.all()):
        prices, members = price(sizes, size, np.inf)
        free = sizes.bounds(np.zeros_like(prices), size)[place]
        assert sizes.bounds(prices, size)[place] <= free + 1e-9
        assert len(members) == size


@pytest.mark.parametrize("kind", [vp.Ramp, vp.Hinge])
@pytest.mark.parametrize("time_limit", [0, 0.7])
@pytest.mark.slow
def test_a_bound_and_a_committee_at_any_time_on_a_larger_pool(kind, time_limit):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 120)
    votes = vp.Votes(np.where(rng.random((120, 30)) < 0.65, y[:, None], 1 - y[:, None]), y)
    solution = vp.prune(votes, objective=kind(1), time_limit=time_limit, random_state=0)
    better = vp.prune(votes, objective=kind(1), method="search", time_limit=0.7, random_state=1)
    assert solution.bound >= max(solution.value, better.value)


@pytest.mark.slow
def test_limits_are_met_and_named():
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 60)
    votes = vp.Votes(np.where(rng.random((60, 25)) < 0.75, y[:, None], 1 - y[:, None]), y)
    asked = [vp.AtMost("size", 5), vp.Require(3), vp.Forbid(4), vp.AtLeast("recall", 0.8)]
    solution = vp.prune(votes, objective=vp.Hinge(0.5), constraints=asked, time_limit=20)
    assert solution.status in ("optimal", "feasible")
    assert 3 in solution.committee.members
    assert 4 not in solution.committee.members
    assert solution.committee.size <= 5
    assert solution.confusion.tp >= 0.8 * solution.confusion.positives
    clash = vp.prune(votes, objective=vp.Ramp(1), constraints=[vp.Require(3), vp.Forbid(3)])
    assert clash.status == "infeasible"
    assert "require" in clash.explanation
