"""A plan becomes tasks, each with a hash of all that decides over its result.

There are two kinds of work. A `Cell` is one fold of one data set, whose pool must be trained
unless its vote file is there. A `Task` prunes the votes of a cell with one method at one K.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import gcd
from pathlib import Path
from typing import Any

from voteprune.exceptions import InputError

from .contenders import Contender
from .datasets import Dataset, data_folder, fingerprint_of, load, locate
from .plan import Grid, Plan
from .pool import Pool
from .protocol import HOLD_OUT, VERSION
from .votefiles import file_name, find_votes


@dataclass(frozen=True, slots=True)
class Cell:
    """One fold of one data set.

    Parameters
    ----------
    key
        Hash of the data, the pool and the fold, or of the vote file where one was given.
    dataset, seed, fold, votes_by
        Which, and how its votes are made.
    k
        The largest pool that is needed.
    votes
        Its vote file.
    ready
        Whether that file is there.
    source
        The data set's file; None for BCW and for given vote files.
    pool
        What to train; None for given vote files.
    """

    key: str
    dataset: Dataset
    seed: int
    fold: int
    k: int
    votes: Path
    ready: bool
    source: Path | None = None
    pool: Pool | None = None
    votes_by: str = HOLD_OUT


@dataclass(frozen=True, slots=True)
class Task:
    """One method on one pool.

    Parameters
    ----------
    key
        Hash of all that decides over the result.
    cell
        Whose votes.
    k
        How many of the classifiers.
    contender
        By what method, with its time limit.
    """

    key: str
    cell: Cell
    k: int
    contender: Contender


@dataclass(frozen=True, slots=True)
class Shard:
    """Every n-th cell, for machines that share the work without knowing of each other.

    Parameters
    ----------
    number, of
        Which of how many, from 1 on.
    """

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, words: str) -> Shard:
        """Read ``i/n``."""
        number, _, of = words.partition("/")
        plain = re.fullmatch(r"[0-9]{1,9}/[0-9]{1,9}", words)
        if plain and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise InputError("shard", f"is {words!r}; write i/n with 1 <= i <= n, such as 2/8.")

    def __str__(self) -> str:
        return f"{self.number}-of-{self.of}"

    def overlaps(self, other: Shard) -> bool:
        """Tell whether some cell belongs to both."""
        return (self.number - other.number) % gcd(self.of, other.of) == 0


WHOLE = Shard()
"""All cells."""


def expand(
    plan: Plan, run: Path, data_dir: str | Path | None = None, shard: Shard = WHOLE
) -> list[Task]:
    """Return the tasks of a plan, cell by cell, those of the first data set first.

    Parameters
    ----------
    plan
        What to run.
    run
        The run's folder, where vote files are kept.
    data_dir
        Folder of the data sets, see `data_folder`.
    shard
        Which part of the cells.

    Raises
    ------
    InputError
        If a data set or a given vote file is missing or cannot be used, if two data sets or two
        folds are the same, or if one task is asked for in two ways.
    """
    folder = data_folder(data_dir)
    if plan.votes is None:
        own = {one.id: one for grid in plan.grids for one in grid.datasets if one.file is not None}
        for dataset in own.values():
            load(dataset, locate(dataset, folder))  # what cannot be read is refused now
    cells: dict[tuple[str, int, int, str], Cell] = {}
    places: dict[tuple[str, int, int, str], list[Grid]] = {}
    for grid in plan.grids:
        for dataset in grid.datasets:
            for seed in grid.seeds:
                for fold in grid.folds:
                    place = (dataset.id, seed, fold, grid.votes_by)
                    places.setdefault(place, []).append(grid)
                    k = max(max(one.pool_sizes) for one in places[place])
                    if place not in cells:
                        made = _cell(plan, grid, dataset, seed, fold, k, run, folder)
                        cells[place] = made
                    elif cells[place].k < k:
                        cells[place] = _sized(cells[place], k, run)
    _refuse_twins(cells.values())
    mine = list(cells.items())[shard.number - 1 :: shard.of]
    tasks: list[Task] = []
    for place, cell in mine:
        here: dict[tuple[int, str], Task] = {}
        for grid in places[place]:
            for k in grid.pool_sizes:
                for contender in grid.contenders:
                    task = _task(cell, k, contender, grid.time_limit)
                    if here.setdefault((k, contender.label), task).key != task.key:
                        raise InputError(
                            "grid",
                            f"asks twice for {contender.label} on {cell.dataset.id} at K = {k}, "
                            "seed and fold alike, with other limits. Leave one out.",
                        )
        tasks += here.values()
    return tasks


def _refuse_twins(cells: Iterable[Cell]) -> None:
    """Refuse cells with the same votes: their results would be counted as those of several."""
    seen: dict[str, Cell] = {}
    for cell in cells:
        twin = seen.setdefault(cell.key, cell)
        if twin is cell:
            continue
        if cell.pool is None:
            raise InputError(
                "votes.pattern",
                f"names the same votes for {twin.dataset.id} seed {twin.seed} fold {twin.fold} and "
                f"{cell.dataset.id} seed {cell.seed} fold {cell.fold}, in {twin.votes} and "
                f"{cell.votes}. It needs {{dataset}}, {{seed}}, {{fold}} where there are several.",
            )
        raise InputError(
            "datasets",
            f"{twin.dataset.id} and {cell.dataset.id} are the same table. Leave one out.",
        )


def _cell(
    plan: Plan, grid: Grid, dataset: Dataset, seed: int, fold: int, k: int, run: Path, folder: Path
) -> Cell:
    if plan.votes is not None:
        votes = plan.votes.path(dataset.id, seed, fold)
        if not votes.is_file():
            raise InputError("votes.pattern", f"names {votes}, which is not there. Correct it.")
        key = _hash({"votes": hashlib.sha256(votes.read_bytes()).hexdigest()})
        return Cell(key, dataset, seed, fold, k, votes, True, votes_by=grid.votes_by)
    assert plan.pool is not None  # a plan has votes or a pool
    source = locate(dataset, folder)
    parts = {
        "protocol": VERSION,
        "data": _fingerprint(source),
        "target": [dataset.target, dataset.positive],
        "pool": plan.pool.fingerprint,
        "seed": seed,
        "fold": fold,
    }
    if grid.votes_by != HOLD_OUT:
        parts["votes_by"] = grid.votes_by
    cell = Cell(_hash(parts), dataset, seed, fold, k, run, False, source, plan.pool, grid.votes_by)
    return _sized(cell, k, run)


def _sized(cell: Cell, k: int, run: Path) -> Cell:
    """Return a cell with its vote file for K classifiers."""
    if cell.pool is None:
        return replace(cell, k=k)
    names = (cell.dataset.id, cell.seed, cell.fold, cell.key)
    found = find_votes(run / "votes", *names, k)
    votes = found or run / "votes" / file_name(*names, k)
    return replace(cell, k=k, votes=votes, ready=found is not None)


def _task(cell: Cell, k: int, contender: Contender, limit: float) -> Task:
    timed = contender
    if contender.time_limit is None:
        timed = replace(contender, time_limit=limit)
    parts = {"cell": cell.key, "seed": cell.seed, "k": k, "contender": timed.fields()}
    return Task(_hash(parts), cell, k, timed)


_known: dict[tuple[Path | None, float], str] = {}


def _fingerprint(source: Path | None) -> str:
    # A data set has a hundred folds; it is read once.
    mark = (source, 0.0 if source is None else source.stat().st_mtime)
    if mark not in _known:
        _known[mark] = fingerprint_of(source)
    return _known[mark]


def _hash(parts: dict[str, Any]) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
