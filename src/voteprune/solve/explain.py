"""What a committee owes to whom, and what is possible without each member.

Without a time limit for proofs only the closure bound speaks about committees without a member, as
far as a moment goes. With one, the exact method solves the problem without each member.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from threadpoolctl import threadpool_limits

from ..bounds.closure import closure_bound
from ..bounds.wrong_rows import disputed_rows, hopeless_rows, rows_given_up
from ..problem.committee import Committee
from ..problem.constraints import Forbid
from ..problem.objective import Score
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Method, Run
from ..strategies.exact_curve import cut_by_closure, solve_any
from ..strategies.registry import METHODS
from .explain_exchanges import free_exchanges
from .explanation import Claim, Explanation, Known, Swap, role_of

_SHORT, _QUICK_SHARE = 0.1, 0.2
"""Seconds that the closure bound has in any case, and its share of the time for a member."""


def explain(
    problem: Problem, committee: Committee, objective: str, claim: Claim, seconds: float
) -> Explanation:
    """Explain a committee that a problem allows.

    Parameters
    ----------
    problem, committee
        What was solved, and by whom.
    objective
        What was maximised, in words.
    claim
        What is claimed of all others.
    seconds
        Time for proofs of what is possible without each member, all of them together.
    """
    read = problem.objective.read
    score, names = problem.score(committee), problem.votes.names
    exchanges = list(free_exchanges(problem, committee, score))
    cap = claim.cap(problem.objective, score)
    deadline = time.monotonic() + seconds
    roles = []
    for place, member in enumerate(committee.members):
        others = [exchange[2] for exchange in exchanges if exchange[0] == member]
        share = (deadline - time.monotonic()) / (committee.size - place)
        alone = problem.best([k for k in committee.ballots if k != member])
        without = [*([alone[0]] if alone else []), *others]
        known = _without(problem, member, without, cap, claim.trusted, share)
        roles.append(role_of(problem, problem.objective, member, score, alone and alone[1], known))
    return Explanation(
        objective=objective,
        value=read(score),
        bound=claim.bound,
        n_rows=int((problem.votes.weights > 0).sum()),
        members=tuple(roles),
        swaps=tuple(
            Swap(names[out], names[join], new.threshold, read(worth))
            for out, join, new, worth in exchanges
        ),
        hopeless=tuple(hopeless_rows(problem).tolist()),
        disputed=tuple(zip(*(side.tolist() for side in disputed_rows(problem)), strict=True)),
        sacrificed=tuple(rows_given_up(problem, committee).tolist()),
        trusted=claim.trusted,
    )


def _without(
    problem: Problem,
    member: int,
    others: Sequence[Committee],
    cap: Score | None,
    by: Sequence[str],
    seconds: float,
) -> Known:
    """Return what is known without a member, given some committees and whose word the cap is."""
    if member in problem.required:
        return None, None, ()
    left = problem.with_requests([*problem.requests, Forbid(member)], problem.asked_diversity)
    if not left.allowed:
        return None, None, ()
    incumbent, method = Incumbent(left), METHODS["exact"]
    for committee in others:
        incumbent.offer(committee.ballots, committee.threshold)
    _bound_quickly(left, incumbent, method, time.monotonic() + max(_SHORT, _QUICK_SHARE * seconds))
    if cap is not None:  # what no committee exceeds, none without this member does
        _cap(incumbent, cap, by)
    quick = incumbent.bound, incumbent.trusted
    # Exact methods speak of committees with one vote each, the closure bound of all.
    one_vote_each = all(committee.n_votes == committee.size for committee in others)
    if seconds > 0 and one_vote_each and not incumbent.closed:
        with threadpool_limits(1, "blas"):
            outcome = solve_any(left, method, Run(incumbent, time.monotonic() + seconds))
        if outcome.infeasible:
            return None, None, outcome.trusted
    best, bound = incumbent.score, incumbent.bound
    # A proof that was cut short may know less than what was known before it.
    bound, trusted = bound, incumbent.trusted
    if quick[0] < bound and incumbent.caught.isdisjoint(quick[1]):
        bound, trusted = quick
    return best, bound if best is None else max(bound, best), trusted


def _cap(incumbent: Incumbent, bound: Score, by: Sequence[str]) -> None:
    """Enter what no committee exceeds, unless the best committee refutes a solver's word for it."""
    if not by or incumbent.score is None or incumbent.score <= bound:
        incumbent.tighten(bound, by)


def _bound_quickly(problem: Problem, incumbent: Incumbent, method: Method, until: float) -> None:
    """Bound a problem by minimum cuts alone, as well as they can until a moment."""
    if problem.objective.kind == "curve":
        cut_by_closure(method, Run(incumbent, until))
    else:
        incumbent.tighten(closure_bound(problem, until))
