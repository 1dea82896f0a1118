"""From the records of a run to tables, pictures and one page to read.

The way of a figure: `results` puts the records in order and scores them exactly; `against_paper`,
`standings`, `series` and `seats` make `Facts` of them (`facts.collect`), all of it data; only then
`table` writes text, `figures` draws, `page` puts both into one HTML file or into many.
"""

from .facts import TITLE, Facts, collect, collect_run
from .figures import Picture, draw_all
from .page import FORMS, render, table_texts, write_files

__all__ = [
    "FORMS",
    "TITLE",
    "Facts",
    "Picture",
    "collect",
    "collect_run",
    "draw_all",
    "render",
    "table_texts",
    "write_files",
]
