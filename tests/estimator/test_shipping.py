"""A fitted committee is kept and shipped: pickle, skops, JSON and ONNX all decide as it does."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp
from memberpools import data, members, words
from voteprune import PrunedVotingClassifier

X, Y = data(400)
X = X.astype(np.float32)
FIT, CHOOSE = slice(0, 200), slice(200, 400)


def committee(**parameters):
    pool = [*members(), ("logistic", make_pipeline(StandardScaler(), LogisticRegression()))]
    wishes = [vp.AtLeast("size", 5), vp.AtMost("size", 6)]
    clf = PrunedVotingClassifier(pool, constraints=wishes, random_state=0, **parameters)
    return clf.fit(X, words(Y))


@pytest.mark.slow
def test_a_pickled_committee_decides_alike_and_leaves_the_votes_behind():
    clf = committee()
    assert clf.solution_.problem is not None
    kept = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(kept.predict(X), clf.predict(X))
    assert kept.solution_ == clf.solution_
    assert kept.solution_.problem is None
    assert clf.solution_.problem is not None


@pytest.mark.slow
def test_skops_keeps_a_committee_without_pickle(tmp_path):
    sio = pytest.importorskip("skops.io", reason="skops is not installed")
    clf, path = committee(), tmp_path / "committee.skops"
    sio.dump(clf, path)
    unknown = sio.get_untrusted_types(file=path)
    # Ours, exact numbers, and what scikit-learn's own trees need too.
    ours = ("voteprune.", "fractions.Fraction", "sklearn.tree._tree.Tree")
    assert [name for name in unknown if not name.startswith(ours)] == []
    kept = sio.load(path, trusted=unknown)
    assert np.array_equal(kept.predict(X), clf.predict(X))
    assert kept.solution_ == clf.solution_
    assert kept.get_params(deep=False)["constraints"] == clf.constraints


@pytest.mark.slow
def test_skops_keeps_the_chosen_trees_of_a_forest(tmp_path):
    sio = pytest.importorskip("skops.io", reason="skops is not installed")
    forest = RandomForestClassifier(9, max_depth=4, random_state=0).fit(X[FIT], words(Y[FIT]))
    clf = PrunedVotingClassifier(forest).fit(X[CHOOSE], words(Y[CHOOSE]))
    sio.dump(clf, tmp_path / "committee.skops")
    trusted = sio.get_untrusted_types(file=tmp_path / "committee.skops")
    kept = sio.load(tmp_path / "committee.skops", trusted=trusted)
    assert np.array_equal(kept.predict(X), clf.predict(X))


def test_the_json_of_a_committee_decides_on_the_members_votes(tmp_path):
    clf = committee(voting="hard")
    clf.committee_.save(tmp_path / "committee.json")
    votes = clf.set_output(transform="pandas").transform(X)
    votes.columns = list(clf.named_estimators_)
    decided = vp.Committee.load(tmp_path / "committee.json").predict(pd.DataFrame(votes))
    assert np.array_equal(words(decided), clf.predict(X))


def run(clf, inputs):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    graph = vp.to_onnx(clf, inputs[:1])
    session = runtime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return dict(
        zip(
            [output.name for output in session.get_outputs()],
            session.run(None, {session.get_inputs()[0].name: inputs}),
            strict=True,
        )
    )


@pytest.fixture
def converter():
    pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_the_onnx_graph_decides_as_the_committee(converter, pos_label):
    clf = committee(pos_label=pos_label, objective=vp.Weights(tp=3, tn=1))
    out = run(clf, X)
    assert np.array_equal(out["label"], clf.predict(X))
    assert np.array_equal(out["votes"], clf.transform(X).sum(axis=1))


@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestClassifier(9, max_depth=4, random_state=0),
        BaggingClassifier(
            DecisionTreeClassifier(max_depth=4), 9, max_features=0.25, random_state=0
        ),
        AdaBoostClassifier(n_estimators=9, random_state=0),
    ],
)
def test_members_of_ensembles_become_one_graph(converter, ensemble):
    ensemble.fit(X[FIT], words(Y[FIT]))
    clf = PrunedVotingClassifier(ensemble, constraints=vp.AtLeast("size", 3))
    clf.fit(X[CHOOSE], words(Y[CHOOSE]))
    assert np.array_equal(run(clf, X)["label"], clf.predict(X))


SEVERAL = np.array(["low", "middle", "high"])[np.digitize(X[:, :3].sum(axis=1), [-1, 1])]


def test_the_graph_of_a_plurality_names_the_class_with_most_votes(converter):
    trees = [(f"t{d}", DecisionTreeClassifier(max_depth=d, random_state=d)) for d in (1, 2, 3)]
    size = [vp.AtLeast("size", 2), vp.AtMost("size", 2)]  # with two members there are ties
    clf = PrunedVotingClassifier(trees, voting="hard", cv=3, constraints=size).fit(X, SEVERAL)
    out = run(clf, X)
    assert np.array_equal(out["label"], clf.predict(X))
    assert np.array_equal(out["votes"], clf.decision_function(X))
    assert (np.sort(out["votes"], axis=1)[:, -1] == 1).any()


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("y", [words(Y), SEVERAL], ids=["two", "three"])
def test_members_of_xgboost_and_lightgbm_become_one_graph(converter, voting, y):
    for package in ("onnxmltools", "xgboost", "lightgbm"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    from lightgbm import LGBMClassifier
    from xgboost import XGBClassifier

    boosters = [
        ("xgboost", XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1)),
        ("lightgbm", LGBMClassifier(n_estimators=4, max_depth=2, n_jobs=1, verbose=-1)),
    ]
    rows = X
    clf = PrunedVotingClassifier(
        boosters, voting=voting, cv=2, constraints=vp.AtLeast("size", 2)
    ).fit(rows, y)
    out = run(clf, rows)
    assert np.array_equal(out["label"], clf.predict(rows))
    if voting == "soft":
        assert out["probabilities"] == pytest.approx(clf.predict_proba(rows), abs=1e-5)


def test_without_onnxmltools_the_cure_is_named(converter, monkeypatch):
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    pool = [("boosted", lightgbm.LGBMClassifier(n_estimators=2, n_jobs=1, verbose=-1))]
    clf = PrunedVotingClassifier(pool, cv=0.3).fit(X, Y)
    monkeypatch.setattr("voteprune.estimator.graph.find_spec", lambda name: None)
    with pytest.raises(vp.InputError, match="onnxmltools"):
        vp.to_onnx(clf, X[:1])


@pytest.mark.slow
def test_the_diagram_shows_who_sits():
    clf = committee(voting="hard")
    shown = clf._repr_html_()
    seats, pool = set(clf.named_estimators_), len(clf.estimators)
    for name, _ in clf.estimators:
        assert (f">{name}<" in shown) == (name in seats)
    assert f"{pool - len(seats)} of {pool} left out" in shown
    soft = PrunedVotingClassifier(clf.estimators, voting="soft", cv=3).fit(X, Y)
    assert f"weight {soft.weights_[0]:.3g}" in soft._repr_html_()


def test_a_member_that_does_not_convert_is_named(converter):
    class Neighbours(KNeighborsClassifier):
        """A kind skl2onnx has never heard of."""

    clf = PrunedVotingClassifier([("strange", Neighbours())], cv=3).fit(X, Y)
    with pytest.raises(vp.InputError, match="'strange', a Neighbours, cannot be converted"):
        vp.to_onnx(clf, X[:1])


def test_without_skl2onnx_the_cure_is_named(monkeypatch):
    monkeypatch.setattr("voteprune.estimator.export.find_spec", lambda name: None)
    with pytest.raises(vp.InputError, match=r"pip install 'voteprune\[onnx\]'"):
        vp.to_onnx(committee(), X[:1])
