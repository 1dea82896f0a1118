"""Each part of the tree with nogoods says what its definition says, no more and no less."""

import time
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from everycommittee import small
from voteprune.bounds.node import FREE
from voteprune.tree.nogoods import conflicts as separating
from voteprune.tree.nogoods import relaxation as relaxing
from voteprune.tree.nogoods import worker
from voteprune.tree.nogoods.conflicts import Conflicts
from voteprune.tree.nogoods.nogood import Case, Nogood, best_of_the_heaviest, prove
from voteprune.tree.nogoods.relaxation import Relaxation, fractions, limits_of
from voteprune.tree.nogoods.task import Node, Task

SEEDS = range(10)


def decided_by(case, one):
    return np.concatenate([one.positive, one.x]).astype(np.int8)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_case_is_true_of_every_committee(seed):
    problem, committees = small(seed)
    case, scale = Case.of(problem)
    assert (case.n_patterns, case.n_classifiers) == case.votes.shape
    assert [problem.allowed[k] for k in case.required] == sorted(problem.required)
    assert case.size_min == max(problem.size_min, len(problem.required))
    assert case.size_max == min(problem.size_max, len(problem.allowed))
    assert len(case.member_limits) == len(case.on_members) == len(case.least_members)
    assert len(case.pattern_limits) == len(case.on_patterns) == len(case.least_patterns)
    assert all(row.any() for row in case.on_members)
    for one in committees:
        told = case.base + case.net @ one.positive
        assert told * scale == pytest.approx(one.units, rel=1e-12, abs=1e-9 * scale)
        assert ((case.votes @ one.x > one.level) == one.positive).all()
        if one.allowed:
            assert (case.on_members @ one.x >= case.least_members).all()
            assert (case.on_patterns @ one.positive >= case.least_patterns).all()
    assert case.room(0.0) == 1e-7 * max(1.0, np.abs(case.net).max())
    assert case.room(-1e9) == pytest.approx(100.0)


def test_limits_keep_their_names_and_go_where_they_belong():
    for seed in range(30):
        problem, _ = small(seed)
        case, _ = Case.of(problem)
        kinds = [*case.member_limits, *case.pattern_limits]
        floors = problem.floors is not None and problem.floors.tau is not None
        expected = [("cost", i) for i in range(len(problem.cost_limits))]
        expected += [("criterion", i) for i in range(len(problem.metric_limits))]
        expected += [("member", i) for i in range(len(problem.allowed))] if floors else []
        assert sorted(kinds) == sorted(expected)
        assert all(kind != "criterion" for kind, _ in case.member_limits)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_heaviest_are_tried_at_every_size_and_threshold(seed):
    problem, committees = small(seed)
    case, scale = Case.of(problem)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        weights = rng.random(case.n_classifiers)
        order = np.argsort(-weights)
        best = None
        for size in range(case.size_min, case.size_max + 1):
            heaviest = set(order[:size].tolist())
            for one in committees:
                if set(np.flatnonzero(one.x).tolist()) == heaviest:
                    best = one.units if best is None else max(best, one.units)
        value, members = best_of_the_heaviest(case, weights)
        assert value * scale == pytest.approx(best, rel=1e-12, abs=1e-9 * scale)
        assert set(members) == set(order[: len(members)].tolist())
        assert list(members) == sorted(members)
        assert best == max(one.units for one in committees
                           if tuple(np.flatnonzero(one.x)) == members)  # fmt: skip


def on_sides(rng, n, share):
    """Amounts of some patterns as positives, and of others as negatives."""
    amounts = rng.integers(1, 4, n) * (rng.random(n) < 2 * share)
    sides = rng.random(n) < 0.5
    return np.stack([amounts * sides, amounts * ~sides])


def reaches(case, d, decided):
    """The sums of d over all sets of members that sizes and decisions allow."""
    sits = (decided == 1).copy()
    sits[case.required] = True
    out = (decided == 0) & ~sits
    free = np.flatnonzero(~sits & ~out)
    for more in range(len(free) + 1):
        if case.size_min <= sits.sum() + more <= case.size_max:
            for some in combinations(free, more):
                yield d[sits].sum() + d[list(some)].sum()


def short_of(case, yes, no, prices, decided):
    """How much is missing where most of it is had, by those whose decisions can matter."""
    whole = max(yes.sum(), no.sum())
    unit = whole or prices.sum() or 1.0
    d = ((yes - no) @ case.votes + whole - yes.sum() + prices @ case.on_members) / unit
    least = (whole + prices @ case.least_members) / unit
    for alone in (decided == 1, decided == 0):
        if not any(True for _ in reaches(case, d, np.where(alone, decided, FREE))):
            return np.inf  # too many sit, or too few are left
    matters = np.where(d > 0, decided == 0, (decided == 1) & (d < 0))
    return least - max(reaches(case, d, np.where(matters, decided, FREE)), default=-np.inf)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mixture_is_a_nogood_where_nobody_reaches_what_it_asks_for(seed):
    problem, committees = small(seed)
    case, _ = Case.of(problem)
    rng = np.random.default_rng(seed)
    made = {True: 0, False: 0}
    n, k = case.votes.shape
    for turn in range(120):
        many = 0.15 if turn % 3 else 0.0
        yes, no = on_sides(rng, n, many) * 0.5
        prices = rng.random(len(case.on_members)) * (rng.random(len(case.on_members)) < 0.5)
        odds = [0.4, 0.3, 0.3] if turn % 2 else [1.0, 0.0, 0.0]
        decided = rng.choice([FREE, 0, 1], k, p=odds).astype(np.int8)
        nogood = prove(case, yes, no, prices, decided)
        short = short_of(case, yes, no, prices, decided)
        if abs(short) > 1e-5:
            assert (nogood is not None) == (short > 0)
        made[nogood is not None] += 1
        if nogood is None:
            continue
        # It says no more than was asked about, and what it takes for granted was.
        said = dict(zip(nogood.variables, nogood.values, strict=True))
        assert len(said) == len(nogood.variables) == len(nogood.shares)
        for variable, value in said.items():
            if variable < n:
                assert (yes if value else no)[variable] > 0
            else:
                assert decided[variable - n] == value
        # Its own certificate proves it, without what was left out.
        shares = {True: np.zeros(n), False: np.zeros(n)}
        for (variable, value), share in zip(said.items(), nogood.shares, strict=True):
            assert (share > 0) == (variable < n)
            if variable < n:
                shares[value][variable] = share
        assert nogood.everybody >= -1e-12
        assert nogood.nobody >= -1e-12
        assert shares[True].sum() + nogood.everybody == pytest.approx(
            shares[False].sum() + nogood.nobody
        )
        d = (shares[True] - shares[False]) @ case.votes + nogood.everybody
        d = d + np.array(nogood.prices) @ case.on_members
        asked = shares[True].sum() + nogood.everybody
        asked += np.array(nogood.prices) @ case.least_members
        known = np.full(k, FREE, dtype=np.int8)
        for variable, value in said.items():
            if variable >= n:
                known[variable - n] = value
        assert max(reaches(case, d, known), default=-np.inf) < asked
        for one in committees:
            here = decided_by(case, one)
            assert not one.allowed or any(here[v] != value for v, value in said.items())
    assert made[True]
    assert made[False]


def test_no_more_is_taken_for_granted_than_is_needed():
    """Too many who sit, too few who may: each by itself; else only those who matter."""
    votes = np.array([[1, 0, 1, 0], [1, 1, 1, 0]], dtype=bool)
    none = np.empty((0, 4))
    case = Case(votes, np.array([1.0, -1.0]), 0.0, np.empty(0, dtype=np.intp), 2, 3,
                none, np.empty(0), np.empty((0, 2)), np.empty(0))  # fmt: skip
    mixture, nothing = np.array([1.0, 0.0]), np.zeros(2)

    def proof(yes, no, decided):
        found = prove(case, yes, no, np.empty(0), np.array(decided, dtype=np.int8))
        return None if found is None else dict(zip(found.variables, found.values, strict=True))

    assert proof(mixture, nothing, [1, 1, 1, 1]) == {2: True, 3: True, 4: True, 5: True}
    assert proof(mixture, nothing, [0, 0, FREE, 0]) == {2: False, 3: False, 5: False}
    # Those who do not vote for it sit, the others do not: only they could make it positive.
    assert proof(mixture, nothing, [0, 1, 0, 1]) == {0: True, 2: False, 4: False}
    assert proof(mixture, nothing, [0, FREE, FREE, FREE]) is None
    found = prove(case, mixture, nothing, np.empty(0), np.array([1, 1, 1, 1], dtype=np.int8))
    assert (found.everybody, found.nobody, set(found.shares)) == (0.0, 0.0, {0.0})


def test_slack_counts_patterns_and_not_members():
    nogood = Nogood((0, 2, 5), (True, False, True), (1.0, 1.0, 0.0))
    assert nogood.key == ((0, 2, 5), (True, False, True))
    assert nogood.slack(np.array([1.0, 0.5, 0.25])) == -0.75
    assert nogood.slack(np.array([0.25, 0.5, 1.0])) == 0.75


def random_nogoods(case, rng, count=30):
    """Nogoods that are proved, of one to a few patterns."""
    found = []
    for _ in range(60 * count):
        yes, no = on_sides(rng, case.n_patterns, 0.15)
        nogood = prove(
            case, yes * 1.0, no * 1.0, np.zeros(len(case.on_members)),
            rng.choice([FREE, 0, 1], case.n_classifiers, p=[0.8, 0.1, 0.1]).astype(np.int8),
        )  # fmt: skip
        if nogood is not None and nogood.variables:
            found.append(nogood)
        if len(found) == count:
            break
    return found


def program(case, nogoods, low, high):
    """The value of the relaxation with all rows, by another solver; None where it is empty."""
    n = case.n_patterns + case.n_classifiers
    lines, least = [], []
    for nogood in nogoods:
        line = np.zeros(n)
        for variable, value in zip(nogood.variables, nogood.values, strict=True):
            line[variable] = -1.0 if value else 1.0
        lines.append(line)
        least.append(1.0 - sum(nogood.values))
    for row, asked in zip(case.on_patterns, case.least_patterns, strict=True):
        lines.append(np.append(row, np.zeros(case.n_classifiers)))
        least.append(asked)
    gains = np.append(case.net, np.zeros(case.n_classifiers))
    answer = linprog(-gains, A_ub=-np.array(lines).reshape(-1, n), b_ub=-np.array(least),
                     bounds=np.column_stack([low, high]))  # fmt: skip
    return case.base - answer.fun if answer.status == 0 else None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_relaxation_is_worth_what_another_solver_says(seed):
    problem, _ = small(seed)
    case, _ = Case.of(problem)
    rng, relaxation = np.random.default_rng(seed), Relaxation(case)
    nogoods, latest = random_nogoods(case, rng), time.monotonic() + 60
    new = {}
    for nogood in nogoods:
        assert relaxation.add(nogood) == (nogood.key not in new)
        new[nogood.key] = nogood
    scale = np.abs(case.net).sum()
    n, solved = case.n_patterns + case.n_classifiers, 0
    for turn in range(8):
        decided = np.where(rng.random(n) < 0.1 * (turn > 1), rng.integers(0, 2, n), FREE)
        low, high = limits_of(decided.astype(np.int8))
        np.testing.assert_array_equal(low, decided == 1)
        np.testing.assert_array_equal(high, decided != 0)
        told = relaxation.bound(low, high, -np.inf, latest)
        value = program(case, list(new.values()), low, high)
        if value is None:
            assert told < case.base + scale
            continue
        solved += 1
        # Rows that are broken by less than a thousandth are left out.
        assert value - 1e-6 * scale <= told <= value + 0.02 * scale
        # Looked at again, it is the same; with fewer rows it would be no lower.
        assert relaxation.look(low, high, latest) == told
        solution = relaxation.solution()
        assert len(solution) == n
        assert (solution >= low - 1e-6).all()
        assert (solution <= high + 1e-6).all()
        reasons = relaxation.reasons()
        assert all(price > 0 for _, price in reasons)
        left = np.append(case.net, np.zeros(case.n_classifiers))
        proved = case.base
        for reason, price in reasons:
            if isinstance(reason, int):
                left[: case.n_patterns] += price * case.on_patterns[reason]
                proved -= price * case.least_patterns[reason]
                continue
            for variable, whether in zip(reason.variables, reason.values, strict=True):
                left[variable] += -price if whether else price
            proved -= price * (1.0 - sum(reason.values))
        proved += np.maximum(left * low, left * high).sum()
        assert told == pytest.approx(proved, rel=1e-9, abs=1e-9 * scale)
    assert solved


def test_rows_come_in_until_the_target_is_passed():
    fell = 0
    for seed in range(8):
        problem, _ = small(seed, n=20)
        case, _ = Case.of(problem)
        relaxation, latest = Relaxation(case), time.monotonic() + 60
        low, high = limits_of(np.full(case.n_patterns + case.n_classifiers, FREE, dtype=np.int8))
        free = relaxation.look(low, high, latest)
        for nogood in random_nogoods(case, np.random.default_rng(seed), 60):
            relaxation.add(nogood)
        assert relaxation.look(low, high, latest) == free
        assert relaxation.bound(low, high, free + 1.0, latest) == free
        assert relaxation.bound(low, high, -np.inf, 0.0) == free
        tight = relaxation.bound(low, high, free, latest)
        assert tight <= free
        assert relaxation.bound(low, high, -np.inf, 0.0) == tight
        fell += tight < free
    assert fell > 2


@pytest.mark.parametrize("seed", [1, 3])
def test_rows_that_go_come_back_when_they_are_broken(seed, monkeypatch):
    monkeypatch.setattr(relaxing, "_SPARE_ROWS", 2)
    monkeypatch.setattr(relaxing, "_MOST_ROWS", 3)
    problem, _ = small(seed, k=6, n=20)
    case, _ = Case.of(problem)
    rng, relaxation, whole = np.random.default_rng(seed), Relaxation(case), Relaxation(case)
    monkeypatch.setattr(relaxing, "_SPARE_ROWS", 10**6)
    n, latest = case.n_patterns + case.n_classifiers, time.monotonic() + 60
    before = 0
    for nogood in random_nogoods(case, rng, 40):
        relaxation.add(nogood)
        whole.add(nogood)
    for _ in range(8):
        decided = np.where(rng.random(n) < 0.1, rng.integers(0, 2, n), FREE).astype(np.int8)
        monkeypatch.setattr(relaxing, "_SPARE_ROWS", 2)
        told = [each.bound(*limits_of(decided), -np.inf, latest) for each in (relaxation, whole)]
        assert told[0] == pytest.approx(told[1], abs=0.02 * np.abs(case.net).sum())
        before = max(before, len(relaxation._rows))
        value = relaxation.look(*limits_of(decided), latest)
        relaxation.tidy()
        # What is left is what the solution needs, so the bound stays.
        assert relaxation.look(*limits_of(decided), latest) == pytest.approx(value, abs=1e-6)
    assert before > 4


def test_fractions_are_the_way_to_the_nearer_end():
    np.testing.assert_allclose(fractions(np.array([0.0, 0.25, 0.5, 0.8, 1.0])),
                               [0, 0.25, 0.5, 0.2, 0])  # fmt: skip


def widest(case, yes, no, decided):
    """The margin that costs leave, from the rows as they are described; by another solver."""
    n, k = case.votes.shape
    lines, most = [], []

    def below(x, level, margin, high):
        lines.append(np.concatenate([x, [level, margin]]))
        most.append(high)

    everyone = np.ones(k)
    for i in range(k):
        below((np.arange(k) == i) * 1.0, 0, -1, 0)
        if decided[i] == 1 or i in case.required:
            below((np.arange(k) == i) * -1.0, 0, 1, 0)
    below(-everyone, 1, 1, 0)
    below(everyone, 0, -case.size_max, 0)
    below(-everyone, 0, case.size_min, 0)
    for row, least in zip(case.on_members, case.least_members, strict=True):
        below(-row, 0, least, 0)
    for i in range(n):
        if np.isfinite(yes[i]):
            below(-case.votes[i].astype(float), 1, 1, yes[i])
        if np.isfinite(no[i]):
            below(case.votes[i].astype(float), -1, 0, no[i])
    high = [0.0 if decided[i] == 0 else None for i in range(k)]
    answer = linprog(
        np.concatenate([np.zeros(k + 1), [-1.0]]), A_ub=np.array(lines), b_ub=np.array(most),
        bounds=[*((0, h) for h in high), (0, None), (0, 1e4)],
    )  # fmt: skip
    return -answer.fun


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("crowded", [False, True])
def test_a_nogood_is_found_where_there_is_one_and_it_is_the_cheapest(seed, crowded, monkeypatch):
    if crowded:
        monkeypatch.setattr(separating, "_MOST_ROWS", 2)
    problem, committees = small(seed)
    case, _ = Case.of(problem)
    rng, conflicts = np.random.default_rng(seed), Conflicts(case)
    n, k = case.votes.shape
    outcomes, margins, tidy = set(), [], Conflicts._tidy

    def spy(self):
        margins.append(-self._highs.getInfo().objective_function_value)
        tidy(self)

    monkeypatch.setattr(Conflicts, "_tidy", spy)
    for turn in range(16):
        called = rng.random(n) < 0.5
        if turn % 4 == 0:  # what some committee decides
            called = committees[rng.integers(len(committees))].positive
        yes = np.where(called, rng.random(n) + 1e-3, np.inf)
        no = np.where(called, np.inf, rng.random(n) + 1e-3)
        odds = [0.8, 0.1, 0.1] if turn % 3 else [1.0, 0.0, 0.0]
        decided = rng.choice([FREE, 0, 1], k, p=odds).astype(np.int8)
        conflicts.decide(decided)
        nogood = conflicts.find(yes, no, time.monotonic() + 60)
        margin = widest(case, yes, no, decided)
        told = margins.pop()
        if margin > 1e-6:  # with a margin of nothing rounding decides
            assert told == pytest.approx(margin, rel=1e-5, abs=1e-5)
            assert nogood is None or margin < 9e3
            # Of who is decided only some is taken for granted, which may be too little.
            assert nogood is not None or margin > 9e3 or (decided != FREE).any()
        weights = conflicts.weights()
        assert ((weights >= 0) & (weights <= 1)).all()
        if nogood is None:
            # There are weights that decide so, on so many members.
            assert case.size_min - 1e-6 <= weights.sum() <= case.size_max + 1e-6
            assert (weights[decided == 0] < 1e-6).all()
            assert (weights[decided == 1] > 1 - 1e-6).all()
            votes = case.votes @ weights
            assert votes[called].min(initial=np.inf) > votes[~called].max(initial=0.0) + 0.5
        else:
            for variable, value in zip(nogood.variables, nogood.values, strict=True):
                assert variable >= n or called[variable] == value
        outcomes.add(nogood is None)
        assert sorted(set(conflicts._rows)) == sorted(conflicts._rows)
    assert outcomes


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_to_begin_with_are_true_and_say_all_that_votes_inside_votes_say(seed):
    problem, committees = small(seed, n=20, limits=False)
    case, _ = Case.of(problem)
    pairs = set()
    for nogood in worker._pairs(case):
        assert nogood.values == (True, False)
        assert nogood.shares == (1.0, 1.0)
        pairs.add(nogood.variables)
        for one in committees:
            here = decided_by(case, one)
            assert not (here[nogood.variables[0]] and not here[nogood.variables[1]])
    follow = set(pairs)
    while True:
        more = {(p, r) for p, q in follow for q2, r in follow if q == q2} | follow
        if more == follow:
            break
        follow = more
    n = case.n_patterns
    inside = {(p, q) for p, q in product(range(n), repeat=2)
              if p != q and (case.votes[p] <= case.votes[q]).all()}  # fmt: skip
    assert follow == inside
    # None that follows from two others.
    assert not any((p, q) in inside and (q, r) in inside for p, r in pairs for q in range(n)
                   if q not in (p, r))  # fmt: skip


def worked_through(case, target, **more):
    """Every share of a tree, until nothing is open; what was said on the way."""
    decided = np.full(case.n_patterns + case.n_classifiers, FREE, dtype=np.int8)
    nodes, seen, shares, said, number = (Node(1e30, decided),), frozenset(), [], [], 0
    end = time.monotonic() + 60
    while nodes:
        task = Task(case, nodes, (), target, end, end, seen, more.get("token", ""), number, True)
        share = worker.solve(task, lambda *told: said.append(told))
        shares.append(share)
        nodes, seen, number = share.nodes, seen | set(share.members), share.next_number
        assert time.monotonic() < end
    return shares, seen, said


@pytest.mark.parametrize("seed", range(8))
def test_steps_add_up_to_the_tree_and_what_leaves_it_is_bounded(seed):
    """Every step again: the nogoods and limits it names, at their prices."""
    problem, committees = small(seed)
    case, scale = Case.of(problem)
    best = max(one.units for one in committees if one.allowed)
    target = (best + problem.gains.step) / scale
    shares, seen, said = worked_through(case, target)
    k, n = case.n_classifiers, case.n_patterns
    nodes = {0: np.full(n + k, FREE, dtype=np.int8)}
    for step in (step for share in shares for step in share.steps):
        decided = nodes.pop(step.node)
        if step.heirs is not None:
            assert decided[step.variable] == FREE
            for value, key in enumerate(step.heirs):
                assert key not in nodes
                nodes[key] = decided.copy()
                nodes[key][step.variable] = value
            continue
        bound, left = case.base, np.append(case.net, np.zeros(k))
        for nogood, price in zip(step.nogoods, step.prices, strict=True):
            assert price > 0
            for variable, value in zip(nogood.variables, nogood.values, strict=True):
                left[variable] += -price if value else price
            bound -= price * (1.0 - sum(nogood.values))
        for row, price in step.limits:
            left[:n] += price * case.on_patterns[row]
            bound -= price * case.least_patterns[row]
        low, high = limits_of(decided)
        bound += np.maximum(left * low, left * high).sum()
        if not bound < target:
            # One committee, which has been looked at.
            who = decided[n:].copy()
            who[case.required] = 1
            assert (who != FREE).all()
            assert tuple(np.flatnonzero(who == 1).tolist()) in seen
            assert (step.nogoods, step.limits) == ((), ())
    assert nodes == {}
    keys = [key for share in shares for step in share.steps for key in step.heirs or ()]
    assert len(set(keys)) == len(keys)
    for bound, count in said:
        assert (bound == -np.inf) == (count == 0)
    assert all(len(share.nogoods) == len({one.key for one in share.nogoods}) for share in shares)


def test_a_report_tells_the_highest_bound_of_all_that_is_open():
    problem, committees = small(6, n=20)
    case, scale = Case.of(problem)
    target = max(one.units for one in committees if one.allowed) / scale
    decided = np.full(case.n_patterns + case.n_classifiers, FREE, dtype=np.int8)
    end = time.monotonic() + 60
    tree = worker._Tree(Task(case, (Node(1e30, decided),), (), target, end, end), None)
    told = []
    tree._report = lambda *said: told.append(said)
    for following in (None, Node(3.0, decided), Node(2e30, decided)):
        tree._tell(following)
    assert told == [(1e30, 1), (1e30, 2), (2e30, 2)]
    tree._heap.clear()
    tree._tell(None)
    tree._tell(Node(3.0, decided))
    assert told[3:] == [(-np.inf, 0), (3.0, 1)]


@pytest.mark.parametrize("seed", range(6))
def test_children_hold_what_their_node_holds(seed):
    problem, _ = small(seed)
    case, _ = Case.of(problem)
    rng = np.random.default_rng(seed)
    n, k, end = case.n_patterns, case.n_classifiers, time.monotonic() + 60
    decided = rng.choice([FREE, FREE, FREE, 0, 1], n + k).astype(np.int8)
    decided[n + case.required] = 1
    root = Node(50.0, decided, 4)
    tree = worker._Tree(Task(case, (), (), -1e9, end, end, first_number=10), None)
    variable = int(rng.choice(np.flatnonzero(decided == FREE)))
    zero, one = tree._branch(root, variable)
    for child, value, key in ((zero, 0, 11), (one, 1, 12)):
        assert (child.key, child.bound, child.decided[variable]) == (key, 50.0, value)
        assert (np.delete(child.decided, variable) == np.delete(decided, variable)).all()
    assert decided[variable] == FREE
    tree._bound(*limits_of(decided))
    tree._conflicts.decide(decided[n:])
    tree._conflicts.find(np.full(n, np.inf), np.full(n, np.inf), end)
    tree._is_news = lambda who: False
    children = tree._branch_on_classifier(root, 33.0)
    free = np.flatnonzero(decided[n:] == FREE)
    if len(free):
        (branched,) = {
            int(p) for child in children for p in np.flatnonzero(child.decided != decided)
        }
        assert branched - n in free
        assert sorted(child.decided[branched] for child in children) == [0, 1]
        assert [child.bound for child in children] == [33.0, 33.0]
    else:
        assert children == []


@pytest.mark.parametrize("seed", range(4))
def test_a_committee_that_has_not_been_looked_at_is_handed_in_first(seed):
    problem, _ = small(seed)
    case, _ = Case.of(problem)
    n, end = case.n_patterns, time.monotonic() + 60
    decided = np.full(n + case.n_classifiers, FREE, dtype=np.int8)
    decided[n:] = np.arange(case.n_classifiers) % 2
    decided[n + case.required] = FREE  # they sit, whatever is decided
    root = Node(50.0, decided, 4)
    members = tuple(sorted({*np.flatnonzero(decided[n:] == 1).tolist(), *case.required.tolist()}))
    tree = worker._Tree(Task(case, (), (), -1e9, end, end), None)
    assert tree._branch_on_classifier(root, 33.0) is None
    assert list(tree._members) == [members]
    assert [(bound, node.bound, node.decided is decided) for bound, _, node in tree._heap] == [
        (-33.0, 33.0, True)
    ]
    assert tree._branch_on_classifier(root, 33.0) == []
    seen = worker._Tree(Task(case, (), (), -1e9, end, end, frozenset({members})), None)
    assert seen._branch_on_classifier(root, 33.0) == []


def test_what_is_kept_is_kept_for_one_token_at_a_time():
    problem, _ = small(1)
    case, _ = Case.of(problem)

    def task(token):
        return Task(case, (), (), 0.0, 0.0, 0.0, token=token)

    kept = worker._keep(task("one"))
    assert worker._keep(task("one")) is kept
    assert worker._keep(task("")) is not worker._keep(task(""))
    assert worker._keep(task("two")) is not kept
    assert worker._keep(task("one")) is not kept


def test_a_bound_refutes_only_where_rounding_cannot_have_done_it():
    problem, _ = small(6, n=20)
    case, _ = Case.of(problem)
    for target in (0.0, 1e6, -1e6):
        tree = worker._Tree(Task(case, (), (), target, 0.0, 0.0), None)
        room = case.room(target)
        assert not tree._refuted(target)
        assert not tree._refuted(target - 0.99 * room)
        assert tree._refuted(target - 1.01 * room)


def test_nogoods_of_others_are_known_from_the_start_and_found_ones_handed_in_once():
    problem, committees = small(6, n=20)
    case, scale = Case.of(problem)
    target = (max(one.units for one in committees if one.allowed) + problem.gains.step) / scale
    shares, _, _ = worked_through(case, target)
    found = {nogood.key: nogood for share in shares for nogood in share.nogoods}
    begun = {nogood.key for nogood in worker._pairs(case)}
    assert found
    assert not begun & found.keys()
    tree = worker._Tree(Task(case, (), tuple(found.values()), target, 0.0, 0.0), None)
    assert not any(tree._relaxation.add(nogood) for nogood in found.values())
    assert tree._found == []


def test_a_nogood_is_new_and_broken_where_a_solution_breaks_it(monkeypatch):
    problem, _ = small(6, n=20)
    case, _ = Case.of(problem)
    tree = worker._Tree(Task(case, (), (), 0.0, 0.0, 0.0), None)
    z = np.full(case.n_patterns, 0.5)
    z[0], z[1] = 1.0, 0.0
    asked = []
    three = Nogood((0, 1, 2), (True, False, True), (1.0, 1.0, 0.0))
    nogoods = [three, Nogood((0,), (False,), (1.0,)), None]

    def find(yes, no, latest):
        asked.append((yes, no))
        return nogoods[len(asked) - 1]

    monkeypatch.setattr(tree._conflicts, "find", find)
    assert tree._separate(z, True, 5)
    assert tree._found == nogoods[:2]
    assert len(asked) == 3  # none is found where there was none
    yes, no = asked[0]
    np.testing.assert_allclose(yes, np.where(z < 0.001, np.inf, 1 - z + 1e-3))
    np.testing.assert_allclose(no, np.where(z > 0.999, np.inf, z + 1e-3))
    # What had a large share costs less.
    assert asked[1][0][0] == pytest.approx(yes[0] * 0.02 / 1.02)
    assert asked[1][1][1] == pytest.approx(no[1] * 0.02 / 1.02)
    np.testing.assert_allclose(asked[1][0][2:], yes[2:])
    asked.clear()
    nogoods[:] = [nogoods[1], None]
    assert not tree._separate(z, True, 0)  # it is known
    assert len(asked) == 1
    assert len(tree._found) == 2
    asked.clear()
    nogoods[:] = [None, None]
    for _ in range(2):
        assert not tree._separate(z, False, 0)
    assert (asked[0][0] != asked[1][0])[np.isfinite(asked[0][0])].all()
    assert (asked[0][0] >= yes).all()
    assert (asked[0][1] >= no).all()


def test_rounding_hands_in_what_is_new_and_may_be_better():
    problem, _ = small(6, n=20)
    case, _ = Case.of(problem)
    weights = np.arange(case.n_classifiers, 0.0, -1.0)
    value, members = best_of_the_heaviest(case, weights)
    room = case.room(value)
    cases = ((0.0, (), True), (room / 2, (), True), (2 * room, (), False), (0.0, (members,), False))
    for above, seen, new in cases:
        target = value + above
        tree = worker._Tree(Task(case, (), (), target, 0.0, 0.0, frozenset(seen)), None)
        tree._conflicts.weights = lambda: weights
        assert tree._try_rounding() == new
        assert list(tree._members) == ([members] if new else [])
        assert not tree._try_rounding()


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_the_unit_of_a_mixture_is_of_no_account(unit):
    """Both mixtures are wholes, so that a shortfall means the same whatever was handed in."""
    made = 0
    for seed in range(6):
        problem, _ = small(seed)
        case, _ = Case.of(problem)
        rng = np.random.default_rng(seed)
        undecided = np.full(case.n_classifiers, FREE, dtype=np.int8)
        for _ in range(40):
            yes, no = on_sides(rng, case.n_patterns, 0.15).astype(float)
            prices = rng.random(len(case.on_members))
            plain = prove(case, yes, no, prices, undecided)
            scaled = prove(case, unit * yes, unit * no, unit * prices, undecided)
            assert (plain is None) == (scaled is None)
            if scaled is None:
                continue
            assert scaled.key == plain.key
            sums = [
                sum(share for share, value in zip(scaled.shares, scaled.values, strict=True)
                    if value == side)
                for side in (True, False)
            ]  # fmt: skip
            if scaled.variables:
                made += 1
                assert sums[0] + scaled.everybody == pytest.approx(1.0)
                assert sums[1] + scaled.nobody == pytest.approx(1.0)
            elif any(scaled.prices):
                assert sum(scaled.prices) == pytest.approx(1.0)
    assert made > 20


@pytest.mark.parametrize("seed", range(8))
def test_how_few_and_how_many_may_sit_is_part_of_what_is_asked(seed, monkeypatch):
    problem, committees = small(seed)
    whole, _ = Case.of(problem)
    rng, margins, tidy = np.random.default_rng(seed), [], Conflicts._tidy

    def spy(self):
        margins.append(-self._highs.getInfo().objective_function_value)
        tidy(self)

    monkeypatch.setattr(Conflicts, "_tidy", spy)
    k = whole.n_classifiers
    for least, most in ((1, 1), (k, k), (k - 1, k), (2, 2)):
        case = replace(whole, size_min=max(least, len(whole.required)),
                       size_max=max(most, len(whole.required)))  # fmt: skip
        conflicts = Conflicts(case)
        undecided = np.full(k, FREE, dtype=np.int8)
        for _ in range(6):
            called = committees[rng.integers(len(committees))].positive
            yes = np.where(called, rng.random(len(called)) + 1e-3, np.inf)
            no = np.where(called, np.inf, rng.random(len(called)) + 1e-3)
            nogood = conflicts.find(yes, no, time.monotonic() + 60)
            margin, told = widest(case, yes, no, undecided), margins.pop()
            if margin > 1e-6:
                assert told == pytest.approx(margin, rel=1e-5, abs=1e-5)
                assert (nogood is None) == (margin > 9e3)
