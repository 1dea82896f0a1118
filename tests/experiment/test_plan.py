"""A plan is refused before any work if any task of it could not run; hashes follow its content."""

from pathlib import Path

import pytest

import voteprune as vp
from experiment_plans import PLAN, write_plan
from voteprune import FileFormatError, InputError
from voteprune_bench.experiment.contenders import PAPER
from voteprune_bench.experiment.plan import PLANS, read_plan, read_plan_of
from voteprune_bench.experiment.tasks import Shard, expand


def tasks(tmp_path, run="run", shard=None, **changes):
    plan = read_plan(write_plan(tmp_path / "plan", **changes))
    return expand(plan, tmp_path / run, shard=shard or Shard())


def test_the_small_plan_is_a_part_of_the_papers_with_rivals():
    (small,), (whole,) = read_plan("paper-small").grids, read_plan("paper").grids
    assert {one.id for one in small.datasets} < {one.id for one in whole.datasets}
    assert set(small.seeds) < set(whole.seeds)
    assert set(small.pool_sizes) < set(whole.pool_sizes)
    labels = {contender.label for contender in small.contenders}
    assert {contender.label for contender in whole.contenders} < labels
    assert {"soft", "stacking", "best", "F1-HiGHS"} < labels


def test_the_papers_plan_is_the_papers_experiment():
    (grid,) = read_plan("paper").grids
    assert grid.seeds == tuple(range(10, 101, 10))
    assert grid.folds == tuple(range(10))
    assert set(grid.pool_sizes) == {40, 60, 80, 100}
    assert len(grid.datasets) == 9
    assert grid.contenders == PAPER
    assert grid.time_limit == 300


def test_every_combination_is_one_task(tmp_path):
    found = tasks(tmp_path)
    places = {(t.cell.seed, t.cell.fold, t.k, t.contender.label) for t in found}
    assert len(found) == len(places) == 2 * 2 * 3
    assert len({t.key for t in found}) == len(found)


def test_a_grid_may_set_anything_anew(tmp_path):
    more = '\n[[grid]]\n[[grid]]\nseeds = [20]\nfolds = [3]\ntime_limit = 5\nmethods = ["best"]\n'
    found = expand(read_plan(write_plan(tmp_path / "plan", PLAN + more)), tmp_path / "run")
    assert len(found) == 12 + 2
    assert {t.contender.time_limit for t in found if t.cell.seed == 20} == {5}


def test_the_same_plan_elsewhere_has_the_same_hashes(tmp_path):
    first = [t.key for t in tasks(tmp_path)]
    (tmp_path / "else").mkdir()
    assert [t.key for t in tasks(tmp_path / "else", run="another")] == first


@pytest.mark.parametrize(
    "changes",
    [
        {"time_limit": '20\nvotes_by = "out of fold"'},
        {"time_limit": "21"},
        {"seeds": "[11]"},
        {"pool_sizes": "[2, 6]"},
        {"methods": '["hc-acc"]'},
    ],
)
def test_whatever_decides_over_a_result_changes_its_hash(tmp_path, changes):
    assert not {t.key for t in tasks(tmp_path)} & {t.key for t in tasks(tmp_path, **changes)}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("mine.csv", "red", "green"), ("pool.toml", "C = 10.0", "C = 9.0")],
)
def test_other_data_or_another_pool_changes_every_hash_and_every_vote_file(
    tmp_path, file, old, new
):
    before = tasks(tmp_path)
    path = tmp_path / "plan" / file
    path.write_text(path.read_text().replace(old, new))
    after = expand(read_plan(tmp_path / "plan/plan.toml"), tmp_path / "run")
    assert not {t.key for t in before} & {t.key for t in after}
    assert not {t.cell.votes for t in before} & {t.cell.votes for t in after}


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_shards_divide_the_cells_among_them(tmp_path, n):
    parts = [
        {t.key for t in tasks(tmp_path, shard=Shard(i, n), folds="[0, 1, 2, 3, 4]")}
        for i in range(1, n + 1)
    ]
    whole = {t.key for t in tasks(tmp_path, folds="[0, 1, 2, 3, 4]")}
    assert set().union(*parts) == whole
    assert sum(map(len, parts)) == len(whole)


def test_shards_overlap_just_when_some_cell_is_in_both():
    cells = range(60)
    for n in range(1, 7):
        for m in range(1, 7):
            for i in range(1, n + 1):
                for j in range(1, m + 1):
                    common = set(cells[i - 1 :: n]) & set(cells[j - 1 :: m])
                    assert Shard(i, n).overlaps(Shard(j, m)) == bool(common)


@pytest.mark.parametrize(
    "words", ["0/2", "3/2", "1", "a/b", "1/0", "/", "-1/2", "²/3", "1/2/3", " 1/2"]
)
def test_a_shard_that_is_none_is_refused(words):
    with pytest.raises(InputError, match="i/n"):
        Shard.parse(words)


@pytest.mark.parametrize(
    ("changes", "argument"),
    [
        ({"datasets": '["nothing"]'}, "datasets"),
        ({"datasets": "[]"}, "datasets"),
        ({"seeds": '["a"]'}, "seeds"),
        ({"seeds": "[]"}, "seeds"),
        ({"folds": "[10]"}, "folds"),
        ({"folds": "[true]"}, "folds"),
        ({"seeds": "[2147483648]"}, "seeds"),
        ({"pool_sizes": "[5]"}, "pool_sizes"),
        ({"methods": '["F9"]'}, "methods"),
        ({"methods": '"F1"'}, "methods"),
        ({"time_limit": "-1"}, "time_limit"),
        ({"time_limit": '3\nvotes_by = "chance"'}, "votes_by"),
        ({"time_limit": '"x"'}, "time_limit"),
        ({"time_limit": "inf"}, "time_limit"),
        ({"time_limit": "nan"}, "time_limit"),
        ({"time_limit": "true"}, "time_limit"),
        ({"pool": '"pool.toml"\nwhatever = 1'}, "whatever"),
        ({"positive": '"yes"\ncolumns = 3'}, "dataset"),
    ],
)
def test_what_cannot_be_run_is_named(tmp_path, changes, argument):
    with pytest.raises(InputError) as caught:
        tasks(tmp_path, **changes)
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('method = "hc-acc"\ndiversity = "F2"', "cannot honour"),
        ('method = "nonsense"', "not known"),
        ('objective = "nonsense"', "method.own: objective: unknown"),
        ("objective = 3", "method.own: objective: unknown"),
        ('method = "brute"\nsolver = "highs"', "method.own: solver"),
        ("method = []", "method.own: method"),
        ("time_limit = -1", "method.own: time_limit"),
        ('time_limit = "5"', "method.own: time_limit"),
        ('version = "a"', "method.own: version"),
        ("constraints = { max_size = 1979-05-27 }", "holds a date"),
        ("function = 3", "module.function"),
        ('function = "nowhere.choose"', "cannot be imported"),
        ('function = "os.sep"', "not a function"),
        ('function = "os.system"', "no method"),
        ('function = "builtins.print"', "no method"),
        ('function = "voteprune.prune"\nobjective = "nonsense"', "objective: unknown"),
        ("wish = 1", "may have only"),
    ],
)
def test_a_contender_that_no_task_could_run_is_refused(tmp_path, table, message):
    text = PLAN.replace('"FE"', '"own"') + f"\n[method.own]\n{table}\n"
    with pytest.raises(InputError, match=message):
        read_plan(write_plan(tmp_path / "plan", text))


@pytest.mark.parametrize("objective", [*vp.METRICS, *vp.CURVES, "f3", "margin"])
def test_every_objective_that_prune_knows_by_name_is_welcome(tmp_path, objective):
    text = PLAN.replace('"FE"', '"own"') + f'\n[method.own]\nobjective = "{objective}"\n'
    (grid,) = read_plan(write_plan(tmp_path / "plan", text)).grids
    assert grid.contenders[-1].objective == objective


WRONG = (
    "1",
    "true",
    '"a"',
    "[]",
    "[[1]]",
    "[{}]",
    "{}",
    "{a = 1}",
    "nan",
    '"\\u0000"',
    "1979-05-27",
)


@pytest.mark.slow
def test_whatever_stands_in_a_plan_it_is_refused_by_name_or_read(tmp_path):
    votes = '[votes]\nfolder = "."\npattern = "{dataset}"\n'
    own = '[method.own]\nmethod = "exact"\nobjective = "f1"\nsolver = "highs"\ntime_limit = 3\n'
    own += 'penalty = 3\nclip = 0.1\ntakes = "votes"\nconstraints = { max_size = 3 }\n'
    lines = (PLAN.replace('"FE"', '"own"') + own + votes).splitlines()
    texts = [f"{name} = {wrong}" for name in ("grid", "method", "votes") for wrong in WRONG]
    texts = [f"{text}\n{PLAN}" for text in texts]
    for place, line in enumerate(lines):
        if " = " in line:
            changed = (f"{line.partition(' = ')[0]} = {wrong}" for wrong in WRONG)
            texts += ["\n".join([*lines[:place], new, *lines[place + 1 :]]) for new in changed]
    refused = 0
    for text in texts:
        for one in (text, text.replace('pool = "pool.toml"', "")):
            try:
                read_plan(write_plan(tmp_path / "plan", one))
            except InputError:
                refused += 1
    assert refused > len(texts)


def test_what_is_done_can_be_counted_where_a_method_cannot_run(tmp_path):
    """A run with AutoGluon's selection in it, looked at where AutoGluon is not installed."""
    own = '\n[method.own]\nfunction = "nowhere.choose"\n'
    path = write_plan(tmp_path / "plan", PLAN.replace('"FE"', '"own"') + own)
    with pytest.raises(InputError, match="cannot be imported"):
        read_plan(path)
    (counted,) = read_plan_of(path.parent).grids
    assert [one.label for one in counted.contenders] == ["brute", "HC-UWA", "own"]


def test_one_task_is_not_asked_for_in_two_ways(tmp_path):
    more = "\n[[grid]]\n[[grid]]\nfolds = [1]\n"
    found = expand(read_plan(write_plan(tmp_path / "plan", PLAN + more)), tmp_path / "run")
    assert len(found) == 12  # the same again is no other way
    path = write_plan(tmp_path / "plan", PLAN + more + "time_limit = 5\n")
    with pytest.raises(InputError, match="asks twice for brute on mine at K = 4"):
        expand(read_plan(path), tmp_path / "run")


def test_a_table_that_cannot_be_used_is_refused_before_any_work(tmp_path):
    with pytest.raises(FileFormatError, match="positive is 'ja'"):
        tasks(tmp_path, positive='"ja"')


def test_one_table_under_two_names_is_refused(tmp_path):
    twin = '\n[[dataset]]\nid = "twin"\nfile = "mine.csv"\ntarget = "label"\npositive = "yes"\n'
    text = PLAN.replace('["mine"]', '["mine", "twin"]') + twin
    with pytest.raises(InputError, match="mine and twin are the same table"):
        expand(read_plan(write_plan(tmp_path / "plan", text)), tmp_path / "run")


def test_one_vote_file_for_two_folds_is_refused(tmp_path):
    text = PLAN.replace('pool = "pool.toml"', "")
    text += '\n[votes]\nfolder = "."\npattern = "{dataset}.csv"\n'
    path = write_plan(tmp_path / "plan", text)
    with pytest.raises(InputError, match="same votes for mine seed 10 fold 0 and mine seed 10"):
        expand(read_plan(path), tmp_path / "run")
    read_plan(write_plan(tmp_path / "plan", text, pool_sizes="[1]"))
    with pytest.raises(InputError, match="pool_sizes: must be 1 or more"):
        read_plan(write_plan(tmp_path / "plan", text, pool_sizes="[0]"))


def test_a_folder_does_not_hide_a_plan_that_comes_with_voteprune(tmp_path, monkeypatch):
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_plan("tiny").text == read_plan(PLANS / "tiny.toml").text


def test_no_plan_at_all(tmp_path):
    with pytest.raises(FileFormatError, match=r"one of paper, paper-small, tiny"):
        read_plan(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("a = [")
    with pytest.raises(FileFormatError, match="TOML"):
        read_plan(tmp_path / "bad.toml")


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        ('folder = "."', "folder and pattern"),
        ('folder = "."\npattern = "{fold}-{what}"', "may hold"),
        ('folder = "gone"\npattern = "{fold}"', "not a folder"),
    ],
)
def test_vote_files_that_cannot_be_found_are_refused(tmp_path, votes, message):
    text = PLAN.replace('pool = "pool.toml"', "") + f"\n[votes]\n{votes}\n"
    with pytest.raises(InputError, match=message):
        read_plan(write_plan(tmp_path / "plan", text))


def test_the_patterns_words(tmp_path):
    text = PLAN.replace('pool = "pool.toml"', "")
    text += '\n[votes]\nfolder = "."\npattern = "{DATASET}/{dataset}_{seed}_{fold}_{fold_from_1}"\n'
    plan = read_plan(write_plan(tmp_path / "plan", text))
    assert plan.votes.path("mine", 10, 0) == tmp_path / "plan" / Path("MINE/mine_10_0_1")
    with pytest.raises(InputError, match="is not there"):
        expand(plan, tmp_path / "run")


def test_a_byte_order_mark_is_no_part_of_a_plan(tmp_path):
    """Windows' editors write one."""
    file = write_plan(tmp_path / "plan")
    plain = read_plan(file)
    for changed in (file, file.with_name("pool.toml")):
        changed.write_bytes(b"\xef\xbb\xbf" + changed.read_bytes())
    assert read_plan(file) == plain
