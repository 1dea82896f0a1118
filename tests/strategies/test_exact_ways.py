"""Which way the exact method goes, and in what order; what each way does is tested elsewhere."""

import time
from types import SimpleNamespace

import pytest

from voteprune.run.run import Outcome, Run
from voteprune.strategies import exact
from voteprune.strategies.exact import solve_exact


class Script:
    """Stand-ins for all that the exact method calls: what they are to answer, and what was asked.

    A proof by sizes has as many rounds as `sizes` names: whether workers went on, whether the tree
    is settled, whether it is over.
    """

    def __init__(self):
        self.log = []
        self.small = self.promising = self.affordable = False
        self.opened = self.tried = None
        self.nogoods, self.hopeless, self.closes = [True], False, ()
        self.sizes = [(True, False, True)]
        self.region, self.settled = None, Outcome("settled")
        self.asked = []

    def note(self, name, answer=None):
        def said(*given, **named):
            self.log.append(name)
            self.asked.append((name, given, named))
            if name in self.closes:
                self.incumbent.closed = True
            return answer() if callable(answer) else answer

        return said


@pytest.fixture
def script(monkeypatch):
    script = Script()

    class Searching:
        def __init__(self, run, tabu):
            script.asked.append(("searching", (run, tabu), {}))

        def search(self, seconds):
            script.note("search")(seconds)

    class Nogoods:
        worker = "nogoods"

        def __init__(self, problem, run):
            script.log.append("nogoods")

        @staticmethod
        def promises(problem, run):
            return script.promising

        def rounds(self, until, searching):
            script.note("nogood rounds")(until - time.monotonic(), searching)
            for went_on in script.nogoods:
                script.log.append("round")
                yield went_on

        def hopeless(self, *, late):
            script.note("hopeless")(late)
            return script.hopeless

    class Sizes:
        worker = "sizes"

        def __init__(self, problem, run):
            script.log.append("sizes")
            self.branch = False
            script.driver = self

        def rounds(self, until, searching):
            script.note("size rounds")(until, searching)
            for went_on, self.settled, self.over in script.sizes:
                script.log.append("branching" if self.branch else "bounding")
                yield went_on

        def region(self):
            return script.note("region", script.region)()

    for name, answer in {
        "is_small": lambda: script.small, "solve_by_brute_force": Outcome("brute"),
        "open_run": lambda: script.opened, "bound_by_closure": None, "climb": None,
        "settle": lambda: script.settled, "affordable": lambda: script.affordable,
        "solve_small": lambda: script.tried, "search": None,
        "thinned": ("walked",), "TabuSearch": "tabu", "prepare": None,
    }.items():  # fmt: skip
        monkeypatch.setattr(exact, name, script.note(name, answer))
    monkeypatch.setattr(exact, "Searching", Searching)
    monkeypatch.setattr(exact, "NogoodsDriver", Nogoods)
    monkeypatch.setattr(exact, "SizesDriver", Sizes)
    script.problem = SimpleNamespace(
        must_cover=False, allowed=(0, 1, 2), n_classifiers=3, size_max=3, sizes=range(1, 3),
        patterns=SimpleNamespace(n_patterns=10),
    )  # fmt: skip
    script.incumbent = SimpleNamespace(closed=False, score=1, began=time.monotonic())
    script.run = Run(script.incumbent, time.monotonic() + 1000)
    return script


def went(script, **more):
    """How it ends, and the way there, without what is only asked about."""
    run = Run(script.incumbent, script.run.deadline, **more)
    outcome = solve_exact(script.problem, run)
    quiet = {"thinned", "TabuSearch", "affordable", "region", "hopeless", "is_small"}
    return outcome.termination, [name for name in script.log if name not in quiet]


FIRST = ["open_run", "bound_by_closure", "climb"]
HASTY = ["open_run", "bound_by_closure", "prepare", "search", "nogoods", "nogood rounds"]
"""Where nogoods may end the run at once, climbs wait for their first round."""


def given(script, name, place=0):
    """What somebody was given, the first time or another."""
    return [asked for asked in script.asked if asked[0] == name][place][1]


def test_small_pools_are_tried(script):
    script.small = True
    assert went(script) == ("brute", ["solve_by_brute_force"])
    assert given(script, "is_small") == (script.problem, 2**21)


def test_a_run_may_be_over_when_it_is_opened(script):
    script.opened = Outcome("opened")
    assert went(script) == ("opened", ["open_run"])


def test_coverage_is_left_to_a_solver(script):
    script.problem.must_cover = True
    way = ["open_run", "bound_by_closure", "search", "settle"]
    assert went(script) == ("settled", way)
    assert given(script, "search") == (1.5,)
    script.log.clear()
    script.closes = ("bound_by_closure",)
    assert went(script) == ("settled", ["open_run", "bound_by_closure", "settle"])
    script.log.clear()
    script.incumbent.closed, script.problem.allowed, script.closes = False, (), ()
    assert went(script) == ("settled", ["open_run", "bound_by_closure", "settle"])


def test_sizes_prove_what_nogoods_do_not_promise_to(script):
    way = [*FIRST, "prepare", "search", "search", "sizes", "size rounds", "bounding"]
    script.closes = ("size rounds",)
    assert went(script) == ("proved", way)
    assert given(script, "climb")[1:] == (given(script, "climb")[1], 0.3)
    assert given(script, "prepare") == ("sizes",)
    assert [given(script, "search", place) for place in (0, 1)] == [(0.25,), (1.25,)]
    assert given(script, "size rounds")[0] == script.run.deadline
    script.log.clear()
    script.incumbent.closed = False
    # Several cores search in the background.
    assert went(script, threads=2)[1] == [*FIRST, "prepare", "search", "sizes", "size rounds",
                                          "bounding"]  # fmt: skip


def test_without_a_proof_it_was_time(script):
    assert went(script)[0] == "time limit"


def test_nogoods_come_first_where_they_promise_something(script):
    script.promising, script.closes = True, ("round", "nogood rounds")
    assert went(script) == ("proved", [*HASTY, "round", "climb"])
    assert given(script, "prepare") == ("nogoods",)
    assert given(script, "search") == (0.02,)
    assert given(script, "nogood rounds")[0] == pytest.approx(800, abs=5)
    assert given(script, "hopeless") == (False,)


@pytest.mark.parametrize(("goes_on", "hopeless"), [(False, False), (True, True)])
def test_where_nogoods_fail_sizes_go_on(script, goes_on, hopeless):
    script.promising, script.nogoods, script.hopeless = True, [goes_on, True, True], hopeless
    way = [*HASTY, "round", "climb", "sizes", "size rounds", "bounding"]
    assert went(script) == ("time limit", way)


def test_climbs_are_made_once_whichever_way_it_goes(script):
    """First of all where the closure bound takes a while, and where time is short."""
    script.promising, script.nogoods = True, [True] * 3
    assert went(script)[1].count("climb") == 1
    script.log.clear()
    script.run = Run(script.incumbent, time.monotonic() + 0.9)
    assert went(script)[1][:5] == [*FIRST, "prepare", "search"]
    assert given(script, "search", -1) == (0.25,)
    assert script.log.count("climb") == 1
    for n_patterns, first in ((1000, FIRST), (1001, ["open_run", "climb", "bound_by_closure"])):
        script.log.clear()
        script.promising, script.problem.patterns.n_patterns = False, n_patterns
        assert went(script)[1][:3] == first
        assert script.log.count("climb") == 1


def test_nogoods_are_late_after_a_fifth_of_the_time(script, monkeypatch):
    script.promising, script.nogoods = True, [True] * 4
    clock = SimpleNamespace(now=time.monotonic())
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(exact, "time", clock)
    asked = []

    def hopeless(self, *, late):
        asked.append(late)
        clock.now += 90
        return False

    monkeypatch.setattr(exact.NogoodsDriver, "hopeless", hopeless)
    went(script)
    assert asked == [False, False, False, True]


def test_what_is_closed_needs_no_worker_and_no_search(script):
    script.closes = ("bound_by_closure",)
    assert went(script) == ("proved", [*FIRST, "search", "search"])
    script.log.clear()
    script.incumbent.closed, script.promising = False, True
    assert went(script) == ("proved", [*FIRST[:2], "search", "search"])


def test_without_time_nothing_is_begun(script):
    script.run = Run(script.incumbent, time.monotonic() - 1)
    outcome, way = went(script)
    assert outcome == "time limit"
    assert "search" not in way


def limited(script):
    """Limits on the size leave few committees."""
    script.problem.size_max = 2
    script.affordable, script.tried = True, Outcome("tried")


def test_few_committees_are_tried_before_anything_is_prepared(script):
    limited(script)
    assert went(script) == ("tried", [*FIRST, "solve_small"])
    problem, sizes, likely = given(script, "affordable")
    assert (problem, sizes, likely) == (script.problem, range(1, 3), 1.0)
    part, seconds = given(script, "solve_small")[1:]
    assert seconds == 1.0
    assert part.seconds_left == pytest.approx(500, abs=5)


def test_they_are_tried_once_and_not_where_it_is_closed(script):
    limited(script)
    script.tried = None
    assert went(script)[1].count("solve_small") == 1
    script.closes = ("bound_by_closure",)
    script.log.clear()
    assert "solve_small" not in went(script)[1]


def test_they_are_tried_later_where_that_takes_longer(script, monkeypatch):
    limited(script)
    asked = []

    def affordable(problem, sizes, seconds):
        asked.append(seconds)
        return seconds > 1

    monkeypatch.setattr(exact, "affordable", affordable)
    assert went(script) == ("tried", [*FIRST, "prepare", "search", "solve_small"])
    assert asked == [1.0, pytest.approx(500, abs=5)]
    script.run = Run(script.incumbent, time.monotonic() + 10**5)
    asked.clear()
    went(script)
    assert asked[1] == pytest.approx(600, abs=5)  # and never longer than this


def test_without_a_limit_on_the_size_few_committees_are_tried_too(script, monkeypatch):
    """At once where that is a moment, else after the nogoods, and then for seconds at most."""
    limited(script)
    script.problem.size_max, script.promising = 3, True
    assert went(script) == ("tried", [*FIRST[:2], "solve_small"])
    asked = []

    def affordable(problem, sizes, seconds):
        asked.append(seconds)
        return seconds > 1

    monkeypatch.setattr(exact, "affordable", affordable)
    script.log.clear()
    assert went(script) == ("tried", [*HASTY, "round", "climb", "solve_small"])
    assert asked == [1.0, pytest.approx(20, abs=1)]
    # A checker of certificates would have to try them all again.
    script.log.clear()
    assert "solve_small" not in went(script, record=[])[1]


def test_for_a_certificate_they_are_tried_last(script):
    limited(script)
    assert went(script, record=[]) == (
        "tried", [*FIRST, "prepare", "search", "search", "solve_small"],
    )  # fmt: skip


def test_nothing_is_tried_where_that_was_switched_off(script, monkeypatch):
    limited(script)
    monkeypatch.setattr(exact, "ENUMERATE", 0)
    assert "solve_small" not in went(script)[1]


def test_too_many_classifiers_are_left_to_a_solver_and_a_model_too_large_to_search(script):
    script.problem.allowed = tuple(range(301))
    assert went(script) == ("settled", [*FIRST, "search", "search", "settle"])
    script.log.clear()
    late = ["open_run", "climb", "bound_by_closure"]
    script.problem.patterns.n_patterns = 4_000_000 // 3
    assert went(script)[0] == "settled"
    script.log.clear()
    script.problem.patterns.n_patterns += 1
    assert went(script) == ("finished", [*late, "search", "search", "search"])
    tabu, incumbent, until, patience = given(script, "search", -1)
    assert (tabu, incumbent) == ("tabu", script.incumbent)
    assert until == script.run.deadline
    assert patience == exact.WALKS * 3
    script.log.clear()
    script.problem.allowed = tuple(range(300))
    script.problem.patterns.n_patterns = 10
    assert "sizes" in went(script)[1]


def test_sizes_are_not_begun_without_a_committee_or_the_time_for_their_programs(script):
    script.incumbent.score = None
    assert went(script) == ("settled", [*FIRST, "search", "search", "settle"])
    script.incumbent.score = 1
    for entries, provable in ((999_999, True), (1_000_002, False)):
        script.log.clear()
        script.problem.n_classifiers, script.problem.patterns.n_patterns = 3, entries // 3
        script.incumbent.began = script.run.deadline - 1.0
        assert ("sizes" in went(script, threads=2)[1]) == provable
        # On several cores the search is in the background of a proof, if there is one.
        assert script.log.count("search") == 2 - provable


def test_nobody_in_the_pool_searches_for_nothing(script):
    script.problem.allowed = ()
    went(script)
    assert given(script, "searching")[1] is None
    assert "TabuSearch" not in script.log


def test_workers_that_fail_leave_it_to_a_solver(script):
    script.sizes = [(False, False, False), (True, True, False)]
    outcome, way = went(script)
    assert outcome == "settled"
    assert way[-2:] == ["bounding", "settle"]
    assert given(script, "settle")[2:] == ()


def test_what_is_settled_is_branched_once_a_solver_has_been_asked(script):
    script.sizes = [(True, False, False), (True, True, False), (True, True, False)]
    script.region = "region"
    outcome, way = went(script)
    assert outcome == "time limit"
    assert way[-4:] == ["bounding", "bounding", "settle", "branching"]
    problem, part, region = given(script, "settle")
    assert (problem, region) == (script.problem, "region")
    assert part.seconds_left == pytest.approx(500, abs=5)
    for ended in ("proved", "solver tolerance"):
        script.log.clear()
        script.settled = Outcome(ended)
        assert went(script) == (ended, way[:-1])
    script.log.clear()
    script.region = None
    assert went(script)[1][-3:] == ["bounding", "bounding", "branching"]


def test_no_solver_is_asked_where_nothing_is_open(script):
    script.sizes, script.region = [(True, True, True)], "region"
    assert "settle" not in went(script)[1]
    assert not script.driver.branch
