"""
Choose a panel of LLM judges
============================

Thirty-three language models have graded how well passages answer queries. Which five of them, no
two from one team, agree best with people, and what does a cheaper panel lose?
"""

# %%
# The grades are those of the LLMJudge challenge (Rahmani and others, "Judging the Judges", MIT
# licence): 4423 passages for 25 queries, grades from 0 to 3, and the grade a person gave. From 2 on
# a passage counts as relevant. A judge's name begins with its team.

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.model_selection import GroupShuffleSplit

import voteprune as vp

data = next(folder for folder in (Path("data"), Path("../data")) if folder.is_dir())
table = pl.read_csv(data / "llmjudge.csv.gz")
judges = table.columns[3:]
grades = table.select(judges).to_numpy()
relevant = (table["truth"] >= 2).to_numpy().astype(int)
query = table["query"].to_numpy()
print(f"{len(judges)} judges, {len(query)} passages, {relevant.mean():.0%} of them relevant")

# %%
# What a call costs is not in the data. **These prices are made up** for the example, in dollars
# per thousand calls: some judges ask a large model, some a small one, some ask it several times.

per_call = {"NISTRetrieval": 2, "Olz": 6, "RMITIR": 4, "TREMA": 1, "h2oloo": 5, "prophet": 3,
            "willia": 5}  # fmt: skip
price = {name: float(per_call[name.split("-")[0]]) for name in judges}
price |= {"RMITIR-llama38b": 0.5, "TREMA-all": 6.0, "TREMA-4prompts": 4.0, "Olz-multiprompt": 12.0}

# %%
# At most five judges, at most one of a team, at most 15 dollars. The answer is proved: no such
# panel agrees with people more often, on these passages.

votes = vp.Votes(grades, relevant, names=judges, cutoff=2)
one_per_team = vp.Group.by_prefix(judges, "-", at_most=1)
asked = [vp.AtMost("size", 5), *one_per_team]
panel = vp.prune(votes, constraints=[*asked, vp.Budget(price, 15, name="dollars")], random_state=0)
print(panel.summary())

# %%
# The best panel for every sum of money. Each point is a proved optimum, so the staircase is exact:
# between two points no panel of that price agrees more often.

budgets = [0.5, 1, 2, 3, 4, 6, 8, 10, 12, 15, 20, 25]
panels = [
    vp.prune(votes, constraints=[*asked, vp.Budget(price, budget)], random_state=0)
    for budget in budgets
]
figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
ax.step(budgets, [one.bound for one in panels], where="post", color="#d1495b", label="bound")
ax.step(budgets, [one.value for one in panels], where="post", color="#2e6f95", label="best panel")
alone = (grades >= 2) == relevant[:, None]
ax.plot(list(price.values()), alone.mean(axis=0), ".", color="#888888", label="one judge alone")
ax.set(xlabel="dollars per thousand passages (made up)", ylabel="agrees with people")
ax.legend(frameon=False)

# %%
# How much do the judges repeat each other? If errors were independent, more judges would always
# help. They are not: the mean correlation of two judges' errors is high, and by the usual rule of
# thumb, K / (1 + (K - 1) r), thirty-three judges count for about as many as this:

errors = np.corrcoef(~alone, rowvar=False)
r = errors[np.triu_indices(len(judges), 1)].mean()
print(f"mean correlation of errors {r:.2f}, effective number {33 / (1 + 32 * r):.1f} of 33")
chosen = errors[np.ix_(panel.committee.members, panel.committee.members)]
r = chosen[np.triu_indices(len(chosen), 1)].mean()
k = len(chosen)
print(f"in the panel {r:.2f}, effective number {k / (1 + (k - 1) * r):.1f} of {k}")

# %%
# On queries that nobody has looked at
# ------------------------------------
# Passages of one query are alike, so a fair test holds whole queries out: half of them, twenty
# times. The panel is chosen on the other half each time, and so are its rivals.

scores = {"panel of 5, one per team": [], "best single judge": [], "five best singles": [],
          "all 33, majority": []}  # fmt: skip
splits = GroupShuffleSplit(20, test_size=0.5, random_state=0).split(grades, relevant, query)
for here, there in splits:
    chosen = vp.prune(votes.take(here), constraints=asked, random_state=0).committee
    ranked = np.argsort(-alone[here].mean(axis=0), kind="stable")
    says = grades[there] >= 2
    decided = {
        "panel of 5, one per team": chosen.predict(says),
        "best single judge": says[:, ranked[0]],
        "five best singles": says[:, ranked[:5]].sum(axis=1) >= 3,
        "all 33, majority": says.sum(axis=1) >= 17,
    }
    for name, said in decided.items():
        scores[name].append(np.mean(said == relevant[there]))
base = np.array(scores["best single judge"])
for name, found in scores.items():
    ahead = np.array(found) - base
    print(f"{name:<26} {np.mean(found):.3f}   {ahead.mean():+.3f} +- {ahead.std():.3f}")

# %%
# Twenty-five queries are few: the spread of a difference from one split to the next is larger than
# the difference, so these rows are level. What is proved about the passages at hand is a statement
# about them, not about new queries. What the panel buys for sure is the rest: a price, no two
# judges of one team, and the knowledge that no allowed panel would have agreed more often here.
