"""Draw result.svg: what every size can reach on a real pool, with what greedy methods find there.

``python docs/result.py`` trains 41 classifiers on the data set QSR and takes about a minute.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import voteprune as vp
from voteprune.web.pictures import AMBER, INK, new_figure, styled, to_svg

ROOT = Path(__file__).resolve().parent.parent
SIZES = 12
RIVALS = {"best": "best single", "hc-acc": "greedy", "hc-uwa": "HC-UWA", "kappa": "kappa"}


def votes() -> vp.Votes:
    """Train the pool of the example, and collect its votes out of fold."""
    sys.path.append(str(ROOT / "examples"))
    from breast_cancer import pool

    table = pl.read_csv(ROOT / "data/qsr.csv.gz")
    target = table.columns[-1]
    X = table.drop(target).to_numpy().astype(float)
    words = table[target].to_numpy()
    y = (words == np.unique(words)[-1]).astype(int)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = {name: cross_val_predict(model, X, y, cv=folds) for name, model in pool().items()}
    return vp.Votes(said, y)


def main() -> None:
    pool = votes()
    front = vp.front(pool, constraints=vp.AtMost("size", SIZES), time_limit=60, random_state=0)
    found = vp.compare(pool, methods=[*RIVALS, "full"], random_state=0)
    with styled("result"):
        figure = new_figure(7.2, 3.9)
        ax = figure.subplots()
        vp.FrontDisplay.from_front(front, ax)
        for row in found.rows:
            if row.method in RIVALS and row.size <= SIZES:
                ax.plot(row.size, row.accuracy, "D", color=AMBER, ms=6, zorder=4)
                ax.annotate(
                    RIVALS[row.method], (row.size, row.accuracy), (6, -11),
                    textcoords="offset points", color=INK, fontsize=9,
                )  # fmt: skip
        full = next(row for row in found.rows if row.method == "full")
        ax.axhline(full.accuracy, color=AMBER, lw=1, ls=(0, (5, 3)))
        ax.annotate(
            f"all {pool.n_classifiers} classifiers", (SIZES, full.accuracy), (0, 5),
            textcoords="offset points", ha="right", color=INK, fontsize=9,
        )  # fmt: skip
        ax.set_ylabel("accuracy on the validation rows")
        svg = to_svg(figure)
    # The page it is on may be dark: a picture of its own brings its own paper.
    (ROOT / "docs/result.svg").write_text(svg, encoding="utf-8")
    print(front.summary())
    print(found.table())


if __name__ == "__main__":
    main()
