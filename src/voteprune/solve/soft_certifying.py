"""From a run for soft committees to its certificate: what can have one, and what it rests on."""

from __future__ import annotations

import math
from pathlib import Path

from ..exceptions import InputError
from ..run.run import Method, Run
from ..soft.certificate import SoftCertificate
from ..soft.pruning import SoftPruning
from ..soft.tree import TOLERANCE, SoftTree
from .certifying import check_wanted


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
        raise InputError(
            "certificate",
            "these probabilities were selected from others, and a certificate is about a table as "
            "it stands. Build vp.Probabilities of the selected ones.",
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
