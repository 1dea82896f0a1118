"""`CostFront`: the best committee of every budget, each with its bound, by asking for some of them.

The exact method solves one budget after the other, each from the best committee known for it and
the lowest bound proved for a larger one. Of a wide open interval of budgets the middle is solved,
so that a run cut short knows something of all budgets; of a narrow one the upper end, which closes
the interval or finds a step inside.

What is known is a `Staircase`: the best value rises where a budget has room for a better committee.
Every committee found is a step below it. Every bound proved for a budget holds for all smaller
ones. What lies between the two is open.
"""

from __future__ import annotations

import math
import operator
import time
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..numbers.exact import common_denominator
from ..problem.constraints import Budget
from ..problem.infeasible import leaves_nothing
from ..problem.plurality import PluralityProblem
from ..problem.problem import Problem
from ..run.incumbent import Incumbent, relative_gap
from ..run.run import Method, Outcome, outcome_of
from ..soft.pruning import SoftPruning
from ..strategies.exact_curve import solve_any
from ..strategies.second_opinion import second_opinion, whom_to_trust
from .fronts import SIZE, AnyCommittee, Front, FrontPoint
from .request import Circumstances

_FIRST_SHARE, _SHARE = 0.2, 0.02
"""Shares of the time left that the largest budget gets, and every other one at first."""

_SHORTEST, _LONGEST = 0.3, 10.0
"""Seconds that a budget gets at first, at the least and at the most; twice as many each time that
it was not enough."""

_WIDE = Fraction(1, 16)
"""Share of all budgets from which on a stretch is asked about in its middle."""

_NEIGHBOURS_SHARE = 0.1
"""What looking at a committee's neighbours may take, as a share of the time that found it."""


Priced = Problem | PluralityProblem | SoftPruning
"""A problem of any kind, which can be put under a budget."""


class CostFront:
    """The best committee of every budget, or of at most every size, as far as time allows.

    Parameters
    ----------
    problem
        What to choose from.
    names
        What the classifiers are called.
    budget
        What they cost, nowhere below 0, and the largest budget to look at; None for 1 each.
    method, circumstances
        By what, and how; its gap is where a bound is good enough.
    began
        When the run began, as `time.monotonic` tells it.
    tolerance
        The share of a value that bounds may be above it where it is proved.
    start
        A committee that is known; it stays where others are no better.
    """

    def __init__(
        self,
        problem: Priced,
        names: Sequence[str],
        budget: Budget | None,
        method: Method,
        circumstances: Circumstances,
        began: float,
        tolerance: float = 0.0,
        start: AnyCommittee | None = None,
    ) -> None:
        self._problem, self._method, self._by_size = problem, method, budget is None
        self._circumstances, self._began = circumstances, began
        self._deadline = began + circumstances.seconds
        self._tolerance, self._enough = tolerance, max(tolerance, circumstances.gap or 0.0)
        most = min(problem.size_max, len(problem.allowed))
        budget = Budget([1] * len(names), most, name=SIZE) if budget is None else budget
        self._costs, self._name = budget.for_pool(names), budget.name
        unit, everything = Fraction(1, common_denominator(self._costs)), self._cost(problem.allowed)
        self._limit = None if self._by_size or budget.limit >= everything else budget.limit
        top = min(budget.limit, everything) // unit * unit
        self.stairs = Staircase(self._floor(), top, unit, self._near)
        self._tries: dict[Fraction, float] = {}
        if self._nobody() or self.stairs.top < self.stairs.floor:
            self.stairs.lower(Ceiling(self.stairs.top, None, None))
        if start is not None:
            known = problem.best(start.members, getattr(start, "threshold", None))
            if known is not None:
                self._offer(*known)

    def _cost(self, members: Iterable[int]) -> Fraction:
        return sum((self._costs[k] for k in members), Fraction(0))

    def _nobody(self) -> bool:
        """Tell whether too few may sit, or some who must may not."""
        allowed, required = self._problem.allowed, self._problem.required
        return len(allowed) < self._problem.size_min or not set(required) <= set(allowed)

    def _floor(self) -> Fraction:
        """Return what no committee costs less than."""
        required = self._problem.required
        others = sorted(self._costs[k] for k in self._problem.allowed if k not in required)
        missing = max(0, self._problem.size_min - len(required))
        return self._cost(required) + sum(others[:missing], Fraction(0))

    def front(self) -> Front:
        """Return where things stand."""
        stretches = list(self.stairs.stretches())
        if self._by_size:
            points = [
                self._point(stretch.step, self.stairs.ceiling(Fraction(size)), Fraction(size))
                for stretch in stretches
                for size in range(int(stretch.low), int(stretch.high) + 1)
            ]
        else:
            points = [
                self._point(stretch.step, stretch.ceiling, stretch.low)
                for stretch in stretches
                if not stretch.empty
            ]
        seconds, name = time.monotonic() - self._began, self._problem.objective.name
        return Front(name, tuple(points), seconds, self._name, self._limit, self._by_size)

    def _point(self, step: Step | None, ceiling: Ceiling | None, low: Fraction) -> FrontPoint:
        objective, value, bound = self._problem.objective, None, None
        if step is not None:
            value = objective.read(step.score)
        if ceiling is None:
            bound = objective.read_above(objective.ceiling)
        elif ceiling.bound is not None:
            bound = objective.read_above(ceiling.bound)
        if step is not None and ceiling is not None and ceiling.bound <= step.score:
            bound = value
        elif value is not None and bound is not None:
            bound = max(bound, value)
        word = () if ceiling is None or ceiling.bound == ceiling.proved else ceiling.trusted
        members = 0 if step is None else step.committee.size
        return FrontPoint(
            int(low) if self._by_size else members, None if step is None else step.committee,
            value, bound, word, self._tolerance, None if self._by_size else low,
        )  # fmt: skip

    def run(self, told: Callable[[], object]) -> str:
        """Work until all is proved, time is over, or somebody ends it; return which."""
        try:
            while True:
                budget = self._next_budget()
                # Without any time there is still a committee and a bound, as elsewhere.
                late = time.monotonic() >= self._deadline and self._tries
                if budget is None:
                    return "proved" if self.front().optimal else "finished"
                if late:
                    return "time limit"
                if not self._ask(budget):
                    return "interrupted"
                if told():
                    return "callback"
        except KeyboardInterrupt:
            return "interrupted"

    def _next_budget(self) -> Fraction | None:
        """Return the budget that most is open about among those asked for least often.

        None where nothing is open, or nothing can be done about it.
        """
        stretches = list(self.stairs.stretches())
        if not self._tries:
            return None if all(stretch.settled for stretch in stretches) else self.stairs.top
        reads = [self._heights(stretch) for stretch in stretches]
        lowest = min((low for low, _ in reads if low is not None), default=0.0)
        whole = self.stairs.top - self.stairs.floor + self.stairs.unit
        open_budgets: list[tuple[float, float, Fraction]] = []
        for stretch, (low, high) in zip(stretches, reads, strict=True):
            if stretch.settled:
                continue
            begin = stretch.low
            if stretch.settled_to is not None:
                begin = stretch.settled_to + self.stairs.unit
            width = stretch.high - begin
            middle = begin + width // (2 * self.stairs.unit) * self.stairs.unit
            wide = width > _WIDE * whole
            height = high - (lowest if low is None else low)
            for budget in (middle, stretch.high) if wide else (stretch.high,):
                tries = self._tries.get(budget, 0.0)
                if tries < math.inf:
                    area = float((width + self.stairs.unit) / whole) * max(height, 1e-12)
                    open_budgets.append((-tries, area, budget))
                    break
        return max(open_budgets)[2] if open_budgets else None

    def _heights(self, stretch: Stretch) -> tuple[float | None, float]:
        objective = self._problem.objective
        low = None if stretch.step is None else objective.read(stretch.step.score)
        bound = None if stretch.ceiling is None else stretch.ceiling.bound
        return low, objective.read_above(objective.ceiling if bound is None else bound)

    def _near(self, score: Any, bound: Any) -> bool:
        """Tell whether a score is as good as a bound, or as near as is asked for."""
        objective = self._problem.objective
        gap = relative_gap(objective.read(score), objective.read_above(bound))
        return bool(bound <= score) or (gap is not None and gap <= self._enough)

    def _ask(self, budget: Fraction) -> bool:
        """Ask for the best committee of a budget; tell whether the run goes on."""
        began, tries = time.monotonic(), self._tries.get(budget, 0.0)
        left = max(0.0, self._deadline - began)
        share = _SHARE if self._tries else _FIRST_SHARE
        seconds = min(left, max(_SHORTEST, min(share * left, _LONGEST)) * 2**tries)
        limit = Budget(self._costs, budget, self._name)
        known, ceiling = self.stairs.best(budget), self.stairs.ceiling(budget)
        problem = self._problem.within(limit)
        incumbent = Incumbent(problem, began=began, gap=self._enough or None)
        circumstances = self._circumstances
        run = circumstances.begin(incumbent, None, began + seconds - circumstances.seconds)

        def work() -> Outcome:
            if known is not None:
                committee = known.committee
                incumbent.offer(committee.members, getattr(committee, "threshold", None))
            if ceiling is not None and ceiling.bound is not None:
                incumbent.tighten(ceiling.proved)
                incumbent.tighten(ceiling.bound, by=ceiling.trusted)
            if incumbent.closed:
                return Outcome("proved")
            return _solved(problem, self._method, run)

        outcome = outcome_of(work)
        self._learn(budget, incumbent, outcome)
        unfinished = outcome.termination in ("time limit", "gap reached")
        self._tries[budget] = tries + 1 if unfinished else math.inf
        if incumbent.committee is not None:
            spent = time.monotonic() - began
            self._look_around(incumbent.committee, time.monotonic() + _NEIGHBOURS_SHARE * spent)
        return outcome.termination != "interrupted"

    def _learn(self, budget: Fraction, incumbent: Incumbent, outcome: Outcome) -> None:
        """Take the committee and the bound that an answer comes with."""
        if incumbent.committee is not None:
            self._offer(incumbent.committee, incumbent.score)
        elif outcome.infeasible:
            self.stairs.lower(Ceiling(budget, None, None, outcome.trusted))
            return
        status = "optimal" if outcome.termination == "proved" else "feasible"
        trusted = whom_to_trust(incumbent, outcome, status)
        self.stairs.lower(Ceiling(budget, incumbent.bound, incumbent.proved, trusted))

    def _look_around(self, committee: Any, until: float) -> None:
        """Look at cheaper committees near one: a member less, or a cheaper one in its stead."""
        costs, members = self._costs, set(committee.members)
        others = sorted(set(self._problem.allowed) - members, key=lambda k: costs[k])
        for leaving in sorted(members, key=lambda k: -costs[k]):
            rest = members - {leaving}
            for joining in (None, *(k for k in others if costs[k] < costs[leaving])):
                if time.monotonic() >= until:
                    return
                near = sorted(rest if joining is None else {*rest, joining})
                found = self._problem.best(near)
                if found is not None:
                    self._offer(*found)

    def _offer(self, committee: Any, score: Any) -> None:
        self.stairs.offer(self._cost(committee.members), score, committee)


def _solved(problem: Any, method: Method, run: Any) -> Outcome:
    """Run the exact method that is made for a problem."""
    kind = problem.objective.kind
    if kind == "soft":
        return method.others[kind](problem, run)
    if leaves_nothing(problem):
        return Outcome("proved", infeasible=True)
    if isinstance(problem, Problem):
        return second_opinion(problem, run, solve_any(problem, method, run))
    return method.others[kind](problem, run)


@dataclass(frozen=True, slots=True)
class Step:
    """A committee that nothing found so far beats at the same cost or less."""

    cost: Fraction
    score: Any
    committee: Any


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What no committee of at most this cost exceeds.

    Parameters
    ----------
    budget
        The cost.
    bound
        The score; None where no committee is allowed.
    proved
        What is proved, where the bound is the word of solvers.
    trusted
        These solvers.
    """

    budget: Fraction
    bound: Any
    proved: Any
    trusted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """The budgets from one step to the next, both ends among them.

    Parameters
    ----------
    low, high
        The budgets.
    step
        The best committee found for them; None before the first.
    ceiling
        What bounds them all; None where nothing is known.
    settled_to
        The largest of them up to which nothing is left to do; None if none is.
    """

    low: Fraction
    high: Fraction
    step: Step | None
    ceiling: Ceiling | None
    settled_to: Fraction | None

    @property
    def empty(self) -> bool:
        """Whether it is proved that no committee costs so little."""
        return self.step is None and self.ceiling is not None and self.ceiling.bound is None

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do at any of these budgets."""
        return self.empty or self.settled_to == self.high


class Staircase:
    """Steps and ceilings of budgets between two limits.

    Parameters
    ----------
    floor
        What no committee costs less than.
    top
        The largest budget that is looked at.
    unit
        What divides all costs.
    near
        Tells whether a score is as good as a bound for all that is asked; equal when omitted.
    """

    def __init__(
        self,
        floor: Fraction,
        top: Fraction,
        unit: Fraction,
        near: Callable[[Any, Any], bool] = operator.ge,
    ) -> None:
        self.floor, self.top, self.unit, self._near = floor, top, unit, near
        self._steps: list[Step] = []
        self._ceilings: list[Ceiling] = []

    def offer(self, cost: Fraction, score: Any, committee: Any) -> bool:
        """Take a committee; tell whether nothing that costs as much or less is as good."""
        best = self.best(cost)
        if cost > self.top or (best is not None and best.score >= score):
            return False
        steps = [step for step in self._steps if step.cost < cost or step.score > score]
        insort(steps, Step(cost, score, committee), key=lambda step: step.cost)
        ceilings = [
            ceiling
            for known in self._ceilings
            if (ceiling := self._heeding(known, cost, score)) is not None
        ]
        # At once: Ctrl-C may come between, and a committee would stand beside what it refutes.
        vars(self).update(_steps=steps, _ceilings=ceilings)
        return True

    def lower(self, ceiling: Ceiling) -> None:
        """Take a bound that holds for a budget, and so for all smaller ones."""
        self._ceilings.append(ceiling)

    def best(self, budget: Fraction) -> Step | None:
        """Return the best committee found for a budget."""
        place = bisect_left(self._steps, budget + self.unit, key=lambda step: step.cost)
        return self._steps[place - 1] if place else None

    def ceiling(self, budget: Fraction) -> Ceiling | None:
        """Return the lowest bound that holds for a budget; what is proved wins ties."""
        known = [ceiling for ceiling in self._ceilings if ceiling.budget >= budget]
        for ceiling in known:
            if ceiling.bound is None:
                return ceiling
        return min(known, key=lambda it: (it.bound, it.proved), default=None)

    def stretches(self) -> Iterator[Stretch]:
        """Yield all budgets, from one step to the next."""
        lows = [step.cost for step in self._steps]
        if not lows or lows[0] > self.floor:
            end = lows[0] - self.unit if lows else self.top
            if end >= self.floor:
                yield self._stretch(self.floor, end, None)
        for place, step in enumerate(self._steps):
            end = self.top if place + 1 == len(lows) else lows[place + 1] - self.unit
            yield self._stretch(step.cost, end, step)

    @staticmethod
    def _heeding(ceiling: Ceiling, cost: Fraction, score: Any) -> Ceiling | None:
        """Return what is left of a bound beside a committee that may refute it."""
        if cost > ceiling.budget or (ceiling.bound is not None and score <= ceiling.bound):
            return ceiling
        if ceiling.proved is None or score > ceiling.proved:
            return None
        return Ceiling(ceiling.budget, ceiling.proved, ceiling.proved)

    def _stretch(self, low: Fraction, high: Fraction, step: Step | None) -> Stretch:
        reached = [
            min(ceiling.budget, high)
            for ceiling in self._ceilings
            if ceiling.budget >= low and self._settles(ceiling, step)
        ]
        return Stretch(low, high, step, self.ceiling(high), max(reached, default=None))

    def _settles(self, ceiling: Ceiling, step: Step | None) -> bool:
        if ceiling.bound is None or step is None:
            return ceiling.bound is None
        return self._near(step.score, ceiling.bound)
