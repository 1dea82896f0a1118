"""Criteria that are no weighted sums, by methods made for weighted sums.

A ratio n / d is above r exactly where the weighted sum n - r d is positive. So take the best ratio
known, maximise that sum, and repeat with the better ratio found, until there is none: Dinkelbach's
method. Other formulas have a tangent in place of n - r d. Whatever is maximised, its bound is one
more half-plane around all committees (`outline`), and the formula's highest point inside is a
bound at any time. Where tangents can do no more, because the best committee hides in a dent of
that polygon, the counts of true positives are split in two, and each part goes on by itself.

Heuristics take part too: each is run on the tangent at its own last committee, while that helps.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from ..bounds.closure import CLOSURE_SHARE, closure_bound
from ..primal.brute import is_small
from ..primal.search import solve_by_search
from ..problem.committee import Committee
from ..problem.formulas import Point, Ratio, Weights, confusion_at
from ..problem.infeasible import any_committee
from ..problem.objective import curve_of
from ..problem.problem import Problem
from ..run.incumbent import Incumbent, Progress, StopRequested
from ..run.run import Method, Outcome, Run
from .curve_parts import Part, Parts
from .exact import ENUMERATE

_MOST_TANGENTS = 8
"""Times a heuristic is run, and the search before a proof."""

_MOST_CUTS = 12
_WORTHWHILE = Fraction(1, 1000)
"""How many closure bounds are taken before anything else, and what each must bring."""

_SEARCH_SECONDS = 1.0
_STALE_SECONDS = 3.0
"""After so long a run on a tangent ends as soon as it has found a better committee."""

_PROGRESS = Fraction(9, 10)
"""A part is split when the distance to its bound has not shrunk to this."""

_TRY_ALL = 2**12
"""Sets of members that are recounted one by one rather than split without end."""

_NEAR = 1e-6
"""Distance of value and bound that may be a solver's rounding."""

_USEFUL = ("proved", "improved", "solver tolerance")
"""Ways for a run on a tangent to end after which another may do more."""


def solve_any(problem: Problem, method: Method, run: Run) -> Outcome:
    """Run a method on a problem, whatever its criterion is."""
    kind = problem.objective.kind
    if kind != "curve":
        return method.others.get(kind, method.solve)(problem, run)
    climb = _Climb(run.incumbent, method, run)
    return climb.prove() if method.proves else climb.follow()


def cut_by_closure(method: Method, run: Run) -> None:
    """Bound a formula in a run's incumbent by minimum cuts alone."""
    _Climb(run.incumbent, method, run).cut_by_closure()


class _Climb:
    """One run of a method on tangent after tangent."""

    def __init__(self, incumbent: Incumbent, method: Method, run: Run) -> None:
        self._incumbent, self._method, self._run = incumbent, method, run
        self._problem: Problem = incumbent.problem
        self._formula = curve_of(self._problem).curve
        self._parts = Parts(incumbent, run.deadline)
        self._first_tangent = curve_of(self._problem).weights
        self._clash: Outcome | None = None
        self._stopping = False

    def follow(self) -> Outcome:
        """Run a heuristic on the tangent at its own last committee, while that helps."""
        weights, outcome = self._first_tangent, Outcome("finished")
        for _ in range(_MOST_TANGENTS):
            before = self._incumbent.score
            outcome = self._ask(self._problem, weights, self._method, self._run.deadline)
            if self._incumbent.score == before or self._run.seconds_left <= 0:
                break
            weights = self._tangent_here()
        return outcome

    def prove(self) -> Outcome:
        """Find the best committee and prove it, as far as the time allows."""
        parts = self._parts
        if not is_small(self._problem, ENUMERATE):
            self._search()
            self.cut_by_closure()
        share = 1.0 if isinstance(self._formula, Ratio) else 0.4
        while parts.left:
            parts.tell_bound()
            if self._incumbent.closed:
                break
            if self._incumbent.score is not None and self._run.seconds_left <= 0:
                return Outcome("time limit")
            part = parts.highest()
            before, score = part.summit.score, self._incumbent.score
            at_summit = score is None or part.asked_at == score
            outcome = self._improve(part, share, at_summit)
            if self._incumbent.caught:
                parts.tell_bound()
                return Outcome("solver failed")
            if outcome.infeasible:
                parts.drop(part, outcome.trusted)
                if part.problem is self._problem:
                    self._clash = outcome
            elif outcome.termination not in _USEFUL:
                parts.tell_bound()
                if self._run.seconds_left <= 0 or outcome.termination != "time limit":
                    return outcome
                share = min(1.0, 2 * share)
            elif at_summit and part in parts.left and not self._helped(part, before):
                near = self._near(part)
                if (near or part.outline.fine) and 2**self._problem.n_classifiers <= _TRY_ALL:
                    return self._try_all()
                if near:
                    parts.tell_bound()
                    # What is left is within a solver's tolerance if the bound is a solver's word.
                    return Outcome("proved" if self._incumbent.trusted else "solver tolerance")
                if not parts.split(part):
                    return Outcome("solver tolerance")
        parts.tell_bound()
        return self._nothing_left()

    def cut_by_closure(self) -> None:
        """Cut the outline by closure bounds, which take milliseconds each."""
        for part in [part for part in self._parts.left if not part.flat]:
            for _ in range(_MOST_CUTS):
                if self._run.seconds_left <= 0 or self._incumbent.closed:
                    break
                before = part.summit.score
                weights = self._tangent_at(part.summit.point)
                inner = part.problem.weighing(weights)
                bound = closure_bound(inner, self._run.soon(CLOSURE_SHARE)) * inner.gains.unit
                self._parts.cut(part, weights, bound, bound, ())
                self._parts.tell_bound()
                if part not in self._parts.left or before - part.summit.score < _WORTHWHILE:
                    break

    def _search(self) -> None:
        """Walk on tangents first: every proof is quicker with a good committee."""
        weights = self._first_tangent
        search = replace(self._method, solve=solve_by_search)
        for _ in range(_MOST_TANGENTS):
            before = self._incumbent.score
            seconds = min(_SEARCH_SECONDS, 0.05 * self._run.seconds_left)
            self._ask(self._problem, weights, search, time.monotonic() + seconds)
            if self._incumbent.score == before or self._run.seconds_left <= 0:
                break
            weights = self._tangent_here()

    def _try_all(self) -> Outcome:
        """Recount every set of members: few, and without a lattice splitting might not end."""
        everyone = range(self._problem.n_classifiers)
        for code in range(1, 2 ** len(everyone)):
            if self._run.seconds_left <= 0:
                return Outcome("time limit")
            self._incumbent.offer([k for k in everyone if code >> k & 1])
        self._parts.clear()
        self._parts.tell_bound()
        return self._nothing_left()

    def _improve(self, part: Part, share: float, at_summit: bool) -> Outcome:
        """Ask for one more half-plane around a part: at its summit, or at the best committee."""
        deadline = time.monotonic() + share * self._run.seconds_left
        if part.flat:
            outcome = self._ask(part.problem, Weights(), self._method, deadline)
            if outcome.termination == "proved" and not outcome.infeasible:
                self._parts.drop(part)  # one committee of it is as good as all
            return outcome
        part.asked_at = self._incumbent.score
        weights = self._tangent_at(part.summit.point) if at_summit else self._tangent_here()
        return self._ask(part.problem, weights, self._method, deadline, part)

    def _ask(
        self,
        problem: Problem,
        weights: Weights,
        method: Method,
        deadline: float,
        part: Part | None = None,
    ) -> Outcome:
        """Run a method on a weighted sum; its committees and its bound are ours."""
        incumbent, began, first = self._incumbent, time.monotonic(), self._incumbent.score
        inner = problem.weighing(weights)
        seen: Committee | None = None

        def pass_on() -> bool:
            nonlocal seen
            if own.committee is None or own.committee is seen:
                return False
            seen = own.committee
            majority = self._run.threshold == "majority"
            incumbent.offer(seen.ballots, seen.threshold if majority else None)
            return True

        def hear(_: Progress) -> bool:
            if not pass_on() and part is not None:
                self._parts.foretell_bound(part, weights, *standing())
            stale = incumbent.score != first and time.monotonic() - began > _STALE_SECONDS
            self._stopping = part is not None and stale
            return self._stopping

        def standing() -> tuple[Fraction, Fraction, tuple[str, ...]]:
            unit = inner.gains.unit
            return own.bound * unit, own.proved * unit, own.trusted

        own = Incumbent(inner, hear)
        self._stopping = False
        try:
            if method.proves and incumbent.committee is not None:
                own.offer(incumbent.committee.members)
            outcome = method.solve(inner, self._run.part(deadline, own))
            pass_on()  # of a smaller committee that is as good nobody was told
        except StopRequested:
            if not self._stopping:
                raise
            outcome = Outcome("improved")
        finally:  # also when the run ends here: a false claim stays known
            incumbent.disbelieve(own.caught, own.incidents)
        if part is not None and not outcome.infeasible:
            self._parts.cut(part, weights, *standing())
        return outcome

    def _helped(self, part: Part, before: Fraction) -> bool:
        """Tell whether a part's bound came nearer, or a better committee was found."""
        score = self._incumbent.score
        if score is None or part.asked_at != score:
            return True
        return bool(part.summit.score - score <= _PROGRESS * (before - score))

    def _near(self, part: Part) -> bool:
        """Tell whether what is left may be a solver's rounding."""
        score, read = self._incumbent.score, self._formula.read
        return score is not None and read(part.summit.score) - read(score) <= _NEAR

    def _tangent_here(self) -> Weights:
        """Return the tangent at the best committee."""
        committee = self._incumbent.committee
        if committee is None:
            return self._first_tangent
        return self._formula.tangent(self._problem.confusion(committee))

    def _tangent_at(self, point: Point) -> Weights:
        """Return the tangent at a point, rounded: any direction gives a bound."""
        p, n = map(Fraction, self._problem.patterns.totals)
        return self._formula.tangent(confusion_at(point, p, n)).rounded()

    def _nothing_left(self) -> Outcome:
        """Conclude when every part is settled; where nothing is allowed, say why."""
        if self._incumbent.score is not None:
            return Outcome("proved")
        if self._clash is not None:
            return self._clash
        problem = self._problem
        bare = any_committee(problem, problem.requests, problem.asked_diversity)
        return self._ask(bare, Weights(), self._method, self._run.deadline)
