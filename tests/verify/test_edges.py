"""The checker to the letter: every limit where it is, every word, every case of a guard."""

import decimal
import gzip
import json
import math
import os
import random
import re
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from forging import (
    RIGHT,
    Truth,
    check,
    claim,
    clause,
    digest_of,
    proof,
    refutation,
    seat,
    shut,
    split,
    step,
)
from voteprune.exceptions import FileFormatError
from voteprune.verify import (
    charges,
    fields,
    plurality_tree,
    soft_limits,
    soft_table,
    soft_tree,
    table,
    trying,
)
from voteprune.verify.document import read_document
from voteprune.verify.fields import number, plain
from voteprune.verify.measures import _over_root
from voteprune.verify.table import read_table

PAGE = (Path(__file__).resolve().parents[2] / "docs/certificate.md").read_text()

TWO = ["10 1", "01 0"]
"""The first alone gets both right, nobody else more than 1. Pattern 0 is 01, pattern 1 is 10."""

BOTH_SIT = [step(1, 0, heirs=[(1, 0, 0), (2, 0, 1)]), step(2, 2, heirs=[(3, 1, 0), (4, 1, 1)])]
"""In box 3 the first of `TWO` sits alone, in box 4 both do."""


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (trying.MOST, "More than 2<sup>27</sup> steps"),
        (fields.NUMBER_BITS.bit_length() - 1, "No number has more than 2<sup>12</sup> bits"),
        (fields.COMMON_BITS, "no more than 2<sup>13</sup>, so that sums stay short"),
        (fields.MEAN_BITS, "on diversity may have 2<sup>21</sup>"),
        (table.MOST_BYTES, "Of votes, 2<sup>31</sup> bytes are"),
        (charges.FINE, "a multiple of 2<sup>-64</sup> units"),
        (soft_tree.MOST, "2<sup>32</sup> of them (some minutes)"),
        (soft_table.MOST_CELLS, "a table of more than 2<sup>27</sup> cells"),
        (soft_limits.MOST_CELLS, "2<sup>22</sup> numbers, one for each limit and member"),
        (plurality_tree.MOST, "More than 2<sup>31</sup> steps of going through"),
        (plurality_tree.MOST_TRIED, "More than 2<sup>31</sup> steps of going through"),
    ],
)
def test_every_limit_is_the_one_that_the_page_states(value, words):
    assert words in PAGE
    power = int(re.search(r"<sup>-?(\d+)</sup>", words)[1])
    assert value in (power, 2**power)


def test_a_set_of_members_takes_so_many_steps(tmp_path, monkeypatch):
    """A quarter of three classifiers squared is 2: what is no whole step is not counted."""
    rows = ["000 1"]
    limits = {"size_min": 2, "size_max": 2, "diversity": {"measure": "fc", "tau": 2, "gamma": 2}}
    steps = 3 * (40 + 1 + 3 + 2)
    for most, proved in ((steps, True), (steps - 1, False)):
        monkeypatch.setattr(trying, "MOST", most)
        found = check(claim(rows, 0, limits=limits, status="infeasible"), rows, tmp_path)
        assert found.proved == proved
    assert "takes 40 steps" in PAGE


def test_only_sets_with_all_who_are_required_are_counted(tmp_path, monkeypatch):
    """With two of four classifiers required there are four sets."""
    rows = ["0000 1"]
    limits = {"required": [0, 2], "criteria": [{"weights": RIGHT, "least": 1}]}
    steps = 4 * (40 + 2 + 4)
    for most, proved in ((steps, True), (steps - 1, False)):
        monkeypatch.setattr(trying, "MOST", most)
        found = check(claim(rows, 0, limits=limits, status="infeasible"), rows, tmp_path)
        assert found.proved == proved


def put(document, path, value):
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


@pytest.mark.parametrize(
    "path",
    [
        ("objective", "unit"),
        ("objective", "weights", "tn"),
        ("votes", "row_weights", 1),
        ("limits", "costs", 0, "costs", 1),
        ("limits", "costs", 0, "most"),
        ("limits", "criteria", 0, "weights", "fp"),
        ("limits", "criteria", 0, "least"),
    ],
    ids=lambda path: "-".join(map(str, path)),
)
@pytest.mark.parametrize("base", ["weights", "costs"])
def test_a_common_denominator_may_be_as_long_as_it_says_and_no_longer(base, path, tmp_path):
    """Two fractions make it as long as it may be; a third, wherever it is, is too much."""
    limits = {
        "costs": [{"costs": [1, 1], "most": 1}],
        "criteria": [{"weights": dict(RIGHT), "least": 0}],
    }
    document = json.loads(json.dumps(claim(TWO, 2, limits=limits)))
    document["votes"]["row_weights"] = [1, 1]
    long = [f"1/{2**fields.NUMBER_BITS - odd}" for odd in (1, 3)]
    if base == "weights":
        document["objective"]["weights"].update(tp=long[0], fn=long[1])
    else:
        document["limits"]["costs"].append({"costs": long, "most": 0})
    (tmp_path / "c.json").write_text(json.dumps(document))
    assert read_document(tmp_path / "c.json").bound == 2
    put(document, path, "1/2")
    (tmp_path / "c.json").write_text(json.dumps(document))
    with pytest.raises(FileFormatError, match="more than 8192 bits"):
        read_document(tmp_path / "c.json")


@pytest.mark.parametrize("twice", ["b", "c"])
def test_a_field_that_is_there_twice_is_named(twice, tmp_path):
    (tmp_path / "c.json").write_text(f'{{"a": 1, "b": 2, "c": 3, "{twice}": 4}}')
    with pytest.raises(FileFormatError, match=f"the field '{twice}' twice"):
        read_document(tmp_path / "c.json")


def test_a_parquet_file_of_any_length_is_known_as_one(tmp_path):
    for rest in (b"", b"\x15\x04\x15", b" is how every line of it begins"):
        (tmp_path / "v.csv").write_bytes(b"PAR1" + rest)
        with pytest.raises(FileFormatError, match="is Parquet"):
            read_table(tmp_path / "v.csv", ["a"], "label")


def test_text_is_cut_behind_its_hundredth_character():
    assert plain("x" * 100) == "x" * 100
    assert plain("x" * 101) == "x" * 100 + "..."
    assert plain("é\n\x1b[2J") == "é\\n\\x1b[2J"


def test_numbers_of_more_than_128_bits_are_shown_in_part():
    most = 2**128 - 1
    assert number(most) == str(most)
    assert number(Fraction(1, most)) == f"1/{most} (2.9387359e-39)"
    assert number(2**128) == "about 3.4028237e+38"
    assert number(Fraction(1, 2**128)) == "about 2.9387359e-39"
    assert number(Fraction(-(2**200), 3**90)) == "about -1.8411374e+17"


def test_how_numbers_are_shown_does_not_depend_on_who_asks():
    shown = [number(Fraction(10**400, 3)), number(Fraction(3, 10**400))]
    assert shown == ["about 3.3333333e+399", "about 3.0000000e-400"]
    with decimal.localcontext(prec=2, Emax=9, Emin=-9):
        assert [number(Fraction(10**400, 3)), number(Fraction(3, 10**400))] == shown


def test_what_was_checked_is_counted(tmp_path):
    open_box = proof(step(1, 0, closed=[(1, 0, -1)]))
    (words,) = (
        w for w in check(claim(TWO, 2, proof=open_box), TWO, tmp_path).checked if "the proof" in w
    )
    assert words == (
        "the proof: 1 step, 1 pair of size and threshold ruled out, 0 decisions, "
        "2 pairs left open and bounded"
    )
    written = refutation(split(0, 2, 1, 2), shut(1), shut(2))
    found = check(claim(TWO, 2, refutation=written), TWO, tmp_path)
    assert "the refutation: 0 clauses, 2 cells closed" in found.checked


@pytest.mark.parametrize("amount", [0, 1])
def test_any_amount_that_is_not_below_0_is_a_flow(amount, tmp_path):
    rows = ["100 1", "110 0"]
    assert check(claim(rows, 2, flow=[[0, 1, amount]]), rows, tmp_path).proved


@pytest.mark.parametrize("votes", ["10", "01"])
def test_whoever_is_right_on_both_patterns_a_cut_does_not_pair_them_off(votes, tmp_path):
    """The classifier that gets both right is the first, or the last."""
    other = votes[::-1]
    rows = [f"{votes} 1", f"{other} 0"]
    flow = [[int(votes > other), int(votes < other), 1]]
    document = claim(rows, 1, flow=flow)
    assert Truth(rows).contradicts(document)
    (failed,) = check(document, rows, tmp_path).failed
    assert "can both be decided right" in failed


@pytest.mark.parametrize(
    ("rows", "flow", "pattern"),
    [
        (["010 1", "100 1", "110 0"], [[0, 2, 1], [1, 2, 1]], 2),
        (["100 1", "101 0", "110 0"], [[0, 1, 1], [0, 2, 1]], 0),
    ],
)
def test_what_a_pattern_loses_to_several_is_added_up(rows, flow, pattern, tmp_path):
    document = claim(rows, 1, flow=flow)
    assert Truth(rows).contradicts(document)
    (failed,) = check(document, rows, tmp_path).failed
    assert f"the cut takes 2 from pattern {pattern}, which has only 1" in failed


def test_an_heir_does_not_take_the_number_of_a_cell_that_was_opened_long_ago(tmp_path):
    """In cell 2 is the first of `TWO`, who would be replaced by nobody at all."""
    written = refutation(
        split(0, 2, 1, 2), split(1, 3, 3, 4), split(3, 0, 2, 5), shut(2), shut(4), shut(5)
    )
    document = claim(TWO, 1, refutation=written)
    assert Truth(TWO).contradicts(document)
    (failed,) = check(document, TWO, tmp_path).failed
    assert "cell 3 is not split in two new ones" in failed


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_whatever_is_decided_is_decided_once(place, tmp_path):
    """Classifiers and patterns, the first of each and the last."""
    heirs = [[(key, place, 0), (key + 1, place, 1)] for key in (1, 3)]
    written = proof(step(1, 0, heirs=heirs[0]), step(2, 1, heirs=heirs[1]))
    (failed,) = check(claim(TWO, 2, proof=written), TWO, tmp_path).failed
    assert f"place {place} was decided before" in failed


@pytest.mark.parametrize(
    ("box", "pairs", "why"),
    [(4, [(2, 0), (2, 1)], "nobody is alone here"), (3, [(1, 0)], "nobody sits beside the first")],
)
def test_what_is_decided_is_refuted_wherever_a_box_has_committees(box, pairs, why, tmp_path):
    """Sizes that no committee of the box has are passed over, and those that one has are not."""
    decided = step(3, box, decided=[(3, 0)])
    document = claim(TWO, 0, proof=proof(*BOTH_SIT, decided))
    (failed,) = check(document, TWO, tmp_path).failed
    assert any(f"decides place 3, but at {pair} the opposite" in failed for pair in pairs), why


def test_a_decision_in_a_box_without_committees_is_about_nothing(tmp_path):
    """With both of `TWO` sitting there is no committee of one, and at size 2 both are bounded."""
    closed = step(3, 4, closed=[(2, 0, -1), (2, 1, -1)])
    decided = step(4, 4, decided=[(3, 0)])
    found = check(claim(TWO, 2, proof=proof(*BOTH_SIT, closed, decided)), TWO, tmp_path)
    assert found.proved


@pytest.mark.parametrize("pattern", [0, 1])
def test_where_a_pattern_cannot_be_right_everything_is_in_the_other_half(pattern, tmp_path):
    rows = ["10 1", "01 1"]  # at (2, 1) both must vote for it
    heirs = [(1, 2 + pattern, 0), (2, 2 + pattern, 1)]
    for box, there in ((1, True), (2, False)):
        written = proof(step(1, 0, heirs=heirs), step(2, box, closed=[(2, 1, -1)]))
        assert check(claim(rows, 2, proof=written), rows, tmp_path).holds == there


@pytest.mark.parametrize(
    ("rows", "weights"),
    [
        (["0 0"], {**RIGHT, "tp": 0}),
        (["1 1"], {**RIGHT, "tn": 0}),
        (["01 0", "00 0"], {**RIGHT, "tp": 0}),
        (["1 1", "0 0"], RIGHT),
        (["10 1", "01 0"], RIGHT),
    ],
)
def test_no_price_on_a_criterion_closes_a_cell_below_a_committee(
    rows, weights, tmp_path, monkeypatch
):
    """Patterns that gain as positives and as negatives, and a limit that the best just meets."""
    monkeypatch.setattr(trying, "MOST", 0)
    limits = {"criteria": [{"weights": weights, "least": len(rows)}]}
    for price in (0.0, 0.5, 1.0, 2.0, 7.0):
        for bound in range(len(rows) + 1):
            written = refutation(shut(0, limits=[("criterion", 0, price)]))
            document = claim(rows, bound, limits=limits, refutation=written)
            assert Truth(rows).contradicts(document) == (bound < len(rows))
            assert check(document, rows, tmp_path).holds == (bound == len(rows))


@pytest.mark.parametrize(
    "written",
    [{"proof": proof()}, {"refutation": refutation(shut(0))}],
    ids=["proof", "refutation"],
)
def test_who_is_required_and_forbidden_leaves_no_committee(written, tmp_path):
    limits = {"required": [0], "forbidden": [0]}
    document = claim(TWO, 2, limits=limits, status="infeasible", **written)
    assert Truth(TWO).best(document) is None
    assert check(document, TWO, tmp_path).proved


def test_values_are_said_in_the_criterion_not_in_units(tmp_path):
    objective = {"name": "x", "weights": {**RIGHT, "tp": 3, "tn": 3}, "unit": "3/2"}
    document = claim(TWO, 4, objective=objective, status="optimal", committee=seat([0], 0, 4))
    document["cut"]["bound"] = 4
    found = check(document, TWO, tmp_path)
    assert found.statement[-2:] == (
        "c0 with more than 0 votes: 6",
        "no such committee exceeds 6",
    )


def test_a_criterion_that_counts_nothing_is_said_to_be_0(tmp_path):
    """All committees are worth the same, so nothing is above the bound, or everything is."""
    nothing = dict.fromkeys(RIGHT, 0)
    for bound, holds in ((0, True), (-1, False), (-2, False), (-3, False)):
        document = claim(TWO, bound, objective={"name": "x", "weights": nothing, "unit": 1})
        found = check(document, TWO, tmp_path)
        assert found.statement[0] == "maximise x: 0"
        assert found.holds == holds


def test_what_the_cut_bounds_needs_no_other_reason(tmp_path, monkeypatch):
    """The step that is named bounds by 5, for its row says nothing at this size."""
    monkeypatch.setattr(trying, "MOST", 0)
    rows, nobody = ["1 1"], {"patterns": [0], "members": "0", "away": True}
    left = [{"box": 0, "pairs": [[1, 0, 1]]}]
    written = proof(step(1, 0, prices=[(0, 5.0)]), rows=[nobody], left=left)
    assert check(claim(rows, 1, proof=written), rows, tmp_path).proved


TIGHT = {
    "who sits": (["1 1"], {}, {"patterns": [0], "members": "1", "away": False}),
    "who of two sits": (["10 1"], {}, {"patterns": [0], "members": "1", "away": False}),
    "who stays away": (["10 1"], {}, {"patterns": [0], "members": "2", "away": True}),
    "who is right on both": (
        ["10 1", "01 0"], {}, {"patterns": [0, 1], "members": "1", "away": False},
    ),
    "what it costs": (["10 1"], {"costs": [{"costs": [0, 1], "most": 0}]}, {"limit": ["cost", 0]}),
    "what a criterion is": (
        ["10 1"], {"criteria": [{"weights": RIGHT, "least": 1}]}, {"limit": ["criterion", 0]},
    ),
    "what a member has of diversity": (
        ["10 1"], {"diversity": {"measure": "disagreement", "tau": 1, "gamma": 0}},
        {"limit": ["member", 0]},
    ),
}  # fmt: skip
"""Rows, limits and a row of the proof that is tight where the first classifier sits alone."""


@pytest.mark.parametrize("kind", TIGHT)
@pytest.mark.parametrize("price", [0.25, 0.5, 1.0])
def test_a_bound_that_just_reaches_a_committee_closes_nothing(kind, price, tmp_path):
    """Not even by the smallest unit the checker counts in."""
    rows, limits, row = TIGHT[kind]
    closing = step(1, 0, prices=[(0, price)], closed=[(1, 0, 1)])
    for bound, holds in ((len(rows), True), (len(rows) - 1, False)):
        written = proof(closing, rows=[row])
        document = claim(rows, bound, limits={**limits, "size_max": 1}, proof=written)
        assert Truth(rows).contradicts(document) != holds
        assert check(document, rows, tmp_path).holds == holds


@pytest.mark.parametrize(
    ("limits", "written", "complaint"),
    [
        (
            {"criteria": [{"weights": {**RIGHT, "tn": 0}, "least": 1}]},
            refutation(shut(0, [(0, 5.0)]), clauses=[clause(limits=[("criterion", 0, 1.0)])]),
            "a limit on patterns is no limit on who sits",
        ),
        (
            {"costs": [{"costs": [-1, 0], "most": -1}]},
            refutation(shut(0, limits=[("cost", 0, 5.0)])),
            "a limit on who sits has its price in a clause",
        ),
    ],
)
def test_a_limit_on_some_of_them_is_one_on_them(limits, written, complaint, tmp_path):
    """On one pattern of two, or on one classifier of two."""
    document = claim(TWO, 1, limits=limits, refutation=written)
    assert Truth(TWO).contradicts(document)
    (failed,) = check(document, TWO, tmp_path).failed
    assert complaint in failed


def test_limits_on_nobody_are_limits(tmp_path):
    """Everybody is forbidden, and no pattern counts."""
    limits = {"forbidden": [0], "costs": [{"costs": [1], "most": 1}]}
    written = refutation(shut(0), clauses=[clause(limits=[("cost", 0, 1.0)])])
    objective = {"name": "x", "weights": dict.fromkeys(RIGHT, 0), "unit": 1}
    document = claim(
        ["1 1"], 0, limits=limits, objective=objective, status="infeasible", refutation=written
    )
    assert check(document, ["1 1"], tmp_path).proved


def test_correlations_are_rounded_towards_diversity_by_less_than_they_say():
    """So that what is allowed is never refused; roots that are whole numbers among them."""
    rng, hair = random.Random(0), Fraction(1, 2**200)
    for _ in range(300):
        a, b, c, d = (Fraction(rng.randrange(1, 9), rng.choice([1, 1, 7])) for _ in range(4))
        top, square = a * d - b * c, (a + b) * (c + d) * (a + c) * (b + d)
        found = _over_root(top, square)
        assert below_root(found, top, square)
        assert not below_root(found + hair, top, square)


def below_root(value, top, square):
    """Tell whether a value is at most top / sqrt(square)."""
    if (value < 0) != (top < 0):
        return value < top
    return value * value * square <= top * top if top >= 0 else value * value * square >= top * top


def test_who_is_required_sits_once(tmp_path):
    """A clause that says of who sits anyway what is true of everybody."""
    rows, limits = ["1 1"], {"required": [0]}
    written = refutation(shut(0, [(0, 1.0)]), clauses=[clause(no=[0], sits=[0])])
    for bound, holds in ((1, True), (0, False)):
        document = claim(rows, bound, limits=limits, refutation=written)
        assert Truth(rows).contradicts(document) != holds
        assert check(document, rows, tmp_path).holds == holds


def test_limits_on_diversity_are_judged_anew_where_a_new_pair_is_finer(tmp_path):
    """The first two are alike, the third differs from them on 2 of 5 rows."""
    rows = ["111 1", "111 1", "111 1", "110 1", "110 1"]
    for tau, proved in (("3/5", True), ("2/5", False)):
        diversity = {"measure": "disagreement", "tau": tau, "gamma": tau}
        limits = {"size_min": 2, "size_max": 2, "diversity": diversity}
        document = claim(rows, 5, limits=limits, status="infeasible")
        assert (Truth(rows).best(document) is None) == proved
        assert check(document, rows, tmp_path).proved == proved


@pytest.mark.parametrize("away", [False, True])
def test_a_row_counts_classifiers_that_there_are(away, tmp_path):
    rows, stranger = ["1 1"], {"patterns": [0], "members": "2", "away": away}
    written = proof(step(1, 0, prices=[(0, 0.5)], closed=[(1, 0, 1)]), rows=[stranger])
    (failed,) = check(claim(rows, 1, proof=written), rows, tmp_path).failed
    assert "a row counts members it must not count" in failed


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_as_many_bytes_are_read_as_may_be_and_not_one_more(pack, tmp_path, monkeypatch):
    text = b"a,label\n1,1\n0,0\n"
    (tmp_path / "v.csv").write_bytes(pack(text))
    monkeypatch.setattr(table, "MOST_BYTES", len(text))
    assert read_table(tmp_path / "v.csv", ["a"], "label").votes == ("1", "0")
    monkeypatch.setattr(table, "MOST_BYTES", len(text) - 1)
    with pytest.raises(FileFormatError, match="bytes of votes"):
        read_table(tmp_path / "v.csv", ["a"], "label")


THIRD = ["10 1", "01 1", "01 1"]
"""With one member at most the second is best, and gets the pattern 10 (the last) wrong."""

EACH_NEEDS_ONE = [
    {"patterns": [1], "members": "1", "away": False},
    {"patterns": [0], "members": "2", "away": False},
]


@pytest.mark.parametrize("price", [0.5, 1.0, 2.0, 3.0])
def test_a_pattern_is_decided_right_only_where_wrong_is_refuted(price, tmp_path):
    """Prices above its weight make it cost something to be right, and nothing to be wrong."""
    written = proof(
        step(1, 0, prices=[(0, price), (1, 2.0)], decided=[(3, 1)]),
        step(2, 0, closed=[(1, 0, 1)]),
        rows=EACH_NEEDS_ONE,
    )
    document = claim(THIRD, 1, limits={"size_max": 1}, proof=written)
    assert Truth(THIRD).contradicts(document)
    (failed,) = check(document, THIRD, tmp_path).failed
    assert "decides place 3, but at (1, 0) the opposite is not refuted" in failed


def test_a_pattern_is_decided_wrong_only_where_right_is_refuted(tmp_path):
    rows = ["1 1"]
    written = proof(step(1, 0, decided=[(1, 0)]), step(2, 0, closed=[(1, 0, 1)]))
    (failed,) = check(claim(rows, 0, proof=written), rows, tmp_path).failed
    assert "decides place 1, but at (1, 0) the opposite is not refuted" in failed


def test_a_pattern_that_cannot_be_right_any_more_is_decided_wrong_without_prices(tmp_path):
    """The first does not sit; that the first decision stands shows in that the second does not."""
    written = proof(
        step(1, 0, heirs=[(1, 0, 0), (2, 0, 1)]),
        step(2, 1, decided=[(3, 0)]),
        step(3, 1, decided=[(3, 0)]),
    )
    document = claim(THIRD, 1, limits={"size_max": 1}, proof=written)
    (failed,) = check(document, THIRD, tmp_path).failed
    assert "step 3: place 3 was decided before" in failed


@pytest.mark.parametrize("numbers", [(1, 2), (2, 1)])
def test_heirs_have_any_numbers_and_all_that_they_can_have(numbers, tmp_path):
    """A pattern with just as many right votes as it needs may be right."""
    rows = ["10 1", "01 1"]
    wrong, right = numbers
    for place in (0, 1, 2, 3):
        heirs = [(wrong, place, 0), (right, place, 1)]
        for box in (wrong, right):
            closed = step(2, box, closed=[(1, 0, -1), (2, 0, -1)])
            written = proof(step(1, 0, heirs=heirs), closed)
            assert check(claim(rows, 2, proof=written), rows, tmp_path).holds


def test_what_is_decided_and_what_is_not_bounded_is_counted(tmp_path):
    both = proof(step(1, 0, decided=[(0, 1)]))
    document = claim(TWO, 1, limits={"size_min": 2}, proof=both)
    (words,) = (line for line in check(document, TWO, tmp_path).checked if "the proof" in line)
    assert "0 pairs of size and threshold ruled out, 1 decision, 0 pairs left open" in words
    document["bound"] = 2
    (words,) = (line for line in check(document, TWO, tmp_path).checked if "the proof" in line)
    assert words.endswith("1 decision, 2 pairs left open and bounded")


def test_what_a_flow_bounds_is_said_only_of_a_flow(tmp_path):
    (failed,) = check(claim(TWO, 2, flow=[[1, 0, -5]]), TWO, tmp_path).failed
    assert failed == "the cut: the flow from 1 to 0 is no flow"


@pytest.mark.parametrize("costs", [[1, 1], ["1/2", "1/2"], ["1/3", 1]])
@pytest.mark.parametrize("price", [0.5, 1.0, 3.0])
def test_a_cost_proves_a_clause_about_who_cannot_be_afforded_together(costs, price, tmp_path):
    """Both together cost more than there is, neither does alone."""
    most = max(map(Fraction, costs))
    limits = {"costs": [{"costs": costs, "most": str(most)}]}
    for sits, sound in (([0, 1], True), ([0], False), ([1], False), ([], False)):
        written = refutation(shut(0), clauses=[clause(sits=sits, limits=[("cost", 0, price)])])
        found = check(claim(TWO, 2, limits=limits, refutation=written), TWO, tmp_path)
        assert found.holds == sound


@pytest.mark.parametrize("limits", [{"size_min": 2}, {"size_max": 1}, {"size_min": 1}])
def test_where_there_is_a_committee_a_clause_about_nothing_is_false(limits, tmp_path):
    written = refutation(shut(0), clauses=[clause()])
    (failed,) = check(claim(TWO, 2, limits=limits, refutation=written), TWO, tmp_path).failed
    assert "clause 0 is not proved by its shares" in failed


def test_who_must_sit_or_must_not_costs_what_it_costs():
    """Against all sets of so many."""
    rng = random.Random(1)
    for _ in range(100):
        count = rng.randrange(1, 6)
        pay = sorted((rng.randrange(-5, 6) for _ in range(count)), reverse=True)
        order = rng.sample(range(count), count)
        seats = rng.randrange(count + 1)
        look = charges.Look(rng.randrange(9), seats, tuple(order), tuple(pay))
        sums = {
            who: look.constant + sum(pay[order.index(k)] for k in who)
            for who in combinations(range(count), seats)
        }
        assert look.bound == max(sums.values())
        for place in range(count):
            for value in (0, 1):
                those = [total for who, total in sums.items() if (place in who) == value]
                assert look.with_member(place, value) == max(those, default=None)


def test_fractions_are_rounded_upwards():
    for value in (Fraction(1, 3), Fraction(-1, 3), Fraction(2), Fraction(0), Fraction(-7, 2**70)):
        assert charges.up(value) == math.ceil(value * charges.FINE)


def test_files_are_utf_8_wherever_they_are_read(tmp_path):
    """Whatever the machine takes text for, and with a mark at the beginning of the votes."""
    document = claim(TWO, 2)
    document["votes"]["names"] = ["é", "ü"]
    document["votes"]["digest"] = digest_of(["é", "ü"], TWO)
    text = json.dumps(document, ensure_ascii=False)
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    (tmp_path / "v.csv").write_text("é,ü,label\n1,0,1\n0,1,0\n", encoding="utf-8-sig")
    code = "import sys; from voteprune.verify import verify; print(verify(*sys.argv[1:]).proved)"
    words = [sys.executable, "-c", code, str(tmp_path / "c.json"), str(tmp_path / "v.csv")]
    plain = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **plain})
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.parametrize("patterns", [[0, -1], [-1, 0], [0, 2], [2, 0]])
def test_both_patterns_of_a_row_are_there(patterns, tmp_path):
    pair = {"patterns": patterns, "members": "0", "away": False}
    written = proof(step(1, 0, prices=[(0, 0.5)], closed=[(1, 0, 1)]), rows=[pair])
    (failed,) = check(claim(TWO, 2, proof=written), TWO, tmp_path).failed
    assert "a row is about a pattern that is not there" in failed


@pytest.mark.parametrize("unseen", ["0 0", "1 0"])
@pytest.mark.parametrize("price", [0.5, 1.0, 4.0])
def test_what_only_a_criterion_sees_is_taken_at_its_best(unseen, price, tmp_path, monkeypatch):
    """The objective does not count the negative row, the limit on a criterion does."""
    monkeypatch.setattr(trying, "MOST", 0)
    rows = ["1 1", unseen]
    objective = {"name": "tp", "weights": {**RIGHT, "tn": 0}, "unit": 1}
    least = 2 if unseen == "0 0" else 1
    limits = {"criteria": [{"weights": RIGHT, "least": least}]}
    for written in (
        {"refutation": refutation(shut(0, limits=[("criterion", 0, price)]))},
        {
            "proof": proof(
                step(1, 0, prices=[(0, price)], closed=[(1, 0, 1)]),
                rows=[{"limit": ["criterion", 0]}],
            )
        },
    ):
        for bound in (1, 0):
            document = claim(rows, bound, limits=limits, objective=objective, **written)
            assert Truth(rows).contradicts(document) == (bound == 0)
            assert check(document, rows, tmp_path).holds == (bound == 1)
