"""The paper's model and the merged one describe the same committees."""

import numpy as np
import pytest

import voteprune as vp
from instances import random_instance
from oracle import satisfied
from voteprune.mip.merged import merged_model
from voteprune.mip.paper import paper_model
from voteprune.problem.problem import Problem


def problem_of(instance):
    return Problem.of(instance.votes, instance.objective, instance.constraints, instance.diversity)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize(
    "build",
    [paper_model, lambda problem: merged_model(problem, merge_classifiers=False)],
    ids=["paper", "merged"],
)
def test_a_committee_satisfies_the_rows_iff_it_is_allowed_and_is_worth_what_it_recounts(
    build, seed
):
    """Encoded as a solution vector: same feasibility, same objective, same way back."""
    problem = problem_of(random_instance(seed, most_classifiers=6, most_rows=20))
    formulation = build(problem)
    rng = np.random.default_rng(seed)
    for _ in range(30):
        size = int(rng.integers(1, problem.n_classifiers + 1))
        members = sorted(rng.choice(problem.n_classifiers, size, replace=False).tolist())
        committee = problem.committee(members, int(rng.integers(size)))
        solution = formulation.encode(members, committee.threshold)
        assert satisfied(formulation.model, solution) == problem.allows(committee)
        units = formulation.base + formulation.scale * (formulation.model.objective @ solution)
        assert units == pytest.approx(problem.score(committee), rel=1e-9, abs=1e-6)
        assert formulation.members(solution) == members


@pytest.mark.parametrize("measure", list(vp.MEASURES))
@pytest.mark.parametrize("build", [paper_model, merged_model], ids=["paper", "merged"])
def test_limits_on_any_measure_hold_for_every_set_of_members(build, measure):
    """All sizes with and without each classifier: no big-M is too small, for any sign."""
    rng = np.random.default_rng(7)
    for seed in range(12):
        instance = random_instance(seed, most_classifiers=6, most_rows=14)
        values = vp.diversity_matrix(instance.votes, measure=measure)
        floors = measure in ("fc", "disagreement")
        tau = round(float(np.quantile(values, rng.uniform(0, 0.6) if floors else rng.random())), 3)
        gamma = min(1, tau + 0.1) if floors else max(-int(measure != "double_fault"), tau - 0.1)
        k = instance.matrix.shape[1]
        sizes = [vp.AtMost("size", int(rng.integers(1, k + 1)))]
        for limits in (
            vp.Diversity(tau, measure=measure),
            vp.Diversity(gamma=tau, measure=measure),
            vp.Diversity(tau, gamma, measure),
        ):
            problem = Problem.of(instance.votes, "accuracy", sizes, limits)
            formulation = build(problem)
            for code in range(1, 2**k):
                members = [i for i in range(k) if code >> i & 1]
                solution = formulation.encode(members, 0)
                kept = satisfied(formulation.model, solution)
                assert kept == problem.allows_members(members)


@pytest.mark.parametrize("seed", range(100, 112))
def test_both_models_have_the_same_optimum(seed):
    instance = random_instance(seed, most_classifiers=6, most_rows=25)
    one, two = (
        vp.prune(instance.votes, method=method, **instance.request(), random_state=0)
        for method in ("merged", "paper")
    )
    assert (one.status, one.value) == (two.status, two.value)


@pytest.mark.parametrize(
    "objective",
    [
        "accuracy",  # of which the paper says that (3) and (6) are redundant
        "recall",  # and of this one that (3) is
        vp.Weights(fn=1, fp=1),
        vp.Weights(tp=2, fn=2, tn=1, fp=1),
    ],
)
def test_the_papers_model_has_all_rows_of_the_paper_whatever_the_weights(objective):
    """Two rows and t + f = 1 per point, and L <= S - 1: t says what is decided, and nothing else.

    The rows alone hold t: for every committee and every point the other value breaks one.
    """
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    matrix = np.random.default_rng(0).integers(0, 2, (8, 4))
    problem = Problem.of(vp.Votes(matrix, y), objective)
    formulation = paper_model(problem)
    assert formulation.model.n_rows == 3 * 8 + 1
    for code in range(1, 16):
        members = [k for k in range(4) if code >> k & 1]
        for threshold in range(len(members)):
            solution = formulation.encode(members, threshold)
            assert satisfied(formulation.model, solution)
            for point in range(8):
                other = solution.copy()
                t, f = 5 + point, 13 + point
                other[[t, f]] = other[[f, t]]
                assert not satisfied(formulation.model, other)


def test_the_papers_model_has_the_papers_size():
    y = np.arange(10) % 2
    matrix = np.random.default_rng(3).integers(0, 2, (10, 6))
    plain = paper_model(Problem.of(vp.Votes(matrix, y))).model
    assert plain.n_variables == 6 + 1 + 2 * 10
    diverse = paper_model(Problem.of(vp.Votes(matrix, y), diversity="F3")).model
    assert diverse.n_variables == plain.n_variables + 15
    assert diverse.n_rows == plain.n_rows + 3 * 15 + 6 + 1


def test_the_merged_model_merges_rows_and_classifiers():
    y = np.array([0, 1] * 20)
    matrix = np.column_stack([y, y, 1 - y, y])
    formulation = merged_model(Problem.of(vp.Votes(matrix, y)))
    # Two patterns, two kinds of classifier, and the threshold.
    assert formulation.model.n_variables == 2 + 1 + 2
    assert formulation.model.high[:2].tolist() == [3, 1]
    apart = merged_model(Problem.of(vp.Votes(matrix, y)), merge_classifiers=False)
    assert apart.model.n_variables == 4 + 1 + 2


def test_a_no_good_cut_removes_one_set_of_members_and_no_other():
    y = np.arange(12) % 2
    matrix = np.random.default_rng(5).integers(0, 2, (12, 4))
    problem = Problem.of(vp.Votes(matrix, y))
    formulation = merged_model(problem, merge_classifiers=False)
    cut = formulation.without([0, 2])
    for code in range(1, 16):
        members = [k for k in range(4) if code >> k & 1]
        solution = formulation.encode(members, 0)
        assert satisfied(formulation.model, solution)
        assert satisfied(cut.model, solution) == (members != [0, 2])
