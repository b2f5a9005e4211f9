"""Figures 1, 2 and 3 of the paper, with one file per panel, after those of the readings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.reproduce.experiment import Drawing
from driftline.reproduce.intervals import student_factor
from driftline.reproduce.plotting import WIDTH, axes, band, colour, legend, marker
from driftline.reproduce.shen2009.drawings_readings import by_passes, leads
from driftline.reproduce.shen2009.feature_removal import IGNORED, REMOVED
from driftline.reproduce.shen2009.grids import HALVES, L1, L2, METHODS, PA, SHRUNK
from driftline.reproduce.shen2009.results import Results
from driftline.reproduce.shen2009.solve import GAIN, GAME
from driftline.reproduce.shen2009.verdict_text import UPDATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = ((L2, REMOVED), (L1, REMOVED), (L2, IGNORED), (L1, IGNORED), (GAIN, ""), (GAME, ""))
FEATURES = "features, mean over rounds"
SKIPPED = 2
"""Number of points left out at the start of a curve, where the error rate is noisy."""


def drawings(found: Sequence[Results]) -> Iterator[Drawing]:
    """Yield the readings side by side, then the figures of the paper for each data set."""
    yield leads(found)
    for one in found:
        for policy in one.policies if one.repeated else []:
            yield by_passes(one, policy)
        for policy, tuned in one.settings:
            yield _online(one, policy, tuned)
        for policy in one.policies:
            yield _features(one, policy)
        yield _features_again(one)
        for policy in one.policies if one.models else []:
            yield _images(one, policy)


def _online(one: Results, policy: str, tuned: str) -> Drawing:
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
        f"Mean of {one.trials} trials with 95 % bands. Final error rates, lowest first: {ranked}. NORMA always "
        "updates below its own margin, independent of the update policy."
        + (" The parameters were tuned on the half that is shown." if tuned == HALVES[1] else "")
    )
    return Drawing(f"online-{one.key}-{policy}-{tuned}", title, caption, figure)


def _features(one: Results, policy: str) -> Drawing:
    """Figure 2: error rate on the second half over the number of features."""
    title = f"{one.name}: few features, {UPDATES[policy]}"
    figure, ax = axes(FEATURES, "error rate on the second half (%)", title, height=4.2)
    _lines(ax, one, policy, HALVES[0])
    legend(ax, columns=2)
    caption = (
        f"Mean of {one.trials} trials with 95 % intervals, parameters tuned on the first half. Error rates with about "
        f"{one.few} features, lowest first: {_ranked(one, policy, HALVES[0])}."
    )
    return Drawing(f"features-{one.key}-{policy}", title, caption, figure)


def _features_again(one: Results) -> Drawing:
    """Figure 2 with parameters tuned on the judged half, one panel per policy."""
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
        f"Error rates with about {one.few} features and {UPDATES[policy]}, lowest first: "
        f"{_ranked(one, policy, HALVES[1])}"
        for policy in one.policies
    )
    caption = (
        f"Mean of {one.trials} trials with 95 % intervals. The parameters of L2PA and L1PA were tuned on the half that "
        f"is shown. Information gain and game have no parameters. {ranked}."
    )
    return Drawing(f"features-{one.key}-second", title, caption, figure)


def _lines(ax: Axes, one: Results, policy: str, tuned: str) -> None:
    """Plot all methods that use few features."""
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


def _ranked(one: Results, policy: str, tuned: str) -> str:
    """Return the error rates with few features as text, lowest first."""
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
    """Plot the mean over trials of each point, with the interval of the error."""
    mean = table.mean(axis=0)
    ax.plot(mean[:, 0], 100.0 * mean[:, 1], color=colour(k), marker=marker(k), markersize=4.0, label=label)
    if len(table) > 1:
        reach = 100.0 * student_factor(len(table)) * table[:, :, 1].std(axis=0, ddof=1) / np.sqrt(len(table))
        ax.errorbar(mean[:, 0], 100.0 * mean[:, 1], reach, color=colour(k), linestyle="none", elinewidth=1.0, capsize=2)


def _images(one: Results, policy: str) -> Drawing:
    """Figure 3: the absolute weights |w| of the first trial as images."""
    from matplotlib.figure import Figure

    title = f"{one.name}: final models, {UPDATES[policy]}"
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
        "The absolute weight of each pixel after the first trial. Light pixels have large weights. Information gain is "
        "computed over the whole stream. Parameters were tuned on the first half. Share of the weight on pixels that "
        f"distinguish 3 from 8, and on pixels that distinguish 7 from 9, mean of {one.trials} trials: {shares}."
    )
    return Drawing(f"models-{one.key}-{policy}", title, caption, figure)
