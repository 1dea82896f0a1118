"""`Formulation`: a pruning problem as an integer program, and how to read its solutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import SLACK, Floats, objective_scale
from ..problem.limits import CostLimit
from ..problem.seats import Coverage
from ..solvers.model import Model, ModelBuilder


@dataclass(frozen=True, eq=False)
class Formulation:
    """A model of a problem, and the way back from its variables to a committee.

    Parameters
    ----------
    model
        What the solver gets. Its objective, times `scale` plus `base`, is the problem's in units.
    scale, base
        See above.
    members
        Function from a solution vector to the members it selects.
    encode
        Function from members and threshold to a full solution vector, for warm starts.
    binary_members
        Columns of the 0/1 variables that select the classifiers 0 .. K-1, or None where identical
        classifiers share an integer variable.
    """

    model: Model
    scale: float
    base: int
    members: Callable[[Floats], list[int]]
    encode: Callable[[Sequence[int], int], Floats]
    binary_members: NDArray[np.intp] | None

    def without(self, members: Sequence[int]) -> Formulation:
        """Return the formulation with exactly this set of members cut off (a no-good cut)."""
        if self.binary_members is None:
            raise AssertionError("a no-good cut needs 0/1 members")
        signs = np.ones(len(self.binary_members))
        signs[list(members)] = -1.0
        model = self.model.with_row(
            self.binary_members.tolist(), signs.tolist(), 1.0 - len(members)
        )
        return replace(self, model=model)


def selected(columns: NDArray[np.intp], solution: Floats) -> list[int]:
    """Return the members that 0/1 variables select, a column for each classifier."""
    return np.flatnonzero(solution[columns] > 0.5).tolist()


def add_cost_rows(
    builder: ModelBuilder,
    limits: Sequence[CostLimit],
    columns: NDArray[np.intp],
    classifiers: Sequence[int] | NDArray[np.intp],
) -> None:
    """Add the budgets; `classifiers` names the classifier each column stands for."""
    for limit in limits:
        costs, most = limit.in_shares([int(k) for k in classifiers])
        builder.row(columns, costs, high=most + SLACK * len(costs))


def add_coverage(
    builder: ModelBuilder,
    coverage: Coverage | None,
    columns: NDArray[np.intp],
    classifiers: Sequence[int] | NDArray[np.intp],
) -> list[tuple[int, NDArray[np.intp]]]:
    """Add the rows that members vote on as many rows as they must.

    Parameters
    ----------
    builder
        Whose model.
    coverage
        Who votes where; None where nobody abstains.
    columns, classifiers
        The variables that select members, and the classifier each stands for.

    Returns
    -------
    covers
        A variable for each line of the coverage that depends on who sits, 1 if one of these does.
    """
    if coverage is None or not coverage.least:
        return []
    covers, weights, least = [], [], coverage.least
    for voted, weight in zip(coverage.voted, coverage.weight.tolist(), strict=True):
        voters = columns[voted[list(classifiers)]]
        if voted.all():
            least -= weight  # whoever sits votes
        elif len(voters):
            u = builder.variable(0, 1)
            builder.row([*voters, u], [*np.ones(len(voters)), -1.0], low=0.0)
            covers.append((u, voters))
            weights.append(weight)
    scale = objective_scale(np.array([*weights, 1], dtype=object))
    shares = [float(Fraction(weight) / Fraction(scale)) for weight in weights]
    goal = float(Fraction(least) / Fraction(scale))
    if covers:
        builder.row([u for u, _ in covers], shares, low=goal - SLACK * len(shares))
    elif least > 0:
        builder.row([columns[0]], [1.0], low=float(len(classifiers) + 1))
    return covers
