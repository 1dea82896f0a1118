"""The command line: ``voteprune prune``, ``apply``, ``compare``, ``methods`` and ``solvers``.

Data goes to stdout, everything else to stderr. Exit codes: 0 a committee was found, 1 a
certificate does not hold, 2 a wrong or infeasible request, 3 a limit came before a committee
(``--strict``: before the proof, or limits not kept), 4 an output could not be written, 130
interrupted.

The way of a request: `app` hands its words to one of the `commands` (`comparing` has those on
several methods), which reads them with `option_groups` and `options` and the files with `inputs`,
shows a `live` line while it works, and tells the result with `output`. An error on the way comes
back to `app`, which makes one message and an exit code of it.
"""

from .app import main

__all__ = ["main"]
