"""The figures: mistakes against what grows, with the bounds as broken lines; and where orders turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from driftline.reproduce.experiment import Drawing
from driftline.reproduce.intervals import factor
from driftline.reproduce.pictures import axes, colour, legend, marker
from driftline.reproduce.winnow import alternating, growing, moving, shrinking
from driftline.reproduce.winnow.chosen import everywhere, from_sparse_end
from driftline.reproduce.winnow.laws import bracket, overtaken
from driftline.reproduce.winnow.runs import Runs, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICKS = (1, 3, 10, 30, 100, 300)
BROKEN = " Dots are means over seeds, with 95 % intervals where these are wider than the dots; broken lines are bounds."


def drawings(runs: Runs) -> Iterator[Drawing]:
    """All of them, in the order of the parts."""
    for place in runs.places(growing.PART):
        yield _growing(runs, place)
        yield _logarithm(runs, place)
    yield _moving(runs, "mistakes", "mistakes, ties counted")
    yield _moving(runs, "wrong", "wrong labels")
    for place in runs.places(shrinking.PART):
        yield _shrinking(runs, shrinking.PART, place, "random order")
    for place in runs.places(alternating.PART):
        yield _shrinking(runs, alternating.PART, place, "an order against the Perceptron")
    yield _turns(runs)


def lines(ax: Axes, tables: Mapping[str, Table], bounded: Sequence[str]) -> None:
    """The mean of each table with its interval, and the bounds of those named."""
    for k, (name, table) in enumerate(tables.items()):
        mean = table.counts.mean(axis=0)
        ax.plot(table.x, mean, color=colour(k), marker=marker(k), label=name)
        if len(table.counts) > 1:
            reach = factor(len(table.counts)) * table.counts.std(axis=0, ddof=1) / np.sqrt(len(table.counts))
            ax.errorbar(table.x, mean, yerr=reach, color=colour(k), linestyle="none", capsize=2.5)
        if name in bounded:
            ax.plot(table.x, table.bounds, color=colour(k), linestyle=(0, (4, 3)), linewidth=1.1)


def ticks(ax: Axes, axis: Literal["x", "y"]) -> None:
    """Plain numbers on a logarithmic axis of few decades, and none that stand too close."""
    low, high = ax.get_xlim() if axis == "x" else ax.get_ylim()
    shown = [tick for tick in TICKS if low <= tick <= high]
    (ax.set_xticks if axis == "x" else ax.set_yticks)(shown, [f"{tick:g}" for tick in shown])
    ax.tick_params(axis=axis, which="minor", labelbottom=False, labelleft=False)


def _growing(runs: Runs, place: str) -> Drawing:
    names = (growing.WINNOW, growing.BALANCED, growing.PERCEPTRON)
    tables = {name: runs.table(growing.PART, place, name) for name in names}
    figure, ax = axes("attributes n, of which few matter", "mistakes")
    lines(ax, tables, names)
    ax.set(xscale="log", yscale="log")
    legend(ax, 3)
    last = {name: float(table.counts[:, -1].mean()) for name, table in tables.items()}
    told = ", ".join(f"{name} {mean:,.0f}" for name, mean in last.items())
    return Drawing(
        f"growing-{place.replace(' ', '-')}",
        f"Positive if {place} relevant attributes are 1: mistakes as irrelevant ones are added",
        f"Both axes are logarithmic. At n = {tables[names[0]].x[-1]:,.0f} the mean mistakes are: {told}."
        f"{_cut(tables)}" + BROKEN,
        figure,
    )


def _cut(tables: Mapping[str, Table]) -> str:
    """A sentence on counts that would have grown with further rounds; nothing where there is none."""
    cut = [
        f"{name} at n = {', '.join(f'{x:,.0f}' for x in table.x[~table.settled])}"
        for name, table in tables.items()
        if not table.settled.all()
    ]
    return f" Cut short when the rounds ended, in some runs or all: {'; '.join(cut)}." if cut else ""


def _logarithm(runs: Runs, place: str) -> Drawing:
    names = (growing.WINNOW, growing.BALANCED, growing.PERCEPTRON)
    tables = {name: runs.table(growing.PART, place, name).silent for name in names}
    figure, ax = axes("attributes n, logarithmic", "mistakes / those at the last n shown")
    shares = {name: replace(t, counts=t.counts / t.counts[:, -1].mean()) for name, t in tables.items() if len(t.x)}
    lines(ax, shares, ())
    ax.set(xscale="log")
    ax.set_ylim(bottom=0.0)
    legend(ax, 3)
    return Drawing(
        f"logarithm-{place.replace(' ', '-')}",
        f"The shape of growth, {place}: a straight line here is a logarithm",
        "Mistakes as a share of those at the last n of the line, against the logarithm of n; shown where all runs of a "
        "learner fell silent. A logarithm is straight, a power of n bends upwards. Bars are 95 % intervals of the "
        "means.",
        figure,
    )


def _moving(runs: Runs, count: str, shown: str) -> Drawing:
    same, best = from_sparse_end(runs, count), everywhere(runs, count)
    perceptron, theorem = (
        runs.table(moving.PART, moving.WHERE, name, count) for name in (moving.PERCEPTRON, moving.THEOREM)
    )
    figure, ax = axes("relevant attributes; examples thin out in step", shown)
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
        f"Winnow is the balanced one; rate {same.rates[0]:g} is the best for the leftmost target, the best rates from "
        f"left to right are {rates}, all chosen by the same count on other seeds. The Perceptron's bound is "
        f"{perceptron.bounds[0]:,.0f} all along, Winnow's at its theorem's rate grows from {theorem.bounds[0]:,.0f} to "
        f"{theorem.bounds[-1]:,.0f}: neither is drawn. Few runs have fallen silent after these {moving.ROUNDS} rounds "
        "for each attribute. Bars are 95 % intervals of the means.",
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
        "Both axes are logarithmic; the Perceptron climbs like a power, those that halve what is consistent like a "
        "logarithm. The grid is run while it has few points." + BROKEN,
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
        bounds = [overtaken(one.x, one.bounds, other.bounds) for one, other in pairs]
        beside = [one + 0.06 * k for one in d]
        ax.plot(beside, ahead, color=colour(k), marker=marker(k), linestyle="none", label=f"measured, {name}")
        ax.plot(d, bounds, color=colour(k), linestyle=(0, (4, 3)), linewidth=1.1, label=f"bounds, {name}")
    ax.set(yscale="log")
    ax.set_ylim(bottom=1.0)
    ticks(ax, "y")
    ax.set_xticks(d)
    legend(ax)
    return Drawing(
        "turns",
        "From which margin on the Perceptron makes more mistakes",
        "Dots are the smallest 1 / margin, of those that were run, from which on the Perceptron is decidedly behind; "
        "broken lines are where its bound becomes the larger one. A dot is missing where nothing is decided.",
        figure,
    )
