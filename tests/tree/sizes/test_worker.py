"""Prices bound every node they are asked about, and the tree refutes nothing that is there."""

import time

import numpy as np
import pytest

from instances import drawn, not_below, random_instance
from voteprune.bounds.levels import Levels
from voteprune.bounds.node import FREE, Node
from voteprune.bounds.prices import Prices
from voteprune.bounds.relaxation_rows import Row
from voteprune.problem.problem import Problem
from voteprune.tree.sizes.task import Task
from voteprune.tree.sizes.worker import solve
from watching import rows_of_all_kinds

SEEDS = range(16)


def small(seed, constraints=True):
    """A problem in which some committee is allowed, and not all are worth the same."""

    def draw(seed):
        instance = random_instance(seed, most_classifiers=6, most_rows=20)
        asked = (instance.constraints, instance.diversity) if constraints else ((), None)
        return Problem.of(instance.votes, instance.objective, *asked)

    problem = drawn(seed, draw, lambda found: found.gains.net.any() and any(committees(found)))
    return problem, *Levels.of(problem)


def committees(problem):
    """Every allowed committee: members, threshold, units and which patterns are positive."""
    k = problem.n_classifiers
    for code in range(1, 2**k):
        members = [i for i in range(k) if code >> i & 1]
        for level in range(len(members)):
            committee = problem.committee(members, level)
            if problem.allows(committee):
                yield members, level, problem.score(committee), problem.counts(members) > level


def decisions(problem, levels, members, positive):
    """What a committee decides: who sits, and which patterns are decided right."""
    used = np.flatnonzero(problem.gains.net != 0)
    sits = np.isin(problem.allowed, members)
    return np.concatenate([sits, positive[used] == levels.positive]).astype(np.int8)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_row_holds_for_every_committee_where_its_factor_is_positive(seed):
    problem, levels, _ = small(seed, constraints=False)
    rows = rows_of_all_kinds(levels, np.random.default_rng(seed))
    for members, level, _, positive in committees(problem):
        decided = decisions(problem, levels, members, positive)
        x, t = decided[: levels.n_classifiers], decided[levels.n_classifiers :]
        for row in rows:
            factor = row.factor(len(members), level)
            if factor > 0:
                counted = (1 - x if row.away else x)[row.columns].sum()
                asked = t[list(row.patterns)].sum() - len(row.patterns) + 1
                assert counted >= factor * asked


@pytest.mark.parametrize("seed", SEEDS)
def test_limits_are_kept_by_every_committee_that_is_allowed(seed):
    problem, levels, _ = small(seed)
    for members, _, _, positive in committees(problem):
        decided = decisions(problem, levels, members, positive).astype(float)
        x, t = decided[: levels.n_classifiers], decided[levels.n_classifiers :]
        for row in levels.limits:
            assert row.on_members @ x + row.on_patterns @ t >= row.least


@pytest.mark.parametrize("seed", SEEDS)
def test_any_prices_bound_every_box(seed):
    """Random rows, prices and decisions: nothing about them needs to be clever to be valid."""
    problem, levels, scale = small(seed)
    rng = np.random.default_rng(seed)
    rows = [*levels.limits, *rows_of_all_kinds(levels, rng)]
    everything = Node.everything(levels, np.inf)
    found = list(committees(problem))
    for _ in range(4):
        at = tuple(int(v) for v in everything.pairs[rng.integers(len(everything))])
        prices = rng.random(len(rows)) * levels.weights.max() * (rng.random(len(rows)) < 0.3)
        # A row that does not hold at this level has no price there.
        for place, row in enumerate(rows):
            if isinstance(row, Row) and row.factor(*at) <= 0:
                prices[place] = 0.0
        decided = np.where(
            rng.random(len(everything.decided)) < 0.2,
            rng.integers(0, 2, len(everything.decided)),
            everything.decided,
        )
        node = everything.deciding(np.arange(len(decided)), decided.astype(np.int8))
        bounds = Prices(levels, rows, prices, at).judge(node).bounds
        bound_at = dict(zip(map(tuple, node.pairs.tolist()), bounds, strict=True))
        for members, level, units, positive in found:
            here = decisions(problem, levels, members, positive)
            pair = np.array([[len(members), level]])
            for i in np.flatnonzero(node.decided[levels.n_classifiers :] == 1):
                # Where a pattern cannot be right, that it must be says nothing.
                if not levels.reachable(int(i), pair)[0]:
                    here[levels.n_classifiers + i] = 1
            if ((node.decided == FREE) | (node.decided == here)).all():
                assert not_below(bound_at[len(members), level], units, scale)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tree_refutes_no_committee_and_ends(seed):
    """With the target at the optimum, or just above, all is refuted but what reaches it."""
    problem, levels, scale = small(seed)
    best = max(units for _, _, units, _ in committees(problem))
    everything = Node.everything(levels, problem.gains.ceiling / scale)
    for target, there in ((best + problem.gains.step, False), (best, True)):
        targets = np.full(levels.size_max + 1, target / scale)
        reported = []
        task = Task(
            levels, (everything,), (), targets, time.monotonic() + 30, time.monotonic() + 30, 0
        )
        share = solve(task, lambda bound, nodes, members, seen=reported: seen.append(bound))
        assert share.nodes == ()
        looked_at = [
            problem.best([problem.allowed[place] for place in members]) for members in share.members
        ]
        values = [found[1] for found in looked_at if found is not None]
        if there:
            assert best in values
        else:
            assert max(values, default=best) <= best


@pytest.mark.parametrize("seed", SEEDS)
def test_work_that_is_cut_short_leaves_every_better_committee_in_an_open_box(seed):
    problem, levels, scale = small(seed)
    found = sorted(committees(problem), key=lambda committee: -committee[2])
    target = found[len(found) // 2][2]
    targets = np.full(levels.size_max + 1, target / scale)
    nodes = (Node.everything(levels, problem.gains.ceiling / scale),)
    offered = set()
    for _ in range(3):
        share = solve(
            Task(levels, nodes, (), targets, time.monotonic() + 0.02, time.monotonic() + 9, 0)
        )
        nodes = share.nodes
        offered |= {tuple(problem.allowed[place] for place in m) for m in share.members}
        for members, level, units, positive in found:
            if units < target or tuple(members) in offered:
                continue
            here = decisions(problem, levels, members, positive)
            pair = np.array([[len(members), level]])
            assert any(
                any(
                    not_below(bound, units, scale)
                    for bound in node.bounds[(node.pairs == pair).all(axis=1)].tolist()
                )
                and all(
                    d in (FREE, h)
                    or (
                        d == 1
                        and i >= levels.n_classifiers
                        and not levels.reachable(i - levels.n_classifiers, pair)[0]
                    )
                    for i, (d, h) in enumerate(zip(node.decided, here, strict=True))
                )
                for node in nodes
            )
