"""What classifiers and constraints are called, read and shown."""

from __future__ import annotations

from collections.abc import Sequence

from ..exceptions import InputError

SHOWN = 8
"""Names that a message lists."""


def read_members(argument: str, members: Sequence[int | str]) -> tuple[int | str, ...]:
    """Return members as plain indices and names, or say which is neither."""
    if not members:
        raise InputError(argument, "names no classifier. Give indices or names.")
    for member in members:
        if isinstance(member, bool) or not (
            isinstance(member, str) or hasattr(member, "__index__")
        ):
            raise InputError(argument, f"{member!r} is neither an index nor a name.")
    return tuple(m if isinstance(m, str) else int(m) for m in members)


def places_of(argument: str, members: Sequence[int | str], names: Sequence[str]) -> tuple[int, ...]:
    """Return the members' places in the pool called `names`, in order, each once."""
    found = []
    for member in members:
        if isinstance(member, str):
            if member not in names:
                raise InputError(argument, nobody_called(member, names))
            found.append(names.index(member))
        elif 0 <= member < len(names):
            found.append(member)
        else:
            raise InputError(
                argument, f"index {member} is outside the pool's 0 .. {len(names) - 1}."
            )
    return tuple(sorted(set(found)))


def checked_name(name: object, kind: str) -> str | None:
    """Return what a constraint of a kind is called, None for nothing."""
    return None if name is None else check_name(name, f"{kind}(name)")


def with_name(name: str | None, words: str) -> str:
    """Return words on a constraint, with its name before them if it has one."""
    return words if name is None else f"{name}: {words}"


def check_name(name: object, argument: str) -> str:
    """Return what a constraint is called, or say what a name is."""
    if not isinstance(name, str) or not name:
        raise InputError(argument, f"is {name!r}; expected a text that is not empty.")
    return name


def nobody_called(name: str, names: Sequence[str]) -> str:
    """Say that no classifier is called so, and who is there."""
    shown = ", ".join(map(repr, names[:SHOWN])) + (", ..." if len(names) > SHOWN else "")
    return f"no classifier of the pool is called {name!r}. Give one of {shown}."
