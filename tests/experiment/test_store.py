"""The store is never damaged: cut-off lines, full disks, folders without rights, two at once."""

import errno
import os
import subprocess
import sys

import pytest

from experiment_records import failure, record
from voteprune import InputError, OutputError
from voteprune_bench.experiment import read_failures, read_records
from voteprune_bench.experiment.store import Store
from voteprune_bench.experiment.tasks import Shard


def keys(folder):
    return [one.key for one in read_records(folder)]


def test_what_was_added_is_there_before_the_store_is_closed(tmp_path):
    with Store(tmp_path / "run") as store:
        store.add(record(key="a"))
        store.add(failure(key="b"))
        assert keys(tmp_path / "run") == ["a"]
        assert [one.key for one in read_failures(tmp_path / "run")] == ["b"]


@pytest.mark.parametrize("length", [1, 40, 10**6])
def test_a_line_cut_off_by_death_is_cut_away_and_nothing_else(tmp_path, length):
    with Store(tmp_path) as store:
        store.add(record(key="a", fold=0))
    path = tmp_path / "results.1-of-1.jsonl"
    with path.open("a") as file:
        file.write(record(key="b", fold=1).to_json()[:length])
    with Store(tmp_path) as store:
        assert keys(tmp_path) == ["a"]
        store.add(record(key="c", fold=2))
    assert keys(tmp_path) == ["a", "c"]
    assert path.read_text().count("\n") == 2


@pytest.mark.parametrize("written", [0, 10])
def test_a_full_disk_is_said_and_leaves_the_store_as_it_was(tmp_path, monkeypatch, written):
    with Store(tmp_path) as store:
        store.add(record(key="a", fold=0))
        before = (tmp_path / "results.1-of-1.jsonl").read_bytes()
        real = os.write

        def full(file, data):
            if not written:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(file, data[:written])

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OutputError, match=r"No space left.*finished is safe"):
            store.add(record(key="b", fold=1))
        monkeypatch.undo()
        assert (tmp_path / "results.1-of-1.jsonl").read_bytes() == before
        store.add(record(key="b", fold=1))
    assert keys(tmp_path) == ["a", "b"]


def test_a_folder_that_cannot_be_written_to_is_said(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(InputError, match="cannot write to"), Store(tmp_path / "file"):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_said(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(InputError, match="Permission denied"), Store(tmp_path):
        pass


def test_a_read_only_file_system_is_said(tmp_path, monkeypatch):
    """What root meets, too: the system refuses to open files for writing."""
    real = os.open

    def refuse(path, flags, *rest, **more):
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return real(path, flags, *rest, **more)

    (tmp_path / "votes").mkdir()
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match="Read-only file system"), Store(tmp_path):
        pass


HOLD = """
import sys
from voteprune_bench.experiment.store import Store
from voteprune_bench.experiment.tasks import Shard
with Store(sys.argv[1], Shard.parse(sys.argv[2])):
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that has the store open; ended when the test ends."""
    running = []

    def hold(shard):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path), shard],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        running.append(process)
        assert process.stdout.readline() == b"open\n"
        return process

    yield hold
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_two_runs_at_once_the_second_is_refused_and_welcome_after(tmp_path, holder):
    first = holder("1/1")
    for shard in (Shard(), Shard(2, 3)):
        with pytest.raises(InputError, match="another run is writing"), Store(tmp_path, shard):
            pass
    first.kill()  # even -9 leaves no lock behind
    first.communicate()
    with Store(tmp_path) as store:
        store.add(record())


@pytest.mark.slow
def test_shards_without_common_cells_work_at_once(tmp_path, holder):
    holder("1/2")
    with Store(tmp_path, Shard(2, 2)) as store:
        store.add(record())
    with pytest.raises(InputError, match="another run"), Store(tmp_path, Shard(3, 4)):
        pass
    assert len(keys(tmp_path)) == 1
