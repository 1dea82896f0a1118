"""`PrunedVotingClassifier`: a committee chosen with proof, as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from ..exceptions import InputError
from ..problem.constraints import check_pool
from ..soft.committee import SoftCommittee
from ..votes.abstaining import check_abstentions
from .answers import Answers, collect_answers, tell
from .choose import Choice, check_requests, choose
from .collect import Ballots, Training, collect, train_members
from .conventions import Conventions, route
from .default_objective import AUTO, settle, settle_soft
from .dropped import constraints_left, start_left
from .pool import Pool, check_trainable, read_cv, read_pool
from .soft import (
    SoftChoice,
    ahead_of_cutoff,
    check_soft_requests,
    choose_soft,
    read_voting,
    shares_of,
    takes_scores,
)
from .target import check_weights, read_target
from .voter import Codes, ask, votes_ahead, votes_told
from .watching import check_verbose, read_start, watcher


def _is_soft(clf: PrunedVotingClassifier) -> bool:
    """Whether the committee gives probabilities, or will once there is one."""
    if hasattr(clf, "committee_"):
        return isinstance(clf.committee_, SoftCommittee)
    try:
        pool = read_pool(clf.estimators, clf._validate_names)
        rule = check_abstentions(clf.abstentions)
        return read_voting(clf.voting, clf.penalty, clf._arguments(0, pool), pool, rule)
    except InputError:
        return False


class PrunedVotingClassifier(Conventions):
    """The best committee of a pool of classifiers, for your criterion and your constraints.

    Every classifier of the pool votes on rows it was not trained on; `voteprune.prune` chooses
    which of them sit and how many votes make a positive, with a proof of how far from optimal the
    choice can be; then only the chosen ones are fitted again, on all rows. Where all of them give
    probabilities and nothing else is asked for, they are weighted, and the committee gives
    probabilities too (`voting`).

    Parameters
    ----------
    estimators : list of (str, estimator) tuples, or one ensemble
        The pool. A member set to "drop" is left out. Or one random forest, extra trees, bagging,
        voting or AdaBoost classifier, whose members are the pool: a fitted one as it is (wrap it
        in `sklearn.frozen.FrozenEstimator` if it is to stay fitted when cloned, as in a grid
        search), one that is not fitted with a share as `cv`.
    objective : str, Weights, Ratio, Ramp or Hinge, default="auto"
        What to maximise, as in `voteprune.prune`. With soft voting what to minimise: "log_loss" of
        weighted log-odds, which is "auto", with at most ten members unless a constraint limits the
        size; "pool_log_loss" or "brier" of a weighted mean of the probabilities. With hard voting
        "auto" is, of two classes, `Ramp(1)`, rows won by a margin, with at most seven members
        unless a constraint limits the size or the members are alike, as the trees of a forest.
        Where a margin cannot be had, it is "accuracy": with more than two classes, limits on
        criteria or diversity, methods that know no margins, and ``threshold="tuned"``.
    constraints : constraint or list of constraints, default=()
        What the committee must respect: `AtLeast`, `AtMost`, `Require`, `Forbid`, `Budget`,
        `Group`. Members go by their names, or as costs in a list do by their places in
        `estimators`, where those that are dropped keep theirs. With soft voting
        limits on criteria, such as recall, choose the cut-off on the committee's probability.
    voting : {"auto", "soft", "hard"}, default="auto"
        Whether members vote or give probabilities: `predict_proba`, else `decision_function` as
        scores (not in a weighted mean), else votes. "auto" is soft where the objective is one of
        soft voting's, or is "auto" and every member of a list gives probabilities or scores, no
        criterion is limited, and nothing is asked for that soft committees do not have; else hard.
    penalty : float or None, default=None
        With soft voting the ridge on the members' weights, as in `voteprune.prune`; 30 when None.
    diversity : str, Diversity or None, default=None
        Limits on how alike the members may be.
    method : str, default="exact"
        How the committee is found; see `voteprune.methods`.
    solver : str, Solver or None, default=None
        The solver of methods that use one.
    threshold : {"majority", "tuned"} or None, default=None
        How many votes make a positive, for methods that leave it open.
    cv : int, splitter, iterable, float, "prefit" or None, default=None
        On which rows the members vote. Folds, by number (None is 5), splitter or list of splits:
        out of fold, on every row. A share between 0 and 1: on so many rows, held out and
        stratified. "prefit": the members are fitted already and vote on all rows, which should
        not be those they were trained on. A member inside a FrozenEstimator is never trained.
    refit : bool, default=True
        Whether the chosen members of a list are fitted again on all rows. False keeps those that
        were trained without the hold-out, and needs a share as `cv`.
    pos_label : int, float, bool, str or None, default=None
        The positive class; None is the last in sorted order. With more than two classes there is
        none.
    time_limit : float or None, default=60.0
        Seconds the choice may take, training not counted; None for no limit.
    random_state : int, RandomState instance or None, default=None
        Seed of the hold-out and of the choice. Members have seeds of their own.
    n_jobs : int or None, default=None
        How many members are trained at once, and how many cores the choice may use.
    start : Committee, list of str or int, or None, default=None
        A committee to start from, or its members; for methods that prove.
    callback : callable or None, default=None
        Called with a `voteprune.Progress` on every improvement of the choice; a true return value
        ends it there.
    abstentions : {"skip", "against"} or None, default=None
        What it counts for when a member's `predict` says nothing (NaN, None, empty text, a masked
        entry): "skip" for nothing, those who vote decide; "against" for no vote for the positive
        class. Where it is given votes are hard; of more than two classes the first in sorted order
        wins ties and the rows on which no member votes, of two the one that is not positive. A
        missing prediction is an error when None.
    verbose : bool, default=False
        Whether to print how long the training of each member took, and how the proof goes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    solution_ : Solution, PluralitySolution or SoftSolution
        The answer with its proof: committee, value, bound, gap and status. Fresh from `fit` it
        also knows the votes, for `solution_.explain()`; they are not persisted.
    committee_ : Committee, PluralityCommittee or SoftCommittee
        The committee of the solution: members, threshold or weights, JSON.
    weights_ : ndarray of shape (n_members,)
        The members' weights; of soft committees only.
    estimators_ : list
        The fitted members of the committee. As in `sklearn.ensemble.VotingClassifier`, members
        that are trained here know the classes by their numbers in `classes_`.
    named_estimators_ : Bunch
        The same by name.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where X has names.

    See Also
    --------
    voteprune.prune : The same from a matrix of votes.
    voteprune.prune_ensemble : A smaller ordinary forest or ensemble out of a fitted one.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from voteprune import AtMost, PrunedVotingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> pool = [(f"t{d}", DecisionTreeClassifier(max_depth=d, random_state=d)) for d in (1, 2, 3)]
    >>> clf = PrunedVotingClassifier([*pool, ("nb", GaussianNB())], constraints=AtMost("size", 3))
    >>> clf.fit(X, y).solution_.status
    'optimal'
    """

    def __init__(
        self,
        estimators: Any,
        *,
        objective: Any = AUTO,
        constraints: Any = (),
        voting: str = AUTO,
        penalty: float | None = None,
        diversity: Any = None,
        method: str = "exact",
        solver: Any = None,
        threshold: Any = None,
        cv: Any = None,
        refit: bool = True,
        pos_label: Any = None,
        time_limit: float | None = 60.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        start: Any = None,
        callback: Any = None,
        abstentions: Any = None,
        verbose: bool = False,
    ) -> None:
        self.estimators = estimators
        self.objective = objective
        self.constraints = constraints
        self.voting = voting
        self.penalty = penalty
        self.diversity = diversity
        self.method = method
        self.solver = solver
        self.threshold = threshold
        self.cv = cv
        self.refit = refit
        self.pos_label = pos_label
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.start = start
        self.callback = callback
        self.abstentions = abstentions
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, **params: Any
    ) -> PrunedVotingClassifier:
        """Choose the committee and fit its members.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows; whatever the members take.
        y : array-like of shape (n_samples,)
            The labels. Hard votes on more than two classes are counted by plurality.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts: when the committee is chosen, and for the members.
        **params
            Metadata for the members or the splitter, such as `groups`; only with
            ``sklearn.set_config(enable_metadata_routing=True)``.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If an argument is wrong; nothing has been trained then, unless only the votes could
            tell, as with constraints that no committee meets.
        """
        pool = read_pool(self.estimators, self._validate_names)
        target = read_target(y, self.pos_label)
        check_consistent_length(X, target.codes)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        arguments, rule = self._arguments(seed, pool), check_abstentions(self.abstentions)
        arguments["constraints"] = target.about_positive(arguments["constraints"])
        soft = read_voting(self.voting, self.penalty, arguments, pool, rule)
        if soft:
            arguments = settle_soft(arguments, pool.alike)
            requests = check_soft_requests(target, arguments, self.penalty)
        else:
            by_threshold = target.positive is not None and rule != "skip"
            arguments = settle(arguments, by_threshold, pool.alike)
            requests = check_requests(target, arguments, rule)
        if pool.names is not None:
            check_pool(requests, pool.names)
        verbose = check_verbose(self.verbose)
        told = {
            "callback": watcher(verbose, self.callback, losses=soft),
            "start": read_start(start_left(self.start, pool), pool.names, self.method),
        }
        cv = read_cv(self.cv, self.refit)
        check_trainable(pool, prefit=cv == "prefit")
        validate_data(self, X, skip_check_array=True)
        (X,) = indexable(X)
        if sample_weight is not None:
            sample_weight = check_weights(_check_sample_weight(sample_weight, X), target)
        routes = route(self, pool, {"sample_weight": sample_weight, **params})
        training = Training(
            X, target, cv, arguments["random_state"], self.n_jobs, routes, verbose, rule is not None
        )

        choice: Choice | SoftChoice
        said: Ballots | Answers
        if soft:
            said = collect_answers(pool, training, takes_scores(arguments["objective"]))
            weights = None if sample_weight is None else sample_weight[said.rows]
            choice = choose_soft(said, target, weights, {**arguments, **told}, self.penalty)
        else:
            said = collect(pool, training)
            weights = None if sample_weight is None else sample_weight[said.rows]
            choice = choose(said, target, weights, {**arguments, **told}, rule)
        seats = choice.committee.members
        held_out = isinstance(cv, float) and pool.ensemble is None
        if not said.voters or (held_out and self.refit):
            voters = train_members([pool.pairs[place] for place in seats], training)
        else:
            voters = tuple(said.voters[place] for place in seats)

        self.classes_ = target.classes
        self.solution_: Any = choice.solution
        self.committee_: Any = choice.committee
        self._positive: Any = target.positive
        self._voters = voters
        return self

    @property
    def weights_(self) -> NDArray[np.float64]:
        """The weights of the members of a soft committee, in the order of `estimators_`."""
        if not isinstance(vars(self).get("committee_"), SoftCommittee):
            raise AttributeError("Only a fitted soft committee has weights_.")
        return np.array(self.committee_.weights)

    def _arguments(self, seed: int, pool: Pool) -> dict[str, Any]:
        """Return what `prune` is asked for apart from the votes, an objective perhaps left open."""
        return {
            "objective": self.objective,
            "constraints": constraints_left(self.constraints, pool),
            "diversity": self.diversity,
            "method": self.method,
            "solver": self.solver,
            "threshold": self.threshold,
            "time_limit": self.time_limit,
            "random_state": seed,
            "n_jobs": self.n_jobs,
        }

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the committee's decision.

        Of two classes the positive one where enough members vote for it; of more the one with most
        votes, and of several with as many the first in `classes_`. Of a soft committee the positive
        one where its probability is above the cut-off; of more the likeliest.
        """
        score = self.decision_function(X)
        winner = score.argmax(axis=1) if score.ndim == 2 else (score > 0).astype(np.intp)
        return np.asarray(self.classes_[winner])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return by how many votes ``classes_[1]`` is ahead of the threshold, above 0 if it wins.

        Votes for the positive class minus those half-way between too few and enough, so never 0
        (where abstentions are skipped, minus those for the other class and a half); with the sign
        turned where the positive class is ``classes_[0]``. With more than two classes the votes
        for each, one column per class. Of a soft committee the same in probabilities: that of the
        positive class minus the cut-off, or that of each class.
        """
        check_is_fitted(self)
        if isinstance(self.committee_, SoftCommittee):
            return ahead_of_cutoff(self.committee_, self.predict_proba(X), self._positive)
        return votes_ahead(self.committee_, self._ask(X), self._positive, len(self.classes_))

    @available_if(_is_soft)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of every class, one column each in the order of `classes_`.

        Of soft committees only: votes are no probabilities.
        """
        said = self._tell(X)
        return shares_of(self.committee_, said, self._positive)

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the members' votes, one column each: 1 for the positive class, else 0.

        With more than two classes, the place in `classes_` of the class each votes for. NaN where a
        member abstains, if it may. Of a soft
        committee what each member says about the positive class, its probability, score or vote;
        with more than two classes about every class, the columns of a member side by side.
        """
        check_is_fitted(self)
        if isinstance(self.committee_, SoftCommittee):
            return np.column_stack(list(self._tell(X).values()))
        return votes_told(self._ask(X), self._positive, self.committee_.abstentions is not None)

    def _ask(self, X: Any) -> Codes:
        """Return the number of the class each member votes for."""
        self._check_rows(X)
        return ask(self._voters, X, self.n_jobs, self.committee_.abstentions is not None)

    def _tell(self, X: Any) -> dict[str, NDArray[np.float64]]:
        """Return what each member of a soft committee says."""
        self._check_rows(X)
        scores = takes_scores(self.solution_.objective)
        return tell(self._voters, X, scores, self._positive, self.n_jobs)

    def _check_rows(self, X: Any) -> None:
        check_is_fitted(self)
        if getattr(X, "ndim", 2) == 1 and hasattr(self, "n_features_in_"):
            raise InputError(
                "X",
                "has one dimension, expected rows by features. Reshape your data: "
                "X.reshape(1, -1) is one row, X.reshape(-1, 1) one feature.",
            )
        validate_data(self, X, reset=False, skip_check_array=True)
