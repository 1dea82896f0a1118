"""Promises about new rows: learn on some rows, then test on others, by exact binomial tails.

Candidates and their order, safest first, are fixed before the rows they are tested on are looked
at. Each is tested against "its risk is above the limit"; the first that fails ends it. However many
have passed by then, all their promises hold together with the confidence that was asked for: for
one to be false, the first false one must have passed a test that it passes with probability
1 - confidence at most. So any of them may be taken, as the cheapest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv

from ..exceptions import InputError
from ..files.jsonfile import Fields
from ..numbers.exact import exact, show
from ..problem.committee import Committee
from ..problem.constraints import AtLeast
from ..problem.limits import about_positive
from ..soft.committee import SoftCommittee
from ..soft.probabilities import Probabilities
from ..votes.votes import Votes, on_classes

Candidate = Committee | SoftCommittee
"""What a promise can be about; a soft committee has its cut-off."""

PROMISED = ("accuracy", "recall", "specificity", "precision")
"""Shares of rows that come out right or wrong one by one, as binomial tails count them."""

_ROOM = 1e-9
"""Relative room for rounding in a tail, always against the promise."""


@dataclass(frozen=True, slots=True)
class Tested:
    """One candidate on the rows that were held out.

    Parameters
    ----------
    committee
        The candidate.
    n_rows, errors
        Rows that count: all for accuracy, positives for recall, negatives for specificity, rows
        called positive for precision; and how many of them it gets wrong.
    p_value
        How likely so few errors or fewer are, if the promise is only just false.
    passed
        Whether that is unlikely enough.
    """

    committee: Candidate
    n_rows: int
    errors: int
    p_value: float
    passed: bool


@dataclass(frozen=True, slots=True)
class Promise:
    """What can be promised about new rows, drawn as the rows were that were held out.

    Parameters
    ----------
    what, limit
        The criterion, and what it does not fall below.
    confidence
        How often, at the least, such a promise is true over draws of the rows held out.
    n_rows
        How many were held out.
    tests
        The candidates that were tested, in order; the last may have failed.
    chosen
        Place of the one that the promise is about, None where none passed.
    """

    what: str
    limit: Fraction
    confidence: Fraction
    n_rows: int
    tests: tuple[Tested, ...]
    chosen: int | None

    @property
    def committee(self) -> Candidate | None:
        """The committee the promise is about; None where nothing can be promised."""
        return None if self.chosen is None else self.tests[self.chosen].committee

    def __str__(self) -> str:
        asked = f"{self.what} >= {show(self.limit)} on new rows, confidence {show(self.confidence)}"
        if self.chosen is None:
            tried = self.tests[0] if self.tests else None
            why = "there was no candidate" if tried is None else (
                f"the safest candidate errs on {tried.errors} of {tried.n_rows} rows held out, "
                f"p = {tried.p_value:.2g}"
            )  # fmt: skip
            return f"none can be made of {asked}: {why}"
        kept = self.tests[self.chosen]
        return (
            f"{asked}: {kept.errors} errors on {kept.n_rows} of {self.n_rows} rows held out, "
            f"p = {kept.p_value:.2g}"
        )

    def _fields(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "limit": str(self.limit),
            "confidence": str(self.confidence),
            "n_rows": self.n_rows,
            "chosen": self.chosen,
            "tests": [
                {
                    "kind": test.committee._KIND,
                    "committee": test.committee._fields(),
                    "n_rows": test.n_rows,
                    "errors": test.errors,
                    "p_value": test.p_value,
                }
                for test in self.tests
            ],
        }

    @classmethod
    def _from_fields(cls, fields: Fields) -> Promise:
        confidence = fields.fraction("confidence")
        nested = [Fields(item, "a test of a promise") for item in fields.items("tests")]
        tests = tuple(
            Tested(
                _read_candidate(test),
                test.integer("n_rows"),
                test.integer("errors"),
                test.number("p_value"),
                _passes(test.number("p_value"), float(1 - confidence)),
            )
            for test in nested
        )
        chosen = None if fields.missing("chosen") else fields.integer("chosen")
        if chosen is not None and not (0 <= chosen < len(tests) and tests[chosen].passed):
            raise InputError("promise", "is about a candidate that did not pass.")
        what, limit = fields.text("what"), fields.fraction("limit")
        return cls(what, limit, confidence, fields.integer("n_rows"), tests, chosen)


def _read_candidate(test: Fields) -> Candidate:
    # Older files have hard committees only, and do not say so.
    soft = not test.missing("kind") and test.text("kind") == SoftCommittee._KIND
    fields = test.object("committee")
    return SoftCommittee._from_fields(fields) if soft else Committee._from_fields(fields)


def promise(
    candidates: Iterable[Candidate],
    votes: Votes | Probabilities,
    wish: AtLeast,
    *,
    confidence: object = 0.95,
    costs: Sequence[float] | None = None,
) -> Promise:
    """Test committees one after the other, and promise what the cheapest that passed keeps.

    The rows must be independent of each other and of the choice and the order of the candidates:
    rows that nobody was trained on, chosen on or put in order by. The committees are tested in the
    order given, the safest should come first; the first that fails ends it.

    Parameters
    ----------
    candidates
        Committees of the pool that votes, the safest first, in an order fixed on other rows.
    votes
        What the pool says on rows held out, `Probabilities` of two classes for soft committees;
        all rows weigh 1.
    wish
        ``AtLeast("recall", 0.95)``: accuracy, recall, specificity or precision.
    confidence
        Share of draws, at the least, in which what is promised is true.
    costs
        What each candidate costs, by any measure fixed beforehand; its size when omitted. Of equal
        costs the last tested is taken.

    Raises
    ------
    InputError
        If the promise is not of a kind that binomial tails can test.
    """
    asked, level = check_wish(wish), check_confidence(confidence)
    check_unweighted(votes)
    listed = list(candidates)
    abouts = [about_class(asked, committee.classes) for committee in listed]
    told = abouts[0] if abouts else about_class(asked, votes.classes)
    price = [committee.size for committee in listed] if costs is None else list(costs)
    if len(price) != len(listed):
        raise InputError("costs", f"are {len(price)} for {len(listed)} candidates. Give one each.")
    tests: list[Tested] = []
    for committee, about in zip(listed, abouts, strict=True):
        rows, errors = errors_of(committee, votes, str(about.what))
        p_value = tail(rows, errors, 1 - asked.limit)
        passed = _passes(p_value, float(1 - level))
        tests.append(Tested(committee, rows, errors, p_value, passed))
        if not passed:
            break
    passing = [place for place, test in enumerate(tests) if test.passed]
    chosen = min(passing, key=lambda place: (price[place], -place), default=None)
    return Promise(str(told.what), asked.limit, level, votes.n_rows, tuple(tests), chosen)


def errors_of(committee: Candidate, votes: Votes | Probabilities, what: str) -> tuple[int, int]:
    """Return how many rows count for a criterion, and how many of them a committee gets wrong."""
    said: NDArray[np.bool_]
    if isinstance(committee, SoftCommittee):
        said = committee.predict_proba(votes)[:, 1] > committee.cutoff
    else:
        assert isinstance(votes, Votes)
        votes = on_classes(votes, committee.classes)
        said = committee._positive(votes)
    labels = np.asarray(votes.labels, dtype=bool)
    counted = {
        "accuracy": np.ones(len(labels), dtype=bool),
        "recall": labels,
        "specificity": ~labels,
        "precision": said,
    }[what]
    return int(counted.sum()), int((counted & (said != labels)).sum())


def tail(rows: int, errors: int, risk: Fraction) -> float:
    """Return the probability of so few errors or fewer at this risk, rounded upwards."""
    if errors >= rows:
        return 1.0
    return min(1.0, float(bdtr(errors, rows, float(risk))) * (1 + _ROOM))


def _passes(p_value: float, delta: float) -> bool:
    return p_value <= delta


def check_wish(wish: object) -> AtLeast:
    """Return what is to be promised, or say what can be."""
    if not isinstance(wish, AtLeast) or wish.what not in PROMISED:
        shown = str(wish) if isinstance(wish, AtLeast) else repr(wish)
        raise InputError(
            "promise",
            f"{shown} cannot be promised about new rows. Give AtLeast of {', '.join(PROMISED)}, "
            "which rows keep or break one by one.",
        )
    if not 0 < wish.limit < 1:
        raise InputError("promise", f"{wish}: give a limit between 0 and 1, neither of them.")
    return wish


def about_class(wish: AtLeast, classes: Sequence[Any]) -> AtLeast:
    """Return a wish about one of two classes as one about the positive class."""
    return wish if len(classes) != 2 else check_wish(about_positive(wish, classes))


def check_confidence(confidence: object) -> Fraction:
    """Return a confidence between 0 and 1."""
    level = exact(confidence, "confidence")
    if not 0 < level < 1:
        raise InputError("confidence", f"is {confidence!r}; give a share such as 0.95.")
    return level


def check_unweighted(votes: Votes | Probabilities) -> None:
    """Refuse rows that do not all weigh 1: they are no independent draws."""
    unit = votes.denominator if isinstance(votes, Votes) else 1
    if not (np.asarray(votes.weights) == unit).all():
        raise InputError(
            "sample_weight",
            "promises about new rows need rows that all weigh 1, each drawn on its own. Leave the "
            "weights out.",
        )


def occam_bound(
    solution: Any = None,
    delta: object = 0.05,
    *,
    n_rows: int | None = None,
    errors: int | None = None,
    size: int | None = None,
    pool_size: int | None = None,
) -> float:
    """Return a share of errors that a hard committee exceeds on new rows with probability `delta`.

    For any way the committee was chosen, on the very rows it was chosen on: the price of having
    looked at all K over S sets of each size S and their S thresholds is in it. It holds for rows
    that are independent and that no member was trained on, which out-of-fold votes are not. A
    figure to report; as an objective it would pick a single member.

    Parameters
    ----------
    solution
        A `Solution` of a committee with one vote each on rows that weigh 1; or give the counts.
    delta
        How likely the bound may be wrong.
    n_rows, errors, size, pool_size
        Rows, how many of them the committee gets wrong, its size, and the size of the pool.

    Raises
    ------
    InputError
        If members have several votes, rows have weights, or counts cannot be.
    """
    if solution is not None:
        n_rows, errors, size, pool_size = _counts_of(solution)
    given = {"n_rows": n_rows, "errors": errors, "size": size, "pool_size": pool_size}
    for name, count in given.items():
        if not isinstance(count, int | np.integer) or isinstance(count, bool):
            raise InputError(name, f"is {count!r}; give a solution, or all four counts.")
    counts = {name: int(count) for name, count in given.items() if count is not None}
    n_rows, errors, size, pool_size = counts.values()
    if not (0 <= errors <= n_rows and n_rows > 0 and 1 <= size <= pool_size):
        raise InputError("errors", f"{counts} cannot be: errors are among rows, members in a pool.")
    share = exact(delta, "delta")
    if not 0 < share < 1:
        raise InputError("delta", f"is {delta!r}; give a probability such as 0.05.")
    if errors == n_rows:
        return 1.0
    # One part of delta for every size, set and threshold; the parts add up to delta.
    ways = math.comb(pool_size, size) * size
    parts = math.log(share) - math.log(ways) - math.log(math.pi**2 * size**2 / 6)
    right = float(betaincinv(n_rows - errors, errors + 1, math.exp(parts)))
    return min(1.0, 1.0 - right * (1 - _ROOM))


def _counts_of(solution: Any) -> tuple[int, int, int, int]:
    committee, counts = getattr(solution, "committee", None), getattr(solution, "confusion", None)
    if not isinstance(committee, Committee) or counts is None:
        raise InputError("solution", "expected a solution of two classes that has a committee.")
    if committee.n_votes != committee.size:
        raise InputError("solution", "has members with several votes; the bound is for one each.")
    cells = [Fraction(cell) for cell in (counts.tp, counts.fn, counts.tn, counts.fp)]
    if sum(cells) != solution.n_rows or any(cell.denominator != 1 for cell in cells):
        raise InputError(
            "solution", "was found on weighted rows; the bound needs rows of weight 1."
        )
    errors = int(cells[1] + cells[3])
    return solution.n_rows, errors, committee.size, committee.pool_size
