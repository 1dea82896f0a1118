"""The front door: what goes in, what comes out, and what is refused before any work starts."""

import numpy as np
import pytest

import voteprune as vp
from voteprune.solve.request import check_start

RNG = np.random.default_rng(11)
LABELS = np.arange(80) % 2
MATRIX = np.where(RNG.random((80, 9)) < 0.7, LABELS[:, None], 1 - LABELS[:, None])
VOTES = vp.Votes(MATRIX, LABELS)


def test_votes_or_raw_arrays_give_the_same_answer():
    one = vp.prune(VOTES, random_state=0)
    two = vp.prune(MATRIX, LABELS, random_state=0)
    assert (one.value, one.committee) == (two.value, two.committee)


def test_value_confusion_and_predictions_agree():
    solution = vp.prune(VOTES, objective="balanced_accuracy", random_state=0)
    predicted = solution.committee.predict(MATRIX)
    counts = solution.confusion
    assert counts.tp == ((predicted == 1) & (LABELS == 1)).sum()
    assert counts.fp == ((predicted == 1) & (LABELS == 0)).sum()
    assert solution.value == (counts.tp / 40 + counts.tn / 40) / 2
    assert solution.bound >= solution.value
    assert all(isinstance(getattr(counts, name), int) for name in ("tp", "fn", "tn", "fp"))


def test_no_time_still_gives_a_committee_and_a_valid_bound():
    truth = vp.prune(VOTES, method="brute")
    for method in ("exact", "merged", "paper", "brute"):
        solution = vp.prune(VOTES, method=method, time_limit=0)
        assert solution.value is not None, method
        assert solution.value <= truth.value <= solution.bound


@pytest.mark.parametrize("method", ["exact", "merged", "paper", "brute"])
@pytest.mark.parametrize("diversity", [None, "F2", "F3"])
def test_a_pool_of_one_works(method, diversity):
    solution = vp.prune([[0], [1], [1]], [0, 1, 0], method=method, diversity=diversity)
    assert (solution.status, solution.committee.members) == ("optimal", (0,))
    assert solution.committee.threshold == 0


def test_the_best_committee_may_be_worse_than_a_coin():
    solution = vp.prune([[1, 1], [0, 1]], [0, 1])
    assert (solution.status, solution.value) == ("optimal", 0.5)


def test_a_start_is_used_and_never_lost():
    best = vp.prune(VOTES, method="brute")
    for start in (best.committee, best.committee.members, list(best.committee.members)):
        solution = vp.prune(VOTES, start=start, time_limit=0)
        assert solution.value == best.value
    forbidden = vp.prune(VOTES, start=[0, 1], constraints=[vp.Forbid(0)], time_limit=0)
    assert 0 not in forbidden.committee.members


def test_the_members_of_a_start_are_found_by_name():
    best = vp.prune(VOTES, method="brute")
    committee, other = best.committee, VOTES.select(range(VOTES.n_classifiers)[::-1])
    places = check_start(committee, other.n_classifiers, other.names)
    assert {other.names[k] for k in places} == set(committee.names)
    unnamed = [f"x{k}" for k in range(VOTES.n_classifiers)]
    assert tuple(check_start(committee, len(unnamed), unnamed)) == committee.members
    assert vp.prune(other, start=committee, time_limit=0).value == best.value


def test_a_start_with_members_that_the_pool_has_not_is_refused():
    names = [f"m{k}" for k in range(9)]
    committee = vp.Committee((1, 4), 0, ("m1", "x"), 9)
    with pytest.raises(vp.InputError, match="has a member 'x', which the pool has not") as error:
        vp.prune(VOTES._but(names=tuple(names)), start=committee, time_limit=0)
    assert error.value.argument == "start"
    # Where nobody has named the pool or the committee, places are all there is.
    assert check_start(committee, 9, VOTES.names) == [1, 4]
    assert check_start(committee, 9) == [1, 4]
    assert check_start(vp.Committee((1, 4), 0, ("c1", "c4"), 9), 9, names) == [1, 4]


def test_the_callback_sees_values_rise_and_bounds_fall():
    seen = []
    solution = vp.prune(VOTES, callback=seen.append, random_state=0)
    values = [progress.value for progress in seen if progress.value is not None]
    bounds = [progress.bound for progress in seen]
    assert values == sorted(values)
    assert bounds == sorted(bounds, reverse=True)
    assert (values[-1], bounds[-1]) == (solution.value, solution.bound)
    assert solution.trace == tuple(seen)


def test_the_callback_can_end_the_run():
    solution = vp.prune(VOTES, callback=lambda progress: True)
    assert solution.termination == "callback"
    assert solution.status == "feasible"
    assert solution.committee is not None


def test_seeds_are_recorded_and_reproduce():
    assert vp.prune(VOTES, random_state=3, time_limit=0).seed == 3
    drawn = vp.prune(VOTES, time_limit=0).seed
    assert 0 <= drawn < 2**31
    twice = [
        vp.prune(VOTES, time_limit=0, random_state=np.random.default_rng(8)).seed for _ in range(2)
    ]
    assert twice[0] == twice[1]
    old = np.random.RandomState(8)
    assert vp.prune(VOTES, time_limit=0, random_state=old).seed >= 0


@pytest.mark.parametrize("method", ["exact", "merged", "paper", "brute"])
def test_an_infeasible_request_names_the_clash_and_gives_no_committee(method):
    solution = vp.prune(
        VOTES,
        method=method,
        constraints=[vp.AtMost("size", 8), vp.AtLeast("recall", 1), vp.AtMost("fp", 0)],
        random_state=0,
    )
    assert (solution.status, solution.termination) == ("infeasible", "proved")
    assert (solution.committee, solution.value, solution.bound) == (None, None, None)
    assert "recall >= 1" in solution.explanation
    assert "fp <= 0" in solution.explanation
    assert "size" not in solution.explanation


def test_one_impossible_constraint_is_named_alone():
    solution = vp.prune(VOTES, constraints=[vp.AtMost("size", 3), vp.AtLeast("accuracy", 1)])
    assert solution.explanation == "no committee of this pool meets: accuracy >= 1."


def test_a_constraint_given_twice_is_named_once():
    limit = vp.AtLeast("tp", 100)
    solution = vp.prune(VOTES, constraints=[limit, limit])
    assert solution.explanation == "no committee of this pool meets: tp >= 100."


@pytest.mark.parametrize("method", ["merged", "paper"])
def test_gains_a_solver_cannot_tell_apart_are_not_called_optimal(method):
    """Nine orders of magnitude apart: the answer is a committee and a bound, not a proof."""
    request = {
        "sample_weight": [1e4, 10.0, 1e10],
        "objective": vp.Weights(tp=3.3333, fn=1e9, tn=-1, fp=0.001),
        "constraints": [vp.Require(4), vp.AtLeast("recall", 0.56)],
        "diversity": "F2",
        "random_state": 0,
    }
    matrix = [[0, 0, 0, 1, 1, 1, 0], [1, 0, 0, 0, 1, 0, 1], [1, 1, 1, 0, 1, 1, 0]]
    truth = vp.prune(matrix, [0, 1, 1], method="brute", **request)
    solution = vp.prune(matrix, [0, 1, 1], method=method, **request)
    assert solution.value <= truth.value <= solution.bound
    assert solution.status == "feasible" or solution.value == truth.value


def test_small_pools_are_enumerated_and_exact():
    weights = vp.Weights(tp=-1e12, fn=-1e12, tn=3.3333, fp=-1)
    solution = vp.prune([[0], [1], [0], [1], [1]], [0, 0, 1, 1, 1], objective=weights)
    assert (solution.status, solution.gap) == ("optimal", 0.0)


def test_one_and_many_threads_agree():
    one, two = (vp.prune(VOTES, n_jobs=jobs, random_state=0) for jobs in (1, 2))
    assert one.value == two.value


BAD = {
    "time_limit negative": ({"time_limit": -1}, "time_limit"),
    "time_limit nan": ({"time_limit": float("nan")}, "time_limit"),
    "time_limit text": ({"time_limit": "soon"}, "time_limit"),
    "objective": ({"objective": "auc"}, "objective"),
    "method": ({"method": "magic"}, "method"),
    "solver": ({"solver": "abacus"}, "solver"),
    "solver kind": ({"solver": 3}, "solver"),
    "diversity": ({"diversity": "F9"}, "diversity"),
    "constraints": ({"constraints": [3]}, "constraints"),
    "crossing sizes": (
        {"constraints": [vp.AtLeast("size", 5), vp.AtMost("size", 2)]},
        "constraints",
    ),
    "start outside": ({"start": [99]}, "start"),
    "start empty": ({"start": []}, "start"),
    "start kind": ({"start": "all"}, "start"),
    "start fraction": ({"start": [0.7, 1]}, "start"),
    "start of another pool": ({"start": vp.Committee((0,), 0, ("a",), 3)}, "start"),
    "a solver it does not use": ({"method": "full", "solver": "highs"}, "solver"),
    "gains beyond floats": ({"objective": vp.Weights(tp=1e308)}, "objective"),
    "callback": ({"callback": 3}, "callback"),
    "random_state": ({"random_state": "x"}, "random_state"),
    "random_state negative": ({"random_state": -1}, "random_state"),
    "n_jobs zero": ({"n_jobs": 0}, "n_jobs"),
    "n_jobs kind": ({"n_jobs": 1.5}, "n_jobs"),
    "y twice": ({"y": LABELS}, "y"),
    "weights twice": ({"sample_weight": np.ones(80)}, "sample_weight"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_are_named_before_any_work_starts(case):
    options, argument = BAD[case]
    with pytest.raises(vp.InputError) as caught:
        vp.prune(VOTES, callback=options.pop("callback", _must_not_run), **options)
    assert caught.value.argument == argument


def test_an_objective_in_the_place_of_labels_is_told_where_it_goes():
    for given in (VOTES, vp.Probabilities(MATRIX, LABELS), vp.PluralityVotes(MATRIX, LABELS)):
        with pytest.raises(vp.InputError, match="by name: objective='f1'"):
            vp.prune(given, "f1")


def _must_not_run(progress):
    raise AssertionError("work started")


def test_brute_force_refuses_large_pools():
    with pytest.raises(vp.InputError, match="20"):
        vp.prune(np.eye(21), [1] + [0] * 20, method="brute")


def test_solver_brute_is_short_for_the_method():
    assert vp.prune(VOTES, solver="brute").method == "brute"


def test_inputs_are_never_modified():
    matrix, labels = MATRIX.copy(), LABELS.copy()
    constraints = [vp.AtMost("size", 3)]
    vp.prune(matrix, labels, constraints=constraints, diversity="F3", time_limit=0)
    assert (matrix == MATRIX).all()
    assert (labels == LABELS).all()
    assert constraints == [vp.AtMost("size", 3)]
