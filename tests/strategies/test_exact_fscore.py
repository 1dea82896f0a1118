"""F-scores of several classes: the optimum is found and proved, by the program alone as well."""

import time
from unittest import mock

import numpy as np
import pytest
from sklearn import metrics

import voteprune as vp
from plurality_oracle import faults
from voteprune.exceptions import InputError
from voteprune.mip.fscore import Pieces
from voteprune.problem.plurality import PluralityProblem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Outcome, Run
from voteprune.strategies import exact_fscore as exact

MACRO = {"objective": "f1_macro"}


@pytest.mark.parametrize("rule", ["skip", "against", None])
def test_the_optimum_is_found_and_proved(rule):
    for seed in range(14):
        assert list(faults(seed, rule, limited=seed % 2 == 0, **MACRO)) == [], seed


@pytest.mark.parametrize("rule", ["skip", None])
@pytest.mark.parametrize("searching", [True, False])
def test_so_it_is_by_the_integer_program(rule, searching):
    """With search, and without, so that nothing is owed to the committees it brings."""
    search = mock.patch.object(exact, "_SEARCH_SECONDS", 0.05)
    if not searching:
        search = mock.patch.multiple(exact, _search=mock.DEFAULT, offer_openings=mock.DEFAULT)
    with mock.patch.object(exact, "ENUMERATE", 0), search:
        for seed in range(1000, 1008):
            assert list(faults(seed, rule, limited=True, **MACRO)) == [], seed


@pytest.mark.parametrize("method", ["search", "full", "best", "brute"])
def test_other_methods_recount(method):
    for seed in range(3000, 3006):
        assert list(faults(seed, method=method, **MACRO)) == [], seed


def test_bounds_hold_when_there_is_no_time():
    with mock.patch.object(exact, "ENUMERATE", 0):
        for seed in range(4000, 4010):
            assert list(faults(seed, time_limit=[0, 0.05][seed % 2], **MACRO)) == [], seed


def pool(seed=0, n=80, k=8, c=3, skill=0.6):
    rng = np.random.default_rng(seed)
    y = rng.choice(c, n, p=np.arange(1, c + 1) / (c * (c + 1) / 2))
    named = np.where(rng.random((n, k)) < skill, y[:, None], rng.integers(0, c, (n, k)))
    return named, y


@pytest.mark.parametrize("weighted", [False, True])
def test_the_value_is_scikit_learns(weighted):
    matrix, y = pool()
    weight = np.random.default_rng(1).integers(1, 5, len(y)) / 2 if weighted else None
    solution = vp.prune(vp.PluralityVotes(matrix, y, sample_weight=weight), **MACRO)
    predicted = solution.committee.predict(matrix)
    score = metrics.f1_score(y, predicted, average="macro", sample_weight=weight)
    assert solution.value == pytest.approx(score)
    assert type(solution).from_json(solution.to_json()) == solution


@pytest.mark.parametrize("objective", ["f1", "f2", "f0.5"])
@pytest.mark.parametrize("small", [True, False])
def test_of_two_classes_any_beta_where_abstentions_are_skipped(objective, small):
    matrix, y = pool(3, n=40, k=6, c=2)
    gaps = np.where(np.random.default_rng(5).random(matrix.shape) < 0.4, np.nan, matrix)
    with mock.patch.object(exact, "ENUMERATE", exact.ENUMERATE if small else 0):
        solution = vp.prune(vp.Votes(gaps, y, abstentions="skip"), objective=objective)
    best = max(
        metrics.fbeta_score(
            y,
            np.nansum(2 * gaps[:, [i for i in range(6) if code >> i & 1]] - 1, axis=1) > 0,
            beta=float(objective[1:]),
        )
        for code in range(1, 64)
    )
    assert (solution.status, solution.value) == ("optimal", pytest.approx(best, abs=1e-12))


def test_what_pieces_say_is_never_below_the_truth():
    """The program's bound with any breakpoints, against every committee."""
    for seed in range(6):
        matrix, y = pool(seed, n=25, k=5)
        problem = PluralityProblem.of(vp.PluralityVotes(matrix, y), "f1_macro")
        sets = [[i for i in range(5) if code >> i & 1] for code in range(1, 32)]
        best = max(problem.score(members) for members in sets)
        pieces = Pieces(problem.objective)
        for members in sets[seed::7]:
            pieces.refine(problem.decided(members))
            form = exact.plurality_model(problem, pieces=pieces)
            for others in sets:
                point = form.encode(others, 0)
                model = form.model
                rows = model.matrix @ point
                assert (rows >= model.row_low - 1e-7).all()
                assert (rows <= model.row_high + 1e-7).all()
                worth = float(model.objective @ point)
                assert worth == pytest.approx(float(problem.score(others)), abs=1e-9)
        assert problem.objective.ceiling >= best


@pytest.mark.parametrize(
    ("options", "argument", "words"),
    [
        ({"method": "hc-acc"}, "method", "F-score"),
        ({"objective": "f1"}, "objective", "f1_macro"),
        ({"objective": "f1_marco"}, "objective", "f1_macro"),
    ],
)
def test_what_cannot_be_is_refused_by_name(options, argument, words):
    with pytest.raises(InputError) as raised:
        vp.prune(vp.PluralityVotes(*pool()), **MACRO | options)
    assert raised.value.argument == argument
    assert words in raised.value.message


def test_a_solution_explains_itself_by_f_scores():
    matrix, y = pool(2, n=30, k=5)
    solution = vp.prune(vp.PluralityVotes(matrix, y), **MACRO)
    sets = [[i for i in range(5) if code >> i & 1] for code in range(1, 32)]
    problem = PluralityProblem.of(vp.PluralityVotes(matrix, y), "f1_macro")
    why = solution.explain()
    assert why.value == solution.value
    for role in why.members:
        best = max(problem.score(members) for members in sets if role.member not in members)
        assert role.best == role.bound == float(best)
        assert role.verdict == ("replaceable" if float(best) == solution.value else "needed")


@pytest.fixture
def scripted(monkeypatch):
    """Every part of the method, noted when it is called, and told what to do."""
    calls, does = [], {}

    def part(name, returns=None):
        def call(*given, **named):
            calls.append((name, given, named))
            return does.get(name, lambda *_, **__: returns)(*given, **named)

        monkeypatch.setattr(exact, name, call)

    for name, returns in (
        ("try_all_pluralities", Outcome("all")), ("try_few", Outcome("few")),
        ("are_few", False), ("offer_openings", None), ("search", None),
        ("solve_model", Outcome("program")),
    ):  # fmt: skip
        part(name, returns)
    return calls, does


def compiled(k=8, n=80):
    return PluralityProblem.of(vp.PluralityVotes(*pool(n=n, k=k)), "f1_macro")


def run_of(problem, seconds=1000.0):
    return Run(Incumbent(problem), time.monotonic() + seconds)


def names_of(calls):
    return [name for name, _, _ in calls]


def test_small_pools_are_tried(scripted, monkeypatch):
    calls, _ = scripted
    problem = compiled(n=20)
    cells = 2**8 * problem.n_patterns * problem.n_classes
    for room, classifiers, name in ((0, 8, "all"), (-1, 8, "program"), (0, 7, "program")):
        calls.clear()
        monkeypatch.setattr(exact, "ENUMERATE", cells + room)
        monkeypatch.setattr(exact, "MOST_CLASSIFIERS", classifiers)
        run = run_of(problem)
        assert exact.solve_exact(problem, run) == Outcome(name)
        if name == "all":
            assert calls == [("try_all_pluralities", (problem, run), {})]
        else:
            assert names_of(calls) == ["offer_openings", "are_few", "solve_model"]
            assert calls[0][1] == (problem, run)
            assert calls[1][1] == (problem, run, exact.FEW * exact.ENUMERATE)


def test_few_committees_are_tried_after_the_openings(scripted, monkeypatch):
    calls, does = scripted
    monkeypatch.setattr(exact, "ENUMERATE", 0)
    does["are_few"] = lambda *_: True
    problem = compiled()
    assert exact.solve_exact(problem, run_of(problem)) == Outcome("few")
    assert names_of(calls) == ["offer_openings", "are_few", "try_few"]


def test_what_the_search_proves_is_proved(scripted, monkeypatch):
    calls, does = scripted
    monkeypatch.setattr(exact, "ENUMERATE", 0)
    problem = compiled()
    run = run_of(problem)

    def prove(*_):
        run.incumbent.offer([0])
        run.incumbent.close()

    does["offer_openings"] = prove
    assert exact.solve_exact(problem, run) == Outcome("proved")
    assert names_of(calls) == ["offer_openings", "are_few"]


@pytest.mark.parametrize("known", [True, False])
def test_the_program_knows_the_incumbent_and_is_refined_by_members(known, scripted, monkeypatch):
    calls, does = scripted
    monkeypatch.setattr(exact, "ENUMERATE", 0)
    problem = compiled()
    run = run_of(problem)
    refined = []
    monkeypatch.setattr(
        Pieces, "refine", lambda self, decided: refined.append((self, decided)) or "news"
    )
    if known:
        does["offer_openings"] = lambda problem, run: run.incumbent.offer([0, 1])
    assert exact.solve_exact(problem, run) == Outcome("program")
    _, (asked, same, build, refine), named = calls[-1]
    assert (asked, same, named) == (problem, run, {})
    assert build.func is exact.plurality_model
    (pieces,) = build.keywords.values()
    assert list(build.keywords) == ["pieces"]
    assert len(refined) == known
    assert refine([2, 3]) == "news"
    for (mine, decided), members in zip(refined[-1:], ([2, 3],), strict=True):
        assert mine is pieces
        assert np.array_equal(decided, problem.decided(members))
    if known:
        assert np.array_equal(refined[0][1], problem.decided([0, 1]))


def better_ones(problem):
    """Committees, each better than the one before."""
    found, last = [], None
    for score, members in sorted((problem.best([k, j])[1], (k, j)) for k in range(8)
                                 for j in range(k)):  # fmt: skip
        if score != last:
            found.append(list(members))
        last = score
    return found


def test_every_tangent_is_that_at_the_incumbent(scripted, monkeypatch):
    _, does = scripted
    monkeypatch.setattr(exact, "_TANGENT", 50.0)
    problem = compiled()
    run = run_of(problem)
    steps = better_ones(problem)[:4]
    run.incumbent.offer(steps[0])

    def walk(tabu, own, until, walks):
        tangents.append((own.problem, until - time.monotonic(), walks))
        if len(tangents) < len(steps):
            run.incumbent.offer(steps[len(tangents)])

    tangents = []
    does["search"] = walk
    exact._search(problem, run, 1000.0)
    assert len(tangents) == len(steps)  # the last one led to nothing
    for (sums, until, walks), members in zip(tangents, steps, strict=True):
        expected = problem.tangent(members)
        assert sums.best([5])[1] * sums.gains.unit == expected.best([5])[1] * expected.gains.unit
        assert 0 < until <= 50
        assert walks == 4 * 8
    tangents.clear()
    exact._search(problem, run, 20.0)
    assert 0 < tangents[0][1] <= 20


@pytest.mark.parametrize("why", ["nobody", "closed", "late"])
def test_there_is_no_search_without_a_committee_a_gap_or_time(why, scripted):
    calls, _ = scripted
    problem = compiled()
    run = run_of(problem)
    if why != "nobody":
        run.incumbent.offer([0])
    if why == "closed":
        run.incumbent.close()
    exact._search(problem, run, -1.0 if why == "late" else 10.0)
    assert not calls


@pytest.mark.parametrize(("seconds", "ending"), [(1000.0, "finished"), (-1.0, "time limit")])
def test_search_alone_takes_all_the_time_and_proves_nothing(seconds, ending, scripted, monkeypatch):
    calls, _ = scripted
    given = []
    monkeypatch.setattr(exact, "_search", lambda problem, run, left: given.append(left))
    problem = compiled()
    assert exact.solve_by_search(problem, run_of(problem, seconds)) == Outcome(ending)
    assert names_of(calls) == ["offer_openings"]
    assert given == [pytest.approx(max(seconds, 0), abs=5)]


def test_half_a_second_is_not_the_end_of_a_search(scripted, monkeypatch):
    monkeypatch.setattr(Run, "seconds_left", property(lambda run: 0.5))
    problem = compiled()
    assert exact.solve_by_search(problem, run_of(problem)) == Outcome("finished")


@pytest.mark.parametrize(("seconds", "share"), [(1000.0, 3.0), (9.0, 2.7)])
def test_before_the_proof_the_search_has_a_share(seconds, share, scripted, monkeypatch):
    monkeypatch.setattr(exact, "ENUMERATE", 0)
    given = []
    monkeypatch.setattr(exact, "_search", lambda problem, run, left: given.append(left))
    problem = compiled()
    exact.solve_exact(problem, run_of(problem, seconds))
    assert given == [pytest.approx(share, rel=0.2)]
