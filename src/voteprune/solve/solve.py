"""The one way from a request to its answer: a run of a method, recounted, with its proof.

Every kind of votes takes this path. What answers of one kind have of their own is added at the end,
see `_ANSWERS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, overload

from ..mip.solve import EXPLAIN_SECONDS
from ..primal.polish import polish
from ..problem.constraints import Constraint
from ..problem.infeasible import counted_clash, name_clash, seats_alone
from ..problem.margin import AUTOMATIC, Margin
from ..problem.plurality import PluralityProblem
from ..problem.problem import Problem
from ..run.incumbent import Incumbent, Progress, StopRequested
from ..run.run import Method, Outcome, Run, outcome_of
from ..soft.committee import SoftCommittee
from ..soft.pruning import SoftPruning
from ..soft.tree import TOLERANCE
from ..solvers import Solver
from ..solvers.registry import versions_of
from ..strategies.exact_curve import solve_any
from ..strategies.margin_scale import choose_margin
from ..strategies.registry import METHODS
from ..strategies.second_opinion import second_opinion, whom_to_trust
from ..votes.votes import Votes
from .base_solution import Found, coverage_of, status_of
from .certifying import certificate_of, plurality_certificate_of, soft_certificate_of
from .cutoffs import decide, with_cutoff
from .plurality_solution import PluralitySolution
from .request import Circumstances, Plan
from .soft_solution import SoftSolution
from .solution import Solution

_RECOUNT_SHARE = 0.5
"""Share of the time that is kept for a last pass over rows that are not in memory, at most."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What one run has beside its method and circumstances.

    Parameters
    ----------
    start
        Members to start from.
    callback, checkpoint
        As in `prune`.
    certify
        Whether the proof is written down.
    began
        When `prune` was called, as `time.monotonic` tells it.
    """

    start: Sequence[int] | None = None
    callback: Callable[[Progress], object] | None = None
    checkpoint: Path | None = None
    certify: bool = False
    began: float = field(default_factory=time.monotonic)


def compiled(votes: Votes, plan: Plan, began: float) -> Problem:
    """Make the problem of a plan; where a margin must be chosen first, in the time that is left."""
    criterion, circumstances = plan.criterion, plan.circumstances
    if not (isinstance(criterion, Margin) or criterion == AUTOMATIC):
        return Problem.of(votes, criterion, plan.requests, plan.diversity)
    left = max(0.0, began + circumstances.seconds - time.monotonic())
    margin = choose_margin(criterion, votes, plan.requests, circumstances.seed, left)
    return Problem.of(votes, margin, plan.requests, plan.diversity)


@overload
def carry_out(
    problem: Problem, method: Method, circumstances: Circumstances, beside: Beside | None = ...
) -> Solution: ...


@overload
def carry_out(
    problem: PluralityProblem,
    method: Method,
    circumstances: Circumstances,
    beside: Beside | None = ...,
) -> PluralitySolution: ...


@overload
def carry_out(
    problem: SoftPruning, method: Method, circumstances: Circumstances, beside: Beside | None = ...
) -> SoftSolution: ...


def carry_out(
    problem: Any, method: Method, circumstances: Circumstances, beside: Beside | None = None
) -> Solution | PluralitySolution | SoftSolution:
    """Run a method on a problem and conclude; all arguments have been checked.

    Parameters
    ----------
    problem, method, circumstances
        What to solve, by what, and how.
    beside
        Options of this one run; the defaults, beginning now, when omitted.
    """
    beside = beside or Beside()
    if circumstances.solver is not None:
        circumstances.solver.info.require()
    incumbent = Incumbent(problem, beside.callback, beside.began, circumstances.gap)
    run = circumstances.begin(incumbent, beside.checkpoint, beside.began)
    # What comes after search and proof is part of the time, too, but leaves them half of it.
    kept = min(problem.recount, _RECOUNT_SHARE * circumstances.seconds)
    run = replace(run, record=[] if beside.certify else None, deadline=run.deadline - kept)

    def work() -> Outcome:
        if beside.start is not None:
            incumbent.offer(beside.start)
        outcome = _solve(problem, method, run)
        if not method.proves or problem.objective.kind == "soft":
            return outcome
        best = incumbent.score
        polish(problem, run)
        # Who is looked for is as good; what is better refutes a solver's claim.
        refuted = outcome.termination == "proved" and incumbent.score != best
        return Outcome("solver failed") if refuted else outcome

    return _conclude(problem, run, outcome_of(work), method, circumstances)


def _solve(problem: Any, method: Method, run: Run) -> Outcome:
    """Solve a problem of any kind; if it is infeasible, say which constraints clash."""
    binary = isinstance(problem, Problem)
    # Counting seats shows many an infeasible request at once, but gives a certificate no steps.
    if run.record is None:
        seats = problem if binary else seats_alone(_names(problem), problem.requests)
        if clash := counted_clash(seats):
            return Outcome("proved", infeasible=True, explanation=clash)
    outcome = solve_any(problem, method, run)
    if binary:
        return second_opinion(problem, run, outcome)
    if outcome.infeasible and problem.requests:
        return replace(outcome, explanation=_clash(problem, run))
    return outcome


def _names(problem: PluralityProblem | SoftPruning) -> tuple[str, ...]:
    return problem.said.names if isinstance(problem, SoftPruning) else problem.votes.names


def _clash(problem: PluralityProblem | SoftPruning, run: Run) -> str:
    """Say which constraints clash, by looking for any committee under fewer of them."""
    deadline = max(run.deadline, time.monotonic() + EXPLAIN_SECONDS)

    def look(fewer: list[Constraint]) -> bool | None:
        incumbent = Incumbent(
            problem.with_requests(fewer), lambda progress: progress.value is not None
        )
        part = Run(incumbent, deadline, Solver(), run.threads, run.seed)
        try:
            outcome = solve_any(incumbent.problem, METHODS["exact"], part)
        except StopRequested:
            return True
        return False if outcome.infeasible else None

    return name_clash(problem.requests, look)


def _conclude(
    problem: Any, run: Run, outcome: Outcome, method: Method, circumstances: Circumstances
) -> Solution | PluralitySolution | SoftSolution:
    """Recount everything once more and write the proof down."""
    incumbent, solver = run.incumbent, circumstances.solver
    status = status_of(incumbent, outcome, method)
    found = Found(
        status=status,
        termination="proved" if method.proves and incumbent.closed else outcome.termination,
        bound=incumbent.progress().bound if method.proves and status != "infeasible" else None,
        objective=problem.objective.name,
        method=method.name,
        solver=None if solver is None else solver.name,
        seconds=incumbent.seconds,
        seed=run.seed,
        n_classifiers=problem.n_classifiers,
        constraints=tuple(str(request) for request in problem.requests),
        explanation=outcome.explanation,
        incidents=(*incumbent.incidents, *incumbent.unwritten),
        unwritten=tuple(incumbent.unwritten),
        trusted=whom_to_trust(incumbent, outcome, status) if method.proves else (),
        versions=versions_of(solver),
        trace=tuple(incumbent.trace),
        smallest=method.proves and incumbent.closed and incumbent.smallest,
    )
    answer = _ANSWERS.get(problem.objective.kind, _votes_answer)(problem, run, found)
    # Recounting millions of rows takes a moment, and is part of the run.
    return replace(answer, seconds=incumbent.seconds)


def _votes_answer(problem: Problem, run: Run, found: Found) -> Solution:
    """Return the answer for votes on two classes."""
    committee = run.incumbent.committee
    return Solution(
        **found,
        committee=committee,
        confusion=None if committee is None else problem.confusion(committee),
        value=None if committee is None else problem.objective.read(problem.score(committee)),
        coverage=coverage_of(problem, None if committee is None else committee.members),
        weights=problem.objective.formula,
        n_rows=problem.votes.n_rows,
        n_patterns=problem.patterns.n_patterns,
        diversity=None if problem.diversity is None else str(problem.diversity),
        problem=problem,
        certificate=certificate_of(problem, run, found["status"], found["trusted"]),
    )


def _plurality_answer(problem: PluralityProblem, run: Run, found: Found) -> PluralitySolution:
    """Return the answer for plurality votes."""
    members = run.incumbent.members
    return PluralitySolution(
        **found,
        committee=None if members is None else problem.committee(members),
        confusion=None if members is None else problem.confusion(members),
        value=None if members is None else problem.objective.read(problem.score(members)),
        coverage=coverage_of(problem, members),
        classes=problem.votes.classes,
        n_rows=problem.votes.n_rows,
        n_patterns=problem.n_patterns,
        problem=problem,
        certificate=plurality_certificate_of(problem, run, found["status"], found["trusted"]),
    )


def _soft_answer(problem: SoftPruning, run: Run, found: Found) -> SoftSolution:
    """Return the answer for probabilities: fit the committee once more, and choose its cut-off."""
    incumbent, said = run.incumbent, problem.said
    committee: SoftCommittee | None = incumbent.committee
    loss = accuracy = confusion = None
    if committee is not None:
        # The members whose fit gave the committee: those who sit, and required ones.
        sitting = sorted({*committee.members, *problem.numbers.required})
        point = problem.search.fit(sitting)
        loss = point.loss / problem.total
        scored = said.scored(committee)
        committee, sentence = with_cutoff(problem, committee, scored)
        found["explanation"] = sentence or found["explanation"]
        accuracy, confusion = decide(scored, committee.cutoff)
    value = None if incumbent.score is None else problem.objective.read(incumbent.score)
    bound = found["bound"]
    return SoftSolution(
        **found,
        committee=committee,
        value=value,
        loss=loss,
        penalised_loss=None if value is None else -value,
        # The objective is minus the penalised loss; abs, so that 0 does not become -0.0.
        lower_bound=None if bound is None else abs(bound),
        accuracy=accuracy,
        confusion=confusion,
        penalty=problem.penalty,
        tolerance=TOLERANCE,
        n_rows=said.n_rows,
        n_patterns=said.n_rows,
        problem=problem,
        certificate=soft_certificate_of(problem, run, found["status"]),
    )


_ANSWERS: Mapping[str, Callable[[Any, Run, Found], PluralitySolution | SoftSolution]] = {
    "plurality": _plurality_answer,
    "f-score": _plurality_answer,
    "soft": _soft_answer,
}
"""How an answer is made of what was found, by the objective's kind; others get `_votes_answer`."""
