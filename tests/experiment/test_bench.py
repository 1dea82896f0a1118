"""A run can be stopped anywhere and goes on; what fails is told, tried again, never a result."""

import gzip
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from experiment_plans import PLAN, write_plan
from voteprune import OutputError
from voteprune.tables import read_table
from voteprune_bench.experiment import read_failures, read_records
from voteprune_bench.experiment.bench import carry_out, what_is_left
from voteprune_bench.experiment.executors import Lost
from voteprune_bench.experiment.plan import read_plan
from voteprune_bench.experiment.records import Failure, Record
from voteprune_bench.experiment.store import Store
from voteprune_bench.experiment.tasks import expand
from voteprune_bench.experiment.work import Trained
from voteprune_bench.report import collect_run


class Here:
    """Work in this process, one after the other, and stop after so many."""

    workers = 1

    def __init__(self, most=10**9, lost=()):
        self.most, self.lost, self.worked = most, lost, 0

    def map(self, function, items):
        for item in items:
            if self.worked == self.most:
                raise KeyboardInterrupt
            self.worked += 1
            yield Lost(item, "the worker died") if item.key in self.lost else function(item)


def run(plan, folder, place=None, **more):
    """Run a plan and return what happened."""
    tasks = expand(read_plan(plan), folder, **more)
    with Store(folder) as store:
        work = what_is_left(tasks, folder)
        return [event.outcome for event in carry_out(work, store, place or Here())]


def table(folder):
    """Return what a run has found, without what depends on the clock."""
    found = {}
    for one in read_records(folder):
        found[one.key] = (*one.run, one.pool_size, one.method, one.members, one.threshold,
                          one.value, one.validation, one.test)  # fmt: skip
    return found


def lines(folder):
    return sum(path.read_text().count("\n") for path in folder.glob("results*.jsonl"))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A plan and the folder of its uninterrupted run."""
    folder = tmp_path_factory.mktemp("bench")
    plan = write_plan(folder / "plan")
    outcomes = run(plan, folder / "run")
    assert sum(isinstance(one, Trained) for one in outcomes) == 2
    assert sum(isinstance(one, Record) for one in outcomes) == 12
    return plan, folder / "run"


def test_results_are_those_of_the_votes(done):
    """Every record is recounted here from its vote file; brute force is the optimum."""
    _, folder = done
    for one in read_records(folder):
        (path,) = (folder / "votes").glob(f"mine-s{one.seed}-f{one.fold}-*-k8.csv.gz")
        votes = read_table(path, k=one.pool_size)
        assert tuple(votes.validation.names[i] for i in one.members) == one.names
        assert one.families == tuple(name.rpartition("_")[0] for name in one.names)
        for rows, labels, counts, n in (
            (votes.validation.matrix, votes.validation.labels, one.validation, one.n_validation),
            (votes.test.votes, votes.test.labels, one.test, one.n_test),
        ):
            predicted = rows[:, list(one.members)].sum(axis=1) > one.threshold
            assert n == len(labels)
            assert counts.tp == np.sum(predicted & (labels == 1))
            assert counts.fp == np.sum(predicted & (labels == 0))
            assert counts.tp + counts.fn + counts.tn + counts.fp == n
        if one.method == "brute":
            assert one.status == "optimal"
            assert one.bound == one.value
        else:
            assert one.bound is None
            assert one.gap is None


def test_a_finished_run_has_nothing_left(done):
    plan, folder = done
    assert run(plan, folder) == []


@pytest.mark.parametrize("most", [0, 1, 2, 3, 7, 13])
def test_stopped_anywhere_it_goes_on_and_does_nothing_twice(done, tmp_path, most):
    plan, whole = done
    place = Here(most)
    with pytest.raises(KeyboardInterrupt):
        run(plan, tmp_path, place)
    again = run(plan, tmp_path)
    assert len(again) == 14 - most
    assert table(tmp_path) == table(whole)
    assert lines(tmp_path) == 12


@pytest.mark.slow
def test_only_what_is_new_in_a_plan_is_done(done, tmp_path):
    run(write_plan(tmp_path / "plan"), tmp_path / "run")
    outcomes = run(write_plan(tmp_path / "plan", folds="[0, 1, 2]"), tmp_path / "run")
    assert sum(isinstance(one, Trained) for one in outcomes) == 1
    assert sum(isinstance(one, Record) for one in outcomes) == 6


def test_a_lost_task_fails_alone_and_is_tried_again(done, tmp_path):
    plan, whole = done
    tasks = expand(read_plan(plan), tmp_path)
    outcomes = run(plan, tmp_path, Here(lost={tasks[4].key}))
    assert [one.reason for one in outcomes if isinstance(one, Failure)] == ["the worker died"]
    assert [one.key for one in read_failures(tmp_path)] == [tasks[4].key]
    assert len(read_records(tmp_path)) == 11
    (again,) = run(plan, tmp_path)
    assert again.key == tasks[4].key
    assert read_failures(tmp_path) == []
    assert table(tmp_path) == table(whole)


def test_a_pool_that_cannot_be_trained_costs_only_its_own_tasks(done, tmp_path):
    plan, whole = done
    cell = expand(read_plan(plan), tmp_path)[0].cell
    run(plan, tmp_path, Here(lost={cell.key}))
    (failure,) = read_failures(tmp_path)
    assert (failure.method, failure.fold) == ("votes", 0)
    assert len(read_records(tmp_path)) == 6
    run(plan, tmp_path)
    assert table(tmp_path) == table(whole)
    assert read_failures(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "empty", "text", "flipped"])
def test_a_damaged_vote_file_is_named_with_its_cure(done, tmp_path, damage):
    plan, whole = done
    with pytest.raises(KeyboardInterrupt):
        run(plan, tmp_path, Here(2))
    path = min((tmp_path / "votes").glob("*.csv.gz"))
    data = path.read_bytes()
    middle = len(data) // 2
    path.write_bytes({
        "cut": data[:middle],
        "empty": b"",
        "text": gzip.compress(b"not,a,table\n1,2,3\n"),
        "flipped": data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :],
    }[damage])  # fmt: skip
    outcomes = run(plan, tmp_path)
    failures = [one for one in outcomes if isinstance(one, Failure)]
    assert len(failures) == 6
    assert all(path.name in one.reason and "Delete it" in one.reason for one in failures)
    assert len(read_records(tmp_path)) == 6
    path.unlink()
    run(plan, tmp_path)
    assert table(tmp_path) == table(whole)


def test_published_votes_are_pruned_without_training(done, tmp_path):
    """The vote files of a run, under the names somebody else gave them, give its results."""
    _, whole = done
    (tmp_path / "published").mkdir()
    for fold in (0, 1):
        (path,) = (whole / "votes").glob(f"mine-s10-f{fold}-*")
        text = gzip.decompress(path.read_bytes())
        (tmp_path / "published" / f"MINE_10_{fold + 1}.csv").write_bytes(text)
    words = PLAN.replace('pool = "pool.toml"', "")
    words += '[votes]\nfolder = "../published"\npattern = "{DATASET}_{seed}_{fold_from_1}.csv"\n'
    outcomes = run(write_plan(tmp_path / "plan", words), tmp_path / "run")
    assert all(isinstance(one, Record) for one in outcomes)
    assert set(table(tmp_path / "run").values()) == set(table(whole).values())


OWN = """
from voteprune import Committee

def first_two(votes, time_limit, random_state):
    assert time_limit == 20 and random_state == 10
    return [0, 1]

def whole(votes, time_limit, random_state):
    k = len(votes.names)
    return Committee(tuple(range(k)), k - 1, votes.names, k)

def broken(votes, time_limit, random_state):
    raise RuntimeError("no idea")
"""


def test_a_method_of_ones_own_stands_in_the_same_table(tmp_path, monkeypatch):
    (tmp_path / "my_methods.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    labels = ("first_two", "whole", "broken")
    text = PLAN.replace('["brute", "HC-UWA", "FE"]', str(list(labels)).replace("'", '"'))
    text += "".join(f'[method.{label}]\nfunction = "my_methods.{label}"\n' for label in labels)
    run(write_plan(tmp_path / "plan", text), tmp_path / "run")
    records = read_records(tmp_path / "run")
    assert {one.method: one.members for one in records if one.pool_size == 4} == {
        "first_two": (0, 1), "whole": (0, 1, 2, 3),
    }  # fmt: skip
    assert {one.threshold for one in records if one.method == "first_two"} == {1}
    failures = read_failures(tmp_path / "run")
    assert {one.reason for one in failures} == {"RuntimeError: no idea"}
    assert "my_methods.py" in failures[0].detail


CURVED = """
[method.by_f1]
objective = "f1"
[method.own]
function = "my_methods.whole"
objective = "f1"
[method.margin]
method = "search"
objective = "margin"
"""


@pytest.mark.slow
def test_objectives_that_are_no_weighted_sums_are_run_and_reported(tmp_path, monkeypatch):
    (tmp_path / "my_methods.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    text = (
        PLAN.replace('"brute", "HC-UWA"', '"by_f1", "own", "margin"').replace("[0, 1]", "[0]")
        + CURVED
    )
    run(write_plan(tmp_path / "plan", text), tmp_path / "run")
    assert read_failures(tmp_path / "run") == []
    records = {(one.method, one.pool_size): one for one in read_records(tmp_path / "run")}
    assert len(records) == 4 * 2
    for (method, _), one in records.items():
        if method in ("by_f1", "own"):
            counts = one.validation
            assert one.objective == "f1"
            assert one.value == 2 * counts.tp / (2 * counts.tp + counts.fn + counts.fp)
    assert all(
        records["by_f1", k].status == "optimal"
        and records["by_f1", k].value >= records["own", k].value
        for k in (4, 8)
    )
    assert set(collect_run(tmp_path / "run").methods) == {"by_f1", "own", "margin", "FE"}


def test_costs_are_learnt_from_what_is_done(done, tmp_path):
    plan, folder = done
    fresh = what_is_left(expand(read_plan(plan), tmp_path), tmp_path)
    assert fresh.seconds > 4 * 20  # brute force may take its whole limit
    assert what_is_left(expand(read_plan(plan), folder), folder).seconds == 0


def test_who_ran_into_a_limit_will_take_all_of_another(done, tmp_path):
    _, folder = done
    more = write_plan(tmp_path / "plan", folds="[0, 1, 2]", time_limit="600")
    left = what_is_left(expand(read_plan(more), tmp_path), folder)
    assert left.seconds < 600
    stopped = [replace(one, termination="time limit") for one in read_records(folder)]
    (tmp_path / "results.jsonl").write_text("".join(f"{one.to_json()}\n" for one in stopped))
    left = what_is_left(expand(read_plan(more), tmp_path), tmp_path)
    assert left.seconds > 18 * 600


def test_results_of_another_data_set_with_the_same_rows_are_not_its_own(done, tmp_path):
    plan, folder = done
    others = [replace(one, dataset="other") for one in read_records(folder)]
    (tmp_path / "results.jsonl").write_text("".join(f"{one.to_json()}\n" for one in others))
    assert len(what_is_left(expand(read_plan(plan), tmp_path), tmp_path).tasks) == 12


def test_every_result_says_when(done, tmp_path):
    plan, folder = done
    told = [one.finished for one in read_records(folder)]
    assert told == sorted(told)
    assert all(told)
    tasks = expand(read_plan(plan), tmp_path)
    run(plan, tmp_path, Here(lost={tasks[0].cell.key, tasks[-1].key}))
    assert all(one.finished for one in read_failures(tmp_path))


def test_a_full_disk_ends_the_run_and_loses_nothing(done, tmp_path, monkeypatch):
    plan, whole = done
    real, written = os.write, []

    def fills_up(file, data):
        written.append(data)
        if len(written) > 5:
            raise OSError(28, "No space left on device")
        return real(file, data)

    monkeypatch.setattr(os, "write", fills_up)
    with pytest.raises(OutputError, match="No space left"):
        run(plan, tmp_path)
    monkeypatch.undo()
    assert len(read_records(tmp_path)) == 5
    run(plan, tmp_path)
    assert table(tmp_path) == table(whole)


def command(plan, folder):
    words = ["bench", "run", str(plan), str(folder), "--jobs", "1"]
    return [sys.executable, "-m", "voteprune.cli", *words]


@pytest.mark.slow
def test_kill_minus_nine_at_random_points(done, tmp_path):
    """The short version of ``benchmarks/kill.py``: one folder, killed again and again."""
    plan, whole = done
    rng = np.random.default_rng(0)
    for _ in range(2):
        process = subprocess.Popen(command(plan, tmp_path), stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        before = lines(tmp_path)
        more = int(rng.integers(1, 4))
        while (
            process.poll() is None and lines(tmp_path) < before + more and time.monotonic() < until
        ):
            time.sleep(0.005)
        process.kill()
        process.wait()
        assert set(table(tmp_path).items()) <= set(table(whole).items())
    run(plan, tmp_path)
    assert table(tmp_path) == table(whole)
    assert lines(tmp_path) == 12
