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
