"""`Account`: the ledger of a run whose criterion is no weighted sum."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .committee import Committee
from .formulas import Curve, Ratio, confusion_at
from .ledger import Callback, Ledger, Progress
from .outline import Outline
from .problem import Problem, above_thresholds


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
