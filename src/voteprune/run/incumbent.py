"""`Incumbent`: the best committee of a run and the best bound, with who proved it.

Methods offer members and bounds; the incumbent recounts, keeps what is better, tells the user's
callback, and remembers the path for a convergence plot. Of every bound it knows whose word it is: a
solver's claim stands beside what voteprune has proved itself, and falls as soon as a committee
recounts better. It serves every kind of objective: scores are whatever the objective compares by.
Of committees with the same score the one with fewer members is kept, then the cheaper one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands.

    Parameters
    ----------
    seconds
        Time since the run began.
    value
        Objective of the best committee so far, in the criterion's own unit; None before the first.
    bound
        What no committee can exceed.
    open_boxes
        Number of open nodes; None where the method has no tree.
    """

    seconds: float
    value: float | None
    bound: float
    open_boxes: int | None = None

    @property
    def gap(self) -> float | None:
        """``(bound - value) / |value|``, None before the first committee."""
        return relative_gap(self.value, self.bound)


OPTIMAL_GAP = 1e-3
"""Largest gap that may count as a solver's rounding, where weights are too fine for integers."""


def relative_gap(value: float | None, bound: float | None) -> float | None:
    """Return ``(bound - value) / |value|``: 0 when they are equal, infinite when value is 0."""
    if value is None or bound is None:
        return None
    if bound == value:
        return 0.0
    return (bound - value) / abs(value) if value else float("inf")


Callback = Callable[[Progress], object]
"""Called on every improvement; a true return value ends the run."""


class Judge(Protocol):
    """A problem of any kind: it judges committees, and its objective reads their scores."""

    @property
    def objective(self) -> Any:
        """What is maximised, see `problem.objective.Objective`."""

    def best(self, members: Sequence[int], threshold: int | None = None) -> Any:
        """Return these members as a committee and its score; None if they are not allowed."""

    def burden(self, members: Sequence[int]) -> tuple[int, ...]:
        """Return what is to be small where scores are equal: how many sit, then their costs."""

    @property
    def least_size(self) -> int:
        """The fewest members that limits on members allow."""


class StopRequested(Exception):  # noqa: N818 - a request, not a fault
    """The user's callback asked to stop, or the gap that was asked for is reached."""


class Incumbent:
    """The best committee of a run, its exact score, and the bound with who proved it.

    `bound` is the best there is, `proved` the best that rests on voteprune's own arithmetic, and
    `caught` names the solvers that have made a false claim: nothing they say counts any more.
    `unwritten` says which files were asked for and could not be written when last tried. All
    committees of at most `compared` members were compared: of the best, the smallest is known.

    Parameters
    ----------
    problem
        What is being solved, see `Judge`.
    callback
        Told of every improvement.
    began
        When the run began, as `time.monotonic` tells it; now when omitted.
    gap
        The run ends when the gap is no larger than this; at 0 when omitted.
    """

    def __init__(
        self,
        problem: Any,
        callback: Callback | None = None,
        began: float | None = None,
        gap: float | None = None,
    ) -> None:
        self.problem = problem
        self._objective = problem.objective
        self.committee: Any = None
        self.score: Any = None
        self.bound: Any = self._objective.ceiling
        self.proved: Any = self._objective.ceiling
        self.caught: set[str] = set()
        self.incidents: list[str] = []
        self.unwritten: list[str] = []
        self.trace: list[Progress] = []
        self.open_boxes: int | None = None
        self.compared = 0
        self._word: tuple[str, ...] = ()
        self._callback, self._gap = callback, gap
        self.began = time.monotonic() if began is None else began

    @property
    def members(self) -> tuple[int, ...] | None:
        """Who sits in the best committee; None before the first."""
        return None if self.committee is None else self.committee.members

    @property
    def threshold(self) -> int:
        """The threshold of the best committee; 0 where its kind has none."""
        return getattr(self.committee, "threshold", 0)

    @property
    def seconds(self) -> float:
        """Time since the run began."""
        return time.monotonic() - self.began

    @property
    def closed(self) -> bool:
        """Whether the best committee meets the bound, exactly."""
        return self.score is not None and bool(self.bound <= self.score)

    @property
    def smallest(self) -> bool:
        """Whether it is proved that no smaller committee is as good as the best one."""
        if self.committee is None:
            return False
        least = max(self.compared + 1, self.problem.least_size)
        return bool(len(self.committee.members) <= least)

    @property
    def trusted(self) -> tuple[str, ...]:
        """The solvers whose word the bound is; none where it is proved."""
        return self._word if self.bound < self.proved else ()

    def offer(self, members: Sequence[int], threshold: int | None = None) -> bool:
        """Recount a set of members; keep it if it is allowed and beats the best so far.

        At the same score fewer members are better, then less cost. Nobody is told of that: value
        and bound stay as they are.

        Parameters
        ----------
        members
            Indices into the pool.
        threshold
            The threshold they sit with; the best for them when omitted.
        """
        best = self.problem.best(members, threshold)
        if best is None or not self.welcomes(best[1], best[0].members):
            return False
        committee, score = best
        if self.score is not None and score == self.score:
            self.committee = committee
        else:
            self._change(committee=committee, score=score, **self._heeding(score))
            self._tell()
        return True

    def welcomes(self, score: Any, members: Sequence[int]) -> bool:
        """Tell whether members that are allowed and have this score would be kept."""
        if self.score is None or score != self.score:
            return self.score is None or bool(score > self.score)
        burden = self.problem.burden
        return bool(burden(members) < burden(self.committee.members))

    def tighten(self, bound: Fraction | float, by: Sequence[str] = ()) -> bool:
        """Take an upper bound on the score, rounded down to what can be reached.

        Parameters
        ----------
        bound
            What no committee exceeds.
        by
            The solvers whose word that is; none for what voteprune has proved.
        """
        if bound == float("inf") or not self.caught.isdisjoint(by):
            return False
        reachable = self._objective.reachable(bound)
        if self.score is not None:
            reachable = max(reachable, self.score)
        proved = self.proved if by else min(self.proved, reachable)
        if reachable >= self.bound:
            self.proved = proved
            return False
        self._change(proved=proved, bound=reachable, _word=tuple(by))
        self._tell()
        return True

    def restate(self, bound: Fraction, proved: Fraction, by: Sequence[str]) -> None:
        """Set the bound, which may also rise where an earlier one was not to be trusted.

        A bound below `proved` is taken only if `by` names solvers and none of them is in `caught`;
        otherwise the bound is what is proved.

        Parameters
        ----------
        bound
            What no committee exceeds.
        proved
            What none exceeds by voteprune's own arithmetic.
        by
            The solvers whose word the difference is.
        """
        if self.score is not None:
            bound, proved = max(bound, self.score), max(proved, self.score)
        proved = min(self.proved, proved)
        if not by or not self.caught.isdisjoint(by):
            bound = proved
        lower, before = min(bound, proved), self.bound
        self._change(proved=proved, bound=lower, _word=tuple(by))
        if lower != before:
            self._tell()

    def close(self) -> None:
        """Take it as proved that nothing beats the best committee."""
        if self.score is not None:
            self.tighten(self.score)

    def distrust(self, solver: str, what: str) -> None:
        """Note what a solver did, and believe nothing that it says any more.

        Parameters
        ----------
        solver
            Its name.
        what
            The incident, in words that follow the name.
        """
        self.disbelieve((solver,), [f"{solver} {what}"])

    def disbelieve(self, solvers: Collection[str], incidents: Sequence[str] = ()) -> None:
        """Fall back to the bound that needs none of these solvers.

        Parameters
        ----------
        solvers
            Their names.
        incidents
            What they did, to be noted.
        """
        caught = self.caught.union(solvers)
        falls = not caught.isdisjoint(self.trusted)
        self._change(
            caught=caught,
            incidents=[*self.incidents, *incidents],
            bound=self.proved if falls else self.bound,
        )
        if falls:
            self._tell()

    def _heeding(self, score: Any) -> dict[str, Any]:
        """Return what stands beside a better score: bounds that it exceeds do not, by whomever."""
        bound, proved, caught, incidents = self.bound, self.proved, self.caught, self.incidents
        if score > bound and self.trusted:
            liars, claim = self.trusted, "claimed a bound that a committee found later exceeds"
            incidents = [*incidents, *(f"{solver} {claim}; not used" for solver in liars)]
            caught, bound = caught.union(liars), proved
        if score > proved:
            fault = (
                "voteprune's own bound is below a committee that recounts, which is a fault of "
                "voteprune: please report it; not used"
            )
            incidents = [*incidents, fault]
            bound = proved = self._objective.ceiling
        return {"bound": bound, "proved": proved, "caught": caught, "incidents": incidents}

    def _change(self, **together: Any) -> None:
        """Set several attributes at once: Ctrl-C comes before all of them or after.

        Between two of them a committee would have another's score, or a solver's word would pass
        for a proof.
        """
        vars(self).update(together)

    def progress(self) -> Progress:
        """Return where the run stands, in the objective's own unit."""
        read_above = self._objective.read_above
        if self.score is None:
            return Progress(self.seconds, None, read_above(self.bound), self.open_boxes)
        value = self._objective.read(self.score)
        bound = value if self.closed else max(value, read_above(self.bound))
        return Progress(self.seconds, value, bound, self.open_boxes)

    def _tell(self) -> None:
        progress = self.progress()
        self.trace.append(progress)
        if self._callback is not None and self._callback(progress):
            raise StopRequested("callback")
        if self._gap is not None and progress.gap is not None and progress.gap <= self._gap:
            raise StopRequested("gap reached")
