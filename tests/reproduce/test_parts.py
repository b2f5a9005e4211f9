"""Parts of experiments: intervals against scipy's, and the style of figures."""

import math

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import stats

from driftline.reproduce import intervals, plotting

VALUES = [3.0, 5.5, 4.0, 9.0, 7.25]
OTHERS = [4.0, 5.0, 8.0, 10.0, 9.0]


def test_an_interval_is_students():
    expected = stats.t.interval(0.95, 4, np.mean(VALUES), stats.sem(VALUES))
    np.testing.assert_allclose(intervals.interval(VALUES), expected, rtol=1e-12)


def test_a_paired_difference_and_its_error():
    difference, error = intervals.paired(VALUES, OTHERS)
    expected = stats.ttest_rel(VALUES, OTHERS)
    assert difference / error == pytest.approx(expected.statistic, rel=1e-12)


@pytest.mark.parametrize("shift, expected", [(-1.0, True), (1.0, False), (0.0, None)])
def test_less_is_decided_where_the_paired_test_is(shift, expected):
    a = [v + shift + w for v, w in zip(OTHERS, [0.1, -0.1, 0.05, 0.0, -0.05], strict=True)]
    assert intervals.less(a, OTHERS) is expected
    assert (stats.ttest_rel(a, OTHERS).pvalue < 0.05) == (expected is not None)


def test_equal_values_are_not_less_and_one_value_says_nothing():
    assert intervals.less([1.0, 2.0], [1.0, 2.0]) is None
    assert intervals.less([1.0], [2.0]) is None
    assert math.isnan(intervals.mean_and_error([1.0])[1])
    assert all(map(math.isnan, intervals.interval([1.0])))


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]]])
def test_what_is_no_list_of_numbers_is_refused(values):
    with pytest.raises(ValueError, match="mean_and_error: values must be a list of at least one number, got"):
        intervals.mean_and_error(values)


def test_pairs_must_be_pairs():
    with pytest.raises(ValueError, match="paired: a and b must have the same length, got 1 and 2"):
        intervals.paired([1.0], [1.0, 2.0])


def _picture(repetitions: int) -> Figure:
    with plotting.style():
        figure, ax = plotting.axes("trial", "mistakes", "a title")
        rng = np.random.default_rng(0)
        for k in range(8):
            plotting.band(ax, range(50), rng.random((repetitions, 50)).cumsum(axis=1) * (k + 1), f"line {k}", k)
        plotting.legend(ax)
        figure.draw_without_rendering()
    return figure


@pytest.mark.parametrize("repetitions", [1, 5])
def test_a_figure_is_small_labelled_and_its_legend_covers_nothing(repetitions):
    figure = _picture(repetitions)
    (ax,) = figure.axes
    assert figure.get_size_inches()[0] <= 5.5
    assert ax.get_xlabel() and ax.get_ylabel()
    texts = [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label, *figure.legends[0].texts]
    assert min(text.get_fontsize() for text in texts) >= 9.0
    legend, plot = figure.legends[0].get_window_extent(), ax.get_tightbbox()
    assert legend.y1 <= plot.y0 and legend.x0 >= 0.0 and legend.x1 <= figure.bbox.x1
    assert len({(line.get_color(), line.get_marker()) for line in ax.lines}) == 8
    assert len(ax.collections) == (0 if repetitions == 1 else 8)


def test_a_band_is_the_interval_at_each_point():
    _, ax = plotting.axes("x", "y")
    plotting.band(ax, [0.0, 1.0], [[1.0, v] for v in VALUES], "v", 0)
    low, high = ax.collections[0].get_datalim(ax.transData).intervaly
    np.testing.assert_allclose((min(low, 1.0), high), (1.0, intervals.interval(VALUES)[1]), rtol=1e-12)


def test_dots_stand_at_means_in_order():
    _, ax = plotting.axes("mistakes", "")
    plotting.dots(ax, {"a": VALUES, "b": OTHERS})
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    assert ax.lines[0].get_xdata()[0] == np.mean(VALUES)
    assert tuple(ax.lines[1].get_xdata()) == intervals.interval(VALUES)
    bottom, top = ax.get_ylim()
    assert bottom > top


def test_the_users_own_settings_of_matplotlib_change_nothing():
    import matplotlib

    with matplotlib.rc_context({"font.size": 3.0}):
        with plotting.style():
            assert matplotlib.rcParams["font.size"] == 10.0
        assert matplotlib.rcParams["font.size"] == 3.0


def test_a_long_title_stays_within_its_figure() -> None:
    with plotting.style():
        figure, ax = plotting.axes("x", "y", "20 Newsgroups: updates on margins below 1, tuned on the second half")
        FigureCanvasAgg(figure).draw()
        place = ax.title.get_window_extent()
    assert 0.0 <= place.x0 < place.x1 <= figure.bbox.x1
    assert place.y1 <= figure.bbox.y1
