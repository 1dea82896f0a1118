"""TabArena's simulation with our ensembler in it; with the real package."""

import numpy as np
import pytest

import voteprune as vp

pytest.importorskip("tabarena", exc_type=ImportError)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def task(classes, seed=0, n=300, models=8):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, n)
    lean = random.normal(0, 1, (models, n, classes))
    lean[:, np.arange(n), y] += random.uniform(0, 2, (models, 1))
    shares = np.exp(lean) / np.exp(lean).sum(axis=2, keepdims=True)
    return (shares[:, :, 1] if classes == 2 else shares), y


def made(classes, **options):
    from autogluon.core.metrics import get_metric

    from voteprune.partners.tabarena import SoftCommitteeEnsembler

    kind = "binary" if classes == 2 else "multiclass"
    return SoftCommitteeEnsembler(problem_type=kind, metric=get_metric("log_loss", kind), **options)


@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_the_proved_committee(classes):
    said, y = task(classes)
    ensembler = made(classes, max_size=3).fit(predictions=said, labels=y)
    rows = {f"m{k}": member for k, member in enumerate(said)}
    best = vp.prune(
        vp.Probabilities(rows, y), objective="log_loss", constraints=vp.AtMost("size", 3)
    )
    assert ensembler.info()["status"] == "optimal"
    assert list(ensembler.info()["weights"]) == list(best.committee.members)
    assert np.flatnonzero(ensembler.models_used()).tolist() == list(best.committee.members)
    shares = best.committee.predict_proba(rows)
    given = ensembler.predict_proba(said)
    np.testing.assert_allclose(given, shares[:, 1] if classes == 2 else shares)
    assert (ensembler.predict(said) == shares.argmax(axis=1)).mean() > 0.999


@pytest.mark.parametrize("classes", [2, 3])
def test_it_runs_in_the_simulation(classes):
    from tabarena.simulation.context_artificial import load_repo_artificial
    from tabarena.simulation.ensemble_selection_config_scorer import EnsembleScorer

    from voteprune.partners.tabarena import SoftCommitteeEnsembler

    kind = "binary" if classes == 2 else "multiclass"
    repo = load_repo_artificial(n_classes=classes, problem_type=kind)
    scorer = EnsembleScorer(
        repo=repo,
        task_metrics_metadata={
            name: {"metric": "log_loss", "problem_type": kind} for name in repo.datasets()
        },
        ensembler_cls=SoftCommitteeEnsembler,
        ensembler_kwargs={"max_size": 1},
        use_fast_metrics=False,
    )
    dataset = repo.datasets()[0]
    result = scorer.evaluate_task(dataset=dataset, fold=0, models=repo.configs())
    assert np.isfinite(result["metric_error"])


def test_it_is_for_classifiers_and_must_be_fitted():
    from voteprune.partners.tabarena import SoftCommitteeEnsembler

    with pytest.raises(vp.InputError, match=r"^problem_type"):
        SoftCommitteeEnsembler(problem_type="regression", metric=None)
    with pytest.raises(vp.InputError, match="not fitted"):
        made(2).predict_proba(task(2)[0])
