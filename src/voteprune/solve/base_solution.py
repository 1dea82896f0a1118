"""What every answer has, whatever was voted on: a status, a headline, and fields on file."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, TypedDict, TypeVar, get_args

from ..exceptions import InfeasibleError, InputError, shown
from ..files import jsonfile
from ..files.jsonfile import Document
from ..problem.plurality import PluralityProblem
from ..problem.problem import Problem
from ..run.incumbent import Incumbent, Progress, relative_gap
from ..run.run import Method, Outcome
from ..solvers import whose_word
from . import words
from .explanation import Claim
from .words import html_of_summary

T = TypeVar("T")

Status = Literal["optimal", "feasible", "infeasible", "unknown"]
"""How much is known: "unknown" means neither a committee nor a proof that there is none."""


_TEXTS = ("status", "termination", "objective", "method", "explanation")
_WHOLE = ("seed", "n_rows", "n_patterns", "n_classifiers")
"""Fields that are written as they are."""


def headline(
    status: Status,
    termination: str,
    value: float | None,
    bound: float | None,
    trusted: Sequence[str],
    *,
    smallest: bool = False,
) -> str:
    """Return the answer in one sentence, which says whose word it is."""
    gap, word = relative_gap(value, bound), f", {whose_word(trusted)}" if trusted else ""
    if status == "optimal":
        if bound == value:
            smaller = ", and no smaller one is as good" * smallest
            return f"Optimal{word}: no committee is better{smaller}."
        return f"Optimal up to the solver's rounding{word}."
    if status == "infeasible":
        return f"Infeasible{word}: no committee meets the constraints."
    if status == "unknown":
        return f"Nothing found and nothing ruled out ({termination})."
    if gap is None:
        return "A committee, without a bound."
    if math.isinf(gap):
        return f"Feasible{word}: nothing above {bound:.6g} is possible ({termination})."
    return f"Feasible{word}: at most {words.percent(gap)} better is possible ({termination})."


def status_of(incumbent: Incumbent, outcome: Outcome, method: Method) -> Status:
    """Return how much is known at the end of a run."""
    if incumbent.committee is None:
        return "infeasible" if outcome.infeasible else "unknown"
    closed = method.proves and incumbent.closed
    return "optimal" if outcome.termination == "proved" or closed else "feasible"


def coverage_of(problem: Problem | PluralityProblem, members: Sequence[int] | None) -> float | None:
    """Return the share of the rows on which a member votes; None where nobody may abstain."""
    if members is None or problem.votes.abstentions is None:
        return None
    return 1.0 if problem.coverage is None else problem.coverage.share(members)


class Found(TypedDict):
    """What is known of every answer, whatever was voted on, as fields of `BaseSolution`."""

    status: Status
    termination: str
    bound: float | None
    objective: str
    method: str
    solver: str | None
    seconds: float
    seed: int
    n_classifiers: int
    constraints: tuple[str, ...]
    explanation: str
    incidents: tuple[str, ...]
    unwritten: tuple[str, ...]
    trusted: tuple[str, ...]
    versions: dict[str, str]
    trace: tuple[Progress, ...]
    smallest: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSolution(Document):
    """What every solution has, whatever was voted on; `Solution` describes the fields."""

    status: Status
    termination: str
    value: float | None
    bound: float | None
    objective: str
    method: str
    solver: str | None
    seconds: float
    seed: int
    n_rows: int
    n_patterns: int
    n_classifiers: int
    constraints: tuple[str, ...] = ()
    explanation: str = ""
    incidents: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict, hash=False)
    unwritten: tuple[str, ...] = field(default=(), repr=False, compare=False)
    trace: tuple[Progress, ...] = field(default=(), repr=False, compare=False)
    coverage: float | None = None
    smallest: bool = False

    def _check(self, *found: object) -> None:
        """Check that status, value and bound fit, and that all of `found` is there or none."""
        if self.status not in get_args(Status):
            raise InputError("status", f"is {self.status!r}; expected {get_args(Status)}.")
        there = found[0] is not None
        if there != (self.status in ("optimal", "feasible")):
            raise InputError("status", f"{self.status!r} does not fit the committee.")
        if any((each is not None) != there for each in (self.value, *found)):
            raise InputError("value", "a committee comes with its value and all that was counted.")
        if self.value is not None and self.bound is not None and not self.bound >= self.value:
            raise InputError("bound", f"{self.bound} is below the value {self.value}.")

    def _check_explained(self, committee: T | None, time_limit: float) -> T:
        """Return the committee that is to be explained, or say why it cannot be."""
        if committee is None:
            raise InputError("solution", f"{self.status}: there is no committee to explain.")
        _check_seconds(time_limit)
        return committee

    def _claim(self) -> Claim:
        return Claim(self.bound, self.bound == self.value, self.trusted)

    @property
    def gap(self) -> float | None:
        """``(bound - value) / |value|``; None without a committee or a bound."""
        return relative_gap(self.value, self.bound)

    @abstractmethod
    def summary(self) -> str:
        """Return the answer and its proof as a few lines of text."""

    def __repr__(self) -> str:
        kind, committee = type(self).__name__, getattr(self, "committee", None)
        if committee is None or self.value is None:
            return f"<{kind}: {self.status}>"
        limit = "no bound" if self.bound is None else f"bound {self.bound:.6g}"
        return (
            f"<{kind}: {self.status}, {shown(self.objective)} {self.value:.6g} ({limit}), "
            f"{committee.size} of {self.n_classifiers} classifiers>"
        )

    def to_html(
        self,
        *,
        time_limit: float = 20.0,
        explanation: Any = None,
        about: Mapping[str, str] | None = None,
        command: str = "",
    ) -> str:
        """Return the answer as a page: one HTML file that needs nothing but itself.

        It shows the committee and what is lost without each member, value and bound over time, the
        best committees of other sizes and budgets, what was decided right and wrong, and how
        members agree. Needs the extra ``html``.

        Parameters
        ----------
        time_limit
            Seconds: half to find out what is lost without each member, the rest for other sizes and
            budgets.
        explanation
            What `explain` returned, where it is at hand.
        about
            More lines on the run: what is told, by its name.
        command
            The command that makes this answer again.

        Raises
        ------
        InputError
            If there is no committee to show, or something to write the page with is missing.
        """
        _check_seconds(time_limit, endless=False)
        # The page stands floors above, on the front and the pictures; so it is known by name.
        page = import_module("voteprune.displays.page")
        return str(
            page.render(
                self, seconds=time_limit, explanation=explanation, about=about, command=command
            )
        )

    def _repr_html_(self) -> str:
        return html_of_summary(self.summary())

    def _headline(self) -> str:
        about = self.status, self.termination, self.value, self.bound
        # Of one member that goes without saying.
        committee = getattr(self, "committee", None)
        several = committee is not None and committee.size > 1
        return headline(*about, self.trusted, smallest=self.smallest and several)

    def _value_lines(self) -> list[str]:
        gap = "" if self.gap is None else f"   gap {words.percent(self.gap)}"
        return [
            f"  value        {self.value:.6g}   {self.objective}",
            f"  bound        {'none' if self.bound is None else f'{self.bound:.6g}'}{gap}",
        ]

    def _coverage_lines(self, otherwise: object) -> list[str]:
        """Say on how many rows a member votes, and what the others are decided as."""
        if self.coverage is None:
            return []
        return [
            f"  coverage     {words.percent(self.coverage)} of the rows have a member's vote; "
            f"others are {otherwise}"
        ]

    def _asked_lines(self, *more: str) -> list[str]:
        """Say why there is no committee, and what was asked for, constraints and more."""
        asked = [*self.constraints, *more]
        return [
            *([f"  why          {self.explanation}"] if self.explanation else []),
            *(words.wrap("  subject to   ", asked, "; ") if asked else []),
        ]

    def _method_lines(self) -> list[str]:
        by = self.method if self.solver is None else f"{self.method} ({self.solver})"
        return [
            f"  method       {by}, {self.seconds:.2f} s, seed {self.seed}",
            *(f"  incident     {incident}" for incident in self.incidents),
        ]

    def _common_fields(self) -> dict[str, Any]:
        """Return what is written of every solution; the trace and the votes are left out."""
        return {
            **{name: getattr(self, name) for name in (*_TEXTS, *_WHOLE)},
            "value": self.value,
            "bound": self.bound,
            "gap": None if self.gap is None or math.isinf(self.gap) else self.gap,
            "constraints": list(self.constraints),
            "incidents": list(self.incidents),
            "trusted": list(self.trusted),
            "solver": self.solver,
            "seconds": self.seconds,
            "versions": self.versions,
            **({} if self.coverage is None else {"coverage": self.coverage}),
            **({"smallest": True} if self.smallest else {}),
        }


def _check_seconds(given: object, *, endless: bool = True) -> None:
    number = isinstance(given, int | float) and not isinstance(given, bool) and given >= 0
    if not number or (given == math.inf and not endless):
        raise InputError("time_limit", f"is {given!r}; expected seconds from 0 on.")


def read_optional(fields: jsonfile.Fields, key: str, read: Any) -> Any:
    """Read a field that may be missing."""
    return None if fields.missing(key) else read(key)


def _read_trusted(fields: jsonfile.Fields) -> tuple[str, ...]:
    """Read whose word it is.

    Older files do not say; whatever solver they name may have been believed.
    """
    if not fields.missing("trusted"):
        return fields.texts("trusted")
    return () if fields.missing("solver") else (fields.text("solver"),)


def read_answer(fields: jsonfile.Fields) -> dict[str, Any]:
    """Read what every answer on file has, whatever was voted on."""
    return {
        "value": read_optional(fields, "value", fields.number),
        "bound": read_optional(fields, "bound", fields.number),
        "solver": read_optional(fields, "solver", fields.text),
        "constraints": fields.texts("constraints"),
        "incidents": fields.texts("incidents"),
        "trusted": _read_trusted(fields),
        "versions": fields.mapping("versions"),
        "seconds": fields.number("seconds"),
        "coverage": read_optional(fields, "coverage", fields.number),
        "smallest": not fields.missing("smallest") and fields.flag("smallest"),
        **{name: fields.text(name) for name in _TEXTS},
        **{name: fields.integer(name) for name in _WHOLE},
    }


def require_committee(solution: Any) -> Any:
    """Return the committee of a solution.

    Raises
    ------
    InfeasibleError
        If no committee meets the constraints.
    InputError
        If the time was too short to find one.
    """
    if solution.status == "infeasible":
        raise InfeasibleError(
            "constraints",
            f"{solution.explanation} Relax what cannot be met, or add better members to the pool.",
        )
    if solution.committee is None:
        raise InputError(
            "time_limit",
            f"no committee that meets the constraints was found in {solution.seconds:.1f} s "
            f"({solution.termination}), and none was ruled out. Give more time, or relax a "
            "constraint.",
        )
    return solution.committee
