"""The runs whose answers are pinned: every family, method and kind of constraint, in small."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import io
import json
import os
import platform
import re
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import numpy as np

import voteprune as vp
from golden.steady import proved, proved_alone, slow_clock
from voteprune import cli
from voteprune.verify import verify

HERE = Path(__file__).parent
FILES = HERE / "files"
SECONDS = 300.0
"""Time limit of every run; none comes near it."""

RUNS: dict[str, dict[str, Callable[[], dict]]] = {}
"""Family by family, each a JSON file of its name, the runs by name."""


def pool(seed=1, rows=60, k=10, noise=0.3):
    """Votes of classifiers that are often wrong together."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    hard = rng.random((rows, 1)) < 0.4
    return (y[:, None] ^ (rng.random((rows, k)) < noise + 0.2 * hard)).astype(int), y


def votes(seed=1, rows=60, k=10, noise=0.3, weights=None):
    return vp.Votes(*pool(seed, rows, k, noise), sample_weight=weights)


def weighted(seed=1, rows=60, k=10):
    """Votes whose rows weigh 0 to 2, in quarters."""
    return votes(seed, rows, k, weights=np.random.default_rng(seed).integers(0, 9, rows) / 4)


def plural(seed=1, rows=40, k=7):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    right = rng.random((rows, k)) < 0.55
    named = np.where(right, y[:, None], rng.integers(0, 3, (rows, k)))
    words = np.array(["ant", "bee", "cat"])
    return vp.PluralityVotes(words[named], words[y])


def versions():
    """What floating-point proofs may differ with: what calculates, and where."""
    used = {name: importlib.metadata.version(name) for name in ("numpy", "scipy", "highspy")}
    return {"machine": platform.machine(), **used}


def as_text(answers):
    """Answers as JSON that people can read and compare: a line per fact."""
    blocks = []
    for name, facts in answers.items():
        lines = [f"    {json.dumps(key)}: {json.dumps(fact)}" for key, fact in facts.items()]
        blocks.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def warm_up():
    """Have a solver's process started: what comes first must not wait for it on its own time."""
    ask(votes(1, 12, 4), method="merged")


def timeless(text):
    """Text without its seconds."""
    return re.sub(r"\d+\.\d+ s\b", "* s", text)


def document(text):
    """A JSON document as data, without what differs from run to run or release to release."""
    left_out = ("seconds", "versions", "gap", "n_rows", "n_classifiers", "format", "schema")
    found = {name: value for name, value in json.loads(text).items() if name not in left_out}
    if found.get("committee"):
        found["committee"] = without_words(found["committee"])
    return found


def without_words(committee):
    """A committee without what is told for readers in other languages, which follows from it."""
    told = {name: committee[name] for name in committee if name not in ("rule", "version")}
    if told.pop("positive_from", None) is not None:
        del told["classes"]  # of votes, which are 0 or 1
    return told


def told(solution):
    """Everything a solution says, without seconds."""
    said = document(solution.to_json())
    said["trace"] = [[step.value, step.bound] for step in solution.trace]
    said["summary"] = timeless(solution.summary()).splitlines()
    # Not twice: the summary says these too.
    for name in ("objective", "constraints", "diversity", "method", "solver", "seed"):
        said.pop(name, None)
    return {name: value for name, value in said.items() if value not in (None, "", [])}


def ask(given, **asked):
    """Prune on one core with a seed."""
    return vp.prune(given, **{"time_limit": SECONDS, "random_state": 7, "n_jobs": 1, **asked})


def fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def family(name):
    """Enter what a function yields, names and runs, as a family."""

    def enter(listed):
        RUNS[name] = dict(listed())
        return listed

    return enter


def solved(make, under=nullcontext, **asked):
    """Return a run of `prune`, told."""

    def run():
        with under():
            return told(ask(make(), **asked))

    return run


BOXES, CLAUSES = (lambda: proved("boxes")), (lambda: proved("clauses"))
BOXES_ALONE, CLAUSES_ALONE = (lambda: proved_alone("boxes")), (lambda: proved_alone("clauses"))
SOLVER_ALONE = lambda: proved_alone("solver")  # noqa: E731
COSTS = (3, 1, 2, 1, 1, 2, 4, 1, 2, 3)


@family("sums")
def sums():
    own = vp.Weights(tp=10, tn=1, fp=-2, fn=-0.5)
    yield "accuracy, tried out", solved(votes)
    yield "accuracy, boxes", solved(votes, BOXES)
    yield "accuracy, clauses", solved(votes, CLAUSES)
    yield "accuracy, boxes alone from one member", solved(votes, BOXES_ALONE, start=[0])
    yield "accuracy, clauses alone from one member", solved(votes, CLAUSES_ALONE, start=[0])
    yield "accuracy, solver in the end", solved(votes, SOLVER_ALONE, start=[0])
    yield (
        "accuracy, boxes alone in short rounds",
        solved(votes, lambda: proved_alone("boxes", steps=15), start=[0, 1]),
    )
    yield (
        "accuracy, clauses alone in short rounds",
        solved(votes, lambda: proved_alone("clauses", steps=15), start=[0, 1]),
    )
    yield (
        "balanced accuracy of weighted rows, boxes",
        solved(weighted, BOXES_ALONE, start=[3], objective="balanced_accuracy"),
    )
    yield (
        "balanced accuracy of weighted rows, clauses",
        solved(weighted, CLAUSES, objective="balanced_accuracy"),
    )
    yield "own weights, tried out", solved(weighted, objective=own)
    yield "own weights, boxes", solved(votes, BOXES_ALONE, start=[5], objective=own)
    yield "own weights, clauses", solved(votes, CLAUSES_ALONE, start=[5], objective=own)


@family("formulas")
def formulas():
    for name in ("f1", "precision", "jaccard", "mcc", "gmean"):
        # Precision is highest where next to nobody is called positive.
        limits = vp.AtLeast("recall", 0.7) if name == "precision" else ()
        asked = {"objective": name, "constraints": limits}
        yield f"{name}, tried out", solved(lambda: votes(2, 40, 8), **asked)
        yield f"{name}, boxes", solved(lambda: votes(2, 40, 8), BOXES, **asked)
    ratio = vp.Ratio(vp.Weights(tp=3, fp=-1), vp.Weights(tp=1, fn=1, fp=1))
    yield "own ratio, clauses", solved(lambda: votes(3, 40, 8), CLAUSES, objective=ratio)
    yield "fbeta by search", solved(lambda: votes(3, 40, 8), method="search", objective="f2")


@family("margins")
def margins():
    small = lambda: votes(4, 40, 8)  # noqa: E731
    yield "ramp, tried out", solved(small, objective=vp.Ramp(1))
    yield "ramp, by sizes", solved(small, BOXES, objective=vp.Ramp(1))
    yield (
        "ramp, by sizes alone",
        solved(small, BOXES_ALONE, start=[1], objective=vp.Ramp(1), constraints=vp.Forbid("c2")),
    )
    yield "hinge, tried out", solved(small, objective=vp.Hinge(0.75))
    yield (
        "hinge, by sizes",
        solved(small, BOXES, objective=vp.Hinge(0.75), constraints=vp.AtMost("size", 5)),
    )
    yield "a margin's own scale", solved(small, slow_clock, objective="margin")


@family("plurality")
def plurality():
    worths = {"ant": 3, "bee": 1, "cat": 0.5}
    yield "accuracy, tried out", solved(plural)
    yield "accuracy, solver", solved(plural, BOXES, constraints=vp.AtMost("size", 4))
    yield "macro recall, tried out", solved(plural, objective="balanced_accuracy")
    yield "macro recall, solver", solved(plural, BOXES, objective="balanced_accuracy")
    yield "worths by class, solver", solved(plural, BOXES, objective=worths, start=[0, 1])
    yield (
        "worths by class, costs, brute",
        solved(
            plural, method="brute", objective=worths,
            constraints=[vp.Budget(COSTS[:7], 6), vp.Require("c1")],
        ),
    )  # fmt: skip
    yield (
        "nobody can",
        solved(plural, constraints=[vp.Require(0, 1, 2), vp.AtMost("size", 2)]),
    )


@family("methods")
def methods():
    small = lambda: votes(5, 30, 8)  # noqa: E731
    yield "merged", solved(small, slow_clock, method="merged")
    yield "paper", solved(lambda: votes(5, 24, 6), slow_clock, method="paper")
    yield (
        "paper, F3",
        solved(lambda: votes(5, 24, 6), slow_clock, method="paper", diversity="F3"),
    )
    yield "brute", solved(small, method="brute")
    # Large enough that which of the best is found first depends on every walk.
    yield "search", solved(lambda: votes(16, 150, 20), slow_clock, method="search")
    for name in (
        "full", "best", "random", "hc-uwa", "kappa", "reduced-error", "caruana",
        "checklist", "quadratic", "genetic",
    ):  # fmt: skip
        yield name, solved(lambda: votes(6, 60, 12), slow_clock, method=name)


@family("constraints")
def constraints():
    many = [
        vp.AtLeast("size", 2), vp.AtMost("size", 6), vp.Require("c1"), vp.Forbid("c3"),
        vp.Budget(COSTS, 9), vp.AtLeast("recall", 0.5), vp.AtMost("fp", 12),
    ]  # fmt: skip
    for name, under in (("tried out", nullcontext), ("boxes", BOXES), ("clauses", CLAUSES)):
        yield f"many, {name}", solved(votes, under, constraints=many)
    yield "tau, boxes", solved(votes, BOXES, diversity=vp.Diversity(tau=0.4))
    yield (
        "gamma, boxes alone",
        solved(votes, BOXES_ALONE, diversity=vp.Diversity(gamma=0.45), start=[0, 1]),
    )
    yield (
        "gamma of kappa, clauses",
        solved(votes, CLAUSES, diversity=vp.Diversity(gamma=0.1, measure="kappa")),
    )
    yield "F2, boxes", solved(votes, BOXES, diversity="F2")
    yield "F3, clauses", solved(votes, CLAUSES, diversity="F3")
    yield "F1-theta, boxes", solved(votes, BOXES, diversity="F1-theta")
    clashes = {
        "counted": [vp.Require("c1", "c2"), vp.Budget(COSTS, 2)],
        "proved": [vp.AtLeast("recall", 0.95), vp.AtMost("fp", 1), vp.AtMost("size", 8)],
    }
    for name, clash in clashes.items():
        yield f"nobody can, {name}, tried out", solved(votes, constraints=clash)
        yield f"nobody can, {name}, boxes", solved(votes, BOXES, constraints=clash)
    yield (
        "nobody can, merged",
        solved(votes, slow_clock, method="merged", constraints=clashes["proved"]),
    )


@family("answers")
def answers():
    """Fronts, comparisons, explanations."""

    def front(under, **asked):
        def run():
            with under():
                found = vp.front(votes(7, 50, 9), time_limit=SECONDS, random_state=7, **asked)
            return {
                "points": [
                    [
                        point.size, point.committee and list(point.committee.members),
                        point.committee and point.committee.threshold, point.value, point.bound,
                        *point.trusted,
                    ]
                    for point in found.points
                ],
                "summary": timeless(found.summary()).splitlines(),
            }  # fmt: skip

        return run

    yield "front", front(BOXES)
    yield (
        "front, alone, limited",
        front(
            BOXES_ALONE, objective="balanced_accuracy",
            constraints=[vp.AtMost("size", 5), vp.Require("c4"), vp.Budget(COSTS[:9], 7)],
        ),
    )  # fmt: skip

    def compare():
        with BOXES():
            found = vp.compare(
                votes(8, 50, 9), methods=["exact", "merged", "hc-uwa", "full"], n_jobs=1,
                test=votes(9, 30, 9), objective="f1", time_limit=SECONDS, random_state=7,
            )  # fmt: skip
        rows = [line.split(",") for line in found.to_csv().splitlines()]
        seconds = rows[0].index("seconds")
        return {"rows": [[*row[:seconds], *row[seconds + 1 :]] for row in rows]}

    yield "compare", compare

    def explained(make, under=nullcontext, **asked):
        def run():
            with under():
                why = ask(make(), **asked).explain(time_limit=SECONDS)
            return document(why.to_json()) | {"summary": timeless(why.summary()).splitlines()}

        return run

    yield "explain", explained(lambda: votes(13, 40, 8))
    yield "explain what was proved", explained(lambda: votes(13, 40, 8), BOXES)
    yield (
        "explain a ratio under a limit",
        explained(lambda: votes(24, 40, 8), objective="f1", constraints=vp.AtMost("size", 3)),
    )
    yield "explain plurality", explained(lambda: plural(19, 24, 5))


@family("files")
def files():
    """Certificates and checkpoints."""

    def certified(under, given=votes, **asked):
        def run():
            with tempfile.TemporaryDirectory() as folder, under():
                file, table = Path(folder, "c.json"), Path(folder, "votes.csv")
                solution = ask(given(), certificate=file, **asked)
                write_table(table, given())
                return {
                    **certificate_facts(file.read_text()),
                    "verified": verify(file, table, target="label").summary().splitlines(),
                    **told(solution),
                }

        return run

    clash = [vp.AtLeast("recall", 0.95), vp.AtMost("fp", 1)]
    yield "certificate, tried out", certified(nullcontext)
    yield "certificate, boxes", certified(BOXES)
    yield "certificate, boxes alone", certified(BOXES_ALONE, start=[0, 1])
    yield "certificate, clauses", certified(CLAUSES)
    yield (
        "certificate, clauses alone, weighted",
        certified(CLAUSES_ALONE, weighted, objective="balanced_accuracy", start=[0]),
    )
    yield (
        "certificate, boxes, limits",
        certified(
            BOXES_ALONE, diversity=vp.Diversity(tau=0.35), start=[0, 1, 2],
            constraints=[vp.AtMost("size", 6), vp.Budget(COSTS, 9), vp.AtLeast("recall", 0.5)],
        ),
    )  # fmt: skip
    yield "certificate, nobody can", certified(nullcontext, constraints=clash)
    yield (
        "certificate, on a solver's word",
        certified(
            slow_clock, lambda: votes(11, 40, 18), method="merged",
            constraints=vp.AtMost("size", 2),
        ),
    )  # fmt: skip

    def kept(by, steps, times):
        def run():
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "proof.npz")
                with proved_alone(by, steps):
                    stopped = ask(votes(), start=[0], checkpoint=file, callback=after(times))
                    open_then = checkpoint_facts(file)
                    resumed = ask(votes(), start=[0], checkpoint=file)
                return {
                    "stopped": [stopped.termination, stopped.value, stopped.bound],
                    **open_then,
                    **told(resumed),
                }

        return run

    yield "checkpoint of boxes", kept("boxes", 25, 12)
    yield "checkpoint of cells", kept("clauses", 40, 8)


@family("commands")
def commands():
    """The command line."""
    steps = {
        "prune": "prune votes.csv --target label --seed 7 --output s.json --certificate c.json",
        "apply": "apply s.json votes.csv",
        "verify": "verify c.json votes.csv",
        "prune, limits": "prune votes.csv --target label --seed 7 --objective tp=2,tn=1,fp=-0.5 "
        "--min-size 2 --max-size 4 --require c1 --forbid c2 --at-least recall=0.5 --at-most fp=9 "
        "--tau 0.3",
        "prune, nobody can": "prune votes.csv --target label --at-least recall=1 --at-most fp=0",
        "prune, bad input": "prune votes.csv --target label --objective nonsense",
        "prune, margin": "prune votes.csv --target label --seed 7 --objective ramp:1",
        "prune, words": "prune words.csv --target label --plurality --seed 7 --output p.json",
        "apply, words": "apply p.json words.csv",
        "prune, as JSON": "prune votes.csv --target label --seed 7 --method hc-uwa --json",
    }

    def run():
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            write_table(Path("votes.csv"), votes(2, 40, 8))
            write_words(Path("words.csv"), plural())
            return {name: command(line) for name, line in steps.items()}

    yield "one after the other", run


def command(line):
    """Run the command line in this process: exit code and lines of output, without seconds."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"}),
    ):  # fmt: skip
        code = cli.main(line.split())
    said = out.getvalue()
    lines = timeless(said).splitlines()
    if len(lines) > 24 and line.startswith("apply"):
        lines = [*lines[:3], f"{len(lines)} lines, {fingerprint(said.encode())}"]
    if "--json" in line:
        lines = document(said)
    return {"code": code, "out": lines, "err": timeless(err.getvalue()).splitlines()}


def after(times):
    """Return a callback that ends a run when it has been told so often."""
    heard = []

    def callback(progress):
        heard.append(progress)
        return len(heard) >= times

    return callback


def write_words(path, given):
    """Write labels as a table with a column `label`."""
    places = np.column_stack([given.matrix, given.labels])
    rows = np.array(given.classes)[places]
    lines = [",".join([*given.names, "label"]), *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def write_table(path, given):
    """Write votes as a table with a column `label`."""
    rows = np.column_stack([given.matrix, given.labels]).astype(int)
    lines = [",".join([*given.names, "label"]), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def certificate_facts(text):
    """What a certificate is made of, and a digest of all of it."""
    said = json.loads(text)
    steps = (said["proof"] or {}).get("steps") or (said["refutation"] or {}).get("cells")
    return {
        "certificate": fingerprint(json.dumps(said, sort_keys=True).encode()),
        "kind": "proof" if said["proof"] else "refutation" if said["refutation"] else None,
        "bound in units": said["bound"],
        "cut": [said["cut"]["bound"], len(said["cut"]["flow"])],
        "steps": steps and len(steps),
        "on trust": said["trusted"],
    }


def checkpoint_facts(path):
    """What a checkpoint is made of, and a digest of all of it."""
    with np.load(path, allow_pickle=False) as file:
        header = json.loads(str(file["header"]))
        arrays = {name: file[name] for name in sorted(file.files) if name != "header"}
    content = b"".join(
        repr((name, array.dtype.str, array.shape)).encode() + array.tobytes()
        for name, array in arrays.items()
    )
    return {
        "header": header,
        "shapes": {name: list(array.shape) for name, array in arrays.items()},
        "arrays": fingerprint(content),
    }
