"""Plurality committees: the optimum is found and proved, ties go where they should, and back."""

from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from sklearn import metrics

import voteprune as vp
from plurality_oracle import faults, winner
from voteprune.strategies import exact_plurality as exact


@pytest.mark.parametrize("block", range(6))
def test_the_optimum_is_found_and_proved(block):
    for seed in range(16 * block, 16 * block + 16):
        assert list(faults(seed)) == [], seed


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_so_it_is_by_the_integer_program(block):
    with mock.patch.object(exact, "ENUMERATE", 0):
        for seed in range(1000 + 7 * block, 1007 + 7 * block):
            assert list(faults(seed)) == [], seed


@pytest.mark.parametrize("block", range(2))
def test_the_program_needs_no_search_before_it(block):
    """Nor does it lean on the committees the search brings."""
    with (
        mock.patch.object(exact, "ENUMERATE", 0),
        mock.patch.object(exact.Searching, "search"),
        mock.patch.object(exact, "offer_openings"),
    ):
        for seed in range(2000 + 5 * block, 2005 + 5 * block):
            assert list(faults(seed)) == [], seed


@pytest.mark.parametrize("method", ["search", "hc-acc", "full", "best"])
def test_heuristics_recount_and_claim_nothing(method):
    for seed in range(3000, 3006):
        assert list(faults(seed, method=method)) == [], seed


def test_bounds_hold_when_there_is_no_time():
    with mock.patch.object(exact, "ENUMERATE", 0):
        for seed in range(4000, 4010):
            assert list(faults(seed, time_limit=[0, 0.02][seed % 2])) == [], seed


def pool(seed=0, n=80, k=7, c=4, skill=0.6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, c, n)
    named = np.where(rng.random((n, k)) < skill, y[:, None], rng.integers(0, c, (n, k)))
    return named, y


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_scikit_learns(weighted):
    matrix, y = pool()
    weight = np.random.default_rng(1).integers(1, 5, len(y)) / 2 if weighted else None
    votes = vp.PluralityVotes(matrix, y, sample_weight=weight)
    scores = {
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
    }
    for objective, score in scores.items():
        solution = vp.prune(votes, objective=objective)
        predicted = solution.committee.predict(matrix)
        assert solution.value == pytest.approx(score(y, predicted, sample_weight=weight))
        counted = metrics.confusion_matrix(y, predicted, sample_weight=weight)
        assert np.array_equal(np.array(solution.confusion, dtype=float), counted)


def test_ties_go_to_the_first_class_in_the_order_given():
    matrix, y = [["b", "a"], ["a", "b"], ["b", "b"]], ["a", "b", "b"]
    both = [vp.Require(0, 1)]
    forward = vp.prune(vp.PluralityVotes(matrix, y), constraints=both)
    assert forward.committee.predict(matrix).tolist() == ["a", "a", "b"]
    backward = vp.prune(vp.PluralityVotes(matrix, y, classes=["b", "a"]), constraints=both)
    assert backward.committee.predict(matrix).tolist() == ["b", "b", "b"]


def test_two_classes_by_plurality_are_two_classes_by_majority():
    """A tie is negative in both, so a committee's decisions agree with the binary ones."""
    matrix, y = pool(seed=3, c=2)
    solution = vp.prune(vp.PluralityVotes(matrix, y))
    members = solution.committee.members
    binary = vp.Committee(members, len(members) // 2, solution.committee.names, matrix.shape[1])
    assert np.array_equal(binary.predict(matrix), solution.committee.predict(matrix))
    assert vp.prune(matrix, y).value >= solution.value


@pytest.mark.slow
def test_the_integer_program_proves_a_pool_too_large_to_enumerate():
    """Without a search; committees of at most three can be counted by loops."""
    matrix, y = pool(seed=5, n=30, k=20, c=3, skill=0.4)
    rows, truth = matrix.tolist(), y.tolist()
    best = max(
        sum(
            winner([row[i] for i in who], [0, 1, 2]) == t
            for row, t in zip(rows, truth, strict=True)
        )
        for size in (1, 2, 3)
        for who in combinations(range(20), size)
    )
    told = []
    with mock.patch.object(exact.Searching, "search"), mock.patch.object(exact, "offer_openings"):
        solution = vp.prune(
            vp.PluralityVotes(matrix, y),
            constraints=[vp.AtMost("size", 3)],
            random_state=0,
            callback=lambda progress: told.append(progress.bound),
        )
    assert solution.status == "optimal"
    assert min(told) == solution.bound == solution.value == best / 30
    assert len(set(told)) > 1


def test_committees_and_solutions_survive_their_json(tmp_path):
    matrix, y = pool()
    solution = vp.prune(vp.PluralityVotes(matrix, y), constraints=[vp.AtMost("size", 3)])
    solution.save(tmp_path / "solution.json")
    again = vp.PluralitySolution.load(tmp_path / "solution.json")
    assert again == solution
    committee = vp.PluralityCommittee.load(tmp_path / "solution.json")
    assert committee == solution.committee
    committee.save(tmp_path / "committee.json")
    assert vp.PluralityCommittee.load(tmp_path / "committee.json") == committee
    with pytest.raises(vp.FileFormatError, match="expected"):
        vp.Committee.load(tmp_path / "committee.json")


def test_the_summary_tells_the_classes_and_the_proof():
    matrix, y = pool()
    text = vp.prune(vp.PluralityVotes(matrix, y)).summary()
    assert "Optimal: no committee is better" in text
    assert "most votes win" in text
    assert "4 classes" in text


def test_frames_give_names_and_find_members_by_name():
    pandas = pytest.importorskip("pandas")
    matrix, y = pool()
    frame = pandas.DataFrame(matrix, columns=[f"m{i}" for i in range(matrix.shape[1])])
    solution = vp.prune(vp.PluralityVotes(frame, y))
    assert all(name.startswith("m") for name in solution.committee.names)
    reordered = frame[frame.columns[::-1]]
    expected = solution.committee.predict(matrix)
    assert np.array_equal(solution.committee.predict(reordered), expected)


def test_a_callback_stops_it():
    matrix, y = pool(n=200, k=25, skill=0.3)
    solution = vp.prune(vp.PluralityVotes(matrix, y), callback=lambda _: True)
    assert solution.termination == "callback"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"diversity": "F2"}, "diversity"),
        ({"threshold": "majority"}, "threshold"),
        ({"objective": "f1"}, "objective"),
        ({"objective": vp.Weights(tp=1)}, "objective"),
        ({"objective": {"nobody": 1}}, "objective"),
        ({"objective": {0: -1}}, "objective"),
        ({"method": "hc-uwa"}, "method"),
        ({"constraints": vp.AtLeast("recall", 0.5)}, "constraints"),
        ({"constraints": vp.AtLeast("size", 9)}, "constraints"),
        ({"constraints": vp.Budget([1, 2], 3)}, "Budget(costs)"),
        ({"start": [99]}, "start"),
        ({"y": [0] * 80}, "y"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_what_is_for_two_classes_is_refused_by_name(arguments, named):
    matrix, y = pool()
    with pytest.raises(vp.InputError) as error:
        vp.prune(vp.PluralityVotes(matrix, y), **arguments)
    assert error.value.argument == named


@pytest.mark.parametrize(
    ("predictions", "y", "options", "named"),
    [
        ([[0, 1], [1]], [0, 1], {}, "predictions"),
        ([0, 1], [0, 1], {}, "predictions"),
        ([[0, 1.5], [float("nan"), 1]], [0, 1], {}, "predictions"),
        ([["a", None]], ["a"], {}, "predictions"),
        ([["a", "b"]], None, {}, "y"),
        ([["a", "b"]], ["a", "b"], {}, "y"),
        ([["a", "b"]], [1], {}, "y"),
        ([["a", "b"]], ["a"], {"classes": ["a", "c"]}, "predictions"),
        ([["a", "b"]], ["a"], {"classes": ["a", "a"]}, "classes"),
        ([["a", "b"]], ["a"], {"sample_weight": [0]}, "sample_weight"),
        ([["a", "b"]], ["a"], {"names": ["x"]}, "names"),
    ],
)
def test_votes_that_are_none_are_refused_by_name(predictions, y, options, named):
    with pytest.raises(vp.InputError) as error:
        vp.PluralityVotes(predictions, y, **options)
    assert error.value.argument == named


def test_votes_cannot_be_changed():
    votes = vp.PluralityVotes([["a", "b"]], ["a"])
    with pytest.raises(AttributeError, match="immutable"):
        votes.names = ()
    with pytest.raises(ValueError):
        votes.matrix[0, 0] = 1


@pytest.mark.parametrize("objective", ["accuracy", "f1_macro"])
@pytest.mark.parametrize("method", ["exact", "brute", "search", "full", "best"])
def test_no_time_still_gives_a_committee_and_a_valid_bound(method, objective):
    votes = vp.PluralityVotes(*pool())
    gaps = np.where(np.random.default_rng(1).random((80, 7)) < 0.3, np.nan, pool()[0] > 1)
    skipping = vp.Votes(gaps, pool()[1] > 1, abstentions="skip")
    for given in (votes, skipping):
        truth = vp.prune(given, objective=objective, method="brute").value
        for limits in ((), vp.AtMost("size", 2)) if method in ("exact", "brute") else ((),):
            solution = vp.prune(
                given, objective=objective, method=method, constraints=limits, time_limit=0
            )
            assert solution.committee is not None
            assert solution.value <= truth
            assert solution.bound is None or solution.bound >= solution.value
            if method == "exact" and not limits:
                assert solution.bound >= truth
