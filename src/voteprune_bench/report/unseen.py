"""Who is best on unseen rows, and how sure that is: ranks, Wilcoxon's test with Holm, an interval.

Accuracies are compared fold by fold, and by their means over the folds of a data set and seed. The
latter is the careful way, since folds of a data set and seed share rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voteprune.exceptions import InputError

from ..experiment.records import Record
from .results import balanced_out_of_sample, out_of_sample

Floats = NDArray[np.float64]

DIGITS = 12
"""Differences are rounded to so many digits, so that equal means differ by 0."""


class Folds:
    """What some methods did on the folds where all of them have a record.

    Parameters
    ----------
    records
        Of one K and one way of making votes.
    methods
        Who is compared; all that occur when None.
    balanced
        Whether only the folds count that every data set has with every seed.
    """

    def __init__(
        self,
        records: Iterable[Record],
        methods: Sequence[str] | None = None,
        *,
        balanced: bool = False,
    ) -> None:
        found: dict[tuple[str, int, int], dict[str, Record]] = defaultdict(dict)
        for record in records:
            found[record.run][record.method] = record
        if methods is None:
            methods = list(dict.fromkeys(name for one in found.values() for name in one))
        self.methods = tuple(methods)
        self._found = {
            run: one for run, one in sorted(found.items()) if set(self.methods) <= set(one)
        }
        if balanced and self._found:
            datasets, seeds, _ = (set(each) for each in zip(*self._found, strict=True))
            self._found = {
                run: one
                for run, one in self._found.items()
                if all((*pair, run[2]) in self._found for pair in product(datasets, seeds))
            }
        self.runs = tuple(self._found)

    def table(self, score: Callable[[Record], Any]) -> Floats:
        """Return a score of every fold (lines) and method (columns), NaN where there is none."""
        found = [[score(one[name]) for name in self.methods] for one in self._found.values()]
        return np.array(
            [[np.nan if value is None else float(value) for value in line] for line in found]
        ).reshape(len(self.runs), len(self.methods))

    @property
    def accuracy(self) -> Floats:
        """Share of the test rows that are right."""
        return self.table(out_of_sample)

    @property
    def balanced(self) -> Floats:
        """Balanced accuracy on the test rows."""
        return self.table(balanced_out_of_sample)

    def ranks(self) -> Floats:
        """Return the mean rank of every method's accuracy within the folds, ties shared."""
        from scipy.stats import rankdata

        # Whole rows, so that ties are ties.
        right = self.table(lambda record: record.test.tp + record.test.tn)
        return np.asarray(rankdata(-right, axis=1).mean(axis=0))

    def means(self, values: Floats, *, by: int = 2) -> Floats:
        """Average over the folds of a data set and seed, or of a data set (``by=1``)."""
        groups = sorted({run[:by] for run in self.runs})
        return np.array(
            [values[[run[:by] == group for run in self.runs]].mean(axis=0) for group in groups]
        )

    def column(self, method: str) -> int:
        """Return the place of a method."""
        return self.methods.index(method)


@dataclass(frozen=True, slots=True)
class Duel:
    """How one method does against another by some score.

    Parameters
    ----------
    rival
        The other.
    gain
        Mean difference in the score over the means of data set and seed.
    low, high
        Its 95 % interval, by Student's t; None for fewer than two means.
    p_folds, p_means
        Of Wilcoxon's test over folds, and over those means; Holm-adjusted over all rivals.
    """

    rival: str
    gain: float
    low: float | None
    high: float | None
    p_folds: float
    p_means: float


def duels(
    folds: Folds, method: str, rivals: Sequence[str], score: Callable[[Record], Any] = out_of_sample
) -> list[Duel]:
    """Compare a method with each of its rivals.

    Parameters
    ----------
    folds
        With all of them.
    method, rivals
        Who is compared with whom.
    score
        By what; all of them have it.
    """
    scores = folds.table(score)
    means = folds.means(scores)
    mine = folds.column(method)
    gaps = [
        tuple(np.round(part[:, mine] - part[:, folds.column(rival)], DIGITS) for part in both)
        for rival, both in ((rival, (scores, means)) for rival in rivals)
    ]
    by_folds, by_means = (holm([wilcoxon_p(gap[i]) for gap in gaps]) for i in (0, 1))
    return [
        Duel(rival, float(gap[1].mean()), *interval(gap[1]), first, second)
        for rival, gap, first, second in zip(rivals, gaps, by_folds, by_means, strict=True)
    ]


def wilcoxon_p(gaps: Floats) -> float:
    """Return the p-value of Wilcoxon's signed-rank test, two-sided; 1 where nothing differs."""
    from scipy.stats import wilcoxon

    return float(wilcoxon(gaps, zero_method="pratt").pvalue) if np.any(gaps) else 1.0


def holm(values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number."""
    try:
        from statsmodels.stats.multitest import multipletests
    except ImportError:
        raise InputError(
            "statsmodels", "is needed for Holm's rule. Install it: pip install 'voteprune[report]'"
        ) from None
    if not values:
        return []
    return [float(value) for value in multipletests(values, method="holm")[1]]


def interval(gaps: Floats) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a mean; a point where all are equal, None of fewer than two."""
    from scipy.stats import ttest_1samp

    if len(gaps) < 2:
        return None, None
    if not np.ptp(gaps):
        return float(gaps[0]), float(gaps[0])
    found = ttest_1samp(gaps, 0).confidence_interval(0.95)
    return float(found.low), float(found.high)
