"""`Front`: the best value found and its proved bound, for every size or for every budget."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

from ..exceptions import InputError
from ..files import jsonfile
from ..files.jsonfile import Document
from ..numbers.exact import exact
from ..problem.committee import Committee
from ..problem.plurality_committee import PluralityCommittee
from ..run.incumbent import relative_gap
from ..soft.committee import SoftCommittee
from ..soft.pruning import OBJECTIVES
from ..web.pictures import new_figure, require_matplotlib
from .words import html_of_table

AnyCommittee = Committee | PluralityCommittee | SoftCommittee

_COMMITTEES: dict[str, type[AnyCommittee]] = {
    "committee": Committee,
    "plurality_committee": PluralityCommittee,
    "soft_committee": SoftCommittee,
}
"""Kinds of committees, as documents name them."""

SIZE = "size"
"""What committees are told apart by where nothing else is asked for."""


@dataclass(frozen=True)
class FrontPoint:
    """One committee size, or the budgets from one cost to the next.

    Parameters
    ----------
    size
        How many sit. In a front by size of soft committees, several classes, ratios or margins it
        is how many may sit at the most.
    committee, value
        The best found, and its value; None where nothing was found.
    bound
        What no committee of this size exceeds, or none of any cost below that of the next point;
        None where it is proved that none is allowed.
    trusted
        As on `Solution`.
    tolerance
        The share of the value that bound and value may be apart where it is optimal.
    price
        In a front by cost, what the committee costs, or where there is none what no committee
        costs less than; None in a front by size.
    """

    size: int
    committee: AnyCommittee | None
    value: float | None
    bound: float | None
    trusted: tuple[str, ...] = ()
    tolerance: float = 0.0
    price: Fraction | None = None

    @property
    def cost(self) -> Fraction:
        """The price; in a front by size, the size."""
        return Fraction(self.size) if self.price is None else self.price

    @property
    def gap(self) -> float | None:
        """``(bound - value) / |value|``, None without a committee."""
        return relative_gap(self.value, self.bound)

    @property
    def optimal(self) -> bool:
        """Whether nothing of this size, or at these budgets, is better by more than `tolerance`."""
        gap = self.gap
        return gap is not None and gap <= self.tolerance

    def _fields(self) -> dict[str, Any]:
        return {
            "price": None if self.price is None else str(self.price),
            "size": self.size,
            "value": self.value,
            "bound": self.bound,
            "trusted": list(self.trusted),
            "tolerance": self.tolerance,
            "kind": None if self.committee is None else self.committee._KIND,
            "committee": None if self.committee is None else self.committee._fields(),
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> FrontPoint:
        committee = None
        if not fields.missing("committee"):
            kind = fields.text("kind")
            if kind not in _COMMITTEES:
                raise InputError("kind", f"is {kind!r}; expected {', '.join(_COMMITTEES)}.")
            committee = _COMMITTEES[kind]._from_fields(fields.object("committee"))
        value, bound = (
            None if fields.missing(key) else fields.number(key) for key in ("value", "bound")
        )
        if (value is None) != (committee is None):
            raise InputError("value", "a committee comes with its value, and no other does.")
        if value is not None and (bound is None or bound < value):
            raise InputError("bound", f"{bound} is below the value {value}.")
        return cls(
            fields.integer("size"), committee, value, bound, fields.texts("trusted"),
            fields.number("tolerance"),
            None if fields.missing("price") else fields.fraction("price"),
        )  # fmt: skip


@dataclass(frozen=True)
class Cheapest:
    """The cheapest committee found that is good enough, and what is proved about it.

    Parameters
    ----------
    point
        The committee, with its cost and value.
    target
        The value that was to be reached.
    least_cost
        No committee that costs less reaches it.
    shortfall
        The share of what the best committee can reach that this one is below it, at the most;
        None where that is 0.
    by
        What the costs are called.
    minimised
        Whether values are losses with their sign turned.
    """

    point: FrontPoint
    target: float
    least_cost: Fraction
    shortfall: float | None
    by: str
    minimised: bool = False

    @property
    def committee(self) -> AnyCommittee:
        """The committee."""
        assert self.point.committee is not None
        return self.point.committee

    @property
    def cost(self) -> Fraction:
        """What it costs."""
        return self.point.cost

    @property
    def proved(self) -> bool:
        """Whether no cheaper committee is good enough."""
        return self.least_cost >= self.cost

    def __str__(self) -> str:
        assert self.point.value is not None
        sign, least = (-1 if self.minimised else 1), _number(self.least_cost)
        lines = [
            f"{self.by} {_number(self.cost)} reaches {sign * self.point.value:.6g} "
            f"(asked for: {sign * self.target:.6g})"
        ]
        if self.by == SIZE:
            lines.append(
                "no smaller committee does" if self.proved
                else f"no committee of fewer than {least} members does"
            )  # fmt: skip
        else:
            lines.append(
                "no cheaper committee does" if self.proved
                else f"nothing that costs less than {least} does"
            )  # fmt: skip
        if self.shortfall is not None:
            where = "above the least" if self.minimised else "below the best"
            lines.append(f"at most {100 * self.shortfall:.2f} % {where} possible")
        return "; ".join(lines)


@dataclass(frozen=True)
class Front(Document):
    """The best value and its proved bound for every committee size, or for every budget.

    Parameters
    ----------
    objective
        What is maximised.
    points
        In the order of sizes or costs. By cost they are the steps at which the best value found
        rises, and a bound holds from one point's cost up to the next one's.
    seconds
        How long it took.
    by
        "size", or what the costs are called.
    limit
        The largest budget looked at; None where that is everything.
    cumulative
        By size, whether points are about at most so many members, or else exactly so many.
    termination
        How the run ended: "proved", "finished", "time limit", "solver failed", "callback" or
        "interrupted"; "running" on what a callback is told.
    """

    _KIND: ClassVar = "front"

    objective: str
    points: tuple[FrontPoint, ...]
    seconds: float
    by: str = SIZE
    limit: Fraction | None = None
    cumulative: bool = False
    termination: str = "running"

    @property
    def minimised(self) -> bool:
        """Whether less is better: values are penalised losses of soft committees, sign turned."""
        return self.objective in OBJECTIVES

    @property
    def sizes(self) -> tuple[int, ...]:
        """The committee sizes."""
        return tuple(point.size for point in self.points)

    @property
    def costs(self) -> tuple[float, ...]:
        """What each committee costs; its size, in a front by size."""
        return tuple(float(point.cost) for point in self.points)

    @property
    def values(self) -> tuple[float | None, ...]:
        """The best value found at each point."""
        return tuple(point.value for point in self.points)

    @property
    def bounds(self) -> tuple[float | None, ...]:
        """What no committee of each size, or of less than the next cost, can exceed."""
        return tuple(point.bound for point in self.points)

    @property
    def optimal(self) -> bool:
        """Whether every point is proved, or proved to be empty."""
        return all(point.optimal or point.bound is None for point in self.points)

    def at_most(self, limit: object) -> FrontPoint:
        """Return the best point of at most this size or cost; of equals the cheapest.

        Parameters
        ----------
        limit
            The cost; in a front by size a whole number of members.

        Raises
        ------
        InputError
            If no committee was found up to there, the front does not go so far, or a size is no
            whole number.
        """
        most = exact(limit, "limit")
        if self.by == SIZE and most.denominator > 1:
            raise InputError(
                "limit", f"is {limit}; committees have whole numbers of members. Give {most // 1}."
            )
        if self.limit is not None and most > self.limit:
            raise InputError(
                "limit", f"is {limit}, the front goes up to {_number(self.limit)}. Ask for less."
            )
        found = [point for point in self.points if point.value is not None and point.cost <= most]
        if not found:
            up_to = f"{limit} members" if self.by == SIZE else f"{self.by} {limit}"
            raise InputError("limit", f"no committee of at most {up_to} was found.")
        return max(found, key=lambda point: (point.value, -point.cost))

    def cheapest(self, *, within: float | None = None, reaching: float | None = None) -> Cheapest:
        """Return the cheapest committee that is good enough; by size, the smallest.

        Parameters
        ----------
        within
            Share of the best value found that it may be below it: 0.01 for one per cent. Of soft
            committees the share of the least penalised loss found that it may be above it.
        reaching
            The value it must reach, of soft committees the penalised loss it must not exceed; give
            one of the two.

        Raises
        ------
        InputError
            If not one of the two is given, or no committee was found that reaches the value.
        """
        if (within is None) == (reaching is None):
            raise InputError("within", "or reaching: give one of the two, as in within=0.01.")
        found = [point for point in self.points if point.value is not None]
        if not found:
            raise InputError("within" if reaching is None else "reaching", "no committee is there.")
        best = max(point.value for point in found if point.value is not None)
        if within is not None:
            share = float(exact(within, "within"))
            if not 0 <= share < 1:
                raise InputError("within", f"is {within!r}; give a share such as 0.01.")
            target = best - share * abs(best)
        else:
            target = float(exact(reaching, "reaching"))
            target = -abs(target) if self.minimised else target
        highest = max(point.bound for point in self.points if point.bound is not None)
        enough = [point for point in found if point.value is not None and point.value >= target]
        if not enough:
            sign, limit = (-1, "be below") if self.minimised else (1, "exceed")
            possible = f"none can {limit} {sign * highest:.6g}"
            raise InputError(
                "reaching",
                f"is {reaching}; the best committee found has {sign * best:.6g}, "
                f"{'none can reach it' if highest < target else possible}.",
            )
        point = min(enough, key=lambda point: point.cost)
        possible_from = min(
            other.cost for other in self.points if other.bound is not None and other.bound >= target
        )
        short = relative_gap(point.value, highest)
        scale = abs(point.value or 0) / abs(highest) if highest else 1.0
        shortfall = None if not short else short * scale
        return Cheapest(point, target, possible_from, shortfall, self.by, self.minimised)

    def save_plot(self, path: str | Path) -> None:
        """Draw value and bound into a file, whose ending (png, svg, pdf) says its format."""
        require_matplotlib()
        # Pictures stand on top of everything else.
        display = import_module("voteprune.displays.front").FrontDisplay
        display.from_front(self, new_figure(7.5, 4.2).subplots()).save(path)

    def __repr__(self) -> str:
        proved, what = sum(point.optimal for point in self.points), "sizes"
        if self.by != SIZE:
            what = f"steps of {self.by}"
        return (
            f"<Front: {self.objective}, {len(self.points)} {what}, {proved} of them proved optimal>"
        )

    def _repr_html_(self) -> str:
        return html_of_table(self._title(), self._header(), [line[1] for line in self._lines()])

    def summary(self) -> str:
        """Return the front as lines of text: size or cost, value, bound, gap."""
        widths = (4, 10, 10, 8) if self.by == SIZE else (10, 5, 10, 10, 8)
        lines = [self._title(), "", _aligned(self._header(), widths)]
        for nothing, cells in self._lines():
            lines.append(f"{cells[0]:>4}   {cells[1]}" if nothing else _aligned(cells, widths))
        if not self.points:
            lines += ["", "no committee is allowed"]
        elif self.by != SIZE:
            last = "" if self.limit is None else f", the last one up to {_number(self.limit)}"
            lines += ["", f"Each bound holds up to the {self.by} of the next line{last}."]
        return "\n".join(lines)

    def _title(self) -> str:
        by = f"{'largest ' * self.cumulative}committee size" if self.by == SIZE else self.by
        what = f"{'penalised ' * self.minimised}{self.objective}"
        return f"{what} by {by}, {self.seconds:.1f} s"

    def _header(self) -> list[str]:
        first = ["size"] if self.by == SIZE else [self.by, "size"]
        return [*first, *(("loss", "at least") if self.minimised else ("value", "bound")), "gap"]

    def _lines(self) -> list[tuple[bool, list[str]]]:
        """Return the cells of every point, and whether they say that there is nothing."""
        lines, sign = [], -1 if self.minimised else 1
        for point in self.points:
            if point.bound is None:
                words = f"no committee of {'at most ' * self.cumulative}this size is allowed"
                lines.append((True, [str(point.size), words, "", ""]))
                continue
            found = "none" if point.value is None else f"{sign * point.value:.6g}"
            cells = [found, f"{sign * point.bound:.6g}"]
            cells.append("" if point.gap is None else f"{100 * point.gap:.2f} %")
            if self.by == SIZE:
                lines.append((False, [str(point.size), *cells]))
            else:
                size = "" if point.committee is None else str(point.size)
                lines.append((False, [_number(point.cost), size, *cells]))
        return lines

    def _fields(self) -> dict[str, Any]:
        return {
            "objective": self.objective,
            "by": self.by,
            "limit": None if self.limit is None else str(self.limit),
            "seconds": self.seconds,
            "cumulative": self.cumulative,
            "termination": self.termination,
            "points": [point._fields() for point in self.points],
        }

    @classmethod
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
        return fields.build(
            lambda: cls(
                fields.text("objective"),
                tuple(
                    FrontPoint._from_fields(jsonfile.Fields(item, "a point of a front"))
                    for item in fields.items("points")
                ),
                fields.number("seconds"),
                fields.text("by"),
                None if fields.missing("limit") else fields.fraction("limit"),
                fields.flag("cumulative"),
                fields.text("termination"),
            )
        )


def _number(value: Fraction) -> str:
    return f"{float(value):.6g}"


def _aligned(cells: list[str], widths: tuple[int, ...]) -> str:
    return " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
