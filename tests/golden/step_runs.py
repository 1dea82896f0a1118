"""The runs whose steps are pinned (`steps`): every kind of proof, in small."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_info

import voteprune as vp
from golden import runs
from golden.steady import proved, proved_alone, slow_clock
from golden.steps import flatten, followed, told
from instances import random_instance
from soft_oracle import draw, pool
from voteprune.bounds import closure as cuts
from voteprune.bounds import inevitable_errors as errors
from voteprune.bounds import levels, plurality_rows
from voteprune.primal import enumeration, plurality_enumeration
from voteprune.problem import outline
from voteprune.problem.plurality import PluralityProblem
from voteprune.problem.problem import Problem
from voteprune.problem.wins import Wins
from voteprune.run.incumbent import Incumbent
from voteprune.soft import (
    curvature,
    families,
    newton,
    polytope,
    problem_loss,
    region,
    relaxation,
    sharpening,
    tree,
)  # fmt: skip
from voteprune.soft.loss_protocol import margin
from voteprune.soft.problem import Budget, Group
from voteprune.soft.problem_loss import loss_of
from voteprune.soft.tree import SoftTree
from voteprune.tree.plurality import worker as plurality_worker

STEPS: dict[str, tuple[tuple[str, ...], Callable[[], list]]] = {}
"""By name: the kinds of seams that are followed, and a run that returns what it ends with."""


def steps(name: str, *kinds: str):
    """Enter a run."""

    def enter(run):
        STEPS[name] = (kinds, run)
        return run

    return enter


def walked(problem, *, dealt: bool = False, most: int = 400, **options) -> list:
    """Prove, node by node; return what was told on the way."""
    grown = SoftTree(problem, **options)
    said = []
    while len(said) < most and not grown.round(most_nodes=1):
        said.append([grown.lower_bound, grown.n_open])
        if dealt and len(said) == 4:
            parts = []
            for state in grown.deal(2):
                part = SoftTree(problem, search=False)
                part.resume(state)
                part.round(most_nodes=2)
                parts.append(part.state())
            grown.take_back(parts)
    best = grown.best
    members = [] if best is None else best.members.tolist()
    return [members, None if best is None else best.value, grown.nodes, grown.closed, *said[:40]]


for classes in (2, 3):
    for loss in ("log_loss", "pool_log_loss", "pool_brier"):

        @steps(f"soft, {loss}, {classes} classes", "soft")
        def _plain(classes=classes, loss=loss):
            problem = draw(21, n=50, k=12, classes=classes, loss=loss, weighted=False)
            return walked(replace(problem, size_max=4, penalty=0.02))

        @steps(f"soft, {loss}, {classes} classes, without search", "soft")
        def _alone(classes=classes, loss=loss):
            problem = draw(22, n=50, k=10, classes=classes, loss=loss)
            return walked(replace(problem, size_max=4, penalty=0.3), search=False)


def limited(**limits):
    """A problem with limits that are more than a size."""
    problem = draw(21, n=50, k=12, weighted=False)
    return replace(problem, **{"size_max": None, "penalty": 0.3, **limits})


COSTS = tuple(Fraction(1 + 7 * k % 5) for k in range(12))
TENTHS = tuple(Fraction(1 + 5 * k % 4, 10) for k in range(12))


@steps("soft, budgets", "soft")
def _budgets():
    limits = (Budget(COSTS, Fraction(9)), Budget(TENTHS, Fraction(9, 10)))
    return walked(limited(budgets=limits), search=False, incumbent=(4,))


@steps("soft, groups, with steps for a certificate", "soft")
def _groups():
    groups = (Group((0, 1, 2, 5), 1, 2), Group((6, 7, 8), 1, 1))
    problem = limited(groups=groups, size_max=5)
    return walked(problem, keep_steps=True, search=False, incumbent=(0, 3))


@steps("soft, groups and budgets, with search", "soft")
def _both():
    groups = (Group((0, 1, 2, 5), 1, 2), Group((6, 7, 8), 1, 1))
    return walked(limited(groups=groups, budgets=(Budget(COSTS, Fraction(11)),)))


@steps("soft, nobody can", "soft")
def _nobody():
    groups = (Group((0, 1, 2), 2), Group((3, 4), 1))
    tight = (Budget((Fraction(2),) * 6, Fraction(5)),)
    return walked(replace(draw(5, n=30, k=6), size_max=None, groups=groups, budgets=tight), most=4)


@steps("soft, nobody is left", "soft")
def _nobody_left():
    said = []
    for loss in ("log_loss", "pool_log_loss", "pool_brier"):
        for required in ((), (1,)):
            problem = replace(draw(5, n=30, k=4, loss=loss), size_max=None, required=required)
            problem = replace(problem, forbidden=tuple({0, 1, 2, 3} - set(required)))
            said += [walked(problem, keep_steps=keep) for keep in (False, True)]
    return said


@steps("soft, more members than are worked with at first", "soft")
def _many_members():
    problem = replace(draw(23, n=60, k=70, weighted=False), size_max=4, penalty=0.3)
    groups = (Group(tuple(range(40)), 1), Group(tuple(range(30, 70)), 1, 2))
    return [
        *walked(problem, most=8, search=False),
        *walked(replace(problem, groups=groups), most=2, search=False),
        *walked(problem, most=3),
    ]


@steps("soft, somebody required, at least so many", "soft")
def _required():
    return walked(limited(size_min=3, required=(6,), forbidden=(1,), size_max=5))


@steps("soft, a pool with a budget", "soft")
def _pool_budget():
    problem = draw(21, n=50, k=12, loss="pool_log_loss", classes=3)
    return walked(replace(problem, size_max=5, penalty=0.1, budgets=(Budget(COSTS, Fraction(9)),)))


def alike():
    """Members in families, whom single decisions hardly tell apart."""
    problem = draw(11, n=80, k=6)
    noise = np.random.default_rng(5).normal(size=(80, 18))
    answers = np.repeat(problem.answers, 3, axis=1) + 0.4 * noise
    return replace(problem, answers=answers, size_max=4, penalty=0.05)


def patched(*constants):
    """Set constants of modules."""
    stack = ExitStack()
    for module, name, value in constants:
        stack.enter_context(mock.patch.object(module, name, value))
    return stack


@steps("soft, families", "soft")
def _families():
    with patched((families, "_PATIENCE", 3)):
        return walked(alike(), dealt=True)


@steps("soft, sharpened", "soft")
def _sharpened():
    with patched((sharpening, "_PATIENCE", 3), (sharpening, "_SERVES", 4)):
        return walked(alike(), dealt=True)


@steps("soft, many rows and members", "soft")
def _many():
    small = [
        (curvature, "_CHEAP", 0), (curvature, "_MANY", 0), (curvature, "_SAMPLE", 25),
        (tree, "MANY_ROWS", 0), (tree, "_SAMPLE", 40), (tree, "_SWAPS", 0),
        (relaxation, "_NEWCOMERS", 1), (relaxation, "_WHOLE", 0),
    ]  # fmt: skip
    with patched(*small):
        return walked(alike(), search=True)


class Ticks:
    """A clock that every look moves on by one, so that it shows each deadline exactly."""

    def __init__(self) -> None:
        self.now = 0

    def monotonic(self) -> float:
        self.now += 1
        return float(self.now)


def at_each(moments, run) -> list:
    """Run up to one moment after the other."""
    said = []
    for moment in moments:
        with mock.patch.object(time, "monotonic", Ticks().monotonic):
            said.append(run(float(moment)))
    return said


@steps("soft, whenever time is over", "soft")
def _late():
    problem = limited(size_max=4)

    def until(moment):
        grown = SoftTree(problem, deadline=moment - 3)
        grown.latest = moment + 4
        grown.round(moment)
        grown.search.deadline = grown.latest = moment + 200
        grown.round(moment + 40)
        best = -1.0 if grown.best is None else grown.best.value
        return [grown.nodes, grown.n_open, grown.lower_bound, best]

    return at_each(range(1, 36), until)


@steps("soft, on some rows, whenever time is over", "soft")
def _late_on_some():
    small = ((tree, "MANY_ROWS", 0), (tree, "_SAMPLE", 40), (tree, "_SWAPS", 0))

    def until(moment):
        grown = SoftTree(limited(size_max=3), deadline=moment)
        grown.latest = moment + 9
        grown.round(moment)
        return [grown.nodes, grown.n_open, grown.lower_bound]

    with patched(*small):
        return at_each(range(1, 90, 3), until)


def answered(solution) -> list:
    """What an answer says, and every bound on the way."""
    committee = solution.committee and [int(k) for k in solution.committee.members]
    trace = [[step.value, step.bound] for step in solution.trace]
    return [solution.status, committee, solution.value, *trace]


def asked(make, under, **request):
    """Return a run of `prune` whose answer is told."""

    def run():
        with under():
            return answered(runs.ask(make(), **request))

    return run


@steps("asked, soft committees of every loss", "asking")
def _asked_soft():
    said = []
    for objective, classes in (("log_loss", 2), ("pool_log_loss", 3), ("brier", 2)):
        limits = [vp.AtMost("size", 3), vp.Budget((3, 1, 2, 1, 1, 2, 2), 6), vp.Forbid("c4")]
        for method, under in (("exact", limits), ("search", limits[:1]), ("brute", limits)):
            with slow_clock():
                found = runs.ask(
                    spoken(31, classes), objective=objective, penalty=0.5, constraints=under,
                    method=method,
                )  # fmt: skip
            said += [answered(found), list(found.committee.weights)]
    return said


@steps("asked, soft certificates", "asking")
def _soft_certificates():
    said = []
    for objective, classes in (("log_loss", 3), ("pool_log_loss", 2), ("brier", 3)):
        with slow_clock(), tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "c.json")
            limits = [vp.Group(["c0", "c1", "c2"], at_least=1), vp.Budget((3, 1, 2, 1, 1, 2, 2), 6)]
            found = runs.ask(
                spoken(32, classes), objective=objective, penalty=0.2, constraints=limits,
                certificate=file,
            )  # fmt: skip
            written = json.loads(file.read_text())
        said += [answered(found), written["bound"], written["limits"], written["nodes"]]
    return said


@steps("asked, who is needed in a soft committee", "asking")
def _soft_explained():
    said = []
    for seed in (33, 34):
        with slow_clock():
            found = runs.ask(spoken(seed, 2), penalty=0.3, constraints=vp.AtMost("size", 3))
            why = found.explain(near=0.2)
        said += [runs.document(why.to_json()), why.summary().splitlines()]
    return said


@steps("asked, a soft proof that goes on from a file", "asking")
def _soft_resumed():
    work, said = SoftTree.round, []

    def briefly(self, deadline=np.inf, most_nodes=None):
        return work(self, np.inf, most_nodes=2)

    request = {"penalty": 0.02, "constraints": vp.AtMost("size", 4), "start": [0]}
    with slow_clock(), tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "proof.npz")
        with mock.patch.object(SoftTree, "round", briefly):
            for times in (3, 5):
                stopped = runs.ask(
                    spoken(35, 2, k=12), checkpoint=file, callback=runs.after(times), **request
                )
                facts = runs.checkpoint_facts(file) if file.exists() else {}
                said += [answered(stopped), facts.get("shapes")]
            said.append(answered(runs.ask(spoken(35, 2, k=12), checkpoint=file, **request)))
    return said


def spoken(seed: int, classes: int, k: int = 7) -> vp.Probabilities:
    """What members say of a few rows, some of it missing, rows of several weights."""
    predictions, y = pool(seed, n=40, k=k, n_classes=classes)
    rng = np.random.default_rng(seed)
    predictions[rng.random(predictions.shape[:2]) < 0.04] = np.nan
    weights = rng.choice([0.5, 1.0, 2.0], len(y))
    return vp.Probabilities(
        predictions, y, sample_weight=weights, names=[f"c{j}" for j in range(k)]
    )


def boxes():
    """Proofs over sizes and thresholds."""
    return proved_alone("boxes", steps=40)


def clauses():
    """Proofs by nogoods."""
    return proved_alone("clauses", steps=40)


LIMITS = [
    vp.AtMost("size", 6), vp.Budget(runs.COSTS, 9), vp.AtLeast("recall", 0.5), vp.Forbid("c3"),
]  # fmt: skip

steps("sizes, accuracy", "sizes")(asked(runs.votes, boxes, start=[0]))
steps("sizes, limits and diversity", "sizes")(
    asked(
        runs.weighted, boxes, start=[0, 1], constraints=LIMITS, diversity=vp.Diversity(tau=0.35),
        objective="balanced_accuracy",
    )
)  # fmt: skip
steps("nogoods, accuracy", "nogoods")(asked(runs.votes, clauses, start=[0]))
steps("nogoods, limits", "nogoods")(
    asked(
        runs.weighted, clauses, start=[0], constraints=LIMITS, objective="balanced_accuracy",
    )
)  # fmt: skip
MORE = [
    vp.Require("c2"),
    vp.AtLeast("size", 3),
    vp.AtMost("fp", 14),
    vp.Group(["c0", "c1"], at_most=1),
]
steps("sizes, somebody required, mean diversity", "sizes")(
    asked(
        runs.votes, lambda: proved_alone("boxes"), start=[2, 4, 6], constraints=MORE,
        diversity=vp.Diversity(gamma=0.4), objective=vp.Weights(tp=10, tn=1, fp=-2, fn=-0.5),
    )
)  # fmt: skip
steps("nogoods, somebody required, in one round", "nogoods")(
    asked(
        runs.votes, lambda: proved_alone("clauses"), start=[2, 4, 6], constraints=MORE,
        objective=vp.Weights(tp=3, tn=1),
    )
)  # fmt: skip
steps("nogoods, a hard pool", "nogoods")(
    asked(
        lambda: runs.votes(31, 50, 10, noise=0.35), lambda: proved_alone("clauses", 60), start=[0]
    )
)
steps("sizes, a hard pool", "sizes")(
    asked(lambda: runs.votes(31, 50, 10, noise=0.35), lambda: proved_alone("boxes", 60), start=[0])
)
steps("margins, ramp", "margins")(
    asked(
        lambda: runs.votes(4, 40, 8), lambda: proved_alone("boxes"), start=[1],
        objective=vp.Ramp(1), constraints=vp.Forbid("c2"),
    )
)  # fmt: skip
steps("margins, hinge", "margins")(
    asked(
        lambda: runs.votes(4, 40, 8), lambda: proved("boxes"), objective=vp.Hinge(0.75),
        constraints=vp.AtMost("size", 5),
    )
)  # fmt: skip
steps("curves, f1", "curves")(
    asked(lambda: runs.votes(2, 40, 8), lambda: proved("boxes"), objective="f1")
)
steps("curves, mcc", "curves")(
    asked(lambda: runs.votes(2, 40, 8), lambda: proved("boxes"), objective="mcc")
)
steps("plurality, tree", "plurality")(
    asked(runs.plural, boxes, start=[0, 1], constraints=vp.AtMost("size", 4))
)
steps("plurality, worths", "plurality")(
    asked(runs.plural, boxes, start=[0, 1], objective={"ant": 3, "bee": 1, "cat": 0.5})
)
steps("plurality, tried out", "plurality")(
    asked(lambda: runs.plural(3, 60, 9), slow_clock, constraints=vp.Budget(runs.COSTS[:9], 12))
)


def small_problems():
    """Problems of every kind of limit, with all their sizes."""
    for seed in (5000, 5003, 5006, 5011, 5017, 5023):
        given = random_instance(seed, 9, 30)
        yield Problem.of(given.votes, given.objective, given.constraints, given.diversity)
    yield Problem.of(runs.weighted(), "balanced_accuracy", LIMITS)


def hurried(make, under, limits, **request):
    """Return a run of `prune` under one time limit after the other, in looks at the clock."""

    def run():
        said = []
        for limit in limits:
            with under(), mock.patch.object(time, "monotonic", Ticks().monotonic):
                found = runs.ask(make(), time_limit=float(limit), **request)
            said.append([found.termination, *answered(found)])
        return said

    return run


SOON = (2, 5, 8, 11, 14, 20, 30, 45, 70)
steps("sizes, whenever time is over", "sizes")(hurried(runs.votes, boxes, SOON[2::2], start=[0]))
steps("margins, whenever time is over", "margins")(
    hurried(lambda: runs.votes(4, 40, 8), boxes, SOON, start=[1], objective=vp.Ramp(1))
)
steps("curves, whenever time is over", "curves")(
    hurried(lambda: runs.votes(2, 40, 8), boxes, SOON, objective="f1", start=[0])
)
steps("plurality, whenever time is over", "plurality")(
    hurried(runs.plural, boxes, SOON[:2], start=[0, 1])
)
steps("asked, whenever time is over", "asking")(
    hurried(lambda: spoken(31, 2), nullcontext, SOON, penalty=0.1)
)


@steps("trying, in small blocks", "trying")
def _trying():
    said = []
    with (
        mock.patch.object(enumeration, "_CELLS", 300),
        mock.patch.object(enumeration, "_JUDGED", 3),
    ):
        for problem in small_problems():
            incumbent = Incumbent(problem)
            tried = enumeration.try_all(problem, incumbent, problem.sizes, np.inf)
            said.append(
                [tried.start, tried.stop, incumbent.compared, list(incumbent.members or ())]
            )
    return said


@steps("trying, whenever time is over", "trying")
def _trying_late():
    problem = Problem.of(runs.votes(2, 40, 8), "accuracy", [vp.AtMost("size", 4)])

    def until(moment):
        incumbent = Incumbent(problem)
        tried = enumeration.try_all(problem, incumbent, problem.sizes, moment)
        return [tried.stop, list(incumbent.members or ())]

    with (
        mock.patch.object(enumeration, "_CELLS", 300),
        mock.patch.object(enumeration, "_JUDGED", 2),
    ):
        return at_each(range(1, 120, 2), until)


@steps("trying, how long it takes", "trying")
def _seconds():
    said = []
    for problem in [*small_problems(), Problem.of(runs.votes(1, 300, 26))]:
        each = [enumeration.seconds_for(problem, size) for size in problem.sizes]
        enough = [enumeration.affordable(problem, problem.sizes, s) for s in (*each, sum(each))]
        said.append([*each, *enough])
    with mock.patch.object(enumeration, "_MOST_ENTRIES", 10):
        said.append([enumeration.seconds_for(Problem.of(runs.votes()), 3)])
    return said


@steps("plurality, all of a node", "plurality")
def _listed():
    with mock.patch.object(time, "thread_time", return_value=0.0):
        return list(listings())


def listings():
    """Try all committees of some nodes; yield what is found, and the time that was foreseen."""
    for seed, tails in ((1, 4), (2, 20), (3, 2**13)):
        problem = PluralityProblem.of(
            runs.plural(seed, 50, 10), "balanced_accuracy",
            [vp.Budget(runs.COSTS, 14), vp.AtMost("size", 6)],
        )  # fmt: skip
        wins, _ = Wins.of(problem)
        with (
            mock.patch.object(plurality_enumeration, "_MOST_TAILS", tails),
            mock.patch.object(plurality_enumeration, "_FEWEST_TAILS", 1),
        ):
            listed = plurality_enumeration.Enumeration(wins)
        nothing = np.full(wins.n_classifiers, plurality_enumeration.FREE, dtype=np.int8)
        some = nothing.copy()
        some[[1, 4]] = 1, 0
        for decided in (nothing, some):
            sizes = range(1, wins.size_max + 1)
            yield listed.seconds(decided, sizes)
            tried = listed.run(decided, sizes, 0, np.inf)
            yield [tried.done, *map(list, tried.found)]

            def until(moment, run=listed.run, at=decided, of=sizes):
                return len(run(at, of, 0, moment).found)

            yield at_each(range(1, 12), until)


@steps("cuts, whenever time is over", "sizes")
def _cuts():
    problem = Problem.of(runs.weighted(3, 90, 9), "balanced_accuracy")
    said = at_each(range(1, 25), lambda moment: cuts.closure_bound(problem, moment))
    with mock.patch.object(cuts, "_MOST_EDGES", 40):
        return [*said, cuts.closure_bound(problem)]


@steps("errors that cannot be helped", "sizes")
def _errors():
    said = []
    for objective in ("accuracy", vp.Weights(tp=3, fp=-1), "f1", "gmean", "mcc"):
        given = runs.weighted(4, 70, 7)
        problem = Problem.of(given, objective)
        best = runs.ask(given, objective=objective, method="brute").committee
        said.append([side.tolist() for side in errors.disputed_rows(problem)])
        both = best, problem.committee((0, 2, 5), 1)
        said += [errors.rows_given_up(problem, committee).tolist() for committee in both]
    return said


NUMBERS: dict[str, Callable[[], object]] = {}
"""Functions that round to the safe side, at some places: pinned to the last bit."""


def numbers(function):
    """Enter one."""
    NUMBERS[function.__name__.strip("_").replace("_", " ")] = function
    return function


def _points(seed: int, *shape: int):
    return np.random.default_rng(seed).normal(size=shape)


@numbers
def _duals_and_bounds():
    for classes in (2, 3):
        for loss in ("log_loss", "pool_log_loss", "pool_brier"):
            problem = draw(8, n=20, k=6, classes=classes, loss=loss)
            made = loss_of(problem)
            at = np.abs(_points(1, 6))
            at = at / at.sum() if made.total is not None else at
            z = made.scores(_points(2, made.n_intercepts), made.gather(np.arange(6)), at)
            dual = made.dual(z)
            yield dual.base, dual.gains, dual.value, dual.slope
            inside, free = np.array([1]), np.array([0, 2, 3, 4, 5])
            for limit in ((Budget(COSTS[:6], Fraction(7)),), ()):
                within = replace(problem, size_max=3, budgets=limit)
                left = polytope.Polytope.at(*within.rows, inside, free)
                found = relaxation.bound_of(dual, within.ridge, inside, free, left, made.total)
                yield found.value, found.with_in, found.with_out, found.price


@numbers
def _curvature_between_places():
    places = 6 * _points(3, 40)
    tangents = places + np.geomspace(1e-6, 20, 40) * np.sign(_points(4, 40))
    yield region.average_curvature(tangents, places)
    yield region.least_curvature(places, places, places - 1, places + 0.5)
    yield [region._farthest(level) for level in (1e-9, 0.3, 7.0, 1e4)]


@numbers
def _sums_by_price_and_by_order():
    lines = np.array([np.ones(8), np.abs(_points(5, 8)), -np.abs(_points(6, 8))])
    values = np.abs(_points(7, 8))
    for many in (1, 3):
        found = polytope.Polytope(lines[:many], np.array([3.0, 2.0, -0.5])[:many])
        told = found.selection(values)
        yield told.value, told.cost_in, told.cost_out
    yield polytope._largest_few(values, 3, np.arange(8) // 4 == np.arange(2)[:, None])
    yield [polytope._threshold(values, seats) for seats in (0, 1, 3, 7, 8)]
    for limit in (0.0, 2.0):
        alone = polytope.Polytope(np.ones((1, 8)), np.array([limit])).ridge(values, 0.7)
        yield alone.value, alone.gradient, alone.shares, alone.prices, alone.hessian


def made_with() -> dict:
    """What steps may differ with: also the kernels of linear algebra, which depend on the CPU."""
    kernels = {pool.get("architecture") for pool in threadpool_info()} - {None}
    return runs.versions() | {"kernels": " ".join(sorted(kernels))}


@numbers
def _room_for_roundings():
    weights = np.abs(_points(9, 30))
    yield levels.room(weights, np.array([-3.0, 0.0, 1e6])), levels.room(weights, 7.5)
    yield margin(1), margin(1000), margin(10**7)
    for score in (Fraction(1, 3), Fraction(-7, 9), Fraction(10**12, 7)):
        yield outline._lowered(score)
    problem = Problem.of(runs.weighted(), "balanced_accuracy")
    yield enumeration._Trial(problem, Incumbent(problem), np.inf)._worth.at_least(1000)
    wins, _ = Wins.of(PluralityProblem.of(runs.plural(), "balanced_accuracy", [vp.Forbid("c1")]))
    size = plurality_rows.Size(wins, 3)
    prices = np.abs(_points(10, len(size.basic())))
    yield size.judge(size.basic(), prices, np.zeros(0), np.full(wins.n_classifiers, -1, np.int8))


@numbers
def _what_linear_programs_take():
    for rows, k in ((40, 7), (400, 12)):
        wins, _ = Wins.of(PluralityProblem.of(runs.plural(5, rows, k), "accuracy"))
        memory = plurality_worker._Memory(SimpleNamespace(wins=wins))
        yield memory.program_seconds, memory.worth
        memory.solved, memory.closed = 5, 2
        yield memory.worth


@numbers
def _a_sharpened_loss():
    problem = replace(draw(4, n=60, k=5), penalty=1.0, size_max=None)
    loss, nobody = loss_of(problem), np.zeros(5, dtype=np.int8)
    point = newton.fit(loss, problem.ridge, np.arange(5))
    found = region.region_of(problem, loss, nobody, point, 1.3 * point.value)
    yield found.lower, found.upper, found.intercept, found.drift
    sharp = sharpening.Sharpened(loss, problem.ridge, found, nobody, point.z)
    yield sharp.units
    for weights in (point.weights, point.weights + 1e-3 * np.abs(_points(11, 5)), np.full(5, 9.0)):
        z = sharp.scores(point.intercepts, sharp.gather(np.arange(5)), weights * sharp.units)
        dual = sharp.dual(z)
        yield dual.base, dual.gains, dual.value, dual.slope, sharp.value(z)
    yield problem_loss.loss_of(replace(problem, loss="pool_brier")).least_curvature(np.arange(5))


def walk(name: str) -> dict:
    """Run, and return what is written down."""
    kinds, run = STEPS[name]
    with followed(*kinds) as log:
        ended = run()
    return {"ends": json.loads(json.dumps(ended)), **told(log)}


def bits(name: str) -> dict:
    """Return the numbers of some functions with all their digits."""
    parts: list[np.ndarray] = []
    flatten(list(NUMBERS[name]()), parts)
    return {"bits": [float(x).hex() for x in np.concatenate(parts)]}
