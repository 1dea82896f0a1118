"""An unfinished proof of a soft committee goes on from its file."""

import numpy as np
import pytest

import voteprune as vp
from soft_oracle import draw, pool
from softcerts import soft
from voteprune.soft.nodes import Node
from voteprune.soft.tree import SoftTree
from voteprune.tree.soft.checkpoint import SoftCheckpoint, digest

LIMITS = [vp.AtMost("size", 3)]


def few_strides(monkeypatch, strides):
    """Let a run end after so many strides of one node each."""
    left = iter([*[1.0] * strides, *[0.0] * 10**6])
    whole = SoftTree.round
    monkeypatch.setattr("voteprune.run.run.Run.seconds_left", property(lambda run: next(left)))
    monkeypatch.setattr(SoftTree, "round", lambda tree, deadline: whole(tree, most_nodes=1))
    monkeypatch.setattr(SoftTree, "_first_committees", lambda tree, deadline: None)


@pytest.mark.parametrize("objective", ["log_loss", "brier"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_run_that_is_thrown_away_again_and_again_ends_at_the_optimum(
    n_classes, objective, tmp_path, monkeypatch
):
    """From a bad start; what a stride has done is never done again."""
    said = vp.Probabilities(*pool(8, n=50, k=8, n_classes=n_classes))
    request = {"constraints": LIMITS, "penalty": 0.05, "objective": objective, "start": [0]}
    whole = vp.prune(said, **request)
    file, bounds, runs = tmp_path / "soft.npz", [], 0
    while True:
        with monkeypatch.context() as patch:
            few_strides(patch, 2)
            solution = vp.prune(said, **request, checkpoint=file)
        runs += 1
        bounds.append(solution.lower_bound)
        if solution.status == "optimal":
            break
        assert runs < 200
        state = SoftCheckpoint(file, solution.problem.numbers).load()
        assert state.nodes == 2 * runs
    assert bounds == sorted(bounds)
    assert bounds[-1] <= whole.penalised_loss * (1 + 1e-12)
    assert solution.penalised_loss == pytest.approx(whole.penalised_loss, rel=2e-6)
    again = vp.prune(said, **request, checkpoint=file)
    assert (again.status, again.committee) == ("optimal", solution.committee)


def test_an_infeasible_request_is_remembered(tmp_path):
    said = vp.Probabilities(*pool(8))
    limits = [vp.AtLeast("size", 4), vp.Budget([2] * 6, limit=5)]
    for _ in range(2):
        solution = vp.prune(said, constraints=limits, checkpoint=tmp_path / "soft.npz")
        assert solution.status == "infeasible"


def test_an_interrupt_leaves_what_was_done_on_file(tmp_path, monkeypatch):
    from voteprune.soft import sharpening
    from voteprune.tree.soft import driver

    said, file = vp.Probabilities(*pool(8, n=50, k=8), clip=0.001), tmp_path / "soft.npz"
    relax, calls = sharpening.relax, []

    def stop(*args):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return relax(*args)

    with monkeypatch.context() as patch:
        patch.setattr(sharpening, "relax", stop)
        # On a busy machine a relaxation may be cut short, which is a node more.
        patch.setattr(driver, "_SHORT", 1e6)
        stopped = vp.prune(said, constraints=LIMITS, penalty=0.05, checkpoint=file)
    assert stopped.termination == "interrupted"
    state = SoftCheckpoint(file, stopped.problem.numbers).load()
    assert state.nodes == 3
    assert len(state.bounds) == 3  # the one that was being worked on among them


@pytest.mark.parametrize(
    "other",
    [
        {"penalty": 2.0},
        {"objective": "brier"},
        {"constraints": [vp.AtMost("size", 2)]},
        {"constraints": [*LIMITS, vp.Budget([1] * 6, limit=3)]},
        {"constraints": [*LIMITS, vp.Group(["c0", "c1"], at_most=1)]},
        {"constraints": [*LIMITS, vp.Forbid("c0")]},
    ],
)
def test_another_request_is_refused(other, tmp_path):
    said, file = vp.Probabilities(*pool(8)), tmp_path / "soft.npz"
    request = {"constraints": LIMITS, "penalty": 1.0, "checkpoint": file}
    vp.prune(said, **request)
    with pytest.raises(vp.InputError, match="belongs to another problem: other probabilities"):
        vp.prune(said, **{**request, **other})


def test_everything_that_was_said_is_in_the_digest():
    from dataclasses import replace

    problem = draw(1, n=24, k=5)
    changed = []
    for name, place in (("answers", (3, 2)), ("weights", 3), ("labels", 3)):
        values = getattr(problem, name).copy()
        values[place] = 1 - values[place] if name == "labels" else values[place] + 1
        changed.append(replace(problem, **{name: values}))
    assert len({digest(each) for each in (problem, *changed)}) == 4


def test_what_is_no_checkpoint_is_refused(tmp_path):
    said, file = vp.Probabilities(*pool(8)), tmp_path / "soft.npz"
    file.write_bytes(b"nothing")
    with pytest.raises(vp.FileFormatError, match="no checkpoint"):
        vp.prune(said, checkpoint=file)
    case = soft(2)
    vp.prune(case.labels[:, None] == [1, 0, 1], case.labels, checkpoint=tmp_path / "votes.npz")
    if (tmp_path / "votes.npz").exists():
        with pytest.raises(vp.FileFormatError, match="another version"):
            vp.prune(said, checkpoint=tmp_path / "votes.npz")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("decisions", np.full((1, 6), 3, dtype=np.int8)),
        ("weights", np.full((1, 6), np.nan)),
        ("decisions", np.zeros((1, 5), dtype=np.int8)),
        ("decisions", np.zeros((1, 6), dtype=np.float64)),
        ("weights", np.zeros((1, 5))),
        ("weights", np.zeros((2, 6))),
        ("intercepts", np.zeros(1)),
        ("intercepts", np.zeros((2, 1))),
        ("intercepts", np.zeros((1, 3))),
        ("intercepts", np.full((1, 1), np.inf)),
        ("bounds", np.zeros(4)),
        ("bounds", np.full(1, np.nan)),
        ("bounds", np.zeros((1, 1))),
        ("bounds", np.zeros(())),
        ("wanted", np.zeros((1, 2), dtype=np.intp)),
        ("wanted", np.full((1, 6), -1)),
        ("wanted", np.zeros((1, 6))),
        ("closed", np.float64(np.nan)),
        ("known", np.float64(np.nan)),
        ("members", np.array([0, 1, 2, 3, 4])),
        ("first", Node(np.zeros(5, dtype=np.int8), 0.0, np.zeros(1), np.zeros(6))),
        ("first", Node(np.zeros(6, dtype=np.int8), np.nan, np.zeros(1), np.zeros(6))),
    ],
)
def test_a_damaged_tree_is_refused(name, value, tmp_path):
    from dataclasses import replace

    said, file = vp.Probabilities(*pool(8)), tmp_path / "soft.npz"
    solution = vp.prune(said, constraints=LIMITS)
    problem = solution.problem.numbers
    state = SoftTree(problem).state()
    SoftCheckpoint(file, problem).save(replace(state, **{name: value}))
    with pytest.raises(vp.FileFormatError, match="damaged"):
        vp.prune(said, constraints=LIMITS, checkpoint=file)


@pytest.mark.parametrize(
    ("request_", "argument"),
    [
        ({"method": "brute"}, "checkpoint"),
        ({"checkpoint": 3}, "checkpoint"),
        ({"checkpoint": "no/such/folder"}, "checkpoint"),
        ({"certificate": True}, "certificate"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(request_, argument, tmp_path):
    with pytest.raises(vp.InputError) as caught:
        vp.prune(vp.Probabilities(*pool(8)), **{"checkpoint": tmp_path / "c", **request_})
    assert caught.value.argument == argument
