"""What the checker of soft certificates computes, to the last bit, and where its limits lie.

Rooms for rounding are as its docstrings prove them: less would be false, and more would refuse what
is true, here by one part in 10^16, so that these tests recount them in fractions.
"""

import json
import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from softcerts import check, document, put, put_at, soft
from voteprune.exceptions import FileFormatError
from voteprune.verify import logarithms, soft_limits, soft_tree, verify
from voteprune.verify.soft_document import Seats, soft_document_of
from voteprune.verify.soft_limits import Decisions, SoftLimits
from voteprune.verify.soft_pool import SoftPool, _on_grid
from voteprune.verify.soft_table import read_soft_table

U = Fraction(1, 2**53)
SHUT = {"point": None, "prices": [], "in": [], "out": [], "branch": None, "heirs": []}


def made_by_hand(scores, labels, weights, n_classes, folder, penalty=2):
    """A pool of members that give scores, in numbers that doubles have."""
    k, width = len(scores), 1 if n_classes == 2 else n_classes
    names = [f"m{j}" for j in range(k)]
    columns = [[f"m{j}:{c}" for c in range(width)] for j in range(k)]
    said = [column for member in scores for column in (member if width > 1 else [member])]
    rows = zip(*said, labels, strict=True)
    head = ",".join([name for member in columns for name in member] + ["y"])
    (folder / "p.csv").write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]))
    found = {
        "status": "unknown",
        "data": {
            "n_rows": len(labels), "classes": list(range(n_classes)), "target": "y",
            "members": [
                {"name": name, "kind": "score", "columns": own}
                for name, own in zip(names, columns, strict=True)
            ],
            "row_weights": weights, "clip": 0.001, "digest": "",
        },
        "objective": {"loss": "log_loss", "penalty": penalty, "tolerance": 0},
        "limits": {
            "size_min": 1, "size_max": k, "required": [], "forbidden": [], "costs": [],
            "groups": [],
        },
        "committee": None, "bound": 0, "nodes": [SHUT],
    }  # fmt: skip
    read = soft_document_of("c.json", found)
    return SoftPool(read, read_soft_table(folder / "p.csv", read, "y"))


def two(folder, weights=(1, 1, 2, 2)):
    return made_by_hand([[-2, 2, -1, 3], [1, 0.5, 0, -4]], [0, 1, 0, 1], list(weights), 2, folder)


def three(folder):
    said = [[[1, 0, -2], [0, 3, 0], [0, 0, 1]], [[0.5, 0, 0], [0, -1, 0], [2, 0, 4]]]
    return made_by_hand(said, [0, 1, 2], [1, 3, 2], 3, folder)


def recounted(pool, point):
    """A dual point by the formulas of `soft_pool`'s docstring."""
    shares, loose = pool._shares(pool._scores(*point))
    c, total = pool.n_classes, sum(map(Fraction, pool.weights))
    entropy = math.fsum(
        weight * share * logarithms.minus_log_below(share)
        for column in shares
        for weight, share in zip(pool.weights, column, strict=True)
        if share
    )
    base = (1 - loose) * Fraction(entropy) * (1 - 4 * U)
    answered, phi = range(1, 2) if c == 2 else range(c), []
    mass = Fraction(
        math.fsum(
            math.fsum(
                weight * abs((y == place) - share)
                for weight, y, share in zip(pool.weights, pool.labels, shares[place], strict=True)
            )
            for place in answered
        )
    )
    for odds in pool.columns:
        largest = max(abs(Fraction(one)) for part in odds for one in part)
        gain = Fraction(
            math.fsum(
                math.fsum(
                    weight * ((y == place) - share) * one
                    for weight, y, share, one in zip(
                        pool.weights, pool.labels, shares[place], part, strict=True
                    )
                )
                for place, part in zip(answered, odds, strict=True)
            )
        )
        gain += (128 * c * U * mass + 2 * loose * total) * (1 + largest)
        phi.append(max(gain, Fraction(0)) ** 2 / (2 * pool.ridge))
    return base, tuple(phi), loose


@pytest.mark.parametrize("make", [two, three])
def test_a_point_has_the_room_that_is_proved_and_no_more(make, tmp_path):
    pool = make(tmp_path)
    point = ((0.0,) * pool.width, ())
    base, phi, _ = recounted(pool, point)
    dual = pool.dual(point)
    assert dual.base == base
    assert dual.phi == phi
    assert pool.ridge == 2 * sum(map(Fraction, pool.weights)) / len(pool.weights)


def test_what_the_exact_repair_moves_is_paid_for(tmp_path, monkeypatch):
    """The classes weigh 2 and 6, and half of every row is 4 and 4: half of one is too much."""
    monkeypatch.setattr(SoftPool, "_nearly_repaired", lambda _, shares: shares)
    pool = two(tmp_path, (1, 3, 1, 3))
    base, phi, loose = recounted(pool, ((0.0,), ()))
    assert loose == Fraction(1, 2)
    dual = pool.dual(((0.0,), ()))
    assert (dual.base, dual.phi) == (base, phi)


@pytest.mark.parametrize("make", [two, three])
def test_a_loss_has_the_room_that_is_proved_and_no_more(make, tmp_path):
    pool = make(tmp_path)
    intercepts = (0.25, -0.5, 0.0)[: pool.width]
    pairs = ((0, 0.5), (1, 0.25))
    seats = Seats((0, 1), (0.5, 0.25), intercepts, Fraction(0))
    each = []
    for label, *z in zip(pool.labels, *pool._scores(intercepts, pairs), strict=True):
        top = label if z[label] == max(z) else z.index(max(z))
        rest = sum(logarithms.exp_above(one - z[top]) for c, one in enumerate(z) if c != top)
        each.append(logarithms.log_1p_above(rest) + (z[top] - z[label]))
    loss = Fraction(math.fsum(c * one for c, one in zip(pool.weights, each, strict=True)))
    loss *= 1 + (pool.n_classes + 8) * U
    reach = max(map(abs, map(Fraction, intercepts))) + sum(
        Fraction(w) * (1 + Fraction(pool.largest[k])) for k, w in pairs
    )
    off = (128 * pool.n_classes + 2 * 2 + 12) * U * reach
    total = sum(map(Fraction, pool.weights))
    assert pool.largest == [3.0, 4.0]
    ridge = pool.ridge * Fraction(5, 16) / 2
    assert pool.loss_above(seats) == loss + off * min(2 * loss, total) + ridge


def test_where_hardly_any_loss_is_left_hardly_any_is_lost_to_rounding(tmp_path):
    """Rooms are shares of the loss, above and below."""
    pool = made_by_hand([[-2, 2, -1, 3]], [0, 1, 0, 1], [1, 1, 2, 2], 2, tmp_path, penalty=1e-40)
    for weight in (1.0, 8.0, 16.0, 30.0):
        seats = Seats((0,), (weight,), (0.0,), Fraction(0))
        found = pool.loss_above(seats)
        with localcontext(Context(prec=60)):
            exact = sum(
                c * (1 + Decimal(-weight * z).exp()).ln()
                for c, z in ((1, 2), (1, 2), (2, 1), (2, 3))
            )
            ridge = Decimal(float(pool.ridge)) * Decimal(weight) ** 2 / 2
            above = Decimal(found.numerator) / Decimal(found.denominator) - ridge
            assert 0 <= above / exact - 1 <= Decimal("1e-10")


def test_scores_beyond_all_rounding_are_charged_row_by_row(tmp_path):
    """A share of the loss would be more than all that a row can be off by, or no bound at all."""
    pool = two(tmp_path)
    seats = Seats((0,), (1e17,), (0.0,), Fraction(0))
    off = (128 * 2 + 2 + 12) * U * 4 * 10**17
    assert off > 1
    assert pool.loss_above(seats) >= off * 6 + pool.ridge * Fraction(10**34) / 2


def test_scores_that_no_exponential_holds_have_a_loss(tmp_path):
    pool = two(tmp_path)
    seats = Seats((0,), (1e6,), (0.0,), Fraction(0))
    ridge = float(pool.ridge) / 2 * 1e12
    assert float(pool.loss_above(seats)) == pytest.approx(ridge, rel=1e-11)
    seats = Seats((1,), (1e6,), (0.0,), Fraction(0))
    true = 1e6 + 2 * math.log(2) + 2 * 4e6 + ridge
    assert float(pool.loss_above(seats)) == pytest.approx(true, rel=1e-11)


def test_shares_are_never_below_zero_and_sum_to_one():
    """What rounding adds is taken from the largest; the last may be too small for it."""
    tiny = 2**-52
    grid = _on_grid([[0.5, 0.25], [0.5 + tiny, 0.25], [0.0, 0.25]])
    assert [sum(row) for row in zip(*grid, strict=True)] == [2**53] * 2
    assert min(map(min, grid)) >= 0
    assert grid[2] == [0, 2**51]


def test_a_class_without_rows_of_weight_takes_nothing(tmp_path):
    said = [[[1, 0, 1], [0, 3, 0], [0, 0, 1]]]
    pool = made_by_hand(said, [0, 1, 2], [1, 3, 0], 3, tmp_path)
    shares, loose = pool._shares(pool._scores((0.0, 0.0, 0.0), ()))
    assert shares[2] == [0.0, 0.0]
    assert loose < 1e-13
    assert pool.dual(((0.0, 0.0, 0.0), ())).base > 0


def test_the_rooms_of_logarithms_are_as_promised(monkeypatch):
    assert Fraction(logarithms.LOG_ROOM) == 4 * U
    assert logarithms.ROUNDING == U
    assert logarithms.exp_above(-701.0) == logarithms.exp_above(-1e90) == 1e-300
    assert logarithms.exp_above(-700.0) < 1e-303
    # The power of two above 1 is 2^1: twice the room, of which there is twice.
    assert logarithms.exp_above(0.0) == 1 + 4 * logarithms.LOG_ROOM
    # A library whose exponential is wrong is found out, by little and by far.
    right = math.exp
    for factor in (0.9, 0.5, 0.1, 1e-3):
        monkeypatch.setattr(math, "exp", lambda y, factor=factor: factor * right(y))
        assert logarithms.exp_above(-1.0) >= right(-1.0)
    assert logarithms.exp_above(-1.0) == 1.0


@pytest.mark.parametrize(("share", "holds"), [(0.9e-9, True), (1.1e-9, False)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_loss_may_be_told_as_near_as_it_is_said(share, holds, sign, tmp_path):
    problem, found = soft(3, 2, "all"), document(soft(3, 2, "all"))
    found["committee"]["loss"] *= 1 + sign * share
    assert check(found, problem, tmp_path).holds == holds


@pytest.mark.parametrize(("tolerance", "holds"), [(0.5, True), (0.499, False)])
def test_an_optimum_may_be_as_far_above_its_bound_as_the_tolerance(
    tolerance, holds, tmp_path, monkeypatch
):
    problem, found = soft(3, 2, "all"), document(soft(3, 2, "all"))
    monkeypatch.setattr(SoftPool, "loss_above", lambda self, seats: Fraction(2))
    found["committee"]["loss"], found["bound"] = 2.0, 1.0
    found["objective"]["tolerance"] = tolerance
    assert check(found, problem, tmp_path).holds == holds


def test_a_committee_below_the_bound_refutes_it_where_the_tree_is_too_large(tmp_path, monkeypatch):
    problem, found = soft(3, 2, "all"), document(soft(3, 2, "all"))
    found["status"] = "feasible"
    monkeypatch.setattr(soft_tree, "MOST", 0)
    assert check(found, problem, tmp_path).holds
    found["bound"] = found["committee"]["loss"] * (1 + 1e-8)
    (failed,) = check(found, problem, tmp_path).failed
    assert failed == "the committee: its penalised loss is below the bound"


@pytest.mark.slow
def test_a_claim_is_told_in_full(tmp_path):
    problem, found = soft(3, 2, "all"), document(soft(3, 2, "all"))
    told = check(found, problem, tmp_path)
    weighing = sum(weight > 0 for weight in problem.weights)
    seated = ", ".join(problem.names[k] for k in problem.best)
    loss = found["committee"]["loss"]
    assert told.statement == (
        "minimise log loss of weighted log-odds, summed over the rows, with penalty 3, "
        "probabilities clipped at 0.001",
        "from 6 members, 2 to 3 of them",
        "where the classes are 0, 1",
        "where column 'y' is the truth",
        "of whom 1 merely vote",
        "of whom 1 give scores, taken as log-odds",
        f"where {weighing} of 24 rows carry weight, {problem.weights.sum():.8g} in all, as listed",
        "with m5",
        "without m3",
        "costing at most 5, as the certificate lists the costs",
        "with 1 to 2 of a group of 3",
        f"{seated}: penalised loss {loss:.12g}",
        f"no such committee has a penalised loss below {found['bound']:.12g}",
        "so none has less by more than a share of 1e-05",
    )
    heirs = [heir for node in found["nodes"] for heir in node["heirs"] or [None]]
    points = sum(node["point"] is not None for node in found["nodes"])
    assert told.checked[-1] == (
        f"the tree: {len(found['nodes'])} nodes, {points} dual points, {heirs.count(None)} parts "
        "closed"
    )
    found["limits"]["groups"][0]["at_most"] = None
    assert "with 1 to any number of a group of 3" in check(found, problem, tmp_path).statement
    found.update(status="infeasible", committee=None, bound=None)
    assert check(found, problem, tmp_path).statement[-1] == "there is no such committee"
    found.update(status="unknown", bound=1.0)
    assert check(found, problem, tmp_path).statement[-1].startswith("no such committee")
    plain = check(document(soft(0)), soft(0), tmp_path).statement
    assert not [line for line in plain if "weight," in line or "group" in line]


@pytest.mark.slow
def test_whose_columns_are_read_as_whose_is_told_where_names_do_not_tell(tmp_path):
    problem, found = soft(0, 3), document(soft(0, 3))
    assert not [line for line in check(found, problem, tmp_path).statement if "answers of" in line]
    columns = found["data"]["members"][4]["columns"]
    columns.reverse()
    told = check(found, problem, tmp_path)
    assert "where the answers of m4 are m4:2, m4:1, m4:0" in told.statement
    assert not told.holds
    problem, found = soft(0), document(soft(0))
    found["data"]["members"][2]["columns"] = ["m3"]
    told = check(found, problem, tmp_path)
    assert "where the answers of m2 are m3" in told.statement


def test_another_column_of_labels_is_taken_if_it_is_asked_for(tmp_path):
    problem, found = soft(0), document(soft(0))
    put(found, problem, tmp_path)
    lines = (tmp_path / "p.csv").read_text().splitlines()
    (tmp_path / "p.csv").write_text("\n".join([lines[0][:-1] + "z", *lines[1:]]))
    with pytest.raises(FileFormatError, match="0 columns 'y'"):
        verify(tmp_path / "c.json", tmp_path / "p.csv")
    told = verify(tmp_path / "c.json", tmp_path / "p.csv", "z")
    assert told.proved
    assert not [line for line in told.statement if "is the truth" in line]


def steps_of(found, problem, folder, monkeypatch):
    """How many steps a tree takes: the least that must be granted for it to be gone through."""
    low, high = 0, soft_tree.MOST
    put(found, problem, folder)
    while low < high:
        monkeypatch.setattr(soft_tree, "MOST", (low + high) // 2)
        if verify(folder / "c.json", folder / "p.csv").proved:
            high = (low + high) // 2
        else:
            low = (low + high) // 2 + 1
    monkeypatch.undo()
    return low


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_steps_are_counted_as_they_are_stated(n_classes, tmp_path, monkeypatch):
    problem, found = soft(0, n_classes), document(soft(0, n_classes))
    width = 1 if n_classes == 2 else 3
    point = 24 * (2 * 6 * width + 60 * n_classes)
    one = {**SHUT, "point": [[0.0] * width, []]}
    found.update(status="unknown", committee=None, bound=-1e6, nodes=[one])
    steps = point + 30 * 2 * 6 + 100 * 6
    assert steps_of(found, problem, tmp_path, monkeypatch) == steps
    one["prices"] = [["size_max", 0, 1.0]] * 3
    assert steps_of(found, problem, tmp_path, monkeypatch) == steps + 3 * 50 * 6
    found["nodes"] = [{**one, "prices": [], "branch": 2, "heirs": [None, None]}]
    assert steps_of(found, problem, tmp_path, monkeypatch) == 2 * steps - point


@pytest.mark.parametrize(
    ("kind", "one", "rows"),
    [
        ("groups", {"members": [], "at_least": 0, "at_most": None}, 82),
        ("costs", {"costs": [0] * 6, "most": 0}, 42),
    ],
)
def test_limits_without_end_are_not_gone_through(kind, one, rows, tmp_path, monkeypatch):
    problem, found = soft(0), document(soft(0))
    found["limits"][kind] = [one] * 40
    monkeypatch.setattr(soft_limits, "MOST_CELLS", rows * 6)
    assert check(found, problem, tmp_path).proved
    monkeypatch.setattr(soft_limits, "MOST_CELLS", rows * 6 - 1)
    told = check(found, problem, tmp_path)
    assert told.trusted == ("everything: the limits are too many to check here",)
    assert told.holds


def test_a_decision_may_rest_on_an_older_point(tmp_path):
    """The youngest says nothing of it; the one above does."""
    problem, found = soft(0), document(soft(0))
    best = problem.best
    _, weights, intercepts = problem.fit(best)
    good = [
        problem.written(intercepts).tolist(),
        [[k, float(w)] for k, w in zip(best, weights, strict=True)],
    ]
    bad = [[30.0], []]
    found.update(status="unknown", committee=None)
    one = {**SHUT, "point": good, "heirs": [1]}
    for weak, strong in ((bad, good), (good, bad)):
        found["nodes"] = [{**one, "point": strong}, {**SHUT, "point": weak, "out": [], "in": []}]
        put(found, problem, tmp_path)
        read = soft_document_of("c.json", json.loads((tmp_path / "c.json").read_text()))
        pool = SoftPool(read, read_soft_table(tmp_path / "p.csv", read, "y"))
        limits = SoftLimits(read)
        dual = pool.dual(read.nodes[0 if strong is good else 1].point)
        found["bound"] = float(dual.base - max(dual.phi) * 3) - 1e-9
        found["nodes"][1]["out"] = [0]
        assert not limits.empty(Decisions(frozenset({0}), frozenset()))
        assert check(found, problem, tmp_path).proved


def test_whoever_sits_where_no_seat_is_left_pays_for_nothing(tmp_path):
    """What it would have gained is not taken off the bound: it gains nothing, not sitting."""
    problem = soft(0)
    found = document(problem)
    for members in ((0, 1, 2), (0, 1, 3), (1, 2, 4)):
        _, weights, intercepts = problem.fit(members)
        point = [
            problem.written(intercepts).tolist(),
            [[k, float(w)] for k, w in zip(members, weights, strict=True)],
        ]
        rest = sorted(set(range(6)) - set(members))
        found["limits"]["required"] = list(members)
        node = {**SHUT, "point": point, "in": rest[:1], "heirs": [1]}
        found.update(status="unknown", committee=None, nodes=[node, {**SHUT, "out": rest[1:]}])
        found["bound"] = problem.losses[members] * (1 + 1e-6)
        (failed,) = check(found, problem, tmp_path).failed
        assert f"decides on member {rest[0]} without reason" in failed


@pytest.mark.parametrize(
    ("path", "edge"),
    [(("committee", "intercepts", 0), 1e100), (("nodes", 0, "point", 0, 0), 1e100)],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_are_read_up_to_the_largest(path, edge, sign, tmp_path):
    problem, found = soft(0), document(soft(0))
    put_at(found, path, sign * edge)
    assert not check(found, problem, tmp_path).holds
    put_at(found, path, sign * np.nextafter(edge, np.inf))
    with pytest.raises(FileFormatError):
        check(found, problem, tmp_path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("bound",), True),
        (("objective", "penalty"), True),
        (("committee", "loss"), True),
        (("committee", "weights", 0), True),
        (("nodes", 0, "point", 0, 0), False),
    ],
)
def test_true_is_no_number(path, value, tmp_path):
    problem, found = soft(0), document(soft(0))
    put_at(found, path, value)
    with pytest.raises(FileFormatError):
        check(found, problem, tmp_path)


@pytest.mark.slow
def test_costs_whose_sums_would_never_end_are_an_error(tmp_path):
    problem, found = soft(0, 2, "budget"), document(soft(0, 2, "budget"))
    found["limits"]["costs"] = [
        {"costs": [f"1/{2**4000 + 2 * place + 1}" for place in range(6)], "most": 1}
    ]
    with pytest.raises(FileFormatError, match="common denominator"):
        check(found, problem, tmp_path)
