"""`Pool`: all rows that are known, of which a program has but a few at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...numbers.floats import Floats

Variables = NDArray[np.int32]
"""Numbers of variables, in the type HiGHS takes."""

_FEW = 8
"""Rows that are summed up faster one by one."""


class Pool:
    """Rows ``sum of factors x variables >= least``, written one after the other.

    Parameters
    ----------
    width
        Number of variables.
    """

    def __init__(self, width: int) -> None:
        self._width, self._length = width, 0
        # With room to grow, for rows come one by one and all are asked about between them.
        self._variables, self._factors = np.empty(1024, dtype=np.int32), np.empty(1024)
        self._ends, self._least = np.zeros(65, dtype=np.int32), np.empty(64)

    def __len__(self) -> int:
        return self._length

    def add(self, variables: Variables, factors: Floats, least: float) -> None:
        """Write a row."""
        begin = int(self._ends[self._length])
        end = begin + len(variables)
        if self._length == len(self._least):
            self._ends = np.resize(self._ends, 2 * self._length + 1)
            self._least = np.resize(self._least, 2 * self._length)
        if end > len(self._variables):
            room = 2 * max(end, len(self._variables))
            self._variables = np.resize(self._variables, room)
            self._factors = np.resize(self._factors, room)
        self._variables[begin:end], self._factors[begin:end] = variables, factors
        self._least[self._length] = least
        self._length += 1
        self._ends[self._length] = end

    def row(self, number: int) -> tuple[Variables, Floats]:
        """Return the variables of a row and their factors."""
        span = slice(self._ends[number], self._ends[number + 1])
        return self._variables[span], self._factors[span]

    @property
    def least(self) -> Floats:
        """What each row asks for."""
        return self._least[: self._length]

    def lacking(self, solution: Floats, first: int = 0) -> Floats:
        """Return how much a solution lacks to meet each row; negative where it has more.

        Parameters
        ----------
        solution
            A value for every variable.
        first
            Which row to begin with.
        """
        if self._length - first <= _FEW:
            rows = (self.row(number) for number in range(first, self._length))
            sums = np.array([factors @ solution[variables] for variables, factors in rows])
        else:
            begin, end = self._ends[first], self._ends[self._length]
            written = sparse.csr_array(
                (
                    self._factors[begin:end],
                    self._variables[begin:end],
                    self._ends[first : self._length + 1] - begin,
                ),
                shape=(self._length - first, self._width),
            )
            sums = written @ solution
        return np.asarray(self.least[first:] - sums)
