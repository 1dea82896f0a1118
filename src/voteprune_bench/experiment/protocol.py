"""The paper's protocol for one fold: split, train the pool, collect its probabilities.

The rows are shuffled by a seed and cut into ten stratified folds. One fold, 10 %, is for testing.
Of the rest 70 % (63 % of all) train the classifiers and 30 % (27 % of all) are for pruning, again
stratified and drawn anew for every fold. Nothing is learnt from the other two parts: medians for
missing numbers, categories and scales come from the training part.
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

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Row numbers of the three parts, 63 %, 27 % and 10 % of all."""

    training: Indices
    validation: Indices
    test: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Probabilities:
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


def collect(table: Table, pool: Pool, k: int, seed: int, fold: int) -> Probabilities:
    """Train K classifiers of the pool and let them speak on the other two parts.

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
    """
    split = split_rows(table.y, seed, fold)
    features = encode(table, split.training)
    unseen = np.concatenate([split.validation, split.test])
    names, columns = [], []
    # Weak settings are wanted in a pool; that they have not converged is no news.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, classifier in pool.classifiers(k, seed):
            classifier.fit(features[split.training], table.y[split.training])
            names.append(name)
            columns.append(_positive(classifier, features[unseen]))
    return Probabilities(
        tuple(names), np.column_stack(columns), table.y[unseen], unseen, len(split.validation)
    )


def _positive(classifier: Any, features: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(classifier.predict_proba(features)[:, 1], dtype=np.float64)
