"""Formulas and counts in JSON: exact, whole numbers as numbers and fractions as text."""

from __future__ import annotations

from fractions import Fraction

from .confusion import Confusion
from .exceptions import InputError
from .formulas import COUNTS, Formula, GeometricMean, Matthews, Ratio, Weights
from .jsonfile import Fields

_NAMED: dict[str, Formula] = {str(formula): formula for formula in (Matthews(), GeometricMean())}


def write_four(holder: Confusion | Weights) -> dict[str, object]:
    """Write four exact numbers."""
    return {name: _number(Fraction(getattr(holder, name))) for name in COUNTS}


def read_four(fields: Fields) -> dict[str, Fraction]:
    """Read four exact numbers."""
    return {name: fields.fraction(name) for name in COUNTS}


def write_formula(formula: Formula) -> dict[str, object]:
    """Write a formula: weights as four numbers, a ratio as two such objects, others by name."""
    if isinstance(formula, Weights):
        return write_four(formula)
    if isinstance(formula, Ratio):
        return {
            "numerator": write_four(formula.numerator),
            "denominator": write_four(formula.denominator),
            "zero_division": _number(formula.zero_division),
        }
    return {"formula": str(formula)}


def read_formula(fields: Fields) -> Formula:
    """Read a formula back."""
    if not fields.missing("formula"):
        name = fields.text("formula")
        if name not in _NAMED:
            raise InputError("formula", f"is {name!r}; known are {', '.join(_NAMED)}.")
        return _NAMED[name]
    if fields.missing("numerator"):
        return Weights(**read_four(fields))
    above, below = (
        Weights(**read_four(fields.object(part))) for part in ("numerator", "denominator")
    )
    return Ratio(above, below, fields.fraction("zero_division"))


def _number(number: Fraction) -> int | str:
    return int(number) if number.denominator == 1 else str(number)
