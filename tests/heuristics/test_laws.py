"""What every heuristic owes: a recounted committee, reproducible, within limits and time."""

import time
from pathlib import Path

import numpy as np
import pytest

import voteprune as vp
from heuristics.test_seven import random_votes
from voteprune import heuristics

HEURISTICS = [method.name for method in heuristics.HEURISTICS]
SIZED = [method.name for method in heuristics.HEURISTICS if "size" in method.honours]
STOCHASTIC = ("random", "caruana", "genetic", "pareto")
BY_MAJORITY = [name for name in HEURISTICS if name != "checklist"]
"""Who can decide by majority; checklists choose their own threshold."""

ROUNDED = ("cluster", "quadratic")
"""Distances and a quadratic program in floats, as their authors have them."""


def pool(n=300, k=12, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    shared = rng.normal(size=(n, 1))
    votes = 1.2 * (2 * y[:, None] - 1) + shared + rng.normal(size=(n, k)) > 0
    return vp.Votes(votes, y)


@pytest.mark.parametrize(
    ("method", "threshold"),
    [
        *((method, threshold) for method in HEURISTICS for threshold in (None, "tuned")),
        *((method, "majority") for method in BY_MAJORITY),
    ],
)
def test_a_committee_leaves_recounted_and_without_a_bound(method, threshold):
    for seed in range(6):
        votes = random_votes(seed)
        found = vp.prune(votes, method=method, threshold=threshold, random_state=1)
        assert (found.status, found.termination) == ("feasible", "finished")
        assert found.bound is None
        assert found.gap is None
        decided = votes.matrix[:, found.committee.ballots].sum(axis=1) > found.committee.threshold
        right = votes.weights[decided == votes.labels].sum() / votes.weights.sum()
        assert found.value == pytest.approx(right)
        if threshold == "majority" or (threshold is None and method != "checklist"):
            assert found.committee.threshold == found.committee.n_votes // 2


@pytest.mark.slow
def test_caruanas_multiplicities_are_votes():
    several = 0
    for seed in range(12):
        committee = vp.prune(random_votes(seed), method="caruana", random_state=1).committee
        assert len(committee.ballots) == committee.n_votes >= committee.size
        assert sorted(set(committee.ballots)) == list(committee.members)
        several += committee.n_votes > committee.size
    assert several > 6


# Caruana's members may have several votes, which the optimum's have not.
@pytest.mark.parametrize("method", [name for name in HEURISTICS if name != "caruana"])
def test_never_above_the_optimum(method):
    for seed in range(12):
        votes = random_votes(seed)
        best = vp.prune(votes, method="brute").value
        assert vp.prune(votes, method=method, threshold="tuned", random_state=0).value <= best


@pytest.mark.parametrize("method", BY_MAJORITY)
def test_tuning_the_threshold_never_hurts(method):
    votes = pool()
    values = [
        vp.prune(votes, method=method, threshold=rule, random_state=3).value
        for rule in ("majority", "tuned")
    ]
    assert values[0] <= values[1]


@pytest.mark.parametrize("method", HEURISTICS)
def test_a_seed_fixes_the_committee(method):
    votes = pool()
    one, two = (vp.prune(votes, method=method, random_state=7).committee for _ in range(2))
    assert one == two
    if method not in STOCHASTIC:
        assert vp.prune(votes, method=method, random_state=8).committee == one


@pytest.mark.parametrize("method", SIZED)
def test_sizes_and_forbidden_members_are_honoured(method):
    votes = pool()
    found = vp.prune(
        votes,
        method=method,
        constraints=[vp.AtLeast("size", 3), vp.AtMost("size", 4), vp.Forbid(0, 5)],
        random_state=0,
    )
    assert found.committee.size in (3, 4)
    assert not {0, 5} & set(found.committee.members)


@pytest.mark.parametrize("method", HEURISTICS)
def test_a_forbidden_classifier_might_as_well_not_exist(method):
    votes = pool()
    kept = [k for k in range(12) if k not in (2, 9)]
    without = vp.prune(votes, method=method, constraints=vp.Forbid(2, 9), random_state=0)
    alone = vp.prune(votes.select(kept), method=method, random_state=0)
    assert without.committee.names == alone.committee.names


@pytest.mark.parametrize("method", HEURISTICS)
def test_merging_rows_changes_nothing(method):
    votes = pool(n=80)
    twice = vp.Votes(
        np.vstack([votes.matrix, votes.matrix]),
        np.tile(votes.labels, 2),
        sample_weight=np.repeat([1, 2], 80),
    )
    one, two = (vp.prune(v, method=method, random_state=0) for v in (votes, twice))
    assert one.committee == two.committee


@pytest.mark.parametrize("method", HEURISTICS)
def test_scaling_all_weights_changes_nothing(method):
    votes = pool(n=60, k=7)
    light = vp.Votes(votes.matrix, votes.labels, sample_weight=np.full(60, 2.0**-70 * 3))
    one, two = (vp.prune(v, method=method, random_state=0) for v in (votes, light))
    assert one.committee == two.committee


@pytest.mark.parametrize("method", [name for name in HEURISTICS if name not in ROUNDED])
def test_heavy_weights_are_counted_exactly(method):
    """Weights no float can tell apart choose as such that differ by as little beside less."""
    told = method == "full"
    for seed in (12, 17, 19):
        votes = pool(n=12, k=7, seed=seed)
        own = np.random.default_rng(seed).integers(1, 10, 12)
        assert len(set((2**62 + own).astype(float))) == 1
        even, near, far = (
            vp.prune(
                vp.Votes(votes.matrix, votes.labels, sample_weight=weight),
                method=method,
                random_state=0,
            ).committee
            for weight in (None, 2**40 + own, 2**62 + own)
        )
        assert near == far
        told |= near != even
    assert told


@pytest.mark.parametrize("method", HEURISTICS)
def test_no_time_still_gives_a_committee_at_once(method):
    votes = pool(n=4000, k=60)
    began = time.perf_counter()
    found = vp.prune(votes, method=method, time_limit=0, random_state=0)
    assert time.perf_counter() - began < 5
    assert found.committee is not None
    assert found.termination in ("time limit", "finished")


@pytest.mark.parametrize("method", HEURISTICS)
def test_one_classifier_is_the_committee(method):
    votes = pool(k=1)
    assert vp.prune(votes, method=method, random_state=0).committee.members == (0,)


@pytest.mark.parametrize("method", SIZED)
def test_too_few_allowed_is_infeasible_and_says_why(method):
    found = vp.prune(pool(k=3), method=method, constraints=[vp.AtLeast("size", 2), vp.Forbid(0, 1)])
    assert found.status == "infeasible"
    assert "size >= 2 and forbid 0, 1" in found.explanation


def test_hill_climbing_follows_the_objective():
    """Recall alone is won by whoever always says yes; accuracy is not."""
    votes = pool()
    eager = vp.Votes(np.column_stack([votes.matrix, np.ones(300, dtype=bool)]), votes.labels)
    assert vp.prune(eager, method="hc-acc", objective="recall").committee.members == (12,)
    assert vp.prune(eager, method="best", objective="recall").committee.members == (12,)
    assert vp.prune(eager, method="best").committee.members != (12,)


def test_ctrl_c_keeps_what_was_found():
    def interrupt(_progress):
        raise KeyboardInterrupt

    found = vp.prune(pool(), method="genetic", callback=interrupt, random_state=0)
    assert found.termination == "interrupted"
    assert found.committee is not None


def test_the_callback_can_stop():
    found = vp.prune(pool(), method="pareto", callback=lambda _: True, random_state=0)
    assert found.termination == "callback"
    assert found.committee is not None


@pytest.mark.parametrize("method", HEURISTICS)
@pytest.mark.parametrize(
    "constraint",
    [
        vp.Require(1),
        vp.Budget([1] * 12, 3),
        vp.AtLeast("recall", 0.5),
    ],
)
def test_a_constraint_it_would_ignore_is_refused(method, constraint):
    with pytest.raises(vp.InputError, match="cannot honour") as error:
        vp.prune(pool(), method=method, constraints=constraint)
    assert error.value.argument == "constraints"
    assert str(constraint) in str(error.value)


@pytest.mark.parametrize("method", HEURISTICS)
def test_diversity_limits_are_refused(method):
    with pytest.raises(vp.InputError, match=r"diversity.*cannot honour"):
        vp.prune(pool(), method=method, diversity="F3")
    assert vp.prune(pool(), method=method, diversity="F1", random_state=0).committee is not None


@pytest.mark.parametrize("method", ["full", "best"])
def test_a_fixed_size_takes_no_limit_on_it(method):
    with pytest.raises(vp.InputError, match="size <= 3"):
        vp.prune(pool(), method=method, constraints=vp.AtMost("size", 3))


def test_thresholds_that_do_not_fit_are_refused():
    with pytest.raises(vp.InputError, match="chooses the threshold together"):
        vp.prune(pool(), method="exact", threshold="majority")
    with pytest.raises(vp.InputError, match="chooses the threshold together"):
        vp.prune(pool(), method="checklist", threshold="majority")
    with pytest.raises(vp.InputError, match="not known"):
        vp.prune(pool(), method="hc-uwa", threshold=3)
    with pytest.raises(vp.InputError, match="takes no start"):
        vp.prune(pool(), method="hc-uwa", start=[1])


def test_every_method_is_listed_with_its_source():
    for method in vp.methods():
        assert method.summary
        assert method.reference
        assert len(method.summary) < 90


def test_the_guide_names_every_method():
    guide = Path(__file__).parents[2] / "docs/methods.md"
    text = guide.read_text(encoding="utf-8")
    assert [method.name for method in vp.methods() if f"`{method.name}`" not in text] == []
    assert [name for name in vp.MEASURES if f'"{name}"' not in text] == []
