"""Small answers of every kind, with names that would rule a page if they could."""

import numpy as np

import voteprune as vp

NAMES = ['<b>bold</b> & "quoted"', "\x1b[31mred", "模型", *(f"model_{k}" for k in range(5))]
COLOURS = np.array(["red", "green", "<i>blue</i>"])


def said(n=120):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n)
    skill = rng.uniform(0.5, 1.4, 8)
    odds = (2 * y[:, None] - 1) * skill + rng.normal(0, 0.6, n)[:, None] + rng.normal(0, 1, (n, 8))
    return 1 / (1 + np.exp(-odds)), y


def hard(**options):
    shares, y = said()
    limits = [vp.AtMost("size", 4), vp.Budget([3, 1, 2, 1, 4, 1, 2, 1], 7, name="<cost>")]
    return vp.prune(vp.Votes(shares, y, names=NAMES), constraints=limits, random_state=0, **options)


def soft(**options):
    shares, y = said()
    pool = vp.Probabilities(shares, y, names=NAMES)
    return vp.prune(pool, constraints=vp.AtMost("size", 3), penalty=10, random_state=0, **options)


def plural(**options):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 90)
    told = np.where(rng.random((90, 8)) < 0.6, y[:, None], rng.integers(0, 3, (90, 8)))
    pool = vp.PluralityVotes(COLOURS[told], COLOURS[y], names=NAMES)
    return vp.prune(pool, constraints=vp.AtMost("size", 3), random_state=0, **options)


ANSWERS = {"hard": hard, "soft": soft, "plural": plural}
