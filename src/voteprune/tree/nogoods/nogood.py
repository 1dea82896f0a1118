"""`Case`, `Nogood`: what no committee can decide together, with its Farkas certificate.

Call all of A positive and all of B negative: at threshold L every pattern of A has at least L + 1
votes and every pattern of B at most L. Mix the patterns of A with shares that add up to 1, and
those of B as well. Then the mixture of A has at least one vote more than the mixture of B, of any
committee that decides so: with d_k the share of A that classifier k votes for less the share of B,

    sum of d_k over the members  >=  1.

Where even the members with the largest d reach less than 1, no committee decides so. A pattern that
everybody votes for is always positive, one that nobody votes for always negative, so both may be
part of any mixture. The smallest nogoods, p alone in A and q alone in B with votes(p) inside
votes(q), are those of the closure bound. The shares are a Farkas certificate: multipliers under
which the inequalities contradict each other.

Limits on members, ``a @ x >= b``, may be added with any multiplier from 0 on, and a nogood may hold
only under some decisions on who sits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...bounds.levels import room
from ...bounds.node import FREE
from ...bounds.relaxation_rows import limit_kinds, limit_rows
from ...numbers.floats import Floats, objective_scale

# Worker processes, which start with an import of this, need none of these.
if TYPE_CHECKING:
    from ...problem.problem import Problem

_MARGIN = 1e-6
"""By how much the members with the largest d must fall short: far more than rounding can do."""


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
            required=problem.required_places,
            size_min=problem.least_size,
            size_max=problem.most_size,
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

    Limits are ignored; callers recount the answer.
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


@dataclass(frozen=True, eq=False, slots=True)
class Nogood:
    """Not all of these at once.

    Parameters
    ----------
    variables
        Variables: patterns first, then classifiers.
    values
        What no committee has them be together.
    shares
        The share of each pattern in its mixture, 0 for classifiers.
    everybody, nobody
        Shares of the pattern that all vote for in A, and of the one that none votes for in B.
    prices
        On the limits on who sits.
    """

    variables: tuple[int, ...]
    values: tuple[bool, ...]
    shares: tuple[float, ...]
    everybody: float = 0.0
    nobody: float = 0.0
    prices: tuple[float, ...] = ()

    @property
    def key(self) -> tuple[tuple[int, ...], tuple[bool, ...]]:
        """What it says, whatever proves it."""
        return self.variables, self.values

    def slack(self, z: Floats) -> float:
        """Return how far a solution is from breaking it; negative where it does."""
        patterns = [
            1.0 - z[variable] if value else z[variable]
            for variable, value in zip(self.variables, self.values, strict=True)
            if variable < len(z)
        ]
        return float(sum(patterns)) - 1.0


def prove(
    case: Case, yes: Floats, no: Floats, prices: Floats, decided: NDArray[np.int8]
) -> Nogood | None:
    """Make a nogood of a mixture of patterns, None if it proves nothing.

    Parameters
    ----------
    case
        The data.
    yes, no
        How much of each pattern is in A and in B, in any unit.
    prices
        On the limits on who sits, in the same unit.
    decided
        For each classifier 1 if it may be taken for granted that it sits, 0 that it does not, else
        `FREE`.
    """
    # Both mixtures must add up to the same. What B lacks is made up by the pattern that nobody
    # votes for, what A lacks by the one that everybody votes for: both are always decided so.
    whole = max(float(yes.sum()), float(no.sum()))
    # Without patterns the nogood is about members alone, and rests on the limits on them.
    unit = whole or float(prices.sum()) or 1.0
    everybody, nobody = (whole - float(yes.sum())) / unit, (whole - float(no.sum())) / unit
    d = (yes - no) @ case.votes / unit + everybody + prices @ case.on_members / unit
    least = (whole + float(prices @ case.least_members)) / unit
    # As few fixed members as possible, so that the nogood holds in more nodes: perhaps those who
    # sit are too many by themselves, or those who may still sit too few.
    for relevant in _worth_knowing(decided, d):
        most = _largest_sum(case, d, np.where(relevant, decided, FREE))
        if most == -np.inf:
            yes, no, prices, everybody, nobody = 0 * yes, 0 * no, 0 * prices, 0.0, 0.0
            break
    if most > least - _MARGIN:
        return None
    a, b, who = np.flatnonzero(yes > 0), np.flatnonzero(no > 0), np.flatnonzero(relevant)
    return Nogood(
        variables=tuple(np.concatenate([a, b, case.n_patterns + who]).tolist()),
        values=(True,) * len(a) + (False,) * len(b) + tuple((decided[who] == 1).tolist()),
        shares=(*(yes[a] / unit).tolist(), *(no[b] / unit).tolist(), *(0.0,) * len(who)),
        everybody=everybody,
        nobody=nobody,
        prices=tuple((prices / unit).tolist()),
    )


def _worth_knowing(decided: NDArray[np.int8], d: Floats) -> Iterator[NDArray[np.bool_]]:
    """Yield whose decisions to take for granted: either kind alone, then all that could matter."""
    if (decided != FREE).any():
        yield decided == 1
        yield decided == 0
    yield ((decided == 0) & (d > 0)) | ((decided == 1) & (d < 0))


def _largest_sum(case: Case, d: Floats, decided: NDArray[np.int8]) -> float:
    """Return the largest sum of d that the members of a committee can have."""
    sits, free = decided == 1, decided == FREE
    sits[case.required] = True
    free[case.required] = False
    fixed = int(sits.sum())
    fewest, most = max(case.size_min - fixed, 0), min(case.size_max - fixed, int(free.sum()))
    if fewest > most:
        return -np.inf
    sums = np.concatenate([[0.0], np.cumsum(-np.sort(-d[free]))])
    return float(d[sits].sum() + sums[fewest : most + 1].max())
