"""The pool: what the user gave as `estimators` and `cv`, checked before anything is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from sklearn.base import is_regressor
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from ..exceptions import InputError
from .ensembles import kind_of, unwrap

Pair = tuple[str, Any]
"""A member of a list: its name and the estimator."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Classifiers to choose from: a list with names, or one ensemble.

    Parameters
    ----------
    pairs
        The listed members; empty for an ensemble.
    ensemble
        The ensemble, without a FrozenEstimator around it; None for a list.
    listed
        The names of all that are listed, those that are dropped too; empty for an ensemble.
    """

    pairs: tuple[Pair, ...] = ()
    ensemble: Any = None
    listed: tuple[str, ...] = ()

    @property
    def drops(self) -> bool:
        """Whether somebody who is listed is dropped."""
        return len(self.pairs) < len(self.listed)

    @property
    def names(self) -> list[str] | None:
        """Names of the members, None where only fitting will tell."""
        if self.ensemble is None:
            return [name for name, _ in self.pairs]
        if not is_fitted(self.ensemble):
            return None
        return [voter.name for voter in kind_of(self.ensemble).members(self.ensemble)]

    @property
    def alike(self) -> bool:
        """Whether all members are models of one kind, as in every ensemble but a vote."""
        return self.ensemble is not None and not isinstance(self.ensemble, VotingClassifier)


def read_pool(estimators: object, check_names: Callable[[Sequence[str]], None]) -> Pool:
    """Read `estimators`.

    Parameters
    ----------
    estimators
        Pairs of name and estimator, "drop" for one to be left out, or one ensemble.
    check_names
        Raises ValueError for names that scikit-learn's parameters cannot carry.

    Raises
    ------
    InputError
        If it is neither, or a member cannot vote.
    """
    if not isinstance(estimators, list | tuple):
        ensemble = unwrap(estimators)
        kind_of(ensemble)
        if ensemble is not estimators and not is_fitted(ensemble):
            raise InputError(
                "estimators",
                f"the {type(ensemble).__name__} is not fitted, but a FrozenEstimator holds what is "
                "fitted. Fit it first, or give it as it is with a share such as cv=0.3.",
            )
        return Pool(ensemble=ensemble)
    if not estimators or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)
        for pair in estimators
    ):
        raise InputError(
            "estimators",
            "'estimators' should be a non-empty list of (string, estimator) tuples, or one "
            f"ensemble, got {estimators!r:.80}. Name each member: [('lr', LogisticRegression())].",
        )
    try:
        check_names([name for name, _ in estimators])
    except ValueError as error:
        raise InputError("estimators", f"{error}. Give every member a name of its own.") from None
    pairs = tuple((name, member) for name, member in estimators if not _dropped(member))
    if not pairs:
        raise InputError("estimators", "all are 'drop'. At least one must be an estimator.")
    for name, member in pairs:
        _check_member(name, member)
    return Pool(pairs, listed=tuple(name for name, _ in estimators))


def _dropped(member: object) -> bool:
    return isinstance(member, str) and member == "drop"


def _check_member(name: str, member: object) -> None:
    if isinstance(member, type):
        raise InputError(
            "estimators", f"{name!r} is a class. Give an instance: {member.__name__}()."
        )
    if speaks_sklearn(member) and is_regressor(member):
        raise InputError(
            "estimators",
            f"{name!r} is a regressor, {type(member).__name__}, and should be a classifier. Wrap "
            "it so that predict returns class labels.",
        )
    if not callable(getattr(member, "predict", None)):
        raise InputError(
            "estimators",
            f"{name!r}, of type {type(member).__name__}, has no predict method and cannot vote. "
            "Give classifiers; put a transformer before one with make_pipeline.",
        )


def check_trainable(pool: Pool, prefit: bool) -> None:
    """Refuse members that are not fitted where they must be, or cannot be where they have to.

    Raises
    ------
    InputError
        Naming the member, and what to do.
    """
    for name, member in pool.pairs:
        frozen = prefit or isinstance(member, FrozenEstimator)
        if frozen and not is_fitted(unwrap(member)):
            what = "cv='prefit' takes" if prefit else "a FrozenEstimator holds"
            raise InputError(
                "estimators",
                f"{name!r} is not fitted, but {what} fitted members only. Fit it first, or let cv "
                "train the members.",
            )
        if not frozen and not hasattr(member, "fit"):
            raise InputError(
                "estimators",
                f"{name!r}, of type {type(member).__name__}, has no fit and cannot be trained. "
                "Use cv='prefit' for models that are trained already.",
            )


def is_fitted(model: Any) -> bool:
    """Whether a model is ready to predict; one from elsewhere that cannot be asked is."""
    if not (hasattr(model, "fit") and speaks_sklearn(model)):
        return True
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def speaks_sklearn(model: object) -> bool:
    """Whether scikit-learn's functions can ask a model what it is."""
    return hasattr(model, "__sklearn_tags__")


def read_cv(cv: object, refit: object) -> Any:
    """Check `cv` as far as it is ours, "prefit" and the share of a hold-out, and `refit` with it.

    Raises
    ------
    InputError
        If it is neither of these nor something scikit-learn could know.
    """
    prefit = isinstance(cv, str) and cv == "prefit"
    splits = isinstance(cv, Iterable) and not isinstance(cv, str) and not hasattr(cv, "split")
    if isinstance(cv, bool | str):
        wrong = not prefit
    elif isinstance(cv, Real):
        wrong = int(cv) < 2 if isinstance(cv, Integral) else not 0 < float(cv) < 1
    else:
        wrong = not (cv is None or splits or hasattr(cv, "split"))
    if wrong:
        raise InputError(
            "cv",
            f"is {cv!r}. Give the number of folds from 2 on, a splitter, a list of splits, "
            "'prefit' for members that are fitted, or the share of the rows to hold out, between "
            "0 and 1.",
        )
    share = isinstance(cv, Real) and not isinstance(cv, Integral)
    if not refit and not share and not prefit:
        raise InputError(
            "refit",
            "is False, but folds leave a model per fold, none of which is the member. Let the "
            "chosen ones be fitted again, or give a share such as cv=0.3.",
        )
    if splits:
        return _read_splits(cv)
    return float(cv) if share else cv  # type: ignore[arg-type]


def _read_splits(cv: Any) -> list[Any]:
    splits = list(cv)
    if not splits:
        raise InputError(
            "cv",
            "has no splits. A generator is used up by the first fit: give folds, a splitter, or a "
            "list of splits.",
        )
    for split in splits:
        if not hasattr(split, "__len__") or len(split) != 2:
            raise InputError(
                "cv",
                f"{split!r:.80} is not a split. Give pairs of the rows to train on and the rows to "
                "test on, or the number of folds.",
            )
    return splits
