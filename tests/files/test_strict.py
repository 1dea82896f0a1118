"""Every document on file is read strictly: nothing twice, no true for a number, no unknown word."""

import json

import numpy as np
import pytest

import voteprune as vp
from experiment_records import failure, record
from voteprune_bench.experiment import Failure, Record, read_records


def documents():
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    votes = (rng.random((20, 5)) < 0.3).astype(int) ^ y[:, None]
    solution = vp.prune(votes, y, objective="f1", random_state=1)
    plain = vp.prune(votes, y, constraints=vp.AtMost("size", 3), random_state=1)
    labels = vp.PluralityVotes(rng.choice(["u", "v", "w"], (9, 4)), ["u", "v", "w"] * 3)
    plural = vp.prune(labels, random_state=1)
    return {
        "solution": solution,
        "weights": plain,
        "committee": plain.committee,
        "plurality_solution": plural,
        "plurality_committee": plural.committee,
        "record": record(bound=None, trace=((0.5, None, 1.0),)),
        "failure": failure(),
    }


DOCUMENTS = documents()
UNREAD = ("versions", "gap", "classes")
"""Holds any text; is worked out anew; may be anything."""


def places(value, way=()):
    """Yield the way to every value in a JSON document, with the value."""
    yield way, value
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, inner in items:
        yield from places(inner, (*way, key))


def changed(document, way, text):
    """Return a document's text with other text at one place."""
    copy = json.loads(json.dumps(document))
    holder = copy
    for key in way[:-1]:
        holder = holder[key]
    holder[way[-1]] = "<here>"
    return json.dumps(copy).replace('"<here>"', text)


def refused(thing, text):
    with pytest.raises(ValueError) as caught:
        type(thing).from_json(text)
    if not isinstance(thing, Record | Failure):
        assert isinstance(caught.value, vp.FileFormatError)
    assert str(caught.value).isprintable()
    return True


@pytest.mark.parametrize("name", DOCUMENTS)
def test_it_comes_back_as_it_was(name):
    thing = DOCUMENTS[name]
    assert type(thing).from_json(thing.to_json()) == thing


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_field_stands_twice(name):
    thing = DOCUMENTS[name]
    document = json.loads(thing.to_json())
    for way, value in places(document):
        if isinstance(value, dict):
            for key, inner in value.items():
                twice = f"{json.dumps(value)[:-1]}, {json.dumps(key)}: {json.dumps(inner)}}}"
                assert refused(thing, changed(document, way, twice) if way else twice)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_number_is_a_truth_a_word_or_beyond_all_numbers(name):
    thing = DOCUMENTS[name]
    document = json.loads(thing.to_json())
    tried = 0
    for way, value in places(document):
        if isinstance(value, bool):
            assert all(refused(thing, changed(document, way, no)) for no in ("1", '"true"', "[]"))
        elif isinstance(value, int | float) and way[0] not in UNREAD:
            for wrong in ("true", '"many"', "NaN", "Infinity", "1e999", "[1]", "{}"):
                tried += refused(thing, changed(document, way, wrong))
    assert tried >= 21


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_text_or_list_is_anything_else(name):
    thing = DOCUMENTS[name]
    document = json.loads(thing.to_json())
    for way, value in places(document):
        if way and isinstance(value, str | list | dict) and "classes" not in way:
            for wrong in ("true", "7", "[[]]"):
                assert refused(thing, changed(document, way, wrong))


@pytest.mark.parametrize(
    "name", [name for name in DOCUMENTS if "status" in DOCUMENTS[name].to_json()]
)
@pytest.mark.parametrize("word", ["Optimal", "optimal ", "proved", "", "\x1b[2J", "x" * 70_000])
def test_no_status_is_unknown(name, word):
    thing = DOCUMENTS[name]
    document = json.loads(thing.to_json())
    assert refused(thing, changed(document, ("status",), json.dumps(word)))


@pytest.mark.parametrize(
    "name", [name for name in DOCUMENTS if "schema" in DOCUMENTS[name].to_json()]
)
@pytest.mark.parametrize("schema", ["true", "1.0", '"1"', "2", "0", "null", "[1]"])
def test_no_schema_is_another(name, schema):
    thing = DOCUMENTS[name]
    document = json.loads(thing.to_json())
    assert refused(thing, changed(document, ("schema",), schema))


def test_a_record_with_a_field_more_is_named_with_its_line(tmp_path):
    lines = [record(key="a").to_json(), record(key="b", fold=1).to_json()[:-1] + ', "extra": 1}']
    (tmp_path / "results.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(vp.FileFormatError, match=r"line 2: .*'extra'"):
        read_records(tmp_path)


POOL = [
    None,
    0,
    -1,
    10**30,
    "",
    "1/0",
    "9" * 1900,
    [],
    ["1"],
    ["0 0 0"] * 3,
    [0, 0],
    {},
    1e308,
    "unknown",
]
"""What may stand where something else should."""


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_whatever_stands_anywhere_it_is_refused_or_read_and_never_anything_else(name):
    thing = DOCUMENTS[name]
    document = json.loads(thing.to_json())
    read = 0
    for way, _ in places(document):
        for other in POOL if way else ():
            text = changed(document, way, json.dumps(other))
            try:
                found = type(thing).from_json(text)
            except ValueError:
                continue
            assert found.to_json()
            assert getattr(found, "summary", str)() is not None
            read += 1
    assert read
