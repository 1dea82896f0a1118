"""Refutations by clauses that are false, or not written as such; a guard refuses each."""

import re

import pytest

from forging import RIGHT, Truth, check, claim, clause, refutation, shut, split
from voteprune.exceptions import FileFormatError

ONE = ["1 1"]
"""One classifier that is right: the optimum is 1. Place 0 is the pattern, 1 the classifier."""

TWO = ["10 1", "01 0"]
"""The first alone gets both right, and nobody else more than 1. Places: 01, 10, then both."""

THREE = [*TWO, "11 1"]
"""The same, and a pattern that everybody gets right. Places: 01, 10, 11, then both."""

STRICT = ["10 0", "01 0", "11 1"]
"""Both together get everything right, if both must agree; at threshold 0 they do not."""


def whole_tree(patterns):
    """Every set of members in a cell of its own; but the first alone is cell 5."""
    return [
        split(0, patterns, 1, 2),
        split(1, patterns + 1, 3, 4),
        split(2, patterns + 1, 5, 6),
    ]


FORGERIES = {
    "a cell is closed below the claim or not at all": (
        ONE, claim(ONE, 0, refutation=refutation(shut(0))), "cell 0 is closed, but its bound",
    ),
    "no cell is left open": (
        ONE, claim(ONE, 0, refutation=refutation()), "1 cells are left open",
    ),
    "no heir is left open": (
        TWO,
        claim(TWO, 1, refutation=refutation(*whole_tree(2), shut(3), shut(4), shut(6))),
        "1 cells are left open",
    ),
    "a cell with everybody decided is closed by a recount": (
        ONE,
        claim(ONE, 0, refutation=refutation(split(0, 1, 1, 2), shut(1), shut(2))),
        "cell 2 is closed, but its bound",
    ),
    "a recount looks at every threshold": (
        STRICT,
        claim(STRICT, 2, refutation=refutation(*whole_tree(3), *map(shut, (3, 4, 5, 6)))),
        "cell 6 is closed, but its bound",
    ),
    "a cell has two heirs": (
        ONE,
        claim(ONE, 0, refutation=refutation(split(0, 1, 1), shut(1))),
        "not split in two new ones",
    ),
    "two heirs have two numbers": (
        TWO,
        claim(TWO, 1, refutation=refutation(
            split(0, 3, 1, 1), split(1, 2, 2, 3), shut(2), shut(3)
        )),
        "not split in two new ones",
    ),
    "an heir does not take the number of an open cell": (
        TWO,
        claim(TWO, 1, refutation=refutation(
            split(0, 2, 1, 2), split(1, 3, 3, 2), shut(3), shut(2)
        )),
        "not split in two new ones",
    ),
    "a clause is proved by its shares": (
        ONE,
        claim(ONE, 0, refutation=refutation(shut(0, [(0, 1.0)]), clauses=[clause(yes=[0])])),
        "clause 0 is not proved",
    ),
    "a clause is about patterns that there are": (
        THREE,
        claim(THREE, 2, refutation=refutation(
            *whole_tree(3), shut(3), shut(4), shut(5, [(0, 5.0)]), shut(6),
            clauses=[clause(no=[-1])],
        )),
        "not distinct, or not there",
    ),
    "a clause is about classifiers that there are": (
        TWO,
        claim(TWO, 1, refutation=refutation(
            shut(0, [(0, 0.5)]), clauses=[clause(yes=[1], no=[0], sits=[-1])]
        )),
        "not distinct, or not there",
    ),
    "a limit on a criterion proves no clause": (
        ONE,
        claim(
            ONE, 0,
            limits={"criteria": [{"weights": RIGHT, "least": 1}]},
            refutation=refutation(
                shut(0, [(0, 5.0)]), clauses=[clause(limits=[("criterion", 0, 1.0)])]
            ),
        ),
        "a limit on patterns is no limit on who sits",
    ),
    "a limit on who sits closes no cell": (
        ONE,
        claim(
            ONE, 0,
            limits={"costs": [{"costs": [-1], "most": -1}]},
            refutation=refutation(shut(0, limits=[("cost", 0, 5.0)])),
        ),
        "a limit on who sits has its price in a clause",
    ),
}  # fmt: skip

NOT_THERE = {
    "a cell is open when it is closed": (
        refutation(shut(0), shut(0)), "cell 0 is not open",
    ),
    "a cell is there when it is split": (
        refutation(split(5, 0, 1, 2), shut(1), shut(2)), "cell 5 is not open",
    ),
    "a cell has two heirs, not three": (
        refutation(split(0, 1, 1, 2, 3), shut(1), shut(2), shut(3)), "not split in two",
    ),
    "an heir does not take the number of a closed cell": (
        refutation(split(0, 1, 1, 2), shut(1), split(2, 0, 1, 3), shut(1), shut(3)),
        "not split in two new ones",
    ),
    "a cell is not split at a place that is decided": (
        refutation(split(0, 1, 1, 2), split(1, 1, 3, 4), *map(shut, (2, 3, 4))),
        "split where that is not possible",
    ),
    "a cell is not split before the first place": (
        refutation(split(0, -1, 1, 2), shut(1), shut(2)), "split where that is not possible",
    ),
    "a cell is not split behind the last place": (
        refutation(split(0, 2, 1, 2), shut(1), shut(2)), "split where that is not possible",
    ),
    "a price is on a clause that there is": (
        refutation(shut(0, [(0, 1.0)])), "by a clause that is not there",
    ),
    "clauses are not counted from the end": (
        refutation(shut(0, [(-1, 0.0)]), clauses=[clause(no=[0])]),
        "by a clause that is not there",
    ),
    "a clause names a pattern once": (
        refutation(shut(0), clauses=[clause(no=[0, 0])]), "not distinct, or not there",
    ),
    "a clause names a pattern on one side": (
        refutation(shut(0), clauses=[clause(yes=[0], no=[0])]), "not distinct, or not there",
    ),
    "a clause names a pattern that there is": (
        refutation(shut(0), clauses=[clause(yes=[1])]), "not distinct, or not there",
    ),
    "a clause names a classifier once": (
        refutation(shut(0), clauses=[clause(sits=[0], out=[0])]), "not distinct, or not there",
    ),
    "a clause names a classifier that there is": (
        refutation(shut(0), clauses=[clause(no=[0], out=[1])]), "not distinct, or not there",
    ),
    "a clause rests on a limit that there is": (
        refutation(shut(0), clauses=[clause(limits=[("cost", 0, 1.0)])]), "that is not there",
    ),
    "a cell rests on a limit that there is": (
        refutation(shut(0, limits=[("criterion", 0, 1.0)])), "that is not there",
    ),
}  # fmt: skip
"""Refutations about `ONE` that speak of what is not there, though the claim is true."""


@pytest.mark.parametrize("law", FORGERIES)
def test_a_false_refutation_is_refused_because(law, tmp_path):
    rows, document, complaint = FORGERIES[law]
    assert Truth(rows).contradicts(document), "the claim itself must be false"
    (failed,) = check(document, rows, tmp_path).failed
    assert re.search(complaint, failed)


@pytest.mark.parametrize("law", NOT_THERE)
def test_a_refutation_of_something_false_is_refused_because(law, tmp_path):
    """By the cut alone the claim would hold."""
    written, complaint = NOT_THERE[law]
    (failed,) = check(claim(ONE, 1, refutation=written), ONE, tmp_path).failed
    assert complaint in failed


@pytest.mark.parametrize(
    "written",
    [
        refutation(shut(0, [(0, -1.0)]), clauses=[clause(no=[0], sits=[0])]),
        refutation(shut(0, [(0, 1.0)]), clauses=[{**clause(yes=[0]), "no": [[1, -5]]}]),
        refutation(shut(0), clauses=[clause(limits=[("cost", 0, -1.0)])]),
        refutation(shut(0, limits=[("criterion", 0, -1.0)])),
    ],
)
def test_prices_and_shares_below_0_are_refused(written, tmp_path):
    with pytest.raises(FileFormatError, match="below 0"):
        check(claim(TWO, 2, refutation=written), TWO, tmp_path)


@pytest.mark.parametrize(
    ("limits", "vacuous"),
    [
        ({"required": [0]}, clause(out=[0])),
        ({"size_max": 1}, clause(sits=[0, 1])),
        ({"size_min": 2}, clause(out=[1])),
    ],
)
def test_a_clause_about_no_committee_at_all_is_true(limits, vacuous, tmp_path):
    for allowed, holds in ((limits, True), ({}, False)):
        written = refutation(shut(0), clauses=[vacuous])
        document = claim(TWO, 2, limits=allowed, refutation=written)
        assert check(document, TWO, tmp_path).holds == holds


def test_the_tree_of_all_committees_is_gone_through_to_its_end(tmp_path):
    """What the forgeries are made from, with claims that are true."""
    for rows, patterns in ((TWO, 2), (THREE, 3), (STRICT, 3)):
        written = refutation(*whole_tree(patterns), *map(shut, (3, 4, 5, 6)))
        found = check(claim(rows, len(rows), refutation=written), rows, tmp_path)
        assert found.proved
        assert "4 cells closed" in found.checked[-1]
