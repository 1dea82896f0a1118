"""``voteprune verify``: a certificate against the votes it is about."""

from __future__ import annotations

from pathlib import Path

from ..verify import verify
from .output import emit
from .saying import PROVED, REFUTED


def verify_command(certificate: Path, file: Path, /, *, target: str | None = None) -> int:
    """Check a certificate against the votes in FILE, in exact arithmetic.

    Recounts the committee, its limits, the minimum cut and every step of the proof, with none of
    the code that made them; of a soft committee its loss, its limits and every node of the tree.
    Says what holds, what fails, and what is taken on trust. The exit code
    is 0 if nothing fails, 1 if anything does, and 2 if a file cannot be read.

    Parameters
    ----------
    certificate
        What "voteprune prune --certificate" wrote.
    file
        The votes, or the probabilities where it is about a soft committee: CSV, plain or gzipped.
    target
        Label column; the one named in the certificate when omitted.
    """
    found = verify(certificate, file, target)
    emit(found.summary() + "\n")
    return PROVED if found.holds else REFUTED
