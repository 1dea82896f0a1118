"""Every guard of the checker of soft certificates has a forgery that it alone refuses."""

import copy

import numpy as np
import pytest

from softcerts import check, document, put, put_at, soft
from voteprune.exceptions import FileFormatError
from voteprune.soft.probabilities import digest_of
from voteprune.verify import verify
from voteprune.verify.soft_document import soft_document_of

CASE = (3, 2, "all")


@pytest.fixture
def found():
    return document(soft(*CASE))


def refused(document, folder, problem=None):
    """What failed, one line only."""
    (failed,) = check(document, problem or soft(*CASE), folder).failed
    return failed


def other_table(problem, **changes):
    """A problem with another table, and the digest of that."""
    other = copy.copy(problem)
    for name, value in changes.items():
        object.__setattr__(other, name, value)
    classes = range(problem.n_classes)
    return other, digest_of(
        other.names, classes, other.labels, np.moveaxis(other.predictions, 1, 0)
    )


def test_a_row_more(found, tmp_path):
    found["data"]["n_rows"] += 1
    found["data"]["row_weights"].append(0)
    assert refused(found, tmp_path) == "the file has 24 rows, the certificate is about 25"


def test_a_probability_that_differs_by_a_hair(found, tmp_path):
    said = soft(*CASE).predictions.copy()
    said[3, 0] = np.nextafter(said[3, 0], 0)
    other, _ = other_table(soft(*CASE), predictions=said)
    assert "not the probabilities" in refused(found, tmp_path, other)


def test_classes_swapped_with_a_digest_to_match(found, tmp_path):
    """The labels then say the opposite, and the loss is another."""
    problem = soft(*CASE)
    found["data"]["classes"] = [1, 0]
    found["data"]["digest"] = digest_of(
        problem.names, [1, 0], 1 - problem.labels, np.moveaxis(problem.predictions, 1, 0)
    )
    assert "the committee: its penalised loss is" in check(found, problem, tmp_path).failed[0]


def test_rows_of_no_weight(found, tmp_path):
    found["data"]["row_weights"] = [0] * 24
    assert refused(found, tmp_path) == "no row carries weight"


def test_a_member_said_to_merely_vote(found, tmp_path):
    found["data"]["members"][0]["kind"] = "vote"
    assert "'m0' does not merely vote" in refused(found, tmp_path)


def test_an_answer_for_some_classes_only(tmp_path):
    problem = soft(0, 3)
    found, said = document(problem), problem.predictions.copy()
    said[2, 4, 1] = np.nan
    said[2, 4, 0] = 0.5
    other, found["data"]["digest"] = other_table(problem, predictions=said)
    assert "'m4' answers row 2 for some classes only" in refused(found, tmp_path, other)


@pytest.mark.parametrize("factor", [1 - 1e-8, 1 + 1e-8])
def test_a_loss_misreported(factor, found, tmp_path):
    found["committee"]["loss"] *= factor
    assert refused(found, tmp_path).startswith("the committee: its penalised loss is ")


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ((0,), "the limit size_min"),
        ((0, 1, 4, 5), "the limit size_max"),
        ((0, 4), "'m5' is required and does not sit"),
        ((0, 3, 5), "'m3' is forbidden and sits"),
        ((2, 4, 5), "the limit cost 0: 6 against 5"),
        ((4, 5), "the limit at_least 0: 0 against 1"),
        ((0, 1, 2), "the limit at_most 0: 3 against 2"),
    ],
)
def test_a_committee_that_breaks_a_limit(members, complaint, tmp_path):
    """The limit that it breaks is all that there is."""
    problem, found = soft(*CASE), document(soft(*CASE))
    limits = found["limits"]
    fields = {"cost": "costs", "at_least": "groups", "at_most": "groups"}
    words = ("size_min", "size_max", "required", "forbidden", *fields)
    free = {
        "size_min": 1,
        "size_max": 6,
        "required": [],
        "forbidden": [],
        "costs": [],
        "groups": [],
    }
    mine = next(fields.get(word, word) for word in words if word in complaint)
    found["limits"] = {**free, mine: limits[mine]}
    _, weights, intercepts = problem.fit(members)
    found["committee"] = {
        "members": list(members),
        "weights": weights.tolist(),
        "intercepts": problem.written(intercepts).tolist(),
        "loss": problem.penalised(members, weights, intercepts),
    }
    open_ = {"point": [[0.0], []], "prices": [], "in": [], "out": [], "branch": None, "heirs": []}
    found.update(status="feasible", bound=-1e6, nodes=[open_])
    assert complaint in refused(found, tmp_path)


def test_a_committee_of_nobody(tmp_path):
    problem, found = soft(0), document(soft(0))
    loss = problem.penalised((), [], np.zeros(2))
    found["limits"]["size_min"] = 0
    found["committee"] = {"members": [], "weights": [], "intercepts": [0.0], "loss": loss}
    found["status"] = "feasible"
    assert "the limit size_min 0: 0 against 1" in refused(found, tmp_path, problem)


def test_a_member_that_must_sit_where_no_seat_is_left(tmp_path):
    """It would make the part empty, and prove anything of it."""
    problem, found = soft(0), document(soft(0))
    found["limits"]["required"] = [0, 1, 2]
    node = {**found["nodes"][0], "in": [3], "out": [], "branch": None, "heirs": []}
    found.update(status="unknown", committee=None, bound=1e6, nodes=[node])
    assert "decides on member 3 without reason" in refused(found, tmp_path, problem)
    node.update({"in": [], "out": [3]})
    found["bound"] = 0.0
    assert check(found, problem, tmp_path).proved


def test_an_optimum_with_too_low_a_bound(found, tmp_path):
    found["bound"] -= 1e-3
    assert "it is called optimal" in refused(found, tmp_path)
    found["status"] = "feasible"
    assert check(found, soft(*CASE), tmp_path).proved


@pytest.mark.parametrize("status", ["optimal", "feasible"])
def test_a_status_without_a_committee(status, found, tmp_path):
    found.update(status=status, committee=None)
    assert refused(found, tmp_path) == f"the status is {status}, but there is no committee"
    found["status"] = "unknown"
    assert check(found, soft(*CASE), tmp_path).proved


def test_a_bound_although_nothing_is_allowed_and_the_other_way_round(found, tmp_path):
    found["limits"]["forbidden"] = [5]
    shut = {"point": None, "prices": [], "in": [], "out": [], "branch": None, "heirs": []}
    found.update(committee=None, status="unknown", bound=None, nodes=[shut])
    assert "if and only if" in refused(found, tmp_path)
    found.update(status="infeasible", bound=1.0)
    assert "if and only if" in refused(found, tmp_path)
    found["bound"] = None
    assert check(found, soft(*CASE), tmp_path).proved


def test_a_committee_although_nothing_is_allowed(found, tmp_path):
    found.update(status="infeasible", bound=None)
    failed = check(found, soft(*CASE), tmp_path).failed
    assert (
        failed[0] == "the committee: there is one, although the certificate says that there is none"
    )


def test_an_optimum_without_a_bound_is_refused_in_words(found, tmp_path):
    assert (found["status"], found["committee"] is None) == ("optimal", False)
    found["bound"] = None
    failed = check(found, soft(*CASE), tmp_path).failed
    assert failed[0] == "there is a bound if and only if committees are allowed"


def no_node(nodes):
    nodes.clear()


def split(nodes):
    return next(node for node in nodes if node["branch"] is not None)


def used_by_itself(nodes):
    nodes[0].update(branch=None, heirs=[0])


def not_there(nodes):
    split(nodes)["heirs"][0] = len(nodes)


def below_the_first(nodes):
    split(nodes)["heirs"][0] = -1


def never_reached(nodes):
    nodes.append({**nodes[-1], "heirs": [], "branch": None})


def branch_on_decided(nodes):
    split(nodes)["branch"] = 5


def decide_twice(nodes):
    nodes[0]["out"] = sorted({*nodes[0]["out"], 5})


def decide_both_ways(nodes):
    free = next(k for k in (0, 1, 2, 4) if k not in nodes[0]["out"])
    nodes[0]["in"], nodes[0]["out"] = [free], [*nodes[0]["out"], free]


def decide_without_reason(nodes):
    """Whoever is kept out was in the best committee."""
    best = soft(*CASE).best
    nodes[0].update(branch=None, heirs=[])
    nodes[0]["out"] = [k for k in best if k != 5][:1]
    nodes[0]["in"] = []
    del nodes[1:]


def close_too_early(nodes):
    nodes[0].update(branch=None, heirs=[], **{"in": [], "out": []})
    del nodes[1:]


def close_without_a_point(nodes):
    close_too_early(nodes)
    nodes[0]["point"] = None


def leave_an_heir_out(nodes):
    nodes[0].update(branch=0, heirs=[None, None], **{"in": [], "out": []})
    del nodes[1:]


def price_no_limit(nodes):
    nodes[0]["prices"] = [["cost", 1, 0.5]]


def price_a_limit_that_a_group_lacks(nodes):
    nodes[0]["prices"] = [["at_least", -1, 0.5]]


@pytest.mark.parametrize(
    ("forge", "complaint"),
    [
        (no_node, "it has no node"),
        (used_by_itself, "used twice"),
        (not_there, "is not there"),
        (below_the_first, "node -1 is not there"),
        (never_reached, "1 nodes are never reached"),
        (branch_on_decided, "branches on a member that is decided"),
        (decide_twice, "decides on a member twice"),
        (decide_both_ways, "decides on a member twice"),
        (decide_without_reason, "without reason"),
        (close_too_early, "node 0 is bounded by"),
        (close_without_a_point, "node 0 is bounded not at all"),
        (leave_an_heir_out, "an heir that is not listed is bounded by"),
        (price_no_limit, "there is no limit cost 1"),
        (price_a_limit_that_a_group_lacks, "there is no limit at_least -1"),
    ],
)
def test_a_tree_that_was_tampered_with(forge, complaint, found, tmp_path):
    forge(found["nodes"])
    assert complaint in refused(found, tmp_path)


def test_a_node_that_is_used_twice(found, tmp_path):
    """That would be true, but thirty such nodes would be gone through a thousand million times."""
    shut = {**found["nodes"][0], "in": [], "out": [], "branch": None, "heirs": []}
    found.update(status="feasible", bound=0.0, nodes=[{**shut, "branch": 0, "heirs": [1, 1]}, shut])
    assert "node 1 is not there, or is used twice" in refused(found, tmp_path)
    found["nodes"][0]["heirs"] = [1, None]
    assert check(found, soft(*CASE), tmp_path).proved


SHOWN = [
    (("status",), "perfect"), (("data", "n_rows"), 24.0), (("data", "classes"), [0]),
    (("data", "classes"), [1, True]), (("data", "classes"), [[], 1]), (("data", "clip"), 0),
    (("data", "clip"), 0.5), (("data", "row_weights"), [1]), (("data", "digest"), None),
    (("data", "members"), []), (("data", "members", 1, "name"), "m0"),
    (("data", "members", 0, "kind"), "guess"), (("data", "members", 0, "columns"), []),
    (("data", "row_weights", 0), -1), (("data", "row_weights", 0), 1e-200),
    (("data", "row_weights", 0), 10**20 + 1), (("objective", "loss"), "hinge"),
    (("objective", "penalty"), 0), (("objective", "penalty"), -1), (("objective", "tolerance"), -1),
    (("objective", "penalty"), 1e200), (("limits", "required"), [6]),
    (("limits", "required"), [0, 0]),
    (("limits", "costs", 0, "costs"), [1]), (("limits", "groups", 0, "members"), [9]),
    (("limits", "size_max"), "3"), (("committee", "weights"), [1]), (("committee", "members"), [9]),
    (("committee", "weights", 0), -0.5), (("committee", "intercepts"), [0, 0]), (("bound",), "1"),
    (("nodes", 0, "point"), [[0]]), (("nodes", 0, "point"), [[0], [[0, 1], [0, 2]]]),
    (("nodes", 0, "point"), [[0], [[6, 1]]]), (("nodes", 0, "point"), [[0, 0], []]),
    (("nodes", 0, "prices"), [["cost", 0, -1]]), (("nodes", 0, "prices"), [["gift", 0, 1]]),
    (("nodes", 0, "heirs"), [1, 2, 3]), (("nodes", 0, "branch"), -1), (("nodes", 0, "branch"), 6),
    (("nodes", 0, "in"), [0, 0]), (("nodes", 0, "out"), None), (("nodes",), None), (("schema",), 2),
    (("format",), "voteprune.other"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("data", "classes"), ["a", "a"], "two classes are the same"),
        (("data", "classes"), ["a"], "two classes are the same"),
        (("data", "classes"), [0, 1e101], "is not a double"),
        (("data", "classes"), [0, None], "expected a number"),
        (("data", "members"), [], "two members have the same name"),
        (("objective", "penalty"), 0.99e-100, "is not a number above 0"),
        (("limits", "costs", 0, "most"), 1e101, "is not a double"),
    ],
)
def test_a_field_is_refused_for_what_is_wrong_with_it(path, value, complaint, found):
    put_at(found, path, value)
    with pytest.raises(FileFormatError, match=complaint):
        soft_document_of("c.json", found)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("objective", "penalty"), 1e-100),
        (("objective", "penalty"), 1.5e-100),
        (("data", "clip"), 1e-120),
        (("limits", "costs", 0, "most"), 0.1),
        (("data", "classes"), [False, True]),
    ],
)
def test_a_field_is_read_to_the_edge_of_what_is_allowed(path, value, found):
    put_at(found, path, value)
    read = soft_document_of("c.json", found)
    told = {
        "penalty": read.penalty, "clip": read.clip, "most": read.costs[0][1],
        "classes": list(read.classes),
    }  # fmt: skip
    assert told[path[-1]] == value


@pytest.mark.parametrize("clip", [1e-100, 1.5e-100])
def test_a_clip_of_a_linear_pool_may_be_as_small_as_doubles_bear(clip, found):
    found["objective"]["loss"] = "brier"
    found["committee"], found["nodes"] = None, []
    put_at(found, ("data", "clip"), clip)
    assert soft_document_of("c.json", found).clip == clip
    put_at(found, ("data", "clip"), 0.99e-100)
    with pytest.raises(FileFormatError, match="clip must lie"):
        soft_document_of("c.json", found)


@pytest.mark.parametrize(("path", "value"), SHOWN, ids=str)
def test_what_cannot_be_read_is_an_error_of_one_line(path, value, found, tmp_path):
    put_at(found, path, value)
    with pytest.raises(FileFormatError) as error:
        check(found, soft(*CASE), tmp_path)
    assert str(error.value).isprintable()


ODD = (None, True, 0, -1, 10**400, 1e308, 5e-324, "", "1/0", "\ud800", "\x1b[2J\n", [], {}, [[0]])


def places_of(value, path=()):
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places_of(inner, (*path, key))


def test_whatever_a_field_holds_there_is_a_verdict_or_an_error_of_one_line(found, tmp_path):
    paths = [path for path in places_of(found) if path[:2] != ("data", "row_weights")]
    for turn, path in enumerate(paths):
        odd = copy.deepcopy(found)
        place = odd
        for key in path[:-1]:
            place = place[key]
        if turn % 3:
            place[path[-1]] = ODD[turn % len(ODD)]
        else:
            del place[path[-1]]
        try:
            said = check(odd, soft(*CASE), tmp_path).summary().split("\n")
        except FileFormatError as error:
            said = [str(error)]
        assert all(line.isprintable() for line in said)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (",y\n", ",x\n", "has 0 columns 'y'"),
        ("m0,", "m1,", "has 0 columns 'm0'"),
        (",0\n", ",2\n", "which is none of the classes"),
        (",0\n", ",no\n", "which is none of the classes"),
        (",1.0,", ",1.5,", "not a number from 0 to 1"),
        (",1.0,", ",yes,", "not a number from 0 to 1"),
        (",1.0,", ",inf,", "not a number from 0 to 1"),
        (",0\n", ",0,0\n", "has 8 cells, not 7"),
    ],
)
def test_a_table_that_cannot_be_read_is_an_error(old, new, complaint, found, tmp_path):
    put(found, soft(*CASE), tmp_path)
    text = (tmp_path / "p.csv").read_bytes().decode().replace("\r\n", "\n")
    assert old in text
    (tmp_path / "p.csv").write_text(text.replace(old, new, 1))
    with pytest.raises(FileFormatError, match=complaint):
        verify(tmp_path / "c.json", tmp_path / "p.csv")


def test_labels_are_words_or_numbers_or_true_and_false(found, tmp_path):
    problem = soft(*CASE)
    for classes, words in (
        (["no", "yes"], ["no", "yes"]), ([False, True], ["False", "TRUE"]), ([0, 1], ["0.0", "1"]),
    ):  # fmt: skip
        found["data"]["classes"] = classes
        found["data"]["digest"] = digest_of(
            problem.names, classes, problem.labels, np.moveaxis(problem.predictions, 1, 0)
        )
        put(found, problem, tmp_path)
        head, *rows = (tmp_path / "p.csv").read_text().split()
        rows = [f"{row[:-1]}{words[int(row[-1])]}" for row in rows]
        (tmp_path / "p.csv").write_text("\n".join([head, *rows]))
        assert verify(tmp_path / "c.json", tmp_path / "p.csv").proved
