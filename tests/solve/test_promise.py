"""What is promised about new rows is kept as often as it is said to be, and nothing else is."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from voteprune.solve.promise import errors_of, tail

DRAWS = 10_000


def pool(seed=0, n=600, k=7, skill=0.85, **more):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    matrix = np.where(rng.random((n, k)) < skill, labels[:, None], 1 - labels[:, None])
    return vp.Votes(matrix, labels, **more)


def single(k, size=7):
    return vp.Committee((k,), 0, (f"c{k}",), size)


def exact_tail(rows, errors, risk):
    return sum(math.comb(rows, e) * risk**e * (1 - risk) ** (rows - e) for e in range(errors + 1))


def test_members_are_found_by_name():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 600)
    good, bad = (np.where(rng.random(600) < skill, labels, 1 - labels) for skill in (0.95, 0.6))
    committee = vp.Committee((1,), 0, ("bad",), 2)
    held = vp.Votes({"bad": bad, "good": good}, labels)
    told = vp.promise([committee], held, vp.AtLeast("accuracy", 0.9))
    assert told.committee is None
    assert told.tests[0].errors == int((bad != labels).sum())


def test_the_positive_class_is_that_of_the_committee():
    votes = pool(skill=0.95)
    words = np.where(votes.labels, "spam", "ham")
    said = np.where(votes.matrix, "spam", "ham")
    spam, ham = (vp.Votes(said, words, positive=each) for each in ("spam", "ham"))
    committee = vp.prune(spam, constraints=vp.AtMost("size", 1)).committee
    for what in ("accuracy", "recall", "precision", "specificity"):
        told = [vp.promise([committee], held, vp.AtLeast(what, 0.8)) for held in (spam, ham)]
        assert told[0] == told[1]
        assert told[0].committee == committee
    with pytest.raises(vp.InputError, match="decides between 'ham' and 'spam'"):
        vp.promise([committee], spam.called("no", "yes"), vp.AtLeast("recall", 0.8))


@pytest.mark.parametrize("risk", [Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)])
@pytest.mark.parametrize("rows", [0, 1, 7, 40, 200])
def test_tails_are_binomial_and_never_too_small(rows, risk):
    for errors in range(0, rows + 1, max(1, rows // 9)):
        told, truth = tail(rows, errors, risk), exact_tail(rows, errors, risk)
        assert truth <= Fraction(told) <= truth * (1 + Fraction(1, 10**8)) or told == truth == 1


def voters(wrong):
    """Votes of classifiers, all rows positive but the last, wrong where told; rows x candidates."""
    labels = np.ones(len(wrong) + 1, dtype=int)
    labels[-1] = 0
    matrix = np.vstack([~wrong, np.zeros(wrong.shape[1], dtype=bool)]).astype(int)
    return vp.Votes(matrix, labels)


def test_one_candidate_that_is_just_too_risky_seldom_passes():
    rng, wish, rows = np.random.default_rng(1), vp.AtLeast("recall", 0.9), 300
    errors = rng.binomial(rows, 0.1001, DRAWS)
    passing = {e: tail(rows, int(e), 1 - wish.limit) <= 0.05 for e in np.unique(errors)}
    share = np.mean([passing[e] for e in errors])
    assert 0.02 <= share <= 0.056
    # and the front door says the same of a draw on either side of the line
    line = max(e for e, passed in passing.items() if passed)
    for e in (line, line + 1):
        told = vp.promise([single(0, 1)], voters((np.arange(rows) < e)[:, None]), wish)
        assert (told.committee is not None) == (e == line)


def test_a_list_of_twenty_breaks_its_promise_in_one_draw_of_twenty_at_most():
    """Whichever of those that passed is taken; risks grow along the list and cross the limit."""
    rng, rows, risk = np.random.default_rng(2), 200, Fraction(1, 10)
    risks = np.linspace(0.05, 0.15, 20)
    line = max(e for e in range(rows) if tail(rows, e, risk) <= 0.05)
    # The same rows for all: who is wrong where another is wrong already.
    hard = rng.random((DRAWS, rows))
    errors = np.stack([(hard < each).sum(axis=1) for each in risks], axis=1)
    passed = np.logical_and.accumulate(errors <= line, axis=1)
    broken = (passed & (risks > 0.1)).any(axis=1)
    assert 0.01 < broken.mean() <= 0.05
    for draw in (*np.flatnonzero(broken)[:2], *np.flatnonzero(~broken)[:2]):
        votes = voters(hard[draw][:, None] < risks)
        told = vp.promise(
            [single(k, 20) for k in range(20)], votes, vp.AtLeast("recall", 0.9),
            costs=[-k for k in range(20)],
        )  # fmt: skip
        count = int(passed[draw].sum())
        assert told.chosen == (count - 1 if count else None)
        assert len(told.tests) == min(count + 1, 20)


def test_nothing_is_tested_after_the_first_that_fails():
    wrong = np.zeros((200, 3), dtype=bool)
    wrong[:100, 1] = True
    told = vp.promise([single(k, 3) for k in range(3)], voters(wrong), vp.AtLeast("recall", 0.9))
    assert [test.passed for test in told.tests] == [True, False]
    assert told.committee == single(0, 3)


def test_the_cheapest_that_passed_is_taken():
    pairs = vp.Committee((0, 1), 0, ("c0", "c1"), 3)
    votes = voters(np.zeros((200, 3), dtype=bool))
    wish = vp.AtLeast("recall", 0.9)
    assert vp.promise([pairs, single(2, 3)], votes, wish).committee == single(2, 3)
    assert vp.promise([pairs, single(2, 3)], votes, wish, costs=[1, 2]).committee == pairs


def test_rows_count_as_the_criterion_says():
    votes = vp.Votes([[1], [0], [1], [1], [0], [1], [1]], [1, 1, 0, 0, 0, 1, 0])
    found = {what: errors_of(single(0, 1), votes, what) for what in
             ("accuracy", "recall", "specificity", "precision")}  # fmt: skip
    assert found == {
        "accuracy": (7, 4), "recall": (3, 1), "specificity": (4, 3), "precision": (5, 3),
    }  # fmt: skip


@pytest.mark.parametrize("what", ["accuracy", "recall", "specificity", "precision"])
def test_prune_promises_and_says_so(what, tmp_path):
    wish = vp.AtLeast(what, 0.85)
    solution = vp.prune(pool(), promise=wish, holdout=0.4, time_limit=4, random_state=0,
                        constraints=vp.AtMost("size", 5))  # fmt: skip
    told = solution.promise
    assert told.committee == solution.committee
    assert told.n_rows == 240
    assert solution.n_rows == 360
    assert (told.what, told.limit, told.confidence) == (what, wish.limit, Fraction("0.95"))
    assert told.tests[told.chosen].p_value <= 0.05
    assert f"promise      {what} >= 0.85 on new rows, confidence 0.95" in solution.summary()
    assert solution.committee.size <= 5
    assert solution.value <= solution.bound
    solution.save(tmp_path / "solution.json")
    assert vp.Solution.load(tmp_path / "solution.json") == solution
    assert json.loads((tmp_path / "solution.json").read_text())["promise"]["what"] == what


@pytest.mark.slow
def test_the_promise_is_about_rows_that_were_not_looked_at():
    """Votes of no worth: chosen on few rows the best looks good, and nothing can be promised."""
    votes = pool(3, n=80, k=40, skill=0.5)
    solution = vp.prune(votes, promise=vp.AtLeast("accuracy", 0.6), time_limit=2, random_state=1)
    assert solution.value > 0.7
    assert solution.promise.committee is None
    assert "promise      none can be made" in solution.summary()


def test_the_same_seed_makes_the_same_promise():
    asked = {"promise": vp.AtLeast("recall", 0.8), "method": "brute", "random_state": 5}
    assert vp.prune(pool(), **asked).promise == vp.prune(pool(), **asked).promise


def test_heuristics_promise_too():
    solution = vp.prune(pool(), method="hc-uwa", promise=vp.AtLeast("recall", 0.8), random_state=0)
    assert solution.promise.committee is not None


@pytest.mark.parametrize(
    ("request_", "argument"),
    [
        ({"promise": vp.AtLeast("f1", 0.9)}, "promise"),
        ({"promise": vp.AtMost("false_positive_rate", 0.1)}, "promise"),
        ({"promise": vp.AtLeast("size", 3)}, "promise"),
        ({"promise": "recall"}, "promise"),
        ({"promise": vp.AtLeast("recall", 1)}, "promise"),
        ({"promise": vp.AtLeast("recall", 0.9), "confidence": 95}, "confidence"),
        ({"promise": vp.AtLeast("recall", 0.9), "confidence": "high"}, "confidence"),
        ({"promise": vp.AtLeast("recall", 0.9), "holdout": 0}, "holdout"),
        ({"promise": vp.AtLeast("recall", 0.9), "holdout": 0.0001}, "holdout"),
        ({"promise": vp.AtLeast("recall", 0.9), "certificate": True}, "certificate"),
        ({"promise": vp.AtLeast("recall", 0.9), "checkpoint": "proof.npz"}, "checkpoint"),
        ({"holdout": 0.3}, "holdout"),
        ({"confidence": 0.9}, "confidence"),
    ],
)
def test_what_cannot_be_promised_is_refused(request_, argument):
    with pytest.raises(vp.InputError) as caught:
        vp.prune(pool(n=40), **request_)
    assert caught.value.argument == argument


def test_weighted_rows_and_more_classes_are_refused():
    wish = vp.AtLeast("recall", 0.9)
    weighted = pool(n=40, sample_weight=np.arange(40) + 1.0)
    for call in (lambda: vp.prune(weighted, promise=wish), lambda: vp.promise([], weighted, wish)):
        with pytest.raises(vp.InputError, match="all weigh 1"):
            call()
    named = [["x", "y"], ["y", "x"], ["z", "z"]]
    with pytest.raises(vp.InputError, match="none for several classes"):
        vp.prune(vp.PluralityVotes(named, ["x", "y", "z"]), promise=wish)


def test_a_promise_on_file_that_did_not_pass_is_refused():
    solution = vp.prune(pool(), method="brute", promise=vp.AtLeast("recall", 0.8), random_state=0)
    document = json.loads(solution.to_json())
    document["promise"]["tests"][document["promise"]["chosen"]]["p_value"] = 0.5
    with pytest.raises(vp.FileFormatError):
        vp.Solution.from_json(json.dumps(document))


@pytest.mark.parametrize(("rows", "errors", "size", "k"), [(200, 11, 3, 20), (50, 0, 1, 5)])
def test_the_occam_bound_is_where_its_tail_is_used_up(rows, errors, size, k):
    bound = vp.occam_bound(n_rows=rows, errors=errors, size=size, pool_size=k, delta=0.05)
    share = 0.05 / (math.comb(k, size) * size * math.pi**2 * size**2 / 6)
    assert exact_tail(rows, errors, bound) == pytest.approx(share, rel=1e-6)
    assert bound > errors / rows


def test_the_occam_bound_holds_for_the_best_of_a_pool():
    """Members that toss a coin: chosen on the rows themselves, the best is not said to be good."""
    wrong = 0
    for seed in range(40):
        solution = vp.prune(pool(seed, n=60, k=8, skill=0.5), method="brute")
        wrong += vp.occam_bound(solution) < 0.5
    assert wrong <= 2


def test_the_occam_bound_refuses_what_it_is_not_for():
    weighted = vp.prune(pool(n=40, sample_weight=np.arange(40) + 1.0), method="brute")
    plain = vp.prune(pool(n=40), method="brute")
    several = replace(plain, committee=vp.Committee((0,), 0, ("c0",), 7, (2,)))
    cases = [
        {"solution": weighted},
        {"solution": 3},
        {"solution": several},
        {"n_rows": 5},
        {"n_rows": 5, "errors": 6, "size": 1, "pool_size": 2},
        {"n_rows": 5, "errors": 1, "size": 1, "pool_size": 2, "delta": 0},
    ]
    for case in cases:
        with pytest.raises(vp.InputError):
            vp.occam_bound(**case)
    assert vp.occam_bound(n_rows=4, errors=4, size=1, pool_size=9) == 1.0


def test_a_promise_may_name_its_class():
    votes = pool(skill=0.9)
    numbers = vp.Votes(votes.matrix + 1, votes.labels + 1, positive=1)
    for of, what in ((1, "recall"), (2, "specificity")):
        named, plain = (
            vp.prune(numbers, promise=wish, random_state=0, time_limit=5).promise
            for wish in (vp.AtLeast("recall", 0.8, of=of), vp.AtLeast(what, 0.8))
        )
        assert named == plain
        assert named.what == what
    chosen = vp.prune(numbers, constraints=vp.AtMost("size", 1)).committee
    told = vp.promise([chosen], numbers, vp.AtLeast("recall", 0.8, of=2))
    assert told == vp.promise([chosen], numbers, vp.AtLeast("specificity", 0.8))
    with pytest.raises(vp.InputError, match="npv"):
        vp.promise([chosen], numbers, vp.AtLeast("precision", 0.8, of=2))
