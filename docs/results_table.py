"""Write the README's table of results from docs/results/generalisation.md.

``python docs/results_table.py`` writes it; a test sees to it that it is up to date.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/results/generalisation.md"
README = ROOT / "README.md"
SECTION = "## The second check"
ROWS = {
    "soft": "**soft committee of ten, chosen with proof**",
    "soft 3": "**soft committee of three, chosen with proof**",
    "best": "best single classifier",
    "FE": "full ensemble",
    "greedy log loss": "greedy selection by log loss",
    "greedy accuracy": "greedy selection by accuracy",
    "stacking": "stacking of all",
    "F1": "most accurate committee of votes that 5 s find",
}
"""Lines of the page's table that are shown, and what they are called here."""

COLUMNS = ("accuracy", "log loss", "size")
PLACE = re.compile(r"(?<= -->\n).*?(?=<!-- end of results -->)", re.DOTALL)


def told_by(page: str) -> dict[str, dict[str, str]]:
    """Return the lines of the section's first table by method; none where it is not there yet."""
    _, found, part = page.partition(f"{SECTION}\n")
    _, _, table = part.partition("\n|")
    lines = f"|{table}".partition("\n\n")[0].splitlines()
    if not found or len(lines) < 3:
        return {}
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows if len(row) == len(header)}


def table_of(page: str) -> str:
    """Return the table as Markdown, or a sentence where the page does not have it yet."""
    told = told_by(page)
    if not told:
        return "[What was measured so far](docs/results/generalisation.md).\n"
    shown = [
        f"| {words} | {' | '.join(told[label][column] for column in COLUMNS)} |"
        for label, words in ROWS.items()
        if label in told
    ]
    _, _, part = page.partition(f"{SECTION}\n")
    folds = part.strip().partition(". ")[0].partition(", seeds")[0]
    return "\n".join(
        [
            "| | accuracy, % | log loss | members |",
            "|---|---|---|---|",
            *shown,
            "",
            f"Means over the test rows of {folds} "
            "([the whole table, with its tests](docs/results/generalisation.md)).",
            "",
        ]
    )


def with_table(readme: str, page: str) -> str:
    """Return the README with the table of the page."""
    table = table_of(page)
    return PLACE.sub(lambda _: table, readme)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8"), PAGE.read_text("utf-8")), "utf-8")
