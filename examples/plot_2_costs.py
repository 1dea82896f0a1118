"""
Mistakes that cost
==================

A missed case may cost fifty times as much as a false alarm, and every member costs something to
run. Both go into the question, not into a correction afterwards.
"""

# %%
# A pool of two dozen trees and its votes on a held-out half of the data, of which one row in nine
# is positive.

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp

X, y = make_classification(
    2000, 12, n_informative=6, weights=[0.88], flip_y=0.03, class_sep=0.9, random_state=3
)
X_train, X_valid, y_train, y_valid = train_test_split(
    X, y, stratify=y, test_size=0.5, random_state=0
)
tree = DecisionTreeClassifier(max_depth=6)
bag = BaggingClassifier(tree, n_estimators=24, max_features=0.5, random_state=0)
bag.fit(X_train, y_train)
votes = vp.Votes(
    np.column_stack(
        [
            member.predict(X_valid[:, columns])
            for member, columns in zip(bag.estimators_, bag.estimators_features_, strict=True)
        ]
    ),
    y_valid,
)

# %%
# A criterion of your own is four weights, one for each kind of decision. Here in money: a case
# found earns 50, a case missed costs 100, a false alarm costs 2.

money = vp.Weights(tp=50, fn=-100, fp=-2)
for_money = vp.prune(votes, objective=money, time_limit=2, random_state=0)
for_accuracy = vp.prune(votes, objective="accuracy", time_limit=2, random_state=0)
print(for_money.summary())

# %%
# The most accurate committee answers another question, and answers this one badly.

for name, solution in {"for money": for_money, "for accuracy": for_accuracy}.items():
    worth = float(money.value(solution.confusion))
    counts = solution.confusion
    print(
        f"{name:<13} {worth:>8.0f}   misses {counts.fn}, {counts.fp} false alarms, "
        f"positive from {solution.committee.threshold + 1} of {solution.committee.size} votes on"
    )

# %%
# Members cost too. Here a tree costs what it takes to walk down: its number of leaves. A front by
# cost tells what every budget can buy, and what no committee within that budget exceeds.

leaves = vp.Budget([int(member.get_n_leaves()) for member in bag.estimators_], 240, name="leaves")
front = vp.front(votes, by=leaves, objective=money, time_limit=6, random_state=0)
vp.FrontDisplay.from_front(front).ax_.set_ylabel("money")

# %%
# Perhaps nearly as much money can be had for less.

print(front.cheapest(within=0.05))
