"""F-scores of several classes: the optimum is found and proved, by the program alone as well."""

from unittest import mock

import numpy as np
import pytest
from sklearn import metrics

import voteprune as vp
from plurality_oracle import faults
from voteprune.exceptions import InputError
from voteprune.mip.fscore import Pieces
from voteprune.problem.plurality import PluralityProblem
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
