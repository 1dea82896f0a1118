"""AutoGluon's models, pruned by the predictions that AutoGluon keeps; with the real package."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

import voteprune as vp
from voteprune.partners.autogluon import prune_autogluon

TabularPredictor = pytest.importorskip("autogluon.tabular", exc_type=ImportError).TabularPredictor
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

MODELS = {"RF": [{"max_depth": d, "n_estimators": 10, "ag_args": {"name_suffix": str(d)}}
                 for d in (2, 4, 8)], "LR": {}, "KNN": {}}  # fmt: skip


@pytest.fixture(scope="module", params=["two classes, bagged", "three classes, held out"])
def fitted(request, tmp_path_factory):
    two = request.param.startswith("two")
    X, y = (load_breast_cancer if two else load_wine)(return_X_y=True, as_frame=True)
    names = np.array(["malignant", "benign"] if two else ["red", "rosé", "white"])
    table = X.iloc[:, :6].assign(kind=names[y])
    table = table.sample(frac=1, random_state=0).reset_index(drop=True)
    train, test = table[: len(table) * 2 // 3], table[len(table) * 2 // 3 :]
    bagged = {
        "num_bag_folds": 3,
        "num_bag_sets": 1,
        "ag_args_ensemble": {"fold_fitting_strategy": "sequential_local"},
    }
    predictor = TabularPredictor("kind", path=str(tmp_path_factory.mktemp("models")), verbosity=0)
    predictor.fit(
        train, hyperparameters=MODELS, fit_weighted_ensemble=True, **(bagged if two else {})
    )
    return predictor, test


def test_the_best_few_models_are_chosen_with_proof(fitted):
    predictor, test = fitted
    pruned = prune_autogluon(predictor, constraints=vp.AtMost("size", 2))
    assert pruned.solution.status == "optimal"
    assert 1 <= len(pruned.models) <= 2
    assert not any("WeightedEnsemble" in name for name in pruned.models)
    shares = pruned.predict_proba(test)
    assert shares.shape == (len(test), len(predictor.class_labels))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    decided = pruned.predict(test)
    by_place = np.array(predictor.class_labels)[shares.argmax(axis=1)]
    assert (decided == by_place).all()
    assert np.mean(decided == test["kind"]) > 0.75


def test_the_loss_is_that_of_the_predictions_on_file(fitted):
    """One member, chosen by hand: its loss is recounted from AutoGluon's own figures."""
    predictor, _ = fitted
    name = predictor.model_names(level=1)[0]
    pruned = prune_autogluon(predictor, models=[name], penalty=1)
    part = "val" if predictor.has_val else "train"
    truth = predictor.load_data_internal(part, return_X=False)[1]
    said = predictor.predict_proba_multi(models=[name])[name]
    y = predictor.transform_labels(truth, inverse=True).loc[said.index]
    again = vp.Probabilities(
        {name: said.to_numpy()}, y.to_numpy(), classes=list(predictor.class_labels)
    )
    shares = pruned.committee.predict_proba({name: said.to_numpy()})
    at = [list(predictor.class_labels).index(label) for label in y]
    loss = -np.log(shares[np.arange(len(at)), at]).mean()
    assert loss == pytest.approx(pruned.solution.loss, rel=1e-9)
    assert pruned.solution.penalised_loss == pytest.approx(
        vp.prune(again, objective="log_loss", penalty=1).penalised_loss
    )


def test_what_cannot_be_pruned_is_refused(fitted):
    predictor, _ = fitted
    with pytest.raises(vp.InputError, match=r"^models: 'nobody' is no model"):
        prune_autogluon(predictor, models=["nobody"])
    with pytest.raises(vp.InputError, match=r"^predictor"):
        prune_autogluon(pd.DataFrame())
