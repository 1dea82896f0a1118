"""The judge of committees with several classes, against plain loops over the rows."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.formulas import Weights
from voteprune.problem.plurality import PluralityProblem, check_criterion, kind_of_criterion


def drawn(seed, classes=3, silent=False, weighted=True):
    rng = np.random.default_rng(seed)
    n, k = 14, 4
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
    named = np.where(rng.random((n, k)) < 0.5, y[:, None], rng.integers(0, classes, (n, k)))
    named = np.vstack([named, named[:5]])  # some rows twice
    y = np.append(y, rng.integers(0, classes, 5))
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], len(y)) if weighted else np.ones(len(y))
    weights[:classes] = 1.5
    named = named.astype(object)
    if silent:
        named[rng.random(named.shape) < 0.4] = None
    votes = vp.PluralityVotes(
        named, y, sample_weight=weights, classes=list(range(classes)),
        abstentions="skip" if silent else None,
    )  # fmt: skip
    return votes, named, y, [Fraction(float(w)) for w in weights]


def decided(row, members, classes):
    """The first of the classes named most often."""
    counts = [sum(row[k] == c for k in members) for c in range(classes)]
    return counts.index(max(counts))


def by_hand(named, y, weights, members, classes, worth):
    """Sum over the rows of their weight times what the decision is worth."""
    return sum(
        w * worth(int(label), decided(row, members, classes))
        for row, label, w in zip(named, y, weights, strict=True)
    )


SETS = [m for size in range(1, 5) for m in combinations(range(4), size)]


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["accuracy", "balanced_accuracy", {0: 2, 2: 0.25}])
def test_scores_are_those_of_the_rows(criterion, weighted, silent):
    for seed in range(3):
        votes, named, y, weights = drawn(seed, silent=silent, weighted=weighted)
        problem = PluralityProblem.of(votes, criterion)
        totals = [
            sum(w for w, c in zip(weights, y, strict=True) if c == label) for label in range(3)
        ]
        worths = {
            "accuracy": [1 / sum(totals)] * 3, "balanced_accuracy": [1 / (3 * t) for t in totals],
        }.get(criterion if isinstance(criterion, str) else "", [2, 0, Fraction(1, 4)])  # fmt: skip
        for members in SETS:
            own = by_hand(
                named, y, weights, members, 3, lambda c, d, w=worths: w[c] if c == d else 0
            )
            told = Fraction(problem.score(members)) * problem.gains.unit
            assert told == own
            assert problem.gains.base <= problem.score(members) <= problem.objective.ceiling
            committee, score = problem.best(members)
            assert score == problem.score(members)
            assert committee.members == members
            table = problem.confusion(members)
            for true in range(3):
                for said in range(3):
                    assert table[true][said] == by_hand(
                        named, y, weights, members, 3,
                        lambda c, d, t=true, s=said: int((c, d) == (t, s)),
                    )  # fmt: skip
        assert problem.best([]) is None
        assert len(problem.codes) == len({tuple(map(str, row)) for row, w in
                                          zip(named, weights, strict=True) if w})  # fmt: skip


def test_weights_of_two_classes_count_all_four_cells():
    votes, named, y, weights = drawn(4, classes=2, silent=True)
    four = Weights(tp=2, fp=-3, tn=1, fn=-0.5)
    problem = PluralityProblem.of(votes, four)
    worth = {(1, 1): 2, (0, 1): -3, (0, 0): 1, (1, 0): Fraction(-1, 2)}
    for members in SETS:
        own = by_hand(named, y, weights, members, 2, lambda c, d: worth[c, d])
        assert Fraction(problem.score(members)) * problem.gains.unit == own
    assert (problem.gain >= 0).all()
    assert (problem.gain.min(axis=1) == 0).all()
    assert {(a, b): v for a, b, v in problem.objective.worths} == worth
    some = PluralityProblem.of(votes, Weights(tp=1, fp=0, tn=0, fn=0)).objective.worths
    assert some == ((1, 1, 1),)


def test_a_criterion_is_known_or_refused():
    for name in ("accuracy", "balanced_accuracy", "f1_macro"):
        assert check_criterion(name, 3) == name
    assert check_criterion({0: 1}, 3) == {0: 1}
    assert check_criterion("recall", 2) == check_criterion("recall") == "recall"
    assert check_criterion("f1", 2) == "f1"
    four = Weights(tp=1, fp=0, tn=0, fn=0)
    assert check_criterion(four, 2) is four
    for wrong, classes in ((four, 3), ("recall", 3), ("f1", 3), ("nonsense", 2), (5, 2)):
        with pytest.raises(vp.InputError, match="not for plurality") as refused:
            check_criterion(wrong, classes)
        # What is known is named once.
        assert str(refused.value).count("balanced_accuracy") == 1
    assert kind_of_criterion("f1_macro") == "f-score"
    assert kind_of_criterion("accuracy") == "plurality"
    votes = drawn(0)[0]
    for wrong, word in (({7: 1}, "7 is none"), ({0: -1}, "negative"), ("recall", "two classes")):
        with pytest.raises(vp.InputError, match=word):
            PluralityProblem.of(votes, wrong)
    assert PluralityProblem.of(votes, {0: 0, 1: 1}).objective.worths == ((1, 1, 1),)


@pytest.mark.parametrize("silent", [False, True])
def test_a_class_can_win_exactly_where_some_committee_has_it_win(silent):
    """Of members that may sit; where all may abstain, the first class."""
    for seed in range(6):
        votes = drawn(seed, silent=silent)[0]
        problem = PluralityProblem.of(votes)
        for forbidden in ((), (1,), (0, 2), (0, 1, 3)):
            told = problem.can_win(forbidden)
            seen = np.zeros_like(told)
            for members in SETS:
                if not set(members) & set(forbidden):
                    seen[np.arange(len(seen)), problem.decided(members)] = True
            assert not (seen & ~told).any()
            for p, c in zip(*np.nonzero(told & ~seen), strict=True):
                # Somebody names it, but never alone: then it cannot be so.
                assert silent, p
                assert c == 0
            under = problem.with_requests([vp.Forbid(*forbidden)] if forbidden else [])
            best = np.where(told, problem.gain, 0).max(axis=1)
            np.testing.assert_array_equal(under.gains.net, best)
            assert under.objective.ceiling >= max(
                problem.score(m) for m in SETS if not set(m) & set(forbidden)
            )


def test_limits_on_members_and_on_decisions_are_kept():
    votes, named, y, weights = drawn(1)
    problem = PluralityProblem.of(
        votes, "accuracy", [vp.AtLeast("recall", 0.5, of=1), vp.AtMost("size", 3), vp.Forbid(0)]
    )
    right = lambda c, d: int(c == d == 1)  # noqa: E731
    whole = sum(w for w, c in zip(weights, y, strict=True) if c == 1)
    seen = set()
    for members in SETS:
        recall = by_hand(named, y, weights, members, 3, right) / whole
        allowed = recall >= Fraction(1, 2) and len(members) <= 3 and 0 not in members
        assert problem.allows(members) == allowed
        assert (problem.best(members) is not None) == allowed
        seen.add(allowed)
    assert seen == {True, False}


def test_many_classes_and_rows_without_weight_are_merged_as_they_are():
    rng = np.random.default_rng(0)
    for classes in (2, 255, 256):
        y = np.arange(classes)
        named = rng.integers(0, classes, (classes, 2))
        named[:, 0] = y
        weights = np.ones(classes)
        weights[1::7] = 0.0
        weights[0] = 2.0
        problem = PluralityProblem.of(vp.PluralityVotes(named, y, sample_weight=weights,
                                                        classes=list(range(classes))))  # fmt: skip
        kept = np.flatnonzero(weights)
        assert [tuple(row) for row in problem.codes.tolist()] == sorted(
            {tuple(row) for row in named[kept].tolist()}
        )
        unit = Fraction(1, problem.votes.denominator)
        assert int(problem.weight.sum()) * unit == int(weights.sum())
        assert problem.score([0]) == problem.objective.ceiling


def test_worths_beyond_machine_words_are_counted_exactly_and_others_are_refused():
    votes, named, y, weights = drawn(2)
    for large in (2**61, 10**25):
        problem = PluralityProblem.of(votes, {0: large, 1: 1, 2: 3})
        worth = {0: large, 1: 1, 2: 3}
        for members in SETS:
            own = by_hand(named, y, weights, members, 3, lambda c, d, w=worth: w[c] * (c == d))
            assert Fraction(int(problem.score(members))) * problem.gains.unit == own
    with pytest.raises(vp.InputError):
        PluralityProblem.of(votes, {0: 10**400})
