"""One fold: 63 / 27 / 10, stratified, and nothing learnt from rows that are kept apart."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from experiment_plans import POOL, write_table
from voteprune import InputError
from voteprune.tables import read_table
from voteprune_bench.experiment.datasets import Dataset, load
from voteprune_bench.experiment.pool import read_pool
from voteprune_bench.experiment.protocol import collect, encode, split_rows
from voteprune_bench.experiment.votefiles import write_votes


@pytest.fixture
def table(tmp_path):
    mine = Dataset(
        id="mine", name="mine", file=write_table(tmp_path / "mine.csv"), target="label",
        positive="yes",
    )  # fmt: skip
    return load(mine, mine.file)


@pytest.fixture
def pool(tmp_path):
    (tmp_path / "pool.toml").write_text(POOL)
    return read_pool(tmp_path / "pool.toml")


@pytest.mark.parametrize("n", [195, 1000, 4601])
def test_the_parts_are_disjoint_whole_stratified_and_of_the_papers_size(n):
    y = (np.arange(n) % 5 == 0).astype(np.int64)
    tested = []
    for fold in range(10):
        split = split_rows(y, 10, fold)
        parts = (split.training, split.validation, split.test)
        assert sorted(np.concatenate(parts)) == list(range(n))
        for part, share in zip(parts, (0.63, 0.27, 0.1), strict=True):
            assert abs(len(part) - share * n) <= 2
            assert abs(y[part].sum() - share * y.sum()) <= 2
        tested.extend(split.test)
    assert sorted(tested) == list(range(n))


def test_the_seed_shuffles():
    y = np.arange(200) % 2
    assert set(split_rows(y, 10, 0).test) != set(split_rows(y, 20, 0).test)
    assert list(split_rows(y, 10, 3).training) == list(split_rows(y, 10, 3).training)


def test_validation_rows_of_two_folds_meet_by_chance_alone():
    """Every row but one in twenty or so is validated on in some fold of a seed.

    Of the rows kept in both of two folds, 8/9 of those kept in one, 30 % are drawn each time.
    """
    y = np.arange(2000) % 2
    drawn = [set(split_rows(y, 10, fold).validation) for fold in range(10)]
    shared = [len(a & b) / len(a) for a, b in itertools.combinations(drawn, 2)]
    assert np.mean(shared) == pytest.approx(0.3 * 8 / 9, abs=0.01)
    assert max(shared) < 0.33
    assert 1 - len(set().union(*drawn)) / len(y) == pytest.approx(0.7**9, abs=0.02)


def test_a_class_too_rare_for_ten_folds_is_refused():
    with pytest.raises(InputError, match="rarer class"):
        split_rows((np.arange(100) < 9).astype(np.int64), 10, 0)


def test_nothing_is_learnt_from_the_rows_kept_apart(table):
    """Whatever stands in validation and test rows, the training rows are encoded the same."""
    split = split_rows(table.y, 10, 0)
    apart = np.concatenate([split.validation, split.test])
    numbers, words = table.numbers.copy(), table.words.copy()
    numbers[apart], words[apart] = 1e6, "never seen"
    changed = encode(replace(table, numbers=numbers, words=words), split.training)
    plain = encode(table, split.training)
    assert np.array_equal(changed[split.training], plain[split.training])
    # A category that training has not seen is no category.
    assert not changed[apart][:, table.numbers.shape[1] :].any()


def test_missing_numbers_become_the_training_median(table):
    split = split_rows(table.y, 10, 0)
    encoded = encode(table, split.training)
    missing = np.isnan(table.numbers[:, 0])
    median = np.nanmedian(table.numbers[split.training, 0])
    assert missing.any()
    assert encoded[missing, 0] == pytest.approx(median)
    assert np.isfinite(encoded).all()


def test_a_smaller_pool_is_the_beginning_of_the_larger(table, pool):
    four, eight = (collect(table, pool, k, 10, 1) for k in (4, 8))
    assert four.names == ("logistic_1", "logistic_2", "tree_1", "tree_2")
    places = [eight.names.index(name) for name in four.names]
    assert np.array_equal(four.values, eight.values[:, places])


def test_out_of_fold_every_row_but_the_tests_is_spoken_on_by_who_has_not_seen_it(table, pool):
    said = collect(table, pool, 4, 10, 1, "out of fold")
    split = split_rows(table.y, 10, 1)
    kept = np.sort(np.concatenate([split.training, split.validation]))
    assert said.n_validation == len(kept)
    assert sorted(said.index[: len(kept)]) == kept.tolist()
    assert said.index[len(kept) :].tolist() == split.test.tolist()
    assert np.array_equal(said.y, table.y[said.index])
    # Who is scored has been trained on all that is pruned on, the others on what they do not hear.
    third = len(kept) // 3
    for rows, places in (
        (kept, slice(len(kept), None)),
        (np.setdiff1d(kept, said.index[:third]), slice(0, third)),
    ):
        features = encode(table, rows)
        _, first = next(pool.classifiers(4, 10))
        first.fit(features[rows], table.y[rows])
        expected = first.predict_proba(features[said.index[places]])[:, 1]
        assert said.values[places, 0] == pytest.approx(expected)


def test_a_vote_file_holds_the_votes_and_says_which_row_each_is(tmp_path, table, pool):
    said = collect(table, pool, 8, 10, 1)
    write_votes(tmp_path / "votes.csv.gz", said)
    read = read_table(tmp_path / "votes.csv.gz")
    split = split_rows(table.y, 10, 1)
    assert read.validation.names == said.names
    assert read.validation_ids == tuple(map(str, split.validation))
    assert read.test.ids == tuple(map(str, split.test))
    assert np.array_equal(read.test.labels, table.y[split.test] == 1)
    assert np.array_equal(read.validation.matrix, said.values[: said.n_validation] >= 0.5)
    assert np.array_equal(read.test.votes, said.values[said.n_validation :] >= 0.5)


def test_shortening_a_probability_never_changes_the_vote(tmp_path, table, pool):
    said = collect(table, pool, 8, 10, 1)
    edge = np.array([0.5, np.nextafter(0.5, 0), 0.4999999, 0.5000001])
    values = np.resize(edge, said.values.shape)
    write_votes(tmp_path / "votes.csv.gz", replace(said, values=values))
    read = read_table(tmp_path / "votes.csv.gz")
    assert np.array_equal(read.validation.matrix, values[: said.n_validation] >= 0.5)


def test_the_same_votes_are_the_same_bytes(tmp_path, table, pool):
    for name in ("a", "b"):
        write_votes(tmp_path / name, collect(table, pool, 4, 10, 0))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
