"""Metadata: which member, and which splitter, is given what."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn import get_config
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from ..exceptions import InputError
from .pool import Pool

ENSEMBLE = "ensemble"
"""The name an ensemble's parameters go by, in the place of a member's."""


@dataclass(frozen=True, slots=True)
class Routes:
    """What goes where.

    Parameters
    ----------
    fit
        By member, what its `fit` is given.
    call
        By member, the same as the caller named it, for functions that route it themselves.
    split
        What the splitter is given.
    """

    fit: Mapping[str, Mapping[str, Any]]
    call: Mapping[str, Mapping[str, Any]]
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
        router.add(cv=check_cv(cv, classifier=True), method_mapping=to_split)
    return router


def _is_splitter(cv: object) -> bool:
    return not isinstance(cv, str | float)


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
        call = {}
        for name, member in members.items():
            asked = get_routing_for_object(member).consumes("fit", given.keys())
            call[name] = {key: given[key] for key in asked}
        split = routed["cv"]["split"] if _is_splitter(owner.cv) else {}
        return Routes({name: routed[name]["fit"] for name in members}, call, split)
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
    same = dict.fromkeys(members, given)
    return Routes(same, same, {})


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
