"""Margin objectives: committees that decide clearly, and so generalise."""

from .methods import for_margins
from .objective import AUTOMATIC, Hinge, Margin, Ramp
from .problem import MarginProblem

__all__ = ["AUTOMATIC", "Hinge", "Margin", "MarginProblem", "Ramp", "for_margins"]
