"""`Node`: a node of the tree by sizes: some (S, L) with a bound at each, some variables fixed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from .levels import Levels

FREE = -1
"""A variable that is not fixed; others are fixed at 0 or 1."""

ALL = 2
"""In `Node.done`: the linear program has had all its rows; 1 after the portable ones alone."""


@dataclass(frozen=True, eq=False)
class Node:
    """A part of all committees: those of some (S, L), with some variables fixed.

    Parameters
    ----------
    key
        Its number.
    pairs
        The (S, L) in it; m x 2.
    bounds
        What no committee of the node can exceed at each of them.
    done
        At each of them, whether its linear program has been solved for this very node: 0 if not, 1
        with portable rows only, `ALL` with all rows.
    decided
        For each classifier, then for each pattern: 1 if it sits or is decided right, 0 if not,
        `FREE` if that is open. At an (S, L) that asks for more right votes than there are
        classifiers voting right, a pattern is lost whatever this says.
    by
        Which proof step gave each bound; -1 for none but the closure bound.
    """

    key: int
    pairs: NDArray[np.intp]
    bounds: Floats
    done: NDArray[np.int8]
    decided: NDArray[np.int8]
    by: NDArray[np.int64]

    @classmethod
    def everything(cls, levels: Levels, bound: float) -> Node:
        """Return the node of all committees, under a bound that holds for all."""
        pairs = levels.pairs()
        decided = np.full(levels.n_classifiers + levels.n_patterns, FREE, dtype=np.int8)
        decided[levels.required] = 1
        m = len(pairs)
        return cls(0, pairs, np.full(m, bound), np.zeros(m, dtype=np.int8), decided, np.full(m, -1))

    def __len__(self) -> int:
        return len(self.pairs)

    def excess(self, targets: Floats) -> Floats:
        """Return how far each bound is above the target of its size."""
        return self.bounds - targets[self.pairs[:, 0]]

    def only(self, keep: NDArray[np.bool_]) -> Node:
        """Return the node with some of its (S, L)."""
        return replace(
            self, pairs=self.pairs[keep], bounds=self.bounds[keep], done=self.done[keep],
            by=self.by[keep],
        )  # fmt: skip

    def leaving(self, by: int | None = None) -> NDArray[np.int64]:
        """Return S, L and the step that bounds it for each (S, L), as a proof step notes them."""
        reason = self.by if by is None else np.full(len(self), by)
        return np.column_stack([self.pairs, reason]).astype(np.int64)

    def bounded(self, bounds: Floats, step: int) -> Node:
        """Return the node with the lower of two bounds at each (S, L)."""
        better = bounds < self.bounds
        return replace(
            self, bounds=np.where(better, bounds, self.bounds), by=np.where(better, step, self.by)
        )

    def deciding(self, variables: NDArray[np.intp], values: NDArray[np.int8] | int) -> Node:
        """Return the node with some more variables fixed."""
        decided = self.decided.copy()
        decided[variables] = values
        return replace(self, decided=decided)

    def branch(self, variable: int, keys: tuple[int, int]) -> list[Node]:
        """Return the two nodes that set one variable to 0 and to 1."""
        fresh = np.zeros(len(self), dtype=np.int8)
        return [
            replace(self.deciding(np.array([variable]), value), key=key, done=fresh)
            for key, value in zip(keys, (0, 1), strict=True)
        ]
