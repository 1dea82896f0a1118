"""Votes scanned from files, lazy frames and Dask are the votes in memory."""

import dask
import dask.dataframe as dd
import numpy as np
import polars as pl
import pytest

import voteprune as vp
from voteprune.problem.plurality import PluralityProblem


def pool(seed, n=400, k=5):
    random = np.random.default_rng(seed)
    y = np.r_[0, 1, random.integers(0, 2, n - 2)]
    said = (y[:, None] ^ (random.random((n, k)) < 0.3)).astype(np.int8)
    return said, y


def frame_of(said, y):
    return pl.DataFrame({**{f"m{k}": said[:, k] for k in range(said.shape[1])}, "y": y})


def in_pieces(folder, frame, pieces=3):
    for place, part in enumerate(frame.iter_slices(-(-frame.height // pieces))):
        part.write_parquet(folder / f"part{place}.parquet")
    return folder


@pytest.mark.parametrize("k", [1, 5, 63, 64, 65, 130])
def test_merged_on_disk_they_are_the_patterns_of_all_rows(tmp_path, k):
    said, y = pool(k, k=k)
    expected = vp.Patterns.of(vp.Votes(said, y))
    folder = in_pieces(tmp_path, frame_of(said, y))
    for source in (folder, str(folder / "*.parquet"), sorted(folder.iterdir())):
        scanned = vp.Votes.scan(source, "y")
        assert vp.Patterns.of(scanned) == expected
        assert scanned.names == tuple(f"m{i}" for i in range(k))
        assert scanned.weights.sum() == len(y)


@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_merged_by_dask_they_are_the_same(pieces):
    said, y = pool(pieces, k=70)
    table = dd.from_pandas(frame_of(said, y).to_pandas(), npartitions=pieces)
    with dask.config.set(scheduler="synchronous"):
        scanned = vp.Votes.scan(table, "y")
    assert vp.Patterns.of(scanned) == vp.Patterns.of(vp.Votes(said, y))


@pytest.mark.slow
def test_they_are_merged_on_a_cluster_of_processes():
    distributed = pytest.importorskip("distributed")
    said, y = pool(8)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as here,
        distributed.Client(here),
    ):
        table = dd.from_pandas(frame_of(said, y).to_pandas(), npartitions=4)
        scanned = vp.Votes.scan(table, "y")
    assert vp.Patterns.of(scanned) == vp.Patterns.of(vp.Votes(said, y))


@pytest.mark.parametrize("by", ["polars", "dask"])
def test_weights_labels_cutoffs_and_columns_are_as_in_memory(by):
    random = np.random.default_rng(5)
    said, y = pool(5, n=200)
    scores = (said + random.normal(0, 0.6, said.shape)).round(1)  # some lie on the cut
    weights = random.integers(0, 4, len(y))
    frame = frame_of(scores, np.where(y == 1, "bad", "good")).with_columns(
        weight=pl.Series(weights), id=pl.Series(np.arange(len(y)))
    )
    source = frame.lazy() if by == "polars" else dd.from_pandas(frame.to_pandas(), npartitions=3)
    with dask.config.set(scheduler="synchronous"):
        scanned = vp.Votes.scan(
            source, "y", positive="bad", cutoff=1.2, sample_weight="weight", ignore=["id", "m0"]
        )
    expected = vp.Votes(scores[:, 1:], y, cutoff=1.2, sample_weight=weights)
    assert vp.Patterns.of(scanned) == vp.Patterns.of(expected)
    named = vp.Votes.scan(frame.lazy(), "y", positive="bad", names=["m2", "m1"], cutoff=1.2)
    assert named.names == ("m2", "m1")


def test_the_best_committee_is_the_same_with_the_same_proof(tmp_path):
    said, y = pool(3, n=300, k=9)
    scanned = vp.Votes.scan(in_pieces(tmp_path, frame_of(said, y)), "y")
    asked = {"objective": "balanced_accuracy", "constraints": [vp.AtMost("size", 4)]}
    whole, merged = vp.prune(vp.Votes(said, y), **asked), vp.prune(scanned, **asked)
    assert (merged.value, merged.bound, merged.status) == (whole.value, whole.bound, "optimal")
    assert merged.confusion == whole.confusion
    assert merged.trusted == ()
    assert scanned.weights.min() > 0


@pytest.mark.parametrize("by", ["polars", "dask"])
@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        ({"m1": None}, {}, "m1.*lacks 1 of 40 votes"),
        ({"m1": 1.5}, {}, "m1.*holds 1.5"),
        ({"m1": -1.0}, {}, "m1.*holds -1"),
        ({"y": 2}, {}, "holds 0, 1, 2; expected two labels"),
        ({}, {"positive": "yes"}, "expected two labels, 'yes'"),
        ({}, {"ignore": ["nobody"]}, "^ignore: 'nobody' is no column"),
        ({}, {"names": ["m9"]}, "^names: 'm9' is no column"),
        ({}, {"target": "z"}, "^target: 'z' is no column"),
        ({}, {"names": ["y", "m0"]}, "^names: 'y' is a classifier there and plays another part"),
        ({}, {"names": ["m0", "m0"]}, "^names: 'm0' stands for two"),
        ({}, {"names": "m0"}, "^names: is 'm0'; give a list"),
        ({}, {"ignore": "w"}, "^ignore: is 'w'; give a list"),
        ({}, {"names": []}, "^names: leaves no classifier"),
        ({"m1": float("inf")}, {"cutoff": 2}, "m1.*infinite"),
        ({}, {"sample_weight": "w"}, "^sample_weight: column 'w' must hold whole"),
        ({}, {"cutoff": float("nan")}, "^cutoff"),
        (
            {},
            {"names": ["m0", "word"]},
            "'word' holds .*not numbers.*Turn words into num",
        ),
    ],
)
def test_what_is_no_table_of_votes_is_refused(by, change, options, says):
    said, y = pool(1, n=40)
    columns = {
        name: column.tolist() for name, column in zip("01234", said.T.astype(float), strict=True)
    }
    columns = {f"m{name}": column for name, column in columns.items()}
    columns |= {"y": y.tolist(), "w": [0.5] * len(y), "word": ["x"] * len(y)}
    for name, value in change.items():
        columns[name][7] = value
    table = pl.DataFrame(columns)
    source = table.lazy() if by == "polars" else dd.from_pandas(table.to_pandas(), npartitions=2)
    asked = {"target": "y", "ignore": ["w", "word"]} | options
    if "sample_weight" in options:
        asked["ignore"] = ["word"]
    if "names" in options:
        asked.pop("ignore")
    with dask.config.set(scheduler="synchronous"), pytest.raises(vp.InputError, match=says):
        vp.Votes.scan(source, **asked)


def test_files_that_cannot_be_read_are_named(tmp_path):
    for source in (tmp_path, tmp_path / "none.parquet", str(tmp_path / "*.parquet")):
        with pytest.raises(vp.FileFormatError, match="names no Parquet file"):
            vp.Votes.scan(source, "y")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(vp.FileFormatError, match=r"bad.parquet.*cannot be scanned"):
        vp.Votes.scan(tmp_path / "bad.parquet", "y")
    with pytest.raises(vp.InputError, match=r"^source: is a int"):
        vp.Votes.scan(7, "y")
    with pytest.raises(vp.InputError, match=r"^source: is a DataFrame.*vp.Votes"):
        vp.Votes.scan(frame_of(*pool(1)), "y")
    with pytest.raises(vp.InputError, match=r"^source: holds 7"):
        vp.Votes.scan([7], "y")


def test_too_many_patterns_are_refused_by_their_number(monkeypatch):
    from voteprune.votes import scan

    monkeypatch.setattr(scan, "MOST_PATTERNS", 10)
    said, y = pool(2)
    with pytest.raises(vp.InputError, match="distinct patterns of votes, more than the 10"):
        vp.Votes.scan(frame_of(said, y).lazy(), "y")


def with_gaps(seed, n=300, k=5):
    said, y = pool(seed, n, k)
    random = np.random.default_rng([seed, 1])
    return np.where(random.random(said.shape) < 0.4, np.nan, said), y


def merged(votes):
    """What a method sees of votes: classes, abstentions, and the weight behind every pattern."""
    problem = PluralityProblem.of(vp.PluralityVotes.of_two(votes))
    return problem.codes.tolist(), problem.weight.tolist()


@pytest.mark.parametrize("rule", ["skip", "against"])
@pytest.mark.parametrize("k", [1, 5, 64, 65])
def test_abstentions_are_merged_as_those_in_memory(tmp_path, rule, k):
    gaps, y = with_gaps(k, k=k)
    expected = vp.Votes(gaps, y, abstentions=rule)
    table = pl.DataFrame({**{f"m{i}": gaps[:, i] for i in range(k)}, "y": y})
    with_nulls = table.with_columns(pl.col(f"m{i}").fill_nan(None) for i in range(k))
    truths = with_nulls.with_columns(pl.col("m0").cast(pl.Int8).cast(pl.Boolean))
    nullable = dd.from_pandas(with_nulls.to_pandas().convert_dtypes(), npartitions=3)
    sources = [in_pieces(tmp_path, table), with_nulls.lazy(), truths.lazy(), nullable]
    with dask.config.set(scheduler="synchronous"):
        for source in sources:
            scanned = vp.Votes.scan(source, "y", abstentions=rule)
            assert merged(scanned) == merged(expected)
            assert scanned.abstentions == rule
            assert scanned.weights.sum() == len(y)
            if k == 5:
                limit = vp.AtLeast("coverage", 0.9)
                found, best = (vp.prune(v, constraints=limit) for v in (scanned, expected))
                assert (found.value, found.status) == (best.value, "optimal")
                assert found.coverage == best.coverage


def test_a_classifier_that_never_votes_and_one_that_always_does(tmp_path):
    said, y = pool(2)
    table = frame_of(said, y).with_columns(m1=pl.lit(None, dtype=pl.Float64))
    sources = [table.lazy(), dd.from_pandas(table.to_pandas(), npartitions=2)]
    with dask.config.set(scheduler="synchronous"):
        for source in sources:
            scanned = vp.Votes.scan(source, "y", abstentions="skip")
            assert scanned.voted.any(axis=0).tolist() == [True, False, True, True, True]
            with pytest.raises(vp.InputError, match=r"lacks 400 of 400 .* abstentions='skip'"):
                vp.Votes.scan(source, "y")
    everybody = vp.Votes.scan(frame_of(said, y).lazy(), "y", abstentions="skip")
    assert everybody.voted is None
    with pytest.raises(vp.InputError, match="abstentions"):
        vp.Votes.scan(frame_of(said, y).lazy(), "y", abstentions="perhaps")


@pytest.mark.parametrize("by", ["polars", "dask"])
@pytest.mark.parametrize(
    ("names", "voting"),
    [
        (("good", "bad"), (0, 1)),
        ((0, 1), (0, 1)),
        ((1, 0), (1, 0)),
        ((1, 2), (1, 2)),
        ((2, 1), (0, 1)),
        ((2.0, 1.0), (2.0, 1.0)),
        ((False, True), (0, 1)),
    ],
)
def test_classes_are_called_and_votes_for_them_are_read_as_in_memory(names, voting, by):
    """The positive one last; votes are such classes, or 0 and 1."""
    said, y = pool(6, n=120)
    given, truth = np.array(voting)[said], np.array(names)[y]
    frame = frame_of(given, truth)
    source = frame.lazy() if by == "polars" else dd.from_pandas(frame.to_pandas(), npartitions=2)
    with dask.config.set(scheduler="synchronous"):
        scanned = vp.Votes.scan(source, "y", positive=names[1])
    expected = vp.Votes(given, truth, positive=names[1])
    assert scanned.classes == expected.classes == names
    assert vp.Patterns.of(scanned) == vp.Patterns.of(expected)
    few = {"constraints": vp.AtMost("size", 3), "random_state": 0}
    told, known = (vp.prune(votes, **few).committee for votes in (scanned, expected))
    assert told.classes == names
    np.testing.assert_array_equal(told.predict(given), known.predict(given))
    assert set(told.predict(given).tolist()) == set(names)


@pytest.mark.parametrize("by", ["polars", "dask", "nullable"])
@pytest.mark.parametrize(
    ("names", "options"),
    [
        ((1, 0), {}),
        ((True, False), {}),
        ((1, 0), {"abstentions": "against"}),
        ((1, 0), {"abstentions": "skip"}),
        ((0, 1), {"cutoff": 2}),
        ((0, 1), {"abstentions": "skip"}),
        (("good", "bad"), {}),
    ],
)
def test_truth_values_are_read_as_in_memory(names, options, by):
    """As classes where these are the numbers 0 and 1, else as votes."""
    said, y = pool(7, n=120)
    given, truth = (said == 1) ^ (names[1] == 0), np.array(names)[y]
    frame = frame_of(given, truth)
    if "abstentions" in options and by != "dask":
        given = given.astype(object)
        given[3, 1] = None
        frame = frame.with_columns(m1=pl.Series(given[:, 1].tolist(), dtype=pl.Boolean))
    source = frame.lazy()
    if by != "polars":
        table = frame.to_pandas()
        source = dd.from_pandas(table.convert_dtypes() if by == "nullable" else table, 2)
    with dask.config.set(scheduler="synchronous"):
        scanned = vp.Votes.scan(source, "y", positive=names[1], **options)
    expected = vp.Votes(given, truth, positive=names[1], **options)
    assert scanned.classes == expected.classes
    assert merged(scanned) == merged(expected)


@pytest.mark.parametrize("by", ["polars", "dask"])
def test_numbers_between_classes_that_are_numbers_are_refused_as_in_memory(by):
    said, y = pool(6, n=40)
    given = said.astype(float)
    given[7, 2] = 0.25
    frame = frame_of(given, y)
    source = frame.lazy() if by == "polars" else dd.from_pandas(frame.to_pandas(), npartitions=2)
    with dask.config.set(scheduler="synchronous"):
        with pytest.raises(vp.InputError, match="'m2' holds more than the classes 0 and 1"):
            vp.Votes.scan(source, "y", positive=0)
        assert vp.Votes.scan(source, "y").classes == (0, 1)
    with pytest.raises(vp.InputError, match="none of the classes 0 and 1"):
        vp.Votes(given, y, positive=0)
