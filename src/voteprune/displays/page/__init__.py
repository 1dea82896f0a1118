"""A page for an answer: committee, proof, front, right and wrong, in one HTML file."""

from __future__ import annotations

from collections.abc import Mapping

from ...web.pages import render_page, require_jinja
from ...web.pictures import require_matplotlib
from .facts import collect
from .listings import Answer, Reasons, front_table
from .pictures import cost_name, draw_all

__all__ = ["render"]


def render(
    solution: Answer,
    *,
    seconds: float,
    explanation: Reasons | None = None,
    about: Mapping[str, str] | None = None,
    command: str = "",
) -> str:
    """Return the page of an answer; `BaseSolution.to_html` describes the parameters."""
    require_jinja()
    require_matplotlib()
    facts = collect(solution, seconds, explanation, about, command)
    figures = None if facts.front is None else front_table(facts.front, solution)
    priced = {
        cost_name(place): front_table(front, solution, cost_name(place))
        for place, front in enumerate(facts.by_cost)
    }
    return render_page(
        __package__, "answer.html", facts=facts, figures=figures, priced=priced,
        pictures=draw_all(facts),
    )  # fmt: skip
