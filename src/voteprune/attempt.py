"""`Attempt`: what every proof in rounds does with what its workers hand back."""

from __future__ import annotations

import uuid

from .checkpoint import Kept, load_proof
from .problem import Problem
from .run import Run


class Attempt:
    """An attempt to prove that nothing beats the best committee.

    Parameters
    ----------
    problem
        What is being solved.
    run
        Its circumstances; the ledger holds a committee.
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self._problem, self._run = problem, run
        self._seen: set[tuple[int, ...]] = set()
        self._token = uuid.uuid4().hex

    def _offer(self, places: tuple[int, ...]) -> None:
        """Have the ledger look at members, by their places among those allowed, once."""
        if places not in self._seen:
            self._seen.add(places)
            self._run.ledger.offer([self._problem.allowed[place] for place in places])

    def _on_file(self) -> Kept | None:
        """Return what an earlier run has left on file, and offer its committee."""
        kept = load_proof(self._run.checkpoint, self._problem)
        if kept is not None and kept.committee is not None:
            self._run.ledger.offer(kept.committee.members, kept.committee.threshold)
        return kept
