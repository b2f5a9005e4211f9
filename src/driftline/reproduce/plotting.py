"""Plots in the common style of the reports: small, legible on a phone, reproducible bit by bit.

    with style():
        figure, ax = axes("trial", "mistakes")
        band(ax, trials, curves, "NORMA", 0)
        legend(ax)

Lines differ in colour and marker, and from the seventh on also in dashes, so that readers who
cannot tell the colours apart can tell the lines apart. This module does not use pyplot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.report.charts.palette import LIGHT
from driftline.reproduce.intervals import interval, mean_and_error, student_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.8, 3.6
"""Default size in inches. The largest allowed width is 5.5."""
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
    """Apply the common style, independent of the user's matplotlib settings.

    The driver creates and saves all figures inside this context.
    """
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(LOOK)
        yield


def axes(
    xlabel: str, ylabel: str, title: str = "", *, width: float = WIDTH, height: float = HEIGHT
) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes. The labels should include the units."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    ax = figure.add_subplot()
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.set_title(title, wrap=True)
    return figure, ax


def colour(k: int) -> str:
    """Return the colour of line k, counted from 0."""
    return LIGHT[k % len(LIGHT)]


def marker(k: int) -> str:
    """Return the marker of line k. Lines that share a colour have different markers."""
    return MARKERS[(k + k // len(LIGHT)) % len(MARKERS)]


def band(ax: Axes, x: Sequence[float], curves: Sequence[Sequence[float]], label: str, k: int) -> None:
    """Plot the mean of the curves, one per repetition, with a 95 % confidence band."""
    found = np.asarray(curves, float)
    mean = found.mean(axis=0)
    dash = "-" if k < len(LIGHT) else "--"
    ax.plot(x, mean, dash, color=colour(k), marker=marker(k), markevery=(0.03 * k, 0.2), label=label)
    if len(found) > 1:
        reach = student_factor(len(found)) * found.std(axis=0, ddof=1) / np.sqrt(len(found))
        ax.fill_between(x, mean - reach, mean + reach, color=colour(k), alpha=0.22, linewidth=0.0)


def dots(ax: Axes, samples: Mapping[str, Sequence[float]]) -> None:
    """Plot one row per name, the first on top: the mean as a dot, the 95 % interval as a line."""
    for k, values in enumerate(samples.values()):
        mean, _ = mean_and_error(values)
        ax.plot([mean], [k], color=colour(k), marker=marker(k), markersize=7.0, linestyle="none")
        if len(values) > 1:
            ax.plot(interval(values), [k, k], color=colour(k), linewidth=2.2, solid_capstyle="butt")
    ax.set_yticks(range(len(samples)), list(samples))
    ax.set_ylim(len(samples) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")


def legend(ax: Axes, columns: int = 2) -> None:
    """Add a legend below the axes, where it covers nothing."""
    figure: Any = ax.figure
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=columns)
