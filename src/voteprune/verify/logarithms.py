"""Logarithms with a proven error, from the four operations of IEEE 754 doubles.

The logarithms of the C library are good, but nobody promises how good. These are slower and come
with a promise, `log` differs from the logarithm by at most ``LOG_ROOM * (1 + |e|)``, where 2^e is
the power of two above its argument.

Proof, with u = 2^-53, the most that one operation is off relatively. A number is x = m 2^e with m
in [1/2, 1), exactly. Let c be the middle of that of 256 equal parts of [1/2, 1) in which m is. Then
log x = log c + 2 atanh(f) + e log 2 with f = (m - c) / (m + c), |f| <= 2^-10. The difference m - c
is exact, so f is off by at most 3 u 2^-10; three terms of the series leave out less than 2^-70,
and the sum of them is off by less than u / 8. Decimal's logarithm is correctly rounded, here to 20
digits, so the stored log c and log 2 are off by hardly more than u / 2. The product and the two
sums add |e| u, u, and (|e| + 1) u at most. In all no more than 3 u (1 + |e|); the room is 4 u.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

ROUNDING = Fraction(1, 2**53)
"""u: how far one operation on doubles is off at most, relatively."""

LOG_ROOM = 4 * 2.0**-53

_PARTS, _SMALL = 256, 2.0**-10


def _correctly(value: float) -> float:
    return float(Context(prec=20).ln(Decimal(value)))


_MIDDLES = tuple((_PARTS + i + 0.5) / (2 * _PARTS) for i in range(_PARTS))
_LOGS = tuple(map(_correctly, _MIDDLES))
_LOG_2 = _correctly(2.0)


def log(x: float) -> float:
    """Return the logarithm of a positive number, off by at most the room above."""
    m, e = math.frexp(x)
    part = int(m * (2 * _PARTS)) - _PARTS
    c = _MIDDLES[part]
    f = (m - c) / (m + c)
    square = f * f
    return _LOGS[part] + 2 * f * (1 + square * (1 / 3 + square / 5)) + e * _LOG_2


def exp_above(y: float) -> float:
    """Return something that is at least exp(y), and hardly more, for y from 0 down.

    The C library proposes q, and log q - y tells how wrong it is at most: with d the distance,
    exp(y) <= q exp(d) <= q (1 + 2 d) for d up to 1. Where d is small the last is above by nearly
    d of q, which is 4 u at least, and its two operations round by 2 u at most.
    """
    if y < -700:
        return 1e-300
    q = math.exp(y)
    distance = abs(log(q) - y) + LOG_ROOM * (1 + abs(math.frexp(q)[1]))
    return q * (1 + 2 * distance) if distance <= 1 else 1.0


def log_1p_above(t: float) -> float:
    """Return something that is at least log(1 + t), and hardly more, for t from 0 up.

    Where t is small an odd number of terms of the alternating series are above, by less than t^5 of
    it, and operations round by less than 4 u of it, for all but the first are small. Elsewhere the
    logarithm is above 2^-11, and rounding 1 + t moves it by less than 2 u.
    """
    if t < _SMALL:
        series = t * (1 - t * (1 / 2 - t * (1 / 3 - t * (1 / 4 - t / 5))))
        return series * (1 + 2.0**-50)
    one = 1 + t
    room = LOG_ROOM * (1 + abs(math.frexp(one)[1])) + 2.0**-52
    return (log(one) + room) * (1 + 2.0**-50)


def minus_log_below(x: float) -> float:
    """Return something that is at most -log x, and hardly less, for x in (0, 1].

    Near 1 the first terms of the series in 1 - x, all of them positive, are below, by less than
    (1 - x)^5 of it; 1 - x is exact there. Elsewhere -log x is above 2^-11.
    """
    t = 1 - x
    if t < _SMALL:
        series = t * (1 + t * (1 / 2 + t * (1 / 3 + t * (1 / 4 + t / 5))))
        return series * (1 - 2.0**-50)
    room = LOG_ROOM * (1 + abs(math.frexp(x)[1]))
    return (-log(x) - room) * (1 - 2.0**-50)
