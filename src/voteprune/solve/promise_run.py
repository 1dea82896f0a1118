"""`Pledge`: a run that holds rows out, makes candidates on the others, and promises what they keep.

The rows are split at random. On the first part the run goes as ever, then again under stricter and
stricter limits on the promised criterion. The committees found, each at every threshold that the
constraints allow, are the candidates, ordered by how safe they are on this part. Only then are the
other rows looked at.

Of a soft committee every cut-off that keeps the limits on criteria is a candidate, safest first. Of
those that pass on the rows held out the one is taken that is right most often on the first part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from ..exceptions import InputError
from ..numbers.exact import exact
from ..problem.committee import Committee
from ..problem.constraints import AtLeast
from ..problem.problem import Problem
from ..run.run import Method
from ..soft.committee import SoftCommittee
from ..soft.probabilities import Probabilities, ScannedProbabilities
from ..soft.pruning import SoftPruning
from ..votes.votes import Votes
from .cutoffs import CutOffs, decide
from .promise import (
    about_class,
    check_confidence,
    check_unweighted,
    check_wish,
    errors_of,
    promise,
    tail,
)
from .request import Circumstances
from .soft_solution import SoftSolution
from .solution import Solution
from .solve import carry_out

Rows = TypeVar("Rows", Votes, Probabilities)

_STRICTER = (Fraction(0), Fraction(1, 3), Fraction(2, 3))
"""Limits on the criterion that candidates are sought under, in shares of the way to 1."""

FIRST = 0.5
"""Share of the time for the run without them."""

_MOST = 40
"""Cut-offs that are tested at the most, spread evenly over the rows."""


@dataclass(frozen=True, slots=True)
class Pledge:
    """What is to be promised, with which confidence, and which share of the rows is held out."""

    limit: AtLeast
    confidence: Fraction
    holdout: Fraction

    @classmethod
    def of(
        cls, promise: object, confidence: object, holdout: object, **other: object
    ) -> Pledge | None:
        """Check what is to be promised; None where nothing is to be promised.

        Parameters
        ----------
        promise, confidence, holdout
            As given to `prune`.
        other
            Arguments that do not go with a promise.
        """
        if promise is None:
            for name, given in (("confidence", confidence), ("holdout", holdout)):
                if given is not None:
                    raise InputError(
                        name, "is for promises. Give promise=vp.AtLeast('recall', 0.9), say, too."
                    )
            return None
        for name, given in other.items():
            if given:
                raise InputError(name, "does not go with a promise. Leave one of them out.")
        wished = check_wish(promise)
        level = check_confidence(0.95 if confidence is None else confidence)
        share = exact(0.3 if holdout is None else holdout, "holdout")
        if not 0 < share < 1:
            raise InputError("holdout", f"is {holdout!r}; give a share of the rows such as 0.3.")
        return cls(wished, level, share)

    def about(self, votes: Rows) -> Pledge:
        """Return the same about the positive class, if it is about one by name."""
        return replace(self, limit=about_class(self.limit, votes.classes))

    def split(self, votes: Rows, seed: int) -> tuple[Rows, Rows]:
        """Return the rows to choose on and those held out, drawn at random."""
        check_unweighted(votes)
        if isinstance(votes, ScannedProbabilities):
            raise InputError(
                "promise", "needs rows in memory, and these are scanned. Build vp.Probabilities."
            )
        order = np.random.default_rng(seed).permutation(votes.n_rows)
        count = round(self.holdout * votes.n_rows)
        try:
            return votes.take(np.sort(order[count:])), votes.take(np.sort(order[:count]))
        except InputError:
            raise InputError(
                "holdout",
                f"leaves a class out on one side: {count} of {votes.n_rows} rows are held out. "
                "Give another share, or more rows.",
            ) from None

    def keep(
        self, solution: Solution, held_out: Votes, method: Method, circumstances: Circumstances
    ) -> Solution:
        """Return the best committee that a promise can be made of, with the promise.

        Parameters
        ----------
        solution
            Of the rows to choose on. Where nothing can be promised it comes back, saying so.
        held_out
            The other rows.
        method, circumstances
            By what further candidates are found, in the time that is left of twice as much.
        """
        problem = solution.problem
        assert problem is not None
        ranked = self._ranked(problem, solution, method, circumstances)
        values = [problem.objective.read(problem.score(each)) for each in ranked]
        told = promise(
            ranked, held_out, self.limit,
            confidence=self.confidence, costs=[-value for value in values],
        )  # fmt: skip
        if told.chosen is None:
            return replace(solution, promise=told)
        chosen, value = ranked[told.chosen], values[told.chosen]
        return replace(
            solution,
            status=solution.status if value == solution.value else "feasible",
            committee=chosen,
            confusion=problem.confusion(chosen),
            value=value,
            promise=told,
            smallest=False,
        )

    def _ranked(
        self, problem: Problem, solution: Solution, method: Method, circumstances: Circumstances
    ) -> list[Committee]:
        """Return the candidates, the safest on the problem's rows first."""
        found = {} if solution.committee is None else {solution.committee: None}
        stopped = solution.termination in ("interrupted", "callback")
        if "criterion" in method.honours and not stopped:
            short = replace(circumstances, seconds=circumstances.seconds / len(_STRICTER))
            for part in _STRICTER:
                least = self.limit.limit + part * (1 - self.limit.limit)
                requests = [*problem.requests, AtLeast(self.limit.what, least)]
                stricter = problem.with_requests(requests, problem.asked_diversity)
                other = carry_out(stricter, method, short).committee
                if other is not None:
                    found[other] = None
        for committee in tuple(found):
            for level in range(committee.n_votes):
                moved = replace(committee, threshold=level)
                if problem.allows(moved):
                    found[moved] = None
        what, votes = str(self.limit.what), problem.votes

        def risk(committee: Committee) -> tuple[float, float]:
            counted = errors_of(committee, votes, what)
            value = problem.objective.read(problem.score(committee))
            return tail(*counted, 1 - self.limit.limit), value

        return sorted(found, key=risk)


def check_two_classes(said: Probabilities) -> None:
    """Refuse to promise anything about several classes."""
    if len(said.classes) != 2:
        raise InputError(
            "promise", f"is about two classes, and there are {len(said.classes)}. Leave it out."
        )


def keep_promise(pledge: Pledge, solution: SoftSolution, held_out: Probabilities) -> SoftSolution:
    """Return the committee with the best cut-off that a promise can be made of, with the promise.

    Parameters
    ----------
    pledge
        What is to be promised.
    solution
        Of the rows to choose on. Where nothing can be promised it comes back, saying so.
    held_out
        The other rows.
    """
    problem, committee = solution.problem, solution.committee
    assert problem is not None
    if committee is None:
        nothing = promise([], held_out, pledge.limit, confidence=pledge.confidence)
        return replace(solution, promise=nothing)
    scored = problem.said.scored(committee)
    ranked = _ranked(pledge, solution, problem, CutOffs.of(problem, scored))
    rights = [decide(scored, each.cutoff)[0] for each in ranked]
    told = promise(
        ranked, held_out, pledge.limit,
        confidence=pledge.confidence, costs=[-right for right in rights],
    )  # fmt: skip
    if told.chosen is None:
        return replace(solution, promise=told)
    chosen = ranked[told.chosen]
    accuracy, confusion = decide(scored, chosen.cutoff)
    return replace(solution, committee=chosen, accuracy=accuracy, confusion=confusion, promise=told)


def _ranked(
    pledge: Pledge, solution: SoftSolution, problem: SoftPruning, swept: CutOffs
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
        counted = errors_of(candidate, problem.said, str(pledge.limit.what))
        return tail(*counted, 1 - pledge.limit.limit)

    return sorted(candidates, key=risk)
