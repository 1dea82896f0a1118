"""The paper's model, verbatim, with its equation numbers.

Bastos, de Oliveira and Valle, *Ensemble pruning via an integer programming approach with
diversity constraints*. One t and one f variable per data point, L a variable, products y_kl for
diversity. Kept as the reference the faster model is tested against, with every row, even where the
weights make some of them redundant, as the paper says of (3) and (6).

Four readings: the big-M of (6) is K + 1, for K would make L = K infeasible where a negative row has
no vote; the empty committee is excluded by L <= S - 1; constraints of ours (size, members, cost,
metrics) follow the paper's rows; and (17) and (19) take any measure in the place of FC, ceilings
with their signs changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact import IntArray, combine, total
from ..numbers.floats import SLACK, Floats, objective_scale
from ..problem.gains import Gains
from ..problem.metrics import Weights
from ..problem.problem import Problem
from ..solvers.model import ModelBuilder
from ..votes.votes import Votes
from .formulation import Formulation, add_cost_rows, selected


def paper_model(problem: Problem, *, deadline: float = math.inf) -> Formulation:
    """Build the paper's model of a problem: objective (1), rows (2) to (17) and (19)."""
    builder = ModelBuilder(deadline)
    votes, weights = problem.votes, problem.weights
    n, k = votes.n_rows, problem.n_classifiers
    if_true, if_false = _per_point(weights, problem.gains, votes)
    scale = objective_scale(np.concatenate([if_true, if_false]))

    x = np.array([builder.variable(0, 1) for _ in range(k)], dtype=np.intp)  # (8)
    level = builder.variable(0, k)  # (11), (12)
    # t[i] is t+ of a positive and t- of a negative point, f[i] is f- or f+: (1), (9), (10).
    t = [builder.variable(0, 1, cost=float(if_true[i]) / scale) for i in range(n)]
    f = [builder.variable(0, 1, cost=float(if_false[i]) / scale) for i in range(n)]

    for i in range(n):
        voters = x[votes.matrix[i]]
        ones = np.ones(len(voters))
        columns = [*voters, level, t[i]]
        if votes.labels[i]:
            # (2)  L + 1 - votes <= (K + 1)(1 - t+)
            builder.row(columns, [*-ones, 1.0, k + 1.0], high=float(k))
            # (3)  votes - L <= (K + 1) t+
            builder.row(columns, [*ones, -1.0, -(k + 1.0)], high=0.0)
        else:
            # (5)  votes - L <= K (1 - t-)
            builder.row(columns, [*ones, -1.0, float(k)], high=float(k))
            # (6)  L + 1 - votes <= (K + 1) t-
            builder.row(columns, [*-ones, 1.0, -(k + 1.0)], high=-1.0)
        builder.row([t[i], f[i]], [1.0, 1.0], low=1.0, high=1.0)  # (4), (7)

    pairs = _add_diversity(builder, problem, x)
    _add_our_rows(builder, problem, x, level, t)
    model = builder.build()

    def encode(chosen: Sequence[int], threshold: int) -> Floats:
        solution = np.zeros(model.n_variables)
        solution[x[list(chosen)]] = 1.0
        solution[level] = threshold
        decided = votes.matrix[:, list(chosen)].sum(axis=1) > threshold
        correct = decided == votes.labels
        solution[t] = correct
        solution[f] = ~correct
        inside = set(chosen)
        for (a, b), column in pairs.items():
            solution[column] = float(a in inside and b in inside)
        return solution

    return Formulation(model, scale, 0, partial(selected, x), encode, x)


def _per_point(weights: Weights, gains: Gains, votes: Votes) -> tuple[IntArray, IntArray]:
    """Return what each point adds in units when decided correctly, and when not."""
    # A point of weight w adds w * W, which is a whole number of units.
    units = 1 / (gains.unit * votes.denominator)
    four = (weights.tp, weights.tn, weights.fn, weights.fp)
    tp, tn, fn, fp = (int(weight * units) for weight in four)
    rows = [combine([(factor, votes.weights)]) for factor in (tp, tn, fn, fp)]
    return np.where(votes.labels, *rows[:2]), np.where(votes.labels, *rows[2:])


def _add_diversity(
    builder: ModelBuilder, problem: Problem, x: NDArray[np.intp]
) -> dict[tuple[int, int], int]:
    """Add y, (13) to (16), and the limits (17) and (19) that are asked for."""
    if problem.floors is None:
        return {}
    k = problem.n_classifiers
    scores, tau, gamma = problem.floors.scores, problem.floors.tau, problem.floors.gamma
    pairs = {
        pair: builder.variable(0, 1, integer=False)  # (16)
        for pair in combinations(range(k), 2)
    }
    for (a, b), y in pairs.items():
        builder.row([y, x[a], x[b]], [1.0, -1.0, -1.0], low=-1.0)  # (13)
        builder.row([y, x[a]], [1.0, -1.0], high=0.0)  # (14)
        builder.row([y, x[b]], [1.0, -1.0], high=0.0)  # (15)
    if tau is not None:
        # Without a all y_al are 0 and S >= 1, so a floor below 0 needs no big-M.
        most = k * max(tau, 0.0)
        for a in range(k):
            # (17)  sum_l FC_al y_al >= tau (S - 1) - K tau (1 - x_a)
            others = [b for b in range(k) if b != a]
            ys = [pairs[min(a, b), max(a, b)] for b in others]
            factors = np.full(k, -tau)
            factors[a] -= most
            builder.row([*ys, *x], [*scores[a, others], *factors], low=-tau - most - SLACK)
    mean = tau if gamma is None else gamma  # there is one of them, or there were no floors
    # (19)  sum FC_kl y_kl >= gamma sum y_kl
    surplus = [scores[a, b] - mean for a, b in pairs]
    builder.row(list(pairs.values()), surplus, low=-SLACK * k)
    return pairs


def _add_our_rows(
    builder: ModelBuilder, problem: Problem, x: NDArray[np.intp], level: int, t: list[int]
) -> None:
    ones = np.ones(len(x))
    builder.row([*x, level], [*ones, -1.0], low=1.0)
    if problem.size_min > 1 or problem.size_max < len(x):
        builder.row(x, ones, low=problem.size_min, high=problem.size_max)
    for k in problem.required:
        builder.row([x[k]], [1.0], low=1.0)
    for k in problem.forbidden:
        builder.row([x[k]], [1.0], high=0.0)
    add_cost_rows(builder, problem.cost_limits, x, range(len(x)))
    for limit in problem.metric_limits:
        correct, wrong = _per_point(limit.weights, limit.gains, problem.votes)
        net = correct - wrong
        row_scale = objective_scale(net)
        builder.row(
            t,
            net.astype(np.float64) / row_scale,
            low=float(limit.least - total(wrong)) / row_scale,
        )
