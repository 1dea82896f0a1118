"""Promises of soft committees: the committee at every cut-off is a candidate.

The committee is chosen on one part of the rows, as ever. Its cut-offs there, those that keep the
limits on criteria, are put in order, safest first; then they are tested on the rows held out. Of
those that pass the one is taken that is right most often on the first part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..exceptions import InputError
from ..soft.committee import SoftCommittee
from ..soft.probabilities import Probabilities
from ..soft.pruning import SoftPruning
from .cutoffs import CutOffs, decide
from .promise import errors_of, promise, tail
from .promising import Wish
from .soft_solution import SoftSolution

_MOST = 40
"""Cut-offs that are tested at the most, spread evenly over the rows."""


def check_two_classes(said: Probabilities) -> None:
    """Refuse to promise anything about several classes."""
    if len(said.classes) != 2:
        raise InputError(
            "promise", f"is about two classes, and there are {len(said.classes)}. Leave it out."
        )


def keep_promise(wish: Wish, solution: SoftSolution, held_out: Probabilities) -> SoftSolution:
    """Return the committee with the best cut-off that a promise can be made of, with the promise.

    Parameters
    ----------
    wish
        What is to be promised.
    solution
        Of the rows to choose on. Where nothing can be promised it comes back, saying so.
    held_out
        The other rows.
    """
    problem, committee = solution.problem, solution.committee
    assert problem is not None
    if committee is None:
        nothing = promise([], held_out, wish.limit, confidence=wish.confidence)
        return replace(solution, promise=nothing)
    shares = committee.predict_proba(problem.said)
    ranked = _ranked(wish, solution, problem, CutOffs.of(problem, shares))
    rights = [decide(problem.said, each, shares)[0] for each in ranked]
    told = promise(
        ranked, held_out, wish.limit,
        confidence=wish.confidence, costs=[-right for right in rights],
    )  # fmt: skip
    if told.chosen is None:
        return replace(solution, promise=told)
    chosen = ranked[told.chosen]
    accuracy, confusion = decide(problem.said, chosen, shares)
    return replace(solution, committee=chosen, accuracy=accuracy, confusion=confusion, promise=told)


def _ranked(
    wish: Wish, solution: SoftSolution, problem: SoftPruning, swept: CutOffs
) -> list[SoftCommittee]:
    """Return the committee at some cut-offs, the safest on the problem's rows first."""
    committee = solution.committee
    assert committee is not None
    places = np.flatnonzero(swept.fits)
    if len(places) > _MOST:
        places = places[np.linspace(0, len(places) - 1, _MOST).round().astype(np.intp)]
    cutoffs = {committee.cutoff, *(swept.at(int(place)) for place in places)}
    candidates = [replace(committee, cutoff=cutoff) for cutoff in sorted(cutoffs)]

    def risk(candidate: SoftCommittee) -> float:
        counted = errors_of(candidate, problem.said, str(wish.limit.what))
        return tail(*counted, 1 - wish.limit.limit)

    return sorted(candidates, key=risk)
