"""Reduced-cost fixing: what is fixed is all that prices allow, and costs no better committee."""

import heapq
import time
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from everycommittee import right, rows_of, small
from voteprune.bounds.levels import Levels
from voteprune.bounds.node import FREE, Node
from voteprune.bounds.prices import Prices
from voteprune.bounds.program import Program
from voteprune.bounds.relaxation_rows import Row
from voteprune.tree.sizes import worker
from voteprune.tree.sizes.task import Task
from voteprune.tree.sizes.worker import decisions, solve


def needed(levels, i, pair):
    return pair[1] + 1 if levels.positive[i] else pair[0] - pair[1]


def definition(levels, node, charges, left, room):
    """What must be, variable by variable: with the other value every bound is below the target."""
    k, fixed = levels.n_classifiers, {}
    members, pairs = node.decided[:k], list(map(tuple, node.pairs.tolist()))
    free, seated = np.flatnonzero(members == FREE), int((members == 1).sum())
    if not all(0 <= size - seated <= len(free) for size, _ in pairs):
        return {}
    for who in free:
        others = [other for other in free if other != who]
        with_it, without = [], []
        for (size, _), charge, most in zip(pairs, charges, room, strict=True):
            seats = size - seated
            best = max(charge[list(some)].sum() for some in combinations(free, seats))
            out = [charge[list(some)].sum() for some in combinations(others, seats)]
            sits = [charge[who] + charge[list(some)].sum() for some in combinations(
                others, seats - 1)] if seats else []  # fmt: skip
            without.append(best - max(out, default=-np.inf) > most)
            with_it.append(best - max(sits, default=-np.inf) > most)
        if all(without):
            fixed[int(who)] = 1
        if all(with_it):
            fixed[int(who)] = 0
    for i in np.flatnonzero(node.decided[k:] == FREE):
        there = [most for pair, most in zip(pairs, room, strict=True)
                 if levels.reach[i] >= needed(levels, i, pair)]  # fmt: skip
        whole = levels.helps[i][members != 0].sum() == levels.reach[i]
        if there and whole and all(left[i] > most for most in there):
            fixed[k + int(i)] = 1
        if all(-left[i] > most for most in there):
            fixed[k + int(i)] = 0
    return fixed


def some_node(levels, rng):
    node = Node.everything(levels, np.inf)
    decided = np.where(
        rng.random(len(node.decided)) < 0.25, rng.integers(0, 2, len(node.decided)), node.decided
    ).astype(np.int8)
    node = node.deciding(np.arange(len(decided)), decided)
    seated = int((decided[: levels.n_classifiers] == 1).sum())
    free = int((decided[: levels.n_classifiers] == FREE).sum())
    fits = (node.pairs[:, 0] >= seated) & (node.pairs[:, 0] <= seated + free)
    some = rng.random(len(node)) < (0.2, 0.6, 1.0)[rng.integers(3)]
    return node.only((fits | (rng.random(len(node)) < 0.02)) & some)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_fixed_is_what_the_definition_says(seed):
    problem, _ = small(seed, k=6)
    levels, _ = Levels.of(problem)
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(12):
        node = some_node(levels, rng)
        if not len(node):
            continue
        # Whole numbers, so that there are ties at every edge.
        charges = rng.integers(-3, 4, (len(node), levels.n_classifiers)).astype(float)
        charges += rng.integers(0, 4, levels.n_classifiers)
        left = rng.integers(-4, 5, levels.n_patterns).astype(float)
        room = rng.integers(0, 3, len(node)).astype(float)
        variables, values = decisions(levels, node, charges, left, room)
        told = dict(zip(variables.tolist(), values.tolist(), strict=True))
        assert len(told) == len(variables)
        assert told == definition(levels, node, charges, left, room)
        seen |= {(p >= levels.n_classifiers, v) for p, v in told.items()}
    assert seen


def test_nothing_is_fixed_in_nothing_or_where_there_is_too_much(monkeypatch):
    problem, _ = small(1, k=6)
    levels, _ = Levels.of(problem)
    node = Node.everything(levels, np.inf)
    much, none = np.full(levels.n_patterns, 9.0), np.zeros((len(node), levels.n_classifiers))
    room = np.ones(len(node))
    for most, fixed in ((len(node), True), (len(node) - 1, False)):
        monkeypatch.setattr(worker, "_MOST_TO_DECIDE", most)
        assert bool(len(decisions(levels, node, none, much, room)[0])) == fixed
    empty = node.only(np.zeros(len(node), dtype=bool))
    variables, values = decisions(levels, empty, none[:0], much, room[:0])
    assert (len(variables), len(values)) == (0, 0)


def test_fixing_costs_no_committee_that_reaches_the_target():
    """By the prices of a program, and by senseless ones."""
    assert sum(map(fixed_at_no_cost, range(10))) > 50


def fixed_at_no_cost(seed):
    problem, committees = small(seed)
    levels, scale = Levels.of(problem)
    rng = np.random.default_rng(seed)
    node = Node.everything(levels, np.inf)
    allowed = sorted((one for one in committees if one.allowed), key=lambda one: -one.units)
    fixed = 0
    for place in (0, len(allowed) // 8):
        target = allowed[place].units / scale
        for at in rng.permutation(levels.pairs())[:4].tolist():
            rows = [row for row in rows_of(levels, rng) if row.factor(*at) > 0 and not row.basic]
            program = Program(levels, tuple(at), rows)
            program.solve(node, np.inf)
            for prices in (program.prices(), program.prices() * rng.random(len(program.rows))):
                judged = Prices(levels, program.rows, prices, tuple(at)).judge(node)
                room = judged.bounds - target + 1e-6
                here = room > 0
                left = node.only(here)
                variables, values = decisions(
                    levels, left, judged.charges[here], judged.left, room[here]
                )
                fixed += len(variables)
                open_pairs = set(map(tuple, left.pairs.tolist()))
                for one in allowed:
                    if one.units / scale < target or one.pair not in open_pairs:
                        continue
                    had = np.concatenate([one.x, right(levels, one)])
                    for p, v in zip(variables.tolist(), values.tolist(), strict=True):
                        i = p - levels.n_classifiers
                        lost = i >= 0 and levels.reach[i] < needed(levels, i, one.pair)
                        assert had[p] == v or (v == 1 and lost)
    return fixed


def task_of(levels, nodes, targets, **more):
    now = time.monotonic()
    return Task(levels, tuple(nodes), (), targets, now + 30, now + 60, 0, **more)


@pytest.mark.parametrize("seed", range(6))
def test_steps_add_up_to_the_tree_and_what_leaves_it_is_bounded(seed):
    """Every step again: the prices it names, on what was decided then."""
    problem, committees = small(seed)
    levels, scale = Levels.of(problem)
    best = max(one.units for one in committees if one.allowed)
    targets = np.full(levels.size_max + 1, (best + problem.gains.step) / scale)
    start = Node.everything(levels, problem.gains.ceiling / scale)
    told = []
    share = solve(
        task_of(levels, [start], targets, record=True),
        lambda bound, nodes, members: told.append((bound, nodes, members)),
    )
    assert share.nodes == ()
    assert share.settled
    numbers = [step.number for step in share.steps]
    assert numbers == sorted(set(numbers))
    assert share.next_number >= max(numbers)
    nodes, prices, leaves = {0: start}, {}, 0
    for step in share.steps:
        node = nodes.pop(step.node)
        assert (step.prices > 0).all()
        assert step.at[0] or not len(step.rows)
        if step.at[0]:
            prices[step.number] = Prices(levels, step.rows, step.prices, step.at)
        there = node.pairs.tolist()
        for size, level, by in step.closed.tolist():
            place = there.index([size, level])
            if by == -2:
                assert (node.decided[: levels.n_classifiers] != FREE).all()
                leaves += 1
            elif by == -1:
                assert node.bounds[place] < targets[size]
            else:
                assert prices[by].judge(node).bounds[place] < targets[size]
        gone = {(size, level) for size, level, _ in step.closed.tolist()}
        node = node.only(np.array([tuple(pair) not in gone for pair in there], dtype=bool))
        for variable, value in step.decided:
            assert node.decided[variable] == FREE
            k = levels.n_classifiers
            judged = prices[step.number].judge(node.deciding(np.array([variable]), 1 - value))
            can = np.ones(len(node), dtype=bool)
            if variable >= k:
                # Elsewhere it is wrong, whatever is decided.
                can = levels.reachable(variable - k, node.pairs)
            assert (judged.bounds < targets[node.pairs[:, 0]])[can].all()
        if step.decided:
            node = node.deciding(*map(np.array, zip(*step.decided, strict=True)))
        if step.heirs:
            children = node.branch(step.heirs[0][1], (step.heirs[0][0], step.heirs[1][0]))
            variable = step.heirs[0][1]
            assert node.decided[variable] == FREE
            assert [heir[1:] for heir in step.heirs] == [(variable, 0), (variable, 1)]
            if variable >= levels.n_classifiers:
                can = levels.reachable(variable - levels.n_classifiers, node.pairs)
                children[1] = children[1].only(can)
            nodes |= {child.key: child for child in children if len(child)}
        elif len(node):
            nodes[node.key] = node
    assert nodes == {}
    assert told[-1][:2] == (-np.inf, 0)


def test_a_report_tells_the_highest_bound_of_all_that_is_open():
    problem, committees = small(4)
    levels, scale = Levels.of(problem)
    best = max(one.units for one in committees if one.allowed)
    targets = np.full(levels.size_max + 1, (best + problem.gains.step) / scale)
    start = Node.everything(levels, problem.gains.ceiling / scale)
    tree, told = worker._Tree(task_of(levels, [start], targets), None), []
    tree._report = lambda *said: told.append((*said, [node for _, _, node in tree._heap]))
    tree.work()
    assert told
    for bound, count, members, heap in told:
        assert count == len(heap)
        assert bound == max((node.bounds.max() for node in heap), default=-np.inf)
        assert members == sorted(set(members), key=members.index)


def test_without_leave_to_branch_it_says_when_there_is_nothing_else_to_do():
    for seed in range(6):
        problem, committees = small(seed)
        levels, scale = Levels.of(problem)
        best = max(one.units for one in committees if one.allowed)
        targets = np.full(levels.size_max + 1, (best - problem.gains.step) / scale)
        start = Node.everything(levels, problem.gains.ceiling / scale)
        share = solve(task_of(levels, [start], targets, branch=False, record=True))
        # What reaches the target is never refuted, and it takes branching to come to a leaf.
        assert share.settled
        assert [node.key for node in share.nodes] == [0]
        assert not any(step.heirs for step in share.steps)
        pairs = set(map(tuple, share.nodes[0].pairs.tolist()))
        assert {one.pair for one in committees if one.allowed and one.units == best} <= pairs


def test_programs_are_kept_for_one_token_at_a_time():
    kept = worker._programs("one")
    assert worker._programs("one") is kept
    assert worker._programs("") is not worker._programs("")
    assert worker._programs("two") is not kept
    assert worker._programs("one") is not kept


def test_a_program_that_was_used_least_lately_goes_first(monkeypatch):
    problem, _ = small(2, k=6)
    levels, _ = Levels.of(problem)
    monkeypatch.setattr(worker, "_PROGRAMS", 2)
    start = Node.everything(levels, 1e6)
    tree = worker._Tree(task_of(levels, [start], np.zeros(levels.size_max + 1)), None)
    first, second, third = map(tuple, levels.pairs()[:3].tolist())
    programs = [tree._program(first), tree._program(second), tree._program(first)]
    assert programs[0] is programs[2]
    tree._program(third)
    assert list(tree._programs) == [first, third]
    monkeypatch.setattr(worker, "_ENTRIES", 0)
    assert worker._Tree(replace(tree_task(levels, start)), None)._most_programs == 1


def tree_task(levels, start):
    return task_of(levels, [start], np.zeros(levels.size_max + 1))


@pytest.mark.parametrize("seed", range(6))
def test_a_size_and_threshold_is_refuted_only_where_rounding_cannot_have_done_it(seed):
    problem, _ = small(seed)
    levels, _ = Levels.of(problem)
    node, most = Node.everything(levels, 0.0), max(1.0, levels.weights.max())
    for target in (0.0, 1e6, -1e6):
        targets = np.full(levels.size_max + 1, target)
        tree = worker._Tree(task_of(levels, [], targets), None)
        room = 1e-7 * (most + abs(target))
        for share, refuted in ((0.0, False), (0.98, False), (1.02, True)):
            here = replace(node, bounds=np.full(len(node), target - share * room))
            assert (tree._closed(here) == refuted).all()


@pytest.mark.parametrize("seed", range(6))
def test_a_program_gives_its_prices_their_judgement_and_its_useful_rows(seed):
    problem, _ = small(seed, k=6, n=20)
    levels, _ = Levels.of(problem)
    node = Node.everything(levels, 1e6)
    tree = worker._Tree(task_of(levels, [node], np.full(levels.size_max + 1, -1e6)), None)
    useful = set()
    for at in map(tuple, levels.pairs()[-6:].tolist()):
        program = tree._program(at)
        prices, judgement = tree._tighten(program, node, at, portable=False)
        assert len(prices) == len(program.rows)
        told = Prices(levels, program.rows, prices, at).judge(node)
        np.testing.assert_array_equal(judgement.bounds, told.bounds)
        used = [row for row, price in zip(program.rows, prices, strict=True)
                if price > 1e-7 and isinstance(row, Row) and not row.basic]  # fmt: skip
        assert tree._rows == used
        useful |= {row.patterns for row in used if row.sides == (1, 1) and row.shift == 0}
        assert tree._conflicts == useful
        # A program of another size and threshold begins with those that mean something there.
        other = worker._Tree(replace(task_of(levels, [], np.zeros(9)), rows=tuple(used)), None)
        there = levels.size_max, 0
        begun = other._program(there).rows[len(levels.limits) + levels.n_patterns :]
        assert begun == [row for row in used if row.portable and row.factor(*there) > 0]


def test_what_is_fixed_has_room_for_rounding_and_speaks_of_what_is_open(monkeypatch):
    problem, committees = small(4)
    levels, scale = Levels.of(problem)
    best = max(one.units for one in committees if one.allowed)
    targets = np.full(levels.size_max + 1, (best + problem.gains.step) / scale)
    asked, judged = [], []

    def spy(levels, node, charges, left, room, decide=decisions):
        asked.append((node, charges, left, room))
        return decide(levels, node, charges, left, room)

    def judging(self, node, judge=Prices.judge):
        judged.append((node, judge(self, node)))
        return judged[-1][1]

    monkeypatch.setattr(worker, "decisions", spy)
    monkeypatch.setattr(Prices, "judge", judging)
    solve(task_of(levels, [Node.everything(levels, problem.gains.ceiling / scale)], targets))
    assert len(asked) == len(judged) > 2
    for (left, charges, reduced, room), (node, judgement) in zip(asked, judged, strict=True):
        assert reduced is judgement.left
        places = [node.pairs.tolist().index(pair) for pair in left.pairs.tolist()]
        np.testing.assert_array_equal(charges, judgement.charges[places])
        bounds = judgement.bounds[places]
        most = 1e-7 * (2 * max(1.0, levels.weights.max()) + np.abs(bounds))
        np.testing.assert_allclose(room, bounds - targets[left.pairs[:, 0]] + most, atol=1e-12)
        np.testing.assert_array_equal(left.bounds, np.minimum(node.bounds[places], bounds))


def test_members_are_the_heaviest_and_each_set_is_told_once():
    problem, _ = small(2, k=6)
    levels, _ = Levels.of(problem)
    tree = worker._Tree(task_of(levels, [], np.zeros(levels.size_max + 1)), None)
    x = np.linspace(1.0, 0.1, levels.n_classifiers)[::-1]
    assert sorted(tree._round_off(x, 2)) == [levels.n_classifiers - 2, levels.n_classifiers - 1]
    tree._round_off(x, 2)
    tree._look_at([1, 0])
    assert list(tree._members) == [(levels.n_classifiers - 2, levels.n_classifiers - 1), (0, 1)]


def test_the_node_that_is_furthest_above_its_target_comes_first():
    problem, _ = small(2, k=6)
    levels, _ = Levels.of(problem)
    node = Node.everything(levels, 0.0)
    targets = np.arange(levels.size_max + 1.0)
    keys = {}
    for key, (size, bound) in enumerate(((1, 4.0), (levels.size_max, 5.0), (2, 9.0)), 1):
        part = node.only(node.pairs[:, 0] == size)
        keys[key] = replace(part, key=key, bounds=np.full(len(part), bound))
    empty = replace(node.only(np.zeros(len(node), dtype=bool)), key=9)
    tree = worker._Tree(task_of(levels, [*keys.values(), empty], targets), None)
    order = [heapq.heappop(tree._heap)[2].key for _ in range(3)]
    excess = {1: 4.0 - 1, 2: 5.0 - levels.size_max, 3: 9.0 - 2}
    assert order == sorted(excess, key=lambda key: -excess[key])
    assert tree._heap == []
