"""Hard and soft contenders, and other people's, side by side: recounted from a tiny vote file."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

import voteprune as vp
from golden.steady import slow_clock
from voteprune import InputError
from voteprune.tables import ReadOptions, read_source
from voteprune_bench.experiment.choosing import Fold, _committee, choose
from voteprune_bench.experiment.contenders import (
    OTHERS,
    PAPER,
    PROBABILITIES,
    Contender,
    read_contenders,
)
from voteprune_bench.experiment.protocol import PoolAnswers
from voteprune_bench.experiment.votefiles import write_votes

K = 8
SOFT = {"objective": "log_loss", "constraints": {"max_size": 3}, "penalty": 5.0, "clip": 0.01}


@pytest.fixture(scope="module")
def fold(tmp_path_factory):
    rng = np.random.default_rng(3)
    y = (rng.random(90) < 0.4).astype(np.int64)
    skill = rng.uniform(0.3, 2.0, K)
    odds = skill * (2 * y[:, None] - 1) + rng.normal(size=(90, K)) * 1.5
    names = tuple(f"m{k % 4}_{k // 4 + 1}" for k in range(K))
    said = PoolAnswers(names, 1 / (1 + np.exp(-odds)), y, np.arange(90), 60)
    path = tmp_path_factory.mktemp("votes") / "votes.csv.gz"
    write_votes(path, said)
    return Fold.of(read_source([path], ReadOptions(numbers=True)), path)


def recounted(found, part, shares, cutoff=0.5):
    """Whether scores are those of these probabilities."""
    decided = shares > cutoff
    assert found.counts.tp == np.sum(decided & part.labels)
    assert found.counts.fp == np.sum(decided & ~part.labels)
    assert found.auc == pytest.approx(roc_auc_score(part.labels, shares))
    assert found.log_loss == pytest.approx(log_loss(part.labels, shares))


def test_numbers_stand_beside_the_votes_they_are_cut_to(fold):
    for part in (fold.validation, fold.test):
        assert np.array_equal(part.said >= 0.5, part.votes)
        assert np.mean(part.said % 0.5 != 0) > 0


@pytest.mark.parametrize("contender", PAPER, ids=lambda one: one.label)
def test_votes_are_counted_and_have_no_log_loss(fold, contender):
    found = choose(replace(contender, time_limit=5.0), fold, 0)
    weights = found.multiplicities or (1,) * len(found.members)
    for part, scores in ((fold.validation, found.validation), (fold.test, found.test)):
        votes = part.votes[:, found.members] @ np.array(weights)
        assert scores.counts.tp == np.sum((votes > found.threshold) & part.labels)
        assert scores.counts.tn == np.sum((votes <= found.threshold) & ~part.labels)
        assert scores.auc == pytest.approx(roc_auc_score(part.labels, votes))
        assert scores.log_loss is None


@pytest.mark.parametrize("objective", ["log_loss", "pool_log_loss", "brier"])
def test_a_soft_committee_is_that_of_prune_on_the_numbers_of_the_file(fold, objective):
    soft = Contender(label="soft", **{**SOFT, "objective": objective}, time_limit=5.0)
    part = fold.validation
    said = vp.Probabilities(part.said, part.labels.astype(int), names=fold.names, clip=0.01)
    few = vp.AtMost("size", 3)
    with slow_clock():  # on a busy machine one of the two might look at the clock sooner
        found = choose(soft, fold, 0)
        asked = vp.prune(said, objective=objective, penalty=5.0, constraints=few, random_state=0)
    assert found.members == asked.committee.members
    assert found.weights == asked.committee.weights
    assert (found.value, found.bound) == (asked.value, asked.bound)
    assert found.threshold is None
    for rows, scores in ((part, found.validation), (fold.test, found.test)):
        recounted(scores, rows, asked.committee.predict_proba(rows.said)[:, 1])
    assert len(found.members) <= 3


@pytest.mark.slow
def test_penalty_and_clip_matter(fold):
    soft = Contender(label="soft", **SOFT, time_limit=5.0)
    weights = choose(soft, fold, 0).weights
    assert choose(replace(soft, penalty=500.0), fold, 0).weights != weights
    assert choose(replace(soft, clip=0.2), fold, 0).weights != weights


def test_stacking_is_scikit_learns_over_all_classifiers(fold):
    (stacking,) = (one for one in OTHERS if one.label == "stacking")
    found = choose(stacking, fold, 0)
    part = fold.validation
    assert found.members == tuple(range(K))
    plain = LogisticRegression().fit(part.said, part.labels)
    for rows, scores in ((part, found.validation), (fold.test, found.test)):
        recounted(scores, rows, plain.predict_proba(rows.said)[:, 1])
    assert found.value == -found.validation.log_loss


@pytest.mark.skipif(
    importlib.util.find_spec("autogluon") is None, reason="autogluon.core is not installed"
)
@pytest.mark.parametrize("label", ["greedy log loss", "greedy accuracy"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_greedy_selection_is_a_mean_of_its_members(fold, label):
    (greedy,) = (one for one in OTHERS if one.label == label)
    greedy.check()
    found = choose(greedy, fold, 0)
    part = fold.validation
    assert found.members
    # No single classifier is better by what it is chosen by.
    if label == "greedy log loss":
        singles = [log_loss(part.labels, part.said[:, k]) for k in range(K)]
        assert found.validation.log_loss <= min(singles) + 1e-9
    else:
        right = ((part.said > 0.5) == part.labels[:, None]).sum(axis=0)
        assert found.validation.counts.tp + found.validation.counts.tn >= right.max()


def test_greedy_selection_that_is_not_installed_is_refused_before_any_work(monkeypatch):
    import sys

    for name in list(sys.modules):
        if name.startswith("autogluon") or name.endswith("experiment.greedy"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "autogluon", None)
    (greedy,) = (one for one in OTHERS if one.label == "greedy log loss")
    with pytest.raises(InputError, match=r"voteprune\[autogluon\]"):
        greedy.check()


OWN = """
import numpy as np

class Mean:
    members = (2, 0)
    def predict_proba(self, said):
        return said[:, [0, 2]].mean(axis=1)

def mean_of_two(said, y, time_limit, random_state):
    assert set(np.unique(y)) == {0, 1} and len(said) == len(y)
    return Mean()
"""


def test_a_function_of_ones_own_may_take_probabilities(fold, tmp_path, monkeypatch):
    (tmp_path / "my_soft.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    own = Contender(label="own", function="my_soft.mean_of_two", takes=PROBABILITIES)
    own.check()
    found = choose(own, fold, 0)
    assert found.members == (0, 2)
    recounted(found.test, fold.test, fold.test.said[:, [0, 2]].mean(axis=1))
    with pytest.raises(InputError, match="cannot be called as function"):
        replace(own, takes="votes").check()


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        ({"max_size": 3, "min_size": 2}, [vp.AtLeast("size", 2), vp.AtMost("size", 3)]),
        ({"at_least": ["recall=0.5"]}, [vp.AtLeast("recall", 0.5)]),
        ({"at_most": ["fp=9"]}, [vp.AtMost("fp", 9)]),
        ({"require": ["m0_1"], "forbid": ["m1_1"]}, [vp.Require("m0_1"), vp.Forbid("m1_1")]),
        ({"budget": 2, "costs": {"m0_1": 1.5}}, [vp.Budget({"m0_1": 1.5}, 2)]),
        ({"group_by": ["_:1"]}, None),
    ],
)
def test_constraints_of_a_plan_are_those_of_prune(fold, constraints, expected):
    contender = Contender(label="own", constraints=constraints, time_limit=5.0)
    contender.check()
    asked = contender.requests(fold.names)
    if expected is None:
        expected = vp.Group.by_prefix(fold.names, at_most=1)
    assert sorted(map(str, asked)) == sorted(map(str, expected))
    value = choose(contender, fold, 0).value
    votes = fold.table.validation
    assert value == vp.prune(votes, constraints=expected, method="brute").value


@pytest.mark.parametrize(
    "answer",
    [np.eye(8)[3] > 0, np.eye(8, dtype=int)[3], [True, False], [3.0, 7.0], "37", [3, 3], [-1],
     [8], [], None, 3],
    ids=repr,
)  # fmt: skip
def test_members_of_ones_own_function_are_indices_and_nothing_else(answer):
    """A mask would pass for members 0 and 1."""
    rng = np.random.default_rng(0)
    votes = vp.Votes(rng.integers(0, 2, (20, 8)), np.arange(20) % 2)
    with pytest.raises(InputError, match="each once, from 0 to 7"):
        _committee(answer, votes)
    assert _committee(np.array([7, 3]), votes).members == (3, 7)


def test_margins_are_written_as_on_the_command_line(fold):
    ramp = Contender(label="r", objective="ramp:1", constraints={"max_size": 3}, time_limit=5.0)
    ramp.check()
    found = choose(ramp, fold, 0)
    asked = vp.prune(
        fold.table.validation,
        objective=vp.Ramp(1),
        constraints=vp.AtMost("size", 3),
        random_state=0,
    )
    assert found.value == asked.value
    assert len(found.members) <= 3


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"penalty": 3}, "penalty: is for vp.Probabilities"),
        ({"clip": 0.1}, "clip"),
        ({"objective": "log_loss", "penalty": -1}, "penalty"),
        ({"objective": "log_loss", "penalty": "x"}, "penalty"),
        ({"objective": "log_loss", "clip": 0.7}, "clip"),
        ({"objective": "log_loss", "method": "hc-acc"}, "does not choose soft"),
        ({"objective": "log_loss", "diversity": "F2"}, "diversity"),
        ({"objective": "ramp:x"}, "ramp:theta"),
        ({"takes": "probabilities"}, "takes: is for functions"),
        ({"function": "voteprune.prune", "takes": "words"}, "takes"),
        ({"function": "voteprune.prune", "constraints": {"max_size": 3}}, "constraints"),
        ({"constraints": {"max_size": "3"}}, "whole number"),
        ({"constraints": {"max_size": 0}}, "max-size"),
        ({"constraints": {"require": [1]}}, "list of texts"),
        ({"constraints": {"budget": 3}}, "need each other"),
        ({"constraints": {"nonsense": 3}}, "may have min_size"),
        ({"constraints": 7}, "may have min_size"),
        ({"method": "hc-acc", "constraints": {"at_least": ["recall=0.5"]}}, "cannot honour"),
    ],
)
def test_what_no_task_could_do_is_refused_by_name(table, message):
    (contender,) = read_contenders(["own"], {"own": table}, "methods")
    with pytest.raises(InputError, match=message):
        contender.check()


def test_what_came_later_leaves_the_hashes_of_others_alone():
    old = {"label", "method", "objective", "diversity", "solver", "threshold", "time_limit"}
    old |= {"function", "version"}
    assert all(set(contender.fields()) == old for contender in PAPER)
    soft = Contender(label="soft", **SOFT)
    assert set(soft.fields()) == old | {"constraints", "penalty", "clip"}
