"""The integer program of several classes, row by row: sets fit iff they are allowed."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.plurality import PluralityProblem
from voteprune.strategies import exact_plurality
from voteprune.strategies.exact_plurality import plurality_model


def votes(seed=0, classes=3, k=5, n=12, silent=0.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    named = np.where(rng.random((n, k)) < 0.45, y[:, None], rng.integers(0, classes, (n, k)))
    named = named.astype(object)
    named[rng.random((n, k)) < silent] = None
    rule = "skip" if silent else None
    return vp.PluralityVotes(named, y, classes=list(range(classes)), abstentions=rule)


def satisfied(model, solution):
    rows = model.matrix @ solution
    return (
        (rows >= model.row_low - 1e-7).all()
        and (rows <= model.row_high + 1e-7).all()
        and (solution >= model.low - 1e-9).all()
        and (solution <= model.high + 1e-9).all()
    )


LIMITS = [
    (),
    (vp.AtMost("size", 3), vp.AtLeast("size", 2)),
    (vp.Require("c1"), vp.Forbid("c3")),
    (vp.Budget([3, 1, 2, 2, 1], limit=5),),
    (vp.AtLeast("recall", 0.5, of=1),),
    (vp.AtLeast("recall", 0.25, of=0), vp.Require("c0")),
]


@pytest.mark.parametrize("silent", [0.0, 0.3])
@pytest.mark.parametrize("requests", LIMITS)
def test_a_set_fits_the_rows_iff_it_is_allowed_and_claims_no_win_that_it_has_not(requests, silent):
    problem = PluralityProblem.of(votes(silent=silent), "balanced_accuracy", requests)
    made = plurality_model(problem)
    model, claims = made.model, np.flatnonzero(made.model.objective != 0)
    allowed = 0
    for members in (m for size in range(1, 6) for m in combinations(range(5), size)):
        solution = made.encode(members, 0)
        assert satisfied(model, solution) == problem.allows(members)
        told = made.scale * float(model.objective @ solution) + made.base
        assert told == pytest.approx(problem.score(members), rel=1e-9)
        if not problem.allows(members):
            continue
        allowed += 1
        assert made.members(solution) == list(members)
        for claim in claims[solution[claims] == 0]:
            more = solution.copy()
            more[claim] = 1
            assert not satisfied(model, more)
    assert allowed


def test_who_must_and_must_not_sit_at_once_leaves_nothing():
    problem = PluralityProblem.of(votes(), "accuracy", (vp.Require("c1"), vp.Forbid("c1")))
    made = plurality_model(problem)
    for members in (m for size in range(1, 6) for m in combinations(range(5), size)):
        assert not satisfied(made.model, made.encode(members, 0))


def test_only_what_can_earn_something_is_in_the_program():
    problem = PluralityProblem.of(votes(), {0: 1, 1: 0, 2: 2})
    made = plurality_model(problem)
    claims = np.count_nonzero(made.model.objective)
    assert claims == np.count_nonzero((problem.gain > 0) & problem.can_win(()))
    assert made.model.n_variables == 5 + claims
    fewer = problem.with_requests((vp.Forbid("c0", "c2", "c4"),))
    less = plurality_model(fewer)
    named = fewer.can_win((0, 2, 4))
    assert np.count_nonzero(less.model.objective) == np.count_nonzero((fewer.gain > 0) & named)


@pytest.mark.parametrize("limited", [False, True])
def test_one_class_wins_on_a_pattern_in_the_relaxation_too(limited):
    """At most one where wins only gain; exactly one where a limit counts who wins."""
    requests = (vp.AtLeast("recall", 0.25, of=0),) if limited else ()
    problem = PluralityProblem.of(votes(k=2, n=40), "accuracy", requests)
    model = plurality_model(problem).model
    rows = model.matrix.toarray()
    wanted = problem.can_win(()) & (limited | (problem.gain > 0))
    expected, first = [], 2
    for count in wanted.sum(axis=1).tolist():
        if count > 1 or (count and limited):
            expected.append(list(range(first, first + count)))
        first += count
    one = (rows >= 0).all(axis=1) & (model.row_high == 1) & ~rows[:, :2].any(axis=1)
    assert [np.flatnonzero(row).tolist() for row in rows[one]] == expected
    assert (rows[one].max(axis=1) == 1).all()
    assert (model.row_low[one] == limited).all()
    assert expected


class Stage:
    """Stands in for all that the exact method calls, and notes who is asked in which order."""

    def __init__(self, monkeypatch, problem, *, few=False, rounds=(), over=True, closed=False,
                 score=3):  # fmt: skip
        self.asked = asked = []
        self.run = SimpleNamespace(
            incumbent=SimpleNamespace(closed=False, score=score), deadline=5.0
        )
        self.problem = problem
        run = self.run

        class Driver:
            worker = "worker"

            def __init__(self, *_):
                asked.append("driver")
                self.over = over

            def rounds(self, until, searching):
                assert until == 5.0
                run.incumbent.closed = closed
                yield from rounds

        class Searching:
            def __init__(self, given, tabu):
                asked.append(("tabu", tabu is not None))

            def search(self, seconds):
                asked.append(("search", seconds))

        def told(name):
            return lambda *_: asked.append(name) or name

        for name in ("try_all_pluralities", "try_few", "solve_model", "offer_openings", "prepare"):
            monkeypatch.setattr(exact_plurality, name, told(name))
        monkeypatch.setattr(exact_plurality, "are_few", lambda *given: self._few(few, given))
        monkeypatch.setattr(exact_plurality, "PluralityDriver", Driver)
        monkeypatch.setattr(exact_plurality, "Searching", Searching)
        monkeypatch.setattr(exact_plurality, "thinned", lambda *_: ())
        monkeypatch.setattr(exact_plurality, "PluralityTabuSearch", lambda *_: "tabu")

    def _few(self, few, given):
        self.asked.append("few?")
        assert given[2] == 64 * exact_plurality.ENUMERATE
        return few

    def solve(self):
        return exact_plurality.solve_exact(self.problem, self.run)


def test_small_pools_are_tried_and_others_go_by_sizes(monkeypatch):
    problem = PluralityProblem.of(votes())
    cells = 2**5 * problem.n_patterns * problem.n_classes
    stage = Stage(monkeypatch, problem)
    monkeypatch.setattr(exact_plurality, "ENUMERATE", cells)
    assert stage.solve() == "try_all_pluralities"
    monkeypatch.setattr(exact_plurality, "ENUMERATE", cells - 1)
    assert stage.solve().termination == "proved"
    assert stage.asked[1:] == [
        "prepare", "offer_openings", ("tabu", True), ("search", 0.5), "driver",
    ]  # fmt: skip
    monkeypatch.setattr(exact_plurality, "ENUMERATE", cells)
    for most, tried in ((5, True), (4, False)):
        monkeypatch.setattr(exact_plurality, "MOST_CLASSIFIERS", most)
        assert (stage.solve() == "try_all_pluralities") == tried


@pytest.mark.parametrize("limit", [vp.AtLeast("recall", 0.2, of=1), vp.AtLeast("coverage", 0.1)])
@pytest.mark.parametrize("few", [False, True])
def test_limits_that_the_tree_does_not_know_are_left_to_trying_or_to_a_solver(
    few, limit, monkeypatch
):
    problem = PluralityProblem.of(votes(silent=0.3), "accuracy", [limit])
    stage = Stage(monkeypatch, problem, few=few)
    monkeypatch.setattr(exact_plurality, "ENUMERATE", 0)
    assert stage.solve() == ("try_few" if few else "solve_model")
    rest = ["try_few"] if few else [("tabu", True), ("search", 2.0), "solve_model"]
    assert stage.asked == ["offer_openings", "few?", *rest]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"rounds": [True, True], "over": True}, ("proved", False)),
        ({"rounds": [True], "over": True, "score": None}, ("proved", True)),
        ({"rounds": [True], "over": False}, ("time limit", False)),
        ({"rounds": [True], "over": False, "closed": True}, ("proved", False)),
        ({"rounds": [True, False], "over": False}, None),
    ],
)
def test_a_proof_by_sizes_ends_as_its_rounds_do(given, told, monkeypatch):
    stage = Stage(monkeypatch, PluralityProblem.of(votes()), **given)
    monkeypatch.setattr(exact_plurality, "ENUMERATE", 0)
    outcome = stage.solve()
    if told is None:
        assert outcome == "solve_model"
    else:
        assert (outcome.termination, outcome.infeasible) == told


def test_openings_that_cannot_be_beaten_are_the_end(monkeypatch):
    stage = Stage(monkeypatch, PluralityProblem.of(votes()))
    monkeypatch.setattr(exact_plurality, "ENUMERATE", 0)
    stage.run.incumbent.closed = True
    assert stage.solve().termination == "proved"
    assert stage.asked == ["prepare", "offer_openings"]
