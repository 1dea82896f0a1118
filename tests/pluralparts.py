"""Rows and parts of trees for several classes, as certificates have them, drawn at random."""

from __future__ import annotations

from voteprune.verify.plurality_pool import bits

KINDS = ("need", "duel", "total")


def random_row(rng, case):
    """A row of some kind that counts some of those whom it may count."""
    codes, labels = case.problem.codes, len(case.problem.votes.classes)
    pattern, kind = int(rng.integers(len(codes))), str(rng.choice(KINDS))
    label = int(codes[pattern, rng.choice(case.problem.allowed)]) % labels
    others = [rival for rival in range(labels) if rival != label]
    count = {"need": 0, "duel": 1, "total": int(rng.integers(0, labels))}[kind]
    rivals = sorted(rng.choice(others, min(count, len(others)), replace=False).tolist())
    counted = 0
    for k in case.problem.allowed:
        code = codes[pattern, k]
        may = {"need": code == label, "duel": code in (label, *rivals), "total": code not in rivals}
        if may[kind] and rng.random() < 0.8:
            counted |= 1 << int(k)
    return [pattern, label, kind, rivals, f"{counted:x}"]


def committees(case):
    """Every committee with its value, as the places of its members."""
    allowed = case.problem.allowed
    return [
        (tuple(int(allowed[k]) for k in columns), score) for columns, score in case.scores.items()
    ]


def standing(rng, pool, size, chance):
    """A part that some of the members have been decided in."""
    part = pool.root(size)
    for k in bits(part.free):
        if rng.random() < chance:
            part = part.having(k, sits=bool(rng.random() < 0.5))
    return part


def inside(part, members):
    seated = sum(1 << k for k in members)
    return len(members) == part.size and not seated & ~(part.sits | part.free) and (
        part.sits & ~seated == 0
    )  # fmt: skip
