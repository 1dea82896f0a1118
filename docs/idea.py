"""Draw docs/idea.svg, the picture of the idea in the README: ``python docs/idea.py``."""

from __future__ import annotations

from pathlib import Path

INK, SOFT, BLUE, RED, PAPER = "#1f2933", "#7b8794", "#2f6fb0", "#c8553d", "#ffffff"

VOTES = ["010100", "010100", "110011", "110001", "101101", "110011", "110001", "100001"]
LABELS = "11100101"
MEMBERS = (1, 3, 4)  # the only committee that decides seven of the eight rows correctly


def text(x: float, y: float, words: str, size: int = 13, colour: str = INK, anchor: str = "start",
         weight: str = "normal") -> str:  # fmt: skip
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{words}</text>'
    )


def cell(x: float, y: float, vote: str, faded: bool = False) -> str:
    fill = BLUE if vote == "1" else "#e4e7eb"
    opacity = 0.25 if faded else 1
    return (
        f'<rect x="{x}" y="{y}" width="17" height="17" rx="3" fill="{fill}" opacity="{opacity}"/>'
    )


def arrow(x1: float, x2: float, y: float) -> str:
    return (
        f'<path d="M{x1} {y} H{x2 - 7} m-1 -5 l8 5 l-8 5" fill="none" stroke="{SOFT}" '
        'stroke-width="2"/>'
    )


def votes_panel(x: float, y: float) -> list[str]:
    parts = [
        text(x, y, "votes", 15, weight="bold"),
        text(x, y + 18, "8 rows, 6 classifiers", 12, SOFT),
    ]
    for r, row in enumerate(VOTES):
        parts += [cell(x + 20 * c, y + 34 + 20 * r, vote) for c, vote in enumerate(row)]
        truth = LABELS[r]
        parts.append(text(x + 136, y + 48 + 20 * r, "+" if truth == "1" else "&#8722;", 14,
                          BLUE if truth == "1" else RED, "middle", "bold"))  # fmt: skip
    return parts


def patterns_panel(x: float, y: float) -> list[str]:
    distinct = sorted(set(VOTES))
    parts = [
        text(x, y, "patterns", 15, weight="bold"),
        text(x, y + 18, "equal rows merged", 12, SOFT),
    ]
    for r, row in enumerate(distinct):
        top = y + 54 + 24 * r
        parts += [cell(x + 20 * c, top, vote, c not in MEMBERS) for c, vote in enumerate(row)]
        positive = sum(v == row and t == "1" for v, t in zip(VOTES, LABELS, strict=True))
        negative = sum(v == row and t == "0" for v, t in zip(VOTES, LABELS, strict=True))
        parts.append(text(x + 130, top + 14, f"{positive}+", 12, BLUE))
        parts.append(text(x + 152, top + 14, f"{negative}&#8722;", 12, RED))
    parts.append(text(x, y + 54 + 24 * len(distinct) + 18, "faded: not in the committee", 11, SOFT))
    return parts


def answer_panel(x: float, y: float) -> list[str]:
    decided = [sum(row[m] == "1" for m in MEMBERS) > 1 for row in VOTES]
    value = sum(d == (t == "1") for d, t in zip(decided, LABELS, strict=True))
    left, width = x, 190
    return [
        text(x, y, "committee", 15, weight="bold"),
        text(x, y + 18, "best for your criterion and limits", 12, SOFT),
        text(x, y + 54, "members 2, 4, 5"),
        text(x, y + 76, "positive from 2 votes on"),
        text(x, y + 112, "with its proof", 15, weight="bold"),
        f'<line x1="{left}" y1="{y + 146}" x2="{left + width}" y2="{y + 146}" stroke="{SOFT}" '
        'stroke-width="2"/>',
        f'<circle cx="{left + 130}" cy="{y + 146}" r="6" fill="{BLUE}"/>',
        f'<path d="M{left + 136} {y + 134} v24" stroke="{RED}" stroke-width="3"/>',
        text(left + 120, y + 142, "value", 12, BLUE, "end"),
        text(left + 144, y + 142, "bound", 12, RED),
        text(left + 120, y + 170, f"{value} of 8, recounted", 12, BLUE, "end"),
        text(x, y + 196, "nothing lies beyond the bound", 12, SOFT),
    ]


def main() -> None:
    parts = [
        *votes_panel(24, 36),
        arrow(186, 224, 150),
        *patterns_panel(238, 36),
        arrow(424, 462, 150),
        *answer_panel(478, 36),
    ]
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 250" width="720" height="250" '
        'font-family="system-ui, sans-serif" role="img" '
        'aria-label="Votes become patterns; a committee is chosen with a value and a bound">'
        f'<rect width="720" height="250" rx="10" fill="{PAPER}"/>{"".join(parts)}</svg>\n'
    )
    (Path(__file__).parent / "idea.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
