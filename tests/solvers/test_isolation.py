"""A solver that lies, hangs or dies is contained: the answer comes back, and what happened."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import voteprune as vp
from faulty_solver import VICES
from voteprune.solvers import SOLVERS, SolverInfo, isolated, registry

LABELS = np.arange(60) % 2
RNG = np.random.default_rng(1)
MATRIX = np.where(RNG.random((60, 8)) < 0.7, LABELS[:, None], 1 - LABELS[:, None])


@pytest.fixture(scope="module", autouse=True)
def none_left():
    """A worker that survived a vice serves the next test too."""
    yield
    isolated.end_workers()


@pytest.fixture
def faulty(monkeypatch):
    monkeypatch.setitem(
        SOLVERS,
        "faulty",
        SolverInfo(
            "faulty", "faulty_solver", "numpy", "numpy", "", warm_start=True, streams=True,
            licence="none",
        ),
    )  # fmt: skip
    monkeypatch.setattr(isolated, "GRACE", 0.5)
    return "faulty"


@pytest.mark.parametrize("method", ["merged", "paper"])
@pytest.mark.parametrize("vice", VICES)
def test_a_faulty_solver_costs_neither_the_committee_nor_the_proof(vice, method, faulty):
    truth = vp.prune(MATRIX, LABELS, method="brute")
    asked = {"method": method, "solver": faulty}
    if vice == "hang":  # a busy machine takes seconds to start it, which are not to be waited for
        vp.prune(MATRIX, LABELS, **asked, random_state=VICES.index("nan"))
    began = time.perf_counter()
    solution = vp.prune(
        MATRIX, LABELS, **asked, random_state=VICES.index(vice),
        time_limit=1 if vice == "hang" else 30,
    )  # fmt: skip
    assert time.perf_counter() - began < 30
    assert solution.status == "feasible"
    assert solution.termination == ("time limit" if vice == "hang" else "solver failed")
    assert solution.value <= truth.value <= solution.bound
    assert len(solution.incidents) == 1
    assert "faulty" in solution.incidents[0]
    assert "incident" in solution.summary()


@pytest.mark.slow
def test_a_false_infeasible_does_not_survive_a_second_opinion(faulty, monkeypatch):
    # Without a first committee nobody here knows better, so HiGHS is asked.
    monkeypatch.setattr("voteprune.mip.solve.open_run", lambda problem, run: None)
    solution = vp.prune(
        MATRIX, LABELS, method="merged", solver=faulty,
        random_state=VICES.index("false infeasible"),
        constraints=[vp.AtLeast("size", 2)],
    )  # fmt: skip
    assert solution.committee is not None
    assert "infeasibility" in solution.incidents[0]


@pytest.mark.slow
def test_a_crash_costs_only_its_own_call(faulty):
    crash, fine = VICES.index("crash"), VICES.index("bound too low")
    for seed, word in ((crash, "SIGSEGV"), (fine, "bound")):
        solution = vp.prune(MATRIX, LABELS, method="merged", solver=faulty, random_state=seed)
        assert word in solution.incidents[0]


@pytest.mark.slow
def test_highs_and_ortools_can_be_used_in_one_program():
    """In either order, even if the program itself has imported one of them."""
    pytest.importorskip("ortools", reason="ortools is not installed")
    program = textwrap.dedent("""
        import sys
        {first}
        import numpy as np, voteprune as vp
        rng = np.random.default_rng(0)
        y = np.arange(40) % 2
        matrix = np.where(rng.random((40, 6)) < 0.7, y[:, None], 1 - y[:, None])
        values = [
            vp.prune(matrix, y, method="merged", solver=name, random_state=0).value
            for name in {order}
        ]
        assert len(set(values)) == 1, values
        print("fine")
    """)
    for first, order in (
        ("from ortools.sat.python import cp_model", ["highs", "cpsat", "highs"]),
        ("import highspy", ["cpsat", "highs", "cpsat"]),
    ):
        code = program.format(first=first, order=order)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == "fine", done.stderr


@pytest.mark.slow
def test_scripts_need_no_main_guard_and_leave_no_process_behind(tmp_path):
    """Workers are plain child processes: no re-import of the user's script, none outlives it."""
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, voteprune as vp\n"
        "from voteprune.solvers import isolated\n"
        "y = np.arange(40) % 2\n"
        "m = np.random.default_rng(0).integers(0, 2, (40, 6))\n"
        "vp.prune(m, y, method='merged')\n"
        "print(*[w.process.pid for kept in isolated._idle.values() for w in kept])\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


@pytest.mark.slow
def test_a_killed_program_takes_its_solver_with_it():
    code = textwrap.dedent("""
        import numpy as np, voteprune as vp
        from voteprune.solvers import isolated
        y = np.arange(300) % 2
        m = np.random.default_rng(0).integers(0, 2, (300, 60))
        started = isolated._Process.request
        def request(self, *arguments):
            print(self.process.pid, flush=True)
            started(self, *arguments)
        isolated._Process.request = request
        vp.prune(m, y, method="merged", time_limit=60)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as program:
        worker = int(program.stdout.readline())
        time.sleep(0.5)
        program.kill()
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the solver outlived the program")


@pytest.mark.parametrize("solver", ["highs", "cpsat"])
@pytest.mark.slow
def test_ctrl_c_returns_the_incumbent(solver):
    if not SOLVERS[solver].installed:
        pytest.skip(f"{SOLVERS[solver].distribution} is not installed")
    code = textwrap.dedent(f"""
        import signal, numpy as np, voteprune as vp
        from voteprune.solvers import isolated
        # What a shell runs in the background ignores Ctrl-C, and so would its children.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        y = np.arange(300) % 2
        m = np.random.default_rng(0).integers(0, 2, (300, 60))
        started = isolated._Process.request
        def request(self, *arguments):
            started(self, *arguments)
            print("ready", flush=True)
        isolated._Process.request = request
        s = vp.prune(m, y, method="merged", solver={solver!r}, time_limit=60)
        print(s.termination, s.status, s.committee.size > 0, s.seconds < 30, s.bound >= s.value)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as program:
        program.stdout.readline()
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        told = program.stdout.read()
    assert told.split() == ["interrupted", "feasible", "True", "True", "True"]


@pytest.mark.slow
def test_a_worker_that_died_while_idle_is_replaced():
    vp.prune(MATRIX, LABELS, method="merged")
    for worker in isolated._idle["highs"]:
        worker.process.kill()
        worker.process.wait()
    assert vp.prune(MATRIX, LABELS, method="merged").incidents == ()


@pytest.mark.slow
def test_the_folder_one_works_in_is_no_place_to_import_from(tmp_path):
    (tmp_path / "highspy.py").write_text("raise RuntimeError('hijacked')")
    np.savetxt(tmp_path / "votes.csv", np.column_stack([MATRIX, LABELS]), "%d", ",",
               header=",".join([*"abcdefgh", "y"]), comments="")  # fmt: skip
    done = subprocess.run(
        [Path(sys.executable).with_name("voteprune"), "prune", "votes.csv", "--target", "y",
         "--method", "merged"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert "Optimal" in done.stdout, done.stdout + done.stderr


def test_what_is_not_installed_is_said_with_the_cure(monkeypatch):
    absent = SolverInfo(
        "absent", "nowhere", "no_such_package", "no-such-package", "scip", warm_start=False,
        streams=False, licence="none",
    )  # fmt: skip
    monkeypatch.setitem(SOLVERS, "absent", absent)
    assert not absent.installed
    with pytest.raises(vp.SolverNotInstalled, match=r"pip install 'voteprune\[scip\]'"):
        vp.prune(MATRIX, LABELS, solver="absent")


def test_the_release_with_wrong_optima_is_refused(monkeypatch):
    monkeypatch.setattr(registry, "_version_of", lambda name: "1.14.0")
    with pytest.raises(vp.SolverNotInstalled, match=r"1\.14\.0 returns wrong optima"):
        vp.prune(MATRIX, LABELS, solver="highs")


def test_solvers_tell_what_is_installed():
    told = {info.name: info for info in vp.solvers()}
    assert list(told) == ["highs", "scipy", "cpsat", "scip", "gurobi", "cplex"]
    assert told["highs"].installed
    assert told["highs"].version
    assert "2000 variables" in told["gurobi"].licence
    assert "1000 variables" in told["cplex"].licence
