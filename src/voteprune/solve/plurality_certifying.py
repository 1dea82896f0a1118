"""From a run for several classes to its certificate: what can have one, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..exceptions import InputError
from ..problem.plurality import PluralityProblem
from ..run.run import Method, Run
from ..strategies.plurality_certificate import PluralityCertificate
from .certifying import check_wanted


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
        status,
        incumbent.members,
        incumbent.bound,
        proof,
        # Who has proved something without any step has tried everything.
        proof is None and status in ("optimal", "infeasible") and not trusted,
        tuple((name, incumbent.bound) for name in trusted),
    )
