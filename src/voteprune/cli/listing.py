"""``voteprune methods`` and ``voteprune solvers``: lists of what there is."""

from __future__ import annotations

from ..files import jsonfile
from ..solvers import solvers
from ..strategies.registry import methods
from .console import PROVED
from .output import aligned, emit


def methods_command(*, json: bool = False) -> int:
    """List the methods: what each does, and where it comes from.

    Parameters
    ----------
    json
        Print the list as JSON.
    """
    keys = ("name", "summary", "reference")
    rows = [{key: getattr(method, key) for key in keys} for method in methods()]
    if json:
        emit(jsonfile.write(rows))
    else:
        emit(aligned([["method", "summary", "reference"], *([*row.values()] for row in rows)]))
    return PROVED


def solvers_command(*, json: bool = False) -> int:
    """List the solvers: which are installed, and what they can do.

    Parameters
    ----------
    json
        Print the list as JSON.
    """
    found = [
        {
            "name": info.name,
            "version": info.version,
            "installed": info.installed,
            "licence": info.licence,
            "warm_start": info.warm_start,
            "streams": info.streams,
        }
        for info in solvers()
    ]
    if json:
        emit(jsonfile.write(found))
        return PROVED
    lines = [["solver", "version", "warm start", "streams", "licence"]]
    for row in found:
        version = str(row["version"] or "not installed")
        if row["version"] and not row["installed"]:
            version += " (refused)"
        flags = ("yes" if row[key] else "no" for key in ("warm_start", "streams"))
        lines.append([str(row["name"]), version, *flags, str(row["licence"])])
    emit(aligned(lines))
    return PROVED
