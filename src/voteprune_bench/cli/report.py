"""``voteprune report``: from the folder of a run to tables, pictures and a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from voteprune.cli.console import PROVED, say
from voteprune.cli.option_texts import check_output
from voteprune.cli.output import emit
from voteprune.exceptions import InputError
from voteprune.files import outfile
from voteprune.web.pages import require_jinja
from voteprune.web.pictures import require_matplotlib

from ..report import FORMS, TITLE, Facts, collect_run, draw_all, render, table_texts, write_files
from ..report.generalisation import generalisation_page


def report_command(
    run: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    tables: Path | None = None,
    format: str = "text",
    only: str | None = None,
    title: str = TITLE,
    generalisation: Path | None = None,
) -> int:
    """Report on the run in the folder RUN, the paper's figures beside ours.

    Prints the tables, unless --output or --tables is given. A run that is still going on, or that
    has been interrupted, is reported on as far as it has come.

    Parameters
    ----------
    run
        What "voteprune bench" wrote.
    output
        Write one HTML page here, which needs no other file.
    tables
        Write every table (Markdown, LaTeX, CSV) and picture (SVG) into this folder.
    format
        Form of printed tables: text, markdown, latex or csv; json prints all facts.
    only
        Names of the tables to print, with commas between; all when omitted.
    title
        Title of the page.
    generalisation
        Write instead a page in Markdown on unseen rows: the default against its rivals, for a run
        with the contenders of docs/results/generalisation.
    """
    if format not in (*FORMS, "json"):
        raise InputError("--format", f"{format!r}: use one of {', '.join(FORMS)}, json.")
    if only is not None and (output or tables or generalisation or format == "json"):
        raise InputError("--only", "is for tables that are printed. Leave it out.")
    if generalisation is not None:
        others = {
            "--output": output is not None, "--tables": tables is not None,
            "--format": format != "text", "--title": title != TITLE,
        }  # fmt: skip
        for option in (option for option, given in others.items() if given):
            raise InputError(option, "is not for --generalisation. Leave it out.")
        check_output(generalisation, option="--generalisation")
        outfile.write_text(generalisation, generalisation_page(run))
        say(f"wrote {generalisation}")
        return PROVED
    if format != "text" and (output or tables):
        raise InputError("--format", "is for tables that are printed. Leave it out.")
    _check(output, tables)
    facts = collect_run(run, title)
    if output is None and tables is None:
        emit(facts.to_json() if format == "json" else _printed(facts, format, only))
        return PROVED
    pictures = list(draw_all(facts))
    if output is not None:
        outfile.write_text(output, render(facts, pictures))
        say(f"wrote {output}")
    if tables is not None:
        written = write_files(facts, pictures, tables)
        say(f"wrote {len(written)} files to {tables}; {written[0].name} shows them all")
    return PROVED


def _check(output: Path | None, tables: Path | None) -> None:
    """Refuse what cannot be written, before the work rather than after it."""
    if output is not None:
        require_jinja("report")
        check_output(output)
    if tables is not None and tables.exists() and not tables.is_dir():
        raise InputError("--tables", f"{tables} is not a folder. Name a folder, or a new one.")
    if output is not None or tables is not None:
        require_matplotlib()


def _printed(facts: Facts, form: str, only: str | None) -> str:
    names = None if only is None else [name.strip() for name in only.split(",")]
    known = [*facts.tables, *facts.listings]
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise InputError(
            "--only", f"there is no table {unknown[0]!r}. There are {', '.join(known)}."
        )
    return "\n".join(table_texts(facts, form, names).values())
