"""``voteprune prune --html``: the answer as a page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cyclopts import Parameter

from ..exceptions import InputError
from ..solve.base_solution import BaseSolution
from ..solve.explanation import Explanation
from ..web.pages import require_jinja
from ..web.pictures import require_matplotlib
from .option_groups import OUTPUT
from .options import check_output
from .saying import command, say


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True, kw_only=True)
class Page:
    """The answer as a page.

    Parameters
    ----------
    html
        Also write the answer here as a page to read, print or send: one HTML file.
    html_time
        Seconds for the page to find out what is lost without each member, and what other sizes can
        reach.
    """

    html: Path | None = None
    html_time: float = 20.0

    def check(self, *inputs: Path | None) -> None:
        """Refuse what cannot be written, before the work rather than after it."""
        if not 0 <= self.html_time < float("inf"):
            raise InputError("--html-time", f"is {self.html_time}; expected seconds from 0 on.")
        if self.html is not None:
            require_jinja()
            require_matplotlib()
            others = [path for path in inputs if path is not None]
            check_output(self.html, *others, option="--html")
            if self.html.resolve() in [path.resolve() for path in others]:
                raise InputError("--html", f"{self.html} has another use. Name another file.")

    def of(
        self,
        solution: BaseSolution,
        why: Explanation | None = None,
        about: Mapping[str, str] | None = None,
    ) -> tuple[Path | None, Callable[[], str]]:
        """Return where the page goes, and how it is made.

        Parameters
        ----------
        solution
            What `prune` returned.
        why
            Its explanation, where it was asked for.
        about
            More lines on the run.
        """

        def make() -> str:
            if sys.stderr.isatty():
                say(f"{self.html} is being written, which takes up to {self.html_time:g} s.")
            return solution.to_html(
                time_limit=self.html_time, explanation=why, about=about, command=command()
            )

        return self.html, make


NO_PAGE = Page()
"""What holds when nothing is said."""
