"""What a method must be able to do for a margin to be its objective."""

from __future__ import annotations

from dataclasses import replace

from ..exceptions import InputError
from ..run.run import Method
from .registry import METHODS


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
