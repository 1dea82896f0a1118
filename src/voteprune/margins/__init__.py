"""Margin objectives: committees that decide clearly, and so generalise."""

from .methods import for_margins
from .objective import AUTOMATIC, KINDS, Hinge, Margin, Ramp, check_margin, read_margin
from .problem import MarginProblem
from .scale import choose_margin

__all__ = [
    "AUTOMATIC",
    "KINDS",
    "Hinge",
    "Margin",
    "MarginProblem",
    "Ramp",
    "check_margin",
    "choose_margin",
    "for_margins",
    "read_margin",
]
