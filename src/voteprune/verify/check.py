"""`verify`: what of a certificate holds, what fails, and what must be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from .clauses import Recheck
from .document import Document, Four, document_of, open_certificate
from .fields import number, plain
from .flow import cut_bound, flow_faults
from .limits import Limits
from .plurality import check_plurality, plurality_statement
from .plurality_document import PLURALITY, plurality_document_of
from .pool import Pool, digest, merge
from .replay import Fault, Replay
from .soft import check_soft, soft_statement
from .soft_document import SOFT, soft_document_of
from .table import read_table
from .trying import better, is_small
from .verification import (
    Notes,
    Verification,
    as_many_rows,
    believed,
    is_about,
    judged,
    labels_of,
    listed,
    no_committee,
    units,
    value_faults,
    weights_of,
)


def verify(certificate: str | Path, votes: str | Path, target: str | None = None) -> Verification:
    """Check a certificate against the votes it is about, in exact arithmetic.

    Parameters
    ----------
    certificate
        JSON file, as `voteprune prune --certificate` writes it.
    votes
        CSV file, plain or gzipped; of probabilities, if the certificate is about a soft committee.
    target
        The label column; what the certificate says when omitted, else the paper's own.

    Returns
    -------
    Verification

    Raises
    ------
    FileFormatError
        If a file cannot be read as what it should be. A certificate that can be read and is wrong
        is no error; its verification says so.
    """
    found, notes = open_certificate(certificate), Notes()
    if found["format"] == SOFT:
        soft = soft_document_of(certificate, found)
        check_soft(soft, votes, target or soft.target, notes)
        return notes.conclusion(soft_statement(soft, target))
    if found["format"] == PLURALITY:
        plural = plurality_document_of(certificate, found)
        check_plurality(plural, votes, target or plural.target, notes)
        return notes.conclusion(plurality_statement(plural, target))
    document = document_of(certificate, found)
    _check(document, votes, target or document.target, notes)
    return notes.conclusion(_statement(document, target))


def _check(document: Document, votes: str | Path, target: str | None, notes: Notes) -> None:
    """Check a certificate of a committee of two classes against the votes it is about."""
    table = read_table(votes, document.names, target)
    if not as_many_rows(document, len(table.votes), notes):
        return
    patterns = merge(table, document.row_weights)
    size = f"{document.n_rows} rows, {len(document.names)} classifiers, {len(patterns)} patterns"
    is_about(document, digest(document.names, patterns), "votes", size, notes)
    try:
        pool = Pool.of(document, patterns)
    except ValueError as error:
        notes.failed.append(str(error))
        return
    limits = Limits(document, pool)
    _check_committee(document, pool, limits, notes)
    _check_bound(document, pool, limits, notes)


def _check_committee(document: Document, pool: Pool, limits: Limits, notes: Notes) -> None:
    if document.members is None:
        no_committee(document, notes)
        return
    value = pool.value(document.members, document.threshold)
    faults = list(limits.faults(document.members, document.threshold))
    faults += value_faults(document, value)
    told = f"{len(document.members)} members, threshold {document.threshold}"
    judged(faults, f"{told}, worth {units(document, value)}", notes)


def _check_bound(document: Document, pool: Pool, limits: Limits, notes: Notes) -> None:
    """Check the bound: by the cut, by the steps, by trying everything, or else take it on trust."""
    faults = list(flow_faults(pool, document.flow))
    proved = cut_bound(pool, document.flow)
    if not faults and proved > document.cut_bound:
        faults.append(f"it bounds by {units(document, proved)} only")
    if faults:
        notes.failed += [f"the cut: {plain(fault)}" for fault in faults]
        return
    notes.checked.append(
        f"the cut: no committee exceeds {units(document, proved)} ({len(document.flow)} pairs)"
    )
    closed = proved <= document.bound
    if document.proof is not None:
        try:
            outcome = Replay(document, document.proof, pool, limits, proved).run()
        except Fault as fault:
            notes.failed.append(f"the proof: {plain(fault)}")
            return
        closed = closed or not outcome.unproved
        notes.checked.append(
            f"the proof: {_several(len(document.proof.steps), 'step')}, "
            f"{_several(outcome.dropped, 'pair')} of size and threshold ruled out, "
            f"{_several(outcome.decided, 'decision')}, "
            f"{_several(outcome.open_pairs - outcome.unproved, 'pair')} left open and bounded"
        )
    if document.refutation is not None:
        try:
            cells = Recheck(document, document.refutation, pool, limits).run()
        except Fault as fault:
            notes.failed.append(f"the refutation: {plain(fault)}")
            return
        closed = True
        notes.checked.append(
            f"the refutation: {len(document.refutation.clauses)} clauses, {cells} cells closed"
        )
    if document.status == "infeasible":
        _check_by_trying(document, pool, limits, notes, None)
    elif not closed:
        _check_by_trying(document, pool, limits, notes, pool.above(document.bound))


def _check_by_trying(
    document: Document, pool: Pool, limits: Limits, notes: Notes, least: int | None
) -> None:
    if is_small(document, pool):
        found = better(document, pool, limits, least)
        if found is None:
            notes.checked.append("every committee there is: tried, none contradicts the claim")
        else:
            notes.failed.append(
                f"the bound: members {found[0]} with threshold {found[1]} exceed it"
            )
        return
    if told := believed(document):
        notes.trusted.append(told)
    elif document.status == "infeasible":
        notes.trusted.append("that no committee meets the limits: too large to try")
    elif document.proof is None and not document.trusted:
        notes.trusted.append("the bound: all committees were tried, too large to try again here")
    else:
        notes.failed.append("the bound: nothing in the certificate supports it")


def _statement(document: Document, target: str | None) -> Iterator[str]:
    names = document.names
    sizes = f"{number(document.size_min)} to {number(document.size_max)}"
    yield f"maximise {plain(document.objective)}: {_weights(document.weights)}"
    yield f"from {len(names)} classifiers, {sizes} of them"
    yield from labels_of(document.target, target)
    yield from weights_of(document)
    for word, places in (("with", document.required), ("without", document.forbidden)):
        if places:
            yield f"{word} {', '.join(plain(names[k]) for k in places)}"
    for costs, most in document.costs:
        yield _cost_limit(costs, most, names)
    for weights, least in document.criteria:
        yield f"where {_weights(weights)} is at least {number(least)}"
    if document.diversity is not None:
        measure, tau, gamma = document.diversity
        yield f"where {measure} is limited by {number(tau)} for every member"
        yield f"and by {number(gamma)} in the mean"
    if document.status == "infeasible":
        yield "there is no such committee"
        return
    if document.members is not None:
        seated = ", ".join(plain(names[k]) for k in document.members)
        value = units(document, document.value)
        yield f"{seated} with more than {number(document.threshold)} votes: {value}"
    yield f"no such committee exceeds {units(document, document.bound)}"


_LISTED = 12
"""Classifiers of a group that are named."""


def _cost_limit(costs: Sequence[Fraction], most: Fraction, names: Sequence[str]) -> str:
    """Say what a limit on costs says; it is one on a group where who costs, costs 1, or -1."""
    kinds = {cost for cost in costs if cost}
    if kinds not in ({1}, {-1}) or most.denominator != 1:
        return f"costing at most {number(most)}, as the certificate lists the costs"
    group = [plain(name) for name, cost in zip(names, costs, strict=True) if cost]
    asked = f"at most {number(most)}" if 1 in kinds else f"at least {number(-most)}"
    return f"with {asked} of {listed(group, _LISTED)}"


def _weights(weights: Four) -> str:
    parts = zip(weights, ("tp", "fn", "tn", "fp"), strict=True)
    return " + ".join(f"{number(weight)} {name}" for weight, name in parts if weight) or "0"


def _several(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
