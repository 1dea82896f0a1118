"""What a contender chooses on the votes of a fold, and what that says about the rows of both parts.

Committees of votes, committees of probabilities and other people's methods come out alike: who
sits, and for every row a decision and a score to rank rows by.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score

from voteprune.exceptions import FileFormatError, InputError
from voteprune.problem.committee import Committee
from voteprune.problem.confusion import Confusion
from voteprune.problem.problem import Problem
from voteprune.prune import prune
from voteprune.run.incumbent import Progress
from voteprune.soft.probabilities import CLIP, Probabilities
from voteprune.tables import VoteTable
from voteprune.votes.votes import Votes

from .contenders import VOTES, Contender, find_function

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The rows of a fold to prune on, or to test on.

    Parameters
    ----------
    votes, said
        Rows by classifiers: what each votes, and the probability behind it.
    labels
        What is true.
    """

    votes: Bools
    said: Floats
    labels: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """What a pool says on both parts of a fold."""

    names: tuple[str, ...]
    validation: Part
    test: Part
    table: VoteTable

    @classmethod
    def of(cls, table: VoteTable, path: Any) -> Fold:
        """Take a vote file apart; it must have test rows with labels."""
        votes, test = table.validation, table.test
        if test is None or test.labels is None:
            raise FileFormatError(path, "has no test rows; scores need them.")
        assert table.numbers is not None
        assert test.numbers is not None
        return cls(
            votes.names,
            Part(votes.matrix, table.numbers, votes.labels),
            Part(test.votes, test.numbers, test.labels),
            table,
        )


@dataclass(frozen=True, slots=True)
class Scores:
    """How good decisions and probabilities are on some rows.

    Parameters
    ----------
    counts
        Of the decisions.
    auc
        Area under the ROC curve of the scores; None where a class has no rows.
    log_loss
        Of the probabilities; None where there are only votes.
    """

    counts: Confusion
    auc: float | None
    log_loss: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a contender has chosen on a fold, and how good it is; fields as on `Record`."""

    objective: str
    status: str
    termination: str
    value: float
    bound: float | None
    members: tuple[int, ...]
    threshold: int | None
    multiplicities: tuple[int, ...]
    weights: tuple[float, ...]
    seconds: float
    trace: tuple[Progress, ...]
    validation: Scores
    test: Scores


def choose(contender: Contender, fold: Fold, seed: int) -> Chosen:
    """Let a contender choose.

    Raises
    ------
    InputError
        If it finds no committee.
    """
    if contender.function is not None:
        function = find_function(contender.function, contender.takes)
        by = _by_function if contender.takes == VOTES else _by_probabilities
        return by(contender, function, fold, seed)
    said = _probabilities(contender, fold) if contender.soft else fold.table.validation
    how = {"solver": contender.solver, "diversity": contender.diversity}
    how["threshold"] = contender.threshold
    found: Any = prune(
        said,
        objective=contender.goal(),
        method=contender.method,
        constraints=contender.requests(fold.names),
        time_limit=contender.time_limit,
        random_state=seed,
        n_jobs=1,
        **({"penalty": contender.penalty} if contender.soft else how),
    )
    committee = found.committee
    if committee is None:
        raise InputError("time_limit", f"ended with status {found.status}: {found.termination}.")
    answer = {
        "objective": found.objective,
        "status": found.status,
        "termination": found.termination,
        "value": found.value,
        "bound": found.bound,
        "members": committee.members,
        "seconds": found.seconds,
        "trace": found.trace,
    }
    if contender.soft:
        tell = _teller(lambda rows: committee.predict_proba(rows)[:, 1], committee.cutoff)
        seats = {"threshold": None, "multiplicities": (), "weights": committee.weights}
        return Chosen(**answer, **seats, **_scores(fold, tell))
    return Chosen(**answer, **_seats(committee), **_scores(fold, _counter(committee)))


def _probabilities(contender: Contender, fold: Fold) -> Probabilities:
    clip = CLIP if contender.clip is None else contender.clip
    part = fold.validation
    return Probabilities(part.said, part.labels.astype(int), names=fold.names, clip=clip)


def _by_function(
    contender: Contender, function: Callable[..., Any], fold: Fold, seed: int
) -> Chosen:
    """Call a function of the user's own and recount what it returns."""
    votes = fold.table.validation
    began = time.perf_counter()
    answer = function(votes, time_limit=contender.time_limit, random_state=seed)
    seconds = time.perf_counter() - began
    committee = _committee(answer, votes)
    problem = Problem.of(votes, contender.objective)
    return Chosen(
        objective=contender.objective,
        status="feasible",
        termination="finished",
        value=problem.objective.read(problem.score(committee)),
        bound=None,
        members=committee.members,
        seconds=seconds,
        trace=(),
        **_seats(committee),
        **_scores(fold, _counter(committee)),
    )


def _by_probabilities(
    contender: Contender, function: Callable[..., Any], fold: Fold, seed: int
) -> Chosen:
    """Call a function that takes probabilities; its value is minus its log loss."""
    part = fold.validation
    began = time.perf_counter()
    answer = function(
        part.said, part.labels.astype(int), time_limit=contender.time_limit, random_state=seed
    )
    seconds = time.perf_counter() - began
    scores = _scores(fold, _teller(lambda rows: _positive(answer.predict_proba(rows)), 0.5))
    return Chosen(
        objective="log_loss",
        status="feasible",
        termination="finished",
        value=-(scores["validation"].log_loss or 0.0),
        bound=None,
        members=_places(answer.members, part.said.shape[1]),
        threshold=None,
        multiplicities=(),
        weights=(),
        seconds=seconds,
        trace=(),
        **scores,
    )


def _positive(shares: Any) -> Floats:
    """Return the probability of the positive class, of one column or two."""
    found = np.asarray(shares, dtype=np.float64)
    return found if found.ndim == 1 else found[:, -1]


def _committee(answer: Any, votes: Votes) -> Committee:
    if isinstance(answer, Committee):
        return answer
    members = _places(answer, votes.n_classifiers)
    chosen = tuple(votes.names[member] for member in members)
    return Committee(members, len(members) // 2, chosen, votes.n_classifiers)


def _places(members: Any, of: int) -> tuple[int, ...]:
    """Read indices. A mask of 0 and 1 would pass for two of them, so none may stand twice."""
    try:
        places = [index(member) for member in members]
        if any(isinstance(member, bool) for member in members) or len(set(places)) < len(places):
            raise ValueError
        if not places or min(places) < 0 or max(places) >= of:
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(
            "function",
            f"returned {members!r:.80}; expected a Committee or members' indices, each once, "
            f"from 0 to {of - 1}.",
        ) from None
    return tuple(sorted(places))


def _seats(committee: Committee) -> dict[str, Any]:
    plain = committee.n_votes == committee.size
    return {
        "threshold": committee.threshold,
        "multiplicities": () if plain else committee.multiplicities,
        "weights": (),
    }


Judge = Callable[[Part], Scores]


def _counter(committee: Committee) -> Judge:
    """Judge a committee by its votes: rows are ranked by how many are for them."""

    def judge(part: Part) -> Scores:
        votes = part.votes[:, committee.members] @ np.array(committee.multiplicities)
        return _judged(part.labels, votes > committee.threshold, votes, None)

    return judge


def _teller(tell: Callable[[Floats], Floats], cutoff: float) -> Judge:
    """Judge probabilities, and what they decide at a cut-off."""

    def judge(part: Part) -> Scores:
        shares = tell(part.said)
        return _judged(part.labels, shares > cutoff, shares, shares)

    return judge


def _judged(labels: Bools, decided: Bools, ranked: Any, shares: Floats | None) -> Scores:
    both = 0 < labels.sum() < len(labels)
    return Scores(
        Confusion.count(labels, decided),
        float(roc_auc_score(labels, ranked)) if both else None,
        None if shares is None else float(log_loss(labels, shares, labels=[False, True])),
    )


def _scores(fold: Fold, judge: Judge) -> dict[str, Any]:
    return {"validation": judge(fold.validation), "test": judge(fold.test)}
