"""The judge of committees against the definitions, for every committee of small pools."""

from dataclasses import replace
from fractions import Fraction
from itertools import groupby

import numpy as np
import pytest

import voteprune as vp
from instances import drawn, random_instance
from oracle import Oracle, metric
from voteprune.problem.objective import CurveObjective, LinearObjective
from voteprune.problem.problem import Problem, count_votes

RNG = np.random.default_rng(7)
MATRIX, LABELS = RNG.integers(0, 2, (12, 4)), np.arange(12) % 2
VOTES = vp.Votes(MATRIX, LABELS, names=["a", "b", "c", "d"])


def small(seed, kind):
    """An instance that has this about it."""
    wanted = {
        "plain": lambda one: not one.constraints,
        "limits on criteria": lambda one: any(
            isinstance(c, vp.AtLeast | vp.AtMost) and c.what != "size" for c in one.constraints
        ),
        "limits on members": lambda one: len(one.constraints) > 1,
        "diversity": lambda one: one.diversity is not None,
    }[kind]
    return drawn(
        seed,
        lambda s: random_instance(s, most_classifiers=5, most_rows=20),
        lambda one: len(one.matrix[0]) > 2 and wanted(one),
    )


@pytest.mark.parametrize("kind", ["plain", "limits on criteria", "limits on members", "diversity"])
@pytest.mark.parametrize("seed", range(6))
def test_every_committee_is_judged_by_the_definitions(seed, kind):
    instance = small(7000 + seed, kind)
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    objective = instance.objective if seed % 3 else ("f1", "mcc")[seed // 3]
    problem = Problem.of(instance.votes, objective, instance.constraints, instance.diversity)
    assert problem.size_max >= problem.size_min
    for members, those in groupby(truth.committees(), key=lambda one: one[0]):
        best = None
        levels = []
        for _, level, counts in those:
            committee = problem.committee(members, level)
            assert (committee.members, committee.threshold) == (tuple(members), level)
            told = problem.confusion(committee)
            assert (told.tp, told.fn, told.tn, told.fp) == counts
            score = problem.score(committee)
            worth = metric(objective, *counts)
            assert _value(problem, score) == worth
            allowed = truth.allowed(members, counts, instance.constraints, instance.diversity)
            assert problem.allows(committee) == allowed
            assert problem.best(members, level) == ((committee, score) if allowed else None)
            if allowed and (best is None or worth > best[1]):
                best = committee, worth
            if allowed:
                levels.append(level)
        found = problem.best(members)
        assert (found and (found[0], _value(problem, found[1]))) == best
        if problem.allows_members(members):
            counts = problem.counts(members)
            assert problem.allowed_thresholds(counts, len(members)).tolist() == levels
        else:
            assert not levels


def _value(problem, score):
    """The value of a score, exactly; its square, with its sign, where it has a root."""
    if isinstance(problem.objective, CurveObjective):
        return score
    return score * problem.objective.gains.unit


def test_nobody_is_no_committee():
    problem = Problem.of(VOTES)
    assert problem.best([]) is None
    assert problem.best([], 0) is None


def test_who_is_named_twice_has_two_votes():
    problem = Problem.of(VOTES)
    counts = problem.counts([0, 2, 2])
    assert counts.dtype == np.int64
    matrix = problem.patterns.matrix.astype(int)
    assert counts.tolist() == (matrix[:, 0] + 2 * matrix[:, 2]).tolist()
    committee = problem.committee([2, 0, 2], 1)
    assert (committee.members, committee.multiplicities) == ((0, 2), (1, 2))
    assert committee.names == ("a", "c")
    assert committee.pool_size == 4
    positive = MATRIX[:, 0] + 2 * MATRIX[:, 2] > 1
    assert problem.confusion(committee) == vp.Confusion.count(LABELS == 1, positive)
    # Whoever votes twice sits once.
    limited = Problem.of(VOTES, requests=[vp.AtMost("size", 2), vp.Budget([1, 9, 1, 9], 2)])
    assert limited.allows_members([2, 0, 2])
    assert limited.best([2, 0, 2])[0].multiplicities == (1, 2)


@pytest.mark.parametrize("times", [254, 255, 256, 257, 600])
def test_votes_are_counted_beyond_a_byte(times):
    ones = np.ones((3, 1), dtype=bool)
    assert count_votes(ones, [0] * times).tolist() == [times] * 3


def test_a_committee_knows_how_votes_were_read():
    matrix = np.where(RNG.random((12, 4)) < 0.2, np.nan, 3.0 * MATRIX)
    votes = vp.Votes(matrix, LABELS, cutoff=2, abstentions="against")
    committee = Problem.of(votes).committee([0, 1], 0)
    assert (committee.abstentions, committee.cutoff) == ("against", 2)
    plain = Problem.of(VOTES).committee([0, 1], 0)
    assert (plain.abstentions, plain.cutoff) == (VOTES.abstentions, VOTES.cutoff)


def test_skipped_abstentions_are_not_for_thresholds():
    matrix = np.where(RNG.random((12, 4)) < 0.2, np.nan, MATRIX)
    with pytest.raises(vp.InputError, match="abstentions='against'") as caught:
        Problem.of(vp.Votes(matrix, LABELS, abstentions="skip"))
    assert caught.value.argument == "votes"


def test_limits_on_coverage_and_members_are_no_limits_on_criteria():
    matrix = np.where(RNG.random((12, 4)) < 0.4, np.nan, MATRIX)
    votes = vp.Votes(matrix, LABELS, abstentions="against")
    requests = [vp.AtLeast("coverage", 0.9), vp.AtMost("size", 3), vp.AtLeast("recall", 0.1)]
    problem = Problem.of(votes, requests=requests)
    assert [limit.request for limit in problem.metric_limits] == requests[2:]
    assert problem.requests == tuple(requests)
    voted = ~np.isnan(matrix)
    verdicts = set()
    for members in ([0], [0, 1], [1, 2], [0, 2, 3], [0, 1, 2], [0, 1, 2, 3]):
        share = Fraction(int(voted[:, members].any(axis=1).sum()), 12)
        verdict = share >= Fraction(9, 10) and len(members) <= 3
        assert problem.allows_members(members) == verdict
        verdicts.add(verdict)
    assert verdicts == {True, False}


def test_a_weighted_sum_takes_the_place_of_the_objective_and_of_nothing_else():
    requests = [vp.AtMost("size", 2)]
    problem = Problem.of(VOTES, "f1", requests, "F2")
    weights = vp.Weights(tp=2, fp=-1)
    other = problem.weighing(weights)
    assert isinstance(other.objective, LinearObjective)
    assert (other.weights, other.objective.criterion) == (weights, weights)
    assert (other.requests, other.size_max, other.diversity) == (
        tuple(requests), 2, problem.diversity,
    )  # fmt: skip
    assert other.diversity is not None
    assert other.asked_diversity == "F2"
    committee = other.committee([0, 1], 0)
    told = other.confusion(committee)
    assert other.score(committee) * other.gains.unit == 2 * told.tp - told.fp


def test_on_other_rows_limits_are_those_of_the_old_ones_where_they_depend_on_rows():
    matrix, labels = RNG.integers(0, 2, (20, 4)), np.arange(20) % 2
    other = vp.Votes(matrix, labels, names=VOTES.names)
    requests = [vp.AtLeast("size", 2), vp.AtMost("size", 3), vp.AtLeast("recall", 0.5)]
    problem = Problem.of(VOTES, "recall", requests, "F3")
    there = problem.on_rows(other)
    assert there.votes is other
    assert there.patterns == vp.Patterns.of(other)
    assert (there.size_min, there.size_max) == (2, 3)
    assert (there.requests, there.asked_diversity) == (tuple(requests), "F3")
    assert there.floors is problem.floors
    committee = there.committee([0, 1], 0)
    predicted = matrix[:, :2].any(axis=1)
    assert there.confusion(committee) == vp.Confusion.count(labels == 1, predicted)
    # A positive row is still worth what it was worth: a sixth.
    found = there.score(committee) * there.gains.unit
    assert found == Fraction(there.confusion(committee).tp, 6)
    enough = there.with_requests(requests[2:], None)
    assert enough.allows(committee) == (there.confusion(committee).tp >= 5)


def test_on_other_rows_a_size_that_was_narrowed_stays_narrow():
    problem = Problem.of(VOTES).within(vp.Budget([1, 1, 1, 5], 2))
    assert problem.size_max == 2
    assert problem.on_rows(VOTES).size_max == 2
    assert replace(problem, size_min=2).on_rows(VOTES).size_min == 2


def test_on_other_rows_others_abstain():
    matrix = np.where(RNG.random((12, 4)) < 0.4, np.nan, MATRIX)
    votes = vp.Votes(matrix, LABELS, names=VOTES.names, abstentions="against")
    requests = [vp.AtLeast("coverage", 1)]
    there = Problem.of(VOTES, requests=requests).on_rows(votes)
    assert there.must_cover
    everywhere = (~np.isnan(matrix))[:, :2].any(axis=1).all()
    assert there.allows_members([0, 1]) == everywhere
    assert not everywhere


def test_a_row_of_a_margin_loses_less_in_larger_committees():
    plain = Problem.of(VOTES, requests=[vp.AtMost("size", 3)])
    assert plain.least_loss == 1
    margin = Problem.of(VOTES, vp.Ramp(4), [vp.AtMost("size", 3)])
    assert margin.least_loss == margin.objective.least_loss(3)
    assert margin.least_loss != margin.objective.least_loss(4)


def test_margins_are_won_by_majorities_only():
    problem = Problem.of(VOTES, vp.Ramp(4))
    assert [problem.allows(problem.committee([0, 1, 2], level)) for level in range(3)] == [
        False, True, False,
    ]  # fmt: skip
    assert problem.best([0, 1, 2], 0) is None


def test_limits_on_diversity_are_told_and_their_tables_are_not_shown():
    assert Problem.of(VOTES).diversity is None
    limits = vp.Diversity(Fraction(1, 4))
    problem = Problem.of(VOTES, diversity=limits)
    assert problem.diversity == limits
    assert "floors=" not in repr(problem)


def test_sums_above_thresholds():
    counts = np.array([0, 1, 1, 3, 2])
    net = np.array([100, 10, -3, 1, 7])
    found = Problem.above_thresholds(net, counts, 3)
    assert found.tolist() == [net[counts > level].sum() for level in range(3)]


@pytest.mark.parametrize("positive", [1, 2])
def test_limits_on_a_class_are_kept_for_the_class_of_that_label(positive):
    rng = np.random.default_rng(5)
    y = np.where(np.arange(120) % 3 == 0, 1, 2)
    said = np.where(rng.random((120, 7)) < 0.75, y[:, None], 3 - y[:, None])
    votes = vp.Votes(said, y, positive=positive)
    for of in (1, 2):
        for what in ("recall", "precision", "f1"):
            wish = vp.AtLeast(what, 0.88, of=of)
            solution = vp.prune(votes, constraints=wish, random_state=0)
            predicted = solution.committee.predict(said)
            right = (predicted == of) & (y == of)
            within = {
                "recall": (y == of).sum(), "precision": (predicted == of).sum(),
                "f1": ((y == of).sum() + (predicted == of).sum()) / 2,
            }[what]  # fmt: skip
            assert right.sum() / within >= 0.88
            own = {"recall": "specificity", "precision": "npv"}
            if of == positive or what in own:
                plain = vp.AtLeast(what if of == positive else own[what], 0.88)
                assert vp.prune(votes, constraints=plain, random_state=0).value == solution.value
