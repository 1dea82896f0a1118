"""What no committee can exceed: bounds that need no integer programming."""

from .closure import closure_bound
from .levels import Levels

__all__ = ["Levels", "closure_bound"]
