"""
The price of a recall floor
===========================

"As accurate as possible, but find at least 95 % of the cases" is a constraint, and so is "with at
most five members". Sweep the floor and see what it costs; if it cannot be met, be told so.
"""

# %%
# A dozen trees on handwritten digits: is it an eight?

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import voteprune as vp

X, digit = load_digits(return_X_y=True)
y = (digit == 8).astype(int)
X_train, X_valid, y_train, y_valid = train_test_split(
    X, y, stratify=y, test_size=0.5, random_state=0
)
forest = RandomForestClassifier(12, max_depth=5, random_state=0).fit(X_train, y_train)
votes = vp.Votes(np.column_stack([tree.predict(X_valid) for tree in forest.estimators_]), y_valid)

# %%
# One solve per floor. Each answer carries its own bound: the true curve lies between the two
# lines, and where they meet, as they do everywhere on a pool this small, the answer is proved.

floors = [0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
small = vp.AtMost("size", 5)
found = [
    vp.prune(votes, constraints=[vp.AtLeast("recall", floor), small], time_limit=3, random_state=0)
    for floor in floors
]
for floor, solution in zip(floors, found, strict=True):
    counts = solution.confusion
    print(
        f"recall >= {floor:.2f}: accuracy {solution.value:.4f} (at most {solution.bound:.4f}), "
        f"recall {float(counts.tp / counts.positives):.3f}, {solution.committee.size} members, "
        f"positive from {solution.committee.threshold + 1} on"
    )

# %%
# Note how the threshold falls as the floor rises: fewer votes make a positive.

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
bounds, values = [s.bound for s in found], [s.value for s in found]
ax.plot(floors, bounds, "v--", color="#d1495b", ms=9, label="no committee exceeds")
ax.plot(floors, values, "o-", color="#2e6f95", label="best committee found")
ax.set(xlabel="recall at least", ylabel="accuracy")
ax.legend(frameon=False)

# %%
# Ask for too much and the answer names the constraints that clash.

too_much = [vp.AtLeast("recall", 0.95), vp.AtMost("fp", 20), small]
print(vp.prune(votes, constraints=too_much, time_limit=20, random_state=0).summary())
