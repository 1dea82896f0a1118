"""`Parts`: all committees, divided by their true positives, each part with its outline.

The bound of a run is the highest summit of the parts that are left. A part is cut by half-planes,
split where they can do no more, and gone when nothing in it can beat the best committee.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from .account import Account
from .constraints import AtLeast, AtMost
from .formulas import Ratio, Weights
from .gains import Gains
from .limits import class_totals
from .outline import Outline, Summit
from .problem import Problem


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
    flat
        Whether all its committees have the same score, that of the summit.
    asked_at
        The best score when the part was last cut at the best committee's tangent.
    """

    problem: Problem
    outline: Outline
    summit: Summit
    flat: bool = False
    asked_at: Fraction | None = None


class Parts:
    """The parts that may hold something better than the best committee.

    Parameters
    ----------
    account
        Whose bound they are.
    deadline
        When to look for no sharper bounds, as `time.monotonic` tells it.
    """

    def __init__(self, account: Account, deadline: float = math.inf) -> None:
        self._deadline = deadline
        self._account, problem = account, account.problem
        self._denominator = problem.patterns.denominator
        self.left: list[Part] = []
        formula, totals = account.formula, class_totals(problem.patterns)
        outline = Outline.of(problem)
        if not isinstance(formula, Ratio) or not formula.vanishes(*totals):
            self._add(problem, outline)
            return
        # Where 0 can divide, the committees that it divides are a part of their own.
        divides = problem
        if formula.wanders(*totals, 1):
            smallest = Gains.of(formula.denominator, problem.patterns).unit
            divides = _with(problem, AtLeast(formula.denominator, smallest))
        self._add(divides, outline)
        nowhere = Summit(formula.zero_division, (Fraction(0), Fraction(0)))
        zeros = _with(problem, AtMost(formula.denominator, 0))
        self.left.append(Part(zeros, outline, nowhere, flat=True))

    def highest(self) -> Part:
        """Return the part with the highest summit."""
        return max(self.left, key=lambda part: part.summit.score)

    def cut(self, part: Part, weights: Weights, bound: Fraction) -> None:
        """Take a bound on a weighted sum as a half-plane; a part without points is gone."""
        part.outline = part.outline.below(weights, bound, self._denominator)
        summit = part.outline.lattice_summit(self._account.score, self._deadline)
        if summit is None:
            self.left.remove(part)
        else:
            part.summit = summit

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
            outline = part.outline.below(Weights(tp=1), sign * count, self._denominator, sign)
            self._add(_with(part.problem, limit("tp", count)), outline, part.asked_at)
        return True

    def tell_bound(self) -> None:
        """Tell the account the highest of all summits."""
        self._tell([part.summit.score for part in self.left])

    def foretell_bound(self, part: Part, weights: Weights, bound: Fraction) -> None:
        """Tell the account what the bound would be with a part cut by what is known so far."""
        summit = part.outline.below(weights, bound, self._denominator).summit()
        scores = [other.summit.score for other in self.left if other is not part]
        if summit is not None:
            scores.append(min(part.summit.score, summit.score))
        self._tell(scores)

    def _tell(self, scores: list[Fraction]) -> None:
        if self._account.score is not None:
            scores.append(self._account.score)
        if scores:
            self._account.bound_by(max(scores))

    def _add(self, problem: Problem, outline: Outline, asked_at: Fraction | None = None) -> None:
        summit = outline.lattice_summit(self._account.score, self._deadline)
        if summit is not None:
            self.left.append(Part(problem, outline, summit, asked_at=asked_at))


def _with(problem: Problem, limit: AtLeast | AtMost) -> Problem:
    """Return a problem with one more limit."""
    return problem.with_requests((*problem.requests, limit), problem.asked_diversity)
