"""CSV tables: what is wrong is refused on its line, and both readers read alike."""

import numpy as np
import pytest

from votefiles import lines, paper_frame, write
from voteprune.exceptions import FileFormatError, InputError
from voteprune.tables import csvfile, read_table, read_votes


def _with(line, text):
    changed = lines()
    changed[line - 1] = text
    return "\n".join(changed) + "\n"


GOOD = "validation,1,7,0.1,0.2,0.3,0.4"


MALFORMED = {
    "short row": (_with(4, "validation,1,7,0.1,0.2,0.3"), 4, "6 cells"),
    "long row": (_with(5, GOOD + ",0.5"), 5, "8 cells"),
    "long first row": (_with(2, GOOD + ",0.5"), 2, "8 cells"),
    "trailing comma": (_with(5, GOOD + ","), 5, "8 cells"),
    "not a number": (_with(6, GOOD.replace("0.3", "high")), 6, "'svm_1' is 'high'"),
    "empty cell": (_with(7, GOOD.replace("0.3", "")), 7, "'svm_1' is empty"),
    "nan": (_with(3, GOOD.replace("0.3", "nan")), 3, "'svm_1' is 'nan'"),
    "inf": (_with(3, GOOD.replace("0.3", "inf")), 3, "'svm_1' is 'inf'"),
    "below": (_with(13, GOOD.replace("0.4", "-0.1")), 13, "'svm_2' is '-0.1'"),
    "above": (_with(13, GOOD.replace("0.4", "1.01")), 13, "'svm_2' is '1.01'"),
    "label": (_with(8, GOOD.replace(",1,", ",2,")), 8, "'real_class' is '2'"),
    "label between": (_with(8, GOOD.replace(",1,", ",0.5,")), 8, "'real_class' is '0.5'"),
    "label empty": (_with(8, GOOD.replace(",1,", ",,")), 8, "'real_class' is empty"),
    "part": (_with(9, GOOD.replace("validation", "train")), 9, "'datatype' is 'train'"),
    "open quote": (_with(9, '"' + GOOD), 9, "not valid CSV"),
    "duplicate header": (_with(1, "datatype,real_class,index,a,b,c,a"), 1, "'a' stands twice"),
    "nameless column": (_with(1, "datatype,real_class,index,a,b,,c"), 1, "column 6 has no name"),
    "empty file": ("", 1, "empty"),
    "blank file": ("\n\n", 1, "empty"),
    "header only": (lines()[0] + "\n", 1, "no rows"),
    "not UTF-8": (_with(4, GOOD).encode().replace(b"0.3", b"\xff\xfe", 1), None, "not UTF-8"),
    "NUL": (_with(4, GOOD.replace("0.3", "0\0")), 4, "NUL"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_csv_is_refused_with_its_line(tmp_path, case):
    text, line, words = MALFORMED[case]
    path = write(tmp_path, text)
    with pytest.raises(FileFormatError) as caught:
        read_table(path)
    if line is None:
        line = path.read_bytes().split(b"\xff")[0].count(b"\n") + 1
    assert caught.value.line == line
    assert f"votes.csv, line {line}: " in str(caught.value)
    assert words in str(caught.value)


def test_line_numbers_count_lines_not_records(tmp_path):
    text = 'y,note,a\n1,"two\nlines",0.5\n\n0,x,\n'
    with pytest.raises(FileFormatError) as caught:
        read_votes(write(tmp_path, text), ["a"])
    assert caught.value.line == 5


def test_both_readers_agree(tmp_path):
    frame = paper_frame(60, seed=3)
    frame.write_csv(tmp_path / "fast.csv")
    frame.write_csv(tmp_path / "slow.csv", quote_style="non_numeric")
    fast, slow = read_table(tmp_path / "fast.csv"), read_table(tmp_path / "slow.csv")
    assert (fast.validation.matrix == slow.validation.matrix).all()
    assert (fast.test.votes == slow.test.votes).all()
    assert fast.validation_ids == slow.validation_ids


def test_damage_is_refused_or_read_alike_by_both_readers(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    text = ("\n".join(lines()) + "\n").encode()
    for _ in range(300):
        damaged = bytearray(text)
        for place in rng.integers(len(text), size=rng.integers(1, 4)):
            damaged[place] = rng.choice(list(b'01.,"\n\r\0-ex\xff '))
        path = write(tmp_path, bytes(damaged[: rng.integers(len(text) // 2, len(text))]))
        outcomes = [_outcome(path)]
        with monkeypatch.context() as patch:
            patch.setattr(csvfile, "_plain_body", lambda *_: None)
            outcomes.append(_outcome(path))
        assert outcomes[0] == outcomes[1]


def _outcome(path):
    """Return the table's content, or the error; any other exception is a failure."""
    try:
        table = read_table(path)
    except InputError as error:
        return str(error)
    votes = table.validation
    test = None if table.test is None else (table.test.votes.tolist(), table.test.ids)
    return votes.matrix.tolist(), votes.labels.tolist(), table.validation_ids, test
