"""The cut-off of a soft committee of two classes: which keep the limits, and what each decides."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..problem.confusion import Confusion
from ..problem.constraints import AtLeast, AtMost
from ..problem.formulas import Weights
from ..problem.metrics import formula_of
from ..soft.committee import SoftCommittee
from ..soft.probabilities import Scored
from ..soft.pruning import SoftPruning, limits_of

_LARGEST = Fraction(sys.float_info.max)


@dataclass(frozen=True, eq=False)
class CutOffs:
    """Every cut-off that decides some rows otherwise than the one before, the highest first.

    Parameters
    ----------
    shares
        The committee's probabilities, falling.
    right
        Weight of the rows that are decided right where so many of these are positive.
    fits
        Whether the limits on criteria are kept then; not between equal probabilities, nor where
        rows with a probability of 0 would have to be above.
    exact
        As on `Scored`.
    """

    shares: Floats
    right: Floats
    fits: NDArray[np.bool_]
    exact: bool

    @classmethod
    def of(cls, problem: SoftPruning, scored: Scored) -> CutOffs:
        """Sweep over the probabilities that a committee gives the problem's rows."""
        shares = scored.shares
        order = np.argsort(-shares[:, 1], kind="stable")
        positive, weights = scored.labels[order] == 1, scored.weights[order]
        tp = np.concatenate([[0.0], np.cumsum(weights * positive)])
        fp = np.concatenate([[0.0], np.cumsum(weights * ~positive)])
        p, n = tp[-1], fp[-1]
        # Between equal probabilities there is no cut-off, and none is below 0.
        ranked = shares[order, 1]
        fits = np.concatenate([[True], ranked[1:] < ranked[:-1], ranked[-1:] > 0])
        for limit in limits_of(problem.requests):
            values = _values(limit, tp, fp, p, n)
            # No count comes near the largest double, so that any limit beyond it is as good.
            bound = float(min(max(limit.limit, -_LARGEST), _LARGEST))
            slack = 1e-12 * max(1.0, abs(bound))
            least = isinstance(limit, AtLeast)
            fits &= values >= bound - slack if least else values <= bound + slack
        return cls(ranked, tp + (n - fp), fits, scored.exact)

    def at(self, count: int) -> float:
        """Return the cut-off above which so many probabilities are."""
        ranked = self.shares
        above = 1.0 if count == 0 else float(ranked[count - 1])
        below = 0.0 if count == len(ranked) else float(ranked[count])
        if self.exact and count < len(ranked) and below < (above + below) / 2 < above:
            return (above + below) / 2
        return below


def with_cutoff(
    problem: SoftPruning, committee: SoftCommittee, scored: Scored
) -> tuple[SoftCommittee, str]:
    """Return the committee with the most accurate cut-off that keeps every limit on criteria.

    Without limits it is 1/2. Where no cut-off keeps them it stays there, and a sentence says so.
    """
    limits = limits_of(problem.requests)
    if not limits:
        return committee, ""
    swept = CutOffs.of(problem, scored)
    if not swept.fits.any():
        words = " and ".join(map(str, limits))
        return committee, f"no cut-off of this committee keeps {words}; it is left at 1/2."
    best = int(np.argmax(np.where(swept.fits, swept.right, -np.inf)))
    return replace(committee, cutoff=swept.at(best)), ""


def decide(scored: Scored, cutoff: float) -> tuple[float, Confusion | None]:
    """Return the accuracy of a committee, and of two classes the counts at its cut-off."""
    shares, weights = scored.shares, scored.weights
    two = shares.shape[1] == 2
    decided = (shares[:, 1] > cutoff).astype(np.intp) if two else shares.argmax(axis=1)
    accuracy = float(weights[decided == scored.labels].sum() / weights.sum())
    return accuracy, _count(scored, decided) if two else None


def _values(limit: AtLeast | AtMost, tp: Floats, fp: Floats, p: float, n: float) -> Floats:
    """Return a criterion at every cut-off."""
    formula = formula_of(limit.what, Fraction(p), Fraction(n))
    if isinstance(formula, Weights):
        return np.asarray(
            float(formula.tp) * tp
            + float(formula.fn) * (p - tp)
            + float(formula.fp) * fp
            + float(formula.tn) * (n - fp)
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = formula.scores(tp, fp, p, n)
    return np.where(np.isnan(heights), float(getattr(formula, "zero_division", 0)), heights)


def _count(scored: Scored, decided: Any) -> Confusion:
    """Return the four counts by weight."""
    cells = {
        (truth, verdict): Fraction(
            float(scored.weights[(scored.labels == truth) & (decided == verdict)].sum())
        ).limit_denominator(10**9)
        for truth in (0, 1)
        for verdict in (0, 1)
    }
    return Confusion(cells[1, 1], cells[1, 0], cells[0, 0], cells[0, 1])
