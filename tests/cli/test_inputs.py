"""Files as people have them: every kind is read, and what cannot be is one line and code 2."""

import io
import json
import sys
import zipfile

import numpy as np
import polars as pl
import pytest

import voteprune as vp
from voteprune.tables import ReadOptions, read_costs, read_rows, read_source

WORDS = np.array(["good", "bad"])
N, K = 40, 4


@pytest.fixture(scope="module")
def said():
    """Labels and votes, 0 and 1."""
    rng = np.random.default_rng(1)
    y = np.arange(N) % 2
    return y, np.where(rng.random((N, K)) < 0.75, y[:, None], 1 - y[:, None])


def table(path, header, rows, sep=","):
    lines = [header, *([str(cell) for cell in row] for row in rows)]
    path.write_text("".join(sep.join(line) + "\n" for line in lines))
    return path


@pytest.fixture
def plain(tmp_path, said):
    """A table with an id and a fold beside the votes."""
    y, votes = said
    header = ["id", "fold", "y", *(f"m{k}" for k in range(K))]
    rows = [[f"r{i}", i % 4 // 2, y[i], *votes[i]] for i in range(N)]
    return table(tmp_path / "plain.csv", header, rows)


def same(table, said):
    y, votes = said
    return (table.validation.matrix == votes).all() and (table.validation.labels == y).all()


def test_an_id_or_fold_never_votes(run, plain, said):
    code, out, err = run("prune", plain, "--target", "y")
    assert (code, out) == (2, "")
    assert "'id' looks like an id" in err
    assert "--ignore id" in err
    assert "'fold' looks like" in run("prune", plain, "--target", "y", "--id", "id")[2]
    for options in (ReadOptions("y", ignore=("id", "fold")), ReadOptions("y", columns=("m*",))):
        assert same(read_source([plain], options), said)
    assert (
        read_source([plain], ReadOptions("y", id="id", ignore=("fold",))).validation_ids[1] == "r1"
    )


def test_the_index_that_pandas_writes_into_parquet_names_the_rows(tmp_path, said):
    """In one file, in pieces, and in files of models; where it has several levels it is refused."""
    y, votes = said
    columns = {f"m{k}": votes[:, k] for k in range(K)}
    frame = pl.DataFrame({**columns, "y": y, "__index_level_0__": np.arange(N) + 7})
    path, pieces, models = tmp_path / "v.parquet", tmp_path / "pieces", tmp_path / "models"
    frame.write_parquet(path)
    pieces.mkdir()
    models.mkdir()
    for k in range(2):
        frame[k * 20 : k * 20 + 20].write_parquet(pieces / f"{k}.parquet")
        frame.select(f"m{k}", "__index_level_0__").write_parquet(models / f"m{k}.parquet")
    for how in ({"cutoff": 1.0}, {"positive": "1"}):
        read = read_source([path], ReadOptions("y", **how))
        assert same(read, said)
        assert read.validation_ids == tuple(str(i + 7) for i in range(N))
    assert read_source([pieces], ReadOptions("y", cutoff=1)).validation.names == tuple(columns)
    labels = tmp_path / "labels.parquet"
    frame.select("y", "__index_level_0__").write_parquet(labels)
    assert same(read_source([models], ReadOptions(labels=labels)), (y, votes[:, :2]))
    frame.with_columns(__index_level_1__=pl.lit(1)).write_parquet(path)
    with pytest.raises(vp.FileFormatError, match="'__index_level_1__' looks like an id"):
        read_source([path], ReadOptions("y"))


def test_a_column_that_may_be_no_classifier_is_named(run, plain):
    plain.write_text(plain.read_text().replace("fold", "group"))
    code, _, err = run("prune", plain, "--target", "y", "--ignore", "id")
    assert code == 0
    assert "column 'group' votes" in err


def test_an_id_does_not_vote_among_classes(run, tmp_path, said):
    y, votes = said
    rows = [[f"n{i}", WORDS[y[i]], *WORDS[votes[i]]] for i in range(N)]
    path = table(tmp_path / "v.csv", ["name", "y", *"abcd"], rows)
    code, _, err = run("prune", path, "--target", "y", "--plurality")
    assert code == 2
    assert "--ignore name" in err
    assert run("prune", path, "--target", "y", "--plurality", "--ignore", "name")[0] == 0


@pytest.mark.parametrize("sep", [",", ";", "\t"])
def test_words_and_separators_are_read_and_apply_reads_alike(run, tmp_path, said, sep):
    y, votes = said
    rows = [[f"r{i}", WORDS[y[i]], *WORDS[votes[i]]] for i in range(N)]
    path = table(tmp_path / "v.csv", ["id", "y", *"abcd"], rows, sep)
    code, out, err = run("prune", path, "--target", "y", "--id", "id")
    assert (code, out) == (2, "")
    assert "--positive bad or --positive good" in err
    assert same(read_source([path], ReadOptions("y", id="id", positive="bad")), said)
    saved = tmp_path / "c.json"
    words = ("--target", "y", "--id", "id", "--positive", "bad", "--output", saved)
    assert run("prune", path, *words)[0] == 0
    code, out, err = run("apply", saved, path, "--target", "y")
    assert code == 0
    assert out.splitlines()[0] == "id,votes,prediction"
    right = [line.split(",")[2] for line in out.splitlines()[1:]] == WORDS[y]
    assert f"accuracy {right.mean():.6g} on {N} rows" in err
    assert right.mean() == vp.Solution.load(saved).value
    bare = table(tmp_path / "new.csv", ["id", *"abcd"], [row[:1] + row[2:] for row in rows], sep)
    assert run("apply", saved, bare)[1] == out


def test_percent_decimal_commas_and_cutoffs_are_read(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("y;a;b\n1;0,51;5.1%\n0;0,2;60%\n")
    assert read_source([path], ReadOptions("y")).validation.matrix.tolist() == [[1, 0], [0, 1]]
    cut = read_source([path], ReadOptions("y", cutoff=0.05)).validation.matrix
    assert cut.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("how", ["words", "gaps", "soft", "models", "long", "apply"])
@pytest.mark.parametrize("sep", [";", "\t"])
def test_decimal_commas_are_read_however_a_table_is(run, tmp_path, how, sep):
    """Semicolons and commas are what a spreadsheet writes in half of Europe."""
    rng = np.random.default_rng(3)
    y = np.arange(40) % 2
    said = np.round(
        np.clip(0.5 + 0.2 * (2 * y - 1)[:, None] + rng.normal(0, 0.2, (40, 4)), 0, 1), 3
    )
    words = {
        "words": ["--positive", "bad"], "gaps": ["--abstentions", "against"],
        "soft": ["--objective", "log_loss", "--max-size", 2], "apply": ["--positive", "bad"],
        "models": ["--labels", tmp_path / "labels.csv", "--id", "id"], "long": [],
    }[how]  # fmt: skip
    labels = WORDS[y] if "--positive" in words else y
    if how == "models":
        table(tmp_path / "labels.csv", ["id", "y"], [[i, int(y[i])] for i in range(40)], sep)

    def written(name, mark):
        def number(value):
            return f"{value:g}".replace(".", mark)

        rows = [["1,5", labels[i], *map(number, said[i])] for i in range(40)]
        path, header = tmp_path / f"{name}.csv", ["id", "y", *"abcd"]
        if how == "models":
            path = tmp_path / name
            path.mkdir()
            for k in range(4):
                table(
                    path / f"m{k}.csv", ["id", "p"], [[i, rows[i][2 + k]] for i in range(40)], sep
                )
            return path
        if how == "long":
            rows = [[i, k, rows[i][2 + k], y[i]] for i in range(40) for k in range(4)]
            header = ["item", "judge", "vote", "y"]
        return table(path, header, rows, sep)

    answers = []
    for name, mark in (("point", "."), ("comma", ",")):
        target = [] if how == "models" else ["--target", "y"]
        ids = ["--id", "id"] if how in ("words", "gaps", "soft", "apply") else []
        saved, path = tmp_path / f"{name}.json", written(name, mark)
        code, out, err = run("prune", path, *target, *ids, *words, "--output", saved)
        assert code == 0, err
        answers.append(json.loads(saved.read_text())["committee"])
        if how == "apply":
            code, out, _ = run("apply", saved, path, *ids)
            assert out.splitlines()[1].startswith('"1,5",')  # an id is left as it is
            answers[-1] = out
    assert answers[0] == answers[1]


ODD = {
    "R": ("y,a\n1,NA\n0,0\n", "say --abstain NA."),
    "Excel": ("y,a\n1,#N/A\n0,0\n", "say --abstain '#N/A'."),
    "signs": ("y,a\n0,-1\n1,1\n", "if -1 and 1 are the classes, --positive 1."),
    "one and two": ("y,a\n1,1\n2,0\n", "name the positive one with --positive"),
    "percentages": ("y,a\n1,52.6\n0,0\n", "percentages end in %"),
    "quoted decimal commas": (
        'y,a,b\n1,"0,6","0,7"\n0,"0,2","0,1"\n',
        "Decimal commas are read in tables with semicolons or tabs. If it is no classifier, leave "
        "it out: --ignore a.\n",
    ),
    "some words": ("y,a,b,c\n1,x,z,1\n0,x,z,0\n", "All that hold no votes: --ignore a,b."),
    "separator at the end": ("y;a;\n1;1;\n0;0;\n", "leave the last separators out"),
    "first line for Excel": ("sep=;\ny;a\n1;1\n0;0\n", "'sep=', tells Excel"),
}


@pytest.mark.parametrize("name", ODD)
def test_files_of_other_programs_are_refused_with_what_helps(run, tmp_path, name, no_solving):
    text, cure = ODD[name]
    path = tmp_path / "odd.csv"
    path.write_text(text)
    code, _, err = run("prune", path, "--target", "y")
    assert code == 2
    assert cure in err


@pytest.mark.parametrize(
    "how",
    [
        ["--objective", "log_loss"],
        ["--abstentions", "skip"],
        ["--plurality", "--abstentions", "skip"],
    ],
)
def test_a_column_without_a_name_never_votes(run, tmp_path, how, no_solving):
    path = tmp_path / "odd.csv"
    path.write_text("y;a;b;\n1;1;1;\n0;0;1;\n1;1;0;1\n")
    code, _, err = run("prune", path, "--target", "y", *how)
    assert code == 2
    assert "column 4 has no name. Lines that end with a separator" in err


def test_what_is_no_utf8_says_how_to_save_it(run, tmp_path, no_solving):
    path = tmp_path / "odd.csv"
    path.write_bytes("y\ta\n1\t1\n0\t0\n".encode("utf-16"))
    assert 'is UTF-16, as "Unicode text". Save the table as UTF-8.' in run("prune", path)[2]
    with zipfile.ZipFile(path, "w") as workbook:
        workbook.writestr("xl/workbook.xml", "<x/>")
    assert "Save a workbook as CSV, in UTF-8." in run("prune", path)[2]


def test_words_that_mean_no_vote_are_named_with_classes_too(run, tmp_path):
    for name, votes in (("a", "yes,no,NA"), ("b", "1,0,NA")):
        cells = "".join(
            f"{y},{v}\n" for y, v in zip(("yes", "no", "no"), votes.split(","), strict=True)
        )
        path = tmp_path / f"{name}.csv"
        path.write_text("y,a\n" + cells)
        assert "say --abstain NA." in run("prune", path, "--target", "y", "--positive", "yes")[2]
        words = ("--positive", "yes", "--abstain", "NA", "--abstentions", "against")
        assert run("prune", path, "--target", "y", *words)[0] == 0


def test_costs_stand_in_tables_with_semicolons_too(tmp_path):
    path = tmp_path / "costs.csv"
    for text in ("name,cost\na,1.5\nb,2\n", "name;cost\na;1,5\nb;2\n", "a\t1,5\nb\t2\n"):
        path.write_text(text)
        assert read_costs(path) == {"a": 1.5, "b": 2.0}


@pytest.mark.parametrize("sep", ["¦", "→"])
def test_a_separator_may_be_any_character(run, tmp_path, said, sep):
    y, votes = said
    path = table(tmp_path / "v.csv", ["y", *"abcd"], [[y[i], *votes[i]] for i in range(N)], sep)
    for how in ({}, {"positive": "1"}):
        assert same(read_source([path], ReadOptions("y", sep=sep, **how)), said)


def test_costs_without_a_header_have_decimal_commas_too(tmp_path):
    path = tmp_path / "costs.csv"
    for text in ("rf;1,5\nsvm;2,5\n", "rf\t1,5\nsvm\t2,5\n", "rf;1,5\nsvm;2.5\n"):
        path.write_text(text)
        assert read_costs(path) == {"rf": 1.5, "svm": 2.5}
    path.write_text("rf;1,5\nsvm;2,5\n".replace(";", "_"))
    assert read_costs(path) == {"rf_1": 5, "svm_2": 5}


def test_stdin_is_a_file(run, plain, monkeypatch):
    words = ("--target", "y", "--ignore", "id,fold", "--json")
    expected = json.loads(run("prune", plain, *words)[1])["committee"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(plain.read_bytes())))
    code, out, _ = run("prune", "-", *words)
    assert code == 0
    assert json.loads(out)["committee"] == expected


def folder(tmp_path, said):
    y, votes = said
    (tmp_path / "oof").mkdir()
    for k in range(K):
        rows = [[f"r{i}", votes[i, k]] for i in reversed(range(N + 3)) if i < N]
        table(tmp_path / "oof" / f"m{k}.csv", ["id", "pred"], rows)
    return table(tmp_path / "labels.csv", ["id", "y"], [[f"r{i}", y[i]] for i in range(N)])


def test_a_folder_of_files_is_joined_on_the_id(run, tmp_path, said):
    labels = folder(tmp_path, said)
    read = read_source([tmp_path / "oof"], ReadOptions(id="id", labels=labels))
    assert read.validation.names == ("m0", "m1", "m2", "m3")
    assert same(read, said)
    for name in ("._m0.csv", "_m0.csv"):  # as macOS writes beside files that are copied
        (tmp_path / "oof" / name).write_bytes(b"\0\5\26\7")
    assert same(read_source([tmp_path / "oof"], ReadOptions(id="id", labels=labels)), said)
    for name in ("._m0.csv", "_m0.csv"):
        (tmp_path / "oof" / name).unlink()
    first = tmp_path / "oof" / "m0.csv"
    first.write_text("\n".join(first.read_text().splitlines()[:-2]) + "\n")
    files = sorted((tmp_path / "oof").iterdir())
    code, _, err = run("prune", *files, "--labels", labels, "--id", "id")
    assert code == 0
    assert f"2 of {N} rows are left out: 2 are not in {first}" in err


def test_long_tables_become_columns_with_costs(run, tmp_path, said):
    y, votes = said
    rows = [[f"t{i}", f"m{k}", votes[i, k], k + 1] for i in range(N) for k in range(K)]
    path = table(tmp_path / "long.csv", ["item", "judge", "vote", "cost"], rows)
    crowd = table(tmp_path / "crowd.csv", ["task", "worker", "label"], [row[:3] for row in rows])
    for file, item in ((path, "item"), (crowd, "task")):
        truth = [[f"t{i}", y[i]] for i in range(N)]
        labels = table(tmp_path / f"{item}.csv", [item, "label"], truth)
        assert same(read_source([file], ReadOptions(labels=labels)), said)
    labels = tmp_path / "item.csv"
    limits = "--budget", 3, "--group", "pair=m0,m1:1"
    code, out, _ = run("prune", path, "--labels", labels, *limits, "--json")
    assert code == 0
    solution = vp.Solution.from_json(out)
    assert sum(int(name[1]) + 1 for name in solution.committee.names) <= 3
    assert len(solution.constraints) == 2


def test_labels_whose_ids_are_called_otherwise_are_asked_for_by_name(run, tmp_path, said):
    """No column of theirs was ever called "index", which a message asked for."""
    rows = [[f"t{i}", f"m{k}", said[1][i, k]] for i in range(N) for k in range(K)]
    path = table(tmp_path / "long.csv", ["item", "judge", "vote"], rows)
    labels = table(
        tmp_path / "truth.csv", ["key", "label"], [[f"t{i}", said[0][i]] for i in range(N)]
    )
    code, _, err = run("prune", path, "--labels", labels)
    assert code == 2
    assert (
        err
        == f"voteprune: --id: is missing. Which column of {labels} has the ids: 'key', 'label'?\n"
    )
    assert same(read_source([path], ReadOptions(labels=labels, id="key")), said)


def test_judges_of_long_tables_and_other_tools_are_chosen_by_name(tmp_path, said):
    """What is said of voters was not heard; test rows cannot be told from others there."""
    y, votes = said
    rows = [[f"t{i}", f"m{k}", votes[i, k], k, y[i]] for i in range(N) for k in range(K)]
    path = table(tmp_path / "long.csv", ["item", "judge", "vote", "cost", "truth"], rows)
    labels = table(tmp_path / "labels.csv", ["item", "y"], [[f"t{i}", y[i]] for i in range(N)])
    wrench = {str(i): {"label": int(y[i]), "weak_labels": votes[i].tolist()} for i in range(N)}
    other = tmp_path / "w.json"
    other.write_text(json.dumps(wrench))
    for file, first, asked in (
        (path, "m", {"target": "truth"}),
        (path, "m", {"labels": labels}),
        (other, "lf_", {}),
    ):
        options = ReadOptions(**asked, ignore=(f"{first}1",), columns=(f"{first}[013]",))
        assert same(read_source([file], options), (y, votes[:, [0, 3]]))
        assert read_source([file], options).validation.names == (f"{first}0", f"{first}3")
        with pytest.raises(vp.InputError, match=f"columns: 'zzz' fits no voter of .*'{first}0'"):
            read_source([file], ReadOptions(**asked, columns=("zzz",)))
        with pytest.raises(vp.FileFormatError, match="no voter is left"):
            read_source([file], ReadOptions(**asked, ignore=("*",)))
        with pytest.raises(vp.InputError, match=r"^split: is for "):
            read_source([file], ReadOptions(**asked, split="fold=0"))


def test_the_label_in_a_models_file_does_not_vote(tmp_path, said):
    y, votes = said
    labels = table(tmp_path / "labels.csv", ["id", "y"], [[i, y[i]] for i in range(N)])
    files = [tmp_path / f"m{k}.csv" for k in range(2)]
    for k, file in enumerate(files):
        rows = [[i, "test", votes[i, k], y[i], y[i]] for i in range(N)]
        table(file, ["id", "datatype", "p", "real_class", "y"], rows)
    read = read_source(files, ReadOptions(labels=labels, id="id"))
    assert read.validation.names == ("m0", "m1")
    assert same(read, (y, votes[:, :2]))
    assert "m0.csv: no votes: 'datatype', 'real_class', 'y'" in read.notes[0]
    ignored = ReadOptions(labels=labels, id="id", ignore=("datatype", "real_class", "y"))
    assert read_source(files, ignored).notes == ()
    chosen = read_source(files, ReadOptions(labels=labels, id="id", columns=("p", "y")))
    assert chosen.validation.names == ("m0:p", "m0:y", "m1:p", "m1:y")
    # What stands alone beside the ids is what the model says, whatever it is called.
    for k, file in enumerate(files):
        table(file, ["id", "y"], [[i, votes[i, k]] for i in range(N)])
    assert same(read_source(files, ReadOptions(labels=labels, id="id")), (y, votes[:, :2]))


def test_cells_that_play_no_part_may_be_empty(run, tmp_path, said):
    """What matters is refused with its line: votes, labels, ids."""
    y, votes = said

    def written(name, header, i_th, *, empty=-1):
        rows = [i_th(i) for i in range(N)]
        if empty >= 0:
            rows[3][empty] = ""
        return table(tmp_path / f"{name}.csv", header, rows)

    def words(i):
        return [f"r{i}", WORDS[y[i]], *WORDS[votes[i]], "seen" if i % 3 else ""]

    header, saved = ["id", "y", *"abcd", "comment"], tmp_path / "c.json"
    plural = ("--target", "y", "--id", "id", "--plurality", "--ignore", "comment")
    path = written("v", header, words)
    assert run("prune", path, *plural, "--output", saved)[0] == 0
    assert run("prune", path, *plural, "--test", path)[0] == 0
    member = vp.PluralitySolution.load(saved).committee.names[0]
    applied = run("apply", saved, path, "--target", "y")
    assert applied[0] == 0
    assert len(applied[1].splitlines()) == N + 1
    for place, name in ((header.index(member), member), (1, "y")):
        gap = written("gap", header, words, empty=place)
        code, _, err = run("prune", gap, *plural)
        assert (code, f"gap.csv, line 5: column '{name}' is empty" in err) == (2, True)
        code, _, err = run("prune", path, *plural, "--test", gap)
        assert (code, f"gap.csv, line 5: column '{name}' is empty" in err) == (2, True)
    code, out, err = run(
        "apply", saved, written("gap", header, words, empty=2 + "abcd".index(member))
    )
    assert (code, out, f"gap.csv, line 5: column '{member}' is empty" in err) == (2, "", True)
    unknown = written("gap", header, words, empty=1)
    code, out, err = run("apply", saved, unknown, "--target", "y")
    assert (code, out, "gap.csv, line 5: column 'y' is empty" in err) == (2, "", True)
    models = [
        table(tmp_path / f"m{k}.csv", ["id", "p"], [[i, votes[i, k]] for i in range(N)])
        for k in range(K)
    ]
    about = ["id", "label", "comment"]
    labels = written("l", about, lambda i: [i, y[i], ""])
    asked = {"target": "label", "id": "id"}
    assert same(read_source(models, ReadOptions(**asked, labels=labels)), said)
    nobody = written("l", about, lambda i: [i, y[i], ""], empty=0)
    with pytest.raises(vp.FileFormatError, match=r"l\.csv, line 5: id 'id' is empty"):
        read_source(models, ReadOptions(**asked, labels=nobody))
    unknown = written("l", about, lambda i: [i, y[i], ""], empty=1)
    with pytest.raises(vp.FileFormatError, match="row '3': label 'label' is empty"):
        read_source(models, ReadOptions(**asked, labels=unknown))


@pytest.mark.parametrize("how", [["--positive", "1"], ["--plurality"], []])
def test_a_long_text_that_plays_no_part_is_no_matter_of_size(run, tmp_path, said, how):
    y, votes = said
    texts = ["words " * 40_000, *["few"] * (N - 1)]
    rows = [[texts[i], y[i], *votes[i]] for i in range(N)]
    path = table(tmp_path / "v.csv", ["text", "y", *"abcd"], rows, ";")
    saved = tmp_path / "c.json"
    words = ("--target", "y", "--ignore", "text", *how, "--output", saved)
    code, _, err = run("prune", path, *words)
    assert (code, err) == (0, "")
    assert run("apply", saved, path, "--target", "y")[0] == 0


def test_wrench_qrels_and_inspect_are_read(tmp_path, said):
    y, votes = said
    wrench = {str(i): {"label": int(y[i]), "weak_labels": votes[i].tolist()} for i in range(N)}
    path = tmp_path / "w.json"
    path.write_text(json.dumps(wrench))
    assert same(read_source([path], ReadOptions()), said)
    wrench["0"]["weak_labels"][1] = -1
    path.write_text(json.dumps(wrench))
    assert np.argwhere(np.isnan(read_rows([path], ReadOptions()).numbers)).tolist() == [[0, 1]]
    with pytest.raises(vp.FileFormatError, match="1 of 160 votes are missing"):
        read_source([path], ReadOptions())

    def qrels(name, grades):
        lines = (f"q{i} 0 d{i} {grade}\n" for i, grade in enumerate(grades))
        (tmp_path / name).write_text("".join(lines))
        return tmp_path / name

    truth = qrels("truth.qrels", 1 + y)
    judges = [qrels(f"j{k}.qrels", 3 * votes[:, k]) for k in range(K)]
    assert same(read_source(judges, ReadOptions(labels=truth, positive=">=2")), said)
    logs = []
    for k in range(K):
        logs.append(tmp_path / f"log{k}.eval")
        with zipfile.ZipFile(logs[-1], "w") as archive:
            archive.writestr("header.json", json.dumps({"eval": {"model": f"lab/m{k}"}}))
            for i in range(N):
                score = {"value": "C", "answer": WORDS[votes[i, k]]}
                sample = {"id": i, "epoch": 1, "target": WORDS[y[i]], "scores": {"match": score}}
                archive.writestr(f"samples/{i}_epoch_1.json", json.dumps(sample))
    read = read_source(logs, ReadOptions(positive="bad"))
    assert read.validation.names == ("lab/m0", "lab/m1", "lab/m2", "lab/m3")
    assert same(read, said)


def test_other_rows_judge(run, plain, tmp_path):
    words = ("--target", "y", "--ignore", "id", "--json")
    out = run("prune", plain, *words, "--split", "fold=1")[1]
    assert json.loads(out)["n_rows"] == json.loads(out)["test"]["n_rows"] == N // 2
    lines = plain.read_text().splitlines()
    halves = []
    for fold in "01":
        halves.append(tmp_path / f"{fold}.csv")
        kept = [line for line in lines[1:] if line.split(",")[1] == fold]
        halves[-1].write_text("\n".join([lines[0], *kept]) + "\n")
    apart = ("--target", "y", "--ignore", "id,fold", "--json", "--test", halves[1])
    assert json.loads(run("prune", halves[0], *apart)[1])["test"] == json.loads(out)["test"]
    code, out, _ = run("compare", halves[0], *apart, "--methods", "full,best")
    assert code == 0
    assert json.loads(out)["rows"][0]["test_accuracy"] is not None


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        (pl.Boolean, ("True", "true", "1")),
        (pl.Float64, ("1", "1.0")),
        (pl.Int8, ("1", "1.0")),
        (pl.String, ("1",)),
    ],
)
def test_test_rows_are_named_as_the_column_has_them(tmp_path, said, kind, asked):
    y, votes = said
    parts = pl.Series(np.arange(N) % 2).cast(pl.Int8).cast(kind)
    frame = pl.DataFrame({**{f"m{k}": votes[:, k] for k in range(K)}, "y": y, "part": parts})
    frame = frame.with_columns(y=pl.Series(np.arange(N) // 2 % 2))
    path = tmp_path / "v.parquet"
    frame.write_parquet(path)
    for word in asked:
        for how in ({}, {"positive": "1"}):
            read = read_source([path], ReadOptions("y", split=f"part={word}", **how))
            assert read.test.ids == tuple(str(i) for i in range(1, N, 2))
    with pytest.raises(vp.InputError, match="no row of"):
        read_source([path], ReadOptions("y", split="part=2"))


def test_votes_writes_one_plain_table_that_certificates_need(run, tmp_path, said):
    labels, out = folder(tmp_path, said), tmp_path / "votes.csv"
    words = (tmp_path / "oof", "--labels", labels, "--id", "id")
    code, _, err = run("prune", *words, "--certificate", tmp_path / "c.json")
    assert code == 2
    assert "voteprune votes" in err
    semicolons = table(tmp_path / "s.csv", ["y", "a"], [[1, 1], [0, 0]], ";")
    proof = ("--target", "y", "--certificate", tmp_path / "c.json")
    assert "voteprune votes" in run("prune", semicolons, *proof)[2]
    assert not (tmp_path / "c.json").exists()
    assert run("votes", *words, "--output", out) == (0, "", "")
    assert same(read_source([out], ReadOptions("label")), said)
    proof = ("--target", "label", "--certificate", tmp_path / "c.json")
    assert run("prune", out, *proof)[0] == 0
    assert run("verify", tmp_path / "c.json", out)[0] == 0


def test_apply_cuts_the_labels_where_prune_has_cut_them(run, tmp_path, said):
    y, votes = said
    rows = [[i, 1 + 2 * y[i], *(3 * votes[i])] for i in range(N)]
    file = table(tmp_path / "grades.csv", ["id", "truth", *(f"m{k}" for k in range(K))], rows)
    words, saved = ("--target", "truth", "--id", "id"), tmp_path / "c.json"
    out = run("prune", file, *words, "--positive", ">=2", "--json", "--output", saved)[1]
    code, _, err = run("apply", saved, file, *words)
    assert (code, err.split(" on ")[0]) == (
        0,
        f"voteprune: accuracy {json.loads(out)['value']:.6g}",
    )


def test_a_cut_that_leaves_one_answer_is_named(run, plain):
    words = ("prune", plain, "--target", "y", "--ignore", "id,fold")
    assert run(*words)[2] == ""
    assert (
        "every vote is negative, for votes are positive from 7 on" in run(*words, "--cutoff", 7)[2]
    )
    assert "every vote is positive" in run(*words, "--cutoff", "0")[2]


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("-1", "--abstain -1"),
        ("3", "--cutoff 2"),
        ("test", "--split m0=test"),
        ("b", "--ignore m0"),
    ],
)
def test_cells_that_are_no_votes_get_the_option_that_helps(run, plain, cell, told):
    plain.write_text(plain.read_text().replace("r0,0,0,0", f"r0,0,0,{cell}"))
    code, out, err = run("prune", plain, "--target", "y", "--ignore", "id,fold")
    assert (code, out, err.count("\n"), told in err) == (2, "", 1, True)


@pytest.mark.parametrize("words", [("prune", "--method", "exat"), ("compare", "--methods", "exat")])
def test_a_method_that_is_misspelt_is_guessed(run, plain, words):
    command, *option = words
    code, _, err = run(command, plain, "--target", "y", "--ignore", "id,fold", *option)
    assert (code, "Did you mean 'exact'?" in err) == (2, True)


BAD = {
    "no file": ["prune"],
    "pattern": ["prune", "FILE", "--target", "y", "--ignore", "nobody"],
    "columns": ["prune", "FILE", "--target", "y", "--columns", "z*"],
    "id": ["prune", "FILE", "--target", "y", "--id", "nobody"],
    "positive": ["prune", "FILE", "--target", "y", "--positive", "bad"],
    "cutoff": ["prune", "FILE", "--target", "y", "--cutoff", "nan"],
    "split": ["prune", "FILE", "--target", "y", "--split", "fold"],
    "split value": ["prune", "FILE", "--target", "y", "--ignore", "id", "--split", "fold=7"],
    "soft split": ["prune", "FILE", "--target", "y", "--split", "fold=7", "--objective", "brier"],
    "split column": ["prune", "FILE", "--target", "y", "--split", "part=1"],
    "sep": ["prune", "FILE", "--target", "y", "--sep", "ab"],
    "long": ["prune", "FILE", "--target", "y", "--long", "a,b"],
    "vote": ["prune", "FILE", "--target", "y", "--vote", "maybe"],
    "labels": ["prune", "FILE", "--labels", "nowhere.csv", "--id", "id"],
    "test": ["prune", "FILE", "--target", "y", "--ignore", "id,fold", "--test", "nowhere.csv"],
    "no id": ["prune", "FILE", "FILE", "--target", "y"],
    "broken json": ["prune", "bad.json"],
    "other json": ["prune", "other.json"],
    "broken log": ["prune", "bad.eval"],
    "log of another kind": ["prune", "zip.eval"],
    "bad qrels": ["prune", "bad.qrels", "--labels", "bad.qrels"],
    "vote twice": ["prune", "long.csv", "--target", "y"],
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_nothing_is_written(run, plain, tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text('{"0": ')
    (tmp_path / "other.json").write_text('{"0": {"text": 1}}')
    (tmp_path / "bad.eval").write_bytes(b"PK\x03\x04 and nothing")
    with zipfile.ZipFile(tmp_path / "zip.eval", "w") as archive:
        archive.writestr("a.txt", "hello")
    (tmp_path / "bad.qrels").write_text("q 0 d 1\nq 0 e\n")
    (tmp_path / "long.csv").write_text("item,judge,vote,y\na,x,1,1\na,x,0,1\n")
    before = {path.name for path in tmp_path.iterdir()}
    words = [plain if word == "FILE" else word for word in BAD[case]]
    code, out, err = run(*words, "--output", "new.json")
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("names", "called", "voting"),
    [
        (("good", "bad"), ("good", "bad"), ("good", "bad")),
        (("good", "bad"), ("good", "bad"), ("0", "1")),
        (("1", "2"), (1, 2), ("1", "2")),
        (("1", "0"), (1, 0), ("1", "0")),
        (("false", "true"), ("false", "true"), ("0", "1")),
        (("0", "1"), (0, 1), ("0", "1")),
    ],
)
def test_a_saved_committee_says_what_the_file_called_its_classes(
    names, called, voting, run, tmp_path, said
):
    """On the command line, and in Python; saved by either."""
    y, votes = said
    rows = [[names[y[i]], *(voting[vote] for vote in votes[i])] for i in range(N)]
    file = table(tmp_path / "t.csv", ["y", *(f"m{k}" for k in range(K))], rows)
    saved, again = tmp_path / "c.json", tmp_path / "again.json"
    words = ("--target", "y", "--positive", names[1])
    assert run("prune", file, *words, "--max-size", "3", "--output", saved)[0] == 0
    committee = vp.Committee.load(saved)
    assert committee.classes == called
    positive = committee._count_pool(votes.astype(bool)) > committee.threshold
    decided = np.array(called)[positive.astype(int)]
    frame = pl.read_csv(file)
    np.testing.assert_array_equal(committee.predict(frame), decided)
    committee.save(again)
    for kept in (saved, again):
        code, out, err = run("apply", kept, file, "--target", "y")
        assert code == 0, err
        lines = [line.split(",") for line in out.splitlines()[1:]]
        assert [line[2] for line in lines] == list(map(str, decided.tolist()))
        right = np.mean([str(one) == names[label] for one, label in zip(decided, y, strict=True)])
        assert f"accuracy {right:.6g} on {N} rows" in err


def test_a_file_of_before_classes_had_names_is_applied_as_ever(run, tmp_path, said):
    y, votes = said
    rows = [[WORDS[y[i]], *WORDS[votes[i]]] for i in range(N)]
    file = table(tmp_path / "t.csv", ["y", *(f"m{k}" for k in range(K))], rows)
    saved = tmp_path / "c.json"
    run("prune", file, "--target", "y", "--positive", "bad", "--output", saved)
    told = run("apply", saved, file)[1]
    document = json.loads(saved.read_text())
    assert document["committee"].pop("labels") == ["good", "bad"]
    saved.write_text(json.dumps(document))
    assert vp.Committee.load(saved).classes == (0, 1)
    assert run("apply", saved, file)[1] == told


def test_apply_cuts_where_a_committee_of_python_does(run, tmp_path, said):
    y, votes = said
    grades = 2 * votes + 1
    file = table(tmp_path / "t.csv", [f"m{k}" for k in range(K)], grades.tolist())
    names = [f"m{k}" for k in range(K)]
    committee = vp.prune(vp.Votes(grades, y, cutoff=2, names=names)).committee
    committee.save(tmp_path / "c.json")
    code, out, _ = run("apply", tmp_path / "c.json", file)
    assert code == 0
    told = [int(line.split(",")[2]) for line in out.splitlines()[1:]]
    assert told == committee.predict(grades).tolist()


def test_pieces_with_words_for_labels_are_called_so(run, tmp_path, said):
    y, votes = said
    (tmp_path / "votes").mkdir()
    frame = pl.DataFrame({"y": WORDS[y], **{f"m{k}": votes[:, k] for k in range(K)}})
    for place, part in enumerate(frame.iter_slices(15)):
        part.write_parquet(tmp_path / "votes" / f"part{place}.parquet")
    words = ("--target", "y", "--positive", "bad", "--output", tmp_path / "c.json")
    assert run("prune", tmp_path / "votes", *words)[0] == 0
    frame.write_csv(tmp_path / "t.csv")
    committee = vp.Committee.load(tmp_path / "c.json")
    told = [line.split(",")[2] for line in run("apply", tmp_path / "c.json", tmp_path / "t.csv",
                                               "--target", "y")[1].splitlines()[1:]]  # fmt: skip
    assert told == committee.predict(frame).tolist()
    assert set(told) == {"good", "bad"}


@pytest.mark.parametrize("label", ["good", "bad"])
def test_rows_of_one_class_alone_are_judged_though_classes_are_words(run, tmp_path, said, label):
    y, votes = said
    rows = [[f"r{i}", WORDS[y[i]], *WORDS[votes[i]]] for i in range(N)]
    path = table(tmp_path / "v.csv", ["id", "y", *"abcd"], rows)
    one = table(tmp_path / "one.csv", ["id", "y", *"abcd"], [r for r in rows if r[1] == label])
    words, saved = ("--target", "y", "--id", "id"), tmp_path / "c.json"
    judged = ("--positive", "bad", "--test", one, "--output", saved)
    code, out, err = run("prune", path, *words, *judged)
    assert (code, err) == (0, "")
    assert f"{N // 2} rows: accuracy" in out
    code, out, err = run("apply", saved, one, *words)
    assert code == 0
    assert len(out.splitlines()) == 1 + N // 2
    assert f"on {N // 2} rows" in err
    other = table(tmp_path / "other.csv", ["y", *"abcd"], [["fine", *WORDS, *WORDS]])
    assert "'y' of" in run("apply", saved, other, "--target", "y")[2]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_one_wide_table_beside_labels_keeps_its_columns_names(run, tmp_path, said, suffix):
    y, votes = said
    header = ["id", *(f"m{k}" for k in range(K))]
    rows = [[f"r{i}", *votes[i]] for i in range(N)]
    wide, new = tmp_path / f"wide.{suffix}", table(tmp_path / "new.csv", header, rows)
    if suffix == "parquet":
        pl.read_csv(new).write_parquet(wide)
    else:
        wide.write_bytes(new.read_bytes())
    labels = table(tmp_path / "l.csv", ["id", "y"], [[f"r{i}", y[i]] for i in range(N)])
    # Other rows have labels of their own, or their labels stand in the file of labels too.
    test = tmp_path / f"test.{suffix}"
    own = pl.read_csv(new).with_columns(id=pl.lit("t") + pl.col("id"), y=pl.Series(y))
    own.write_parquet(test) if suffix == "parquet" else own.write_csv(test)
    saved, words = tmp_path / "c.json", ("--labels", labels, "--id", "id", "--target", "y")
    for other in (test, wide):
        code, out, err = run("prune", wide, *words, "--test", other, "--output", saved, "--json")
        assert (code, err) == (0, "")
        told = json.loads(out)
        assert set(told["committee"]["names"]) <= set(header)
        assert told["test"]["accuracy"] == told["value"]
    code, out, _ = run("apply", saved, new)
    assert code == 0
    assert len(out.splitlines()) == 1 + N
    soft = ("--objective", "brier", "--max-size", 2)
    for how in (("--plurality",), soft):
        code, out, err = run("prune", wide, *words, *how, "--test", test, "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["test"]["n_rows"] == N


def test_each_of_several_long_tables_tells_costs(run, tmp_path, said):
    y, votes = said
    for name, judges in (("la", (0, 1)), ("lb", (2, 3)), ("lc", (3,))):
        rows = [[f"r{i}", f"j{k}", votes[i, k], 1 + k] for k in judges for i in range(N)]
        table(tmp_path / f"{name}.csv", ["item", "judge", "vote", "cost"], rows)
    labels = table(tmp_path / "ll.csv", ["item", "y"], [[f"r{i}", y[i]] for i in range(N)])
    options = ReadOptions(labels=labels)
    one, two, three = (tmp_path / f"{name}.csv" for name in ("la", "lb", "lc"))
    costs = read_source([one, two], options).costs
    assert costs == {"j0": 1, "j1": 2, "j2": 3, "j3": 4}
    assert run("prune", one, two, "--labels", labels, "--budget", 4, "--json")[0] == 0
    # Names that two files share are told apart, with what each costs.
    assert read_source([one, two, three], options).costs == {
        "j0": 1, "j1": 2, "j2": 3, "lb:j3": 4, "lc:j3": 4,
    }  # fmt: skip


def test_a_lone_hyphen_is_a_class_and_never_a_file_to_write(run, tmp_path, said, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, votes = said
    signs = np.array(["+", "-"])
    rows = [[signs[y[i]], *signs[votes[i]]] for i in range(N)]
    path = table(tmp_path / "v.csv", ["y", *"abcd"], rows)
    code, out, err = run("prune", path, "--target", "y", "--positive", "-", "--output", "c.json")
    assert (code, err) == (0, "")
    assert run("apply", "c.json", path)[1].splitlines()[1].endswith(("+", "-"))
    words = ("--plurality", "--otherwise", "-", "--json")
    code, out, err = run("prune", path, "--target", "y", *words)
    assert (code, err) == (0, "")
    assert json.loads(out)["committee"]["classes"][0] == "-"
    code, out, err = run("apply", "c.json", path, "--output", "-")
    assert (code, out) == (2, "")
    assert "--output: - is no file" in err
    assert not (tmp_path / "-").exists()
