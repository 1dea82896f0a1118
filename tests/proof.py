"""The law every exact path obeys, checked on one instance of each kind of problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np

import badproblems
import curves
import margin_oracle
import plurality_oracle
import voteprune as vp
from badstart import (
    ENUMERATING,
    Way,
    faults_of_front,
    faults_of_plurality,
    faults_of_sum,
)
from instances import Instance, random_instance
from oracle import Oracle
from soft_badstart import LIMITS as SOFT_LIMITS
from soft_badstart import OBJECTIVES, STARTS, SoftCase, faults_of_soft, soft_case
from soft_badstart import faults_from_a_bad_start as faults_of_soft_tree
from voteprune.strategies import exact as engine
from voteprune.tree.nogoods import driver as refuting


def exact_paths() -> dict[str, dict]:
    """Every exact way to solve a problem here: method, solver, presolve on and off."""
    paths = {
        "brute": {"method": "brute"},
        "exact": {"method": "exact"},
        "exact by clauses": {"method": "exact", "enumerate": 0, "clauses": float("inf")},
        "exact by levels": {"method": "exact", "enumerate": 0, "clauses": -1.0},
    }
    for info in vp.solvers():
        if not info.installed:
            continue
        for presolve in (True, False):
            solver = vp.Solver(info.name, presolve=presolve)
            suffix = "" if presolve else " without presolve"
            paths[f"merged {info.name}{suffix}"] = {"method": "merged", "solver": solver}
    for name in ("highs", "scip"):
        if any(info.name == name and info.installed for info in vp.solvers()):
            paths[f"paper {name}"] = {"method": "paper", "solver": name}
    return paths


@lru_cache(maxsize=256)
def truth_of(instance: Instance) -> tuple[Oracle, Fraction | None]:
    """All committees of an instance, and what the best is worth."""
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    return truth, truth.best(instance.objective, instance.constraints, instance.diversity)


def check(instance: Instance, paths: dict[str, dict], time_limit: float = 60.0) -> list[str]:
    """Return what is wrong: an optimum missed, a bound too low, a limit broken, an incident."""
    truth, best = truth_of(instance)
    wrong = []
    for name, path in paths.items():
        lowest = []
        options = dict(path)
        # Small pools are enumerated; the engine's other parts must be right for them too.
        with (
            mock.patch.object(engine, "ENUMERATE", options.pop("enumerate", engine.ENUMERATE)),
            mock.patch.object(refuting, "CLOSE", options.pop("clauses", refuting.CLOSE)),
        ):
            solution = vp.prune(
                instance.votes,
                **instance.request(),
                **options,
                time_limit=time_limit,
                random_state=instance.seed,
                callback=lambda progress, seen=lowest: seen.append(progress.bound),
            )
        where = f"seed {instance.seed}, {name}"
        wrong += [f"{where}: {line}" for line in judge(solution, lowest, best, truth, instance)]
    return wrong


def judge(solution, bounds, best, truth, instance):
    """Yield every broken law of one solution."""
    if solution.incidents:
        yield f"incidents {solution.incidents}"
    if best is None:
        if solution.status != "infeasible":
            yield f"status {solution.status} where nothing is allowed"
        elif not solution.explanation and instance.constraints:
            yield "infeasible without an explanation"
        return
    if solution.status != "optimal":
        yield f"status {solution.status} ({solution.termination}) where {float(best)} is optimal"
        return
    value = solution.weights.value(solution.confusion)
    if value != best:
        yield f"value {float(value)} where {float(best)} is optimal"
    if min([*bounds, solution.bound]) < float(best):
        yield f"bound {min([*bounds, solution.bound])} below the optimum {float(best)}"
    committee = solution.committee
    recount = next(
        counts
        for members, level, counts in truth.committees()
        if tuple(members) == committee.members and level == committee.threshold
    )
    if recount != tuple(
        Fraction(getattr(solution.confusion, name)) for name in ("tp", "fn", "tn", "fp")
    ):
        yield f"confusion {solution.confusion} does not recount"
    if not truth.allowed(
        list(committee.members), recount, instance.constraints, instance.diversity
    ):
        yield "the committee breaks a limit"


Faults = Callable[..., Iterable[str]]


def two_ways(seed: int, faults: Faults, *others: dict) -> tuple[list[str], list[str]]:
    """Check a problem on the exact method, with small pools tried out and not, and on others.

    Returns
    -------
    paths, wrong
        The paths checked, and what is wrong.
    """
    paths = {"exact": {}, "exact without enumeration": {}}
    paths |= {" ".join(map(str, other.values())): other for other in others}
    wrong = []
    for name, options in paths.items():
        with ExitStack() as stack:
            for room, limit in ENUMERATING if name.endswith("enumeration") else ():
                stack.enter_context(mock.patch.object(room, limit, 0))
            wrong += [f"seed {seed}, {name}: {line}" for line in faults(options)]
    return list(paths), wrong


def sums(seed: int) -> tuple[list[str], list[str], bool]:
    """Check a weighted sum on every method, every solver, presolve on and off."""
    instance, paths = random_instance(seed), exact_paths()
    limited = bool(instance.constraints or instance.diversity)
    return list(paths), check(instance, paths), limited


def other_curves(seed: int) -> tuple[list[str], list[str], bool]:
    """Check a ratio, Matthews' correlation or the geometric mean."""
    instance = curves.curved_instance(seed)
    others = ({"method": "brute"}, {"method": "merged"})
    checked = two_ways(seed, lambda options: curves.faults(instance, **options), *others)
    return *checked, bool(instance.constraints or instance.diversity)


def of_margins(seed: int) -> tuple[list[str], list[str], bool]:
    """Check a ramp or a hinge."""
    _, request, _ = margin_oracle.margin_instance(seed, 8)
    brute = {"method": "brute"}
    checked = two_ways(seed, lambda options: margin_oracle.faults(seed, **options), brute)
    return *checked, bool(request["constraints"] or request["diversity"])


def by_plurality(seed: int) -> tuple[list[str], list[str], bool]:
    """Check a committee of more than two classes."""
    *_, constraints = plurality_oracle.random_case(seed)
    brute = {"method": "brute"}
    checked = two_ways(seed, lambda options: plurality_oracle.faults(seed, **options), brute)
    return *checked, bool(constraints)


def from_bad_starts(seed: int) -> tuple[list[str], list[str], bool]:
    """Check proofs of a weighted sum whose search is off, some of them shared or killed."""
    bad, start = _bad_problem(seed, "sum")
    ways = {
        f"{by} {name}": Way(by, start, **options)
        for by in ("levels", "clauses")
        for name, options in {
            "leaves alone": {"leaves": bad.truth.sets.k <= 10, "steps": 300},
            "shared": {"workers": 1 + seed % 3, "steps": 100},
            "killed": {"workers": 1 + seed % 2, "steps": 40},
        }.items()
    }
    ways |= {"levels then a solver": Way("solver", start), "a solver": Way("solver", None)}
    if bad.truth.sets.k > 10:  # these take a while, and there are others
        ways = dict(list(ways.items())[seed // 12 % 4 :: 4])
    with TemporaryDirectory() as folder:
        file = Path(folder) / "proof.npz"
        for name, way in ways.items():
            if name.endswith("killed"):
                ways[name] = replace(way, file=file.with_stem(name))
        wrong = _faults(seed, ways, lambda way: faults_of_sum(bad, way, 600)[0])
    return list(ways), wrong, badproblems.LIMITS[seed % len(badproblems.LIMITS)] != "none"


def others_from_bad_starts(objective: str) -> Callable[[int], tuple[list[str], list[str], bool]]:
    """Return the same for a curve or a margin."""

    def kind(seed: int) -> tuple[list[str], list[str], bool]:
        bad, start = _bad_problem(seed, objective)
        ways = {
            "levels": Way("levels", start),
            "clauses": Way("clauses", start),
            "leaves alone": Way(("levels", "clauses")[seed % 2], start, leaves=True),
        }
        wrong = _faults(seed, ways, lambda way: faults_of_sum(bad, way, 600)[0])
        return list(ways), wrong, badproblems.LIMITS[seed % len(badproblems.LIMITS)] != "none"

    return kind


def fronts_from_bad_starts(seed: int) -> tuple[list[str], list[str], bool]:
    """Check fronts, from the worst committee of every size and from none."""
    bad, _ = _bad_problem(seed, "front")
    ways = {
        "worst": Way(start="worst", steps=200),
        "worst leaves alone": Way(start="worst", steps=200, leaves=True),
        "none": Way(start=None, steps=200, leaves=True),
    }
    wrong = _faults(seed, ways, lambda way: faults_of_front(bad, way, 600)[0])
    return list(ways), wrong, badproblems.LIMITS[seed % len(badproblems.LIMITS)] != "none"


def pluralities_from_bad_starts(seed: int) -> tuple[list[str], list[str], bool]:
    """Check more than two classes, from every bad start and from none."""
    limit = badproblems.OF_PLURALITY[seed % 6]
    bad = badproblems.bad_plurality(seed, limit, k=5 + seed // 6 % 4, n=16 + seed % 9)
    ways = {str(start): Way(start=start) for start in (*badproblems.STARTS, None)}
    return list(ways), _faults(seed, ways, lambda way: faults_of_plurality(bad, way)), seed % 6 > 0


def soft_committees(seed: int) -> tuple[list[str], list[str], bool]:
    """Check a soft committee of any loss, under every limit in turn."""
    case, limited = _soft(seed)
    paths = {
        "exact": {},
        "exact with one start": {"start": case.start("random", seed)},
        "brute": {"method": "brute"},
    }
    wrong = [
        f"seed {seed}, {name}: {line}"
        for name, options in paths.items()
        for line in faults_of_soft(case, **options)
    ]
    return list(paths), wrong, limited


def softs_from_bad_starts(seed: int) -> tuple[list[str], list[str], bool]:
    """Check proofs of a soft committee whose search is off, one of them killed."""
    case, limited = _soft(seed)
    wrong = []
    with TemporaryDirectory() as folder:
        ways = {str(start): (start, None) for start in STARTS}
        ways["killed"] = STARTS[seed % 2], Path(folder) / "proof.npz"
        for name, (start, file) in ways.items():
            faults = faults_of_soft_tree(case, case.start(start, seed), file)
            wrong += [f"seed {seed}, {name}: {line}" for line in faults]
    return list(ways), wrong, limited


def _soft(seed: int) -> tuple[SoftCase, bool]:
    """Return a problem, each kind of loss under each limit in turn, and if it is limited."""
    limit = SOFT_LIMITS[seed % len(SOFT_LIMITS)]
    n_classes = 2 + seed // len(SOFT_LIMITS) % 2
    return soft_case(seed, limit, OBJECTIVES[seed % 3], n_classes), limit != "size"


def _bad_problem(seed: int, objective: str) -> tuple[badproblems.Bad, str]:
    """Return a problem of any size, large ones seldom, under every limit in turn."""
    rng = np.random.default_rng([seed, 3])
    sizes = {"sum": (range(5, 9), range(9, 13), range(13, 19)), "margin": (range(5, 8),) * 2}
    kinds = sizes.get(objective, (range(5, 8), range(8, 11)))
    weights = {2: [0.8, 0.2], 3: [0.8, 0.16, 0.04]}[len(kinds)]
    k = int(rng.choice(kinds[rng.choice(len(kinds), p=weights)]))
    limit = badproblems.LIMITS[seed % len(badproblems.LIMITS)]
    # With more rows the tree of many classifiers, each of its nodes watched, takes many minutes.
    fewest = k if k > 12 else 2 * k
    bad = badproblems.bad_problem(seed, limit, objective, k, int(rng.integers(fewest, 2 * fewest)))
    # Another start for every limit, and all with each in the long run.
    return bad, badproblems.STARTS[(seed + seed // 12) % 3]


def _faults(seed: int, ways: dict[str, Way], faults: Callable[[Way], list[str]]) -> list[str]:
    return [f"seed {seed}, {name}: {line}" for name, way in ways.items() for line in faults(way)]


KINDS = {
    "weighted sums": sums,
    "ratios and curves": other_curves,
    "margins": of_margins,
    "plurality": by_plurality,
    "soft committees": soft_committees,
    "bad starts": from_bad_starts,
    "bad starts of curves": others_from_bad_starts("curve"),
    "bad starts of margins": others_from_bad_starts("margin"),
    "bad starts of fronts": fronts_from_bad_starts,
    "bad starts of pluralities": pluralities_from_bad_starts,
    "bad starts of soft committees": softs_from_bad_starts,
}
"""Kinds of problems; each is told a seed and tells the paths, what is wrong, and if limited."""
