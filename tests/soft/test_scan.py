"""Probabilities that are scanned give the committees, losses and counts of those in memory."""

import gc
import pickle
import tempfile
import time
from dataclasses import replace
from fractions import Fraction

import dask
import dask.dataframe as dd
import numpy as np
import polars as pl
import pytest

import voteprune as vp
from voteprune.soft import scan as soft_scan
from voteprune.soft.loss_protocol import margin
from voteprune.soft.moments import Moments
from voteprune.votes import pieces

FEW = vp.AtMost("size", 3)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 70)


def pool(seed, n=300, k=6):
    """Members of every kind: sure and unsure ones, one who merely votes, and gaps."""
    random = np.random.default_rng(seed)
    y = np.r_[0, 1, random.integers(0, 2, n - 2)]
    said = np.clip(0.5 + 0.4 * (y[:, None] - 0.5) + random.normal(0, 0.3, (n, k)), 0, 1)
    said[:, 1] = said[:, 1] > 0.5
    said[random.random((n, k)) < 0.05] = np.nan
    return said, y


def frame_of(said, y, **more):
    columns = {f"m{k}": pl.Series(said[:, k]).fill_nan(None) for k in range(said.shape[1])}
    return pl.DataFrame({**columns, "y": y, **more})


def same(one, other):
    assert one.status == other.status == "optimal"
    assert one.committee.names == other.committee.names
    assert one.committee.weights == pytest.approx(other.committee.weights, rel=1e-6)
    assert (one.committee.classes, one.committee.kinds) == (
        other.committee.classes, other.committee.kinds,
    )  # fmt: skip
    assert (one.loss, one.value) == pytest.approx((other.loss, other.value), rel=1e-9)
    assert one.lower_bound <= other.penalised_loss
    assert one.confusion == other.confusion
    assert one.accuracy == pytest.approx(other.accuracy)
    assert one.n_rows == other.n_rows


@pytest.mark.parametrize("seed", range(4))
def test_the_answer_is_that_of_the_rows_in_memory(tmp_path, seed):
    said, y = pool(seed)
    frame = frame_of(said, y)
    frame[:100].write_parquet(tmp_path / "a.parquet")
    frame[100:].write_parquet(tmp_path / "b.parquet")
    expected = vp.prune(vp.Probabilities(said, y, clip=0.01), objective="brier", constraints=FEW)
    names = [f"m{k}" for k in range(6)]
    for source in (tmp_path, frame.lazy(), dd.from_pandas(frame.to_pandas(), npartitions=3)):
        with dask.config.set(scheduler="synchronous"):
            scanned = vp.Probabilities.scan(source, "y", clip=0.01)
            assert scanned.names == tuple(names)
            found = vp.prune(scanned, objective="brier", constraints=FEW)
        renamed = {f"c{k}": name for k, name in enumerate(names)}
        assert found.committee.names == tuple(renamed[n] for n in expected.committee.names)
        named = vp.Probabilities(said, y, clip=0.01, names=names)
        same(found, vp.prune(named, objective="brier", constraints=FEW))


def test_a_hair_beyond_0_or_1_is_rounding_and_no_more_than_that():
    said, y = pool(4)
    beyond = np.where(said == 1, 1 + 2.0**-52, np.where(said == 0, -1e-6, said))
    assert (beyond[:, 1] > 1).any()  # who merely votes does so still
    expected = vp.prune(vp.Probabilities(frame_of(said, y).drop("y"), y), objective="brier")
    frame = frame_of(beyond, y)
    for source in (frame.lazy(), dd.from_pandas(frame.to_pandas(), npartitions=3)):
        with dask.config.set(scheduler="synchronous"):
            same(vp.prune(vp.Probabilities.scan(source, "y"), objective="brier"), expected)
    for far in (1 + 2e-6, -2e-6):
        further = frame.with_columns(m0=pl.when(pl.col("m0") > 1).then(far).otherwise(pl.col("m0")))
        with pytest.raises(vp.InputError, match=r"'m0' holds .* probabilities lie in"):
            vp.Probabilities.scan(further.lazy(), "y")


def test_the_sums_are_those_of_the_definition():
    said, y = pool(3)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    found = vp.Probabilities.scan(
        frame_of(said, y, w=weight).lazy(), "y", sample_weight="w", clip=0.02
    ).rows.moments
    share = np.where(np.isnan(said), 0.5, np.clip(said, 0.02, 0.98))
    assert found.gram == pytest.approx((share * weight[:, None]).T @ share)
    assert found.pull == pytest.approx((share * weight[:, None]).T @ y)
    assert found.constant == weight @ y
    assert (found.rows, found.weight) == (np.count_nonzero(weight), weight.sum())


def test_weights_words_and_columns_as_in_memory():
    said, y = pool(5)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    truth = np.where(y == 1, "yes", "no")
    frame = frame_of(said, truth, w=weight, other=np.arange(len(y)))
    scanned = vp.Probabilities.scan(
        frame.lazy(), "y", names=["m2", "m0", "m4"], sample_weight="w", positive="yes"
    )
    there = vp.Probabilities(
        said[:, [2, 0, 4]], truth, sample_weight=weight, names=["m2", "m0", "m4"], positive="yes"
    )
    same(*(vp.prune(each, objective="brier", penalty=5) for each in (scanned, there)))


@pytest.mark.parametrize("bins", [16, 1 << 20])
@pytest.mark.parametrize("limit", [vp.AtLeast("recall", 0.9), vp.AtLeast("precision", 0.9)])
def test_cut_offs_keep_limits_on_the_rows_themselves(limit, bins, monkeypatch):
    monkeypatch.setattr(soft_scan, "_BINS", bins)
    said, y = pool(7, n=500)
    found = vp.prune(
        vp.Probabilities.scan(frame_of(said, y).lazy(), "y"),
        objective="brier", constraints=[FEW, limit],
    )  # fmt: skip
    there = vp.prune(vp.Probabilities(said, y), objective="brier", constraints=[FEW, limit])
    assert found.limits_kept
    if bins > 16:  # a million cut-offs tell these rows apart as well as all do
        assert found.confusion == there.confusion
    decided = found.committee.predict(dict(zip([f"m{k}" for k in range(6)], said.T, strict=True)))
    counted = [int(((y == a) & (decided == b)).sum()) for a, b in ((1, 1), (1, 0), (0, 0), (0, 1))]
    kept = found.confusion
    assert counted == [kept.tp, kept.fn, kept.tn, kept.fp]


def test_the_recount_reads_members_alone(monkeypatch):
    scanned, read = vp.Probabilities.scan(frame_of(*pool(3)).lazy(), "y"), set()

    def noted(frame, name):
        assert name in frame.columns
        read.update(frame.columns)
        return pieces.numbers_of(frame, name)

    monkeypatch.setattr(soft_scan, "numbers_of", noted)
    found = vp.prune(scanned, objective="brier", constraints=vp.AtMost("size", 2))
    assert read == {*found.committee.names, "y"}


def test_a_probability_on_a_cut_off_is_not_above_it():
    # Exactly 1/2 is no positive, the next number is one.
    said = np.array([[0.5], [np.nextafter(0.5, 1)], [0.25], [0.75]])
    y = np.array([0, 1, 0, 1])
    found = vp.prune(vp.Probabilities.scan(frame_of(said, y).lazy(), "y"), objective="brier")
    assert [found.confusion.tp, found.confusion.fp] == [2, 0]


@pytest.mark.slow
def test_a_query_whose_rows_come_in_any_order_is_carried_out_once(tmp_path, monkeypatch):
    """Pieces of a join or a group are other rows each time, in polars' streaming engine."""
    said, y = pool(1, n=3000, k=3)
    frame = frame_of(said, y, id=np.arange(len(y)))
    twice = pl.concat([frame, frame]).lazy().group_by("id").agg(pl.all().first()).drop("id")
    joined = frame.lazy().join(frame.lazy().select("id"), on="id").drop("id")
    expected = vp.Probabilities.scan(frame.lazy(), "y", ignore=["id"])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for query in (twice, joined):
        found = vp.Probabilities.scan(query, "y")
        assert found.rows.moments.gram == pytest.approx(expected.rows.moments.gram, rel=1e-12)
        assert found.rows.moments.rows == len(y)
        one, other = (vp.prune(each, objective="brier") for each in (found, expected))
        assert one.confusion == other.confusion
    del found, one, other, expected
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_rounding_is_charged_by_the_longest_chain_of_additions():
    """In fractions: no entry is off by more than the charge for its chain, however many rows."""
    random = np.random.default_rng(0)
    share, y = random.random((2, 40_000)), random.integers(0, 2, 40_000)
    weights = random.random(40_000)
    found = Moments.of(share, y, weights)
    assert found.terms == 8192 + 5  # a block, and then the blocks
    parts = [Moments.of(share[:, i::4], y[i::4], weights[i::4]) for i in range(4)]
    added = parts[0] + parts[1] + parts[2] + parts[3]
    assert added.terms == max(part.terms for part in parts) + 3
    exact = [
        Fraction(float(c)) * Fraction(float(p)) ** 2 for c, p in zip(weights, share[0], strict=True)
    ]
    true = [Fraction(float(c)) for c, label in zip(weights, y, strict=True) if label]
    for made in (found, added):
        for told, whole in ((made.gram[0, 0], sum(exact)), (made.constant, sum(true))):
            assert abs(Fraction(float(told)) - whole) <= Fraction(margin(made.terms)) * whole


def test_scanned_probabilities_leave_their_rows_behind():
    said, y = pool(2)
    found = vp.prune(vp.Probabilities.scan(frame_of(said, y).lazy(), "y"), objective="brier")
    copy = pickle.loads(pickle.dumps(found))
    assert copy.committee == found.committee
    assert copy.explain(time_limit=1).summary()
    assert repr(copy.problem.said).startswith("ScannedProbabilities(300 rows")
    with pytest.raises(vp.InputError, match="Scan again"):
        copy.problem.said.scored(copy.committee)
    with pytest.raises(vp.InputError, match="scanned"):
        found.committee.predict_proba(found.problem.said)


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0, 0.5])
@pytest.mark.parametrize("by", ["polars", "dask"])
def test_weights_that_are_no_counts_are_refused(weight, by):
    frame = frame_of(*pool(6), w=np.r_[weight, np.ones(299)])
    table = frame.lazy() if by == "polars" else dd.from_pandas(frame.to_pandas(), npartitions=2)
    with dask.config.set(scheduler="synchronous"):
        for kind, gaps in ((vp.Probabilities, {}), (vp.Votes, {"abstentions": "against"})):
            with pytest.raises(vp.InputError, match="whole numbers"):
                kind.scan(table, "y", sample_weight="w", **gaps)


def test_odd_tables_of_dask():
    said, y = pool(8)
    frame = frame_of(said, y).to_pandas()
    frame.columns = [*range(6), "y"]
    with dask.config.set(scheduler="synchronous"):
        found = vp.Probabilities.scan(dd.from_pandas(frame, npartitions=3), "y")
        assert found.names == tuple("012345")
        frame["y"] = frame["y"].astype("Int64").where(frame.index > 0)
        with pytest.raises(vp.InputError, match="lacks labels"):
            vp.Probabilities.scan(dd.from_pandas(frame, npartitions=3), "y")


def test_sums_add_up():
    said, y = pool(9)
    share = np.clip(np.nan_to_num(said.T, nan=0.5), 0.1, 0.9)
    weights = np.arange(len(y)) + 1.0
    whole = Moments.of(share, y, weights)
    parts = [
        Moments.of(share[:, rows], y[rows], weights[rows])
        for rows in (slice(0, 40), slice(40, 41), slice(41, None))
    ]
    added = parts[0] + parts[1] + parts[2]
    for name in set(Moments.__slots__) - {"terms"}:
        assert getattr(added, name) == pytest.approx(getattr(whole, name))


def test_fronts_explanations_and_checkpoints(tmp_path):
    said, y = pool(11)
    scanned = vp.Probabilities.scan(frame_of(said, y).lazy(), "y")
    there = vp.Probabilities(said, y, names=scanned.names)
    fronts = [vp.front(each, objective="brier") for each in (scanned, there)]
    values = [[point.value for point in each.points] for each in fronts]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
    found = vp.prune(scanned, objective="brier", constraints=FEW, checkpoint=tmp_path / "tree")
    assert "m" in found.explain().summary()
    assert "<html" in found.to_html()
    # The file belongs to these sums alone.
    other = vp.Probabilities.scan(frame_of(*pool(12)).lazy(), "y")
    with pytest.raises(vp.InputError, match="checkpoint"):
        vp.prune(other, objective="brier", constraints=FEW, checkpoint=tmp_path / "tree")


def test_what_needs_rows_is_refused():
    said, y = pool(13)
    scanned = vp.Probabilities.scan(frame_of(said, y).lazy(), "y")
    for objective in ("log_loss", "pool_log_loss"):
        with pytest.raises(vp.InputError, match=r"objective: .* scanned"):
            vp.prune(scanned, objective=objective)
    with pytest.raises(vp.InputError, match=r"certificate: .* scanned"):
        vp.prune(scanned, objective="brier", certificate=True)
    with pytest.raises(vp.InputError, match=r"promise: .* scanned"):
        vp.prune(scanned, objective="brier", promise=vp.AtLeast("recall", 0.9))
    for refused in (scanned.shares, lambda: scanned.take([0]), lambda: scanned.select([0])):
        with pytest.raises(vp.InputError, match="scanned"):
            refused()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.with_columns(m0=pl.lit(1.5)), "m0.*1.5"),
        (lambda f: f.with_columns(m0=pl.lit(None, dtype=pl.Float64)), "says nothing"),
        (lambda f: f.with_columns(m0=pl.lit("no")), "not numbers"),
        (lambda f: f.with_columns(y=pl.lit(1)), "expected two labels"),
        (lambda f: f.with_columns(w=(pl.col("y") == 0).cast(int)), "no row of 1 carries weight"),
        (lambda f: f.filter(pl.lit(value=False)), "no rows"),
    ],
)
def test_bad_tables_are_refused(change, words):
    frame = change(frame_of(*pool(15), w=np.ones(300, dtype=int)))
    with pytest.raises(vp.InputError, match=words):
        vp.Probabilities.scan(frame.lazy(), "y", sample_weight="w")
    with pytest.raises(vp.InputError, match="clip"):
        vp.Probabilities.scan(frame.lazy(), "y", sample_weight="w", clip=0.7)


class Endless:
    """A proof that takes all the time there is."""

    over = False

    def __init__(self, problem, run, tree):
        self._run = run

    def round(self, deadline):
        time.sleep(max(0.0, deadline - time.monotonic()))


@pytest.mark.slow
def test_the_last_pass_over_the_rows_is_part_of_the_time(tmp_path, monkeypatch):
    """Where six columns took two seconds, three take no more than these."""
    frame_of(*pool(2)).write_parquet(tmp_path / "rows.parquet")
    count = soft_scan.Scan.counts

    def slow(rows, committee):
        time.sleep(1.2)
        return count(rows, committee)

    said = vp.Probabilities.scan(tmp_path / "rows.parquet", "y")
    vp.prune(said, objective="brier", constraints=FEW)  # so that all is loaded
    monkeypatch.setattr(soft_scan.Scan, "counts", slow)
    monkeypatch.setattr("voteprune.strategies.exact_soft.SoftDriver", Endless)
    assert 0 < said.rows.seconds < 60
    assert pickle.loads(pickle.dumps(said)).rows.seconds == said.rows.seconds
    said = said._but(rows=replace(said.rows, seconds=2.0))
    began = time.monotonic()
    solution = vp.prune(said, objective="brier", constraints=FEW, time_limit=4)
    took = time.monotonic() - began
    assert 3 < took < 4.5
    assert solution.seconds == pytest.approx(took, abs=0.5)
    assert solution.accuracy is not None


def test_what_the_last_pass_takes_leaves_half_of_the_time_for_the_proof(tmp_path, monkeypatch):
    frame_of(*pool(2)).write_parquet(tmp_path / "rows.parquet")
    said = vp.Probabilities.scan(tmp_path / "rows.parquet", "y")
    left = []

    class Late(Endless):
        def __init__(self, problem, run, tree):
            left.append(run.seconds_left)

        over = True

    monkeypatch.setattr("voteprune.strategies.exact_soft.SoftDriver", Late)
    for seconds in (0.0, 60.0, 1e6):
        slow = said._but(rows=replace(said.rows, seconds=seconds))
        vp.prune(slow, objective="brier", constraints=FEW, time_limit=1000)
    whole, less, half = left
    assert 900 < whole <= 1000
    assert less == pytest.approx(whole - slow.rows.recount(3) * 60 / 1e6, abs=20)
    assert less < whole - 30
    assert half == pytest.approx(whole - 500, abs=20)
