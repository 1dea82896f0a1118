"""A proof on file is of one problem: whatever differs, it is refused, or nothing is lost by it."""

from contextlib import suppress
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

import voteprune as vp
from badproblems import Bad, bad_problem, truth_of
from badstart import Killed, Way, Workers, compiled, faults_of_sum, search_switched_off
from instances import Instance
from voteprune.tree import checkpoint
from voteprune.tree.checkpoint import Kept, digest, load_proof
from voteprune.tree.nogoods.task import Node as NogoodNode

RNG = np.random.default_rng(5)
LABELS = np.arange(24) % 2
MATRIX = np.where(RNG.random((24, 6)) < 0.7, LABELS[:, None], 1 - LABELS[:, None])
PLAIN = Instance(0, MATRIX, LABELS, np.ones(24), "accuracy")


def limited(*constraints, diversity=None, **others):
    return replace(PLAIN, constraints=constraints, diversity=diversity, **others)


def weighted(places, by=2.0):
    weights = np.ones(24)
    weights[places] = by
    return weights


def relabelled(place):
    labels = LABELS.copy()
    labels[place] = 1 - labels[place]
    return labels


def one_vote():
    """The pool with one vote changed that leaves what each pattern weighs, in their order."""
    before = compiled(Bad(PLAIN, None)).patterns
    for place in range(MATRIX.size):
        matrix = MATRIX.copy()
        matrix.flat[place] = 1 - matrix.flat[place]
        after = compiled(Bad(replace(PLAIN, matrix=matrix), None)).patterns
        sides = ((before.positive, after.positive), (before.negative, after.negative))
        if all(np.array_equal(*side) for side in sides):
            return replace(PLAIN, matrix=matrix)
    raise AssertionError("every vote changes what patterns weigh")


APART = vp.Diversity(0.4, 0.45, "disagreement")
COSTS = (3, 1, 2, 1, 1, 2)
PAIRS = {
    "smallest size": (limited(vp.AtLeast("size", 1)), limited(vp.AtLeast("size", 4))),
    "largest size": (limited(vp.AtMost("size", 2)), limited(vp.AtMost("size", 3))),
    "required": (limited(vp.Require(0)), limited(vp.Require(1))),
    "not required": (PLAIN, limited(vp.Require(1))),
    "forbidden": (limited(vp.Forbid(0)), limited(vp.Forbid(1))),
    "not forbidden": (PLAIN, limited(vp.Forbid(1))),
    "costs": (limited(vp.Budget(COSTS, 4)), limited(vp.Budget(COSTS[::-1], 4))),
    "limit on costs": (limited(vp.Budget(COSTS, 3)), limited(vp.Budget(COSTS, 4))),
    "criterion": (
        limited(vp.AtLeast("tp", 9), objective="specificity"),
        limited(vp.AtLeast("tn", 9), objective="specificity"),
    ),
    "a weight of a criterion": (
        limited(vp.AtLeast(vp.Weights(tp=1), 9)),
        limited(vp.AtLeast(vp.Weights(tp=2), 9)),
    ),
    "limit on a criterion": (limited(vp.AtMost("fp", 2)), limited(vp.AtMost("fp", 1))),
    "constant of a criterion": (
        limited(vp.AtLeast(vp.Weights(tp=1), 9)),
        limited(vp.AtLeast(vp.Weights(tp=1, tn=1, fp=1), 9)),
    ),
    "tau": (limited(diversity=vp.Diversity(0.1, 0.6)), limited(diversity=vp.Diversity(0.55, 0.6))),
    "gamma": (limited(diversity=vp.Diversity(0.3, 0.4)), limited(diversity=vp.Diversity(0.3, 0.6))),
    "measure": (
        limited(diversity=vp.Diversity(0.2, 0.3, "fc")),
        limited(diversity=vp.Diversity(0.2, 0.3, "disagreement")),
    ),
    "no diversity": (limited(diversity=vp.Diversity(0.3, 0.5)), PLAIN),
    "a weight of the objective": (
        limited(objective=vp.Weights(tp=1, tn=1)),
        limited(objective=vp.Weights(tp=2, tn=1)),
    ),
    "constant of the objective": (
        limited(objective=vp.Weights(tp=1, fp=-1)),
        limited(objective=vp.Weights(tp=2, fn=1, fp=-1)),
    ),
    "weight of a row": (PLAIN, limited(sample_weight=weighted(3))),
    "weight of negatives that only a measure sees": (
        limited(objective="recall", diversity=APART),
        limited(objective="recall", diversity=APART, sample_weight=weighted([0, 2, 4], 3.0)),
    ),
    "weight of positives that only a measure sees": (
        limited(objective="specificity", diversity=APART),
        limited(objective="specificity", diversity=APART, sample_weight=weighted([1, 3, 5], 3.0)),
    ),
    "label": (PLAIN, limited(labels=relabelled(3))),
    "a vote": (PLAIN, one_vote()),
}  # fmt: skip
"""Two problems each that differ in one respect, and in which committees are worth what."""


def told(instance):
    """What there is to be had: the members, thresholds and values of all committees."""
    truth = truth_of(instance)
    return list(zip(truth.code, truth.level, (truth.ranked[r] for r in truth.rank), strict=True))


@pytest.mark.parametrize("name", PAIRS)
def test_problems_that_differ_in_one_respect_have_files_of_their_own(name):
    one, other = PAIRS[name]
    assert told(one) != told(other)
    assert digest(compiled(Bad(one, None))) != digest(compiled(Bad(other, None)))
    assert digest(compiled(Bad(one, None))) == digest(compiled(Bad(replace(one, seed=9), None)))


@pytest.mark.parametrize("by", ["levels", "clauses"])
@pytest.mark.parametrize("name", ["largest size", "limit on a criterion", "gamma", "label"])
def test_a_file_of_the_other_is_refused_or_does_no_harm(name, by, tmp_path):
    """Both ways round, from a bad start: what was refuted for one may be the other's best."""
    for one, other in (PAIRS[name], PAIRS[name][::-1]):
        file = tmp_path / "proof.npz"
        first, second = Bad(one, truth_of(one)), Bad(other, truth_of(other))
        leave_a_file(first, by, file)
        wrong, _ = faults_of_sum(second, Way(by, file=file))
        assert len(wrong) == 1
        assert "another problem" in wrong[0]
        file.unlink()


def leave_a_file(bad, by, file):
    """Prove for two rounds, and leave."""
    rounds = []

    def save(path, problem, kept, save=checkpoint.save_proof):
        save(path, problem, kept)
        rounds.append(kept)
        if len(rounds) == 2:
            raise Killed

    way = Way(by, steps=3)
    with (
        search_switched_off(way, Workers(way, 0)),
        mock.patch.object(checkpoint, "save_proof", save),
        suppress(Killed),
    ):
        vp.prune(
            bad.instance.votes, **bad.instance.request(), checkpoint=file,
            start=bad.truth.start("worst"), random_state=0,
        )  # fmt: skip
    assert file.exists()


@pytest.mark.slow
@pytest.mark.parametrize("by", ["levels", "clauses"])
def test_what_comes_back_from_a_file_is_what_went_in(by, tmp_path):
    """Node by node, to the last bit, and the committee with its threshold."""
    saved, save = [], checkpoint.save_proof

    def keep(path, problem, kept):
        save(path, problem, kept)
        back = load_proof(path, problem)
        saved.append(kept)
        assert back.committee == kept.committee
        for one, two in ((back.nodes, kept.nodes), (back.nogood_nodes, kept.nogood_nodes)):
            assert (one is None) == (two is None)
            for mine, theirs in zip(one or (), two or (), strict=True):
                # Cells have numbers only where a proof is written down, which is not kept.
                fields = [field for field in vars(theirs) if two is kept.nodes or field != "key"]
                for field in fields:
                    assert np.array_equal(getattr(mine, field), getattr(theirs, field))

    with (
        mock.patch.object(checkpoint, "save_proof", keep),
    ):
        way = Way(by, steps=12, file=tmp_path / "proof.npz")
        wrong, _ = faults_of_sum(bad_problem(1, "floor", k=5), way)
    assert wrong == []
    assert any((kept.nodes if by == "levels" else kept.nogood_nodes) for kept in saved)


def test_bounds_of_cells_come_back_to_the_last_bit(tmp_path):
    problem = compiled(Bad(PLAIN, None))
    decided = np.full(5, -1, dtype=np.int8)
    nogood_nodes = tuple(NogoodNode(bound, decided) for bound in (1 / 3, 2.75, -1e300))
    checkpoint.save_proof(tmp_path / "proof.npz", problem, Kept(None, nogood_nodes=nogood_nodes))
    back = load_proof(tmp_path / "proof.npz", problem).nogood_nodes
    assert [node.bound for node in back] == [node.bound for node in nogood_nodes]
