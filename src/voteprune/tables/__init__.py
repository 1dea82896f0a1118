"""Vote tables in files: CSV (plain or gzipped) and Parquet, read fast and checked cell by cell.

Two layouts are known. The paper's has the columns ``datatype`` (validation or test),
``real_class`` and ``index``, then one column per classifier. Any other table is read with
`target`, the name of its label column; every column but that one, and ``index`` where there is
one, is a classifier.

The way of a file: `read_options` has what the user says about it, `file_bytes` loads and unpacks
it, `format_detection` tells its format. A plain table of numbers goes to `csvfile` or `parquet`,
which find the columns and ask `layout` which of them matter; `checked_rows` has the rules that
every cell must keep. Anything else becomes a `text_sheet` first: words, tables with a line for each
vote, files of `other_tools`, and several files joined by an id (`joining`). `readers` has what the
rest of the package calls.
"""

from .checked_rows import Bools, ClassTable, Rows, VoteTable
from .format_detection import is_plain, tables_of
from .labels import read_labels
from .layout import model_of
from .read_options import ReadOptions
from .readers import (
    read_classes,
    read_costs,
    read_plurality,
    read_rows,
    read_source,
    read_table,
    read_votes,
)
from .text_sheet import Sheet

__all__ = [
    "Bools",
    "ClassTable",
    "ReadOptions",
    "Rows",
    "Sheet",
    "VoteTable",
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
    "tables_of",
]
