"""The exact method for margins: search, bound every size, settle what is left size by size.

0. In a small pool all committees are tried.
1. First committees, the closure bound, and a second of local search.
2. One linear program at the sizes with the highest bounds, dealt to workers; the prices of each
   bound all other sizes (`tree.margins`). For hinges this is often the proof already.
3. The sizes with the highest bounds go to a solver, as many at once as there are cores, each for a
   few seconds. A size that is not settled comes back with a lower bound and queues again, for twice
   as long.

Local search goes on in the background of 2 and 3, or in turns with 2 on a single core.

It is anytime: no size can exceed its own bound, so the largest of them holds at every moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue

from ..bounds.closure import bound_by_closure
from ..mip.margin import margin_model
from ..mip.solve import EXPLAIN_SECONDS, solve_model
from ..primal.brute import enumerate_margins, is_small
from ..primal.first_committees import open_run
from ..primal.margin_tabu import MarginTabuSearch
from ..primal.search import search, thinned
from ..problem.committee import Committee
from ..problem.infeasible import Found, explain
from ..problem.margin import margin_of
from ..problem.problem import Problem
from ..run.incumbent import OPTIMAL_GAP, Incumbent, StopRequested
from ..run.run import Outcome, Run
from ..solvers import Solver, Worker, give_up
from ..tree.background import Searching
from ..tree.checkpoint import SizeBounds
from ..tree.margins.driver import MarginsDriver, at_size

_ENUMERATE = 2**21
"""Subsets times patterns up to which trying everything is quickest."""

_SEARCH_SECONDS = 1.0
_LINEAR_SHARE = 0.4
"""Share of the time that the linear programs may take."""

_FIRST_TURN = 4.0
"""Seconds a solver has for a size at first."""

_MOST_FAILURES = 2
"""A solver that is slow to start on a busy machine gets another chance, with a longer turn."""

_MOMENT = 0.02
"""Seconds to wait for solvers before what they say is read."""


def solve_margin(problem: Problem, run: Run) -> Outcome:
    """Find the best committee and prove it, as far as the time allows."""
    if is_small(problem, _ENUMERATE):
        return enumerate_margins(problem, run)
    over = open_run(problem, run)
    if over is not None:
        return over
    bound_by_closure(problem, run)
    tabu = None
    if problem.allowed and run.seconds_left > 0:
        walked = thinned(problem, run.incumbent, run.seed, run.seconds_left)
        tabu = MarginTabuSearch(*walked, run.seed)
        until = time.monotonic() + min(_SEARCH_SECONDS, 0.2 * run.seconds_left)
        search(tabu, run.incumbent, until, patience=2 * problem.n_classifiers)
    searching = Searching(run, tabu)
    until = time.monotonic() + _LINEAR_SHARE * run.seconds_left
    driver = MarginsDriver(problem, run, until)
    if not run.incumbent.closed:
        for went_on in driver.rounds(until, searching):
            if not went_on:
                break
    outcome = _settle(problem, run, driver.bounds, driver, searching)
    return replace(outcome, explanation=_explain(problem, run)) if outcome.infeasible else outcome


@dataclass
class _Queue:
    """Sizes with their bounds: those still to be worked on, and those that are settled.

    Parameters
    ----------
    proved
        What voteprune itself has proved for every size.
    waiting
        Bound of every size that may hold something better than the best committee.
    settled
        What the solver's tolerance leaves open where it has claimed an optimum.
    turns
        Seconds every size gets when its turn comes.
    who
        The solvers whose word that is: the run's own, and those of earlier runs.
    failures
        How often the solver has crashed, hung or been caught lying.
    vouched
        Whether it has dealt honestly with a size where we know something it must not miss.
    """

    proved: dict[int, int]
    waiting: dict[int, int]
    settled: dict[int, int]
    turns: dict[int, float]
    who: tuple[str, ...]
    failures: int = 0
    vouched: bool = False

    @classmethod
    def of(cls, bounds: dict[int, int], kept: SizeBounds | None, solver: str) -> _Queue:
        """Return the sizes with what has been proved, and what earlier runs were told of them."""
        if kept is None or kept.waiting is None:
            return cls(bounds, dict(bounds), {}, {}, (solver,))
        waiting = {
            size: min(bound, bounds[size]) for size, bound in kept.waiting.items() if size in bounds
        }
        who = tuple(dict.fromkeys((*kept.trusted, solver)))
        return cls(bounds, waiting, dict(kept.settled), dict(kept.turns), who)

    def state(self) -> SizeBounds:
        """Return what to put on file."""
        return SizeBounds(
            waiting=dict(self.waiting),
            settled=dict(self.settled),
            turns=dict(self.turns),
            trusted=self.who,
        )

    def drop(self, units: int | None) -> None:
        """Drop the sizes that hold nothing better."""
        if units is not None:
            self.waiting = {s: bound for s, bound in self.waiting.items() if bound > units}

    def next(self, best: Committee | None, most: int) -> list[int]:
        """Return the sizes with the highest bounds; of equals, the smaller is the smaller problem.

        The incumbent's size comes first, even if nothing better can be there: a solver that denies
        the committee we know is not trusted on other sizes.
        """
        if not self.vouched and best is not None:
            return [best.size]
        return sorted(self.waiting, key=lambda size: (-self.waiting[size], size))[:most]

    def bound(self, lowest: int) -> int:
        """Return what no committee exceeds."""
        return max([lowest, *self.waiting.values(), *self.settled.values()])


def _settle(
    problem: Problem,
    run: Run,
    bounds: dict[int, int],
    driver: MarginsDriver | None = None,
    searching: Searching | None = None,
) -> Outcome:
    """Let a solver refute the sizes one by one, or find what is better there.

    Parameters
    ----------
    problem, run, bounds
        What is being solved, and what is proved of every size.
    driver
        Knows what is on file, and puts it there.
    searching
        Local search that goes on beside the solver; none when omitted.
    """
    incumbent, info = run.incumbent, run.solver.info
    queue = _Queue.of(bounds, None if driver is None else driver.kept, run.solver.name)
    while True:
        queue.drop(incumbent.score)
        if incumbent.score is not None:
            incumbent.tighten(max(bounds.values(), default=incumbent.score))
            incumbent.tighten(queue.bound(incumbent.score), queue.who)
        if incumbent.closed:
            return Outcome("proved")
        if not queue.waiting:
            break
        if run.seconds_left <= 0:
            return Outcome("time limit")
        most, meanwhile = 1, None
        if searching is not None:
            most, meanwhile = searching.begin_round(Worker(info.module, info.name))
        _work_on(problem, run, queue, queue.next(incumbent.committee, most), meanwhile)
        if queue.failures >= _MOST_FAILURES or incumbent.caught:
            return Outcome("solver failed")
        if driver is not None:
            driver.keep(queue.state())
    if incumbent.score is None:
        # Without any size to ask about the answer rests on no solver.
        return Outcome("proved", infeasible=True, trusted=queue.who if bounds else ())
    gap = incumbent.progress().gap
    fine = incumbent.score == 0 or (gap is not None and gap <= OPTIMAL_GAP)
    return Outcome("proved" if fine else "solver tolerance", trusted=queue.who)


def _work_on(
    problem: Problem,
    run: Run,
    queue: _Queue,
    sizes: Sequence[int],
    meanwhile: Callable[[], bool] | None = None,
) -> None:
    """Give sizes their turn: one here, or several at once, with something else to do meanwhile."""
    incumbent = run.incumbent
    if len(sizes) == 1 and meanwhile is None:
        turn = _Turn(problem, run, queue, sizes[0], _Turn.forward)
        try:
            outcome = turn.ask()
        finally:  # also when the run ends here: a false claim stays known
            turn.own_up()
        turn.end(outcome)
        return
    # This thread enters all that the solvers say; the others wait for them, and touch nothing else.
    news: SimpleQueue[_Turn] = SimpleQueue()
    alone = replace(run, threads=max(1, run.threads // len(sizes)))
    turns = [_Turn(problem, alone, queue, size, news.put) for size in sizes]
    solver, enough = Worker(run.solver.info.module, run.solver.name), False
    try:
        with ThreadPoolExecutor(len(sizes)) as pool:
            asked = [pool.submit(turn.ask) for turn in turns]
            try:
                while not all(future.done() for future in asked):
                    while not news.empty():
                        news.get().forward()
                    if incumbent.closed and not enough:
                        enough = True
                        give_up(solver)
                    if meanwhile is None or enough:
                        wait(asked, _MOMENT, FIRST_COMPLETED)
                    elif not meanwhile():
                        meanwhile = None
            except BaseException:
                give_up(solver)  # they would go on for nobody
                raise
        while not news.empty():
            news.get().forward()
    finally:
        for turn in turns:
            turn.own_up(silently=enough)
    if not enough:  # those that were given up have no more to say
        for turn, future in zip(turns, asked, strict=True):
            turn.end(future.result())


class _Turn:
    """A size's turn with a solver, which has an incumbent of its own (`own`).

    Parameters
    ----------
    problem, run, queue, size
        What is being solved, how, what is known of all sizes, and the size.
    tell
        Told of the turn whenever its incumbent has improved.
    """

    def __init__(
        self,
        problem: Problem,
        run: Run,
        queue: _Queue,
        size: int,
        tell: Callable[[_Turn], None],
    ) -> None:
        incumbent = run.incumbent
        self._incumbent, self._queue, self._size = incumbent, queue, size
        self._here, self._above = at_size(problem, size), incumbent.score
        known = incumbent.committee
        seconds = queue.turns[size] = 2 * queue.turns.get(size, _FIRST_TURN / 2)
        self.own = Incumbent(self._here, lambda _: tell(self))
        if self._above is not None and known is not None and known.size == size:
            queue.waiting.setdefault(size, self._above)
            self.own.offer(known.members, known.threshold)
            self._above -= 1
        self.own.tighten(queue.proved[size])
        self.own.tighten(queue.waiting[size], queue.who)
        self._look = run.part(time.monotonic() + seconds, self.own)

    def ask(self) -> Outcome:
        """Have the solver look for something better than the best committee."""
        return solve_model(self._here, self._look, partial(margin_model, above=self._above))

    def forward(self) -> None:
        """Enter what the solver has found until now."""
        queue, incumbent, own = self._queue, self._incumbent, self.own
        queue.waiting[self._size] = min(queue.waiting[self._size], own.bound)
        if own.committee is not None and own.committee != incumbent.committee:
            incumbent.offer(own.committee.members, own.committee.threshold)
        if incumbent.score is not None:
            incumbent.tighten(queue.bound(incumbent.score), queue.who)

    def own_up(self, *, silently: bool = False) -> None:
        """Enter what the solver did wrong; silently, only whether it has made a false claim."""
        self._incumbent.disbelieve(self.own.caught, () if silently else self.own.incidents)

    def end(self, outcome: Outcome) -> None:
        """Enter how it ended."""
        queue, own = self._queue, self.own
        failed = outcome.termination == "solver failed"
        queue.failures += failed
        queue.vouched |= not failed
        if outcome.infeasible or outcome.termination in ("proved", "solver tolerance"):
            left = queue.waiting.pop(self._size)
            if not outcome.infeasible:
                queue.settled[self._size] = min(left, own.bound)


def _explain(problem: Problem, run: Run) -> str:
    """Say which constraints clash."""
    deadline = max(run.deadline, time.monotonic() + EXPLAIN_SECONDS)

    def find(anything: Problem) -> Found:
        incumbent = Incumbent(anything, lambda progress: progress.value is not None)
        look = replace(run, incumbent=incumbent, deadline=deadline, solver=Solver())
        try:
            open_run(anything, look)
            sizes = range(anything.size_min, anything.size_max + 1)
            everything = margin_of(anything).row_units * sum(anything.patterns.totals)
            outcome = _settle(anything, look, dict.fromkeys(sizes, everything))
        except StopRequested:
            return incumbent.committee, False
        return None, outcome.infeasible

    return explain(problem, find)
