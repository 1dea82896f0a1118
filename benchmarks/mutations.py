"""Wrong versions of a source file, each with one small change, for `mutants`.

The changes are mutmut's (numbers, operators, comparisons, True and False, arguments left out, ...)
and a few for what proofs are made of: guards that never speak, half of an ``and`` or ``or``,
statements and filters dropped, smallest for largest. Strings, messages, annotations, decorators,
assertions and ``__repr__`` are left alone. mutmut's own runner is not used: it leaves out decorated
functions, so every property, and forks workers where ours are started anew.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, WhitespaceInclusivePositionProvider
from mutmut.mutation import mutators

Change = tuple[cst.CSTNode, cst.CSTNode]
"""A node, and what takes its place."""

TWINS = {
    "min": "max", "any": "all", "floor": "ceil", "minimum": "maximum", "argmin": "argmax",
    "bisect_left": "bisect_right",
}  # fmt: skip
TWINS |= {there: here for here, there in TWINS.items()}
NEVER = (
    cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom, cst.Raise, cst.Assert,
    cst.BaseString, cst.TypeAlias,
)  # fmt: skip
SILENT = {"__repr__", "__str__"}


@dataclass(frozen=True)
class Mutant:
    """One change to one file.

    Parameters
    ----------
    file, function
        Where the change is.
    change
        The lines it takes away and the lines it puts there, as one line.
    place
        Which of several equal changes in the function this is.
    code
        The whole file, changed.
    """

    file: str
    function: str
    change: str
    place: int
    code: str

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What it is known by from run to run."""
        return self.file, self.function, self.change, self.place


def by(operator: Callable[[Any], Iterable[cst.CSTNode]]) -> Callable[[Any], Iterator[Change]]:
    """Make changes of what an operator puts in a node's place."""
    return lambda node: ((node, new) for new in operator(node))


def keyword_dropped(node: cst.Call) -> Iterator[Change]:
    """Leave out one keyword argument; without a positional one hardly any call can be made."""
    for place, arg in enumerate(node.args):
        if arg.keyword is not None and not _asserts(arg):
            yield node, node.with_changes(args=[*node.args[:place], *node.args[place + 1 :]])


def twin_called(node: cst.Call) -> Iterator[Change]:
    """Call the smallest for the largest, and the like."""
    name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    if isinstance(name, cst.Name) and name.value in TWINS:
        yield name, name.with_changes(value=TWINS[name.value])


def branch_never_taken(node: cst.If) -> Iterator[Change]:
    """Drop a guard, or the first of two branches."""
    yield node.test, cst.Name("False")


def one_side(node: cst.BooleanOperation) -> Iterator[Change]:
    """Leave half of an ``and`` or ``or``."""
    for side in (node.left, node.right):
        yield node, side.with_changes(lpar=[*node.lpar, *side.lpar], rpar=[*side.rpar, *node.rpar])


def filter_dropped(node: cst.CompFor) -> Iterator[Change]:
    """Let everything into a list, not only what a condition lets in."""
    if node.ifs:
        yield node, node.with_changes(ifs=())


def statement_dropped(node: cst.SimpleStatementLine) -> Iterator[Change]:
    """Drop what only has effects elsewhere: calls, yields, changes of parts and of sums."""
    for statement in node.body:
        effect = isinstance(statement, cst.AugAssign) or (
            isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call | cst.Yield)
        )
        part = isinstance(statement, cst.Assign) and isinstance(
            statement.targets[0].target, cst.Subscript | cst.Attribute
        )
        if effect or part:
            yield statement, cst.Pass()


OPERATORS: tuple[tuple[type, Callable[[Any], Iterator[Change]]], ...] = (
    (cst.BaseNumber, by(mutators.operator_number)),
    (cst.Name, by(mutators.operator_name)),
    (cst.AugAssign, by(mutators.operator_augmented_assignment)),
    (cst.UnaryOperation, by(mutators.operator_remove_unary_ops)),
    (cst.CSTNode, by(mutators.operator_keywords)),
    (cst.CSTNode, by(mutators.operator_swap_op)),
    (cst.IfExp, by(mutators.operator_if_exp)),
    (cst.Call, keyword_dropped),
    (cst.Call, twin_called),
    (cst.If, branch_never_taken),
    (cst.BooleanOperation, one_side),
    (cst.CompFor, filter_dropped),
    (cst.SimpleStatementLine, statement_dropped),
)


class Finder(cst.CSTVisitor):
    """Collects every change of a module, with the function it is in."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.found: list[tuple[str, Change]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Collect the changes of a node, and go on to its parts unless they are left alone."""
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.path.append(node.name.value)
        if (
            isinstance(node, NEVER)
            or (isinstance(node, cst.Arg) and _asserts(node))
            or not SILENT.isdisjoint(self.path)
        ):
            return False
        where = ".".join(self.path) or "(module)"
        for kind, operator in OPERATORS:
            if isinstance(node, kind):
                self.found += [(where, change) for change in operator(node)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Leave a function; this is called for nodes that were not gone into as well."""
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self.path.pop()


def mutants_of(file: str, code: str) -> list[Mutant]:
    """Return all mutants of a file that compile, in the order of the source."""
    wrapper = MetadataWrapper(cst.parse_module(code), unsafe_skip_copy=True)
    spans = wrapper.resolve(WhitespaceInclusivePositionProvider)
    finder = Finder()
    wrapper.module.visit(finder)
    begins = [0, *accumulate(len(line) for line in code.splitlines(keepends=True))]
    mutants, seen, places = [], {code}, Counter[tuple[str, str]]()
    for function, (old, new) in finder.found:
        start, end = (begins[at.line - 1] + at.column for at in (spans[old].start, spans[old].end))
        changed = code[:start] + wrapper.module.code_for_node(new) + code[end:]
        if changed in seen or not _compiles(changed):
            continue
        seen.add(changed)
        change = _told(code.splitlines(), changed.splitlines())
        mutants.append(Mutant(file, function, change, places[function, change], changed))
        places[function, change] += 1
    return mutants


def _asserts(arg: cst.Arg) -> bool:
    # zip(..., strict=True) is an assertion: it changes nothing where the code is right.
    return arg.keyword is not None and arg.keyword.value == "strict"


def _compiles(code: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _told(old: list[str], new: list[str]) -> str:
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return " -> ".join(" ".join(" ".join(lines).split()) for lines in (old, new))
