"""From a run to its certificate: what can have one, and what it rests on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ..bounds.closure import Cut, closure
from ..exceptions import InputError, OutputError
from ..files.outfile import check_folder
from ..problem.problem import Problem
from ..run.run import Method, Run
from ..strategies.certificate import Certificate
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
    # A run that needed no cut gets one all the same, as far as a moment goes.
    cut = cuts[0] if cuts else Cut(*closure(problem, time.monotonic() + _MOMENT))
    proof = proofs[-1] if proofs else None
    return Certificate(
        problem, status, incumbent.committee, incumbent.bound, proof, claims, cut=cut
    )
