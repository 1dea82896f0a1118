"""Draw result.svg: how accurate committees are on rows nobody has seen, by their members.

``python docs/result.py`` draws what docs/results/generalisation.md tells, in a second.
"""

from __future__ import annotations

from results_table import PAGE, ROOT, told_by
from voteprune.web.pictures import GUESSED, INK, PROVED, new_figure, styled, to_svg

SOFT = {
    "soft 3": ("three", (0, 9), "center"),
    "soft 5": ("five", (0, 9), "center"),
    "soft": ("ten, weighted: the default", (8, 5), "left"),
}
RIVALS = {
    "best": ("best single", (7, -4), "left"),
    "greedy log loss": ("greedy by log loss", (-4, -12), "left"),
    "greedy accuracy": ("greedy by accuracy", (-6, 7), "left"),
    "HC-UWA": ("hill climb (HC-UWA)", (7, 3), "left"),
    "F1": ("most accurate votes (F1)", (-4, -13), "left"),
    "BFT": ("backfitting", (7, -4), "left"),
    "KP": ("kappa", (7, -4), "left"),
    "stacking": ("stacking of all", (-6, -12), "right"),
    "FE": ("all hundred", (-8, -3), "right"),
}
"""What they are called, where that stands beside their dots, and on which side of that place."""


def main() -> None:
    told = told_by(PAGE.read_text("utf-8"))
    points = {label: (float(row["size"]), float(row["accuracy"])) for label, row in told.items()}
    with styled("result"):
        figure = new_figure(7.2, 3.9)
        ax = figure.subplots()
        ax.plot(*zip(*(points[label] for label in SOFT), strict=True), color=PROVED, lw=1)
        for labels, dots, text in (
            (RIVALS, {"color": GUESSED, "ms": 5}, {"color": INK}),
            (SOFT, {"color": PROVED, "ms": 8}, {"color": PROVED, "weight": "bold"}),
        ):
            for label, (words, place, side) in labels.items():
                ax.plot(*points[label], "o", zorder=3, **dots)
                ax.annotate(
                    words, points[label], place, textcoords="offset points", fontsize=9, ha=side,
                    **text,
                )  # fmt: skip
        ax.set_xscale("log")
        ax.set_xticks([1, 2, 3, 5, 10, 20, 50, 100], ["1", "2", "3", "5", "10", "20", "50", "100"])
        ax.minorticks_off()
        ax.set_ylim(88.5, 90.5)
        ax.grid(axis="y")
        ax.set_xlabel("members that are asked, of 100")
        ax.set_ylabel("right, % of rows nobody has seen")
        svg = to_svg(figure)
    # The page it is on may be dark: a picture of its own brings its own paper.
    (ROOT / "docs/result.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
