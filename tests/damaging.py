"""Certificates and votes with something wrong in them, and what the checker makes of them."""

import copy
import json
import traceback

from voteprune.exceptions import FileFormatError
from voteprune.verify import verify

ODD = (
    None, True, False, 0, -1, 1, 2, 10**400, -(10**400), 1e308, 5e-324, 0.5, -0.0, "", "x", "1/0",
    "-1/3", f"1/{7**500}", "9" * 400, "\ud800", "\x1b[2J\n", "x" * 10**5, [], {}, [[]], [[0, 0, 0]],
    {"a": 1}, [None], [[[0]]], "optimal", "infeasible",
)  # fmt: skip
"""What a field may hold by accident or by malice."""

CONTROL = "\x1b[2J\x1b]0;The certificate holds\x07\r\n\t\x00\x9b1m\u202e\u2028\x7f"


def judged(certificate, votes):
    """What the checker makes of two files: the exit code, after a look at what it would print."""
    try:
        found = verify(certificate, votes)
    except FileFormatError as error:
        said, own = str(error), own_words(error)
        assert said.isprintable(), "an error is one line"
        assert len(said) < 700
        assert own, said
        return 2
    lines = found.summary().split("\n")
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) < 5000
    return 0 if found.holds else 1


def own_words(error):
    """Whether what is said of a certificate's fields was put in words here, not by Python."""
    if "lacks the field" in str(error) or "as this release knows it" not in str(error):
        return True
    *_, last = traceback.extract_tb(error.__context__.__traceback__)
    return last.line.startswith("raise ")


def broken(document):
    """The document without each of its fields, and with what none of them may be."""
    for path in places_of(document):
        # Of several alike the first stands for all.
        if any(isinstance(key, int) and key for key in path):
            continue
        if isinstance(path[-1], str):
            without = replaced(document, path, None)
            holder = without
            for key in path[:-1]:
                holder = holder[key]
            del holder[path[-1]]
            yield without
        for value in (None, 0, True, "x", "1/0", [], {}, [[]], ["\ud800"]):
            yield replaced(document, path, value)


def places_of(value, path=()):
    """Every place in a document, as a path."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places_of(inner, (*path, key))


def replaced(document, path, value):
    copied = copy.deepcopy(document)
    holder = copied
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return copied


def codes_of_odd_fields(rng, document, certificate, votes, depth, most):
    """What the checker says of odd values in every field down to a depth, and in some deeper."""
    codes, paths = set(), list(places_of(document))
    few = [path for path in paths if len(path) <= depth]
    deep = [path for path in paths if len(path) > depth]
    for path in few + rng.sample(deep, min(len(deep), most)):
        for value in rng.sample(ODD, 4):
            certificate.write_text(json.dumps(replaced(document, path, value)))
            codes.add(judged(certificate, votes))
    return codes


def codes_of_damage(rng, path, certificate, votes, times):
    """What the checker says when the bytes of one of its two files are damaged."""
    codes, whole = set(), path.read_bytes()
    for _ in range(times):
        path.write_bytes(damaged(rng, whole))
        codes.add(judged(certificate, votes))
    return codes


def damaged(rng, data):
    """Bytes with a few of them flipped, cut off, doubled or moved."""
    data = bytearray(data)
    kind = rng.randrange(4)
    if kind == 0:
        return bytes(data[: rng.randrange(len(data))])
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data))
        if kind == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at:at] = data[at : at + rng.randrange(1, 30)]
        else:
            data[at] = rng.choice(b'{}[]",:-0129eE/.\x00\xff\x1b\n')
    return bytes(data)
