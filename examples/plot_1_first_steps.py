"""
A first committee
=================

Train a few classifiers, collect their votes on rows they have not seen, choose the best
committee, and use it.
"""

# %%
# Three parts of the data: one to train the classifiers, one to choose the committee, one to judge
# it. A committee must be chosen on rows its members were not trained on, or it only learns who
# has memorised most.

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import voteprune as vp

X, benign = load_breast_cancer(return_X_y=True)
y = 1 - benign  # 1 is malignant
X_rest, X_test, y_rest, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
X_train, X_valid, y_train, y_valid = train_test_split(
    X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0
)

pool = {
    f"tree_{i}": DecisionTreeClassifier(max_depth=i, max_features=4, random_state=i)
    for i in range(1, 9)
}
pool |= {f"neighbours_{i}": KNeighborsClassifier(i) for i in (1, 3, 5, 9, 15, 25)}
pool |= {f"logistic_{c}": LogisticRegression(C=c) for c in (0.001, 0.01, 0.1, 1, 10)}
pool |= {"bayes": GaussianNB()}
for name, model in pool.items():
    pool[name] = make_pipeline(StandardScaler(), model).fit(X_train, y_train)

# %%
# Votes are a plain table, one column per classifier; an array or any data frame will do.


votes = vp.Votes(pd.DataFrame({name: m.predict(X_valid) for name, m in pool.items()}), y_valid)
votes

# %%
# One call chooses the members *and* how many of their votes make a positive; here, at most five
# members. The first lines of the summary say what the answer is worth: the bound is what no such
# committee of this pool can exceed.

solution = vp.prune(
    votes, objective="balanced_accuracy", constraints=vp.AtMost("size", 5), random_state=0
)
print(solution.summary())

# %%
# The committee is a small value that predicts from the pool's votes. Only its members are needed
# from now on.

unseen = pd.DataFrame({name: model.predict(X_test) for name, model in pool.items()})
decided = solution.committee.predict(unseen)
majority = unseen.sum(axis=1) > len(pool) / 2
print(f"committee of {solution.committee.size}: {(decided == y_test).mean():.3f} correct")
print(f"majority of all {len(pool)}: {(majority == y_test).mean():.3f} correct")

# %%
# Who carries it? Every figure here is recounted, every bound proved.

print(solution.explain().summary())

# %%
# Its members differ where it matters.

vp.DiversityDisplay.from_solution(solution)
