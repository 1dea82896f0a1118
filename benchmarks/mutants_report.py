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


def page(
    mutants: dict[str, list[Mutant]],
    known: dict[Key, dict],
    harmless: list[dict],
    only: Iterable[str] = (),
    at_first: Mapping[Key, str] = MappingProxyType({}),
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
        are not equivalent. In place of the change, a line speaks for all changes to it, and without
        either the reason is one for the whole function: it can only choose among sound ways.
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
    tried = [one for those in mutants.values() for one in those if one.key in known]
    survivors = [one for one in tried if known[one.key]["outcome"] == "survived"]
    still_open = [one for one in survivors if one.key[:3] not in why]
    total = sum(map(len, mutants.values()))
    counted = _share(len(tried) - len(survivors), len(tried))
    lines = [
        "# Is a wrong proof noticed?",
        "",
        "`make mutants` (resumes; hours). One small wrong change at a time in what proves, checks "
        "and judges, and the tests that guard it (benchmarks/mutants.toml) until one fails. "
        "A test that takes 20 s and five times as long as on the right code has noticed too.",
        "",
        f"{len(tried)} of {total} changes tried, chosen at random in every file: {counted} "
        f"noticed, {len(survivors)} not; of these {_told(survivors, still_open, sound)}.",
        "",
        *_first(tried, at_first),
        *(
            [f"Only of {', '.join(only)}; the other files are not on this page.", ""]
            if only
            else []
        ),
        _made_by(known[one.key] for one in tried),
        "",
        "| file | changes | tried | noticed | of them timed out | equivalent | sound | open "
        "| noticed or equivalent |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for file, those in mutants.items():
        if those:
            lines.append(_row(file, those, known, why, sound))
    lines += ["", "## Not noticed, open", "", *_table(still_open, None)]
    closed = [one for one in survivors if one.key[:3] in why]
    for name, is_sound in (("equivalent", False), ("sound, but not equivalent", True)):
        these = [one for one in closed if (one.key[:3] in sound) == is_sound]
        lines += ["", f"## Not noticed, {name}", "", *_table(these, why)]
    return "\n".join(lines) + "\n"


def _scope(reason: dict) -> tuple[str, str]:
    """Say what of a function a reason speaks for: a change, a line or, with neither, all of it."""
    names = ("change", "line")
    return next(((name, reason[name]) for name in names if name in reason), ("all", ""))


def _reason(one: Mutant, reasons: dict[tuple, dict]) -> dict | None:
    """Return why a survivor does no harm: the reason that says most about it, None if none does."""
    file, function, change = one.key[:3]
    scopes = (("change", change), ("line", change.split(" -> ")[0]), ("all", ""))
    return next(filter(None, (reasons.get((file, function, scope)) for scope in scopes)), None)


def _first(tried: list[Mutant], at_first: Mapping[Key, str]) -> list[str]:
    """Say what was noticed before tests were written for what was not: the fairer sample."""
    asked = [one for one in tried if one.key in at_first]
    if not asked:
        return []
    checker = [one for one in asked if one.file.startswith("verify/")]
    others = [one for one in asked if one not in checker]
    shares = (
        f"{_share(sum(at_first[one.key] != 'survived' for one in those), len(those))} of "
        f"{len(those)} in {where}"
        for those, where in ((checker, "the checker"), (others, "all other files"))
    )
    return [f"When first tried, before tests were written for survivors: {', '.join(shares)}.", ""]


def _told(survivors: list[Mutant], still_open: list[Mutant], sound: set[tuple]) -> str:
    unlike = sum(one.key[:3] in sound for one in survivors)
    alike = len(survivors) - len(still_open) - unlike
    return f"{alike} are equivalent, {unlike} sound but not equivalent, {len(still_open)} open"


def _row(
    file: str, those: list[Mutant], known: dict[Key, dict], why: dict, sound: set[tuple]
) -> str:
    tried = [one for one in those if one.key in known]
    counts = Counter(known[one.key]["outcome"] for one in tried)
    survivors = [one.key[:3] for one in tried if known[one.key]["outcome"] == "survived"]
    unlike = sum(key in sound for key in survivors)
    alike = sum(key in why for key in survivors) - unlike
    noticed = counts["noticed"] + counts["timed out"]
    cells = (
        len(those), len(tried), noticed, counts["timed out"], alike, unlike,
        len(survivors) - alike - unlike, _share(noticed + alike, len(tried)),
    )  # fmt: skip
    return f"| {file} | {' | '.join(map(str, cells))} |"


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
