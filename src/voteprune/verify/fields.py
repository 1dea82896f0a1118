"""The fields of a certificate, each read as the one kind of thing it may be, and fit to be shown.

What is shown is one line of bounded length without control characters.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

NUMBER_BITS = 2**12
"""How long a number may be."""

MEAN_BITS = 2**21
"""How long a limit on diversity may be: a mean over all pairs has the denominators of all."""

COMMON_BITS = 2**13
"""How long the common denominator of all fractions may be, for sums are as long as that."""

T = TypeVar("T")

_MOST = 100
_EXACT_BITS = 128


def load(path: str | Path) -> Any:
    """Return what a JSON file says; ValueError where it says a thing twice, or no number at all."""
    return json.loads(
        Path(path).read_text(encoding="utf-8"),
        object_pairs_hook=_once,
        parse_float=_finite,
        parse_constant=_finite,
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"it has the field '{plain(twice)}' twice")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{plain(text)} is no number")
    return value


def record(value: Any) -> dict[str, Any]:
    """Read fields by their names."""
    if not isinstance(value, dict):
        raise TypeError(f"expected fields by their names, found {plain(repr(value))}")
    return value


def part(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """Read a field that has fields of its own."""
    value = fields[name]
    if not isinstance(value, dict):
        raise TypeError(f"'{name}' must have fields of its own, found {plain(repr(value))}")
    return value


def all_of(values: Any, read: Callable[[Any], T]) -> tuple[T, ...]:
    """Read a list."""
    if not isinstance(values, list):
        raise TypeError(f"expected a list, found {plain(repr(values))}")
    return tuple(read(value) for value in values)


def tuples(values: Any, *read: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Read a list of lists, the items of each by a reader of its own."""
    return all_of(
        values,
        lambda one: tuple(
            reader(value) for reader, value in zip(read, several(one, len(read)), strict=True)
        ),
    )


def several(values: Any, count: int) -> tuple[Any, ...]:
    """Read a list of so many things of whichever kind."""
    found = all_of(values, lambda value: value)
    if len(found) != count:
        raise ValueError(f"expected a list of {count}, found {plain(repr(values))}")
    return found


def exactly(values: tuple[T, ...], count: int) -> tuple[T, ...]:
    """Make sure of a number of values."""
    if len(values) != count:
        raise ValueError(f"expected {count} numbers, found {len(values)}")
    return values


def places(values: Any, count: int) -> tuple[int, ...]:
    """Read a list of distinct classifiers, by their places."""
    found = all_of(values, whole)
    if len(set(found)) != len(found) or not all(0 <= place < count for place in found):
        raise ValueError(f"{plain(list(found))} are not distinct classifiers")
    return found


def text(value: Any) -> str:
    """Read text."""
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {plain(repr(value))}")
    try:
        value.encode()
    except UnicodeEncodeError:  # JSON can spell half a character, which cannot be written
        raise ValueError(f"'{plain(value)}' has half a character") from None
    return value


def word(value: Any, known: Collection[str]) -> str:
    """Read one of some words."""
    if text(value) not in known:
        raise ValueError(f"'{plain(value)}' is none of {', '.join(known)}")
    return str(value)


def whole(value: Any, bits: int = NUMBER_BITS) -> int:
    """Read a whole number of bounded length, which true and 1.0 are not."""
    if type(value) is not int:
        raise TypeError(f"expected a whole number, found {plain(repr(value))}")
    if value.bit_length() > bits:
        raise ValueError(f"a number has more than {bits} bits")
    return value


def fraction(value: Any, bits: int = NUMBER_BITS) -> Fraction:
    """Read a whole number, or a fraction in text, decimal or (with 0x) hexadecimal."""
    if isinstance(value, str):
        over, slash, under = value.partition("/")
        numerator, denominator = _digits(over, bits), _digits(under, bits) if slash else 1
        if not denominator:
            raise ValueError(f"{plain(value)} divides by 0")
        return Fraction(numerator, denominator)
    return Fraction(whole(value, bits))


def _digits(told: str, bits: int) -> int:
    """Read a whole number in text, decimal or hexadecimal."""
    try:
        found = int(told, 0)
    except ValueError:  # also where it is too long for Python to look at
        raise ValueError(
            f"'{plain(told)}' is no whole number, or one of more than {bits} bits"
        ) from None
    return whole(found, bits)


def hexadecimal(value: Any) -> int:
    """Read a hexadecimal number of any length."""
    try:
        return int(text(value), 16)
    except ValueError:
        raise ValueError(f"'{plain(value)}' is no hexadecimal number") from None


def mean(value: Any) -> Fraction:
    """Read a limit on a mean over pairs, which may be long."""
    return fraction(value, MEAN_BITS)


def positive(value: Any) -> Fraction:
    """Read a number above 0."""
    found = fraction(value)
    if found <= 0:
        raise ValueError("a unit must be positive")
    return found


def weight(value: Any) -> Fraction:
    """Read a number that is not below 0."""
    found = fraction(value)
    if found < 0:
        raise ValueError("a row has a weight below 0")
    return found


def amount(value: Any) -> Fraction:
    """Read a price or a share: what a float says, to the last bit, and not below 0."""
    if type(value) not in (int, float):
        raise TypeError(f"expected a number, found {plain(repr(value))}")
    found = Fraction(value if type(value) is float else whole(value))
    if found < 0:
        raise ValueError(f"a price of {plain(value)} is below 0")
    return found


def check_together(values: Iterable[Fraction]) -> None:
    """Make sure that sums of fractions stay of bounded length; ValueError if not."""
    common = 1
    for value in values:
        common = math.lcm(common, value.denominator)
        if common.bit_length() > COMMON_BITS:
            raise ValueError(f"the common denominator of all has more than {COMMON_BITS} bits")


def plain(text: object) -> str:
    """Return text that does nothing to a terminal: what is not printable is escaped, the rest cut.

    Parameters
    ----------
    text
        A name or a message, which may hold anything.
    """
    found = str(text)
    shown = found if len(found) <= _MOST else f"{found[:_MOST]}..."
    # unicode_escape knows every character but is not wanted for letters of other alphabets.
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)


def number(value: Fraction | int) -> str:
    """Return a number as it is, with what it is about if it is no whole one; only that if long."""
    exact = Fraction(value)
    beyond = [max(x.bit_length() - _EXACT_BITS, 0) for x in (exact.numerator, exact.denominator)]
    if any(beyond):
        # The leading bits of both, for millions of them take their time.
        over, under = exact.numerator >> beyond[0], exact.denominator >> beyond[1]
        with localcontext(prec=30, Emax=MAX_EMAX, Emin=MIN_EMIN):
            about = Decimal(over) / Decimal(under) * Decimal(2) ** (beyond[0] - beyond[1])
            return f"about {about:.7e}"
    return str(exact) if exact.denominator == 1 else f"{exact} ({float(exact):.8g})"
