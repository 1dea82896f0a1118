"""``voteprune report``: tables on stdout, files where they were asked for, and clear refusals."""

import json
import sys
from dataclasses import replace

import pytest

import synthetic_records as synthetic
from fulldisk import no_space
from voteprune.files import outfile
from voteprune_bench.cli import report as reporting

RECORDS = synthetic.records(
    datasets=("bcw", "drd", "aps_part"), pool_sizes=(40,), seeds=(10,), folds=(0, 1)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return synthetic.write_run(tmp_path_factory.mktemp("run"), RECORDS, [synthetic.failure()])


def test_tables_are_printed(run, folder):
    code, out, err = run("report", folder)
    assert (code, err) == (0, "")
    for title in (
        "Accuracy on the test part",
        "Average ranks",
        "Optimality gaps",
        "without a result",
    ):
        assert title in out
    assert "aps_part is a part of APS" in out


@pytest.mark.parametrize(
    ("form", "sign"), [("markdown", "| BCW |"), ("latex", r"\toprule"), ("csv", "BCW,40,F1,2,")]
)
def test_other_forms(run, folder, form, sign):
    code, out, _ = run("report", folder, "--only", "accuracy", "--format", form)
    assert code == 0
    assert sign in out
    assert "gaps" not in out


@pytest.mark.slow
def test_the_page_on_unseen_rows_is_written_where_it_was_asked_for(run, folder, tmp_path):
    made = synthetic.records(
        datasets=("bcw", "drd"), pool_sizes=(100,), seeds=(40,), folds=(0, 1), methods=("F1", "FE")
    )
    soft = [replace(one, key=one.key + "s", method="soft") for one in made if one.method == "FE"]
    source = synthetic.write_run(tmp_path / "run", [*made, *soft])
    page = tmp_path / "page.md"
    code, out, err = run("report", source, "--generalisation", page)
    assert (code, out) == (0, "")
    assert str(page) in err
    assert "## The check" in page.read_text()
    code, _, err = run("report", folder, "--generalisation", tmp_path / "other.md")
    assert code == 2
    assert "no fold has all methods" in err
    assert not (tmp_path / "other.md").exists()


def test_all_facts_as_json(run, folder):
    facts = json.loads(run("report", folder, "--format", "json")[1])
    assert facts["tables"]["accuracy"]["columns"] == list(synthetic.PAPERS)
    assert facts["failures"] == 1


@pytest.mark.slow
def test_page_and_files_are_written(run, folder, tmp_path):
    page, files = tmp_path / "report.html", tmp_path / "deep" / "files"
    code, out, err = run(
        "report", folder, "-o", page, "--tables", files, "--title", "Mine & <yours>"
    )
    assert (code, out) == (0, "")
    assert str(page) in err
    html = page.read_text()
    assert "<title>Mine &amp; &lt;yours&gt;</title>" in html
    document = (files / "results.md").read_text()
    for picture in (files / "figures").iterdir():
        assert f"(figures/{picture.name})" in document
    stems = {path.stem for path in (files / "tables").iterdir()}
    for stem in stems:
        assert {path.suffix for path in (files / "tables").glob(f"{stem}.*")} == {
            ".md", ".tex", ".csv",
        }  # fmt: skip
        assert (files / "tables" / f"{stem}.md").read_text() in document
    assert {"accuracy", "gaps", "failures", "coverage"} <= stems


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--format", "pdf"), "--format: 'pdf': use one of text, markdown, latex, csv, json"),
        (("--only", "gaps", "--format", "json"), "--only: is for tables that are printed"),
        (("--only", "gaps", "--tables", "here"), "--only: is for tables that are printed"),
        (("--only", "acuracy"), "--only: there is no table 'acuracy'. There are accuracy,"),
        (("--format", "json", "-o", "x.html"), "--format: is for tables that are printed"),
        (("--format", "csv", "--tables", "here"), "--format: is for tables that are printed"),
        (("--generalisation", "g.md", "-o", "x.html"), "--output: is not for --generalisation"),
        (("--generalisation", "g.md", "--tables", "t"), "--tables: is not for --generalisation"),
        (("--generalisation", "g.md", "--format", "csv"), "--format: is not for --generalisation"),
        (("--generalisation", "g.md", "--title", "Mine"), "--title: is not for --generalisation"),
        (("-o", "/nowhere/at/all.html"), "--output: cannot write to the directory"),
    ],
)
def test_what_cannot_be_is_refused(run, folder, words, message):
    code, out, err = run("report", folder, *words)
    assert (code, out) == (2, "")
    assert message in err


def test_a_folder_without_a_run(run, tmp_path):
    code, _, err = run("report", tmp_path, "-o", tmp_path / "r.html")
    assert code == 2
    assert "holds no results yet" in err
    assert not (tmp_path / "r.html").exists()
    code, _, err = run("report", tmp_path / "none")
    assert code == 2
    assert "is not a folder" in err


def test_tables_must_be_a_folder(run, folder, tmp_path):
    (tmp_path / "file").write_text("mine")
    code, _, err = run("report", folder, "--tables", tmp_path / "file")
    assert code == 2
    assert "is not a folder" in err
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("missing", "words"),
    [("jinja2", ("-o", "page.html")), ("scikit_posthocs", ()), ("matplotlib", ("--tables", "t"))],
)
def test_what_is_not_installed_is_named_with_its_cure(
    run, folder, tmp_path, monkeypatch, missing, words
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, missing, None)
    if missing == "matplotlib":
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = run("report", folder, *words)
    assert (code, out) == (2, "")
    assert missing.replace("_", "-") in err
    assert "pip install 'voteprune[" in err
    assert list(tmp_path.iterdir()) == []


def test_a_report_that_cannot_be_written_is_said(run, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(outfile.os, "fsync", no_space)
    monkeypatch.setattr(reporting, "draw_all", lambda facts: [])
    for words in (["-o", tmp_path / "page.html"], ["--tables", tmp_path / "files"]):
        code, out, err = run("report", folder, *words)
        assert (code, out) == (4, "")
        assert err.startswith(f"voteprune: {words[1]}")
        assert "cannot be written: No space left on device." in err
    (tmp_path / "file").write_text("")
    code, out, err = run("report", folder, "--tables", tmp_path / "file" / "below")
    assert (code, out) == (4, "")
    assert err.startswith(f"voteprune: {tmp_path / 'file' / 'below'}")
