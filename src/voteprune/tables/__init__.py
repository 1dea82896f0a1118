"""Vote tables in files: CSV (plain or gzipped) and Parquet, read fast and checked cell by cell.

Two layouts are known. The paper's has the columns ``datatype`` (validation or test),
``real_class`` and ``index``, then one column per classifier. Any other table is read with
`target`, the name of its label column; every column but that one, and ``index`` where there is
one, is a classifier.

The way of a file: `wish` is what the user says about it, `formats` loads it and tells the format. A
plain table of numbers goes to `csvfile` or `parquet`, which find the columns and ask `layout` which
of them matter; `rows` has the rules that every cell must keep. Anything else becomes a `sheet` of
text first: words, tables with a line for each vote, `other_tools`' files, and several files joined
by an id.
"""

from .formats import is_plain
from .labels import read_labels
from .layout import model_of
from .read import (
    read_classes,
    read_costs,
    read_plurality,
    read_rows,
    read_source,
    read_table,
    read_votes,
)
from .rows import Bools, ClassTable, Rows, VoteTable
from .sheet import Sheet
from .wish import Wish

__all__ = [
    "Bools",
    "ClassTable",
    "Rows",
    "Sheet",
    "VoteTable",
    "Wish",
    "is_plain",
    "model_of",
    "read_classes",
    "read_costs",
    "read_labels",
    "read_plurality",
    "read_rows",
    "read_source",
    "read_table",
    "read_votes",
]
