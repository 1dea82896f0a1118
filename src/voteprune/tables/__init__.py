"""Vote tables in files: CSV (plain or gzipped) and Parquet, read fast and checked cell by cell.

Two layouts are known. The paper's has the columns ``datatype`` (validation or test),
``real_class`` and ``index``, then one column per classifier. Any other table is read with
`target`, the name of its label column; every column but that one, and ``index`` where there is
one, is a classifier.

The way of a file: `read` loads it and tells the format, `csvfile` or `parquet` finds the columns
and asks `layout` which of them matter, and `rows` has the rules that every cell must keep.
"""

from .labels import read_labels, read_plurality
from .layout import model_of
from .read import read_costs, read_table, read_votes
from .rows import Bools, Rows, VoteTable

__all__ = [
    "Bools",
    "Rows",
    "VoteTable",
    "model_of",
    "read_costs",
    "read_labels",
    "read_plurality",
    "read_table",
    "read_votes",
]
