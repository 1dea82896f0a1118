"""What stands in the linear program is what its rows say, at any point."""

import numpy as np

from instances import random_instance
from voteprune.bounds.levels import Levels
from voteprune.bounds.program import Program
from voteprune.bounds.relaxation_rows import Row
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
