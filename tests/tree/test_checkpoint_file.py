"""What is kept on file comes back, and what does not belong there is refused by its name."""

import io
import json
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import voteprune as vp
from voteprune.bounds.node import Node
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.tree import checkpoint
from voteprune.tree.checkpoint import (
    Kept,
    SizeBounds,
    check_checkpoint,
    digest,
    file_of,
    file_of_exact,
    load_proof,
    on_file,
    resumed,
    save_proof,
    still_there,
)
from voteprune.tree.nogoods.task import Node as NogoodNode

LABELS = np.arange(12) % 2
MATRIX = np.random.default_rng(2).integers(0, 2, (12, 5))
VOTES = vp.Votes(MATRIX, LABELS)
PROBLEM = Problem.of(VOTES)
OTHER = Problem.of(VOTES, "recall")


def refused(path):
    """What is said of a file, and of what argument."""
    with pytest.raises(vp.InputError) as caught:
        file_of(path)
    return caught.value.argument, str(caught.value)


def test_a_proof_goes_to_a_file_in_a_folder(tmp_path):
    assert file_of(None) is None
    file = tmp_path / "proof.npz"
    assert file_of(file) == file_of(str(file)) == file
    assert isinstance(file_of(str(file)), Path)
    file.touch()
    assert file_of(file) == file
    for path, words in (
        (3, "expected a path"),
        (tmp_path, "cannot be written"),
        (tmp_path / "missing" / "proof.npz", "cannot be written"),
        (file / "proof.npz", "cannot be written"),
    ):
        argument, said = refused(path)
        assert argument == "checkpoint"
        assert words in said


def test_only_the_exact_method_has_a_proof_to_keep(tmp_path, monkeypatch):
    file, seen = tmp_path / "proof.npz", []
    monkeypatch.setattr(checkpoint.outfile, "check_folder", lambda *what: seen.append(what))
    assert file_of_exact(None, "search", seen.append) is None
    assert not seen
    with pytest.raises(vp.InputError, match="search keeps no proof") as caught:
        file_of_exact(file, "search", seen.append)
    assert caught.value.argument == "checkpoint"
    assert not seen
    assert file_of_exact(str(file), "exact", seen.append) == file
    assert seen == [file, (file, "checkpoint")]


def test_whose_proof_a_file_is_and_whether_there_can_be_one_is_checked_first(tmp_path, monkeypatch):
    file, seen = tmp_path / "proof.npz", []
    monkeypatch.setattr(checkpoint.outfile, "check_folder", lambda *what: seen.append(what))
    assert check_checkpoint(None, "search", PROBLEM) is None
    for problem in (PROBLEM, Problem.of(VOTES, vp.Ramp(1))):
        assert check_checkpoint(str(file), "exact", problem) == file
        assert seen.pop() == (file, "checkpoint")
    matrix = np.where(np.arange(60).reshape(12, 5) % 7 == 0, np.nan, MATRIX)
    covered = vp.Votes(matrix, LABELS, abstentions="against")
    free = Problem.of(covered)
    assert check_checkpoint(file, "exact", free) == file
    seen.clear()
    for method, problem, words in (
        ("search", PROBLEM, "only method='exact'"),
        ("exact", Problem.of(VOTES, "f1"), "only method='exact'"),
        ("exact", Problem.of(covered, requests=[vp.AtLeast("coverage", 1)]), "coverage"),
    ):
        with pytest.raises(vp.InputError, match=words) as caught:
            check_checkpoint(file, method, problem)
        assert caught.value.argument == "checkpoint"
    save_proof(file, OTHER, Kept(None, nodes=()))
    with pytest.raises(vp.InputError, match="another problem: other votes") as caught:
        check_checkpoint(file, "exact", PROBLEM)
    assert caught.value.argument == "checkpoint"
    assert not seen


def node(key, m):
    rng = np.random.default_rng(key)
    return Node(
        key, rng.integers(0, 5, (m, 2)), rng.random(m), rng.integers(0, 3, m).astype(np.int8),
        rng.integers(-1, 2, 9).astype(np.int8), rng.integers(-1, 10**12, m),
    )  # fmt: skip


KEPT = {
    "nothing open": Kept(None, nodes=()),
    "a committee": Kept(PROBLEM.committee([1, 3, 4], 2), nodes=()),
    "nodes of sizes": Kept(PROBLEM.committee([0], 0), nodes=(node(7, 3), node(2, 1))),
    "nodes of nogoods": Kept(
        None,
        nogood_nodes=tuple(
            NogoodNode(bound, np.array([decided, 1, 0], dtype=np.int8))
            for bound, decided in ((1 / 3, -1), (-1e300, 0))
        ),
    ),
    "no nodes of nogoods": Kept(None, nogood_nodes=()),
}
SIZES = {
    "at the beginning": SizeBounds(),
    "on the way": SizeBounds(
        {1: 3**200, 2: -7}, (2, 1), {2: 10**60}, {1: 5}, {1: 0.1, 2: 2.5}, ("highs", "scipy")
    ),
    "nobody waiting": SizeBounds({1: 2}, (), {}, {}, {}, ("highs",)),
}


def there_and_back(kept, file):
    save_proof(file, PROBLEM, kept)
    return load_proof(file, PROBLEM)


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_comes_back(name, tmp_path):
    kept = KEPT[name]
    back = there_and_back(kept, tmp_path / "proof.npz")
    assert back.committee == kept.committee
    assert back.sizes is None
    for mine, theirs in ((back.nodes, kept.nodes), (back.nogood_nodes, kept.nogood_nodes)):
        assert (mine is None) == (theirs is None)
        for one, two in zip(mine or (), theirs or (), strict=True):
            assert type(one) is type(two)
            for field, value in vars(two).items():
                assert np.array_equal(getattr(one, field), value)
                assert np.asarray(getattr(one, field)).dtype == np.asarray(value).dtype
    assert [path.name for path in tmp_path.iterdir()] == ["proof.npz"]


@pytest.mark.parametrize("name", SIZES)
def test_bounds_of_sizes_come_back(name, tmp_path):
    committee = PROBLEM.committee([0, 2], 1)
    back = there_and_back(Kept(committee, sizes=SIZES[name]), tmp_path / "proof.npz")
    assert back == Kept(committee, sizes=SIZES[name])


def test_files_say_what_they_are(tmp_path):
    """Others read them too: the fields and the format are the file's own."""
    file = tmp_path / "proof.npz"
    save_proof(file, PROBLEM, KEPT["nodes of sizes"])
    with np.load(file) as content:
        arrays = dict(content)
    header = json.loads(str(arrays.pop("header")))
    assert header == {
        "format": "voteprune checkpoint 2", "problem": digest(PROBLEM), "members": [0],
        "threshold": 0, "keys": [7, 2],
    }  # fmt: skip
    names = ("pairs", "bounds", "done", "decided", "by")
    assert set(arrays) == {f"{name}_{place}" for name in names for place in (0, 1)}
    save_proof(file, PROBLEM, KEPT["no nodes of nogoods"])
    with np.load(file) as content:
        assert set(content) == {"header", "cell_bounds", "cells"}
        header = json.loads(str(content["header"]))
    assert (header["members"], header["threshold"], header["keys"]) == (None, None, None)


def test_a_problem_is_told_by_a_digest_that_stays():
    """Of the votes, gains and limits as integers: files outlive the process that wrote them."""
    limited = Problem.of(
        vp.Votes(MATRIX, LABELS, sample_weight=LABELS + 0.5), "balanced_accuracy",
        [vp.AtLeast("recall", 0.5), vp.Budget([1, 2, 3, 4, 5], 9), vp.Require(0), vp.Forbid(1),
         vp.AtLeast("size", 2), vp.AtMost("size", 4)],
        vp.Diversity(Fraction(1, 10), Fraction(1, 5), "disagreement"),
    )  # fmt: skip
    margins = [Problem.of(VOTES, kind(1)) for kind in (vp.Ramp, vp.Hinge)]
    assert [digest(problem)[:16] for problem in (PROBLEM, limited, *margins)] == [
        "7600dba3e08a53e0", "75f860a3e387ca96", "09d3a56399e7fcc6", "68e68bc712e7680c",
    ]  # fmt: skip


def test_before_there_is_a_file_nothing_is_on_it(tmp_path):
    assert load_proof(None, PROBLEM) is None
    assert load_proof(tmp_path / "proof.npz", PROBLEM) is None


def damage(file, **changes):
    with np.load(file) as content:
        arrays = dict(content)
    header = json.loads(str(arrays["header"])) | changes.pop("header", {})
    arrays |= {"header": np.array(json.dumps(header))} | changes
    np.savez(file, **{name: array for name, array in arrays.items() if array is not None})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"header": {"format": "voteprune checkpoint 1"}}, "another version"),
        ({"header": {"members": [0, 9]}}, "damaged"),
        ({"header": {"members": [0, 0], "threshold": 5}}, "damaged"),
        ({"header": {"threshold": 7}}, "damaged"),
        ({"header": {"keys": [7, 2, 3]}}, "damaged"),
        ({"header": {"keys": None}}, "damaged"),
        ({"header": {"sizes": {}}}, "proof.npz"),
        ({"bounds_0": np.array([object()])}, "damaged"),
        ({"pairs_1": None}, "damaged"),
    ],
)
def test_a_damaged_file_is_told_from_one_of_another_problem(changes, words, tmp_path):
    file = tmp_path / "proof.npz"
    save_proof(file, PROBLEM, KEPT["nodes of sizes"])
    damage(file, **changes)
    with pytest.raises(vp.FileFormatError, match=words) as caught:
        load_proof(file, PROBLEM)
    assert "proof.npz" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"PK nonsense", b"\x93NUMPY", b"{}"])
def test_what_is_no_checkpoint_at_all_is_damaged(content, tmp_path):
    file = tmp_path / "proof.npz"
    file.write_bytes(content)
    with pytest.raises(vp.FileFormatError, match="is no checkpoint of voteprune, or damaged"):
        load_proof(file, PROBLEM)


def test_cells_without_their_bounds_are_damaged(tmp_path):
    file = tmp_path / "proof.npz"
    save_proof(file, PROBLEM, KEPT["nodes of nogoods"])
    damage(file, cell_bounds=np.array([1.0]))
    with pytest.raises(vp.FileFormatError, match="damaged"):
        load_proof(file, PROBLEM)


def test_a_folder_in_the_place_of_a_file_is_damaged_too(tmp_path):
    with pytest.raises(vp.FileFormatError, match="damaged"):
        load_proof(tmp_path, PROBLEM)


def run_of(problem, file):
    return Run(Incumbent(problem), time.monotonic() + 60, checkpoint=file)


def test_a_run_goes_on_with_the_committee_on_file(tmp_path):
    file = tmp_path / "proof.npz"
    run = run_of(PROBLEM, file)
    assert resumed(PROBLEM, run) is None
    assert on_file(PROBLEM, run) is None
    save_proof(file, PROBLEM, KEPT["nothing open"])
    assert resumed(PROBLEM, run) == Kept(None, nodes=())
    assert run.incumbent.committee is None
    save_proof(file, PROBLEM, KEPT["a committee"])
    assert on_file(PROBLEM, run).committee == KEPT["a committee"].committee
    assert run.incumbent.committee is None
    assert resumed(PROBLEM, run).nodes == ()
    assert run.incumbent.committee == KEPT["a committee"].committee
    assert not run.incumbent.incidents


def test_what_becomes_of_a_file_during_a_run_is_an_incident(tmp_path):
    file = tmp_path / "proof.npz"
    save_proof(file, OTHER, Kept(None, nodes=()))
    run = run_of(PROBLEM, file)
    assert resumed(PROBLEM, run) is None
    (incident,) = run.incumbent.incidents
    assert "another problem" in incident
    assert still_there(run, lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        still_there(run, lambda: 1 / 0)


def test_a_file_is_written_whole(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(
        checkpoint.outfile, "write_bytes", lambda path, data: written.append((path, data))
    )
    save_proof(tmp_path / "proof.npz", PROBLEM, KEPT["nodes of sizes"])
    ((path, data),) = written
    assert path == tmp_path / "proof.npz"
    with np.load(io.BytesIO(data)) as content:
        assert "pairs_1" in content
