"""A plan: one TOML file that says what to run, read and checked before any work starts.

::

    datasets = ["bcw", "drd"]        # ids of the catalogue, or of [[dataset]] tables
    seeds = [10, 20]                 # of the folds; 10, 20, ..., 100 in the paper
    folds = [0, 1]                   # all ten when left out
    pool_sizes = [100, 40]           # K
    methods = ["F1", "HC-UWA"]       # the paper's when left out
    time_limit = 60                  # seconds for each
    votes_by = "hold-out"            # the paper's way; or "out of fold"
    pool = "my-pool.toml"            # the paper's when left out

    [[grid]]                         # any number of grids; each may set any of the above anew
    datasets = ["def"]
    folds = [0, 1, 2]

    [[dataset]]                      # a table of your own
    id = "mine"
    file = "mine.csv"
    target = "label"
    positive = "yes"

    [method.mine]                    # a contender of your own, in mymodule.py beside the plan
    function = "mymodule.choose"

    [method.few]                     # or one of voteprune's with other arguments
    objective = "log_loss"
    penalty = 30
    constraints = { max_size = 3 }

    [votes]                          # prune vote files that exist; nothing is trained
    folder = "published"
    pattern = "{dataset}_{seed}_{fold}.csv"
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voteprune.exceptions import FileFormatError, InputError

from .contenders import PAPER, Contender, check_limit, read_contenders
from .datasets import Dataset, catalogue
from .pool import PAPER_POOL, Pool, read_pool
from .protocol import FOLDS, HOLD_OUT, WAYS

HOME = ".home"
"""File of a run that says where paths in its plan start from."""

PLANS = Path(__file__).with_name("plans")
"""Plans that come with the package, by name."""

_GRID = ("datasets", "seeds", "folds", "pool_sizes", "methods", "time_limit", "votes_by")
_ELSE = ("pool", "grid", "dataset", "method", "votes")
_DEFAULTS: dict[str, Any] = {
    "seeds": list(range(10, 101, 10)),
    "folds": list(range(FOLDS)),
    "pool_sizes": [40, 60, 80, 100],
    "methods": [contender.label for contender in PAPER],
    "time_limit": 300.0,
    "votes_by": HOLD_OUT,
}
SEED_MAX = 2**31 - 1
"""The largest seed of folds: scikit-learn takes twice as much, and classifiers add their place."""

_FIELDS = {"dataset", "DATASET", "seed", "fold", "fold_from_1"}


@dataclass(frozen=True, slots=True)
class Grid:
    """Everything of one kind with everything of the others.

    Parameters
    ----------
    datasets, seeds, folds, pool_sizes, contenders
        What to combine.
    time_limit
        Seconds for each method that has no limit of its own.
    votes_by
        How votes are made.
    """

    datasets: tuple[Dataset, ...]
    seeds: tuple[int, ...]
    folds: tuple[int, ...]
    pool_sizes: tuple[int, ...]
    contenders: tuple[Contender, ...]
    time_limit: float
    votes_by: str = HOLD_OUT


@dataclass(frozen=True, slots=True)
class VoteFiles:
    """Where vote files lie that somebody else has made.

    Parameters
    ----------
    folder
        The folder.
    pattern
        Name of a file in it, with {dataset} or {DATASET}, {seed}, and {fold} or {fold_from_1}.
    """

    folder: Path
    pattern: str

    def path(self, dataset: str, seed: int, fold: int) -> Path:
        """Return the file of one fold."""
        return self.folder / self.pattern.format(
            dataset=dataset,
            DATASET=dataset.upper(),
            seed=seed,
            fold=fold,
            fold_from_1=fold + 1,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run.

    Parameters
    ----------
    grids
        What to combine with what.
    pool
        The classifiers; None where `votes` are given.
    votes
        Vote files to prune; None where pools are to be trained.
    text
        The file's own words, to be kept with the results.
    home
        The folder that paths in it start from.
    """

    grids: tuple[Grid, ...]
    pool: Pool | None
    votes: VoteFiles | None
    text: str
    home: Path


def read_plan(path: str | Path, home: Path | None = None, *, check: bool = True) -> Plan:
    """Read a plan.

    Parameters
    ----------
    path
        A TOML file, or the name of a plan that comes with the package.
    home
        Where paths in it start from; its own folder when omitted.
    check
        Whether its methods must be able to run here. To count what is done they need not.

    Raises
    ------
    InputError
        If anything in it cannot be run; a `FileFormatError` if it is no TOML.
    """
    file = Path(path)
    if not file.is_file() and (PLANS / f"{path}.toml").exists():
        file = PLANS / f"{path}.toml"
    try:
        text = file.read_text(encoding="utf-8-sig")
        parts = tomllib.loads(text)
    except OSError as error:
        known = ", ".join(sorted(plan.stem for plan in PLANS.glob("*.toml")))
        raise FileFormatError(
            path, f"cannot be read: {error.strerror}. Give a TOML file or one of {known}."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(path, f"is not valid TOML: {error}.") from None
    home = home or file.absolute().parent
    see(home)
    return _plan(parts, text, home, check)


def see(home: Path | str) -> None:
    """Let modules beside a plan be imported: functions and classes of the user's own.

    Parameters
    ----------
    home
        The folder that paths in the plan start from.
    """
    if str(home) not in sys.path:
        sys.path.append(str(home))  # last, where it hides nobody's modules


def read_plan_of(run: Path) -> Plan:
    """Read the plan that a run was last given."""
    if not (run / "plan.toml").is_file():
        raise InputError("RUN", f"{run} holds no plan.toml; no run has begun there.")
    home = run / HOME
    begun = Path(home.read_text("utf-8")) if home.is_file() else None
    return read_plan(run / "plan.toml", begun, check=False)


def _plan(parts: dict[str, Any], text: str, home: Path, check: bool) -> Plan:
    if extra := set(parts) - {*_GRID, *_ELSE}:
        raise InputError(
            min(extra), f"is not known in a plan. Known are {', '.join((*_GRID, *_ELSE))}."
        )
    mine = _own_datasets(_tables(parts, "dataset", []), home)
    known = catalogue() | {own.id: own for own in mine}
    votes = _votes(parts["votes"], home) if "votes" in parts else None
    if votes is not None and "pool" in parts:
        raise InputError("pool", "is of no use where vote files are given. Leave one of them out.")
    pool = None
    if votes is None:
        pool = read_pool(_path(parts["pool"], "pool", home) if "pool" in parts else PAPER_POOL)
    shared = {name: parts[name] for name in _GRID if name in parts}
    own = parts.get("method", {})
    grids = []
    for table in _tables(parts, "grid", [{}]):
        if extra := set(table) - set(_GRID):
            raise InputError(f"grid.{min(extra)}", f"is not known. Known are {', '.join(_GRID)}.")
        grids.append(_grid({**_DEFAULTS, **shared, **table}, known, own, pool, check))
    return Plan(tuple(grids), pool, votes, text, home)


def _grid(
    wish: dict[str, Any],
    known: dict[str, Dataset],
    own: dict[str, Any],
    pool: Pool | None,
    check: bool,
) -> Grid:
    names = wish.get("datasets")
    if not isinstance(names, list) or not names:
        raise InputError("datasets", f"expected a list of ids, got {names!r}.")
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise InputError("datasets", f"{name!r} is not known. Known are {', '.join(known)}.")
    seeds, folds, sizes = (_whole(wish[key], key) for key in ("seeds", "folds", "pool_sizes"))
    if max(folds) >= FOLDS:
        raise InputError("folds", f"are numbered from 0 to {FOLDS - 1}.")
    if max(seeds) > SEED_MAX:
        raise InputError("seeds", f"go from 0 to {SEED_MAX}.")
    for k in sizes:
        if pool is not None:
            pool.check_size(k)
        elif k < 1:
            raise InputError("pool_sizes", "must be 1 or more.")
    limit = wish["time_limit"]
    check_limit(limit)
    contenders = read_contenders(wish["methods"], own, "methods")
    if check:
        for contender in contenders:
            contender.check()
    chosen = tuple(known[name] for name in dict.fromkeys(names))
    votes_by = wish["votes_by"]
    if votes_by not in WAYS:
        raise InputError("votes_by", f"is {votes_by!r}; write one of {', '.join(WAYS)}.")
    return Grid(chosen, seeds, folds, sizes, contenders, float(limit), votes_by)


def _whole(values: object, argument: str) -> tuple[int, ...]:
    sound = isinstance(values, list) and values and all(type(value) is int for value in values)
    if not sound or min(values) < 0:  # type: ignore[call-overload]
        raise InputError(argument, f"expected a list of whole numbers from 0 on, got {values!r}.")
    return tuple(dict.fromkeys(values))  # type: ignore[call-overload]


def _tables(parts: dict[str, Any], name: str, default: list[dict[str, Any]]) -> list[Any]:
    found = parts.get(name, default)
    tables = isinstance(found, list) and all(isinstance(table, dict) for table in found)
    if not isinstance(found, list) or not tables or (default and not found):
        raise InputError(name, f"is {found!r:.60}; write tables, each under [[{name}]].")
    return found


def _path(text: object, argument: str, home: Path) -> Path:
    if not isinstance(text, str) or "\0" in text:
        raise InputError(argument, f"is {text!r:.60}; expected a path, as text.")
    return home / text


def _own_datasets(tables: list[Any], home: Path) -> list[Dataset]:
    found = []
    for table in tables:
        sound = {"id", "file"} <= set(table) <= {"id", "file", "name", "target", "positive"}
        sound = sound and all(isinstance(word, str) for word in table.values())
        if not sound or not re.fullmatch(r"[A-Za-z0-9_.]+", table["id"]):
            raise InputError(
                "dataset",
                "must have id (letters, digits, _ and .) and file, and may have name, target and "
                "positive, all of them as text.",
            )
        parts = {**table, "file": _path(table["file"], "dataset.file", home)}
        found.append(Dataset(**{"name": table["id"], **parts}))
    return found


def _votes(table: Any, home: Path) -> VoteFiles:
    if not isinstance(table, dict) or set(table) != {"folder", "pattern"}:
        raise InputError("votes", "must have folder and pattern, and nothing else.")
    files = VoteFiles(_path(table["folder"], "votes.folder", home), table["pattern"])
    try:
        files.path("x", 1, 1)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        raise InputError(
            "votes.pattern", f"may hold {', '.join('{' + name + '}' for name in sorted(_FIELDS))}."
        ) from None
    if not files.folder.is_dir():
        raise InputError("votes.folder", f"{files.folder} is not a folder. Name the right one.")
    return files
