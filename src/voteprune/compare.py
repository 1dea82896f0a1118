"""`compare`: several methods on the same votes, one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from .exceptions import InputError
from .problem.committee import Committee
from .problem.constraints import Constraint, check_constraints
from .problem.diversity import Diversity, check_diversity
from .problem.margin import check_margin
from .problem.metrics import METRICS, Criterion, check_criterion
from .problem.pairwise import FailureCredit
from .problem.plurality import PluralityCriterion, PluralityProblem, kind_of_criterion
from .problem.plurality_committee import PluralityCommittee
from .problem.problem import Problem
from .run.incumbent import Progress
from .run.run import Method, ThresholdRule
from .soft.pruning import OBJECTIVES
from .solve.comparison import Comparison, Row
from .solve.plurality_solution import PluralitySolution, shares_right
from .solve.request import (
    Arguments,
    Circumstances,
    check_able,
    check_callback,
    check_configuration,
    check_plurality_plan,
)
from .solve.solution import Solution
from .solve.solve import Beside, carry_out
from .solvers import Solver
from .strategies.registry import (
    METHODS,
    check_honours,
    check_threshold,
    not_honoured,
    unknown_method,
)
from .votes.plurality import PluralityVotes
from .votes.reading import places_in
from .votes.votes import Votes, as_votes, on_classes, refuse_twice

_V = TypeVar("_V", Votes, PluralityVotes)

_LEFT_OUT = ("brute", "merged", "paper")
"""Not compared unless asked for: they cannot do, or take very long for, pools of common size."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Votes by which committees are judged, whatever they were chosen for."""

    problem: Problem | PluralityProblem

    def scores(self, committee: Committee | PluralityCommittee) -> tuple[float, float]:
        """Return accuracy and balanced accuracy of a committee on these votes."""
        if isinstance(self.problem, PluralityProblem):
            accuracy, balanced = shares_right(self.problem.confusion(committee.members))
            return float(accuracy), float(balanced)
        if not isinstance(committee, Committee):
            raise AssertionError("a committee without a threshold decides by no count of votes")
        counts = self.problem.confusion(committee)
        accuracy, balanced = (
            METRICS[name].weights(counts.positives, counts.negatives).value(counts)
            for name in ("accuracy", "balanced_accuracy")
        )
        return float(accuracy), float(balanced)


@dataclass(frozen=True, slots=True)
class Contest:
    """What the methods are run on, and who judges what they find.

    Parameters
    ----------
    objective
        What they maximise, in words.
    problem
        The votes, their rows merged once for all methods.
    orders
        The methods, each with how it is run.
    test
        Other votes to judge on; None where there are none.
    left_out
        The methods that are not compared, and why.
    """

    objective: str
    problem: Problem | PluralityProblem
    orders: tuple[tuple[Method, Circumstances], ...]
    test: Problem | PluralityProblem | None
    left_out: dict[str, str]

    @property
    def credit(self) -> NDArray[np.float64] | None:
        """Failure credit of all pairs; several classes, and votes that are skipped, have none."""
        if isinstance(self.problem, PluralityProblem):
            return None
        return FailureCredit.of(self.problem.patterns).matrix()


def compare(
    votes: object,
    y: object = None,
    *,
    methods: Sequence[str] | None = None,
    test: Votes | PluralityVotes | None = None,
    objective: Criterion | PluralityCriterion = "accuracy",
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
        As in `prune`; no `Probabilities`.
    methods
        Names of methods, see `voteprune.methods`. When omitted: all that can honour what is
        asked for, but "paper" and "brute". For `PluralityVotes`, and where abstentions are
        skipped, there are "exact", "search", "hc-acc", "full" and "best".
    test
        Votes of the same classifiers, found by name where they have names, on other rows
        to judge the committees on.
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
    arguments = Arguments(
        objective, "exact", solver, diversity, constraints, threshold, time_limit,
        random_state=random_state, n_jobs=n_jobs,
    )  # fmt: skip
    if isinstance(votes, Votes) and votes.abstentions == "skip":
        test = _skipping(test, votes)
        votes = PluralityVotes.of_two(votes)
    if isinstance(votes, PluralityVotes):
        refuse_twice(y, sample_weight)
        contest = _by_plurality(votes, methods, arguments, test)
    else:
        contest = _by_threshold((votes, y, sample_weight), methods, arguments, test)
    solutions: list[Solution | PluralitySolution] = []
    for method, order in contest.orders:
        hear = None
        if callback is not None:
            hear = partial(callback, method.name)
            hear(None)
        solution: Solution | PluralitySolution = carry_out(
            contest.problem, method, order, Beside(callback=hear)
        )
        solutions.append(solution)
        if solution.termination == "interrupted":
            break
    judges = [Judge(each) for each in (contest.problem, contest.test) if each is not None]
    credit = contest.credit
    rows = tuple(_row(solution, judges, credit) for solution in solutions)
    return Comparison(contest.objective, rows, tuple(solutions), contest.left_out)


def _by_threshold(
    pool: tuple[object, object, object],
    methods: Sequence[str] | None,
    arguments: Arguments,
    test: object,
) -> Contest:
    """Check what is asked of votes on two classes, and merge their rows."""
    requests = check_constraints(arguments.constraints)
    if check_margin(arguments.objective) is not None:
        raise InputError(
            "objective",
            f"{arguments.objective} is a margin, which few methods can maximise; methods are "
            "compared by a criterion of the counts. Take 'accuracy', say, and prune() for margins.",
        )
    if isinstance(arguments.objective, str) and arguments.objective in OBJECTIVES:
        raise InputError(
            "objective",
            f"{arguments.objective} is a loss of soft committees, and committees of votes are "
            "compared. Take 'accuracy', say, and prune() for soft committees.",
        )
    criterion, limits = check_configuration(
        check_criterion(arguments.objective, "objective"), check_diversity(arguments.diversity)
    )
    chosen, left_out = _choose(methods, requests, limits, arguments.threshold)
    orders = tuple((method, arguments.circumstances(method)) for method in chosen)
    votes = as_votes(*pool)
    judged = None if test is None else Problem.of(_check_test(test, votes))
    problem = Problem.of(votes, criterion, requests, limits)
    return Contest(str(criterion), problem, orders, judged, left_out)


def _by_plurality(
    votes: PluralityVotes, methods: Sequence[str] | None, arguments: Arguments, test: object
) -> Contest:
    """Check what is asked of votes for classes, and merge their rows."""
    first = check_plurality_plan(arguments, votes.class_names)
    kind = kind_of_criterion(first.criterion)
    left_out: dict[str, str] = {}
    if methods is None:
        for name, method in METHODS.items():
            reason = _why_not(method, first.requests, None, None)
            if kind not in method.others:
                by_votes = "plurality" in method.others
                reason = f"cannot maximise {kind}s" if by_votes else "not where most votes win"
            if reason is not None:
                left_out[name] = reason
        chosen = [name for name in METHODS if name not in left_out]
    else:
        chosen = list(_check_names(methods))
        check_able(chosen, kind, "methods")
    plans = [
        check_plurality_plan(replace(arguments, method=name), votes.class_names) for name in chosen
    ]
    orders = tuple((plan.method, plan.circumstances) for plan in plans)
    judged = None if test is None else PluralityProblem.of(_check_labels(test, votes))
    problem = PluralityProblem.of(votes, first.criterion, first.requests)
    return Contest(problem.objective.name, problem, orders, judged, left_out)


def _choose(
    names: Sequence[str] | None,
    requests: Sequence[Constraint],
    diversity: str | Diversity | None,
    threshold: object,
) -> tuple[list[Method], dict[str, str]]:
    """Return the methods asked for, or all that can do what is asked and why others are not."""
    if names is None:
        reasons = {
            name: _why_not(method, requests, diversity, threshold)
            for name, method in METHODS.items()
        }
        able = [METHODS[name] for name, reason in reasons.items() if reason is None]
        if not able:
            if threshold not in (None, *get_args(ThresholdRule)):
                check_threshold(threshold, METHODS["exact"])  # says what is allowed
            raise InputError(
                "methods",
                "none can honour all that is asked for. Ask for less: no method takes every "
                "constraint together with a rule for the threshold.",
            )
        return able, {name: reason for name, reason in reasons.items() if reason is not None}
    for name in _check_names(names):
        check_threshold(threshold, METHODS[name])
        check_honours(METHODS[name], requests, diversity)
    return [METHODS[name] for name in names], {}


def _check_names(names: object) -> Sequence[str]:
    """Return the names of methods that are known, or say which is not."""
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise InputError("methods", f"expected a list of names, got {names!r}.")
    for name in names:
        if name not in METHODS:
            raise unknown_method("methods", name)
    return names


def _why_not(
    method: Method,
    requests: Sequence[Constraint],
    diversity: str | Diversity | None,
    threshold: object,
) -> str | None:
    """Say why a method that nobody has named is not compared; None if it is."""
    if method.name in _LEFT_OUT:
        return "only if named, for it may take very long"
    if threshold is not None and threshold not in method.thresholds:
        return f"cannot keep to the threshold {threshold!r}"
    ignored = not_honoured(method, requests, diversity)
    return None if ignored is None else f"cannot honour {ignored[1]!r}"


def _check_test(test: object, votes: Votes) -> Votes:
    if not isinstance(test, Votes):
        raise InputError("test", f"expected vp.Votes(predictions, y), got {test!r:.80}.")
    if test.abstentions == "skip":
        raise InputError(
            "test",
            "skips abstentions, and the votes that committees are chosen on do not. Read both with "
            f"abstentions={votes.abstentions!r}, or both with 'skip'.",
        )
    return _same_pool(on_classes(test, votes.classes, "test"), votes)


def _skipping(test: object, chosen_on: Votes) -> PluralityVotes | None:
    """Return test votes on two classes as votes for 0 and 1, if no silence was counted in them."""
    if test is None:
        return None
    if not isinstance(test, Votes) or (test.abstentions != "skip" and test.voted is not None):
        raise InputError(
            "test",
            "expected vp.Votes(predictions, y, abstentions='skip'), as the votes are, got "
            f"{test!r:.80}.",
        )
    return PluralityVotes.of_two(on_classes(test, chosen_on.classes, "test"))


def _check_labels(test: object, votes: PluralityVotes) -> PluralityVotes:
    if not isinstance(test, PluralityVotes):
        raise InputError("test", f"expected vp.PluralityVotes(predictions, y), got {test!r:.80}.")
    if test.classes != votes.classes or (
        test.voted is not None and test.abstentions != votes.abstentions
    ):
        raise InputError(
            "test",
            "has other classes, another order of them, or another rule for abstentions. Read it "
            f"with classes={list(votes.classes)!r:.60} and abstentions={votes.abstentions!r}.",
        )
    return _same_pool(test, votes)


def _same_pool(test: _V, votes: _V) -> _V:
    """Return the test votes with their classifiers in the order of the votes."""
    if test.n_classifiers != votes.n_classifiers:
        raise InputError(
            "test",
            f"has {test.n_classifiers} classifiers, the votes have {votes.n_classifiers}. Give "
            "the same classifiers' votes.",
        )
    places = places_in(test.names, votes.names, range(votes.n_classifiers))
    if not places:
        strange = next(name for name in votes.names if name not in test.names)
        raise InputError(
            "test",
            f"has no classifier called {strange!r:.60}, as the votes have. Give the same "
            "classifiers' votes under the same names (names=), in any order.",
        )
    return test.select(places)


def _row(
    solution: Solution | PluralitySolution,
    judges: Sequence[Judge],
    credit: NDArray[np.float64] | None,
) -> Row:
    committee = solution.committee
    judged = [] if committee is None else [judge.scores(committee) for judge in judges]
    here, there = [*judged, (None, None), (None, None)][:2]
    mean = None
    if committee is not None and credit is not None:
        mean = mean_credit(committee.members, credit)
    return Row(
        method=solution.method,
        status=solution.status,
        termination=solution.termination,
        size=None if committee is None else committee.size,
        threshold=committee.threshold if isinstance(committee, Committee) else None,
        value=solution.value,
        bound=solution.bound,
        accuracy=here[0],
        balanced_accuracy=here[1],
        test_accuracy=there[0],
        test_balanced_accuracy=there[1],
        diversity=mean,
        seconds=solution.seconds,
        trusted=solution.trusted,
    )


def mean_credit(members: Sequence[int], credit: NDArray[np.float64]) -> float | None:
    """Return the mean over all pairs of members; the diagonal is 0 and does not count."""
    size = len(members)
    if size == 1:
        return None
    return float(credit[np.ix_(members, members)].sum() / (size * (size - 1)))
