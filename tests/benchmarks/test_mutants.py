"""The tool that asks whether the tests would notice a wrong proof."""

import os
import re
import signal
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src/voteprune"
GUARDED = (
    "verify/*.py", "bounds/*.py", "tree/*.py", "tree/*/*.py", "mip/solve.py", "run/incumbent.py",
    "front.py", "strategies/exact*.py", "strategies/curve_parts.py", "problem/problem.py",
    "problem/margin.py", "problem/plurality.py", "problem/outline.py", "problem/gains.py",
    "problem/limits.py", "problem/pairwise.py", "problem/confusion.py", "votes/patterns.py",
    "numbers/tally.py",
)  # fmt: skip
"""What proves, checks and judges."""


@pytest.fixture
def tool(monkeypatch):
    """Return the benchmarks as a place to import from, and forget them afterwards."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for name in ("fresh", "mutants", "mutants_bench", "mutants_report", "mutations"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_everything_that_proves_is_guarded_once_and_by_tests_that_exist():
    groups = tomllib.loads((ROOT / "benchmarks/mutants.toml").read_text())["group"]
    found = []
    for group in groups:
        assert any(list(ROOT.glob(glob)) for glob in group["tests"]), group
        for glob in group["files"]:
            files = sorted(PACKAGE.glob(glob))
            assert files, glob
            found += files
    assert len(found) == len(set(found))
    guarded = {path for glob in GUARDED for path in PACKAGE.glob(glob)}
    unguarded = {path for path in guarded - set(found) if path.name != "__init__.py"}
    assert unguarded == set()


@cache
def lines_of(file):
    lines = (" ".join(line.split()) for line in (PACKAGE / file).read_text().splitlines())
    return "\n".join(filter(None, lines))


def test_reasons_name_one_survivor_each_or_speak_for_a_line_that_is_there(tool):
    from mutants_report import _scope

    harmless = tomllib.loads((ROOT / "benchmarks/mutants_harmless.toml").read_text())["harmless"]
    keys = [(one["file"], one["function"], _scope(one)) for one in harmless]
    assert len(keys) == len(set(keys))
    assert not any("change" in one and "line" in one for one in harmless)
    for one in harmless:
        # What is no longer there needs no reason.
        code = lines_of(one["file"])
        named = one["function"].split(".")[-1]
        assert one["function"] == "(module)" or re.search(rf"\b(def|class) {named}\b", code), one
        # Whole lines, which may have an arrow of their own.
        parts = one.get("change", one.get("line", "")).split(" -> ")
        olds = (" -> ".join(parts[:end]) for end in range(1, len(parts) + 1))
        spaced = (r"\s".join(map(re.escape, old.split(" "))) for old in olds)
        assert any(re.search(f"^{old}$", code, re.MULTILINE) for old in spaced), one
        assert one.keys() & {"change", "line"}, "a whole function has too many lines for one reason"
    assert all(one["why"].strip() for one in harmless)


def mutant(file, change, place=0):
    key = (file, "f", change, place)
    return SimpleNamespace(file=file, function="f", change=change, place=place, key=key)


def test_the_page_lists_every_survivor_and_counts_only_what_was_tried(tool):
    from mutants_report import page

    mutants = {
        "a.py": [mutant("a.py", f"x -> {n}") for n in range(4)],
        "b.py": [mutant("b.py", "p | q -> p & q"), mutant("b.py", "p | q -> p & q", 1)],
    }
    told = {"mark": "m", "commit": "c", "load": 1.0}
    outcomes = ("noticed", "timed out", "survived")
    known = {
        one.key: {"outcome": outcome, **told}
        for one, outcome in zip(mutants["a.py"], outcomes, strict=False)
    }
    known[mutants["b.py"][1].key] = {"outcome": "survived", **told}
    reason = {"file": "a.py", "function": "f", "change": "x -> 2", "why": "x is not used"}
    text = page(mutants, known, [reason])
    assert "4 of 6 changes tried, chosen at random in every file; 1 open." in text
    assert "| all else | 6 | 4 | none | 2 | 1 | 1 | 0 | 1 | 75.0 % |" in text
    assert "| a.py | 4 | 3 | 2 | 1 | 1 | 0 | 0 | 100.0 % |" in text
    assert "| b.py | 2 | 1 | 0 | 0 | 0 | 0 | 1 | 0.0 % |" in text
    apart = page(mutants, known, [{**reason, "sound": True}])
    assert "| all else | 6 | 4 | none | 2 | 1 | 0 | 1 | 1 | 50.0 % |" in apart
    assert "| a.py | 4 | 3 | 2 | 1 | 0 | 1 | 0 | 66.7 % |" in apart
    assert "x is not used" in apart.split("## Not noticed, sound, but not equivalent")[1]
    wide = {"file": "a.py", "function": "f", "line": "x", "why": "whatever x is", "sound": True}
    assert "| a.py | 4 | 3 | 2 | 1 | 0 | 1 | 0 | 66.7 % |" in page(mutants, known, [wide])
    # A reason of its own says more.
    assert "| a.py | 4 | 3 | 2 | 1 | 1 | 0 | 0 | 100.0 % |" in page(mutants, known, [wide, reason])
    for other in ({"line": "y"}, {"function": "g"}, {"file": "b2.py"}):
        elsewhere = {**wide, **other}
        assert "| a.py | 4 | 3 | 2 | 1 | 0 | 0 | 1 |" in page(mutants, known, [elsewhere])
    open_part, closed = text.split("## Not noticed, open")[1].split("## Not noticed, equivalent")
    assert r"| b.py | f | `p \| q` -> `p & q` |" in open_part
    assert "| a.py | f | `x` -> `2` | x is not used |" in closed
    assert "a.py" not in open_part


def test_ended_tests_take_their_workers_with_them_and_nobody_else(tool, tmp_path):
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    from mutants_bench import Bench

    bench = Bench.__new__(Bench)
    bench.folder = tmp_path
    wait = [sys.executable, "-c", "import time; time.sleep(600)"]
    tests, other = (
        subprocess.Popen(wait, start_new_session=alone, process_group=group)
        for alone, group in ((False, 0), (True, None))
    )
    mine = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    worker = subprocess.Popen(wait, start_new_session=True, env=mine)
    forked = subprocess.Popen(wait, process_group=tests.pid)
    try:
        bench.pid = tests.pid
        assert bench.stop(over=True) is None
        for ended in (tests, worker, forked):
            assert ended.wait(30) == -signal.SIGKILL
        assert other.poll() is None
        bench.stop()  # of nothing, which ends nothing
        assert other.poll() is None
    finally:
        for process in (tests, worker, forked, other):
            process.kill()
            process.wait()


@pytest.mark.slow
def test_changes_are_small_compile_and_leave_words_alone(tool):
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    from mutations import mutants_of

    code = '''
"""Words."""
LIMIT: int | None = 3


class Box:
    @property
    def full(self) -> bool:
        """Words."""
        return self.size >= LIMIT and not any(x for x in self.parts if x)

    def close(self, note="words"):
        if self.size < 0:
            raise ValueError(f"{self.size + 1} is too small")
        self.sums[0] -= 2
        fill(self.parts, by=min(self.parts))

    def __repr__(self):
        return str(self.size + 1)
'''
    changes = {(one.function, one.change) for one in mutants_of("box.py", code)}
    ret = "return self.size >= LIMIT and not any(x for x in self.parts if x)"
    assert ("(module)", "LIMIT: int | None = 3 -> LIMIT: int | None = 4") in changes
    for new in (
        "return self.size > LIMIT and not any(x for x in self.parts if x)",
        "return self.size >= LIMIT",
        "return not any(x for x in self.parts if x)",
        "return self.size >= LIMIT and not all(x for x in self.parts if x)",
        "return self.size >= LIMIT and not any(x for x in self.parts)",
    ):
        assert ("Box.full", f"{ret} -> {new}") in changes
    assert ("Box.close", "if self.size < 0: -> if False:") in changes
    assert ("Box.close", "self.sums[0] -= 2 -> pass") in changes
    assert ("Box.close", "fill(self.parts, by=min(self.parts)) -> pass") in changes
    assert ("Box.close", "fill(self.parts, by=min(self.parts)) -> fill(self.parts, )") in changes
    assert not any("words" in change.lower() or "small" in change for _, change in changes)
    assert not any(function.endswith("__repr__") for function, _ in changes)


def test_any_first_part_is_a_sample_of_every_file(tool):
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    from mutants import shuffled

    mutants = {
        "a.py": [mutant("a.py", str(n)) for n in range(300)],
        "b.py": [mutant("b.py", str(n)) for n in range(100)],
    }
    order = shuffled(mutants, 0)
    assert sorted(one.key for one in order) == sorted(
        one.key for those in mutants.values() for one in those
    )
    for count in (40, 80, 200):
        assert sum(one.file == "b.py" for one in order[:count]) == count // 4
    assert [one.key for one in shuffled(mutants, 0)] == [one.key for one in order]
    assert [one.key for one in shuffled(mutants, 1)] != [one.key for one in order]


def test_only_tests_that_call_a_function_are_run_for_it_where_it_runs_inside(tool):
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    from mutants_bench import Guarded, Pace

    calls = {
        "one": ["a.py:Box.close", "b.py:f"],
        "two": ["a.py:Box.full"],
        "three": ["a.py:f"],
        "four": ["b.py:Box.close"],
    }
    pace = Pace(dict.fromkeys(calls, 1.0), calls)
    inside, outside = (Guarded("a.py", (), inside, "mark") for inside in (True, False))
    assert pace.noticing(outside, "f") == []  # all
    assert pace.noticing(inside, "f") == ["three"]
    assert pace.noticing(inside, "f.inner") == ["three"]
    assert pace.noticing(inside, "Box.close") == ["one"]
    assert pace.noticing(inside, "Box") == ["one", "two"]
    assert pace.noticing(inside, "(module)") == []  # all, for constants are imported by anybody
    for at_import in ("Bo", "fu"):
        assert pace.noticing(inside, at_import) == ["one", "two", "three"]


def test_what_a_test_noticed_stays_noticed_as_long_as_that_test_stays(tool, tmp_path):
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    import fresh
    from mutants import known_in
    from mutants_bench import Guarded

    state = tmp_path / "state.jsonl"

    def guarded(mark, one, two):
        return Guarded("a.py", ("one.py", "two.py"), True, mark, {"one.py": one, "two.py": two})

    before = guarded("all", "1", "2")
    for change, by in (("x", "one.py::test"), ("y", "two.py::test[3]"), ("z", None)):
        row = {"file": "a.py", "function": "f", "change": change, "place": 0, "by": by}
        fresh.keep(state, row, before.mark_of(by))

    def holds(files):
        return "".join(sorted(change for _, _, change, _ in known_in(state, {"a.py": files})))

    assert holds(before) == "xyz"
    assert holds(guarded("a test file more", "1", "2")) == "xy"
    assert holds(guarded("another two.py", "1", "9")) == "x"
    assert holds(guarded("another a.py", "8", "9")) == ""
    assert holds(Guarded("a.py", ("two.py",), True, "one.py is gone", {"two.py": "2"})) == "y"


def test_what_no_test_noticed_is_tried_by_new_and_changed_tests_alone(tool, tmp_path):
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    import fresh
    from mutants import passed_in, tried
    from mutants_bench import Guarded, Killers, Pace

    row = {"file": "a.py", "function": "f", "change": "x -> 1", "place": 0, "by": None}
    fresh.keep(tmp_path / "state", {**row, "passed": {"one.py": "1", "two.py": "2"}}, "before")
    tests = ("one.py", "two.py", "three.py")
    guarded = Guarded("a.py", tests, False, "now", {"one.py": "1", "two.py": "9", "three.py": "3"})
    one = mutant("a.py", "x -> 1")
    passed = passed_in(tmp_path / "state", {"a.py": guarded})
    assert passed == {one.key: {"one.py"}}

    asked = []

    class Bench:
        def start(self, _guarded, _code, order):
            asked.append(order.only)

        def done(self):
            return {"outcome": "noticed"}, None

    one.code = ""
    pace = Pace({"one.py::t": 1.0, "two.py::t": 1.0, "two.py::u": 1.0, "three.py::t": 1.0}, {})
    given = ([Bench()], {"a.py": guarded}, Killers(), {tests: pace})
    assert [told["outcome"] for _, told in tried([one], *given, passed)] == ["noticed"]
    assert asked == [["two.py::t", "two.py::u", "three.py::t"]]
    assert [told["outcome"] for _, told in tried([one], *given, {one.key: set(tests)})] == [
        "survived"
    ]
    assert len(asked) == 1, "and where there is none, nobody is asked again"


def test_a_file_of_tests_is_timed_once_whatever_lists_it_is_in(tool, tmp_path, monkeypatch):
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    import mutants
    from mutants_bench import Guarded, Pace

    lists = {"a.py": ("one.py", "two.py"), "b.py": ("two.py", "three.py")}
    guarded = [Guarded(file, tests, file == "a.py", "mark") for file, tests in lists.items()]
    monkeypatch.setattr(mutants, "guarded_files", lambda _: guarded)
    monkeypatch.setattr(mutants, "helpers", lambda file: {file})
    monkeypatch.setattr(mutants.fresh, "mark_of", lambda paths: str(list(paths)[1:]))
    asked = []

    class Bench:
        def start(self, guarded, _code, order):
            (self.test,) = guarded.tests
            asked.append((self.test, order._watch))

        def done(self):
            name = f"{self.test}::t"
            calls = {name: ["a.py:f", "b.py:g"]} if asked[-1][1] else {}
            return {"outcome": "survived"}, Pace({name: 1.0}, calls)

    for _ in range(2):  # the second time all is on file
        paces = mutants.paces_of(list(lists.values()), Bench(), tmp_path / "state")
        # What runs in workers too is asked of every test, so nobody need watch it.
        assert asked == [("one.py", True), ("two.py", True), ("three.py", False)]
        assert paces[lists["a.py"]].seconds == {"one.py::t": 1.0, "two.py::t": 1.0}
        assert paces[lists["a.py"]].calls == {"one.py::t": ["a.py:f"], "two.py::t": ["a.py:f"]}
        assert paces[lists["b.py"]].seconds == {"two.py::t": 1.0, "three.py::t": 1.0}


def test_what_a_test_compares_with_belongs_to_it(tool):
    """Helpers in packages and written answers: a result does not outlive a change of these."""
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    from mutants import helpers

    tests = ROOT / "tests"
    found = helpers(tests / "golden/test_steps.py")
    for part in ("test_steps.py", "steps.py", "steps.json", "../badstart.py", "../conftest.py"):
        assert (tests / "golden" / part).resolve() in found


def test_what_was_noticed_at_first_is_told_apart(tool, tmp_path):
    """Of changes that tests were written for since, the share that is noticed now says little."""
    pytest.importorskip("mutmut", reason="the extra `mutants` is not installed")
    import fresh
    from mutants import at_first
    from mutants_report import page

    files = ("verify/a.py", "b.py")
    mutants = {file: [mutant(file, f"x -> {n}") for n in range(2)] for file in files}
    state, turns = tmp_path / "state", (("survived", "noticed"), ("noticed",), ("survived",))
    some = [*mutants["verify/a.py"], mutants["b.py"][0]]
    for one, outcomes in zip(some, turns, strict=True):
        names = ("file", "function", "change", "place")
        for outcome in outcomes:
            row = {**dict(zip(names, one.key, strict=True)), "outcome": outcome}
            fresh.keep(state, row, "mark")
    told = {"mark": "m", "commit": "c", "load": 1.0}
    known = {one.key: {"outcome": turn[-1], **told} for one, turn in zip(some, turns, strict=True)}
    text = page(mutants, known, [], (), at_first(state))
    commit = fresh.commit()
    assert f"At first, before tests were written for survivors: commit {commit}." in text
    assert "| the checker | 2 | 2 | 50.0 % (1 of 2) | 2 | 0 | 0 | 0 | 0 | 100.0 % |" in text
    assert "| all else | 2 | 1 | 0.0 % (0 of 1) | 0 | 0 | 0 | 0 | 1 | 0.0 % |" in text
