"""The margin at one committee size, as an integer program.

With the size S fixed, the threshold and the reach h are fixed too, and 2 v_p - 2 L - 1, the margin
in half votes, is linear in the members. For every side of a pattern that gains with its margin m
there is a variable r for the margin as it counts:

    r <= m,   r <= h                                   the hinge needs no more
    r <= m + (-h - m_min) b,   r <= u - (u + h) b,   b 0/1    the ramp: b = 1 gives the pattern up

where m lies between m_min and m_max, and u = min(h, m_max). Only patterns whose margin can fall
below -h need a b. Without integrality the last two rows are the least concave function above the
ramp over all reals; `bounds.margin_prices` bounds it over whole vote counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..bounds.margin_prices import Sizes
from ..numbers.exact import IntArray
from ..numbers.floats import SLACK, Floats, objective_scale
from ..problem.committee import majority
from ..problem.margin import Ramp, margin_of
from ..problem.problem import Problem
from ..solvers.model import ModelBuilder
from .formulation import Formulation, add_cost_rows, selected
from .merged import add_diversity, fill_products

Fill = Callable[[NDArray[np.int64]], float]
"""What a variable is, given the vote counts; for warm starts."""


def margin_model(
    problem: Problem, *, above: int | None = None, deadline: float = math.inf
) -> Formulation:
    """Build the model of a problem whose sizes are all the same.

    Parameters
    ----------
    problem
        What is to be solved, with ``size_min == size_max``.
    above
        Only committees worth more than this, in units, are of interest; all when omitted.
    deadline
        When to give up, see `ModelBuilder`.
    """
    size, k = problem.size_min, problem.n_classifiers
    assert size == problem.size_max
    builder = ModelBuilder(deadline)
    columns = np.array([_seat(builder, problem, i) for i in range(k)], dtype=np.intp)
    builder.row(columns, np.ones(k), low=size, high=size)
    add_cost_rows(builder, problem.cost_limits, columns, range(k))
    counter = _Counter(builder, problem, columns)
    weights = _sides(problem)
    scale = objective_scale(np.concatenate([weight for _, weight in weights]))
    constant = 0
    for sign, weight in weights:
        for p in np.flatnonzero(weight):
            constant += counter.count(int(p), sign, weight[p], scale)
    objective = margin_of(problem)
    reach, factor = objective.margin.reach(size), objective.factor(size)
    base = factor * (reach * sum(problem.patterns.totals) + constant)
    if above is not None:
        least = (above + 1 - base) / (factor * scale)
        counted = list(counter.costs)
        room = SLACK * max(1.0, abs(least))
        builder.row(counted, [counter.costs[c] for c in counted], low=least - room)
    _add_metric_limits(builder, problem, counter)
    products = add_diversity(builder, problem, columns)
    model = builder.build()

    def encode(chosen: Sequence[int], level: int) -> Floats:
        solution = np.zeros(model.n_variables)
        solution[columns[list(chosen)]] = 1.0
        counts = problem.counts(chosen)
        for column, fill in counter.fills.items():
            solution[column] = fill(counts)
        fill_products(solution, products, problem, chosen)
        return solution

    return Formulation(
        model, float(factor) * scale, base, partial(selected, columns), encode, columns
    )


def _seat(builder: ModelBuilder, problem: Problem, k: int) -> int:
    column = builder.variable(
        float(k in problem.required and k not in problem.forbidden),
        float(k not in problem.forbidden),
    )
    if k in problem.required and k in problem.forbidden:
        # The solver must see a well-formed model, so the clash is left to a row.
        builder.row([column], [1.0], low=1.0)
    return column


def _sides(problem: Problem) -> list[tuple[int, IntArray]]:
    """Return what gains with the margin of being positive (1), and of being negative (-1).

    A ramp is odd: what a positive row gains, a negative one loses, so only the net counts.
    """
    patterns = problem.patterns
    if not isinstance(margin_of(problem).margin, Ramp):
        return [(1, patterns.positive), (-1, patterns.negative)]
    net = patterns.positive - patterns.negative
    return [(1, np.maximum(net, 0)), (-1, np.maximum(-net, 0))]


class _Counter:
    """Writes the margins of patterns into a model.

    Parameters
    ----------
    builder, problem, columns
        The model, the problem at one size, and the columns of its classifiers.
    """

    def __init__(self, builder: ModelBuilder, problem: Problem, columns: NDArray[np.intp]) -> None:
        self._builder, self._problem, self._columns = builder, problem, columns
        self.size = problem.size_min
        self.level = majority(self.size)
        self._reach: int = margin_of(problem).margin.reach(self.size)
        self._cut = isinstance(margin_of(problem).margin, Ramp)
        self.least, self.most = Sizes.of(problem)[0].ranges(self.size)
        self.fills: dict[int, Fill] = {}
        self.costs: dict[int, float] = {}

    def voters(self, p: int) -> NDArray[np.intp]:
        """Return the columns of the classifiers that vote positive on a pattern."""
        return np.asarray(self._columns[self._problem.patterns.matrix[p]])

    def margin(self, counts: NDArray[np.int64], p: int, sign: int) -> int:
        """Return the margin of a pattern in half votes, for being positive or negative."""
        return sign * (2 * int(counts[p]) - 2 * self.level - 1)

    def count(self, p: int, sign: int, weight: int, scale: float) -> int:
        """Add what a side of a pattern gains; return it if it is the same for every committee."""
        reach = self._reach
        ends = (self.margin(self.least, p, sign), self.margin(self.most, p, sign))
        low, high = min(ends), max(ends)
        if low > high or low >= reach:  # ranges cross only where no committee is possible
            return int(weight) * reach
        if self._cut and high <= -reach:
            return -int(weight) * reach
        top = min(high, reach)
        gives_up = self._cut and low < -reach
        bottom = -reach if gives_up else low
        cost = float(weight) / scale
        # Whole by itself where the members are; said for solvers that know integers only.
        r = self._builder.variable(bottom, top, cost=cost)
        self.costs[r] = cost
        self.fills[r] = lambda counts: float(np.clip(self.margin(counts, p, sign), bottom, top))
        voters = self.voters(p)
        columns, values = [r, *voters], [1.0, *(-2.0 * sign,) * len(voters)]
        offset = -sign * (2.0 * self.level + 1)
        if gives_up:
            b = self._builder.variable(0, 1)
            self.fills[b] = lambda counts: float(self.margin(counts, p, sign) < -reach)
            columns, values = [*columns, b], [*values, float(reach + low)]
            self._builder.row([r, b], [1.0, float(top + reach)], high=top)
        self._builder.row(columns, values, high=offset)
        return 0


def _add_metric_limits(builder: ModelBuilder, problem: Problem, counter: _Counter) -> None:
    """Add the limits on criteria, with a 0/1 variable z_p for every pattern that one counts."""
    outputs: dict[int, int] = {}
    level, least, most = counter.level, counter.least, counter.most
    up = [np.asarray(limit.gains.net > 0) for limit in problem.metric_limits]
    down = [np.asarray(limit.gains.net < 0) for limit in problem.metric_limits]
    for p in np.flatnonzero(np.any([*up, *down], axis=0)) if up else ():
        z = outputs[int(p)] = builder.variable(float(least[p] > level), float(most[p] > level))
        counter.fills[z] = lambda counts, p=p: float(counts[p] > level)  # type: ignore[misc]
        voters = counter.voters(int(p))
        ones = np.ones(len(voters))
        if any(side[p] for side in up):
            # z = 1 needs more than L votes.
            needed = float(max(level + 1 - least[p], 0))
            builder.row([*voters, z], [*ones, -needed], low=float(min(least[p], level + 1)))
        if any(side[p] for side in down):
            # z = 0 needs at most L votes.
            spare = float(max(most[p] - level, 0))
            builder.row([*voters, z], [*ones, -spare], high=float(level))
    for limit in problem.metric_limits:
        used = np.flatnonzero(limit.gains.net)
        row_scale = objective_scale(limit.gains.net)
        builder.row(
            [outputs[int(p)] for p in used],
            limit.gains.net[used].astype(np.float64) / row_scale,
            low=float(limit.least - limit.gains.base) / row_scale,
        )
