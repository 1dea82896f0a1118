"""Real pools to benchmark on: ten model families by ten settings, trained once and cached.

``python benchmarks/pools.py drd spa --seeds 10 --folds 0 1`` trains the pools that are missing.
Data sets are read from the folder that the environment variable VOTEPRUNE_DATA names, else from
``shared/data`` beside the checkout; ``pip install -e '.[bench]'`` brings the model libraries. The
split follows the paper: stratified ten folds, of the nine kept 70 % train the classifiers and 30 %
collect their votes; seeds of the models follow the seed of the folds.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".pools"
SETS = ("prk", "bcw", "msk", "qsr", "drd", "spa", "def", "bmk", "aps_part")


def data_dir() -> Path:
    return Path(os.environ.get("VOTEPRUNE_DATA", ROOT.parent / "shared/data"))


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Read a data set: text columns one-hot, missing numbers left as nan."""
    import polars as pl

    path = data_dir() / f"{name}.csv.gz"
    if not path.exists():
        raise SystemExit(f"{path} is missing: set VOTEPRUNE_DATA to the folder with the data sets")
    frame = pl.read_csv(path, infer_schema_length=None)
    y = frame["target"].to_numpy()
    frame = frame.drop("target")
    text = [column for column, kind in frame.schema.items() if kind == pl.String]
    X = frame.to_dummies(text).cast(pl.Float64).to_numpy() if text else frame.to_numpy()
    return np.asarray(X, dtype=np.float64), y


def families(seed: int) -> dict[str, list[object]]:
    """Ten families by ten settings; setting i is seeded with seed + i."""
    from catboost import CatBoostClassifier
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import (
        AdaBoostClassifier,
        BaggingClassifier,
        ExtraTreesClassifier,
        GradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier
    from xgboost import XGBClassifier

    def each(make):
        return [make(i, seed + i) for i in range(10)]

    rate = [0.3, 0.1, 0.05, 0.2, 0.5, 0.15, 0.08, 0.25, 0.4, 0.02]
    trees = [30, 60, 100, 40, 20, 80, 120, 50, 25, 150]
    depth = [2, 3, 4, 5, 6, 7, 3, 8, 4, 5]
    return {
        "xgboost": each(
            lambda i, s: XGBClassifier(
                n_estimators=trees[i], learning_rate=rate[i], max_depth=depth[i],
                subsample=0.6 + 0.04 * i, colsample_bytree=1 - 0.05 * i, random_state=s, n_jobs=1,
            )
        ),
        "lightgbm": each(
            lambda i, s: LGBMClassifier(
                n_estimators=trees[i], learning_rate=rate[i], num_leaves=4 + 6 * i,
                min_child_samples=5 + 5 * i, subsample=0.7, subsample_freq=1,
                colsample_bytree=0.5 + 0.05 * i, random_state=s, n_jobs=1, verbose=-1,
            )
        ),
        "catboost": each(
            lambda i, s: CatBoostClassifier(
                iterations=trees[i], learning_rate=rate[i], depth=2 + i % 5, rsm=1 - 0.05 * i,
                random_seed=s, thread_count=1, verbose=0, allow_writing_files=False,
            )
        ),
        "adaboost": each(
            lambda i, s: AdaBoostClassifier(
                DecisionTreeClassifier(max_depth=1 + i % 3), n_estimators=10 + 6 * i,
                learning_rate=0.3 + 0.1 * i, random_state=s,
            )
        ),
        "gradient": each(
            lambda i, s: GradientBoostingClassifier(
                n_estimators=20 + 8 * i, learning_rate=rate[i], max_depth=2 + i % 3,
                subsample=0.6 + 0.04 * i, max_features="sqrt", random_state=s,
            )
        ),
        "bagging": each(
            lambda i, s: BaggingClassifier(
                DecisionTreeClassifier(max_depth=3 + i), n_estimators=10 + 2 * i,
                max_samples=0.3 + 0.07 * i, max_features=1 - 0.06 * i, random_state=s,
            )
        ),
        "forest": each(
            lambda i, s: RandomForestClassifier(
                20 + 10 * i, max_depth=3 + 2 * i, min_samples_leaf=1 + i % 4, random_state=s
            )
        ),
        "extra": each(
            lambda i, s: ExtraTreesClassifier(
                20 + 10 * i, max_depth=4 + 2 * i, min_samples_leaf=1 + i % 4, random_state=s
            )
        ),
        "logistic": each(
            lambda i, s: make_pipeline(
                StandardScaler(), LogisticRegression(C=10.0 ** (i / 2 - 3), max_iter=200)
            )
        ),
        "perceptron": each(
            lambda i, s: make_pipeline(
                StandardScaler(),
                MLPClassifier(
                    (5 + 5 * i,), activation="relu" if i % 2 else "tanh",
                    learning_rate_init=0.001 * (1 + i), max_iter=40, random_state=s,
                ),
            )
        ),
    }  # fmt: skip


def train(name: str, seed: int, fold: int) -> Path:
    """Train one pool and store its probabilities on the validation and the test part."""
    path = CACHE / f"{name}-{seed}-{fold}.npz"
    if path.exists():
        return path
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import StratifiedKFold, train_test_split

    X, y = load(name)
    splits = StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y)
    kept, test = list(splits)[fold]
    fit, validation = train_test_split(kept, test_size=0.3, stratify=y[kept], random_state=seed)
    imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(X[fit])
    X = imputer.transform(X)
    began = time.perf_counter()
    names, columns = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for family, models in families(seed).items():
            for i, model in enumerate(models):
                model.fit(X[fit], y[fit])
                names.append(f"{family}_{i + 1}")
                columns.append(model.predict_proba(X[np.concatenate([validation, test])])[:, 1])
    probabilities = np.column_stack(columns).astype(np.float32)
    CACHE.mkdir(exist_ok=True)
    scratch = path.with_suffix(".part")
    with scratch.open("wb") as file:
        np.savez_compressed(
            file, names=names, validation=probabilities[: len(validation)],
            y=y[validation], test=probabilities[len(validation) :], y_test=y[test],
        )  # fmt: skip
    scratch.replace(path)
    print(f"{path.name}: {time.perf_counter() - began:.0f} s", flush=True)
    return path


def votes(name: str, seed: int = 10, fold: int = 0):
    """Return the validation votes of a pool, training it first if need be."""
    import voteprune as vp

    with np.load(train(name, seed, fold)) as stored:
        return vp.Votes(stored["validation"], stored["y"], names=stored["names"].tolist())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[10])
    parser.add_argument("--folds", type=int, nargs="+", default=[0])
    options = parser.parse_args()
    for seed in options.seeds:
        for fold in options.folds:
            for name in options.sets:
                train(name, seed, fold)


if __name__ == "__main__":
    main()
