"""Unfinished proofs about several classes on file: whose they are, and what is none."""

import numpy as np
import pytest

import voteprune as vp
from voteprune.problem.plurality import PluralityProblem
from voteprune.tree.plurality.checkpoint import Kept, digest, load_proof, save_proof
from voteprune.tree.plurality.task import Node


def votes(seed=0, k=8, weights=None):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 30)
    named = np.where(rng.random((30, k)) < 0.5, y[:, None], rng.integers(0, 3, (30, k)))
    return vp.PluralityVotes(named, y, sample_weight=weights)


def nodes(k=8):
    rng = np.random.default_rng(1)
    return tuple(
        Node(size, 10.5 + size, rng.integers(-1, 2, k).astype(np.int8), size % 2 == 0)
        for size in (2, 3, 6)
    )


@pytest.mark.parametrize("members", [None, (1, 4), tuple(range(8))])
def test_what_is_written_is_read(members, tmp_path):
    problem, file = PluralityProblem.of(votes()), tmp_path / "proof"
    assert load_proof(file, problem) is None
    save_proof(file, problem, Kept(members, nodes()))
    again = load_proof(file, problem)
    assert again.members == members
    for node, read in zip(nodes(), again.nodes, strict=True):
        assert (node.size, node.bound, node.bounded) == (read.size, read.bound, read.bounded)
        assert np.array_equal(node.decided, read.decided)
    save_proof(file, problem, Kept(members, ()))
    assert load_proof(file, problem).nodes == ()


def test_every_part_of_a_problem_is_in_its_digest():
    weights = np.ones(30)
    weights[3] = 2
    problems = [
        PluralityProblem.of(votes()),
        PluralityProblem.of(votes(1)),
        PluralityProblem.of(votes(weights=weights)),
        PluralityProblem.of(votes(), "balanced_accuracy"),
        PluralityProblem.of(votes(), {0: 1, 1: 2}),
        *(
            PluralityProblem.of(votes(), "accuracy", [limit])
            for limit in (
                vp.AtMost("size", 4), vp.AtLeast("size", 2), vp.Require(1), vp.Forbid(1),
                vp.Budget([1] * 8, 4), vp.Budget([1] * 8, 3), vp.Group([0, 1, 2], at_most=1),
            )
        ),
    ]  # fmt: skip
    assert len({digest(problem) for problem in problems}) == len(problems)
    assert digest(problems[0]) == digest(PluralityProblem.of(votes()))


def test_files_of_others_and_damaged_ones_are_refused(tmp_path):
    file = tmp_path / "proof"
    save_proof(file, PluralityProblem.of(votes()), Kept(None, nodes()))
    with pytest.raises(vp.InputError, match="another problem"):
        vp.prune(votes(1), checkpoint=file)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(vp.FileFormatError, match="damaged"):
        vp.prune(votes(), checkpoint=file)


@pytest.mark.parametrize(
    "wrong",
    [
        Kept((99,), ()),
        Kept(None, (Node(3, 1.0, np.full(8, 3, dtype=np.int8)),)),
        Kept(None, (Node(99, 1.0, np.full(8, -1, dtype=np.int8)),)),
        Kept(None, (Node(3, float("nan"), np.full(8, -1, dtype=np.int8)),)),
    ],
)
def test_what_cannot_be_gone_on_from_is_refused(wrong, tmp_path):
    problem = PluralityProblem.of(votes())
    save_proof(tmp_path / "proof", problem, wrong)
    with pytest.raises(vp.FileFormatError, match="damaged"):
        load_proof(tmp_path / "proof", problem)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"method": "search"}, "search keeps no proof"),
        ({"constraints": vp.AtLeast("accuracy", 0.1)}, "coverage or on classes"),
        ({"checkpoint": 5}, "expected a path"),
    ],
)
def test_what_keeps_nothing_says_so(asked, words, tmp_path):
    with pytest.raises(vp.InputError, match=words) as error:
        vp.prune(votes(), **{"checkpoint": tmp_path / "proof", **asked})
    assert error.value.argument == "checkpoint"
    assert not (tmp_path / "proof").exists()
