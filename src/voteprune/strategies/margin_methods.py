"""The methods that can optimise a margin, by the names they have for other objectives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..exceptions import InputError
from ..primal.margin_brute import enumerate_margins
from ..primal.margin_walk import search_margin
from ..problem.margin import MarginProblem
from ..problem.problem import Problem
from ..run.run import Method, Outcome, Run
from .exact_margin import solve_margin

_SOLVE: dict[str, Callable[[MarginProblem, Run], Outcome]] = {
    "exact": solve_margin,
    "brute": enumerate_margins,
    "search": search_margin,
}


def for_margins(method: Method, threshold: object = None) -> Method:
    """Return the method of this name for margins, or say which there are.

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
    if method.name not in _SOLVE:
        raise InputError(
            "method",
            f"{method.name!r} cannot optimise a margin. {', '.join(map(repr, _SOLVE))} can; or "
            "take a weighted criterion such as objective='accuracy'.",
        )
    solve = _SOLVE[method.name]

    def on_margins(problem: Problem, run: Run) -> Outcome:
        assert isinstance(problem, MarginProblem)
        return solve(problem, run)

    return replace(method, solve=on_margins, thresholds=("majority",))
