"""Tables as text: the same figures in every form, and nothing that breaks the form."""

import csv
import io
import re
from dataclasses import replace
from html import unescape

import pytest

import synthetic_records as synthetic
from voteprune_bench.report import collect, write_files
from voteprune_bench.report.table import Entry, Line, Listing, Table, markdown

TABLE = Table(
    "some_table",
    "A title",
    "A note with 5 % & more.",
    ("data set", "K"),
    ("F1", "HC_X"),
    (
        Line(("BCW", "40"), (Entry(0.9, 0.01, 0.91, 0.02, 6), Entry(0.95, None, None, None, 6))),
        Line(("own|set", "40"), (Entry(), Entry(0.5, 0.1, runs=2))),
    ),
)


def test_ours_paper_and_difference_stand_below_each_other():
    assert TABLE.stacked().rows == (
        ("BCW", "40", "ours", "0.9000 ± 0.0100", "0.9500"),
        ("", "", "paper", "0.9100 ± 0.0200", "-"),
        ("", "", "difference", "-0.0100", "-"),
        ("own|set", "40", "ours", "-", "0.5000 ± 0.1000"),
    )


def test_text_is_aligned():
    lines = TABLE.to_text().splitlines()
    assert lines[0] == "A title"
    body = lines[3:]
    assert len({len(line) for line in body}) == 1
    assert body[1].split() == ["BCW", "40", "ours", "0.9000", "0.9500"]


def test_markdown_reads_back():
    lines = [line for line in TABLE.to_markdown().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    assert cells[0] == ["data set", "K", "", "F1", "HC_X"]
    assert cells[1] == [":---", ":---", ":---", "---:", "---:"]
    assert {len(line) for line in cells} == {5}
    assert cells[5][0] == r"own\|set"
    assert cells[2][3] == "0.9000 ± 0.0100"


NAMES = (
    "*soft*", "a<b>c", "x|y", r"x|y\|z", "<!-- q", "_under", "under_", "__init__", "a-_b_",
    "`tick`", "[1](x)", "[x]", r"a\*b", "a\\", "&lt;", "&#60;b", "R&D", "~~gone~~", "<https://a.b>",
)  # fmt: skip
"""Names that would be markup, if it were not for escapes."""


def test_names_stand_in_markdown_as_they_are():
    pytest.importorskip("markdown_it")  # rich brings it
    from markdown_it import MarkdownIt

    table = Listing("l", "A title of *a*", "For _a_ <b> [c](d).", NAMES, (NAMES,))
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(table.to_markdown())
    found = [unescape(text) for text in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", page)]
    assert found == [*NAMES, *NAMES]
    assert "<h2>A title of *a*</h2>" in page
    assert "<p>For _a_ &lt;b&gt; [c](d).</p>" in page


def test_names_stand_in_the_document_as_they_are(tmp_path):
    pytest.importorskip("markdown_it")
    from markdown_it import MarkdownIt

    made = synthetic.records(
        datasets=("bcw", "drd"), pool_sizes=(40,), seeds=(10,), folds=(0,), methods=("F1", "FE")
    )
    odd = {"F1": "*soft*", "FE": "a<b>c"}
    made = [replace(r, method=odd[r.method], test=made[0].test) for r in made]
    facts = collect(made, about={"__name__": "[x](y)"}, title="*My* <report>")
    document, *_ = write_files(facts, [], tmp_path)
    page = MarkdownIt("commonmark").enable("table").render(document.read_text())
    assert "<h1>*My* &lt;report&gt;</h1>" in page
    assert {"*soft*", "a<b>c"} <= {unescape(text) for text in re.findall("<th.*?>(.*?)</th>", page)}
    assert "<li>__name__: [x](y)</li>" in page
    assert not re.search("<(em|b|a|code)\\b", page)


def test_ordinary_names_need_no_escapes_in_markdown():
    for name in ("F1-theta", "aps_part", "a__b", "soft 5, 30, 0.01", "0.5 ± 0.1", "(12 % of 3)"):
        assert markdown(name) == name
    assert markdown("_a *b*") == r"\_a \*b\*"


def test_no_name_is_an_option_of_latex():
    """At the beginning of a line brackets and stars would be one of the line above."""
    table = Listing("l", "t", "", ("a|b", "c"), (("[1] x", "`--"), ("*soft*", "")))
    text = table.to_latex()
    assert r"a\textbar{}b & c \\" in text
    assert r"{[}1] x & \textasciigrave{}-{}- \\" in text
    assert r"{*}soft{*} &  \\" in text


def test_latex_escapes_what_it_must():
    text = TABLE.to_latex()
    assert r"HC\_X" in text
    assert r"5 \% \& more" in text
    assert r"0.9000 $\pm$ 0.0100" in text
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {4}
    assert text.count("{") == text.count("}")


def test_csv_quotes_what_it_must():
    listing = Listing("l", "t", "", ("a", "b"), (("x, y", 'say "no"'),))
    assert list(csv.reader(io.StringIO(listing.to_csv()))) == [["a", "b"], ["x, y", 'say "no"']]


@pytest.mark.parametrize(("value", "shown"), [(-0.00001, "0.0000"), (0.00001, "0.0000")])
def test_a_rounding_is_no_direction(value, shown):
    assert TABLE.shown(value, signed=True) == shown
    assert TABLE.shown(value) == shown


def test_the_best_are_those_that_look_best():
    line = Line(("", ""), (Entry(0.90001), Entry(0.90002), Entry(None), Entry(0.8)))
    assert TABLE.winners(line) == {0, 1}
    assert Table("", "", "", (), (), (), better="low").winners(line) == {3}
    assert Table("", "", "", (), (), (), rivals=False).winners(line) == set()
