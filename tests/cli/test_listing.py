"""``methods`` and ``solvers``: lists of what there is, as text and as JSON."""

import json

import voteprune as vp


def test_methods_are_listed_with_their_references(run):
    code, out, err = run("methods")
    assert (code, err) == (0, "")
    listed = json.loads(run("methods", "--json")[1])
    assert [row["name"] for row in listed] == [method.name for method in vp.methods()]
    for row, line in zip(listed, out.splitlines()[1:], strict=True):
        assert line.split()[0] == row["name"]
        assert row["summary"] in line
        assert row["reference"] in line


def test_solvers_tells_what_is_installed(run):
    found = json.loads(run("solvers", "--json")[1])
    assert [row["name"] for row in found] == [info.name for info in vp.solvers()]
    code, out, err = run("solvers")
    assert (code, err) == (0, "")
    for row in found:
        line = next(line for line in out.splitlines() if line.startswith(row["name"] + " "))
        assert (row["version"] or "not installed") in line
        assert row["licence"] in line
