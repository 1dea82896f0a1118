"""Results on file count only for the code and the versions that made them."""

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def load(monkeypatch):
    """Return a way to load a benchmark, which is no part of the package."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))

    def module(name):
        spec = importlib.util.spec_from_file_location(
            f"benchmark_{name}", BENCHMARKS / f"{name}.py"
        )
        found = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, found)  # dataclasses look there
        spec.loader.exec_module(found)
        return found

    return module


@pytest.fixture
def fresh(load):
    return load("fresh")


def code_in(folder, text="x = 1\n"):
    folder.mkdir(exist_ok=True)
    (folder / "code.py").write_text(text)
    return folder


def test_a_line_counts_for_the_mark_that_made_it_and_for_no_other(fresh, tmp_path):
    state = tmp_path / "state.jsonl"
    fresh.keep(state, {"seed": 1}, "here")
    fresh.keep(state, {"seed": 2}, "there")
    assert [row["seed"] for row in fresh.fresh(state, "here")] == [1]
    assert [row["seed"] for row in fresh.fresh(state, "there")] == [2]
    assert len(state.read_text().splitlines()) == 2  # kept, though it does not count


def test_files_from_before_there_were_marks_never_count(fresh, tmp_path):
    state = tmp_path / "state.jsonl"
    state.write_text('{"kind": "weighted sums", "seed": 0, "wrong": []}\n[1]\nnull\n{"torn": ')
    assert fresh.fresh(state, "here") == []
    fresh.keep(state, {"seed": 1}, "here")  # not appended to the torn line
    assert [row["seed"] for row in fresh.fresh(state, "here")] == [1]
    assert fresh.fresh(tmp_path / "missing.jsonl", "here") == []


def test_any_change_of_the_code_gives_another_mark(fresh, tmp_path):
    folder = code_in(tmp_path / "package")
    before = fresh.mark_of([folder])
    assert fresh.mark_of([folder]) == before
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/code.pyc").write_bytes(b"compiled")
    assert fresh.mark_of([folder]) == before
    code_in(folder, "x = 2\n")
    assert fresh.mark_of([folder]) != before
    code_in(folder)
    (folder / "more.toml").write_text("")
    more = fresh.mark_of([folder])
    (folder / "more.toml").rename(folder / "other.toml")
    assert len({before, more, fresh.mark_of([folder])}) == 3


def test_another_version_gives_another_mark(fresh, tmp_path, monkeypatch):
    folder = code_in(tmp_path / "package")
    before = fresh.mark_of([folder])
    monkeypatch.setattr(fresh, "versions", lambda: {"Python": "3.11", "highspy": "0.0"})
    assert fresh.mark_of([folder]) != before


def test_the_page_says_what_made_it(fresh, tmp_path):
    row = fresh.keep(tmp_path / "state.jsonl", {"seed": 1}, "0123abcd")
    told = fresh.origin([row, {**row, "load": 99.5}])
    assert "0123abcd" in told
    assert row["commit"] in told
    assert "to 99.5" in told
    assert all(f"{name} {number}" in told for name, number in fresh.versions().items())
    assert {"Python", "numpy", "scipy", "highspy"} <= set(fresh.versions())


@pytest.mark.parametrize("old", ["other mark", "no mark"])
def test_the_long_proof_computes_anew_what_other_code_has_proved(
    load, tmp_path, monkeypatch, capsys, old
):
    proof = load("proof")
    state, table = tmp_path / "state.jsonl", tmp_path / "proof.md"
    stale = {"kind": "margins", "seed": 0, "paths": ["a path of old"], "constrained": False}
    stale |= {"wrong": [], "seconds": 1.0} | ({"mark": "old"} if old == "other mark" else {})
    state.write_text(json.dumps(stale) + "\n")
    asked = []
    monkeypatch.setitem(
        proof.KINDS, "margins", lambda seed: (asked.append(seed), (["exact"], [], True))[1]
    )
    words = ["--count", "2", "--kinds", "margins", "--jobs", "1"]
    words += ["--state", str(state), "--table", str(table)]
    monkeypatch.setattr("sys.argv", ["proof.py", *words])
    assert proof.main() == 0
    assert asked == [0, 1]
    assert "a path of old" not in table.read_text()
    assert "| margins | exact | 2 | 0 |" in table.read_text()
    asked.clear()
    assert proof.main() == 0  # all of it is fresh now
    assert asked == []
    assert "a path of old" in state.read_text()


def test_the_engine_is_measured_anew_where_other_code_was_measured(load, tmp_path, monkeypatch):
    engine = load("engine")
    block = engine.Block("Part", ("prk",), 1, 1.0, (engine.OURS,))
    [key] = block.runs()
    state, asked = tmp_path / "state.jsonl", []
    state.write_text(json.dumps({"key": key, "error": "of old", "mark": "old"}) + "\n")
    monkeypatch.setattr(
        engine, "measure", lambda key, cores: asked.append(key) or {"error": "of now"}
    )
    for _ in range(2):
        assert engine.run([block], state, 2)[key]["error"] == "of now"
    assert asked == [key]


def test_a_page_of_the_engine_is_of_one_commit_and_says_what_it_lacks(load, tmp_path, monkeypatch):
    engine = load("engine")
    block = engine.Block("Part", ("prk", "bcw"), 1, 1.0, (engine.OURS,))
    row = {
        "status": "optimal", "seconds": 0.5, "value": 0.9, "gap": 0.0, "cpu": 0.7, "trace": [],
    }  # fmt: skip
    monkeypatch.setattr(engine, "measure", lambda key, cores: row)
    state = tmp_path / "state.jsonl"
    assert engine.run([block], state, 2, until=-1.0) == {}
    done = engine.run([block], state, 2)
    assert engine.run([block], state, 1, until=-1.0) == {}  # of another number of cores
    assert len(done) == 2
    monkeypatch.setattr(engine.fresh, "commit", lambda: "another")
    assert engine.run([block], state, 2, until=-1.0) == {}
    monkeypatch.setattr(engine, "PLAN", {"part": block, "more": replace(block, sets=("qsr",))})
    lines = engine.page(dict([done.popitem()]), "curves.svg", 2).splitlines()
    [line] = [line for line in lines if line.startswith("| bcw")]
    head = next(line for line in lines if line.startswith("| set"))
    cells = dict(zip(head.split(" | "), line.split(" | "), strict=True))
    assert float(cells["CPU"]) == 0.7
    assert float(cells["load"]) >= 0
    assert "1 runs of this table are missing." in lines
    assert "Not run on this commit." in lines
