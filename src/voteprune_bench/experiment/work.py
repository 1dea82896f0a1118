"""The two pieces of work that run in workers: train a cell's pool, prune it by one method.

Both hand back a value whatever happens; an error becomes a `Failure`. They write nothing but vote
files, each whole or not at all; results are written by the process that hands out the work.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from voteprune.compare import mean_credit
from voteprune.exceptions import FileFormatError, InputError, VotepruneError
from voteprune.problem.committee import Committee
from voteprune.problem.confusion import Confusion
from voteprune.problem.pairwise import FailureCredit
from voteprune.problem.problem import Problem
from voteprune.prune import prune
from voteprune.run.incumbent import Progress
from voteprune.solve.solution import Solution
from voteprune.tables import Rows, VoteTable, model_of, read_table
from voteprune.votes.patterns import Patterns

from .contenders import Contender, find_function
from .datasets import load
from .protocol import collect
from .records import VOTES, Failure, Record
from .tasks import Cell, Task
from .votefiles import write_votes

TRACE_LENGTH = 100
"""Steps of a trace that are kept."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A cell's vote file has been written."""

    key: str


def train(cell: Cell) -> Trained | Failure:
    """Train the pool of one fold and write its vote file.

    Parameters
    ----------
    cell
        One that is not ready.
    """
    try:
        assert cell.pool is not None  # given vote files are always ready
        table = load(cell.dataset, cell.source)
        write_votes(cell.votes, collect(table, cell.pool, cell.k, cell.seed, cell.fold))
        return Trained(cell.key)
    except Exception as error:
        return Failure(
            key=cell.key,
            dataset=cell.dataset.id,
            seed=cell.seed,
            fold=cell.fold,
            pool_size=0,
            method=VOTES,
            **_complaint(error),
        )


def solve(task: Task) -> Record | Failure:
    """Prune the votes of a cell and count the committee on both parts.

    Parameters
    ----------
    task
        One whose cell is ready.
    """
    try:
        return _record(task)
    except Exception as error:
        return failed(task, **_complaint(error))


def failed(task: Task, reason: str, detail: str = "") -> Failure:
    """Return the failure of a task."""
    return Failure(
        key=task.key,
        dataset=task.cell.dataset.id,
        seed=task.cell.seed,
        fold=task.cell.fold,
        pool_size=task.k,
        method=task.contender.label,
        reason=reason,
        detail=detail,
    )


def _record(task: Task) -> Record:
    path = task.cell.votes
    try:
        table = _read(path, task.k, path.stat().st_mtime_ns)
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {error.strerror}.") from None
    except FileFormatError as error:
        if task.cell.pool is None:
            raise
        raise FileFormatError(
            path, f"{error.message} Delete it and run again; the pool is then trained anew."
        ) from None
    if table.test is None or table.test.labels is None:
        raise FileFormatError(path, "has no test rows; scores need them.")
    found = _solution(task.contender, table, task.cell.seed)
    committee = found.committee
    if committee is None or found.confusion is None or found.value is None:
        raise InputError("time_limit", f"ended with status {found.status}: {found.termination}.")
    credit = FailureCredit.of(Patterns.of(table.validation)).matrix()
    return Record(
        key=task.key,
        dataset=task.cell.dataset.id,
        seed=task.cell.seed,
        fold=task.cell.fold,
        pool_size=task.k,
        method=task.contender.label,
        objective=found.objective,
        status=found.status,
        termination=found.termination,
        value=found.value,
        bound=found.bound,
        n_validation=table.validation.n_rows,
        n_test=len(table.test.ids),
        validation=found.confusion,
        test=_count(committee, table.test),
        threshold=committee.threshold,
        members=committee.members,
        names=committee.names,
        families=tuple(model_of(name)[0] for name in committee.names),
        multiplicities=() if committee.n_votes == committee.size else committee.multiplicities,
        diversity=mean_credit(committee, credit),
        seconds=found.seconds,
        trace=_trace(found.trace, found.bound is not None),
    )


@lru_cache(maxsize=4)
def _read(path: Path, k: int, _changed: int) -> VoteTable:
    # All methods of a fold come one after the other; its file is read once in every worker.
    return read_table(path, k=k)


def _solution(contender: Contender, table: VoteTable, seed: int) -> Solution:
    if contender.function is not None:
        return _own_solution(contender, table, seed)
    return prune(
        table.validation,
        objective=contender.objective,
        method=contender.method,
        solver=contender.solver,
        diversity=contender.diversity,
        threshold=contender.threshold,  # type: ignore[arg-type]
        time_limit=contender.time_limit,
        random_state=seed,
        n_jobs=1,
    )


def _own_solution(contender: Contender, table: VoteTable, seed: int) -> Solution:
    """Call a function of the user's own and recount what it returns."""
    import time

    assert contender.function is not None
    function = find_function(contender.function)
    began = time.perf_counter()
    answer = function(table.validation, time_limit=contender.time_limit, random_state=seed)
    seconds = time.perf_counter() - began
    committee = _committee(answer, table)
    problem = Problem.of(table.validation, contender.objective)
    counts = problem.confusion(committee)
    return Solution(
        status="feasible",
        termination="finished",
        committee=committee,
        confusion=counts,
        value=problem.objective.read(problem.score(committee)),
        bound=None,
        objective=contender.objective,
        weights=problem.objective.formula,
        method=contender.label,
        solver=None,
        seconds=seconds,
        seed=seed,
        n_rows=table.validation.n_rows,
        n_patterns=problem.patterns.n_patterns,
        n_classifiers=problem.n_classifiers,
    )


def _committee(answer: Any, table: VoteTable) -> Committee:
    if isinstance(answer, Committee):
        return answer
    names = table.validation.names
    try:
        members = sorted({int(member) for member in answer})
        chosen = tuple(names[member] for member in members)
    except (TypeError, ValueError, IndexError):
        raise InputError(
            "function", f"returned {answer!r:.80}; expected a Committee or members' indices."
        ) from None
    return Committee(tuple(members), len(members) // 2, chosen, len(names))


def _count(committee: Committee, test: Rows) -> Confusion:
    assert test.labels is not None
    return Confusion.count(test.labels, committee.predict(test.votes) == 1)


def _trace(
    steps: tuple[Progress, ...], bounded: bool
) -> tuple[tuple[float, float | None, float | None], ...]:
    """Return the path of a run, thinned where it is long; the last step is always kept."""
    places = np.unique(np.linspace(len(steps) - 1, 0, min(len(steps), TRACE_LENGTH)).astype(int))
    return tuple(
        (round(steps[i].seconds, 4), steps[i].value, steps[i].bound if bounded else None)
        for i in places.tolist()
    )


def _complaint(error: Exception) -> dict[str, str]:
    """Say what went wrong, and where if it was not foreseen."""
    detail = "" if isinstance(error, VotepruneError) else traceback.format_exc(limit=-5)
    return {"reason": f"{type(error).__name__}: {error}", "detail": detail}
