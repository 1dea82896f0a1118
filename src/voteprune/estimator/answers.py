"""What members say besides a class: probabilities, else scores, else no more than their vote.

The same three questions are put when the committee is chosen, out of fold or on a hold-out, and
when it predicts, so that a member's answers mean the same both times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..exceptions import InputError
from ..numbers.floats import ROUNDING
from .collect import Training, folds_of, gather, train_members
from .pool import Pool
from .voter import ABSTAINS, Voter, each

Floats = NDArray[np.float64]

Question = Literal["predict_proba", "decision_function", "predict"]
"""What a member is asked by."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What a pool says.

    Parameters
    ----------
    said
        By member: of two classes the answers for the positive one, n of them; of more n x C.
    scores
        The members whose answers are scores.
    rows
        Which rows of the data the answers are about.
    voters
        The fitted models that answered; empty where they were trained on parts of the data only.
    """

    said: dict[str, Floats]
    scores: list[str]
    rows: NDArray[np.intp]
    voters: tuple[Voter, ...] = ()


def question_for(model: object, scores: bool = True) -> Question:
    """Return what to ask a member by."""
    if hasattr(model, "predict_proba"):
        return "predict_proba"
    return "decision_function" if scores and hasattr(model, "decision_function") else "predict"


def tell(
    voters: Sequence[Voter],
    X: Any,
    scores: bool,
    positive: int | None,
    n_jobs: int | None = None,
) -> dict[str, Floats]:
    """Return what all voters say about the rows, by name.

    Parameters
    ----------
    voters, X
        Who is asked, about what.
    scores
        Whether scores are of use.
    positive
        The place of the positive class; None where there are more than two.
    n_jobs
        How many at once.
    """
    said = each(voters, partial(_answer, scores=scores, positive=positive), X, n_jobs)
    return {voter.name: values for voter, values in zip(voters, said, strict=True)}


def collect_answers(pool: Pool, training: Training, scores: bool) -> Answers:
    """Ask every member of a pool on rows it was not trained on.

    Raises
    ------
    InputError
        If a member does not answer row by row and class by class, or an ensemble that is not
        fitted meets a `cv` that would need it several times.
    """
    ready, target = gather(pool, training), training.target
    if ready is not None:
        said = tell(ready.voters, ready.X, scores, target.positive, training.n_jobs)
        return Answers(said, _scorers(ready.voters, scores), ready.rows, ready.voters)
    everything = np.arange(len(target.codes))
    shape = (
        everything.shape if target.positive is not None else (len(everything), len(target.classes))
    )
    said = {name: np.empty(shape) for name, _ in pool.pairs}
    voters: tuple[Voter, ...] = ()
    folds = folds_of(training)
    for place, (train, test) in enumerate(folds):
        stage = f" without fold {place + 1} of {len(folds)}"
        voters = train_members(pool.pairs, training, train, stage)
        rows = _safe_indexing(training.X, test)
        told = tell(voters, rows, scores, target.positive, training.n_jobs)
        for name, values in told.items():
            said[name][test] = values
    return Answers(said, _scorers(voters, scores), everything)


def _scorers(voters: Sequence[Voter], scores: bool) -> list[str]:
    return [
        voter.name for voter in voters if question_for(voter.model, scores) == "decision_function"
    ]


def _answer(voter: Voter, X: Any, scores: bool, positive: int | None) -> Floats:
    """Return one voter's answers, for every class or, of two, for the positive one."""
    question = question_for(voter.model, scores)
    if question == "predict":
        votes = voter.vote(X, gaps=True)
        whole = np.eye(len(voter.labels))[votes]
        whole[votes == ABSTAINS] = np.nan
    else:
        answer = getattr(voter.model, question)(voter.columns(X))
        # A masked answer is none, as a masked vote is.
        raw = np.ma.filled(np.ma.asarray(answer).astype(np.float64), np.nan)
        whole = _by_class(voter, question, raw)
        voter.check_rows(question, len(whole), X)
    if positive is None:
        return whole
    if question == "decision_function":
        return np.asarray(whole[:, positive] - whole[:, 1 - positive])
    return np.asarray(whole[:, positive])


def _by_class(voter: Voter, question: Question, raw: Floats) -> Floats:
    """Return answers with one column for each class of `y`, in its order.

    A member may know fewer: those of the rows it was trained on. To a class it does not know it
    gives no probability, and no more of a score than to the last of the others.
    """
    labels = voter.labels.tolist()
    known = np.asarray(getattr(voter.model, "classes_", voter.labels)).tolist()
    if question == "decision_function" and raw.ndim == 1 and len(known) == 2:
        # A score of the second class is its log-odds against the first.
        raw = np.column_stack([np.zeros(len(raw)), raw])
    if raw.ndim != 2 or raw.shape[1] != len(known) or not set(known) <= set(labels):
        raise InputError(
            "estimators",
            f"{question} of {voter.name!r} gives an array of shape {raw.shape} for the classes "
            f"{known}. Expected one column for each class: wrap the member, or take the method "
            "from it so that it only votes.",
        )
    if question == "predict_proba":
        strange = (raw < -ROUNDING) | (raw > 1 + ROUNDING)
        if strange.any():
            raise InputError(
                "estimators",
                f"predict_proba of {voter.name!r} gives {raw[strange][0]}. Expected "
                "probabilities between 0 and 1: calibrate the member, or let it have a "
                "decision_function instead.",
            )
        raw = raw.clip(0, 1)
    places = [labels.index(label) for label in known]
    if places == list(range(len(labels))):
        return raw
    whole = np.zeros((len(raw), len(labels)))
    if question == "decision_function":
        whole += raw.min(axis=1, keepdims=True)
    whole[:, places] = raw
    return whole
