"""`Results`: the records of a run, put in order, with exact scores.

Scores are fractions, so that two committees that are right on equally many rows tie exactly.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from voteprune.problem.confusion import Confusion

from ..experiment.protocol import HOLD_OUT
from ..experiment.records import Record
from . import paper

Score = Callable[[Record], Fraction | None]
"""What a record is judged by; None where it cannot be judged."""

Run = tuple[str, int, int]
"""Data set, seed and fold."""


def accuracy_of(counts: Confusion) -> Fraction | None:
    """Return the share of rows that are right; None of no rows."""
    total = counts.positives + counts.negatives
    return (Fraction(counts.tp) + counts.tn) / total if total else None


def balanced_of(counts: Confusion) -> Fraction | None:
    """Return the mean of recall and specificity; None where a class has no rows."""
    if not counts.positives or not counts.negatives:
        return None
    return (counts.tp / counts.positives + counts.tn / counts.negatives) / 2


def out_of_sample(record: Record) -> Fraction | None:
    """Return the accuracy on rows the committee was not chosen on."""
    return accuracy_of(record.test)


def balanced_out_of_sample(record: Record) -> Fraction | None:
    """Return the balanced accuracy on rows the committee was not chosen on."""
    return balanced_of(record.test)


def in_sample(record: Record) -> Fraction | None:
    """Return the accuracy on the rows the committee was chosen on."""
    return accuracy_of(record.validation)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over runs.

    Parameters
    ----------
    value
        The mean of all runs.
    between_seeds
        Sample standard deviation of the seeds' means; None with fewer than two seeds.
    between_runs
        Sample standard deviation of the runs; None with fewer than two runs.
    runs
        How many.
    """

    value: float
    between_seeds: float | None
    between_runs: float | None
    runs: int


class Results:
    """The records of a run, in the order of the paper's tables.

    Parameters
    ----------
    records
        In any order; data sets and methods that the paper has go by its names, unless two
        spellings of one are there, which stay as they are. Where a task stands twice, as after a
        change of its time limit, the later one counts.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._records: dict[tuple[str, int, str], dict[Run, Record]] = {}
        self._origins: dict[str, tuple[str, str]] = {}
        self.repeated = 0
        records = list(records)
        methods = _called({record.method for record in records}, paper.method_name)
        datasets = _called({record.dataset for record in records}, paper.dataset_name)
        for record in records:
            plain, method = datasets[record.dataset], methods[record.method]
            # Other votes than by hold-out the paper has not.
            by_hold_out = record.votes_by == HOLD_OUT
            dataset = plain if by_hold_out else f"{plain}, {record.votes_by}"
            self._origins[dataset] = plain, record.votes_by
            place = (dataset, record.pool_size, method)
            cell = self._records.setdefault(place, {})
            known = cell.get(record.run)
            self.repeated += known is not None
            if known is None or record.replaces(known):
                cell[record.run] = record

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Data sets, the paper's first and in its order, a part in the place of its whole."""

        def place(name: str) -> tuple[int, str]:
            plain = self.plain(name)
            known = paper.whole_of(plain) or paper.dataset_name(plain)
            order = paper.DATASETS
            return order.index(known) if known in order else len(order), name

        return tuple(sorted(self._origins, key=place))

    def plain(self, dataset: str) -> str:
        """Return the name of a data set without the way its votes were made."""
        return self._origins[dataset][0]

    def datasets_at(self, pool_size: int) -> tuple[str, ...]:
        """Return the data sets that have a record at this K."""
        here = {dataset for dataset, k, _ in self._records if k == pool_size}
        return tuple(dataset for dataset in self.datasets if dataset in here)

    def alike(self, pool_size: int) -> tuple[str, ...]:
        """Return the data sets at this K with votes made in one way: by hold-out, if any are.

        Only these are averaged, ranked and tested together, so that a data set counts once.
        """
        here = self.datasets_at(pool_size)
        ways = [self._origins[dataset][1] for dataset in here]
        way = HOLD_OUT if HOLD_OUT in ways else min(ways, default=HOLD_OUT)
        return tuple(dataset for dataset, by in zip(here, ways, strict=True) if by == way)

    @cached_property
    def pool_sizes(self) -> tuple[int, ...]:
        """The values of K, ascending."""
        return tuple(sorted({pool_size for _, pool_size, _ in self._records}))

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Methods: the paper's formulations, others in order of appearance, its benchmarks."""
        seen = list(dict.fromkeys(method for _, _, method in self._records))
        first = [name for name in paper.FORMULATIONS if name in seen]
        last = [name for name in paper.BENCHMARKS if name in seen]
        return (*first, *(name for name in seen if name not in (*first, *last)), *last)

    @cached_property
    def bounding(self) -> tuple[str, ...]:
        """Methods that bound what any committee can reach, in some run at least."""
        found = {
            method
            for (_, _, method), cell in self._records.items()
            if any(record.bound is not None for record in cell.values())
        }
        return tuple(method for method in self.methods if method in found)

    @property
    def records(self) -> list[Record]:
        """All records that count."""
        return [record for cell in self._records.values() for record in cell.values()]

    def apart(self, pool_size: int) -> tuple[str, ...]:
        """Return the data sets at this K with votes made in another way."""
        alike = self.alike(pool_size)
        return tuple(name for name in self.datasets_at(pool_size) if name not in alike)

    def cell(self, dataset: str, pool_size: int, method: str) -> list[Record]:
        """Return the runs of a method on a data set, none if there are none."""
        return list(self._records.get((dataset, pool_size, method), {}).values())

    def complete(
        self, dataset: str, pool_size: int, methods: Sequence[str], score: Score
    ) -> dict[Run, tuple[Fraction, ...]]:
        """Return the scores of the runs in which every one of the methods has one."""
        cells = [self._records.get((dataset, pool_size, method), {}) for method in methods]
        found: dict[Run, tuple[Fraction, ...]] = {}
        for run in cells[0] if cells else {}:
            if all(run in cell for cell in cells):
                scores = [score(cell[run]) for cell in cells]
                if None not in scores:
                    found[run] = tuple(value for value in scores if value is not None)
        return found

    def present(self, pool_size: int) -> tuple[str, ...]:
        """Return the methods that have a record at this K."""
        here = {method for _, k, method in self._records if k == pool_size}
        return tuple(method for method in self.methods if method in here)

    def ranked(
        self,
        pool_size: int,
        methods: Sequence[str] | None = None,
        datasets: Sequence[str] | None = None,
    ) -> tuple[str, ...]:
        """Return the methods that have a record in half of the runs at this K at least.

        Runs in which a ranked method is missing do not count; one that was tried on few must not
        take all the others away.

        Parameters
        ----------
        pool_size
            K.
        methods
            Of these; their runs are those that one of them has. All methods when None.
        datasets
            On which data sets, each of the same weight however many runs it has; all whose votes
            were made alike when None.
        """
        asked = [name for name in self.methods if methods is None or name in methods]
        shares = dict.fromkeys(asked, Fraction(0))
        count = 0
        for dataset in self.alike(pool_size) if datasets is None else datasets:
            cells = {name: self._records.get((dataset, pool_size, name), {}) for name in asked}
            runs = set().union(*cells.values())
            if runs:
                count += 1
                for name, cell in cells.items():
                    shares[name] += Fraction(len(cell), len(runs))
        return tuple(name for name, share in shares.items() if 2 * share >= count > 0)

    def unranked(
        self,
        pool_size: int,
        methods: Sequence[str] | None = None,
        datasets: Sequence[str] | None = None,
    ) -> tuple[str, ...]:
        """Return the methods that have a record at this K and are not ranked, see `ranked`."""
        ranked = self.ranked(pool_size, methods, datasets)
        return tuple(
            name
            for name in self.present(pool_size)
            if name not in ranked and (methods is None or name in methods)
        )


def _called(names: set[str], known: Callable[[str], str]) -> dict[str, str]:
    """Return what each is called: as in the paper, unless several would go by one name."""
    heirs = Counter(map(known, names))
    return {name: known(name) if heirs[known(name)] == 1 else name for name in names}


def mean(records: Sequence[Record], score: Score) -> Mean | None:
    """Average a score over runs; None where no run has one."""
    scored = [(record.seed, value) for record in records if (value := score(record)) is not None]
    if not scored:
        return None
    values = [value for _, value in scored]
    by_seed: dict[int, list[Fraction]] = {}
    for seed, value in scored:
        by_seed.setdefault(seed, []).append(value)
    seeds = [float(sum(part) / len(part)) for part in by_seed.values()]
    return Mean(
        float(sum(values) / len(values)),
        statistics.stdev(seeds) if len(seeds) > 1 else None,
        statistics.stdev(map(float, values)) if len(values) > 1 else None,
        len(values),
    )
