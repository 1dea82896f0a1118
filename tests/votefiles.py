"""Files of votes for the tests of tables and of the command line."""

import numpy as np
import polars as pl

NAMES = ("rf_1", "rf_2", "svm_1", "svm_2")


def paper_frame(n=12, names=NAMES, seed=0):
    """Return a table in the paper's layout, the last third of it test rows."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "datatype": ["validation"] * (n - n // 3) + ["test"] * (n // 3),
            "real_class": [0, 1] * (n // 2),
            "index": [7 * i for i in range(n)],
            **{name: rng.random(n).round(3) for name in names},
        }
    )


def lines(n=12):
    return paper_frame(n).write_csv().splitlines()


def write(tmp_path, text, name="votes.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def write_votes(path, n=60, k=8, *, n_test=20, skill=0.75, seed=0):
    """Write a file in the paper's layout: two models, independent errors."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n + n_test) % 2
    right = rng.random((n + n_test, k)) < skill
    votes = np.where(right, labels[:, None], 1 - labels[:, None])
    names = [f"{'rf' if i < k // 2 else 'lr'}_{i % (k // 2) + 1}" for i in range(k)]
    pl.DataFrame(
        {
            "datatype": ["validation"] * n + ["test"] * n_test,
            "real_class": labels,
            "index": 100 + np.arange(n + n_test),
            **{name: votes[:, i] for i, name in enumerate(names)},
        }
    ).write_csv(path)
    return path
