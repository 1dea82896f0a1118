"""The page of an answer tells what is so, and nothing that it quotes is markup."""

import html
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

import voteprune as vp
from answers import ANSWERS, NAMES, hard, plural, soft
from oddnames import harmless
from voteprune.displays.page.facts import (
    Decisions,
    agreement,
    collect,
    decided,
    reliability,
    wrong_by_all,
)
from voteprune.displays.page.pictures import draw_all


@pytest.fixture(scope="module", params=list(ANSWERS))
def answer(request):
    return ANSWERS[request.param]()


def test_all_that_is_quoted_is_text(answer):
    page = answer.to_html(time_limit=0.5, command="voteprune prune '<b>' & more")
    assert page.startswith("<!DOCTYPE html>")
    for markup in ("<b>bold", "<i>blue", "<cost>", "'<b>'"):
        assert markup not in page
    assert "<script" not in page
    assert re.findall(r"https?://(?!www\.w3\.org/)", page) == []
    assert harmless(page)
    words = html.unescape(re.sub("<[^>]*>", " ", page))
    assert "voteprune prune '<b>' & more" in words
    for name in answer.committee.names:
        assert name.replace("\x1b", "\\x1b") in words


def test_members_are_told_with_what_is_lost_without_each(answer):
    why = answer.explain(time_limit=5)
    facts = collect(answer, 1.0, why)
    heads = facts.members.headings
    lost, verdicts = heads.index("lost without it"), len(heads) - 1
    for role in why.members:
        (row,) = (
            row
            for row, member in zip(facts.members.rows, answer.committee.members, strict=False)
            if member == role.member
        )
        assert row[verdicts].startswith(role.verdict)
        numbers = [float(word) for word in re.findall(r"[\d.]+(?:e-\d+)?", row[lost])]
        if role.best is not None:
            assert numbers[-1] == pytest.approx(max(0.0, why.value - role.best), rel=1e-3)
            assert numbers[0] == pytest.approx(max(0.0, why.value - role.bound), rel=1e-3, abs=1e-6)


def test_costs_add_up():
    answer = hard()
    table = collect(answer, 0.5).members
    column = table.headings.index("<cost>")
    spent = sum(int(row[column]) for row in table.rows[:-1])
    assert table.rows[-1][column] == f"{spent} of 7"


@pytest.mark.parametrize("kind", list(ANSWERS))
def test_the_front_holds_the_answer(kind):
    """The answer is the best of its size, and its bound holds for every size."""
    answer = ANSWERS[kind]()
    front = collect(answer, 2.0).front
    assert front.at_most(answer.committee.size).value >= answer.value
    assert all(p.bound is None or p.bound <= answer.bound for p in front.points)
    assert all(p.value is None or p.value <= p.bound for p in front.points)
    (own,) = (point for point in front.points if point.size == answer.committee.size)
    assert own.committee.members == answer.committee.members


def test_of_equals_the_front_shows_the_answers_own_members():
    y = np.arange(40) % 2
    votes = vp.Votes(np.column_stack([y, y, y, 1 - y]), y)
    for constraints in (vp.Require(2), [vp.Require(2), vp.Budget([1, 1, 1, 1], 1)]):
        answer = vp.prune(votes, constraints=constraints)
        loose = replace(answer, problem=answer.problem.with_requests((), None))
        facts = collect(loose, 2.0)
        (own,) = (point for point in facts.front.points if point.size == answer.committee.size)
        assert own.committee.members == answer.committee.members


@pytest.mark.slow
def test_a_budget_has_a_front_with_the_answer_on_it():
    answer = hard()
    facts = collect(answer, 4.0)
    (front,) = facts.by_cost
    costs = [3, 1, 2, 1, 4, 1, 2, 1]
    assert (front.by, front.limit) == ("<cost>", 14)
    for point in front.points:
        assert point.cost == sum(costs[k] for k in point.committee.members)
        assert point.committee.size <= 4
    assert front.at_most(7).value == answer.value
    best = vp.prune(answer.problem.votes, constraints=[vp.AtMost("size", 4),
                    vp.Budget(costs, 3)], random_state=0)  # fmt: skip
    assert front.at_most(3).value == best.value
    text = answer.to_html(time_limit=2)
    assert text.count('data-table="costs0"') == 1
    assert "(this one)" in text
    assert "Other budgets" not in plural().to_html(time_limit=0.5)


def test_what_has_no_front_says_why():
    assert collect(plural(), 0.5).front.cumulative
    assert collect(hard(objective="f1"), 10.0).front.cumulative
    assert "no time" in collect(hard(), 0.0).no_front


def test_the_confusion_is_that_of_the_answer():
    counts = hard().confusion
    rows = collect(hard(), 0.0).confusion.rows
    assert [row[1:3] for row in rows] == [
        (str(counts.tn), str(counts.fp)),
        (str(counts.fn), str(counts.tp)),
    ]
    several = plural()
    rows = collect(several, 0.0).confusion.rows
    assert [row[1:-1] for row in rows] == [tuple(map(str, row)) for row in several.confusion]


def test_many_classes_are_cut():
    y = np.arange(60) % 20
    votes = vp.PluralityVotes(np.column_stack([y, np.roll(y, 1)]), y)
    table = collect(vp.prune(votes, method="full"), 0.0).confusion
    assert (len(table.rows), len(table.headings)) == (12, 14)
    assert "first 12 of 20" in table.note


@pytest.mark.parametrize("seed", range(6))
def test_agreement_is_that_of_plain_loops(seed):
    rng = np.random.default_rng(seed)
    decisions = rng.integers(-1, 3, (12, 4))
    weights = rng.integers(0, 3, 12).astype(float)
    shares = agreement(decisions, weights)
    for i in range(4):
        for j in range(4):
            rows = [r for r in range(12) if decisions[r, i] >= 0 and decisions[r, j] >= 0]
            both = sum(weights[r] for r in rows)
            same = sum(weights[r] for r in rows if decisions[r, i] == decisions[r, j])
            assert (
                np.isnan(shares[i, j]) if not both else shares[i, j] == pytest.approx(same / both)
            )


def test_rows_that_nobody_gets_right_are_those_of_the_explanation():
    y = [0, 1, 1, 0, 1]
    votes = vp.Votes([[1, 1], [1, 0], [0, 0], [0, 1], [1, 1]], y, sample_weight=[1, 1, 1, 1, 0])
    answer = vp.prune(votes)
    found = wrong_by_all(decided(answer.problem), answer.problem.allowed)
    assert found == [0, 2] == list(answer.explain(time_limit=0).hopeless)
    # Whoever may not sit does not count, and a row that only abstentions decide is lost.
    shares = [[0.9, 0.5, 0.1], [0.9, 0.5, 0.9]]
    pool = decided(vp.prune(vp.Probabilities(shares, [1, 0])).problem)
    assert wrong_by_all(pool, [1, 2]) == [0, 1]
    assert wrong_by_all(pool, [0, 1]) == [1]


def test_decisions_know_who_favours_nobody():
    rows = [[0.2, 0.4, 0.4], [0.1, 0.2, 0.7], [0.4, 0.3, 0.3]]
    said = np.array([rows, rows[::-1], rows])
    found: Decisions = decided(vp.prune(vp.Probabilities(said, [0, 1, 2])).problem)
    assert found.matrix.tolist() == [[-1, 2, 0], [0, 2, -1], [-1, 2, 0]]


@pytest.mark.parametrize("classes", [2, 3])
def test_reliability_is_that_of_plain_loops(classes):
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, 80)
    shares = rng.dirichlet(np.ones(classes), (80, 3)) + 0.8 * np.eye(classes)[y][:, None, :]
    shares /= shares.sum(axis=2, keepdims=True)
    weights = rng.integers(1, 4, 80)
    pool = vp.Probabilities(shares if classes > 2 else shares[:, :, 1], y, sample_weight=weights)
    committee = vp.prune(pool).committee
    curve = reliability(pool, committee)
    given = committee.predict_proba(pool)
    bins: dict[int, list[tuple[float, bool, float]]] = {}
    for row, said in enumerate(given):
        place = 1 if classes == 2 else int(said.argmax())
        part = min(int(said[place] * 10), 9)
        bins.setdefault(part, []).append((said[place], y[row] == place, weights[row]))
    error = 0.0
    for place, part in enumerate(sorted(bins)):
        total = sum(weight for *_, weight in bins[part])
        mean = sum(share * weight for share, _, weight in bins[part]) / total
        true = sum(weight for _, right, weight in bins[part] if right) / total
        assert (curve.said[place], curve.true[place]) == pytest.approx((mean, true))
        assert curve.weight[place] == pytest.approx(total)
        error += total * abs(mean - true)
    assert curve.error == pytest.approx(error / weights.sum())


def test_every_kind_has_its_pictures():
    drawn = {kind: set(draw_all(collect(make(), 1.0))) for kind, make in ANSWERS.items()}
    assert drawn == {
        "hard": {"path", "sizes", "costs0", "agreement"},
        "soft": {"path", "sizes", "reliability", "agreement"},
        "plural": {"path", "sizes", "agreement"},
    }


@pytest.mark.parametrize("kind", list(ANSWERS))
def test_an_answer_from_a_file_has_a_page_that_says_what_is_missing(kind):
    answer = ANSWERS[kind]()
    page = type(answer).from_json(answer.to_json()).to_html()
    assert "read from a file, which holds no votes" in page
    assert "model_" in page
    assert "<svg" not in page


def test_a_page_is_refused_where_it_cannot_be(monkeypatch):
    nobody = hard(method="exact")
    for limit in (-1, float("nan"), float("inf"), "long", True):
        with pytest.raises(vp.InputError, match="time_limit"):
            nobody.to_html(time_limit=limit)
    shares, y = np.eye(2), [0, 1]
    none = vp.prune(shares, y, constraints=[vp.AtLeast("recall", 1), vp.Forbid("c0", "c1")])
    with pytest.raises(vp.InputError, match="no committee to show"):
        none.to_html()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(vp.InputError, match=re.escape("pip install 'voteprune[html]'")):
        nobody.to_html()


def test_names_are_those_of_the_pool():
    assert set(soft().committee.names) <= set(NAMES)


@pytest.mark.slow
def test_limits_that_are_not_kept_are_no_promise_of_the_page():
    said = vp.Probabilities([[0.2], [0.9], [0.7], [0.1]], [0, 0, 1, 1])
    both = [vp.AtLeast("recall", 1), vp.AtLeast("precision", 1)]
    page = vp.prune(said, constraints=both).to_html(time_limit=0)
    assert "Limits on criteria are not kept." in page
    assert "those on criteria are not kept" in page
    assert "optimal by loss alone" in page
    assert "no committee is better" not in page
    assert "not kept" not in vp.prune(said, constraints=both[:1]).to_html(time_limit=0)
