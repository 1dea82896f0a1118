"""Members that say nothing on some rows: what `prune` makes of their votes, and how they count."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import voteprune as vp
from memberpools import data
from voteprune import PrunedVotingClassifier


class Shy(ClassifierMixin, BaseEstimator):
    """Looks at one feature, and says nothing where it is near the middle."""

    def __init__(self, column=0, quiet=0.5, silence=np.nan):
        self.column = column
        self.quiet = quiet
        self.silence = silence

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        means = [X[y == label, self.column].mean() for label in self.classes_]
        self.order_, self.edges_ = np.argsort(means), np.sort(means)
        self.middles_ = (self.edges_[1:] + self.edges_[:-1]) / 2
        return self

    def predict(self, X):
        near = np.abs(X[:, [self.column]] - self.middles_).min(axis=1) < self.quiet
        said = self.classes_[self.order_[np.searchsorted(self.middles_, X[:, self.column])]]
        said = said.astype(object)
        said[near] = self.silence
        return said if self.silence is None else said.astype(float)


def pool(silence=np.nan, n=6):
    return [(f"f{k}", Shy(k, 0.2 + 0.1 * k, silence)) for k in range(n)]


def several(classes):
    X, y = data(150)
    if classes == 3:
        y = y + (X[:, 0] > 1)
    return X, np.array(["ant", "bee", "cow"])[y]


def votes_of(members, X, codes):
    return np.column_stack([cross_val_predict(clone(m), X, codes, cv=3) for _, m in members])


@pytest.mark.parametrize("rule", ["skip", "against"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("positive", [None, "ant"])
def test_the_committee_is_prunes_and_decides_as_it_says(rule, classes, positive):
    positive = positive if classes == 2 else None
    X, y = several(classes)
    codes = np.unique(y, return_inverse=True)[1]
    clf = PrunedVotingClassifier(
        pool(), abstentions=rule, objective="accuracy", cv=3, pos_label=positive, random_state=0,
        constraints=[vp.AtLeast("size", 3), vp.AtLeast("coverage", 0.8)],
    ).fit(X, y)  # fmt: skip
    said = votes_of(pool(), X, codes)
    limits = [vp.AtLeast("size", 3), vp.AtLeast("coverage", 0.8)]
    if classes == 2:
        one = 0 if positive == "ant" else 1
        table = np.where(np.isnan(said), np.nan, said == one)
        votes = vp.Votes(table, codes == one, abstentions=rule)
    else:
        votes = vp.PluralityVotes(said, codes, abstentions=rule)
    expected = vp.prune(votes, constraints=limits, method="brute")
    assert (clf.solution_.status, clf.solution_.value) == ("optimal", expected.value)
    assert clf.solution_.coverage >= 0.8
    # What the members say, counted by hand.
    told = np.column_stack([member.predict(X) for member in clf.estimators_])
    assert np.isnan(told).any()
    if classes == 2 and rule == "against":
        decided = np.where((told == one).sum(axis=1) > clf.committee_.threshold, one, 1 - one)
    else:
        filled = np.where(np.isnan(told), 0, told) if rule == "against" else told
        first = [0, 1, 2] if classes == 3 else [1 - one, one]
        counts = np.stack([(filled == place).sum(axis=1) for place in first])
        decided = np.array(first)[counts.argmax(axis=0)]
    assert np.array_equal(clf.predict(X), clf.classes_[decided])
    # The votes it tells are such as its committee takes.
    shown = pd.DataFrame(clf.transform(X), columns=list(clf.committee_.names))
    assert np.array_equal(shown.isna(), np.isnan(told))
    if classes == 2:
        assert np.array_equal(clf.committee_.predict(shown) == 1, decided == one)
    else:
        words = shown.map(lambda place: None if np.isnan(place) else clf.classes_[int(place)])
        assert np.array_equal(clf.committee_.predict(words), clf.predict(X))


@pytest.mark.parametrize("silence", [None, np.nan])
def test_who_is_fitted_elsewhere_may_abstain_too(silence):
    X, y = data(90)
    fitted = [(name, member.fit(X, y)) for name, member in pool(silence)]
    clf = PrunedVotingClassifier(fitted, abstentions="skip", cv="prefit", random_state=0).fit(X, y)
    table = np.column_stack([member.predict(X) for _, member in fitted]).astype(float)
    assert clf.solution_.objective == "accuracy"
    assert clf.score(X, y) == clf.solution_.value
    assert clf.solution_.value == vp.prune(vp.Votes(table, y, abstentions="skip")).value
    assert isinstance(clf.committee_, vp.PluralityCommittee)
    assert "f" in clf._repr_html_()
    assert clone(clf).get_params()["abstentions"] == "skip"


class Masked(Shy):
    """The same with a mask over what it does not say."""

    def predict(self, X):
        said = super().predict(X)
        return np.ma.array(np.nan_to_num(said).astype(int), mask=np.isnan(said))


@pytest.mark.parametrize("cv", [3, 0.5])
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_a_mask_says_nothing_wherever_the_member_votes(cv, voting):
    X, y = data(150)
    rule = "skip" if voting == "hard" else None
    clf, expected = (
        PrunedVotingClassifier(
            [(f"f{k}", member(k, 0.5)) for k in (0, 1)],
            voting=voting, abstentions=rule, cv=cv, random_state=0,
        ).fit(X, y)
        for member in (Masked, Shy)
    )  # fmt: skip
    assert clf.committee_ == expected.committee_
    assert clf.solution_.value == expected.solution_.value
    if voting == "hard":
        assert clf.solution_.coverage == expected.solution_.coverage < 1
    np.testing.assert_array_equal(clf.transform(X), expected.transform(X))
    assert np.array_equal(clf.predict(X), expected.predict(X))


def test_a_mask_is_refused_where_nobody_may_abstain():
    X, y = data(90)
    for cv in (3, 0.5):
        with pytest.raises(vp.InputError, match="predicts None, which is no class"):
            PrunedVotingClassifier([("f", Masked())], voting="hard", cv=cv).fit(X, y)


@pytest.mark.slow
def test_a_soft_committee_hears_nothing_where_a_member_says_nothing():
    X, y = data(90)
    members = [*pool(n=2), ("logistic", LogisticRegression())]
    clf = PrunedVotingClassifier(members, voting="soft", cv=3, random_state=0).fit(X, y)
    assert not np.isnan(clf.predict_proba(X)).any()
    assert isinstance(clf.committee_, vp.SoftCommittee)
    hard = PrunedVotingClassifier(members, abstentions="against", cv=3, random_state=0).fit(X, y)
    assert isinstance(hard.committee_, vp.Committee)
    assert not hasattr(hard, "predict_proba")


@pytest.mark.parametrize(
    ("parameters", "argument", "words"),
    [
        ({}, "estimators", "abstentions='skip'"),
        ({"abstentions": "maybe"}, "abstentions", "expected 'skip'"),
        ({"abstentions": "skip", "voting": "soft"}, "abstentions", "hard votes"),
        ({"abstentions": "skip", "objective": "log_loss"}, "abstentions", "hard votes"),
        ({"abstentions": "skip", "threshold": "majority"}, "threshold", "no threshold"),
        ({"abstentions": "skip", "diversity": "F2"}, "diversity", "two classes"),
        ({"abstentions": "skip", "method": "kappa"}, "method", "kappa"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(parameters, argument, words):
    X, y = data(60)
    with pytest.raises(vp.InputError) as raised:
        PrunedVotingClassifier(pool(), cv=3, **parameters).fit(X, y)
    assert raised.value.argument == argument
    assert words in raised.value.message


def test_no_graph_is_made_of_members_that_may_abstain():
    pytest.importorskip("skl2onnx")
    X, y = data(60)
    clf = PrunedVotingClassifier(pool(), abstentions="skip", cv=3, random_state=0).fit(X, y)
    with pytest.raises(vp.InputError, match="may abstain"):
        vp.to_onnx(clf, X)
