"""`SoftSolution`: a soft committee that leaves with its proof."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

from ..exceptions import InputError
from ..files import jsonfile
from ..problem.confusion import Confusion
from ..problem.formulas import read_four, write_four
from ..soft.certificate import SoftCertificate
from ..soft.committee import SoftCommittee
from ..soft.pruning import SoftPruning
from . import words
from .base_solution import BaseSolution, read_answer, read_optional
from .promise import Promise
from .soft_explain import SoftExplanation, explain_soft

_NUMBERS = ("loss", "penalised_loss", "lower_bound", "accuracy", "penalty", "tolerance")

NOT_KEPT = "those on criteria are not kept"
"""What is said of the constraints where no cut-off keeps the limits on criteria."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SoftSolution(BaseSolution):
    """The best committee found, its loss, and how much less any other could have.

    Every loss is a mean: the weighted sum over the rows divided by the sum of their weights. It
    checks itself: where it is optimal, the bound must be within the tolerance.

    Parameters
    ----------
    status, termination
        As on `Solution`. "optimal": no other set of members has a penalised loss that is lower by
        more than `tolerance`, as a share.
    committee
        The best committee; None where there is none.
    value, bound
        Minus the penalised loss, and what no committee can exceed, as on every solution.
    loss
        Log loss or squared error of the committee's probabilities, without the penalty.
    penalised_loss, lower_bound
        What is minimised, and what no committee can have less of.
    accuracy
        Share of the rows' weight that is decided right by the committee's cut-off.
    confusion
        Of two classes, the four counts at the cut-off; None for more.
    objective, penalty, constraints
        What was asked for.
    tolerance
        How much better another committee may be where the status is "optimal".
    method, seconds, seed, versions
        What made it.
    n_rows, n_patterns, n_classifiers
        Size of what the members say; rows are not merged, so every row is a pattern.
    explanation, incidents, unwritten, trace, problem
        As on `Solution`.
    certificate
        The proof written down, for `voteprune.verify`; None unless it was asked for.
    promise
        What can be promised about new rows, as on `Solution`: the committee then has a cut-off that
        passed on the rows held out, if one did.
    """

    _KIND: ClassVar = "soft_solution"

    committee: SoftCommittee | None
    loss: float | None
    penalised_loss: float | None
    lower_bound: float | None
    accuracy: float | None
    confusion: Confusion | None
    penalty: float
    tolerance: float
    solver: str | None = None
    problem: SoftPruning | None = field(default=None, repr=False, compare=False)
    certificate: SoftCertificate | None = field(default=None, repr=False, compare=False)
    promise: Promise | None = None

    def __post_init__(self) -> None:
        self._check(self.committee, self.penalised_loss)
        if self.status == "optimal" and not (self.gap is not None and self.gap <= self.tolerance):
            raise InputError(
                "status",
                f"cannot be optimal with a bound of {self.bound}: it is farther from the value "
                f"{self.value} than the tolerance, {self.tolerance:g} of it.",
            )

    @property
    def limits_kept(self) -> bool:
        """Whether there is a committee and its cut-off keeps every limit on a criterion.

        The status is about members and loss: "optimal" does not say that these limits are kept.
        """
        # With a committee there is one thing to explain: limits that it cannot keep.
        return self.committee is not None and not self.explanation

    @property
    def _misses_limits(self) -> bool:
        return self.committee is not None and not self.limits_kept

    def explain(self, *, time_limit: float = 10.0, near: float = 0.01) -> SoftExplanation:
        """Tell what each member weighs, what can be reached without it, and who comes near.

        Parameters
        ----------
        time_limit
            Seconds to find out what is possible without each member, all members together.
        near
            How much more loss other committees may have to be told, as a share.

        Raises
        ------
        InputError
            If there is no committee, the solution is from a file, or an argument is wrong.
        """
        if self.problem is None:
            raise InputError(
                "explain",
                "a solution from a file has no probabilities. Prune them again, and explain that.",
            )
        committee = self._check_explained(self.committee, time_limit)
        if isinstance(near, bool) or not isinstance(near, int | float) or not near >= 0:
            raise InputError("near", f"is {near!r}; expected a number, 0 or above.")
        assert self.value is not None
        return explain_soft(self.problem, committee, self.value, float(time_limit), near)

    def summary(self) -> str:
        """Return the answer and its proof as a few lines of text."""
        lines = [self._headline()]
        committee = self.committee
        if committee is not None and self.loss is not None and self.penalised_loss is not None:
            lines += [
                f"  {self.objective:<12} {self.loss:.6g}   mean over the rows",
                f"  penalised    {self.penalised_loss:.6g}   with penalty {self.penalty:g}",
            ]
            if self.lower_bound is not None and self.gap is not None:
                gap = words.percent(self.gap)
                if 0 < self.gap < self.tolerance:
                    gap = f"under {words.percent(self.tolerance)}"
                lines.append(f"  at least     {self.lower_bound:.6g}   gap {gap}")
            how = "weighted log-odds" if committee.rule == "log_odds" else "weighted mean"
            lines.append(
                f"  committee    {committee.size} of {self.n_classifiers} classifiers, {how}"
            )
            pairs = zip(committee.names, committee.weights, strict=True)
            seats = tuple(f"{name} {weight:.3g}" for name, weight in pairs)
            lines += words.wrap("  members      ", seats)
            lines += self._shares()
        if self.promise is not None:
            lines.append(f"  promise      {self.promise}")
        lines += self._asked_lines(*([NOT_KEPT] if self._misses_limits else []))
        lines.append(f"  rows         {self.n_rows}{words.weighing(self.n_rows, self.confusion)}")
        return words.lines_of([*lines, *self._method_lines()])

    def __repr__(self) -> str:
        if self.committee is None or self.penalised_loss is None:
            return BaseSolution.__repr__(self)
        least = "no bound" if self.lower_bound is None else f"at least {self.lower_bound:.6g}"
        status = self.status if self.limits_kept else f"{self.status}, limits not kept"
        return (
            f"<SoftSolution: {status}, penalised {self.objective} {self.penalised_loss:.6g} "
            f"({least}), {self.committee.size} of {self.n_classifiers} classifiers>"
        )

    def _headline(self) -> str:
        told = BaseSolution._headline(self)
        if self.status == "optimal" and self.bound != self.value:
            share = words.percent(self.tolerance)
            told = f"Optimal: no other members have a loss that is lower by more than {share}."
        if self._misses_limits:
            alone = told[0].lower() + told[1:]
            return f"Limits on criteria are not kept. By loss alone it is {alone}"
        return told

    def _shares(self) -> list[str]:
        """Say how often the committee is right; of several classes there is no confusion."""
        counts = self.confusion
        if counts is None or self.committee is None:
            return [f"  right        accuracy {self.accuracy:.6g}"]
        told = "  ".join(
            f"{name} {words.count(getattr(counts, name))}" for name in ("tp", "fn", "tn", "fp")
        )
        return [
            *words.shares(counts, self.objective),
            f"  confusion    {told}; positive above {self.committee.cutoff:.4g}",
        ]

    def _fields(self) -> dict[str, Any]:
        # The trace, what members said and the certificate, which has a file of its own, are left
        # out.
        counts = self.confusion
        return {
            **self._common_fields(),
            **{name: getattr(self, name) for name in _NUMBERS},
            "committee": None if self.committee is None else self.committee._fields(),
            "confusion": None if counts is None else write_four(counts),
            "limits_kept": self.limits_kept,
            **({} if self.promise is None else {"promise": self.promise._fields()}),
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        optional = partial(read_optional, fields)
        return fields.build(
            lambda: cls(
                **read_answer(fields),
                **{name: optional(name, fields.number) for name in _NUMBERS},
                committee=optional(
                    "committee", lambda key: SoftCommittee._from_fields(fields.object(key))
                ),
                confusion=optional(
                    "confusion", lambda key: Confusion(**read_four(fields.object(key)))
                ),
                promise=optional("promise", lambda key: Promise._from_fields(fields.object(key))),
            )
        )
