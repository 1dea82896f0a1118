"""`Problem`: votes, an objective and constraints, compiled to integers.

Everything a method needs to know, and the only place where committees of votes on two classes are
judged: a committee's confusion,
its value and whether it is allowed are recounted here, in integers, whoever found it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..exceptions import InputError
from ..numbers.exact import IntArray, sum_by_group, total
from ..votes.patterns import Patterns
from ..votes.votes import Votes
from .committee import Committee
from .confusion import Confusion
from .constraints import OF_MEMBERS, AtLeast, AtMost, Constraint
from .diversity import Diversity
from .diversity_measures import floors_of
from .formulas import Weights
from .gains import Gains
from .limits import MetricLimit, about_positive, class_totals
from .margin import Margin, MarginObjective
from .metrics import Criterion, formula_of
from .objective import BinaryObjective, CurveObjective, LinearObjective, Score
from .pairwise import Floors
from .seats import Coverage, Seats


@dataclass(frozen=True, eq=False)
class Problem(Seats):
    """One pruning problem, ready for any method.

    Built by `Problem.of`; the fields are what methods read.
    """

    votes: Votes
    patterns: Patterns
    objective: BinaryObjective
    asked_diversity: str | Diversity | None = None
    metric_limits: tuple[MetricLimit, ...] = ()
    floors: Floors | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        votes: Votes,
        criterion: Criterion | Margin = "accuracy",
        requests: Sequence[Constraint] = (),
        diversity: str | Diversity | None = None,
    ) -> Problem:
        """Compile votes, a criterion and constraints.

        Raises
        ------
        InputError
            If a constraint does not fit the pool, size limits cross, or abstentions are skipped.
        """
        if votes.abstentions == "skip":
            raise InputError(
                "votes",
                "abstentions are skipped there, which is for vp.prune and vp.front: those who vote "
                "decide, by no threshold. Read them with abstentions='against'.",
            )
        patterns = Patterns.of(votes)
        objective = _objective_of(criterion, patterns)
        plain = cls(
            votes, patterns, objective, size_max=votes.n_classifiers, coverage=Coverage.of(votes)
        )
        return plain.with_requests(requests, diversity)

    def weighing(self, weights: Weights) -> Problem:
        """Return the same problem with a weighted sum to maximise."""
        return replace(self, objective=LinearObjective.of(weights, weights, self.patterns))

    def on_rows(self, votes: Votes) -> Problem:
        """Return the same problem on other rows of the same pool, with the diversity of these."""
        patterns = Patterns.of(votes)
        objective = self.objective.on(patterns)
        plain = replace(
            self, votes=votes, patterns=patterns, objective=objective, coverage=Coverage.of(votes)
        )
        return replace(
            plain.with_requests(self.requests, None),
            asked_diversity=self.asked_diversity,
            floors=self.floors,
            size_min=self.size_min,
            size_max=self.size_max,
        )

    def with_requests(
        self, requests: Sequence[Constraint], diversity: str | Diversity | None
    ) -> Problem:
        """Return the same problem under other constraints."""
        requests = [about_positive(request, self.votes.classes) for request in requests]
        return self._under(
            requests,
            asked_diversity=diversity,
            metric_limits=tuple(
                limit
                for request in requests
                if isinstance(request, AtLeast | AtMost) and request.what not in OF_MEMBERS
                for limit in MetricLimit.all_of(request, self.patterns)
            ),
            floors=floors_of(diversity, self.patterns),
        )

    @property
    def diversity(self) -> Diversity | None:
        """The limits on diversity, None where there are none."""
        return None if self.floors is None else self.floors.limits

    @property
    def weights(self) -> Weights:
        """The weights of the counts, where the objective is a weighted sum of them."""
        assert isinstance(self.objective, LinearObjective)
        return self.objective.weights

    @property
    def gains(self) -> Gains:
        """The objective as a weighted sum, or the weighted sum that stands for it."""
        return self.objective.gains

    @property
    def least_loss(self) -> Fraction:
        """Smallest fraction of a row's gain that is lost when it is decided wrong."""
        return self.objective.least_loss(self.size_max)

    def committee(self, members: Sequence[int], threshold: int) -> Committee:
        """Name the members and make a committee of them; who is named twice has two votes."""
        times = Counter(int(k) for k in members)
        ordered = tuple(sorted(times))
        names = tuple(self.votes.names[k] for k in ordered)
        multiplicities = tuple(times[k] for k in ordered)
        rule, cut = self.votes.abstentions, self.votes.cutoff
        return Committee(
            ordered, int(threshold), names, self.n_classifiers, multiplicities, rule, cut,
            self.votes.classes,
        )  # fmt: skip

    def counts(self, members: Sequence[int]) -> NDArray[np.int64]:
        """Count the members' positive votes on each pattern."""
        return count_votes(self.patterns.matrix, members)

    def confusion(self, committee: Committee) -> Confusion:
        """Recount a committee's confusion from the patterns, exactly."""
        positive = self.counts(committee.ballots) > committee.threshold
        tp, fp = total(self.patterns.positive[positive]), total(self.patterns.negative[positive])
        positives, negatives = self.patterns.totals
        unit = Fraction(1, self.patterns.denominator)
        return Confusion(tp * unit, (positives - tp) * unit, (negatives - fp) * unit, fp * unit)

    def score(self, committee: Committee) -> Score:
        """Recount a committee's objective, exactly."""
        return self.objective.score(self, committee)

    def allows_members(self, members: Sequence[int]) -> bool:
        """Tell exactly whether a set of members meets all limits but those on criteria."""
        chosen = set(members)
        return self.may_sit(chosen) and (self.floors is None or self.floors.meet(sorted(chosen)))

    def allows(self, committee: Committee) -> bool:
        """Tell exactly whether a committee meets every limit."""
        positive = self.counts(committee.ballots) > committee.threshold
        return (
            self.objective.allows(committee)
            and self.allows_members(committee.members)
            and all(
                limit.gains.base + total(limit.gains.net[positive]) >= limit.least
                for limit in self.metric_limits
            )
        )

    def best(
        self, members: Sequence[int], threshold: int | None = None
    ) -> tuple[Committee, Score] | None:
        """Return these members with a threshold, and their score; None if they are not allowed.

        Parameters
        ----------
        members
            Indices into the pool.
        threshold
            The threshold they sit with; the best that is allowed when omitted.
        """
        if not members or not self.allows_members(members):
            return None
        if threshold is None:
            return self.objective.best(self, members)
        committee = self.committee(members, threshold)
        return (committee, self.score(committee)) if self.allows(committee) else None

    def allowed_thresholds(self, counts: NDArray[np.int64], size: int) -> NDArray[np.intp]:
        """Return the thresholds that limits on criteria allow members with these counts."""
        allowed = np.ones(size, dtype=bool)
        for limit in self.metric_limits:
            least = limit.least - limit.gains.base
            allowed &= self.above_thresholds(limit.gains.net, counts, size) >= least
        return np.flatnonzero(allowed)

    @staticmethod
    def above_thresholds(net: IntArray, counts: NDArray[np.int64], size: int) -> IntArray:
        """Return the sum of `net` over the patterns above each threshold 0 .. size - 1."""
        by_count = sum_by_group(net, counts, size + 1)
        return np.asarray(np.cumsum(by_count[::-1])[::-1][1:])


def count_votes(matrix: NDArray[np.bool_], members: Sequence[int]) -> NDArray[np.int64]:
    """Count the positive votes of some columns, each as often as it is named."""
    # Column by column, in single bytes while they hold the sum: ten times as fast as by rows.
    counts = np.zeros(len(matrix), dtype=np.uint8 if len(members) < 256 else np.int64)
    for k in members:
        np.add(counts, matrix[:, k], out=counts)
    return counts.astype(np.int64)


def _objective_of(criterion: Criterion | Margin, patterns: Patterns) -> BinaryObjective:
    """Compile what is asked for against the patterns."""
    if isinstance(criterion, Margin):
        return MarginObjective.of(criterion, patterns)
    formula = formula_of(criterion, *class_totals(patterns))
    if isinstance(formula, Weights):
        return LinearObjective.of(criterion, formula, patterns)
    return CurveObjective.of(criterion, formula, patterns)
