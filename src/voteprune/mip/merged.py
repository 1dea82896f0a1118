"""The merged-pattern model: the paper's optimum from far fewer variables and tighter rows.

Variables: x_k selects classifier k (identical classifiers share one integer variable), L is the
threshold, z_p = 1 iff pattern p is predicted positive.

* Rows with the same votes share one z_p, whose gain is the net of what they gain.
* A pattern that gains as a positive only needs "z = 1 needs more than L votes"; one that gains as
  a negative only needs "z = 0 needs at most L votes". A limit on a metric can ask for the other
  side too. A pattern nobody gains from vanishes.
* Every big-M is its own row's range, not K + 1.
* tau needs no products of variables, gamma needs K of them instead of K (K - 1) / 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..mip.formulation import Formulation, add_cost_rows, add_coverage
from ..numbers.floats import SLACK, Floats, objective_scale
from ..problem.problem import Problem
from ..solvers.model import ModelBuilder


def merged_model(
    problem: Problem,
    *,
    merge_classifiers: bool = True,
    levels: tuple[int, int] | None = None,
    conflicts: Iterable[tuple[int, int]] = (),
    deadline: float = math.inf,
) -> Formulation:
    """Build the merged-pattern model of a problem.

    Parameters
    ----------
    problem
        What is to be solved.
    merge_classifiers
        Whether identical classifiers share one integer variable where that is possible.
    levels
        Lowest and highest threshold of interest; all when omitted.
    conflicts
        Pairs of patterns p, q for which to spell out that p is positive and q negative only if a
        member sits who votes for p and not for q. True of all; worth a row where it tightens.
    deadline
        When to give up, see `ModelBuilder`.
    """
    builder = ModelBuilder(deadline)
    groups = _group_classifiers(problem, merge_classifiers)
    columns = np.array([_add_group(builder, problem, group) for group in groups], dtype=np.intp)
    first = np.array([group[0] for group in groups])
    k, size_min, size_max = problem.n_classifiers, problem.size_min, problem.size_max
    lowest, highest = levels or (0, size_max - 1)
    threshold = builder.variable(lowest, highest)

    ones = np.ones(len(columns))
    builder.row(columns, ones, low=size_min, high=size_max)
    # 0 <= L <= S - 1: a committee can say both yes and no.
    builder.row([*columns, threshold], [*ones, -1.0], low=1.0)
    add_cost_rows(builder, problem.cost_limits, columns, first)

    scale = objective_scale(problem.gains.net)
    wants_one, wants_zero = _wanted_sides(problem)
    matrix = problem.patterns.matrix
    sizes = matrix[:, list(problem.allowed)].sum(axis=1)
    everyone = len(problem.allowed)
    outputs = np.full(problem.patterns.n_patterns, -1, dtype=np.intp)
    for p in np.flatnonzero(wants_one | wants_zero):
        z = outputs[p] = builder.variable(0, 1, cost=float(problem.gains.net[p]) / scale)
        voters = columns[matrix[p, first]]
        votes = np.ones(len(voters))
        if wants_one[p]:
            # L + 1 - votes <= M (1 - z). As L + 1 <= S, the left side is at most the number of
            # members that vote negative here.
            most = float(min(everyone - sizes[p], size_max, highest + 1))
            builder.row([*voters, threshold, z], [*votes, -1.0, -most], low=1.0 - most)
        if wants_zero[p]:
            # votes - L <= M z, and at most |v| members can vote positive here.
            most = float(max(min(sizes[p], size_max) - lowest, 0))
            builder.row([*voters, threshold, z], [*votes, -1.0, -most], high=0.0)
    for yes, no in conflicts:
        between = columns[matrix[yes, first] & ~matrix[no, first]]
        builder.row(
            [*between, outputs[yes], outputs[no]], [*np.ones(len(between)), -1.0, 1.0], low=0.0
        )
    for limit in problem.metric_limits:
        used = np.flatnonzero(limit.gains.net)
        row_scale = objective_scale(limit.gains.net)
        builder.row(
            outputs[used],
            limit.gains.net[used].astype(np.float64) / row_scale,
            low=float(limit.least - limit.gains.base) / row_scale,
        )
    products = add_diversity(builder, problem, columns)
    covers = add_coverage(builder, problem.coverage, columns, first)

    group_of = np.empty(k, dtype=np.intp)
    for place, group in enumerate(groups):
        group_of[list(group)] = place

    def members(solution: Floats) -> list[int]:
        chosen: list[int] = []
        for column, group in zip(columns, groups, strict=True):
            # Required classifiers come first in a group, so they are taken first.
            chosen.extend(group[: round(solution[column])])
        return sorted(chosen)

    model = builder.build()

    def encode(chosen: Sequence[int], level: int) -> Floats:
        solution = np.zeros(model.n_variables)
        np.add.at(solution, columns[group_of[list(chosen)]], 1.0)
        solution[threshold] = level
        used = outputs >= 0
        solution[outputs[used]] = problem.counts(chosen)[used] > level
        fill_products(solution, products, problem, chosen)
        for u, voters in covers:
            solution[u] = float(solution[voters].any())
        return solution

    binary = columns if len(columns) == k else None
    return Formulation(model, scale, problem.gains.base, members, encode, binary)


def _group_classifiers(problem: Problem, merge: bool) -> list[list[int]]:
    """Put classifiers that nothing can tell apart together, the required ones first.

    Diversity limits are quadratic in the members, where integer variables would not do; then
    every classifier stands alone.
    """
    k = problem.n_classifiers
    if not merge or problem.floors is not None:
        return [[i] for i in range(k)]
    twins = problem.patterns.classifier_groups()
    required, forbidden = set(problem.required), set(problem.forbidden)
    groups: dict[tuple[object, ...], list[int]] = {}
    for i in range(k):
        costs = tuple(limit.costs[i] for limit in problem.cost_limits)
        seen = b"" if problem.coverage is None else problem.coverage.voted[:, i].tobytes()
        groups.setdefault((int(twins[i]), i in forbidden, costs, seen), []).append(i)
    return [sorted(group, key=lambda i: (i not in required, i)) for group in groups.values()]


def _add_group(builder: ModelBuilder, problem: Problem, group: list[int]) -> int:
    least = sum(i in problem.required for i in group)
    most = 0 if group[0] in problem.forbidden else len(group)
    # A classifier both required and forbidden makes the bounds cross; the solver must see a
    # well-formed model, so the clash is left to a row.
    if least > most:
        column = builder.variable(0, 0)
        builder.row([column], [1.0], low=float(least))
        return column
    return builder.variable(least, most)


def _wanted_sides(problem: Problem) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which patterns something wants positive, and which something wants negative.

    Only what is wanted must be earned: a z that nothing pushes up may sit below its true value
    without hurting the objective or a limit.
    """
    wants_one = np.asarray(problem.gains.net > 0, dtype=bool)
    wants_zero = np.asarray(problem.gains.net < 0, dtype=bool)
    for limit in problem.metric_limits:
        wants_one |= np.asarray(limit.gains.net > 0, dtype=bool)
        wants_zero |= np.asarray(limit.gains.net < 0, dtype=bool)
    return wants_one, wants_zero


def add_diversity(
    builder: ModelBuilder, problem: Problem, columns: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Add the diversity rows and return the columns of gamma's products, if it needs any."""
    if problem.floors is None:
        return np.empty(0, dtype=np.intp)
    scores, tau, gamma = problem.floors.scores, problem.floors.tau, problem.floors.gamma
    k, size_max = len(columns), problem.size_max
    if tau is not None:
        # x_k = 1 implies sum over l != k of (score_kl - tau) x_l >= 0. Scores and floors may be
        # negative; M is the row's own range, so it is valid for any signs.
        for i in range(k):
            surplus = np.delete(scores[i] - tau, i)
            others = np.delete(columns, i)
            most = _most_negative(surplus, size_max)  # k itself is out when this matters
            builder.row([*others, columns[i]], [*surplus, -most], low=-most - SLACK)
    if gamma is None:
        return np.empty(0, dtype=np.intp)
    # Glover: w_k <= x_k * sum over l != k of (score_kl - gamma) x_l, and sum w >= 0.
    products = []
    for i in range(k):
        surplus = np.delete(scores[i] - gamma, i)
        others = np.delete(columns, i)
        most = _most_negative(-surplus, size_max - 1)
        least = _most_negative(surplus, size_max)
        w = builder.variable(-least, most, integer=False)
        builder.row([w, columns[i]], [1.0, -most], high=0.0)
        builder.row([w, columns[i], *others], [1.0, least, *-surplus], high=least)
        products.append(w)
    builder.row(products, np.ones(k), low=-SLACK * k)
    return np.array(products, dtype=np.intp)


def fill_products(
    solution: Floats, products: NDArray[np.intp], problem: Problem, chosen: Sequence[int]
) -> None:
    """Give gamma's products, if there are any, their values where these sit."""
    if len(products) and problem.floors is not None and problem.floors.gamma is not None:
        inside = list(chosen)
        scores = problem.floors.scores[np.ix_(inside, inside)].sum(axis=1)
        solution[products[inside]] = scores - problem.floors.gamma * (len(inside) - 1)


def _most_negative(values: Floats, count: int) -> float:
    """Return minus the least sum that at most `count` of the values can have."""
    negative = np.sort(values[values < 0])[: max(count, 0)]
    return -float(negative.sum())
