"""`check_soft`: what of a soft committee's certificate holds, what fails, what is trusted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from .fields import number, plain
from .replay import Fault
from .soft_document import BRIER, LOG_LOSS, POOL_LOG_LOSS, SoftDocument
from .soft_limits import SoftLimits, TooLargeError
from .soft_linear import LinearPool
from .soft_pool import SoftPool
from .soft_table import digest, read_soft_table
from .soft_tree import SoftTree
from .verification import TOO_LARGE, Notes, as_many_rows, is_about, judged, labels_of, no_committee

AGREEMENT = Fraction(1, 10**9)
"""How far the loss that is told may be from the one that is computed, as a share of it."""

_WORDS = {
    LOG_LOSS: "log loss of weighted log-odds",
    POOL_LOG_LOSS: "log loss of a weighted mean of probabilities",
    BRIER: "squared error of a weighted mean of probabilities",
}


def check_soft(
    document: SoftDocument, probabilities: str | Path, target: str | None, notes: Notes
) -> None:
    """Check a soft certificate against the probabilities it is about."""
    table = read_soft_table(probabilities, document, target)
    if table is None:
        notes.trusted.append(TOO_LARGE)
        return
    if not as_many_rows(document, len(table.labels), notes):
        return
    size = (
        f"{document.n_rows} rows, {len(document.members)} members, {len(document.classes)} classes"
    )
    is_about(document, digest(document, table), "probabilities", size, notes)
    try:
        kind = SoftPool if document.loss == LOG_LOSS else LinearPool
        pool = kind(document, table)
    except ValueError as error:
        notes.failed.append(str(error))
        return
    try:
        limits = SoftLimits(document)
    except TooLargeError:
        notes.trusted.append("everything: the limits are too many to check here")
        return
    _check_committee(document, pool, limits, notes)
    _check_bound(document, pool, limits, notes)


def _check_committee(
    document: SoftDocument, pool: SoftPool | LinearPool, limits: SoftLimits, notes: Notes
) -> None:
    seats, bound = document.committee, document.bound
    if (bound is None) != (document.status == "infeasible"):
        notes.failed.append("there is a bound if and only if committees are allowed")
    if seats is None:
        no_committee(document, notes)
        return
    faults = list(limits.faults(seats.members))
    try:
        loss = pool.loss_above(seats)
    except ValueError as error:
        notes.failed.append(f"the committee: {error}")
        return
    if abs(loss - seats.loss) > AGREEMENT * loss:
        faults.append(f"its penalised loss is {float(loss):.12g}")
    if document.status == "infeasible":
        faults.append("there is one, although the certificate says that there is none")
    if bound is not None and loss < bound:
        faults.append("its penalised loss is below the bound")
    if document.status == "optimal" and bound is not None:
        gap = (loss - bound) / loss
        if gap > document.tolerance:
            faults.append(
                f"it is called optimal, but the bound is a share of {float(gap):.3g} less"
            )
    judged(
        faults, f"{len(seats.members)} members, penalised loss at most {float(loss):.12g}", notes
    )


def _check_bound(
    document: SoftDocument, pool: SoftPool | LinearPool, limits: SoftLimits, notes: Notes
) -> None:
    if not document.nodes:
        notes.failed.append("the tree: it has no node")
        return
    points = sum(node.point is not None for node in document.nodes)
    try:
        closed = SoftTree(document.nodes, pool, limits, document.bound).run()
    except TooLargeError:
        notes.trusted.append(f"the bound: {len(document.nodes)} nodes are too large to check here")
        return
    except Fault as fault:
        notes.failed.append(f"the tree: {plain(fault)}")
        return
    notes.checked.append(
        f"the tree: {len(document.nodes)} nodes, {points} dual points, {closed} parts closed"
    )


def soft_statement(document: SoftDocument, target: str | None) -> Iterator[str]:
    """Yield what a certificate claims, in words."""
    d = document
    names = [plain(member.name) for member in d.members]
    yield (
        f"minimise {_WORDS[d.loss]}, summed over the rows, with penalty "
        f"{number(d.penalty)}, probabilities clipped at {d.clip:g}"
    )
    yield f"from {len(names)} members, {number(d.size_min)} to {number(d.size_max)} of them"
    yield f"where the classes are {', '.join(plain(label) for label in d.classes[:20])}"
    yield from labels_of(d.target, target)
    yield from _columns(d)
    for kind, words in (("vote", "merely vote"), ("score", "give scores, taken as log-odds")):
        some = [name for name, member in zip(names, d.members, strict=True) if member.kind == kind]
        if some:
            yield f"of whom {len(some)} {words}"
    if d.row_weights is not None:
        carrying = sum(weight > 0 for weight in d.row_weights)
        total = math.fsum(d.row_weights)
        yield f"where {carrying} of {d.n_rows} rows carry weight, {total:.8g} in all, as listed"
    for word, places in (("with", d.required), ("without", d.forbidden)):
        if places:
            yield f"{word} {', '.join(names[k] for k in places[:20])}"
    for _, most in d.costs:
        yield f"costing at most {number(most)}, as the certificate lists the costs"
    for group in d.groups:
        upper = "any number" if group.at_most is None else number(group.at_most)
        yield f"with {number(group.at_least)} to {upper} of a group of {len(group.members)}"
    if d.bound is None:
        yield "there is no such committee"
        return
    if d.committee is not None:
        seated = ", ".join(names[k] for k in d.committee.members[:20])
        yield f"{seated}: penalised loss {float(d.committee.loss):.12g}"
    yield f"no such committee has a penalised loss below {float(d.bound):.12g}"
    if d.status == "optimal":
        yield f"so none has less by more than a share of {float(d.tolerance):.3g}"


def _columns(document: SoftDocument) -> Iterator[str]:
    """Say what is read as whose answers, where names do not tell."""
    for member in document.members:
        own = [member.name]
        if document.width > 1:
            own = [f"{member.name}:{label}" for label in document.classes]
        if list(member.columns) != own:
            listed = ", ".join(plain(column) for column in member.columns[:20])
            yield f"where the answers of {plain(member.name)} are {listed}"
