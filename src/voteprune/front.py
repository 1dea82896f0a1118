"""`front`: for every committee size, the best value found and what no committee of it can exceed.

One run does it all: the prices that bound one size bound every other (`bounds.prices`), and the
best committee of one size, with one member more or less, is where the search for the next begins.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from .bounds.closure import CLOSURE_SHARE, closure_bound
from .bounds.levels import Levels
from .bounds.node import Node
from .exceptions import InputError
from .numbers.floats import Floats
from .primal.enumeration import affordable, try_all
from .primal.sample import thinned
from .primal.search import search
from .primal.tabu import TabuSearch
from .problem.committee import Committee
from .problem.constraints import Constraint
from .problem.criteria import Criterion
from .problem.diversity import Diversity
from .problem.infeasible import nobody_fits
from .problem.margin import AUTOMATIC, Margin
from .problem.problem import Problem
from .run.incumbent import Incumbent, relative_gap
from .soft.committee import SoftCommittee
from .soft.probabilities import Probabilities
from .soft.pruning import SoftPruning
from .soft.tree import TOLERANCE
from .solve.notebook import html_of_table
from .solve.request import Wishes, check_callback, check_plan
from .solve.soft_front import SoftFront, SoftPoint
from .solve.soft_solve import NO_PENALTY, PENALTY, check_soft_plan
from .solvers import SolverFailure, call
from .tree.sizes.coordinator import MOST_CLASSIFIERS
from .tree.sizes.task import WORKER, Task
from .votes.votes import as_votes, refuse_twice

TRY_SHARE, _SEARCH_SHARE = 0.2, 0.4
"""Shares of the time for trying small sizes in full, and for the search before the proof."""

_PATIENCE = 32
"""Walks without a better committee after which the search of a size ends."""

_ROUND = 2.0
"""Seconds of a round, after which the callback hears of the front."""

_NO_SUM = "{} is no weighted sum of counts, which a front needs. Ask prune for single sizes."


@dataclass(frozen=True)
class FrontPoint:
    """One committee size: the best committee found, its value, and the bound for this size.

    `committee` and `value` are None where nothing was found; `bound` is None where it is proved
    that no committee of this size meets the constraints. `trusted` is as on `Solution`. For soft
    committees it is about at most so many members, the value is minus the penalised mean loss,
    and `tolerance` is the share of it that bound and value may be apart where it is optimal.
    """

    size: int
    committee: Committee | SoftCommittee | None
    value: float | None
    bound: float | None
    trusted: tuple[str, ...] = ()
    tolerance: float = 0.0

    @property
    def gap(self) -> float | None:
        """``(bound - value) / |value|``, None without a committee."""
        return relative_gap(self.value, self.bound)

    @property
    def optimal(self) -> bool:
        """Whether nothing of this size is better, by more than the tolerance."""
        gap = self.gap
        return gap is not None and gap <= self.tolerance


@dataclass(frozen=True)
class Front:
    """The best value and its proved bound for every committee size."""

    objective: str
    points: tuple[FrontPoint, ...]
    seconds: float

    @property
    def sizes(self) -> tuple[int, ...]:
        """The committee sizes."""
        return tuple(point.size for point in self.points)

    @property
    def values(self) -> tuple[float | None, ...]:
        """The best value found at each size."""
        return tuple(point.value for point in self.points)

    @property
    def bounds(self) -> tuple[float | None, ...]:
        """What no committee of each size can exceed."""
        return tuple(point.bound for point in self.points)

    def at_most(self, size: int) -> FrontPoint:
        """Return the best point of at most this size; of equals the smallest.

        Raises
        ------
        InputError
            If no committee was found up to there.
        """
        found = [point for point in self.points if point.size <= size and point.value is not None]
        if not found:
            raise InputError("size", f"no committee of at most {size} members was found.")
        return max(found, key=lambda point: (point.value, -point.size))

    def __repr__(self) -> str:
        proved = sum(point.optimal for point in self.points)
        return (
            f"<Front: {self.objective}, {len(self.points)} sizes, {proved} of them proved optimal>"
        )

    def _repr_html_(self) -> str:
        title, _, header, *lines = self.summary().split("\n")
        rows = [
            [*line.split(None, 1 if "no committee" in line else 3), "", "", ""] for line in lines
        ]
        return html_of_table(title, header.split(), [row[:4] for row in rows])

    def summary(self) -> str:
        """Return the front as lines of text: size, value, bound, gap."""
        lines = [f"{self.objective} by committee size, {self.seconds:.1f} s", ""]
        lines.append("size      value      bound      gap")
        for point in self.points:
            if point.bound is None:
                lines.append(f"{point.size:4d}   no committee of this size is allowed")
                continue
            value = "none" if point.value is None else f"{point.value:.6g}"
            gap = "" if point.gap is None else f"{100 * point.gap:.2f} %"
            lines.append(f"{point.size:4d} {value:>10} {point.bound:>10.6g} {gap:>8}")
        return "\n".join(lines)


def front(
    votes: object,
    y: object = None,
    *,
    objective: Criterion | None = None,
    diversity: str | Diversity | None = None,
    constraints: Constraint | Sequence[Constraint] | None = (),
    sample_weight: object = None,
    time_limit: float | None = 60.0,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    callback: Callable[[Front], object] | None = None,
    penalty: float | None = None,
) -> Front:
    """Find the best committee of every size, each with its proved bound, in one run.

    Ctrl-C returns the front so far rather than raising.

    Parameters
    ----------
    votes, y, sample_weight, objective, diversity, constraints, time_limit, random_state
        As in `prune`; the objective must be a weighted sum of confusion counts. Limits on the size
        say which sizes are looked at. `Probabilities` give the soft committees of at most so many
        members.
    callback
        Told the front after every round; a true return value ends the run.
    penalty
        For `Probabilities`, as in `prune`.

    Raises
    ------
    InputError
        If an argument is wrong; nothing has been started then.
    """
    began = time.monotonic()
    check_callback(callback)
    if objective is None:
        objective = "log_loss" if isinstance(votes, Probabilities) else "accuracy"
    if isinstance(votes, Probabilities):
        refuse_twice(y, sample_weight)
        wishes = Wishes(
            objective=objective, diversity=diversity, constraints=constraints,
            time_limit=time_limit, random_state=random_state,
        )  # fmt: skip
        ridge = PENALTY if penalty is None else penalty
        return _soft_front(votes, wishes, ridge, began, callback)
    if penalty is not None:
        raise InputError("penalty", NO_PENALTY)
    plan = check_plan(
        objective=objective, diversity=diversity, constraints=constraints,
        time_limit=time_limit, random_state=random_state,
    )  # fmt: skip
    if isinstance(plan.criterion, Margin) or plan.criterion == AUTOMATIC:
        raise InputError("objective", _NO_SUM.format(plan.criterion))
    pool = as_votes(votes, y, sample_weight)
    problem = Problem.of(pool, plan.criterion, plan.requests, plan.diversity)
    if problem.objective.kind != "linear":
        raise InputError("objective", _NO_SUM.format(problem.objective.name))
    if problem.must_cover:
        raise InputError("constraints", "a front knows no limit on coverage. Leave it out.")
    if len(problem.allowed) > MOST_CLASSIFIERS:
        raise InputError(
            "votes",
            f"a front needs at most {MOST_CLASSIFIERS} eligible classifiers, these are "
            f"{len(problem.allowed)}. Forbid some, or ask prune for single sizes.",
        )
    deadline = began + plan.circumstances.seconds
    fronts = _Fronts(problem, plan.circumstances.seed, began, deadline, callback)
    # What runs here is BLAS on small matrices, which is slower on all cores than on one.
    with threadpool_limits(1, "blas"):
        try:
            return fronts.run()
        except KeyboardInterrupt:
            return fronts.front()


def _soft_front(
    said: Probabilities,
    wishes: Wishes,
    penalty: object,
    began: float,
    callback: Callable[[Front], object] | None,
) -> Front:
    plan = check_soft_plan(wishes, penalty)
    problem = SoftPruning.of(said, plan.objective, plan.requests, plan.penalty)

    def front_of(points: Sequence[SoftPoint]) -> Front:
        return Front(
            problem.objective.name,
            tuple(
                FrontPoint(p.size, p.committee, p.value, p.bound, tolerance=TOLERANCE)
                for p in points
            ),
            time.monotonic() - began,
        )

    trees = SoftFront(problem, began + plan.circumstances.seconds)
    return front_of(trees.run(lambda points: callback is not None and callback(front_of(points))))


class _Fronts:
    def __init__(
        self,
        problem: Problem,
        seed: int,
        began: float,
        deadline: float,
        callback: Callable[[Front], object] | None,
    ) -> None:
        self._problem, self._seed, self._deadline = problem, seed, deadline
        self._callback, self._began = callback, began
        self._levels, self._scale = Levels.of(problem)
        self._sizes = range(self._levels.size_min, self._levels.size_max + 1)
        self._incumbents: dict[int, Incumbent] = {
            size: Incumbent(replace(problem, size_min=size, size_max=size), None)
            for size in self._sizes
        }
        start = closure_bound(problem, time.monotonic() + CLOSURE_SHARE * self._left())
        for incumbent in self._incumbents.values():
            incumbent.tighten(start)
        everything = Node.everything(self._levels, start / self._scale)
        self._nodes: tuple[Node, ...] = (everything,) if len(everything) else ()

    def run(self) -> Front:
        self._try_small()
        self._search(min(self._deadline, time.monotonic() + _SEARCH_SHARE * self._left()))
        number, branch, token = 0, False, uuid.uuid4().hex
        while self._nodes and self._left() > 0:
            until = min(self._deadline, time.monotonic() + _ROUND)
            task = Task(
                self._levels, self._nodes, (), self._targets(), until, self._deadline, number,
                branch, token=token,
            )  # fmt: skip
            try:
                share = call(WORKER, (task,), self._deadline, lambda *_: None)
            except SolverFailure:
                break
            self._nodes, number = share.nodes, share.next_number
            branch = branch or share.settled
            for columns in share.members:
                self._offer([self._problem.allowed[k] for k in columns])
            self._take_stock()
            if self._callback is not None and self._callback(self.front()):
                break
        return self.front()

    def front(self) -> Front:
        """Return where things stand."""
        unit = self._problem.gains.unit
        points = []
        for size, incumbent in self._incumbents.items():
            value = None if incumbent.score is None else float(incumbent.score * unit)
            bound = incumbent.progress().bound
            nothing = value is None and size not in self._open_sizes()
            points.append(
                FrontPoint(
                    size, incumbent.committee, value, None if nothing else bound, incumbent.trusted
                )
            )
        return Front(self._problem.objective.name, tuple(points), time.monotonic() - self._began)

    def _left(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    def _open_sizes(self) -> set[int]:
        return {int(size) for node in self._nodes for size in np.unique(node.pairs[:, 0])}

    def _try_small(self) -> None:
        """Try all committees of the smallest sizes, as far as a share of the time goes."""
        until = time.monotonic() + TRY_SHARE * self._left()
        for size in self._sizes:
            incumbent, only = self._incumbents[size], range(size, size + 1)
            if not affordable(self._problem, only, until - time.monotonic()):
                return
            with threadpool_limits(1, "blas"):
                tried = try_all(incumbent.problem, incumbent, only, until)
            if tried != only and not incumbent.closed:
                return
            incumbent.close()
            left = (node.only(node.pairs[:, 0] != size) for node in self._nodes)
            self._nodes = tuple(filter(len, left))

    def _search(self, until: float) -> None:
        """Search size by size, up and down, each from its neighbour's best."""
        order = [*self._sizes, *reversed(self._sizes)]
        for place, size in enumerate(order):
            if time.monotonic() >= until:
                return
            incumbent = self._incumbents[size]
            for neighbour in (size - 1, size + 1):
                self._step_from(neighbour, size)
            if not incumbent.closed and not nobody_fits(incumbent.problem):
                walked = thinned(incumbent.problem, incumbent, self._seed, self._left())
                tabu = TabuSearch(*walked, self._seed + place)
                seconds = (until - time.monotonic()) / (len(order) - place)
                search(tabu, incumbent, time.monotonic() + seconds, _PATIENCE)

    def _step_from(self, neighbour: int, size: int) -> None:
        """Offer a neighbour's best committee with one member more, or one less."""
        known = self._incumbents.get(neighbour)
        if known is None or known.committee is None:
            return
        members = set(known.committee.members)
        others = members if neighbour > size else set(self._problem.allowed) - members
        for k in sorted(others):
            self._incumbents[size].offer(sorted(members ^ {k}))

    def _offer(self, members: list[int]) -> None:
        incumbent = self._incumbents.get(len(members))
        if incumbent is not None:
            incumbent.offer(members)

    def _targets(self) -> Floats:
        """Return the least bound of each size that leaves room for something better."""
        targets = np.full(self._levels.size_max + 1, -1e300)
        for size, incumbent in self._incumbents.items():
            if incumbent.score is not None:
                targets[size] = (incumbent.score + self._problem.gains.step) / self._scale
        return targets

    def _take_stock(self) -> None:
        """Read the bound of each size off the open nodes."""
        highest: dict[int, float] = {}
        for node in self._nodes:
            for size, bound in zip(node.pairs[:, 0].tolist(), node.bounds.tolist(), strict=True):
                highest[size] = max(highest.get(size, -np.inf), bound)
        for size, incumbent in self._incumbents.items():
            if size in highest:
                bound = highest[size] + self._levels.room(highest[size])
                incumbent.tighten(float(self._scale * bound))
            else:
                incumbent.close()
