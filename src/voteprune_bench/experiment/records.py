"""`Record`: what one task of an experiment found; `Failure`: why one found nothing.

The folder of a run holds them as lines of JSON, ``results*.jsonl`` and ``failures*.jsonl``, one
file of each for every shard. Lines are only ever appended. A line that was cut off, because the
machine died while it was written, counts as not written; its task runs again. Files that are kept
may be gzipped (``results.jsonl.gz``); they are read as well.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from voteprune.exceptions import FileFormatError, InputError
from voteprune.files import jsonfile
from voteprune.problem.confusion import Confusion
from voteprune.run.incumbent import relative_gap
from voteprune.solve.base_solution import read_optional

from .protocol import HOLD_OUT

RESULTS, FAILURES = "results", "failures"
"""How the names of a run's files begin."""

_STATUS = ("optimal", "feasible")
_TEXTS, _WHOLE = ("key", "dataset", "method"), ("seed", "fold", "pool_size")
_COUNTS = ("n_validation", "n_test")
_SHARES = ("validation_auc", "validation_log_loss", "test_auc", "test_log_loss")

Place = tuple[str, int, int, str, int, str]
"""Data set, seed, fold, how votes are made, K and method."""

VOTES = "votes"
"""What stands for the method where a pool could not be trained."""


def now() -> str:
    """Return the time as records tell it, so that the later of two is the greater text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The committee a method chose in one fold, counted on both parts.

    Parameters
    ----------
    key
        Content hash of the task, by which it is found again.
    dataset, seed, fold, pool_size, method
        The task: a data set's id, the seed of its folds, the fold left out for testing (from 0
        on), K, and the method's label in the tables ("F1", "HC-UWA", ...).
    objective
        What the method maximised on the validation part.
    status, termination
        As in `voteprune.Solution`; there is always a committee, so "optimal" or "feasible".
    value, bound
        Objective on the validation part and what no committee can exceed; no bound from methods
        that prove nothing.
    n_validation, n_test
        Rows of the two parts.
    validation, test
        Confusion counts of the committee on them.
    threshold, members, names, families, multiplicities, weights
        The committee: indices in the pool of K, their names, and the model each comes from.
        `multiplicities` is empty where everybody has one vote. Where probabilities are combined
        there is no threshold; `weights` are a soft committee's, empty for all others.
    diversity
        Mean failure credit over all pairs of members, None for a committee of one.
    seconds
        Time the method took.
    trace
        Seconds, value (None before the first committee) and bound (None where there is none),
        whenever one of them improved.
    votes_by
        How the votes were made, "hold-out" or "out of fold".
    validation_auc, test_auc
        Area under the ROC curve of the committee's probabilities, else of its votes; None where a
        part has one class only, and in records from before it was noted.
    validation_log_loss, test_log_loss
        Mean log loss of its probabilities; None where there are only votes.
    finished
        When, see `now`; empty in records from before it was noted. Where a task stands twice, the
        later counts.
    """

    key: str
    dataset: str
    seed: int
    fold: int
    pool_size: int
    method: str
    objective: str
    status: str
    termination: str
    value: float
    bound: float | None
    n_validation: int
    n_test: int
    validation: Confusion
    test: Confusion
    threshold: int | None
    members: tuple[int, ...]
    names: tuple[str, ...]
    families: tuple[str, ...]
    multiplicities: tuple[int, ...] = ()
    diversity: float | None = None
    seconds: float = 0.0
    trace: tuple[tuple[float, float | None, float | None], ...] = ()
    votes_by: str = HOLD_OUT
    weights: tuple[float, ...] = ()
    validation_auc: float | None = None
    validation_log_loss: float | None = None
    test_auc: float | None = None
    test_log_loss: float | None = None
    finished: str = ""

    def __post_init__(self) -> None:
        if self.status not in _STATUS:
            raise InputError("status", f"is {self.status!r}; expected one of {_STATUS}.")

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.members)

    @property
    def gap(self) -> float | None:
        """``(bound - value) / |value|``; None without a bound."""
        return relative_gap(self.value, self.bound)

    @property
    def run(self) -> tuple[str, int, int]:
        """Data set, seed and fold: what methods are ranked within."""
        return self.dataset, self.seed, self.fold

    @property
    def place(self) -> Place:
        """Where it stands in the tables, whatever its limits were."""
        return *self.run, self.votes_by, self.pool_size, self.method

    def replaces(self, known: Record) -> bool:
        """Whether it counts instead of one in the same place that was read before it."""
        # Files are read by name, so only the time tells which of two limits was the last.
        return (self.finished, self.key != known.key) > (known.finished, False)

    def to_json(self) -> str:
        """Write the record as one line of JSON."""
        parts: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("validation", "test"):
            parts[name] = [getattr(parts[name], count) for count in ("tp", "fn", "tn", "fp")]
        return jsonfile.write(parts, indent=None).rstrip("\n")

    @classmethod
    def from_json(cls, line: str) -> Record:
        """Read a record back.

        Raises
        ------
        ValueError
            If the line is no record.
        """
        said = _said(line, cls)
        texts, whole = (*_TEXTS, "objective", "status", "termination"), (*_WHOLE, *_COUNTS)
        parts: dict[str, Any] = {
            **{name: said.text(name) for name in texts},
            **{name: said.integer(name) for name in whole},
        }
        return cls(
            **parts,
            value=said.number("value"),
            bound=read_optional(said, "bound", said.number),
            diversity=read_optional(said, "diversity", said.number),
            seconds=said.number("seconds"),
            validation=_confusion(said, "validation"),
            test=_confusion(said, "test"),
            members=said.integers("members"),
            multiplicities=said.integers("multiplicities"),
            names=said.texts("names"),
            families=said.texts("families"),
            trace=_trace(said),
            threshold=read_optional(said, "threshold", said.integer),
            # Records from before there were soft committees do not have what follows.
            votes_by=read_optional(said, "votes_by", said.text) or HOLD_OUT,
            weights=read_optional(said, "weights", lambda key: _floats(said, key)) or (),
            finished=read_optional(said, "finished", said.text) or "",
            **{name: read_optional(said, name, said.number) for name in _SHARES},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a task found nothing. It is tried again in the next run.

    Parameters
    ----------
    key
        Content hash of the task.
    dataset, seed, fold, pool_size, method
        The task, as in `Record`. Where the pool could not be trained, `method` is "votes" and
        `pool_size` is 0.
    reason
        What went wrong: the kind of error and its message.
    detail
        Where it went wrong, for whoever repairs it.
    votes_by, finished
        As in `Record`.
    """

    key: str
    dataset: str
    seed: int
    fold: int
    pool_size: int
    method: str
    reason: str
    detail: str = ""
    votes_by: str = HOLD_OUT
    finished: str = ""

    @property
    def place(self) -> Place:
        """Where its record would stand."""
        return self.dataset, self.seed, self.fold, self.votes_by, self.pool_size, self.method

    def to_json(self) -> str:
        """Write the failure as one line of JSON."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return jsonfile.write(parts, indent=None).rstrip("\n")

    @classmethod
    def from_json(cls, line: str) -> Failure:
        """Read a failure back; ValueError if the line is none."""
        said = _said(line, cls)
        parts: dict[str, Any] = {
            **{name: said.text(name) for name in (*_TEXTS, "reason", "detail")},
            **{name: said.integer(name) for name in _WHOLE},
            "votes_by": read_optional(said, "votes_by", said.text) or HOLD_OUT,
            "finished": read_optional(said, "finished", said.text) or "",
        }
        return cls(**parts)


def read_records(run: str | Path) -> list[Record]:
    """Read what a run has found so far.

    Every data set, seed, fold, K and method has one record: the last, where a plan was run again
    with other limits.

    Parameters
    ----------
    run
        The run's folder. It may be read while the run goes on.

    Raises
    ------
    FileFormatError
        If the folder is missing, or a whole line in it is no record.
    """
    records: dict[Place, Record] = {}
    for path, number, line in _lines(run, RESULTS):
        try:
            record = Record.from_json(line)
        except ValueError as error:
            raise FileFormatError(path, _damaged(error), number) from None
        known = records.get(record.place)
        if known is None or record.replaces(known):
            records[record.place] = record
    return list(records.values())


def read_failures(run: str | Path) -> list[Failure]:
    """Read the last failure of every task that has failed and has not succeeded since.

    As among records, a data set, seed, fold, K and method is one task, whatever its limits were.

    A pool that could not be trained counts as trained once its fold has a later result.
    """
    records = read_records(run)
    done = {record.key for record in records}
    latest: dict[tuple[object, ...], str] = {}
    for record in records:
        for where in (record.place, record.place[:4]):
            latest[where] = max(latest.get(where, ""), record.finished)
    failures: dict[Place, Failure] = {}
    for path, number, line in _lines(run, FAILURES):
        try:
            failure = Failure.from_json(line)
        except ValueError as error:
            raise FileFormatError(path, _damaged(error), number) from None
        known = failures.get(failure.place)
        if known is None or failure.finished >= known.finished:
            failures[failure.place] = failure

    def over(one: Failure) -> bool:
        if one.method == VOTES:
            return one.place[:4] in latest and latest[one.place[:4]] >= one.finished
        return one.key in done or latest.get(one.place, "") > one.finished

    return [one for one in failures.values() if not over(one)]


def _lines(run: str | Path, kind: str) -> Iterator[tuple[Path, int, str]]:
    """Yield every whole line of the run's files of one kind, with its place."""
    folder = Path(run)
    if not folder.is_dir():
        raise FileFormatError(folder, "is not a folder. Give the folder of a run.")
    for path in sorted([*folder.glob(f"{kind}*.jsonl"), *folder.glob(f"{kind}*.jsonl.gz")]):
        try:
            text = path.read_bytes()
            text = gzip.decompress(text) if path.suffix == ".gz" else text
        except (OSError, EOFError, zlib.error) as error:
            said = getattr(error, "strerror", None) or error
            raise FileFormatError(path, f"cannot be read: {said}.") from None
        # What follows the last line end was cut off while it was written.
        whole = text[: text.rfind(b"\n") + 1].decode("utf-8", "replace")
        for number, line in enumerate(whole.split("\n"), start=1):
            if line.strip():
                yield path, number, line


def _said(line: str, kind: type[Record | Failure]) -> jsonfile.Fields:
    """Return what a line says, if it has the fields of its kind and no others."""
    parts = jsonfile.read(line)
    said = jsonfile.Fields(parts, kind.__name__.lower())
    if unknown := set(parts) - {field.name for field in fields(kind)}:
        raise ValueError(f"a {kind.__name__.lower()} has no field {min(unknown)!r}")
    return said


def _confusion(said: jsonfile.Fields, key: str) -> Confusion:
    counts = said.integers(key)
    if len(counts) != 4:
        raise ValueError(f"the field {key!r} must be four counts")
    return Confusion(*counts)


def _floats(said: jsonfile.Fields, key: str) -> tuple[float, ...]:
    found = said.scalars(key)
    if any(isinstance(number, bool | str) for number in found):
        raise ValueError(f"the field {key!r} must be numbers")
    return tuple(map(float, found))


def _trace(said: jsonfile.Fields) -> tuple[tuple[float, float | None, float | None], ...]:
    steps = said.items("trace")
    for step in steps:
        sound = isinstance(step, list) and len(step) == 3 and step[0] is not None
        if not sound or any(type(n) not in (int, float) for n in step if n is not None):
            raise ValueError("the field 'trace' must hold seconds, value and bound")
    return tuple((seconds, value, bound) for seconds, value, bound in steps)


def _damaged(error: ValueError) -> str:
    said = error.message if isinstance(error, InputError) else f"{error}."
    return (
        f"{said} Lines are written whole, so somebody has changed the file. Delete the line; "
        "its task will run again."
    )
