"""The front: at every size, the best value found is a committee's, and the bound holds."""

import itertools
import time
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

import voteprune as vp
from instances import random_instance
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.problem import Problem
from voteprune.soft.pruning import SoftPruning
from voteprune.soft.tree import TOLERANCE
from voteprune.solve import size_front
from voteprune.solve.request import Arguments, check_arguments
from voteprune.strategies.registry import METHODS

module = import_module("voteprune.front")


def best_by_size(problem):
    best = {}
    k = problem.n_classifiers
    for code in range(1, 2**k):
        members = [i for i in range(k) if code >> i & 1]
        found = problem.best(members)
        if found is not None:
            size = len(members)
            best[size] = max(best.get(size, found[1]), found[1])
    return best


@pytest.mark.parametrize("seed", range(12))
def test_every_size_is_solved_and_proved_on_small_pools(seed, monkeypatch):
    if seed % 2:
        monkeypatch.setattr(size_front, "TRY_SHARE", 0)  # else all of them are tried
    instance = random_instance(seed, most_classifiers=7, most_rows=30)
    problem = Problem.of(
        instance.votes, instance.objective, instance.constraints, instance.diversity
    )
    found = vp.front(
        instance.votes,
        objective=instance.objective,
        constraints=instance.constraints,
        diversity=instance.diversity,
        time_limit=20,
        random_state=0,
    )
    best, unit = best_by_size(problem), problem.gains.unit
    sizes = range(problem.size_min, min(problem.size_max, len(problem.allowed)) + 1)
    assert [size for size in found.sizes if size in best] == sorted(best)
    assert set(found.sizes) <= set(sizes)
    for point in found.points:
        if point.size not in best:
            assert point.committee is None
            assert point.bound is None
            continue
        assert point.committee.size == point.size
        assert point.value == float(best[point.size] * unit)
        assert point.optimal
    if best:
        assert found.at_most(max(sizes)).value == float(max(best.values()) * unit)


@pytest.mark.slow
def test_a_front_cut_short_still_bounds_every_size():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    votes = vp.Votes((y[:, None] ^ (rng.random((200, 40)) < 0.3)).astype(int), y)
    seen = []
    found = vp.front(
        votes, time_limit=3, random_state=0, callback=seen.append, constraints=vp.AtMost("size", 9)
    )
    assert found.sizes == tuple(range(1, 10))
    assert all(point.bound >= point.value for point in found.points)
    for earlier, later in itertools.pairwise(seen):
        for before, after in zip(earlier.points, later.points, strict=True):
            assert after.bound <= before.bound
            assert after.value >= before.value
    assert "size" in found.summary()


def test_what_a_front_cannot_do_is_refused_first():
    votes = vp.Votes([[1, 0], [0, 1], [1, 1]], [1, 0, 1])
    with pytest.raises(vp.InputError, match="objective"):
        vp.front(votes, objective="acuracy")
    with pytest.raises(vp.InputError, match="limit"):
        vp.front(votes, time_limit=1, random_state=0).at_most(0)


def test_ctrl_c_returns_the_front_so_far():
    """Every size still has a bound, and no bound is below what a committee reaches."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 60)
    votes = vp.Votes(np.where(rng.random((60, 12)) < 0.7, y[:, None], 1 - y[:, None]), y)

    def interrupt(_):
        raise KeyboardInterrupt

    cut = vp.front(votes, constraints=[vp.AtMost("size", 7)], callback=interrupt, random_state=0)
    assert cut.sizes == tuple(range(1, 8))
    best = vp.front(votes, constraints=[vp.AtMost("size", 7)], random_state=0)
    assert all(b >= v for b, v in zip(cut.bounds, best.values, strict=True))


VOTES = vp.Votes([[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1]], [1, 0, 1, 0], names=list("abc"))
SOFT = vp.Probabilities(np.array([[0.9, 0.2], [0.3, 0.6], [0.7, 0.8], [0.1, 0.4]]), [1, 0, 1, 0])
PLURAL = vp.PluralityVotes([[0, 1], [1, 2], [2, 2], [0, 0]], [0, 1, 2, 0])


@dataclass(frozen=True)
class FakeFront:
    told: int
    termination: str = "under way"


@pytest.fixture
def makers(monkeypatch):
    """What makes fronts, as they were asked to; they call back twice at the most."""
    made = []

    def maker(name):
        class Maker:
            def __init__(self, *given, **named):
                self.asked, self.heard = (given, named), []
                made.append((name, self))

            def run(self, told):
                while len(self.heard) < 2:
                    self.heard.append(told())
                    if self.heard[-1]:
                        break
                return "ended"

            def front(self):
                return FakeFront(len(self.heard))

        return Maker

    for name in ("SizeFront", "CostFront", "SoftFront"):
        monkeypatch.setattr(module, name, maker(name))
    return made


CIRCUMSTANCES = check_arguments(Arguments(time_limit=7)).circumstances


def test_sums_by_size_have_a_front_of_exact_sizes(makers):
    problem = Problem.of(VOTES)
    assert module.front_of(problem, CIRCUMSTANCES, began=3.0) == FakeFront(2, "ended")
    ((name, maker),) = makers
    assert (name, maker.asked) == ("SizeFront", ((problem, CIRCUMSTANCES, 3.0), {}))
    assert maker.heard == [False, False]


def covered():
    matrix = [[1, None, 1], [0, 1, 0], [1, 1, None], [0, 0, 1]]
    votes = vp.Votes(np.array(matrix, dtype=float), [1, 0, 1, 0], abstentions="against")
    return Problem.of(votes, requests=[vp.AtLeast("coverage", 1)])


@pytest.mark.parametrize(
    ("problem", "budget"),
    [
        (Problem.of(VOTES), vp.Budget([1, 2, 3], 6)),
        (Problem.of(VOTES, "f1"), None),
        (Problem.of(VOTES, vp.Ramp(1)), None),
        (covered(), None),
        (PluralityProblem.of(PLURAL), None),
    ],
)
def test_all_else_has_a_front_of_at_most_so_much(problem, budget, makers):
    start = object()
    module.front_of(problem, CIRCUMSTANCES, budget, 3.0, start=start)
    ((name, maker),) = makers
    given, named = maker.asked
    assert name == "CostFront"
    expected = (problem, problem.votes.names, budget, METHODS["exact"], CIRCUMSTANCES, 3.0)
    assert (given, named) == (expected, {"start": start})


@pytest.mark.parametrize("budget", [None, vp.Budget([1, 2], 3)])
def test_soft_committees_have_fronts_of_their_own(budget, makers):
    problem = SoftPruning.of(SOFT, "log_loss", (), 0.01)
    start = object()
    module.front_of(problem, CIRCUMSTANCES, budget, 3.0, start=start)
    ((name, maker),) = makers
    given, named = maker.asked
    if budget is None:
        assert name == "SoftFront"
        assert given == (problem, 3.0, CIRCUMSTANCES.seconds)
    else:
        assert name == "CostFront"
        assert given == (
            problem, SOFT.names, budget, METHODS["exact"], CIRCUMSTANCES, 3.0, TOLERANCE, start,
        )  # fmt: skip
    assert named == {}


def test_a_run_begins_when_it_is_asked_for_unless_it_has_begun(makers):
    before = time.monotonic()
    module.front_of(Problem.of(VOTES), CIRCUMSTANCES)
    assert before <= makers[0][1].asked[0][2] <= time.monotonic()
    vp.front(VOTES)
    assert before <= makers[1][1].asked[0][2] <= time.monotonic()


def test_whoever_is_told_may_end_the_run(makers):
    heard = []
    found = vp.front(VOTES, callback=heard.append)
    assert heard == [FakeFront(0), FakeFront(1)]
    assert found == FakeFront(2, "ended")
    vp.front(VOTES, callback=lambda told: "enough")
    assert makers[1][1].heard == ["enough"]


def test_what_is_asked_for_is_what_is_solved(makers):
    requests = [vp.AtMost("size", 2)]
    vp.front(
        VOTES, objective="recall", constraints=requests, diversity="F2", time_limit=11,
        random_state=5, n_jobs=2,
    )  # fmt: skip
    problem, circumstances, _ = makers[0][1].asked[0]
    assert problem.objective.name == "recall"
    assert (problem.requests, problem.asked_diversity) == (tuple(requests), "F2")
    expected = check_arguments(Arguments(time_limit=11, random_state=5, n_jobs=2)).circumstances
    assert circumstances == expected
    vp.front(VOTES)
    problem, circumstances, _ = makers[1][1].asked[0]
    assert (problem.objective.name, circumstances.seconds) == ("accuracy", 60.0)
    vp.front(np.asarray(VOTES.matrix), VOTES.labels, sample_weight=[1, 2, 3, 4])
    problem = makers[2][1].asked[0][0]
    assert problem.patterns.totals == (4, 6)
    vp.front(VOTES, by=[1, 2, 3], gap=0.25)
    given, _ = makers[3][1].asked
    assert given[2] == vp.Budget([1, 2, 3], 6)
    assert given[4].gap == 0.25


def test_probabilities_and_several_classes_are_asked_for_alike(makers):
    requests = [vp.AtMost("size", 1)]
    vp.front(SOFT, constraints=requests, penalty=0.25, time_limit=11)
    problem, _, seconds = makers[0][1].asked[0]
    assert isinstance(problem, SoftPruning)
    assert (problem.penalty, seconds) == (0.25, 11)
    assert problem.size_max == 1
    vp.front(SOFT)
    assert makers[1][1].asked[0][0].penalty == module.PENALTY
    vp.front(SOFT, by=[1, 2])
    assert makers[2][1].asked[0][2] == vp.Budget([1, 2], 3)
    vp.front(PLURAL, constraints=requests, by={"0": 3})
    problem, names, budget, *_ = makers[3][1].asked[0]
    assert isinstance(problem, PluralityProblem)
    assert (problem.requests, names) == (tuple(requests), PLURAL.names)
    assert budget == vp.Budget({"0": 3}, 3)
    skipping = vp.Votes([[1, np.nan], [0, 1], [1, 0]], [1, 0, 1], abstentions="skip")
    vp.front(skipping)
    assert isinstance(makers[4][1].asked[0][0], PluralityProblem)
    heard = []
    vp.front(SOFT, callback=heard.append)
    vp.front(PLURAL, callback=heard.append)
    assert len(heard) == 4


@pytest.mark.parametrize(
    ("asked", "argument", "words"),
    [
        ({"votes": VOTES, "penalty": 0.1}, "penalty", None),
        ({"votes": VOTES, "by": "cost"}, "by", 'give "size"'),
        ({"votes": VOTES, "gap": 0.1}, "gap", "fronts by cost"),
        ({"votes": VOTES, "by": [1, -1, 2]}, "by", "negative"),
        ({"votes": VOTES, "by": {"a": -1}}, "by", "negative"),
        ({"votes": VOTES, "by": vp.Budget([1, -1, 2], 3)}, "by", "negative"),
        ({"votes": VOTES, "by": 3}, "by", None),
        ({"votes": VOTES, "by": [1, "x", 2]}, "by", None),
        ({"votes": VOTES, "callback": 3}, "callback", None),
        ({"votes": PLURAL, "y": [0, 1, 2, 0]}, "y", None),
        ({"votes": PLURAL, "sample_weight": [0, 1, 2, 0]}, "sample_weight", None),
        ({"votes": SOFT, "y": [0, 1, 1, 0]}, "y", None),
        ({"votes": SOFT, "penalty": "much"}, "penalty", None),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(asked, argument, words, makers):
    with pytest.raises(vp.InputError, match=words) as caught:
        vp.front(**asked)
    assert caught.value.argument == argument
    assert not makers


def test_costs_are_what_a_front_is_by():
    assert module._check_by("size", None) is None
    assert module._check_by([1, 0, Fraction(1, 2)], 0.1) == vp.Budget([1, 0, 0.5], 1.5)
    assert module._check_by({"a": 2, "b": 0}, None) == vp.Budget({"a": 2, "b": 0}, 2)
    own = vp.Budget([1, 2, 3], 4)
    assert module._check_by(own, None) is own


def test_only_so_many_classifiers_have_a_front_by_size(makers, monkeypatch):
    monkeypatch.setattr(module, "MOST_CLASSIFIERS", 2)
    vp.front(VOTES, constraints=vp.Forbid(0))
    assert len(makers) == 1
    with pytest.raises(
        vp.InputError, match="at most 2 eligible classifiers, these are 3"
    ) as caught:
        vp.front(VOTES)
    assert caught.value.argument == "votes"
    vp.front(VOTES, by=[1, 1, 1])
    assert len(makers) == 2


def test_costs_may_be_a_generator_a_series_or_of_nobody():
    pd = pytest.importorskip("pandas")
    costs = {name: k % 3 + 1 for k, name in enumerate(VOTES.names)}
    plain = vp.front(VOTES, by=list(costs.values()), random_state=0).points
    backwards = pd.Series(dict(reversed(costs.items())))
    for by in ((cost for cost in costs.values()), backwards):
        assert vp.front(VOTES, by=by, random_state=0).points == plain
    assert len(vp.front(VOTES, by={}, random_state=0).points) == 1
