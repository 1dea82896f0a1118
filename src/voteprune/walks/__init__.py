"""Walks through committees: where they begin, how they go on, and what limits forbid them."""

from .fines import price_of
from .flock import Flock
from .sample import thinned
from .starts import Flags, Habits, Starts

__all__ = ["Flags", "Flock", "Habits", "Starts", "price_of", "thinned"]
