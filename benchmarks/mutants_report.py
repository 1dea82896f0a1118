"""The page of `mutants`: what was noticed, what was not, and why that does no harm.

A survivor that is *equivalent* changes no answer. One that is *sound* lets nothing false through,
but what it computes is not the same, such as a bound that is larger by the smallest unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import fresh

if TYPE_CHECKING:
    from mutations import Mutant

Key = tuple[str, str, str, int]

_COLUMNS = "noticed | of them timed out | equivalent | sound | open | noticed or equivalent"
_RULE = "---|" * 6


def page(
    mutants: dict[str, list[Mutant]],
    known: dict[Key, dict],
    harmless: list[dict],
    only: Iterable[str] = (),
    at_first: Mapping[Key, dict] = MappingProxyType({}),
) -> str:
    """Write the outcome as Markdown.

    Parameters
    ----------
    mutants
        All mutants by file.
    known
        What became of those that have been tried, by their keys.
    harmless
        File, function, change and why, of survivors that do no harm; `sound` is true of those that
        are not equivalent. In place of the change, a line speaks for all changes to it.
    only
        How the paths begin of the files that were looked at; all if empty.
    at_first
        What became of changes when they were first tried: since then tests were written for some.
    """
    reasons = {(one["file"], one["function"], _scope(one)): one for one in harmless}
    found = {
        one.key[:3]: reason
        for those in mutants.values()
        for one in those
        if (reason := _reason(one, reasons)) is not None
    }
    why = {key: reason["why"] for key, reason in found.items()}
    sound = {key for key, reason in found.items() if reason.get("sound")}
    everything = [one for those in mutants.values() for one in those]
    tried = [one for one in everything if one.key in known]
    survivors = [one for one in tried if known[one.key]["outcome"] == "survived"]
    still_open = [one for one in survivors if one.key[:3] not in why]
    lines = [
        "# Is a wrong proof noticed?",
        "",
        "`make mutants` (resumes; hours). One small wrong change at a time in what proves, checks "
        "and judges, and the tests that guard it (benchmarks/mutants.toml) until one fails. "
        "A test that takes 20 s and five times as long as on the right code has noticed too.",
        "",
        f"{len(tried)} of {len(everything)} changes tried, chosen at random in every file; "
        f"{len(still_open)} open.{_first_commits(tried, at_first)}",
        "",
        f"| | changes | tried | noticed at first | {_COLUMNS} |",
        f"|---|---|---|---|{_RULE}",
        *(
            _part(name, those, known, at_first, why, sound)
            for name, those in _apart(everything)
            if those
        ),
        "",
        *(
            [f"Only of {', '.join(only)}; the other files are not on this page.", ""]
            if only
            else []
        ),
        _made_by(known[one.key] for one in tried),
        "",
        f"| file | changes | tried | {_COLUMNS} |",
        f"|---|---|---|{_RULE}",
    ]
    for file, those in mutants.items():
        if those:
            cells = map(str, _cells(those, known, why, sound))
            lines.append(f"| {file} | {' | '.join(cells)} |")
    lines += ["", "## Not noticed, open", "", *_table(still_open, None)]
    closed = [one for one in survivors if one.key[:3] in why]
    for name, is_sound in (("equivalent", False), ("sound, but not equivalent", True)):
        these = [one for one in closed if (one.key[:3] in sound) == is_sound]
        lines += ["", f"## Not noticed, {name}", "", *_table(these, why)]
    return "\n".join(lines) + "\n"


def _scope(reason: dict) -> tuple[str, str]:
    """Say what of a function a reason speaks for: a change, or all changes to a line."""
    return next((name, reason[name]) for name in ("change", "line") if name in reason)


def _reason(one: Mutant, reasons: dict[tuple, dict]) -> dict | None:
    """Return why a survivor does no harm: the reason that says most about it, None if none does."""
    file, function, change = one.key[:3]
    scopes = (("change", change), ("line", change.split(" -> ")[0]))
    return next(filter(None, (reasons.get((file, function, scope)) for scope in scopes)), None)


def _apart(those: list[Mutant]) -> tuple[tuple[str, list[Mutant]], ...]:
    """Tell the checker, whose word counts, from all that is checked."""
    parts: tuple[list[Mutant], list[Mutant]] = [], []
    for one in those:
        parts[not one.file.startswith("verify/")].append(one)
    return ("the checker", parts[0]), ("all else", parts[1])


def _first_commits(tried: list[Mutant], at_first: Mapping[Key, dict]) -> str:
    """Say on which code changes were tried before tests were written for survivors."""
    commits = sorted({at_first[one.key]["commit"] for one in tried if one.key in at_first})
    if not commits:
        return ""
    return f" At first, before tests were written for survivors: commit {', '.join(commits)}."


def _part(
    name: str, those: list[Mutant], known: dict[Key, dict], at_first: Mapping[Key, dict],
    why: dict, sound: set[tuple],
) -> str:  # fmt: skip
    asked = [at_first[one.key] for one in those if one.key in known and one.key in at_first]
    noticed = sum(row["outcome"] != "survived" for row in asked)
    first = f"{_share(noticed, len(asked))} ({noticed} of {len(asked)})" if asked else "none"
    total, tried, *others = _cells(those, known, why, sound)
    return f"| {name} | {' | '.join(map(str, (total, tried, first, *others)))} |"


def _cells(
    those: list[Mutant], known: dict[Key, dict], why: dict, sound: set[tuple]
) -> tuple[int | str, ...]:
    """Return what a row of a table says: how many there are, how many were tried, `_COLUMNS`."""
    tried = [one for one in those if one.key in known]
    counts = Counter(known[one.key]["outcome"] for one in tried)
    survivors = [one.key[:3] for one in tried if known[one.key]["outcome"] == "survived"]
    unlike = sum(key in sound for key in survivors)
    alike = sum(key in why for key in survivors) - unlike
    noticed = counts["noticed"] + counts["timed out"]
    return (
        len(those), len(tried), noticed, counts["timed out"], alike, unlike,
        len(survivors) - alike - unlike, _share(noticed + alike, len(tried)),
    )  # fmt: skip


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _made_by(rows: Iterable[dict]) -> str:
    # Every file has a mark of its own; here the commits and versions say enough.
    return fresh.origin([{**row, "mark": "as checked out"} for row in rows])


def _table(those: list[Mutant], why: dict | None) -> list[str]:
    if not those:
        return ["None."]
    head = "| file | function | change |" + (" why harmless |" if why else "")
    rows = [
        f"| {one.file} | {one.function} | {_code(one.change)} |"
        + (f" {why[one.key[:3]]} |" if why else "")
        for one in those
    ]
    return [head, "|---|---|---|" + ("---|" if why else ""), *rows]


def _code(change: str) -> str:
    return " -> ".join(f"`{side.replace('|', chr(92) + '|')}`" for side in change.split(" -> ", 1))
