"""`Solution`: a committee that leaves with its proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

from ..exceptions import InputError
from ..files import jsonfile
from ..problem.committee import Committee
from ..problem.confusion import Confusion
from ..problem.constraints import Constraint
from ..problem.diversity import Diversity
from ..problem.formulas import (
    Formula,
    Weights,
    read_formula,
    read_four,
    worth,
    write_formula,
    write_four,
)
from ..problem.problem import Problem
from ..run.incumbent import OPTIMAL_GAP
from ..strategies.certificate import Certificate
from . import words
from .base_solution import BaseSolution, read_answer, read_optional
from .explain import check_reopened, explain, reopen
from .explanation import Explanation
from .promise import Promise

_ROUNDING = 1e-5
"""Room for a floating-point bound, relative to all that is added up."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Solution(BaseSolution):
    """The best committee found, its recounted value, and how far from optimal it can be.

    Checks itself: the value must be what the confusion and the weights say, and the bound must
    not be below it.

    Parameters
    ----------
    status
        "optimal": nothing better exists. "feasible": `bound` says how much better could exist.
        "infeasible": no committee meets the constraints; `explanation` says which clash.
        "unknown": the limit came before a committee or a proof.
    termination
        Why the run ended: "proved", "time limit", "interrupted", "callback", "gap reached",
        "solver failed", "solver tolerance" (gains differ by more orders of magnitude than the
        solver or floats can tell apart) or "finished" (a method that proves nothing has done its
        work).
    committee, confusion, value
        The best committee, its exact counts and its objective; None where there is none.
    bound
        What no committee can exceed, in the unit of `value`; None where nothing is known.
    objective, weights
        The criterion by name, and what it stands for on these votes: `Weights`, a `Ratio` of two
        or another formula of the counts; None where it is no such formula.
    constraints, diversity
        What was asked for, in words.
    method, solver, seconds, seed, versions
        What made it.
    n_rows, n_patterns, n_classifiers
        Size of the votes.
    coverage
        Share of the rows on which at least one member votes; None where nobody may abstain.
    smallest
        Whether it is optimal, and proved that no smaller committee is as good.
    explanation
        For an infeasible request, which constraints clash.
    incidents
        What went wrong on the way and was contained.
    trusted
        Names of the solvers on whose word alone it is that nothing exceeds `bound`, or that nothing
        meets the constraints; empty where voteprune has proved that itself.
    unwritten
        Those of the incidents that are files which were asked for and could not be written. Not
        saved.
    trace
        Value and bound over time.
    problem
        What was solved, votes and all; for `explain`. Neither saved nor compared.
    certificate
        The proof, written down where that was asked for. It has a file of its own.
    promise
        What can be promised about new rows, where that was asked for: the committee is then one
        that passed on the rows held out, if one did, and all counts are of the other rows.
    """

    _KIND: ClassVar = "solution"

    committee: Committee | None
    confusion: Confusion | None
    weights: Formula | None
    diversity: str | None = None
    problem: Problem | None = field(default=None, repr=False, compare=False)
    certificate: Certificate | None = field(default=None, repr=False, compare=False)
    promise: Promise | None = None

    def __post_init__(self) -> None:
        self._check(self.committee, self.confusion)
        if self.confusion is None or self.value is None:
            return
        if self.weights is not None:
            counted = worth(self.weights, self.confusion)
            if self.value != counted:
                raise InputError("value", f"is {self.value}, but the confusion gives {counted}.")
        if self.status == "optimal":
            stake = 1.0
            if isinstance(self.weights, Weights):
                stake = self.weights.at_stake(self.confusion)
            room = _ROUNDING * max(1.0, abs(self.value), stake)
            far = self.value != 0 and self.gap is not None and self.gap > OPTIMAL_GAP
            if self.bound is None or self.bound - self.value > room or far:
                raise InputError("status", f"cannot be optimal with a bound of {self.bound}.")

    def summary(self) -> str:
        """Return the answer and its proof as a few lines of text."""
        lines = [self._headline()]
        if self.committee is not None and self.confusion is not None:
            counts = self.confusion
            lines += [
                *self._value_lines(),
                f"  committee    {self.committee.size} of {self.n_classifiers} classifiers, "
                + words.votes(self.committee)
                + f"positive from {self.committee.threshold + 1} vote"
                f"{'s' if self.committee.threshold else ''} on",
                *words.wrap("  members      ", words.seats(self.committee)),
                *words.shares(counts, self.objective),
                *self._coverage_lines("negative"),
                f"  confusion    tp {words.count(counts.tp)}  fn {words.count(counts.fn)}  "
                f"tn {words.count(counts.tn)}  fp {words.count(counts.fp)}",
            ]
        if self.promise is not None:
            lines.append(f"  promise      {self.promise}")
        lines += self._asked_lines(*([self.diversity] if self.diversity else []))
        weighing = words.weighing(self.n_rows, self.confusion)
        lines.append(
            f"  votes        {self.n_rows} rows{weighing}, {self.n_patterns} distinct patterns"
        )
        return words.lines_of([*lines, *self._method_lines()])

    def explain(
        self,
        votes: object = None,
        y: object = None,
        *,
        constraints: Constraint | Sequence[Constraint] | None = (),
        diversity: str | Diversity | None = None,
        sample_weight: object = None,
        time_limit: float = 10.0,
    ) -> Explanation:
        """Tell which members carry the committee, what could replace them, and what is lost.

        A solution as `prune` returns it knows its votes. One that was read from a file needs them
        again, with the constraints it was found under; they are checked against what is on file.

        Parameters
        ----------
        votes, y, constraints, diversity, sample_weight
            As they were given to `prune`; only for a solution from a file.
        time_limit
            Seconds for the exact method to find out what is possible without each member, all
            members together; small pools take a moment. 0 leaves it at the closure bound.

        Returns
        -------
        Explanation

        Raises
        ------
        InputError
            If there is no committee to explain, or the votes are not those it was chosen on.
        """
        committee, problem = self._check_explained(self.committee, time_limit), self.problem
        if problem is None or votes is not None:
            given = (votes, y, sample_weight, constraints, diversity)
            problem = reopen(*given, self.objective, self.weights)
            told = self.value, self.constraints, self.diversity
            check_reopened(problem, committee, self.confusion, *told)
        return explain(problem, committee, self.objective, self._claim(), time_limit)

    def _fields(self) -> dict[str, Any]:
        counts = self.confusion
        return {
            **self._common_fields(),
            "committee": None if self.committee is None else self.committee._fields(),
            "confusion": None if counts is None else write_four(counts),
            "weights": None if self.weights is None else write_formula(self.weights),
            "diversity": self.diversity,
            **({} if self.promise is None else {"promise": self.promise._fields()}),
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        return fields.build(lambda: cls(**_read(fields)))


def _read(fields: jsonfile.Fields) -> dict[str, Any]:
    optional = partial(read_optional, fields)
    return {
        **read_answer(fields),
        "committee": optional("committee", lambda key: Committee._from_fields(fields.object(key))),
        "confusion": optional("confusion", lambda key: Confusion(**read_four(fields.object(key)))),
        "weights": optional("weights", lambda key: read_formula(fields.object(key))),
        "diversity": optional("diversity", fields.text),
        "promise": optional("promise", lambda key: Promise._from_fields(fields.object(key))),
    }
