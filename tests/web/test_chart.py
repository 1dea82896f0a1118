"""The picture shows every method once, names it, and leaves matplotlib alone until asked."""

import matplotlib as mpl
import pytest

import voteprune as vp
from heuristics.test_laws import pool
from voteprune.web.chart import Mark, draw

mpl.use("agg")
SOME = ["full", "best", "hc-uwa", "hc-con", "brute"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def named(ax):
    return sorted(name.strip() for text in texts(ax) for name in text.split(",") if name.strip())


@pytest.mark.parametrize("test", [None, pool(seed=1)])
@pytest.mark.parametrize("objective", ["accuracy", "balanced_accuracy", "recall"])
def test_every_method_is_named_once(test, objective):
    found = vp.compare(pool(), methods=SOME, test=test, objective=objective, random_state=0)
    ax = found.plot()
    assert named(ax) == sorted(SOME)
    where = "votes" if test is None else "test rows"
    what = "balanced accuracy" if objective == "balanced_accuracy" else "accuracy"
    assert ax.get_ylabel() == f"{what} on the {where}"
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any("no committee exceeds" in text for text in legend) == (objective != "recall")


def test_points_stand_where_the_rows_say():
    found = vp.compare(pool(), methods=SOME, random_state=0)
    ax = found.plot()
    drawn = {
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in ax.lines
        if line.get_marker() == "o"
    }
    assert drawn == {(row.size, row.accuracy) for row in found.rows}


def test_axes_of_ones_own_are_used_and_returned():
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2)
    assert vp.compare(pool(), methods=["full"], random_state=0).plot(right) is right
    assert named(right) == ["full"]
    assert texts(left) == []


def test_many_sizes_get_an_axis_that_spreads_them():
    import matplotlib.pyplot as plt

    def scale(sizes):
        ax = plt.subplots()[1]
        draw(ax, [Mark(f"m{s}", s, 0.9, None, False) for s in sizes], "accuracy", None)
        return ax.get_xscale()

    assert scale([1, 3, 4, 5, 80]) == "log"
    assert scale([1, 60, 70, 75, 80]) == "linear"
    assert scale([1, 2, 5]) == "linear"


@pytest.mark.slow
def test_names_do_not_cover_each_other_where_there_is_room():
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    marks = [Mark(f"method-{i}", 3 + i % 4, 0.8 + i / 100, None, i == 0) for i in range(12)]
    draw(ax, marks, "accuracy", 0.95)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    assert len(boxes) == 12
    for i, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[i + 1 :])


def test_nothing_to_draw_is_an_empty_picture():
    votes = pool()
    clash = [vp.AtLeast("recall", 1), vp.AtMost("fp", 0), vp.AtMost("size", 2)]
    found = vp.compare(votes, methods=["brute"], constraints=clash)
    assert found.rows[0].size is None
    assert texts(found.plot()) == []


@pytest.mark.slow
def test_the_same_picture_is_the_same_file(tmp_path):
    found = vp.compare(pool(), methods=SOME, random_state=0)
    for name in ("one.svg", "two.svg"):
        found.save_plot(tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
