"""What scikit-learn expects of an estimator that holds others, apart from fit and predict.

Parameters, tags, the diagram, and metadata: which member, and which splitter, is given what.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, TransformerMixin
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ..exceptions import InputError
from ..soft.committee import SoftCommittee
from ..solve.plurality_solution import PluralitySolution
from ..solve.soft_solution import SoftSolution
from ..solve.solution import Solution
from .pool import Pool, speaks_sklearn
from .voter import Voter

ENSEMBLE = "ensemble"
"""The name an ensemble's parameters go by, in the place of a member's."""


@dataclass(frozen=True, slots=True)
class Routes:
    """What goes where.

    Parameters
    ----------
    fit
        By member, what its `fit` is given.
    split
        What the splitter is given.
    """

    fit: Mapping[str, Mapping[str, Any]]
    split: Mapping[str, Any]


def router_for(owner: Any, estimators: object, cv: object) -> MetadataRouter:
    """Return the routes metadata may take through a committee: to its members and its splitter."""
    router = MetadataRouter(owner=owner).add_self_request(owner)
    to_fit = MethodMapping().add(caller="fit", callee="fit")
    listed = estimators if isinstance(estimators, list | tuple) else [(ENSEMBLE, estimators)]
    for name, member in listed:
        if not isinstance(member, str):
            router.add(**{name: member}, method_mapping=to_fit)
    if _is_splitter(cv):
        to_split = MethodMapping().add(caller="fit", callee="split")
        # No member can be called cv: names may not be those of parameters.
        router.add(cv=cv, method_mapping=to_split)
    return router


def _is_splitter(cv: object) -> bool:
    # Numbers and splits take no metadata, and to look into a generator would use it up.
    return hasattr(cv, "split") and not isinstance(cv, str)


def route(owner: Any, pool: Pool, metadata: Mapping[str, Any]) -> Routes:
    """Distribute what `fit` was given besides X and y.

    Raises
    ------
    InputError
        If a member cannot take sample weights, or other metadata comes without routing.
    """
    members = dict(pool.pairs) if pool.ensemble is None else {ENSEMBLE: pool.ensemble}
    given = {key: value for key, value in metadata.items() if value is not None}
    if get_config()["enable_metadata_routing"]:
        routed = process_routing(owner, "fit", **given)
        split = routed["cv"]["split"] if _is_splitter(owner.cv) else {}
        return Routes({name: routed[name]["fit"] for name in members}, split)
    strange = [key for key in given if key != "sample_weight"]
    if strange:
        raise InputError(
            strange[0],
            "is passed on to members and splitter only with metadata routing. Call "
            "sklearn.set_config(enable_metadata_routing=True), and let the members request it.",
        )
    if given:
        for name, member in members.items():
            _check_takes_weights(name, member)
    return Routes(dict.fromkeys(members, given), {})


def _check_takes_weights(name: str, member: Any) -> None:
    if isinstance(member, FrozenEstimator) or not hasattr(member, "fit"):
        return
    parameters = inspect.signature(member.fit).parameters
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if "sample_weight" in parameters or (open_ended and not isinstance(member, Pipeline)):
        return
    raise InputError(
        "sample_weight",
        f"the member {name!r}, a {type(member).__name__}, does not take it. Leave it out, or call "
        "sklearn.set_config(enable_metadata_routing=True) and say with set_fit_request which "
        "members are to be given sample weights; the choice of the committee respects them always.",
    )


class Conventions(
    ClassifierMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    MetaEstimatorMixin,  # type: ignore[misc]
    _BaseComposition,  # type: ignore[misc]
):
    """Nested parameters, members by name, tags, routing, feature names and the HTML picture."""

    # scikit-learn's own checks build instances of what says so.
    _required_parameters = ("estimators",)

    estimators: Any
    cv: Any
    classes_: NDArray[Any]
    solution_: Any
    _voters: tuple[Voter, ...]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep` also the members by name and their parameters."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Conventions:
        """Set parameters, members (by name; "drop" leaves one out) or members' parameters."""
        self._set_params("estimators", **params)
        return self

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members of the committee."""
        _require_fitted(self, "estimators_")
        return [voter.model for voter in self._voters]

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted members of the committee by name."""
        _require_fitted(self, "named_estimators_")
        return Bunch(**{voter.name: voter.model for voter in self._voters})

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the columns of `transform`: this estimator's and the member's.

        Of a soft committee of more than two classes with the class's place in `classes_`.
        """
        check_is_fitted(self)
        _check_feature_names_in(self, input_features, generate_names=False)
        prefix = type(self).__name__.lower()
        names = [f"{prefix}_{voter.name}" for voter in self._voters]
        if isinstance(self.solution_, SoftSolution) and len(self.classes_) > 2:
            # As in scikit-learn's VotingClassifier.
            names = [f"{name}{place}" for name in names for place in range(len(self.classes_))]
        return np.asarray(names, dtype=object)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata goes: to the members' fit, the splitter and the choice itself."""
        return router_for(self, self.estimators, self.cv)

    def __getstate__(self) -> dict[str, Any]:
        # A model that is kept or shipped need not carry the votes it was chosen on.
        state = dict(super().__getstate__())
        if isinstance(state.get("solution_"), Solution | PluralitySolution | SoftSolution):
            state["solution_"] = replace(state["solution_"], problem=None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        listed = self.estimators if isinstance(self.estimators, list | tuple) else ()
        members = [pair[-1] for pair in listed if isinstance(pair, list | tuple)]
        asked = [member for member in (*members, self.estimators) if speaks_sklearn(member)]
        inputs = [get_tags(member).input_tags for member in asked]
        tags.input_tags.sparse = bool(inputs) and all(tag.sparse for tag in inputs)
        tags.input_tags.allow_nan = bool(inputs) and all(tag.allow_nan for tag in inputs)
        return tags

    def _sk_visual_block_(self) -> Any:
        try:
            from sklearn.utils._repr_html.estimator import _VisualBlock
        except ImportError:  # scikit-learn before 1.7
            from sklearn.utils._estimator_html_repr import _VisualBlock
        names: Sequence[str]
        members: Sequence[Any]
        if "_voters" in vars(self):
            names, members = self._seats()
        elif isinstance(self.estimators, list | tuple):
            names, members = zip(*self.estimators, strict=True)
        else:
            names, members = (type(self.estimators).__name__,), (self.estimators,)
        return _VisualBlock("parallel", members, names=names, dash_wrapped=True)

    def _seats(self) -> tuple[list[str], list[Any]]:
        """Return who sits, each with its weight or votes if they differ, and how many do not."""
        committee = self.solution_.committee
        if isinstance(committee, SoftCommittee):
            told = [f", weight {weight:.3g}" for weight in committee.weights]
        else:
            votes = getattr(committee, "multiplicities", (1,) * committee.size)
            told = [f", {number} votes" if number > 1 else "" for number in votes]
        names = [f"{voter.name}{more}" for voter, more in zip(self._voters, told, strict=True)]
        members = [voter.model for voter in self._voters]
        left = committee.pool_size - committee.size
        if left:
            names.append(f"{left} of {committee.pool_size} left out")
            members.append("drop")
        return names, members


def _require_fitted(estimator: Any, attribute: str) -> None:
    # An AttributeError, so that hasattr says no before fit as it does for plain attributes.
    if "_voters" not in vars(estimator):
        raise AttributeError(
            f"{type(estimator).__name__} has no {attribute} before fit has been called."
        )
