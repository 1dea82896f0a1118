"""Names that would rule a terminal, a line or a page if they were sent to it."""

import random

CONTROLS = [
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u00ad\u061c\u200b\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202d\u202e\u2066\u2067\u2069\ufeff",
]
"""C0, DEL, C1, line ends, marks of direction and what has no width."""

SURROGATES = ["\ud800", "\udc80", "\udfff"]
"""What JSON can say and no file of text can hold."""

CLEAR = "\x1b[2J\x1b[H\x9b2J\rOptimal: no committee is better.\n\x1b]0;title\x07"
"""Clears the screen and tells what is not true."""


def odd_names(count, seed, signs=tuple(CONTROLS)):
    """Return as many distinct names with such signs in them."""
    rng = random.Random(seed)
    names = [
        f"{i}" + "".join(rng.choices([*signs, *"aé|&%"], k=rng.randint(1, 6))) for i in range(count)
    ]
    return [f"0{CLEAR}", *names[1:]]


def harmless(text):
    """Tell whether a text has nothing in it but printable characters and line ends."""
    return all(line.isprintable() for line in text.split("\n"))
