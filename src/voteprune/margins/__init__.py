"""Margin objectives: committees that decide clearly, and so generalise."""

from .methods import for_margins
from .objective import AUTOMATIC, Hinge, Margin, Ramp, check_margin
from .problem import MarginProblem
from .scale import choose_margin

__all__ = [
    "AUTOMATIC",
    "Hinge",
    "Margin",
    "MarginProblem",
    "Ramp",
    "check_margin",
    "choose_margin",
    "for_margins",
]
