"""The quadratic program of accuracy and diversity: few errors, and few in common.

With G_kl the rows on which both k and l are wrong, the authors minimise x' Q x over committees of
M members, where Q_kk is the error rate of k and Q_kl the mean of the shares of k's and of l's
errors that the other repeats. They relax it to a semidefinite program. Here its continuous
relaxation is solved: adding a constant to the diagonal changes nothing for 0/1 vectors of M ones
and makes the program convex; projected gradients find its minimum over the vectors between 0 and
1 that add up to M, the M largest entries are kept, and swaps improve them until none does. Sizes
from 20 % to 80 % of the pool are tried, and the best for the objective is kept.

The program works in floating point, unlike everything that is counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.problem import Problem
from ..run.run import Outcome, Run
from .pool import Pool
from .prefix import heuristic

_STEPS = 200
_SETTLED = 1e-7
_CLEAR = 1e-12


def solve_quadratic(problem: Problem, run: Run) -> Outcome:
    """Solve the program for every size; keep what is best for the objective."""
    pool = Pool.of(problem)
    sizes = pool.middle_sizes()
    matrix = error_matrix(pool)
    convex = matrix - min(0.0, np.linalg.eigvalsh(matrix)[0]) * np.eye(pool.size)
    record: int | None = None
    point = np.full(pool.size, sizes[0] / pool.size)
    for size in sizes:
        point = relaxed_minimum(convex, size, point)
        members = improve(matrix, np.argsort(-point, kind="stable")[:size])
        value = pool.value(pool.votes[:, members].sum(axis=1, dtype=np.int32), size)
        if record is None or value > record:
            record = value
            pool.offer(run, members.tolist())
        if size != sizes[-1] and run.seconds_left <= 0:
            return Outcome("time limit")
    return Outcome("finished")


def error_matrix(pool: Pool) -> Floats:
    """Return Q: error rates on the diagonal, mean shares of common errors elsewhere."""
    pairs = pool.pairs()
    common = pairs.neither.astype(np.float64)
    errors = np.diagonal(common)
    shares = np.divide(
        common, errors[:, None], out=np.zeros_like(common), where=errors[:, None] > 0
    )
    matrix = (shares + shares.T) / 2
    np.fill_diagonal(matrix, errors / pairs.whole)
    return np.asarray(matrix)


def relaxed_minimum(convex: Floats, size: int, start: Floats) -> Floats:
    """Minimise a convex x' Q x over 0 <= x <= 1 with sum `size`, by projected gradients."""
    step = 1 / max(float(np.linalg.norm(convex, 2)), _CLEAR)
    point = project(start, size)
    for _ in range(_STEPS):
        moved = project(point - step * (convex @ point), size)
        if np.abs(moved - point).max() < _SETTLED:
            return moved
        point = moved
    return point


def project(point: Floats, size: int) -> Floats:
    """Return the nearest point with entries in [0, 1] that add up to `size`.

    It is the point shifted by a constant and clipped. As a function of the shift the sum falls,
    piecewise linear with a kink wherever an entry meets 0 or 1, so the right shift lies between
    two kinks.
    """
    kinks = np.sort(np.concatenate([point, point - 1]))
    sums = np.clip(point[None, :] - kinks[:, None], 0, 1).sum(axis=1)
    shift = np.interp(-size, -sums, kinks)
    return np.asarray(np.clip(point - shift, 0, 1))


def improve(matrix: Floats, members: NDArray[np.intp]) -> NDArray[np.intp]:
    """Swap a member for an outsider while that lowers x' Q x, the best swap first."""
    inside = np.zeros(len(matrix), dtype=bool)
    inside[members] = True
    diagonal = np.diagonal(matrix)
    while not inside.all():
        sums = matrix @ inside
        ours, others = np.flatnonzero(inside), np.flatnonzero(~inside)
        change = (
            (diagonal[others] + 2 * sums[others])[None, :]
            + (diagonal[ours] - 2 * sums[ours])[:, None]
            - 2 * matrix[np.ix_(ours, others)]
        )
        place = int(np.argmin(change))
        if change.flat[place] >= -_CLEAR:
            break
        inside[ours[place // len(others)]] = False
        inside[others[place % len(others)]] = True
    return np.flatnonzero(inside)


METHODS = (
    heuristic(
        "quadratic",
        "quadratic program of accuracy and diversity, relaxed and rounded",
        "Zhang, Burer, Street: Ensemble pruning via semi-definite programming, 2006",
        solve_quadratic,
    ),
)
