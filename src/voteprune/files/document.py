"""`Written` and `Document`: what is kept as JSON, and what is also read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Self

from . import jsonfile, outfile


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
        return jsonfile.dump(self._KIND, self._fields(), self._INDENT)

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
    def _from_fields(cls, fields: jsonfile.Fields) -> Self:
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
        kind, fields = jsonfile.parse(text, kinds, source or cls._KIND)
        return cls._from_fields(
            fields.object(cls._HOLDERS[kind]) if kind in cls._HOLDERS else fields
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read it from a file that `save` wrote."""
        return cls.from_json(*jsonfile.load_file(path))
