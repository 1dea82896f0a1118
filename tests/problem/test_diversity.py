"""Failure credit as the paper defines it, compared exactly."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import voteprune as vp
from instances import random_instance
from oracle import Oracle, pfc
from voteprune.problem.diversity import SCALES
from voteprune.problem.diversity_measures import PairCounts
from voteprune.problem.pairwise import configure


def credit_of(matrix, labels, weights=None):
    return vp.FailureCredit.of(vp.Patterns.of(vp.Votes(matrix, labels, sample_weight=weights)))


def test_the_papers_example_gives_five_ninths():
    first, second = "0011011101", "0110001110"
    labels = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 1])
    correct = np.array([[int(c) for c in first], [int(c) for c in second]]).T
    matrix = np.where(correct == 1, labels[:, None], 1 - labels[:, None])
    credit = credit_of(matrix, labels)
    assert credit.hamming[0, 1] == 5
    assert credit.failures.sum() == 9
    assert credit.credit(0, 1) == Fraction(5, 9)
    assert credit.matrix()[0, 1] == pytest.approx(5 / 9)


@pytest.mark.parametrize("weighted", [False, True])
def test_credits_equal_the_definition(weighted):
    rng = np.random.default_rng(4)
    matrix, labels = rng.integers(0, 2, (25, 6)), rng.integers(0, 2, 25)
    weights = rng.integers(1, 5, 25) / 2 if weighted else np.ones(25)
    truth = Oracle(matrix, labels, weights)
    credit = credit_of(matrix, labels, weights)
    for a in range(6):
        for b in range(6):
            if a != b:
                assert credit.credit(a, b) == truth.table[a][b]


def test_mean_pfc_of_members_is_mean_fc_of_pairs():
    rng = np.random.default_rng(5)
    credit = credit_of(rng.integers(0, 2, (30, 7)), np.arange(30) % 2)
    for members in ([0, 1], [1, 3, 5], list(range(7))):
        pairs = [(a, b) for i, a in enumerate(members) for b in members[i + 1 :]]
        assert sum(credit.pfc(members)) / len(members) == credit.credit_sum(pairs) / len(pairs)


def test_classifiers_that_never_fail_are_twins():
    labels = np.array([0, 1, 1, 0])
    credit = credit_of(np.column_stack([labels, labels, 1 - labels]), labels)
    assert credit.credit(0, 1) == 0
    assert credit.credit(0, 2) == 1


@pytest.mark.parametrize("seed", range(10))
def test_the_full_ensemble_meets_its_own_f2_and_f3_exactly(seed):
    rng = np.random.default_rng(seed)
    credit = credit_of(rng.integers(0, 2, (40, 7)), np.arange(40) % 2)
    for name in ("F2", "F3"):
        limits = configure(name, credit)
        assert limits is not None
        assert credit.meets(limits, range(7))
    above = vp.Diversity(tau=min(credit.pfc(range(7))) + Fraction(1, 10**30))
    assert not credit.meets(above, range(7))


def test_configurations_ask_for_what_the_paper_says():
    rng = np.random.default_rng(1)
    credit = credit_of(rng.integers(0, 2, (40, 5)), np.arange(40) % 2)
    everyone = credit.pfc(range(5))
    least, mean = min(everyone), sum(everyone) / 5
    assert configure("F1", credit) is None
    assert configure("F2", credit) == vp.Diversity(0, (least + mean) / 2)
    assert configure("F3", credit) == vp.Diversity(least, (least + mean) / 2)


@pytest.mark.parametrize("method", ["exact", "paper", "brute"])
def test_a_pool_without_diversity_is_asked_for_none(method):
    y = np.array([0, 1, 1, 0, 1])
    twins = np.column_stack([[0, 1, 0, 0, 1]] * 3)
    for name in ("F2", "F3", vp.Diversity(), vp.Diversity(1, 1, "kappa")):
        solution = vp.prune(twins, y, diversity=name, method=method, random_state=0)
        assert (solution.status, solution.diversity) == ("optimal", None)


def test_f1_theta_is_f1_on_balanced_accuracy():
    rng = np.random.default_rng(3)
    matrix, y = rng.integers(0, 2, (40, 6)), (rng.random(40) < 0.25).astype(int)
    theta = vp.prune(matrix, y, diversity="F1-theta", method="paper", random_state=0)
    plain = vp.prune(matrix, y, objective="balanced_accuracy", random_state=0)
    assert theta.objective == "balanced_accuracy"
    assert theta.value == plain.value
    with pytest.raises(vp.InputError, match="F1-theta"):
        vp.prune(matrix, y, diversity="F1-theta", objective="recall")


def test_a_committee_of_one_meets_every_limit():
    labels = np.array([0, 1, 1, 0])
    solution = vp.prune(
        np.column_stack([labels, labels]), labels, diversity=vp.Diversity(tau=1), random_state=0
    )
    assert (solution.status, solution.committee.size) == ("optimal", 1)


@pytest.mark.parametrize(
    ("tau", "gamma", "argument"),
    [(-0.1, None, "tau"), (1.1, None, "tau"), (0, 1.5, "gamma"), (0.5, 0.4, "gamma"),
     (float("nan"), None, "tau"), ("much", None, "tau"), (0, float("inf"), "gamma")],
)  # fmt: skip
def test_limits_outside_their_range_are_refused(tau, gamma, argument):
    with pytest.raises(vp.InputError) as caught:
        vp.Diversity(tau, gamma)
    assert caught.value.argument == argument


@pytest.mark.parametrize("bad", ["F4", 0.5, ("F2",)])
def test_an_unknown_configuration_is_refused(bad):
    with pytest.raises(vp.InputError, match="diversity"):
        vp.prune([[0, 1], [1, 1]], [0, 1], diversity=bad)


MEASURES = list(vp.MEASURES)
CEILINGS = ["double_fault", "q", "correlation", "kappa"]


def measure_of(votes, name):
    return vp.MEASURES[name](PairCounts.of(vp.Patterns.of(votes)))


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_a_scale_that_holds_it(name):
    scale = SCALES[name]
    for seed in range(30):
        values = vp.diversity_matrix(random_instance(seed).votes, measure=name)
        assert (values >= scale.low - 1e-12).all()
        assert (values <= scale.high + 1e-12).all()


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "correlation"])
def test_exact_pairs_are_the_definition(name):
    for seed in range(40):
        instance = random_instance(seed, most_classifiers=6, most_rows=20)
        truth = Oracle(instance.matrix, instance.labels, instance.sample_weight).measured(name)
        measure = measure_of(instance.votes, name)
        for a, b in combinations(range(instance.matrix.shape[1]), 2):
            assert measure.pair(a, b) == measure.pair(b, a) == truth[a][b]


@pytest.mark.parametrize("name", MEASURES)
def test_limits_are_judged_as_the_definition_judges_them(name):
    """Limits at a pair's own value, where it can be written down, are met exactly."""
    hair = Fraction(1, 10**40)
    for seed in range(40):
        instance = random_instance(seed, most_classifiers=6, most_rows=16)
        truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
        table, measure = truth.measured(name), measure_of(instance.votes, name)
        rng = np.random.default_rng(seed)
        k = instance.matrix.shape[1]
        for size in range(2, k + 1):
            members = tuple(sorted(rng.choice(k, size, replace=False).tolist()))
            means = pfc(table, members)
            for mean in {means[0], sum(means) / size}:
                near = Fraction(mean).limit_denominator(10**30)
                for limit in (near - hair, near, near + hair):
                    scale = SCALES[name]
                    if scale.low <= limit <= scale.high:
                        for asked in (
                            vp.Diversity(limit, measure=name),
                            vp.Diversity(gamma=limit, measure=name),
                        ):
                            limits = (name, asked.tau, asked.gamma)
                            expected = truth.diverse(members, limits)
                            assert measure.meets(asked, members) == expected


def test_correlations_that_are_equal_to_a_limit_meet_it():
    # Equal shares of errors make roots of squares: 3 rows both right, 3 both wrong, 1 and 1 apart
    # give (9 - 1) / sqrt(4 * 4 * 4 * 4).
    y = np.zeros(8, dtype=int)
    y[0] = 1
    right = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0]])
    votes = vp.Votes(np.where(right.T == 1, y[:, None], 1 - y[:, None]), y)
    measure = measure_of(votes, "correlation")
    assert measure.meets(vp.Diversity(0.5, measure="correlation"), [0, 1])
    assert not measure.meets(
        vp.Diversity(Fraction(1, 2) - Fraction(1, 10**30), None, "correlation"), [0, 1]
    )
    with pytest.raises(TypeError):
        measure.pair(0, 1)


@pytest.mark.parametrize("name", CEILINGS)
def test_where_less_is_more_diverse_limits_are_ceilings(name):
    instance = random_instance(78)
    matrix = vp.diversity_matrix(instance.votes, measure=name)
    k = len(matrix)
    pairs = [(a, b) for a, b in combinations(range(k), 2)]
    limit = round(float(np.median([matrix[pair] for pair in pairs])), 3)
    solution = vp.prune(
        instance.votes,
        diversity=vp.Diversity(limit, measure=name),
        constraints=vp.AtLeast("size", 2),
        random_state=0,
    )
    members = solution.committee.members
    means = [np.mean([matrix[a, b] for b in members if b != a]) for a in members]
    assert max(means) <= limit + 1e-12


def test_limits_say_what_they_ask():
    assert str(vp.Diversity(0.25, 0.5)) == "every PFC >= 0.25 and mean PFC >= 0.5"
    kappa = vp.Diversity(0.4, 0.3, "kappa")
    assert str(kappa) == "every member's mean kappa <= 0.4 and mean kappa <= 0.3"
    assert str(vp.Diversity(gamma=-0.1, measure="q")) == "mean Q <= -0.1"
    assert str(vp.Diversity(1, measure="double_fault")) == "no diversity limit"
    assert vp.Diversity(measure="kappa").idle
    assert not vp.Diversity(0, measure="kappa").idle


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [({"tau": 1.1, "measure": "kappa"}, "tau"), ({"tau": -1.1, "measure": "q"}, "tau"),
     ({"tau": -0.1, "measure": "double_fault"}, "tau"), ({"gamma": 2, "measure": "q"}, "gamma"),
     ({"tau": 0.3, "gamma": 0.4, "measure": "kappa"}, "gamma"),
     ({"tau": 0.3, "gamma": 0.2, "measure": "disagreement"}, "gamma"),
     ({"tau": 0.3, "measure": "entropy"}, "measure"), ({"tau": 0.3, "measure": None}, "measure")],
)  # fmt: skip
def test_limits_outside_a_measures_range_are_refused(arguments, argument):
    with pytest.raises(vp.InputError) as caught:
        vp.Diversity(**arguments)
    assert caught.value.argument == argument


@pytest.mark.parametrize("name", MEASURES)
def test_weights_of_any_size_are_measured(name):
    rng = np.random.default_rng(0)
    matrix, y = rng.integers(0, 2, (12, 4)), np.arange(12) % 2
    weight = np.where(rng.random(12) < 0.5, 1e-100, 3.0)
    values = vp.diversity_matrix(matrix, y, measure=name, sample_weight=weight)
    coarse = vp.diversity_matrix(matrix, y, measure=name, sample_weight=np.where(weight < 1, 0, 1))
    if name != "q":  # whose ratios tiny weights can turn
        assert np.allclose(values, coarse, atol=1e-9)
    solution = vp.prune(
        vp.Votes(matrix, y, sample_weight=weight),
        diversity=vp.Diversity(0.5, measure=name),
        random_state=0,
    )
    assert solution.status == "optimal"


def test_a_method_that_cannot_limit_a_measure_says_so():
    votes = random_instance(3).votes
    with pytest.raises(vp.InputError, match="every member's mean kappa <= 0"):
        vp.prune(votes, method="hc-uwa", diversity=vp.Diversity(0, measure="kappa"))
    idle = vp.prune(votes, method="hc-uwa", diversity=vp.Diversity(1, measure="kappa"))
    assert idle.committee is not None
