"""Quadratic programs with signs: optimality conditions, also where exchanges go in circles."""

import numpy as np
import pytest

from voteprune.soft import newton as quadratic
from voteprune.soft.newton import signed_minimum

CIRCLES = [9, 71, 380, 412, 488, 809, 904, 1171, 1194, 1203]
"""Seeds at which exchanging all that is wrong never ends."""


def program(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 9))
    root = random.normal(size=(n, n)) * 10.0 ** random.uniform(-1, 1, size=n)
    return root @ root.T + 1e-3 * np.eye(n), random.normal(size=n) * 10, random.random(n) < 0.5


def check(hessian, linear, signed, point, total=None):
    """The conditions of Karush, Kuhn and Tucker."""
    slope = hessian @ point + linear
    if total is not None:
        assert point[signed].sum() == pytest.approx(total, rel=1e-9)
        heavy = signed & (point > 1e-9 * total)
        slope = slope - signed * np.median(slope[heavy])
    near = 1e-8 * (np.abs(linear).max() + np.abs(hessian).max() * np.abs(point).max())
    assert (point[signed] >= 0).all()
    assert np.abs(slope[~signed]).max(initial=0) <= near
    assert slope[signed].min(initial=0) >= -near
    assert np.abs((slope * point)[signed]).max(initial=0) <= near * max(1, np.abs(point).max())


@pytest.mark.parametrize("seed", CIRCLES)
def test_exchanges_that_go_in_circles_end_all_the_same(seed):
    hessian, linear, guess = program(seed)
    signed = np.ones(len(linear), dtype=bool)
    check(hessian, linear, signed, signed_minimum(hessian, linear, signed, guess))


@pytest.mark.parametrize("total", [None, 1.0, 7.0])
@pytest.mark.parametrize("guessed", ["some", "nobody", "everybody"])
def test_the_minimum_is_one_whatever_the_guess(total, guessed):
    for seed in range(40):
        hessian, linear, guess = program(seed)
        hessian /= np.trace(hessian)
        n = len(linear)
        signed = np.arange(n) >= (0 if total is not None else seed % 3)
        guess = {"some": guess, "nobody": guess & False, "everybody": guess | True}[guessed]
        point = signed_minimum(hessian, linear, signed, guess & signed, total)
        check(hessian, linear, signed, point, total)


def test_with_a_free_variable_the_total_is_of_the_others():
    hessian = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]])
    linear, signed = np.array([1.0, -2.0, 0.5]), np.array([False, True, True])
    for guess in (signed, ~signed & signed):
        point = signed_minimum(hessian, linear, signed, guess, 1.0)
        check(hessian, linear, signed, point, 1.0)
        assert point[0] < 0


def test_nobody_is_needed_where_nothing_falls():
    ones = np.ones(3, dtype=bool)
    point = signed_minimum(np.eye(3), np.array([1.0, 0.0, 2.0]), ones, ~ones)
    assert point.tolist() == [0, 0, 0]


def test_one_solution_is_enough_for_a_guess_that_is_right(monkeypatch):
    """And a wrong one of all members costs one more: what falls is exchanged at once."""
    solved = []
    solve = quadratic._solve
    monkeypatch.setattr(quadratic, "_solve", lambda *given: solved.append(given) or solve(*given))
    linear, signed = np.array([-1.0, 2.0, -3.0, 4.0]), np.ones(4, dtype=bool)
    for guess, most in ((linear < 0, 1), (linear > 0, 2), (signed, 2), (~signed, 2)):
        solved.clear()
        signed_minimum(np.eye(4), linear, signed, guess)
        assert len(solved) == most
