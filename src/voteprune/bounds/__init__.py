"""What no committee can exceed: bounds that need no integer programming."""

from .box import Box
from .closure import closure_bound
from .levels import Levels
from .proof import Proof, Step

__all__ = ["Box", "Levels", "Proof", "Step", "closure_bound"]
