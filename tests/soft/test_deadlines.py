"""Soft committees and time: fits end at the deadline, and what they had by then is true."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import draw, optimum, penalised
from voteprune.soft import loss_protocol
from voteprune.soft import tree as trees
from voteprune.soft.logistic import LogLoss
from voteprune.soft.newton import fit
from voteprune.soft.pools import PoolLogLoss
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.search import Search
from voteprune.soft.tree import TOLERANCE, SoftTree

OBJECTIVES = ("log_loss", "pool_log_loss", "brier")
KINDS = [(c, loss) for c in (2, 3) for loss in ("log_loss", "pool_log_loss", "pool_brier")]
PAST = -math.inf


def said(n=400, k=8, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    odds = (2 * y[:, None] - 1) * rng.uniform(0.2, 1.2, k) + rng.normal(0, 1, (n, k))
    return vp.Probabilities(1 / (1 + np.exp(-odds)), y)


@pytest.fixture
def steps(monkeypatch):
    """Newton steps on all rows: how many members had their weights moved."""
    counted = []
    for kind in (LogLoss, PoolLogLoss):

        def derivatives(self, z, columns, true=kind.derivatives):
            if len(z) > 100:  # not on a sample
                counted.append(len(columns))
            return true(self, z, columns)

        monkeypatch.setattr(kind, "derivatives", derivatives)
    return counted


@pytest.mark.parametrize("objective", OBJECTIVES[:2])
def test_without_time_few_steps_are_taken(objective, steps, monkeypatch):
    """One for the first committee; two in an explanation for each member."""
    monkeypatch.setattr(trees, "MANY_ROWS", 0)
    monkeypatch.setattr(trees, "_SAMPLE", 50)
    pool = said()
    solution = vp.prune(pool, objective=objective, time_limit=0)
    assert solution.termination == "time limit"
    assert solution.loss < np.log(2) - 0.001  # weights have been moved, if only once
    assert len(steps) <= 4
    best = vp.prune(pool, objective=objective, constraints=[vp.AtMost("size", 4)])
    steps.clear()
    best.explain(time_limit=0)
    assert len(steps) <= 2 * best.committee.size


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_front_begins_no_size_after_the_deadline(objective, monkeypatch):
    """The committee of fewer seats takes more of them, and bounds hold."""
    begun = []
    true_round = SoftTree.round

    def working(self, deadline=math.inf, most_nodes=None):
        begun.append(self.problem.most)
        return true_round(self, deadline, most_nodes)

    monkeypatch.setattr(SoftTree, "round", working)
    pool = said()
    front = vp.front(pool, objective=objective, time_limit=0)
    assert set(begun) == {1}
    assert front.termination == "time limit"
    assert [point.size for point in front.points] == list(range(1, 9))
    whole = vp.front(pool, objective=objective)
    for point, best in zip(front.points, whole.points, strict=True):
        assert point.committee.size == 1
        assert point.value <= best.value + 1e-12
        assert point.bound >= best.value


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_were_not_settled_have_the_loss_they_are_said_to_have(kind):
    problem = draw(4, n=60, k=5, classes=kind[0], loss=kind[1])
    search = Search(problem, loss_of(problem))
    search.deadline = PAST
    members = (0, 2, 3)
    early = search.fit(members)
    assert (members in search.begun, members in search.fitted) == (not early.settled, early.settled)
    whole = fit(search.loss, problem.ridge, np.array(members))
    assert early.value >= whole.value * (1 - 1e-9)
    counted = penalised(problem, members, early.intercepts, early.weights)
    assert early.value == pytest.approx(counted, rel=1e-9)
    assert search.fit(members) is search.fit(members)
    search.deadline = math.inf
    late = search.fit(members)
    assert late.settled
    assert late.value == pytest.approx(whole.value, rel=1e-9)
    assert members not in search.begun


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_committee_stays_open_until_its_weights_are_settled(kind):
    """Else the bound of unsettled weights would stay in the proof for good."""
    problem = draw(6, n=40, k=4, classes=kind[0], loss=kind[1])
    problem = replace(problem, required=(0, 2), size_min=2, size_max=2, budgets=(), groups=())
    tree = SoftTree(problem, search=False, deadline=PAST)
    tree.round(most_nodes=1)
    settled = (0, 2) in tree.search.fitted
    assert tree.finished == settled
    tree.search.deadline = math.inf
    while not tree.round(most_nodes=1):
        pass
    best = optimum(problem)
    assert tree.lower_bound >= tree.best.value * (1 - 1.01 * TOLERANCE)
    assert tree.lower_bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_of_blocks_add_up(kind, monkeypatch):
    problem = draw(5, n=50, k=4, classes=kind[0], loss=kind[1])
    whole = loss_of(problem)
    members, weights = np.arange(4), np.array([0.1, 0.2, 0.3, 0.4])
    intercepts = np.full(whole.n_intercepts, 0.3)

    def derived(loss):
        columns = loss.gather(members)
        return loss.derivatives(loss.scores(intercepts, columns, weights), columns)

    expected = derived(whole)
    monkeypatch.setattr(loss_protocol, "_BLOCK", 7)
    for made, wanted in zip(derived(loss_of(problem)), expected, strict=True):
        np.testing.assert_allclose(made, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("scale", [1e-45, 1e-20, 1e20, 1e45])
def test_the_scale_of_all_weights_changes_no_proof(objective, scale):
    """From a bad start, with search off: no bound above the best committee."""
    pool = said(n=14, k=5, seed=3)
    heavy = vp.Probabilities(1 / (1 + np.exp(-pool.log_odds)), pool.labels,
                             sample_weight=np.full(14, scale))  # fmt: skip
    pruning = vp.prune(heavy, objective=objective, penalty=1, time_limit=0).problem
    pruning.search.deadline = math.inf
    subsets = [m for r in (1, 2, 3) for m in itertools.combinations(range(5), r)]
    best = min(pruning.search.fit(m).value for m in subsets)
    numbers = replace(pruning.numbers, size_max=3)
    tree = SoftTree(numbers, pruning.loss, incumbent=(0,), search=False)
    while not tree.round(most_nodes=1):
        assert tree.lower_bound <= best * (1 + 1e-9)
    assert tree.lower_bound >= tree.best.value * (1 - 1.01 * TOLERANCE)
    assert tree.best.value == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize(
    ("weights", "penalty", "argument"),
    [([1e-300, 1], 1, "sample_weight"), ([1e-51, 1], 1, "sample_weight"),
     ([1e51, 1], 1, "sample_weight"), ([1, 1], 1e-51, "penalty"), ([1, 1], 1e51, "penalty")],
)  # fmt: skip
def test_what_floats_cannot_square_is_refused(weights, penalty, argument):
    """Weights of 1e-300 made bounds that were no bounds."""
    with pytest.raises(vp.InputError, match=argument):
        vp.prune(
            vp.Probabilities([[0.4, 0.6], [0.7, 0.8]], [0, 1], sample_weight=weights),
            penalty=penalty, objective="log_loss",
        )  # fmt: skip


@pytest.mark.slow
def test_optimal_is_said_only_where_value_and_bound_meet(monkeypatch):
    """With hardly any penalty members that are right everywhere leave a loss of rounding alone."""
    # On a busy machine strides may be too short for a relaxation that has so little to go by.
    monkeypatch.setattr("voteprune.tree.soft.driver._SHORT", 600.0)
    monkeypatch.setattr("voteprune.tree.soft.driver._LONG", 600.0)
    said_optimal = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.arange(13) % 2
        scores = 3 * ((y[:, None] - 0.5) / 5 + rng.normal(0, 0.2, (13, 5)))
        pool = vp.Probabilities(scores, y, scores=True)
        solution = vp.prune(
            pool, objective="log_loss", penalty=1e-21, constraints=[vp.AtMost("size", 3)]
        )
        if solution.status == "optimal":
            said_optimal += 1
            assert solution.gap <= 1.01 * solution.tolerance
        else:
            assert solution.termination == "solver tolerance"
    assert 0 < said_optimal < 5
