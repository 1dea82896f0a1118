"""Proofs from a bad start: search is off, the incumbent poor, and nothing but the proof can help.

A search that finds the optimum first hides every wrong bound. Here the provers run without it, and
without the committees that fractional solutions round to, from a committee that is not the best
(or from none), on problems whose every committee is known. Workers run in this process, for a few
steps a round, so that `watching` can hold all they say against the truth, and runs can be killed
between any two rounds.
"""

from __future__ import annotations

import importlib
import pickle
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from unittest import mock

import numpy as np

import voteprune as vp
from pluralities import bounded_first
from voteprune.mip import solve as mip
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Outcome
from voteprune.solve import size_front
from voteprune.strategies import exact as engine
from voteprune.strategies import exact_curve as parametric
from voteprune.strategies import exact_margin as margins_exact
from voteprune.strategies import exact_plurality as plurality_exact
from voteprune.tree import background as beside
from voteprune.tree import driver
from voteprune.tree.margins.driver import MarginsDriver
from voteprune.tree.nogoods import driver as refuting
from voteprune.tree.nogoods import worker as nogoods_tree
from voteprune.tree.plurality import worker as plurality_tree
from voteprune.tree.plurality.driver import PluralityDriver
from voteprune.tree.sizes import driver as proving
from voteprune.tree.sizes import worker as levels_tree
from watching import Watch, watching

FOREVER = 1e6
DRIVERS = (proving.SizesDriver, refuting.NogoodsDriver, MarginsDriver)
ENUMERATING = (
    (engine, "ENUMERATE"),
    (parametric, "ENUMERATE"),
    (margins_exact, "_ENUMERATE"),
    (plurality_exact, "ENUMERATE"),
    (size_front, "TRY_SHARE"),
)
"""Up to which size pools are tried out rather than solved."""


class Killed(BaseException):
    """The run was killed."""


@dataclass(frozen=True)
class Way:
    """How a proof is made.

    Parameters
    ----------
    by
        "levels" or "clauses", or "solver" for levels that ask a MIP solver in the end.
    start
        What to start from, see `badproblems.STARTS`; None for nothing.
    leaves
        Whether the only committees looked at are those of nodes with all decided.
    workers
        How many share the rounds.
    steps
        About how many steps a round has.
    file
        Where the proof is kept; it is killed again and again then, after a round or within one.
    """

    by: str = "levels"
    start: str | None = "worst"
    leaves: bool = False
    workers: int = 1
    steps: int = 60
    file: Path | None = None


class Ticks:
    """A clock that every look moves on: rounds end after so many steps, on any machine."""

    def __init__(self):
        self.now = 0

    def monotonic(self):
        self.now += 1
        return self.now


class Workers:
    """Workers in this process: each with a memory of its own, all they get and give pickled."""

    def __init__(self, way: Way, seed: int):
        self._way, self._random, self._ticks = way, np.random.default_rng(seed), Ticks()
        self._memories: dict[tuple[str, int], dict] = {}

    def run_tasks(self, worker, tasks, report, meanwhile=None, end=None):
        """Stand in for `dispatch.run_tasks`."""
        several = len(tasks) > 1
        results = [
            self._work(worker, task, None if several else report, place)
            for place, task in enumerate(tasks)
        ]
        if self._way.file is not None and self._random.random() < 0.05:
            raise Killed  # before anybody has heard of what they found
        return results

    def _work(self, worker, task, report, place):
        tree = importlib.import_module(worker.module)
        memory = self._memories.setdefault((worker.module, place), {})
        steps = 1 + int(self._random.integers(2 * self._way.steps))
        mine = replace(
            _through(task), deadline=self._ticks.now + steps, latest=time.monotonic() + FOREVER
        )
        remembering = mock.patch.object(tree, "_kept", memory, create=True)
        with remembering, mock.patch.object(tree, "time", self._ticks):
            return _through(tree.solve(mine, report))


def _through(something):
    return pickle.loads(pickle.dumps(something))


def _nobody(problem, run):
    """Open no run with simple committees."""
    if run.incumbent.closed:
        return Outcome("proved")
    return None if run.seconds_left > 0 else Outcome("time limit")


def _rest(*_):
    time.sleep(0.02)


@contextmanager
def search_switched_off(way: Way, here: Workers | None = None):
    """Leave everything to the proof; with workers in this process if there are any."""
    patches = [mock.patch.object(room, name, 0) for room, name in ENUMERATING]
    patches += [
        mock.patch.object(room, "open_run", _nobody) for room in (engine, mip, margins_exact)
    ]
    patches += [mock.patch.object(room, "search") for room in (engine, margins_exact)]
    patches += [
        mock.patch.object(engine, "climb"),
        mock.patch.object(plurality_exact, "offer_openings"),
        mock.patch.object(parametric._Climb, "_search"),
        mock.patch.object(parametric, "_TRY_ALL", 0),
        # A run on a tangent ends with its first better committee, and its bound as it is then.
        mock.patch.object(parametric, "_STALE_SECONDS", -1.0),
        mock.patch.object(beside, "search", _rest),
        mock.patch.object(beside.Searching, "search"),
        mock.patch.object(beside, "_DRY", 0.0),
        mock.patch.object(refuting, "CLOSE", np.inf if way.by == "clauses" else -1.0),
        mock.patch.object(refuting, "_HOPELESS", np.inf),
        mock.patch.object(refuting, "_MOST_LOOKS", np.inf),
        mock.patch.object(proving, "_CLOSE", np.inf),
    ]
    if way.by == "clauses":
        patches.append(mock.patch.object(engine, "_NOGOODS_SHARE", 1.0))
    if way.by != "solver":
        patches.append(mock.patch.object(proving.SizesDriver, "region", return_value=None))
    if here is not None:
        patches += [
            mock.patch.object(driver, "run_tasks", here.run_tasks),
            mock.patch.object(engine, "prepare"),
            mock.patch.object(plurality_exact, "prepare"),
            # Hardly anything is tried out before it has been bounded and branched.
            bounded_first(),
            mock.patch.object(beside.BackgroundSearch, "begin_round", return_value=way.workers),
        ]
        patches += _leaves() if way.leaves else []
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


def _leaves():
    """Have trees look at the one committee of a leaf, and at no other."""
    split = nogoods_tree._Tree._branch_on_classifier
    is_news = nogoods_tree._Tree._is_news

    def split_classifier(self, node, bound):
        decided = node.decided[self._case.n_patterns :] != -1
        decided[self._case.required] = True
        self.leaf = decided.all()
        return split(self, node, bound)

    return [
        mock.patch.object(MarginsDriver, "_offer"),
        mock.patch.object(levels_tree._Tree, "_round_off", return_value=[]),
        mock.patch.object(plurality_tree._Tree, "_round_off", return_value=[]),
        mock.patch.object(nogoods_tree._Tree, "_try_rounding", return_value=False),
        mock.patch.object(nogoods_tree._Tree, "_branch_on_classifier", split_classifier),
        mock.patch.object(
            nogoods_tree._Tree, "_is_news", lambda self, who: self.leaf and is_news(self, who)
        ),
    ]


def compiled(bad):
    """The problem as the package sees it."""
    given = bad.instance
    asked = (given.objective, given.constraints, given.diversity)
    if isinstance(given.objective, vp.Ramp | vp.Hinge):
        return Problem.of(given.votes, *asked)
    return Problem.of(given.votes, *asked)


def faults_of_sum(bad, way: Way, time_limit=60.0):
    """Everything that is wrong with a proof about a weighted sum, a curve or a margin."""
    watch, here = Watch(bad, compiled(bad)), Workers(way, bad.seed)
    start = None if way.start is None else bad.truth.start(way.start, bad.seed)
    with search_switched_off(way, here), watching(watch):
        for turn in range(300):
            try:
                with ExitStack() as stack:
                    # Later and later: what leaves were looked at is not kept, so short runs
                    # alone need not come to an end.
                    for tree in DRIVERS if way.file else ():
                        stack.enter_context(_killed_after(tree, 1 + turn // 2))
                    if way.file:
                        stack.enter_context(_killed_between_turns(1 + turn // 2))
                    solution = vp.prune(
                        bad.instance.votes, **bad.instance.request(), start=start,
                        n_jobs=1 if way.workers == 1 else 2, checkpoint=way.file,
                        time_limit=time_limit, random_state=bad.seed,
                    )  # fmt: skip
                break
            except Killed:
                watch.seen["killed"] += 1
            except vp.InputError as error:
                return [f"refused: {error}"], watch
        else:
            return [*watch.wrong, "does not end, however often it goes on"], watch
    return [*watch.wrong, *ended(bad, solution), *other_way(way, watch, solution)], watch


def other_way(way: Way, watch: Watch, solution):
    """Yield a complaint if a sum was proved another way than was asked for.

    A constant of the engine may have it so. Nogoods need a committee to start from, and after an
    incident nodes of sizes take over.
    """
    sums = watch.problem.objective.kind == "linear" and way.start is not None
    other = "sizes" if way.by == "clauses" else "refutations"
    if sums and watch.seen[other] and not solution.incidents:
        yield f"{way.by} were asked for, and there were {other}"


def _killed_after(tree, rounds):
    """Kill a run that leaves something open after so many rounds."""
    original, done = tree.round, []

    def round_(self, *given, **named):
        went_on = original(self, *given, **named)
        done.append(went_on)
        if not self.over and len(done) >= rounds:
            raise Killed
        return went_on

    return mock.patch.object(tree, "round", round_)


def _killed_between_turns(turns):
    """Kill a run on a margin after so many turns of the solver."""
    original, done = MarginsDriver.keep, []

    def keep(self, state):
        original(self, state)
        done.append(state)
        if state.waiting and len(done) >= turns:
            raise Killed

    return mock.patch.object(MarginsDriver, "keep", keep)


def ended(bad, solution):
    """Yield what is wrong with how a run has ended."""
    truth = bad.truth
    if solution.incidents:
        yield f"incidents {solution.incidents}"
    if solution.status != "optimal" or solution.committee is None:
        yield f"{solution.status} ({solution.termination}) where {float(truth.best)} is optimal"
        return
    code = truth.sets.code(solution.committee.members)
    level = getattr(solution.committee, "threshold", 0)
    place = np.flatnonzero((truth.code == code) & (truth.level == level))
    if not len(place):
        yield "a committee that is not allowed"
    elif truth.ranked[truth.rank[place[0]]] != truth.best:
        yield f"ends at {float(truth.ranked[truth.rank[place[0]]])}, not at {float(truth.best)}"
    if solution.bound != solution.value:
        yield f"optimal, but with a bound of {solution.bound} on {solution.value}"


def faults_of_front(bad, way: Way, time_limit=60.0):
    """Everything that is wrong with a front whose search is off."""
    watch, here = Watch(bad, compiled(bad)), Workers(way, bad.seed)
    truth = bad.truth
    codes, ranks = truth.of_sets
    sizes = truth.sets.sizes[codes]

    def poor(self, until):
        for size in np.unique(sizes).tolist() if way.start else ():
            among = np.flatnonzero(sizes == size)
            worst = among[np.argmin(ranks[among])]
            self._incumbents[size].offer(list(truth.sets.who(int(codes[worst]))))

    with (
        search_switched_off(way, here),
        watching(watch),
        mock.patch.object(size_front.SizeFront, "_search", poor),
    ):
        found = vp.front(
            bad.instance.votes, **bad.instance.request(), time_limit=time_limit, random_state=0
        )
    unit = watch.problem.gains.unit
    wrong = list(watch.wrong)
    for point in found.points:
        here_ranks = ranks[sizes == point.size]
        best = truth.ranked[here_ranks.max()] if len(here_ranks) else None
        told = None if point.committee is None else watch.problem.score(point.committee) * unit
        if told != best or (best is None) != (point.bound is None):
            wrong.append(f"size {point.size}: {told} where {best} is the best")
        elif best is not None and not point.optimal:
            wrong.append(f"size {point.size}: not proved")
    missing = set(sizes.tolist()) - set(found.sizes)
    return [*wrong, *(f"size {size} is missing" for size in missing)], watch


def faults_of_plurality(bad, way: Way):
    """Everything that is wrong with a proof about more than two classes."""
    told: list[Fraction] = []
    tell = Incumbent._tell

    def spy(self):
        told.append(self.bound * self.problem.gains.unit)
        tell(self)

    start = None if way.start is None else bad.truth.start(way.start, bad.seed)
    here = Workers(way, bad.seed)
    with search_switched_off(way, here), mock.patch.object(Incumbent, "_tell", spy):
        for turn in range(300):
            try:
                with ExitStack() as stack:
                    if way.file:
                        stack.enter_context(_killed_after(PluralityDriver, 1 + turn // 2))
                    solution = vp.prune(
                        bad.votes, objective=bad.objective, constraints=bad.constraints,
                        start=start, n_jobs=1 if way.workers == 1 else 2, checkpoint=way.file,
                        random_state=bad.seed,
                    )  # fmt: skip
                break
            except Killed:
                continue
        else:
            return ["does not end, however often it goes on"]
    wrong = [f"a bound of {float(b)} is told" for b in told if b < bad.truth.best]
    return [*wrong, *ended(bad, solution)]
