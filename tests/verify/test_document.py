"""A certificate is read strictly: what is not as it should be is refused by its file's name."""

import json
from fractions import Fraction

import pytest

from damaging import broken, own_words, places_of, replaced
from forging import check, claim, clause, proof, refutation, seat, shut, split, step
from voteprune.exceptions import FileFormatError
from voteprune.verify.document import read_document
from voteprune.verify.fields import COMMON_BITS, MEAN_BITS, NUMBER_BITS

ROWS = ["10 1", "01 0"]

WHOLE = claim(
    ROWS, 2,
    flow=[],
    limits={
        "costs": [{"costs": ["1/2", 1], "most": 2}],
        "criteria": [{"weights": {"tp": 1, "fn": 0, "tn": 0, "fp": 0}, "least": 0}],
        "diversity": {"measure": "fc", "tau": 0, "gamma": "1/3"},
    },
    status="optimal",
    committee=seat([0], 0, 2),
    proof=proof(
        step(1, 0, prices=[(0, 0.25)], heirs=[(1, 0, 0), (2, 0, 1)]),
        rows=[{"patterns": [0], "members": "1", "away": False}, {"limit": ["cost", 0]}],
        left=[{"box": 1, "pairs": [[1, 0, -1]]}],
    ),
    refutation=refutation(
        split(0, 0, 1, 2), shut(1, [(0, 0)], [("criterion", 0, 0)]), shut(2),
        clauses=[clause(yes=[1], no=[0], sits=[1], limits=[("cost", 0, 0)])],
    ),
    trusted=[["highs", 2]],
)  # fmt: skip
WHOLE["votes"]["row_weights"] = [1, "1"]
"""A certificate that has every field, and holds."""

PROOF, ROW, STEP = ("proof",), ("proof", "rows", 0), ("proof", "steps", 0)
CLAUSE, CELL = ("refutation", "clauses", 0), ("refutation", "cells", 1)

ODD = [
    (("status",), "perfect", "none of optimal, feasible"),
    (("status",), 1, "expected text"),
    (("votes", "names"), ["c0", "c0"], "the same name"),
    (("votes", "names"), [], "there are none"),
    (("votes", "names"), {"c0": 1}, "expected a list"),
    (("votes", "names"), ["c0", "\ud800"], "half a character"),
    (("votes", "n_rows"), True, "expected a whole number"),
    (("votes", "n_rows"), 2.0, "expected a whole number"),
    (("votes", "target"), 5, "expected text"),
    (("votes", "digest"), None, "expected text"),
    (("votes", "row_weights"), [], "expected 2 numbers, found 0"),
    (("votes", "row_weights"), [1, 1, 1], "expected 2 numbers, found 3"),
    (("votes", "row_weights"), [1, "-1/2"], "a row has a weight below 0"),
    (("votes", "row_weights"), [1, 0.5], "expected a whole number"),
    (("objective", "unit"), 0, "must be positive"),
    (("objective", "unit"), "-1/2", "must be positive"),
    (("objective", "unit"), "1/0", "1/0 divides by 0"),
    (("objective", "unit"), "1e9", "is no (whole|hexadecimal) number"),
    (("objective", "unit"), "", "is no (whole|hexadecimal) number"),
    (("objective", "unit"), "1/", "is no (whole|hexadecimal) number"),
    (("objective", "unit"), "1/2/3", "is no (whole|hexadecimal) number"),
    (("objective", "unit"), "0x1e9g", "is no (whole|hexadecimal) number"),
    (("objective", "weights"), [1, 0, 1, 0], "'weights' must have fields of its own"),
    (("objective", "name"), ["x"], "expected text"),
    (("limits", "required"), [0, 0], "not distinct classifiers"),
    (("limits", "required"), [2], "not distinct classifiers"),
    (("limits", "forbidden"), [-1], "not distinct classifiers"),
    (("committee", "members"), [0, 0], "not distinct classifiers"),
    (("committee", "members"), [2], "not distinct classifiers"),
    (("committee", "threshold"), None, "expected a whole number"),
    (("limits", "size_min"), "1", "expected a whole number"),
    (("limits", "costs", 0, "costs"), [1], "expected 2 numbers, found 1"),
    (("limits", "costs"), {}, "expected a list"),
    (("limits", "criteria"), "", "expected a list"),
    (("limits", "diversity", "measure"), "hue", "none of fc, disagreement"),
    (("cut",), None, "'cut' must have fields of its own, found None"),
    (("limits", "criteria", 0), 3, "expected fields by their names, found 3"),
    (("cut", "flow"), {}, "expected a list"),
    (("cut", "flow"), [[0, 1]], "expected a list of"),
    (("cut", "flow"), [[0, 1, 1, 1]], "expected a list of"),
    (("cut", "flow"), ["011"], "expected a list"),
    (("bound",), 2**NUMBER_BITS, "more than 4096 bits"),
    (("limits", "costs", 0, "most"), f"1/{2**NUMBER_BITS}", "more than 4096 bits"),
    (("limits", "costs", 0, "most"), f"{2**NUMBER_BITS}/3", "more than 4096 bits"),
    (("limits", "diversity", "tau"), f"0x1/{2**MEAN_BITS:#x}", "more than 2097152 bits"),
    (("limits", "diversity", "gamma"), f"{2**MEAN_BITS:#x}/3", "more than 2097152 bits"),
    (("trusted",), [["highs"]], "expected a list of"),
    (("trusted",), [[1, 2]], "expected text"),
    ((*PROOF, "open"), None, "expected a list"),
    ((*ROW, "away"), 0, "true or false"),
    ((*ROW, "members"), "xyz", "is no (whole|hexadecimal) number"),
    ((*ROW, "members"), 1, "expected text"),
    ((*ROW, "patterns"), 0, "expected a list"),
    (("proof", "rows", 1, "limit"), ["cost", 0, 0], "expected a list of"),
    ((*STEP, "prices"), [[0, "1"]], "expected a number"),
    ((*STEP, "prices"), [[0, True]], "expected a number"),
    ((*STEP, "prices"), [[0, 2**NUMBER_BITS]], "more than 4096 bits"),
    ((*STEP, "prices"), [[0, -0.5]], "below 0"),
    ((*STEP, "decided"), [[0]], "expected a list of"),
    ((*STEP, "number"), None, "expected a whole number"),
    ((*CLAUSE, "yes"), [[0, None]], "expected a number"),
    ((*CLAUSE, "sits"), [0.0], "expected a whole number"),
    ((*CLAUSE, "limits"), [["cost", 0]], "expected a list of"),
    ((*CELL, "prices"), [[0, -1]], "below 0"),
    ((*CELL, "cell"), "1", "expected a whole number"),
]


def test_the_certificate_that_is_broken_here_is_read(tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(WHOLE))
    assert read_document(tmp_path / "c.json").bound == 2


@pytest.mark.parametrize(
    ("path", "value", "complaint"), ODD, ids=[f"{path[-1]}-{i}" for i, (path, *_) in enumerate(ODD)]
)
def test_an_odd_field_is_refused(path, value, complaint, tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(replaced(WHOLE, path, value)))
    with pytest.raises(FileFormatError, match=complaint):
        read_document(tmp_path / "c.json")


def test_long_numbers_are_judged_and_shown_short(tmp_path):
    """They are numbers like others: a claim with them holds or does not."""
    high = {**replaced(WHOLE, ("bound",), 10**400), "status": "feasible"}
    found = check(high, ROWS, tmp_path)
    assert found.proved
    assert "no such committee exceeds about 1.0000000e+400" in found.statement
    assert not check(replaced(WHOLE, ("bound",), -(10**400)), ROWS, tmp_path).holds
    for tau, shown in ((10**400, "1.0000000e+400"), (f"1/{10**400}", "1.0000000e-400")):
        document = replaced(WHOLE, ("limits", "diversity", "tau"), tau)
        statement = check(document, ROWS, tmp_path).statement
        assert f"where fc is limited by about {shown} for every member" in statement
    document = replaced(WHOLE, ("limits", "diversity", "tau"), 10**400)
    document.update(status="feasible", committee=seat([0, 1], 0, 1))
    assert any("a member's mean fc" in line for line in check(document, ROWS, tmp_path).failed)


def test_numbers_are_decimal_or_hexadecimal(tmp_path):
    """And as long as they may be, but no longer."""
    for value, read in (
        ("2/6", Fraction(1, 3)), ("-2/6", Fraction(-1, 3)), ("-0x10/0x3", Fraction(-16, 3)),
        (7, 7), ("7", 7), ("0x11", 17),
        (f"1/{2**NUMBER_BITS - 1}", Fraction(1, 2**NUMBER_BITS - 1)),
        (2**NUMBER_BITS - 1, 2**NUMBER_BITS - 1),
    ):  # fmt: skip
        (tmp_path / "c.json").write_text(
            json.dumps(replaced(WHOLE, ("limits", "costs", 0, "most"), value))
        )
        assert read_document(tmp_path / "c.json").costs[0][1] == read
    gamma = f"0x1/{2**MEAN_BITS - 1:#x}"
    document = replaced(WHOLE, ("limits", "diversity", "gamma"), gamma)
    (tmp_path / "c.json").write_text(json.dumps(document))
    assert read_document(tmp_path / "c.json").diversity[2] == Fraction(1, 2**MEAN_BITS - 1)


def test_a_field_that_is_missing_is_named(tmp_path):
    named = [path for path in places_of(WHOLE) if isinstance(path[-1], str)]
    for path in named:
        # A row without a limit, or a cell without heirs, is one of another kind.
        document = replaced(WHOLE, path, None)
        holder = document
        for key in path[:-1]:
            holder = holder[key]
        del holder[path[-1]]
        (tmp_path / "c.json").write_text(json.dumps(document))
        with pytest.raises(FileFormatError, match=r"lacks the field|not a certificate|has schema"):
            read_document(tmp_path / "c.json")


def test_whatever_is_wrong_with_a_field_is_said_in_words_of_our_own(tmp_path):
    """Python's own speak of its objects, of which the reader of a certificate knows nothing."""
    complaints = {}
    for document in broken(WHOLE):
        (tmp_path / "c.json").write_text(json.dumps(document))
        try:
            read_document(tmp_path / "c.json")
        except FileFormatError as error:
            complaints[error.message] = own_words(error)
    assert [said for said, own in complaints.items() if not own] == []
    assert len(complaints) > 50


@pytest.mark.parametrize("schema", [True, 1.0, "1", 2, 0, None, [1]])
def test_another_schema_is_refused(schema, tmp_path):
    with pytest.raises(FileFormatError, match="this release checks schema 1"):
        check({**WHOLE, "schema": schema}, ROWS, tmp_path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not valid JSON"),
        ("[]", "is not a certificate"),
        ("{}", "is not a certificate"),
        ('{"format": "voteprune.solution", "schema": 1}', "is not a certificate"),
        ('{"format": "voteprune.certificate"}', "has schema None"),
        ("[" * 10**5, "not valid JSON"),
        ('{"bound": 1, "bound": 2}', "the field 'bound' twice"),
        ('{"a": {"b": 1, "b": 1}}', "the field 'b' twice"),
        ('{"bound": Infinity}', "Infinity is no number"),
        ('{"bound": -Infinity}', "-Infinity is no number"),
        ('{"bound": NaN}', "NaN is no number"),
        ('{"bound": 1e999}', "1e999 is no number"),
        ('{"bound": ' + "1" * 5000 + "}", "not valid JSON"),
    ],
)
def test_text_that_is_no_certificate_is_refused(text, complaint, tmp_path):
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(FileFormatError, match=complaint):
        read_document(tmp_path / "c.json")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "c.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(FileFormatError, match="not valid JSON"):
        read_document(tmp_path / "c.json")


def test_fractions_that_have_no_short_common_denominator_are_refused(tmp_path):
    """Their sums would grow without end."""
    weights = [f"1/{2 ** COMMON_BITS.bit_length() + 3 ** (1000 + i)}" for i in range(9)]
    document = replaced(WHOLE, ("votes", "row_weights"), weights)
    document["votes"]["n_rows"] = len(weights)
    with pytest.raises(FileFormatError, match="common denominator of all has more than 8192 bits"):
        check(document, ROWS, tmp_path)
    document["votes"]["row_weights"] = [f"{i + 1}/{3**1000}" for i in range(9)]
    (tmp_path / "c.json").write_text(json.dumps(document))
    assert len(read_document(tmp_path / "c.json").row_weights) == 9


@pytest.mark.parametrize(
    "path", [("status",), ("limits", "diversity", "measure"), ("objective", "unit"), ("schema",)]
)
def test_what_is_odd_is_echoed_in_part(path, tmp_path):
    with pytest.raises(FileFormatError) as caught:
        check(replaced(WHOLE, path, "/\x1b[2J" * 20000), ROWS, tmp_path)
    assert len(caught.value.message) < 400
    assert "\x1b" not in caught.value.message
