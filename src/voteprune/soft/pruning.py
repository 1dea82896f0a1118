"""`SoftPruning`: a soft problem as every method and the incumbent see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from ..exceptions import InputError
from ..problem.constraints import (
    AtLeast,
    AtMost,
    Budget,
    Constraint,
    Forbid,
    Group,
    Require,
    size_range,
)
from ..problem.formulas import COUNTS, Ratio, Weights
from ..problem.limits import CostLimit, about_positive, seats_within
from ..problem.metrics import Criterion, formula_of
from ..problem.objective import Objective
from ..problem.seats import member_indices
from . import problem as numbers
from .committee import SoftCommittee
from .loss_protocol import Loss
from .newton import weights_of
from .probabilities import Probabilities, ScannedProbabilities
from .problem_loss import loss_of
from .search import Search

_HEAVIEST = 1e200
"""Largest weight of a limit; products with weights of rows stay far from where floats end."""

OBJECTIVES: Final = {
    "log_loss": numbers.LOG_LOSS,
    "pool_log_loss": numbers.POOL_LOG_LOSS,
    "brier": numbers.POOL_BRIER,
}
"""What soft committees can minimise: weighted log-odds by log loss, a linear pool by log loss or by
the squared error of its probabilities."""


class SoftObjective(Objective):
    """Minus the penalised mean loss of a soft committee.

    Parameters
    ----------
    name
        One of `OBJECTIVES`.
    """

    kind = "soft"

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @property
    def ceiling(self) -> Any:
        """No loss is below 0."""
        return 0.0

    def reachable(self, bound: Fraction | float) -> Any:
        """Return the bound itself: losses lie on no grid."""
        return float(bound)

    def read(self, score: Any) -> float:
        """Return the score, which is the value."""
        return float(score)

    def read_above(self, score: Any) -> float:
        """Return the score, which is the value."""
        return float(score)


@dataclass(frozen=True, eq=False)
class SoftPruning:
    """What members say, what is minimised, and which committees are allowed.

    Parameters
    ----------
    said
        The answers.
    objective
        What is minimised.
    penalty
        Ridge on the weights.
    requests
        The constraints; those on criteria are for the cut-off alone.
    numbers
        All of it in numbers.
    """

    said: Probabilities
    objective: SoftObjective
    penalty: float
    requests: tuple[Constraint, ...]
    numbers: numbers.SoftProblem

    @classmethod
    def of(
        cls,
        said: Probabilities,
        objective: str,
        requests: Sequence[Constraint],
        penalty: float,
    ) -> SoftPruning:
        """Put a problem together.

        Raises
        ------
        InputError
            If a constraint does not fit the pool, or the penalty is not above 0.
        """
        names, loss = said.names, OBJECTIVES[objective]
        if len(said.classes) == 2:
            requests = [about_positive(item, said.classes) for item in requests]
        size_min, size_max = size_range(requests, said.n_classifiers)
        groups = [item.range(names) for item in requests if isinstance(item, Group)]
        moments = said.rows.moments if isinstance(said, ScannedProbabilities) else None
        if moments is not None and loss != numbers.POOL_BRIER:
            raise InputError(
                "objective",
                f"is {objective!r}, which needs rows in memory, and these are scanned. Take "
                "'brier', or read some of the rows as vp.Probabilities.",
            )
        compiled = numbers.SoftProblem(
            said.log_odds if moments or loss == numbers.LOG_LOSS else said.shares(),
            said.labels,
            said.weights,
            penalty=penalty,
            loss=loss,
            size_min=size_min,
            size_max=size_max,
            required=member_indices(requests, Require, names),
            forbidden=member_indices(requests, Forbid, names),
            budgets=tuple(
                numbers.Budget(item.for_pool(names), item.limit)
                for item in requests
                if isinstance(item, Budget)
            ),
            groups=tuple(numbers.Group(tuple(who), low, high) for who, low, high in groups),
            moments=moments,
        )
        check_limits(requests, len(said.classes))
        return cls(said, SoftObjective(objective), penalty, tuple(requests), compiled)

    @property
    def recount(self) -> float:
        """Seconds that a last pass over rows that are not in memory will take."""
        said = self.said
        return (
            said.rows.recount(self.numbers.most) if isinstance(said, ScannedProbabilities) else 0.0
        )

    @property
    def least_size(self) -> int:
        """The fewest members that limits on members allow."""
        return max(self.numbers.size_min, len(self.numbers.required), 1)

    def burden(self, members: Sequence[int]) -> tuple[int, ...]:
        """Return how many sit: of equals the smaller is better."""
        return (len(members),)

    def within(self, budget: Budget) -> SoftPruning:
        """Return the same problem under one more budget, which somebody must be able to keep."""
        names, given = self.said.names, self.numbers
        limit = CostLimit.of(budget, names)
        forbidden, size_max = seats_within(limit, given.forbidden, given.most)
        inner = replace(
            self,
            requests=(*self.requests, budget),
            numbers=replace(
                given,
                budgets=(*given.budgets, numbers.Budget(budget.for_pool(names), budget.limit)),
                forbidden=forbidden,
                size_max=size_max,
            ),
        )
        # What members say does not depend on who may sit.
        inner.__dict__["loss"] = self.loss
        return inner

    def with_requests(self, requests: Sequence[Constraint]) -> SoftPruning:
        """Return the same problem under other constraints."""
        return SoftPruning.of(self.said, self.objective.name, requests, self.penalty)

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers K."""
        return self.said.n_classifiers

    @property
    def allowed(self) -> tuple[int, ...]:
        """Classifiers that are not forbidden."""
        return tuple(k for k in range(self.n_classifiers) if k not in self.numbers.forbidden)

    @property
    def required(self) -> tuple[int, ...]:
        """Classifiers that must sit."""
        return self.numbers.required

    @property
    def size_min(self) -> int:
        """Fewest members."""
        return self.numbers.size_min

    @property
    def size_max(self) -> int:
        """Most members."""
        return self.numbers.most

    @cached_property
    def loss(self) -> Loss:
        """The loss on these rows."""
        return loss_of(self.numbers)

    @cached_property
    def search(self) -> Search:
        """What fits committees, each once."""
        return Search(self.numbers, self.loss)

    @cached_property
    def total(self) -> float:
        """Weight of all rows; losses divided by it are means."""
        return self.numbers.total

    def best(
        self, members: Sequence[int], threshold: int | None = None
    ) -> tuple[SoftCommittee, float] | None:
        """Return these members with the best weights, and minus their penalised mean loss.

        There is no `threshold`. None if the members are not allowed.
        """
        chosen = sorted(set(members))
        if not chosen or not self.numbers.allows(chosen):
            return None
        point = self.search.fit(chosen)
        seated = self.numbers.sitting(point.members.tolist(), point.weights)
        weights = weights_of(point, self.n_classifiers)[list(seated)]
        intercepts = point.intercepts
        if len(intercepts) > 1 or (len(intercepts) == 1 and len(self.said.classes) > 2):
            intercepts = np.append(intercepts, 0.0)
        names, labelled = tuple(self.said.names[k] for k in seated), self.said.labelled
        committee = SoftCommittee(
            members=seated,
            names=names,
            weights=tuple(map(float, weights)),
            intercepts=tuple(map(float, intercepts)),
            classes=self.said.classes,
            axis=() if self.said.axis == self.said.classes else self.said.axis,
            kinds=tuple(self.said.kinds[k] for k in seated),
            clip=self.said.clip,
            rule="log_odds" if self.objective.name == "log_loss" else "linear_pool",
            pool_size=self.n_classifiers,
            labelled=None if labelled is None else tuple(n for n in names if n in labelled),
        )
        return committee, -point.value / self.total


def limits_of(requests: Sequence[Constraint]) -> list[AtLeast | AtMost]:
    """Return the limits on criteria, which the cut-off must keep."""
    limits = [item for item in requests if isinstance(item, AtLeast | AtMost)]
    return [item for item in limits if item.what != "size"]


def _largest_weight(criterion: Criterion) -> Fraction:
    """Return the largest absolute weight of a criterion that a limit can be put on."""
    formula, parts = formula_of(criterion, Fraction(1), Fraction(1)), list[Weights]()
    if isinstance(formula, Ratio):
        parts = [formula.numerator, formula.denominator]
    elif isinstance(formula, Weights):
        parts = [formula]
    return max((abs(getattr(part, name)) for part in parts for name in COUNTS), default=Fraction(0))


def check_limits(requests: Sequence[Constraint], n_classes: int) -> None:
    """Refuse limits on criteria where there is no cut-off that could keep them."""
    for limit in limits_of(requests):
        if limit.what == "coverage" or limit.of is not None:
            raise InputError(
                "constraints",
                f"{limit} is for committees that count votes. Leave it out, or give vp.Votes.",
            )
        if _largest_weight(limit.what) > _HEAVIEST:
            raise InputError(
                "constraints",
                f"a limit has a weight beyond {_HEAVIEST:g}; soft committees take weights up to "
                "that. Divide its weights, and the limit, by the same number.",
            )
    if n_classes > 2 and limits_of(requests):
        raise InputError(
            "constraints",
            f"{limits_of(requests)[0]} is a limit on the counts of two classes, and there are "
            f"{n_classes}. Leave it out.",
        )
