"""Work comes back whatever becomes of the workers."""

import os
import signal
from types import SimpleNamespace

import pytest

from executor_jobs import die_if, die_once, double, slow
from voteprune import InputError
from voteprune_bench.experiment.executors import Dask, Local, Lost, executor


def test_all_results_come_back():
    assert sorted(Local(2).map(double, range(20))) == list(range(0, 40, 2))
    assert list(Local(1).map(double, [])) == []


def test_no_process_at_all_is_refused():
    with pytest.raises(InputError, match="-1 for one on each core"), executor(0):
        pass


@pytest.mark.slow
def test_what_a_killed_process_was_doing_is_done_again(tmp_path):
    assert list(Local(2).map(die_once, [str(tmp_path / "once")])) == ["lived"]


@pytest.mark.slow
def test_an_item_that_kills_its_workers_is_given_up_alone():
    found = list(Local(2).map(die_if, range(10)))
    lost = [one for one in found if isinstance(one, Lost)]
    assert [one.item for one in lost] == [3]
    assert "died" in lost[0].reason
    assert sorted(one for one in found if one not in lost) == [0, 1, 2, 4, 5, 6, 7, 8, 9]


@pytest.fixture
def cluster():
    """Return a real cluster of two processes on this machine."""
    pytest.importorskip("distributed")
    with executor(2, "local") as place:
        yield place


@pytest.mark.filterwarnings("ignore")  # a dying cluster complains
@pytest.mark.slow
def test_a_dask_worker_killed_in_the_middle_costs_nothing(cluster):
    assert cluster.workers == 2
    results = cluster.map(slow, list(range(20)))
    first = [next(results) for _ in range(3)]
    os.kill(first[-1][1], signal.SIGKILL)
    found = [*first, *results]
    assert sorted(number for number, _ in found) == list(range(20))
    assert len({worker for _, worker in found}) >= 2


def test_what_dask_gives_up_is_given_up_alone(monkeypatch):
    """Dask ends a task that keeps killing workers with an error of its own."""
    distributed = pytest.importorskip("distributed")

    class Client:
        """As much of a cluster as is needed: two tasks, of which one is given up."""

        def nthreads(self):
            return {"one": 1}

        def map(self, function, items, pure):
            return [SimpleNamespace(key=i, release=lambda: None) for i in range(len(items))]

        def cancel(self, futures):
            pass

    def finished(futures, with_results, raise_errors):
        for future, status, result in zip(
            futures, ("finished", "error"), (20, (None, "KilledWorker", None)), strict=True
        ):
            future.status = status
            yield future, result

    monkeypatch.setattr(distributed, "as_completed", finished)
    first, second = Dask(Client()).map(double, [10, 11])
    assert first == 20
    assert second == Lost(11, "given up by Dask: KilledWorker")


def test_a_scheduler_that_does_not_answer_is_said(monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(*_, **__):
        raise OSError("Timed out trying to connect")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(InputError, match="no scheduler answers"), executor(dask="tcp://nowhere:1"):
        pass
