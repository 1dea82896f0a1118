"""Soft committees by all methods, and from a bad start with search off, against every subset.

The oracle fits each allowed committee with scipy (`soft_oracle`). What it finds is a loss that is
attained, so a bound above it is false by whatever it is above.
"""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from unittest import mock

import numpy as np

import voteprune as vp
from soft_oracle import committees, fitted, penalised, pool
from voteprune.run.incumbent import Incumbent
from voteprune.soft.pruning import SoftPruning
from voteprune.soft.tree import TOLERANCE, SoftTree
from voteprune.strategies import exact_soft
from voteprune.tree.soft.driver import SoftDriver

LIMITS = ("size", "fewest", "require", "forbid", "budget", "decimal", "group", "several")
OBJECTIVES = ("log_loss", "pool_log_loss", "brier")
STARTS = ("worst", "second", "random", None)
ROOM = 1e-10
"""Rounding, as a share; the truth is met from above, so that bounds need no more."""


class Killed(BaseException):
    """The run was killed."""


@dataclass(frozen=True, eq=False)
class SoftCase:
    """A problem of soft committees, as users ask for it and in numbers."""

    said: vp.Probabilities
    objective: str
    penalty: float
    constraints: tuple

    @property
    def request(self) -> dict:
        """What `prune` is told."""
        return {
            "objective": self.objective, "penalty": self.penalty, "constraints": self.constraints,
        }  # fmt: skip

    @cached_property
    def pruning(self) -> SoftPruning:
        return SoftPruning.of(self.said, self.objective, self.constraints, self.penalty)

    @cached_property
    def losses(self) -> dict[tuple[int, ...], float]:
        """The penalised mean loss of every allowed committee."""
        numbers = self.pruning.numbers
        total = float(numbers.weights.sum())
        return {members: fitted(numbers, members) / total for members in committees(numbers)}

    def start(self, kind: str | None, seed: int) -> list[int] | None:
        """A committee to begin with that is not the best, where there is another."""
        if kind is None or not self.losses:
            return None
        ranked = sorted(self.losses, key=self.losses.__getitem__)
        places = {"worst": -1, "second": 1, "random": 1 + seed}
        return list(ranked[places[kind] % len(ranked)])


def soft_case(seed: int, limit: str, objective: str = "log_loss", n_classes: int = 2) -> SoftCase:
    """A random problem under one kind of limit, or under several; some are infeasible."""
    rng = np.random.default_rng([seed, 8])
    k = int(rng.integers(4, 8))
    predictions, y = pool(seed, n=int(rng.integers(20, 40)), k=k, n_classes=n_classes)
    predictions[rng.random(predictions.shape[:2]) < 0.04] = np.nan
    # Twins, or nearly: a proof may end within its tolerance, its bounds must be true all the same.
    nearly = 1 - 1e-6 * (seed // 2 % 2) * rng.random(predictions[:, 0].shape)
    predictions[:, 1] = predictions[:, 0] * nearly
    if n_classes > 2:
        predictions[:, 1] /= predictions[:, 1].sum(axis=-1, keepdims=True)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], len(y)) if seed % 2 else np.ones(len(y))
    weights[:n_classes] = 1.0  # a row of every class
    names = [f"c{j}" for j in range(k)]
    chosen = [vp.AtMost("size", int(rng.integers(2, k)))]
    if limit in ("fewest", "several"):
        chosen = [vp.AtLeast("size", int(rng.integers(2, k)))]
    if limit in ("require", "several"):
        chosen.append(vp.Require(names[int(rng.integers(k))]))
    if limit == "forbid":
        chosen.append(vp.Forbid(*rng.choice(names, 2, replace=False).tolist()))
    if limit in ("budget", "several"):
        chosen.append(vp.Budget(rng.integers(1, 6, k).tolist(), limit=int(rng.integers(3, 12))))
    if limit == "decimal":
        # Sums of tenths: kept exactly or not at all, and no float is one of them.
        costs = [Fraction(int(cost), 10) for cost in rng.integers(1, 4, k)]
        chosen.append(vp.Budget(costs, limit=Fraction(int(rng.integers(3, 8)), 10)))
    if limit in ("group", "several"):
        team = rng.choice(names, int(rng.integers(2, k)), replace=False).tolist()
        least = int(rng.integers(0, 3))
        chosen.append(vp.Group(team, at_least=least, at_most=least + int(rng.integers(1, 3))))
    penalty = float(rng.choice([0.1, 0.5, 5.0]))
    said = vp.Probabilities(predictions, y, sample_weight=weights)
    return SoftCase(said, objective, penalty, tuple(chosen))


def faults_of_soft(case: SoftCase, **options) -> list[str]:
    """Return what is wrong with one way to solve a problem."""
    bounds: list[float] = []
    solution = vp.prune(
        case.said,
        **case.request,
        **options,
        callback=lambda progress: bounds.append(progress.bound),
    )
    return list(_judged(case, solution, bounds))


def faults_from_a_bad_start(
    case: SoftCase, start: list[int] | None, file: Path | None = None
) -> list[str]:
    """Return what is wrong with a proof that the tree alone leads; killed, if kept on file."""
    bounds, wrong = list[float](), list[str]()
    tell, work = Incumbent._tell, SoftTree.round

    def told(self):
        bounds.append(float(self.bound))
        tell(self)

    def round_(self, deadline=np.inf, most_nodes=None):
        over = work(self, np.inf, most_nodes=2)
        wrong.extend(_lost(case, self))
        return over

    patches = [
        mock.patch.object(exact_soft, "SoftTree", partial(SoftTree, search=False)),
        mock.patch.object(exact_soft, "first_members", return_value=()),
        mock.patch.object(SoftTree, "round", round_),
        mock.patch.object(Incumbent, "_tell", told),
    ]
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        for turn in range(300):
            try:
                with _killed_after(1 + turn // 4) if file else ExitStack():
                    solution = vp.prune(case.said, **case.request, start=start, checkpoint=file)
                break
            except Killed:
                continue
        else:
            return [*wrong, "does not end, however often it goes on"]
    return [*wrong, *_judged(case, solution, bounds)]


def _killed_after(rounds: int):
    """Kill a run that leaves something open after so many rounds, these on file or not yet."""
    original, done = SoftDriver.round, []

    def round_(self, *given, **named):
        done.append(self)
        last = len(done) > rounds
        unwritten = mock.patch.object(self, "_keep") if last and rounds % 2 else nullcontext()
        with unwritten:
            went_on = original(self, *given, **named)
        if last and not self.over:
            raise Killed
        return went_on

    return mock.patch.object(SoftDriver, "round", round_)


def _lost(case: SoftCase, tree: SoftTree) -> list[str]:
    """Committees that are better than the incumbent, and in no open node that allows for it."""
    state, total = tree.state(), case.pruning.total
    here, wrong = np.arange(case.said.n_classifiers), []
    for members, loss in case.losses.items():
        if loss * total >= tree.cutoff:
            continue
        sits = np.where(np.isin(here, members), 1, -1)
        inside = ((state.decisions == 0) | (state.decisions == sits)).all(axis=1)
        if not (inside & (state.bounds <= loss * total * (1 + ROOM))).any():
            wrong.append(f"{members} is lost")
    return wrong


def _judged(case: SoftCase, solution: vp.SoftSolution, bounds: list[float]):
    best = min(case.losses.values(), default=None)
    if solution.incidents:
        yield f"incidents {solution.incidents}"
    if best is None:
        if solution.status != "infeasible":
            yield f"status {solution.status} where nothing is allowed"
        return
    if solution.status != "optimal":
        yield f"status {solution.status} ({solution.termination}) where {best} is optimal"
        return
    least = min([*bounds, solution.bound])
    if least < -best * (1 + ROOM):
        yield f"a bound of {least} is told where {-best} is optimal"
    if solution.penalised_loss > best * (1 + 1.01 * TOLERANCE):
        yield f"ends at {solution.penalised_loss} where {best} is optimal"
    committee, numbers = solution.committee, case.pruning.numbers
    if not numbers.allows(committee.members) or committee.members not in case.losses:
        yield f"{committee.members} is not allowed"
        return
    intercepts = np.array(committee.intercepts)
    if len(intercepts) > 1:
        intercepts = intercepts[:-1] - intercepts[-1]
    own = penalised(numbers, committee.members, intercepts, np.array(committee.weights))
    if not np.isclose(own / case.pruning.total, solution.penalised_loss, rtol=1e-9, atol=0):
        yield f"a loss of {solution.penalised_loss} does not recount, it is {own}"
