"""What training a pool will roughly cost, so that a long run can be seen coming."""

from __future__ import annotations

from .tasks import Cell

_FEATURES = {"prk": 22, "msk": 166, "bcw": 30, "qsr": 41, "drd": 19, "spa": 57}
_FEATURES |= {"def": 23, "bmk": 63, "aps": 170, "aps_part": 170}

_START, _PER_CELL = 5.0, 1e-4
"""Seconds of one core for a hundred classifiers: as such, and per cell of the table. Fitted to the
paper's pool on one core of a 2020s server; between half and twice the time it takes there."""


def training_seconds(cell: Cell) -> float:
    """Estimate the time to train one fold's pool, in seconds of one core."""
    rows = cell.dataset.rows or 1000
    size = rows * _FEATURES.get(cell.dataset.id, 30)
    return (_START + _PER_CELL * size) * cell.k / 100
