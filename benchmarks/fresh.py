"""Results on file that count only for the code and the versions that made them.

Every line of a state file carries a mark: a digest of the files that matter and of the versions of
what they calculate with. Lines with another mark, or from before there were marks, stay in the file
and do not count.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src/voteprune"
CALCULATING = (
    "numpy", "scipy", "scikit-learn", "highspy", "ortools", "pyscipopt", "gurobipy", "cplex",
)  # fmt: skip


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of all that is installed to calculate with."""
    found = {"Python": platform.python_version()}
    for name in CALCULATING:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def mark_of(paths: Iterable[Path]) -> str:
    """Return the digest of files, or of all files in folders, and of the versions."""
    files = {
        file
        for path in paths
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
    digest = hashlib.sha256(json.dumps(versions(), sort_keys=True).encode())
    for file in sorted(files):
        name = os.path.relpath(file, ROOT).encode()
        digest.update(name + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def lines(path: Path) -> Iterator[dict]:
    """Yield the lines of a state file that are whole; a run that was ended may leave a torn one."""
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(row, dict):
            yield row


def fresh(path: Path, mark: str) -> list[dict]:
    """Return the lines of a state file that were made under this mark."""
    return [row for row in lines(path) if row.get("mark") == mark]


def keep(path: Path, row: dict, mark: str) -> dict:
    """Append a result with what made it, and return it so."""
    row = {**row, "mark": mark, "commit": commit(), "load": round(os.getloadavg()[0], 2)}
    with path.open("a+b") as file:
        # After a torn line, begin a new one.
        if file.tell():
            file.seek(-1, os.SEEK_END)
            torn = file.read(1) != b"\n"
            file.write(b"\n" * torn)
        file.write(json.dumps(row).encode() + b"\n")
    return row


@cache
def commit() -> str:
    """Return the commit that is checked out, with a plus where files differ from it."""
    try:
        head, changed = (
            subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
            for words in (["rev-parse", "--short=10", "HEAD"], ["status", "--porcelain", "src"])
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip() + "+" * bool(changed.stdout.strip())


def origin(rows: Iterable[dict]) -> str:
    """Say in a sentence what made these lines, for the page they are printed on."""
    rows = list(rows)
    marks, commits = (sorted({row[name] for row in rows}) for name in ("mark", "commit"))
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    loads = sorted(row["load"] for row in rows)
    load = f"{loads[0]:g} to {loads[-1]:g}" if loads else "unknown"
    return (
        f"Code {', '.join(marks)} (commit {', '.join(commits)}); {made}; {os.cpu_count()} cores "
        f"({platform.machine()}), load {load}."
    )
