"""An unfinished proof on file: which nodes of either tree are open, and the best committee.

The file belongs to one problem: a digest of the merged votes, the gains and the limits is kept with
it, and a file of another problem is refused. It is written whole or not at all, after every round,
so a run that is killed at any moment can go on from the last one.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..bounds.node import Node
from ..exceptions import FileFormatError, InputError
from ..files import jsonfile, outfile
from ..problem.committee import Committee
from ..problem.problem import Problem
from ..run.run import Run
from .nogoods.task import Node as NogoodNode

_FIELDS = ("pairs", "bounds", "done", "decided", "by")
"""The arrays of a `Node`, as they are called in the file."""

_FORMAT = "voteprune checkpoint 2"
"""The first thing in a file; another number is refused."""

T = TypeVar("T")


def digest(problem: Problem) -> str:
    """Return what tells one problem from another."""
    patterns, diversity = problem.patterns, problem.diversity
    said = hashlib.sha256()
    said.update(np.packbits(patterns.matrix).tobytes())
    limits = [
        problem.size_min, problem.size_max, problem.required, problem.forbidden,
        [(limit.gains.base, [int(n) for n in limit.gains.net], limit.least)
         for limit in problem.metric_limits],
        [(limit.costs, limit.most) for limit in problem.cost_limits],
        diversity and (diversity.measure, diversity.tau, diversity.gamma),
    ]  # fmt: skip
    # Measures of diversity look at all rows, whatever the objective makes of them.
    rows = [patterns.denominator, patterns.positive.tolist(), patterns.negative.tolist()]
    gains = [problem.gains.base, [int(n) for n in problem.gains.net]]
    said.update(repr([gains, limits, rows]).encode())
    if problem.objective.kind == "margin":
        said.update(problem.objective.name.encode())
    return said.hexdigest()


def check_checkpoint(path: object, method: str, problem: Problem) -> Path | None:
    """Check, before any work, that an unfinished proof can be kept in a file, and whose it is.

    Raises
    ------
    InputError
        If there is nothing to keep, the folder does not exist, or the file is no checkpoint of
        this problem.
    """
    file = file_of(path)
    if file is None:
        return None
    if method != "exact" or problem.objective.kind not in ("linear", "margin"):
        raise InputError(
            "checkpoint",
            "only method='exact' with a margin, or an objective that is a weighted sum of counts, "
            "keeps its proof on file. Leave it out.",
        )
    if problem.must_cover:
        raise InputError(
            "checkpoint", "a proof under a limit on coverage keeps nothing on file. Leave it out."
        )
    load_proof(file, problem)
    outfile.check_folder(file, "checkpoint")
    return file


def file_of(path: object) -> Path | None:
    """Return the file that a proof is to be kept in, None for none.

    Raises
    ------
    InputError
        If it is no path, or no file in a folder that exists.
    """
    if path is None:
        return None
    if not isinstance(path, str | Path):
        raise InputError("checkpoint", f"expected a path, got {path!r}.")
    file = Path(path)
    if not file.parent.is_dir() or (file.exists() and not file.is_file()):
        raise InputError("checkpoint", f"{file} cannot be written: name a file in a folder.")
    return file


def file_of_exact(path: object, method: str, load: Callable[[Path], object]) -> Path | None:
    """Check, before any work, that an unfinished proof can be kept in a file, and whose it is.

    Parameters
    ----------
    path, method
        The file, and the method: only the exact one has a proof to keep.
    load
        Reads what is on file already, and refuses what is another problem's.

    Raises
    ------
    InputError
        If there is nothing to keep, the folder does not exist, or the file is another problem's.
    FileFormatError
        If the file is no checkpoint.
    """
    file = file_of(path)
    if file is None:
        return None
    if method != "exact":
        raise InputError(
            "checkpoint", f"{method} keeps no proof on file. Leave it out, or use method='exact'."
        )
    load(file)
    outfile.check_folder(file, "checkpoint")
    return file


@dataclass(frozen=True, slots=True)
class SizeBounds:
    """Where a proof about a margin stands, size by size, in units.

    Parameters
    ----------
    proved
        What no committee of a size exceeds, as voteprune has proved.
    priced
        Sizes that have had a linear program of their own.
    waiting
        Lower bounds that a solver has claimed, of sizes that may hold something better; None where
        none has been asked.
    settled
        What a solver leaves open of sizes where it has claimed an optimum.
    turns
        Seconds that a solver last had for a size.
    trusted
        The solvers whose word `waiting` and `settled` are.
    """

    proved: Mapping[int, int] = field(default_factory=dict)
    priced: tuple[int, ...] = ()
    waiting: Mapping[int, int] | None = None
    settled: Mapping[int, int] = field(default_factory=dict)
    turns: Mapping[int, float] = field(default_factory=dict)
    trusted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """What is on file.

    Parameters
    ----------
    committee
        The best committee, None if there was none.
    nodes
        Open nodes of the tree by sizes; None if the proof had not come to it.
    nogood_nodes
        Open nodes of the tree by nogoods; None if the proof had gone on to sizes.
    sizes
        Bounds of all sizes, of a margin alone.
    """

    committee: Committee | None
    nodes: tuple[Node, ...] | None = None
    nogood_nodes: tuple[NogoodNode, ...] | None = None
    sizes: SizeBounds | None = None


def still_there(run: Run, load: Callable[[], T | None]) -> T | None:
    """Return what is loaded from a file that was checked before the run began.

    If it can no longer be read, that is an incident, and the run begins anew.
    """
    try:
        return load()
    except InputError as error:
        run.incumbent.incidents.append(str(error))
        return None


def on_file(problem: Problem, run: Run) -> Kept | None:
    """Return what an earlier run has left on file, None where there is nothing."""
    return still_there(run, lambda: load_proof(run.checkpoint, problem))


def resumed(problem: Problem, run: Run) -> Kept | None:
    """Return what an earlier run has left on file, and offer its committee."""
    kept = on_file(problem, run)
    if kept is not None and kept.committee is not None:
        run.incumbent.offer(kept.committee.members, kept.committee.threshold)
    return kept


def save_proof(path: Path, problem: Problem, kept: Kept) -> None:
    """Write what is open and the best committee, whole or not at all."""
    committee = kept.committee
    header: dict[str, Any] = {
        "format": _FORMAT,
        "problem": digest(problem),
        "members": None if committee is None else [int(k) for k in committee.members],
        "threshold": None if committee is None else int(committee.threshold),
        "keys": None if kept.nodes is None else [int(node.key) for node in kept.nodes],
    }
    if kept.sizes is not None:
        header["sizes"] = _write_sizes(kept.sizes)
    arrays = {
        f"{name}_{i}": getattr(node, name)
        for i, node in enumerate(kept.nodes or ())
        for name in _FIELDS
    }
    if (nodes := kept.nogood_nodes) is not None:
        arrays["cell_bounds"] = np.array([node.bound for node in nodes], dtype=np.float64)
        arrays["cells"] = np.array([node.decided for node in nodes], dtype=np.int8)
    write(path, header, arrays)


def write(path: Path, header: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write a header and arrays, whole or not at all."""
    content = io.BytesIO()
    np.savez_compressed(content, header=np.array(json.dumps(header)), **arrays)
    outfile.write_bytes(path, content.getvalue())


def read(
    path: Path | None,
    kind: str,
    whose: Callable[[], str],
    said: str,
    take: Callable[[jsonfile.Fields, dict[str, NDArray[Any]]], T],
) -> T | None:
    """Read what `write` wrote; None where there is no file yet.

    Parameters
    ----------
    path
        The file.
    kind
        The format that its header must name.
    whose
        Tells the digest of the problem that it must belong to.
    said
        What else the problem may be about, for the message: "votes".
    take
        Takes header and arrays to what is on file.

    Raises
    ------
    FileFormatError
        If the file is no checkpoint, or a damaged one.
    InputError
        If it is another problem's.
    """
    if path is None or not path.exists():
        return None
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            header = jsonfile.Fields(jsonfile.read(str(file["header"])), str(path))
            if header.text("format") != kind:
                raise FileFormatError(
                    path, "was written by another version of voteprune. Delete it to start anew."
                )
            owner = header.text("problem")
            found = take(header, dict(file))
    except FileFormatError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise damaged(path, error) from None
    if owner != whose():
        raise InputError(
            "checkpoint",
            f"{path} belongs to another problem: other {said}, another objective or other limits. "
            "Name another file, or delete it.",
        )
    return found


def load_proof(path: Path | None, problem: Problem) -> Kept | None:
    """Read what `save_proof` wrote; None where there is no file yet.

    Raises
    ------
    FileFormatError
        If the file is no checkpoint, or a damaged one.
    InputError
        If it is another problem's.
    """
    found = read(path, _FORMAT, lambda: digest(problem), "votes", _take)
    if found is None or path is None:
        return None
    seats, opened = found
    try:
        committee = None if seats is None else problem.committee(*seats)
    except (InputError, IndexError) as error:
        raise damaged(path, error) from None
    return replace(opened, committee=committee)


def _take(
    header: jsonfile.Fields, arrays: dict[str, NDArray[Any]]
) -> tuple[tuple[tuple[int, ...], int] | None, Kept]:
    """Return members and threshold, and what was open."""
    seats, keys = None, None
    if not header.missing("members"):
        seats = header.integers("members"), header.integer("threshold")
    if not header.missing("keys"):
        keys = header.integers("keys")
    if not header.missing("sizes"):
        return seats, Kept(None, sizes=_read_sizes(header.object("sizes")))
    return seats, Kept(None, *_read_open(keys, arrays))


def _write_sizes(sizes: SizeBounds) -> dict[str, Any]:
    """Return bounds as text, for they may be longer than any number in JSON."""
    tables = {name: getattr(sizes, name) for name in ("proved", "waiting", "settled", "turns")}
    return {
        "priced": list(sizes.priced),
        "trusted": list(sizes.trusted),
        **{
            name: None if table is None else [f"{size} {bound}" for size, bound in table.items()]
            for name, table in tables.items()
        },
    }


def _read_sizes(fields: jsonfile.Fields) -> SizeBounds:
    def table(name: str, number: Callable[[str], Any]) -> dict[int, Any]:
        pairs = (text.split() for text in fields.texts(name))
        return {int(size): number(bound) for size, bound in pairs}

    return SizeBounds(
        proved=table("proved", int),
        priced=fields.integers("priced"),
        waiting=None if fields.missing("waiting") else table("waiting", int),
        settled=table("settled", int),
        turns=table("turns", float),
        trusted=fields.texts("trusted"),
    )


def damaged(path: Path, error: Exception) -> FileFormatError:
    """Return what to say of a file that is no checkpoint."""
    return FileFormatError(
        path, f"is no checkpoint of voteprune, or damaged ({error}). Delete it to start anew."
    )


def _read_open(
    keys: tuple[int, ...] | None, arrays: dict[str, NDArray[Any]]
) -> tuple[tuple[Node, ...] | None, tuple[NogoodNode, ...] | None]:
    """Return the nodes of either tree that were open; None for what there was not."""
    if keys is None:
        both = zip(arrays["cell_bounds"], arrays["cells"], strict=True)
        return None, tuple(NogoodNode(float(bound), decided) for bound, decided in both)
    nodes = (Node(k, *(arrays[f"{name}_{i}"] for name in _FIELDS)) for i, k in enumerate(keys))
    return tuple(nodes), None
