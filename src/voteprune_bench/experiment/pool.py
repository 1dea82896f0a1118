"""The pool of classifiers, read from a file of settings.

`pool.toml` beside this module is the paper's pool; a file of your own has the same form.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voteprune.exceptions import FileFormatError, InputError

PAPER_POOL = Path(__file__).with_name("pool.toml")
"""The ten families of the paper's supplement."""


@dataclass(frozen=True, slots=True)
class Family:
    """One model with several settings.

    Parameters
    ----------
    name
        What its classifiers' names begin with.
    model
        Where the class is found: module and name.
    settings
        Parameters of each classifier.
    seed
        Parameter that gets the seed.
    always
        Parameters of all of them.
    parts
        Models inside the model, by parameter.
    scaled
        Whether features are standardised first.
    """

    name: str
    model: str
    settings: tuple[dict[str, Any], ...]
    seed: str
    always: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    scaled: bool = False

    def build(self, place: int, seed: int) -> Any:
        """Return the classifier of one setting, not yet trained.

        Parameters
        ----------
        place
            Which setting, from 0 on.
        seed
            Seed of the folds; the classifier's own is `place` more.
        """
        inner = {name: _class(model, self.name)() for name, model in self.parts.items()}
        built = _class(self.model, self.name)(**self.always, **inner)
        try:
            built.set_params(**self.settings[place], **{self.seed: seed + place})
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{self.name}_{place + 1}", f"{self.model} refuses it: {error}."
            ) from None
        if not self.scaled:
            return built
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), built)


@dataclass(frozen=True, slots=True)
class Pool:
    """All families, in the order of their columns.

    Parameters
    ----------
    families
        At least one, each with equally many settings.
    """

    families: tuple[Family, ...]

    @property
    def size(self) -> int:
        """Number of classifiers."""
        return sum(len(family.settings) for family in self.families)

    @property
    def fingerprint(self) -> str:
        """What changes when a setting does."""
        text = json.dumps([_fields(family) for family in self.families], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def check_size(self, k: int) -> None:
        """Refuse a K that does not take equally many of every family."""
        n = len(self.families)
        if k < 1 or k > self.size or k % n:
            raise InputError(
                "pool_sizes",
                f"{k} is no multiple of {n}, the number of families, up to {self.size}. K takes "
                "the first K / families settings of every family.",
            )

    def classifiers(self, k: int, seed: int) -> Iterator[tuple[str, Any]]:
        """Yield names and untrained classifiers: the first of every family, K in all."""
        self.check_size(k)
        for family in self.families:
            for place in range(k // len(self.families)):
                yield f"{family.name}_{place + 1}", family.build(place, seed)


def read_pool(path: str | Path = PAPER_POOL) -> Pool:
    """Read a pool's settings.

    Parameters
    ----------
    path
        TOML with one table per family, as in `PAPER_POOL`.

    Raises
    ------
    FileFormatError
        If the file is no such table.
    """
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(path, f"is not valid TOML: {error}.") from None
    families = tuple(_family(path, name, table) for name, table in tables.items())
    counts = {len(family.settings) for family in families}
    if len(counts) != 1 or counts == {0}:
        raise FileFormatError(
            path, "must hold families with equally many settings each, one at least."
        )
    return Pool(families)


def _family(path: str | Path, name: str, table: Any) -> Family:
    known = {"model", "seed", "always", "parts", "scaled", "settings"}
    if not isinstance(table, dict) or not {"model", "seed", "settings"} <= set(table) <= known:
        raise FileFormatError(
            path,
            f"[{name}] must have model, seed and settings, and may have always, parts, scaled.",
        )
    settings, parts = table["settings"], table.get("parts", {})
    if not isinstance(settings, list) or not all(isinstance(line, dict) for line in settings):
        raise FileFormatError(path, f"[{name}] settings must be a list of tables.")
    sound = isinstance(parts, dict) and isinstance(table.get("always", {}), dict)
    words = (table["model"], table["seed"], *(parts.values() if sound else ()))
    sound = sound and all(isinstance(word, str) for word in words)
    if not sound or not isinstance(table.get("scaled", False), bool):
        raise FileFormatError(
            path,
            f"[{name}] model and seed must be texts, always and parts tables (parts of texts), "
            "scaled true or false.",
        )
    family = Family(name, **{**table, "settings": tuple(settings)})
    try:
        json.dumps(_fields(family))  # hashes of tasks are made of it
    except TypeError:
        raise FileFormatError(
            path, f"[{name}] holds a date or a time. Give numbers, texts, lists and tables."
        ) from None
    return family


def _class(path: str, family: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError:
        raise InputError(
            family, f"{path} is not installed. Install it: pip install 'voteprune[bench]'"
        ) from None
    except (AttributeError, ValueError):
        raise InputError(family, f"{path!r} names no class. Write module.Class.") from None


def _fields(family: Family) -> dict[str, Any]:
    return {name: getattr(family, name) for name in family.__slots__}
