"""The options that several commands share, as values that cyclopts fills.

Their docstrings are the help. `Limits.read` turns texts into what the library takes; a budget also
needs the classifiers' names, which are known only when the file has been read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

from ..exceptions import InputError
from ..problem.constraints import AtLeast, AtMost, Constraint, Forbid, Require
from ..problem.diversity import Diversity
from ..tables import ReadOptions, read_costs
from ..votes.abstaining import check_abstentions
from .option_texts import build_budget, read_diversity, read_group, read_limits, read_prefixes

FILES, AIM, LIMITS, EFFORT, PROMISE, OUTPUT = (
    Group(title, sort_key=place)
    for place, title in enumerate(
        (
            "Reading files",
            "What to look for",
            "Limits on the committee",
            "Effort",
            "A promise about new rows",
            "What to tell and to write",
        )
    )
)
"""The panels of the help, in their order."""


@Parameter(name="*", group=FILES)
@dataclass(frozen=True, kw_only=True)
class Reading:
    """How files are read.

    Parameters
    ----------
    target
        Label column (0 or 1, or two words and --positive); not needed for the paper's layout.
    positive
        Which of two labels is the positive class, or from where on a grade is, as '>=2'.
    cutoff
        From where on a vote is positive; 0.5 when omitted.
    ignore
        Columns that are no classifiers, with commas between; patterns such as 'meta_*' too.
    columns
        Columns that are classifiers, likewise; all that play no other part when omitted.
    id
        Column that names the rows, and by which several files are joined.
    labels
        File of ids and labels, joined to the votes.
    split
        Test rows of the table, as COLUMN=VALUE: they are reported on, not pruned on.
    sep
        What stands between cells, a character or "tab"; found out when omitted.
    long
        Columns item,judge,vote of a table with a line for each vote.
    vote
        What counts as a vote in a log of Inspect: value (of the score) or answer.
    abstentions
        What an empty cell counts for: skip (nothing, the majority of those who vote decides) or
        against (not positive); an empty cell is an error when omitted.
    abstain
        What else a cell may say that means nothing, as -1; several with commas between.
    otherwise
        With --plurality the class that wins ties and rows on which no member votes; the first when
        omitted. Of two classes it is the negative one.
    """

    target: str | None = None
    positive: str | None = None
    cutoff: float | None = None
    ignore: str | None = None
    columns: str | None = None
    id: str | None = None
    labels: Path | None = None
    split: str | None = None
    sep: str | None = None
    long: str | None = None
    vote: str | None = None
    abstentions: str | None = None
    abstain: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    otherwise: str | None = None

    def __post_init__(self) -> None:
        # A lone hyphen means stdin among files, which is written so before options are read.
        for field in fields(self):
            if getattr(self, field.name) == "./-":
                object.__setattr__(self, field.name, "-")

    def options(self, k: int | None = None) -> ReadOptions:
        """Return it as the tables take it."""
        return ReadOptions(
            target=self.target,
            k=k,
            ignore=_listed(self.ignore),
            columns=_listed(self.columns),
            id=self.id,
            positive=self.positive,
            cutoff=self.cutoff,
            sep="\t" if self.sep in ("tab", "\\t") else self.sep,
            labels=self.labels,
            split=self.split,
            long=_listed(self.long),
            vote=self.vote,
            abstentions=check_abstentions(self.abstentions),
            abstain=_listed(self.abstain),
            otherwise=self.otherwise,
        )

    @property
    def plain(self) -> bool:
        """Whether the file is read as the checker of certificates reads it."""
        return all(
            getattr(self, name) is None
            for name in (
                "positive",
                "cutoff",
                "labels",
                "split",
                "sep",
                "long",
                "vote",
                "abstain",
            )
        )


def _listed(text: str | None) -> tuple[str, ...]:
    return () if text is None else tuple(word.strip() for word in text.split(",") if word.strip())


@Parameter(name="*", group=AIM)
@dataclass(frozen=True, kw_only=True)
class Source:
    """What is wanted of what is read.

    Parameters
    ----------
    k
        Take only so many classifiers, the first k / (number of models) of every model.
    objective
        What to maximise: accuracy, balanced_accuracy, recall, f1, f2, jaccard, precision, mcc,
        gmean, ..., weights on the counts such as "tp=1,tn=1,fp=-5", a ratio of two such,
        "tp=2/tp=2,fn=1,fp=1", or for new rows a margin: ramp:1 or hinge:0.5 (theta, and growth
        after another colon), or "margin", whose theta is chosen by cross-validation. For a soft
        committee, what to minimise: log_loss (weighted log-odds), pool_log_loss or brier
        (weighted mean); columns are then probabilities, name:class for each class of several.
    """

    k: Annotated[int | None, Parameter(group=FILES)] = None
    objective: str = "accuracy"


@Parameter(name="*", group=AIM)
@dataclass(frozen=True, kw_only=True)
class Softness:
    """What soft committees are fitted with.

    Parameters
    ----------
    penalty
        Ridge on the weights of a soft committee; 30 when omitted.
    clip
        How near to 0 and 1 a probability may come; 0.0001 when omitted.
    """

    penalty: float | None = None
    clip: float | None = None

    def refuse(self) -> None:
        """Refuse what is said where votes are counted."""
        for option in ("penalty", "clip"):
            if getattr(self, option) is not None:
                raise InputError(
                    f"--{option}",
                    "is for soft committees. Leave it out, or take --objective log_loss.",
                )


@dataclass(frozen=True)
class Asked:
    """Limits as the library takes them, but for the budget.

    Parameters
    ----------
    diversity
        Limits on diversity.
    constraints
        All others but the budget.
    prices, budget, costs
        What classifiers cost, what may be spent, and the file that says so.
    group, group_by
        Limits on groups, as they were written.
    """

    diversity: str | Diversity | None
    constraints: tuple[Constraint, ...]
    prices: dict[str, float] | None
    budget: float | None
    costs: Path | None
    group: tuple[str, ...]
    group_by: tuple[str, ...]

    def for_pool(
        self, names: Sequence[str], told: dict[str, float] | None = None
    ) -> list[Constraint]:
        """Return all constraints for the pool called `names`; the votes' file may tell costs."""
        found = [
            *self.constraints,
            *(read_group(text, names) for text in self.group),
            *(group for text in self.group_by for group in read_prefixes(text, names)),
        ]
        if self.budget is None:
            return found
        prices = self.prices or told
        if prices is None:
            raise InputError(
                "--budget", "needs costs: --costs FILE, or a table with a column cost. Give both."
            )
        return [*found, build_budget(prices, self.budget, names, self.costs)]


@Parameter(name="*", group=LIMITS)
@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a committee must respect.

    Parameters
    ----------
    diversity
        The paper's configuration: F1, F2, F3 or F1-theta.
    tau
        Limit on every member's mean diversity: a floor for fc and disagreement, a ceiling for
        the other measures.
    gamma
        Limit on the committee's mean diversity, likewise.
    measure
        What --tau and --gamma limit: fc (when omitted), disagreement, double_fault, q,
        correlation or kappa.
    min_size
        Fewest members.
    max_size
        Most members.
    require
        Classifier that must be a member.
    forbid
        Classifier that must not be one.
    group
        How many of some classifiers may be members: team_a=a1,a2:1 for one at most, team_a=a*:2-
        for two at least, team_a=a*:1-3 for one to three. A name may have * and ? in it.
    group_by
        Groups by what their classifiers' names begin with: _:1 for at most one of those whose
        names are equal before the first _.
    at_least
        Floor on a criterion or count, as in recall=0.9, on that of one of several classes, as in
        recall:cat=0.8, or on the share of rows on which a member votes, coverage=0.9.
    at_most
        Ceiling on a criterion or count, as in fp=50 or fp:cat=50.
    costs
        CSV of name,cost for every classifier; needs --budget.
    budget
        Most the members may cost together; needs --costs, or a table of votes with their cost.
    """

    diversity: str | None = None
    tau: float | None = None
    gamma: float | None = None
    measure: str | None = None
    min_size: int | None = None
    max_size: int | None = None
    require: list[str] | None = None
    forbid: list[str] | None = None
    group: list[str] | None = None
    group_by: list[str] | None = None
    at_least: list[str] | None = None
    at_most: list[str] | None = None
    costs: Path | None = None
    budget: float | None = None

    def read(self) -> Asked:
        """Read what can be read without the votes."""
        fewest = [] if self.min_size is None else [f"size={self.min_size}"]
        most = [] if self.max_size is None else [f"size={self.max_size}"]
        diversity = read_diversity(self.diversity, self.tau, self.gamma, self.measure)
        constraints = (
            *read_limits(AtLeast, "--min-size", fewest),
            *read_limits(AtMost, "--max-size", most),
            *read_limits(AtLeast, "--at-least", self.at_least or []),
            *read_limits(AtMost, "--at-most", self.at_most or []),
            *([Require(*self.require)] if self.require else []),
            *([Forbid(*self.forbid)] if self.forbid else []),
        )
        if self.costs is not None and self.budget is None:
            raise InputError("--budget", "and --costs need each other. Give both, or neither.")
        prices = None if self.costs is None else read_costs(self.costs)
        groups = tuple(self.group or ()), tuple(self.group_by or ())
        return Asked(diversity, constraints, prices, self.budget, self.costs, *groups)


@Parameter(name="*", group=EFFORT)
@dataclass(frozen=True, kw_only=True)
class Effort:
    """How hard to try.

    Parameters
    ----------
    solver
        Solver to use, see "voteprune solvers"; highs when omitted.
    time_limit
        Seconds, for each method; inf for no limit.
    seed
        Seed of all randomness.
    jobs
        Cores to use, -1 for all; one when omitted.
    """

    solver: str | None = None
    time_limit: float = 60.0
    seed: int = 0
    jobs: int | None = None


@Parameter(name="*", group=PROMISE)
@dataclass(frozen=True, kw_only=True)
class Pledge:
    """What is to hold on new rows.

    Parameters
    ----------
    promise
        What to promise about new rows, as recall=0.95: accuracy, recall, specificity or precision,
        kept by the exact test of rows that are held out.
    holdout
        Share of the rows to hold out for the promise; 0.3 when omitted.
    confidence
        How sure the promise is to be; 0.95 when omitted.
    """

    promise: str | None = None
    holdout: float | None = None
    confidence: float | None = None

    def read(self) -> dict[str, Any]:
        """Return the arguments of `prune` that ask for it."""
        limits = [] if self.promise is None else [self.promise]
        wished = [*read_limits(AtLeast, "--promise", limits)]
        if len(wished) > 1:
            raise InputError("--promise", "takes one criterion, as in recall=0.95.")
        return {
            "promise": wished[0] if wished else None,
            "holdout": self.holdout,
            "confidence": self.confidence,
        }


AS_IT_IS, ANY_SOURCE, NO_LIMITS, SOME_EFFORT = Reading(), Source(), Limits(), Effort()
USUAL_SOFTNESS, NO_PLEDGE = Softness(), Pledge()
"""What holds when nothing is said."""
