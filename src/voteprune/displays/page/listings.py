"""The tables and sentences of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...exceptions import shown
from ...numbers.exact import show
from ...problem.constraints import Budget
from ...solve import words
from ...solve.explanation import Explanation, MemberRole
from ...solve.fronts import SIZE, Front
from ...solve.plurality_solution import PluralitySolution
from ...solve.soft_explain import SoftExplanation, SoftRole
from ...solve.soft_solution import NOT_KEPT, SoftSolution
from ...solve.solution import Solution

Answer = Solution | PluralitySolution | SoftSolution
Reasons = Explanation | SoftExplanation

_CLASSES, _ROWS, _SWAPS, _NAME = 12, 200, 8, 60
"""Classes, rows, swaps and letters of a name that are told before the rest is only counted."""


@dataclass(frozen=True, slots=True)
class Table:
    """Words in rows; the first column says whose they are.

    Parameters
    ----------
    name, title, note
        What it is called inside the page, what stands above it, and what it means.
    headings, rows
        Its words.
    summed
        Whether the last row sums up the others.
    """

    name: str
    title: str
    note: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    summed: bool = False


def cut(name: object, most: int = _NAME) -> str:
    """Return a name as it is shown: no control characters, and not too long."""
    text = shown(str(name))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def tiles(solution: Answer) -> tuple[tuple[str, str], ...]:
    """Return the figures that matter most, each with its words."""
    committee = solution.committee
    assert committee is not None
    found = []
    if isinstance(solution, SoftSolution):
        found.append((f"{solution.loss:.4g}", f"{_plain(solution.objective)}, mean over the rows"))
        found.append((f"{100 * (solution.accuracy or 0):.2f} %", "of the rows decided right"))
    else:
        found.append((f"{solution.value:.6g}", _plain(solution.objective)))
        right, base = _accuracy(solution)
        if solution.objective != "accuracy":
            found.append((f"{100 * right:.2f} %", "of the rows decided right"))
        found.append((f"{100 * base:.2f} %", "of the rows have the commonest class"))
    if solution.gap is None:
        found.append(("none", "bound: how much better there is nobody knows"))
    elif solution.status == "optimal":
        found.append(_proved(solution))
    else:
        found.append((words.percent(solution.gap), "gap: at most so much better exists"))
    found.append((f"{committee.size} of {solution.n_classifiers}", "classifiers are asked"))
    return tuple(found)


def _proved(solution: Answer) -> tuple[str, str]:
    """Return what "optimal" is about."""
    if not isinstance(solution, SoftSolution):
        return "optimal", "no committee is better"
    if not solution.limits_kept:
        return "limits not kept", "optimal by loss alone"
    return "optimal", "no other members have less loss"


def _accuracy(solution: Solution | PluralitySolution) -> tuple[float, float]:
    """Return how often the committee is right, and how often the commonest class is."""
    if isinstance(solution, Solution):
        assert solution.confusion is not None
        return solution.confusion.accuracy, solution.confusion.base_rate
    assert solution.confusion is not None
    totals = [sum(row, Fraction(0)) for row in solution.confusion]
    right = sum((row[place] for place, row in enumerate(solution.confusion)), Fraction(0))
    return float(right / sum(totals)), float(max(totals) / sum(totals))


def rule(solution: Answer) -> str:
    """Say how the committee decides."""
    committee = solution.committee
    assert committee is not None
    if isinstance(solution, PluralitySolution):
        order = ", ".join(cut(label) for label in solution.class_names[:_CLASSES])
        return f"The class with most votes wins. A tie goes to the class named first: {order}."
    if isinstance(solution, Solution):
        assert solution.committee is not None
        least, votes = solution.committee.threshold + 1, solution.committee.n_votes
        return (
            f"Positive if at least {least} of the {votes} vote{'s' if votes > 1 else ''} "
            f"{'are' if votes > 1 else 'is'} positive."
        )
    assert solution.committee is not None
    soft = solution.committee
    if soft.rule == "linear_pool":
        text = "The committee's probability is the weighted mean of its members' probabilities."
    else:
        numbers = ", ".join(f"{number:.4g}" for number in soft.intercepts)
        text = (
            "The members' log-odds, times their weights, are added up "
            f"({'intercept' if len(soft.intercepts) == 1 else 'intercepts'} {numbers})."
        )
    if len(soft.classes) == 2:
        text += f" {cut(soft.classes[1])} is decided above a probability of {soft.cutoff:.4g}."
    return text


def members(solution: Answer, why: Reasons | None) -> Table:
    """Return who sits, with weight, cost, and what is lost without each."""
    committee = solution.committee
    assert committee is not None
    columns: list[tuple[str, list[str]]] = [("member", [cut(name) for name in committee.names])]
    if isinstance(solution, SoftSolution):
        assert solution.committee is not None
        columns.append(("weight", [f"{weight:.3g}" for weight in solution.committee.weights]))
    elif isinstance(solution, Solution):
        assert solution.committee is not None
        votes = solution.committee.multiplicities
        if max(votes) > 1:
            columns.append(("votes", list(map(str, votes))))
    totals = {}
    for number, budget in enumerate(budgets(solution)):
        costs = budget.for_pool(names(solution))
        heading = cut(budget.name, 24)
        heading += f" {number + 1}" if heading in totals else ""
        columns.append((heading, [show(costs[k]) for k in committee.members]))
        spent = sum((costs[k] for k in committee.members), Fraction(0))
        totals[heading] = f"{show(spent)} of {show(budget.limit)}"
    note = ""
    if why is not None:
        roles: dict[int, MemberRole | SoftRole] = {role.member: role for role in why.members}
        told = [roles[k] for k in committee.members]
        columns.append(("lost without it", [_lost(why.value, role) for role in told]))
        columns.append(("", [_verdict(role) for role in told]))
        what = "penalised loss" if isinstance(solution, SoftSolution) else solution.objective
        note = (
            f"Lost without it: how much {_plain(what)} the best committee without this member "
            f"{'has more' if isinstance(solution, SoftSolution) else 'lacks'}, whoever else is "
            "asked instead. A range where the time was too short to tell exactly."
        )
    headings = tuple(heading for heading, _ in columns)
    rows = list(zip(*(cells for _, cells in columns), strict=True))
    if totals:
        rows.append(("all together", *(totals.get(heading, "") for heading in headings[1:])))
    return Table("members", "Who is asked", note, headings, tuple(rows), bool(totals))


def budgets(solution: Answer) -> list[Budget]:
    """Return the budgets that were asked for."""
    requests = () if solution.problem is None else solution.problem.requests
    return [item for item in requests if isinstance(item, Budget)]


def names(solution: Answer) -> tuple[str, ...]:
    """Return what all classifiers are called, where that is known."""
    if isinstance(solution, SoftSolution):
        return () if solution.problem is None else solution.problem.said.names
    return () if solution.problem is None else solution.problem.votes.names


def _lost(value: float, role: MemberRole | SoftRole) -> str:
    """Say what the best committee without a member lacks: a number, or between which two."""
    if role.bound is None:
        return "no committee is allowed"
    least = max(0.0, value - role.bound)
    if role.best is None:
        return f"{least:.4g} or more"
    most = max(0.0, value - role.best)
    low, high = f"{least:.4g}", f"{most:.4g}"
    return high if low == high else f"{low} to {high}"


def _verdict(role: MemberRole | SoftRole) -> str:
    return role.judgement if isinstance(role, MemberRole) else role.verdict


def confusion(solution: Answer) -> Table | None:
    """Return true classes against decided ones; None where they were not counted."""
    counts = solution.confusion
    if counts is None:
        return None
    if isinstance(counts, tuple):
        assert isinstance(solution, PluralitySolution)
        labels, cells = list(map(str, solution.class_names)), [list(row) for row in counts]
    else:
        labels = ["negative", "positive"]
        if isinstance(solution, SoftSolution) and solution.committee is not None:
            labels = list(map(str, solution.committee.classes))
        cells = [[counts.tn, counts.fp], [counts.fn, counts.tp]]  # type: ignore[list-item]
    note = "A line for each true class, a column for each class that the committee decides for."
    if len(labels) > _CLASSES:
        note += f" The first {_CLASSES} of {len(labels)} classes."
    names = [cut(label, 24) for label in labels[:_CLASSES]]
    rows = []
    for place, name in enumerate(names):
        row = cells[place]
        total = sum(row, Fraction(0))
        found = f"{100 * float(row[place] / total):.1f} %" if total else "no rows"
        rows.append((name, *(_count(cell) for cell in row[:_CLASSES]), found))
    headings = ("true class", *(f"decided {name}" for name in names), "found")
    return Table("confusion", "Class by class", note, headings, tuple(rows))


def _count(cell: int | Fraction) -> str:
    whole = int(cell) if Fraction(cell).denominator == 1 else cell
    return words.count(whole)


def swaps(why: Explanation) -> str:
    """Say which exchanges of one member cost nothing."""
    if not why.swaps:
        return "Every exchange of one member for somebody else costs something."
    listed = [f"{cut(swap.join)} for {cut(swap.out)}" for swap in why.swaps[:_SWAPS]]
    more = len(why.swaps) - len(listed)
    rest = f", and {more} more" if more else ""
    several = "Exchanges that cost" if len(why.swaps) > 1 else "An exchange that costs"
    return f"{several} nothing: {', '.join(listed)}{rest}."


def rows_lost(why: Reasons | None, nobody: Sequence[int] | None) -> tuple[tuple[str, str], ...]:
    """Return sentences on rows that no committee gets right, each with the rows.

    Parameters
    ----------
    why
        The explanation, where there is one.
    nobody
        Rows that every classifier decides wrong.
    """
    if nobody is None:
        return ()
    found: list[tuple[str, Sequence[object]]] = [
        (
            f"{_rows(len(nobody))} that nobody in the pool gets right"
            if nobody
            else "Every row is right for somebody in the pool.",
            nobody,
        )
    ]
    if isinstance(why, Explanation):
        pairs = [f"{one} | {other}" for one, other in why.disputed]
        several = "pairs" if len(pairs) != 1 else "pair"
        more: list[tuple[str, Sequence[object]]] = [
            (f"{len(pairs)} {several} of rows of which no committee gets both right", pairs),
            (f"{_rows(len(why.sacrificed))} wrong in every committee as good as this one",
             why.sacrificed),
        ]  # fmt: skip
        found += [(sentence, rows) for sentence, rows in more if rows]
    return tuple((sentence, _listed(rows)) for sentence, rows in found)


def _rows(number: int) -> str:
    return f"{number} row{'' if number == 1 else 's'}"


def _listed(rows: Sequence[object]) -> str:
    more = len(rows) - _ROWS
    return ", ".join(map(str, rows[:_ROWS])) + (f", and {more} more" if more > 0 else "")


def front_table(front: Front, answer: Answer, name: str = "front") -> Table:
    """Return a front in figures.

    Parameters
    ----------
    front, answer
        The front, and the answer that it stands beside.
    name
        What the table is called inside the page.
    """
    sign, by_size = -1 if front.minimised else 1, front.by == SIZE
    assert answer.committee is not None
    rows = []
    for point in front.points:
        where = str(point.size) if by_size else show(point.cost)
        if point.bound is None:
            rows.append((where, "not allowed", "", "", ""))
            continue
        seats = () if point.committee is None else point.committee.names
        own = point.committee is not None and point.committee.members == answer.committee.members
        rows.append(
            (
                f"{where} (this one)" if own else where,
                "none found" if point.value is None else f"{sign * point.value:.6g}",
                f"{sign * point.bound:.6g}",
                "optimal" if point.optimal else "" if point.gap is None else
                words.percent(point.gap),
                ", ".join(cut(seat, 24) for seat in seats),
            )
        )  # fmt: skip
    limit = "none is below" if front.minimised else "none exceeds"
    headings = (cut(front.by, 24), "best found", limit, "gap", "members")
    note = "At most so many members." if front.cumulative else "Exactly so many members."
    if not by_size:
        note = "A line for every step; each bound holds up to the cost of the next line."
    return Table(name, "The front in figures", note, headings, tuple(rows))


def run(solution: Answer, about: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return what was asked for and what made the answer, as names and words."""
    asked = list(solution.constraints)
    if isinstance(solution, Solution) and solution.diversity:
        asked.append(solution.diversity)
    if isinstance(solution, SoftSolution) and not solution.limits_kept:
        asked.append(NOT_KEPT)
    by = solution.method if solution.solver is None else f"{solution.method} ({solution.solver})"
    rows = f"{solution.n_rows} rows{words.weighing(solution.n_rows, solution.confusion)}"
    votes = f"{rows}, {solution.n_classifiers} classifiers"
    if not isinstance(solution, SoftSolution):
        votes += f", {solution.n_patterns} distinct patterns"
    lines = [
        ("objective", _plain(solution.objective)),
        *([("penalty", f"{solution.penalty:g}")] if isinstance(solution, SoftSolution) else []),
        ("subject to", "; ".join(asked) or "nothing"),
        ("votes", votes),
        ("method", f"{by}, {solution.seconds:.2f} s, {solution.termination}"),
        ("seed", str(solution.seed)),
        *(("incident", incident) for incident in solution.incidents),
        *about.items(),
        ("versions", ", ".join(f"{name} {number}" for name, number in solution.versions.items())),
    ]
    return tuple((shown(name), shown(told)) for name, told in lines)


def _plain(objective: str) -> str:
    return shown(objective.replace("_", " "))
