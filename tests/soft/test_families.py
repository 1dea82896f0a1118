"""Decisions on whole families: what they rest on, and that no bound is above what is attained."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from soft_oracle import committees, draw, fitted, optimum, result_of
from voteprune.soft import families as module
from voteprune.soft.families import Families, families_of, tidied
from voteprune.soft.nodes import Node
from voteprune.soft.polytope import Polytope
from voteprune.soft.problem import Group
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.tree import SoftTree
from voteprune.tree.soft.checkpoint import SoftCheckpoint

KINDS = [(2, "log_loss"), (3, "log_loss"), (2, "pool_log_loss"), (3, "pool_brier")]


@pytest.fixture
def at_once(monkeypatch):
    """Let trees split on families from the second node on, and note what they are."""
    made = []
    monkeypatch.setattr(module, "_PATIENCE", 1)
    monkeypatch.setattr(module, "_SLOW", 2.0)
    split = Families.heirs

    def noted(self, *given):
        found = split(self, *given)
        made.append(found is not None)
        return found

    monkeypatch.setattr(Families, "heirs", noted)
    return made


def related(seed, classes=2, loss="log_loss", **limits):
    """A problem of three families of two or three members, weights of rows that are odd."""
    random = np.random.default_rng(seed)
    problem = draw(seed, n=90, k=8, classes=classes, loss=loss)
    heads, family = problem.answers[:, :3], np.array([0, 1, 2, 0, 1, 2, 0, 1])
    noise = random.normal(0, 0.25, (90, 8, *problem.answers.shape[2:]))
    answers = heads[:, family] + noise
    if loss != "log_loss":
        answers = np.clip(heads[:, family] * np.exp(noise), 1e-3, None)
        answers = (
            answers / answers.sum(axis=2, keepdims=True)
            if classes > 2
            else np.clip(answers, 1e-3, 1 - 1e-3)
        )
    return replace(problem, answers=answers, penalty=0.5, size_min=1, **{"size_max": 2, **limits})


def told_by(problem, **options):
    """The tree at its end, and every lower bound that was told on the way."""
    tree = SoftTree(problem, tolerance=1e-8, **options)
    told = [tree.lower_bound]
    while not tree.round(most_nodes=1):
        told.append(tree.lower_bound)
        assert len(told) < 500
    return tree, [*told, tree.lower_bound]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("start", ["search", "bad"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_trees_end_at_the_optimum_and_tell_no_bound_above_it(kind, start, seed, at_once):
    limits = [{}, {"required": (4,), "size_max": 3}, {"forbidden": (0, 3), "size_max": 3}][seed % 3]
    problem = related(seed, *kind, **limits)
    best, options = optimum(problem), {}
    if start == "bad":
        ranked = sorted(committees(problem), key=lambda members: fitted(problem, members))
        options = {"search": False, "incumbent": ranked[len(ranked) // 2]}
    found, told = told_by(problem, **options)
    assert max(told) <= best * (1 + 1e-7)
    assert result_of(found).penalised_loss == pytest.approx(best, rel=3e-7)
    if start == "bad" and kind == KINDS[0] and seed == 3:
        assert any(at_once)


@pytest.mark.parametrize("seed", range(12))
def test_the_largest_sum_with_one_of_every_family_is_that_of_all_sets(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 8))
    wanted = random.integers(0, 3, n)
    seats = max(int(random.integers(1, n + 2)), len(np.unique(wanted[wanted > 0])))
    values = np.round(random.exponential(1.0, n), 1)
    polytope = Polytope(np.ones((1, n)), np.array([float(seats)])).needing(wanted)
    families = [set(np.flatnonzero(wanted == f)) for f in np.unique(wanted[wanted > 0])]
    sums = {
        chosen: values[list(chosen)].sum()
        for size in range(min(seats, n) + 1)
        for chosen in combinations(range(n), size)
        if all(family & set(chosen) for family in families)
    }
    found, best = polytope.selection(values), max(sums.values())
    assert best <= found.value <= best * (1 + 1e-12)
    for k in range(n):
        inside = max((v for s, v in sums.items() if k in s), default=-np.inf)
        without = max((v for s, v in sums.items() if k not in s), default=-np.inf)
        assert found.cost_in[k] == pytest.approx(best - inside, abs=1e-12)
        assert found.cost_out[k] == pytest.approx(best - without, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_the_penalty_is_that_of_the_rows_as_any_others(seed):
    random = np.random.default_rng(seed)
    n, wanted = 7, np.array([1, 1, 0, 5, 5, 0, 5])
    weights = random.exponential(1.0, n) * random.choice([0.01, 1.0], n)
    mine = Polytope(np.ones((1, n)), np.array([3.0])).needing(wanted)
    found = mine.ridge(weights, 2.0)
    other = Polytope(mine.lines, mine.limits).ridge(weights, 2.0)
    assert found.value == pytest.approx(other.value, rel=1e-6)
    assert (mine.lines @ found.shares <= mine.limits + 1e-9).all()
    assert float(weights**2 @ (1 / found.shares)) == pytest.approx(found.value, rel=1e-9)
    for k in range(n):
        step = 1e-6 * (np.arange(n) == k)
        ahead, behind = mine.ridge(weights + step, 2.0), mine.ridge(weights - step, 2.0)
        slope = (ahead.value - behind.value) / 2e-6
        assert found.gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-5)
        bend = (ahead.gradient - behind.gradient) / 2e-6
        np.testing.assert_allclose(found.hessian[k], bend, rtol=1e-4, atol=1e-4)


def test_members_that_say_the_same_are_of_one_family():
    problem = related(0)
    loss = loss_of(problem)
    hessian = loss.derivatives(np.zeros(len(loss.weights)), loss.gather(np.arange(8)))[1]
    found = families_of(hessian, 1, np.zeros(8))
    # Their numbers are those of their first members.
    assert found.tolist() == [1, 2, 3, 1, 2, 3, 1, 2]


def node(decisions, wanted):
    return Node(
        np.array(decisions, dtype=np.int8), 0.0, np.zeros(1), np.zeros(5), wanted=np.array(wanted)
    )


@pytest.mark.parametrize(
    ("decisions", "wanted", "left"),
    [
        ([0, 0, 0, 0, 0], [1, 1, 3, 3, 0], ([0, 0, 0, 0, -1], [1, 1, 3, 3, 0])),
        ([1, 0, 0, 0, 0], [1, 1, 3, 3, 0], ([1, -1, 0, 0, -1], [0, 0, 3, 3, 0])),
        ([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], ([1, 0, 0, 0, 0], None)),
        ([-1, 0, 0, 0, 0], [1, 1, 0, 0, 0], ([-1, 0, 0, 0, 0], [1, 1, 0, 0, 0])),
        ([-1, -1, 0, 0, 0], [1, 1, 0, 0, 0], None),
        ([0, 0, 0, 0, 0], [1, 1, 3, 3, 5], None),
    ],
)
def test_what_is_left_of_families_that_are_wanted(decisions, wanted, left):
    found = tidied(node(decisions, wanted), 2)
    if left is None:
        assert found is None
        return
    assert found.decisions.tolist() == left[0]
    assert (None if found.wanted is None else found.wanted.tolist()) == left[1]


@pytest.mark.parametrize(("decisions", "sits"), [([0] * 5, True), ([0, 0, -1, -1, 0], False)])
@pytest.mark.parametrize("others", [0, 1])
def test_a_rise_is_noted_for_the_side_it_was_on(decisions, sits, others, monkeypatch):
    """Whatever other family is wanted there."""
    families, noted = Families(loss_of(draw(1, n=20, k=5)), None, True), []
    monkeypatch.setattr(families._costs, "note", lambda *rise: noted.append(rise))
    wanted = [others, others, *([3, 3] if sits else [0, 0]), 0]
    families.note(replace(node(decisions, wanted), split=5 + 3, above=1.0), 3.0)
    assert noted == [(3, sits, 2.0)]


def test_every_number_that_a_family_can_have_is_learned_of():
    """Families are called after their first member, plus one; the last one stands alone."""
    families = Families(loss_of(draw(1, n=20, k=5)), None, True)
    for number in range(1, 6):
        at = replace(node([0] * 5, [0] * 5), split=5 + number, above=1.0)
        families.note(at, 1.0 + number)
    every = np.arange(6)
    rises = families._costs.scores(every, np.ones(6), np.full(6, 0.5), 10.0)
    assert np.argmax(rises) == 5
    assert len(np.unique(rises[1:])) == 5


def test_nodes_are_handed_over_and_kept_on_file_with_their_families(at_once, tmp_path):
    problem = related(3)
    whole = told_by(problem, search=False)[0]
    begun = SoftTree(problem, search=False, tolerance=1e-8)
    begun.round(most_nodes=4)
    state = begun.state()
    assert state.wanted.any()
    file = SoftCheckpoint(tmp_path / "tree.npz", problem)
    file.save(state)
    np.testing.assert_array_equal(file.load().wanted, state.wanted)
    later = SoftTree(problem, search=False, tolerance=1e-8)
    later.resume(file.load())
    np.testing.assert_array_equal(later.state().wanted, state.wanted)
    later.round()
    assert result_of(later).penalised_loss == pytest.approx(result_of(whole).penalised_loss)


def begun_anew(problem):
    """A tree that has just gone back to its root, whose own bound is lower than the tree's."""
    tree = SoftTree(problem, search=False, tolerance=1e-8, incumbent=(0,))
    tree.round(most_nodes=3)
    before = tree.lower_bound
    tree._begin_again()
    assert tree.families.used
    assert tree.lower_bound == before > tree.state().bounds.min()
    return tree


@pytest.mark.parametrize("way", ["file", "worker"])
def test_a_tree_begun_anew_keeps_its_bound_and_its_families_wherever_it_goes_on(
    way, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "_PATIENCE", 3)
    monkeypatch.setattr(module, "_SLOW", 2.0)
    problem = related(3)
    tree, file = begun_anew(problem), SoftCheckpoint(tmp_path / "tree.npz", problem)
    before = tree.lower_bound
    assert not tree.state().wanted.any()
    if way == "file":
        file.save(tree.state())
        state = file.load()
    else:
        tree.round(most_nodes=1)
        state = tree.deal(1)[0]
    later = SoftTree(problem, search=False, tolerance=1e-8)
    later.resume(state)
    assert later.lower_bound >= before
    assert later.families.used
    assert before <= optimum(problem)


@pytest.mark.parametrize("nodes", range(4))
def test_a_tree_that_goes_on_before_that_is_decided_is_begun_anew_as_the_whole_is(
    nodes, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "_PATIENCE", 3)
    monkeypatch.setattr(module, "_SLOW", 2.0)
    problem, trees = related(3), []
    for broken in (False, True):
        tree = SoftTree(problem, search=False, tolerance=1e-8, incumbent=(0,))
        tree.round(most_nodes=nodes)
        if broken:
            file = SoftCheckpoint(tmp_path / "tree.npz", problem)
            file.save(tree.state())
            tree = SoftTree(problem, search=False, tolerance=1e-8)
            tree.resume(file.load())
            assert not tree.families.settled
        tree.round(most_nodes=3 - nodes)
        tree._begin_again()
        trees.append(tree)
    whole, later = trees
    assert later.families.used
    assert whole.families.used
    assert later.state().decisions.tolist() == whole.state().decisions.tolist()
    assert later.lower_bound == pytest.approx(whole.lower_bound, rel=1e-9)
    while not later.round(most_nodes=1):
        assert later.lower_bound <= optimum(problem) * (1 + 1e-7)
    assert later.best.value == pytest.approx(optimum(problem), rel=3e-7)


def test_what_is_given_away_is_not_begun_anew(monkeypatch):
    """The root would take the place of a share, and the others be worked on twice."""
    tree = SoftTree(related(3), search=False, incumbent=(0,))
    tree.round(most_nodes=2)
    assert not tree.families.settled
    assert [(share.settled, share.first) for share in tree.deal(2)] == [(True, None)] * 2


def test_files_of_before_bounds_were_kept_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 3)
    monkeypatch.setattr(module, "_SLOW", 2.0)
    problem = related(3)
    tree, file = begun_anew(problem), tmp_path / "tree.npz"
    new = ("known", "families", "settled")
    for nodes, families in ((0, False), (4, True)):
        tree.round(most_nodes=nodes)
        SoftCheckpoint(file, problem).save(tree.state())
        with np.load(file) as arrays:
            kept = {name: arrays[name] for name in arrays if name not in new}
        assert len(kept) == len(arrays.files) - len(new)
        with file.open("wb") as old:
            np.savez(old, **kept)
        state = SoftCheckpoint(file, problem).load()
        assert (state.known, state.families, state.settled) == (-np.inf, families, True)


@pytest.mark.parametrize(
    ("limits", "options"),
    [({}, {"keep_steps": True}), ({"groups": (Group((0, 1), 0, 1),)}, {})],
)
def test_proofs_on_file_and_other_limits_do_without(limits, options, at_once):
    problem = related(3, **limits)
    tree = SoftTree(problem, search=False, tolerance=1e-8, **options)
    while not tree.round(most_nodes=1):
        assert not tree.state().wanted.any()
    assert not any(at_once)


def test_a_tree_that_gets_on_is_not_begun_anew(at_once, monkeypatch):
    monkeypatch.setattr(module, "_SLOW", -1.0)
    tree = told_by(related(3), search=False)[0]
    assert tree.finished
    assert not any(at_once)
