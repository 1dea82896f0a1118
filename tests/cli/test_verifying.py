"""`prune --certificate` and `verify`: the exit code says whether a certificate holds."""

import gzip
import json

import numpy as np
import pytest

from votefiles import write_votes
from voteprune.cli import verifying


@pytest.fixture
def certificate(run, votes, tmp_path):
    path = tmp_path / "certificate.json"
    assert run("prune", votes, "--objective", "balanced_accuracy", "--certificate", path)[0] == 0
    return path


def test_a_certificate_is_written_and_holds(run, votes, certificate):
    """Test rows and classifiers left out by --k play no part."""
    code, out, _ = run("verify", certificate, votes)
    assert code == 0
    assert out.startswith("The certificate holds")


def test_it_holds_for_the_first_k_of_every_model_and_for_gzipped_votes(run, votes, tmp_path):
    path, packed = tmp_path / "c.json", tmp_path / "votes.csv.gz"
    assert run("prune", votes, "--k", 4, "--certificate", path)[0] == 0
    packed.write_bytes(gzip.compress(votes.read_bytes()))
    assert run("verify", path, packed)[0] == 0


def test_the_label_column_is_remembered(run, tmp_path):
    path, table = tmp_path / "c.json", tmp_path / "plain.csv"
    table.write_text("a,b,truth\n1,0,1\n0,0,0\n1,1,1\n0,1,0\n")
    assert run("prune", table, "--target", "truth", "--certificate", path)[0] == 0
    assert run("verify", path, table)[0] == 0
    assert run("verify", path, table, "--target", "b")[0] == 1


@pytest.mark.parametrize("packed", ["votes.parquet", "votes"])
def test_a_parquet_table_is_verified_as_it_is(run, tmp_path, packed):
    """Whatever it is called, of numbers and truth values; other rows of it are refuted."""
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    y = rng.permutation(40) % 2
    shares = np.clip(0.5 + (y - 0.5) * 0.4 + rng.normal(0, 0.3, (4, 40)), 0, 1)
    frame = pl.DataFrame({"y": y == 1, **{f"m{k}": each for k, each in enumerate(shares)}})
    table, proof = tmp_path / packed, tmp_path / "proof.json"
    frame.write_parquet(table)
    code, _, _ = run("prune", table, "--target", "y", "--certificate", proof)
    assert code == 0
    code, out, _ = run("verify", proof, table)
    assert code == 0
    assert "The certificate holds" in out
    frame.with_columns(m0=1 - pl.col("m0")).write_parquet(table)
    code, out, _ = run("verify", proof, table)
    assert code == 1
    frame.drop("m1").write_parquet(table)
    code, _, err = run("verify", proof, table)
    assert code == 2
    assert str(table) in err
    assert "m1" in err
    table.write_bytes(b"PAR1 and no more")
    code, _, err = run("verify", proof, table)
    assert code == 2
    assert str(table) in err


def test_nested_columns_that_play_no_part_do_not_keep_from_verifying(run, tmp_path):
    pl = pytest.importorskip("polars")
    table, proof = tmp_path / "v.parquet", tmp_path / "proof.json"
    frame = pl.DataFrame({"a": [1, 0, 1], "y": [1, 0, 1], "why": [["x"], [], None]})
    spans = pl.Series([1, 2, None]).cast(pl.Duration)
    frame.with_columns(raw=pl.Series([b"\xff", b"", None]), took=spans).write_parquet(table)
    words = ("--target", "y", "--ignore", "why,raw,took", "--certificate", proof)
    assert run("prune", table, *words)[0] == 0
    assert run("verify", proof, table)[0] == 0


def test_what_was_not_foreseen_refutes_nothing(run, votes, certificate, monkeypatch):
    """Python itself would end with 1, which says that the certificate does not hold."""

    def fail(*_):
        raise ZeroDivisionError("by 0")

    monkeypatch.setattr(verifying, "verify", fail)
    code, out, err = run("verify", certificate, votes)
    assert (code, out) == (2, "")
    assert f"{certificate} could not be checked: ZeroDivisionError: by 0." in err


def test_a_false_claim_is_refuted_with_exit_code_1(run, votes, certificate):
    document = json.loads(certificate.read_text())
    document["committee"]["value"] += 1
    document["bound"] += 1
    certificate.write_text(json.dumps(document))
    code, out, _ = run("verify", certificate, votes)
    assert code == 1
    assert "NOT hold" in out
    assert "FAILED" in out


def test_other_votes_are_refuted(run, certificate, tmp_path):
    other = write_votes(tmp_path / "other.csv", seed=9)
    assert run("verify", certificate, other)[0] == 1


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (("votes.csv", "votes.csv"), "not valid JSON"),
        (("missing.json", "votes.csv"), "cannot be read"),
        (("certificate.json", "missing.csv"), "cannot be read"),
        (("certificate.json", "certificate.json"), "columns"),
    ],
)
def test_what_cannot_be_read_is_named(run, votes, certificate, names, complaint):
    code, _, err = run("verify", *(votes.parent / name for name in names))
    assert code == 2
    assert complaint in err


def test_a_certificate_that_cannot_be_written_is_refused_before_the_work(run, votes, no_solving):
    code, _, err = run("prune", votes, "--certificate", votes)
    assert code == 2
    assert "--certificate" in err


def test_a_method_that_proves_nothing_has_no_certificate(run, votes, tmp_path):
    code, _, err = run("prune", votes, "--method", "full", "--certificate", tmp_path / "c.json")
    assert code == 2
    assert "proves nothing" in err
    assert not (tmp_path / "c.json").exists()


@pytest.mark.parametrize("asked", [(), ("--objective", "log_loss")])
def test_shares_in_percent_are_read_again(run, tmp_path, asked):
    path, table = tmp_path / "c.json", tmp_path / "p.csv"
    table.write_text("a,b,y\n36.47%,70%,1\n7.5%,  50 %,0\n100%,49.99%,1\n0%,3%,0\n")
    assert run("prune", table, "--target", "y", *asked, "--certificate", path)[0] == 0
    code, out, err = run("verify", path, table)
    assert (code, err) == (0, "")
    assert out.startswith("The certificate holds")
    table.write_text(table.read_text().replace("36.47%", "101%"))
    assert "'101%' is not a number from 0 to 1" in run("verify", path, table)[2]
