"""`Ledger`: the best committee and the best bound of a run, every entry recounted.

Methods offer members and bounds; the ledger recounts, keeps what is better, tells the user's
callback, and remembers the path for a convergence plot. Of every bound it knows whose word it is: a
solver's claim stands beside what voteprune has proved itself, and falls as soon as a committee
recounts better.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ..numbers.exact import float_above
from ..problem.committee import Committee
from ..problem.formulas import Curve, Ratio, confusion_at
from ..problem.outline import Outline
from ..problem.plurality import PluralityProblem
from ..problem.problem import Problem, above_thresholds


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
        How many parts of the proof are open; None where it is not made of boxes.
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


class Counted(Protocol):
    """An objective in integer units: what is reachable, and what a unit is worth."""

    @property
    def ceiling(self) -> int:
        """What no committee can exceed."""

    @property
    def unit(self) -> Fraction:
        """What one unit is worth."""

    def floor_to_step(self, units: Fraction | float) -> int:
        """Return the largest reachable sum that is not above `units`."""


class StopRequested(Exception):  # noqa: N818 - a request, not a fault
    """The user's callback asked to stop."""


class Book:
    """Best value, best bound, incidents and trace of one run, whatever is voted on.

    `bound` is the best there is, `proved` the best that rests on voteprune's own arithmetic, and
    `caught` names the solvers that have made a false claim: nothing they say counts any more.
    `unwritten` says which files were asked for and could not be written when last tried.

    Parameters
    ----------
    gains
        What the objective counts, see `Counted`.
    callback
        Told of every improvement.
    began
        When the run began, as `time.monotonic` tells it; now when omitted.
    """

    def __init__(
        self, gains: Counted, callback: Callback | None = None, began: float | None = None
    ) -> None:
        self._gains = gains
        self.units: int | None = None
        self.bound: int = gains.ceiling
        self.proved: int = gains.ceiling
        self.caught: set[str] = set()
        self.incidents: list[str] = []
        self.unwritten: list[str] = []
        self.trace: list[Progress] = []
        self.open_boxes: int | None = None
        self._word: tuple[str, ...] = ()
        self._callback = callback
        self.began = time.monotonic() if began is None else began

    @property
    def seconds(self) -> float:
        """Time since the run began."""
        return time.monotonic() - self.began

    @property
    def closed(self) -> bool:
        """Whether the best committee meets the bound, exactly."""
        return self.units is not None and self.bound <= self.units

    @property
    def trusted(self) -> tuple[str, ...]:
        """The solvers whose word the bound is; none where it is proved."""
        return self._word if self.bound < self.proved else ()

    def tighten(self, bound: Fraction | float, by: Sequence[str] = ()) -> bool:
        """Take an upper bound in units, rounded down to what can be reached.

        Parameters
        ----------
        bound
            What no committee exceeds.
        by
            The solvers whose word that is; none for what voteprune has proved.
        """
        if bound == float("inf") or not self.caught.isdisjoint(by):
            return False
        reachable = self._gains.floor_to_step(bound)
        if self.units is not None:
            reachable = max(reachable, self.units)
        if not by:
            self.proved = min(self.proved, reachable)
        if reachable >= self.bound:
            return False
        self.bound, self._word = reachable, tuple(by)
        self._tell()
        return True

    def distrust(self, solver: str, what: str) -> None:
        """Note what a solver did, and believe nothing that it says any more.

        Parameters
        ----------
        solver
            Its name.
        what
            The incident, in words that follow the name.
        """
        self.incidents.append(f"{solver} {what}")
        self.disbelieve((solver,))

    def disbelieve(self, solvers: Collection[str]) -> None:
        """Fall back to the bound that needs none of these solvers."""
        self.caught.update(solvers)
        if not self.caught.isdisjoint(self.trusted):
            self._fall_back()
            self._tell()

    def _fall_back(self) -> None:
        self.bound = self.proved

    def _forget(self) -> None:
        self.bound = self.proved = self._gains.ceiling

    def _heed(self, over_bound: bool, over_proved: bool) -> None:
        """Give up what the committee that was just entered refutes."""
        if over_bound and self.trusted:
            liars, claim = self.trusted, "claimed a bound that a committee found later exceeds"
            self.incidents += [f"{solver} {claim}; not used" for solver in liars]
            self.caught.update(liars)
            self._fall_back()
        if over_proved:
            self.incidents.append(
                "voteprune's own bound is below a committee that recounts, which is a fault of "
                "voteprune: please report it; not used"
            )
            self._forget()

    def progress(self) -> Progress:
        """Return where the run stands, in the criterion's own unit."""
        unit = self._gains.unit
        value = None if self.units is None else float(self.units * unit)
        bound = value if value is not None and self.closed else float_above(self.bound * unit)
        return Progress(self.seconds, value, bound, self.open_boxes)

    def _tell(self) -> None:
        progress = self.progress()
        self.trace.append(progress)
        if self._callback is not None and self._callback(progress):
            raise StopRequested


class Ledger(Book):
    """The book of a run that looks for a committee.

    Parameters
    ----------
    problem
        What is being solved.
    callback, began
        As for every `Book`.
    """

    def __init__(
        self, problem: Problem, callback: Callback | None = None, began: float | None = None
    ) -> None:
        super().__init__(problem.gains, callback, began)
        self.problem = problem
        self.committee: Committee | None = None

    def offer(self, members: Sequence[int], threshold: int | None = None) -> bool:
        """Recount a set of members; keep it if it beats the best so far.

        Parameters
        ----------
        members
            Indices into the pool.
        threshold
            The threshold they sit with; the best for them when omitted.
        """
        if threshold is None:
            best = self.problem.best_threshold(members)
        else:
            committee = self.problem.committee(members, threshold)
            allowed = self.problem.allows(committee)
            best = (committee, self.problem.units(committee)) if allowed else None
        if best is None or (self.units is not None and best[1] <= self.units):
            return False
        self.committee, self.units = best
        self._heed(self.units > self.bound, self.units > self.proved)
        self._tell()
        return True

    def close(self) -> None:
        """Take it as proved that nothing beats the best committee."""
        if self.units is not None:
            self.tighten(self.units)


class Account(Ledger):
    """Best committee and best bound by score, every entry recounted.

    Parameters
    ----------
    problem
        What is being solved; it has a formula.
    formula
        Its formula.
    callback, began
        As for every `Book`.
    """

    def __init__(
        self,
        problem: Problem,
        formula: Curve,
        callback: Callback | None = None,
        began: float | None = None,
    ) -> None:
        super().__init__(problem, callback, began)
        self.formula = formula
        self.score: Fraction | None = None
        # Nothing is known yet but the counts there can be, and what 0 / 0 is taken for.
        summit = Outline.of(problem, limited=False).summit()
        scores = [] if summit is None else [summit.score]
        if isinstance(formula, Ratio):
            scores.append(formula.zero_division)
        self.top = self.proved_top = self._ceiling = max(scores)

    @property
    def trusted(self) -> tuple[str, ...]:
        """The solvers whose word the bound is; none where it is proved."""
        return self._word if self.top < self.proved_top else ()

    @property
    def closed(self) -> bool:
        """Whether the best committee meets the bound, exactly."""
        return self.score is not None and self.top <= self.score

    def offer(self, members: Sequence[int], threshold: int | None = None) -> bool:
        """Recount a set of members; keep it if it beats the best so far."""
        best = best_by_score(self.problem, self.formula, members, threshold)
        if best is None or (self.score is not None and best[1] <= self.score):
            return False
        self.committee, self.score = best
        self._heed(self.score > self.top, self.score > self.proved_top)
        self._tell()
        return True

    def close(self) -> None:
        """Take it as proved that nothing beats the best committee."""
        if self.score is not None:
            self.bound_by(self.score)

    def bound_by(
        self, score: Fraction, proved: Fraction | None = None, by: Sequence[str] = ()
    ) -> None:
        """Set the bound, which may also rise where an earlier one was not to be trusted.

        Parameters
        ----------
        score
            What no committee exceeds.
        proved
            What none exceeds by voteprune's own arithmetic; `score` itself when omitted.
        by
            The solvers whose word the difference is.
        """
        own = score if proved is None else proved
        if self.score is not None:
            score, own = max(score, self.score), max(own, self.score)
        self.proved_top = min(self.proved_top, own)
        if not self.caught.isdisjoint(by):
            score = self.proved_top
        top, self._word = min(score, self.proved_top), tuple(by)
        if top != self.top:
            self.top = top
            self._tell()

    def _fall_back(self) -> None:
        self.top = self.proved_top

    def _forget(self) -> None:
        self.top = self.proved_top = self._ceiling

    def progress(self) -> Progress:
        """Return where the run stands, in the criterion's own unit."""
        if self.score is None:
            return Progress(self.seconds, None, self.formula.read_above(self.top))
        value = self.formula.read(self.score)
        bound = value if self.closed else max(value, self.formula.read_above(self.top))
        return Progress(self.seconds, value, bound)


def best_by_score(
    problem: Problem, formula: Curve, members: Sequence[int], threshold: int | None = None
) -> tuple[Committee, Fraction] | None:
    """Return these members with the best allowed threshold and its score; None if none is allowed.

    Parameters
    ----------
    problem, formula
        The judge, and what it judges by.
    members
        Indices into the pool.
    threshold
        The only one to look at; all when omitted. Ties go to the lowest.
    """
    if not members or not problem.allows_members(members):
        return None
    counts = problem.counts(members)
    allowed = problem.allowed_thresholds(counts, len(members)).tolist()
    if threshold is not None:
        allowed = [threshold] if threshold in allowed else []
    tps, fps = (
        above_thresholds(part, counts, len(members))
        for part in (problem.patterns.positive, problem.patterns.negative)
    )
    p, n = map(Fraction, problem.patterns.totals)
    best: tuple[Fraction, int] | None = None
    for level in allowed:
        point = (Fraction(int(tps[level])), Fraction(int(fps[level])))
        score = formula.score(confusion_at(point, p, n))
        if best is None or score > best[0]:
            best = score, level
    return None if best is None else (problem.committee(members, best[1]), best[0])


def open_ledger(
    problem: Problem, callback: Callback | None = None, began: float | None = None
) -> Ledger:
    """Return an empty ledger of the kind that a problem's criterion needs."""
    if problem.formula is None:
        return Ledger(problem, callback, began)
    return Account(problem, problem.formula, callback, began)


class PluralityLedger(Book):
    """The book of a run that looks for a plurality committee.

    Parameters
    ----------
    problem
        What is being solved.
    callback, began
        As for every `Book`.
    """

    def __init__(
        self,
        problem: PluralityProblem,
        callback: Callback | None = None,
        began: float | None = None,
    ) -> None:
        super().__init__(problem.gains, callback, began)
        self.problem = problem
        self.members: tuple[int, ...] | None = None

    def offer(self, members: Sequence[int]) -> bool:
        """Recount a set of members; keep it if it is allowed and beats the best so far."""
        if not members or not self.problem.allows(members):
            return False
        units = self.problem.units(members)
        if self.units is not None and units <= self.units:
            return False
        self.members, self.units = tuple(sorted(members)), units
        self._heed(units > self.bound, units > self.proved)
        self._tell()
        return True
