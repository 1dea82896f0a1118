"""`PluralityProof`: what happened in the tree for several classes, for anybody to check.

A proof begins with a node for every size. Each step closes a node, decides something in it, or
branches it. What is left in the end are the open nodes; the highest bound among them is what the
proof proves.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...bounds.wins_rows import Priced
from ...problem.wins import Wins
from .task import Node, Step


@dataclass
class PluralityProof:
    """A proof as far as it went.

    Parameters
    ----------
    wins, scale
        The data it is about, and how many units make one of their weights.
    roots
        The sizes and the keys of their first nodes.
    prices
        All prices, by their numbers.
    steps
        In order.
    nodes
        What is open.
    """

    wins: Wins
    scale: float
    roots: tuple[tuple[int, int], ...]
    prices: dict[int, Priced] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    nodes: tuple[Node, ...] = ()
