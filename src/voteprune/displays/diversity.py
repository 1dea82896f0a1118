"""`DiversityDisplay`: how much every two classifiers differ, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..exceptions import InputError
from ..problem.diversity import SCALES
from ..problem.diversity_measures import diversity_matrix
from ..problem.pairwise import Matrix
from ..solve.solution import Solution
from ..votes.votes import Votes, as_votes
from ..web.pictures import INK, axes, require_matplotlib

Order = Literal["pool", "similar"]

_WITH_NUMBERS, _WITH_NAMES = 12, 60
"""Up to so many classifiers the cells show their numbers, and the sides the names."""

_NOTHING = "#e6e2da"
"""The colour of the diagonal: none of the shades of blue."""

_TITLES = {
    "fc": "failure credit",
    "disagreement": "disagreement",
    "double_fault": "double faults",
    "q": "Yule's Q",
    "correlation": "correlation of errors",
    "kappa": "Cohen's kappa",
}


class DiversityDisplay:
    """A pairwise measure of diversity between classifiers; darker is more diverse.

    Parameters
    ----------
    matrix
        K x K values of the measure; the diagonal, which means nothing, is not drawn.
    names
        K names.
    measure
        Name of the measure, see `diversity_matrix`.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    image_, colorbar_, texts_
        The artists; `texts_` is empty where there are too many cells to write in.
    """

    def __init__(self, *, matrix: Matrix, names: Sequence[str], measure: str) -> None:
        self.matrix = np.asarray(matrix, dtype=np.float64)
        self.names = tuple(names)
        self.measure = measure

    @classmethod
    def from_votes(
        cls,
        votes: object,
        y: object = None,
        *,
        measure: str = "disagreement",
        order: Order = "pool",
        sample_weight: object = None,
        ax: Any = None,
    ) -> DiversityDisplay:
        """Draw the diversity of a whole pool.

        Parameters
        ----------
        votes, y, sample_weight
            As for `prune`.
        measure
            "fc", "disagreement", "double_fault", "q", "correlation" or "kappa".
        order
            "pool" keeps the classifiers in their order, "similar" puts those that vote alike side
            by side.
        ax
            Axes to draw on; those of a new figure when omitted.
        """
        pool = as_votes(votes, y, sample_weight)
        if order not in ("pool", "similar"):
            raise InputError("order", f"{order!r} is not known. Use 'pool' or 'similar'.")
        if order == "similar" and pool.n_classifiers > 2:
            pool = pool.select(_side_by_side(pool))
        matrix = diversity_matrix(pool, measure=measure)
        return cls(matrix=matrix, names=pool.names, measure=measure).plot(ax)

    @classmethod
    def from_solution(
        cls,
        solution: Solution,
        votes: object = None,
        y: object = None,
        *,
        measure: str = "disagreement",
        sample_weight: object = None,
        ax: Any = None,
    ) -> DiversityDisplay:
        """Draw the diversity of a committee's members among each other.

        Parameters
        ----------
        solution
            As `prune` returned it.
        votes, y, sample_weight
            The pool's votes; only for a solution that was read from a file.
        measure, ax
            As for `from_votes`.

        Raises
        ------
        InputError
            If there is no committee, or its votes are not at hand.
        """
        if solution.committee is None:
            raise InputError("solution", f"{solution.status}: there is no committee to draw.")
        if votes is None and solution.problem is None:
            raise InputError("votes", "are not saved with a solution. Give them too.")
        held = solution.problem.votes if solution.problem is not None else None
        pool = held if votes is None and held is not None else as_votes(votes, y, sample_weight)
        members = solution.committee.members
        if pool.n_classifiers != solution.committee.pool_size:
            raise InputError("votes", "are not those of the solution's pool.")
        return cls.from_votes(pool.select(members), measure=measure, ax=ax)

    def plot(self, ax: Any = None) -> DiversityDisplay:
        """Draw.

        Parameters
        ----------
        ax
            Axes to draw on; those of a new figure when omitted.
        """
        require_matplotlib()
        from matplotlib import colormaps

        k = len(self.names)
        side = min(9.0, 3.0 + 0.35 * k)
        ax = axes(ax, (side + 1.2, side))
        off = np.where(np.eye(k, dtype=bool), np.nan, self.matrix)
        more_is_diverse = SCALES[self.measure].more_is_diverse
        shades = colormaps["Blues" if more_is_diverse else "Blues_r"].with_extremes(bad=_NOTHING)
        self.image_ = ax.imshow(off, cmap=shades)
        self.texts_ = self._write_numbers(ax, off) if k <= _WITH_NUMBERS else []
        places = range(k) if k <= _WITH_NAMES else []
        names = self.names if k <= _WITH_NAMES else []
        small = 9 if k <= 2 * _WITH_NUMBERS else 6
        ax.set_xticks(places, names, rotation=90, fontsize=small, color=INK)
        ax.set_yticks(places, names, fontsize=small, color=INK)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        self.colorbar_ = ax.get_figure().colorbar(self.image_, ax=ax, shrink=0.8)
        self.colorbar_.outline.set_visible(False)
        self.colorbar_.set_label(
            f"{_TITLES[self.measure]}, {'more' if more_is_diverse else 'less'} is more diverse",
            color=INK,
        )
        self.ax_, self.figure_ = ax, ax.get_figure(root=True)
        return self

    def _write_numbers(self, ax: Any, shown: Matrix) -> list[Any]:
        """Write every value into its cell, light on dark and dark on light."""
        texts = []
        for (i, j), value in np.ndenumerate(shown):
            if not np.isnan(value):
                red, green, blue, _ = self.image_.cmap(self.image_.norm(value))
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
                texts.append(
                    ax.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=8,
                            color="white" if dark else INK)
                )  # fmt: skip
        return texts


def _side_by_side(votes: Votes) -> list[int]:
    """Return an order of the classifiers in which those that vote alike are neighbours."""
    # Imported late: it takes as long as the rest of the package.
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    differ = diversity_matrix(votes, measure="disagreement")
    tree = linkage(squareform(differ, checks=False), "average", optimal_ordering=True)
    return [int(k) for k in leaves_list(tree)]
