"""What stands on file, made fit to be shown: one line, no control characters, of bounded length."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

_MOST = 100
_EXACT_BITS = 128


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
