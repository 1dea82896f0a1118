"""
A soft committee: probabilities in, probabilities out
=====================================================

Votes throw away how sure a classifier is. A soft committee keeps it: a few members, each with a
weight, whose log-odds add up to a probability. Which members, and with which weights, is proved
best for the log loss.
"""

# %%
# Two dozen classifiers on handwritten digits (is it odd?), with half of the pixels and noise.
# They are trained on one part; the committee is chosen on a second part, and looked at on a third.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp

X, digit = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
X = X[:, rng.permutation(64)[:32]] + rng.normal(0, 4, (len(X), 32))
y = digit % 2
X_train, X_rest, y_train, y_rest = train_test_split(X, y, stratify=y, test_size=0.6, random_state=0)
X_valid, X_test, y_valid, y_test = train_test_split(
    X_rest, y_rest, stratify=y_rest, test_size=0.5, random_state=0
)

pool = {f"tree_{d}_{leaf}": DecisionTreeClassifier(max_depth=d, min_samples_leaf=leaf)
        for d in (2, 4, 6, 8) for leaf in (2, 10, 30)}  # fmt: skip
pool |= {f"forest_{d}": RandomForestClassifier(20, max_depth=d) for d in (2, 4, 6, 8)}
pool |= {f"logit_{c}": LogisticRegression(C=c, max_iter=3000) for c in (1e-4, 1e-3, 1e-2, 1.0)}
pool |= {f"bayes_{v}": GaussianNB(var_smoothing=v) for v in (1e-9, 0.1, 1.0, 10.0)}
for model in pool.values():
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(X_train, y_train)


def probabilities(rows):
    return {name: model.predict_proba(rows)[:, 1] for name, model in pool.items()}


# %%
# At most four members. The answer has a loss, and a bound below which no other committee comes.

said = vp.Probabilities(probabilities(X_valid), y_valid)
few = vp.AtMost("size", 4)
solution = vp.prune(said, objective="log_loss", penalty=10, constraints=few, random_state=0)
print(solution.summary())

# %%
# How does it do on rows that nobody has seen, beside the mean of all, and the best one alone?

on_test = probabilities(X_test)
given = solution.committee.predict_proba(on_test)[:, 1]
mean = np.mean(list(on_test.values()), axis=0)
one = vp.prune(said, objective="log_loss", penalty=10, constraints=vp.AtMost("size", 1))
alone = on_test[one.committee.names[0]]


def log_loss(share):
    share = np.clip(share, 1e-3, 1 - 1e-3)
    return -np.mean(np.log(np.where(y_test == 1, share, 1 - share)))


for name, share in {"four": given, "mean of all": mean, one.committee.names[0]: alone}.items():
    right = np.mean((share > 0.5) == y_test)
    print(f"{name:<12} log loss {log_loss(share):.3f}, accuracy {right:.3f}")

# %%
# A reliability curve: of the rows that get a probability of about 0.3, are 30 % positive?

figure, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
ax.plot([0, 1], [0, 1], "--", color="#888888", label="as sure as it should be")
for share, colour, label in ((given, "#2e6f95", "four members"), (mean, "#d1495b", "mean of all")):
    edges = np.quantile(share, np.linspace(0, 1, 11))
    bins = np.clip(np.searchsorted(edges, share, side="right") - 1, 0, 9)
    points = [(share[bins == b].mean(), y_test[bins == b].mean()) for b in np.unique(bins)]
    ax.plot(*np.transpose(points), "o-", color=colour, label=label)
ax.set(xlabel="probability that was given", ylabel="share that was positive")
ax.legend(frameon=False)

# %%
# "Find at least 95 % of the odd ones" does not change who sits; it moves the cut-off on the
# probability, to the most accurate one that does so on these rows.

careful = vp.prune(
    said, objective="log_loss", penalty=10, constraints=[few, vp.AtLeast("recall", 0.95)]
)
print(f"positive above {careful.committee.cutoff:.3f}: {careful.confusion}")

# %%
# One solve for each size: where the curve flattens, more members buy nothing.

sizes = range(1, 9)
fronts = [
    vp.prune(said, objective="log_loss", penalty=10, constraints=vp.AtMost("size", size))
    for size in sizes
]
figure, ax = plt.subplots(figsize=(5.5, 3.5), layout="constrained")
ax.plot(sizes, [s.penalised_loss for s in fronts], "o-", color="#2e6f95", label="best, proved")
ax.set(xlabel="members at most", ylabel="penalised log loss")
ax.legend(frameon=False)
