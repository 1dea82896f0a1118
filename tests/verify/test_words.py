"""What the checker says of a solver's word, and that it reads the same text everywhere."""

import json

import pytest

from forging import check, claim, digest_of, write_rows
from voteprune.verify import fields, trying, verify

TWO = ["10 1", "01 0"]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("infeasible", "that no committee meets the limits, which highs claims and nobody can"),
        ("unknown", "the bound, which highs claims and nobody can"),
    ],
)
def test_it_is_said_what_a_solver_claims(status, words, tmp_path, monkeypatch):
    monkeypatch.setattr(trying, "MOST", 0)
    document = claim(TWO, 1, status=status, trusted=[["highs", 1]])
    (trusted,) = check(document, TWO, tmp_path).trusted
    assert trusted.startswith(words)


def test_a_certificate_is_read_as_utf_8_and_as_nothing_else(tmp_path, monkeypatch):
    """Whatever the machine takes text for when nobody says what it is."""
    names = ["é", "ü"]
    document = claim(TWO, 2)
    document["votes"].update(names=names, digest=digest_of(names, TWO))
    text = json.dumps(document, ensure_ascii=False)
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    write_rows(tmp_path / "v.csv", names, TWO)
    read_text = fields.Path.read_text

    def elsewhere(path, encoding="latin-1"):
        return read_text(path, encoding=encoding)

    monkeypatch.setattr(fields.Path, "read_text", elsewhere)
    assert verify(tmp_path / "c.json", tmp_path / "v.csv").proved
