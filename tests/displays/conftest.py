"""Figures are drawn into memory and closed."""

import matplotlib as mpl
import pytest

mpl.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
