"""The figure: error rates over the budget, one panel per stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Drawing
from driftline.reproduce.forgetron.methods import BUDGETS, FORGETRON, METHODS, PERCEPTRON
from driftline.reproduce.forgetron.results import Place
from driftline.reproduce.intervals import student_factor
from driftline.reproduce.plotting import WIDTH, colour, legend, marker


def drawings(found: Mapping[str, Mapping[Place, Floats]]) -> Iterator[Drawing]:
    """Yield the figure."""
    from matplotlib.figure import Figure

    title = "Error rate on the second half, by budget"
    figure = Figure(figsize=(WIDTH, 1.1 + 2.2 * len(found)), layout="constrained")
    panels: Any = figure.subplots(len(found), sharex=True, squeeze=False)[:, 0]
    ticks = [str(budget) if budget is not None else "none" for budget in BUDGETS]
    said = []
    for ax, (stream, errors) in zip(panels, found.items(), strict=True):
        means = {}
        for k, (method, policy) in enumerate(METHODS):
            table = 100.0 * np.stack([errors[method, policy, budget] for budget in BUDGETS], axis=1)
            mean = means[_label(method, policy)] = table.mean(axis=0)
            at = np.arange(len(BUDGETS)) + 0.05 * (k - 2.5)
            ax.plot(at, mean, color=colour(k), marker=marker(k), markersize=4.0, label=_label(method, policy))
            if len(table) > 1:
                reach = student_factor(len(table)) * table.std(axis=0, ddof=1) / np.sqrt(len(table))
                ax.errorbar(at, mean, reach, color=colour(k), linestyle="none", elinewidth=1.0, capsize=2)
        ax.set(title=stream, ylabel="error rate (%)")
        ax.set_ylim(bottom=0.0)
        ax.set_xticks(range(len(ticks)), ticks)
        said.append(f"{stream}: {'; '.join(f'{name} {_numbers(mean)} %' for name, mean in means.items())}.")
    panels[-1].set_xlabel("budget of support vectors")
    legend(panels[-1], columns=2)
    caption = (
        "Mean over trials with 95 % intervals. Every method but the Forgetron drops its oldest support vector. Without "
        f"a budget the Forgetron is the Perceptron. Error rates with budgets {', '.join(ticks)}. {' '.join(said)}"
    )
    yield Drawing("budgets", title, caption, figure)


def _label(method: str, policy: str) -> str:
    if method in (FORGETRON, PERCEPTRON):
        return method
    return f"{method}, {'mistakes' if policy == 'mistake' else 'margins'}"


def _numbers(mean: Floats) -> str:
    return ", ".join(f"{rate:.2f}" for rate in mean)
