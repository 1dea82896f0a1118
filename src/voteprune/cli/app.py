"""From the words of a request to an exit code.

`main` never lets an error through: whatever voteprune raises on purpose becomes one message on
stderr, with the library's arguments spelt as the options they came from. cyclopts, which takes
the words apart, belongs to an extra; so it is imported late. Commands are imported when they are
asked for: the library takes a second to load, for which nobody waits who asks for help.
"""

from __future__ import annotations

import io
import itertools
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points, version
from typing import Any

from ..exceptions import FileFormatError, InputError, OutputError, VotepruneError
from ..starting import INTERRUPTED, loaded
from .console import PROVED, UNWRITTEN, WORDS, WRONG, say

_OPTIONS = {
    **{name: f"--{name}" for name in ("k", "target", "objective", "method", "solver", "diversity")},
    **{name: f"--{name}" for name in ("tau", "gamma", "measure", "methods", "threshold")},
    **{name: f"--{name}" for name in ("ignore", "columns", "id", "positive", "cutoff", "sep")},
    **{name: f"--{name}" for name in ("labels", "split", "long", "vote", "gap", "test")},
    **{name: f"--{name}" for name in ("penalty", "clip", "by", "within", "reaching")},
    **{name: f"--{name}" for name in ("promise", "holdout", "confidence")},
    **{name: f"--{name}" for name in ("abstentions", "abstain", "otherwise")},
    "certificate": "--certificate",
    "time_limit": "--time-limit",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "data_dir": "--data-dir",
    "mirror": "--mirror",
    "shard": "--shard",
    "dask": "--dask",
    "Require": "--require",
    "Forbid": "--forbid",
    "Budget(limit)": "--budget",
    "Group": "--group",
    "Ratio(denominator)": "--objective",
}
"""How the arguments of the library are spelt here, by commands that have such an option."""

COMMANDS = "voteprune.commands"
"""Entry points that add commands: functions that are given the cyclopts app, and the function by
which `make_app` adds one of its own."""

_COMMANDS = (
    (
        "pruning:prune_command",
        "prune",
        "Choose the best committee of the classifiers in FILE, with a proof.",
        "Examples:\n\n"
        "voteprune prune votes.csv --k 40 --diversity F2 --output committee.json\n\n"
        "voteprune prune votes.parquet --target label --objective balanced_accuracy "
        "--at-least recall=0.9 --max-size 7\n\n"
        "voteprune prune probabilities.csv --target y --objective log_loss --max-size 7",
    ),
    (
        "fronts:front_command",
        "front",
        "Find the best committee of every size, or of every budget, each with its proved bound.",
        "Examples:\n\n"
        "voteprune front votes.csv --target label --max-size 9\n\n"
        "voteprune front votes.csv --target label --by costs.csv --within 0.01 --plot front.png",
    ),
    (
        "comparing:compare_command",
        "compare",
        "Run several methods on the votes in FILE and print one table.",
        "Examples:\n\n"
        "voteprune compare votes.csv --target label --time-limit 10 --plot methods.png\n\n"
        "voteprune compare votes.csv --methods exact,hc-uwa,full --max-size 9 --csv > table.csv",
    ),
    (
        "applying:apply_command",
        "apply",
        "Predict the rows of FILE with a saved committee.",
        "Example: voteprune apply committee.json new.csv > predictions.csv",
    ),
    (
        "applying:votes_command",
        "votes",
        "Write the votes in FILE as one plain table, however they are kept.",
        "Example: voteprune votes oof/*.csv --labels labels.csv --id id > votes.csv",
    ),
    (
        "verifying:verify_command",
        "verify",
        "Check a certificate against the votes in FILE, in exact arithmetic.",
        "Example: voteprune verify certificate.json votes.csv",
    ),
    (
        "listing:methods_command",
        "methods",
        "List the methods: what each does, and where it comes from.",
        "Example: voteprune methods --json",
    ),
    (
        "listing:solvers_command",
        "solvers",
        "List the solvers: which are installed, and what they can do.",
        "Example: voteprune solvers --json",
    ),
)
"""Path, name, first sentence and examples of every command."""

_OF_FILES = ("prune", "votes", "front", "compare")
"""Commands that take one file or several, which cyclopts would call ARGS."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        Words after the program's name; those of the process when omitted.
    """
    try:
        from cyclopts import CycloptsError, RepeatArgumentError
    except ImportError:
        say("the command line needs cyclopts. Install it: pip install 'voteprune[cli]'")
        return WRONG
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Data is UTF-8 whatever the locale; names of files that are not stay what they are.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    words = sys.argv[1:] if arguments is None else list(arguments)
    WORDS.set(words)
    asked = None
    try:
        app = make_app(words)
        asked = _load(app, words)
        loaded()
        # A lone hyphen is stdin; as a path it is no option, and is the same path.
        return app(["./-" if word == "-" else word for word in words]) or PROVED
    except CycloptsError as error:
        once = "Give it once, several values with commas between. "
        say(f"{error} {once * isinstance(error, RepeatArgumentError)}See voteprune --help.")
    except FileFormatError as error:
        say(str(error))
    except InputError as error:
        say(f"{_spelt(error.argument, asked)}: {error.message}")
    except OutputError as error:
        say(str(error))
        return UNWRITTEN
    except VotepruneError as error:
        say(str(error))
    except OSError as error:
        say(f"{error.filename or 'a file'}: {error.strerror or error}.")
    except KeyboardInterrupt:
        return INTERRUPTED
    return WRONG


def make_app(words: Sequence[str] | None = None) -> Any:
    """Put the commands together.

    Parameters
    ----------
    words
        What is asked for. Commands that are not among the words are known by a sentence alone;
        None for all with all they say.
    """
    from cyclopts import App, Parameter

    app = App(
        name="voteprune",
        help="Prune ensembles of classifiers with proof.",
        help_epilogue="Exit codes: 0 a committee was found (its proof is told), 1 a certificate "
        "does not hold, 2 wrong or infeasible request, 3 a limit came before a committee "
        "(--strict: before the proof, or limits or a promise not kept), 4 an output could not be "
        "written, 130 interrupted.\n\n"
        "Example: voteprune prune votes.csv --target label",
        version=version("voteprune"),
        help_format="markdown",
        default_parameter=Parameter(negative=(), show_default=_shown_default),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )

    places = itertools.count()

    def add(home: Any, path: str, name: str, told: str, examples: str) -> None:
        """Add a command to an app by the path of its function, with the first line it says."""
        more = {"help": told} if words is not None and name not in words else {}
        if name in _OF_FILES:
            more["usage"] = f"Usage: voteprune {name} FILE... [OPTIONS]"
        # In the order in which they are added: what most people need comes first.
        home.command(path, name=name, help_epilogue=examples, sort_key=next(places), **more)

    for path, name, told, examples in _COMMANDS:
        add(app, f"voteprune.cli.{path}", name, told, examples)
    app.register_install_completion_command()
    for found in entry_points(group=COMMANDS):
        found.load()(app, add)
    return app


def _load(app: Any, words: Sequence[str]) -> Any:
    """Import the command that the words ask for, and none else, and return it."""
    for word in words:
        if word.startswith("-") or word not in app:
            break
        app = app[word]
    return app


def _spelt(argument: str, command: Any) -> str:
    """Return an argument of the library as the option of this command, where it has it."""
    option = _OPTIONS.get(argument, argument)
    options = () if command is None else command.assemble_argument_collection()
    known = [name for found in options for name in found.names]
    return option if option in known or not option.startswith("--") else argument


def _shown_default(value: object) -> object:
    """Hide the default of a flag that is off; everybody expects that one."""
    return None if value is False else value
