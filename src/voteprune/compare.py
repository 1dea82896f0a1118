"""`compare`: several methods on the same votes, one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from .exceptions import InputError
from .problem.committee import Committee
from .problem.constraints import Constraint, check_constraints
from .problem.criteria import METRICS, Criterion, check_criterion
from .problem.diversity import Diversity, check_diversity
from .problem.margin import check_margin
from .problem.pairwise import FailureCredit
from .problem.problem import Problem
from .run.incumbent import Progress
from .run.run import Method, ThresholdRule
from .solve.comparison import Comparison, Row
from .solve.request import Circumstances, check_callback, check_configuration
from .solve.solution import Solution
from .solve.solve import carry_out
from .solvers import Solver
from .strategies.registry import METHODS, check_honours, check_threshold
from .votes.votes import Votes, as_votes

_LEFT_OUT = ("brute", "merged", "paper")
"""Not compared unless asked for: they cannot do, or take very long for, pools of common size."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Votes by which committees are judged, whatever they were chosen for."""

    problem: Problem

    def scores(self, committee: Committee) -> tuple[float, float]:
        """Return accuracy and balanced accuracy of a committee on these votes."""
        counts = self.problem.confusion(committee)
        accuracy, balanced = (
            METRICS[name].weights(counts.positives, counts.negatives).value(counts)
            for name in ("accuracy", "balanced_accuracy")
        )
        return float(accuracy), float(balanced)


def compare(
    votes: object,
    y: object = None,
    *,
    methods: Sequence[str] | None = None,
    test: Votes | None = None,
    objective: Criterion = "accuracy",
    solver: str | Solver | None = None,
    diversity: str | Diversity | None = None,
    constraints: Constraint | Sequence[Constraint] | None = (),
    threshold: ThresholdRule | None = None,
    sample_weight: object = None,
    time_limit: float | None = 60.0,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    callback: Callable[[str, Progress | None], object] | None = None,
) -> Comparison:
    """Run several methods on the same votes and put what they find side by side.

    Parameters
    ----------
    votes, y, sample_weight
        As in `prune`.
    methods
        Names of methods, see `voteprune.methods`. When omitted: all that can honour what is
        asked for, but "paper" and "brute".
    test
        Votes of the same classifiers on other rows, to judge the committees on.
    objective, solver, diversity, constraints, threshold, random_state, n_jobs
        As in `prune`, the same for all methods.
    time_limit
        Seconds for each method; None for no limit.
    callback
        Called with a method's name: with None when it begins, and with a `Progress` on every
        improvement, where a true return value ends this method.

    Returns
    -------
    Comparison
        Rows as data; `print` its `table()`, or `plot()` it. Ctrl-C ends the comparison with the
        method it stopped.

    Raises
    ------
    InputError
        If an argument is wrong, or a method named cannot honour a constraint; nothing has been
        started then.
    """
    check_callback(callback)
    requests = check_constraints(constraints)
    if check_margin(objective) is not None:
        raise InputError(
            "objective",
            f"{objective} is a margin, which few methods can maximise; methods are compared by a "
            "criterion of the counts. Take 'accuracy', say, and prune() for margins.",
        )
    criterion, limits = check_configuration(
        check_criterion(objective, "objective"), check_diversity(diversity)
    )
    chosen = _choose(methods, requests, limits, threshold)
    orders = [
        Circumstances.of(
            method,
            solver=solver,
            threshold=threshold,
            time_limit=time_limit,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        for method in chosen
    ]
    read = as_votes(votes, y, sample_weight)
    judged = [] if test is None else [Judge(Problem.of(_check_test(test, read)))]
    # Rows are merged once, for all methods and for the judge.
    problem = Problem.of(read, criterion, requests, limits)
    solutions: list[Solution] = []
    for method, order in zip(chosen, orders, strict=True):
        hear = None
        if callback is not None:
            hear = partial(callback, method.name)
            hear(None)
        solutions.append(carry_out(problem, method, order, callback=hear))
        if solutions[-1].termination == "interrupted":
            break
    judges = [Judge(problem), *judged]
    credit = FailureCredit.of(problem.patterns).matrix()
    rows = tuple(_row(solution, judges, credit) for solution in solutions)
    return Comparison(str(criterion), rows, tuple(solutions))


def _choose(
    names: Sequence[str] | None,
    requests: Sequence[Constraint],
    diversity: str | Diversity | None,
    threshold: object,
) -> list[Method]:
    """Return the methods asked for, or all that can do what is asked."""
    if names is None:
        known = [method for name, method in METHODS.items() if name not in _LEFT_OUT]
        able = [method for method in known if _can(method, requests, diversity, threshold)]
        if not able:
            if threshold not in (None, *get_args(ThresholdRule)):
                check_threshold(threshold, known[0])  # says what is allowed
            raise InputError(
                "methods",
                "none can honour all that is asked for. Ask for less: no method takes every "
                "constraint together with a rule for the threshold.",
            )
        return able
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise InputError("methods", f"expected a list of names, got {names!r}.")
    for name in names:
        if name not in METHODS:
            raise InputError("methods", f"{name!r} is not known. Known are {', '.join(METHODS)}.")
        check_threshold(threshold, METHODS[name])
        check_honours(METHODS[name], requests, diversity)
    return [METHODS[name] for name in names]


def _can(
    method: Method,
    requests: Sequence[Constraint],
    diversity: str | Diversity | None,
    threshold: object,
) -> bool:
    try:
        check_threshold(threshold, method)
        check_honours(method, requests, diversity)
    except InputError:
        return False
    return True


def _check_test(test: object, votes: Votes) -> Votes:
    if not isinstance(test, Votes):
        raise InputError("test", f"expected vp.Votes(predictions, y), got {test!r:.80}.")
    if test.n_classifiers != votes.n_classifiers:
        raise InputError(
            "test",
            f"has {test.n_classifiers} classifiers, the votes have {votes.n_classifiers}. Give "
            "the same classifiers' votes in the same order.",
        )
    return test


def _row(solution: Solution, judges: Sequence[Judge], credit: NDArray[np.float64]) -> Row:
    committee = solution.committee
    judged = [] if committee is None else [judge.scores(committee) for judge in judges]
    here, there = [*judged, (None, None), (None, None)][:2]
    return Row(
        method=solution.method,
        status=solution.status,
        termination=solution.termination,
        size=None if committee is None else committee.size,
        threshold=None if committee is None else committee.threshold,
        value=solution.value,
        bound=solution.bound,
        accuracy=here[0],
        balanced_accuracy=here[1],
        test_accuracy=there[0],
        test_balanced_accuracy=there[1],
        diversity=None if committee is None else mean_credit(committee.members, credit),
        seconds=solution.seconds,
        trusted=solution.trusted,
    )


def mean_credit(members: Sequence[int], credit: NDArray[np.float64]) -> float | None:
    """Return the mean over all pairs of members; the diagonal is 0 and does not count."""
    size = len(members)
    if size == 1:
        return None
    return float(credit[np.ix_(members, members)].sum() / (size * (size - 1)))
