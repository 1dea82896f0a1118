"""From a template to a page: one HTML file that needs nothing but itself.

jinja2 belongs to an extra, so it is imported late.
"""

from __future__ import annotations

import importlib.util
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from ..exceptions import not_installed


def require_jinja(extra: str = "html") -> None:
    """Say what to do where jinja2 is missing.

    Parameters
    ----------
    extra
        The extra of voteprune that brings it, and whatever else the page needs.
    """
    if importlib.util.find_spec("jinja2") is None:
        raise not_installed("jinja2", "write the page", extra)


def render_page(package: str, template: str, **told: Any) -> str:
    """Return a page; whatever it quotes is text.

    Parameters
    ----------
    package, template
        The package whose folder ``templates`` holds the template, and its name there.
    told
        What the template shows; `css` and `version` are added. What pages share, their head and
        their tables of words, are the templates of this package.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(__package__)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    css = (files(__package__) / "style.css").read_text(encoding="utf-8")
    return environment.get_template(template).render(css=css, version=version("voteprune"), **told)
