"""Clauses: which decisions on patterns no committee can take together, and a tree that uses them.

Where a linear program per (S, L) says little, because there are many and each is a little too
high, sets of patterns say more: no committee of any size and threshold can call all of A positive
and all of B negative if some mixture of A gets no more votes than some mixture of B. `clause` says
what that means and checks it, `conflicts` finds such sets, `relaxation` bounds by them, `tree`
branches. The names here are what other rooms use; the rest is imported by workers alone.
"""

from .case import Case
from .clause import Clause
from .proof import Refuted, Step
from .task import Cell, Share, Task

__all__ = ["Case", "Cell", "Clause", "Refuted", "Share", "Step", "Task"]
