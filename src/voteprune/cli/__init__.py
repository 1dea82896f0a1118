"""The command line: ``voteprune prune``, ``apply``, ``compare``, ``methods`` and ``solvers``.

Data goes to stdout, everything else to stderr. Exit codes: 0 a committee was found, 1 a
certificate does not hold, 2 a wrong or infeasible request, 3 a limit came before a committee
(``--strict``: before the proof, or limits or a promise not kept), 4 an output could not be
written, 130 interrupted.

The way of a request: `app` hands its words to a command (`pruning`, `fronts`, `comparing`,
`applying`, `verifying`, `listing`), which reads them with `shared_options` and `option_texts` and
the files with `inputs`, shows a live line while it works (`console`), and tells the result with
`output`. An error on the way comes back to `app`, which makes one message and an exit code of it.
"""

from .app import main

__all__ = ["main"]
