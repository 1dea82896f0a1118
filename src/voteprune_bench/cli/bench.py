"""``voteprune bench``: run the paper's experiments, or a plan of your own, and see how far it is.

What needs the extra ``bench`` is imported when a command is called, so that the other commands
work without it.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voteprune.cli.console import PROVED, UNPROVED, say
from voteprune.cli.output import aligned, emit
from voteprune.exceptions import InputError, shown

if TYPE_CHECKING:
    from ..experiment.bench import Event, Work
    from ..experiment.tasks import Task


def run_command(
    plan: str,
    run: Path,
    /,
    *,
    data_dir: Path | None = None,
    jobs: int = -1,
    dask: str | None = None,
    shard: str | None = None,
    dry_run: bool = False,
) -> int:
    """Run PLAN and keep everything in the folder RUN; go on where an earlier run stopped.

    Only what is missing is done, and what has failed is tried again. Ctrl-C, a crash or a full
    disk cost at most the tasks in flight.

    Parameters
    ----------
    plan
        A TOML file, or a plan that comes with voteprune: tiny, paper-small, paper.
    run
        Folder for vote files and results; made if need be.
    data_dir
        Folder with the data sets; $VOTEPRUNE_DATA when omitted.
    jobs
        How many processes; -1 is one for each core.
    dask
        Work on a Dask cluster instead: a scheduler's address, such as tcp://host:8786, or local
        for one that is started here. Its workers must see RUN and the data under the same paths.
    shard
        Do a part of the work: 2/8 is the second of eight. Shards may share RUN, also at once.
    dry_run
        Only say what there is to do, and what it may cost.
    """
    _require_bench()
    from ..experiment.bench import carry_out, what_is_left
    from ..experiment.executors import executor
    from ..experiment.plan import read_plan
    from ..experiment.records import Record
    from ..experiment.store import Store
    from ..experiment.tasks import WHOLE, Shard, expand

    part = WHOLE if shard is None else Shard.parse(shard)
    asked = read_plan(plan)
    run = run.absolute()
    tasks = expand(asked, run, data_dir, part)
    if dry_run:
        emit(_preview(tasks, what_is_left(tasks, run)))
        return PROVED
    failures = done = 0
    with Store(run, part) as store:
        work = what_is_left(tasks, run)
        if work.tasks:
            store.describe(asked)
        with executor(jobs, dask, str(asked.home)) as place, _progress(work) as tell:
            for event in carry_out(work, store, place):
                failures += tell(event)
                done += isinstance(event.outcome, Record)
    before = len(tasks) - len(work.tasks)
    told = [f"{done} done"]
    told += [f"{failures} failed"] if failures else []
    told += [f"{before} were done before"] if before else []
    say(f"{', '.join(told)}. Results in {run}")
    return UNPROVED if failures else PROVED


def status_command(run: Path, /, *, data_dir: Path | None = None) -> int:
    """Say what is done, failed and left in the folder RUN.

    Parameters
    ----------
    run
        Folder of a run; it may be running.
    data_dir
        Folder with the data sets; $VOTEPRUNE_DATA when omitted.
    """
    _require_bench()
    from ..experiment.bench import what_is_left
    from ..experiment.plan import read_plan_of
    from ..experiment.records import read_failures
    from ..experiment.tasks import expand

    run = run.absolute()
    tasks = expand(read_plan_of(run), run, data_dir)
    work = what_is_left(tasks, run)
    emit(_preview(tasks, work))
    failures = read_failures(run)
    for failure in failures[:20]:
        where = f"{failure.dataset} seed {failure.seed} fold {failure.fold}"
        told = f"failed: {where} K {failure.pool_size} {failure.method}: {failure.reason}"
        emit(shown(told) + "\n")
    if len(failures) > 20:
        emit(f"... and {len(failures) - 20} more, see {run}/failures*.jsonl\n")
    return UNPROVED if work.tasks else PROVED


def _require_bench() -> None:
    try:
        import filelock  # noqa: F401
        import polars  # noqa: F401
    except ImportError as error:
        raise InputError(
            "bench", f"{error.name} is missing. Install it: pip install 'voteprune[bench,cli]'"
        ) from None


def _preview(tasks: list[Task], work: Work) -> str:
    """Write what is done and left, a line for every data set."""
    every = Counter(task.cell.dataset.id for task in tasks)
    left = Counter(task.cell.dataset.id for task in work.tasks)
    pools = Counter(cell.dataset.id for cell in work.cells)
    rows = [["data set", "tasks", "done", "left", "pools to train", "core time, about"]]
    for name, count in every.items():
        keys = {task.key for task in work.tasks if task.cell.dataset.id == name}
        keys |= {cell.key for cell in work.cells if cell.dataset.id == name}
        cost = sum(work.cost[key] for key in keys)
        row = [count, count - left[name], left[name], pools[name]]
        rows.append([name, *map(str, row), _duration(cost)])
    total = [len(tasks), len(tasks) - len(work.tasks), len(work.tasks), len(work.cells)]
    rows.append(["all", *map(str, total), _duration(work.seconds)])
    return aligned(rows)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextlib.contextmanager
def _progress(work: Work) -> Iterator[_Teller]:
    """Show a bar with the time left on stderr, if a person may be looking; else tell now and then.

    Failures are told in any case.
    """
    if not sys.stderr.isatty():
        yield _Teller(work)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # Tasks differ a thousandfold in length, so the bar counts estimated seconds, not tasks.
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("starting", total=max(work.seconds, 1e-9), left="")
        yield _Teller(work, (bar, task))


class _Teller:
    """Tells what has been finished, and how long the rest may take.

    Parameters
    ----------
    work
        What there is to do.
    bar
        A bar and its task, where there is one.
    """

    def __init__(self, work: Work, bar: tuple[Any, Any] | None = None) -> None:
        self._work, self._bar = work, bar
        self._began = self._told = time.monotonic()
        self._finished, self._tasks = 0.0, 0

    def __call__(self, event: Event) -> bool:
        """Return whether it was a failure."""
        from ..experiment.records import Failure, Record

        outcome = event.outcome
        self._finished += event.cost
        self._tasks += isinstance(outcome, Record)
        if isinstance(outcome, Failure):
            where = f"{outcome.dataset} seed {outcome.seed} fold {outcome.fold}"
            say(f"{where} {outcome.method} failed: {outcome.reason}")
        if self._bar is not None:
            bar, task = self._bar
            words = "pools"
            if isinstance(outcome, Record | Failure):
                words = shown(f"{outcome.dataset} {outcome.method}")
            bar.update(task, advance=event.cost, description=words, left=self.left())
        elif time.monotonic() - self._told >= _PAUSE:
            self._told = time.monotonic()
            say(f"{self._tasks} of {len(self._work.tasks)} done, {self.left()}")
        return isinstance(outcome, Failure)

    def left(self) -> str:
        """Say how long the rest takes if it goes on as it went, from the first task on."""
        rest = max(0.0, self._work.seconds - self._finished)
        if not self._finished:
            return "nothing is finished yet"
        pace = (time.monotonic() - self._began) / self._finished
        return f"about {_duration(pace * rest)} left"


_PAUSE = 60.0
"""Seconds between two lines for a log."""
