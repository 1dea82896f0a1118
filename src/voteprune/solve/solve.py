"""A method is run on a problem, and what it found is recounted and written down with its proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ..problem.infeasible import counted_clash
from ..problem.problem import Problem
from ..run.incumbent import Incumbent, Progress
from ..run.run import Method, Outcome, Run, outcome_of
from ..solvers import Solver
from ..solvers.versions import versions_of
from ..strategies.exact_curve import solve_any
from ..strategies.opinion import second_opinion, whom_to_trust
from .certifying import certificate_of
from .request import Circumstances
from .solution import Solution
from .status import coverage_of, status_of


def carry_out(
    problem: Problem,
    method: Method,
    circumstances: Circumstances,
    start: Sequence[int] | None = None,
    callback: Callable[[Progress], object] | None = None,
    checkpoint: Path | None = None,
    certify: bool = False,
    began: float | None = None,
) -> Solution:
    """Run a method on a problem and conclude; all arguments have been checked.

    Parameters
    ----------
    problem, method, circumstances
        What to solve, by what, and how.
    start
        Members to start from.
    callback, checkpoint
        As in `prune`.
    certify
        Whether the proof is written down.
    began
        When `prune` was called, as `time.monotonic` tells it; now when omitted.
    """
    began = time.monotonic() if began is None else began
    solver = circumstances.solver
    if solver is not None:
        solver.info.require()
    incumbent = Incumbent(problem, callback, began, circumstances.gap)
    run = replace(circumstances.begin(incumbent, checkpoint, began), record=[] if certify else None)

    def work() -> Outcome:
        if start is not None:
            incumbent.offer(start)
        nobody = _seatless(problem, run)
        return nobody or second_opinion(problem, run, solve_any(problem, method, run))

    return _conclude(problem, run, outcome_of(work), method, solver)


def _seatless(problem: Problem, run: Run) -> Outcome | None:
    """Tell if nobody can sit, which counting shows; a proof that is written down has its steps."""
    clash = counted_clash(problem) if run.record is None else ""
    return Outcome("proved", infeasible=True, explanation=clash) if clash else None


def _conclude(
    problem: Problem, run: Run, outcome: Outcome, method: Method, solver: Solver | None
) -> Solution:
    """Recount everything once more and write the proof down."""
    incumbent, committee = run.incumbent, run.incumbent.committee
    confusion = None if committee is None else problem.confusion(committee)
    value = None if committee is None else problem.objective.read(problem.score(committee))
    closed = method.proves and incumbent.closed
    bound = incumbent.progress().bound if method.proves else None
    status = status_of(incumbent, outcome, method)
    trusted = whom_to_trust(incumbent, outcome, status) if method.proves else ()
    return Solution(
        status=status,
        termination="proved" if closed else outcome.termination,
        committee=committee,
        confusion=confusion,
        value=value,
        coverage=coverage_of(problem, None if committee is None else committee.members),
        bound=None if status == "infeasible" else bound,
        objective=problem.objective.name,
        weights=problem.objective.formula,
        method=method.name,
        solver=None if solver is None else solver.name,
        seconds=incumbent.seconds,
        seed=run.seed,
        n_rows=problem.votes.n_rows,
        n_patterns=problem.patterns.n_patterns,
        n_classifiers=problem.n_classifiers,
        constraints=tuple(str(request) for request in problem.requests),
        diversity=None if problem.diversity is None else str(problem.diversity),
        explanation=outcome.explanation,
        incidents=(*incumbent.incidents, *incumbent.unwritten),
        unwritten=tuple(incumbent.unwritten),
        trusted=trusted,
        versions=versions_of(solver),
        trace=tuple(incumbent.trace),
        problem=problem,
        certificate=certificate_of(problem, run, status, trusted),
    )
