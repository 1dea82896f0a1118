"""``voteprune bench`` and ``voteprune data`` from words to exit codes."""

import functools
import gzip
import http.server
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import synthetic_records as synthetic
from experiment_plans import write_plan
from voteprune_bench.cli import bench
from voteprune_bench.experiment import read_records
from voteprune_bench.experiment.bench import Event, Work
from voteprune_bench.experiment.datasets import catalogue

CHECKOUT = Path(__file__).resolve().parents[2]
PRK = CHECKOUT / "data/prk.csv.gz"


@pytest.mark.slow
def test_a_run_from_nothing_to_done(run, tmp_path):
    plan, folder = write_plan(tmp_path / "plan", pool_sizes="[4]"), tmp_path / "run"
    code, out, _ = run("bench", "run", plan, folder, "--dry-run")
    assert code == 0
    assert "mine      6      0     6     2" in out
    assert not folder.exists()
    code, _, err = run("bench", "run", plan, folder, "--jobs", 1)
    assert code == 0
    assert err == f"voteprune: 6 done. Results in {folder}\n"
    assert len(read_records(folder)) == 6
    code, out, _ = run("bench", "status", folder)
    assert code == 0
    assert "all       6      6     0     0" in out
    _, _, err = run("bench", "run", plan, folder)
    assert err == f"voteprune: 0 done, 6 were done before. Results in {folder}\n"


@pytest.mark.slow
def test_shards_fill_one_folder(run, tmp_path):
    plan, folder = write_plan(tmp_path / "plan", pool_sizes="[4]"), tmp_path / "run"
    assert run("bench", "run", plan, folder, "--shard", "1/2", "--jobs", 1)[0] == 0
    code, out, _ = run("bench", "status", folder)
    assert code == 3
    assert "all       6      3     3     1" in out
    assert run("bench", "run", plan, folder, "--shard", "2/2", "--jobs", 1)[0] == 0
    assert len(read_records(folder)) == 6


@pytest.mark.slow
def test_a_method_of_your_own_stands_beside_the_plan(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    plan = write_plan(tmp_path / "plan", pool_sizes="[4]", methods='["mine"]')
    folder = tmp_path / "run"
    (tmp_path / "plan/beside_the_plan.py").write_text(
        "import voteprune as vp\n"
        "def choose(votes, time_limit, random_state):\n"
        "    return vp.prune(votes, method='full').committee\n"
    )
    plan.write_text(plan.read_text() + '[method.mine]\nfunction = "beside_the_plan.choose"\n')
    code, _, err = run("bench", "run", plan, folder, "--jobs", 1)
    assert (code, err) == (0, f"voteprune: 2 done. Results in {folder}\n")


def test_an_error_in_a_plan_names_no_option_that_does_not_exist(run, tmp_path):
    plan = write_plan(tmp_path / "plan", methods='["nobody"]')
    code, _, err = run("bench", "run", plan, tmp_path / "run")
    assert code == 2
    assert err.startswith("voteprune: methods: 'nobody' is not known.")
    plan = write_plan(tmp_path / "plan", time_limit="-1")
    assert run("bench", "run", plan, tmp_path / "run")[2].startswith("voteprune: time_limit: ")


def test_the_time_left_is_told_from_the_first_task_on(capsys, monkeypatch):
    clock = iter([0.0, 10.0, 10.0, 100.0, 100.0, 100.0])
    monkeypatch.setattr(bench, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    done = synthetic.records(datasets=("bcw",), seeds=(10,), folds=(0,), pool_sizes=(40,))[0]
    tell = bench._Teller(Work((), (None,) * 8, {"all": 80.0}, 8))
    assert tell.left() == "nothing is finished yet"
    # Ten seconds for a tenth: ninety for the rest. A log is not told before a minute is over.
    assert not tell(Event(done, 8.0))
    assert tell.left() == "about 2 min left"
    assert capsys.readouterr().err == ""
    assert not tell(Event(done, 32.0))
    assert capsys.readouterr().err == "voteprune: 2 of 8 done, about 2 min left\n"


@pytest.mark.slow
def test_failures_are_told_and_counted(run, tmp_path):
    plan, folder = write_plan(tmp_path / "plan", pool_sizes="[4]"), tmp_path / "run"
    pool = tmp_path / "plan/pool.toml"
    pool.write_text(pool.read_text().replace("max_depth = 2", "max_depth = 'two'"))
    code, _, err = run("bench", "run", plan, folder, "--jobs", 1)
    assert code == 3
    assert f"voteprune: 0 done, 2 failed. Results in {folder}\n" in err
    code, out, _ = run("bench", "status", folder)
    assert code == 3
    assert out.count("failed: mine seed 10 fold") == 2
    assert "max_depth" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bench", "run", "nothing.toml", "x"), "cannot be read"),
        (("bench", "run", "tiny", "x", "--shard", "3/2"), "--shard: "),
        (("bench", "status", "."), "no run has begun"),
        (("data", "check", "nothing"), "is not known"),
        (("data", "download"), "name the data sets"),
        (("data", "download", "aps_part"), "has no address"),
        (("data", "download", "prk", "--mirror", "ftp://x"), "--mirror: "),
        (("data", "download", "prk", "--mirror", "http://localhost:abc"), "cannot be fetched from"),
        (("data", "download", "prk", "--mirror", "http://[::1"), "cannot be fetched from"),
        (("data", "import", "prk", "nowhere.zip"), "cannot be read"),
    ],
)
def test_wrong_requests_are_refused_and_write_nothing(run, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*words)
    assert code == 2
    assert message in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_listing_and_checking(run, tmp_path):
    code, out, _ = run("data", "list", "--data-dir", tmp_path)
    assert code == 0
    assert len(out.splitlines()) == 1 + len(catalogue())
    assert "scikit-learn" in out
    (tmp_path / "prk.csv").write_text("a,target\n1,0\n2,1\n")
    code, out, _ = run("data", "check", "--data-dir", tmp_path)
    assert code == 3
    assert "has N = 2, prk has 195" in out


@pytest.fixture
def server(tmp_path):
    """A web server of this machine, over a folder."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def test_a_download_is_checked_and_put_in_place(run, tmp_path, server):
    folder, address = server
    (folder / "prk.csv.gz").write_bytes(PRK.read_bytes())
    data = tmp_path / "data"
    code, _, _ = run("data", "download", "prk", "--mirror", address, "--data-dir", data)
    assert code == 0
    code, out, _ = run("data", "check", "prk", "--data-dir", data)
    assert code == 0
    assert out.split() == ["id", "N,", "N0,", "N1", "checksum", "prk", "right", "right"]


def test_a_download_with_one_value_changed_is_refused(run, tmp_path, server):
    folder, address = server
    text = gzip.decompress(PRK.read_bytes()).replace(b"119.992", b"119.993", 1)
    (folder / "prk.csv.gz").write_bytes(gzip.compress(text))
    code, _, err = run("data", "download", "prk", "--mirror", address, "--data-dir", tmp_path / "d")
    assert code == 2
    assert "not the checksum" in err
    assert not (tmp_path / "d").exists()
    # The user may still vouch for it.
    words = ("data", "import", "prk", folder / "prk.csv.gz", "--data-dir", tmp_path / "d")
    code, _, err = run(*words)
    assert code == 0
    assert "not the one whose checksum is known" in err


def test_a_server_without_it_is_said(run, tmp_path, server):
    _, address = server
    words = ("data", "download", "prk", "--mirror", address, "--data-dir", tmp_path / "d")
    code, _, err = run(*words)
    assert code == 2
    assert "not found" in err
    assert run("data", "download", "bcw")[0] == 0
