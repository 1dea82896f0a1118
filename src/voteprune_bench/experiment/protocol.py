"""The paper's protocol for one fold: split, train the pool, collect its probabilities.

The rows are shuffled by a seed and cut into ten stratified folds. One fold, 10 %, is for testing.
Of the rest 70 % (63 % of all) train the classifiers and 30 % (27 % of all) are for pruning, again
stratified and drawn anew for every fold. Nothing is learnt from the other two parts: medians for
missing numbers, categories and scales come from the training part.

That is the paper's way of making votes, by hold-out. Out of fold, every classifier is trained three
times on two thirds of the 90 % and speaks on the third it has not seen, so that all of the 90 % can
be pruned on; what it says about the test rows it says having been trained on all of the 90 %.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from voteprune.exceptions import InputError

from .datasets import Table
from .pool import Pool

VERSION = 2
"""Changes whenever the same seeds would give other votes; part of every task's hash."""

FOLDS = 10
VALIDATION_SHARE = 0.3
PARTS = 3

HOLD_OUT, OUT_OF_FOLD = "hold-out", "out of fold"
WAYS = (HOLD_OUT, OUT_OF_FOLD)
"""How votes are made."""

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Row numbers of the three parts, 63 %, 27 % and 10 % of all."""

    training: Indices
    validation: Indices
    test: Indices


@dataclass(frozen=True, slots=True, eq=False)
class PoolAnswers:
    """What a pool says on the two parts it was not trained on.

    Parameters
    ----------
    names
        The classifiers.
    values
        Probability of the positive class, rows by classifiers; validation rows first.
    y
        Labels.
    index
        Row numbers in the data set.
    n_validation
        How many of the rows are for pruning.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    y: NDArray[np.int64]
    index: Indices
    n_validation: int


def split_rows(y: NDArray[np.int64], seed: int, fold: int) -> Split:
    """Divide the rows.

    Parameters
    ----------
    y
        Labels, by which the parts are stratified.
    seed
        What the shuffling follows.
    fold
        Which fold is for testing, from 0 to 9.
    """
    from sklearn.model_selection import StratifiedKFold, train_test_split

    smallest = int(np.bincount(y, minlength=2).min())
    if smallest < FOLDS:
        raise InputError(
            "dataset",
            f"has {smallest} rows of the rarer class. Ten stratified folds need at least {FOLDS}.",
        )
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y)
    kept, test = list(folds)[fold]
    # With the seed alone, the validation rows of two folds would share a third more than by chance.
    own = int(np.random.SeedSequence((seed, fold)).generate_state(1)[0])
    training, validation = train_test_split(
        kept, test_size=VALIDATION_SHARE, stratify=y[kept], random_state=own
    )
    return Split(training, validation, test)


def encode(table: Table, training: Indices) -> NDArray[np.float64]:
    """Return all rows as numbers, by rules learnt from the training rows.

    Missing numbers become the median, words a column per category; a category that training has
    not seen is no category, and a missing word is one of its own. Columns have no names, which
    spares the libraries that refuse some.
    """
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    medians = SimpleImputer(strategy="median", keep_empty_features=True)
    blocks = []
    if table.numbers.shape[1]:
        blocks.append(medians.fit(table.numbers[training]).transform(table.numbers))
    if table.words.shape[1]:
        categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        blocks.append(categories.fit(table.words[training]).transform(table.words))
    return np.hstack(blocks)


def collect(
    table: Table, pool: Pool, k: int, seed: int, fold: int, votes_by: str = HOLD_OUT
) -> PoolAnswers:
    """Train K classifiers of the pool and let them speak on the rows to prune on and to test.

    Parameters
    ----------
    table
        The data set.
    pool
        Where the classifiers come from.
    k
        How many of them.
    seed
        Seed of the folds and, counting on, of the classifiers.
    fold
        Which fold is for testing.
    votes_by
        One of `WAYS`.
    """
    split = split_rows(table.y, seed, fold)
    names = tuple(name for name, _ in pool.classifiers(k, seed))
    if votes_by == HOLD_OUT:
        unseen = np.concatenate([split.validation, split.test])
        values = _speak(table, pool, k, seed, split.training, unseen)
        return PoolAnswers(names, values, table.y[unseen], unseen, len(split.validation))
    kept = np.sort(np.concatenate([split.training, split.validation]))
    jobs = [*_thirds(table, kept, seed), (kept, split.test)]
    values = np.vstack([_speak(table, pool, k, seed, fit, speak) for fit, speak in jobs])
    rows = np.concatenate([speak for _, speak in jobs])
    return PoolAnswers(names, values, table.y[rows], rows, len(kept))


def _thirds(table: Table, kept: Indices, seed: int) -> list[tuple[Indices, Indices]]:
    """Return two thirds to train on and the third to speak on, three times."""
    from sklearn.model_selection import StratifiedKFold

    parts = StratifiedKFold(PARTS, shuffle=True, random_state=seed).split(kept, table.y[kept])
    return [(kept[fit], kept[speak]) for fit, speak in parts]


def _speak(
    table: Table, pool: Pool, k: int, seed: int, fit: Indices, speak: Indices
) -> NDArray[np.float64]:
    """Return the probabilities that classifiers trained on some rows give others."""
    features = encode(table, fit)
    columns = []
    # Weak settings are wanted in a pool; that they have not converged is no news.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _, classifier in pool.classifiers(k, seed):
            classifier.fit(features[fit], table.y[fit])
            columns.append(_positive(classifier, features[speak]))
    return np.column_stack(columns)


def _positive(classifier: Any, features: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(classifier.predict_proba(features)[:, 1], dtype=np.float64)
