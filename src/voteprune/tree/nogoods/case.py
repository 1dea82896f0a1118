"""`Case`: a problem as the nogoods see it, without sizes and thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...bounds.levels import room
from ...bounds.relaxation_rows import limit_kinds, limit_rows
from ...numbers.floats import Floats, objective_scale
from ...problem.problem import Problem


@dataclass(frozen=True, eq=False)
class Case:
    """Patterns that gain or lose when they are called positive.

    The variables are z, one for each pattern (called positive or not), and then x, one for each
    classifier (sits or not).

    Parameters
    ----------
    votes
        n x K: who votes for the pattern, of those who are not forbidden.
    net
        What each pattern gains when it is called positive, scaled to a handy size.
    base
        What a committee gets that calls nothing positive, in the same scale.
    required
        Columns that must sit.
    size_min, size_max
        Range of sizes.
    on_members
        Limits on who sits: ``on_members @ x >= least_members``.
    on_patterns
        Limits on what is called positive: ``on_patterns @ z >= least_patterns``.
    member_limits, pattern_limits
        What each of those is: a kind, and which of its kind.
    """

    votes: NDArray[np.bool_]
    net: Floats
    base: float
    required: NDArray[np.intp]
    size_min: int
    size_max: int
    on_members: Floats
    least_members: Floats
    on_patterns: Floats
    least_patterns: Floats
    member_limits: tuple[tuple[str, int], ...] = ()
    pattern_limits: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, problem: Problem) -> tuple[Case, float]:
        """Return the case of a problem, and how many units make one of its own.

        Forbidden classifiers are left out. The limit on a committee's mean diversity is not looked
        at, which leaves every bound valid.
        """
        gains = problem.gains
        used = np.flatnonzero(gains.net != 0)
        scale = objective_scale(gains.net)
        # All patterns are taken as positive ones, so that t in the rows is z.
        rows = list(limit_rows(problem, used, np.ones(len(used), dtype=bool)))
        named = list(zip(rows, limit_kinds(problem, len(rows)), strict=True))
        members = [(row, kind) for row, kind in named if row.on_members.any()]
        patterns = [(row, kind) for row, kind in named if not row.on_members.any()]
        case = cls(
            votes=problem.patterns.matrix[used][:, list(problem.allowed)],
            net=gains.net[used].astype(np.float64) / scale,
            base=gains.base / scale,
            required=np.flatnonzero(np.isin(problem.allowed, problem.required)),
            size_min=max(problem.size_min, len(problem.required)),
            size_max=min(problem.size_max, len(problem.allowed)),
            on_members=_stacked([row.on_members for row, _ in members], len(problem.allowed)),
            least_members=np.array([row.least for row, _ in members], dtype=np.float64),
            on_patterns=_stacked([row.on_patterns for row, _ in patterns], len(used)),
            least_patterns=np.array([row.least for row, _ in patterns], dtype=np.float64),
            member_limits=tuple(kind for _, kind in members),
            pattern_limits=tuple(kind for _, kind in patterns),
        )
        return case, scale

    def room(self, bound: float) -> float:
        """Return how far off rounding may have put a bound."""
        return float(room(self.net, bound))

    @property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return len(self.net)

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers."""
        return int(self.votes.shape[1])


def _stacked(rows: list[Floats], width: int) -> Floats:
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)


_MOST_MEMBERS = 60
"""The largest committee that weights are rounded to. Only speed depends on it."""


def best_of_the_heaviest(case: Case, weights: Floats) -> tuple[float, tuple[int, ...]]:
    """Return the best value of the S heaviest classifiers for any S and threshold, and who.

    Limits are not looked at; whoever takes the answer recounts it.
    """
    order = np.argsort(-weights, kind="stable")[: min(case.size_max, _MOST_MEMBERS)]
    sizes = np.arange(1, len(order) + 1)
    counts = np.cumsum(case.votes[:, order], axis=1)
    # One histogram of the counts for every size, all in one.
    width = len(order) + 2
    bins = counts + width * sizes - width
    sums = np.bincount(
        bins.ravel(), weights=np.repeat(case.net, len(order)), minlength=width * len(order)
    ).reshape(len(order), width)
    # What has more than L votes, for L from 0 on; there is no L beyond S - 1.
    values = sums[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    values[np.arange(width - 1)[None, :] >= sizes[:, None]] = -np.inf
    values[sizes < case.size_min] = -np.inf
    best = int(np.argmax(values.max(axis=1)))
    return case.base + float(values[best].max()), tuple(sorted(order[: best + 1].tolist()))
