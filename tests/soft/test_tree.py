"""Soft committees against brute force: every set, fitted by an independent convex solver."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from soft_oracle import allowed, committees, draw, fitted, optimum, penalised, result_of
from voteprune.soft.problem import Budget, Group
from voteprune.soft.tree import SoftTree

KINDS = [
    (2, "log_loss"),
    (3, "log_loss"),
    (2, "pool_log_loss"),
    (3, "pool_log_loss"),
    (2, "pool_brier"),
    (3, "pool_brier"),
]
CASES = [(seed, *kind, limits) for kind in KINDS for limits in (False, True) for seed in (1, 5)]
SMALL = {"n": 24, "k": 5}
COSTLY = Budget(tuple(map(Fraction, (1, 2, 3, 2, 1))), Fraction(4))


@lru_cache
def case(seed, classes, loss, limits):
    problem = draw(seed, classes=classes, loss=loss, limits=limits, **SMALL)
    return problem, optimum(problem)


def run(problem, **options):
    """Work node by node; return the tree and every lower bound that was told."""
    tree = SoftTree(problem, tolerance=1e-8, **options)
    told = [tree.lower_bound]
    while not tree.round(most_nodes=1):
        told.append(tree.lower_bound)
        assert len(told) < 500
    return tree, [*told, tree.lower_bound]


def same(value, other):
    return value == other or abs(value - other) <= 3e-7 * abs(other)


@pytest.mark.parametrize("case_of", CASES)
def test_the_run_ends_at_the_optimum_and_no_bound_told_is_above_it(case_of):
    problem, best = case(*case_of)
    tree, told = run(problem)
    assert max(told) <= best * (1 + 1e-7) or best == np.inf
    result = result_of(tree)
    if best == np.inf:
        assert result is None
        return
    assert result.proved
    assert same(result.penalised_loss, best)
    assert result.gap <= 1e-8
    assert allowed(problem, result.members)
    own = penalised(problem, result.members, result.intercepts[: _free(problem)], result.weights)
    assert same(own, result.penalised_loss)


def _free(problem):
    if problem.loss != "log_loss":
        return 0
    return 1 if problem.answers.ndim == 2 else problem.answers.shape[2] - 1


@pytest.mark.slow
@pytest.mark.parametrize("case_of", CASES)
def test_from_a_bad_start_the_run_ends_at_the_optimum_too(case_of):
    problem, best = case(*case_of)
    if best == np.inf:
        return
    worst = max(committees(problem), key=lambda members: fitted(problem, members))
    tree, told = run(problem, search=False, incumbent=worst)
    assert max(told) <= best * (1 + 1e-7)
    assert same(result_of(tree).penalised_loss, best)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_of_every_node_is_below_each_of_its_committees(kind):
    problem = case(1, *kind, True)[0]
    values = {members: fitted(problem, members) for members in committees(problem)}
    tree = SoftTree(problem, search=False)
    while not tree.round(most_nodes=1):
        state = tree.state()
        for decisions, bound in zip(state.decisions, state.bounds, strict=True):
            for members, value in values.items():
                chosen = np.isin(np.arange(problem.n_members), members)
                if (chosen[decisions != 0] == (decisions[decisions != 0] == 1)).all():
                    assert bound <= value * (1 + 1e-7)


def test_rows_and_columns_in_another_order_make_no_difference():
    problem, best = case(5, 2, "log_loss", False)
    random = np.random.default_rng(0)
    rows, columns = random.permutation(SMALL["n"]), random.permutation(SMALL["k"])
    other = replace(
        problem,
        answers=problem.answers[rows][:, columns],
        labels=problem.labels[rows],
        weights=problem.weights[rows],
    )
    assert same(result_of(run(other)[0]).penalised_loss, best)


@pytest.mark.parametrize("classes", [2, 3])
def test_scaled_weights_choose_the_same_committee(classes):
    problem, best = case(5, classes, "log_loss", False)
    one = result_of(run(problem)[0])
    other = result_of(run(replace(problem, weights=problem.weights * 1e-7))[0])
    assert other.members == one.members
    np.testing.assert_allclose(other.weights, one.weights, rtol=1e-5)
    assert same(other.penalised_loss * 1e7, best)


def test_doubled_rows_at_half_weight_are_twice_the_penalty():
    problem = case(5, 2, "log_loss", False)[0]
    doubled = replace(
        problem,
        answers=np.vstack([problem.answers] * 2),
        labels=np.tile(problem.labels, 2),
        weights=np.tile(problem.weights / 2, 2),
    )
    twice = replace(problem, penalty=problem.penalty / 2)
    assert same(result_of(run(doubled)[0]).penalised_loss, result_of(run(twice)[0]).penalised_loss)


@pytest.mark.parametrize("kind", KINDS)
def test_a_duplicate_member_never_worsens_the_optimum(kind):
    problem, best = case(5, *kind, False)
    clone = np.concatenate([problem.answers, problem.answers[:, 1:2]], axis=1)
    assert result_of(run(replace(problem, answers=clone))[0]).penalised_loss <= best * (1 + 1e-7)


def test_two_classes_are_the_same_on_the_road_for_several():
    problem, best = case(5, 2, "log_loss", False)
    odds = problem.answers
    both = np.stack([-np.logaddexp(0, odds), -np.logaddexp(0, -odds)], axis=2)
    other = result_of(run(replace(problem, answers=both))[0])
    assert same(other.penalised_loss, best)
    one = result_of(run(problem)[0])
    assert other.members == one.members
    assert other.intercepts[1] - other.intercepts[0] == pytest.approx(one.intercepts[0], abs=1e-5)


def test_a_member_without_weight_sits_only_if_something_asks_for_it():
    problem = draw(5, **SMALL)
    answers = problem.answers.copy()
    answers[:, 0] = -5 * np.where(problem.labels == 1, 1.0, -1.0)
    free = replace(problem, answers=answers, size_max=5)
    assert 0 not in result_of(run(free)[0]).members
    asked = result_of(run(replace(free, required=(0,)))[0])
    assert asked.members[0] == 0
    assert asked.weights[0] == 0
    grouped = result_of(run(replace(free, groups=(Group((0,), at_least=1),)))[0])
    assert grouped.members[0] == 0


@pytest.mark.parametrize(
    "limits",
    [
        {"size_min": 4},
        {"required": (0, 4), "forbidden": (1,)},
        {"budgets": (COSTLY,)},
        {"budgets": (COSTLY, Budget((Fraction(1, 10),) * 5, Fraction(3, 10)))},
        {"groups": (Group((0, 1, 2), 1, 1), Group((2, 3), 0, 1))},
        {"groups": (Group((3, 4), 2),), "size_max": 3},
        {"groups": (Group((3, 4), 2),), "size_max": 1},
        {"required": (0,), "forbidden": (0,)},
    ],
)
def test_every_limit_is_kept_and_the_best_within_it_found(limits):
    problem = replace(draw(5, **SMALL), size_max=None, penalty=1.0)
    problem = replace(problem, **limits)
    best = optimum(problem)
    for search in (True, False):
        tree, told = run(problem, search=search)
        result = result_of(tree)
        if best == np.inf:
            assert result is None
            assert tree.finished
            continue
        assert allowed(problem, result.members)
        assert same(result.penalised_loss, best)
        assert max(told) <= best * (1 + 1e-7)


def test_a_tree_goes_on_from_its_state_and_its_parts_together_are_the_whole():
    problem = draw(3, n=40, k=12)
    problem = replace(problem, penalty=1.0, size_max=4)
    whole = result_of(run(problem, search=False)[0])
    begun = SoftTree(problem, search=False, tolerance=1e-8)
    begun.round(most_nodes=4)
    state = begun.state()
    assert len(state.bounds) > 1
    halves = []
    for part in (slice(0, None, 2), slice(1, None, 2)):
        worker = SoftTree(problem, search=False, tolerance=1e-8)
        worker.resume(
            replace(
                state,
                decisions=state.decisions[part],
                bounds=state.bounds[part],
                intercepts=state.intercepts[part],
                weights=state.weights[part],
                wanted=state.wanted[part],
            )
        )
        worker.round()
        halves.append(result_of(worker) or whole)
    assert same(min(h.penalised_loss for h in halves), whole.penalised_loss)
    begun.resume(state)
    begun.round()
    assert same(result_of(begun).penalised_loss, whole.penalised_loss)


def test_a_committee_from_elsewhere_is_taken_if_it_is_allowed_and_better():
    problem = replace(draw(5, **SMALL), size_max=2)
    tree = SoftTree(problem)
    assert not tree.offer((0, 1, 2))
    assert tree.offer((4,))
    assert tree.offer((1, 4))
    assert not tree.offer((4,))


@pytest.mark.slow
def test_the_steps_of_a_proof_cover_every_committee():
    """Replayed by its own words: each committee is closed by a step at or above its cut-off."""
    problem = replace(draw(3, n=40, k=8), penalty=1.0, size_max=3)
    tree = SoftTree(problem, search=False, keep_steps=True)
    tree.round()
    steps = {step.decisions.tobytes(): step for step in tree.steps}
    for members in committees(problem):
        chosen = np.where(np.isin(np.arange(8), members), 1, -1).astype(np.int8)
        decisions = tree.steps[0].decisions
        for _ in range(50):
            step = steps.get(decisions.tobytes())
            if step is None:
                break  # closed on sight, by the bound it inherited
            fixed = step.fixed
            if (chosen[fixed != 0] != fixed[fixed != 0]).any():
                break
            decisions = decisions + fixed
            if step.branch < 0:
                if not fixed.any():
                    break
                continue
            decisions = decisions.copy()
            decisions[step.branch] = chosen[step.branch]
        else:
            pytest.fail("a committee is never closed")
        assert fitted(problem, members) >= tree.lower_bound * (1 - 1e-7)
