"""``voteprune front``: a table, a document, a picture, and what is refused before any work."""

import numpy as np
import polars as pl
import pytest

import voteprune as vp
from voteprune.cli import fronts

COSTS = [1.5, 2, 0.5, 2.5, 1]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    right = rng.random((60, 5)) < rng.uniform(0.6, 0.85, 5)
    votes = np.where(right, y[:, None], 1 - y[:, None])
    pl.DataFrame({"y": y, **{f"m{k}": votes[:, k] for k in range(5)}}).write_csv(
        tmp_path / "votes.csv"
    )
    lines = [f"m{k},{cost}" for k, cost in enumerate(COSTS)]
    (tmp_path / "costs.csv").write_text("\n".join(["name,cost", *lines, "other,9"]))
    return tmp_path / "votes.csv"


def library(table, **asked):
    frame = pl.read_csv(table)
    votes = vp.Votes(frame.drop("y"), frame["y"].to_numpy())
    return vp.front(votes, random_state=0, **asked)


def test_the_table_the_document_and_the_picture_are_the_front(run, table, tmp_path):
    found, drawn = tmp_path / "front.json", tmp_path / "front.svg"
    code, out, err = run(
        "front", table, "--target", "y", "--by", tmp_path / "costs.csv", "--within", 0.01,
        "--output", found, "--plot", drawn,
    )  # fmt: skip
    assert (code, err) == (0, "")
    expected = library(table, by=COSTS)
    front = vp.Front.load(found)
    assert front.points == expected.points
    assert (front.by, front.termination) == ("cost", "proved")
    for point in front.points:
        assert f"{float(point.cost):.6g}" in out
        assert f"{point.value:.6g}" in out
    cheapest = expected.cheapest(within=0.01)
    assert f"{cheapest}\n  {', '.join(cheapest.committee.names)}" in out
    assert drawn.read_text().startswith("<?xml")


def test_sizes_and_budgets_go_as_far_as_they_are_asked_for(run, table, tmp_path):
    code, out, _ = run("front", table, "--target", "y", "--max-size", 3, "--json")
    front = vp.Front.from_json(out)
    assert code == 0
    assert front.sizes == (1, 2, 3)
    asked = ("--by", tmp_path / "costs.csv", "--max-cost", 3)
    code, out, _ = run("front", table, "--target", "y", *asked, "--json")
    front = vp.Front.from_json(out)
    assert front.limit == 3
    assert max(front.costs) <= 3
    assert front.points == library(table, by=vp.Budget(COSTS, 3)).points


def test_probabilities_and_several_classes_have_fronts_too(run, tmp_path):
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    shares = 1 / (1 + np.exp(-rng.normal((2 * y - 1)[:, None] * 1.0, 1.0, (40, 4))))
    soft = pl.DataFrame({"y": y, **{f"m{k}": shares[:, k] for k in range(4)}})
    soft.write_csv(tmp_path / "soft.csv")
    words = np.array(["a", "b", "c"])
    truth = rng.integers(0, 3, 40)
    named = np.where(rng.random((40, 4)) < 0.6, truth[:, None], rng.integers(0, 3, (40, 4)))
    plural = pl.DataFrame({"y": words[truth], **{f"m{k}": words[named[:, k]] for k in range(4)}})
    plural.write_csv(tmp_path / "plural.csv")
    (tmp_path / "costs.csv").write_text("".join(f"m{k},{k + 1}\n" for k in range(4)))
    for file, more, kind in (
        ("soft.csv", ("--objective", "log_loss", "--penalty", 5, "--gap", 0.05), vp.SoftCommittee),
        ("plural.csv", ("--plurality",), vp.PluralityCommittee),
    ):
        asked = ("--target", "y", "--by", tmp_path / "costs.csv", *more, "--json")
        code, out, _ = run("front", tmp_path / file, *asked)
        front = vp.Front.from_json(out)
        assert code == 0
        assert all(isinstance(point.committee, kind) for point in front.points)


def test_a_value_that_nobody_reaches_is_told_in_words(run, table):
    code, _, out = run("front", table, "--target", "y", "--max-size", 2, "--reaching", 2)
    assert code == 3
    assert "--reaching is 2.0; the best committee found has" in out


def test_codes_say_what_was_found(run, table, tmp_path):
    nobody = ("--require", "m0", "--forbid", "m0")
    by = ("--by", tmp_path / "costs.csv")
    plot = tmp_path / "front.png"
    code, out, err = run("front", table, "--target", "y", *by, *nobody, "--plot", plot)
    assert code == 2
    assert "no committee is allowed" in out
    assert "was not written" in err
    assert not plot.exists()


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--by", "nothing.csv"), "nothing.csv"),
        (("--by", "cost"), "--by"),
        (("--max-cost", "3"), "--max-cost"),
        (("--within", "0.1", "--reaching", "1"), "--within"),
        (("--gap", "0.1"), "--gap"),
        (("--solver", "highs"), "--solver"),
        (("--plot", "front.gif"), "--plot"),
        (("--penalty", "3"), "--penalty"),
        (("--output", "nowhere/front.json"), "--output"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_nothing_is_written(
    run, table, words, option, monkeypatch, tmp_path
):
    if option != "--gap":

        def refuse(*_, **__):
            raise AssertionError("work was started")

        monkeypatch.setattr(fronts, "front", refuse)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, err = run("front", table, "--target", "y", *words)
    assert (code, out) == (2, "")
    assert option in err
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_ctrl_c_tells_the_front_so_far(run, table, monkeypatch):
    front = library(table)

    def interrupted(*_, **__):
        return vp.Front(front.objective, front.points, 1.0, termination="interrupted")

    monkeypatch.setattr(fronts, "front", interrupted)
    code, out, _ = run("front", table, "--target", "y")
    assert code == 130
    assert "value" in out
