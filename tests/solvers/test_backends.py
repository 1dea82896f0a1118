"""Every solver answers every model rightly, and never claims more than it has proved."""

import time
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from voteprune.exceptions import SolverLicenceError
from voteprune.solvers import SOLVERS, Answer, Options, OutOfTime, SolverInfo, solve
from voteprune.solvers.cpsat import _grid, _row_bounds, _to_integers
from voteprune.solvers.model import Model, ModelBuilder

N_MODELS = 40
"""Random models per solver; every third has continuous variables."""

LOOSE = {"cpsat": 1e-4}
"""Solvers that see continuous variables on a grid, and how far that may move a mixed optimum."""


@pytest.fixture(params=SOLVERS)
def info(request: pytest.FixtureRequest) -> SolverInfo:
    return installed(request.param)


def installed(name: str) -> SolverInfo:
    found = SOLVERS[name]
    if not found.installed:
        pytest.skip(f"{found.distribution} is not installed")
    return found


def run(info, model, *, start=None, seconds=30.0, **options):
    """Solve in the solver's own process; return the answer and all that was reported."""
    reports = []
    answer = solve(
        info,
        model,
        Options(time.monotonic() + seconds, **options),
        start,
        lambda solution, bound: reports.append((solution, bound)),
    )
    return answer, reports


def random_model(seed: int) -> Model:
    """Return a small model with a feasible point, coefficients whole or in tenths."""
    rng = np.random.default_rng(seed)
    unit = 10 if seed % 2 else 1
    n, extra = int(rng.integers(3, 9)), int(rng.integers(1, 3)) if seed % 3 == 0 else 0
    builder = ModelBuilder()
    point = []
    for j in range(n + extra):
        low = int(rng.integers(-2, 2))
        high = low + int(rng.integers(1, 3 if n > 6 else 4))
        cost = rng.integers(-5 * unit, 5 * unit + 1) / unit
        builder.variable(low, high, cost=cost, integer=j < n)
        point.append(int(rng.integers(low, high + 1)))
    for kind in rng.choice(["<=", ">=", "<=>", "=="], rng.integers(2, 6), p=[0.4, 0.3, 0.2, 0.1]):
        columns = rng.choice(n + extra, int(rng.integers(2, min(5, n + extra) + 1)), replace=False)
        values = rng.integers(-3 * unit, 3 * unit + 1, len(columns)) / unit
        inside = values @ np.array(point)[columns]
        below, above = inside - rng.integers(0, 3), inside + rng.integers(0, 3)
        builder.row(
            columns,
            values,
            low={"<=": -np.inf, "==": inside}.get(kind, below),
            high={">=": np.inf, "==": inside}.get(kind, above),
        )
    return builder.build()


def knapsacks(n: int, n_rows: int, seed: int = 0) -> Model:
    """Return a model that takes a solver more than a moment."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder()
    weights = rng.integers(5, 60, (n_rows, n)).astype(float)
    for cost in weights.mean(axis=0).round() + rng.integers(-4, 5, n):
        builder.variable(0, 1, cost=cost)
    for row in weights:
        builder.row(np.arange(n), row, high=float(row.sum() // 2))
    return builder.build()


def optimum(model: Model) -> float:
    """Return the optimum by enumeration, or by SciPy where there are continuous variables."""
    if model.integer.all() and model.n_variables < 10:
        spans = zip(model.low.astype(int), model.high.astype(int), strict=True)
        points = np.array(list(product(*(range(a, b + 1) for a, b in spans))))
        activity = (model.matrix @ points.T).T
        inside = (activity >= model.row_low - 1e-7) & (activity <= model.row_high + 1e-7)
        return float((points[inside.all(axis=1)] @ model.objective).max())
    result = milp(
        -model.objective,
        integrality=model.integer.astype(int),
        bounds=Bounds(model.low, model.high),
        constraints=LinearConstraint(model.matrix, model.row_low, model.row_high),
        options={"mip_rel_gap": 0.0},
    )
    assert result.status == 0
    return -float(result.fun)


def tolerance(info: SolverInfo, model: Model) -> float:
    return 1e-6 if model.integer.all() else LOOSE.get(info.name, 1e-6)


def assert_feasible(model: Model, solution, slack: float) -> None:
    assert (solution >= model.low - slack).all()
    assert (solution <= model.high + slack).all()
    assert np.abs(solution - np.rint(solution))[model.integer].max() <= 1e-6
    # An integer variable may be off by the tolerance above, times its coefficients.
    assert (model.matrix @ solution >= model.row_low - 10 * slack).all()
    assert (model.matrix @ solution <= model.row_high + 10 * slack).all()


def assert_right(info, model, best, answer: Answer, reports) -> None:
    """Check an answer, and all reports on the way to it, against the known optimum."""
    slack = tolerance(info, model)
    assert answer.status == "optimal"
    assert_feasible(model, answer.solution, slack)
    value = float(model.objective @ answer.solution)
    assert value == pytest.approx(best, abs=slack)
    assert answer.bound >= max(best - 1e-6, value - 1e-9)
    assert answer.bound == pytest.approx(best, abs=slack)
    for solution, bound in reports:
        assert bound >= best - 1e-6
        if solution is not None:
            assert_feasible(model, solution, slack)


@pytest.mark.parametrize("presolve", [True, False])
def test_the_optimum_of_every_small_model_is_found_and_proved(info, presolve):
    """The optimum equals enumeration, no bound is ever below it, all solutions are feasible."""
    for seed in range(N_MODELS):
        model = random_model(seed)
        answer, reports = run(info, model, presolve=presolve, seed=seed)
        assert_right(info, model, optimum(model), answer, reports)


def infeasible_models() -> dict[str, Model]:
    models = {}
    for name, rows in {
        "too high": [([0, 1], [1.0, 1.0], 7.0, np.inf)],
        "contradiction": [([0, 1], [1.0, -1.0], 1.0, np.inf), ([0, 1], [1.0, -1.0], -np.inf, 0.0)],
        "parity": [([0, 1], [2.0, 2.0], 3.0, 3.0)],
        "between two integers": [([0], [1.0], 0.3, 0.7)],
        "nothing is one": [([], [], 1.0, np.inf)],
        "continuous": [([2, 0], [1.0, -0.5], 1.5, np.inf), ([0], [1.0], -np.inf, 0.0)],
    }.items():
        builder = ModelBuilder()
        builder.variable(0, 3, cost=1.0)
        builder.variable(0, 3, cost=1.0)
        builder.variable(0, 1, cost=0.5, integer=False)
        for columns, values, low, high in rows:
            builder.row(columns, values, low=low, high=high)
        models[name] = builder.build()
    return models


@pytest.mark.parametrize("presolve", [True, False])
@pytest.mark.parametrize("name", infeasible_models())
def test_an_infeasible_model_is_called_infeasible(info, name, presolve):
    """The status is "infeasible" and there is no solution."""
    answer, _ = run(info, infeasible_models()[name], presolve=presolve)
    assert answer.status == "infeasible"
    assert answer.solution is None


def test_an_objective_of_zero_leaves_any_feasible_point(info):
    """A model without costs is solved with value and bound 0."""
    builder = ModelBuilder()
    columns = [builder.variable(0, 2) for _ in range(4)]
    builder.row(columns, [1.0, 2.0, 1.0, 1.0], low=3.0, high=3.0)
    model = builder.build()
    answer, reports = run(info, model)
    assert_right(info, model, 0.0, answer, reports)


def test_a_model_without_rows_is_solved(info):
    """Each variable goes to its better bound, integer ones inside fractional bounds."""
    builder = ModelBuilder()
    builder.variable(-1.5, 2.5, cost=2.0)
    builder.variable(-1.5, 2.5, cost=-1.0)
    builder.variable(0.0, 0.75, cost=1.0, integer=False)
    model = builder.build()
    answer, _ = run(info, model)
    assert answer.status == "optimal"
    np.testing.assert_allclose(answer.solution, [2.0, -1.0, 0.75], atol=1e-5)
    assert 5.75 - 1e-6 <= answer.bound <= 5.75 + 1e-4


@pytest.mark.parametrize("seed", [1, 2, 3, 6])
def test_an_optimal_start_leads_to_the_optimum(info, seed):
    """Started from the optimum, with noise as solvers have it, the answer is the same."""
    model = random_model(seed)
    start = run(info, model)[0].solution
    noisy = np.clip(start + 1e-9, model.low, model.high)
    answer, reports = run(info, model, start=noisy)
    assert_right(info, model, optimum(model), answer, reports)


@pytest.fixture(scope="module")
def hard() -> tuple[Model, np.ndarray]:
    """A model that no solver finishes in a second, and a good point of it."""
    model = knapsacks(150, 20)
    answer, _ = run(SOLVERS["highs"], model, seconds=1.0)
    return model, np.rint(answer.solution)


@pytest.mark.parametrize("name", [name for name in SOLVERS if SOLVERS[name].warm_start])
def test_a_start_is_kept_when_there_is_no_time_to_improve_it(name, hard):
    """A solver that takes a start ends with a solution at least as good."""
    info = installed(name)
    model, start = hard
    run(info, random_model(1))  # starting its process is not counted
    answer, reports = run(info, model, start=start, seconds=0.4)
    found = [answer.solution, *(solution for solution, _ in reports)]
    best = max(model.objective @ solution for solution in found if solution is not None)
    assert best >= model.objective @ start - 1e-6


def test_a_deadline_at_once_is_no_error(info, hard):
    """With hardly any time the solver stops within seconds, and its bound is still a bound."""
    model, point = hard
    run(info, random_model(1))  # starting its process is not counted
    begin = time.monotonic()
    answer, _ = run(info, model, seconds=0.02)
    assert time.monotonic() - begin < 5
    assert answer.status == "stopped"
    assert answer.bound >= model.objective @ point


@cache
def taking_a_while() -> tuple[Model, float]:
    """A model that takes a while, and its optimum."""
    model = knapsacks(28, 4)
    return model, optimum(model)


def test_with_no_time_left_the_solver_is_not_asked(info, hard):
    with pytest.raises(OutOfTime):
        run(info, hard[0], seconds=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_no_report_ever_shows_a_bound_below_the_optimum(info, threads):
    """On a model that takes a while, on one thread and on two; who can tell, tells."""
    model, best = taking_a_while()
    answer, reports = run(info, model, threads=threads)
    assert_right(info, model, best, answer, reports)
    if info.streams:
        assert any(solution is not None for solution, _ in reports)


@pytest.mark.parametrize("name", ["gurobi", "cplex"])
def test_a_model_beyond_the_licence_is_refused_with_the_limit(name):
    """The error names the limit of the licence; the solver works on afterwards."""
    info = installed(name)
    large = knapsacks(2500, 1)
    try:
        run(info, large, seconds=2.0)
    except SolverLicenceError as error:
        message = str(error)
    else:
        pytest.skip(f"{name} has a full licence here")
    assert "000 variables" in message
    assert "2500 variables" in message
    model = random_model(1)
    answer, reports = run(info, model)
    assert_right(info, model, optimum(model), answer, reports)


def test_large_coefficients_do_not_overflow(info):
    """Sums near 1e15 in rows and objective are within every solver's reach."""
    builder = ModelBuilder()
    columns = [builder.variable(0, 1, cost=1e12 + 1e10 * j) for j in range(6)]
    builder.row(columns, [1e14 + 1e12 * j for j in range(6)], high=3.1e14)
    model = builder.build()
    answer, _ = run(info, model)
    # Weights are 100 + j of 310, costs 100 + j: three items, as heavy as 310 allows.
    assert answer.status == "optimal"
    assert model.objective @ answer.solution == pytest.approx(3.1e12, rel=1e-9)
    assert answer.bound >= 3.1e12 * (1 - 1e-9)


def test_presolve_keeps_the_optimum_of_rows_with_large_coefficients(info):
    """The optimum is 8.5 at (1, -1, 1, 1, -2).

    CP-SAT 9.15 proves 6.9 on this model scaled to integers, unless part of its presolve is off.
    """
    builder = ModelBuilder()
    costs = (-1.6, -2.1, 1.9, 2.9, -1.6)
    for low, high, cost in zip((1, -2, -2, 0, -2), (2, 0, 1, 1, 0), costs, strict=True):
        builder.variable(low, high, cost=cost)
    builder.row([1, 3, 4], [-1.9, -2.7, 0.7], high=-0.4)
    builder.row([0, 1, 3, 4], [-0.6, -1.3, -2.0, -2.1], low=1.0, high=3.0)
    model = builder.build()
    answer, reports = run(info, model)
    assert_right(info, model, 8.5, answer, reports)


@pytest.mark.parametrize("seed", range(30))
def test_cpsat_rounding_never_cuts_off_a_feasible_point(seed):
    """A point on the very edge of each row has a counterpart inside the integer rows.

    Coefficients over twenty orders of magnitude, whole, in tenths or arbitrary; the comparison is
    in Python's integers.
    """
    rng = np.random.default_rng(seed)
    n, n_rows = int(rng.integers(1, 30)), 5
    builder = ModelBuilder()
    point = np.empty(n)
    for j in range(n):
        integer = bool(rng.random() < 0.5)
        low, high = np.sort(rng.normal(0, 10.0 ** rng.integers(-2, 5), 2))
        if integer:
            low, high = np.floor(low), np.ceil(high)
        value = rng.choice([low, high, rng.uniform(low, high)])
        point[j] = np.rint(value) if integer else value
        builder.variable(low, high, cost=rng.normal(), integer=integer)
    for _ in range(n_rows):
        values = rng.normal(0, 10.0 ** rng.integers(-10, 11), n)
        values = [values, np.rint(values), np.rint(values * 10) / 10][rng.integers(3)]
        edge = float(values @ point)
        builder.row(np.arange(n), values, low=edge, high=edge)
    model = builder.build()

    step, low, high = _grid(model)
    reach = np.maximum(np.abs(low), np.abs(high))
    columns = model.matrix.indices
    rows = _to_integers(
        model.matrix.data * step[columns],
        np.diff(model.matrix.indptr),
        reach[columns],
        ~model.integer[columns],
    )
    below, above = _row_bounds(model, rows)
    image = np.rint(point / step)
    assert (low <= image).all()
    assert (image <= high).all()
    ends = model.matrix.indptr
    for i in range(n_rows):
        inside = slice(ends[i], ends[i + 1])
        terms = [
            int(c) * int(u)
            for c, u in zip(rows.coefficients[inside], image[columns[inside]], strict=True)
        ]
        assert int(below[i]) <= sum(terms) <= int(above[i])
        assert sum(map(abs, terms)) < 2**60


def test_cpsat_keeps_integer_rows_as_they_are():
    """Rows of whole numbers are not scaled, moved or rounded: small rows stay small."""
    builder = ModelBuilder()
    columns = [builder.variable(0, 1) for _ in range(5)]
    builder.row(columns, [1.0, -2.0, 3.0, 1.0, 0.0], low=-1.0, high=2.0)
    model = builder.build()
    rows = _to_integers(model.matrix.data, np.array([5]), np.ones(5), np.zeros(5, dtype=bool))
    below, above = _row_bounds(model, rows)
    assert rows.coefficients.tolist() == [1, -2, 3, 1, 0]
    assert (rows.scale[0], rows.drift[0], below[0], above[0]) == (1.0, 0.0, -1, 2)
