"""When a second opinion is asked for, of whom, and what becomes of the first."""

import time

import numpy as np
import pytest

import voteprune as vp
from voteprune.mip.solve import FALSE_INFEASIBLE
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Method, Outcome, Run
from voteprune.strategies import second_opinion as module
from voteprune.strategies.second_opinion import second_opinion, whom_to_trust

LABELS = np.arange(20) % 2
RNG = np.random.default_rng(1)
MATRIX = np.where(RNG.random((20, 5)) < 0.7, LABELS[:, None], 1 - LABELS[:, None])
VOTES = vp.Votes(MATRIX, LABELS)


class Bench:
    """A problem, its run, and methods that do as they are told and note how they were asked."""

    def __init__(self, monkeypatch, *, small, solve, objective="accuracy", seconds=1000.0):
        self.problem = Problem.of(VOTES, objective)
        self.run = Run(
            Incumbent(self.problem), time.monotonic() + seconds, checkpoint="file", record=[],
            seed=7,
        )  # fmt: skip
        self.incumbent, self.asked, self.closures = self.run.incumbent, [], []

        def method(name):
            def asked(problem, run):
                assert problem is self.problem
                known = run.incumbent.committee
                self.asked.append((name, run, known and (known.members, known.threshold)))
                return solve(run)

            return Method(name, "", "", asked, others={"curve": asked})

        methods = {name: method(name) for name in ("brute", "search")}
        monkeypatch.setattr(module, "METHODS", methods)
        monkeypatch.setattr(module, "is_small", lambda problem, most: small)
        monkeypatch.setattr(module, "solve_any", lambda problem, one, run: one.solve(problem, run))
        monkeypatch.setattr(module, "bound_by_closure", self.close)
        self.closing = lambda: None

    def close(self, problem, run):
        assert (problem, run) == (self.problem, self.run)
        self.closures.append(1)
        self.closing()

    def claimed(self, members=(0,)):
        """A committee that a solver has called the best."""
        self.incumbent.offer(list(members))
        self.incumbent.tighten(self.incumbent.score, ["s"])
        assert self.incumbent.closed
        return Outcome("proved", trusted=("s",))


def nothing(run):
    return Outcome("finished")


def tried(run):
    """Every committee; the best is the first that beats the others."""
    for code in range(1, 2**5):
        run.incumbent.offer([k for k in range(5) if code >> k & 1])
    run.incumbent.close()
    return Outcome("proved")


BEST = Problem.of(VOTES)


@pytest.mark.parametrize("termination", ["time limit", "solver failed", "finished"])
def test_what_proves_nothing_needs_no_second_opinion(termination, monkeypatch):
    bench = Bench(monkeypatch, small=True, solve=tried)
    bench.claimed()
    outcome = Outcome(termination)
    assert second_opinion(bench.problem, bench.run, outcome) is outcome
    assert not bench.asked


def test_nor_does_what_is_proved(monkeypatch):
    bench = Bench(monkeypatch, small=True, solve=tried)
    bench.incumbent.offer([0])
    bench.incumbent.close()
    for outcome in (Outcome("proved"), Outcome("proved", infeasible=True)):
        assert second_opinion(bench.problem, bench.run, outcome) is outcome
    assert not bench.asked
    empty = Bench(monkeypatch, small=True, solve=lambda run: Outcome("proved", infeasible=True))
    outcome = Outcome("proved", infeasible=True)
    assert second_opinion(empty.problem, empty.run, outcome) is outcome
    assert not empty.asked


def test_nor_is_there_one_without_time(monkeypatch):
    bench = Bench(monkeypatch, small=True, solve=tried, seconds=-1.0)
    outcome = bench.claimed()
    assert second_opinion(bench.problem, bench.run, outcome) is outcome
    assert not bench.asked


def test_half_a_second_is_time(monkeypatch):
    bench = Bench(monkeypatch, small=True, solve=tried)
    monkeypatch.setattr(Run, "seconds_left", property(lambda run: 0.5))
    assert second_opinion(bench.problem, bench.run, bench.claimed()) == Outcome("proved")
    assert len(bench.asked) == 1


def test_on_small_pools_everything_is_tried(monkeypatch):
    bench = Bench(monkeypatch, small=True, solve=tried)
    best = max(bench.problem.best([k for k in range(5) if code >> k & 1])[1]
               for code in range(1, 32))  # fmt: skip
    outcome = second_opinion(bench.problem, bench.run, bench.claimed((1,)))
    ((name, run, known),) = bench.asked
    assert (name, known) == ("brute", ((1,), 0))
    assert (run.deadline, run.seed) == (bench.run.deadline, 7)
    assert (run.checkpoint, run.record) == (None, None)
    assert run.incumbent is not bench.incumbent
    assert not bench.closures
    assert outcome == Outcome("proved")
    assert bench.incumbent.score == best
    assert (bench.incumbent.closed, bench.incumbent.trusted) == (True, ())


def test_the_threshold_of_what_is_known_is_kept(monkeypatch):
    bench = Bench(monkeypatch, small=True, solve=nothing)
    bench.incumbent.offer([0, 1, 2], 2)
    bench.incumbent.tighten(bench.incumbent.score, ["s"])
    assert second_opinion(bench.problem, bench.run, Outcome("proved")) == Outcome("proved")
    assert bench.asked[0][2] == ((0, 1, 2), 2)
    assert bench.incumbent.committee.threshold == 2


def test_elsewhere_there_is_a_moment_of_search(monkeypatch):
    bench = Bench(monkeypatch, small=False, solve=nothing)
    outcome = bench.claimed()
    began = time.monotonic()
    assert second_opinion(bench.problem, bench.run, outcome) is outcome
    ((name, run, _),) = bench.asked
    assert name == "search"
    assert began + 0.5 <= run.deadline <= time.monotonic() + 0.5
    assert bench.closures == [1]
    assert bench.incumbent.trusted == ("s",)
    # A twentieth of what is left, where that is less.
    short = Bench(monkeypatch, small=False, solve=nothing, seconds=4.0)
    second_opinion(short.problem, short.run, short.claimed())
    assert short.asked[0][1].deadline <= time.monotonic() + 0.2
    assert short.asked[0][1].latest == short.run.deadline


def test_a_closure_may_be_proof_enough(monkeypatch):
    bench = Bench(monkeypatch, small=False, solve=nothing)
    outcome = bench.claimed()
    bench.closing = bench.incumbent.close
    assert second_opinion(bench.problem, bench.run, outcome) is outcome
    assert not bench.asked
    assert bench.incumbent.trusted == ()
    # Not where it has been asked already, nor for what is no weighted sum.
    again = Bench(monkeypatch, small=False, solve=nothing)
    outcome = again.claimed()
    again.incumbent.tighten(again.problem.gains.ceiling - again.problem.gains.step)
    second_opinion(again.problem, again.run, outcome)
    assert (again.closures, len(again.asked)) == ([], 1)
    curve = Bench(monkeypatch, small=False, solve=nothing, objective="f1")
    outcome = curve.claimed()
    curve.incumbent.proved = curve.problem.gains.ceiling  # units of a tangent, not of the curve
    second_opinion(curve.problem, curve.run, outcome)
    assert (curve.closures, len(curve.asked)) == ([], 1)


def test_a_better_committee_refutes_the_claim(monkeypatch):
    for found, score in (([0, 1, 2, 3, 4], None), ([0, 1, 2], 2)):

        def offer(run, found=found, score=score):
            run.incumbent.offer(found, score)
            return Outcome("time limit")

        bench = Bench(monkeypatch, small=False, solve=offer)
        worst = min(range(5), key=lambda k: bench.problem.best([k])[1])
        outcome = bench.claimed((worst,))
        expected = bench.problem.best(found, score)[1]
        ended = second_opinion(bench.problem, bench.run, outcome)
        if expected > bench.problem.best([worst])[1]:
            assert ended == Outcome("solver failed")
            assert bench.incumbent.caught == {"s"}
            assert bench.incumbent.score == expected
        else:
            assert ended is outcome


def test_nothing_is_allowed_says_the_second_too(monkeypatch):
    said = Outcome("proved", infeasible=True, explanation="because")
    bench = Bench(monkeypatch, small=True, solve=lambda run: said)
    first = Outcome("proved", infeasible=True, trusted=("s",))
    assert second_opinion(bench.problem, bench.run, first) is said
    assert bench.asked[0][2] is None


def test_a_committee_refutes_whoever_said_that_there_is_none(monkeypatch):
    def finds(run):
        run.incumbent.offer([2, 3], 1)
        return Outcome("finished")

    first = Outcome("proved", infeasible=True, trusted=("s", "t"))
    bench = Bench(monkeypatch, small=False, solve=finds)
    assert second_opinion(bench.problem, bench.run, first) == Outcome("solver failed")
    assert bench.incumbent.incidents == [f"{name} {FALSE_INFEASIBLE}" for name in ("s", "t")]
    assert bench.incumbent.members == (2, 3)
    assert bench.incumbent.committee.threshold == 1
    bench = Bench(monkeypatch, small=True, solve=tried)
    assert second_opinion(bench.problem, bench.run, first) == Outcome("proved")
    assert bench.incumbent.closed
    # Whoever is found beside a claim of an optimum makes nobody a liar by being there.
    bench = Bench(monkeypatch, small=False, solve=nothing)
    outcome = bench.claimed()
    second_opinion(bench.problem, bench.run, outcome)
    assert not bench.incumbent.incidents
    # Nobody found, nothing said.
    bench = Bench(monkeypatch, small=False, solve=nothing)
    assert second_opinion(bench.problem, bench.run, first) is first


def test_an_optimum_within_rounding_is_looked_at_again(monkeypatch):
    """Nobody's word is the bound, but that what is left is rounding is a solver's."""
    bench = Bench(monkeypatch, small=True, solve=tried)
    bench.incumbent.offer([0])
    outcome = Outcome("proved", trusted=("s",))
    assert second_opinion(bench.problem, bench.run, outcome) == Outcome("proved")
    assert len(bench.asked) == 1
    bench = Bench(monkeypatch, small=True, solve=tried)
    bench.incumbent.offer([0])
    second_opinion(bench.problem, bench.run, Outcome("proved"))
    assert len(bench.asked) == 1


def test_whose_word_an_answer_is():
    incumbent = Incumbent(BEST)
    incumbent.offer([0])
    said = Outcome("proved", trusted=("o",))
    assert whom_to_trust(incumbent, said, "infeasible") == ("o",)
    assert whom_to_trust(incumbent, said, "optimal") == ("o",)  # open, so it is rounding
    assert whom_to_trust(incumbent, said, "feasible") == ()
    incumbent.tighten(incumbent.score, ["s"])
    for status in ("optimal", "feasible"):
        assert whom_to_trust(incumbent, said, status) == ("s",)
    assert whom_to_trust(incumbent, said, "infeasible") == ("o",)
    incumbent.close()
    assert whom_to_trust(incumbent, said, "optimal") == ()


def test_a_moment_is_half_a_second_at_most():
    assert (module._SECONDS, module._SHARE) == (0.5, 0.05)
