"""``voteprune prune``: from options to exit code.

The signature is the options and the docstring is the help, both read by cyclopts. All that
can be refused is refused before the solving starts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..exceptions import InputError
from ..prune import prune
from ..solve.base_solution import BaseSolution
from ..solve.explanation import Explanation
from ..solve.plurality_solution import PluralitySolution
from ..solve.soft_solution import SoftSolution
from ..solve.solution import Solution
from ..starting import INTERRUPTED
from ..strategies.registry import methods
from ..web.pages import require_jinja
from ..web.pictures import require_matplotlib
from .console import command, live_line, say
from .inputs import check_plain, read_labels_pool, read_probabilities_pool, read_votes_pool
from .option_texts import check_outputs, is_soft, read_objective
from .output import (
    explained,
    hand_out,
    solution_json,
    solution_text,
)
from .shared_options import (
    AIM,
    ANY_SOURCE,
    AS_IT_IS,
    EFFORT,
    FILES,
    NO_LIMITS,
    NO_PLEDGE,
    OUTPUT,
    SOME_EFFORT,
    USUAL_SOFTNESS,
    Effort,
    Limits,
    Pledge,
    Reading,
    Softness,
    Source,
)

_METHODS = f'{", ".join(m.name for m in methods())}; see "voteprune methods".'
"""The help of --method: every method there is."""


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True, kw_only=True)
class Page:
    """The answer as a page.

    Parameters
    ----------
    html
        Also write the answer here as a page to read, print or send: one HTML file.
    html_time
        Seconds for the page to find out what is lost without each member, and what other sizes can
        reach.
    """

    html: Path | None = None
    html_time: float = 20.0

    def check(self) -> None:
        """Refuse what cannot be made, before the work rather than after it."""
        if not 0 <= self.html_time < float("inf"):
            raise InputError("--html-time", f"is {self.html_time}; expected seconds from 0 on.")
        if self.html is not None:
            require_jinja()
            require_matplotlib()

    def of(
        self,
        solution: BaseSolution,
        why: Explanation | None = None,
        about: Mapping[str, str] | None = None,
    ) -> tuple[Path | None, Callable[[], str]]:
        """Return where the page goes, and how it is made.

        Parameters
        ----------
        solution
            What `prune` returned.
        why
            Its explanation, where it was asked for.
        about
            More lines on the run.
        """

        def make() -> str:
            if sys.stderr.isatty():
                say(f"{self.html} is being written, which takes up to {self.html_time:g} s.")
            return solution.to_html(
                time_limit=self.html_time, explanation=why, about=about, command=command()
            )

        return self.html, make


NO_PAGE = Page()
"""What holds when nothing is said."""


def prune_command(
    *file: Path,
    reading: Reading = AS_IT_IS,
    test: Annotated[Path | None, Parameter(group=FILES)] = None,
    source: Source = ANY_SOURCE,
    soft: Softness = USUAL_SOFTNESS,
    method: Annotated[str, Parameter(help=_METHODS, group=AIM)] = "exact",
    threshold: Annotated[str | None, Parameter(group=AIM)] = None,
    plurality: Annotated[bool, Parameter(group=AIM)] = False,
    limits: Limits = NO_LIMITS,
    effort: Effort = SOME_EFFORT,
    gap: Annotated[float | None, Parameter(group=EFFORT)] = None,
    pledge: Pledge = NO_PLEDGE,
    explain: Annotated[bool, Parameter(group=OUTPUT)] = False,
    explain_time: Annotated[float, Parameter(group=OUTPUT)] = 10.0,
    checkpoint: Annotated[Path | None, Parameter(group=EFFORT)] = None,
    json: Annotated[bool, Parameter(group=OUTPUT)] = False,
    output: Annotated[Path | None, Parameter(group=OUTPUT)] = None,
    certificate: Annotated[Path | None, Parameter(group=OUTPUT)] = None,
    page: Page = NO_PAGE,
    strict: Annotated[bool, Parameter(group=OUTPUT)] = False,
) -> int:
    """Choose the best committee of the classifiers in FILE, with a proof.

    FILE is CSV, gzipped CSV or Parquet: either the paper's layout (datatype, real_class, index,
    then one column per classifier; test rows are reported on, not pruned on) or any table whose
    label column --target names. It may also be a table with a line for each vote, a JSON file of
    WRENCH, judgements of TREC, a log of Inspect, or - for stdin. Several files, one per model, are
    joined by --id and named by their files; --labels names the file of labels. Options that take a
    NAME or a limit may be repeated. With --objective log_loss, pool_log_loss or brier the columns
    are probabilities and the committee is soft: weighted members that give probabilities.

    Parameters
    ----------
    file
        Votes or probabilities: one table with a column per classifier, or one file per model.
    test
        File of other rows, on which the committee is reported.
    method
        Name of a method; the help lists them all.
    threshold
        majority or tuned, for methods that leave it open; the method's own rule when omitted.
    plurality
        The cells of the table are names of classes, of which there may be more than two; the class
        with most votes wins.
    gap
        Stop when the gap is no larger than this share, as 0.01; only a full proof when omitted.
    explain
        Also tell which members carry the committee, which swaps cost nothing, and which rows no
        committee gets right.
    explain_time
        Seconds for proofs of what is possible without each member, all members together.
    checkpoint
        Keep an unfinished proof in this file, and go on from there where it exists.
    json
        Print the solution as JSON.
    output
        Also save the solution here, for "voteprune apply".
    certificate
        Also write the whole proof here, for "voteprune verify".
    strict
        Exit code 3 where a limit came before the proof, where a soft committee does not keep its
        limits on criteria, and where the promise cannot be made.
    """
    criterion = read_objective(source.objective)
    asked, promised = limits.read(), pledge.read()
    if not explain_time >= 0:
        raise InputError("--explain-time", f"is {explain_time}; expected seconds from 0 on.")
    page.check()
    outputs = {"--output": output, "--certificate": certificate, "--checkpoint": checkpoint}
    check_outputs({**outputs, "--html": page.html}, (*file, test, reading.labels, limits.costs))
    if certificate is not None:
        if reading.abstentions == "against" and not plurality:
            raise InputError(
                "--certificate",
                "of two classes with a threshold is checked against a vote of every classifier on "
                "every row. Take --abstentions skip, or add --plurality.",
            )
        check_plain(file, reading, soft=is_soft(source.objective))
    if is_soft(source.objective):
        refused = {
            "--plurality": plurality, "--threshold": threshold is not None,
            "--solver": effort.solver is not None, "--diversity": asked.diversity is not None,
        }  # fmt: skip
        for option in (option for option, given in refused.items() if given):
            raise InputError(option, f"is not for --objective {source.objective}. Leave it out.")
        pool = read_probabilities_pool(
            file, reading, source, soft, promised, test, certified=certificate is not None
        )
    elif plurality:
        soft.refuse()
        if threshold is not None:
            raise InputError("--plurality", "takes no --threshold. Leave it out.")
        for option in (name for name, given in promised.items() if given is not None):
            raise InputError(f"--{option}", "is for two classes. Leave it out with --plurality.")
        pool = read_labels_pool(file, reading, source, asked, effort, test)
    else:
        soft.refuse()
        if reading.otherwise is not None:
            raise InputError(
                "--otherwise",
                "is for --plurality; of two classes it is the negative one. Leave it out.",
            )
        how = {
            "objective": criterion, "threshold": threshold, "solver": effort.solver,
            "diversity": asked.diversity, **promised,
        }  # fmt: skip
        pool = read_votes_pool(file, reading, source, test, how, certified=certificate is not None)
    with live_line(losses=is_soft(source.objective)) as callback:
        solution: Solution | PluralitySolution | SoftSolution = prune(
            pool.said,
            method=method,
            constraints=asked.for_pool(pool.said.names, pool.costs),
            time_limit=effort.time_limit,
            callback=callback,
            random_state=effort.seed,
            n_jobs=effort.jobs,
            certificate=certificate is not None,
            checkpoint=checkpoint,
            gap=gap,
            **pool.asked,
        )
    scores, told = pool.score(solution)
    why, interrupted = explained(solution, explain_time if explain else None)
    text = solution_json(solution, scores, why) if json else solution_text(solution, told, why)
    if json and solution.explanation:
        say(solution.explanation)
    proof = solution.certificate and replace(solution.certificate, target=reading.target)
    about = {"test rows": ", ".join(told)} if told else {}
    code = hand_out(
        solution, text, output, (certificate, proof), strict=strict, reading=pool.reading,
        page=page.of(solution, why, about),
    )  # fmt: skip
    return INTERRUPTED if interrupted else code
