"""A proof on file goes on where it stopped, whoever killed it, and never on another problem."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest

import voteprune as vp
from fulldisk import no_space
from voteprune.files import outfile
from voteprune.problem.problem import Problem
from voteprune.strategies import exact as engine
from voteprune.tree import background as beside
from voteprune.tree import driver
from voteprune.tree.checkpoint import Kept, digest, load_proof, save_proof
from voteprune.tree.nogoods import driver as refuting
from voteprune.tree.sizes import driver as proving


def pool(seed=1, rows=70, k=15, noise=0.3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    hard = rng.random((rows, 1)) < 0.4
    return vp.Votes((y[:, None] ^ (rng.random((rows, k)) < noise + 0.2 * hard)).astype(int), y)


SETTINGS = {
    "levels": [(refuting, "CLOSE", -1.0), (proving, "_FIRST_ROUND", 0.1)],
    "clauses": [
        (refuting, "CLOSE", float("inf")),
        (refuting, "_HOPELESS", float("inf")),
        (refuting, "_FIRST_ROUND", 0.1),
        (beside, "_DRY", 0.0),
    ],
}
"""How to have one of the two trees do all the work, so that there is something to put on file."""


def settings(way):
    yield from SETTINGS[way]
    yield engine.SizesDriver, "region", lambda self: None
    yield engine, "ENUMERATE", 0


@pytest.fixture(params=SETTINGS)
def way(request, monkeypatch):
    for room, name, value in settings(request.param):
        monkeypatch.setattr(room, name, value)
    return request.param


@contextlib.contextmanager
def cluster():
    """A real Dask cluster of two processes on this machine, for joblib to work on."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as here,
        distributed.Client(here),
        joblib.parallel_config("dask"),
    ):
        yield


@pytest.mark.slow
def test_a_resumed_proof_ends_where_an_uninterrupted_one_does(tmp_path, way):
    votes, file = pool(), tmp_path / "proof.npz"
    whole = vp.prune(votes, time_limit=120, random_state=0)
    assert whole.status == "optimal"
    bounds, solution = [], None
    for _ in range(60):
        solution = vp.prune(votes, time_limit=2, random_state=0, checkpoint=file)
        bounds.append(solution.bound)
        assert solution.bound >= whole.value
        if solution.status == "optimal":
            break
    assert solution.value == whole.value
    assert solution.status == "optimal"
    assert bounds == sorted(bounds, reverse=True)
    again = vp.prune(votes, time_limit=60, random_state=5, checkpoint=file)
    assert again.status == "optimal"
    assert again.value == whole.value


CODE = """
import sys, numpy as np, voteprune as vp
sys.path.insert(0, {folder!r})
from tree.test_checkpoint import pool, settings
for room, name, value in settings({way!r}):
    setattr(room, name, value)
vp.prune(pool(), time_limit=120, random_state=0, checkpoint={file!r})
"""


@pytest.mark.slow
def test_kill_9_leaves_a_file_to_go_on_from(tmp_path, way):
    votes, file = pool(), tmp_path / "proof.npz"
    folder = str(Path(__file__).parents[1])
    rng = np.random.default_rng(3)
    for _ in range(2):
        code = CODE.format(folder=folder, file=str(file), way=way)
        child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        until = time.monotonic() + 30
        while not file.exists() and time.monotonic() < until and child.poll() is None:
            time.sleep(0.05)
        time.sleep(float(rng.random()) / 2)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        assert file.exists()
        load_proof(file, Problem.of(votes))
        assert [path.name for path in tmp_path.iterdir() if path.suffix == ".npz"] == ["proof.npz"]
    whole = vp.prune(votes, time_limit=120, random_state=0)
    resumed = vp.prune(votes, time_limit=120, random_state=0, checkpoint=file)
    assert resumed.status == whole.status == "optimal"
    assert resumed.value == whole.value


@pytest.mark.slow
def test_a_file_of_another_problem_or_no_checkpoint_is_refused(tmp_path, way):
    file = tmp_path / "proof.npz"
    vp.prune(pool(), time_limit=3, random_state=0, checkpoint=file)
    before = file.read_bytes()
    with pytest.raises(vp.InputError, match="another problem"):
        vp.prune(pool(seed=2), time_limit=3, checkpoint=file)
    with pytest.raises(vp.InputError, match="another problem"):
        vp.prune(pool(), objective="balanced_accuracy", time_limit=3, checkpoint=file)
    with pytest.raises(vp.InputError, match="another problem"):
        vp.prune(pool(), constraints=vp.AtMost("size", 4), time_limit=3, checkpoint=file)
    assert file.read_bytes() == before
    file.write_bytes(before[: len(before) // 2])
    with pytest.raises(vp.FileFormatError, match="damaged"):
        vp.prune(pool(), time_limit=3, checkpoint=file)
    with pytest.raises(vp.InputError, match="checkpoint"):
        vp.prune(pool(), time_limit=3, checkpoint=tmp_path / "missing" / "proof.npz")
    with pytest.raises(vp.InputError, match="checkpoint"):
        vp.prune(pool(), method="search", checkpoint=tmp_path / "new.npz")
    with pytest.raises(vp.InputError, match="checkpoint"):
        vp.prune(pool(), objective="f1", checkpoint=tmp_path / "new.npz")


def test_problems_that_differ_a_little_in_diversity_do_not_share_a_file():
    """What is printed alike is not the same; nor are rows that only the measure looks at."""
    votes = pool()

    def said(votes, gamma, objective="accuracy"):
        limits = vp.Diversity(gamma=gamma, measure="disagreement")
        return digest(Problem.of(votes, objective, (), limits))

    assert said(votes, 0.25) == said(votes, 0.25)
    assert said(votes, 0.25) != said(votes, 0.2500001)
    negative = np.flatnonzero(votes.labels == 0)
    fewer = np.delete(np.arange(votes.n_rows), negative[:1])
    others = vp.Votes(votes.matrix[fewer].astype(int), votes.labels[fewer])
    assert said(votes, 0.25, "recall") != said(others, 0.25, "recall")


@pytest.mark.parametrize(
    ("way", "where"),
    [("levels", "processes"), ("clauses", "processes"), ("clauses", "Dask cluster")],
    indirect=["way"],
)
@pytest.mark.slow
def test_several_workers_prove_the_same(way, where):
    votes = pool()
    one = vp.prune(votes, time_limit=120, random_state=0)
    with cluster() if where == "Dask cluster" else contextlib.nullcontext():
        two = vp.prune(votes, time_limit=120, random_state=0, n_jobs=2)
    assert two.incidents == ()
    assert one.status == two.status == "optimal"
    assert one.value == two.value
    assert all(progress.bound >= one.value for progress in two.trace)
    assert any(progress.open_boxes for progress in one.trace)


@pytest.mark.parametrize("fails", [lambda n: True, lambda n: n > 1, lambda n: n == 1])
def test_a_disk_that_is_full_in_some_rounds_costs_no_answer(tmp_path, way, monkeypatch, fails):
    """The last write decides: only a file that is not up to date is an incident."""
    votes, file, written = pool(), tmp_path / "proof.npz", []

    def fsync(handle):
        written.append(not fails(len(written) + 1))
        if not written[-1]:
            no_space()

    def keep(self, keep=driver.Driver._keep, **what):
        keep(self, **what)
        if len(written) == 3:
            raise KeyboardInterrupt

    for room in (proving, refuting):  # rounds so short that there are more than three
        monkeypatch.setattr(room, "_FIRST_ROUND", 0.01)
        monkeypatch.setattr(room, "_LONGEST_ROUND", 0.01)
    monkeypatch.setattr(outfile.os, "fsync", fsync)
    monkeypatch.setattr(driver.Driver, "_keep", keep)
    solution = vp.prune(votes, time_limit=60, random_state=0, checkpoint=file)
    assert (len(written), solution.termination) == (3, "interrupted")
    assert solution.committee is not None
    assert solution.bound >= solution.value
    told = () if written[-1] else (f"{file}: cannot be written: No space left on device.",)
    assert solution.unwritten == solution.incidents == told
    assert file.exists() == any(written)
    load_proof(file, Problem.of(votes))
    assert {path.name for path in tmp_path.iterdir()} <= {file.name}


@pytest.mark.slow
def test_a_file_that_is_damaged_during_a_run_costs_no_answer(tmp_path, way, monkeypatch):
    """It was sound when the run began; whoever changes it then cannot end the run."""
    file = tmp_path / "proof.npz"
    check = sys.modules["voteprune.prune"].check_checkpoint

    def check_and_damage(*asked):
        checked = check(*asked)
        file.write_bytes(b"PK nonsense")
        return checked

    monkeypatch.setattr(sys.modules["voteprune.prune"], "check_checkpoint", check_and_damage)
    solution = vp.prune(pool(), time_limit=1.5, random_state=0, checkpoint=file)
    assert solution.committee is not None
    assert any("damaged" in incident for incident in solution.incidents)


HEADERS = {
    "a field twice": lambda text: text[:-1] + ', "threshold": 0}',
    "true for a number": lambda text: re.sub(r'"threshold": \d+', '"threshold": true', text),
    "a number that is none": lambda text: re.sub(r'"threshold": \d+', '"threshold": NaN', text),
    "a word for a member": lambda text: re.sub(r'"members": \[', '"members": ["a", ', text),
    "a member who is not there": lambda text: re.sub(r'"members": \[', '"members": [99, ', text),
    "a list": lambda text: "[1]",
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_that_is_not_as_it_was_written_is_refused(tmp_path, case):
    problem, file = Problem.of(pool()), tmp_path / "proof.npz"
    save_proof(file, problem, Kept(problem.committee([1, 2], 0), nodes=()))
    assert load_proof(file, problem).committee.members == (1, 2)
    with np.load(file) as kept:
        header = HEADERS[case](str(kept["header"]))
    np.savez(file, header=np.array(header))
    with pytest.raises(vp.FileFormatError, match=str(file)):
        load_proof(file, problem)
