"""JSON documents that can be trusted: strict on the way in, harmless to read on the way out.

What is kept as JSON is `Written`; what is also read back is a `Document`.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from ..exceptions import FileFormatError, InputError
from . import outfile

SCHEMA = 1
"""Version of every document this release writes."""

MAX_BYTES = 64 * 2**20
"""No document of ours comes near this; anything larger is refused unread."""

T = TypeVar("T")


def dump(kind: str, fields: dict[str, Any], indent: int | None = 2) -> str:
    """Write a document of this kind as JSON text, on one line where `indent` is None."""
    document = {"format": f"voteprune.{kind}", "schema": SCHEMA, **fields}
    return write(document, indent)


def write(value: object, indent: int | None = 2) -> str:
    """Write a value as JSON text that any terminal may be sent.

    Letters of all languages stand as they are; what is not printable stands as JSON's escapes,
    so that a reader gets it back exactly and nobody else is harmed.
    """
    text = json.dumps(value, indent=indent, allow_nan=False, ensure_ascii=False)
    return re.sub(r"[^ -~\n]", _escaped, text) + "\n"


def _escaped(found: re.Match[str]) -> str:
    sign = found[0]
    return sign if sign.isprintable() else json.dumps(sign)[1:-1]


def load_file(path: str | Path) -> tuple[str, str]:
    """Read a file and return its text and a name for error messages."""
    file = Path(path)
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise FileFormatError(file, f"has over {MAX_BYTES} bytes, more than any document.")
        return data.decode("utf-8"), str(file)
    except UnicodeDecodeError as error:
        raise FileFormatError(file, f"is not UTF-8 text ({error}).") from None
    except OSError as error:
        raise FileFormatError(file, f"cannot be read: {error.strerror}.") from None


def read(text: str) -> Any:
    """Read JSON text strictly: every field once, every number a finite one.

    Raises
    ------
    ValueError
        If it is no such text.
    """
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_refuse_doubles,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _reader(kind: str) -> str:
    """Say what reads a committee of another kind."""
    if not kind.startswith(("plurality_", "soft_")):
        return ""
    names = ["".join(map(str.capitalize, kind.split("_")))]
    names.append(names[0].replace("Solution", "Committee"))
    return f" It is read by {' or '.join(f'vp.{name}.load' for name in dict.fromkeys(names))}."


def parse(text: str, kinds: tuple[str, ...], source: str) -> tuple[str, Fields]:
    """Read a document and check what it says it is.

    Returns
    -------
    kind, fields
    """
    try:
        document = read(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(source, f"is not valid JSON: {error.msg}.", error.lineno) from None
    except ValueError as error:
        raise FileFormatError(source, f"is not valid JSON: {error}.") from None
    fields = Fields(document, source)
    kind = fields.text("format").removeprefix("voteprune.")
    if kind not in kinds:
        expected = " or ".join(f"voteprune.{kind}" for kind in kinds)
        raise FileFormatError(
            source, f"holds {fields.text('format')!r}; expected {expected}.{_reader(kind)}"
        )
    if fields.integer("schema") != SCHEMA:
        raise FileFormatError(
            source,
            f"has schema {fields.integer('schema')}, this release reads schema {SCHEMA}. "
            "Use the voteprune release that wrote it, or a newer one.",
        )
    return kind, fields


class Fields:
    """The fields of a JSON object; every look-up checks the type and names the field."""

    def __init__(self, document: object, source: str) -> None:
        if not isinstance(document, dict):
            raise FileFormatError(source, "expected a JSON object.")
        self._document = document
        self._source = source

    def _get(self, key: str, kinds: type | tuple[type, ...], expected: str) -> Any:
        value = self._document.get(key)
        wrong_bool = isinstance(value, bool) and bool not in (
            kinds if isinstance(kinds, tuple) else (kinds,)
        )
        if key not in self._document or wrong_bool or not isinstance(value, kinds):
            found = "nothing" if key not in self._document else f"{value!r:.60}"
            raise FileFormatError(self._source, f"field {key!r} must be {expected}, found {found}.")
        return value

    def text(self, key: str) -> str:
        """Return a string."""
        value: str = self._get(key, str, "a string")
        return value

    def integer(self, key: str) -> int:
        """Return an integer."""
        value: int = self._get(key, int, "an integer")
        return value

    def fraction(self, key: str) -> Fraction:
        """Return a whole number, or a fraction written as text."""
        value = self._get(key, (int, str), "a whole number or a fraction")
        # Long enough for any real count; digits only, so that no exponent can fill the memory.
        if isinstance(value, str) and (len(value) > 2000 or set(value) - set("-/0123456789")):
            raise FileFormatError(self._source, f"field {key!r} must be a fraction.")
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise FileFormatError(self._source, f"field {key!r} must be a fraction.") from None

    def number(self, key: str) -> float:
        """Return a number."""
        try:
            return float(self._get(key, (int, float), "a number"))
        except OverflowError:
            raise FileFormatError(self._source, f"field {key!r} is out of range.") from None

    def flag(self, key: str) -> bool:
        """Return a truth value."""
        value: bool = self._get(key, bool, "true or false")
        return value

    def object(self, key: str) -> Fields:
        """Return a nested object."""
        return Fields(self._get(key, dict, "an object"), self._source)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings."""
        return self._list(key, str, "a list of strings")

    def integers(self, key: str) -> tuple[int, ...]:
        """Return a list of integers."""
        return self._list(key, int, "a list of integers")

    def scalars(self, key: str) -> tuple[str | int | float | bool, ...]:
        """Return a list of strings and numbers."""
        value = self._get(key, list, "a list of strings or numbers")
        if not all(isinstance(item, str | int | float) for item in value):
            raise FileFormatError(
                self._source, f"field {key!r} must be a list of strings or numbers."
            )
        return tuple(value)

    def items(self, key: str) -> list[Any]:
        """Return a list of anything."""
        value: list[Any] = self._get(key, list, "a list")
        return value

    def mapping(self, key: str) -> dict[str, str]:
        """Return an object whose values are all strings."""
        value = self._get(key, dict, "an object of strings")
        if not all(isinstance(item, str) for item in value.values()):
            raise FileFormatError(self._source, f"field {key!r} must be an object of strings.")
        return dict(value)

    def missing(self, key: str) -> bool:
        """Tell whether the field is absent or null."""
        return self._document.get(key) is None

    def _list(self, key: str, kind: type[T], expected: str) -> tuple[T, ...]:
        value = self._get(key, list, expected)
        if not all(type(item) is kind for item in value):
            raise FileFormatError(self._source, f"field {key!r} must be {expected}.")
        return tuple(value)

    def build(self, make: Callable[[], T]) -> T:
        """Build an object from these fields; what it refuses is this file's fault."""
        try:
            return make()
        except FileFormatError:
            raise
        except InputError as error:
            raise FileFormatError(self._source, str(error)) from None
        except OverflowError:
            raise FileFormatError(self._source, "holds a number out of range.") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits:.40} is out of range")
    return number


def _refuse_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for key, value in pairs:
        if key in document:
            raise ValueError(f"the field {key!r:.60} stands twice")
        document[key] = value
    return document


class Written(ABC):
    """Something that is written as a JSON document.

    A subclass names its kind of document and tells its fields; one that is large stands on one
    line, its `_INDENT` being None.
    """

    __slots__ = ()

    _KIND: ClassVar[str]
    _INDENT: ClassVar[int | None] = 2

    @abstractmethod
    def _fields(self) -> dict[str, Any]:
        """Return what is written."""

    def to_json(self) -> str:
        """Write it as JSON text."""
        return dump(self._KIND, self._fields(), self._INDENT)

    def save(self, path: str | Path) -> None:
        """Write it to a JSON file, whole or not at all."""
        outfile.write_text(path, self.to_json())


class Document(Written):
    """Something that is written as a JSON document and read back.

    A subclass also builds itself from its fields, and names the kinds of larger documents that
    hold one, with the field where it is.
    """

    __slots__ = ()

    _HOLDERS: ClassVar[dict[str, str]] = {}

    @classmethod
    @abstractmethod
    def _from_fields(cls, fields: Fields) -> Self:
        """Build it from what was written."""

    @classmethod
    def from_json(cls, text: str, source: str | None = None) -> Self:
        """Read it from its JSON, or from that of a document that holds one.

        It checks itself as a new one does.

        Parameters
        ----------
        text
            What `to_json` wrote.
        source
            Where the text is from, for error messages.

        Raises
        ------
        FileFormatError
            If the text is no such document, or contradicts itself.
        """
        kinds = (cls._KIND, *cls._HOLDERS)
        kind, fields = parse(text, kinds, source or cls._KIND)
        return cls._from_fields(
            fields.object(cls._HOLDERS[kind]) if kind in cls._HOLDERS else fields
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read it from a file that `save` wrote."""
        return cls.from_json(*load_file(path))
