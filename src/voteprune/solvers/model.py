"""A mixed-integer program as one sparse matrix: all that a solver ever sees."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..numbers.floats import Floats

_INDEX = np.int32
"""Of sparse matrices: what solvers count in, and older releases of SciPy do not convert."""

_OFTEN = 1024
"""Variables or rows after which a builder looks at the clock."""


@dataclass(frozen=True, eq=False)
class Model:
    """Maximise ``objective @ v`` subject to ``row_low <= matrix @ v <= row_high``.

    Parameters
    ----------
    objective, low, high
        Cost and bounds of each variable. Bounds of integer variables are finite.
    integer
        Which variables are integer.
    matrix
        Sparse rows.
    row_low, row_high
        Bounds of each row, infinite where there is none.
    """

    objective: Floats
    low: Floats
    high: Floats
    integer: NDArray[np.bool_]
    matrix: sparse.csr_array
    row_low: Floats
    row_high: Floats

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.objective)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.row_low)

    def with_row(self, columns: Sequence[int], values: Sequence[float], low: float) -> Model:
        """Return the model with one more row, ``values @ v[columns] >= low``."""
        places = np.asarray(columns, _INDEX)
        row = sparse.csr_array(
            (np.asarray(values, float), (np.zeros_like(places), places)),
            shape=(1, self.n_variables),
        )
        return replace(
            self,
            matrix=sparse.csr_array(sparse.vstack([self.matrix, row])),
            row_low=np.append(self.row_low, low),
            row_high=np.append(self.row_high, np.inf),
        )


class TimeOver(Exception):  # noqa: N818 - a fact, not a fault
    """The deadline came before a model was complete."""


@dataclass
class ModelBuilder:
    """Collects variables and rows, then makes a `Model`.

    Parameters
    ----------
    deadline
        When to give up, as `time.monotonic` tells it: `TimeOver` is raised then.
    """

    deadline: float = math.inf
    _objective: list[float] = field(default_factory=list)
    _low: list[float] = field(default_factory=list)
    _high: list[float] = field(default_factory=list)
    _integer: list[bool] = field(default_factory=list)
    _columns: list[NDArray[np.int32]] = field(default_factory=list)
    _values: list[Floats] = field(default_factory=list)
    _row_low: list[float] = field(default_factory=list)
    _row_high: list[float] = field(default_factory=list)

    def variable(self, low: float, high: float, *, cost: float = 0.0, integer: bool = True) -> int:
        """Add a variable and return its column."""
        self._look_at_the_clock(len(self._low))
        self._low.append(low)
        self._high.append(high)
        self._objective.append(cost)
        self._integer.append(integer)
        return len(self._low) - 1

    def row(
        self,
        columns: Sequence[int] | NDArray[np.intp],
        values: Sequence[float] | Floats,
        *,
        low: float = -np.inf,
        high: float = np.inf,
    ) -> None:
        """Add a row ``low <= values @ v[columns] <= high``."""
        self._look_at_the_clock(len(self._columns))
        self._columns.append(np.asarray(columns, dtype=_INDEX))
        self._values.append(np.asarray(values, dtype=np.float64))
        self._row_low.append(low)
        self._row_high.append(high)

    def _look_at_the_clock(self, done: int) -> None:
        if done % _OFTEN == 0 and time.monotonic() >= self.deadline:
            raise TimeOver

    def build(self) -> Model:
        """Return the model collected so far."""
        lengths = [len(columns) for columns in self._columns]
        n = len(self._low)
        matrix = sparse.csr_array(
            (
                np.concatenate([*self._values, np.empty(0)]),
                np.concatenate([*self._columns, np.empty(0, dtype=_INDEX)]),
                np.concatenate([[0], np.cumsum(lengths)]).astype(_INDEX),
            ),
            shape=(len(lengths), n),
        )
        matrix.sum_duplicates()
        return Model(
            np.array(self._objective),
            np.array(self._low),
            np.array(self._high),
            np.array(self._integer, dtype=bool),
            matrix,
            np.array(self._row_low),
            np.array(self._row_high),
        )
