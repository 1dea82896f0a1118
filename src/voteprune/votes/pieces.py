"""Tables that stay where they are: Parquet files and lazy frames by polars, Dask's by its workers.

They are gone through piece by piece, and what is made of the pieces is put together.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import FileFormatError, InputError, not_installed
from ..numbers.floats import ROUNDING
from .packed import WORD, Packed, merged
from .reading import TwoClasses, parquet_files, truth_names

PIECE = 1 << 18
"""Rows that are in memory at once where a table is gone through piece by piece."""

_COUNT, _POSITIVE = "rows", "positive"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of a table plays which part.

    Parameters
    ----------
    votes
        The classifiers.
    target
        The labels.
    weight
        Whole numbers that rows count for; None where each counts once.
    positive
        The label that is positive.
    cutoff
        From where on a number is a positive vote.
    gaps
        Whether classifiers may say nothing.
    classes
        What the two classes are called where they are not 0 and 1, once that is known.
    """

    votes: tuple[str, ...]
    target: str
    weight: str | None
    positive: object
    cutoff: float
    gaps: bool = False
    classes: TwoClasses | None = None

    @property
    def words(self) -> list[tuple[str, ...]]:
        """The classifiers, 64 to a word."""
        return [self.votes[i : i + WORD] for i in range(0, len(self.votes), WORD)]

    @property
    def keys(self) -> list[str]:
        """What the words are called once rows are packed; who votes comes after what is voted."""
        names = ("word", "voted") if self.gaps else ("word",)
        return [f"{name}{i}" for name in names for i in range(len(self.words))]

    @property
    def numbers(self) -> list[tuple[float, bool]]:
        """The classes that are numbers, and whether a vote for one is positive."""
        both = self.classes
        named = () if both is None else ((both.positive, True), (both.negative, False))
        return [(float(name), vote) for name, vote in named if isinstance(name, Real)]

    def classes_in(self, *, truth: bool) -> list[tuple[float, bool]]:
        """Return the classes that a column's cells may name, as `numbers` has them.

        Parameters
        ----------
        truth
            Whether they are truth values, see `truth_names`.
        """
        is_vote = truth and not truth_names(number for number, _ in self.numbers)
        return [] if is_vote else self.numbers

    @property
    def shares(self) -> bool:
        """Whether votes may be probabilities, beside classes."""
        return self.classes is None or self.classes.beside_probabilities


Work = Callable[[Any, Columns], Any]
"""Makes something of a piece of a table that can be added to what it makes of the others."""


def table_of(source: object) -> LazyTable | DaskTable:
    """Return the table behind whatever `scan_votes` takes."""
    return DaskTable(source) if _is_dask(source) else LazyTable(source)


def _refuse_type(name: str, kind: object) -> InputError:
    return InputError(
        "source",
        f"column {name!r} holds {kind}, not numbers, as all columns that are scanned must but the "
        "target. Turn words into numbers first, or read what fits into memory; if it is no "
        f"classifier, leave it out: ignore=[{name!r}].",
    )


class LazyTable:
    """Parquet files or a lazy frame, read by polars' streaming engine."""

    def __init__(self, source: Any) -> None:
        try:
            import polars as pl
        except ImportError:
            raise not_installed("polars", "scan files", "cli") from None
        self._pl = pl
        self._where = str(source)[:200]
        self._is_query = isinstance(source, pl.LazyFrame)
        try:
            # Names are taken as they are: [1] in a file's name is no pattern.
            self._frame = (
                source if self._is_query else pl.scan_parquet(parquet_files(source), glob=False)
            )
            self._schema = self._frame.collect_schema()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise self._unreadable(error) from None
        self.columns = tuple(self._schema.names())

    def refuse_words(self, columns: Columns) -> None:
        """Refuse columns that hold no numbers, before any row is read."""
        for name in (*columns.votes, *([columns.weight] if columns.weight else [])):
            kind = self._schema[name]
            if not (kind.is_numeric() or kind == self._pl.Boolean):
                raise _refuse_type(name, kind)

    def facts(self, columns: Columns) -> dict[str, Any]:
        """Return what the columns hold, in one pass."""
        pl = self._pl
        asked = [pl.len().alias("rows"), self._label(columns).unique().implode().alias("labels")]
        for name in columns.votes:
            number = pl.col(name).cast(pl.Float64).fill_nan(None)
            asked += [
                number.min().alias(f"{name} low"),
                number.max().alias(f"{name} high"),
                number.is_null().sum().alias(f"{name} missing"),
            ]
        if columns.weight is not None:
            weight = pl.col(columns.weight).cast(pl.Float64)
            # To polars NaN is above everything and equal to itself.
            sound = weight.is_not_null() & weight.is_finite() & (weight >= 0)
            sound &= weight == weight.floor()
            asked.append((sound.all() & (weight.sum() > 0)).alias("whole"))
        facts = self._collect(self._frame.select(asked)).row(0, named=True)
        return {**facts, "labels": set(facts["labels"])}

    def strangers(self, columns: Columns) -> list[str]:
        """Return who says what is neither a class nor a probability, in another pass."""
        pl, names = self._pl, [number for number, _ in columns.numbers]
        numbers = {
            name: pl.col(name).cast(pl.Float64).fill_nan(None)
            for name in columns.votes
            if self._schema[name] != pl.Boolean
        }
        asked = []
        for name, number in numbers.items():
            share = number.is_between(-ROUNDING, 1 + ROUNDING) & columns.shares
            asked.append((~number.is_in(names) & ~share).any().alias(name))
        found = self._collect(self._frame.select(asked)).row(0, named=True) if asked else {}
        return [name for name, strange in found.items() if strange]

    def packed(self, columns: Columns) -> Packed:
        """Merge the rows, in another pass."""
        pl = self._pl
        asked = [self._positive_vote, self._voted][: 1 + columns.gaps]
        words = [
            pl.sum_horizontal(
                ask(name, columns).cast(pl.UInt64) * (1 << (WORD - 1 - place))
                for place, name in enumerate(group)
            )
            for ask in asked
            for group in columns.words
        ]
        words = [word.alias(key) for word, key in zip(words, columns.keys, strict=True)]
        weight = pl.lit(1) if columns.weight is None else pl.col(columns.weight)
        counts = weight.cast(pl.Int64).alias(_COUNT)
        label = self._label(columns) == pl.lit(columns.positive)
        rows = self._frame.select(*words, counts, label.alias("label"))
        grouped = rows.group_by(columns.keys).agg(
            pl.col(_COUNT).sum(), pl.col(_COUNT).filter(pl.col("label")).sum().alias(_POSITIVE)
        )
        frame = self._collect(grouped)
        return Packed(
            np.stack([frame[key].to_numpy() for key in columns.keys]),
            frame[_COUNT].to_numpy(),
            frame[_POSITIVE].to_numpy(),
        )

    def settled(self, columns: Columns) -> LazyTable:
        """Return the rows in an order that stays, so that they can be gone through in pieces.

        Files have one. A lazy frame is a query, whose rows may come in another order each time, so
        it is carried out once, into a temporary file that lives as long as the table.
        """
        if not self._is_query:
            return self
        folder = Path(tempfile.mkdtemp(prefix="voteprune-"))
        try:
            self._asked(columns).sink_parquet(folder / "rows.parquet")
            table = LazyTable(folder / "rows.parquet")
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, self._pl.exceptions.PolarsError | OSError):
                raise self._unreadable(error) from None
            raise
        weakref.finalize(table, shutil.rmtree, folder, ignore_errors=True)
        return table

    def reduced(self, work: Work, columns: Columns) -> Any:
        """Add up what some work makes of one piece after the other, in another pass.

        Parameters
        ----------
        work
            Is given a piece as a polars data frame.
        columns
            What is read of it.
        """
        rows = self._asked(columns)
        first, piece = PIECE, self._collect(rows.slice(0, PIECE))
        found = work(piece, columns)
        while len(piece) == PIECE:
            piece = self._collect(rows.slice(first, PIECE))
            first += PIECE
            found = found + work(piece, columns)
        return found

    def _asked(self, columns: Columns) -> Any:
        asked = [*columns.votes, *([columns.weight] if columns.weight else [])]
        return self._frame.select(
            *map(self._pl.col, asked), self._label(columns).alias(columns.target)
        )

    def _positive_vote(self, name: str, columns: Columns) -> Any:
        """Tell where a classifier votes positive; NaN is above everything to polars."""
        pl = self._pl
        truth = self._schema[name] == pl.Boolean
        # polars compares truth values with no number.
        said = pl.col(name).cast(pl.Int8) if truth else pl.col(name)
        positive = said == 1 if truth else said >= columns.cutoff
        for number, vote in columns.classes_in(truth=truth):
            positive = pl.when(said == number).then(vote).otherwise(positive)
        return (positive & self._voted(name, columns)) if columns.gaps else positive

    def _voted(self, name: str, _: Columns) -> Any:
        """Tell where a classifier says something."""
        said = self._pl.col(name).is_not_null()
        return said & self._pl.col(name).is_not_nan() if self._schema[name].is_float() else said

    def _label(self, columns: Columns) -> Any:
        """Return the labels; polars compares truth values with no number."""
        label = self._pl.col(columns.target)
        truth = self._schema[columns.target] == self._pl.Boolean
        return label.cast(self._pl.Int8) if truth else label

    def _collect(self, query: Any) -> Any:
        try:
            return query.collect(engine="streaming")
        except (self._pl.exceptions.PolarsError, OSError) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> FileFormatError:
        reason = str(error).partition("\n")[0]
        return FileFormatError(self._where, f"cannot be scanned: {reason}")


class DaskTable:
    """A Dask data frame; every piece is merged where it is, and then the pieces are."""

    def __init__(self, source: Any) -> None:
        self.columns = tuple(map(str, source.columns))
        self._frame = source.rename(columns=dict(zip(source.columns, self.columns, strict=True)))

    def refuse_words(self, columns: Columns) -> None:
        """Refuse columns that hold no numbers, before any row is read."""
        for name in (*columns.votes, *([columns.weight] if columns.weight else [])):
            if self._frame.dtypes[name].kind not in "biuf":
                raise _refuse_type(name, self._frame.dtypes[name])

    def facts(self, columns: Columns) -> dict[str, Any]:
        """Return what the columns hold, in one pass."""
        import dask

        parts = (dask.delayed(_facts_of)(part, columns) for part in self._frame.to_delayed())
        found = [part for part in dask.compute(*parts) if part["rows"]]
        facts: dict[str, Any] = {"rows": sum(part["rows"] for part in found)}
        if not found:
            return facts
        for name in columns.votes:
            low, high, missing = (
                [fact for part in found if (fact := part[f"{name} {what}"]) is not None]
                for what in ("low", "high", "missing")
            )
            facts[f"{name} low"], facts[f"{name} high"] = (
                min(low, default=None), max(high, default=None),
            )  # fmt: skip
            facts[f"{name} missing"] = sum(missing)
        facts["labels"] = set().union(*(part["labels"] for part in found))
        if columns.weight is not None:
            facts["whole"] = all(part["whole"] for part in found) and any(
                part["heavy"] for part in found
            )
        return facts

    def strangers(self, columns: Columns) -> list[str]:
        """Return who says what is neither a class nor a probability, in another pass."""
        found: NDArray[np.bool_] = self.reduced(_strange_in, columns)
        return [name for name, strange in zip(columns.votes, found, strict=True) if strange]

    def packed(self, columns: Columns) -> Packed:
        """Merge the rows, in another pass."""
        found: Packed = self.reduced(_packed_of, columns)
        return found

    def settled(self, columns: Columns) -> DaskTable:
        """Return the table itself: its pieces are what they are."""
        return self

    def reduced(self, work: Work, columns: Columns) -> Any:
        """Add up what some work makes of every piece, a pandas data frame, where it lies.

        Two at a time, so that no machine has more than a few of them.
        """
        import dask

        join = dask.delayed(add)
        parts = [dask.delayed(work)(part, columns) for part in self._frame.to_delayed()]
        while len(parts) > 1:
            parts = [
                join(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i]
                for i in range(0, len(parts), 2)
            ]
        return dask.compute(parts[0])[0]


def _facts_of(frame: Any, columns: Columns) -> dict[str, Any]:
    """Return what one piece of a Dask data frame holds."""
    facts: dict[str, Any] = {"rows": len(frame)}
    if not len(frame):
        return facts
    for name in columns.votes:
        cells = numbers_of(frame, name)
        said = cells[~np.isnan(cells)]
        facts |= {
            f"{name} low": float(said.min()) if len(said) else None,
            f"{name} high": float(said.max()) if len(said) else None,
            f"{name} missing": len(cells) - len(said),
        }
    truth = frame[columns.target]
    facts["labels"] = {*truth.dropna().unique().tolist(), *([None] if truth.isna().any() else [])}
    if columns.weight is not None:
        weights = frame[columns.weight].to_numpy(dtype=float)
        fine = np.isfinite(weights) & (weights >= 0)
        facts["whole"] = bool((fine & (weights == np.floor(weights))).all())
        facts["heavy"] = bool((weights > 0).any())
    return facts


def numbers_of(frame: Any, name: str) -> NDArray[np.float64]:
    """Return a column of a piece, of polars or pandas, NaN where it says nothing."""
    column = frame[name]
    if type(frame).__module__.startswith("polars"):
        return np.asarray(column.cast(float).fill_null(np.nan).to_numpy())
    return np.asarray(column.to_numpy(dtype=float, na_value=np.nan))


def _strange_in(frame: Any, columns: Columns) -> NDArray[np.bool_]:
    """Tell who says what is neither a class nor a probability in one piece."""
    names, strange = [number for number, _ in columns.numbers], []
    for name in columns.votes:
        cells = numbers_of(frame, name)
        odd = ~np.isin(cells, names) & ~np.isnan(cells)
        odd &= ~((cells >= -ROUNDING) & (cells <= 1 + ROUNDING) & columns.shares)
        strange.append(bool(odd.any()) and not _is_truth(frame, name))
    return np.array(strange)


def _is_truth(frame: Any, name: str) -> bool:
    """Tell whether a column of a piece of a Dask data frame holds truth values."""
    return bool(frame[name].dtype.kind == "b")


def _positive_in(frame: Any, name: str, columns: Columns) -> tuple[NDArray[np.bool_], Any]:
    """Return where a classifier votes positive in one piece, and what it says."""
    cells, truth = numbers_of(frame, name), _is_truth(frame, name)
    positive = cells == 1 if truth else cells >= columns.cutoff
    for number, vote in columns.classes_in(truth=truth):
        positive = np.where(cells == number, vote, positive)
    return positive, cells


def _packed_of(frame: Any, columns: Columns) -> Packed:
    """Merge the rows of one piece of a Dask data frame."""
    words = np.zeros((len(columns.keys), len(frame)), dtype=np.uint64)
    for i, group in enumerate(columns.words):
        for place, name in enumerate(group):
            (positive, cells), bit = _positive_in(frame, name, columns), np.uint64(WORD - 1 - place)
            words[i] |= positive.astype(np.uint64) << bit
            if columns.gaps:
                words[len(columns.words) + i] |= (~np.isnan(cells)).astype(np.uint64) << bit
    counts = np.ones(len(frame), dtype=np.int64)
    if columns.weight is not None:
        counts = frame[columns.weight].to_numpy(dtype=np.int64)
    label = (frame[columns.target] == columns.positive).to_numpy(dtype=bool)
    return merged([Packed(words, counts, np.where(label, counts, 0))])


def _is_dask(source: object) -> bool:
    return type(source).__module__.startswith("dask")
