"""A committee counts votes, and nothing else can be mistaken for one."""

import json

import numpy as np
import pandas as pd
import pytest

import voteprune as vp

COMMITTEE = vp.Committee((3, 1), 0, ("d", "b"), 4)


def test_members_are_sorted_with_their_names():
    assert (COMMITTEE.members, COMMITTEE.names, COMMITTEE.size) == ((1, 3), ("b", "d"), 2)


def test_positive_from_more_than_threshold_votes_on():
    matrix = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 1, 0, 1]])
    assert COMMITTEE.count(matrix).tolist() == [0, 1, 2]
    assert COMMITTEE.predict(matrix).tolist() == [0, 1, 1]
    stricter = vp.Committee((1, 3), 1, ("b", "d"), 4)
    assert stricter.predict(matrix).tolist() == [0, 0, 1]


def test_frames_are_read_by_name_whatever_else_they_hold():
    frame = pd.DataFrame({"d": [1, 0.2], "note": ["x", "y"], "b": [0.5, 0.1]})
    assert COMMITTEE.count(frame).tolist() == [2, 0]
    with pytest.raises(vp.InputError, match="b"):
        COMMITTEE.predict(frame.drop(columns="b"))


@pytest.mark.parametrize("cells", ["votes", "words", "gaps"])
def test_mappings_are_read_by_name_whatever_their_order(cells):
    """A mapping is a pool, so its members are found in it as they are in a frame."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    said = {
        f"m{k}": np.where(rng.random(60) < right, y, 1 - y).astype(float)
        for k, right in enumerate((0.9, 0.5, 0.8, 0.5, 0.85))
    }
    if cells == "gaps":
        said["m1"][:20] = np.nan
        votes = vp.Votes(said, y, abstentions="against")
    elif cells == "words":
        said = {name: np.where(column == 1, "bad", "good") for name, column in said.items()}
        votes = vp.PluralityVotes(said, np.where(y == 1, "bad", "good"))
    else:
        votes = vp.Votes(said, y)
    committee = vp.prune(votes, constraints=vp.AtMost("size", 3)).committee
    told = committee.predict(votes)
    assert len(set(told)) == 2
    turned = dict([*said.items()][1:] + [*said.items()][:1])
    members = {name: said[name] for name in committee.names}
    for given in (said, turned, members, {**turned, "note": ["x"] * 60}):
        assert (committee.predict(given) == told).all()
    del turned[committee.names[0]]
    with pytest.raises(vp.InputError, match=committee.names[0]):
        committee.predict(turned)


def test_a_frame_without_names_of_its_own_works():
    frame = pd.DataFrame([[0, 1, 0, 1], [0, 0, 0, 0]])
    committee = vp.Committee((1, 3), 0, ("1", "3"), 4)
    assert committee.predict(frame).tolist() == [1, 0]


def test_an_array_must_have_the_pools_columns():
    with pytest.raises(vp.InputError, match="votes"):
        COMMITTEE.predict(np.zeros((2, 3)))
    with pytest.raises(vp.InputError, match="votes"):
        COMMITTEE.predict(np.full((2, 4), np.nan))


@pytest.mark.parametrize(
    ("members", "threshold", "names", "pool", "argument"),
    [
        ((), 0, (), 3, "members"),
        ((0, 0), 0, ("a", "a"), 3, "members"),
        ((0, 3), 0, ("a", "d"), 3, "members"),
        ((-1,), 0, ("a",), 3, "members"),
        ((0, 1), 2, ("a", "b"), 3, "threshold"),
        ((0, 1), -1, ("a", "b"), 3, "threshold"),
        ((0, 1), 0, ("a",), 3, "names"),
        ((0, 1), 0, ("a", "a"), 3, "names"),
    ],
)
def test_what_is_no_committee_cannot_be_made(members, threshold, names, pool, argument):
    with pytest.raises(vp.InputError) as caught:
        vp.Committee(members, threshold, names, pool)
    assert caught.value.argument == argument


def test_a_member_may_have_several_votes():
    weighted = vp.Committee((3, 1), 2, ("d", "b"), 4, (3, 1))
    assert (weighted.members, weighted.multiplicities) == ((1, 3), (1, 3))
    assert (weighted.size, weighted.n_votes, weighted.ballots) == (2, 4, (1, 3, 3, 3))
    matrix = np.array([[1, 1, 1, 0], [0, 0, 0, 1], [0, 1, 0, 1]])
    assert weighted.count(matrix).tolist() == [1, 3, 4]
    assert weighted.predict(matrix).tolist() == [0, 1, 1]
    frame = pd.DataFrame({"d": [0, 1, 1], "b": [1, 0, 1]})
    assert weighted.count(frame).tolist() == [1, 3, 4]
    assert vp.Committee.from_json(weighted.to_json()) == weighted
    for bad in ((1,), (0, 1), (1, -1)):
        with pytest.raises(vp.InputError, match="multiplicities"):
            vp.Committee((1, 3), 0, ("b", "d"), 4, bad)


def test_json_round_trip(tmp_path):
    assert vp.Committee.from_json(COMMITTEE.to_json()) == COMMITTEE
    COMMITTEE.save(tmp_path / "committee.json")
    assert vp.Committee.load(tmp_path / "committee.json") == COMMITTEE
    assert [file.name for file in tmp_path.iterdir()] == ["committee.json"]


def test_a_file_says_all_that_another_language_must_know():
    """And older files, which did not, are read as ever."""
    committee = vp.Committee((0, 2), 0, ("a", "c"), 4, (1, 2))
    told = json.loads(committee.to_json())
    assert (told["positive_from"], told["classes"]) == (1, [0, 1])
    assert told["multiplicities"] == [1, 2]
    assert "positive_from" in told["rule"]
    assert told["version"] == vp.__version__
    for name in ("positive_from", "classes", "rule", "version"):
        del told[name]
    assert vp.Committee.from_json(json.dumps(told)) == committee
    with pytest.raises(vp.FileFormatError, match="positive_from: must be 1"):
        vp.Committee.from_json(json.dumps({**told, "positive_from": 2}))


@pytest.mark.parametrize("abstentions", [None, "against", "skip"])
@pytest.mark.parametrize("cutoff", [0.3, 2])
def test_a_committee_cuts_numbers_where_its_votes_were_cut(cutoff, abstentions, tmp_path):
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    numbers = 1.8 * cutoff * random.beta(1 + y, 2 - y, (5, 60)).T
    votes = vp.Votes(numbers, y, cutoff=cutoff, abstentions=abstentions)
    solution = vp.prune(votes, random_state=0)
    right = (solution.committee.predict(numbers) == y).mean()
    assert right == pytest.approx(solution.value)
    assert right > 0.6
    solution.committee.save(tmp_path / "c.json")
    again = type(solution.committee).load(tmp_path / "c.json")
    assert (again.predict(numbers) == solution.committee.predict(numbers)).all()
    assert again == solution.committee


def words(seed=0, n=40, k=5):
    """Labels and predictions that are words."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) % 3 == 0, "bad", "good")
    other = np.where(y == "bad", "good", "bad")
    return np.where(rng.random((n, k)) < 0.8, y[:, None], other[:, None]), y


@pytest.mark.parametrize("abstentions", [None, "against"])
def test_a_committee_predicts_the_labels_it_was_chosen_on(tmp_path, abstentions):
    said, y = words()
    votes = vp.Votes(said, y, positive="bad", abstentions=abstentions)
    solution = vp.prune(votes, objective="balanced_accuracy")
    committee = solution.committee
    assert committee.classes == votes.classes == ("good", "bad")
    told = committee.predict(said)
    assert set(told) == {"good", "bad"}
    assert ((told == "bad") & (y == "bad")).sum() == solution.confusion.tp
    assert ((told == "bad") & (y == "good")).sum() == solution.confusion.fp
    for same in (votes, said == "bad", (said == "bad").astype(float), said.tolist()):
        assert (committee.predict(same) == told).all()
    committee.save(tmp_path / "committee.json")
    again = vp.Committee.load(tmp_path / "committee.json")
    assert again == committee
    assert (again.predict(said) == told).all()
    # Whoever knows only 0 and 1 reads on.
    document = json.loads((tmp_path / "committee.json").read_text())
    assert (document["classes"], document["labels"]) == ([0, 1], ["good", "bad"])
    del document["labels"]
    older = vp.Committee.from_json(json.dumps(document))
    assert (older.predict(said == "bad") == (told == "bad")).all()
    with pytest.raises(vp.InputError, match="'fine', which is none of the classes"):
        committee.predict([["fine"] * 5])


def test_numbers_stand_for_what_they_stood_for_in_the_votes():
    """With positive=0 a vote of 0 is a positive one, also for who predicts."""
    votes, labels = (np.random.default_rng(1).random((2, 30, 3)) < 0.6).astype(int)
    y = labels[:, 0]
    chosen = vp.prune(vp.Votes(votes, y, positive=0), constraints=vp.AtLeast("size", 2))
    right = (chosen.committee.predict(votes) == y).mean()
    assert right == chosen.value
    signs = vp.prune(vp.Votes(2 * votes - 1, 2 * y - 1, positive=1)).committee
    assert set(signs.predict(2 * votes - 1)) <= {-1, 1}
    assert (signs.predict(votes) == signs.predict(2 * votes - 1)).all()


@pytest.mark.parametrize("rule", [None, "against", "skip"])
@pytest.mark.parametrize("positive", [False, 0])
def test_truth_values_are_classes_where_these_are_the_numbers_0_and_1(positive, rule):
    """Then `Votes` reads False as a vote for the positive class, and so does who predicts."""
    y = np.random.default_rng(3).random(60) < 0.5
    said = np.column_stack([y, y, ~y])
    truth = y if positive is False else y.astype(int)
    votes = vp.Votes(said, truth, positive=positive, abstentions=rule)
    committee = vp.prune(votes).committee
    assert (committee.predict(votes) == truth).all()
    frame = {name: said[:, k] for k, name in enumerate(votes.names)}
    for same in (said, frame, said.astype(int), said.astype(float), said.tolist()):
        assert (committee.predict(same) == truth).all()
    if rule is not None:
        gaps = said.astype(object)
        gaps[::5, 2] = None
        assert (committee.predict(gaps) == truth).all()


@pytest.mark.parametrize("called", ["bad", False])
def test_a_promise_and_a_margin_do_not_care_what_classes_are_called(called):
    said, y = words(n=300)
    plain = vp.Votes(said == "bad", y == "bad")
    if not called:
        said, y = said != "bad", y != "bad"
    called = vp.Votes(said, y, positive=called)
    for asked in (
        {"promise": vp.AtLeast("recall", 0.5), "random_state": 0},
        {"objective": "margin", "random_state": 0},
    ):
        one, other = vp.prune(called, **asked), vp.prune(plain, **asked)
        assert one.committee.members == other.committee.members
        assert one.value == other.value
        if one.promise is not None:
            assert [t.errors for t in one.promise.tests] == [t.errors for t in other.promise.tests]


@pytest.mark.parametrize("classes", [("bad",), ("bad", "bad"), ("a", "b", "c")])
def test_there_are_two_classes(classes):
    with pytest.raises(vp.InputError, match="classes"):
        vp.Committee((0,), 0, ("a",), 1, classes=classes)


@pytest.mark.parametrize("labels", [["bad"], [[], {}], "bad"])
def test_labels_on_file_are_two(labels):
    document = json.loads(vp.Committee((0,), 0, ("a",), 1).to_json())
    with pytest.raises(vp.FileFormatError, match="labels"):
        vp.Committee.from_json(json.dumps(document | {"labels": labels}))


def shuffled_pools():
    """Pools with names, and the same rows with the columns in another order."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 80)
    right = (0.9, 0.55, 0.8, 0.55, 0.85)
    said = {f"m{k}": np.where(rng.random(80) < p, y, 1 - y) for k, p in enumerate(right)}
    gaps = {name: np.where(rng.random(80) < 0.1, np.nan, votes) for name, votes in said.items()}
    yield vp.Votes, said, y, {}
    yield vp.Votes, gaps, y, {"abstentions": "against"}
    yield vp.Votes, gaps, y, {"abstentions": "skip"}
    yield vp.PluralityVotes, said, y, {}
    yield vp.Probabilities, {name: 0.1 + 0.8 * votes for name, votes in said.items()}, y, {}


@pytest.mark.parametrize("case", range(5))
def test_votes_with_names_are_read_by_name(case):
    kind, said, y, rule = list(shuffled_pools())[case]
    votes = kind(said, y, **rule)
    committee = vp.prune(votes, constraints=vp.AtMost("size", 3)).committee
    told = committee.predict(votes)
    assert (told == y).mean() > 0.85
    turned = kind(dict([*said.items()][1:] + [*said.items()][:1]), y, **rule)
    members = kind({name: said[name] for name in committee.names}, y, **rule)
    for other in (turned, members):
        assert (committee.predict(other) == told).all()
        if rule.get("abstentions") == "skip":
            assert (committee.voted(other) == committee.voted(votes)).all()
    renamed = kind({f"x{name}": column for name, column in said.items()}, y, **rule)
    assert (committee.predict(renamed) == told).all()  # then their order counts
    with pytest.raises(vp.InputError, match="has 2 columns"):
        committee.predict(kind({"x": said["m0"], "z": said["m1"]}, y, **rule))


@pytest.mark.parametrize("rule", [None, "against"])
def test_votes_with_the_other_class_as_the_positive_one_are_turned_round(rule):
    rng = np.random.default_rng(4)
    y = np.where(np.arange(40) % 2, "ham", "spam")
    said = np.where(
        rng.random((40, 5)) < 0.8, y[:, None], np.where(y == "ham", "spam", "ham")[:, None]
    )
    if rule is not None:
        said = np.where(rng.random((40, 5)) < 0.2, "", said)
    spam, ham = (vp.Votes(said, y, positive=each, abstentions=rule) for each in ("spam", "ham"))
    committee = vp.prune(spam, random_state=0).committee
    assert (committee.predict(spam) == committee.predict(ham)).all()
    assert (committee.predict(spam) == committee.predict(said)).all()
    others = spam.called("toast", "eggs")
    for strange in (others, vp.Votes(spam.matrix, spam.labels)):
        with pytest.raises(vp.InputError, match=r"votes\.called\('ham', 'spam'\)"):
            committee.predict(strange)
