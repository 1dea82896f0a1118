"""Cluster pruning: merge classifiers that vote alike, keep the best of every cluster.

Agglomerative clustering with complete linkage, the distance of two classifiers being the weight
of the rows they vote differently on. Every cluster is represented by its best classifier. A merge
silences one representative, the worse of the two; read backwards, the merges are an order in
which classifiers join, and the best number of clusters is the best prefix of that order.
"""

from __future__ import annotations

from ..run.run import Run
from .pool import Pool
from .prefix import grow, heuristic, in_order


def by_clusters(pool: Pool, run: Run) -> list[int]:
    """Return the representatives, the one that is silenced last first."""
    # SciPy's clustering takes a while to import; whoever does not cluster need not wait.
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    if pool.size == 1:
        return [0]
    distances = squareform(pool.pairs().differ.astype(float), checks=False)
    own = pool.own_values()
    representatives, silenced = list(range(pool.size)), []
    for one, other, *_ in linkage(distances, method="complete"):
        pair = sorted(
            (representatives[int(one)], representatives[int(other)]),
            key=lambda k: (-int(own[k]), k),
        )
        representatives.append(pair[0])
        silenced.append(pair[1])
    return [representatives[-1], *reversed(silenced)]


METHODS = (
    heuristic(
        "cluster",
        "clusters of classifiers that vote alike, the best of each",
        "Giacinto, Roli, Fumera: Design of effective multiple classifier systems by clustering "
        "of classifiers, 2000; Lazarevic, Obradovic: Effective pruning of neural network "
        "classifier ensembles, 2001",
        grow(in_order(by_clusters)),
    ),
)
