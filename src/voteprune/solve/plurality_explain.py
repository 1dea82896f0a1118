"""Why a plurality committee is as good as it is: who carries it, free swaps, rows nobody saves.

There is no closure where several classes compete, so bounds without a member come from what every
pattern earns at its best, and from the exact method within its time. What is claimed of rows needs
neither: see the functions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from ..problem.constraints import Forbid
from ..problem.fscore import FScoreObjective
from ..problem.objective import Score
from ..problem.plurality import PluralityProblem
from ..run.incumbent import Incumbent
from ..run.run import Run
from ..strategies.registry import METHODS
from .explanation import Claim, Explanation, Known, Swap, role_of


def explain(
    problem: PluralityProblem, members: Sequence[int], claim: Claim, seconds: float
) -> Explanation:
    """Explain a committee that a problem allows.

    Parameters
    ----------
    problem, members
        What was solved, and by whom.
    claim
        What is claimed of all others.
    seconds
        Time for proofs of what is possible without each member, all of them together.
    """
    units, names, objective = problem.score(members), problem.votes.names, problem.objective
    cap = claim.cap(objective, units)
    swaps = list(_free_swaps(problem, members, units))
    deadline = time.monotonic() + seconds
    roles = []
    for place, member in enumerate(members):
        others = [sorted({*members, join} - {out}) for out, join, _ in swaps if out == member]
        share = (deadline - time.monotonic()) / (len(members) - place)
        rest = [k for k in members if k != member]
        alone = problem.score(rest) if rest and problem.allows(rest) else None
        known = _without(problem, member, [rest, *others], cap, claim.trusted, share)
        roles.append(role_of(problem, objective, member, units, alone, known))
    hopeless = _hopeless(problem)
    return Explanation(
        objective=problem.objective.name,
        value=objective.read(units),
        bound=claim.bound,
        n_rows=int((problem.votes.weights > 0).sum()),
        members=tuple(roles),
        swaps=tuple(
            Swap(names[out], names[join], None, objective.read(worth)) for out, join, worth in swaps
        ),
        hopeless=tuple(sorted(hopeless)),
        disputed=tuple(_disputed(problem, hopeless)),
        sacrificed=tuple(sorted(hopeless | _given_up(problem, units))),
        trusted=claim.trusted,
    )


def _free_swaps(
    problem: PluralityProblem, members: Sequence[int], units: Score
) -> Iterator[tuple[int, int, Score]]:
    """Yield who may leave for whom, and what the committee is worth then, limits kept."""
    outsiders = [k for k in problem.allowed if k not in members]
    for out in members:
        rest = [k for k in members if k != out]
        for join in outsiders:
            if problem.allows([*rest, join]):
                worth = problem.score([*rest, join])
                if worth >= units:
                    yield out, join, worth


def _without(
    problem: PluralityProblem,
    member: int,
    others: Sequence[Sequence[int]],
    cap: Score | None,
    by: Sequence[str],
    seconds: float,
) -> Known:
    """Return what is known without a member, given some committees and whose word the cap is."""
    if member in problem.required or len(problem.allowed) == 1:
        return None, None, ()
    left = problem.with_requests([*problem.requests, Forbid(member)])
    incumbent = Incumbent(left)
    for committee in others:
        incumbent.offer(committee)
    refuted = incumbent.score is not None and cap is not None and incumbent.score > cap
    if cap is not None and not refuted:
        # What no committee exceeds, none without this member does.
        incumbent.tighten(cap, by)
    if seconds > 0 and not incumbent.closed:
        solve = METHODS["exact"].others[left.objective.kind]
        outcome = solve(left, Run(incumbent, time.monotonic() + seconds))
        if outcome.infeasible:
            return None, None, outcome.trusted
    return incumbent.score, incumbent.bound, incumbent.trusted


def _hopeless(problem: PluralityProblem) -> set[int]:
    """Return the rows whose class no eligible classifier names: it wins in no committee.

    Any other row is right in the committee of one classifier that names its class; one of the
    first class also in that of one who abstains.
    """
    votes = problem.votes
    said = votes.matrix[:, list(problem.allowed)]
    right = np.where(said < problem.n_classes, said, 0) == votes.labels[:, None]
    return set(np.flatnonzero(~right.any(axis=1) & (votes.weights > 0)).tolist())


def _disputed(problem: PluralityProblem, hopeless: set[int]) -> list[tuple[int, int]]:
    """Return pairs of rows of two classes on which everybody votes alike, no row in two pairs.

    Every committee decides both rows the same way, so one of them is wrong.
    """
    votes = problem.votes
    rows = [k for k in np.flatnonzero(votes.weights > 0).tolist() if k not in hopeless]
    said = votes.matrix[rows][:, list(problem.allowed)]
    _, kinds = np.unique(said, axis=0, return_inverse=True)
    kinds, labels = kinds.ravel(), votes.labels[rows]
    pairs = []
    for kind in np.flatnonzero(np.bincount(kinds) > 1):
        alike = np.flatnonzero(kinds == kind)
        sizes = np.bincount(labels[alike])
        # The largest class first: half-way along the list another class begins, or has begun.
        order = alike[np.lexsort((labels[alike], -sizes[labels[alike]]))]
        step = max(int(sizes.max()), (len(order) + 1) // 2)
        pairs += [(rows[a], rows[b]) for a, b in zip(order, order[step:], strict=False)]
    return sorted((min(pair), max(pair)) for pair in pairs)


def _given_up(problem: PluralityProblem, units: Score) -> set[int]:
    """Return rows proved wrong in every committee as good as one worth so many units.

    Decided as some class, a pattern earns what that class earns, and all others at most their
    best. Where that is too little, no committee as good decides it so. Of an F-score, which is no
    sum over the patterns, nothing is claimed.
    """
    if isinstance(problem.objective, FScoreObjective):
        return set()
    votes = problem.votes
    best = problem.gains.net.astype(object)
    too_little = problem.gains.ceiling - best[:, None] + problem.gain < units
    counted = np.flatnonzero(votes.weights > 0)
    places = {code.tobytes(): place for place, code in enumerate(problem.codes)}
    at = [places[row.tobytes()] for row in votes.matrix[counted].astype(problem.codes.dtype)]
    lost = too_little[at, votes.labels[counted]].astype(bool)
    return set(counted[lost].tolist())
