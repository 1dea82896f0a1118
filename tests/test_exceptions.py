"""Whatever names hold, texts for people show it and never send it; JSON gives it back exactly."""

import json
import pickle

import numpy as np
import pytest

import voteprune as vp
from experiment_records import failure, record
from oddnames import CLEAR, CONTROLS, SURROGATES, harmless, odd_names
from voteprune.exceptions import LONGEST, message_of, shown
from voteprune.files import jsonfile
from voteprune.solve.comparison import Comparison
from voteprune_bench.experiment import Failure, Record
from voteprune_bench.report import FORMS, collect, table_texts
from voteprune_bench.report.table import Listing

SEEDS = range(8)
EVERYTHING = (*CONTROLS, *SURROGATES)


def solved(seed, k=7):
    rng = np.random.default_rng(seed)
    y = np.arange(30) % 2
    votes = (rng.random((30, k)) < 0.3).astype(int) ^ y[:, None]
    names = odd_names(k, seed, EVERYTHING)
    wishes = [vp.Require(names[0]), vp.Forbid(names[-1]), vp.AtLeast("size", 3)]
    return vp.prune(vp.Votes(votes, y, names=names), constraints=wishes), names


def test_every_control_is_shown_by_an_escape_and_all_else_is_left_alone():
    for sign in EVERYTHING:
        assert shown(sign).isprintable()
        assert shown(sign).isascii()
        assert len(shown(sign)) > 1
    assert len({shown(sign) for sign in EVERYTHING}) == len(EVERYTHING)
    for text in ("plain", "Größe µ 名前 😀 \\x1b", ""):
        assert shown(text) == text
    assert shown(shown(CLEAR)) == shown(CLEAR)


@pytest.mark.parametrize("seed", SEEDS)
def test_summaries_show_what_names_would_do(seed):
    solution, names = solved(seed)
    text = solution.summary()
    assert harmless(text)
    # No name makes a line of its own: the answer has one headline.
    assert not any(line.startswith("Optimal") for line in text.split("\n")[1:])
    assert all(shown(name) in text.replace("\n" + " " * 15, " ") for name in (names[0], names[-1]))
    why = solution.explain(time_limit=0).summary()
    assert harmless(why)
    assert shown(names[0]) in why


@pytest.mark.parametrize("seed", SEEDS)
def test_names_come_back_from_json_exactly_and_its_text_is_harmless(seed, tmp_path):
    solution, names = solved(seed)
    text = solution.to_json()
    assert harmless(text)
    assert vp.Solution.from_json(text) == solution
    solution.save(tmp_path / "solution.json")
    assert set(vp.Committee.load(tmp_path / "solution.json").names) <= set(names)
    told = json.loads(solution.explain(time_limit=0).to_json())
    assert [role["name"] for role in told["members"]] == list(solution.committee.names)
    assert jsonfile.read(jsonfile.write({"é😀": names})) == {"é😀": names}
    assert "é😀" in jsonfile.write({"é😀": names})


@pytest.mark.parametrize("seed", SEEDS)
def test_classes_and_names_of_plurality_are_shown(seed):
    rng = np.random.default_rng(seed)
    classes, names = odd_names(3, seed, EVERYTHING), odd_names(4, seed + 50, EVERYTHING)
    truth = np.array(classes)[np.arange(12) % 3]
    table = np.array(classes)[rng.integers(0, 3, (12, 4))]
    solution = vp.prune(vp.PluralityVotes(table, truth, names=names))
    assert harmless(solution.summary())
    assert shown(classes[0]) in solution.summary()
    assert harmless(solution.explain(time_limit=0).summary())
    assert vp.PluralitySolution.from_json(solution.to_json()) == solution


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_show_what_labels_would_do(seed):
    method, dataset = odd_names(2, seed)
    found = collect(
        [record(method=method, dataset=dataset), record(method="F1", dataset=dataset)],
        [failure(method=method, reason=CLEAR)],
        {"machine": {dataset: method}},
        title=CLEAR,
    )
    for form in FORMS:
        for name, text in table_texts(found, form).items():
            assert harmless(text) or form == "csv", name
    assert harmless(found.to_json())
    assert json.loads(found.to_json())["title"] == CLEAR
    one = record(method=method, names=(dataset, method))
    assert Record.from_json(one.to_json()) == one
    fault = failure(method=method, reason=CLEAR)
    assert Failure.from_json(fault.to_json()) == fault
    assert harmless(one.to_json() + fault.to_json())


def test_listings_show_titles_and_notes_too():
    odd = Listing("name", CLEAR, CLEAR, (CLEAR, "b"), ((CLEAR, CLEAR),))
    for form in ("text", "markdown", "latex"):
        text = getattr(odd, f"to_{form}")()
        assert harmless(text)
        assert text.count("x1b") >= 6


def test_a_comparison_shows_what_its_solutions_say():
    solution, _ = solved(0)
    found = vp.compare(solution.problem.votes, methods=["full"])
    row = found.rows[0]
    odd = type(row)(**{name: getattr(row, name) for name in row.__slots__} | {"method": CLEAR})
    assert harmless(Comparison("accuracy", (odd,), ()).table())


@pytest.mark.parametrize("name", [CLEAR, "x" * 70_000, CLEAR * 9000, "\ud800" * 5000])
def test_an_error_is_one_short_line_whatever_it_quotes(name):
    """It keeps its beginning, which says what is wrong, and its end, which says what to do."""
    for error in (
        vp.InputError("names", f"{name} stands twice. Names must differ."),
        vp.InputError(name, "is wrong. Leave it out."),
        vp.FileFormatError("votes.csv", f"column {name} is empty. Give a vote.", 3),
        vp.OutputError(name, "No space left on device"),
    ):
        assert str(error).isprintable()
        assert len(str(error)) <= 2 * LONGEST + 10
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))
    cut = message_of(f"column {name} is empty. Give every row a vote.")
    assert len(cut) <= LONGEST
    assert cut.startswith("column ")
    assert cut.endswith(" is empty. Give every row a vote.")
    assert ("characters, cut" in cut) == (len(shown(name)) > LONGEST)


def test_what_has_room_is_not_cut():
    for length in (0, 1, LONGEST - 1, LONGEST):
        assert message_of("x" * length) == "x" * length
    cut = message_of("x" * (LONGEST + 1))
    assert f"{LONGEST + 1} characters" in cut
    assert message_of(cut) == cut
