"""Figures 1, 2 and 3 of the paper, a small file for each of their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.reproduce.experiment import Drawing
from driftline.reproduce.intervals import factor
from driftline.reproduce.pictures import WIDTH, axes, band, colour, legend, marker
from driftline.reproduce.shen2009.found import Found
from driftline.reproduce.shen2009.grids import HALVES, L1, L2, METHODS, PA, SHRUNK
from driftline.reproduce.shen2009.removing import IGNORED, REMOVED
from driftline.reproduce.shen2009.solve import GAIN, GAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UPDATES = {"mistake": "updates on mistakes", "margin": "updates on margins below 1"}
LINES = ((L2, REMOVED), (L1, REMOVED), (L2, IGNORED), (L1, IGNORED), (GAIN, ""), (GAME, ""))
FEATURES = "features, mean over rounds"
SKIPPED = 2
"""Points of a curve that are left out at its start, where a few examples make it jump."""


def drawings(found: Sequence[Found]) -> Iterator[Drawing]:
    """All of them, data set by data set."""
    for one in found:
        for policy, tuned in one.settings:
            yield _online(one, policy, tuned)
        for policy in one.policies:
            yield _features(one, policy)
        yield _features_again(one)
        for policy in one.policies if one.models else []:
            yield _images(one, policy)


def _online(one: Found, policy: str, tuned: str) -> Drawing:
    """Figure 1: cumulative error rate on the second half."""
    title = f"{one.name}: {UPDATES[policy]}, tuned on the {tuned} half"
    figure, ax = axes("examples of the second half", "cumulative error rate (%)", title, height=4.2)
    last = {}
    for k, method in enumerate(METHODS):
        curves = 100.0 * one.curves(policy, tuned, method)[:, SKIPPED:]
        band(ax, one.at[SKIPPED:], curves.tolist(), method, k)
        last[method] = float(curves[:, -1].mean())
    ax.set_ylim(bottom=0.0)
    legend(ax, columns=3)
    ranked = ", ".join(f"{method} {last[method]:.2f} %" for method in sorted(last, key=lambda name: last[name]))
    caption = (
        f"Mean of {one.trials} trials with 95 % bands. In the end the error rates are, lowest first: {ranked}. NORMA "
        "updates below its own margin, whatever the others do."
        + (" The parameters were chosen on the very half that is shown." if tuned == HALVES[1] else "")
    )
    return Drawing(f"online-{one.key}-{policy}-{tuned}", title, caption, figure)


def _features(one: Found, policy: str) -> Drawing:
    """Figure 2: error on the second half against the number of features."""
    title = f"{one.name}: few features, {UPDATES[policy]}"
    figure, ax = axes(FEATURES, "error rate on the second half (%)", title, height=4.2)
    _lines(ax, one, policy, HALVES[0])
    legend(ax, columns=2)
    caption = (
        f"Mean of {one.trials} trials with 95 % intervals, parameters chosen on the first half. With about {one.few} "
        f"features the error rates are, lowest first: {_ranked(one, policy, HALVES[0])}."
    )
    return Drawing(f"features-{one.key}-{policy}", title, caption, figure)


def _features_again(one: Found) -> Drawing:
    """The same with the parameters that the judged half chose, a small picture for each policy."""
    from matplotlib.figure import Figure

    title = f"{one.name}: few features, tuned on the second half"
    figure = Figure(figsize=(WIDTH, 1.3 + 1.8 * len(one.policies)), layout="constrained")
    grid: Any = figure.subplots(len(one.policies), sharex=True, squeeze=False)[:, 0]
    for ax, policy in zip(grid, one.policies, strict=True):
        _lines(ax, one, policy, HALVES[1])
        ax.set(ylabel="error rate (%)", title=UPDATES[policy])
    grid[-1].set_xlabel(FEATURES)
    figure.suptitle(title, fontsize="medium", wrap=True)
    legend(grid[-1], columns=2)
    ranked = ". ".join(
        f"With about {one.few} features and {UPDATES[policy]} the error rates are, lowest first: "
        f"{_ranked(one, policy, HALVES[1])}"
        for policy in one.policies
    )
    caption = (
        f"Mean of {one.trials} trials with 95 % intervals, parameters of L2PA and L1PA chosen on the very half that is "
        f"shown; information gain and game have none. {ranked}."
    )
    return Drawing(f"features-{one.key}-second", title, caption, figure)


def _lines(ax: Axes, one: Found, policy: str, tuned: str) -> None:
    """All ways to use few features."""
    for k, (method, reading) in enumerate(LINES):
        if reading:
            table = np.array(one.points[policy, tuned, method, reading])[:, :, 1:]
        else:
            numbers = sorted(number for p, name, number in one.selected if (p, name) == (policy, method))
            errors = np.array([one.selected[policy, method, number] for number in numbers]).T
            table = np.stack([np.broadcast_to(np.array(numbers, float), errors.shape), errors], axis=2)
        _line(ax, table, _label(method, reading), k)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_ylim(bottom=0.0)


def _ranked(one: Found, policy: str, tuned: str) -> str:
    """The error rates with few features, lowest first."""
    few = {
        _label(method, reading): one.errors_at(policy, tuned, method, reading, one.few)[0]
        if reading
        else np.array(one.selected[policy, method, one.few])
        for method, reading in LINES
    }
    rates = {name: float(np.nanmean(errors)) for name, errors in few.items() if not np.isnan(errors).all()}
    return "; ".join(f"{name}, {100.0 * rates[name]:.1f} %" for name in sorted(rates, key=lambda name: rates[name]))


def _label(method: str, reading: str) -> str:
    return f"{method}, {reading}" if reading else method


def _line(ax: Axes, table: np.ndarray, label: str, k: int) -> None:
    """The mean of points that belong together, with the interval of the error."""
    mean = table.mean(axis=0)
    ax.plot(mean[:, 0], 100.0 * mean[:, 1], color=colour(k), marker=marker(k), markersize=4.0, label=label)
    if len(table) > 1:
        reach = 100.0 * factor(len(table)) * table[:, :, 1].std(axis=0, ddof=1) / np.sqrt(len(table))
        ax.errorbar(mean[:, 0], 100.0 * mean[:, 1], reach, color=colour(k), linestyle="none", elinewidth=1.0, capsize=2)


def _images(one: Found, policy: str) -> Drawing:
    """Figure 3: |w| as images, of the first trial."""
    from matplotlib.figure import Figure

    title = f"{one.name}: the models in the end, {UPDATES[policy]}"
    figure = Figure(figsize=(WIDTH, 3.7), layout="constrained")
    shown: list[tuple[str, tuple[str, str, str]]] = [(GAIN, ("", "", GAIN))]
    shown += [(method, (policy, HALVES[0], method)) for method in (PA, SHRUNK, L2, L1)]
    grid: Any = figure.subplots(2, 3)
    for ax, (name, place) in zip(grid.flat, shown, strict=False):
        image = np.array(one.models[place][0]["image"]).reshape(one.side, one.side)
        ax.imshow(image, cmap="gray", vmin=0.0, vmax=1.0, interpolation="nearest")
        ax.set_title(name)
        ax.set_axis_off()
    grid.flat[-1].set_axis_off()
    shares = "; ".join(
        f"{name} {100.0 * float(np.mean([model['old'] for model in one.models[place]])):.0f} and "
        f"{100.0 * float(np.mean([model['new'] for model in one.models[place]])):.0f} %"
        for name, place in shown
    )
    caption = (
        "The absolute weight of each pixel after the first trial, light is large; information gain is that of the "
        "whole stream. Parameters chosen on the first half. Share of the weight on pixels that tell 3 from 8, and on "
        f"those that tell 7 from 9, mean of {one.trials} trials: {shares}."
    )
    return Drawing(f"models-{one.key}-{policy}", title, caption, figure)
