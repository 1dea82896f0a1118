"""Ways to choose a committee, for `generalise`: the literature's, the paper's, margins, and ideas.

Every variant is a function of the votes and a seed that returns members and threshold. Searches are
counted in walks, not in seconds, so that all but the paper's F1, F2 and F3 give the same committee
on any machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

import voteprune as vp
from voteprune.primal.first import open_run
from voteprune.primal.margin_tabu import MarginTabuSearch
from voteprune.problem.margin import Margin
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.strategies.margin_scale import AUTOMATIC_CHOICE, choose_among

Chosen = tuple[list[int], int]
Variant = Callable[[vp.Votes, int], Chosen]

WALKS = 16
BAGS = 10
EXACT_SECONDS = 5.0
LITERATURE = ("full", "best", "hc-acc", "hc-con", "hc-com", "hc-uwa", "kappa", "backfitting")
_FOREVER = 1e8


def walked(
    votes: vp.Votes, margin: Margin, seed: int, walks: int = WALKS, limits: Sequence[object] = ()
) -> list[int]:
    """Return the members a search of so many walks finds."""
    problem = Problem.of(votes, margin, limits)
    incumbent = Incumbent(problem)
    open_run(problem, Run(incumbent, time.monotonic() + _FOREVER))
    tabu = MarginTabuSearch(problem, incumbent, seed)
    for _ in range(walks):
        tabu.walk(time.monotonic() + _FOREVER)
    assert incumbent.committee is not None
    return list(incumbent.committee.members)


def by_margin(margin: Margin, limits: Sequence[object] = ()) -> Variant:
    def choose(votes: vp.Votes, seed: int) -> Chosen:
        members = walked(votes, margin, seed, limits=limits)
        return members, len(members) // 2

    return choose


def by_method(name: str) -> Variant:
    def choose(votes: vp.Votes, seed: int) -> Chosen:
        committee = vp.prune(votes, method=name, random_state=seed, time_limit=None).committee
        return list(committee.ballots), committee.threshold

    return choose


def by_paper(diversity: str) -> Variant:
    def choose(votes: vp.Votes, seed: int) -> Chosen:
        committee = vp.prune(
            votes, diversity=diversity, random_state=seed, time_limit=EXACT_SECONDS
        ).committee
        return list(committee.ballots), committee.threshold

    return choose


def by_cross_validation(
    candidates: Sequence[Margin], lead: float, limits: Sequence[object] = ()
) -> Variant:
    """Choose the scale on inner folds, then search with it."""

    def choose(votes: vp.Votes, seed: int) -> Chosen:
        margin = choose_among(candidates, votes, limits, seed, _FOREVER, lead)
        return by_margin(margin, limits)(votes, seed)

    return choose


def bagged(margin: Margin, share: float) -> Variant:
    """Search on bootstrap samples; who was chosen in a share of them sits."""

    def choose(votes: vp.Votes, seed: int) -> Chosen:
        rng = np.random.default_rng(seed)
        often = np.zeros(votes.n_classifiers)
        for bag in range(BAGS):
            # Drawn within each class, so that no sample misses one.
            rows = np.concatenate(
                [rng.choice(places, len(places)) for places in map(np.flatnonzero, _sides(votes))]
            )
            often[walked(votes.take(rows), margin, seed + bag, walks=5)] += 1
        members = np.flatnonzero(often >= min(share * BAGS, often.max())).tolist()
        return members, len(members) // 2

    return choose


def _sides(votes: vp.Votes) -> tuple[np.ndarray, np.ndarray]:
    return votes.labels, ~votes.labels


def accurate_then_clear(
    margin: Margin, rows_given_up: int, limits: Sequence[object] = ()
) -> Variant:
    """Ask for the best accuracy by majority, less so many rows, and within that for the margin."""

    def choose(votes: vp.Votes, seed: int) -> Chosen:
        first = walked(votes, vp.Ramp(0.01), seed, limits=limits)
        right = (votes.matrix[:, first].sum(axis=1) > len(first) // 2) == votes.labels
        least = Fraction(int(right.sum()) - rows_given_up, votes.n_rows)
        asked = [*limits, vp.AtLeast("accuracy", least)]
        problem = Problem.of(votes, margin, asked)
        incumbent = Incumbent(problem)
        incumbent.offer(first)
        tabu = MarginTabuSearch(problem, incumbent, seed)
        for _ in range(WALKS):
            tabu.walk(time.monotonic() + _FOREVER)
        members = list(incumbent.committee.members)
        return members, len(members) // 2

    return choose


def smaller_is_better(margin: Margin, price: float) -> Variant:
    """Take the best value less a price for every member, over a few largest sizes."""

    def choose(votes: vp.Votes, seed: int) -> Chosen:
        problem = Problem.of(votes, margin)
        found = [
            walked(votes, margin, seed, walks=6, limits=[vp.AtMost("size", most)])
            for most in (3, 7, 15, 31)
        ]
        worth = [
            float(problem.best(members)[1] * problem.gains.unit) - price * len(members)
            for members in found
        ]
        members = found[int(np.argmax(worth))]
        return members, len(members) // 2

    return choose


_SCALES = (2, 1, 0.5, 0.25)
CHEAP: dict[str, Variant] = {
    **{name: by_method(name) for name in LITERATURE},
    "accuracy by majority": by_margin(vp.Ramp(0.01)),
    **{f"ramp {theta}": by_margin(vp.Ramp(theta)) for theta in (0.25, 0.5, 1, 2, 4)},
    **{f"hinge {theta}": by_margin(vp.Hinge(theta)) for theta in (0.5, 1, 2, 4)},
    "ramp, scale by cv": by_cross_validation(list(map(vp.Ramp, _SCALES)), 0),
    "hinge, scale by cv": by_cross_validation(list(map(vp.Hinge, _SCALES)), 0),
    "ramp 1, bagged 50 %": bagged(vp.Ramp(1), 0.5),
    "ramp 1, bagged 30 %": bagged(vp.Ramp(1), 0.3),
    "ramp 1, at most 11": by_margin(vp.Ramp(1), [vp.AtMost("size", 11)]),
    "ramp 1, at least 31": by_margin(vp.Ramp(1), [vp.AtLeast("size", 31)]),
    "ramp 1, size penalty": smaller_is_better(vp.Ramp(1), 0.0005),
    "accuracy, then ramp 1": accurate_then_clear(vp.Ramp(1), 0),
    "accuracy less a row, then ramp 1": accurate_then_clear(vp.Ramp(1), 1),
}
"""What takes a second or so on a pool."""

_SMALL = [vp.AtMost("size", 11)]
EXTRA: dict[str, Variant] = {
    "ramp 0.5, at most 11": by_margin(vp.Ramp(0.5), _SMALL),
    "ramp 1, at most 7": by_margin(vp.Ramp(1), [vp.AtMost("size", 7)]),
    "ramp 1, at most 15": by_margin(vp.Ramp(1), [vp.AtMost("size", 15)]),
    "accuracy, then ramp 0.5": accurate_then_clear(vp.Ramp(0.5), 0),
    "accuracy, then hinge 1": accurate_then_clear(vp.Hinge(1), 0),
    "accuracy, then ramp 1, at most 11": accurate_then_clear(vp.Ramp(1), 0, _SMALL),
    "ramp, scale by cv, at most 11": by_cross_validation(list(map(vp.Ramp, _SCALES)), 0, _SMALL),
}
GROWTH: dict[str, Variant] = {
    **{f"ramp {theta}, growth 0.75": by_margin(vp.Ramp(theta, 0.75)) for theta in (0.3, 0.6, 1.2)},
    "ramp 0.33, growth 1": by_margin(vp.Ramp(0.33, 1)),
    "hinge 0.6, growth 0.75": by_margin(vp.Hinge(0.6, 0.75)),
    "margin": by_cross_validation(AUTOMATIC_CHOICE, 1),
}
"""Tried last: a reach that grows faster than the root of the size, and ``objective="margin"``."""

PAPER: dict[str, Variant] = {name: by_paper(name) for name in ("F1", "F2", "F3")}
"""The paper's exact optima, as far as the time limit goes."""

VARIANTS = {**CHEAP, **EXTRA, **GROWTH, **PAPER}
