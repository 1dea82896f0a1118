"""`Parts`: all committees, divided by their true positives, each part with its outline.

The bound of a run is the highest summit of the parts that are left. A part is cut by half-planes,
split where they can do no more, and gone when nothing in it can beat the best committee.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from ..problem.constraints import AtLeast, AtMost
from ..problem.formulas import Ratio, Weights
from ..problem.gains import Gains
from ..problem.limits import class_totals
from ..problem.objective import curve_of
from ..problem.outline import Outline, Summit
from ..problem.problem import Problem
from ..run.incumbent import Incumbent


@dataclass(eq=False)
class Part:
    """Some of the committees.

    Parameters
    ----------
    problem
        The whole problem with the limits that make the part.
    outline
        Where its committees lie.
    summit
        The highest point of the outline.
    own, proved
        Where they lie by voteprune's own bounds alone, and the highest score there.
    by
        The solvers whose word the rest of the outline is.
    flat
        Whether all its committees have the same score, that of the summit.
    asked_at
        The best score when the part was last cut at the best committee's tangent.
    """

    problem: Problem
    outline: Outline
    summit: Summit
    own: Outline
    proved: Fraction
    by: tuple[str, ...] = ()
    flat: bool = False
    asked_at: Fraction | None = None


class Parts:
    """The parts that may hold something better than the best committee.

    Parameters
    ----------
    incumbent
        Whose bound they are.
    deadline
        When to look for no sharper bounds, as `time.monotonic` tells it.
    """

    def __init__(self, incumbent: Incumbent, deadline: float = math.inf) -> None:
        self._deadline = deadline
        self._incumbent, problem = incumbent, incumbent.problem
        self._denominator = problem.patterns.denominator
        self.left: list[Part] = []
        self._believed: list[Part] = []
        formula, totals = curve_of(problem).curve, class_totals(problem.patterns)
        outline = Outline.of(formula, problem.patterns, problem.metric_limits)
        if not isinstance(formula, Ratio) or not formula.vanishes(*totals):
            self._add(problem, outline, outline)
            return
        # Where 0 can divide, the committees that it divides are a part of their own.
        divides = problem
        if formula.wanders(*totals, 1):
            smallest = Gains.of(formula.denominator, problem.patterns).unit
            divides = _with(problem, AtLeast(formula.denominator, smallest))
        self._add(divides, outline, outline)
        nowhere = Summit(formula.zero_division, (Fraction(0), Fraction(0)))
        zeros = _with(problem, AtMost(formula.denominator, 0))
        self.left.append(Part(zeros, outline, nowhere, outline, nowhere.score, flat=True))

    def highest(self) -> Part:
        """Return the part with the highest summit."""
        return max(self.left, key=lambda part: part.summit.score)

    def drop(self, part: Part, by: tuple[str, ...] = ()) -> None:
        """Take out a part that holds nothing better.

        Parameters
        ----------
        part
            One of those left.
        by
            The solvers whose word that is; none for what voteprune has proved.
        """
        self.left.remove(part)
        if by:
            self._believed.append(replace(part, by=_union(part.by, by)))

    def clear(self) -> None:
        """Take out all parts: every committee there is has been recounted."""
        self.left.clear()
        self._believed.clear()

    def cut(
        self, part: Part, weights: Weights, bound: Fraction, proved: Fraction, by: tuple[str, ...]
    ) -> None:
        """Take a bound on a weighted sum as a half-plane; a part without points is gone.

        Parameters
        ----------
        part
            One of those left.
        weights
            Of the sum.
        bound, proved, by
            What no committee of the part exceeds, what voteprune has proved of that, and whose word
            the difference is.
        """
        part.own = part.own.below(weights, proved, self._denominator)
        part.by = _union(part.by, by)
        summit = own = part.own.lattice_summit(self._incumbent.score, self._deadline)
        if part.by:
            part.outline = part.outline.below(weights, bound, self._denominator)
            summit = part.outline.lattice_summit(self._incumbent.score, self._deadline)
        else:
            part.outline = part.own
        if own is not None:
            # At the deadline a summit is that of the polygon, which may lie above what is known.
            part.proved = min(part.proved, own.score)
        if summit is None:
            self.drop(part, () if own is None else part.by)
        else:
            part.summit = Summit(min(part.summit.score, summit.score), summit.point)

    def split(self, part: Part) -> bool:
        """Split a part at its summit's true positives; tell whether it could be."""
        least, most = part.outline.tp_range()
        if least >= most:
            return False
        step = part.outline.steps[0]
        at = int(part.summit.point[0]) // step * step
        at = min(max(at, least), most - step)
        self.left.remove(part)
        for limit, sign, edge in ((AtMost, 1, at), (AtLeast, -1, at + step)):
            count = Fraction(edge, self._denominator)
            outline, own = (
                whole.below(Weights(tp=1), sign * count, self._denominator, sign)
                for whole in (part.outline, part.own)
            )
            problem = _with(part.problem, limit("tp", count))
            self._add(problem, outline, own, part.by, part.asked_at)
        return True

    def tell_bound(self) -> None:
        """Tell the incumbent the highest of all summits."""
        self._tell(
            [part.summit.score for part in self.left],
            [part.proved for part in (*self.left, *self._believed)],
            _union(*(part.by for part in (*self.left, *self._believed))),
        )

    def foretell_bound(
        self, part: Part, weights: Weights, bound: Fraction, proved: Fraction, by: tuple[str, ...]
    ) -> None:
        """Tell the incumbent what the bound would be with a part cut by what is known so far."""
        others = [other for other in self.left if other is not part]
        claimed = [other.summit.score for other in others]
        own = [other.proved for other in (*others, *self._believed)]
        summit = part.outline.below(weights, bound, self._denominator).summit()
        if summit is not None:
            claimed.append(min(part.summit.score, summit.score))
        if by or part.by:
            summit = part.own.below(weights, proved, self._denominator).summit()
        if summit is not None:
            own.append(min(part.proved, summit.score))
        words = (other.by for other in (*self.left, *self._believed))
        self._tell(claimed, own, _union(*words, by))

    def _tell(self, claimed: list[Fraction], own: list[Fraction], by: tuple[str, ...]) -> None:
        known = [] if self._incumbent.score is None else [self._incumbent.score]
        if own or known:
            proved = max([*own, *known])
            self._incumbent.restate(max([*claimed, *known], default=proved), proved, by)

    def _add(
        self,
        problem: Problem,
        outline: Outline,
        own: Outline,
        by: tuple[str, ...] = (),
        asked_at: Fraction | None = None,
    ) -> None:
        summit = proved = own.lattice_summit(self._incumbent.score, self._deadline)
        if by:
            summit = outline.lattice_summit(self._incumbent.score, self._deadline)
        if proved is None:
            return
        best = summit or proved
        part = Part(problem, outline, best, own, proved.score, by, asked_at=asked_at)
        (self._believed if summit is None else self.left).append(part)


def _with(problem: Problem, limit: AtLeast | AtMost) -> Problem:
    """Return a problem with one more limit."""
    return problem.with_requests((*problem.requests, limit), problem.asked_diversity)


def _union(*names: tuple[str, ...]) -> tuple[str, ...]:
    """Return all names once, in the order of their first mention."""
    return tuple(dict.fromkeys(name for some in names for name in some))
