"""What soft committees have of their own on the way from request to answer: penalty and cut-off."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..exceptions import InputError
from ..problem.confusion import Confusion
from ..problem.constraints import AtLeast, AtMost, check_constraints
from ..problem.criteria import formula_of
from ..problem.formulas import Weights
from ..run.run import Method, Run
from ..soft.committee import SoftCommittee
from ..soft.probabilities import Probabilities
from ..soft.problem import check_penalty
from ..soft.pruning import OBJECTIVES, SoftPruning, limits_of
from ..soft.tensor import Floats
from ..soft.tree import TOLERANCE
from ..strategies.registry import METHODS
from .request import Plan, Wishes, check_callback
from .soft_certifying import soft_certificate_of
from .soft_solution import SoftSolution
from .status import Found

PENALTY = 30.0
"""Ridge on the weights, in units of one row: what was chosen for "log_loss" on unseen rows, see
docs/results/protocol.md."""

NO_PENALTY = "is for vp.Probabilities only. Leave it out."


def check_soft_plan(wishes: Wishes, penalty: object) -> Plan:
    """Check all wishes that can be judged before there are probabilities.

    Raises
    ------
    InputError
        If an argument is wrong, or makes no sense for soft committees.
    """
    method = _check_method(wishes)
    circumstances = wishes.circumstances(method)
    objective = check_objective(wishes.objective)
    requests = check_constraints(wishes.constraints)
    check_callback(wishes.callback)
    return Plan(method, circumstances, objective, requests, penalty=_check_penalty(penalty))


def check_objective(objective: object) -> str:
    """Return what soft committees are to minimise, or say what is known."""
    if isinstance(objective, str) and objective in OBJECTIVES:
        return objective
    raise InputError(
        "objective",
        f"{objective!r} is not for probabilities. Known are {', '.join(OBJECTIVES)}; criteria of "
        "votes need vp.Votes.",
    )


def _check_method(wishes: Wishes) -> Method:
    able = [method.name for method in METHODS.values() if "soft" in method.others]
    if not isinstance(wishes.method, str) or wishes.method not in able:
        raise InputError(
            "method",
            f"{wishes.method!r} does not choose soft committees. {', '.join(able)} do.",
        )
    if wishes.solver is not None:
        raise InputError("solver", "soft committees need no solver. Leave it out.")
    if wishes.diversity not in (None, "F1"):
        raise InputError(
            "diversity",
            "limits on diversity are about votes, and soft committees take probabilities. Leave it "
            "out, or give vp.Votes.",
        )
    if wishes.threshold is not None:
        raise InputError(
            "threshold",
            "soft committees have a cut-off on their probability, which limits on criteria move. "
            "Leave it out, or give vp.Votes.",
        )
    return replace(METHODS[wishes.method], uses_solver=False)


def _check_penalty(penalty: object) -> float:
    if isinstance(penalty, bool) or not isinstance(penalty, int | float | np.number):
        raise InputError("penalty", f"is {penalty!r}; expected a number above 0, such as 100.")
    check_penalty(float(penalty))
    return float(penalty)


def soft_answer(problem: SoftPruning, run: Run, found: Found) -> SoftSolution:
    """Return the answer for probabilities: fit the committee once more, and choose its cut-off."""
    incumbent, said = run.incumbent, problem.said
    committee: SoftCommittee | None = incumbent.committee
    loss = accuracy = confusion = None
    if committee is not None:
        point = problem.search.fit(_fitted(problem, committee))
        loss = point.loss / problem.total
        shares = committee.predict_proba(said)
        committee, sentence = _with_cutoff(problem, committee, shares)
        found["explanation"] = sentence or found["explanation"]
        decided = (
            (shares[:, 1] > committee.cutoff).astype(np.intp)
            if shares.shape[1] == 2
            else shares.argmax(axis=1)
        )
        accuracy = float(said.weights[decided == said.labels].sum() / said.weights.sum())
        confusion = _count(said, decided) if shares.shape[1] == 2 else None
    value = None if incumbent.score is None else problem.objective.read(incumbent.score)
    bound = found["bound"]
    return SoftSolution(
        **found,
        committee=committee,
        value=value,
        loss=loss,
        penalised_loss=None if value is None else -value,
        lower_bound=None if bound is None else abs(bound),
        accuracy=accuracy,
        confusion=confusion,
        penalty=problem.penalty,
        tolerance=TOLERANCE,
        n_rows=said.n_rows,
        n_patterns=said.n_rows,
        problem=problem,
        certificate=soft_certificate_of(problem, run, found["status"]),
    )


def _fitted(problem: SoftPruning, committee: SoftCommittee) -> list[int]:
    """Return the members whose fit gave the committee: those who sit, and required ones."""
    return sorted({*committee.members, *problem.numbers.required})


def _with_cutoff(
    problem: SoftPruning, committee: SoftCommittee, shares: Floats
) -> tuple[SoftCommittee, str]:
    """Return the committee with the most accurate cut-off that keeps every limit on criteria.

    Without limits it is 1/2. Where no cut-off keeps them it stays there, and a sentence says so.
    """
    limits = limits_of(problem.requests)
    if not limits:
        return committee, ""
    said = problem.said
    order = np.argsort(-shares[:, 1], kind="stable")
    positive, weights = said.labels[order] == 1, said.weights[order]
    tp = np.concatenate([[0.0], np.cumsum(weights * positive)])
    fp = np.concatenate([[0.0], np.cumsum(weights * ~positive)])
    p, n = tp[-1], fp[-1]
    # Between equal probabilities there is no cut-off.
    ranked = shares[order, 1]
    edges = np.concatenate([[True], ranked[1:] < ranked[:-1], [True]])
    fits = edges.copy()
    for limit in limits:
        values = _values(limit, tp, fp, p, n)
        bound = float(limit.limit)
        slack = 1e-12 * max(1.0, abs(bound))
        kept = values >= bound - slack if isinstance(limit, AtLeast) else values <= bound + slack
        fits &= kept
    if not fits.any():
        words = " and ".join(map(str, limits))
        return committee, f"no cut-off of this committee keeps {words}; it is left at 1/2."
    right = np.where(fits, tp + (n - fp), -np.inf)
    cut = int(np.argmax(right))
    above = 1.0 if cut == 0 else float(ranked[cut - 1])
    below = 0.0 if cut == len(ranked) else float(ranked[cut])
    cutoff = below if cut < len(ranked) else 0.0
    if cut < len(ranked) and below < (above + below) / 2 < above:
        cutoff = (above + below) / 2
    return replace(committee, cutoff=cutoff), ""


def _values(limit: AtLeast | AtMost, tp: Floats, fp: Floats, p: float, n: float) -> Floats:
    """Return a criterion at every cut-off."""
    formula = formula_of(limit.what, Fraction(p), Fraction(n))
    if isinstance(formula, Weights):
        return np.asarray(
            float(formula.tp) * tp
            + float(formula.fn) * (p - tp)
            + float(formula.fp) * fp
            + float(formula.tn) * (n - fp)
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = formula.scores(tp, fp, p, n)
    return np.where(np.isnan(heights), float(getattr(formula, "zero_division", 0)), heights)


def _count(said: Probabilities, decided: Any) -> Confusion:
    """Return the four counts by weight."""
    cells = {
        (truth, verdict): Fraction(
            float(said.weights[(said.labels == truth) & (decided == verdict)].sum())
        ).limit_denominator(10**9)
        for truth in (0, 1)
        for verdict in (0, 1)
    }
    return Confusion(cells[1, 1], cells[1, 0], cells[0, 0], cells[0, 1])
