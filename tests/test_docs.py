"""What the README and the guide show is what happens: every block of every page runs.

Pages of the guide may use what the README's first Python block makes (`vp`, `votes`, ...). Shell
blocks are run where a line of `voteprune` needs nothing but vote files; other lines must at least
name options, targets, extras and files that exist.
"""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

import reference
import results_table
import voteprune as vp
from synthetic_records import records, write_run
from voteprune import cli
from voteprune.bounds import closure
from voteprune.cli.app import make_app
from voteprune.primal import brute, enumeration, search
from voteprune.strategies import exact, exact_soft, margin_scale
from voteprune.tables import file_bytes
from voteprune.tree.nogoods import driver as nogoods
from voteprune.tree.sizes import driver as sizes

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
WRITTEN = {"_build", "api", "gallery", "generated"}
"""Folders of the guide that its build fills."""

PAGES = [README, ROOT / "CONTRIBUTING.md"] + [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if path.relative_to(ROOT / "docs").parts[0] not in WRITTEN
]
RUNNABLE = {"prune", "apply", "compare", "methods", "solvers"}
"""Commands that need nothing but vote files."""

COLUMNS = {
    "criteria.md": ["rf_1", "rf_2", "svm_1", "svm_2", "nb", "lda", "c0"],
    "files.md": [f"model_{k}" for k in range(1, 8)],
}
"""What classifiers are called on pages that name them."""

PYTHON, SHELL = "(?:python|py)", "(?:sh|bash|shell|console)"
SHOWN = {"", "toml", "{include}", "{toctree}"}
"""What fences hold that is not run: output, plans, and parts of the site."""

mpl.use("agg")


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.M)


def name_of(page):
    return str(page.relative_to(ROOT))


def command_lines(page):
    for block in blocks(page, SHELL):
        for line in block.replace("\\\n", " ").replace("&&", "\n").splitlines():
            words = shlex.split(line.strip().removeprefix("$ "), comments=True)
            if words:
                yield words


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, whose figures are closed at the end."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, PYTHON)], ids=lambda page: page.name
)
@pytest.mark.slow
def test_the_python_of_a_page_runs_from_top_to_bottom(page, folder, capsys):
    names: dict[str, object] = {}
    if page != README:
        exec(compile(blocks(README, PYTHON)[0], str(README), "exec"), names)
    if "my-run" in page.read_text():
        write_run(folder / "my-run", records(("bcw", "drd", "qsr"), (40,), seeds=(10,), folds=(0,)))
    for block in blocks(page, PYTHON):
        exec(compile(block, str(page), "exec"), names)
    if page == README:
        assert "Optimal" in capsys.readouterr().out
        assert (folder / "committee.json").exists()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(command_lines(page))], ids=lambda page: page.name
)
def test_the_commands_of_a_page_work(page, folder, capsys):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    votes = np.where(rng.random((60, 7)) < 0.8, y[:, None], 1 - y[:, None])
    names = COLUMNS.get(page.name, [f"c{k}" for k in range(7)])
    frame = pl.DataFrame({name: votes[:, k] for k, name in enumerate(names)})
    table = frame.with_columns(y=pl.Series(y))
    if page.name == "files.md":
        table = table.with_columns(id=pl.Series(range(100, 160)), fold=pl.Series(y // 2))
    table.write_csv(folder / "votes.csv")
    frame.write_csv(folder / "new_votes.csv")
    shares = frame.select((pl.all() * 0.6 + 0.2).round(3))
    shares.with_columns(y=pl.Series(y)).write_csv(folder / "probabilities.csv")
    shares.write_csv(folder / "new_probabilities.csv")
    labels = frame.select(pl.all().replace_strict({0: "setosa", 1: "virginica"}))
    species = pl.Series(y).replace_strict({0: "setosa", 1: "virginica"})
    labels.with_columns(species=species).write_csv(folder / "labels.csv")
    labels.with_columns(species=species).write_csv(folder / "later.csv")
    labels.write_csv(folder / "new_labels.csv")
    (folder / "data").symlink_to(ROOT / "data")
    if page.name == "files.md":
        write_one_file_per_model(folder, table)
    if page.name == "judges.md":
        write_grades(folder, votes, y)
    if page.name == "fronts.md":
        (folder / "costs.csv").write_text("".join(f"{name},1.5\n" for name in names))
    for words in command_lines(page):
        if words[0] == "voteprune":
            check_own(words[1:])
        else:
            check_other(words)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_block_of_a_page_goes_unread(page):
    """Every fence says what it holds, in words that the tests above know or are told to leave."""
    fences = re.findall(r"^ *(`{3,}|~{3,}) *(\S*)", page.read_text(), flags=re.M)
    assert {marks for marks, _ in fences} <= {"```"}
    assert [word for _, word in fences[1::2] if word] == []
    for _, word in fences[::2]:
        assert word in SHOWN or re.fullmatch(f"{PYTHON}|{SHELL}", word), word


def write_one_file_per_model(folder, table):
    """Write what the page on files reads: a file of each model, and one of labels."""
    (folder / "oof").mkdir()
    for name in ("model_1", "model_2", "model_3"):
        table.select("id", prediction=name).write_csv(folder / "oof" / f"{name}.csv")
    table.select("id", label="y").write_csv(folder / "labels.csv")


def write_grades(folder, votes, y):
    """Write what the page on judges reads: grades from 0 to 3, and prices."""
    names = ["acme-large", "acme-small", "bolt-v2", "cell-1", "cell-2", "dune", "echo"]
    grades = {name: 3 * votes[:, k] for k, name in enumerate(names)}
    pl.DataFrame({"item": range(60), "truth": 2 * y, **grades}).write_csv(folder / "grades.csv")
    (folder / "prices.csv").write_text("\n".join(f"{name},4" for name in names))


def check_own(words):
    """Run a line as a shell would, or take it apart where it needs more than there is."""
    words = [found for word in words for found in sorted(map(str, Path().glob(word))) or [word]]
    words = words[: words.index(">")] if ">" in words else words
    if words[0] in RUNNABLE:
        assert cli.main(words) == 0, words
    else:
        make_app().parse_args(words, exit_on_error=False, print_error=False)


def check_other(words):
    """Look whether what a line names is there."""
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), flags=re.M), words
    elif words[:2] == ["pip", "install"]:
        asked = re.findall(r"\[(.*?)\]", words[-1])
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        for extra in ",".join(asked).split(",") if asked else []:
            assert extra in project["optional-dependencies"], words
    elif words[0] == "cp":
        assert (ROOT / words[-2]).exists(), words
    elif words[0] == "python":
        assert (ROOT / words[1]).exists(), words
    else:
        raise AssertionError(f"nobody knows how to try {words}")


def test_the_readme_shows_what_its_first_block_prints(folder, capsys):
    """But for the seconds and the seed, which differ from run to run."""
    exec(compile(blocks(README, PYTHON)[0], str(README), "exec"), {})
    told = capsys.readouterr().out.strip()
    shown = re.search(r"^```\n\n```\n(.*?)^```", README.read_text(), re.DOTALL | re.M)[1].strip()
    assert [timeless(line) for line in shown.splitlines()] == [
        timeless(line) for line in told.splitlines()
    ]


def timeless(line):
    return re.sub(r"[\d.]+ s, seed \d+", "", line)


def test_the_readme_is_short_and_its_table_is_that_of_the_results():
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= 110
    page = ROOT / "docs/results/generalisation.md"
    assert results_table.with_table(text, page.read_text("utf-8")) == text


def test_a_page_of_results_becomes_a_table():
    page = """## Other

|  | accuracy |
|---|---|
| soft | 1 |

## The second check

38 folds, seeds 40 and 50. More.

|  | rank | accuracy | log loss | size |
| :--- | ---: | ---: | ---: | ---: |
| soft | 2 | 89.57 | 0.2367 | 10.0 |
| BFT | 3 | 1 | - | 2 |
| FE | 4 | 88.53 | - | 100 |

## Other votes

|  | rank | accuracy | log loss | size |
| :--- | ---: | ---: | ---: | ---: |
| soft | 2 | 99.99 | 0.1 | 10.0 |
"""
    table = results_table.table_of(page)
    assert "| **soft committee of ten, chosen with proof** | 89.57 | 0.2367 | 10.0 |" in table
    assert "| full ensemble | 88.53 | - | 100 |" in table
    assert "BFT" not in table
    assert "test rows of 38 folds ([the" in table


LIMITS = {
    "classifiers, for bounds size by size and for `front`": sizes.MOST_CLASSIFIERS,
    "distinct patterns, for proofs by nogoods": nogoods._MOST_PATTERNS,
    "distinct patterns, for asking a MIP solver about what is left": sizes._FEW_PATTERNS,
    "patterns times classifiers, for a MIP solver on all of it": exact._MOST_ENTRIES,
    "patterns times classifiers that the search walks through": search._MOST_ENTRIES,
    f"the same where there are less than {search._HASTE:.0f} s": search._MOST_IN_HASTE,
    "patterns times classifiers, for trying all small committees": enumeration._MOST_ENTRIES,
    "pairs of patterns in the closure bound": closure._MOST_EDGES,
    'classifiers for `method="brute"`': brute.MOST_CLASSIFIERS,
    "the same for soft committees": exact_soft.MOST_TRIED,
    "subsets times patterns that are tried to check a solver's word": exact.ENUMERATE,
    'rows on which the scale of `objective="margin"` is chosen': margin_scale._MOST_ROWS,
    "bytes of text in a table that is read from a file": file_bytes.MOST_BYTES,
}


def test_the_page_on_limits_tells_those_of_the_code():
    page = (ROOT / "docs/limits.md").read_text("utf-8").partition("## How large")[2]
    rows = [line.strip("|").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    told = {row[0].strip(): int(row[1].replace(",", "")) for row in rows[1:]}
    assert told == LIMITS


def test_the_reference_of_the_command_line_tells_commands_as_they_are_typed(monkeypatch):
    """Usage lines are written with the words that the process was started by."""
    monkeypatch.setattr(sys, "argv", ["/usr/bin/python", "-m", "sphinx"])
    text = reference.commands()
    assert "\n## voteprune prune" in text
    assert "-m sphinx" not in text
    assert "--target" in text
    assert "\nvoteprune prune FILE... [OPTIONS]\n" in text
    assert "\nvoteprune bench run [OPTIONS] PLAN RUN\n" in text
    assert "\n**Limits on the committee**:\n" in text


def test_the_reference_shows_every_public_name_with_its_defaults():
    text = reference.reference()
    assert [name for name in vp.__all__ if not re.search(rf"\b{name}\n", text)] == []
    shown = reference.signature_of(vp.PrunedVotingClassifier)
    assert shown.startswith("(estimators, *, objective='auto', constraints=(), ")
    assert "time_limit=60.0" in shown


def test_the_two_commands_come_first():
    first = blocks(README, "sh")[0]
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make demo", "make test"]


def test_every_page_of_the_guide_is_reached_from_its_front():
    """The build adds pages nobody listed; those that are listed must exist."""
    front = (ROOT / "docs" / "index.md").read_text()
    listed = re.findall(r"^[a-z][\w/-]*$", front, flags=re.M)
    made = {"gallery/index", "api"}
    missing = [page for page in listed if page not in made]
    assert [page for page in missing if not (ROOT / "docs" / f"{page}.md").exists()] == []
    assert len(listed) > 10
