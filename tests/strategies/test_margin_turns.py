"""Sizes in turns with a solver: what is asked, what is believed, and when it is over."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Outcome, Run
from voteprune.solvers import Solver
from voteprune.strategies import exact_margin as exact
from voteprune.strategies.exact_margin import _Queue, _settle, _Turn, _work_on, solve_margin
from voteprune.tree.checkpoint import SizeBounds
from voteprune.tree.margins.driver import at_size

NAME = Solver().name


def started(members=(0, 1, 2), k=6, seconds=60.0, **more):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    votes = vp.Votes(np.where(rng.random((30, k)) < 0.65, y[:, None], 1 - y[:, None]), y)
    problem = Problem.of(votes, vp.Ramp(0.5))
    run = Run(Incumbent(problem), time.monotonic() + seconds, **more)
    if members is not None:
        run.incumbent.offer(list(members))
    return problem, run


def queue_of(bounds, **more):
    known = {"proved": dict(bounds), "waiting": dict(bounds), "settled": {}, "turns": {},
             "who": (NAME,)}  # fmt: skip
    return _Queue(**{**known, **more})


def test_a_queue_begins_with_all_that_is_proved_or_where_another_stopped():
    bounds = {1: 10, 2: 20, 3: 30}
    fresh = _Queue.of(bounds, None, "here")
    assert (fresh.proved, fresh.waiting, fresh.settled, fresh.turns) == (bounds, bounds, {}, {})
    assert fresh.waiting is not bounds
    assert fresh.who == ("here",)
    assert (fresh.failures, fresh.vouched) == (0, False)
    # What was priced, but never asked about, waits as it is.
    assert _Queue.of(bounds, SizeBounds(proved={1: 5}), "here").waiting == bounds
    kept = SizeBounds(waiting={2: 25, 3: 4, 9: 99}, settled={1: 7}, turns={2: 8.0},
                      trusted=("there", "here"))  # fmt: skip
    again = _Queue.of(bounds, kept, "here")
    assert again.waiting == {2: 20, 3: 4}
    assert (again.settled, again.turns, again.who) == ({1: 7}, {2: 8.0}, ("there", "here"))
    assert _Queue.of(bounds, kept, "else").who == ("there", "here", "else")
    state = again.state()
    assert (state.waiting, state.settled, state.turns) == ({2: 20, 3: 4}, {1: 7}, {2: 8.0})
    assert state.trusted == ("there", "here")


def test_the_highest_come_first_and_of_equals_the_smaller_ones():
    queue = queue_of({1: 10, 2: 30, 3: 30, 4: 40}, settled={5: 35})
    best = SimpleNamespace(size=1)
    assert queue.next(best, 2) == [1]  # first of all who can be vouched by
    assert queue.next(None, 2) == [4, 2]
    queue.vouched = True
    assert queue.next(best, 3) == [4, 2, 3]
    assert queue.next(best, 1) == [4]
    assert queue.bound(0) == 40
    queue.drop(None)
    assert len(queue.waiting) == 4
    queue.drop(30)
    assert queue.waiting == {4: 40}
    queue.drop(40)
    assert queue.waiting == {}
    assert queue.bound(0) == 35
    assert queue.bound(36) == 36


def scripted(monkeypatch, *turns):
    """Turns that do to the queue what a solver would; what they were given is noted."""
    asked, left = [], list(turns)

    def work_on(problem, run, queue, sizes, meanwhile=None):
        asked.append((list(sizes), meanwhile))
        left.pop(0)(run, queue, sizes)

    monkeypatch.setattr(exact, "_work_on", work_on)
    return asked


def gone(run, queue, sizes):
    """Nothing better there."""
    queue.vouched = True
    for size in sizes:
        queue.waiting.pop(size, None)


def test_sizes_are_asked_about_until_none_is_left(monkeypatch):
    problem, run = started()
    score = run.incumbent.score
    asked = scripted(monkeypatch, gone, gone, gone)
    bounds = {1: score + 4, 3: score + 8, 5: score + 2, 6: score}
    outcome = _settle(problem, run, bounds)
    assert outcome.termination == "proved"
    # That of the best committee vouches for the solver; what cannot be better is not asked about.
    assert [sizes for sizes, _ in asked] == [[3], [1], [5]]
    assert run.incumbent.closed
    assert run.incumbent.trusted == (NAME,)
    assert run.incumbent.proved > score


def test_what_is_proved_by_bounds_alone_is_nobodys_word(monkeypatch):
    problem, run = started()
    scripted(monkeypatch)
    score = run.incumbent.score
    assert _settle(problem, run, {1: score, 2: score - 3}).termination == "proved"
    assert run.incumbent.closed
    assert run.incumbent.trusted == ()


def test_the_bound_is_the_largest_that_waits_or_is_settled(monkeypatch):
    problem, run = started()
    score, step = run.incumbent.score, problem.gains.step
    seen = []

    def look(run, queue, sizes):
        seen.append(run.incumbent.bound)
        queue.vouched = True
        queue.waiting[1] = score + 2 * step
        queue.settled[2] = score + 3 * step
        queue.waiting.pop(2)

    def last(run, queue, sizes):
        seen.append(run.incumbent.bound)
        gone(run, queue, sizes)

    asked = scripted(monkeypatch, look, last)
    outcome = _settle(problem, run, {1: score + 5 * step, 2: score + 9 * step})
    assert seen == [score + 9 * step, score + 3 * step]
    assert [sizes for sizes, _ in asked] == [[3], [1]]
    # Something is left within the tolerance of whoever settled it.
    assert (outcome.termination, outcome.trusted) == ("solver tolerance", (NAME,))
    assert run.incumbent.bound == score + 3 * step


def test_what_a_hairs_breadth_is_left_of_counts_as_proved(monkeypatch):
    problem, run = started()
    score = run.incumbent.score
    monkeypatch.setattr(exact, "OPTIMAL_GAP", 1.0)

    def settle(run, queue, sizes):
        queue.vouched = True
        queue.settled[3] = queue.waiting.pop(3)

    scripted(monkeypatch, settle)
    outcome = _settle(problem, run, {3: score + problem.gains.step})
    assert (outcome.termination, outcome.trusted) == ("proved", (NAME,))


def test_it_ends_when_time_is_up_or_the_solver_is_not_to_be_believed(monkeypatch):
    problem, run = started(seconds=-1.0)
    scripted(monkeypatch)
    assert _settle(problem, run, {1: run.incumbent.score + 9}).termination == "time limit"

    def fail(run, queue, sizes):
        queue.failures += 1

    problem, run = started()
    asked = scripted(monkeypatch, fail, fail, fail)
    assert _settle(problem, run, {1: run.incumbent.score + 9}).termination == "solver failed"
    assert len(asked) == 2

    def lie(run, queue, sizes):
        run.incumbent.distrust(NAME, "lied")

    problem, run = started()
    asked = scripted(monkeypatch, lie, fail)
    assert _settle(problem, run, {1: run.incumbent.score + 9}).termination == "solver failed"
    assert len(asked) == 1


def test_nothing_is_allowed_where_no_size_is_left_without_a_committee(monkeypatch):
    problem, run = started(None)
    asked = scripted(monkeypatch, gone, gone)
    outcome = _settle(problem, run, {1: 10, 2: 20})
    assert (outcome.termination, outcome.infeasible) == ("proved", True)
    assert outcome.trusted == (NAME,)
    assert [sizes for sizes, _ in asked] == [[2], [1]]
    nobody = _settle(problem, run, {})
    assert (nobody.infeasible, nobody.trusted) == (True, ())


def test_what_was_said_is_put_on_file_after_every_turn_and_searching_goes_on(monkeypatch):
    problem, run = started()
    score, kept = run.incumbent.score, []
    driver = SimpleNamespace(kept=None, keep=kept.append)
    searching = SimpleNamespace(begin_round=lambda worker: (2, "meanwhile"))
    asked = scripted(monkeypatch, gone, gone)
    bounds = {1: score + 4, 2: score + 5, 3: score + 6}
    _settle(problem, run, bounds, driver, searching)
    assert asked == [([3], "meanwhile"), ([2, 1], "meanwhile")]
    assert [state.waiting for state in kept] == [{1: score + 4, 2: score + 5}, {}]
    driver.kept = SizeBounds(waiting={2: score + 1}, settled={}, turns={}, trusted=())
    problem, run = started()
    asked = scripted(monkeypatch, gone, gone)
    _settle(problem, run, bounds, driver, searching)
    assert asked == [([3], "meanwhile"), ([2], "meanwhile")]


def answering(monkeypatch, answer):
    """A solver that does this; what it was given is noted."""
    asked = []

    def solve_model(problem, run, build):
        asked.append((problem, run, build))
        return answer(problem, run)

    monkeypatch.setattr(exact, "solve_model", solve_model)
    return asked


def test_a_size_is_asked_for_something_better_and_for_twice_as_long_next_time(monkeypatch):
    problem, run = started()
    score = run.incumbent.score
    queue = queue_of({2: score + 4, 3: score + 6})
    asked = answering(monkeypatch, lambda problem, run: Outcome("time limit"))
    for turn, seconds in enumerate((4.0, 8.0)):
        _work_on(problem, run, queue, [2])
        here, look, build = asked[turn]
        assert (here.size_min, here.size_max) == (2, 2)
        assert look.seconds_left == pytest.approx(seconds, abs=1)
        assert build.keywords == {"above": score}
        assert look.incumbent is not run.incumbent
        assert look.incumbent.bound <= score + 4
    assert queue.turns == {2: 8.0}
    # Values of a size have a grid of their own.
    assert queue.waiting == {2: at_size(problem, 2).gains.floor_to_step(score + 4), 3: score + 6}
    assert queue.vouched
    # Where the best committee is, the solver must find it again.
    _work_on(problem, run, queue, [3])
    here, look, build = asked[-1]
    assert build.keywords == {"above": score - 1}
    assert look.incumbent.committee == run.incumbent.committee
    assert look.incumbent.proved <= score + 6
    queue.waiting.pop(3)
    _work_on(problem, run, queue, [3])
    assert queue.waiting[3] == score


def test_without_a_committee_anything_is_better(monkeypatch):
    problem, run = started(None)
    queue = queue_of({2: 100})
    asked = answering(monkeypatch, lambda problem, run: Outcome("time limit"))
    _work_on(problem, run, queue, [2])
    assert asked[0][2].keywords == {"above": None}


@pytest.mark.parametrize(
    ("outcome", "left", "settled"),
    [
        (Outcome("proved", infeasible=True), None, None),
        (Outcome("proved"), None, 2),
        (Outcome("solver tolerance"), None, 2),
        (Outcome("time limit"), 2, None),
        (Outcome("solver failed"), 2, None),
    ],
)
def test_how_a_turn_ends_says_what_becomes_of_its_size(outcome, left, settled, monkeypatch):
    problem, run = started((0,))
    score, step = run.incumbent.score, problem.gains.step
    queue = queue_of({2: score + 9 * step, 3: score + step})

    def answer(problem, run):
        run.incumbent.tighten(score + 2 * step, (NAME,))
        return outcome

    answering(monkeypatch, answer)
    _work_on(problem, run, queue, [2])
    above = queue.waiting.get(2)
    assert (above is None) == (left is None)
    assert above is None or above <= score + 2 * step
    assert (2 in queue.settled) == (settled is not None)
    assert queue.settled.get(2, score) <= score + 2 * step
    failed = outcome.termination == "solver failed"
    assert (queue.failures, queue.vouched) == (int(failed), not failed)
    # The bound of the run follows while the others wait.
    assert run.incumbent.bound <= score + 2 * step
    assert run.incumbent.bound >= score + step


def best_pair(problem):
    pairs = [(i, j) for i in range(6) for j in range(i)]
    return max(pairs, key=lambda pair: problem.best(list(pair))[1])


@pytest.mark.parametrize("meanwhile", [False, True])
def test_what_a_solver_finds_is_the_runs(meanwhile, monkeypatch):
    problem, run = started((0,))
    found = best_pair(problem)
    worth = problem.best(list(found))[1]
    queue = queue_of({2: worth + 50, 3: worth + 20})
    here = threading.get_ident()

    def answer(problem, run):
        if problem.size_min == 2:
            run.incumbent.offer(list(found))
        run.incumbent.incidents.append(f"size {problem.size_min}")
        return Outcome("time limit")

    answering(monkeypatch, answer)
    offers, offer = [], run.incumbent.offer

    def watched(*given):
        offers.append(threading.get_ident())
        return offer(*given)

    run.incumbent.offer = watched
    strides = []

    def stride():
        time.sleep(0.01)
        return strides.append(1) or len(strides) < 3

    _work_on(problem, run, queue, [2, 3], stride if meanwhile else None)
    assert run.incumbent.score == worth
    assert set(offers) == {here}  # nobody else touches it
    assert sorted(run.incumbent.incidents) == ["size 2", "size 3"]
    assert queue.turns == {2: 4.0, 3: 4.0}


def test_several_at_once_share_the_threads(monkeypatch):
    problem, run = started((0,), threads=5)
    queue = queue_of({2: 10**9, 3: 10**9})
    asked = answering(monkeypatch, lambda problem, run: Outcome("time limit"))
    _work_on(problem, run, queue, [2, 3])
    assert [look.threads for _, look, _ in asked] == [2, 2]


def test_all_are_given_up_once_the_best_is_known_or_something_breaks(monkeypatch):
    problem, run = started((0,))
    queue, given_up = queue_of({2: 10**9, 3: 10**9}), []
    free = threading.Event()
    monkeypatch.setattr(exact, "give_up", lambda worker: given_up.append(worker) or free.set())

    def answer(problem, run):
        run.incumbent.incidents.append("given up")
        free.wait(30)
        return Outcome("solver failed")

    answering(monkeypatch, answer)

    def close():
        run.incumbent.close()
        return True

    _work_on(problem, run, queue, [2, 3], close)
    assert len(given_up) == 1
    # Who was given up has nothing to say, and has not failed.
    assert queue.failures == 0
    assert run.incumbent.incidents == []
    free.clear()
    problem, run = started((0,))

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _work_on(problem, run, queue, [2, 3], stop)
    assert len(given_up) == 2
    assert run.incumbent.incidents == ["given up"] * 2


def test_a_lie_stays_known_whoever_was_given_up():
    problem, run = started((0,))
    turn = _Turn(problem, run, queue_of({2: 10**9}), 2, lambda _: None)
    turn.own.distrust(NAME, "lied")
    turn.own_up(silently=True)
    assert run.incumbent.caught == {NAME}
    assert run.incumbent.incidents == []
    turn.own_up()
    assert run.incumbent.incidents == [f"{NAME} lied"]


class Stages:
    """Stand-ins for what comes before the turns; what was called is noted."""

    def __init__(self, monkeypatch):
        self.log, self.went_on, self.bounds, self.opened, self.small = (
            [],
            [True],
            {1: 5},
            None,
            False,
        )
        stages = self

        class Driver:
            def __init__(self, problem, run, until):
                stages.log.append("driver")
                stages.until = until
                self.bounds = stages.bounds

            def rounds(self, until, searching):
                assert until == stages.until
                for went_on in stages.went_on:
                    stages.log.append("round")
                    yield went_on

        def note(name, answer=None):
            def called(*given, **named):
                stages.log.append(name)
                stages.given = given, named
                return answer() if callable(answer) else answer

            return called

        monkeypatch.setattr(exact, "MarginsDriver", Driver)
        for name, answer in {
            "is_small": lambda: stages.small, "enumerate_margins": Outcome("tried"),
            "open_run": lambda: stages.opened, "bound_by_closure": None, "search": None,
            "_settle": lambda: stages.outcome, "_explain": "they clash",
            "MarginTabuSearch": "tabu", "Searching": "searching",
        }.items():  # fmt: skip
            monkeypatch.setattr(exact, name, note(name, answer))
        self.outcome = Outcome("settled")


def test_the_stages_come_in_their_order(monkeypatch):
    stages, (problem, run) = Stages(monkeypatch), started()
    first = ["is_small", "open_run", "bound_by_closure", "MarginTabuSearch", "search", "Searching",
             "driver"]  # fmt: skip
    assert solve_margin(problem, run).termination == "settled"
    assert stages.log == [*first, "round", "_settle"]
    assert stages.until - time.monotonic() == pytest.approx(24, abs=2)
    assert stages.given[0][2] == stages.bounds
    stages.log.clear()
    stages.went_on = [False, True]
    solve_margin(problem, run)
    assert stages.log == [*first, "round", "_settle"]
    stages.log.clear()
    run.incumbent.close()
    solve_margin(problem, run)
    assert stages.log == [*first, "_settle"]


def test_it_may_be_over_before_that(monkeypatch):
    stages, (problem, run) = Stages(monkeypatch), started()
    stages.opened = Outcome("opened")
    assert solve_margin(problem, run).termination == "opened"
    stages.small = True
    assert solve_margin(problem, run).termination == "tried"
    assert stages.log == ["is_small", "open_run", "is_small", "enumerate_margins"]


def test_without_time_nobody_searches_and_what_cannot_be_is_explained(monkeypatch):
    stages, (problem, run) = Stages(monkeypatch), started(seconds=-1.0)
    stages.outcome = Outcome("proved", infeasible=True)
    outcome = solve_margin(problem, run)
    assert outcome.explanation == "they clash"
    assert "search" not in stages.log
    stages.outcome = Outcome("proved")
    stages.log.clear()
    assert solve_margin(problem, run).explanation == ""
    assert "_explain" not in stages.log


def test_constraints_that_clash_are_named():
    """Of three, the two without which something would be allowed."""
    _, run = started(None)
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    votes = vp.Votes(np.where(rng.random((30, 6)) < 0.65, y[:, None], 1 - y[:, None]), y)
    asked = (vp.AtLeast("size", 4), vp.Budget([1] * 6, 3), vp.AtLeast("recall", 0.01))
    problem = Problem.of(votes, vp.Ramp(0.5), asked)
    said = exact._explain(problem, Run(Incumbent(problem), run.deadline))
    assert "size" in said
    assert "cost" in said
    assert "recall" not in said
