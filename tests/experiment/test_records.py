"""Records survive the disk, whole lines only, and are read while a run goes on."""

import gzip
import json
from datetime import datetime

import pytest

from experiment_records import failure, record
from voteprune import FileFormatError
from voteprune_bench.experiment import Failure, Record, read_failures, read_records
from voteprune_bench.experiment.records import now

PARTS = ("validation", "test")


def write(folder, kind, *lines, end="\n"):
    path = folder / f"{kind}.jsonl"
    path.write_text("\n".join(lines) + end)
    return path


def test_a_record_comes_back_as_it_was():
    for one in (record(), record(bound=None, trace=((0.5, None, None), (1.0, 0.75, None)))):
        assert Record.from_json(one.to_json()) == one
    assert Failure.from_json(failure().to_json()) == failure()


def test_soft_committees_and_how_votes_were_made_come_back():
    one = record(
        threshold=None, weights=(0.5, 0.25), votes_by="out of fold", test_auc=0.9,
        validation_auc=0.95, test_log_loss=0.3, validation_log_loss=0.2,
    )  # fmt: skip
    assert Record.from_json(one.to_json()) == one


def test_records_from_before_there_were_soft_committees_are_read():
    parts = json.loads(record().to_json())
    for name in ("votes_by", "weights", *(f"{p}_{s}" for p in PARTS for s in ("auc", "log_loss"))):
        del parts[name]
    assert Record.from_json(json.dumps(parts)) == record()


def test_both_ways_of_making_votes_are_kept_apart(tmp_path):
    made = [record(key=key, votes_by=way) for key, way in (("a", "hold-out"), ("b", "out of fold"))]
    write(tmp_path, "results", *(one.to_json() for one in made))
    assert read_records(tmp_path) == made


def test_gzipped_records_are_read_beside_the_others(tmp_path):
    write(tmp_path, "results", record(key="a", fold=1).to_json())
    text = record(key="b").to_json() + "\n"
    (tmp_path / "results.kept.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert {one.key for one in read_records(tmp_path)} == {"a", "b"}
    (tmp_path / "results.kept.jsonl.gz").write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_records(tmp_path)


def test_gap_and_size_follow_from_the_rest():
    assert record(value=0.8, bound=1.0).gap == pytest.approx(0.25)
    assert record(bound=None).gap is None
    assert record().size == 2


def test_shards_are_read_together_and_a_task_counts_once(tmp_path):
    a, b, c = (record(key=key, fold=fold).to_json() for fold, key in enumerate("abc"))
    write(tmp_path, "results.1-of-2", a, b)
    write(tmp_path, "results.2-of-2", b, c)
    assert [one.key for one in read_records(tmp_path)] == ["a", "b", "c"]


def test_a_task_with_a_new_limit_takes_the_place_of_the_old(tmp_path):
    old, new = record(key="a", value=0.5), record(key="b", value=0.625)
    write(tmp_path, "results", old.to_json(), new.to_json())
    assert read_records(tmp_path) == [new]


def test_of_two_limits_the_later_counts_wherever_it_stands(tmp_path):
    """Files are read by name, and shards or jobs of many machines may have any."""
    old, new = (
        record(key=key, value=value, finished=f"2026-11-19T0{hour}:00:00.000+00:00")
        for key, value, hour in (("a", 0.5, 1), ("b", 0.625, 2))
    )
    write(tmp_path, "results.1-of-2", new.to_json())
    write(tmp_path, "results.2-of-2", old.to_json())
    assert read_records(tmp_path) == [new]
    # One from before times were noted is older than any.
    write(tmp_path, "results.3-of-3", record(key="c").to_json())
    assert read_records(tmp_path) == [new]


def test_the_clock_of_records_tells_later_from_earlier():
    first = now()
    assert first <= now()
    assert datetime.fromisoformat(first).tzinfo is not None


def test_records_of_before_times_were_noted_are_read():
    for one, kind in ((record(), Record), (failure(), Failure)):
        parts = json.loads(one.to_json())
        del parts["finished"]
        assert kind.from_json(json.dumps(parts)) == one


def test_a_line_cut_off_counts_as_not_written(tmp_path):
    whole, cut = record(key="a").to_json(), record(key="b").to_json()
    for length in (1, 20, len(cut)):
        write(tmp_path, "results", whole, cut[:length], end="")
        assert [one.key for one in read_records(tmp_path)] == ["a"]


def test_a_line_somebody_changed_is_named(tmp_path):
    write(tmp_path, "results", record().to_json(), '{"key": "b"}')
    with pytest.raises(FileFormatError, match=r"line 2.*Delete the line"):
        read_records(tmp_path)


def test_a_failure_is_forgotten_when_its_task_succeeds(tmp_path):
    lines = (failure(key=key, fold=fold).to_json() for key, fold in (("a", 0), ("b", 1), ("a", 0)))
    write(tmp_path, "failures", *lines)
    assert [one.key for one in read_failures(tmp_path)] == ["a", "b"]
    write(tmp_path, "results", record(key="a").to_json())
    assert [one.key for one in read_failures(tmp_path)] == ["b"]


def test_a_task_that_failed_under_two_limits_is_one_task(tmp_path):
    lines = [failure(key=key, finished=at(hour)) for key, hour in (("a", 1), ("b", 2))]
    write(tmp_path, "failures", *(one.to_json() for one in lines))
    assert read_failures(tmp_path) == lines[1:]


def at(hour):
    return f"2026-11-19T{hour:02}:00:00.000+00:00"


def test_a_failure_is_forgotten_when_another_limit_succeeds_later(tmp_path):
    """The plan asks for another limit now, so nobody will try the old task again."""
    write(tmp_path, "failures", failure(key="a", finished=at(5)).to_json())
    write(tmp_path, "results", record(key="b", finished=at(4)).to_json())
    assert [one.key for one in read_failures(tmp_path)] == ["a"]
    write(tmp_path, "results", record(key="b", finished=at(6)).to_json())
    assert read_failures(tmp_path) == []


def test_a_pool_that_failed_is_forgotten_when_its_fold_has_a_later_result(tmp_path):
    pool = failure(key="p", method="votes", pool_size=0, finished=at(5))
    write(tmp_path, "failures", pool.to_json())
    for other in ({"fold": 1}, {"votes_by": "out of fold"}, {"finished": at(4)}):
        write(tmp_path, "results", record(**{"finished": at(6), **other}).to_json())
        assert read_failures(tmp_path) == [pool]
    write(tmp_path, "results", record(finished=at(6)).to_json())
    assert read_failures(tmp_path) == []


def test_the_last_failure_of_a_task_is_told(tmp_path):
    first, last = (failure(finished=at(hour), reason=f"{hour}") for hour in (1, 2))
    for lines in ((first, last), (last, first)):
        write(tmp_path, "failures", *(one.to_json() for one in lines))
        assert read_failures(tmp_path) == [last]


def test_a_missing_run_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileFormatError, match="not a folder"):
        read_records(tmp_path / "nowhere")
