"""Walks through committees: where they begin, how they go on, and what limits forbid them."""

from .flock import Flock
from .starts import Flags, Habits, Starts

__all__ = ["Flags", "Flock", "Habits", "Starts"]
