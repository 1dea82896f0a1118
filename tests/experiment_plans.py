"""Small plans: a pool that trains in milliseconds, on data made here, pruned by fast methods."""

import numpy as np

POOL = """
[logistic]
model = "sklearn.linear_model.LogisticRegression"
seed = "random_state"
scaled = true
settings = [{ C = 0.01 }, { C = 0.1 }, { C = 1.0 }, { C = 10.0 }]

[tree]
model = "sklearn.tree.DecisionTreeClassifier"
seed = "random_state"
settings = [{ max_depth = 1 }, { max_depth = 2 }, { max_depth = 3 }, { max_depth = 4 }]
"""

PLAN = """
datasets = ["mine"]
seeds = [10]
folds = [0, 1]
pool_sizes = [4, 8]
methods = ["brute", "HC-UWA", "FE"]
time_limit = 20
pool = "pool.toml"

[[dataset]]
id = "mine"
file = "mine.csv"
target = "label"
positive = "yes"
"""


def write_table(path, n=120, seed=0):
    """Write a table with numbers, words and missing cells."""
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.4
    x = rng.normal(size=n) + label
    lines = ["x,colour,noise,label"]
    for i in range(n):
        number = "" if i % 17 == 0 else f"{x[i]:.4f}"
        colour = "" if i % 23 == 0 else ("red", "blue")[int(rng.random() < 0.3 + 0.4 * label[i])]
        lines.append(f"{number},{colour},{rng.normal():.4f},{'yes' if label[i] else 'no'}")
    path.write_text("\n".join(lines) + "\n")
    return path


def write_plan(folder, text=PLAN, **changes):
    """Write a plan with its pool and its table; changes replace lines ``name = ...``."""
    folder.mkdir(exist_ok=True)
    write_table(folder / "mine.csv")
    (folder / "pool.toml").write_text(POOL)
    lines = text.splitlines()
    for name, value in changes.items():
        lines = [f"{name} = {value}" if line.startswith(f"{name} = ") else line for line in lines]
    path = folder / "plan.toml"
    path.write_text("\n".join(lines) + "\n")
    return path
