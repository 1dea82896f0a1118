"""Of equals the smallest: what is dropped or swapped, what is tried, and what is said about it."""

import time
from itertools import combinations
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from committees import Committees, Pluralities
from instances import random_instance
from voteprune.primal import polish
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.strategies import exact


def pool(seed, k=8, n=30):
    """Labels and votes of classifiers that fail together, as real ones do."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n) % 2)
    skill = np.where(rng.random((n, 1)) < 0.3, 0.3, rng.uniform(0.5, 0.9, k))
    return np.where(rng.random((n, k)) < skill, labels[:, None], 1 - labels[:, None]), labels


def classes(seed, k=7, n=30):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    truth[:3] = 0, 1, 2
    return np.where(rng.random((n, k)) < 0.5, truth[:, None], rng.integers(0, 3, (n, k))), truth


BUDGET = vp.Budget([3, 1, 2, 2, 1, 3, 1], 9)
PROBLEMS = {
    "sum": lambda seed: Problem.of(vp.Votes(*pool(seed)), "accuracy"),
    "sum, limits": lambda seed: Problem.of(
        vp.Votes(*pool(seed)), "balanced_accuracy", [vp.AtLeast("recall", 0.5), vp.Require(1)]
    ),
    "ratio": lambda seed: Problem.of(vp.Votes(*pool(seed)), "f1"),
    "curve": lambda seed: Problem.of(vp.Votes(*pool(seed)), "mcc"),
    "margin": lambda seed: Problem.of(vp.Votes(*pool(seed)), vp.Ramp(1, growth=0)),
    "classes": lambda seed: PluralityProblem.of(vp.PluralityVotes(*classes(seed)), "accuracy"),
    "classes, budget": lambda seed: PluralityProblem.of(
        vp.PluralityVotes(*classes(seed)), "balanced_accuracy", [BUDGET]
    ),
    "f-score": lambda seed: PluralityProblem.of(vp.PluralityVotes(*classes(seed)), "f1_macro"),
}


def begun(problem, members=None, seconds=60.0):
    """A run whose incumbent has some members, by default the largest of the best."""
    incumbent = Incumbent(problem)
    incumbent.offer(largest_of_best(problem) if members is None else members)
    return Run(incumbent, time.monotonic() + seconds)


def judged(problem):
    """All sets that are allowed, with their scores."""
    sets = (
        list(members)
        for size in range(1, problem.n_classifiers + 1)
        for members in combinations(range(problem.n_classifiers), size)
    )
    return [(members, best[1]) for members in sets if (best := problem.best(members)) is not None]


def largest_of_best(problem):
    scores = judged(problem)
    best = max(score for _, score in scores)
    return max((members for members, score in scores if score == best), key=len)


def nearby(problem, members):
    """Members without one of them, and with one in the place of two."""
    for k in members:
        yield set(members) - {k}
    others = set(problem.allowed) - set(members)
    for pair in combinations(members, 2):
        for k in others:
            yield set(members) - set(pair) | {k}


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("seed", range(4))
def test_no_member_can_be_dropped_and_no_two_swapped_for_one(kind, seed):
    """But where the tangent of a curve says that a swap is worse."""
    problem = PROBLEMS[kind](seed)
    run = begun(problem)
    before = run.incumbent.committee, run.incumbent.score
    with mock.patch.object(polish, "_try_smaller", return_value=False):
        polish.polish(problem, run)
    members, score = run.incumbent.members, run.incumbent.score
    assert score == before[1] == problem.best(list(members))[1]
    assert len(members) <= len(before[0].members)
    for fewer in nearby(problem, members):
        found = problem.best(sorted(fewer))
        if found is not None and found[1] == score and kind not in ("curve", "f-score"):
            assert len(fewer) >= len(members)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_swap_that_is_as_good_is_found(kind):
    """From any committee; of curves that are no ratios, those on the right side of the tangent."""
    exactly, met = kind not in ("curve", "f-score"), 0
    for seed in range(10):
        problem = PROBLEMS[kind](seed)
        scores = {tuple(members): score for members, score in judged(problem)}
        members = list(scores)[-(seed + 1)]
        run = begun(problem, members)
        swapped = {tuple(sorted(who)) for who in nearby(problem, members) if not who < set(members)}
        good = {who for who in swapped if scores.get(who, -1) >= scores[members]}
        found = {tuple(who) for who in polish._SWAPS[problem.objective.kind](problem, run, members)}
        assert found <= swapped
        assert not exactly or good <= found
        met += len(good & found)
    assert met


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("seed", range(2))
def test_where_all_smaller_ones_are_tried_the_smallest_is_proved(kind, seed):
    problem = PROBLEMS[kind](seed)
    run = begun(problem)
    with mock.patch.object(polish, "_SECONDS", 60.0):
        polish.polish(problem, run)
    scores = judged(problem)
    best = max(score for _, score in scores)
    assert run.incumbent.smallest
    assert run.incumbent.score == best
    assert len(run.incumbent.members) == min(len(who) for who, score in scores if score == best)


def test_nothing_is_looked_for_when_time_is_over():
    votes, labels = pool(0)
    twins = vp.Votes(np.column_stack([votes[:, 0]] * 4), labels)
    problem = Problem.of(twins, "accuracy")
    run = begun(problem, [0, 1, 2, 3], seconds=-1.0)
    before = run.incumbent.committee
    polish.polish(problem, run)
    assert run.incumbent.committee is before
    assert not run.incumbent.smallest


def test_what_would_take_long_is_left_out():
    """Neither trying smaller sizes nor swaps: only members are dropped."""
    for kind in ("sum", "margin", "classes"):
        problem = PROBLEMS[kind](3)
        run = begun(problem)
        begun_with = set(run.incumbent.members)
        with (
            mock.patch.multiple(polish, _SECONDS=0.0, _PRODUCTS=0, _CELLS=0),
            mock.patch.object(run.incumbent, "offer", wraps=run.incumbent.offer) as offered,
        ):
            polish.polish(problem, run)
        asked = [set(call.args[0]) for call in offered.call_args_list]
        assert all(who < begun_with for who in asked)
        assert len(asked) <= sum(range(9))


@pytest.mark.parametrize(
    ("seed", "enumerate_all"),
    [*((seed, True) for seed in range(10)), *((seed, False) for seed in (2, 3, 4, 5))],
)
def test_the_smallest_of_the_best_is_returned_and_never_claimed_falsely(seed, enumerate_all):
    """Under any limits, tried out or proved by the engine."""
    instance = random_instance(seed, most_classifiers=9)
    truth = Committees(instance.matrix, instance.labels, instance.sample_weight)
    allowed = truth.allowed(instance.constraints, instance.diversity)
    with mock.patch.object(exact, "ENUMERATE", exact.ENUMERATE if enumerate_all else 0):
        runs = [vp.prune(instance.votes, **instance.request(), random_state=0) for _ in range(2)]
    solution = runs[0]
    assert solution.committee == runs[1].committee
    assert (solution.committee is None) == (not allowed.any())
    if solution.committee is None:
        assert not solution.smallest
        return
    values = truth.values(instance.objective)
    best = max(values[point] for point in np.unique(truth.place[allowed]))
    as_good = allowed & np.array([value == best for value in values])[truth.place]
    assert solution.value == float(best)
    assert as_good[truth.code(solution.committee.members), solution.committee.threshold]
    assert solution.committee.size == truth.sizes[as_good.any(axis=1)].min()
    assert solution.smallest


@pytest.mark.parametrize("seed", range(3))
def test_several_classes_return_the_smallest_of_the_best(seed):
    named, truth = classes(seed)
    values = Pluralities(named, truth, np.ones(len(truth)), [0, 1, 2]).values("accuracy")[1:]
    sizes = np.array([code.bit_count() for code in range(1, len(values) + 1)])
    solution = vp.prune(vp.PluralityVotes(named, truth))
    assert solution.committee.size == sizes[[value == max(values) for value in values]].min()
    assert solution.smallest


def test_what_is_proved_is_said_and_kept_on_file():
    solution = vp.prune(vp.Votes(*pool(1)))
    assert solution.committee.size > 1
    assert solution.summary().startswith(
        "Optimal: no committee is better, and no smaller one is as good.\n"
    )
    assert '"smallest": true' in solution.to_json()
    assert vp.Solution.from_json(solution.to_json()).smallest
    older = solution.to_json().replace('"smallest": true', '"seen": true')
    assert not vp.Solution.from_json(older).smallest
    with mock.patch.object(polish, "_try_smaller", return_value=False):
        silent = vp.prune(vp.Votes(*pool(1)), method="merged")
    assert silent.committee.size == solution.committee.size
    assert not silent.smallest
    assert silent.summary().startswith("Optimal: no committee is better.\n")
    heuristic = vp.prune(vp.Votes(*pool(1)), method="hc-acc")
    assert not heuristic.smallest
    assert '"smallest"' not in heuristic.to_json()


def test_of_one_member_nothing_is_said():
    votes, labels = pool(0)
    votes[:, 3] = labels
    solution = vp.prune(vp.Votes(votes, labels))
    assert solution.committee.members == (3,)
    assert solution.smallest
    assert solution.summary().startswith("Optimal: no committee is better.\n")


def test_a_promise_chooses_another_committee_and_claims_nothing():
    votes, labels = pool(4, n=400)
    promised = vp.prune(vp.Votes(votes, labels), promise=vp.AtLeast("recall", 0.4))
    assert promised.promise.chosen is not None
    assert not promised.smallest
