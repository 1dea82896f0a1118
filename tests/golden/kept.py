"""Files as they were written when their formats were first pinned, and how they came about."""

from __future__ import annotations

import shutil

import voteprune as vp
from golden.runs import FILES, after, ask, plural, votes, write_table, write_words
from golden.steady import proved_alone, slow_clock

CLASH = [vp.AtLeast("recall", 0.95), vp.AtMost("fp", 1)]
PAIR = vp.AtMost("size", 2)


def small():
    """The votes of most files, `votes.csv`."""
    return votes(3, 50, 9)


def branched():
    """The votes of checkpoints, whose proofs need branching."""
    return votes(1, 60, 10)


def many():
    """Votes too many to be tried out for a second opinion, `many.csv`."""
    return votes(11, 24, 18)


def words():
    """Labels, `words.csv`."""
    return plural(15, 24, 5)


def certified(by):
    """Return what writes a proof by boxes or by clauses down."""

    def write(path):
        with proved_alone(by):
            ask(small(), start=[0], certificate=path)

    return write


def on_trust(path):
    with slow_clock():
        ask(many(), certificate=path, method="merged", constraints=PAIR)


def stopped(by, steps, times):
    """Return what leaves a checkpoint behind."""

    def leave(path):
        with proved_alone(by, steps):
            ask(branched(), start=[0], checkpoint=path, callback=after(times))

    return leave


MAKERS = {
    "votes.csv": lambda path: write_table(path, small()),
    "many.csv": lambda path: write_table(path, many()),
    "words.csv": lambda path: write_words(path, words()),
    "certificate_boxes.json": certified("boxes"),
    "certificate_clauses.json": certified("clauses"),
    "certificate_tried.json": lambda path: ask(small(), certificate=path),
    "certificate_infeasible.json": lambda p: ask(small(), constraints=CLASH, certificate=p),
    "certificate_trusted.json": on_trust,
    "committee.json": lambda path: ask(small()).committee.save(path),
    "committee_ballots.json": lambda p: ask(small(), method="caruana").committee.save(p),
    "committee_plurality.json": lambda path: ask(words()).committee.save(path),
    "solution.json": lambda path: ask(small(), constraints=PAIR).save(path),
    "solution_ratio.json": lambda path: ask(small(), objective="f1").save(path),
    "solution_margin.json": lambda path: ask(small(), objective=vp.Ramp(1)).save(path),
    "solution_infeasible.json": lambda path: ask(small(), constraints=CLASH).save(path),
    "solution_plurality.json": lambda path: ask(words()).save(path),
    "checkpoint_boxes.npz": stopped("boxes", 25, 12),
    "checkpoint_cells.npz": stopped("clauses", 40, 8),
}
"""How each file came about."""


def write_missing():
    """Make the files that are not there."""
    FILES.mkdir(exist_ok=True)
    for name, make in MAKERS.items():
        if not (FILES / name).exists():
            make(FILES / name)


def copied(name, folder):
    """Return the path of a copy of a file, which may be written to."""
    return shutil.copy(FILES / name, folder / name)
