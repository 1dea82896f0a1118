"""Proofs by sizes and thresholds that are false, or not written as such; a guard refuses each."""

import re

import pytest

from forging import RIGHT, Truth, check, claim, proof, step
from voteprune.exceptions import FileFormatError

ONE = ["1 1"]
"""One classifier that is right: the optimum is 1."""

TWO = ["10 1", "01 0"]
"""The first alone gets both right, nobody else more than 1. Pattern 0 is 01, pattern 1 is 10."""

THIRD = ["10 1", "01 1", "01 1"]
"""With one member at most, the second is best and gets the pattern 10 wrong."""

BOTH = ["11 1", "00 0"]
"""Everybody gets everything right."""

PAIRS = ((1, 0), (2, 0), (2, 1))


def recounted(number, box, pairs=PAIRS):
    """A step that closes a box because but one committee is left in it."""
    return step(number, box, closed=[(*pair, -2) for pair in pairs])


def row(patterns, members, away=False):
    return {"patterns": list(patterns), "members": members, "away": away}


WHOLE_TREE = proof(
    step(1, 0, heirs=[(1, 0, 0), (2, 0, 1)]),
    step(2, 1, heirs=[(3, 1, 0), (4, 1, 1)]),
    step(3, 2, heirs=[(5, 1, 0), (6, 1, 1)]),
    *(recounted(box + 1, box) for box in (3, 4, 5, 6)),
)

HELPED_BY_THE_FIRST = [row([0], "1"), row([1], "1")]
"""Rows for `TWO`: each of its patterns needs the first classifier."""

ALL_ON_THE_FIRST = [(0, 1.0), (1, 1.0)]

FORGERIES = {
    "a box with somebody undecided is no single committee": (
        ONE, claim(ONE, 0, proof=proof(recounted(1, 0, [(1, 0)]))), "above the one claimed",
    ),
    "a single committee recounts no higher than claimed": (
        TWO, claim(TWO, 1, proof=WHOLE_TREE), "drops .1, 0., whose bound is above",
    ),
    "the cut is a reason only where it holds": (
        ONE, claim(ONE, 0, proof=proof(step(1, 0, closed=[(1, 0, -1)]))), "above the one claimed",
    ),
    "a bound of one step more than claimed closes nothing": (
        ONE, claim(ONE, 0, proof=proof(step(1, 0, closed=[(1, 0, 1)]))), "above the one claimed",
    ),
    "what is left open must be bounded": (
        ONE, claim(ONE, 0, proof=proof()), "exceed it",
    ),
    "a reason given for what is open must bound it": (
        ONE,
        claim(ONE, 0, proof=proof(step(1, 0), left=[{"box": 0, "pairs": [[1, 0, 1]]}])),
        "exceed it",
    ),
    "a reason given for what is open is no recount of somebody undecided": (
        ONE, claim(ONE, 0, proof=proof(left=[{"box": 0, "pairs": [[1, 0, -2]]}])), "exceed it",
    ),
    "two heirs do not decide the same": (
        ONE,
        claim(ONE, 0, proof=proof(
            step(1, 0, heirs=[(1, 0, 0), (2, 0, 0)]),
            recounted(2, 1, [(1, 0)]),
            recounted(3, 2, [(1, 0)]),
        )),
        "does not split its box in two",
    ),
    "one heir is not enough": (
        ONE,
        claim(ONE, 0, proof=proof(
            step(1, 0, heirs=[(1, 0, 0)]), recounted(2, 1, [(1, 0)])
        )),
        "does not split its box in two",
    ),
    "two heirs have two numbers": (
        ONE,
        claim(ONE, 0, proof=proof(
            step(1, 0, heirs=[(1, 0, 1), (1, 0, 0)]), recounted(2, 1, [(1, 0)])
        )),
        "does not split its box in two",
    ),
    "two heirs are split at one place": (
        TWO,
        claim(TWO, 1, proof=proof(
            step(1, 0, heirs=[(1, 0, 0), (2, 1, 1)]),
            step(2, 1, heirs=[(3, 1, 0), (4, 1, 1)]),
            step(3, 2, heirs=[(5, 0, 0), (6, 0, 1)]),
            *(recounted(box + 1, box) for box in (3, 4, 5, 6)),
        )),
        "does not split its box in two",
    ),
    "an heir does not take the number of an open box": (
        TWO,
        claim(TWO, 1, proof=proof(
            step(1, 0, heirs=[(1, 0, 0), (2, 0, 1)]),
            step(2, 1, heirs=[(2, 1, 0), (3, 1, 1)]),
            recounted(3, 2),
            recounted(4, 3),
        )),
        "does not split its box in two",
    ),
    "a box is split at a place that there is": (
        TWO,
        claim(TWO, 1, proof=proof(
            step(1, 0, heirs=[(1, -1, 0), (2, -1, 1)]),
            step(2, 1, heirs=[(3, 1, 0), (4, 1, 1)]),
            step(3, 2, heirs=[(5, 1, 0), (6, 1, 1)]),
            *(recounted(box + 1, box) for box in (3, 4, 5, 6)),
        )),
        "there is no place -1",
    ),
    "what is decided is refuted the other way": (
        TWO,
        claim(TWO, 1, proof=proof(
            step(1, 0, prices=ALL_ON_THE_FIRST, decided=[(0, 0)]),
            step(2, 0, closed=[(*pair, 1) for pair in PAIRS]),
            rows=HELPED_BY_THE_FIRST,
        )),
        "the opposite is not refuted",
    ),
    "what is decided is 0 or 1": (
        TWO,
        claim(TWO, 1, proof=proof(
            step(1, 0, prices=ALL_ON_THE_FIRST, decided=[(1, 2)]),
            step(2, 0, closed=[(*pair, 1) for pair in PAIRS]),
            rows=HELPED_BY_THE_FIRST,
        )),
        "there is no place 1 to decide",
    ),
    "a pattern is decided once": (
        THIRD,
        claim(THIRD, 1, limits={"size_max": 1}, proof=proof(
            step(1, 0, heirs=[(1, 3, 0), (2, 3, 1)]),
            step(2, 2, prices=[(0, 2.0), (1, 2.0)], closed=[(1, 0, 2)]),
            step(3, 1, prices=[(1, 2.0)], decided=[(3, 1)]),
            step(4, 1, closed=[(1, 0, 2)]),
            rows=[row([1], "1"), row([0], "2")],
        )),
        "place 3 was decided before",
    ),
    "a pattern that cannot be right any more is not decided right": (
        THIRD,
        claim(THIRD, 1, limits={"size_max": 1}, proof=proof(
            step(1, 0, heirs=[(1, 0, 0), (2, 0, 1)]),
            step(2, 2, prices=[(0, 2.0)], closed=[(1, 0, 2)]),
            step(3, 1, decided=[(3, 1)]),
            step(4, 1, closed=[(1, 0, 3)]),
            rows=[row([0], "2")],
        )),
        "the opposite is not refuted",
    ),
    "who stays away is counted among those who vote the wrong way": (
        ONE,
        claim(ONE, 0, proof=proof(
            step(1, 0, prices=[(0, 1.0)], closed=[(1, 0, 1)]), rows=[row([0], "1", away=True)]
        )),
        "counts members it must not count",
    ),
}  # fmt: skip


NOT_THERE = {
    "a step is about a box that there is": (
        proof(step(1, 7)), "about box 7, which there is not",
    ),
    "no two steps have the same number": (
        proof(step(1, 0), step(1, 0)), "two steps have the same number",
    ),
    "what leaves a box was in it": (
        proof(step(1, 0, closed=[(2, 0, 1)])), "which its box does not have",
    ),
    "what leaves a box leaves it once": (
        proof(step(1, 0, closed=[(1, 0, 1), (1, 0, 1)])), "which its box does not have",
    ),
    "a reason is a step that there is": (
        proof(step(1, 0, closed=[(1, 0, 5)])), "there is no step 5",
    ),
    "a reason for what is open is a step that there is": (
        proof(left=[{"box": 0, "pairs": [[1, 0, 5]]}]), "there is no step 5",
    ),
    "a price is on a row that there is": (
        proof(step(1, 0, prices=[(1, 1.0)], closed=[(1, 0, 1)]), rows=[row([0], "1")]),
        "there is no row 1",
    ),
    "rows are not counted from the end": (
        proof(step(1, 0, prices=[(-1, 1.0)], closed=[(1, 0, 1)]), rows=[row([0], "1")]),
        "there is no row -1",
    ),
    "nothing is decided behind the last place": (
        proof(step(1, 0, decided=[(2, 1)])), "there is no place 2",
    ),
    "a box is split at a place that is open": (
        proof(
            step(1, 0, heirs=[(1, 0, 0), (2, 0, 1)]), step(2, 1, heirs=[(3, 0, 0), (4, 0, 1)])
        ),
        "was decided before",
    ),
    "what is said to be open is in a box that there is": (
        proof(left=[{"box": 3, "pairs": [[1, 0, -1]]}]), "which it does not",
    ),
    "what is said to be open is in its box": (
        proof(left=[{"box": 0, "pairs": [[2, 0, -1]]}]), "which it does not",
    ),
    **{
        f"a row is about one pattern or two that differ, not {patterns}": (
            proof(
                step(1, 0, prices=[(0, 1.0)], closed=[(1, 0, 1)]), rows=[row(patterns, "0", away)]
            ),
            "two that differ",
        )
        for patterns, away in (([], False), ([], True), ([0, 0], False), ([0, 1, 2], False),
                               ([0, 1], True))
    },
    **{
        f"a row is about patterns that there are, not {pattern}": (
            proof(step(1, 0, prices=[(0, 1.0)], closed=[(1, 0, 1)]), rows=[row([pattern], "0")]),
            "a pattern that is not there",
        )
        for pattern in (-1, 1)
    },
    "a row counts those who vote the right way": (
        proof(step(1, 0, prices=[(0, 1.0)], closed=[(1, 0, 1)]), rows=[row([0], "2")]),
        "counts members it must not count",
    ),
    **{
        f"a price is on a limit that there is, not on {kind} {place}": (
            proof(
                step(1, 0, prices=[(0, 1.0)], closed=[(1, 0, 1)]), rows=[{"limit": [kind, place]}]
            ),
            "a limit that is not there",
        )
        for kind, place in (("cost", 0), ("criterion", 0), ("member", 0), ("hat", 0))
    },
}  # fmt: skip
"""Proofs about `ONE` that speak of what is not there, though the claim is true."""

LIMITED = {
    "costs": [{"costs": [1], "most": 1}],
    "criteria": [{"weights": RIGHT, "least": 0}],
    "diversity": {"measure": "fc", "tau": 0, "gamma": 0},
}


@pytest.mark.parametrize("law", FORGERIES)
def test_a_false_proof_is_refused_because(law, tmp_path):
    rows, document, complaint = FORGERIES[law]
    assert Truth(rows).contradicts(document), "the claim itself must be false"
    (failed,) = check(document, rows, tmp_path).failed
    assert re.search(complaint, failed)


@pytest.mark.parametrize("law", NOT_THERE)
def test_a_proof_of_something_true_is_refused_because(law, tmp_path):
    """By the cut alone the claim would hold."""
    assert check(claim(ONE, 1), ONE, tmp_path).proved
    written, complaint = NOT_THERE[law]
    (failed,) = check(claim(ONE, 1, proof=written), ONE, tmp_path).failed
    assert complaint in failed


@pytest.mark.parametrize("kind", ["cost", "criterion", "member"])
@pytest.mark.parametrize("place", [-1, 1])
def test_limits_are_counted_from_0_and_no_further(kind, place, tmp_path):
    priced = step(1, 0, prices=[(0, 0.5)], closed=[(1, 0, 1)])
    for number in (0, place):
        written = proof(priced, rows=[{"limit": [kind, number]}])
        found = check(claim(ONE, 1, limits=LIMITED, proof=written), ONE, tmp_path)
        assert found.holds == (number == 0)
    unknown = proof(priced, rows=[{"limit": ["hat", 0]}])
    assert not check(claim(ONE, 1, limits=LIMITED, proof=unknown), ONE, tmp_path).holds


def test_the_tree_of_all_committees_proves_the_optimum(tmp_path):
    """The proof that the forgeries are made from, with a claim that is true."""
    assert check(claim(TWO, 2, proof=WHOLE_TREE), TWO, tmp_path).proved
    by_the_cut = proof(step(1, 0, closed=[(*pair, -1) for pair in PAIRS]))
    assert check(claim(TWO, 2, proof=by_the_cut), TWO, tmp_path).proved


@pytest.mark.parametrize(
    ("limits", "decision"),
    [({"size_min": 2}, (0, 1)), ({"size_max": 1, "required": [0]}, (1, 0))],
)
def test_what_cannot_be_otherwise_is_decided_without_prices(limits, decision, tmp_path):
    """Everybody sits where as many must, and nobody else where the seats are taken."""
    document = claim(TWO, 1, limits=limits, proof=proof(
        step(1, 0, decided=[decision]), step(2, 0, decided=[decision]),
    ))  # fmt: skip
    (failed,) = check(document, TWO, tmp_path).failed
    assert "step 2: place" in failed, "but for the second, the same again"


def test_a_pattern_that_must_be_right_and_cannot_be_leaves_nothing(tmp_path):
    written = proof(
        step(1, 0, heirs=[(1, 3, 0), (2, 3, 1)]),
        step(2, 1, closed=[(1, 0, 2)]),
        step(3, 2, heirs=[(3, 0, 0), (4, 0, 1)]),
        step(4, 3, closed=[(1, 0, 4)]),
        step(5, 4, prices=[(0, 2.0)], closed=[(1, 0, 5)]),
        rows=[row([0], "2")],
    )
    document = claim(THIRD, 2, limits={"size_max": 1}, proof=written)
    assert check(document, THIRD, tmp_path).proved
    document["bound"] = 1
    assert not check(document, THIRD, tmp_path).holds


def test_a_price_below_0_is_refused(tmp_path):
    """Where a row is loose, a price below 0 would lower a bound below a committee."""
    document = claim(BOTH, 1, limits={"size_min": 2}, proof=proof(
        step(1, 0, prices=[(0, -1.0)], closed=[(2, 0, 1)]),
        step(2, 0, prices=[(1, -1.0)], closed=[(2, 1, 2)]),
        rows=[row([1], "3"), row([0], "3")],
    ))  # fmt: skip
    assert Truth(BOTH).contradicts(document)
    with pytest.raises(FileFormatError, match="below 0"):
        check(document, BOTH, tmp_path)
