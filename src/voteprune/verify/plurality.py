"""`check_plurality`: what of a plurality committee's certificate holds, fails, or is trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .fields import number, plain
from .plurality_document import PluralityDocument
from .plurality_pool import PluralityPool
from .plurality_table import digest, read_patterns
from .plurality_tree import Outcome, PluralityTree
from .replay import Fault
from .soft_limits import TooLargeError
from .verification import (
    TOO_LARGE,
    Notes,
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

_LISTED = 20
"""Classes, worths or classifiers that are named."""


def check_plurality(
    document: PluralityDocument, votes: str | Path, target: str | None, notes: Notes
) -> None:
    """Check a certificate of a plurality committee against votes with a class in every cell."""
    read = read_patterns(votes, document, target)
    if read is None:
        notes.trusted.append(TOO_LARGE)
        return
    n_rows, patterns = read
    if not as_many_rows(document, n_rows, notes):
        return
    size = (
        f"{n_rows} rows, {len(document.names)} classifiers, {len(patterns)} patterns, "
        f"{len(document.classes)} classes"
    )
    is_about(document, digest(document, patterns), "votes", size, notes)
    try:
        pool = PluralityPool(document, patterns)
    except ValueError as error:
        notes.failed.append(str(error))
        return
    _check_committee(document, pool, notes)
    _check_bound(document, pool, notes)


def _check_committee(document: PluralityDocument, pool: PluralityPool, notes: Notes) -> None:
    if document.members is None:
        no_committee(document, notes)
        return
    value = pool.value(document.members)
    faults = [*pool.faults(document.members), *value_faults(document, value)]
    told = f"{len(document.members)} members, worth {units(document, value)}"
    judged(faults, told, notes)


def _check_bound(document: PluralityDocument, pool: PluralityPool, notes: Notes) -> None:
    """Check the bound by the tree, or take it on trust where somebody has claimed it."""
    # Whoever reaches no more than everybody has, at the least, is not there.
    goal = pool.floor if document.status == "infeasible" else pool.above(document.bound)
    nodes = len(document.nodes)
    try:
        outcome = PluralityTree(pool, goal).run()
    except TooLargeError:
        notes.trusted.append(f"the bound: {nodes} nodes are too large to check here")
        return
    except (Fault, ValueError) as fault:
        notes.failed.append(f"the tree: {plain(fault)}")
        return
    if outcome.unproved:
        _believe(document, outcome, notes)
    notes.checked.append(
        f"the tree: {nodes} nodes, {outcome.closed} parts closed, {outcome.tried} tried"
    )
    if outcome.untried:
        notes.trusted.append(
            f"the bound: all committees of {outcome.untried} parts were tried, too large to try "
            "again here"
        )


def _believe(document: PluralityDocument, outcome: Outcome, notes: Notes) -> None:
    if told := believed(document):
        notes.trusted.append(told)
        return
    sizes = sorted(set(outcome.unproved))
    notes.failed.append(
        f"the tree: {len(outcome.unproved)} parts are not bounded, of size "
        f"{', '.join(map(str, sizes[:_LISTED]))}"
    )


def plurality_statement(document: PluralityDocument, target: str | None) -> Iterator[str]:
    """Yield what a certificate claims, in words."""
    d = document
    names, classes = [plain(name) for name in d.names], [plain(label) for label in d.classes]
    yield f"maximise {plain(d.objective)}: {_worths(d, classes)}"
    yield (
        f"from {len(names)} classifiers, {number(d.size_min)} to {number(d.size_max)} of them; "
        "most votes win"
    )
    yield f"where the classes are {_listed(classes)}, and of equals the first wins"
    yield from labels_of(d.target, target)
    if d.abstentions is not None:
        counts = {"skip": "nothing", "against": f"a vote for {classes[0]}"}[d.abstentions]
        yield f"where a missing vote counts for {counts}"
    yield from weights_of(d)
    for word, places in (("with", d.required), ("without", d.forbidden)):
        if places:
            yield f"{word} {_listed([names[k] for k in places])}"
    for _, most in d.costs:
        yield f"costing at most {number(most)}, as the certificate lists the costs"
    if d.status == "infeasible":
        yield "there is no such committee"
        return
    if d.members is not None:
        yield f"{_listed([names[k] for k in d.members])}: {units(d, d.value)}"
    yield f"no such committee exceeds {units(d, d.bound)}"


def _worths(document: PluralityDocument, classes: list[str]) -> str:
    return _listed(
        [
            f"{number(worth)} for a row of {classes[true]} decided as {classes[said]}"
            for true, said, worth in document.worths
        ]
    )


def _listed(words: list[str]) -> str:
    return listed(words, _LISTED) or "nothing"
