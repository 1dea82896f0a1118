"""What the package says about itself, as pages: its public names, and its command line."""

from __future__ import annotations

import inspect
import re
import sys
from unittest import mock

import voteprune
from voteprune.cli.app import make_app

_SECTIONS = ("Functions", "Estimators", "Values", "Pictures", "Errors", "Constants")


def _section(name: str) -> str:
    """Return the section of the reference that a public name belongs to."""
    value = getattr(voteprune, name)
    if isinstance(value, type) and issubclass(value, Exception):
        return "Errors"
    if name.endswith("Display"):
        return "Pictures"
    if hasattr(value, "fit"):
        return "Estimators"
    if isinstance(value, type):
        return "Values"
    return "Functions" if callable(value) else "Constants"


def _home(name: str) -> str:
    """Return the module that defines a constant, beside which its description stands."""
    homes = [
        module
        for path, module in sys.modules.items()
        if path.startswith("voteprune.") and f"\n{name}" in inspect.getsource(module)
    ]
    return next(module.__name__ for module in homes if hasattr(module, name))


def reference() -> str:
    """Return the page of all public names, so that none can be forgotten."""
    parts = ["API reference\n=============\n\nEverything public is imported from ``voteprune``.\n"]
    for section in _SECTIONS:
        names = [name for name in voteprune.__all__ if _section(name) == section]
        if names:
            parts.append(f"{section}\n{'-' * len(section)}\n\n.. currentmodule:: voteprune\n")
        if section == "Constants":
            parts += [f".. autodata:: {_home(name)}.{name}\n   :no-value:\n" for name in names]
        elif names:
            parts.append(".. autosummary::\n   :toctree: api\n\n   " + "\n   ".join(names) + "\n")
    return "\n".join(parts)


def commands() -> str:
    """Return the reference of the command line."""
    # cyclopts writes usage lines with the words that this process was started by.
    with mock.patch.object(sys, "argv", ["voteprune"]):
        text = make_app().generate_docs(output_format="markdown", heading_level=1)
    # Of a usage line of our own it replaces the program's name by the program and the command.
    text = re.sub(r"^voteprune (\w+) \1 ", r"voteprune \1 ", text, flags=re.MULTILINE)
    return str(text[text.index("\n## voteprune ") :])


def signature_of(value: object) -> str | None:
    """Return the parameters of a class and their defaults, without types; None if it has none."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        return None
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(bare))
