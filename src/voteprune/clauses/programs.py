"""What the two linear programs have in common: rows that come and go, in HiGHS."""

from __future__ import annotations

import highspy
import numpy as np
from scipy import sparse

from ..formulation.model import Floats


def add_rows(highs: highspy.Highs, rows: sparse.csr_array, low: Floats, high: Floats) -> None:
    """Add rows to a program."""
    highs.addRows(
        rows.shape[0], low, high, rows.nnz, rows.indptr[:-1].astype(np.int32),
        rows.indices.astype(np.int32), rows.data.astype(np.float64),
    )  # fmt: skip


def rows_in_use(highs: highspy.Highs, first: int) -> tuple[list[int], highspy.HighsBasis]:
    """Return which rows, from the first that may go on, the last solution needs.

    Returns
    -------
    places, basis
        Counted from that first row; and a basis for the program with the others taken out.
    """
    basis = highs.getBasis()
    status = list(basis.row_status)
    kept = [
        place for place, row in enumerate(status[first:]) if row != highspy.HighsBasisStatus.kBasic
    ]
    fresh = highspy.HighsBasis()
    fresh.col_status = list(basis.col_status)
    fresh.row_status = status[:first] + [status[first + place] for place in kept]
    fresh.valid = True
    return kept, fresh
