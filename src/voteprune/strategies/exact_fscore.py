"""The exact method for F-scores of plurality committees: tangents for the search, pieces to prove.

1. In a small pool, or where limits on the size leave few committees, all of them are tried.
2. First committees, then local search on the tangent at the incumbent, which is a weighted sum; the
   tangent moves with the incumbent.
3. An integer program in which every ratio is bounded from above (`mip.fscore`), refined at
   solutions whose true value is lower, until the incumbent meets its bound.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from ..mip.fscore import Pieces
from ..mip.solve import solve_model
from ..primal.brute import MOST_CLASSIFIERS, are_few, try_all_pluralities, try_few
from ..primal.plurality_tabu import PluralityTabuSearch, offer_openings, thinned
from ..primal.search import reporting, search
from ..problem.fscore import FScoreObjective
from ..problem.plurality import PluralityProblem
from ..run.run import Outcome, Run
from .exact_plurality import FEW, plurality_model

ENUMERATE = 2**22
"""Subsets times patterns times classes up to which trying everything is quickest."""

_SEARCH_SECONDS, _SHARE = 3.0, 0.3
"""Seconds for the search before the proof, and the share of the time left that it may take."""

_TANGENT, _WALKS = 0.5, 4
"""Seconds on one tangent, and walks per classifier that find nothing after which it is left."""


def solve_exact(problem: PluralityProblem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    cells = problem.n_patterns * problem.n_classes
    if problem.n_classifiers <= MOST_CLASSIFIERS and 2**problem.n_classifiers * cells <= ENUMERATE:
        return try_all_pluralities(problem, run)
    offer_openings(problem, run)
    if are_few(problem, run, FEW * ENUMERATE):
        return try_few(problem, run)
    _search(problem, run, min(_SEARCH_SECONDS, _SHARE * run.seconds_left))
    if run.incumbent.closed:
        return Outcome("proved")
    if not isinstance(problem.objective, FScoreObjective):
        raise AssertionError("only F-scores come here")
    pieces = Pieces(problem.objective)
    if run.incumbent.members is not None:
        pieces.refine(problem.decided(run.incumbent.members))

    def refine(members: list[int]) -> bool:
        return pieces.refine(problem.decided(members))

    return solve_model(problem, run, partial(plurality_model, pieces=pieces), refine)


def solve_by_search(problem: PluralityProblem, run: Run) -> Outcome:
    """Search alone, until the tangent at the incumbent leads to nothing better."""
    offer_openings(problem, run)
    _search(problem, run, run.seconds_left)
    return Outcome("finished" if run.seconds_left > 0 else "time limit")


def _search(problem: PluralityProblem, run: Run, seconds: float) -> None:
    """Walk on tangents, each at the incumbent that the one before has led to."""
    until, best = time.monotonic() + seconds, None
    while (
        run.incumbent.members is not None
        and run.incumbent.score != best
        and not run.incumbent.closed
        and time.monotonic() < until
    ):
        best = run.incumbent.score
        sums = problem.tangent(run.incumbent.members)
        walked = thinned(sums, replace(run, incumbent=reporting(sums, run.incumbent)))
        soon = min(until, time.monotonic() + _TANGENT)
        search(PluralityTabuSearch(*walked), walked[1].incumbent, soon, _WALKS * len(sums.allowed))
