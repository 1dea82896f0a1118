"""CP-SAT of OR-Tools, which knows integers only: the model is rounded outwards, never inwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numbers.floats import Floats
from ..solvers.model import Model
from .protocol import Answer, Options, Report

STEP = 2.0**-20
"""Step of the grid that stands for a continuous variable, times its largest coefficient."""

REACH = 2.0**32
"""Grid points a continuous variable may have on one side of zero; wider ones get longer steps."""

LARGEST = 2.0**52
"""Largest sum of absolute terms of a row: a float counts so far, and int64 is far away."""

PRECISE = 2.0**40
"""Sum of absolute terms that fractional coefficients of integer variables are scaled to."""

# The integer model has to be a relaxation: every feasible point v of the model has an integer
# counterpart u that is feasible there. A committee that only the rounding lets through is found
# out when it is recounted; one that the rounding cut off would be lost, and the bound a lie.
#
# Integer variables keep their value. A continuous v_j becomes the nearest point of a grid through
# zero, v_j / h_j rounded to u_j, so it moves by at most h_j / 2; rounding is monotone, so u_j is
# between the rounded bounds. The row a @ v is b @ (v / h) with b_j = a_j h_j, where h_j = 1 for
# integer variables. All h_j and the row's scale s are powers of two: multiplying by them is exact.
# With c = round(s b),
#
#     c @ u = s a @ v  +  s b @ (u - v / h)  +  (c - s b) @ u,
#
# the second term at most sum of s |b_j| / 2 over the continuous variables, the third at most
# sum |c_j - s b_j| max |u_j|. The row's bounds times s are moved outwards by both ("drift"), then
# to the next integer inside. Rows of integers only have no drift and stay as they are. The same
# identity for the objective says s objective @ v <= c @ u + drift <= CP-SAT's bound + drift.


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows in integers: entry by entry the coefficients, row by row the scale and the drift."""

    coefficients: NDArray[np.int64]
    scale: Floats
    drift: Floats


def solve(model: Model, options: Options, start: Floats | None, report: Report) -> Answer:
    """Solve with CP-SAT; bounds and incumbents are reported as they come.

    Notes
    -----
    Exact where all variables are integer and all coefficients are whole numbers, or short binary
    fractions. Elsewhere the answer is one of a relaxation: rows may be violated by about 1e-6 per
    continuous variable in them, and the bound is larger by as much. A continuous variable with a
    cost is legal but unwise: CP-SAT may walk to its best value one step of the grid at a time.
    """
    from ortools.sat.python import cp_model

    step, low, high = _grid(model)
    if (low > high).any():
        return Answer("infeasible", None, -np.inf)
    reach = np.maximum(np.abs(low), np.abs(high))
    columns = model.matrix.indices
    lengths = np.diff(model.matrix.indptr)
    rows = _to_integers(
        model.matrix.data * step[columns], lengths, reach[columns], ~model.integer[columns]
    )
    row_low, row_high = _row_bounds(model, rows)
    if (row_low > row_high).any():
        return Answer("infeasible", None, -np.inf)
    goal = _to_integers(
        model.objective * step, np.array([model.n_variables]), reach, ~model.integer
    )
    scale, drift = float(goal.scale[0]), float(goal.drift[0])

    program = cp_model.CpModel()
    variables = [program.new_int_var(int(a), int(b), "") for a, b in zip(low, high, strict=True)]
    # Straight into the protocol buffer: six times faster than one expression per row.
    ends = model.matrix.indptr.tolist()
    indices, coefficients = columns.tolist(), rows.coefficients.tolist()
    for i, (a, b) in enumerate(zip(row_low, row_high, strict=True)):
        linear = program.proto.constraints.add().linear
        linear.vars.extend(indices[ends[i] : ends[i + 1]])
        linear.coeffs.extend(coefficients[ends[i] : ends[i + 1]])
        linear.domain.extend((int(a), int(b)))
    program.maximize(cp_model.LinearExpr.weighted_sum(variables, goal.coefficients.tolist()))
    if start is not None:
        hint = np.clip(np.rint(start / step), low, high)
        for variable, value in zip(variables, hint, strict=True):
            program.add_hint(variable, int(value))

    def to_model(values: Floats) -> Floats:
        return np.clip(values * step, model.low, model.high)

    # Known before the search starts, and all there is to say when it is stopped at once.
    bound = float(np.maximum(goal.coefficients * low, goal.coefficients * high).sum())
    bound = (bound + drift) / scale

    def bounded(value: float) -> None:
        nonlocal bound
        if (value + drift) / scale < bound:
            bound = (value + drift) / scale
            report(None, bound)

    class Improved(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            values = np.array([self.value(variable) for variable in variables], dtype=float)
            bounded(self.best_objective_bound)
            report(to_model(values), bound)

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = options.threads
    solver.parameters.random_seed = options.seed % 2**31
    solver.parameters.cp_model_presolve = options.presolve
    # Part of the presolve of 9.15 proves wrong optima, seen on rows with large coefficients
    # (or-tools issue 5293); this turns that part off.
    solver.parameters.presolve_inclusion_work_limit = 0
    solver.parameters.max_time_in_seconds = max(options.seconds_left, 1e-3)
    solver.best_bound_callback = bounded
    status = solver.solve(program, Improved())

    if status == cp_model.MODEL_INVALID:
        raise ValueError(f"CP-SAT refuses the model: {program.validate()}")
    if status == cp_model.INFEASIBLE:
        return Answer("infeasible", None, -np.inf)
    if status == cp_model.UNKNOWN:
        # Not the bound of the response: with no bound yet it is 0.
        return Answer("stopped", None, bound)
    solution = to_model(np.array([solver.value(variable) for variable in variables], dtype=float))
    bound = min(bound, (solver.best_objective_bound + drift) / scale)
    return Answer(
        "optimal" if status == cp_model.OPTIMAL else "stopped",
        solution,
        max(bound, float(model.objective @ solution)),
    )


def _grid(model: Model) -> tuple[Floats, Floats, Floats]:
    """Return the step of each variable's grid, and its bounds in steps."""
    loose = ~model.integer
    if not np.isfinite([model.low, model.high]).all():
        raise ValueError("CP-SAT needs finite bounds on every variable")
    weight = np.maximum(1.0, np.abs(model.objective))
    np.maximum.at(weight, model.matrix.indices, np.abs(model.matrix.data))
    span = np.maximum(np.abs(model.low), np.abs(model.high))
    step = np.ones(model.n_variables)
    step[loose] = np.maximum(STEP / _power_of_two(weight), _power_of_two(span / REACH))[loose]
    low = np.where(loose, np.rint(model.low / step), np.ceil(model.low))
    high = np.where(loose, np.rint(model.high / step), np.floor(model.high))
    return step, low, high


def _power_of_two(values: Floats) -> Floats:
    """Return the smallest power of two above each value."""
    return np.ldexp(1.0, np.frexp(values)[1])


def _to_integers(
    values: Floats, lengths: NDArray[np.intp], reach: Floats, loose: NDArray[np.bool_]
) -> _Rows:
    """Scale rows to integers, exactly where that is possible.

    Parameters
    ----------
    values
        Coefficients, row after row.
    lengths
        How many of them each row has.
    reach, loose
        For each, the largest absolute value of its variable in steps, and whether that variable
        is continuous.
    """
    n = len(lengths)
    row = np.repeat(np.arange(n), lengths)
    total = np.bincount(row, np.abs(values) * np.maximum(reach, 1.0), minlength=n)
    size = np.log2(np.where(total > 0, total, 1.0))
    # Every float is an odd integer times a power of two, so some 2**exact makes the row integer.
    fraction, exponent = np.frexp(values)
    digits = np.ldexp(np.abs(fraction), 53).astype(np.int64)
    zeros = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    exact = np.full(n, -(2**11))  # less than any float needs
    np.maximum.at(exact, row[digits > 0], (53 - exponent - zeros)[digits > 0])
    exact = np.where(total > 0, exact, 0)
    # A continuous variable multiplies the rounding error of its coefficient by its many steps.
    mixed = np.bincount(row, loose, minlength=n) > 0
    room = np.log2(np.where(mixed, LARGEST, PRECISE))
    power = np.where(size + exact <= np.log2(LARGEST), exact, np.floor(room - size).astype(int))

    scaled = np.ldexp(values, power[row])
    rounded = np.rint(scaled)
    moved = np.abs(rounded - scaled) * reach + np.where(loose, np.abs(scaled) / 2, 0.0)
    drift = np.asarray(np.bincount(row, moved, minlength=n), dtype=np.float64)
    # The last factor is for the rounding of that very sum.
    return _Rows(rounded.astype(np.int64), np.ldexp(1.0, power), drift * (1 + 1e-9))


def _row_bounds(model: Model, rows: _Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bounds of the integer rows, moved outwards by all that rounding can do."""
    limits = np.iinfo(np.int64)
    sides = []
    for side, sign, none in ((model.row_low, -1, limits.min), (model.row_high, 1, limits.max)):
        finite = np.isfinite(side)
        value = np.where(finite, side, 0.0)
        # A bound that was computed in floats may be a hair off the integer it means.
        dust = rows.scale * (1e-9 + 1e-12 * np.abs(value))
        moved = sign * np.floor(sign * value * rows.scale + rows.drift + dust)
        # No sum comes near 2**60: beyond it a bound binds nothing, or everything.
        sides.append(np.where(finite, np.clip(moved, -(2.0**60), 2.0**60), 0.0).astype(np.int64))
        sides[-1][~finite] = none
    return sides[0], sides[1]
