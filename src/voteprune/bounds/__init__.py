"""What no committee can exceed or get right: bounds that need no integer programming."""

from .closure import closure_bound
from .levels import Levels
from .rows import disputed_rows, hopeless_rows, sacrificed_rows

__all__ = ["Levels", "closure_bound", "disputed_rows", "hopeless_rows", "sacrificed_rows"]
