"""`prune` on probabilities: the spine for soft committees, against fits of every subset."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import pool
from voteprune.soft.pruning import SoftPruning

OBJECTIVES = ["log_loss", "pool_log_loss", "brier"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_exact_finds_what_every_subset_together_has_best(objective, n_classes, seed):
    said = vp.Probabilities(*pool(seed, n_classes=n_classes))
    limits = [vp.AtMost("size", 3)]
    exact = vp.prune(said, objective=objective, constraints=limits, penalty=5, random_state=0)
    brute = vp.prune(said, objective=objective, constraints=limits, penalty=5, method="brute")
    assert (exact.status, brute.status) == ("optimal", "optimal")
    assert exact.penalised_loss <= brute.penalised_loss * (1 + 2 * exact.tolerance)
    assert exact.lower_bound <= brute.penalised_loss
    assert exact.bound >= exact.value == -exact.penalised_loss


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_losses_are_those_of_the_probabilities_the_committee_gives(objective):
    """Counted again from `predict_proba`, with weights that differ."""
    predictions, y = pool(7)
    weights = np.random.default_rng(7).uniform(0.5, 2, len(y))
    said = vp.Probabilities(predictions, y, sample_weight=weights)
    solution = vp.prune(said, objective=objective, constraints=[vp.AtMost("size", 3)], penalty=3)
    given = solution.committee.predict_proba(predictions)
    true = given[np.arange(len(y)), y]
    each = -np.log(true)
    if objective == "brier":
        each = solution.loss * np.sum(weights) * (1 - true) ** 2 / (weights @ (1 - true) ** 2)
    assert solution.loss == pytest.approx(weights @ each / weights.sum(), rel=1e-9)
    ridge = 3 * weights.sum() / len(y) / 2 * np.sum(np.square(solution.committee.weights))
    assert solution.penalised_loss == pytest.approx(solution.loss + ridge / weights.sum(), rel=1e-9)
    right = (solution.committee.predict(predictions) == y) @ weights / weights.sum()
    assert solution.accuracy == pytest.approx(right)


def test_every_constraint_is_kept_and_the_best_within_is_found():
    predictions, y = pool(3, k=7)
    said = vp.Probabilities(predictions, y)
    costs = [3, 1, 2, 1, 2, 3, 1]
    limits = [
        vp.AtMost("size", 4), vp.Require("c5"), vp.Forbid("c0"), vp.Budget(costs, limit=6),
        vp.Group(["c1", "c2", "c3"], at_most=1, at_least=1, name="team"),
    ]  # fmt: skip
    solution = vp.prune(said, constraints=limits, penalty=4)
    allowed = [
        members
        for size in range(1, 5)
        for members in itertools.combinations(range(7), size)
        if 5 in members and 0 not in members and sum(costs[k] for k in members) <= 6
        and len({1, 2, 3} & set(members)) == 1
    ]  # fmt: skip
    assert solution.status == "optimal"
    free = vp.prune(said, constraints=[], penalty=4, method="brute")
    assert free.penalised_loss < solution.penalised_loss
    best = min(
        vp.prune(
            said,
            constraints=[vp.Require(*members), vp.AtMost("size", len(members))],
            penalty=4,
            method="brute",
        ).penalised_loss
        for members in allowed
    )
    assert solution.penalised_loss == pytest.approx(best, rel=2 * solution.tolerance)
    assert "team" in solution.summary()


def test_a_bad_start_with_a_tree_alone_ends_at_the_optimum(monkeypatch):
    """Search off: the bound alone must lead there, and none told lies above the optimum."""
    said = vp.Probabilities(*pool(11, n=80, k=8))
    limits = [vp.AtMost("size", 3)]
    brute = vp.prune(said, constraints=limits, penalty=2, method="brute")
    from voteprune.soft import tree

    monkeypatch.setattr(tree.SoftTree, "_first_committees", lambda self, deadline: None)
    told = []
    worst = [0]
    solution = vp.prune(
        said, constraints=limits, penalty=2, start=worst, callback=lambda p: told.append(p.bound)
    )
    assert solution.penalised_loss == pytest.approx(brute.penalised_loss, rel=2e-6)
    assert min(told) >= brute.value - 1e-9


def test_a_limit_on_recall_moves_the_cutoff_and_says_so_where_none_can():
    predictions, y = pool(5, n=200)
    said = vp.Probabilities(predictions, y)
    plain = vp.prune(said, constraints=[vp.AtMost("size", 3)])
    assert plain.committee.cutoff == 0.5
    careful = vp.prune(said, constraints=[vp.AtMost("size", 3), vp.AtLeast("recall", 0.97)])
    assert careful.committee.members == plain.committee.members
    found = careful.committee.predict(predictions)
    assert (found[y == 1] == 1).mean() >= 0.97
    given = careful.committee.predict_proba(predictions)[:, 1]
    cuts = [
        np.mean((given > c) == y) for c in np.r_[0, given] if np.mean(given[y == 1] > c) >= 0.97
    ]
    assert careful.accuracy == pytest.approx(max(cuts))
    both = [vp.AtLeast("recall", 1), vp.AtLeast("specificity", 1)]
    stuck = vp.prune(said, constraints=both)
    assert "no cut-off" in stuck.explanation
    assert stuck.status == "optimal"
    assert (plain.limits_kept, careful.limits_kept, stuck.limits_kept) == (True, True, False)


def test_limits_that_are_not_kept_are_said_first(tmp_path):
    predictions, y = pool(5, n=200)
    both = [vp.AtLeast("recall", 1), vp.AtLeast("specificity", 1)]
    solution = vp.prune(vp.Probabilities(predictions, y), constraints=both)
    lines = solution.summary().splitlines()
    assert lines[0].startswith("Limits on criteria are not kept. By loss alone it is optimal:")
    asked = next(line for line in lines if line.startswith("  subject to"))
    assert asked.endswith("recall >= 1; specificity >= 1; those on criteria are not kept")
    assert "limits not kept" in repr(solution)
    solution.save(tmp_path / "solution.json")
    again = vp.SoftSolution.load(tmp_path / "solution.json")
    assert not again.limits_kept
    assert again.summary() == solution.summary()
    one = vp.prune(vp.Probabilities(predictions, y), constraints=both[:1])
    assert one.limits_kept
    assert "not kept" not in one.summary() + repr(one)


def test_what_is_saved_is_read_again_and_decides_alike(tmp_path):
    predictions, y = pool(2, n_classes=3)
    solution = vp.prune(vp.Probabilities(predictions, y), constraints=[vp.AtMost("size", 2)])
    solution.save(tmp_path / "solution.json")
    again = vp.SoftSolution.load(tmp_path / "solution.json")
    assert again.committee == solution.committee
    assert again.summary() == solution.summary()
    committee = vp.SoftCommittee.load(tmp_path / "solution.json")
    np.testing.assert_array_equal(
        committee.predict_proba(predictions), solution.committee.predict_proba(predictions)
    )
    frame = {name: predictions[:, k] for k, name in enumerate(f"c{k}" for k in range(6))}
    np.testing.assert_allclose(
        committee.predict_proba(frame), committee.predict_proba(predictions), rtol=1e-12
    )


def test_a_single_sure_row_is_not_taken_for_a_vote():
    """A member that gave probabilities gives them on new rows, too, be they 0 and 1."""
    predictions, y = pool(4)
    committee = vp.prune(vp.Probabilities(predictions, y)).committee
    sure, clipped = np.ones((1, 6)), np.full((1, 6), 1 - committee.clip)
    np.testing.assert_allclose(committee.predict_proba(sure), committee.predict_proba(clipped))


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        ({"objective": "f1"}, "objective"),
        ({"objective": "accuracy"}, "objective"),
        ({"method": "paper"}, "method"),
        ({"diversity": "F2"}, "diversity"),
        ({"threshold": "majority"}, "threshold"),
        ({"penalty": 0}, "penalty"),
        ({"penalty": "much"}, "penalty"),
        ({"solver": "highs"}, "solver"),
        ({"holdout": 0.3}, "holdout"),
        ({"start": [99]}, "start"),
        ({"constraints": vp.Budget([-1] * 6, limit=1)}, "budgets"),
        ({"y": [0, 1]}, "y"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(wrong, argument):
    with pytest.raises(vp.InputError, match=argument):
        vp.prune(vp.Probabilities(*pool(0)), **wrong)


def test_a_penalty_is_for_probabilities():
    with pytest.raises(vp.InputError, match="penalty"):
        vp.prune([[0, 1], [1, 0]], [0, 1], penalty=1)


def test_time_over_at_once_still_gives_a_committee_and_a_bound():
    said = vp.Probabilities(*pool(1, n=300, k=40))
    solution = vp.prune(said, time_limit=0)
    assert solution.status == "feasible"
    assert solution.bound >= solution.value


def test_nobody_who_meets_the_constraints():
    said = vp.Probabilities(*pool(1))
    clash = [vp.Require("c1"), vp.Budget([1, 2, 1, 1, 1, 1], limit=1)]
    solution = vp.prune(said, constraints=[*clash, vp.Forbid("c2")])
    assert solution.status == "infeasible"
    assert not solution.limits_kept
    assert solution.summary().startswith("Infeasible")
    assert solution.explanation == (
        "no committee meets require c1 and cost <= 1 together; any one less and there is one."
    )


@pytest.mark.parametrize("method", ["exact", "brute", "search"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_where_everybody_is_wrong_one_member_sits_with_weight_zero(n_classes, method):
    """The best is to listen to nobody: the shares of the classes, for every row."""
    predictions, y = pool(6, n_classes=n_classes)
    said = vp.Probabilities(predictions, (y + 1) % n_classes)
    solution = vp.prune(said, method=method, constraints=[vp.AtMost("size", 3)], time_limit=5)
    assert solution.committee.weights == (0.0,)
    given = solution.committee.predict_proba(predictions)
    share = np.bincount((y + 1) % n_classes) / len(y)
    np.testing.assert_allclose(given, np.tile(share, (len(y), 1)), rtol=1e-6)


@pytest.mark.parametrize("method", ["exact", "brute"])
def test_beside_a_huge_penalty_value_and_bound_meet_and_hold(method):
    predictions, y = pool(5, n=200)
    y[:100] = 1
    said = vp.Probabilities(predictions, y)
    solution = vp.prune(said, penalty=1e15, method=method)
    share = y.mean()
    alone = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    assert solution.status == "optimal"
    assert solution.gap <= solution.tolerance
    assert solution.lower_bound <= alone <= solution.penalised_loss * (1 + 1e-9)


def test_optimal_is_judged_by_the_fit_that_is_told(monkeypatch):
    """It is another than the tree's own, and may be worse."""
    predictions, y = pool(5)
    best = SoftPruning.best

    def poor(self, members, threshold=None):
        found = best(self, members, threshold)
        return found and (found[0], found[1] * (1 + 1e-5))

    monkeypatch.setattr(SoftPruning, "best", poor)
    solution = vp.prune(vp.Probabilities(predictions, y))
    assert (solution.status, solution.termination) == ("feasible", "solver tolerance")
    assert solution.gap > solution.tolerance


def test_no_solution_is_optimal_with_a_bound_that_is_far():
    predictions, y = pool(5)
    solution = vp.prune(vp.Probabilities(predictions, y))
    with pytest.raises(vp.InputError, match="cannot be optimal with a bound"):
        replace(solution, bound=solution.value * (1 - 2e-6))
    assert replace(solution, bound=solution.value * (1 - 2e-6), status="feasible").gap > 1e-6


def test_negative_costs_are_refused_by_the_name_of_the_argument():
    predictions, y = pool(5)
    budget = vp.Budget(dict.fromkeys(["c0", "c1", "c2", "c3", "c4", "c5"], -1), limit=3)
    with pytest.raises(vp.InputError, match=r"zero or above\. Give such costs") as refused:
        vp.prune(vp.Probabilities(predictions, y), constraints=[budget])
    assert refused.value.argument == "constraints"
