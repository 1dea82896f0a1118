"""`PluralityProblem`: votes, a criterion and constraints, compiled to integers; the only judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import (
    IntArray,
    compact,
    exact,
    sum_by_group,
    total,
)
from ..votes.patterns import sorted_rows
from ..votes.plurality import Codes, Label, PluralityVotes
from .class_limits import (
    OF_ALL,
    ClassLimit,
    class_totals,
    one_against_rest,
    weigh_correct,
    worths_of,
)
from .constraints import Constraint, Forbid
from .formulas import Weights
from .fscore import MACRO, FScoreObjective, is_f_score
from .gains import MOST_UNITS, Gains, check_reach
from .metrics import METRICS
from .objective import CountedObjective, Score
from .plurality_committee import PluralityCommittee, count_classes
from .seats import Coverage, Seats, member_indices

PluralityCriterion = str | Weights | Mapping[Label, object]
"""A name, or what deciding a row of each class correctly is worth; of two classes any weights."""

CRITERIA = OF_ALL
"""Criteria by name that any number of classes has."""


@dataclass(frozen=True, eq=False)
class PluralityObjective(CountedObjective):
    """What deciding rows of more than two classes correctly is worth.

    Parameters
    ----------
    criterion
        What was asked for, in words.
    worths
        True class, class decided, and what that is worth on a row of weight one; what is not
        listed is worth nothing.
    """

    kind = "plurality"

    criterion: str
    worths: tuple[tuple[int, int, Fraction], ...] = ()

    def score(self, gain: NDArray[Any], decided: NDArray[np.intp]) -> int:
        """Recount decisions on the patterns, in units of ``gains.unit``."""
        return self.gains.base + total(gain[np.arange(len(gain)), decided])

    @property
    def name(self) -> str:
        """What it is called in words."""
        return self.criterion


@dataclass(frozen=True, eq=False)
class PluralityProblem(Seats):
    """One pruning problem with plurality votes, ready for any method.

    Parameters
    ----------
    votes, requests, size_min, size_max, required, forbidden, cost_limits, coverage
        The rows, and what members must respect, see `Seats`.
    objective
        What is maximised: its unit, its step, and its ceiling, every pattern decided at its best.
    codes
        Distinct rows of votes, P x K; the number of classes where a classifier names none.
    weight
        Weight of the rows of each class behind each pattern, P x C.
    gain
        What deciding pattern p as class c earns, in units, P x C; nowhere negative.
    class_limits
        What decisions must respect.
    """

    votes: PluralityVotes
    objective: PluralityObjective | FScoreObjective
    codes: Codes
    weight: IntArray
    gain: NDArray[Any]
    class_limits: tuple[ClassLimit, ...] = ()

    @classmethod
    def of(
        cls,
        votes: PluralityVotes,
        criterion: PluralityCriterion = "accuracy",
        requests: Sequence[Constraint] = (),
    ) -> PluralityProblem:
        """Compile votes, a criterion and constraints.

        Raises
        ------
        InputError
            If a constraint does not fit the pool, or names a class there is not.
        """
        codes, weight = _merge(votes)
        everybody, cover = votes.n_classifiers, Coverage.of(votes)
        if is_f_score(criterion):
            # Its tangents have squares of weights.
            whole, unit = sum(map(total, weight.T)), Fraction(1, votes.denominator)
            check_reach(whole, unit, math.isqrt(MOST_UNITS))
            can = np.ones(weight.shape, dtype=bool)
            score = FScoreObjective.of(str(criterion), weight, can)
            nothing = np.zeros(weight.shape, dtype=np.int64)
            plain = cls(votes, score, codes, weight, nothing, size_max=everybody, coverage=cover)
            return plain.with_requests(requests)
        gain, base, scale, worths = _gain(criterion, votes, weight)
        step = int(np.gcd.reduce(gain.ravel())) or 1
        best = compact(gain.max(axis=1))
        unit = Fraction(1, scale * votes.denominator)
        check_reach(abs(base) + total(best), unit)
        plain = cls(
            votes,
            PluralityObjective(
                Gains(base, best, unit, step),
                "weights by class" if isinstance(criterion, Mapping) else str(criterion),
                worths,
            ),
            codes,
            weight,
            gain.astype(np.int64) if total(best) < 2**62 else gain,
            size_max=everybody,
            coverage=cover,
        )
        return plain.with_requests(requests)

    def with_requests(self, requests: Sequence[Constraint]) -> PluralityProblem:
        """Return the same problem under other constraints."""
        winnable = self.can_win(member_indices(requests, Forbid, self.votes.names))
        objective: PluralityObjective | FScoreObjective
        if isinstance(self.objective, FScoreObjective):
            objective = replace(self.objective, winnable=winnable)
        else:
            best = compact(np.where(winnable, self.gain, 0).max(axis=1))
            objective = replace(self.objective, gains=replace(self.gains, net=best))
        class_limits = ClassLimit.all_of(requests, self.votes, self.weight)
        return self._under(requests, objective=objective, class_limits=class_limits)

    def can_win(self, forbidden: Sequence[int]) -> NDArray[np.bool_]:
        """Tell which class can win on which pattern, P x C, where these classifiers may not sit.

        A class that nobody names wins nowhere, for with one member or more somebody names another;
        but where members may abstain, the first class wins if all of them do.
        """
        allowed = sorted(set(range(self.n_classifiers)) - set(forbidden))
        counts = count_classes(self.codes[:, allowed], self.n_classes)
        winning = counts > 0
        winning[:, 0] |= counts.sum(axis=1) < len(allowed)
        return winning

    @property
    def gains(self) -> Gains:
        """The unit, the step and the ceiling: every pattern decided at its best."""
        if isinstance(self.objective, FScoreObjective):
            raise AssertionError("an F-score is no sum over the patterns")
        return self.objective.gains

    @property
    def n_classes(self) -> int:
        """Number of classes C."""
        return len(self.votes.classes)

    @property
    def n_patterns(self) -> int:
        """Number of distinct rows of votes P."""
        return len(self.codes)

    def committee(self, members: Sequence[int]) -> PluralityCommittee:
        """Name the members and make a committee of them."""
        ordered = tuple(sorted(members))
        names = tuple(self.votes.names[k] for k in ordered)
        rule = self.votes.abstentions
        return PluralityCommittee(
            ordered, names, self.votes.classes, self.n_classifiers, rule, self.votes.cutoff,
            self.votes.class_names,
        )  # fmt: skip

    def counts(self, members: Sequence[int]) -> NDArray[np.int64]:
        """Count how many members name each class on each pattern."""
        return count_classes(self.codes[:, list(members)], self.n_classes)

    def decided(self, members: Sequence[int]) -> NDArray[np.intp]:
        """Return the class that wins on each pattern: the first of those named most often."""
        return np.asarray(self.counts(members).argmax(axis=1))

    def best(
        self, members: Sequence[int], threshold: int | None = None
    ) -> tuple[PluralityCommittee, Score] | None:
        """Return these members as a committee, and its score; None if they are not allowed.

        Most votes win, so there is no `threshold`.
        """
        if not members or not self.allows(members):
            return None
        return self.committee(members), self.score(members)

    def score(self, members: Sequence[int]) -> Score:
        """Recount a committee's objective, exactly."""
        decided = self.decided(members)
        if isinstance(self.objective, FScoreObjective):
            return self.objective.score(decided)
        return self.objective.score(self.gain, decided)

    def tangent(self, members: Sequence[int]) -> PluralityProblem:
        """Return the same problem with the weighted sum that an F-score is near a committee."""
        if not isinstance(self.objective, FScoreObjective):
            raise AssertionError("a sum is its own tangent")
        gain = self.objective.tangent(self.decided(members))
        gains = Gains(0, gain.max(axis=1), Fraction(1), 1)
        return replace(self, objective=PluralityObjective(gains, self.objective.name), gain=gain)

    def confusion(self, members: Sequence[int]) -> tuple[tuple[Fraction, ...], ...]:
        """Count rows by their true class (outer) and the class decided (inner), exactly."""
        decided, c = self.decided(members), self.n_classes
        cells = [sum_by_group(weight, decided, c) for weight in self.weight.T]
        unit = Fraction(1, self.votes.denominator)
        return tuple(tuple(int(cell) * unit for cell in row) for row in cells)

    def allows(self, members: Sequence[int]) -> bool:
        """Tell exactly whether a set of members meets every limit."""
        chosen = set(members)
        return self.may_sit(chosen) and self._decides_well(sorted(chosen))

    def _decides_well(self, members: Sequence[int]) -> bool:
        """Tell exactly whether the decisions of these meet every limit on classes."""
        if not self.class_limits:
            return True
        decided = self.decided(members)
        return all(limit.worth_of(decided) >= limit.least for limit in self.class_limits)


def check_criterion(criterion: object, n_classes: int = 2) -> PluralityCriterion:
    """Return a criterion for plurality committees, or say what is known.

    Parameters
    ----------
    criterion
        What the user gave.
    n_classes
        How many classes there are, where that is known; some criteria are of two.
    """
    if isinstance(criterion, Mapping) or (isinstance(criterion, Weights) and n_classes == 2):
        return criterion
    if isinstance(criterion, str) and (
        criterion in (*CRITERIA, MACRO)
        or (n_classes == 2 and (criterion in METRICS or is_f_score(criterion)))
    ):
        return criterion
    raise InputError("objective", f"{criterion!r} is not for plurality committees. {_known()}")


def kind_of_criterion(criterion: PluralityCriterion) -> str:
    """Return the kind of the objective that a criterion makes, before there are votes."""
    return "f-score" if is_f_score(criterion) else "plurality"


def _known() -> str:
    two = ", ".join(name for name in METRICS if name not in CRITERIA)
    return (
        f"Known are {', '.join(CRITERIA)} (the mean of the classes' recalls), {MACRO}, and a "
        "mapping from class to what deciding one of its rows correctly is worth; where there are "
        f"two classes also {two}, f1 and others with any beta, and vp.Weights. Others need "
        "vp.Votes in which nobody abstains, or abstentions count against."
    )


def _merge(votes: PluralityVotes) -> tuple[Codes, IntArray]:
    """Return the distinct rows of votes, and the weight of each class behind each, P x C."""
    kept = votes.weights > 0
    c = len(votes.classes)
    matrix: NDArray[Any] = votes.matrix.astype(np.uint8 if c < 256 else np.int32)
    labels, weights = votes.labels, votes.weights
    if not kept.all():
        matrix, labels, weights = matrix[kept], labels[kept], weights[kept]
    # As bits, the highest first, codes are ordered as they are as numbers.
    length = max(1, int(matrix.max()).bit_length())
    bits = np.empty((len(matrix), matrix.shape[1], length), dtype=bool)
    for place in range(length):
        bits[:, :, place] = matrix >> (length - 1 - place) & 1
    order, new = sorted_rows(bits.reshape(len(matrix), -1))
    groups = np.cumsum(new) - 1
    codes = np.asfortranarray(matrix[order[new]])
    cells = sum_by_group(weights[order], groups * c + labels[order], len(codes) * c)
    return codes, cells.reshape(len(codes), c)


def _gain(
    criterion: PluralityCriterion, votes: PluralityVotes, weight: IntArray
) -> tuple[NDArray[Any], int, int, tuple[tuple[int, int, Fraction], ...]]:
    """Return what deciding each pattern as each class earns, and what is earned in any case.

    Returns
    -------
    gain, base, scale
        Whole numbers, P x C and nowhere negative, and their sum that nobody can lose; in units of
        ``1 / scale``, times that of the weights.
    worths
        As in `PluralityObjective`.
    """
    totals = class_totals(votes, weight)
    if criterion in CRITERIA or isinstance(criterion, Mapping):
        right = (
            _read_worths(criterion, votes)
            if isinstance(criterion, Mapping)
            else worths_of(str(criterion), totals)
        )
        gain, scale = weigh_correct(right, weight)
        return gain, 0, scale, tuple((c, c, worth) for c, worth in enumerate(right) if worth)
    if len(totals) != 2 or not all(totals):
        raise InputError("objective", f"{criterion} is of two classes, both present. {_known()}")
    weights = (
        METRICS[criterion].weights(totals[1], totals[0])
        if isinstance(criterion, str)
        else criterion
    )
    worth, scale = one_against_rest(weights, weight, 1)
    least = worth.min(axis=1)
    four = ((0, 0, weights.tn), (0, 1, weights.fp), (1, 0, weights.fn), (1, 1, weights.tp))
    told = tuple((true, said, Fraction(value)) for true, said, value in four if value)
    return worth - least[:, None], total(least), scale, told


def _read_worths(criterion: Mapping[Label, object], votes: PluralityVotes) -> list[Fraction]:
    """Return what a correct decision on a row of weight one is worth, for every class."""
    names = votes.class_names
    unknown = [label for label in criterion if label not in names]
    if unknown:
        raise InputError("objective", f"{unknown[0]!r} is none of the classes {names}.")
    worths = [exact(criterion.get(label, 0), f"objective[{label!r}]") for label in names]
    if min(worths) < 0:
        raise InputError(
            "objective", "what a correct decision is worth must not be negative. Give 0 or more."
        )
    return worths
