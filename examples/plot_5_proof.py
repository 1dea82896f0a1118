"""
Reading a proof
===============

What the figures of an answer mean, how they came about, and what they say about the data: which
members carry the committee, and which rows no committee could have got right.
"""

# %%
# Fifteen classifiers that are right on four rows in five, and fail together on the hard ones.

import numpy as np

import voteprune as vp

rng = np.random.default_rng(1)
y = rng.integers(0, 2, 100)
skill = np.where(rng.random((100, 1)) < 0.2, 0.25, 0.8)
votes = vp.Votes(np.where(rng.random((100, 15)) < skill, y[:, None], 1 - y[:, None]), y)

# %%
# A little time first. The answer is *feasible*: the value is recounted from the votes, the bound
# is proved, and the truth lies between the two.

quick = vp.prune(votes, time_limit=0.3, random_state=0)
print(quick.summary())

# %%
# More time closes the gap from both sides. Where the lines meet, the answer is *optimal*; until
# then the shaded area is what may still be there.

solution = vp.prune(votes, time_limit=8, random_state=0)
print(f"{solution.status}: {solution.value:.4f}, no committee exceeds {solution.bound:.4f}")
vp.ConvergenceDisplay.from_solution(solution)

# %%
# Why not better? For every member: what the others are worth alone, the best committee known
# without it, and what no committee without it exceeds. Then the exchanges that cost nothing; and
# the rows.

why = solution.explain(time_limit=4)
print(why.summary())

# %%
# A *disputed* pair is an argument anyone can check. Every classifier that votes for the positive
# row also votes for the negative one, so whoever is counted, and however many votes are asked
# for, the negative row has at least as many.

positive, negative = why.disputed[0]
print("row", positive, "is positive:", votes.matrix[positive].astype(int))
print("row", negative, "is negative:", votes.matrix[negative].astype(int))
assert (votes.matrix[positive] <= votes.matrix[negative]).all()

# %%
# No row stands in two pairs, so one row is lost for every pair. That alone limits every committee
# of this pool, of any size and with any threshold:

print(f"accuracy <= {1 - why.least_wrong / votes.n_rows:.4f}")

# %%
# How many members are worth it? The front gives every committee size its best value and its bound.

vp.FrontDisplay.from_solution(solution, time_limit=3)
