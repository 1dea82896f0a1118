"""The lines are the trace: nothing smoothed, nothing left out."""

import numpy as np
import pytest

import voteprune as vp
from heuristics.test_laws import pool


@pytest.fixture(scope="module")
def solution():
    return vp.prune(pool(n=80, k=8), method="merged", random_state=0)


def test_the_lines_are_the_trace_and_reach_the_end_of_the_run(solution):
    display = vp.ConvergenceDisplay.from_solution(solution)
    trace = solution.trace
    for line, name in ((display.value_line_, "value"), (display.bound_line_, "bound")):
        x, y = line.get_data()
        assert line.get_drawstyle() == "steps-post"
        assert x[:-1].tolist() == [step.seconds for step in trace]
        assert x[-1] == solution.seconds
        told = [getattr(step, name) for step in trace]
        assert y[:-1].tolist() == pytest.approx(
            [np.nan if value is None else value for value in told], nan_ok=True
        )
        assert y[-1] == getattr(solution, name)
    assert display.ax_.get_ylabel() == solution.objective
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == [
        "no committee exceeds",
        "best committee",
        "still open",
    ]


def test_before_the_first_committee_there_is_no_value_to_draw(solution):
    display = vp.ConvergenceDisplay(
        seconds=[0.1, 0.2, 9.0], values=[np.nan, 0.8, 0.8], bounds=[1, 1, 0.9], objective="recall"
    ).plot()
    assert np.isnan(display.value_line_.get_ydata()[0])
    assert display.ax_.get_xscale() == "log"


def test_axes_of_ones_own_are_used(solution):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2)
    display = vp.ConvergenceDisplay.from_solution(solution, right)
    assert (display.ax_, display.figure_) == (right, figure)
    assert not left.lines


def test_a_solution_without_a_path_is_refused(solution):
    again = vp.Solution.from_json(solution.to_json())
    with pytest.raises(vp.InputError, match="trace"):
        vp.ConvergenceDisplay.from_solution(again)
