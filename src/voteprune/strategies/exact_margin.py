"""The exact method for margins: search, bound every size, settle what is left size by size.

0. Pools so small that all committees can be tried in a moment are.
1. First committees, the closure bound, and a second of local search.
2. One linear program at the sizes with the highest bounds; the prices of each bound all other
   sizes (`bounds.margin_prices`). For hinges this is often the proof already.
3. Best first, the size with the highest bound goes to a solver, which looks for something better
   than the best so far, for a while; it comes back with a lower bound and queues again, for twice
   as long.

It is anytime: no size can exceed its own bound, so the largest of them holds at every moment.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..bounds.closure import bound_by_closure
from ..bounds.margin_prices import Sizes
from ..mip.margin import margin_model
from ..mip.solve import EXPLAIN_SECONDS, solve_model
from ..primal.brute import is_small
from ..primal.first import open_run
from ..primal.margin_brute import enumerate_margins
from ..primal.margin_tabu import MarginTabuSearch
from ..primal.sample import thinned
from ..primal.search import search
from ..problem.committee import Committee
from ..problem.infeasible import Found, explain
from ..problem.margin import margin_of
from ..problem.problem import Problem
from ..run.incumbent import OPTIMAL_GAP, Incumbent, Progress, StopRequested
from ..run.run import Outcome, Run
from ..solvers import OutOfTime, Solver, SolverFailure, Worker, call

_WORKER = Worker("voteprune.bounds.margin_relaxation", "margins")

_ENUMERATE = 2**21
"""Subsets times patterns up to which trying everything is quickest."""

_SEARCH_SECONDS = 1.0
_LINEAR_SHARE = 0.4
"""Share of the time that the linear programs may take."""

_FIRST_TURN = 4.0
"""Seconds a solver has for a size at first."""

_MOST_FAILURES = 2
"""A solver that is slow to start on a busy machine gets another chance, with a longer turn."""

_SAFETY = 1e-7
"""Relative room left for rounding when floating-point bounds are read."""


def solve_margin(problem: Problem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    if is_small(problem, _ENUMERATE):
        return enumerate_margins(problem, run)
    over = open_run(problem, run)
    if over is not None:
        return over
    bound_by_closure(problem, run)
    if problem.allowed and run.seconds_left > 0:
        walked = thinned(problem, run.incumbent, run.seed, run.seconds_left)
        tabu = MarginTabuSearch(*walked, run.seed)
        until = time.monotonic() + min(_SEARCH_SECONDS, 0.2 * run.seconds_left)
        search(tabu, run.incumbent, until, patience=2 * problem.n_classifiers)
    outcome = _settle(problem, run, _bound_sizes(problem, run))
    return replace(outcome, explanation=_explain(problem, run)) if outcome.infeasible else outcome


def _bound_sizes(problem: Problem, run: Run) -> dict[int, int]:
    """Return a bound for every size that may hold something better, in units."""
    incumbent = run.incumbent
    sizes, scale = Sizes.of(problem)
    listed = sizes.all()
    if not len(listed) or incumbent.closed or run.seconds_left <= 0:
        return dict.fromkeys(listed, incumbent.proved)
    largest = float(sizes.weights.max(initial=1.0))

    def in_units(bound: float) -> float:
        return scale * (bound + _SAFETY * max(largest, abs(bound)))

    def report(bound: float, places: Sequence[int]) -> None:
        incumbent.tighten(in_units(bound))
        incumbent.offer([problem.allowed[place] for place in places])

    target = -np.inf if incumbent.score is None else (incumbent.score + 1) / scale
    until = time.monotonic() + _LINEAR_SHARE * run.seconds_left
    request = (sizes, target, incumbent.proved / scale, until)
    try:
        bounds = call(_WORKER, request, run.deadline, report, end=run.end)
    except OutOfTime:
        return dict.fromkeys(listed, incumbent.proved)
    except SolverFailure as failure:
        incumbent.incidents.append(str(failure))
        return dict.fromkeys(listed, incumbent.proved)
    return {
        size: min(
            incumbent.proved, _at_size(problem, size).gains.floor_to_step(in_units(float(bound)))
        )
        for size, bound in zip(listed, bounds, strict=True)
    }


def _at_size(problem: Problem, size: int) -> Problem:
    """Return the problem at one size, where values have a coarser grid than over all sizes."""
    patterns = problem.patterns
    step = int(np.gcd.reduce(np.concatenate([patterns.positive, patterns.negative])))
    objective = margin_of(problem)
    step *= int(np.gcd.reduce(objective.margin.worth(size).ravel()))
    gains = replace(problem.gains, step=max(step * objective.factor(size), 1))
    at_size = replace(objective, gains=gains)
    return replace(problem, size_min=size, size_max=size, objective=at_size)


@dataclass
class _Queue:
    """Sizes with their bounds: those still to be worked on, and those that are settled.

    Parameters
    ----------
    proved
        What voteprune itself has proved for every size.
    waiting
        Bound of every size that may hold something better than the best committee.
    settled
        What the solver's tolerance leaves open where it has claimed an optimum.
    turns
        Seconds every size gets when its turn comes.
    failures
        How often the solver has crashed, hung or been caught lying.
    vouched
        Whether it has dealt honestly with a size where we know something it must not miss.
    """

    proved: dict[int, int]
    waiting: dict[int, int]
    settled: dict[int, int]
    turns: dict[int, float]
    failures: int = 0
    vouched: bool = False

    def drop(self, units: int | None) -> None:
        """Drop the sizes that hold nothing better."""
        if units is not None:
            self.waiting = {s: bound for s, bound in self.waiting.items() if bound > units}

    def next(self, best: Committee | None) -> int:
        """Return the size with the highest bound; of equals, the smaller is the smaller problem.

        Before anything else, that of the best committee, even if nothing better can be there: a
        solver that denies what we know is not believed elsewhere.
        """
        if not self.vouched and best is not None:
            return best.size
        return max(self.waiting, key=lambda size: (self.waiting[size], -size))

    def bound(self, lowest: int) -> int:
        """Return what no committee exceeds."""
        return max([lowest, *self.waiting.values(), *self.settled.values()])


def _settle(problem: Problem, run: Run, bounds: dict[int, int]) -> Outcome:
    """Let a solver refute the sizes one by one, or find what is better there."""
    incumbent, who = run.incumbent, (run.solver.name,)
    queue = _Queue(bounds, dict(bounds), {}, {})
    while True:
        queue.drop(incumbent.score)
        if incumbent.score is not None:
            incumbent.tighten(max(bounds.values(), default=incumbent.score))
            incumbent.tighten(queue.bound(incumbent.score), who)
        if incumbent.closed:
            return Outcome("proved")
        if not queue.waiting:
            break
        if run.seconds_left <= 0:
            return Outcome("time limit")
        _work_on(problem, run, queue, queue.next(incumbent.committee))
        if queue.failures == _MOST_FAILURES or incumbent.caught:
            return Outcome("solver failed")
    if incumbent.score is None:
        # Where there is no size to ask about, nobody was asked.
        return Outcome("proved", infeasible=True, trusted=who if bounds else ())
    gap = incumbent.progress().gap
    fine = incumbent.score == 0 or (gap is not None and gap <= OPTIMAL_GAP)
    return Outcome("proved" if fine else "solver tolerance", trusted=who)


def _work_on(problem: Problem, run: Run, queue: _Queue, size: int) -> None:
    """Give a size its turn."""
    incumbent, above, who = run.incumbent, run.incumbent.score, (run.solver.name,)
    turn = queue.turns[size] = 2 * queue.turns.get(size, _FIRST_TURN / 2)
    here = _at_size(problem, size)

    def forward(_: Progress) -> None:
        queue.waiting[size] = min(queue.waiting[size], own.bound)
        if own.committee is not None and own.committee != incumbent.committee:
            incumbent.offer(own.committee.members, own.committee.threshold)
        if incumbent.score is not None:
            incumbent.tighten(queue.bound(incumbent.score), who)

    own = Incumbent(here, forward)
    known = incumbent.committee
    if above is not None and known is not None and known.size == size:
        queue.waiting.setdefault(size, above)
        own.offer(known.members, known.threshold)
        above -= 1
    own.tighten(queue.proved[size])
    own.tighten(queue.waiting[size], who)
    look = run.part(time.monotonic() + turn, own)
    try:
        outcome = solve_model(here, look, partial(margin_model, above=above))
    finally:  # also when the run ends here: a false claim stays known
        incumbent.incidents.extend(own.incidents)
        incumbent.disbelieve(own.caught)
    failed = outcome.termination == "solver failed"
    queue.failures += failed
    queue.vouched |= not failed
    if outcome.infeasible or outcome.termination in ("proved", "solver tolerance"):
        left = queue.waiting.pop(size)
        if not outcome.infeasible:
            queue.settled[size] = min(left, own.bound)


def _explain(problem: Problem, run: Run) -> str:
    """Say which constraints clash."""
    deadline = max(run.deadline, time.monotonic() + EXPLAIN_SECONDS)

    def find(anything: Problem) -> Found:
        incumbent = Incumbent(anything, lambda progress: progress.value is not None)
        look = replace(run, incumbent=incumbent, deadline=deadline, solver=Solver())
        try:
            open_run(anything, look)
            sizes = range(anything.size_min, anything.size_max + 1)
            everything = margin_of(anything).row_units * sum(anything.patterns.totals)
            outcome = _settle(anything, look, dict.fromkeys(sizes, everything))
        except StopRequested:
            return incumbent.committee, False
        return None, outcome.infeasible

    return explain(problem, find)
