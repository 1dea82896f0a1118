"""Every piece of work looks at its deadline: when that is over, little is done, and nothing wrong.

No clock is needed to see it: a deadline in the past, and what was done is counted.
"""

import math
import time
from importlib import import_module
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from voteprune.bounds.closure import closure_bound, conflicts
from voteprune.mip.margin import margin_model
from voteprune.mip.merged import merged_model
from voteprune.mip.paper import paper_model
from voteprune.numbers.tally import tally as true_tally
from voteprune.primal import first_committees as openings
from voteprune.primal import plurality_tabu as plurality_sample
from voteprune.primal.first_committees import open_run
from voteprune.primal.search import thinned
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.solvers import OutOfTime, SolverFailure, isolated
from voteprune.solvers.model import TimeOver
from voteprune.strategies import exact_curve as parametric
from voteprune.strategies.exact_plurality import plurality_model
from voteprune.strategies.registry import METHODS

PAST = -math.inf


def pool(n=300, k=30, seed=0, share=0.5):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < share
    labels[:2] = 0, 1
    return vp.Votes((rng.random((n, k)) < 0.65) == labels[:, None], labels)


def several_classes(n=300, k=16, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    right = rng.random((n, k)) < 0.5
    return vp.PluralityVotes(np.where(right, labels[:, None], rng.integers(0, 3, (n, k))), labels)


def test_without_time_the_first_committee_that_is_allowed_must_do(monkeypatch):
    monkeypatch.setattr(openings, "LATE", 0.0)
    for requests, most in (((), 1), ([vp.AtMost("size", 3)], 2)):
        problem = Problem.of(pool(), "accuracy", requests)
        incumbent = Incumbent(problem)
        with mock.patch.object(incumbent, "offer", wraps=incumbent.offer) as offer:
            outcome = open_run(problem, Run(incumbent, PAST))
        assert outcome.termination == "time limit"
        assert incumbent.committee is not None
        assert offer.call_count <= most


@pytest.mark.parametrize("method", [name for name in METHODS if name != "brute"])
@pytest.mark.parametrize("objective", ["accuracy", "f1"])
def test_without_time_every_method_counts_a_few_committees_only(method, objective, monkeypatch):
    monkeypatch.setattr(openings, "LATE", 0.0)
    counted = []
    true_counts = Problem.counts

    def counts(self, members):
        counted.append(members)
        return true_counts(self, members)

    monkeypatch.setattr(Problem, "counts", counts)
    solution = vp.prune(pool(), objective=objective, method=method, time_limit=0, random_state=0)
    assert solution.committee is not None
    assert solution.termination in ("time limit", "finished")
    # By its name: one size after another, which are at least six of thirty.
    assert len(counted) < 16


@pytest.mark.parametrize("method", ["hc-acc", "hc-uwa", "drep", "caruana"])
def test_without_time_nobody_is_compared_with_anybody(method, monkeypatch):
    tallies = []

    def tally(weights, votes):
        tallies.append(votes)
        return true_tally(weights, votes)

    for name in ("pool", "ordering"):
        monkeypatch.setattr(import_module(f"voteprune.heuristics.{name}"), "tally", tally)
    solution = vp.prune(
        pool(), method=method, constraints=[vp.AtLeast("size", 12)], time_limit=0, random_state=0
    )
    assert solution.committee.size >= 12
    assert len(tallies) <= 3


def test_parts_of_a_run_know_when_the_whole_is_over():
    run = Run(Incumbent(Problem.of(pool())), 100.0)
    part = run.part(50.0)
    assert (part.deadline, part.end) == (50.0, 100.0)
    assert (part.part(20.0).deadline, part.part(20.0).end) == (20.0, 100.0)
    assert run.part(200.0).deadline == run.end == 100.0


def test_a_bound_in_no_time_is_a_bound():
    problem = Problem.of(pool(n=600, k=8))
    full = closure_bound(problem)
    assert full < problem.gains.ceiling
    assert full <= closure_bound(problem, PAST) <= problem.gains.ceiling
    everyone = np.arange(problem.patterns.n_patterns)
    assert len(conflicts(problem.patterns.matrix, everyone, everyone, PAST)[0]) == 0


def test_a_bound_in_half_the_time_is_between(monkeypatch):
    """The deadline comes after the first block of patterns."""
    problem = Problem.of(pool(n=600, k=8))
    clock = iter(range(10**6))
    monkeypatch.setattr(import_module("voteprune.bounds.closure"), "_BLOCK", 8)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    some = closure_bound(problem, 20.0)
    monkeypatch.undo()
    assert closure_bound(problem) < some < closure_bound(problem, PAST)


def test_models_are_given_up():
    problem = Problem.of(pool())
    margin = Problem.of(pool(), vp.Ramp(1), [vp.AtLeast("size", 3)])
    for build in (
        lambda: merged_model(problem, deadline=PAST),
        lambda: paper_model(problem, deadline=PAST),
        lambda: margin_model(
            margin.with_requests([vp.AtLeast("size", 3), vp.AtMost("size", 3)], None),
            deadline=PAST,
        ),
        lambda: plurality_model(PluralityProblem.of(several_classes()), PAST),
    ):
        with pytest.raises(TimeOver):
            build()


def test_parts_of_a_formula_end_with_the_time(monkeypatch):
    """Without time there is one look round for a committee, and no tangent after it."""
    asked = []
    true_ask = parametric._Climb._ask

    def ask(self, *arguments, **options):
        asked.append(arguments)
        return true_ask(self, *arguments, **options)

    monkeypatch.setattr(parametric._Climb, "_ask", ask)
    solution = vp.prune(pool(), objective="jaccard", time_limit=0)
    assert solution.value <= solution.bound
    assert len(asked) == 1


SLOW = isolated.Worker("slow_starter", "slow")


def test_a_worker_is_not_even_started_when_time_is_over():
    with mock.patch.object(isolated, "_Process") as worker, pytest.raises(OutOfTime):
        isolated.call(SLOW, (1,), time.monotonic(), lambda *_: None)
    worker.assert_not_called()


@pytest.mark.slow
def test_a_worker_that_starts_too_slowly_is_there_for_the_next():
    try:
        began = time.monotonic()
        with pytest.raises(OutOfTime):
            isolated.call(SLOW, (1,), began + 0.2, lambda *_: None)
        assert not isolated._idle["slow"][0]._ready
        (worker,) = isolated._idle["slow"]
        deadline = time.monotonic() + 60
        assert isolated.call(SLOW, (7,), deadline, lambda *_: None) == 7
        assert isolated._idle["slow"] == [worker]
    finally:
        isolated.end_workers()


@pytest.mark.parametrize(("more", "patient"), [(0.0, False), (30.0, True)])
def test_who_does_not_stop_is_ended_at_the_end_of_the_run(more, patient, monkeypatch):
    """Where only a part of a run is over it has a while longer."""
    monkeypatch.setattr(isolated, "GRACE", 0.1)
    monkeypatch.setattr(isolated, "PATIENCE", 7.0)
    waited = []
    worker = mock.Mock(process=mock.Mock(pid=0))

    def hear(last_call, complaint):
        waited.append(last_call - time.monotonic())
        raise SolverFailure(complaint)

    worker.hear = hear
    worker.get_ready = lambda name, last_call: None
    monkeypatch.setattr(isolated, "_take", lambda name, module: worker)
    deadline = time.monotonic() + 2.0
    with pytest.raises(SolverFailure, match="did not stop at its time limit"):
        isolated.call(isolated.Worker("x"), (), deadline, lambda *_: None, end=deadline + more)
    assert waited[0] == pytest.approx(2 + 7 + 0.2 if patient else 2 + 0.1 + 0.04, abs=0.05)
    worker.end.assert_called_once_with()


def test_building_the_problem_counts(monkeypatch):
    true_of = Problem.of.__func__

    def slowly(cls, *arguments, **options):
        time.sleep(0.3)
        return true_of(cls, *arguments, **options)

    monkeypatch.setattr(Problem, "of", classmethod(slowly))
    solution = vp.prune(pool(), time_limit=0.25, random_state=0)
    assert solution.seconds >= 0.3
    assert solution.termination == "time limit"
    assert all(progress.seconds >= 0.3 for progress in solution.trace)


@pytest.mark.parametrize("share", [0.5, 0.02])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_of_rows_weighs_as_much_as_all(share, weighted):
    rng = np.random.default_rng(0)
    votes = pool(n=5000, k=5, share=share)
    if weighted:
        weights = rng.integers(0, 3, 5000)
        votes = vp.Votes(votes.matrix, votes.labels, sample_weight=weights)
    some = votes.thinned(600, rng)
    assert some.n_rows <= 600
    assert (some.weights > 0).all()
    for label in (False, True):
        counted = (votes.labels == label) & (votes.weights > 0)
        assert (some.labels == label).sum() == min(300, counted.sum())
        whole = votes.weights[counted].sum() / votes.denominator
        part = some.weights[some.labels == label].sum() / some.denominator
        assert part == pytest.approx(whole, rel=0.1 if weighted else 1e-12)
    full = votes.thinned(10**6, rng)
    assert sorted(map(tuple, full.matrix.tolist())) == sorted(
        map(tuple, votes.matrix[votes.weights > 0].tolist())
    )


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["accuracy", "balanced_accuracy", "f1", vp.Ramp(1)])
@pytest.mark.parametrize("method", ["exact", "search"])
def test_a_search_on_a_sample_finds_committees_of_the_whole(objective, method, monkeypatch):
    monkeypatch.setattr("voteprune.primal.search._MOST_IN_HASTE", 25 * 1000)
    rng = np.random.default_rng(0)
    labels = rng.random(3000) < 0.5
    right = rng.random((3000, 25)) < 0.7
    # The better half err together, so that the first committees one would try are no good.
    right[:, :12] = (rng.random(3000) < 0.8)[:, None] ^ (rng.random((3000, 12)) < 0.02)
    votes = vp.Votes(right == labels[:, None], labels)
    requests = [vp.AtMost("size", 7), vp.Forbid(3)]
    solution = vp.prune(
        votes, objective=objective, method=method, constraints=requests, time_limit=0.6,
        random_state=0,
    )  # fmt: skip
    plain = vp.prune(votes, objective=objective, method=method, constraints=requests, time_limit=0)
    problem = solution.problem
    assert problem.votes is votes
    assert problem.allows(solution.committee)
    assert solution.value > plain.value
    if solution.bound is not None:
        assert solution.value <= solution.bound


def test_a_sample_keeps_the_sizes_and_the_diversity_of_the_whole():
    problem = Problem.of(pool(n=3000, k=25), "accuracy", [vp.AtLeast("size", 2)], "F3")
    with mock.patch("voteprune.primal.search._MOST_IN_HASTE", 4000):
        some, own = thinned(problem, Incumbent(problem), 0, 1.0)
    assert some is own.problem
    assert some.votes.n_rows <= 4000 // 25
    assert (some.size_min, some.size_max) == (problem.size_min, problem.size_max)
    assert some.floors is problem.floors


@pytest.mark.slow
def test_plurality_committees_from_a_sample_are_committees_of_the_whole(monkeypatch):
    votes = several_classes(n=2000)
    problem = PluralityProblem.of(votes)
    run = Run(Incumbent(problem), math.inf)
    monkeypatch.setattr(plurality_sample, "_MOST_ENTRIES", 20 * 16)
    some, part = plurality_sample.thinned(problem, run)
    assert some.n_patterns <= 20
    part.incumbent.offer([0, 1, 2])
    assert run.incumbent.members == (0, 1, 2)
    for patterns in (20, 200):
        monkeypatch.setattr(plurality_sample, "_MOST_ENTRIES", patterns * 16)
        solution = vp.prune(votes, method="search", time_limit=0.5, random_state=0)
        members = solution.committee.members
        assert solution.value == pytest.approx(float(problem.score(members) * problem.gains.unit))
        assert solution.value >= vp.prune(votes, method="full").value


@pytest.mark.parametrize("asked", [{}, {"method": "merged"}, {"objective": "f1"}])
def test_limits_are_kept_on_many_rows(asked):
    votes = pool(n=200_000, k=22)
    began = time.monotonic()
    solution = vp.prune(votes, time_limit=0.3, random_state=0, **asked)
    took = time.monotonic() - began
    assert took < 12  # a busy machine; ten times as long before there were deadlines
    assert solution.seconds == pytest.approx(took, abs=0.5)
    assert solution.value <= solution.bound
