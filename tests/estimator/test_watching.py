"""A fit says what it does, tells who asks, and begins where it is told to."""

import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp
from voteprune import PrunedVotingClassifier

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :8]
POOL = [(f"t{d}", DecisionTreeClassifier(max_depth=d, random_state=d)) for d in (1, 2, 3, 4)]


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("cv", [2, 0.3])
def test_verbose_tells_of_every_member_and_of_the_proof(capsys, voting, cv):
    clf = PrunedVotingClassifier(POOL, voting=voting, cv=cv, verbose=True, random_state=0)
    out = capsys.readouterr().out if clf.fit(X, Y) else ""
    lines = out.splitlines()
    assert all(line.startswith("[PrunedVotingClassifier]") for line in lines)
    for place, (name, _) in enumerate(POOL):
        assert any(f"({place + 1} of 4)" in line and name in line for line in lines)
    limit = "none exceeds" if voting == "hard" else "none is below"
    proofs = [line for line in lines if limit in line]
    assert proofs
    assert not any("-" in line for line in proofs)  # a loss is no negative number
    if (voting, cv) == ("soft", 2):
        assert any("Fitting t1 without fold 2 of 2" in line for line in lines)
    refits = [line for line in lines if f"of {len(clf.estimators_)}) Fitting" in line]
    assert len(refits) >= len(clf.estimators_)


def test_silence_is_the_default(capsys):
    PrunedVotingClassifier(POOL, cv=2).fit(X, Y)
    forest = RandomForestClassifier(4, random_state=0)
    PrunedVotingClassifier(forest, cv=0.3).fit(X, Y)
    assert capsys.readouterr() == ("", "")
    PrunedVotingClassifier(forest, cv=0.3, verbose=1).fit(X, Y)
    assert "Fitting the RandomForestClassifier" in capsys.readouterr().out


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_the_callback_hears_of_the_choice_and_can_end_it(voting):
    heard = []
    clf = PrunedVotingClassifier(POOL, voting=voting, cv=2, callback=heard.append)
    solution = clf.fit(X, Y).solution_
    assert all(isinstance(progress, vp.Progress) for progress in heard)
    assert heard[-1].value == solution.value
    ended = clone(clf).set_params(callback=lambda _: True, verbose=False).fit(X, Y).solution_
    assert ended.termination == "callback"


@pytest.mark.parametrize("start", [["t2", "t3"], [1, 2], ("t2", 2)])
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_the_first_committee_is_the_one_it_starts_from(start, voting):
    objective = "accuracy" if voting == "hard" else "log_loss"
    clf = PrunedVotingClassifier(
        POOL, voting=voting, objective=objective, cv=2, start=start, time_limit=0, random_state=0
    )
    # Whatever comes after it is at least as good.
    two = clone(clf).set_params(
        start=None, time_limit=10, constraints=[vp.Require("t2", "t3"), vp.AtMost("size", 2)]
    )
    assert clf.fit(X, Y).solution_.value >= two.fit(X, Y).solution_.value - 1e-9


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        ({"start": ["nobody"]}, "start"),
        ({"start": [9]}, "start"),
        ({"start": 3}, "start"),
        ({"start": ["t1"], "method": "full"}, "start"),
        ({"start": ["t1"], "estimators": RandomForestClassifier(3), "cv": 0.3}, "start"),
        ({"callback": 3}, "callback"),
        ({"verbose": "loud"}, "verbose"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_trained(wrong, argument, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("training was started")

    monkeypatch.setattr(DecisionTreeClassifier, "fit", refuse)
    with pytest.raises(vp.InputError) as caught:
        PrunedVotingClassifier(**{"estimators": POOL, **wrong}).fit(X, Y)
    assert caught.value.argument == argument
