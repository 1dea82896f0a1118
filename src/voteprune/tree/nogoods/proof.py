"""`NogoodsProof`: the tree written down: nodes that were branched, and why others were closed."""

from __future__ import annotations

from dataclasses import dataclass, field

from .case import Case
from .nogood import Nogood


@dataclass(frozen=True, eq=False)
class Step:
    """What became of a node.

    Parameters
    ----------
    node
        Its number; 0 is where everything begins.
    variable, heirs
        The variable it was branched on, and the numbers of its two children, with that variable
        at 0 and at 1; no heirs if it was closed.
    nogoods, prices
        What closed it: prices on nogoods.
    limits
        Prices on limits on what is called positive, by their numbers in the case.
    """

    node: int
    variable: int = -1
    heirs: tuple[int, int] | None = None
    nogoods: tuple[Nogood, ...] = ()
    prices: tuple[float, ...] = ()
    limits: tuple[tuple[int, float], ...] = ()


@dataclass
class NogoodsProof:
    """A proof that nothing beats the incumbent: a whole tree.

    Parameters
    ----------
    case, scale
        The data it is about, and how many units make one of theirs.
    steps
        In order. A node that was closed without any price holds one committee, which was recounted.
    """

    case: Case
    scale: float
    steps: list[Step] = field(default_factory=list)
