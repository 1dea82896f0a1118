"""Every prover, from a bad start, under every kind of limit: it tells no bound too low, loses
nothing that is better, and ends at the optimum. `make proof` runs larger ones, and thousands."""

import pytest

import voteprune as vp
from badproblems import LIMITS, OF_PLURALITY, STARTS, bad_plurality, bad_problem
from badstart import (
    Way,
    Workers,
    ended,
    faults_of_front,
    faults_of_plurality,
    faults_of_sum,
    search_switched_off,
)  # fmt: skip
from voteprune.run.incumbent import Incumbent
from voteprune.solvers import SolverFailure

WAYS = {
    "leaves alone": {"leaves": True},
    "two workers, killed": {"workers": 2, "steps": 8, "file": True},
}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("by", ["levels", "clauses"])
def test_sums_are_proved_by_levels_and_by_clauses(by, limit, tmp_path):
    for place, (name, options) in enumerate(WAYS.items()):
        file = tmp_path / f"{place}.npz" if "file" in options else None
        start = STARTS[(place + LIMITS.index(limit)) % 3]
        way = Way(by, start, **{**options, "file": file})
        wrong, watch = faults_of_sum(bad_problem(place, limit), way)
        assert wrong == [], name
        assert watch.seen["told"]
        assert watch.seen["nodes"]
        assert watch.seen["prices"]
        assert watch.seen["rows"] or by == "clauses"


@pytest.mark.slow
@pytest.mark.parametrize("by", ["levels", "clauses"])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_proof_that_is_killed_again_and_again_loses_nothing(by, workers, tmp_path):
    way = Way(by, "worst", False, workers, steps=5, file=tmp_path / "proof.npz")
    wrong, watch = faults_of_sum(bad_problem(1, "floor", k=5), way)
    assert wrong == []
    assert watch.seen["killed"] > 3


@pytest.mark.parametrize(("limit", "seed"), [("gamma", 1), ("gamma", 3), ("floor", 1)])
def test_a_committee_is_told_before_a_bound_that_leaves_it_out(limit, seed):
    """Its node was the last that could hold it: here the others' bounds are below it already."""
    wrong, _ = faults_of_sum(bad_problem(seed, limit, k=5), Way(leaves=True, steps=1000))
    assert wrong == []


@pytest.mark.parametrize("by", ["levels", "clauses"])
@pytest.mark.parametrize("limit", ["none", "gamma"])
def test_a_worker_that_dies_after_its_reports_takes_nothing_with_it(by, limit, monkeypatch):
    """What it has told stays told, so it must be true without what it would have handed back."""

    rounds = []

    def die(self, worker, tasks, report, *others, run_tasks=Workers.run_tasks):
        shares = run_tasks(self, worker, tasks, report, *others)
        rounds.append(shares)
        if len(rounds) > 1:
            raise SolverFailure("it died")
        return shares

    monkeypatch.setattr(Workers, "run_tasks", die)
    for seed in range(2):
        rounds.clear()
        wrong, _ = faults_of_sum(bad_problem(seed, limit, k=5), Way(by, leaves=True, steps=400))
        assert [line for line in wrong if "it died" not in line] == []


@pytest.mark.parametrize("limit", LIMITS)
def test_a_solver_is_asked_about_all_that_is_better(limit):
    start = ("worst", None)[LIMITS.index(limit) % 2]
    assert faults_of_sum(bad_problem(10, limit), Way("solver", start, leaves=True))[0] == []


@pytest.mark.parametrize("limit", LIMITS)
def test_curves_are_proved(limit):
    place = LIMITS.index(limit)
    way = Way(("levels", "clauses")[place % 2], STARTS[place % 3], leaves=True)
    wrong, watch = faults_of_sum(bad_problem(20 + place, limit, "curve"), way)
    assert wrong == []
    assert watch.seen["nodes"]


@pytest.mark.parametrize("limit", LIMITS)
def test_margins_are_proved(limit):
    way = Way(start=(*STARTS, None)[LIMITS.index(limit) % 4], leaves=True)
    wrong, watch = faults_of_sum(bad_problem(30, limit, "margin"), way)
    assert wrong == []
    assert watch.seen["prices"]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("limit", ["floor", "budget"])
def test_margins_are_proved_by_workers_that_are_killed(limit, workers, tmp_path):
    """Within rounds, after them, and between the turns of a solver."""
    file = tmp_path / "proof.npz"
    way = Way(start="worst", leaves=True, workers=workers, steps=1, file=file)
    wrong, watch = faults_of_sum(bad_problem(31, limit, "margin"), way)
    assert wrong == []
    assert watch.seen["killed"] > 2
    assert watch.seen["nodes"]


@pytest.mark.parametrize("limit", LIMITS)
def test_fronts_are_proved(limit):
    way = Way(start=("worst", None)[LIMITS.index(limit) % 2], leaves=True)
    wrong, watch = faults_of_front(bad_problem(40, limit, k=5), way)
    assert wrong == []
    assert watch.seen["nodes"]


@pytest.mark.parametrize("limit", OF_PLURALITY)
def test_pluralities_are_proved(limit):
    for start in ("worst", None):
        way = Way(start=start, leaves=True, steps=5)
        assert faults_of_plurality(bad_plurality(50, limit), way) == []


@pytest.mark.parametrize("limit", OF_PLURALITY)
def test_pluralities_shared_and_killed_are_proved_all_the_same(limit, tmp_path):
    bad = bad_plurality(51, limit, k=7)
    way = Way(leaves=True, workers=2, steps=10, file=tmp_path / "proof.npz")
    assert faults_of_plurality(bad, way) == []


@pytest.mark.slow
@pytest.mark.parametrize("by", ["levels", "clauses"])
def test_real_workers_share_a_proof(by, monkeypatch):
    """Processes of their own, dealt to by joblib: no bound too low, and the same end."""
    bad, told = bad_problem(60, "several", k=9, n=30), []
    tell = Incumbent._tell
    monkeypatch.setattr(
        Incumbent,
        "_tell",
        lambda self: told.append(self.bound * self.problem.gains.unit) or tell(self),
    )
    with search_switched_off(Way(by)):
        solution = vp.prune(
            bad.instance.votes, **bad.instance.request(), start=bad.truth.start("worst"), n_jobs=2,
            random_state=0,
        )  # fmt: skip
    assert list(ended(bad, solution)) == []
    assert min(told) >= bad.truth.best
