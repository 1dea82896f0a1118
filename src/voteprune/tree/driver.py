"""`Driver`: what both trees do between rounds: offer committees, write and read checkpoints."""

from __future__ import annotations

import uuid

from ..bounds.node import Node
from ..exceptions import InputError, OutputError
from ..problem.problem import Problem
from ..run.incumbent import Incumbent
from ..run.run import Run
from .checkpoint import Kept, load_proof, save_proof
from .nogoods.task import Node as NogoodNode


def on_file(problem: Problem, run: Run) -> Kept | None:
    """Return what is on file, None where there is nothing.

    The file was checked before the run began; what has become of it since ends no run.
    """
    try:
        return load_proof(run.checkpoint, problem)
    except InputError as error:
        run.incumbent.incidents.append(str(error))
        return None


class Driver:
    """A proof in rounds that nothing beats the incumbent; each tree has a driver of its own.

    Parameters
    ----------
    problem
        What is being solved.
    run
        Its circumstances; the incumbent holds a committee.
    """

    def __init__(self, problem: Problem, run: Run) -> None:
        self._problem, self._run = problem, run
        self._seen: set[tuple[int, ...]] = set()
        self._token = uuid.uuid4().hex

    def _offer(self, columns: tuple[int, ...]) -> None:
        """Have the incumbent look at members, by their numbers among those allowed, once."""
        incumbent = self._judge_of(len(columns))
        if incumbent is not None and columns not in self._seen:
            self._seen.add(columns)
            incumbent.offer([self._problem.allowed[k] for k in columns])

    def _judge_of(self, size: int) -> Incumbent | None:
        """Return the incumbent that committees of a size are compared with; None for none."""
        return self._run.incumbent

    def _keep(
        self,
        *,
        nodes: tuple[Node, ...] | None = None,
        nogood_nodes: tuple[NogoodNode, ...] | None = None,
    ) -> None:
        """Put what is open on file, where that was asked for; a full disk ends no proof."""
        run = self._run
        if run.checkpoint is None:
            return
        # What counts is the last round: a file that could be written after all is whole.
        run.incumbent.unwritten.clear()
        try:
            kept = Kept(run.incumbent.committee, nodes, nogood_nodes)
            save_proof(run.checkpoint, self._problem, kept)
        except OutputError as error:
            run.incumbent.unwritten.append(str(error))

    def _on_file(self) -> Kept | None:
        """Return what an earlier run has left on file, and offer its committee."""
        kept = on_file(self._problem, self._run)
        if kept is not None and kept.committee is not None:
            self._run.incumbent.offer(kept.committee.members, kept.committee.threshold)
        return kept
