"""A solution proves itself, survives JSON, and refuses every file that is not one."""

import json

import numpy as np
import pytest

import voteprune as vp


@pytest.fixture(scope="module")
def solution():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    matrix = np.where(rng.random((30, 5)) < 0.75, y[:, None], 1 - y[:, None])
    return vp.prune(
        vp.Votes(matrix, y, sample_weight=np.full(30, 0.5)),
        constraints=[vp.AtMost("size", 4)],
        diversity=vp.Diversity(tau=0.1),
        random_state=5,
    )


def test_json_round_trip(solution, tmp_path):
    assert vp.Solution.from_json(solution.to_json()) == solution
    solution.save(tmp_path / "solution.json")
    assert vp.Solution.load(tmp_path / "solution.json") == solution
    assert vp.Committee.load(tmp_path / "solution.json") == solution.committee


def test_an_infeasible_solution_round_trips():
    nothing = vp.prune(
        [[0, 1], [1, 1]], [0, 1], constraints=[vp.Require(0), vp.Forbid(0)], random_state=0
    )
    assert nothing.status == "infeasible"
    assert vp.Solution.from_json(nothing.to_json()) == nothing


def test_the_summary_says_what_was_found_and_how_sure_it_is(solution):
    text = solution.summary()
    for word in ("Optimal", "accuracy", "gap 0 %", "size <= 4", "every PFC >= 0.1", "seed 5"):
        assert word in text
    for name in solution.committee.names:
        assert name in text


def test_versions_and_seed_are_recorded(solution):
    assert solution.seed == 5
    assert {"python", "numpy", "scipy", "voteprune", "highspy"} <= set(solution.versions)


def test_solutions_cannot_be_changed(solution):
    with pytest.raises(AttributeError):
        solution.value = 1.0


def broken(solution, **changes):
    document = json.loads(solution.to_json())
    for key, value in changes.items():
        holder = document
        *path, last = key.split("__")
        for step in path:
            holder = holder[step]
        holder[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    "changes",
    [
        {"value": 0.123},
        {"bound": 0.1},
        {"bound": "high"},
        {"status": "infeasible"},
        {"status": "certain"},
        {"status": 3},
        {"confusion": None},
        {"confusion__tp": 10**6},
        {"confusion__tp": "1/0"},
        {"confusion__tp": "1e999999999"},
        {"confusion__tp": True},
        {"committee": []},
        {"committee__members": [0, 0, 1, 2]},
        {"committee__members": ["a"]},
        {"committee__members": [True]},
        {"committee__threshold": -1},
        {"committee__threshold": 10**40},
        {"committee__pool_size": 0},
        {"schema": 2},
        {"schema": None},
        {"format": "voteprune.certificate"},
        {"format": 7},
        {"versions": {"python": 3}},
        {"seconds": 10**400},
        {"weights": {}},
    ],
    ids=str,
)
def test_a_file_that_contradicts_itself_is_refused(solution, changes):
    with pytest.raises(vp.FileFormatError):
        vp.Solution.from_json(broken(solution, **changes))


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{", '{"format": "voteprune.solution"}', "[" * 100_000, "NaN", '"x"',
     '{"format": "voteprune.solution", "format": "voteprune.solution", "schema": 1}',
     '{"format": "voteprune.solution", "schema": NaN}', "1" * 5000, "\x00", "{'a': 1}"],
    ids=lambda text: repr(text[:20]),
)  # fmt: skip
@pytest.mark.parametrize("reader", [vp.Solution.from_json, vp.Committee.from_json])
def test_hostile_text_gives_a_typed_error(text, reader):
    with pytest.raises(vp.FileFormatError):
        reader(text)


def test_files_that_cannot_be_read_give_a_typed_error(tmp_path):
    (tmp_path / "latin.json").write_bytes(b'{"format": "\xff"}')
    for path in (tmp_path / "missing.json", tmp_path, tmp_path / "latin.json"):
        with pytest.raises(vp.FileFormatError, match=path.name):
            vp.Solution.load(path)


def test_saved_files_are_as_readable_as_any_other(solution, tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    solution.save(tmp_path / "solution.json")
    assert (tmp_path / "solution.json").stat().st_mode == plain.stat().st_mode


def test_a_failed_write_leaves_the_old_file_and_nothing_else(solution, tmp_path, monkeypatch):
    path = tmp_path / "solution.json"
    path.write_text("old")
    monkeypatch.setattr("voteprune.files.outfile.os.fsync", _disk_full)
    with pytest.raises(OSError, match="full"):
        solution.save(path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["solution.json"]


def _disk_full(_):
    raise OSError("disk full")


def test_an_optimum_of_gains_and_losses_that_cancel_is_an_optimum():
    """A solver's rounding goes with what it adds up, not with what is left of it."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    matrix = np.where(rng.random((60, 2)) < 0.7, y[:, None], 1 - y[:, None])
    weight = rng.random(60)
    for shift in (0.1, 0.01, 0.001):
        best = vp.prune(matrix, y, sample_weight=weight, random_state=0)
        loss = round(best.value - shift, 12)
        objective = vp.Weights(1000 - 1000 * loss, -1000 * loss, 1000 - 1000 * loss, -1000 * loss)
        solution = vp.prune(
            vp.Votes(matrix, y, sample_weight=weight), objective=objective, random_state=0
        )
        assert solution.status == "optimal"
