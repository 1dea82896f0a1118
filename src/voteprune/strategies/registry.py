"""The one registry of methods: anything that turns a problem into a committee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..exceptions import InputError, likely
from ..heuristics import HEURISTICS
from ..mip.solve import solve_merged, solve_paper
from ..primal import plurality_tabu
from ..primal.brute import enumerate_margins, solve_by_brute_force, try_all_pluralities
from ..primal.margin_tabu import search_margin
from ..primal.search import solve_by_search
from ..problem.constraints import (
    OF_MEMBERS,
    AtLeast,
    AtMost,
    Budget,
    Constraint,
    Forbid,
    Group,
    Require,
)
from ..problem.diversity import Diversity
from ..run.run import CONSTRAINT_KINDS, Method, Solve, ThresholdRule
from . import exact_fscore, exact_plurality, exact_soft
from .exact import solve_exact
from .exact_margin import solve_margin

_PLURALITY: dict[str, dict[str, Solve]] = {
    "hc-acc": {"plurality": plurality_tabu.solve_by_hill_climbing},
    "full": dict.fromkeys(("plurality", "f-score"), plurality_tabu.solve_full),
    "best": dict.fromkeys(("plurality", "f-score"), plurality_tabu.solve_best),
}
"""Heuristics that can choose committees for more than two classes, too."""

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "exact",
            "best committee with proof: search, bounds for every size and threshold, then MIP",
            "voteprune",
            solve_exact,
            uses_solver=True,
            others={
                "margin": solve_margin,
                "plurality": exact_plurality.solve_exact,
                "f-score": exact_fscore.solve_exact,
                "soft": exact_soft.solve_exact,
            },
        ),
        Method(
            "merged",
            "the merged-pattern integer program on a solver, start to end",
            "voteprune",
            solve_merged,
            uses_solver=True,
        ),
        Method(
            "paper",
            "the paper's integer program, verbatim",
            "Bastos, de Oliveira, Valle: Ensemble pruning via an integer programming approach "
            "with diversity constraints",
            solve_paper,
            uses_solver=True,
            honours=tuple(kind for kind in CONSTRAINT_KINDS if kind != "coverage"),
        ),
        Method(
            "brute",
            "every subset and threshold, for at most 20 classifiers",
            "the oracle of the tests",
            solve_by_brute_force,
            uses_solver=False,
            others={
                "margin": enumerate_margins,
                "plurality": try_all_pluralities,
                "f-score": try_all_pluralities,
                "soft": exact_soft.solve_by_brute_force,
            },
        ),
        Method(
            "search",
            "local search on vote counts, without a proof",
            "voteprune",
            solve_by_search,
            proves=False,
            others={
                "margin": search_margin,
                "plurality": plurality_tabu.solve_by_search,
                "f-score": exact_fscore.solve_by_search,
                "soft": exact_soft.solve_by_search,
            },
        ),
        *(
            replace(heuristic, others=_PLURALITY[heuristic.name])
            if heuristic.name in _PLURALITY
            else heuristic
            for heuristic in HEURISTICS
        ),
    )
}
"""Every method by name."""


def methods() -> tuple[Method, ...]:
    """List the methods; each has `name`, `summary` and `reference`."""
    return tuple(METHODS.values())


def unknown_method(argument: str, name: object) -> InputError:
    """Return the error for a method that there is not."""
    return InputError(
        argument, f"{name!r} is not known. {likely(name, METHODS)}Known are {', '.join(METHODS)}."
    )


def check_threshold(threshold: object, method: Method) -> ThresholdRule:
    """Return the rule for the threshold this method will follow, or say which it can."""
    if threshold is None:
        return method.thresholds[0]
    for rule in method.thresholds:
        if threshold == rule:
            return rule
    known = {rule for other in METHODS.values() for rule in other.thresholds}
    if threshold in known:
        raise InputError(
            "threshold",
            f"{method.name} chooses the threshold together with the members and cannot keep to "
            f"{threshold!r}. Leave it out, use a method that can, such as 'hc-uwa', or maximise a "
            "margin, such as vp.Ramp(1), whose committees decide by majority.",
        )
    raise InputError(
        "threshold", f"{threshold!r} is not known. Give 'majority', 'tuned', or leave it out."
    )


def check_honours(
    method: Method, requests: Sequence[Constraint], diversity: str | Diversity | None
) -> None:
    """Refuse what a method would have to ignore, naming it."""
    ignored = not_honoured(method, requests, diversity)
    if ignored is not None:
        argument, words = ignored
        listed = ", ".join(method.honours)
        raise InputError(
            argument,
            f"{method.name} cannot honour {words!r} and would have to ignore it. It honours "
            f"{f'only these kinds: {listed}' if listed else 'no constraint'}. "
            "Drop it, or use method='exact'.",
        )


def not_honoured(
    method: Method, requests: Sequence[Constraint], diversity: str | Diversity | None
) -> tuple[str, str] | None:
    """Return the first thing asked for that a method would have to ignore: argument and words."""
    asked = [("constraints", kind_of(request), str(request)) for request in requests]
    if diversity not in (None, "F1") and not (isinstance(diversity, Diversity) and diversity.idle):
        asked.append(("diversity", "diversity", str(diversity)))
    for argument, kind, words in asked:
        if kind not in method.honours:
            return argument, words
    return None


def kind_of(request: Constraint) -> str:
    """Return the kind of a constraint, out of `CONSTRAINT_KINDS`."""
    if isinstance(request, AtLeast | AtMost):
        return str(request.what) if request.what in OF_MEMBERS else "criterion"
    kinds: dict[type, str] = {
        Require: "require", Forbid: "forbid", Budget: "budget", Group: "group",
    }  # fmt: skip
    return kinds[type(request)]


def for_margins(method: Method, threshold: object = None) -> Method:
    """Return the method as it is for margins, by majority; or say which methods there are.

    Raises
    ------
    InputError
        If margins are not what it can optimise, or the threshold is to be another than the
        majority, which margins are counted from.
    """
    if threshold == "tuned":
        raise InputError(
            "threshold",
            "a margin is counted from the majority, so 'tuned' is not possible. Leave it out, or "
            "take a weighted criterion such as objective='accuracy'.",
        )
    if "margin" not in method.others:
        able = [name for name, other in METHODS.items() if "margin" in other.others]
        raise InputError(
            "method",
            f"{method.name!r} cannot optimise a margin. {', '.join(map(repr, able))} can; or "
            "take a weighted criterion such as objective='accuracy'.",
        )
    # The integer program of a margin has no rows for coverage.
    honours = tuple(kind for kind in method.honours if kind != "coverage")
    return replace(method, thresholds=("majority",), honours=honours)
