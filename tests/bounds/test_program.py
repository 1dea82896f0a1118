"""What stands in the linear program is what its rows say, at any point."""

import time

import numpy as np
import pytest
from scipy.optimize import linprog

from everycommittee import rows_of, small
from instances import random_instance
from voteprune.bounds.levels import Levels
from voteprune.bounds.node import Node
from voteprune.bounds.prices import Prices
from voteprune.bounds.program import Program
from voteprune.bounds.relaxation_rows import LimitRow, Row
from voteprune.problem.problem import Problem


def test_rows_are_written_as_they_are_meant(monkeypatch):
    written = []

    def spy(self, rows, matrix, lows, append=Program._append):
        written.append((rows, matrix, lows))
        append(self, rows, matrix, lows)

    monkeypatch.setattr(Program, "_append", spy)
    seen, rng = set(), np.random.default_rng(0)
    for seed in range(30):
        instance = random_instance(seed, most_classifiers=6, most_rows=15)
        problem = Problem.of(instance.votes, instance.objective)
        if np.count_nonzero(problem.gains.net) < 2:
            continue
        levels, _ = Levels.of(problem)
        k, n, at = levels.n_classifiers, levels.n_patterns, (levels.size_max, 0)
        rows = []
        for _ in range(12):
            patterns = tuple(rng.choice(n, int(rng.integers(1, 3)), replace=False).tolist())
            columns, away = rng.random(k) < 0.5, bool(rng.random() < 0.5)
            shift = int(columns.sum()) if away else -int(rng.integers(0, 2))
            sides = levels.sides(patterns[0]) if len(patterns) == 1 else (1, 1)
            rows.append(Row(patterns, columns, sides, shift, away))
        program = Program(levels, at, [])
        written.clear()
        program.add(rows)
        ((told, matrix, lows),) = written
        assert told == rows
        x, t = rng.random(k), rng.random(n)
        point = np.zeros(matrix.shape[1])
        point[:k], point[k : k + n] = x, t
        for row, had, low in zip(rows, matrix @ point, lows, strict=True):
            counted = (1 - x if row.away else x)[row.columns].sum()
            asked = t[list(row.patterns)].sum() - len(row.patterns) + 1
            assert np.isclose(had - low, counted - row.factor(*at) * asked)
            seen.add((row.away, len(row.patterns)))
    assert len(seen) == 4


def programs(seed, at_most=4):
    """A problem, some of its sizes and thresholds, and a program of each with rows of all kinds."""
    problem, _ = small(seed)
    levels, _ = Levels.of(problem)
    rng = np.random.default_rng(seed)
    for at in rng.permutation(levels.pairs())[:at_most].tolist():
        rows = [row for row in rows_of(levels, rng) if row.factor(*at) > 0 and not row.basic]
        yield levels, tuple(at), Program(levels, tuple(at), rows), rng


def relaxed(levels, at, rows, node):
    """The value of the relaxation, by another solver and from the definitions; None if empty."""
    k, n = levels.n_classifiers, levels.n_patterns
    above, least = [], []
    for row in rows:
        line = np.zeros(k + n)
        if isinstance(row, LimitRow):
            line[:k], line[k:] = row.on_members, row.on_patterns
            least.append(row.least)
        else:
            factor, pairs = row.factor(*at), len(row.patterns) - 1
            line[:k][row.columns] = -1.0 if row.away else 1.0
            line[[k + p for p in row.patterns]] = -factor
            least.append(-factor * pairs - (row.columns.sum() if row.away else 0))
        above.append(line)
    reachable = levels.reach >= levels.needs(*at)
    high = (node.decided != 0).astype(float)
    high[k:] *= reachable
    low = (node.decided == 1).astype(float)
    low[k:] *= reachable
    answer = linprog(
        np.concatenate([np.zeros(k), -levels.weights]),
        A_ub=-np.array(above), b_ub=-np.array(least),
        A_eq=np.concatenate([np.ones(k), np.zeros(n)])[None, :], b_eq=[at[0]],
        bounds=np.column_stack([low, high]),
    )  # fmt: skip
    return levels.base - answer.fun if answer.status == 0 else None


@pytest.mark.parametrize("seed", range(10))
def test_its_value_is_that_of_the_relaxation_and_its_prices_prove_it(seed):
    solved = 0
    for levels, at, program, rng in programs(seed):
        everything = Node.everything(levels, np.inf)
        for share in (0.0, 0.1, 0.2, 0.0):
            n = len(everything.decided)
            decided = np.where(rng.random(n) < share, rng.integers(0, 2, n), everything.decided)
            node = everything.deciding(np.arange(n), decided.astype(np.int8))
            program.solve(node, np.inf)
            value, there = relaxed(levels, at, program.rows, node), node.pairs.tolist()
            bound = (
                Prices(levels, program.rows, program.prices(), at)
                .judge(node)
                .bounds[there.index(list(at))]
            )
            if value is None:
                # Empty, so no bound is too low; what is worked with is finite all the same.
                assert np.isfinite(program.value(node))
                continue
            assert bound == pytest.approx(value, rel=1e-6, abs=1e-6)
            x, t = program.solution()
            assert x.sum() == pytest.approx(at[0])
            reachable = levels.reach >= levels.needs(*at)
            must = node.decided[levels.n_classifiers :] == 1
            # What cannot be right there is worth nothing, whatever it must be.
            lost = int((must & ~reachable).sum())
            assert levels.base + levels.weights @ t == pytest.approx(value, rel=1e-6, abs=1e-6)
            if not lost:
                assert program.value(node) == pytest.approx(value, rel=1e-6, abs=1e-5)
            solved += 1
    assert solved


def test_rows_that_are_added_count_from_then_on():
    for seed in range(5):
        for levels, at, full, _ in programs(seed, at_most=2):
            node = Node.everything(levels, np.inf)
            program = Program(levels, at, [])
            begun = len(program.rows)
            assert begun == len(levels.limits) + levels.n_patterns
            program.solve(node, np.inf)
            program.add([])
            program.add([row for row in full.rows[begun:] if isinstance(row, Row)])
            assert len(program.rows) == len(full.rows)
            program.solve(node, np.inf)
            full.solve(node, np.inf)
            assert program.value(node) == pytest.approx(full.value(node), abs=1e-6)
            assert len(program.prices()) == len(program.rows)


def test_a_program_has_a_moment_however_late_it_is_and_no_more_than_its_time():
    for levels, _, program, _ in programs(3, at_most=1):
        node, values = Node.everything(levels, np.inf), []
        for deadline, least, most in ((time.monotonic() + 500, 400, 500), (-np.inf, 0.05, 0.05)):
            already = program._highs.getRunTime()
            program.solve(node, deadline)
            limit = program._highs.getOptionValue("time_limit")[1]
            assert least - 1e-6 <= limit - already <= most + 1e-6
            values.append(program.value(node))
        assert values[0] == values[1]
