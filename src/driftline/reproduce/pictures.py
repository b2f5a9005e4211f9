"""Figures in the look of the house: small, in its colours, legible on a telephone, the same bits every time.

    with style():
        figure, ax = axes("trial", "mistakes")
        band(ax, trials, curves, "NORMA", 0)
        legend(ax)

Lines differ in colour and marker, those after the sixth in dashes too, so that nothing depends on colour alone.
Nothing here touches pyplot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.report.charts.palette import LIGHT
from driftline.reproduce.intervals import factor, interval, mean_and_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.8, 3.6
"""Inches; the most is 5.5."""
MARKERS = "os^Dv*"
SOFT, RULE = "#59616e", "#dfe3e8"
LOOK: dict[Any, Any] = {
    "font.size": 10.0,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10.0,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.edgecolor": SOFT,
    "grid.color": RULE,
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "figure.facecolor": "white",
    "svg.hashsalt": "driftline",
}


@contextmanager
def style() -> Iterator[None]:
    """The look, whatever the user's own settings of matplotlib are; the driver draws and saves inside it."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(LOOK)
        yield


def axes(
    xlabel: str, ylabel: str, title: str = "", *, width: float = WIDTH, height: float = HEIGHT
) -> tuple[Figure, Axes]:
    """A figure with one pair of axes; say the units in the labels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    ax = figure.add_subplot()
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.set_title(title, wrap=True)
    return figure, ax


def colour(k: int) -> str:
    """The colour of line k, from 0."""
    return LIGHT[k % len(LIGHT)]


def marker(k: int) -> str:
    """The marker of line k; a second round of the colours has other ones."""
    return MARKERS[(k + k // len(LIGHT)) % len(MARKERS)]


def band(ax: Axes, x: Sequence[float], curves: Sequence[Sequence[float]], label: str, k: int) -> None:
    """The mean of the curves, one a repetition, and where at each x their true mean is, 95 times out of 100."""
    found = np.asarray(curves, float)
    mean = found.mean(axis=0)
    dash = "-" if k < len(LIGHT) else "--"
    ax.plot(x, mean, dash, color=colour(k), marker=marker(k), markevery=(0.03 * k, 0.2), label=label)
    if len(found) > 1:
        reach = factor(len(found)) * found.std(axis=0, ddof=1) / np.sqrt(len(found))
        ax.fill_between(x, mean - reach, mean + reach, color=colour(k), alpha=0.22, linewidth=0.0)


def dots(ax: Axes, samples: Mapping[str, Sequence[float]]) -> None:
    """One row a name, the first on top: the mean of its values as a dot, with the 95 % interval as a line."""
    for k, values in enumerate(samples.values()):
        mean, _ = mean_and_error(values)
        ax.plot([mean], [k], color=colour(k), marker=marker(k), markersize=7.0, linestyle="none")
        if len(values) > 1:
            ax.plot(interval(values), [k, k], color=colour(k), linewidth=2.2, solid_capstyle="butt")
    ax.set_yticks(range(len(samples)), list(samples))
    ax.set_ylim(len(samples) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")


def legend(ax: Axes, columns: int = 2) -> None:
    """The names of the lines, below the axes, where they cover nothing."""
    figure: Any = ax.figure
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=columns)
