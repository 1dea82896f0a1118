"""The law every exact path obeys, checked on one instance of each kind of problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from fractions import Fraction
from functools import lru_cache
from unittest import mock

import curves
import margin_oracle
import plurality_oracle
import voteprune as vp
from instances import Instance, random_instance
from oracle import Oracle
from voteprune import engine, margins, parametric, plurality, refuting


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
ENUMERATING = (
    (engine, "ENUMERATE"),
    (parametric, "ENUMERATE"),
    (margins.exact, "_ENUMERATE"),
    (plurality.exact, "ENUMERATE"),
)
"""Up to which size pools are tried out rather than solved."""


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


KINDS = {
    "weighted sums": sums,
    "ratios and curves": other_curves,
    "margins": of_margins,
    "plurality": by_plurality,
}
"""Kinds of problems; each is told a seed and tells the paths, what is wrong, and if limited."""
