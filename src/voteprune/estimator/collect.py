"""Collecting votes: every voter is asked on rows it has not been trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv, train_test_split
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from ..exceptions import InputError
from .conventions import ENSEMBLE, Routes
from .ensembles import kind_of
from .pool import Pool, is_fitted, speaks_sklearn
from .target import Target
from .voter import Codes, Voter, ask, labels_here, labels_of
from .watching import timed


@dataclass(frozen=True, slots=True)
class Training:
    """What members are trained and asked on.

    Parameters
    ----------
    X
        The rows.
    target
        Their labels.
    cv
        Number of folds, a splitter, splits, "prefit", or the share to hold out.
    seed
        Seed of the hold-out.
    n_jobs
        How many members at once.
    routes
        What members and splitter are given besides.
    verbose
        Whether to print how long each member took.
    gaps
        Whether members may abstain.
    """

    X: Any
    target: Target
    cv: Any
    seed: int
    n_jobs: int | None
    routes: Routes
    verbose: bool = False
    gaps: bool = False


@dataclass(frozen=True, slots=True)
class Ballots:
    """The votes of a pool.

    Parameters
    ----------
    codes
        Class numbers, one row per row of the data that was voted on, one column per voter;
        `ABSTAINS` where one says nothing.
    rows
        Which rows of the data these are.
    names
        The voters' names.
    voters
        The fitted models that voted; empty where they were trained on parts of the data only.
    """

    codes: Codes
    rows: NDArray[np.intp]
    names: tuple[str, ...]
    voters: tuple[Voter, ...] = ()


def collect(pool: Pool, training: Training) -> Ballots:
    """Ask every member of a pool for its votes.

    Raises
    ------
    InputError
        If an ensemble that is not fitted meets a `cv` that would need it several times.
    """
    ready = gather(pool, training)
    if ready is None:
        return _out_of_fold(pool, training)
    names = tuple(voter.name for voter in ready.voters)
    codes = ask(ready.voters, ready.X, training.n_jobs, training.gaps)
    return Ballots(codes, ready.rows, names, ready.voters)


@dataclass(frozen=True, slots=True)
class Ready:
    """Voters that are fitted, and what they may be asked on: which rows, and these rows of X."""

    voters: tuple[Voter, ...]
    rows: NDArray[np.intp]
    X: Any


def gather(pool: Pool, training: Training) -> Ready | None:
    """Return the voters of a pool, trained without the hold-out; None where there are folds.

    Raises
    ------
    InputError
        If an ensemble that is not fitted meets a `cv` that would need it several times.
    """
    prefit, holdout = training.cv == "prefit", isinstance(training.cv, float)
    everything = np.arange(len(training.target.codes))
    train, rows = _split_off(training) if holdout else (everything, everything)
    if pool.ensemble is not None:
        voters = _members(pool.ensemble, training, train)
    elif prefit:
        voters = tuple(_as_is(name, member, training.target) for name, member in pool.pairs)
    elif holdout:
        voters = train_members(pool.pairs, training, train)
    else:
        return None
    # The user's own X where all of it is asked about: no copy, whatever it is.
    return Ready(
        voters, rows, training.X if rows is everything else _safe_indexing(training.X, rows)
    )


def train_members(
    pairs: Sequence[tuple[str, Any]],
    training: Training,
    rows: NDArray[np.intp] | None = None,
    stage: str = "",
) -> tuple[Voter, ...]:
    """Fit clones of some members.

    Parameters
    ----------
    pairs, training
        The members by their names, and what they learn.
    rows
        On which rows; None for all.
    stage
        What is being done, for lines that tell of it.
    """
    X, codes = training.X, training.target.codes
    if rows is not None:
        X, codes = _safe_indexing(X, rows), codes[rows]
    seen = [_columns_of(member, rows) for _, member in pairs]
    models = Parallel(n_jobs=training.n_jobs)(
        delayed(_fit)(
            clone(member),
            _narrow(X, columns),
            codes,
            _check_method_params(training.X, training.routes.fit[name], indices=rows),
            (training.verbose, place, len(pairs), f"Fitting {name}{stage}"),
        )
        for place, ((name, member), columns) in enumerate(zip(pairs, seen, strict=True))
    )
    return tuple(
        Voter(
            name,
            model,
            labels_here(model, training.target.classes, name),
            columns,
            "given" if columns is None else "array",
        )
        for (name, _), model, columns in zip(pairs, models, seen, strict=True)
    )


def _columns_of(member: Any, rows: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
    """Return the columns a member is shown once it was trained on some rows, None for all.

    Where columns are rows too, as in a matrix of kernels, rows come with their columns.
    """
    if isinstance(member, FrozenEstimator) or not speaks_sklearn(member):
        return None
    return rows if get_tags(member).input_tags.pairwise else None


def _narrow(X: Any, columns: NDArray[np.intp] | None) -> Any:
    return X if columns is None else _safe_indexing(X, columns, axis=1)


Told = tuple[bool, int, int, str]
"""Whether to print how long it took, which of how many, and what it is."""


def _fit(
    member: Any, X: Any, codes: NDArray[np.intp], params: Mapping[str, Any], told: Told
) -> Any:
    with timed(*told):
        return member.fit(X, codes, **params)


def _vote_out_of_fold(
    name: str,
    member: Any,
    training: Training,
    splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]],
    told: Told,
) -> Codes:
    """Return a member's votes on every row, each by a clone that was not shown the row.

    Every fold's predictions are read by themselves: put end to end, arrays lose their masks.
    """
    X, target = training.X, training.target
    votes: Codes = np.empty(len(target.codes), dtype=np.int16)
    with timed(*told):
        for train, test in splits:
            columns = _columns_of(member, train)
            params = _check_method_params(X, training.routes.fit[name], indices=train)
            shown = _narrow(_safe_indexing(X, train), columns)
            model = clone(member).fit(shown, target.codes[train], **params)
            voter = Voter(name, model, labels_here(model, target.classes, name))
            asked = _narrow(_safe_indexing(X, test), columns)
            votes[test] = voter.vote(asked, training.gaps)
    return votes


def _as_is(name: str, member: Any, target: Target) -> Voter:
    return Voter(name, member, labels_of(member, target.classes, name))


def _split_off(training: Training) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    codes = training.target.codes
    try:
        train, rows = train_test_split(
            np.arange(len(codes)), test_size=training.cv, stratify=codes, random_state=training.seed
        )
    except ValueError as error:
        raise InputError(
            "cv",
            f"is {training.cv:g}, and so many rows cannot be held out with a share of every class: "
            f"{str(error).rstrip('.')}. Give another share, or folds.",
        ) from None
    return train, np.sort(rows)


def _out_of_fold(pool: Pool, training: Training) -> Ballots:
    splits = folds_of(training)
    columns = Parallel(n_jobs=training.n_jobs)(
        delayed(_vote_out_of_fold)(
            name,
            member,
            training,
            splits,
            (training.verbose, place, len(pool.pairs), f"Voting out of fold: {name}"),
        )
        for place, (name, member) in enumerate(pool.pairs)
    )
    names = tuple(name for name, _ in pool.pairs)
    return Ballots(np.column_stack(columns), np.arange(len(training.target.codes)), names)


def folds_of(training: Training) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Split once, into places of rows: every member is to meet the same folds.

    Raises
    ------
    InputError
        If they do not fit the rows, or do not put every row into exactly one test part.
    """
    codes = training.target.codes
    splitter, everything = check_cv(training.cv, codes, classifier=True), np.arange(len(codes))
    # Splits may be masks, and places may count from the end.
    pairs = list(splitter.split(training.X, codes, **training.routes.split))
    try:
        splits = [(everything[train], everything[test]) for train, test in pairs]
    except IndexError as error:
        raise InputError(
            "cv",
            f"has splits that do not fit the {len(codes)} rows: {error}. Give places of rows, or "
            "masks with an entry for every row.",
        ) from None
    tested = [test for _, test in splits]
    if not tested or not np.array_equal(np.sort(np.concatenate(tested)), everything):
        raise InputError(
            "cv",
            "must put every row into exactly one test part, so that every row is voted on once. "
            "Use folds, or a share such as cv=0.3 for one hold-out.",
        )
    return splits


def _members(ensemble: Any, training: Training, train: NDArray[np.intp]) -> tuple[Voter, ...]:
    """Return the members of an ensemble, which is fitted first if it has to be."""
    kind, target = kind_of(ensemble), training.target
    if not is_fitted(ensemble):
        if not isinstance(training.cv, float):
            name = type(ensemble).__name__
            raise InputError(
                "estimators",
                f"the {name} is not fitted, and its members cannot be trained fold by fold: each "
                "fold would have others. Give cv=0.3 to hold rows out for the choice, or fit it "
                "first and wrap it in sklearn.frozen.FrozenEstimator (cloning, as grid searches "
                "do, forgets a fit otherwise).",
            )
        params = _check_method_params(training.X, training.routes.fit[ENSEMBLE], indices=train)
        rows = _safe_indexing(training.X, train)
        with timed(training.verbose, 0, 1, f"Fitting the {type(ensemble).__name__}"):
            ensemble = clone(ensemble).fit(rows, target.classes[target.codes[train]], **params)
    voters = tuple(kind.members(ensemble))
    if not np.array_equal(ensemble.classes_, target.classes):
        raise InputError(
            "y",
            f"has the classes {target.classes.tolist()}, but the {type(ensemble).__name__} was "
            f"fitted on {np.asarray(ensemble.classes_).tolist()}. Give y in the labels it was "
            "trained on.",
        )
    return voters
