"""The law every exact path obeys, checked on one instance."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import voteprune as vp
from instances import Instance
from oracle import Oracle
from voteprune import engine


def exact_paths() -> dict[str, dict]:
    """Every exact way to solve a problem here: method, solver, presolve on and off."""
    paths = {
        "brute": {"method": "brute"},
        "exact": {"method": "exact"},
        "exact without enumeration": {"method": "exact", "enumerate": 0},
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


def check(instance: Instance, paths: dict[str, dict], time_limit: float = 60.0) -> list[str]:
    """Return what is wrong: an optimum missed, a bound too low, a limit broken, an incident."""
    truth = Oracle(instance.matrix, instance.labels, instance.sample_weight)
    best = truth.best(instance.objective, instance.constraints, instance.diversity)
    wrong = []
    for name, path in paths.items():
        lowest = []
        options = dict(path)
        # Small pools are enumerated; the engine's other parts must be right for them too.
        with mock.patch.object(engine, "ENUMERATE", options.pop("enumerate", engine.ENUMERATE)):
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
    if abs(value - best) > Fraction(1, 10**6) * max(1, abs(best)):
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
