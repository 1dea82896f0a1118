"""The work behind `Solution.explain`: every figure recounted, every claim proved.

Without a time limit for proofs only the closure bound speaks about committees without a member,
which takes milliseconds. With one, the exact method solves the problem without each member.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .bounds import closure_bound, disputed_rows, hopeless_rows, sacrificed_rows
from .committee import Committee
from .confusion import Confusion
from .constraints import Forbid, check_constraints
from .diversity import Diversity, check_diversity
from .engine import solve_exact
from .exact import IntArray, float_above, total
from .exceptions import InputError
from .explanation import Explanation, MemberRole, Swap, Verdict
from .ledger import Ledger
from .objectives import Weights
from .problem import Problem
from .run import Run
from .tally import tally
from .votes import as_votes

Exchange = tuple[int, int, Committee, int]
"""Who leaves, who joins, the new committee and its value in units."""


def reopen(
    votes: object,
    y: object,
    sample_weight: object,
    criterion: str | Weights,
    constraints: object,
    diversity: str | Diversity | None,
) -> Problem:
    """Put a problem together again from what `prune` was given."""
    if votes is None:
        raise InputError("votes", "are not saved with a solution. Give them to explain().")
    # F1-theta asks for a criterion, which the solution knows, and limits nothing.
    limits = None if diversity == "F1-theta" else check_diversity(diversity)
    return Problem.of(
        as_votes(votes, y, sample_weight), criterion, check_constraints(constraints), limits
    )


def check_reopened(
    problem: Problem,
    committee: Committee,
    confusion: Confusion | None,
    constraints: tuple[str, ...],
    diversity: str | None,
) -> None:
    """Refuse a problem that is not the one a committee on file was found for.

    Parameters
    ----------
    problem
        From the votes and constraints at hand.
    committee, confusion, constraints, diversity
        What is on file.
    """
    if committee.pool_size != problem.n_classifiers or problem.confusion(committee) != confusion:
        raise InputError("votes", "are not those of the solution. Give the votes it was chosen on.")
    found = None if problem.diversity is None else str(problem.diversity)
    if (tuple(map(str, problem.requests)), found) != (constraints, diversity):
        asked = "; ".join([*constraints, *([diversity] if diversity else [])]) or "none"
        raise InputError(
            "constraints",
            f"are not those of the solution, which was found under: {asked}. "
            "Give the same constraints and diversity.",
        )


def explain(
    problem: Problem, committee: Committee, bound: float | None, proved: bool, seconds: float
) -> Explanation:
    """Explain a committee that a problem allows.

    Parameters
    ----------
    problem, committee
        What was solved, and by whom.
    bound
        What no committee can exceed, in the criterion's own unit, where that is known.
    proved
        Whether that is the committee's own value, which a float may miss by a hair.
    seconds
        Time for proofs of what is possible without each member, all of them together.
    """
    units, unit = problem.units(committee), problem.gains.unit
    exchanges = list(free_exchanges(problem, committee, units))
    cap = None if bound is None else Fraction(units) if proved else Fraction(bound) / unit
    deadline = time.time() + seconds
    roles = []
    for place, member in enumerate(committee.members):
        others = [exchange[2] for exchange in exchanges if exchange[0] == member]
        share = (deadline - time.time()) / (committee.size - place)
        roles.append(_role(problem, committee, member, others, cap, share))
    return Explanation(
        objective=str(problem.criterion),
        value=float(units * unit),
        bound=bound,
        n_rows=int((problem.votes.weights > 0).sum()),
        members=tuple(roles),
        swaps=tuple(
            Swap(problem.votes.names[out], problem.votes.names[join], new.threshold,
                 float(worth * unit))
            for out, join, new, worth in exchanges
        ),
        hopeless=tuple(hopeless_rows(problem).tolist()),
        disputed=tuple(zip(*(side.tolist() for side in disputed_rows(problem)), strict=True)),
        sacrificed=tuple(sacrificed_rows(problem, committee).tolist()),
    )  # fmt: skip


def free_exchanges(problem: Problem, committee: Committee, units: int) -> Iterator[Exchange]:
    """Yield the exchanges of one member for one outsider that reach `units`, limits kept.

    Let c be the vote counts without the member. With outsider k, a threshold L takes all patterns
    with c > L, and of those with c = L the ones k votes for. So all outsiders at all thresholds are
    sums over the patterns of each count; only those that reach `units` are recounted one by one.
    """
    outsiders = [k for k in problem.allowed if k not in committee.members]
    net, matrix = problem.gains.net, problem.patterns.matrix[:, outsiders]
    for out in committee.members:
        rest = [k for k in committee.ballots if k != out]
        counts = problem.counts(rest)
        best = _best_by_outsider(net, matrix, counts, len(rest) + 1)
        for place in np.flatnonzero(problem.gains.base + best >= units):
            found = problem.best_threshold([*rest, outsiders[place]])
            if found is not None and found[1] >= units:
                yield out, outsiders[place], *found


def _best_by_outsider(
    net: IntArray, matrix: NDArray[np.bool_], counts: NDArray[np.int64], size: int
) -> IntArray:
    """Return the best net gain over all thresholds for every outsider, limits aside."""
    above, by_level = total(net), []
    for level in range(size):
        at = np.flatnonzero(counts == level)
        above -= total(net[at])
        by_level.append(above + tally(net[at], matrix[at]))
    return np.asarray(np.max(by_level, axis=0))


def _role(
    problem: Problem,
    committee: Committee,
    member: int,
    others: Sequence[Committee],
    cap: Fraction | None,
    seconds: float,
) -> MemberRole:
    """Tell what is possible without a member; `others` are committees without it."""
    units, unit = problem.units(committee), problem.gains.unit
    rest = [k for k in committee.ballots if k != member]
    alone = problem.best_threshold(rest) if rest else None
    known = [*([alone[0]] if alone else []), *others]
    best, bound = _without(problem, member, known, cap, seconds)
    verdict: Verdict = "open"
    if bound is None or bound < units:
        verdict = "needed"
    elif best is not None and best >= units:
        verdict = "replaceable"
    return MemberRole(
        member=member,
        name=problem.votes.names[member],
        without=None if alone is None else float(alone[1] * unit),
        best=None if best is None else float(best * unit),
        bound=None if bound is None else float_above(Fraction(bound) * unit),
        verdict=verdict,
    )


def _without(
    problem: Problem, member: int, known: Sequence[Committee], cap: Fraction | None, seconds: float
) -> tuple[int | None, int | None]:
    """Return the best value without a member and its bound, in units; no bound: no committee."""
    if member in problem.required:
        return None, None
    left = problem.with_requests([*problem.requests, Forbid(member)], problem.asked_diversity)
    if not left.allowed:
        return None, None
    ledger = Ledger(left)
    for committee in known:
        ledger.offer(committee.ballots, committee.threshold)
    ledger.tighten(closure_bound(left))
    if cap is not None:  # what no committee exceeds, none without this member does
        ledger.tighten(cap)
    # Exact methods speak of committees with one vote each, the closure bound of all.
    one_vote_each = all(committee.n_votes == committee.size for committee in known)
    if seconds > 0 and one_vote_each and not ledger.closed:
        with threadpool_limits(1, "blas"):
            outcome = solve_exact(left, Run(ledger, time.time() + seconds))
        if outcome.infeasible:
            return None, None
    return ledger.units, ledger.bound
