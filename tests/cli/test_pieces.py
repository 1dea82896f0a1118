"""A folder of Parquet files is one table in pieces, unless it is a file per model."""

import json

import numpy as np
import polars as pl
import pytest

import voteprune as vp
from voteprune.tables import ReadOptions, read_source


@pytest.fixture
def said():
    random = np.random.default_rng(4)
    y = np.r_[0, 1, random.integers(0, 2, 298)]
    return y, (y[:, None] ^ (random.random((300, 6)) < 0.3)).astype(int)


@pytest.fixture
def folder(tmp_path, said):
    y, votes = said
    frame = pl.DataFrame({"y": y, **{f"m_{k}": votes[:, k] for k in range(6)}})
    (tmp_path / "votes").mkdir()
    for place, part in enumerate(frame.iter_slices(120)):
        part.write_parquet(tmp_path / "votes" / f"part{place}.parquet")
    (tmp_path / "votes" / "_SUCCESS").touch()
    return tmp_path / "votes"


def test_pieces_are_pruned_as_the_whole(run, folder, said):
    y, votes = said
    best = vp.prune(vp.Votes(votes, y))
    for sources in ([folder], sorted(folder.glob("*.parquet"))):
        code, out, err = run("prune", *sources, "--target", "y", "--json")
        assert code == 0
        assert "3 files: 300 rows, " in err
        assert json.loads(out)["value"] == best.value
        assert json.loads(out)["status"] == "optimal"


def test_pieces_are_read_as_options_say(folder, said):
    y, votes = said
    read = read_source([folder], ReadOptions("y", columns=("m_*",), ignore=("m_2",)))
    expected = vp.Votes(votes[:, [0, 1, 3, 4, 5]], y)
    assert vp.Patterns.of(read.validation) == vp.Patterns.of(expected)
    assert read_source([folder], ReadOptions("y", k=2)).validation.names == ("m_0", "m_1")


def test_files_of_models_are_still_joined(tmp_path, said):
    y, votes = said
    for k in range(3):
        columns = {"index": np.arange(300), "pred": votes[:, k], "y": y}
        pl.DataFrame(columns).write_parquet(tmp_path / f"m{k}.parquet")
    read = read_source([tmp_path], ReadOptions("y"))
    assert read.validation.names == ("m0", "m1", "m2")
    assert (read.validation.matrix == votes[:, :3]).all()


def test_every_piece_is_read_however_it_is_called_and_nothing_that_is_hidden(folder, said):
    y, votes = said
    whole = vp.Patterns.of(vp.Votes(votes, y))
    (folder / "part0.parquet").rename(folder / "part[1].PARQUET")
    (folder / "part2.parquet").rename(folder / "PART.Pq")
    for name in ("._part1.parquet", "_temporary.parquet"):
        (folder / name).write_bytes(b"none of the table's")
    folder = folder.rename(folder.with_name("_votes"))
    named = [folder / "part[1].PARQUET", folder / "part1.parquet", folder / "PART.Pq"]
    for sources in ([folder], named):
        assert vp.Patterns.of(read_source(sources, ReadOptions("y")).validation) == whole
        silenced = ReadOptions("y", abstain=("-1",))
        assert vp.Patterns.of(read_source(sources, silenced).validation) == whole
    first = vp.Votes.scan(folder / "part[1].PARQUET", target="y")
    assert first.weights.sum() == 120
    assert vp.Votes.scan(folder / "*.parquet", target="y").weights.sum() == 120
    assert vp.Votes.scan(folder / "p*", target="y").weights.sum() == 240


@pytest.mark.parametrize(
    ("kind", "word"),
    [(pl.Boolean, "1"), (pl.Boolean, "true"), (pl.Float64, "1"), (pl.Int8, "1"), (pl.String, "1")],
)
def test_the_positive_class_is_named_as_in_one_file(folder, said, kind, word):
    y, votes = said
    for file in folder.glob("*.parquet"):
        frame = pl.read_parquet(file)
        frame.with_columns(y=frame["y"].cast(kind)).write_parquet(file)
    read = read_source([folder], ReadOptions("y", positive=word)).validation
    whole = vp.Patterns.of(vp.Votes(votes, y))
    assert vp.Patterns.of(read if kind != pl.String else read.called(0, 1)) == whole
    if kind == pl.Int8:
        for file in folder.glob("*.parquet"):
            pl.read_parquet(file).with_columns(pl.all() + 1).write_parquet(file)
        read = read_source([folder], ReadOptions("y", positive="2"))
        assert read.classes == ("1", "2")
        return
    other = read_source([folder], ReadOptions("y", positive="0" if word == "1" else "false"))
    assert other.validation.weights[other.validation.labels].sum() == 300 - y.sum()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--target", "z"), "target"),
        (("--target", "y", "--split", "m_0=1"), "split"),
        (("--target", "y", "--positive", ">=1"), "positive"),
        (("--target", "y", "--positive", "bad"), "target: column 'y' holds"),
        (("--target", "y", "--certificate", "proof.json"), "--certificate"),
    ],
)
def test_what_pieces_cannot_give_is_refused(run, folder, words, says, monkeypatch):
    monkeypatch.chdir(folder.parent)
    code, out, err = run("prune", folder, *words)
    assert (code, out) == (2, "")
    assert says in err
    assert not (folder.parent / "proof.json").exists()


def test_a_damaged_piece_is_named(run, folder):
    (folder / "part1.parquet").write_bytes(b"PAR1 nothing PAR1")
    code, _, err = run("prune", folder, "--target", "y")
    assert code == 2
    assert "part1.parquet: cannot be " in err


@pytest.mark.parametrize("rule", ["skip", "against"])
@pytest.mark.parametrize("silence", [None, -1])
def test_pieces_with_abstentions_are_pruned_and_applied_as_the_whole(
    run, tmp_path, said, rule, silence
):
    y, votes = said
    gaps = np.where(np.random.default_rng(1).random(votes.shape) < 0.4, np.nan, votes)
    filled = [[silence if np.isnan(v) else int(v) for v in column] for column in gaps.T]
    frame = pl.DataFrame({"y": y, **{f"m_{k}": column for k, column in enumerate(filled)}})
    (tmp_path / "gaps").mkdir()
    for place, part in enumerate(frame.iter_slices(120)):
        part.write_parquet(tmp_path / "gaps" / f"part{place}.parquet")
    expected = vp.prune(vp.Votes(gaps, y, abstentions=rule))
    words = ("--target", "y", "--abstentions", rule)
    words += () if silence is None else ("--abstain=-1",)
    saved = tmp_path / "saved.json"
    code, out, _ = run("prune", tmp_path / "gaps", *words, "--json", "--output", saved)
    assert (code, json.loads(out)["value"]) == (0, expected.value)
    assert json.loads(out)["coverage"] == expected.coverage
    frame.write_parquet(tmp_path / "whole.parquet")
    code, _, err = run("apply", saved, tmp_path / "whole.parquet", "--target", "y")
    assert (code, f"accuracy {expected.value:.6g} on 300 rows" in err) == (0, True)
    code, _, err = run("prune", tmp_path / "gaps", "--target", "y")
    assert (code, "abstentions='skip'" in err) == (2, silence is None)
    code, _, err = run("prune", tmp_path / "gaps", *words[:4], "--abstain", "none")
    assert (code, "--abstain" in err) == (2, True)
