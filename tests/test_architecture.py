"""The map of the rooms is true: dependencies point one way, and public names are visible."""

import ast
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import voteprune as vp
import voteprune.exceptions

SOURCE = Path(vp.__file__).parent

# Every package may look only at those on floors above it in this list. `exceptions` and `starting`
# are underneath all of them.
FLOORS = [
    {"files", "numbers", "verify", "web"},
    {"solvers", "votes"},
    {"problem"},
    {"run"},
    {"bounds", "primal", "soft"},
    {"heuristics", "mip", "tree"},
    {"strategies"},
    {"solve"},
    {"compare", "front", "prune", "tables"},
    {"cli", "displays", "estimator", "partners"},
]
GROUND = {"exceptions", "starting"}
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def modules():
    return [path for path in SOURCE.rglob("*.py") if path.name != "__init__.py"]


def rooms_used(path):
    """First-level rooms of this package that a module imports."""
    depth = len(path.relative_to(SOURCE).parts)
    for node in ast.walk(ast.parse(path.read_text())):
        # from . import x, from ..x import y: as many dots as it takes to reach the package
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            if node.module:
                yield node.module.split(".")[0]
            else:
                yield from (alias.name for alias in node.names)


def test_dependencies_point_one_way():
    wrong = []
    for path in modules():
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if room in GROUND:
            assert not set(rooms_used(path)) - GROUND
            continue
        assert room in FLOOR_OF, f"{room} has no floor: add it to the map"
        wrong += [
            f"{path.relative_to(SOURCE)} looks at {other}"
            for other in rooms_used(path)
            if other not in {room, *GROUND} and FLOOR_OF[other] >= FLOOR_OF[room]
        ]
    assert wrong == []


def test_the_library_never_looks_at_the_experiments():
    """`voteprune_bench` stands on the library; its commands are found by entry point."""
    for path in modules():
        assert "voteprune_bench" not in path.read_text(), path


def test_experiments_know_nothing_of_their_report():
    bench = SOURCE.parent / "voteprune_bench"
    for path in (bench / "experiment").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                assert (node.module or "").split(".")[0] not in ("report", "cli"), path


def test_solvers_never_see_votes():
    for path in (SOURCE / "solvers").glob("*.py"):
        assert not {"votes", "problem", "patterns", "committee"} & set(rooms_used(path)), path


def test_the_checker_shares_no_code_with_what_it_checks():
    """Certificates are checked with the standard library and the package's errors alone."""
    for path in (SOURCE / "verify").glob("*.py"):
        assert set(rooms_used(path)) <= {"exceptions"}, path
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in getattr(node, "names", [])]
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0):
                outside = {name.split(".")[0] for name in names} - sys.stdlib_module_names
                assert not outside, f"{path} needs {outside}"


def test_public_names_are_sorted_and_complete():
    assert [name for name in vp.__all__ if not hasattr(vp, name)] == []
    visible = {name for name, value in vars(vp).items() if not name.startswith("_")} - {
        path.stem for path in SOURCE.iterdir()
    }
    assert visible <= set(vp.__all__) | {"solvers"}
    assert len(set(vp.__all__)) == len(vp.__all__)


def test_a_look_at_the_package_shows_the_public_names():
    assert dir(vp) == sorted(vp.__all__)


def test_importing_the_package_imports_no_solver():
    """Nor anything else that takes long, before it is needed."""
    assert loaded_by("import voteprune") == []
    assert loaded_by("import voteprune; voteprune.prune([[0, 1], [1, 1]], [0, 1])", *SLOW) == []


SOLVERS = ("highspy", "ortools", "pyscipopt", "gurobipy", "cplex")
SLOW = (*SOLVERS, "matplotlib", "pandas", "polars", "sklearn")


def loaded_by(code, *heavy):
    """Which of the heavy modules a program loads."""
    heavy = heavy or ("numpy", "scipy", "joblib", *SLOW)
    code = f"import sys\n{code}\nprint([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ast.literal_eval(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["bench", "--help"]])
def test_help_is_there_at_once(words):
    assert loaded_by(f"import voteprune.cli as cli; cli.main({words})") == []


def test_public_names_stay_what_they_are_when_modules_of_the_same_name_are_loaded(monkeypatch):
    for name in ("compare", "front", "prune", "solvers"):
        module = importlib.import_module(f"voteprune.{name}")
        assert getattr(vp, name) is getattr(module, name)
    monkeypatch.setattr(vp, "prune", len)
    assert vp.prune is len


def test_each_public_name_has_one_home():
    named = [name for names in vp._NAMES.values() for name in names.split()]
    errors = [name for name in vp.__all__ if name in vars(vp.exceptions)]
    assert sorted([*named, *errors]) == sorted(vp.__all__)


def test_workers_are_modules_with_a_function_solve_that_nobody_else_imports():
    """They are known by name, for they load HiGHS; the name is that of a real module."""
    declared = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Worker":
                declared |= (
                    {node.args[0].value} if isinstance(node.args[0], ast.Constant) else set()
                )
    assert len(declared) >= 3
    for name in declared:
        tree = ast.parse(Path(importlib.util.find_spec(name).origin).read_text())
        assert "solve" in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    code = f"import sys, voteprune; print([m for m in {sorted(declared)} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_package_looks_back_at_itself_through_another():
    """Inside a package modules may use each other, but never in a circle."""
    uses = {}
    for path in modules():
        here = path.relative_to(SOURCE).with_suffix("").parts
        uses[here] = set()
        tree = ast.parse(path.read_text())
        for_types = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
        late = {inner for node in for_types for inner in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level and node not in late:
                base = here[: len(here) - node.level]
                module = (*base, *(node.module or "").split(".")) if node.module else base
                names = [(*module, alias.name) for alias in node.names]
                uses[here] |= {module, *names}
    done: set[tuple[str, ...]] = set()

    def visit(module, above):
        assert module not in above, " -> ".join(".".join(one) for one in (*above, module))
        if module not in done:
            for other in sorted(uses[module] & uses.keys() - {module}):
                visit(other, (*above, module))
            done.add(module)

    for module in sorted(uses):
        visit(module, ())


def test_modules_are_as_large_as_their_idea_but_no_larger():
    assert [path.name for path in modules() if len(path.read_text().splitlines()) > 450] == []
