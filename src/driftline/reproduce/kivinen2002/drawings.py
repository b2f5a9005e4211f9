"""Figures: learning curves, final mistakes, mistakes at every kernel width, and tuning grids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from driftline.reproduce import plotting
from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.intervals import interval, mean_and_error
from driftline.reproduce.kivinen2002.grids import ALMA, KERNELS, NORMA, REACH, TITLES
from driftline.reproduce.kivinen2002.streams import KINDS, SWITCHING
from driftline.reproduce.kivinen2002.tuning import chosen_answers, describe, policies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEEP = "#4b45bb"


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """Yield the figures of the drifting streams, then those of the switching streams."""
    policy = policies(answers)[0]
    for kind in KINDS:
        found = chosen_answers(answers, kind, policy)
        yield _curves(kind, policy, found)
        yield _finals(kind, policy, found)
        if len(policies(answers)) > 1:
            yield _widths(kind, answers)
        for learner in (NORMA, ALMA):
            yield _grid(kind, learner, found[learner])


def _curves(kind: str, policy: str, found: Mapping[str, Answer]) -> Drawing:
    figure, ax = plotting.axes("trial", "mistakes so far", height=4.0)
    for k, (name, one) in enumerate(found.items()):
        plotting.band(ax, one["trials"], one["curves"], TITLES[name], k)
    plotting.legend(ax)
    seeds = len(found[NORMA]["seeds"])
    steps = " The steps follow switches, which make the learned weights useless." if kind == SWITCHING else ""
    return Drawing(
        f"curves-{kind}",
        f"Mistakes on {kind} mixtures",
        f"Cumulative mistakes, mean of {seeds} streams with 95 % band; {policy}. "
        f"Final counts, from most to least: {_ranked(found)}.{steps}",
        figure,
    )


def _finals(kind: str, policy: str, found: Mapping[str, Answer]) -> Drawing:
    figure, ax = plotting.axes(f"mistakes in {found[NORMA]['trials'][-1]:,} trials", "", height=3.0)
    plotting.dots(ax, {TITLES[name]: one["mistakes"] for name, one in found.items()})
    ax.set_xlim(left=0.0)
    said = [
        f"{TITLES[name]} {mean_and_error(one['mistakes'])[0]:.1f} ({_range(one)}; {describe(one)})"
        for name, one in found.items()
    ]
    return Drawing(
        f"final-{kind}",
        f"Final mistakes on {kind} mixtures",
        f"Mean mistakes with 95 % intervals; {policy}: {', '.join(said)}.",
        figure,
    )


def _widths(kind: str, answers: Mapping[str, Answer]) -> Drawing:
    figure, ax = plotting.axes("width of the Gaussian kernel (standard deviation)", "mistakes", height=4.0)
    for k, name in enumerate(name for name in TITLES if name in KERNELS):
        at = [one for one in answers.values() if (one["stream"], one["learner"]) == (kind, name)]
        at.sort(key=lambda one: one["width"])
        widths = [one["width"] for one in at]
        plotting.band(ax, widths, np.transpose([one["mistakes"] for one in at]).tolist(), TITLES[name], k)
    ax.set_xscale("log")
    ax.set_xticks(widths, [f"{width:g}" for width in widths])
    ax.set_xticks([], minor=True)
    ax.set_ylim(bottom=0.0)
    plotting.legend(ax)
    best = {name: min(_means(answers, kind, name).items(), key=lambda one: one[1])[0] for name in KERNELS}
    said = ", ".join(f"{TITLES[name]} at {best[name]:g}" for name in TITLES if name in best)
    return Drawing(
        f"widths-{kind}",
        f"Every kernel width, on {kind} mixtures",
        "Mistakes of each learner, with its other parameters tuned separately at each width, mean with 95 % band. "
        f"Fewest mistakes: {said}.",
        figure,
    )


def _grid(kind: str, learner: str, answer: Answer) -> Drawing:
    name, title = ("lam", "forgetting lam") if learner == NORMA else ("B", "radius B")
    figure, ax = plotting.axes("margin rho", title, height=4.0)
    cells = {(one["parameters"][name], one["parameters"]["rho"]): one["mistakes"] for one in answer["tried"]}
    rows, columns = (sorted({key[k] for key in cells}) for k in range(2))
    counts = np.array([[cells.get((row, column), np.nan) for column in columns] for row in rows])
    _heat(ax, counts, rows.index(answer["parameters"][name]), columns.index(answer["parameters"]["rho"]))
    ax.set_xticks(range(len(columns)), [f"{value:g}" for value in columns])
    ax.set_yticks(range(len(rows)), [f"{value:g}" for value in rows])
    return Drawing(
        f"grid-{kind}-{learner}",
        f"Tuning grid of {TITLES[learner]} on {kind} mixtures",
        f"Mean mistakes on the {len(answer['tuning seeds'])} tuning streams at kernel width "
        f"{answer['width']:g}; lighter cells have fewer mistakes. The framed cell has the fewest, "
        f"{answer['tuning']:.1f}, at {describe(answer)}. "
        f"Cells without a number were not tried: their margin exceeds {REACH:g} of the largest possible score.",
        figure,
    )


def _heat(ax: Axes, counts: np.ndarray, row: int, column: int) -> None:
    """Draw the counts as a heat map with a logarithmic colour scale, and frame one cell."""
    from matplotlib.colors import LinearSegmentedColormap, LogNorm
    from matplotlib.patches import Rectangle

    low, high = float(np.nanmin(counts)), float(np.nanmax(counts))
    norm = LogNorm(max(low, 0.5), max(high, low, 0.5) * 1.001)
    ground = LinearSegmentedColormap.from_list("ground", ["#ffffff", DEEP])
    ax.imshow(counts, cmap=ground, norm=norm, aspect="auto", origin="lower")
    for (i, j), count in np.ndenumerate(counts):
        if not np.isnan(count):
            ink = "white" if norm(count) > 0.55 else "black"
            ax.text(j, i, f"{count:.0f}", ha="center", va="center", color=ink, fontsize=9.0)
    ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1.0, 1.0, fill=False, edgecolor="black", linewidth=2.0))
    ax.grid(visible=False)


def _ranked(found: Mapping[str, Answer]) -> str:
    order = sorted(found.items(), key=lambda one: -mean_and_error(one[1]["mistakes"])[0])
    return ", ".join(f"{TITLES[name]} {mean_and_error(one['mistakes'])[0]:.0f}" for name, one in order)


def _range(answer: Answer) -> str:
    low, high = interval(answer["mistakes"])
    return f"{low:.1f} to {high:.1f}"


def _means(answers: Mapping[str, Answer], kind: str, name: str) -> dict[float, float]:
    """Return the mean mistakes of a learner at each width."""
    return {
        one["width"]: mean_and_error(one["mistakes"])[0]
        for one in answers.values()
        if (one["stream"], one["learner"]) == (kind, name)
    }
