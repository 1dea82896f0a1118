"""Abstentions of two classes: against they are votes of 0, skipped they leave it to the others."""

import json
from fractions import Fraction
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest

import voteprune as vp
from instances import random_instance
from oracle import Oracle, metric
from voteprune.exceptions import InputError
from voteprune.mip.formulation import add_coverage
from voteprune.problem.seats import Coverage
from voteprune.solvers.model import ModelBuilder
from voteprune.strategies import exact


def with_gaps(seed, **sizes):
    """An instance, and its votes with NaN in many places."""
    instance = random_instance(seed, **sizes)
    rng = np.random.default_rng([seed, 3])
    voted = rng.random(instance.matrix.shape) < rng.uniform(0.1, 1, instance.matrix.shape[1])
    return instance, np.where(voted, instance.matrix, np.nan), voted


def binding(seed, voted, weight):
    """A limit on coverage that most committees of one do not keep."""
    shares = [np.average(column, weights=weight) for column in voted.T]
    return vp.AtLeast("coverage", round(float(np.quantile(shares, 0.8)), 3))


def check_against(seed, **options):
    instance, gaps, voted = with_gaps(seed, most_classifiers=6, most_rows=25)
    weight = instance.sample_weight
    asked = (*instance.constraints, binding(seed, voted, weight))
    request = instance.request() | {"constraints": asked}
    zeros = np.where(voted, instance.matrix, 0)
    truth = Oracle(zeros, instance.labels, weight, voted)
    best = truth.best(instance.objective, asked, instance.diversity)
    votes = vp.Votes(gaps, instance.labels, sample_weight=weight, abstentions="against")
    told = []
    solution = vp.prune(
        votes, **request, random_state=seed, callback=lambda p: told.append(p.bound) and False,
        **options,
    )  # fmt: skip
    if best is None:
        assert solution.committee is None
        return solution
    assert min([*told, solution.bound or np.inf]) >= float(best)
    if options.get("method") == "search" and solution.committee is None:
        return solution
    members = solution.committee.members
    share = np.average(voted[:, list(members)].any(axis=1), weights=weight)
    assert solution.coverage == pytest.approx(share, abs=1e-12)
    assert Fraction(str(round(share, 9))) >= asked[-1].limit - Fraction(1, 10**8)
    assert solution.value <= float(best)
    if options.get("method") != "search":
        assert (solution.status, solution.value) == ("optimal", float(best)), seed
    return solution


@pytest.mark.parametrize("block", range(2))
def test_against_under_a_limit_on_coverage_the_optimum_is_found_and_proved(block):
    for seed in range(10 * block, 10 * block + 10):
        check_against(seed)


@pytest.mark.slow
@pytest.mark.parametrize("searching", [True, False])
def test_so_it_is_by_the_integer_program(searching):
    search = mock.patch.object(exact, "_FIRST_SEARCH", 0.05)
    if not searching:
        search = mock.patch.multiple(exact, Searching=mock.DEFAULT, open_run=lambda *_: None)
    with mock.patch.object(exact, "ENUMERATE", 0), search:
        for seed in range(100, 108):
            check_against(seed)


@pytest.mark.parametrize("method", ["merged", "brute", "search"])
def test_other_methods_that_honour_coverage_do(method):
    found = [check_against(seed, method=method).committee for seed in range(200, 212)]
    assert sum(committee is not None for committee in found) > 4


@pytest.mark.parametrize(
    "objective", ["accuracy", "f1", "mcc", vp.Weights(tp=2, fp=-1), vp.Ramp(1)]
)
def test_against_is_a_vote_of_0(objective):
    instance, gaps, voted = with_gaps(7, most_classifiers=6)
    zeros = np.where(voted, instance.matrix, 0)
    against = vp.Votes(gaps, instance.labels, abstentions="against")
    mine, plain = (
        vp.prune(votes, objective=objective, random_state=0)
        for votes in (against, vp.Votes(zeros, instance.labels))
    )
    assert (mine.value, mine.bound, mine.status) == (plain.value, plain.bound, plain.status)
    assert mine.committee.members == plain.committee.members
    assert mine.committee.predict(gaps).tolist() == plain.committee.predict(zeros).tolist()
    assert mine.committee.predict(against).tolist() == plain.committee.predict(zeros).tolist()
    assert plain.coverage is None


def majority_of_those_who_vote(gaps, members):
    """Positive where the sum of 2 v - u is above 0, u being 1 where somebody votes."""
    seats = gaps[:, list(members)]
    return np.nansum(2 * seats - 1, axis=1) > 0


def best_of_skipping(gaps, labels, weight, objective):
    exact_weight = [Fraction(repr(float(w))) for w in weight]
    found = {}
    for code in range(1, 2 ** gaps.shape[1]):
        members = tuple(i for i in range(gaps.shape[1]) if code >> i & 1)
        said = majority_of_those_who_vote(gaps, members)
        cells = [(1, True), (1, False), (0, False), (0, True)]
        counts = [
            sum(
                (w for w, y, d in zip(exact_weight, labels, said, strict=True) if (y, d) == cell),
                Fraction(0),
            )
            for cell in cells
        ]
        found[members] = metric(objective, *counts)
    return found


@pytest.mark.parametrize("objective", ["accuracy", "balanced_accuracy", "recall", "fp",
                                       vp.Weights(tp=1, tn=1, fp=-5)])  # fmt: skip
@pytest.mark.parametrize("enumerating", [True, False])
def test_skipped_the_majority_of_those_who_vote_decides(objective, enumerating):
    from voteprune.strategies import exact_plurality

    limit = exact_plurality.ENUMERATE if enumerating else 0
    with mock.patch.object(exact_plurality, "ENUMERATE", limit):
        for seed in range(300, 304):
            instance, gaps, _ = with_gaps(seed, most_classifiers=5, most_rows=20)
            weight = instance.sample_weight
            found = best_of_skipping(gaps, instance.labels, weight, objective)
            votes = vp.Votes(
                gaps, instance.labels, sample_weight=weight, abstentions="skip"
            )  # fmt: skip
            solution = vp.prune(votes, objective=objective, random_state=0)
            assert solution.status == "optimal"
            assert solution.value == float(max(found.values())), seed
            assert found[solution.committee.members] == max(found.values())
            said = majority_of_those_who_vote(gaps, solution.committee.members)
            assert solution.committee.predict(gaps).tolist() == said.astype(int).tolist()


def pool(seed=0, n=60, k=7, quiet=0.5, c=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, c, n)
    named = np.where(rng.random((n, k)) < 0.7, y[:, None], rng.integers(0, c, (n, k)))
    return np.where(rng.random((n, k)) < quiet, np.nan, named), y


def test_where_nobody_abstains_nothing_changes():
    matrix, y = pool(quiet=0)
    plain = vp.prune(vp.PluralityVotes(matrix.astype(int), y), random_state=0)
    skipped = vp.prune(vp.Votes(matrix, y, abstentions="skip"), random_state=0)
    assert (skipped.value, skipped.bound) == (plain.value, plain.bound)
    assert skipped.committee.members == plain.committee.members
    assert (skipped.coverage, plain.coverage) == (1.0, None)


@pytest.mark.parametrize("c", [2, 4])
@pytest.mark.parametrize("rule", ["skip", "against"])
def test_who_never_votes_changes_nothing(c, rule):
    """Skipped, a member who says nothing may sit or not; against, at the first class's side."""
    matrix, y = pool(3, c=c)
    for votes in (vp.PluralityVotes, vp.Votes)[: 1 + (c == 2)]:
        quiet = np.column_stack([matrix, np.full(len(y), np.nan)])
        value = vp.prune(votes(matrix, y, abstentions=rule), random_state=0).value
        more = vp.prune(votes(quiet, y, abstentions=rule), random_state=0)
        assert more.value >= value
        if rule == "skip":
            assert more.value == value
            seated = vp.prune(
                votes(quiet, y, abstentions=rule), constraints=vp.Require(7), random_state=0
            )
            assert seated.value >= value


@pytest.mark.parametrize("c", [2, 4])
def test_the_order_of_rows_and_columns_does_not_matter(c):
    matrix, y = pool(4, c=c)
    asked = [vp.AtLeast("coverage", 0.8), vp.AtMost("size", 4)]
    rows, columns = np.random.default_rng(1).permutation(60), [6, 0, 5, 1, 4, 2, 3]
    values = {
        vp.prune(
            vp.PluralityVotes(table, truth, abstentions="skip"), constraints=asked, random_state=0
        ).value
        for table, truth in (
            (matrix, y),
            (matrix[rows], y[rows]),
            (matrix[:, columns], y),
        )
    }
    assert len(values) == 1


def test_the_first_class_wins_where_nobody_votes_whatever_it_is_called():
    matrix, y = pool(5, c=3, quiet=0.8)
    names = np.array(["a", "b", "c"])
    words = np.where(np.isnan(matrix), None, names[np.nan_to_num(matrix).astype(int)])
    truth = names[y]
    for first in "abc":
        classes = [first, *sorted(set("abc") - {first})]
        votes = vp.PluralityVotes(words, truth, classes=classes, abstentions="skip")
        solution = vp.prune(votes, random_state=0)
        nobody = ~solution.committee.voted(words)
        assert nobody.any()
        assert set(solution.committee.predict(words)[nobody]) == {first}
        saved = json.loads(solution.committee.to_json())
        assert (saved["abstentions"], saved["when_nobody_votes"]) == ("skip", first)
        numbers = vp.PluralityVotes(
            matrix, y, classes=["abc".index(name) for name in classes], abstentions="skip"
        )
        assert vp.prune(numbers, random_state=0).value == solution.value


@pytest.mark.parametrize("rule", ["skip", "against"])
def test_committees_come_back_from_their_files_with_their_rule(rule):
    matrix, y = pool(6)
    for votes in (vp.Votes, vp.PluralityVotes):
        solution = vp.prune(votes(matrix, y, abstentions=rule), random_state=0)
        again = type(solution).from_json(solution.to_json())
        assert again == solution
        assert again.coverage == solution.coverage < 1
        assert again.committee.abstentions == rule
        assert f"{100 * solution.coverage:.3g} % of the rows" in again.summary()
        table = {f"c{k}": matrix[:, k] for k in range(7)}
        expected = solution.committee.predict(matrix).tolist()
        for frame in (pd.DataFrame(table), pl.DataFrame(table).fill_nan(None)):
            assert again.committee.predict(frame).tolist() == expected
        assert again.committee.predict(np.ma.masked_invalid(matrix)).tolist() == expected


def test_a_skipping_committee_reads_probabilities_as_votes_are_read():
    matrix, y = pool(8)
    chances = np.where(matrix == 1, 0.8, np.where(matrix == 0, 0.3, np.nan))
    solution = vp.prune(vp.Votes(chances, y, abstentions="skip"), random_state=0)
    assert (
        solution.committee.predict(chances).tolist() == solution.committee.predict(matrix).tolist()
    )
    assert solution.committee.predict(chances).tolist() == (
        solution.committee.predict(vp.Votes(chances, y, abstentions="skip")).tolist()
    )


def test_words_may_be_missing_too():
    words = np.array([["bad", None], ["", "good"], ["bad", "bad"], [np.nan, ""]], dtype=object)
    y = ["bad", "good", "bad", "good"]
    votes = vp.Votes(words, y, positive="bad", abstentions="against")
    assert votes.matrix.tolist() == [[True, False], [False, False], [True, True], [False, False]]
    assert votes.voted.tolist() == [[True, False], [False, True], [True, True], [False, False]]
    taken = votes.take([0, 1]).select([1])
    assert taken.voted.tolist() == [[False], [True]]
    assert vp.Votes({"a": ["bad", None, "bad", ""]}, y, positive="bad", abstentions="skip").voted[
        :, 0
    ].tolist() == [True, False, True, False]


def test_a_solution_that_skips_explains_itself():
    matrix, y = pool(9, n=30, k=5)
    votes = vp.Votes(matrix, y, abstentions="skip")
    solution = vp.prune(votes, random_state=0)
    why = solution.explain()
    # Nobody is right where the class is 1 and nobody names it; 0 wins where one abstains.
    says = [[v for v in row if not np.isnan(v)] for row in matrix.tolist()]
    lost = [
        i
        for i, said in enumerate(says)
        if (1.0 not in said if y[i] else len(said) == 5 and 0.0 not in said)
    ]
    assert list(why.hopeless) == lost
    for role in why.members:
        rest = best_of_skipping(np.delete(matrix, role.member, axis=1), y, np.ones(30), "accuracy")
        assert role.best == float(max(rest.values()))


@pytest.mark.parametrize(
    ("rule", "options", "argument", "words"),
    [
        (None, {}, "predictions", "abstentions='skip'"),
        ("abstain", {}, "abstentions", "expected 'skip'"),
        ("skip", {"objective": "mcc"}, "objective", "recall"),
        ("skip", {"threshold": "majority"}, "threshold", "most votes"),
        ("skip", {"method": "hc-uwa"}, "method", "hc-uwa"),
        ("skip", {"diversity": "F3"}, "diversity", "two classes"),
        ("against", {"certificate": True}, "certificate", "some abstain"),
        ("against", {"method": "hc-uwa", "constraints": vp.AtLeast("coverage", 0.5)},
         "constraints", "hc-uwa cannot honour 'coverage >= 0.5'"),
        ("against", {"method": "paper", "constraints": vp.AtLeast("coverage", 0.5)},
         "constraints", "paper cannot honour"),
        ("against", {"objective": vp.Ramp(1), "constraints": vp.AtLeast("coverage", 0.5)},
         "constraints", "cannot honour"),
        ("against", {"constraints": vp.AtLeast("recall", 0.5, of=2)}, "constraints", "none of"),
        ("skip", {"constraints": vp.AtLeast("recall", 0.5, of="x")}, "constraints", "none of"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(rule, options, argument, words):
    matrix, y = pool()
    with pytest.raises(InputError) as raised:
        vp.prune(vp.Votes(matrix, y, abstentions=rule), **options)
    assert raised.value.argument == argument
    assert words in raised.value.message


def test_doors_that_know_no_skipping_say_so():
    matrix, y = pool()
    votes = vp.Votes(matrix, y, abstentions="skip")
    for measure in vp.MEASURES:
        with pytest.raises(InputError, match="abstentions='against'") as raised:
            vp.diversity_matrix(votes, measure=measure)
        assert raised.value.argument == "votes"
    with pytest.raises(InputError, match="abstentions='skip'") as raised:
        vp.prune(votes, promise=vp.AtLeast("recall", 0.5))
    assert raised.value.argument == "promise"
    covering = vp.Votes(matrix, y, abstentions="against")
    asked = vp.AtLeast("coverage", 0.9)
    points = [p for p in vp.front(covering, constraints=asked).points if p.committee is not None]
    found = vp.prune(covering, constraints=asked, random_state=0)
    assert max(p.value for p in points) == found.value
    for point in points:
        assert (~np.isnan(matrix[:, list(point.committee.members)])).any(axis=1).mean() >= 0.9
    with pytest.raises(InputError, match="coverage"):
        vp.prune(covering, constraints=vp.AtLeast("coverage", 0.5), checkpoint="x.npz")
    # Counted against, silence is a vote for 0, whatever is measured.
    zeros = vp.Votes(np.nan_to_num(matrix), y)
    assert np.array_equal(vp.diversity_matrix(covering), vp.diversity_matrix(zeros))
    # Where nobody is silent, nothing is skipped.
    complete = vp.Votes(np.nan_to_num(matrix), y, abstentions="skip")
    assert np.array_equal(vp.diversity_matrix(complete), vp.diversity_matrix(zeros))
    table = vp.compare(covering, methods=["exact", "full", "search"], random_state=0)
    assert {row.method for row in table.rows} == {"exact", "full", "search"}


def test_limits_that_make_no_sense_are_refused_when_made():
    for make, words in (
        (lambda: vp.AtMost("coverage", 0.5), "AtLeast"),
        (lambda: vp.AtLeast("coverage", 2), "between 0 and 1"),
        (lambda: vp.AtLeast("size", 2, of="cat"), "no class has a size"),
    ):
        with pytest.raises(InputError, match=words):
            make()
    assert str(vp.AtLeast("recall", 0.8, of="cat")) == "recall of cat >= 0.8"


def test_a_clash_is_named():
    gaps, y = pool(1)
    votes = vp.Votes(gaps, y, abstentions="against")
    asked = [vp.AtLeast("coverage", 1), vp.AtMost("size", 1), vp.AtLeast("recall", 0.1)]
    solution = vp.prune(votes, constraints=asked)
    assert solution.status == "infeasible"
    assert "coverage" in solution.explanation
    assert "recall" not in solution.explanation


def test_rows_on_which_everybody_votes_are_covered_by_anybody():
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    matrix = np.where(rng.random((20, 4)) < 0.7, y[:, None], 1 - y[:, None]).astype(float)
    matrix[16:, 1:] = np.nan
    votes = vp.Votes(matrix, y, abstentions="against")
    asked = vp.AtLeast("coverage", 0.8)
    free = vp.prune(votes)
    with mock.patch.object(exact, "ENUMERATE", 0), mock.patch.object(exact, "open_run") as opened:
        opened.return_value = None
        with mock.patch.object(exact, "Searching"):
            limited = vp.prune(votes, constraints=asked)
    assert (limited.status, limited.value) == ("optimal", free.value)


def test_rows_on_which_everybody_votes_are_covered_in_the_model():
    """Half of the rows have everybody's vote, two more have one of classifier 0."""
    y = np.arange(10) % 2
    said = np.column_stack([y, y, y]).astype(float)
    said[5:] = np.nan
    said[5:7, 0] = 1
    votes = vp.Votes(said, y, abstentions="against")
    for share, alone in ((0.5, (True, True)), (0.7, (True, False)), (0.8, (False, False))):
        coverage = Coverage.of(votes).under([vp.AtLeast("coverage", share)])
        builder = ModelBuilder()
        x = np.array([builder.variable(0, 1) for _ in range(3)])
        covers = add_coverage(builder, coverage, x, range(3))
        model = builder.build()
        for member, allowed in enumerate(alone):
            solution = np.zeros(model.n_variables)
            solution[x[member]] = 1
            for u, voters in covers:
                solution[u] = solution[voters].any()
            rows = model.matrix @ solution
            kept = (rows >= model.row_low - 1e-9).all() and (rows <= model.row_high + 1e-9).all()
            assert kept == allowed == coverage.meets([member]), (share, member)


def test_who_reads_a_committee_that_skips_is_named(tmp_path):
    matrix, y = pool()
    vp.prune(vp.Votes(matrix, y, abstentions="skip")).save(tmp_path / "s.json")
    with pytest.raises(vp.FileFormatError, match=r"vp\.PluralityCommittee\.load"):
        vp.Committee.load(tmp_path / "s.json")
    assert vp.PluralityCommittee.load(tmp_path / "s.json").abstentions == "skip"


@pytest.mark.parametrize(
    ("negative", "positive"), [("ham", "spam"), (1, 0), (1, 2), (2, 1), ("b", "a")]
)
def test_skipped_abstentions_keep_the_names_of_the_classes(negative, positive):
    matrix, y = pool()
    names = np.array([negative, positive], dtype=object)
    said = np.where(np.isnan(matrix), None, names[np.nan_to_num(matrix).astype(int)])
    truth = names[y].tolist()
    votes = vp.Votes(said, truth, positive=positive, abstentions="skip")
    committee = vp.prune(votes, random_state=0).committee
    expected = vp.prune(vp.Votes(matrix, y, abstentions="skip"), random_state=0).committee
    assert committee.members == expected.members
    predicted = names[expected.predict(matrix)]
    kept = vp.PluralityCommittee.from_json(committee.to_json())
    assert kept == committee
    turned = vp.Votes(said, truth, positive=negative, abstentions="skip")
    for given in (votes, turned, said, {f"c{k}": said[:, k] for k in range(said.shape[1])}):
        assert (kept.predict(given) == predicted).all()
    assert (kept.voted(said) == expected.voted(matrix)).all()
    for strange in (
        votes.called("no", "yes"),
        vp.PluralityVotes(matrix.astype(object), y, abstentions="skip"),
    ):
        with pytest.raises(InputError, match="classes"):
            kept.predict(strange)
    wish = vp.AtLeast("recall", 0.6, of=negative)
    limited = vp.prune(votes, constraints=wish, random_state=0).committee.predict(votes)
    real = names[y]
    assert (limited == real)[real == negative].mean() >= 0.6
    worth = {negative: 3, positive: 1}
    by_worth = vp.prune(votes, objective=worth, random_state=0)
    assert (
        by_worth.value
        == vp.prune(
            vp.Votes(matrix, y, abstentions="skip"), objective={0: 3, 1: 1}, random_state=0
        ).value
    )


def test_probabilities_beside_named_classes_are_cut_where_abstentions_are_skipped():
    matrix, y = pool()
    words = np.array(["ham", "spam"])[y]
    votes = vp.Votes(matrix * 0.4 + 0.2, words, positive="spam", abstentions="skip")
    committee = vp.prune(votes, random_state=0).committee
    assert (committee.predict(matrix * 0.4 + 0.2) == committee.predict(votes)).all()
    assert set(committee.predict(votes)) == {"ham", "spam"}
    told = vp.prune(votes, random_state=0)
    assert "others are ham" in told.summary()
    assert "decided as ham, spam" in told.summary()
    assert "goes to the class named first: ham, spam." in told.to_html(time_limit=0)


def test_names_of_classes_are_as_many_as_there_are():
    for labels in (("a",), ("a", "a"), ("a", "b", "c")):
        with pytest.raises(InputError) as raised:
            vp.PluralityCommittee((0,), ("c0",), (0, 1), 2, "skip", labels=labels)
        assert raised.value.argument == "labels"
    assert vp.PluralityCommittee((0,), ("c0",), (0, 1), 2, "skip", labels=(0, 1)).labels == ()


@pytest.mark.parametrize("keys", [("a", "b"), (0, 1)])
def test_masked_entries_of_columns_abstain_or_are_refused(keys):
    y = [0, 1, 1, 0]
    masked = np.ma.masked_array([0, 1, 1, 1], mask=[False, False, True, True])
    said = {keys[0]: masked, keys[1]: [0, 1, 0, 0]}
    votes = vp.Votes(said, y, abstentions="skip")
    assert votes.voted.tolist() == [[True, True], [True, True], [False, True], [False, True]]
    several = vp.PluralityVotes(said, y, abstentions="skip")
    assert (several.voted == votes.voted).all()
    committee = vp.PluralityCommittee((0, 1), tuple(map(str, keys)), (0, 1), 2, "skip")
    assert committee.predict(said).tolist() == [0, 1, 0, 0]
    for refusing in (vp.Votes, vp.PluralityVotes):
        with pytest.raises(InputError, match="masked"):
            refusing(said, y)
