"""What a committee owes to whom, and what is possible without each member.

Committees without a member are bounded by the closure bound, and where there is time for proofs by
the exact method.

Exchanges of one member for one outsider that cost nothing: let c be the vote counts without the
member. With outsider k and threshold L the patterns with c > L are positive, and of those with
c = L the ones k votes for. So the values of all outsiders at all thresholds are sums over the
patterns of each count; only those that come near are recounted one by one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..bounds.closure import closure_bound
from ..bounds.inevitable_errors import disputed_rows, hopeless_rows, rows_given_up
from ..exceptions import InputError
from ..numbers.exact import IntArray, total
from ..numbers.tally import tally
from ..numbers.threads import threadpool_limits
from ..problem.committee import Committee
from ..problem.confusion import Confusion
from ..problem.constraints import Forbid, check_constraints
from ..problem.diversity import check_diversity
from ..problem.formulas import Formula
from ..problem.margin import margin_of, read_margin
from ..problem.metrics import CURVES, METRICS
from ..problem.objective import Score, curve_of
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Method, Run
from ..strategies.exact_curve import cut_by_closure, solve_any
from ..strategies.registry import METHODS
from ..votes.votes import as_votes
from .explanation import Claim, Explanation, Known, Swap, role_of

_SHORT, _QUICK_SHARE = 0.1, 0.2
"""Seconds that the closure bound has in any case, and its share of the time for a member."""

Exchange = tuple[int, int, Committee, Score]
"""Who leaves, who joins, the new committee and its score."""

Bools = NDArray[np.bool_]

Counts = NDArray[np.int64]

_ROUNDING = 1e-6
"""Relative room left where floats choose what is then recounted."""


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
    # A proof that was cut short may end with a weaker bound than was known before it.
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


def free_exchanges(problem: Problem, committee: Committee, score: Score) -> Iterator[Exchange]:
    """Yield the exchanges of one member for one outsider that reach `score`, limits kept."""
    outsiders = [k for k in problem.allowed if k not in committee.members]
    matrix = problem.patterns.matrix[:, outsiders]
    for out in committee.members:
        rest = [k for k in committee.ballots if k != out]
        near = _near(problem, matrix, problem.counts(rest), len(rest) + 1, score)
        for place in np.flatnonzero(near):
            found = problem.best([*rest, outsiders[place]])
            if found is not None and found[1] >= score:
                yield out, outsiders[place], *found


def _near(
    problem: Problem, matrix: Bools, counts: Counts, size: int, score: Score
) -> NDArray[np.bool_]:
    """Tell which outsiders may reach a score, limits aside.

    Parameters
    ----------
    problem
        What is being explained.
    matrix
        The outsiders' votes on the patterns.
    counts, size
        Votes without the member, and the size of the committee with an outsider in its place.
    score
        What is to be reached.
    """
    if problem.objective.kind == "margin":
        return np.asarray(_margins(problem, matrix, counts, size) >= score)
    if problem.objective.kind == "curve":
        return _curves(problem, matrix, counts, size, score)
    sums = _by_threshold(problem.gains.net, matrix, counts, size)
    return np.asarray(problem.gains.base + sums.max(axis=0) >= score)


def _by_threshold(weights: IntArray, matrix: Bools, counts: Counts, size: int) -> IntArray:
    """Return the weight of what is called, by threshold and outsider, exactly."""
    above, sums = total(weights), []
    for level in range(size):
        at = np.flatnonzero(counts == level)
        above -= total(weights[at])
        sums.append(above + tally(weights[at], matrix[at]))
    return np.asarray(sums)


def _curves(
    problem: Problem, matrix: Bools, counts: Counts, size: int, score: Score
) -> NDArray[np.bool_]:
    """Compare (tp, fp) at all thresholds in floats, with room for their rounding."""
    patterns = problem.patterns
    tp, fp = (
        _by_threshold(part, matrix, counts, size).astype(float)
        for part in (patterns.positive, patterns.negative)
    )
    p, n = map(float, patterns.totals)
    heights = curve_of(problem).curve.scores(tp.ravel(), fp.ravel(), p, n).reshape(tp.shape)
    floor = float(score) - _ROUNDING * max(1.0, abs(float(score)))
    # NaN is 0 / 0, which floats cannot compare; those are recounted exactly.
    return np.asarray((np.isnan(heights) | (heights >= floor)).any(axis=0))


def _margins(problem: Problem, matrix: Bools, counts: Counts, size: int) -> IntArray:
    """Return what the committee is worth with each outsider, in units, exactly."""
    objective = margin_of(problem)
    steps = objective.margin.worth(size)
    positive, negative = (steps[:, counts + 1] - steps[:, counts]).astype(object)
    gained = positive * problem.patterns.positive + negative * problem.patterns.negative
    with_nobody = objective.score_counts(problem.patterns, counts, size)
    return np.asarray(with_nobody + objective.factor(size) * tally(gained, matrix).astype(object))


def reopen(
    votes: object,
    y: object,
    sample_weight: object,
    constraints: object,
    diversity: object,
    objective: str,
    formula: Formula | None,
) -> Problem:
    """Put a problem together again."""
    if votes is None:
        raise InputError("votes", "are not saved with a solution. Give them to explain().")
    # F1-theta asks for a criterion, which the solution knows, and limits nothing.
    limits = None if diversity == "F1-theta" else check_diversity(diversity)
    read, requests = as_votes(votes, y, sample_weight), check_constraints(constraints)
    if formula is None:
        return Problem.of(read, read_margin(objective), requests, limits)
    known = objective in METRICS or objective in CURVES
    return Problem.of(read, objective if known else formula, requests, limits)


def check_reopened(
    problem: Problem,
    committee: Committee,
    confusion: Confusion | None,
    value: float | None,
    constraints: tuple[str, ...],
    diversity: str | None,
) -> None:
    """Refuse a problem that is not the one a committee on file was found for."""
    same = (
        committee.pool_size == problem.n_classifiers
        and problem.confusion(committee) == confusion
        and problem.objective.read(problem.score(committee)) == value
    )
    found = () if problem.diversity is None else (str(problem.diversity),)
    told = (*constraints, *([diversity] if diversity else []))
    check_same(same, (*map(str, problem.requests), *found), told, " constraints and diversity")


def check_same(same: bool, found: tuple[str, ...], told: tuple[str, ...], what: str = "") -> None:
    """Refuse votes that are not those of a solution, and other limits than it was found under."""
    if not same:
        raise InputError("votes", "are not those of the solution. Give the votes it was chosen on.")
    if found != told:
        raise InputError(
            "constraints",
            f"are not those of the solution, which was found under: {'; '.join(told) or 'none'}. "
            f"Give the same{what}.",
        )
