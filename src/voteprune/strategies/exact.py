"""The exact method: search, bound every size and threshold, and settle what is left.

0. In a small pool all committees are tried.
1. First committees, hill climbs among them, and the closure bound, in milliseconds. Where 3 may
   end the run at once, hill climbs wait for its first round.
2. Local search, for a moment.
3. Where the gap to the closure bound is small and patterns are few: branch and cut with nogoods
   (`tree.nogoods`).
4. Linear programs at the sizes and thresholds with the highest bounds; the dual prices of each
   bound all the others (`bounds.prices`). What falls below the incumbent is pruned.
5. Where all bounds are near the incumbent, a MIP solver is asked about the sizes and thresholds
   that survive.
6. What is still open is branched, node by node, until nothing is left (`tree.sizes`).

Where the time should do for it, all committees are tried instead, once (`enumeration`): after 1 if
that takes a moment, after 2 where limits on the size leave few, else after 3.

Local search goes on in the background of 3, 4 and 6 (`tree.background`), or in turns with them on a
single core, for a better incumbent prunes more.

It is anytime: the incumbent holds the best committee and a valid bound at every moment.
"""

from __future__ import annotations

import time

from ..bounds.closure import bound_by_closure
from ..heuristics import HEURISTICS
from ..mip.solve import settle
from ..primal.brute import is_small, solve_by_brute_force
from ..primal.enumeration import affordable, solve_small
from ..primal.first_committees import open_run
from ..primal.search import WALKS, search, thinned
from ..primal.tabu import TabuSearch
from ..problem.problem import Problem
from ..run.run import Outcome, Run
from ..solvers import prepare
from ..tree.background import Searching
from ..tree.nogoods.driver import NogoodsDriver
from ..tree.sizes.driver import MOST_CLASSIFIERS, SizesDriver

ENUMERATE = 2**21
"""Subsets times patterns up to which trying everything is quickest; 0 if nothing may be tried."""

_TRY_SHARE, _TRY_MOST, _TRY_ALL, _AT_ONCE = 0.5, 600.0, 20.0, 1.0
"""How much of the time left trying all committees may take, how many seconds at the most with a
limit on the size and without one; and the seconds up to which it comes before everything else."""

_CLIMB_SHARE = 0.3
"""How much of the time left hill climbs may take."""

_GLANCE, _FIRST_SEARCH = 0.25, 1.5
"""Seconds of the search before the way of the proof is chosen, and of the whole first search."""

_GLIMPSE, _LEISURE = 0.02, 1.0
"""Seconds of the search before a proof by nogoods that may be over in a moment; and how many must
be left for hill climbs to wait for its first round."""

_FEW_PATTERNS = 1000
"""Patterns up to which the closure bound takes a moment, so that it can come before hill climbs."""

_NOGOODS_SHARE = 0.8
"""Share of the time left that nogoods get. The rest is for the sizes, should they fail."""

_NOGOODS_TRIAL = 0.2
"""Share of the time left after which nogoods must have come near, see `NogoodsDriver.hopeless`."""

_SOLVER_SHARE = 0.5
"""Share of the time left that a MIP solver gets for what the bounds leave open."""

_MOST_ENTRIES = 4_000_000
"""Size of a model, patterns times classifiers, beyond which no solver is asked."""

_ENTRIES_PER_SECOND = 1_000_000
"""Of those, how many a worker sets up as linear programs in a second, or half of them."""

CLIMBS = ("hc-acc", "backfitting", "hc-com", "hc-con", "mdsq", "hc-uwa", "reduced-error")
"""Those who look at the objective itself first, then by what they cost."""

_BY_NAME = {method.name: method for method in HEURISTICS}

_VOTES_PER_SECOND = 3e8
"""Votes that a step of a climb reads in a second, or half of them."""


def solve_exact(problem: Problem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    if is_small(problem, ENUMERATE):
        return solve_by_brute_force(problem, run)
    over = open_run(problem, run)
    if over is not None:
        return over
    if problem.must_cover:
        return _settle_covering(problem, run)
    incumbent, trial = run.incumbent, _Trial(problem, run)
    climbs = _Climbs(problem, run)
    if problem.patterns.n_patterns > _FEW_PATTERNS:
        climbs.make()
    bound_by_closure(problem, run)
    hasty = run.seconds_left > _LEISURE and NogoodsDriver.promises(problem, run)
    if not hasty:
        climbs.make()
    if not incumbent.closed:
        tried = trial.within(_AT_ONCE) if run.record is None else None
        if tried is not None:
            return tried
        _prepare(problem, run)
    if run.seconds_left <= 0:
        return Outcome("time limit")
    walked = thinned(problem, incumbent, run.seed, run.seconds_left)
    tabu = TabuSearch(*walked, run.seed) if problem.allowed else None
    searching = Searching(run, tabu)
    searching.search(_GLIMPSE if hasty else _GLANCE)
    tried = trial.within(run.seconds_left) if trial.limited and run.record is None else None
    if tried is not None:
        return tried
    if not incumbent.closed and NogoodsDriver.promises(problem, run):
        _prove_by_nogoods(problem, run, searching, climbs)
    elif run.threads == 1 or not _provable(problem, run):
        searching.search(_FIRST_SEARCH - _GLANCE)
    if incumbent.closed:
        return Outcome("proved")
    # For a certificate, or without a limit on the size, enumeration comes after the nogoods.
    tried = trial.within(run.seconds_left)
    if tried is not None:
        return tried
    if not _provable(problem, run):
        if problem.n_classifiers * problem.patterns.n_patterns <= _MOST_ENTRIES:
            return settle(problem, run)
        if tabu is not None:
            search(tabu, incumbent, run.deadline, WALKS * problem.n_classifiers)
        return Outcome("finished" if run.seconds_left > 0 else "time limit")
    return _prove_by_sizes(problem, run, searching)


def _settle_covering(problem: Problem, run: Run) -> Outcome:
    """Find and prove the best committee that votes on so many rows: search, then a MIP solver.

    The trees cannot handle coverage; the closure bound, which ignores it, still holds.
    """
    bound_by_closure(problem, run)
    if not run.incumbent.closed and problem.allowed:
        tabu = TabuSearch(*thinned(problem, run.incumbent, run.seed, run.seconds_left), run.seed)
        Searching(run, tabu).search(_FIRST_SEARCH)
    return settle(problem, run)


class _Trial:
    """Enumeration of all committees, at most once, where they are few.

    Limits on the size leave few. Without any, those of some fifteen classifiers are few, too, but
    a tree may be quicker, and a checker of certificates would have to try them all again.
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self._problem, self._run = problem, run
        self._sizes = problem.sizes
        self.limited = problem.size_max < len(problem.allowed)
        self._most = _TRY_MOST if self.limited else _TRY_ALL
        self._open = ENUMERATE > 0 and (self.limited or run.record is None)

    def within(self, seconds: float) -> Outcome | None:
        """Try them if so many seconds should do; None if they will not, or did not."""
        if not self._open or self._run.incumbent.closed:
            return None
        part = self._run.part(min(self._run.soon(_TRY_SHARE), time.monotonic() + self._most))
        likely = min(seconds, part.seconds_left)
        if not affordable(self._problem, self._sizes, likely):
            return None
        # If the estimate of its time is wrong once, enumeration is not tried again.
        self._open = False
        return solve_small(self._problem, part, likely)


class _Climbs:
    """Hill climbs, made once: first of all, or when a proof has not ended at once."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self._problem, self._run, self._made = problem, run, False

    def make(self) -> None:
        """Enter what they find, unless that has been done."""
        if not self._made:
            self._made = True
            climb(self._problem, self._run, _CLIMB_SHARE)


def _provable(problem: Problem, run: Run) -> bool:
    """Tell whether sizes and thresholds can be bounded one by one, and in time."""
    entries = problem.n_classifiers * problem.patterns.n_patterns
    return (
        run.incumbent.score is not None
        and len(problem.allowed) <= MOST_CLASSIFIERS
        and entries <= _ENTRIES_PER_SECOND * (run.deadline - run.incumbent.began)
    )


def _prepare(problem: Problem, run: Run) -> None:
    """Have the first worker start up while we search."""
    if NogoodsDriver.promises(problem, run):
        prepare(NogoodsDriver.worker)
    elif _provable(problem, run):
        prepare(SizesDriver.worker)


def _prove_by_nogoods(problem: Problem, run: Run, searching: Searching, climbs: _Climbs) -> None:
    """Prove by nogoods that nothing beats the incumbent, for a part of the time."""
    driver = NogoodsDriver(problem, run)
    until = time.monotonic() + _NOGOODS_SHARE * run.seconds_left
    trial = time.monotonic() + _NOGOODS_TRIAL * run.seconds_left
    for went_on in driver.rounds(until, searching):
        climbs.make()
        if not went_on or driver.hopeless(late=time.monotonic() > trial):
            return


def _prove_by_sizes(problem: Problem, run: Run, searching: Searching) -> Outcome:
    """Prove by sizes and thresholds that nothing beats the incumbent, or find what does."""
    driver = SizesDriver(problem, run)
    for went_on in driver.rounds(run.deadline, searching):
        if not went_on:
            return settle(problem, run)
        if driver.settled and not driver.branch and not driver.over:
            driver.branch = True
            region = driver.region()
            if region is not None:
                until = time.monotonic() + _SOLVER_SHARE * run.seconds_left
                outcome = settle(problem, run.part(until), region)
                if outcome.termination in ("proved", "solver tolerance"):
                    return outcome
    return Outcome("proved" if run.incumbent.closed else "time limit")


def climb(problem: Problem, run: Run, share: float) -> None:
    """Enter what hill climbs find, for a share of the time left.

    Parameters
    ----------
    problem, run
        As for every method.
    share
        Of the time left; a climb is stopped after its first step beyond that, and none is begun
        if a single step would not fit.
    """
    until = run.soon(share)
    step = len(problem.allowed) * problem.patterns.n_patterns / _VOTES_PER_SECOND
    if not problem.sizes:
        return
    for name in CLIMBS:
        if time.monotonic() + step >= until or run.incumbent.closed:
            return
        _BY_NAME[name].solve(problem, run.part(until))
