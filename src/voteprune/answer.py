"""What every answer has, whatever was voted on: a status, a headline, and fields on file."""

from __future__ import annotations

import math
from typing import Any, Literal

from . import jsonfile, words
from .ledger import relative_gap

Status = Literal["optimal", "feasible", "infeasible", "unknown"]
"""How much is known: "unknown" means neither a committee nor a proof that there is none."""


def headline(status: Status, termination: str, value: float | None, bound: float | None) -> str:
    """Return the answer in one sentence."""
    gap = relative_gap(value, bound)
    if status == "optimal":
        if bound == value:
            return "Optimal: no committee is better."
        return "Optimal up to the solver's rounding."
    if status == "infeasible":
        return "Infeasible: no committee meets the constraints."
    if status == "unknown":
        return f"Nothing found and nothing ruled out ({termination})."
    if gap is None:
        return "A committee, without a bound."
    if math.isinf(gap):
        return f"Feasible: nothing above {bound:.6g} is possible ({termination})."
    return f"Feasible: at most {words.percent(gap)} better is possible ({termination})."


def read_optional(fields: jsonfile.Fields, key: str, read: Any) -> Any:
    """Read a field that may be missing."""
    return None if fields.missing(key) else read(key)


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
        "versions": fields.mapping("versions"),
        "seconds": fields.number("seconds"),
        **{name: fields.text(name) for name in texts},
        **{name: fields.integer(name) for name in whole},
    }
