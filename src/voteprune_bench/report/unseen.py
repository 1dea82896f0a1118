"""Who is best on unseen rows, and how sure that is: ranks, Wilcoxon's test with Holm, an interval.

Accuracies are compared fold by fold, and by their means over the folds of a data set and seed. The
latter is the careful way, since folds of a data set and seed share rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voteprune.exceptions import InputError

from ..experiment.records import Record
from .results import Run, balanced_out_of_sample, out_of_sample

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
        Whether every data set is to have the same seeds, and every seed the same folds: others do
        not count then, nor do data sets and seeds that are only begun.
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
        if balanced:
            kept = _even(list(self._found))
            self._found = {run: one for run, one in self._found.items() if run in kept}
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


def usual(records: Iterable[Record], names: Iterable[str]) -> list[str]:
    """Return the methods, of these names, that half of the folds have at least."""
    found: dict[str, set[object]] = {name: set() for name in names}
    for record in records:
        if record.method in found:
            found[record.method].add((record.run, record.votes_by))
    folds = set().union(*found.values())
    return [name for name, own in found.items() if 2 * len(own) >= len(folds) > 0]


def _even(runs: Sequence[Run]) -> set[Run]:
    """Return runs of which every data set has the same seeds, and every seed the same folds.

    A data set that has less than half of what data sets have, in the median, is only begun. Of the
    others all that lack one of them is left out, then folds that some seeds lack or seeds that lack
    some folds, whatever costs less. Seeds weigh more: the careful test is over their means.
    """
    if not runs:
        return set()
    counts = Counter(dataset for dataset, _, _ in runs)
    datasets = {name for name, count in counts.items() if 2 * count >= median(counts.values())}
    there: dict[tuple[int, int], set[str]] = defaultdict(set)
    for dataset, seed, fold in runs:
        if dataset in datasets:
            there[seed, fold].add(dataset)
    folds: dict[int, set[int]] = defaultdict(set)
    for (seed, fold), found in there.items():
        if found == datasets:
            folds[seed].add(fold)
    shared = [one & other for one, other in product(folds.values(), repeat=2)]
    choices = [([s for s, own in folds.items() if some <= own], some) for some in shared]
    seeds, some = max(choices, key=lambda one: len(one[0]) ** 2 * len(one[1]), default=([], set()))
    return set(product(datasets, seeds, some))


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
