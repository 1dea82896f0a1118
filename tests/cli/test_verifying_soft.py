"""`voteprune verify` knows certificates of soft committees by what they say they are."""

import json

from softcerts import document, soft, write_table


def test_the_exit_code_says_whether_a_soft_certificate_holds(run, tmp_path):
    problem, found = soft(1, 2, "all"), document(soft(1, 2, "all"))
    path, table = tmp_path / "c.json", tmp_path / "p.csv"
    write_table(table, problem)
    path.write_text(json.dumps(found))
    code, out, _ = run("verify", path, table)
    assert code == 0
    assert out.startswith("The certificate holds")
    found["bound"] *= 1.01
    path.write_text(json.dumps(found))
    code, out, _ = run("verify", path, table)
    assert code == 1
    assert "FAILED     the tree" in out
    found["bound"] = "high"
    path.write_text(json.dumps(found))
    code, _, err = run("verify", path, table)
    assert code == 2
    assert err.count("\n") == 1


def test_members_that_name_their_class_in_one_column_are_refused(run, tmp_path, no_solving):
    """The checker reads a column for every member and class."""
    path, table = tmp_path / "c.json", tmp_path / "labels.csv"
    table.write_text("k,y\nsetosa,setosa\nvirginica,virginica\nversicolor,versicolor\n")
    code, _, err = run(
        "prune", table, "--target", "y", "--objective", "log_loss", "--certificate", path
    )
    assert code == 2
    assert "'k:setosa'" in err
    assert err.count("\n") == 1
    assert not path.exists()


def test_a_table_with_semicolons_is_not_to_be_written_as_votes(run, tmp_path, no_solving):
    """Votes of 0 and 1 would be another problem than probabilities."""
    table = tmp_path / "p.csv"
    table.write_text("a;b;y\n0.2;0.3;0\n0.7;0.4;1\n")
    asked = "prune", table, "--target", "y", "--certificate", tmp_path / "c.json"
    code, _, err = run(*asked, "--objective", "brier")
    assert code == 2
    assert "Save the probabilities" in err
    assert "voteprune votes" not in err
    assert "voteprune votes" in run(*asked)[2]
