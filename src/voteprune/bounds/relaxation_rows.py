"""Rows of the relaxation: valid for all committees of size S and threshold L, factors by (S, L).

With S and L fixed, pattern i is decided as it should be (t_i = 1) only if at least r_i members
vote the right way, where r_i = L + 1 for a pattern that gains as a positive and S - L for one that
gains as a negative. Write A_i for the classifiers that vote the right way on it, A_ij for those
right on both i and j. Of S members r_i are right on i and r_j on j, so at least r_i + r_j - S are
right on both. And the others must stay away: at most S - r_i members come from outside A_i. Hence,
for every B inside the set in question,

    x(A_i minus B)              >=  (r_i - |B|) t_i
    x(A_ij minus B)             >=  (r_i + r_j - S - |B|) (t_i + t_j - 1)
    away(the rest of A_i - B)   >=  (K - |A_i| - S + r_i - |B|) t_i

wherever the factor on the right is positive; away(C) counts who of C does not sit. The first and
the third together are all there is to say about one pattern alone (its convex hull).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import SLACK, Floats

# Worker processes, which start with an import of this, need none of these.
if TYPE_CHECKING:
    from ..problem.problem import Problem

Sides = tuple[int, int]
"""Of a row's patterns, how many want to be positive, and how many negative."""


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """One of the rows above.

    Parameters
    ----------
    patterns
        The pattern, or the two.
    columns
        The classifiers it counts: of A, or of the rest, less those of B.
    sides
        On which sides its patterns are.
    shift
        The part of its factor that does not depend on (S, L): minus |B|, or the classifiers it
        counts where it counts who stays away.
    away
        Whether it counts who does not sit.
    """

    patterns: tuple[int, ...]
    columns: NDArray[np.bool_]
    sides: Sides
    shift: int = 0
    away: bool = False

    def factor(self, size: int, level: int) -> int:
        """Return how many the row asks for at (S, L) where its patterns are decided right."""
        return int(base_factor(self.sides, self.away, size, level)) + self.shift

    @property
    def basic(self) -> bool:
        """Whether it is the first row of a pattern, with nobody skipped."""
        return not (self.away or self.shift or len(self.patterns) > 1)

    @property
    def portable(self) -> bool:
        """Whether it is of a kind that means much at other (S, L) too."""
        return not self.away and (len(self.patterns) == 1 or self.sides == (1, 1))


def base_factor(sides: Sides, away: bool, size: Any, level: Any) -> Any:
    """Return the part of a row's factor that depends on (S, L), numbers or arrays of them."""
    positive, negative = sides
    factor = positive * (level + 1) + negative * (size - level) - (positive + negative - 1) * size
    return factor - size if away else factor


@dataclass(frozen=True, eq=False, slots=True)
class LimitRow:
    """A limit of the problem, ``on_members @ x + on_patterns @ t >= least``, at every (S, L)."""

    on_members: Floats
    on_patterns: Floats
    least: float


def limit_rows(
    problem: Problem, used: NDArray[np.intp], positive: NDArray[np.bool_]
) -> Iterator[LimitRow]:
    """Yield the rows for limits on cost, on criteria and on each member's diversity.

    Parameters
    ----------
    problem
        Whose limits.
    used
        The patterns that t stands for.
    positive
        Which of those want to be positive.
    """
    allowed, no_patterns = list(problem.allowed), np.zeros(len(used))
    for cost in problem.cost_limits:
        costs, most = cost.in_shares(allowed)
        yield _scaled(-costs, no_patterns, -most)
    for limit in problem.metric_limits:
        net = limit.gains.net.astype(np.float64)
        # z = t on the positive side and 1 - t on the other. Patterns without a variable t are
        # taken at what helps the limit most, so the row stays valid.
        unseen, seen = np.delete(net, used), net[used]
        least = float(limit.least - limit.gains.base) - unseen[unseen > 0].sum()
        least -= seen[~positive].sum()
        yield _scaled(np.zeros(len(allowed)), np.where(positive, seen, -seen), least)
    floors = problem.floors
    if floors is not None and floors.tau is not None:
        surplus = (floors.scores - floors.tau)[np.ix_(allowed, allowed)]
        np.fill_diagonal(surplus, 0.0)
        for k, row in enumerate(surplus):
            # x_k = 1 implies row @ x >= 0; the least row @ x can be stands in when x_k = 0.
            least = float(np.sort(np.minimum(row, 0.0))[: problem.size_max].sum())
            coefficients = row.copy()
            coefficients[k] = least
            yield _scaled(coefficients, no_patterns, least)


def limit_kinds(problem: Problem, count: int) -> list[tuple[str, int]]:
    """Return what each of so many rows of `limit_rows` is: a kind, and which of its kind."""
    kinds = [("cost", place) for place in range(len(problem.cost_limits))]
    kinds += [("criterion", place) for place in range(len(problem.metric_limits))]
    return kinds + [("member", place) for place in range(count - len(kinds))]


def _scaled(on_members: Floats, on_patterns: Floats, least: float) -> LimitRow:
    """Make a row whose largest coefficient is 1, a hair relaxed for what rounding may do."""
    both = np.concatenate([on_members, on_patterns])
    largest = float(np.abs(both).max(initial=0.0)) or 1.0
    room = SLACK * len(both)
    return LimitRow(on_members / largest, on_patterns / largest, least / largest - room)
