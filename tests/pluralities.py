"""Small problems with several classes, every committee of which is known."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from unittest import mock

import numpy as np

import voteprune as vp
from plurality_oracle import random_case
from voteprune.primal import plurality_enumeration as trying
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.wins import Wins
from voteprune.tree.plurality import worker


@dataclass(frozen=True)
class Known:
    """A problem with the score of every committee that limits on members allow."""

    problem: PluralityProblem
    wins: Wins
    scale: float
    scores: dict[tuple[int, ...], int]

    def best(self, decided=None, size=None):
        """The best score of a node, None if it is empty; members are columns."""
        inside = [
            score
            for members, score in self.scores.items()
            if size in (None, len(members)) and (decided is None or holds(decided, members))
        ]
        return max(inside, default=None)


def holds(decided, members):
    """Whether a committee lies in a node."""
    return all(value in (-1, int(k in members)) for k, value in enumerate(decided))


@lru_cache(maxsize=256)  # the same few seeds serve several files, and several cases of a test
def known(seed, most_classifiers=8, most_rows=30, groups=True):
    """Draw a problem at random, under every kind of limit, until some committee is allowed.

    In some of them members say nothing here and there.
    """
    rng = np.random.default_rng(seed)
    while True:
        matrix, y, weights, classes, objective, constraints = random_case(
            int(rng.integers(2**31)), most_classifiers, most_rows
        )
        k = matrix.shape[1]
        if groups and k > 2 and rng.random() < 0.3:
            some = rng.choice(k, int(rng.integers(2, k)), replace=False).tolist()
            constraints = (*constraints, vp.Group(some, at_most=int(rng.integers(1, len(some)))))
        rule = "skip" if rng.random() < 0.4 else None
        if rule is not None:
            matrix = matrix.astype(object)
            matrix[rng.random(matrix.shape) < rng.choice([0.2, 0.7])] = None
        votes = vp.PluralityVotes(
            matrix, y, sample_weight=weights, classes=classes, abstentions=rule
        )
        problem = PluralityProblem.of(votes, objective, constraints)
        allowed = problem.allowed
        scores = {
            columns: problem.score([allowed[k] for k in columns])
            for size in range(1, len(allowed) + 1)
            for columns in combinations(range(len(allowed)), size)
            if problem.allows([allowed[k] for k in columns])
        }
        if scores:
            return Known(problem, *Wins.of(problem), scores)


def random_node(rng, wins):
    """Decide some columns at random; who is required sits."""
    decided = rng.choice(np.array([-1, -1, -1, 0, 1], dtype=np.int8), wins.n_classifiers)
    decided[wins.required] = 1
    return decided


@contextmanager
def bounded_first(leaf=0.0):
    """Have a tree bound and branch, and try out what takes so many seconds at the most.

    Linear programs seem to take no time, whatever the clock says: where trying takes less, nodes
    are tried before they have been bounded.
    """
    programs = mock.PropertyMock(return_value=0.0)
    with ExitStack() as stack:
        for patch in (
            mock.patch.object(worker, "LEAF", leaf),
            mock.patch.object(worker, "LONG_LEAF", leaf),
            mock.patch.object(worker._Memory, "program_seconds", programs, create=True),
            mock.patch.object(trying, "_MOST_TAILS", 2),
            mock.patch.object(trying, "_FEWEST_TAILS", 1),
        ):
            stack.enter_context(patch)
        yield
