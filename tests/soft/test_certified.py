"""A soft committee's own certificate: what `prune` proves, `voteprune verify` holds."""

import json
from fractions import Fraction

import numpy as np
import pytest

import voteprune as vp
from fulldisk import full_disk
from interrupting import Keyboard
from softcerts import soft, write_table
from voteprune.cli import main
from voteprune.run import incumbent as incumbents
from voteprune.soft import tree as trees
from voteprune.soft.tree import SoftTree
from voteprune.tree.soft import driver as drivers
from voteprune.verify import verify

LIMITS = {
    "size": [vp.AtMost("size", 3)],
    "sizes": [vp.AtLeast("size", 3), vp.AtMost("size", 4)],
    "seats": [vp.Require("m1"), vp.Forbid("m0", "m4"), vp.AtMost("size", 3)],
    "budget": [vp.Budget([0.1, 0.2, 0.3, 0.1, 0.2, 0.3], limit=0.3)],
    "two budgets": [vp.Budget([3, 1, 2, 4, 1, 5], limit=6), vp.Budget([1, 2, 3, 1, 2, 1], limit=5)],
    "group": [vp.Group(["m0", "m1", "m2"], at_most=1), vp.AtMost("size", 4)],
    "groups": [
        vp.Group(["m0", "m3", "m5"], at_least=1, at_most=1),
        vp.Group(["m2", "m4"], at_least=1, name="other"),
        vp.Budget([1, 2, 3, 1, 2, 1], limit=5),
    ],
    "infeasible": [vp.AtLeast("size", 4), vp.Budget([1, 2, 3, 1, 2, 2], limit=5)],
}


def said_of(case):
    scores = [name for name, kind in zip(case.names, case.kinds, strict=True) if kind == "score"]
    return vp.Probabilities(
        case.predictions,
        case.labels,
        sample_weight=case.weights,
        names=case.names,
        scores=scores,
    )


def held(solution, case, folder):
    """What the checker makes of a solution's certificate and the table of a case."""
    solution.certificate.save(folder / "c.json")
    write_table(folder / "p.csv", case)
    return verify(folder / "c.json", folder / "p.csv", target="y")


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_proved_is_held(seed, n_classes, limits, tmp_path):
    case = soft(seed, n_classes)
    solution = vp.prune(
        said_of(case), constraints=LIMITS[limits], penalty=0.5, certificate=True, random_state=0
    )
    assert solution.status == ("infeasible" if limits == "infeasible" else "optimal")
    found = held(solution, case, tmp_path)
    assert found.holds, found.summary()
    assert not found.trusted
    document = json.loads((tmp_path / "c.json").read_text())
    if solution.committee is not None:
        total = case.weights.sum()
        assert document["committee"]["loss"] == pytest.approx(solution.penalised_loss * total)
        assert document["bound"] == pytest.approx(solution.lower_bound * total, rel=1e-8)
        assert document["bound"] >= document["committee"]["loss"] * (1 - solution.tolerance)


@pytest.mark.parametrize("limits", ["size", "groups", "infeasible"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_stopped_proof_is_held_for_what_it_has(n_classes, limits, tmp_path, monkeypatch):
    """After every number of strides, each of which may cut a relaxation short."""
    case = soft(3, n_classes, n=60, k=6)
    for strides in range(6):
        left = iter([*[True] * strides, *[False] * 10**6])
        with monkeypatch.context() as patch:
            for name in ("_SHORT", "_LONG"):
                patch.setattr(f"voteprune.tree.soft.driver.{name}", 0.002 * (strides % 3))
            patch.setattr(
                "voteprune.run.run.Run.seconds_left",
                property(lambda run, left=left: 1.0 if next(left) else 0.0),
            )
            solution = vp.prune(
                said_of(case), constraints=LIMITS[limits], penalty=0.1, certificate=True
            )
        found = held(solution, case, tmp_path)
        assert found.holds, (strides, solution.status, found.summary())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_time_at_all_still_leaves_a_certificate(n_classes, tmp_path):
    case = soft(2, n_classes)
    for limits in LIMITS.values():
        solution = vp.prune(said_of(case), constraints=limits, time_limit=0, certificate=True)
        assert solution.status in ("feasible", "unknown")
        assert held(solution, case, tmp_path).holds


def test_a_callback_that_stops_at_once_leaves_one_too(tmp_path):
    case = soft(2)
    for most in range(4):
        told = []
        solution = vp.prune(
            said_of(case),
            constraints=LIMITS["size"],
            certificate=True,
            callback=lambda progress, told=told, most=most: told.append(1) or len(told) > most,
        )
        assert held(solution, case, tmp_path).holds


def test_an_interrupt_in_the_middle_of_a_node_loses_none(tmp_path, monkeypatch):
    from voteprune.soft import sharpening

    case, relax = soft(3, n=60), sharpening.relax
    for nodes in range(4):
        calls = iter(range(100))

        def stop(*args, calls=calls, nodes=nodes):
            if next(calls) == nodes:
                raise KeyboardInterrupt
            return relax(*args)

        with monkeypatch.context() as patch:
            patch.setattr(sharpening, "relax", stop)
            solution = vp.prune(
                said_of(case), constraints=LIMITS["size"], penalty=0.1, certificate=True
            )
        assert held(solution, case, tmp_path).holds
        best = vp.prune(said_of(case), constraints=LIMITS["size"], penalty=0.1)
        assert solution.lower_bound <= best.penalised_loss


@pytest.mark.slow
def test_wherever_ctrl_c_comes_and_comes_again_the_certificate_holds(tmp_path):
    case, modules = soft(3, n=60), (trees, drivers, incumbents)
    request = {"constraints": LIMITS["size"], "penalty": 0.1}
    best = vp.prune(said_of(case), **request)

    def cut(moments):
        keyboard, found = Keyboard(moments, *modules), []
        with pytest.MonkeyPatch.context() as patch:
            for owner, name in (
                (SoftTree, "_push"), (SoftTree, "recall"), (drivers.SoftDriver, "_keep"),
            ):  # fmt: skip
                patch.setattr(owner, name, keyboard.listening(getattr(owner, name)))
            keyboard.during(
                lambda: found.append(vp.prune(said_of(case), **request, certificate=True))
            )
        return keyboard, found

    answered = 0
    for place, moment in enumerate(np.linspace(0, cut(())[0].counted - 1, 30).astype(int).tolist()):
        # The second may come when the answer is being made, which is then not told.
        for solution in cut((moment, (0, 1, 3, 10, 40)[place % 5]))[1]:
            answered += 1
            assert held(solution, case, tmp_path).holds
            assert solution.lower_bound <= best.penalised_loss
    assert answered > 10


def test_an_interrupt_of_the_tree_on_some_rows_leaves_a_true_bound(tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    case = soft(3, n=60)
    request = {"constraints": LIMITS["size"], "penalty": 0.1, "objective": "log_loss"}
    best = vp.prune(said_of(case), **request)
    monkeypatch.setattr(trees, "MANY_ROWS", 0)
    monkeypatch.setattr(trees.SoftTree, "round", stop)
    solution = vp.prune(said_of(case), **request, certificate=True)
    assert solution.termination == "interrupted"
    assert held(solution, case, tmp_path).holds
    assert (
        json.loads(solution.certificate.to_json())["bound"]
        < 0.99 * best.penalised_loss * best.problem.total
    )


def test_a_budget_is_judged_in_fractions():
    """Three tenths are three times a tenth, which they are not in doubles."""
    case = soft(2)
    limits = [vp.Budget([0.1] * 6, limit=0.3), vp.AtLeast("size", 3)]
    solution = vp.prune(said_of(case), constraints=limits, certificate=True)
    assert solution.committee.size == 3
    costs = json.loads(solution.certificate.to_json())["limits"]["costs"]
    assert {Fraction(cost) for cost in costs[0]["costs"]} == {Fraction(1, 10)}
    assert Fraction(costs[0]["most"]) == Fraction(3, 10)


def test_names_of_classes_and_the_positive_one_are_those_of_the_table(tmp_path):
    case = soft(2)
    words = np.array(["sick", "well"])[case.labels]
    said = vp.Probabilities(1 - case.predictions[:, [0, 3, 4]], words, positive="sick")
    path = tmp_path / "c.json"
    solution = vp.prune(said, certificate=path)
    assert json.loads(path.read_text()) == json.loads(solution.certificate.to_json())
    rows = ["c0,c1,c2,y"]
    for cells, label in zip(1 - case.predictions[:, [0, 3, 4]], words, strict=True):
        rows.append(",".join([*("" if np.isnan(c) else repr(float(c)) for c in cells), label]))
    (tmp_path / "p.csv").write_text("\n".join(rows))
    assert verify(path, tmp_path / "p.csv", target="y").holds
    (tmp_path / "p.csv").write_text("\n".join(rows).replace("sick", "tmp").replace("well", "sick"))
    with pytest.raises(vp.FileFormatError, match="none of the classes"):
        verify(path, tmp_path / "p.csv", target="y")


def test_a_full_disk_is_an_incident_not_the_end(tmp_path, monkeypatch):
    said = said_of(soft(2))
    with full_disk(tmp_path / "full", monkeypatch) as folder:
        solution = vp.prune(said, certificate=folder / "c.json")
    assert solution.status == "optimal"
    assert solution.certificate is not None
    assert any("c.json" in incident for incident in solution.incidents)
    assert solution.unwritten == solution.incidents


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"method": "brute"}, "brute writes no proof"),
        ({"certificate": 3}, "expected True, False or a path"),
        ({"certificate": "no/such/folder.json"}, "folder that exists"),
    ],
)
def test_what_can_have_no_certificate_is_refused_by_name(request_, words):
    with pytest.raises(vp.InputError, match=words) as caught:
        vp.prune(
            vp.Probabilities(soft(2).predictions[:, [0, 1, 3]], soft(2).labels),
            **{"certificate": True, **request_},
        )
    assert caught.value.argument == "certificate"


def test_a_part_of_other_probabilities_is_refused():
    said = said_of(soft(2))
    for part in (said.select([0, 1]), said.take(np.arange(20))):
        with pytest.raises(vp.InputError, match="selected from others"):
            vp.prune(part, certificate=True)


def test_nothing_is_written_down_unless_asked_for():
    assert vp.prune(said_of(soft(2))).certificate is None


def test_the_command_line_holds_what_prune_saved_and_refuses_another_table(tmp_path):
    case = soft(2, 3)
    vp.prune(said_of(case), constraints=LIMITS["groups"], certificate=tmp_path / "c.json")
    write_table(tmp_path / "p.csv", case)
    words = ["verify", str(tmp_path / "c.json"), str(tmp_path / "p.csv"), "--target", "y"]
    assert main(words) == 0
    rows = (tmp_path / "p.csv").read_text().split("\n")
    rows[2], rows[3] = rows[3], rows[2]
    (tmp_path / "p.csv").write_text("\n".join(rows))
    assert main(words) != 0


def test_a_relaxation_that_no_x_can_keep_does_not_go_on_for_ever():
    """Each stride begins it anew; where that gets nowhere the node is split."""
    case = soft(2)
    limits = [*LIMITS["infeasible"], vp.Budget([0.6, 0.5, 0.4, 0.7, 0.9, 0.1], limit=1)]
    solution = vp.prune(said_of(case), constraints=limits, penalty=5, time_limit=20)
    assert solution.status == "infeasible"


def sure_pool(n_rows, error, seed=0):
    """Three members that are nearly sure of every row, and right."""
    y = np.arange(n_rows) % 2
    rng = np.random.default_rng(seed)
    right = 1 - error * rng.uniform(0.5, 1.5, (n_rows, 3))
    return np.where(y[:, None] == 1, right, 1 - right), y


def checked(predictions, y, folder, **forged):
    """What the checker says of the certificate on file, some of its fields changed."""
    cells = np.column_stack([predictions, y]).tolist()
    lines = [",".join([*map(repr, row[:-1]), str(int(row[-1]))]) for row in cells]
    (folder / "p.csv").write_text("\n".join(["c0,c1,c2,y", *lines]) + "\n")
    document = json.loads((folder / "c.json").read_text())
    for name, value in forged.items():
        holder = document["committee"] if name == "loss" else document
        holder[name] *= value
    (folder / "forged.json").write_text(json.dumps(document))
    return verify(folder / "forged.json", folder / "p.csv", target="y")


@pytest.mark.parametrize(
    ("objective", "penalty", "error", "clip"),
    [
        ("log_loss", 30.0, 1e-4, 1e-4), ("log_loss", 1.0, 1e-2, 1e-4),
        ("log_loss", 1e-4, 1e-3, 1e-4), ("log_loss", 1e-6, 1e-3, 1e-6),
        ("brier", 1e-2, 1e-3, 1e-6), ("brier", 1.0, 3e-3, 1e-4),
        ("pool_log_loss", 1e-3, 1e-3, 1e-5), ("log_loss", 30.0, 0.2, 1e-4),
    ],
)  # fmt: skip
def test_what_is_proved_is_held_where_hardly_any_loss_is_left(
    objective, penalty, error, clip, tmp_path
):
    """The checker's rounding is a share of the loss, and so is what a forgery may be off by."""
    predictions, y = sure_pool(1000, error)
    said = vp.Probabilities(predictions, y, clip=clip)
    path = tmp_path / "c.json"
    solution = vp.prune(said, objective=objective, penalty=penalty, certificate=path)
    assert solution.status == "optimal"
    found = checked(predictions, y, tmp_path)
    assert found.proved, found.summary()
    for forged in (
        {"loss": 1 - 3e-9}, {"loss": 1 + 3e-9}, {"bound": 1 + 1e-4}, {"bound": 1 - 1e-4},
    ):  # fmt: skip
        assert not checked(predictions, y, tmp_path, **forged).holds, forged
