"""`ClassLimit`: what decisions on several classes must respect, compiled to integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray, ceil_div, combine, common_denominator, total
from ..votes.plurality import Label, PluralityVotes
from .constraints import OF_MEMBERS, AtLeast, AtMost, Constraint
from .formulas import Weights
from .limits import as_sums, place_of

OF_ALL = ("accuracy", "balanced_accuracy")
"""Criteria that are of all classes together."""


@dataclass(frozen=True, eq=False)
class ClassLimit:
    """What the patterns are worth as they are decided must add up to at least so much.

    Parameters
    ----------
    worth
        What each pattern is worth when it is decided as each class, in whole numbers, P x C.
    least
        What must be reached.
    request
        The constraint it comes from.
    """

    worth: NDArray[Any]
    least: int
    request: Constraint

    def worth_of(self, decided: NDArray[np.intp]) -> int:
        """Return what these decisions are worth."""
        return total(self.worth[np.arange(len(decided)), decided])

    @classmethod
    def all_of(
        cls, requests: Sequence[Constraint], votes: PluralityVotes, weight: IntArray
    ) -> tuple[ClassLimit, ...]:
        """Compile all limits on criteria."""
        return tuple(
            limit
            for request in requests
            if isinstance(request, AtLeast | AtMost) and request.what not in OF_MEMBERS
            for limit in _compile(request, votes, weight)
        )


def _compile(
    request: AtLeast | AtMost, votes: PluralityVotes, weight: IntArray
) -> Iterator[ClassLimit]:
    totals = class_totals(votes, weight)
    if request.of is None and request.what in OF_ALL and len(totals) != 2:
        worth, scale = weigh_correct(worths_of(str(request.what), totals), weight)
        sign = 1 if isinstance(request, AtLeast) else -1
        goal = ceil_div(sign * request.limit * scale * votes.denominator)
        yield ClassLimit(sign * worth, goal, request)
        return
    place = _place(request, votes.class_names)
    positives, negatives = totals[place], sum(totals, Fraction(0)) - totals[place]
    if not positives or not negatives:
        raise InputError(
            "constraints",
            f"{request}: no row of {votes.class_names[place]!r} carries weight, or no other does. "
            "Leave it out.",
        )
    for weights, least in as_sums(request, positives, negatives):
        worth, scale = one_against_rest(weights, weight, place)
        units = 1 if least is None else ceil_div(least * scale * votes.denominator)
        yield ClassLimit(worth, units, request)


def check_class_limits(requests: Sequence[Constraint], classes: Sequence[Label]) -> None:
    """Refuse limits that name no class, or none of these, before there are votes."""
    for request in requests:
        if isinstance(request, AtLeast | AtMost) and request.what not in OF_MEMBERS:
            of_all = request.of is None and request.what in OF_ALL
            if not of_all or len(classes) == 2:
                _place(request, classes)


def _place(request: AtLeast | AtMost, classes: Sequence[Label]) -> int:
    """Return the place of the class a limit is about; the second of two when none is named."""
    if request.of is None and len(classes) == 2:
        return 1
    if request.of is None:
        raise InputError(
            "constraints",
            f"{request} is about one class, and there are {len(classes)}. Say which: "
            f"of={classes[0]!r}, or on the command line {request.what}:{classes[0]}="
            f"{float(request.limit):g}.",
        )
    return place_of(request, classes)


def class_totals(votes: PluralityVotes, weight: IntArray) -> list[Fraction]:
    """Return the weight of each class."""
    return [Fraction(total(part), votes.denominator) for part in weight.T]


def worths_of(criterion: str, totals: Sequence[Fraction]) -> list[Fraction]:
    """Return what a correct decision on a row of each class is worth by a criterion of all."""
    if criterion == "accuracy":
        return [1 / sum(totals, Fraction(0))] * len(totals)
    present = sum(1 for part in totals if part)
    return [1 / (present * part) if part else Fraction(0) for part in totals]


def weigh_correct(worths: Sequence[Fraction], weight: IntArray) -> tuple[NDArray[Any], int]:
    """Return what correct decisions are worth, class by class; as for `one_against_rest`."""
    scale = common_denominator(worths)
    columns = zip(worths, weight.T, strict=True)
    return np.stack([combine([(int(w * scale), part)]) for w, part in columns], axis=1), scale


def one_against_rest(weights: Weights, weight: IntArray, place: int) -> tuple[NDArray[Any], int]:
    """Return a weighted sum of counts, one class being positive, as worths of decisions.

    Parameters
    ----------
    weights
        What each true or false positive or negative is worth.
    weight
        Weight of the rows of each class behind each pattern, P x C.
    place
        The class that is positive.

    Returns
    -------
    worth, scale
        Whole numbers, P x C, in units of ``1 / scale``, times that of the weights.
    """
    four = (weights.tp, weights.fn, weights.tn, weights.fp)
    scale = common_denominator(four)
    tp, fn, tn, fp = (int(part * scale) for part in four)
    own = weight[:, place]
    rest = combine([(1, weight[:, c]) for c in range(weight.shape[1]) if c != place])
    named, other = combine([(tp, own), (fp, rest)]), combine([(fn, own), (tn, rest)])
    columns = [named if c == place else other for c in range(weight.shape[1])]
    return np.stack(columns, axis=1), scale
