"""Everything a report holds as files, for a paper, a site, or a repository."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from voteprune.files import outfile

from .facts import Facts
from .figures import Picture

FORMS = {"text": "txt", "markdown": "md", "latex": "tex", "csv": "csv"}
"""Forms of a table, and how their files end."""


def table_texts(facts: Facts, form: str, names: Sequence[str] | None = None) -> dict[str, str]:
    """Return tables and listings as texts, by name.

    Parameters
    ----------
    facts
        From `collect`.
    form
        One of `FORMS`.
    names
        Which; all when omitted.
    """
    everything = {**facts.tables, **facts.listings}
    return {
        name: getattr(table, f"to_{form}")()
        for name, table in everything.items()
        if names is None or name in names
    }


def write_files(facts: Facts, pictures: Sequence[Picture], folder: Path) -> list[Path]:
    """Write tables (Markdown, LaTeX, CSV), pictures (SVG) and one document that shows them all.

    Parameters
    ----------
    facts
        From `collect`.
    pictures
        From `draw_all`.
    folder
        Where to; made if it is not there. Files of the same names are replaced.

    Returns
    -------
    The files, ``results.md`` first.
    """
    texts = {Path("results.md"): _document(facts, pictures)}
    for form, ending in FORMS.items():
        if form != "text":
            for name, text in table_texts(facts, form).items():
                texts[Path("tables", f"{name}.{ending}")] = text
    for picture in pictures:
        texts[Path("figures", f"{picture.name}.svg")] = picture.svg
    for part in ("tables", "figures"):
        outfile.make_folder(folder / part)
    for path, text in texts.items():
        outfile.write_text(folder / path, text)
    return [folder / path for path in texts]


def _document(facts: Facts, pictures: Sequence[Picture]) -> str:
    """Return tables and pictures in one Markdown document."""
    parts = [f"# {facts.title}\n"]
    parts.append("".join(f"- **{tile.figure}** {tile.words}\n" for tile in facts.headline))
    parts += table_texts(facts, "markdown", list(facts.tables)).values()
    parts += [
        f"## {picture.title}, K = {picture.pool_size}\n\n{picture.note}\n\n"
        f"![{picture.title}](figures/{picture.name}.svg)\n"
        for picture in pictures
    ]
    parts += table_texts(facts, "markdown", list(facts.listings)).values()
    if facts.about:
        about = "".join(f"- {name}: {value}\n" for name, value in facts.about)
        parts.append(f"## Versions and machine\n\n{about}")
    if facts.plan:
        parts.append(f"## The plan\n\n```toml\n{facts.plan.rstrip()}\n```\n")
    return "\n".join(parts)
