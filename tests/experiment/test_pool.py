"""The pool is data: ten families by ten settings, seeded as the paper says."""

import pytest

from experiment_plans import POOL
from voteprune import FileFormatError, InputError
from voteprune_bench.experiment.pool import PAPER_POOL, read_pool

FAMILIES = ["xgboost", "lightgbm", "catboost", "adaboost", "gradient"]
FAMILIES += ["bagging", "forest", "extra", "logistic", "perceptron"]
FILES = ("pool.toml", "pool_weak.toml")


def own(tmp_path, text):
    path = tmp_path / "pool.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", FILES)
def test_ten_families_of_ten_different_settings(name):
    pool = read_pool(PAPER_POOL.with_name(name))
    assert [family.name for family in pool.families] == FAMILIES
    for family in pool.families:
        assert len(family.settings) == 10
        assert len({str(line) for line in family.settings}) == 10, family.name


@pytest.mark.parametrize("file", FILES)
def test_every_setting_is_accepted_by_its_library_and_seeded_from_the_folds_seed(file):
    names = []
    for name, model in read_pool(PAPER_POOL.with_name(file)).classifiers(100, seed=30):
        parameters = model.get_params()
        seeds = {
            value
            for key, value in parameters.items()
            if key.rpartition("__")[2] in ("random_state", "random_seed")
            and "estimator__" not in key
        }
        assert seeds - {None} == {30 + int(name.rpartition("_")[2]) - 1}, name
        names.append(name)
    assert names == [f"{family}_{i}" for family in FAMILIES for i in range(1, 11)]


@pytest.mark.parametrize("k", [20, 40, 60, 80])
def test_k_takes_the_first_settings_of_every_family(k):
    names = [name for name, _ in read_pool().classifiers(k, 10)]
    assert names == [f"{family}_{i}" for family in FAMILIES for i in range(1, k // 10 + 1)]


@pytest.mark.parametrize("k", [0, 15, 110])
def test_a_k_that_favours_a_family_is_refused(k):
    with pytest.raises(InputError, match="multiple of 10"):
        read_pool().check_size(k)


def test_the_fingerprint_follows_the_settings(tmp_path):
    plain = read_pool(own(tmp_path, POOL)).fingerprint
    assert plain == read_pool(own(tmp_path, "# a comment\n" + POOL)).fingerprint
    assert plain != read_pool(own(tmp_path, POOL.replace("C = 0.1 ", "C = 0.2 "))).fingerprint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a\n", "not valid TOML"),
        ("", "families"),
        ("[a]\nmodel = 'm.C'\n", "must have model, seed and settings"),
        ("[a]\nmodel = 'm.C'\nseed = 's'\nsettings = [1]\n", "list of tables"),
        ("[a]\nmodel='m.C'\nseed='s'\nsettings=[{}]\n[b]\nmodel='m.C'\nseed='s'\nsettings=[]\n",
         "equally many"),
        ("[a]\nmodel='m.C'\nseed='s'\nsettings=[]\n", "one at least"),
        ("[a]\nmodel=3\nseed='s'\nsettings=[{}]\n", "must be texts"),
        ("[a]\nmodel='m.C'\nseed='s'\nalways=5\nsettings=[{}]\n", "must be texts"),
        ("[a]\nmodel='m.C'\nseed='s'\nparts={e=1}\nsettings=[{}]\n", "must be texts"),
        ("[a]\nmodel='m.C'\nseed='s'\nscaled='no'\nsettings=[{}]\n", "scaled true or false"),
        ("[a]\nmodel='m.C'\nseed='s'\nsettings=[{a=1979-05-27}]\n", "holds a date"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_pool_is_refused(tmp_path, text, message):
    with pytest.raises(FileFormatError, match=message):
        read_pool(own(tmp_path, text))


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "pool.toml").write_bytes(POOL.encode() + b"# \xff")
    with pytest.raises(FileFormatError, match="not valid TOML"):
        read_pool(tmp_path / "pool.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sklearn.tree.DecisionTreeClassifier", "nowhere.Tree", "not installed"),
        ("sklearn.tree.DecisionTreeClassifier", "sklearn.tree.Bush", "names no class"),
        ("max_depth = 2", "depth = 2", "tree_2.*refuses"),
    ],
)
def test_a_model_that_cannot_be_built_is_named(tmp_path, old, new, message):
    pool = read_pool(own(tmp_path, POOL.replace(old, new)))
    with pytest.raises(InputError, match=message):
        list(pool.classifiers(8, 10))
