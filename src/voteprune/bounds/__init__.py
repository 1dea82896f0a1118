"""What no committee can exceed or get right: bounds that need no integer programming."""

from .box import Box
from .closure import CLOSURE_SHARE, Cut, closure, closure_bound
from .levels import Levels
from .proof import Proof, Step
from .rows import disputed_rows, hopeless_rows, sacrificed_rows

__all__ = [
    "CLOSURE_SHARE",
    "Box",
    "Cut",
    "Levels",
    "Proof",
    "Step",
    "closure",
    "closure_bound",
    "disputed_rows",
    "hopeless_rows",
    "sacrificed_rows",
]
