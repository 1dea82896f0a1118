"""From a run to its certificate: what can have one, and what it rests on."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ..bounds.closure import Cut, closure
from ..exceptions import InputError, OutputError
from ..files.outfile import check_folder
from ..problem.plurality import PluralityProblem
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Method, Run
from ..soft.certificate import SoftCertificate
from ..soft.pruning import SoftPruning
from ..soft.tree import TOLERANCE, SoftTree
from ..strategies.certificate import Certificate
from ..strategies.plurality_certificate import PluralityCertificate
from .plurality_solution import PluralitySolution
from .soft_solution import SoftSolution
from .solution import Solution

S = TypeVar("S", Solution, PluralitySolution, SoftSolution)

_MOMENT = 0.2
"""Seconds for a closure bound that no proof rests on."""


def check_certified(
    certificate: object, problem: Problem, method: Method, checkpoint: Path | None
) -> bool:
    """Tell whether a certificate is wanted, or why there cannot be one.

    Raises
    ------
    InputError
        If the method proves nothing, the objective is no weighted sum, the path is none, or the
        proof may have begun in another run.
    """
    if not check_wanted(certificate, method, checkpoint):
        return False
    if problem.objective.kind != "linear":
        raise InputError(
            "certificate",
            f"{problem.objective.name} is no weighted sum of the counts; only such have "
            "certificates. Leave it out, or use another objective.",
        )
    if problem.votes.voted is not None:
        raise InputError(
            "certificate",
            "its checker reads a vote of every classifier on every row, and some abstain. Leave it "
            "out, or write 0 where a vote is missing, which abstentions='against' counts it as.",
        )
    return True


def check_wanted(certificate: object, method: Method, checkpoint: Path | None) -> bool:
    """Tell whether a certificate is wanted of a method, whatever the objective.

    Raises
    ------
    InputError
        If the method proves nothing, the path is none, or the proof may have begun in another run.
    """
    if certificate is False:
        return False
    if certificate is not True:
        if not isinstance(certificate, str | Path):
            raise InputError("certificate", f"expected True, False or a path, got {certificate!r}.")
        file = Path(certificate)
        if not file.parent.is_dir() or (file.exists() and not file.is_file()):
            raise InputError(
                "certificate",
                f"{certificate} is no file in a folder that exists. Name one that can be written.",
            )
        check_folder(file, "certificate")
    if checkpoint is not None:
        raise InputError(
            "certificate",
            "a proof that goes on from a checkpoint was not written down from its beginning. Give "
            "one of the two.",
        )
    if not method.proves:
        raise InputError(
            "certificate",
            f"{method.name} proves nothing, so there is nothing to certify. Use method='exact'.",
        )
    return True


def saved(solution: S, certificate: object) -> S:
    """Return a solution whose certificate is on file; a file that cannot be is an incident."""
    if solution.certificate is None or not isinstance(certificate, str | Path):
        return solution
    try:
        solution.certificate.save(certificate)
    except OutputError as error:
        return replace(
            solution,
            incidents=(*solution.incidents, str(error)),
            unwritten=(*solution.unwritten, str(error)),
        )
    return solution


def certificate_of(
    problem: Problem, run: Run, status: str, trusted: Sequence[str]
) -> Certificate | None:
    """Return what a run has proved, None where it was not written down."""
    if run.record is None:
        return None
    incumbent = run.incumbent
    cuts = [cut for cut in run.record if isinstance(cut, Cut)]
    proofs = [proof for proof in run.record if not isinstance(proof, Cut)]
    claims = tuple((name, incumbent.bound) for name in trusted)
    # A run that needed no cut gets one for its certificate, within a moment.
    cut = cuts[0] if cuts else Cut(*closure(problem, time.monotonic() + _MOMENT))
    proof = proofs[-1] if proofs else None
    return Certificate(
        problem,
        _on_file(status, incumbent),
        incumbent.committee,
        incumbent.bound,
        proof,
        claims,
        cut=cut,
    )


def check_plurality_certified(
    certificate: object, problem: PluralityProblem, method: Method, checkpoint: Path | None
) -> bool:
    """Tell whether a certificate is wanted, or why there cannot be one.

    Raises
    ------
    InputError
        As for votes on two classes; also under limits on coverage or on classes.
    """
    if not check_wanted(certificate, method, checkpoint):
        return False
    if problem.class_limits or problem.must_cover or problem.objective.kind != "plurality":
        raise InputError(
            "certificate",
            "a proof of an F-score, or under limits on coverage or on classes, is not written "
            "down. Leave it out, or use another objective and limits on members.",
        )
    return True


def plurality_certificate_of(
    problem: PluralityProblem, run: Run, status: str, trusted: Sequence[str]
) -> PluralityCertificate | None:
    """Return what a run has proved, None where it was not written down."""
    if run.record is None:
        return None
    incumbent = run.incumbent
    proof = run.record[-1] if run.record else None
    return PluralityCertificate(
        problem,
        _on_file(status, incumbent),
        incumbent.members,
        incumbent.bound,
        proof,
        # What was proved without recording a step was proved by trying all committees.
        proof is None and status in ("optimal", "infeasible") and not trusted,
        tuple((name, incumbent.bound) for name in trusted),
    )


def _on_file(status: str, incumbent: Incumbent) -> str:
    """Return the status that can be checked: up to a solver's rounding nothing is optimal."""
    return "feasible" if status == "optimal" and not incumbent.closed else status


def check_soft_certified(
    certificate: object, problem: SoftPruning, method: Method, checkpoint: Path | None
) -> bool:
    """Tell whether a certificate is wanted, or why there cannot be one.

    Raises
    ------
    InputError
        As for votes; also if the method keeps no tree, or the probabilities are a part of others.
    """
    if not check_wanted(certificate, method, checkpoint):
        return False
    if method.name != "exact":
        raise InputError(
            "certificate",
            f"{method.name} writes no proof for soft committees down. Use method='exact'.",
        )
    if not problem.said.digest:
        scanned = problem.numbers.moments is not None
        raise InputError(
            "certificate",
            f"these probabilities were {'scanned' if scanned else 'selected from others'}, and a "
            "certificate is about a table as it stands. Build vp.Probabilities of the "
            f"{'rows' if scanned else 'selected ones'}.",
        )
    return True


def soft_certificate_of(problem: SoftPruning, run: Run, status: str) -> SoftCertificate | None:
    """Return what a run has proved, None where it was not written down."""
    if run.record is None:
        return None
    committee, said = run.incumbent.committee, problem.said
    # A run that ended before its tree began gets the root alone.
    tree: SoftTree = (
        run.record[-1]
        if run.record
        else SoftTree(
            problem.numbers, problem.loss, incumbent=run.incumbent.members, keep_steps=True
        )
    )
    bound = tree.lower_bound
    return SoftCertificate(
        problem=problem.numbers,
        names=said.names,
        kinds=said.kinds,
        classes=said.classes,
        clip=said.clip,
        digest=said.digest,
        steps=tree.steps or (),
        status=status,
        bound=bound if math.isfinite(bound) else None,
        tolerance=TOLERANCE,
        committee=None
        if committee is None
        else (
            committee.members,
            committee.weights,
            committee.intercepts,
            -run.incumbent.score * problem.total,
        ),
    )
