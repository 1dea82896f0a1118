"""What the texts of options mean, and which of them cannot be.

The command line speaks in words such as ``recall=0.9``; the library takes objects. Errors raised
here name the option rather than the library's argument.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..exceptions import FileFormatError, InputError
from ..files import outfile
from ..problem.constraints import AtLeast, AtMost, Budget, Constraint, Group
from ..problem.diversity import Diversity
from ..problem.formulas import COUNTS, Ratio, Weights
from ..problem.margin import KINDS, Margin
from ..problem.metrics import Criterion
from ..soft.pruning import OBJECTIVES
from ..tables import tables_of
from ..web.pictures import require_matplotlib


def read_objective(text: str) -> Criterion | Margin:
    """Read ``--objective``.

    Parameters
    ----------
    text
        A criterion's name, which is returned as it is; weights such as ``tp=1,fp=-5``; a ratio
        of two such, ``tp=2/tp=2,fn=1,fp=1``; or a margin with its theta, ``ramp:1``, and its
        growth, ``hinge:0.5:0.75``.
    """
    kind, *numbers = text.split(":")
    if kind in KINDS:
        return _margin(kind, numbers)
    if "=" not in text:
        return text
    above, slash, below = text.partition("/")
    return Ratio(_weights(above), _weights(below)) if slash else _weights(above)


def _margin(kind: str, numbers: Sequence[str]) -> Margin:
    """Read the numbers after ``ramp`` or ``hinge``."""
    try:
        theta, *growth = map(float, numbers)
        return KINDS[kind](theta, *growth)
    except InputError as error:
        raise InputError("--objective", f"{error.argument} {error.message}") from None
    except (TypeError, ValueError):
        raise InputError(
            "--objective",
            f"{':'.join([kind, *numbers])!r} is not {kind}:theta or {kind}:theta:growth with two "
            f"numbers. Write {kind}:1, say, or 'margin' to have a scale chosen.",
        ) from None


def _weights(text: str) -> Weights:
    weights: dict[str, float] = {}
    for name, value in _pairs("--objective", text):
        if name not in COUNTS or name in weights:
            raise InputError(
                "--objective", f"{name!r}: weights are on tp, fn, tn and fp, each once at most."
            )
        weights[name] = value
    return Weights(**weights)


def read_limits(
    kind: type[AtLeast] | type[AtMost], option: str, texts: Sequence[str]
) -> Iterator[Constraint]:
    """Read limits on criteria and counts.

    Parameters
    ----------
    kind
        Whether they are floors or ceilings.
    option
        Where they come from, for messages.
    texts
        Each ``name=number``, or several with commas between; ``name:class=number`` where there are
        several classes.
    """
    for text in texts:
        for name, value in _pairs(option, text):
            what, colon, label = name.partition(":")
            try:
                yield kind(what, value, of=label if colon else None)
            except InputError as error:
                raise InputError(option, error.message) from None


def read_diversity(
    name: str | None, tau: float | None, gamma: float | None, measure: str | None
) -> str | Diversity | None:
    """Read ``--diversity``, or ``--tau`` and ``--gamma`` in its stead; None asks for none.

    Parameters
    ----------
    name
        A configuration of the paper.
    tau
        Limit on every member's mean.
    gamma
        Limit on the committee's mean.
    measure
        What is limited; the paper's failure credit when omitted.
    """
    if tau is None and gamma is None:
        if measure is not None:
            raise InputError("--measure", "limits nothing by itself. Give --tau or --gamma too.")
        return name
    if name is not None:
        raise InputError("--diversity", "sets tau and gamma itself; give it or them, not both.")
    return Diversity(tau, gamma, "fc" if measure is None else measure)


def read_group(text: str, names: Sequence[str]) -> Group:
    """Read ``--group``.

    Parameters
    ----------
    text
        ``team_a=a1,a2:1``: a name, the members, of which * and ? stand for more than one, and how
        many of them, see `_read_range`.
    names
        The classifiers.
    """
    head, _, numbers = text.rpartition(":")
    name, equals, listed = head.partition("=")
    if not (equals and name.strip() and listed.strip()):
        raise InputError(
            "--group",
            f"{text!r} is not name=members:number, as in team_a=a1,a2:1 or team_a=a*:1-2.",
        )
    members: list[str] = []
    for wanted in map(str.strip, listed.split(",")):
        if wanted in names or not set("*?") & set(wanted):
            members.append(wanted)
            continue
        found = [other for other in names if fnmatch.fnmatchcase(other, wanted)]
        if not found:
            raise InputError("--group", f"no classifier of the pool is called like {wanted!r}.")
        members += found
    try:
        return Group(dict.fromkeys(members), name=name.strip(), **_read_range("--group", numbers))
    except InputError as error:
        raise InputError("--group", f"{text!r}: {error.message}") from None


def read_prefixes(text: str, names: Sequence[str]) -> tuple[Group, ...]:
    """Read ``--group-by``.

    Parameters
    ----------
    text
        ``_:1``: what ends a prefix, and how many of each, see `_read_range`.
    names
        The classifiers.
    """
    separator, colon, numbers = text.rpartition(":")
    if not (colon and separator):
        raise InputError("--group-by", f"{text!r} is not separator:number, as in _:1 or _:1-2.")
    try:
        return Group.by_prefix(names, separator, **_read_range("--group-by", numbers))
    except InputError as error:
        raise InputError("--group-by", f"{text!r}: {error.message}") from None


def _read_range(option: str, text: str) -> dict[str, int]:
    """Read ``2`` (so many at most), ``1-2``, or ``1-`` (so many at least)."""
    low, dash, high = (part.strip() for part in text.partition("-"))
    given = {"at_least": low, "at_most": high} if dash else {"at_most": low}
    given = {word: number for word, number in given.items() if number}
    if not given or not all(number.isdecimal() for number in given.values()):
        raise InputError(
            option, f"{text!r} is not how many: 1 for one at most, 1-2, or 1- for one at least."
        )
    return {word: int(number) for word, number in given.items()}


def build_budget(
    prices: dict[str, float], limit: float | None, names: Sequence[str], path: Path | None
) -> Budget:
    """Give every classifier its price.

    Parameters
    ----------
    prices
        What the file of costs says.
    limit
        Most the members may cost together.
    names
        The classifiers; each must have a price.
    path
        The file of costs, for messages.
    """
    missing = [name for name in names if name not in prices]
    if missing:
        raise FileFormatError(
            path or "costs",
            f"has no cost for {missing[0]!r}. Give every classifier one, 0 if free.",
        )
    # Costs of classifiers that --k leaves out are welcome and unused.
    return Budget([prices[name] for name in names], limit)


def check_output(output: Path, *inputs: Path, option: str = "--output") -> None:
    """Refuse what cannot be written, before the work rather than after it.

    Parameters
    ----------
    output
        The file to be written; may exist.
    inputs
        Files that must not be overwritten.
    option
        Where it comes from, for messages.
    """
    if str(output) == "-":
        raise InputError(option, "- is no file to write. Name one.")
    if output.exists() and not output.is_file():
        raise InputError(option, f"{output} is not a regular file. Name a file.")
    if any(output.exists() and path.exists() and output.samefile(path) for path in inputs):
        raise InputError(option, f"{output} is an input. Name another file.")
    outfile.check_folder(output, option)


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse outputs that would be written over each other or over an input.

    Parameters
    ----------
    outputs
        By their options; None for what is not written.
    inputs
        Files, and folders of which the tables are read; None for what is not given.
    """
    given = [path for path in inputs if path is not None]
    read = [file for path in given for file in (tables_of(path) if path.is_dir() else [path])]
    earlier: dict[Path, str] = {}
    for option, output in outputs.items():
        if output is not None:
            check_output(output, *read, option=option)
            other = earlier.setdefault(output.resolve(), option)
            if other != option:
                raise InputError(option, f"{output} is {other} too. Name another file.")


def check_picture(plot: Path) -> None:
    """Refuse a picture that cannot be drawn, before the work rather than after it."""
    if plot.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise InputError("--plot", f"{plot} must end in .png, .svg or .pdf. Name such a file.")
    require_matplotlib()


def _pairs(option: str, text: str) -> Iterator[tuple[str, float]]:
    """Read ``name=number,name=number``."""
    for pair in text.split(","):
        name, equals, number = pair.partition("=")
        try:
            value = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(option, f"{pair!r} is not name=number, as in recall=0.9 or fp=-5.")
        yield name.strip(), int(value) if value.is_integer() else value


def is_soft(objective: str) -> bool:
    """Tell whether an objective reads the columns as probabilities."""
    return objective in OBJECTIVES
