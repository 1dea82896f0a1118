"""What every answer has, whatever was voted on: a status, a headline, and fields on file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from ..exceptions import shown
from ..files import jsonfile
from ..problem import words
from ..run.incumbent import relative_gap
from ..solvers import whose_word

Status = Literal["optimal", "feasible", "infeasible", "unknown"]
"""How much is known: "unknown" means neither a committee nor a proof that there is none."""


def headline(
    status: Status,
    termination: str,
    value: float | None,
    bound: float | None,
    trusted: Sequence[str],
) -> str:
    """Return the answer in one sentence, which says whose word it is."""
    gap, word = relative_gap(value, bound), f", {whose_word(trusted)}" if trusted else ""
    if status == "optimal":
        if bound == value:
            return f"Optimal{word}: no committee is better."
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


def brief_answer(
    kind: str,
    status: Status,
    objective: str,
    value: float | None,
    bound: float | None,
    seats: tuple[int, int] | None,
) -> str:
    """Return an answer as one short line, for a prompt.

    Parameters
    ----------
    kind
        What it is called.
    status, objective, value, bound
        As on it.
    seats
        How many sit and out of how many; None without a committee.
    """
    if seats is None or value is None:
        return f"<{kind}: {status}>"
    limit = "no bound" if bound is None else f"bound {bound:.6g}"
    return (
        f"<{kind}: {status}, {shown(objective)} {value:.6g} ({limit}), "
        f"{seats[0]} of {seats[1]} classifiers>"
    )


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
    texts = ("status", "termination", "objective", "method", "explanation")
    whole = ("seed", "n_rows", "n_patterns", "n_classifiers")
    return {
        "value": read_optional(fields, "value", fields.number),
        "bound": read_optional(fields, "bound", fields.number),
        "solver": read_optional(fields, "solver", fields.text),
        "constraints": fields.texts("constraints"),
        "incidents": fields.texts("incidents"),
        "trusted": _read_trusted(fields),
        "versions": fields.mapping("versions"),
        "seconds": fields.number("seconds"),
        **{name: fields.text(name) for name in texts},
        **{name: fields.integer(name) for name in whole},
    }
