"""Figures: mistakes over each varied size, with bounds as dashed lines, and the crossings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from driftline.reproduce.experiment import Drawing
from driftline.reproduce.intervals import student_factor
from driftline.reproduce.plotting import axes, colour, legend, marker
from driftline.reproduce.winnow import alternating, growing, moving, shrinking
from driftline.reproduce.winnow.growth_laws import bracket, crossing_point
from driftline.reproduce.winnow.rate_selection import best_rate_at_each_size, best_rate_at_sparse_end
from driftline.reproduce.winnow.runs import Runs, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICKS = (1, 3, 10, 30, 100, 300)
BROKEN = " Dots are means over seeds, with 95 % intervals if these are wider than the dots. Dashed lines are bounds."


def drawings(runs: Runs) -> Iterator[Drawing]:
    """Yield all figures, part by part."""
    for place in runs.places(growing.PART):
        yield _growing(runs, place)
        yield _logarithm(runs, place)
    yield _moving(runs, "mistakes", "mistakes, including ties")
    yield _moving(runs, "wrong", "wrong labels")
    for place in runs.places(shrinking.PART):
        yield _shrinking(runs, shrinking.PART, place, "random order")
    for place in runs.places(alternating.PART):
        yield _shrinking(runs, alternating.PART, place, "adversarial order")
    yield _turns(runs)


def lines(ax: Axes, tables: Mapping[str, Table], bounded: Sequence[str]) -> None:
    """Plot the mean of each table with its interval, and the bounds of those in ``bounded``."""
    for k, (name, table) in enumerate(tables.items()):
        mean = table.counts.mean(axis=0)
        ax.plot(table.x, mean, color=colour(k), marker=marker(k), label=name)
        if len(table.counts) > 1:
            reach = student_factor(len(table.counts)) * table.counts.std(axis=0, ddof=1) / np.sqrt(len(table.counts))
            ax.errorbar(table.x, mean, yerr=reach, color=colour(k), linestyle="none", capsize=2.5)
        if name in bounded:
            ax.plot(table.x, table.bounds, color=colour(k), linestyle=(0, (4, 3)), linewidth=1.1)


def ticks(ax: Axes, axis: Literal["x", "y"]) -> None:
    """Label a logarithmic axis of few decades with a few plain numbers."""
    low, high = ax.get_xlim() if axis == "x" else ax.get_ylim()
    shown = [tick for tick in TICKS if low <= tick <= high]
    (ax.set_xticks if axis == "x" else ax.set_yticks)(shown, [f"{tick:g}" for tick in shown])
    ax.tick_params(axis=axis, which="minor", labelbottom=False, labelleft=False)


def _growing(runs: Runs, place: str) -> Drawing:
    names = (growing.WINNOW, growing.BALANCED, growing.PERCEPTRON)
    tables = {name: runs.table(growing.PART, place, name) for name in names}
    figure, ax = axes("attributes n, few of them relevant", "mistakes")
    lines(ax, tables, names)
    ax.set(xscale="log", yscale="log")
    legend(ax, 3)
    last = {name: float(table.counts[:, -1].mean()) for name, table in tables.items()}
    told = ", ".join(f"{name} {mean:,.0f}" for name, mean in last.items())
    return Drawing(
        f"growing-{place.replace(' ', '-')}",
        f"Positive if {place} relevant attributes are 1: mistakes over the number of attributes",
        f"Both axes are logarithmic. At n = {tables[names[0]].x[-1]:,.0f} the mean mistakes are: {told}."
        f"{_cut(tables)}" + BROKEN,
        figure,
    )


def _cut(tables: Mapping[str, Table]) -> str:
    """Return a sentence on counts that more rounds would have increased, or an empty string."""
    cut = [
        f"{name} at n = {', '.join(f'{x:,.0f}' for x in table.x[~table.settled])}"
        for name, table in tables.items()
        if not table.settled.all()
    ]
    return f" Still making mistakes at the end of the rounds, in some or all runs: {'; '.join(cut)}." if cut else ""


def _logarithm(runs: Runs, place: str) -> Drawing:
    names = (growing.WINNOW, growing.BALANCED, growing.PERCEPTRON)
    tables = {name: runs.table(growing.PART, place, name).settled_only for name in names}
    figure, ax = axes("attributes n, logarithmic", "mistakes / mistakes at the last n shown")
    shares = {name: replace(t, counts=t.counts / t.counts[:, -1].mean()) for name, t in tables.items() if len(t.x)}
    lines(ax, shares, ())
    ax.set(xscale="log")
    ax.set_ylim(bottom=0.0)
    legend(ax, 3)
    return Drawing(
        f"logarithm-{place.replace(' ', '-')}",
        f"The shape of growth, {place}: logarithmic growth is a straight line",
        "Mistakes relative to the last n of each line, over the logarithm of n. Only sizes at which all runs of a "
        "learner settled, that is, stopped making mistakes, are shown. Logarithmic growth is a straight line, and a "
        "power of n bends upwards. Bars are 95 % intervals of the means.",
        figure,
    )


def _moving(runs: Runs, count: str, shown: str) -> Drawing:
    same, best = best_rate_at_sparse_end(runs, count), best_rate_at_each_size(runs, count)
    perceptron, theorem = (
        runs.table(moving.PART, moving.WHERE, name, count) for name in (moving.PERCEPTRON, moving.THEOREM)
    )
    figure, ax = axes("relevant attributes (examples become sparser)", shown)
    tables = {
        "Perceptron": perceptron,
        "Winnow, theorem's rate": theorem,
        f"Winnow, rate {same.rates[0]:g}": same.table(count),
        "Winnow, best rates": best.table(count),
    }
    lines(ax, tables, ())
    ax.set(xscale="log")
    ax.set_ylim(bottom=0.0)
    ax.set_xticks(theorem.x, [f"{x:g}" for x in theorem.x])
    ax.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    legend(ax)
    rates = ", ".join(f"{eta:g}" for eta in best.rates)
    return Drawing(
        f"moving-{count}",
        f"From a sparse target on dense examples (left) to a dense target on sparse ones (right): {shown}",
        f"Winnow means balanced Winnow. Rate {same.rates[0]:g} is the best for the leftmost target. The best rates "
        f"from left to right are {rates}. All rates were selected by the same count on separate seeds. The "
        f"Perceptron's bound is {perceptron.bounds[0]:,.0f} everywhere. Winnow's bound at its theorem's rate grows "
        f"from {theorem.bounds[0]:,.0f} to {theorem.bounds[-1]:,.0f}. The bounds are not drawn. Few runs settled "
        f"within these {moving.ROUNDS} rounds per attribute. Bars are 95 % intervals of the means.",
        figure,
    )


def _shrinking(runs: Runs, part: str, place: str, shown: str) -> Drawing:
    present = runs.learners(part, place)
    order = (shrinking.PERCEPTRON, shrinking.ELLIPSOID, shrinking.CENTRE, shrinking.GRID)
    names = [name for name in order if name in present]
    figure, ax = axes("1 / margin", "mistakes")
    lines(ax, {name: runs.table(part, place, name) for name in names}, names)
    ax.set(xscale="log", yscale="log")
    ticks(ax, "x")
    legend(ax)
    return Drawing(
        f"{part}-{place.rpartition(' ')[2]}",
        f"Mistakes as the margin shrinks, {place}, {shown}",
        "Both axes are logarithmic. The Perceptron's mistakes grow like a power of 1 / margin, and those of the "
        "learners that halve the set of consistent hypotheses grow like a logarithm. Halving on the grid is run only "
        "while the grid is small." + BROKEN,
        figure,
    )


def _turns(runs: Runs) -> Drawing:
    figure, ax = axes("dimensions d", "1 / margin")
    places = runs.places(shrinking.PART)
    d = [float(place.rpartition(" ")[2]) for place in places]
    for k, name in enumerate((shrinking.ELLIPSOID, shrinking.CENTRE)):
        first = [runs.table(shrinking.PART, place, name) for place in places]
        second = [runs.table(shrinking.PART, place, shrinking.PERCEPTRON) for place in places]
        pairs = list(zip(first, second, strict=True))
        ahead = [bracket(*pair)[1] for pair in pairs]
        bounds = [crossing_point(one.x, one.bounds, other.bounds) for one, other in pairs]
        shifted = [one + 0.06 * k for one in d]
        ax.plot(shifted, ahead, color=colour(k), marker=marker(k), linestyle="none", label=f"measured, {name}")
        ax.plot(d, bounds, color=colour(k), linestyle=(0, (4, 3)), linewidth=1.1, label=f"bounds, {name}")
    ax.set(yscale="log")
    ax.set_ylim(bottom=1.0)
    ticks(ax, "y")
    ax.set_xticks(d)
    legend(ax)
    return Drawing(
        "turns",
        "The margin below which the Perceptron makes more mistakes",
        "Dots show the smallest 1 / margin tried from which on the Perceptron makes significantly more mistakes. "
        "Dashed lines show where its bound becomes the larger one. A dot is missing if the order is undecided.",
        figure,
    )
