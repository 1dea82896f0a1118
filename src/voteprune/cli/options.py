"""What the texts of options mean, and which of them cannot be.

The command line speaks in words such as ``recall=0.9``; the library takes objects. Errors raised
here name the option rather than the library's argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..exceptions import FileFormatError, InputError
from ..files import outfile
from ..problem.constraints import AtLeast, AtMost, Budget, Constraint
from ..problem.criteria import Criterion
from ..problem.diversity import Diversity
from ..problem.formulas import COUNTS, Ratio, Weights
from ..problem.margin import KINDS, Margin


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
        Each ``name=number``, or several with commas between.
    """
    for text in texts:
        for name, value in _pairs(option, text):
            try:
                yield kind(name, value)
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
    if output.exists() and not output.is_file():
        raise InputError(option, f"{output} is not a regular file. Name a file.")
    if any(output.exists() and path.exists() and output.samefile(path) for path in inputs):
        raise InputError(option, f"{output} is the input. Name another file.")
    outfile.check_folder(output, option)


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
