"""The command line: ``voteprune prune``, ``voteprune apply`` and ``voteprune solvers``.

Data goes to stdout, everything else to stderr. Exit codes: 0 proved (or a method that proves
nothing has finished), 2 a wrong or infeasible request, 3 a limit came before the proof, 130
interrupted.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json as jsonlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import __version__, jsonfile
from .committee import Committee
from .confusion import Confusion
from .constraints import AtLeast, AtMost, Budget, Constraint, Forbid, Require
from .diversity import Diversity
from .exceptions import FileFormatError, InputError, VotepruneError
from .ledger import Progress
from .objectives import METRICS, Weights, resolve
from .prune import prune
from .solution import Solution
from .solvers import solvers
from .tables import Bools, Rows, read_costs, read_table, read_votes

PROVED, WRONG, UNPROVED, INTERRUPTED = 0, 2, 3, 130

_OPTIONS = {
    **{name: f"--{name}" for name in ("k", "target", "objective", "method", "solver", "diversity")},
    "tau": "--tau",
    "gamma": "--gamma",
    "time_limit": "--time-limit",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "Require": "--require",
    "Forbid": "--forbid",
    "Budget(limit)": "--budget",
}
"""How the arguments of the library are spelt here."""


def prune_command(
    file: Path,
    /,
    *,
    target: str | None = None,
    k: int | None = None,
    objective: str = "accuracy",
    method: str = "exact",
    diversity: str | None = None,
    tau: float | None = None,
    gamma: float | None = None,
    min_size: int | None = None,
    max_size: int | None = None,
    require: list[str] | None = None,
    forbid: list[str] | None = None,
    at_least: list[str] | None = None,
    at_most: list[str] | None = None,
    costs: Path | None = None,
    budget: float | None = None,
    solver: str | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    jobs: int | None = None,
    json: bool = False,
    output: Path | None = None,
) -> int:
    """Choose the best committee of the classifiers in FILE, with a proof.

    FILE is CSV, gzipped CSV or Parquet: either the paper's layout (datatype, real_class, index,
    then one column per classifier; test rows are reported on, not pruned on) or any table whose
    label column --target names. Options that take a NAME or a limit may be repeated.

    Parameters
    ----------
    file
        Table of votes or probabilities, one column per classifier.
    target
        Label column (0 or 1); not needed for the paper's layout.
    k
        Use only k classifiers, the first k / (number of models) of every model.
    objective
        What to maximise: accuracy, balanced_accuracy, recall, specificity, ... or weights on the
        counts such as "tp=1,tn=1,fp=-5".
    method
        exact, paper (the paper's model, verbatim) or brute (at most 20 classifiers).
    diversity
        The paper's configuration: F1, F2, F3 or F1-theta.
    tau
        Least PFC diversity of every member, between 0 and 1.
    gamma
        Least mean PFC diversity of the committee, between 0 and 1.
    min_size
        Fewest members.
    max_size
        Most members.
    require
        Classifier that must sit.
    forbid
        Classifier that must not sit.
    at_least
        Floor on a criterion or count, as in recall=0.9.
    at_most
        Ceiling on a criterion or count, as in fp=50.
    costs
        CSV of name,cost for every classifier; needs --budget.
    budget
        Most the members may cost together; needs --costs.
    solver
        Solver to use, see "voteprune solvers"; highs when omitted.
    time_limit
        Seconds; inf for no limit.
    seed
        Seed of all randomness.
    jobs
        Cores to use, -1 for all; one when omitted.
    json
        Print the solution as JSON.
    output
        Also save the solution here, for "voteprune apply".
    """
    criterion = _criterion(objective)
    limits = _diversity(diversity, tau, gamma)
    requests = [
        *_limits(AtLeast, "--min-size", [] if min_size is None else [f"size={min_size}"]),
        *_limits(AtMost, "--max-size", [] if max_size is None else [f"size={max_size}"]),
        *_limits(AtLeast, "--at-least", at_least or []),
        *_limits(AtMost, "--at-most", at_most or []),
        *([Require(*require)] if require else []),
        *([Forbid(*forbid)] if forbid else []),
    ]
    if (costs is None) != (budget is None):
        raise InputError("--budget", "and --costs need each other. Give both, or neither.")
    prices = None if costs is None else read_costs(costs)
    if output is not None:
        _check_output(output, file)
    table = read_table(file, target=target, k=k)
    if prices is not None:
        requests.append(_budget(prices, budget, table.validation.names, costs))
    with _live_line() as callback:
        solution = prune(
            table.validation,
            objective=criterion,
            method=method,
            solver=solver,
            diversity=limits,
            constraints=requests,
            time_limit=time_limit,
            callback=callback,
            random_state=seed,
            n_jobs=jobs,
        )
    scores = None if table.test is None else _score(solution, table.test)
    _emit(_as_json(solution, scores) if json else _as_text(solution, scores))
    if json and solution.explanation:
        _say(solution.explanation)
    if output is not None and solution.committee is None:
        _say(f"there is no committee, so {output} was not written.")
    elif output is not None:
        solution.save(output)
    return _exit_code(solution)


def apply_command(committee: Path, file: Path, /, *, output: Path | None = None) -> int:
    """Predict the rows of FILE with a saved committee.

    Prints CSV with the columns index (the file's own, else the row number from 0 on), votes (how
    many members vote positive) and prediction. Members are found by name; other columns are
    ignored. Where FILE has the paper's labels, the accuracy is told on stderr.

    Parameters
    ----------
    committee
        What "voteprune prune --output" wrote.
    file
        Table with a column for every member: CSV, gzipped CSV or Parquet.
    output
        Write the CSV here instead of printing it.
    """
    chosen = Committee.load(committee)
    if output is not None:
        _check_output(output, file, committee)
    rows = read_votes(file, chosen.names)
    # The same committee, seated on the columns that were read.
    seated = replace(chosen, members=tuple(range(chosen.size)), pool_size=chosen.size)
    prediction = seated.predict(rows.votes)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("index", "votes", "prediction"))
    writer.writerows(
        zip(rows.ids, seated.count(rows.votes).tolist(), prediction.tolist(), strict=True)
    )
    if output is None:
        _emit(text.getvalue())
    else:
        jsonfile.write_text(output, text.getvalue())
    if rows.labels is not None and rows.is_test is not None:
        right = (prediction == 1) == rows.labels
        for name, part in (("validation", ~rows.is_test), ("test", rows.is_test)):
            if part.any():
                _say(f"accuracy {right[part].mean():.6g} on {part.sum()} {name} rows")
    return PROVED


def solvers_command(*, json: bool = False) -> int:
    """List the solvers: which are installed, and what they can do.

    Parameters
    ----------
    json
        Print the list as JSON.
    """
    found = [
        {
            "name": info.name,
            "version": info.version,
            "installed": info.installed,
            "licence": info.licence,
            "warm_start": info.warm_start,
            "streams": info.streams,
        }
        for info in solvers()
    ]
    if json:
        _emit(jsonlib.dumps(found, indent=2) + "\n")
        return PROVED
    lines = [["solver", "version", "warm start", "streams", "licence"]]
    for row in found:
        version = str(row["version"] or "not installed")
        if row["version"] and not row["installed"]:
            version += " (refused)"
        flags = ("yes" if row[key] else "no" for key in ("warm_start", "streams"))
        lines.append([str(row["name"]), version, *flags, str(row["licence"])])
    widths = [max(len(line[i]) for line in lines) for i in range(4)] + [0]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        _emit("  ".join(cells) + "\n")
    return PROVED


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


def _criterion(text: str) -> str | Weights:
    if "=" not in text:
        return text
    weights: dict[str, float] = {}
    for name, value in _pairs("--objective", text):
        if name not in ("tp", "fn", "tn", "fp") or name in weights:
            raise InputError(
                "--objective", f"{name!r}: weights are on tp, fn, tn and fp, each once at most."
            )
        weights[name] = value
    return Weights(**weights)


def _limits(
    kind: type[AtLeast] | type[AtMost], option: str, texts: Sequence[str]
) -> Iterator[Constraint]:
    for text in texts:
        for name, value in _pairs(option, text):
            try:
                yield kind(name, value)
            except InputError as error:
                raise InputError(option, error.message) from None


def _diversity(name: str | None, tau: float | None, gamma: float | None) -> str | Diversity | None:
    if tau is None and gamma is None:
        return name
    if name is not None:
        raise InputError("--diversity", "sets tau and gamma itself; give it or them, not both.")
    return Diversity(tau=0 if tau is None else tau, gamma=gamma)


def _budget(
    prices: dict[str, float], limit: float | None, names: Sequence[str], path: Path | None
) -> Budget:
    missing = [name for name in names if name not in prices]
    if missing:
        raise FileFormatError(
            path or "costs",
            f"has no cost for {missing[0]!r}. Give every classifier one, 0 if free.",
        )
    # Costs of classifiers that --k leaves out are welcome and unused.
    return Budget([prices[name] for name in names], limit)


def _check_output(output: Path, *inputs: Path) -> None:
    """Refuse what cannot be written, before the work rather than after it."""
    if output.exists() and not output.is_file():
        raise InputError("--output", f"{output} is not a regular file. Name a file.")
    if any(output.exists() and path.exists() and output.samefile(path) for path in inputs):
        raise InputError("--output", f"{output} is the input. Name another file.")
    try:
        with tempfile.TemporaryFile(dir=output.parent):
            pass
    except OSError as error:
        raise InputError(
            "--output",
            f"cannot write to the directory {output.parent}: {error.strerror}. Name a file in a "
            "directory that exists and may be written to.",
        ) from None


def _score(solution: Solution, test: Rows) -> dict[str, Any] | None:
    """Count the committee's decisions on the test rows; None stands for what is undefined."""
    if solution.committee is None or test.labels is None:
        return None
    predicted: Bools = solution.committee.predict(test.votes) == 1
    labels = test.labels
    counts = {
        "tp": int((predicted & labels).sum()),
        "fn": int((~predicted & labels).sum()),
        "tn": int((~predicted & ~labels).sum()),
        "fp": int((predicted & ~labels).sum()),
    }
    confusion = Confusion(**counts)

    def value(criterion: str | Weights) -> float | None:
        try:
            weights = resolve(criterion, confusion.positives, confusion.negatives)
        except ZeroDivisionError:  # a share of a class that has no rows
            return None
        return float(weights.value(confusion))

    return {
        "n_rows": len(labels),
        "accuracy": value("accuracy"),
        "balanced_accuracy": value("balanced_accuracy"),
        "value": value(solution.objective if solution.objective in METRICS else solution.weights),
        "confusion": counts,
    }


def _as_json(solution: Solution, scores: dict[str, Any] | None) -> str:
    """Write the solution's document; readers of it step over the test scores."""
    if scores is None:
        return solution.to_json()
    document = {**jsonlib.loads(solution.to_json()), "test": scores}
    return jsonlib.dumps(document, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def _as_text(solution: Solution, scores: dict[str, Any] | None) -> str:
    lines = [solution.summary()]
    if scores is not None:
        shown = {name: scores[name] for name in ("accuracy", "balanced_accuracy")}
        shown.setdefault(solution.objective, scores["value"])
        words = (
            f"{name} {'undefined (one class only)' if value is None else f'{value:.6g}'}"
            for name, value in shown.items()
        )
        lines.append(f"  test rows    {scores['n_rows']} rows: {', '.join(words)}")
        counts = "  ".join(f"{name} {count}" for name, count in scores["confusion"].items())
        lines.append(f"               {counts}")
    return "\n".join(lines) + "\n"


def _exit_code(solution: Solution) -> int:
    if solution.status == "infeasible":
        return WRONG
    if solution.status == "optimal" or solution.termination == "finished":
        return PROVED
    return INTERRUPTED if solution.termination == "interrupted" else UNPROVED


class _Line:
    """Where the run stands, as one line that is redrawn while it lasts."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._latest: Progress | None = None

    def hear(self, progress: Progress) -> None:
        self._latest = progress

    def __rich__(self) -> object:
        from rich.text import Text

        words = [f"{time.perf_counter() - self._began:6.1f} s"]
        if self._latest is not None:
            value, gap = self._latest.value, self._latest.gap
            words += [
                f"incumbent {'none' if value is None else f'{value:.6g}'}",
                f"bound {self._latest.bound:.6g}",
                f"gap {'unknown' if gap is None else f'{100 * gap:.3g} %'}",
            ]
        return Text("   ".join(words), no_wrap=True, overflow="ellipsis")


@contextlib.contextmanager
def _live_line() -> Iterator[Any]:
    """Show a live line on stderr if a person may be looking; yield the callback that feeds it."""
    # Asked of the stream itself: rich would also believe environment variables.
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    line = _Line()
    with Live(
        line,  # type: ignore[arg-type]
        console=Console(stderr=True),
        refresh_per_second=4,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield line.hear


def _emit(text: str) -> None:
    """Write data to stdout."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more at its end, and would fail aloud.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader that has seen enough, as in "voteprune ... | head", is no error.
        if not isinstance(error, BrokenPipeError):
            raise InputError("stdout", f"cannot be written: {error.strerror}.") from None


def _say(message: str) -> None:
    print(f"voteprune: {message}", file=sys.stderr)


def _shown_default(value: object) -> object:
    """Hide the default of a flag that is off; everybody expects that one."""
    return None if value is False else value


def _app() -> Any:
    from cyclopts import App, Parameter

    app = App(
        name="voteprune",
        help="Prune ensembles of classifiers with proof.",
        help_epilogue="Exit codes: 0 proved, 2 wrong or infeasible request, 3 a limit came before "
        "the proof, 130 interrupted.\n\nExample: voteprune prune votes.csv --target label",
        version=__version__,
        help_format="markdown",
        default_parameter=Parameter(negative=(), show_default=_shown_default),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    app.command(
        prune_command,
        name="prune",
        help_epilogue="Examples:\n\n"
        "voteprune prune votes.csv --k 40 --diversity F2 --output committee.json\n\n"
        "voteprune prune votes.parquet --target label --objective balanced_accuracy "
        "--at-least recall=0.9 --max-size 7",
    )
    app.command(
        apply_command,
        name="apply",
        help_epilogue="Example: voteprune apply committee.json new.csv > predictions.csv",
    )
    app.command(solvers_command, name="solvers", help_epilogue="Example: voteprune solvers --json")
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        Words after the program's name; those of the process when omitted.
    """
    try:
        from cyclopts import CycloptsError
    except ImportError:
        _say("the command line needs cyclopts. Install it: pip install 'voteprune[cli]'")
        return WRONG
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # data is UTF-8 whatever the locale
    try:
        return _app()(sys.argv[1:] if arguments is None else list(arguments)) or PROVED
    except CycloptsError as error:
        _say(f"{error} See voteprune --help.")
    except FileFormatError as error:
        _say(str(error))
    except InputError as error:
        _say(f"{_OPTIONS.get(error.argument, error.argument)}: {error.message}")
    except VotepruneError as error:
        _say(str(error))
    except OSError as error:
        _say(f"{error.filename or 'output'}: {error.strerror or error}.")
    except KeyboardInterrupt:
        return INTERRUPTED
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
