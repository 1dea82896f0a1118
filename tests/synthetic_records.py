"""Records of a run that never was: plausible enough to draw, small enough to check by hand."""

import numpy as np

from voteprune.problem.confusion import Confusion
from voteprune_bench.experiment.records import Failure, Record

FAMILIES = ("xgboost", "lightgbm", "catboost", "adaboost", "gradient boosting")
FAMILIES += ("bagging", "random forest", "extra trees", "logistic", "mlp")

ROWS = {"prk": 195, "bcw": 569, "msk": 476, "qsr": 1055, "drd": 1151, "spa": 4601}
ROWS |= {"def": 30000, "bmk": 41188, "aps_part": 6000}
LEVEL = {"prk": 0.9, "bcw": 0.96, "msk": 0.88, "qsr": 0.87, "drd": 0.72, "spa": 0.95}
LEVEL |= {"def": 0.82, "bmk": 0.915, "aps_part": 0.99}

PAPERS = ("F1", "F2", "F3", "F1-theta", "KP", "BFT", "HC-ACC", "HC-CON", "HC-COM", "HC-UWA", "FE")
PROVING = ("F1", "F2", "F3", "F1-theta")


def counts(rng, rows, right):
    """Split rows into the four counts; the share that is right is drawn around `right`."""
    positives = max(1, round(0.37 * rows))
    negatives = max(1, rows - positives)
    tp = int(rng.binomial(positives, min(1.0, right)))
    tn = int(rng.binomial(negatives, min(1.0, right)))
    return Confusion(tp, positives - tp, tn, negatives - tn)


def record(rng, dataset, seed, fold, pool_size, method):
    rows, level = ROWS[dataset], LEVEL[dataset]
    size = {"FE": pool_size, "KP": pool_size // 5}.get(method, int(rng.integers(3, 12)))
    members = tuple(sorted(rng.choice(pool_size, size, replace=False).tolist()))
    families = tuple(FAMILIES[m * len(FAMILIES) // pool_size] for m in members)
    gain = 0.03 if method in PROVING else 0.015
    validation = counts(rng, round(0.27 * rows), level + gain)
    test = counts(rng, round(0.1 * rows), level - 0.01 * (method in ("KP", "FE")))
    total = validation.positives + validation.negatives
    value = float((validation.tp + validation.tn) / total)
    bound, trace, seconds = None, (), float(rng.lognormal(-3, 1))
    if method in PROVING:
        bound = value + max(0.0, 0.0002 * (round(0.27 * rows) ** 0.5) * rng.normal(0.5, 0.5))
        seconds = 0.3 if bound == value else float(rng.uniform(20, 30))
        times = np.geomspace(0.01, seconds, 6)
        trace = tuple(
            (float(t), None if i == 0 else value * (1 - 0.002 * (5 - i)), bound + 0.01 * (5 - i))
            for i, t in enumerate(times)
        )
    return Record(
        key=f"{dataset}-{seed}-{fold}-{pool_size}-{method}",
        dataset=dataset,
        seed=seed,
        fold=fold,
        pool_size=pool_size,
        method=method,
        objective="balanced_accuracy" if method == "F1-theta" else "accuracy",
        status="optimal" if bound == value else "feasible",
        termination="finished" if bound in (None, value) else "time limit",
        value=value,
        bound=bound,
        n_validation=round(0.27 * rows),
        n_test=round(0.1 * rows),
        validation=validation,
        test=test,
        threshold=size // 2,
        members=members,
        names=tuple(f"{family} {m}" for m, family in zip(members, families, strict=True)),
        families=families,
        diversity=None if size == 1 else float(rng.beta(5, 5)),
        seconds=seconds,
        trace=trace,
    )


def records(
    datasets=tuple(ROWS),
    pool_sizes=(40, 100),
    methods=PAPERS,
    seeds=(10, 20),
    folds=range(3),
    salt=0,
):
    rng = np.random.default_rng(salt)
    return [
        record(rng, dataset, seed, fold, pool_size, method)
        for dataset in datasets
        for seed in seeds
        for fold in folds
        for pool_size in pool_sizes
        for method in methods
    ]


def failure(dataset="drd", seed=10, fold=2, pool_size=100, method="F3", reason="SolverError: died"):
    return Failure(
        key="f", dataset=dataset, seed=seed, fold=fold, pool_size=pool_size, method=method,
        reason=reason,
    )  # fmt: skip


ABOUT = {
    "name": "a run that never was",
    "machine": {"cores": 2, "system": "Linux"},
    "versions": {"voteprune": "0.1.0", "numpy": "2.4.6"},
    "time_limit": 30,
}


def write_run(folder, found, failures=()):
    """Write a run's folder as the harness does."""
    import json

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.jsonl").write_text("".join(r.to_json() + "\n" for r in found))
    if failures:
        (folder / "failures.jsonl").write_text("".join(f.to_json() + "\n" for f in failures))
    (folder / "run.json").write_text(json.dumps(ABOUT))
    return folder
