"""Nogoods hold for every committee, bounds for every node, and the tree refutes nothing there."""

import time

import numpy as np
import pytest

from instances import drawn, not_below, random_instance
from voteprune.bounds.node import FREE
from voteprune.problem.problem import Problem
from voteprune.tree.nogoods.conflicts import Conflicts
from voteprune.tree.nogoods.nogood import Case, prove
from voteprune.tree.nogoods.relaxation import Relaxation, limits_of
from voteprune.tree.nogoods.task import Node, Task
from voteprune.tree.nogoods.worker import solve

SEEDS = range(20)


def small(seed, most_classifiers=7, most_rows=24):
    """A problem in which some committee is allowed, and not all are worth the same."""

    def draw(seed):
        instance = random_instance(seed, most_classifiers, most_rows)
        asked = instance.constraints, instance.diversity
        return Problem.of(instance.votes, instance.objective, *asked)

    problem = drawn(seed, draw, lambda found: found.gains.net.any() and any(committees(found)))
    return problem, *Case.of(problem)


def committees(problem):
    """Every allowed committee: places of its members, units, and what it decides."""
    used, k = np.flatnonzero(problem.gains.net != 0), problem.n_classifiers
    for code in range(1, 2**k):
        members = [i for i in range(k) if code >> i & 1]
        for level in range(len(members)):
            committee = problem.committee(members, level)
            if problem.allows(committee):
                sits = np.isin(problem.allowed, members)
                positive = (problem.counts(members) > level)[used]
                places = tuple(np.flatnonzero(sits).tolist())
                decided = np.concatenate([positive, sits]).astype(np.int8)
                yield places, problem.score(committee), decided


def whole(case, bound=1e30):
    return Node(bound, np.full(case.n_patterns + case.n_classifiers, FREE, dtype=np.int8))


def broken(nogood, decided):
    return (decided[list(nogood.variables)] == np.array(nogood.values)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_every_clause_holds_for_every_committee(seed):
    """Whatever mixture is asked about: what is proved is never broken."""
    problem, case, _ = small(seed)
    rng, proved = np.random.default_rng(seed), []
    for _ in range(200):
        sides = rng.integers(0, 2, case.n_patterns)
        amounts = rng.random(case.n_patterns) * (rng.random(case.n_patterns) < 0.3)
        decided = rng.choice([FREE, 0, 1], case.n_classifiers, p=[0.6, 0.2, 0.2]).astype(np.int8)
        prices = rng.random(len(case.on_members)) * (rng.random(len(case.on_members)) < 0.5)
        nogood = prove(case, amounts * sides, amounts * (1 - sides), prices, decided)
        proved += [] if nogood is None else [nogood]
    conflicts = Conflicts(case)
    for _ in range(20):
        sides = rng.random(case.n_patterns)
        nogood = conflicts.find(sides, 1 - sides, time.monotonic() + 9)
        proved += [] if nogood is None else [nogood]
    for _, _, decided in committees(problem):
        assert not any(broken(nogood, decided) for nogood in proved)


def test_a_pattern_and_one_with_all_its_votes_are_a_clause():
    """The closure bound's pairs, proved by a mixture of one and one."""
    votes = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 0]], dtype=bool)
    none = np.empty((0, 3))
    case = Case(
        votes, np.array([1.0, -1.0, 1.0]), 0.0, np.empty(0, dtype=np.intp), 1, 3,
        none, np.empty(0), none, np.empty(0),
    )  # fmt: skip
    undecided = np.full(3, FREE, dtype=np.int8)
    first, second = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    nogood = prove(case, first, second, np.empty(0), undecided)
    assert nogood.key == ((0, 1), (True, False))
    assert prove(case, second, first, np.empty(0), undecided) is None
    # A pattern that everybody votes for is always positive.
    assert prove(case, 0 * first, second, np.empty(0), undecided).key == ((1,), (False,))


def test_too_many_who_sit_are_a_clause_of_their_own():
    """And so is who sits above a budget: no pattern is needed to say that there is no committee."""
    votes = np.array([[1, 0, 1], [0, 1, 0]], dtype=bool)
    cost = np.array([[-1.0, -0.5, -0.25]])
    case = Case(
        votes, np.array([1.0, -1.0]), 0.0, np.empty(0, dtype=np.intp), 1, 2,
        cost, np.array([-1.0]), np.empty((0, 2)), np.empty(0),
    )  # fmt: skip
    nothing = np.zeros(2)
    all_three, two = np.array([1, 1, 1], dtype=np.int8), np.array([1, 1, FREE], dtype=np.int8)
    assert prove(case, nothing, nothing, np.zeros(1), all_three).variables == (2, 3, 4)
    assert prove(case, nothing, nothing, np.zeros(1), two) is None
    assert prove(case, nothing, nothing, np.ones(1), two).key == ((2, 3), (True, True))
    assert prove(case, nothing, nothing, np.ones(1), np.full(3, FREE, dtype=np.int8)) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_program_of_the_clauses_bounds_every_cell(seed):
    problem, case, scale = small(seed)
    rng, relaxation, conflicts = np.random.default_rng(seed), Relaxation(case), Conflicts(case)
    found = list(committees(problem))
    for _ in range(12):
        sides = rng.random(case.n_patterns)
        nogood = conflicts.find(sides, 1 - sides, time.monotonic() + 9)
        if nogood is not None:
            relaxation.add(nogood)
        n = case.n_patterns + case.n_classifiers
        decided = np.where(rng.random(n) < 0.15, rng.integers(0, 2, n), FREE).astype(np.int8)
        bound = relaxation.bound(*limits_of(decided), -np.inf, time.monotonic() + 9)
        for _, units, here in found:
            if ((decided == FREE) | (decided == here)).all():
                assert not_below(bound, units, scale)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tree_refutes_no_committee_and_ends(seed):
    """With the target at the optimum, or just above, all is refuted but what reaches it."""
    problem, case, scale = small(seed)
    best = max(units for _, units, _ in committees(problem))
    for target, there in ((best + problem.gains.step, False), (best, True)):
        nodes, seen = (whole(case),), set()
        end = time.monotonic() + 30
        while nodes and time.monotonic() < end:
            task = Task(case, nodes, (), target / scale, end, end, frozenset(seen), f"{seed}")
            share = solve(task)
            nodes = share.nodes
            seen |= set(share.members)
        assert nodes == ()
        looked_at = [problem.best([problem.allowed[p] for p in m]) for m in seen]
        values = [found[1] for found in looked_at if found is not None]
        assert max(values, default=best) <= best
        assert best in values or not there


@pytest.mark.parametrize("seed", range(10))
def test_weights_that_make_no_sense_hide_no_committee(seed, monkeypatch):
    """No nogood is found and no weight means anything: then every committee is looked at."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(Conflicts, "find", lambda *_: None)
    monkeypatch.setattr(Conflicts, "weights", lambda self: rng.random(self._case.n_classifiers))
    problem, case, scale = small(seed, most_classifiers=4, most_rows=8)
    best = max(units for _, units, _ in committees(problem))
    nodes, seen, end = (whole(case),), set(), time.monotonic() + 30
    while nodes and time.monotonic() < end:
        task = Task(case, nodes, (), best / scale, end, end, frozenset(seen), f"blind {seed}")
        share = solve(task)
        nodes, seen = share.nodes, seen | set(share.members)
    values = [problem.best([problem.allowed[p] for p in m]) for m in seen]
    assert nodes == ()
    assert best in [found[1] for found in values if found is not None]


@pytest.mark.parametrize("seed", SEEDS)
def test_work_that_is_cut_short_leaves_every_better_committee_in_an_open_cell(seed):
    problem, case, scale = small(seed)
    found = sorted(committees(problem), key=lambda committee: -committee[1])
    target = found[len(found) // 2][1]
    nodes, seen = (whole(case),), set()
    for _ in range(4):
        now = time.monotonic()
        share = solve(Task(case, nodes, (), target / scale, now + 0.005, now + 9, frozenset(seen)))
        nodes = share.nodes
        seen |= set(share.members)
        for places, units, here in found:
            if units < target or places in seen:
                continue
            assert any(
                not_below(node.bound, units, scale)
                and ((node.decided == FREE) | (node.decided == here)).all()
                for node in nodes
            )
