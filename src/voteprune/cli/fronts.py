"""``voteprune front``: the best value of every size or every budget, with its bounds."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..exceptions import InputError
from ..front import front
from ..problem.constraints import Budget
from ..soft.probabilities import CLIP
from ..solve.fronts import SIZE, Front
from ..starting import INTERRUPTED
from ..tables import read_costs
from ..tables.soft import read_probabilities
from .console import PROVED, UNPROVED, UNWRITTEN, WRONG, say
from .inputs import read_class_tables, read_tables
from .option_texts import build_budget, check_outputs, check_picture, is_soft, read_objective
from .output import emit, noting
from .shared_options import (
    AIM,
    ANY_SOURCE,
    AS_IT_IS,
    EFFORT,
    NO_LIMITS,
    OUTPUT,
    SOME_EFFORT,
    USUAL_SOFTNESS,
    Effort,
    Limits,
    Reading,
    Softness,
    Source,
)

_COST = "cost"
"""What --by calls the costs that a table of votes tells itself."""


def front_command(
    *file: Path,
    by: Annotated[str, Parameter(group=AIM)] = SIZE,
    max_cost: Annotated[float | None, Parameter(group=AIM)] = None,
    reading: Reading = AS_IT_IS,
    source: Source = ANY_SOURCE,
    soft: Softness = USUAL_SOFTNESS,
    plurality: Annotated[bool, Parameter(group=AIM)] = False,
    limits: Limits = NO_LIMITS,
    effort: Effort = SOME_EFFORT,
    gap: Annotated[float | None, Parameter(group=EFFORT)] = None,
    within: Annotated[float | None, Parameter(group=OUTPUT)] = None,
    reaching: Annotated[float | None, Parameter(group=OUTPUT)] = None,
    json: Annotated[bool, Parameter(group=OUTPUT)] = False,
    output: Annotated[Path | None, Parameter(group=OUTPUT)] = None,
    plot: Annotated[Path | None, Parameter(group=OUTPUT)] = None,
    strict: Annotated[bool, Parameter(group=OUTPUT)] = False,
) -> int:
    """Find the best committee of every size, or of every budget, each with its proved bound.

    FILE is as for "voteprune prune". By cost, the table has a line for every step at which the best
    value found rises; no committee that costs less than the next line exceeds a line's bound.

    Parameters
    ----------
    file
        Votes or probabilities: one table with a column per classifier, or one file per model.
    by
        size; a CSV of name,cost for every classifier; or cost, for the column of that name of a
        table with a line for each vote.
    max_cost
        By cost: the largest budget to look at.
    plurality
        The cells of the table are names of classes, of which there may be more than two; the class
        with most votes wins.
    gap
        By cost: a bound no further than this share above the value is good enough, as 0.01.
    within
        Also tell the cheapest committee within this share of the best, as 0.01.
    reaching
        Also tell the cheapest committee that reaches this value.
    json
        Print the front as JSON.
    output
        Also save the front here, as JSON.
    plot
        Draw value and bound against size or cost into this file: png, svg or pdf.
    strict
        Exit code 3 where something is not proved.
    """
    asked = limits.read()
    if effort.solver is not None:
        raise InputError("--solver", "is not for fronts. Leave it out.")
    if within is not None and reaching is not None:
        raise InputError("--within", "or --reaching: give one of the two.")
    if within is not None and not 0 <= within < 1:
        raise InputError("--within", f"is {within}; give a share below 1, such as 0.01.")
    if reaching is not None and not math.isfinite(reaching):
        raise InputError("--reaching", f"is {reaching}; give a value, such as 0.9.")
    if max_cost is not None and by == SIZE:
        raise InputError("--max-cost", "is for fronts by cost. Give --by costs.csv, or --max-size.")
    told_by = None if by in (SIZE, _COST) else Path(by)
    if plot is not None:
        check_picture(plot)
    check_outputs(
        {"--output": output, "--plot": plot}, (*file, reading.labels, limits.costs, told_by)
    )
    prices = None if told_by is None else read_costs(told_by)
    votes, told, names = _read(file, reading, source, soft, plurality)
    budget = None
    if by != SIZE:
        if prices is None and told is None:
            raise InputError(
                "--by", "cost needs a table with a line for each vote and a column cost. Give a "
                "file of costs instead."
            )  # fmt: skip
        budget = _budget(prices or told or {}, max_cost, names, told_by)
    objective = source.objective
    found = front(
        votes,
        by=SIZE if budget is None else budget,
        objective=objective if is_soft(objective) else read_objective(objective),
        diversity=asked.diversity,
        constraints=asked.for_pool(names, told),
        time_limit=effort.time_limit,
        random_state=effort.seed,
        n_jobs=effort.jobs,
        gap=gap,
        penalty=soft.penalty,
    )
    return _hand_out(found, json, output, plot, strict, within=within, reaching=reaching)


def _read(
    file: tuple[Path, ...], reading: Reading, source: Source, soft: Softness, plurality: bool
) -> tuple[Any, dict[str, float] | None, tuple[str, ...]]:
    """Read what is voted or said; return it, what the file tells of costs, and the names."""
    if is_soft(source.objective):
        for option, given in (("--plurality", plurality), ("--k", source.k is not None)):
            if given:
                raise InputError(option, f"is not for --objective {source.objective}.")
        said = read_probabilities(file, reading.options(), CLIP if soft.clip is None else soft.clip)
        for note in said.notes:
            say(note)
        return said.validation, said.costs, said.validation.names
    soft.refuse()
    if plurality:
        labels = read_class_tables(file, reading, source.k)
        return labels.validation, labels.costs, labels.validation.names
    table = read_tables(file, reading, source.k)
    return table.validation, table.costs, table.validation.names


def _budget(
    prices: dict[str, float], limit: float | None, names: tuple[str, ...], path: Path | None
) -> Budget:
    """Return every classifier's cost, and the largest budget to look at."""
    everything = build_budget(prices, 0, names, path)
    most = sum(everything.for_pool(names)) if limit is None else limit
    return Budget(everything.for_pool(names), most)


def _hand_out(
    found: Front, as_json: bool, output: Path | None, plot: Path | None, strict: bool, **wanted: Any
) -> int:
    """Print a front, then write its files; return the exit code."""
    text, unwritten = found.to_json() if as_json else f"{found.summary()}\n", list[str]()
    there, unreached = any(point.committee is not None for point in found.points), ""
    if there and any(share is not None for share in wanted.values()):
        try:
            cheapest = found.cheapest(**wanted)
        except InputError as error:  # nothing that was found is good enough
            unreached = f"--{error.argument} {error.message}"
        else:
            line = f"{cheapest}\n  {', '.join(cheapest.committee.names)}\n"
            if as_json:
                say(line.strip())
            else:
                text += f"\n{line}"
    with noting(unwritten):
        emit(text)
    if plot is not None and not there:
        say(f"there is no committee, so {plot} was not written.")
        plot = None
    for path, write in ((output, found.save), (plot, found.save_plot)):
        if path is not None:
            with noting(unwritten):
                write(path)
    for sentence in (*unwritten, *([unreached] if unreached else [])):
        say(sentence)
    if unwritten:
        return UNWRITTEN
    code = _exit_code(found, there, strict)
    return UNPROVED if unreached and code == PROVED else code


def _exit_code(found: Front, there: bool, strict: bool) -> int:
    if found.termination == "interrupted":
        return INTERRUPTED
    if not there:
        return WRONG if found.optimal else UNPROVED
    return UNPROVED if strict and not found.optimal else PROVED
