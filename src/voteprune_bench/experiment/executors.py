"""Hand work out to processes of this machine, or to a Dask cluster, and take results as they come.

Either way a worker may die (killed, out of memory, a crash in a library). What it was doing is
done again elsewhere; an item that keeps killing its workers is given up alone, as `Lost`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

import joblib

from voteprune.exceptions import InputError

from .plan import see

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Lost(Generic[Item]):
    """An item whose workers died."""

    item: Item
    reason: str


class Executor(Protocol):
    """A place where work is done."""

    workers: int

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[Result | Lost[Item]]:
        """Yield the results in the order in which they are finished."""


class Local:
    """Processes of this machine, one core each.

    Parameters
    ----------
    jobs
        How many, as in scikit-learn: -1 is one for each core.
    home
        Folder of modules that workers may have to import; empty for none.
    """

    def __init__(self, jobs: int = -1, home: str = "") -> None:
        self.workers, self._home = int(joblib.effective_n_jobs(jobs)), home

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[Result | Lost[Item]]:
        """Yield the results in the order in which they are finished."""
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        left = dict(enumerate(items))
        while left:
            try:
                for place, result in self._stream(function, left, self.workers):
                    del left[place]
                    yield result
            except TerminatedWorkerError:
                # loky does not say what the dead worker was doing. It was among the first that
                # are left, so these are done one by one: who dies alone is the one.
                for place in list(left)[: 2 * self.workers]:
                    try:
                        ((_, result),) = self._stream(function, {place: left[place]}, 1)
                        yield result
                    except TerminatedWorkerError:
                        yield Lost(left[place], "the worker died (killed, or out of memory)")
                    del left[place]

    def _stream(
        self, function: Callable[[Item], Result], items: dict[int, Item], workers: int
    ) -> Iterator[tuple[int, Result]]:
        # Two workers at least: with one, joblib works in this process, which must not die.
        with joblib.parallel_config("loky", inner_max_num_threads=1):
            parallel = joblib.Parallel(
                max(2, workers), return_as="generator_unordered", batch_size=1,
                pre_dispatch=workers,
            )  # fmt: skip
            seeing = partial(_see_and_do, self._home, function)
            calls = [joblib.delayed(_numbered)(seeing, *pair) for pair in items.items()]
            yield from parallel(calls)


class Dask:
    """A Dask cluster.

    joblib's own Dask backend waits forever for a task that Dask has given up, so Dask is asked
    directly.

    Parameters
    ----------
    client
        A `distributed.Client`.
    home
        Folder of modules that workers may have to import; empty for none.
    """

    def __init__(self, client: Any, home: str = "") -> None:
        self._client, self._home = client, home
        self.workers = sum(client.nthreads().values()) or 1

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[Result | Lost[Item]]:
        """Yield the results in the order in which they are finished."""
        from distributed import as_completed

        seeing = partial(_see_and_do, self._home, function)
        futures = self._client.map(seeing, items, pure=False)
        places = {future.key: item for future, item in zip(futures, items, strict=True)}
        try:
            # With results, because a result may be lost with its worker before it is fetched;
            # Dask then works it out again.
            for future, result in as_completed(futures, with_results=True, raise_errors=False):
                # Work returns its errors; one of Dask's own means that it has given up.
                given_up = future.status in ("error", "cancelled")
                yield (
                    Lost(places[future.key], f"given up by Dask: {result[1]}")
                    if given_up
                    else result
                )
                future.release()
        finally:
            self._client.cancel(futures)


@contextmanager
def executor(jobs: int = -1, dask: str | None = None, home: str = "") -> Iterator[Executor]:
    """Open a place to work.

    Parameters
    ----------
    jobs
        How many processes.
    dask
        Address of a Dask scheduler, or "local" for a cluster of this machine with `jobs` workers;
        None for plain processes.
    home
        Folder of modules that workers may have to import; empty for none.
    """
    if jobs == 0:
        raise InputError("jobs", "is 0. Give how many processes, or -1 for one on each core.")
    if dask is None:
        yield Local(jobs, home)
        return
    try:
        import dask as dask_library
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError(
            "dask", "is not installed. Install it: pip install 'voteprune[dask]'"
        ) from None
    if dask == "local":
        # Two deaths are enough to blame the task; four, Dask's own rule, can take every worker of a
        # small cluster along.
        patience = {"distributed.scheduler.allowed-failures": 1}
        with (
            dask_library.config.set(patience),
            LocalCluster(
                n_workers=int(joblib.effective_n_jobs(jobs)),
                threads_per_worker=1,
                dashboard_address=None,
            ) as cluster,
            Client(cluster) as client,
        ):
            yield Dask(client, home)
        return
    try:
        client = Client(dask, timeout=10)
    except (OSError, ValueError) as error:
        raise InputError(
            "dask",
            f"no scheduler answers at {dask} ({error}). Give an address such as "
            'tcp://host:8786, or "local".',
        ) from None
    with client:
        yield Dask(client, home)


def _numbered(function: Callable[[Item], Result], place: int, item: Item) -> tuple[int, Result]:
    return place, function(item)


def _see_and_do(home: str, function: Callable[[Item], Result], item: Item) -> Result:
    """Work in a process that may be older than the plan, or on another machine."""
    if home:
        see(home)
    return function(item)
