"""The same for soft certificates and those of several classes: codes 0, 1, 2, and nothing sent."""

import copy
import csv
import json
import random

import numpy as np
import pytest

import voteprune as vp
from damaging import (
    CONTROL,
    broken,
    codes_of_damage,
    codes_of_odd_fields,
    judged,
    places_of,
    replaced,
)

CLASSES = np.array(["red", "green", "blue"])


def write(path, names, columns, labels):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "label"])
        writer.writerows([*row, label] for row, label in zip(columns, labels, strict=True))


def soft(objective, folder):
    """A soft certificate with its probabilities."""
    rng = np.random.default_rng(5)
    y = np.arange(16) % 2
    told = np.clip(y[:, None] * 0.4 + 0.3 + rng.normal(0, 0.2, (16, 4)), 0.05, 0.95).round(3)
    names = ["a", "b", "c", "d"]
    limits = [vp.AtMost("size", 2), vp.Budget([1, 2, 3, 4], 5), vp.Group([0, 1], at_most=1)]
    solution = vp.prune(vp.Probabilities(told, y, names=names), objective=objective,
                        constraints=limits, certificate=True)  # fmt: skip
    write(folder / "v.csv", names, told.tolist(), y.tolist())
    return json.loads(solution.certificate.to_json())


def plural(objective, folder):
    """A certificate of three classes with its votes."""
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 15)
    told = np.where(rng.random((15, 5)) < 0.6, y[:, None], rng.integers(0, 3, (15, 5)))
    names = ["a", "b", "c", "d", "e"]
    votes = vp.PluralityVotes(CLASSES[told], CLASSES[y], names=names)
    limits = [vp.AtMost("size", 3), vp.Budget([1, 2, 3, 4, 5], 9)]
    solution = vp.prune(votes, objective=objective, constraints=limits, certificate=True)
    write(folder / "v.csv", names, CLASSES[told].tolist(), CLASSES[y].tolist())
    return json.loads(solution.certificate.to_json())


MAKERS = [(soft, "log_loss"), (soft, "brier"), (plural, "accuracy"), (plural, "balanced_accuracy")]


@pytest.fixture(params=MAKERS, ids=lambda made: f"{made[0].__name__} {made[1]}")
def source(request, tmp_path):
    make, objective = request.param
    document = make(objective, tmp_path)
    place = next(part for part in document.values() if isinstance(part, dict) and "target" in part)
    place["target"] = "label"
    (tmp_path / "c.json").write_text(json.dumps(document))
    assert judged(tmp_path / "c.json", tmp_path / "v.csv") == 0
    return document, tmp_path


def test_a_field_of_any_content_is_no_crash(source):
    document, folder = source
    files = folder / "c.json", folder / "v.csv"
    codes = codes_of_odd_fields(random.Random(1), document, *files, depth=2, most=60)
    assert codes == {0, 1, 2}


def test_whatever_is_wrong_with_a_field_is_said_in_words_of_our_own(source):
    document, folder = source
    codes = set()
    for odd in broken(document):
        (folder / "c.json").write_text(json.dumps(odd))
        codes.add(judged(folder / "c.json", folder / "v.csv"))
    assert 2 in codes


@pytest.mark.parametrize("which", ["c.json", "v.csv"])
def test_damaged_bytes_are_no_crash(which, source):
    _, folder = source
    files = folder / "c.json", folder / "v.csv"
    assert 2 in codes_of_damage(random.Random(2), folder / which, *files, 80)


def test_control_characters_are_shown_and_never_sent(source):
    """In every text of the document, and in every field's name."""
    document, folder = source
    texts = []
    for path in places_of(document):
        holder = document
        for key in path:
            holder = holder[key]
        if isinstance(holder, str):
            texts.append(path)
    for path in texts[:40]:
        (folder / "c.json").write_text(json.dumps(replaced(document, path, CONTROL)))
        assert judged(folder / "c.json", folder / "v.csv") in (0, 1, 2)
    odd = copy.deepcopy(document)
    odd[CONTROL] = 1
    (folder / "c.json").write_text(json.dumps(odd))
    assert judged(folder / "c.json", folder / "v.csv") in (0, 2)
