"""Runs that no clock has a say in. Everything here that is not public is gathered in this file.

Rounds of a proof end after so many steps instead of seconds, and workers run in this process
(`badstart.Workers`). Time passes a thousand times more slowly, so searches end by their patience.
What moves or is renamed inside the package is followed up here, and nowhere else in this folder.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from unittest import mock

from badstart import ENUMERATING, Way, Workers, search_switched_off
from voteprune.strategies import exact as engine
from voteprune.tree import driver
from voteprune.tree.nogoods import driver as refuting

CLAUSES = ((refuting, "CLOSE", float("inf")), (refuting, "_HOPELESS", float("inf")))
BOXES = ((refuting, "CLOSE", -1.0),)
"""What has a proof go by clauses, or by sizes and thresholds, however near the first bound is."""

OTHERS = {"boxes": "_prove_by_nogoods", "clauses": "_prove_by_sizes"}
"""What must not answer in its place: constants of the engine may prefer it one day."""

WHOLE = 10**9
"""Steps of a round that ends only when nothing is left to do."""


@contextmanager
def slow_clock():
    """Let time pass a thousand times more slowly."""
    clock = time.monotonic
    began = clock()

    def slowly():
        return began + (clock() - began) / 1000

    with mock.patch.object(time, "monotonic", slowly):
        yield


def not_otherwise(by: str):
    """Have a run fail that is proved another way than it says."""
    wrong = AssertionError(f"{OTHERS[by]} is asked for a proof by {by}")
    return mock.patch.object(engine, OTHERS[by], side_effect=wrong)


@contextmanager
def proved(by: str, steps: int = WHOLE):
    """Have small pools proved rather than tried out: "boxes" or "clauses", after a search."""
    here = Workers(Way(workers=1, steps=steps), seed=0)
    with ExitStack() as stack:
        enter = stack.enter_context
        enter(slow_clock())
        for room, name in ENUMERATING:
            enter(mock.patch.object(room, name, 0))
        enter(mock.patch.object(driver, "run_tasks", here.run_tasks))
        for room, name, value in {"boxes": BOXES, "clauses": CLAUSES}[by]:
            enter(mock.patch.object(room, name, value))
        enter(mock.patch.object(engine, "prepare"))
        enter(not_otherwise(by))
        yield


@contextmanager
def proved_alone(by: str, steps: int = WHOLE):
    """Leave everything to the proof, search off: "boxes", "clauses", or "solver" in the end."""
    way = Way({"boxes": "levels"}.get(by, by), workers=1, steps=steps)
    only = not_otherwise("boxes" if by == "solver" else by)
    with slow_clock(), search_switched_off(way, Workers(way, seed=0)), only:
        yield
