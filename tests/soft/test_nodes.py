"""Open nodes: dealt, taken back, kept and told, with none lost and no bound above what is open."""

import itertools
import sys
import time
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from soft_oracle import committees, draw, fitted
from voteprune.soft import tree as trees
from voteprune.soft.nodes import Node, state_of
from voteprune.soft.problem import Budget, Group
from voteprune.soft.tree import TOLERANCE, SoftTree


def begun(nodes=6, **options):
    problem = replace(draw(3, n=40, k=10), penalty=1.0, size_max=4)
    tree = SoftTree(problem, search=False, **options)
    tree.round(most_nodes=nodes)
    return tree


def keys(states):
    return sorted(row.tobytes() for state in states for row in state.decisions)


def test_a_state_has_every_node_as_it_is():
    rows = [np.array([1, 0, -1], dtype=np.int8), np.array([0, 0, 1], dtype=np.int8)]
    nodes = [
        Node(row, bound, np.array([0.1]), np.array([1.0, 0.0, bound]))
        for row, bound in zip(rows, (2.0, -np.inf), strict=True)
    ]
    state = state_of(nodes, (3, 1), 7.0, (0, 2), 5)
    assert state.decisions.tolist() == [[1, 0, -1], [0, 0, 1]]
    assert state.decisions.dtype == np.int8
    assert state.bounds.tolist() == [2.0, -np.inf]
    assert state.intercepts.tolist() == [[0.1], [0.1]]
    assert state.weights.tolist() == [[1.0, 0.0, 2.0], [1.0, 0.0, -np.inf]]
    assert (state.closed, state.members.tolist(), state.nodes) == (7.0, [0, 2], 5)
    for node, other in zip(nodes, state.open_nodes(), strict=True):
        np.testing.assert_array_equal(node.decisions, other.decisions)
        assert node.bound == other.bound
        assert (other.split, other.above, other.sharp) == (-1, -np.inf, None)
    empty = state_of([], (3, 2), 1.0, (), 0)
    assert empty.decisions.shape == (0, 3)
    assert empty.intercepts.shape == (0, 2)
    assert empty.weights.shape == (0, 3)
    assert not empty.open_nodes()


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_nodes_are_dealt_good_and_bad_alike_and_none_is_lost(parts):
    tree = begun()
    whole = tree.state()
    assert whole.bounds.tolist() == sorted(whole.bounds)
    n, bound = len(whole.bounds), tree.lower_bound
    assert n > 4
    shares = tree.deal(parts)
    assert tree.n_open == n
    assert not tree.finished
    assert tree.lower_bound == bound
    assert keys([tree.state()]) == keys([whole])
    own = len(tree._heap)
    assert own == len(whole.bounds[:: parts + 1])
    for part, share in enumerate(shares, 1):
        assert share.bounds.tolist() == whole.bounds[part :: parts + 1].tolist()
        assert share.closed == np.inf
        assert share.nodes == 0
        assert share.members.tolist() == tree.best.members.tolist() if tree.best else True
    tree.recall()
    assert keys([tree.state()]) == keys([whole])
    assert tree.n_open == n == len(tree._heap)
    assert not tree._away


def test_more_parts_than_nodes_get_no_empty_share():
    tree = begun()
    n = tree.n_open
    shares = tree.deal(n + 5)
    assert len(shares) == n - 1
    assert all(len(share.bounds) == 1 for share in shares)


def test_what_comes_back_takes_the_place_of_what_was_given():
    tree = begun()
    worked, n = tree.nodes, tree.n_open
    shares = tree.deal(2)
    here = len(tree._heap)
    committee = np.array([0, 1], dtype=np.intp)
    back = [
        replace(shares[0], closed=1.25, nodes=7, members=committee),
        replace(shares[1], nodes=2, decisions=shares[1].decisions[:1], bounds=shares[1].bounds[:1],
                intercepts=shares[1].intercepts[:1], weights=shares[1].weights[:1],
                wanted=shares[1].wanted[:1]),
    ]  # fmt: skip
    tree.take_back(back)
    assert tree.n_open == here + len(shares[0].bounds) + 1 <= n
    assert not tree._away
    assert tree.closed == 1.25
    assert tree.nodes == worked + 9
    assert tree.best is not None
    assert tree.best.value <= tree.search.fit((0, 1)).value


def test_the_bound_is_the_least_of_all_that_is_open_closed_or_found():
    tree = begun(nodes=3, incumbent=(0, 1))
    opened = min(node.bound for _, _, node in tree._heap)
    assert tree.lower_bound == min(opened, tree.closed, tree.best.value)
    tree.closed = opened - 1
    assert tree.lower_bound == opened - 1
    tree.closed = np.inf
    tree._heap = []
    assert tree.idle
    assert tree.finished
    assert tree.lower_bound == tree.best.value
    tree._away = [Node(np.zeros(10, dtype=np.int8), 0.5, np.zeros(1), np.zeros(10))]
    assert tree.lower_bound == 0.5
    assert not tree.finished
    assert tree.idle


def test_what_would_be_news_is_lower_by_the_tolerance():
    tree = begun(nodes=1, incumbent=(0, 1))
    assert tree.cutoff == tree.best.value * (1 - TOLERANCE)
    tree.best = None
    assert tree.cutoff == np.inf
    tree = begun(nodes=1, incumbent=(0, 1), tolerance=0.25)
    assert tree.cutoff == pytest.approx(0.75 * tree.best.value)


def test_children_cover_their_node_and_their_bounds_are_true():
    """One node at a time: who was in it is in a child, was fixed away or costs the cut-off."""
    for seed in (0, 3):
        problem = draw(seed, n=20, k=5, limits=seed % 2 == 1)
        values = {s: fitted(problem, s) for s in committees(problem)}
        if not values:
            continue
        worst = max(values, key=values.__getitem__)
        tree = SoftTree(problem, search=False, incumbent=worst)
        before, cutoff = tree.state(), tree.cutoff
        while not tree.finished:
            tree.round(most_nodes=1)
            after = tree.state()
            for s, value in values.items():
                sits = np.where(np.isin(np.arange(5), s), 1, -1)
                was, now = (
                    (
                        ((state.decisions == 0) | (state.decisions == sits)).all(axis=1)
                        & (state.bounds <= value * (1 + 1e-9))
                    ).any()
                    for state in (before, after)
                )
                closed = value >= tree.cutoff * (1 - 1e-9) or tree.closed <= value * (1 + 1e-9)
                assert not was or now or closed
                assert tree.lower_bound <= value * (1 + 1e-9)
            assert tree.cutoff <= cutoff
            before, cutoff = after, tree.cutoff


def test_a_node_that_was_cut_off_by_a_better_committee_counts_for_the_bound():
    tree = begun(nodes=5, incumbent=(0, 1))
    best = tree.lower_bound
    tree.round()
    assert tree.finished
    assert best <= tree.closed <= tree.best.value
    assert tree.closed >= tree.cutoff


def test_an_interrupted_node_stays_open(monkeypatch):
    tree = begun(nodes=3)
    before = keys([tree.state()])
    monkeypatch.setattr(tree, "_work", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        tree.round()
    assert keys([tree.state()]) == before


def interrupted(line, work, *names):
    """Whether some work came to so many lines of functions of a tree; Ctrl-C comes there."""
    lines, before = itertools.count(), sys.gettrace()

    def trace(frame, event, _):
        if frame.f_code.co_filename != trees.__file__ or frame.f_code.co_name not in names:
            return None
        if event == "line" and next(lines) == line:
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_wherever_ctrl_c_comes_the_root_is_open_until_its_heirs_are(monkeypatch):
    monkeypatch.setattr(trees, "MANY_ROWS", 0)
    monkeypatch.setattr(trees, "_SAMPLE", 12)
    problem = replace(draw(3, n=40, k=5), penalty=1.0, size_max=2)
    for line in itertools.count():
        tree = SoftTree(problem)
        root = keys([tree.state()])
        work = partial(tree.round, most_nodes=1)
        if not interrupted(line, work, "round", "_first_committees", "_begin_with_some"):
            break
        heirs = set(keys([tree.state()])) - set(root)
        assert set(root) <= set(keys([tree.state()])) or len(heirs) == 2
    assert line > 20


def test_wherever_ctrl_c_comes_no_node_is_lost_that_is_dealt_or_taken_back():
    whole, other = begun(), begun(nodes=0)
    state = whole.state()
    for line in itertools.count():
        tree = begun(nodes=0)
        tree.resume(state)
        if not interrupted(line, partial(tree.deal, 2), "deal"):
            break
        tree.recall()
        assert set(keys([state])) == set(keys([tree.state()]))
    shares = []
    for share in whole.deal(2):
        other.resume(share)
        other.round(most_nodes=2)
        shares.append(replace(other.state(), closed=1.0, members=np.array([0, len(shares) + 1])))
    for line in itertools.count():
        tree = begun(nodes=0)
        tree.resume(state)
        tree.deal(2)
        if not interrupted(line, partial(tree.take_back, shares), "take_back"):
            break
        tree.recall()
        left = set(keys([tree.state()]))
        if not set(keys([state])) <= left:
            assert set(keys(shares)) <= left
            # What was closed elsewhere counts, and the committee that closed it is here.
            assert tree.closed == 1.0
            assert {(0, 1), (0, 2)} <= set(tree.search.fitted)
    assert line > 10


def test_after_the_deadline_no_node_is_begun():
    tree = begun(nodes=3)
    nodes = tree.nodes
    assert not tree.round(time.monotonic() - 1)
    assert tree.nodes == nodes
    assert not tree.round(most_nodes=0)
    assert tree.nodes == nodes


def test_roots_know_who_must_and_who_must_not_sit():
    problem = replace(draw(3, k=6), required=(1,), forbidden=(4, 5))
    assert SoftTree(problem).state().decisions.tolist() == [[0, 1, 0, 0, -1, -1]]
    assert SoftTree(problem).lower_bound == -np.inf
    assert SoftTree(problem, keep_steps=True).lower_bound > -np.inf
    torn = SoftTree(replace(problem, forbidden=(1,)))
    assert torn.finished
    assert torn.lower_bound == np.inf


def test_a_point_to_start_from_is_started_from():
    problem = replace(draw(3, k=6), size_max=2)
    near = SoftTree(problem).search.fit((1, 2))
    state = SoftTree(problem, near=near).state()
    np.testing.assert_array_equal(state.intercepts[0], near.intercepts)
    np.testing.assert_array_equal(state.weights[0, [1, 2]], near.weights)
    assert not state.weights[0, [0, 3, 4, 5]].any()


def test_going_on_from_a_state_forgets_what_was_open_here():
    tree, other = begun(nodes=2), begun(nodes=6)
    state = replace(other.state(), closed=3.5, nodes=99)
    tree.resume(state)
    assert keys([tree.state()]) == keys([state])
    assert (tree.closed, tree.nodes) == (3.5, 99)
    if other.best is not None:
        assert tree.best.members.tolist() == other.best.members.tolist()
    # No first committee is looked for again, even with search on.
    tree.searching = True
    tree.search.greedy = None
    tree.begin()


def test_a_committee_of_all_that_sit_is_a_leaf_and_an_impossible_one_has_no_loss():
    problem = replace(draw(3, n=24, k=5), size_max=2, required=(0, 2))
    tree = SoftTree(problem, search=False)
    tree.round(most_nodes=1)
    assert tree.finished
    assert tree.best.members.tolist() == [0, 2]
    assert tree.closed == pytest.approx(tree.best.value, rel=1e-8)
    lacking = replace(problem, groups=(Group((3, 4), 1),))
    none = SoftTree(lacking, search=False)
    none.round()
    assert none.best is None
    assert none.closed == np.inf


def test_with_many_rows_the_root_begins_where_some_rows_have_it(monkeypatch):
    monkeypatch.setattr(trees, "MANY_ROWS", 40)
    monkeypatch.setattr(trees, "_SAMPLE", 20)
    problem = replace(draw(3, n=40, k=6), size_max=2, penalty=1.0)
    tree = SoftTree(problem)
    tree.begin()
    state = tree.state()
    assert len(state.bounds) == 1
    assert state.weights.any()
    assert tree.best is not None
    first = tree.best
    tree.begin()
    assert tree.best is first
    few = SoftTree(replace(problem, labels=problem.labels[:-1], answers=problem.answers[:-1],
                           weights=problem.weights[:-1]))  # fmt: skip
    few.begin()
    assert not few.state().weights.any()
    assert few.best is not None
    off = SoftTree(problem, search=False)
    off.begin()
    assert off.best is None


def test_a_guess_is_trusted_the_less_the_farther_away(monkeypatch):
    problem = replace(draw(3, n=40, k=6), size_max=2, penalty=1.0)
    tree = SoftTree(problem)
    tree.round()
    members = (0, 3)
    tree.search.fitted.pop(members, None)
    monkeypatch.setattr(type(tree._curvature), "pays", property(lambda _: True))

    class Here:
        point = replace(tree.best, value=tree.best.value - 4.0)
        dual = None

    for above, worth in ((-1.0, True), (0.5, True), (1.3, True), (1.4, False), (9.0, False)):
        guess = tree.best.value + above
        monkeypatch.setattr(tree._curvature, "guess", lambda *_, g=guess: g)
        # A quarter of the way from the point to the guess may be wrong.
        assert (above <= 0.25 * (above + 4.0)) == worth
        assert tree._promising(members, Here) == worth
    tree.search.fit(members)
    assert tree._promising(members, Here)


def test_a_rounded_committee_that_is_not_promising_is_not_fitted(monkeypatch):
    problem = replace(draw(3, n=40, k=8), penalty=1.0, size_max=3)
    for promising in (True, False):
        tree = SoftTree(problem, incumbent=(0,))
        fits = []
        fit = tree.search.fit
        monkeypatch.setattr(tree, "_promising", lambda *_, told=promising: told)
        monkeypatch.setattr(tree.search, "swaps", lambda point, _: point)
        monkeypatch.setattr(
            tree.search, "fit", lambda *given, f=fit, seen=fits: seen.append(given) or f(*given)
        )
        tree._begun = True
        tree.round(most_nodes=1)
        assert bool(fits) == promising


def test_what_a_split_has_brought_is_noted_for_everybody(monkeypatch):
    problem = replace(draw(3, n=40, k=6), penalty=1.0, size_max=3)
    tree = SoftTree(problem, search=False)
    for member in (0, 5):
        for choice in (1, -1):
            decisions = np.zeros(6, dtype=np.int8)
            decisions[member] = choice
            node = Node(decisions, -np.inf, np.zeros(1), np.zeros(6), split=member, above=1.0)
            notes = []
            monkeypatch.setattr(tree._pseudocosts, "note", lambda *said, to=notes: to.append(said))
            tree._heap = []
            tree._work(node, np.inf)
            ((who, sits, rise),) = notes
            assert (who, sits) == (member, choice == 1)
            bound = min(other.bound for _, _, other in tree._heap)
            assert rise <= bound - 1.0 + 1e-9
    tree._heap = []
    notes.clear()
    tree._work(replace(node, split=-1), np.inf)
    assert not notes


def test_the_root_on_some_rows_gives_its_intercept_too(monkeypatch):
    monkeypatch.setattr(trees, "MANY_ROWS", 40)
    monkeypatch.setattr(trees, "_SAMPLE", 20)
    problem = replace(draw(3, n=40, k=6), size_max=2, penalty=1.0)
    problem = replace(problem, weights=np.where(problem.labels == 1, 5.0, 1.0))
    tree = SoftTree(problem)
    tree.begin()
    assert tree.state().intercepts.any()


@pytest.mark.parametrize("kind", ["log_loss", "pool_log_loss", "pool_brier"])
def test_nobody_is_no_committee_and_a_limit_is_kept_to_the_last_digit(kind):
    problem = replace(draw(3, n=24, k=4, loss=kind), size_max=2)
    tenths = (Fraction(1, 10), Fraction(2, 10), Fraction(0), Fraction(0))
    dear = Budget(tenths, Fraction(3, 10) - Fraction(1, 10**25))
    for other in (
        {"forbidden": (0, 1, 2, 3)},
        {"required": (0, 1), "budgets": (dear,)},
        {"required": (0, 1), "forbidden": (2, 3), "size_max": 3, "budgets": (dear,)},
    ):
        tree = SoftTree(replace(problem, **other), search=False)
        tree.round()
        assert tree.finished
        assert tree.best is None
        assert tree.closed == np.inf
    fine = Budget(tenths, Fraction(3, 10))
    tree = SoftTree(replace(problem, required=(0, 1), budgets=(fine,)), search=False)
    tree.round()
    assert tree.best.members.tolist() == [0, 1]


@pytest.mark.parametrize("kind", ["log_loss", "pool_log_loss", "pool_brier"])
@pytest.mark.parametrize("required", [(), (1,)])
def test_a_proof_that_is_written_down_has_a_bound_from_the_beginning(kind, required):
    problem = replace(draw(3, n=24, k=4, loss=kind), size_max=2, required=required)
    tree = SoftTree(problem, search=False, keep_steps=True)
    least = min(tree.search.fit(s).value for s in committees(problem))
    assert -np.inf < tree.lower_bound <= least
    assert len(tree.steps) == 1
    broken = SoftTree(replace(problem, groups=(Group((0, 2), 3),)), keep_steps=True)
    assert broken.lower_bound == 0.0
    assert not len(broken.steps[0].weights)
