"""Answers at a prompt and in a notebook: one short line, and a table that quotes safely."""

import re

import numpy as np
import pytest

import voteprune as vp

NAMES = ("<b>bold</b>", "x&y", "plain", "other")


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    said = np.where(rng.random((60, 4)) < 0.75, y[:, None], 1 - y[:, None])
    return vp.Votes(said, y, names=NAMES)


@pytest.fixture(scope="module")
def answers(votes):
    solution = vp.prune(votes, constraints=vp.Require(*NAMES[:2]))
    labels = vp.PluralityVotes(votes.matrix.astype(int), votes.labels.astype(int), names=NAMES)
    soft = vp.prune(
        vp.Probabilities(0.2 + 0.6 * votes.matrix, votes.labels.astype(int), names=NAMES),
        constraints=[vp.AtMost("size", 2), vp.Require(NAMES[0])],
    )
    return {
        "SoftSolution": soft,
        "SoftExplanation": soft.explain(near=1.0),
        "Solution": solution,
        "PluralitySolution": vp.prune(labels, constraints=vp.Require(*NAMES[:2])),
        "Front": vp.front(votes),
        "Comparison": vp.compare(votes, methods=["exact", "full"]),
        "Explanation": solution.explain(),
    }


def test_a_repr_is_one_short_line(answers):
    for name, answer in answers.items():
        assert repr(answer).startswith(f"<{name}: ")
        assert "\n" not in repr(answer)
        assert len(repr(answer)) < 200
    assert "accuracy" in repr(answers["Solution"])
    nothing = vp.prune(
        [[0], [1]], [1, 0], constraints=[vp.AtLeast("recall", 1), vp.AtMost("fp", 0)]
    )
    assert repr(nothing) == "<Solution: infeasible>"


def test_html_says_what_the_summary_says_and_quotes_names_as_text(answers):
    for answer in answers.values():
        page = answer._repr_html_()
        assert page.count("<table>") == 1
        assert page.count("<tr>") == page.count("</tr>") > 1
    for name in ("Solution", "PluralitySolution", "Explanation"):
        page = answers[name]._repr_html_()
        assert "&lt;b&gt;bold&lt;/b&gt;" in page
        assert "x&amp;y" in page
        assert "<b>" not in page
    assert f"{answers['Solution'].value:.6g}" in answers["Solution"]._repr_html_()
    front = answers["Front"]
    assert front._repr_html_().count("<tr>") == 1 + len(front.points)


def test_losses_are_told_as_losses(answers):
    """Values of soft committees are minus a loss, which nobody wants to read."""
    soft, why = answers["SoftSolution"], answers["SoftExplanation"]
    loss = f"{soft.penalised_loss:.6g}"
    assert loss in repr(soft)
    assert loss in repr(why)
    assert f"penalised loss of {loss}" in why.summary()
    assert f"{-why.members[0].best:.6g}" in why.summary()
    assert f"{-why.others[0].value:.6g}" in why.summary()
    for text in (repr(soft), repr(why), why.summary(), why._repr_html_(), soft.summary()):
        assert not re.search(r"-\d", text)


def test_the_summary_always_tells_accuracy_balanced_accuracy_and_base_rate(votes):
    for objective in ("recall", "f1", vp.Ramp(1)):
        solution = vp.prune(votes, objective=objective, time_limit=5)
        counts = solution.confusion
        right = (counts.tp + counts.tn) / 60
        balanced = (counts.tp / counts.positives + counts.tn / counts.negatives) / 2
        base = max(votes.labels.mean(), 1 - votes.labels.mean())
        assert (
            f"accuracy {right:.6g}, balanced accuracy {float(balanced):.6g}; base rate {base:.6g}"
            in solution.summary()
        )


def test_a_soft_summary_tells_the_same(answers):
    counts, told = answers["SoftSolution"].confusion, answers["SoftSolution"].summary()
    shares = (counts.accuracy, counts.balanced_accuracy, counts.base_rate)
    accuracy, balanced, base = (f"{share:.6g}" for share in shares)
    assert f"accuracy {accuracy}, balanced accuracy {balanced}; base rate {base}" in told
    assert f"tp {counts.tp}  fn {counts.fn}  tn {counts.tn}  fp {counts.fp}; positive above" in told


def test_what_rows_count_for_is_told_where_it_is_not_their_number(votes):
    half = np.full(votes.n_rows, 0.5)
    said = votes.matrix.astype(int), votes.labels.astype(int)
    for kind in (vp.Votes, vp.Probabilities, vp.PluralityVotes):
        assert "count for" not in vp.prune(kind(*said)).summary()
        told = vp.prune(kind(*said, sample_weight=half)).summary()
        assert re.search(r"60( rows)? that count for 30\b", told)


def test_many_constraints_are_told_in_lines_of_readable_length(votes):
    many = [vp.Group([name], at_most=1, name=f"a group of {name} alone") for name in NAMES]
    solution = vp.prune(votes, constraints=many)
    lines = solution.summary().splitlines()
    assert all(len(line) <= 97 for line in lines)
    told = " ".join(line.strip() for line in lines)
    assert "; ".join(solution.constraints) in told


@pytest.mark.parametrize("kind", [vp.Votes, vp.PluralityVotes])
def test_accuracy_with_a_rare_class_is_warned_of(kind):
    for positives, warned in ((4, True), (5, False)):
        y = np.arange(100) < positives
        votes = kind(np.column_stack([y, ~y]).astype(int), y.astype(int))
        assert ("warning" in vp.prune(votes).summary()) is warned
        assert "warning" not in vp.prune(votes, objective="balanced_accuracy").summary()


def test_a_confusion_of_many_classes_is_cut():
    labels = [f"class {i}" for i in range(40)]
    summary = vp.prune(vp.PluralityVotes({"a": labels, "b": labels}, labels)).summary()
    assert "28 more classes" in summary
    assert len(summary) < 2500
