"""Figures that compare the readings: the leads over PA, and the errors by number of passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Drawing
from driftline.reproduce.intervals import interval, student_factor
from driftline.reproduce.plotting import WIDTH, axes, colour, legend, marker
from driftline.reproduce.shen2009.grids import HALVES, MIXED, PA, POLICIES, REGULARISED
from driftline.reproduce.shen2009.results import Results
from driftline.reproduce.shen2009.verdict_text import UPDATES

PA_ON_MARGINS = "PA, margins"
SHORT = {POLICIES[0]: "mistakes", POLICIES[1]: "margins", MIXED: "mixed"}
"""The update policies as labels of rows."""


def leads(found: Sequence[Results]) -> Drawing:
    """The lead of each regularised rule over PA in each reading, one panel per data set."""
    from matplotlib.figure import Figure

    title = "Lead over PA on the second half, by reading"
    tables = {one.name: _leads(one) for one in found}
    rows = max(len(table) for table in tables.values())
    figure = Figure(figsize=(WIDTH, 1.3 + len(found) * (0.5 + 0.3 * rows)), layout="constrained")
    panels: Any = figure.subplots(len(found), sharex=True, squeeze=False)[:, 0]
    for ax, (name, table) in zip(panels, tables.items(), strict=True):
        for k, method in enumerate((*REGULARISED, PA_ON_MARGINS)):
            places = [row + 0.18 * (k - 1.5) for row, some in enumerate(table.values()) if method in some]
            some = [table[name][method] for name in table if method in table[name]]
            ax.plot(
                [100.0 * float(lead.mean()) for lead in some],
                places,
                color=colour(k),
                marker=marker(k),
                markersize=4.5,
                linestyle="none",
                label=method,
            )
            if len(some[0]) > 1:
                low, high = 100.0 * np.array([interval(lead.tolist()) for lead in some]).T
                ax.hlines(places, low, high, color=colour(k), linewidth=1.4)
        ax.axvline(0.0, color="#59616e", linewidth=0.8)
        ax.set_yticks(range(len(table)), list(table))
        ax.set_ylim(len(table) - 0.5, -0.5)
        ax.set_title(name)
    panels[-1].set_xlabel("lead over PA (percentage points)")
    legend(panels[-1], columns=4)
    said = " ".join(f"{name}: {_said(table)}." for name, table in tables.items())
    caption = (
        "Error rate of PA minus that of each rule over the second half, mean over trials with 95 % intervals, "
        "parameters tuned on the first half. To the right of zero the rule errs less than PA. Rows give the passes "
        "over the first half and the update policy. If it is mixed, PA updates on mistakes and the rules on small "
        f"margins; the last marker then shows how much PA itself gains by updates on small margins. {said}"
    )
    return Drawing("readings", title, caption, figure)


def _leads(one: Results) -> dict[str, dict[str, Floats]]:
    """Return the leads by reading and method, one number per trial."""
    tuned, found = HALVES[0], {}
    for some in one.by_passes():
        for policy in (*some.policies, *([MIXED] if tuned in some.mixed else [])):
            pa = some.curves(policy, tuned, PA)[:, -1]
            lead = {method: pa - some.curves(policy, tuned, method)[:, -1] for method in REGULARISED}
            if policy == MIXED:
                lead[PA_ON_MARGINS] = pa - some.curves(POLICIES[1], tuned, PA)[:, -1]
            passes = "1 pass" if some.passes == 1 else f"{some.passes} passes"
            found[f"{passes}, {SHORT[policy]}"] = lead
    return found


def _said(table: dict[str, dict[str, Floats]]) -> str:
    """Return the mean leads as text."""
    return "; ".join(
        f"{name}: " + ", ".join(f"{method} {100.0 * float(lead.mean()):+.2f}" for method, lead in some.items())
        for name, some in table.items()
    )


def by_passes(one: Results, policy: str) -> Drawing:
    """The error rate on the second half over the number of passes over the first half."""
    title = f"{one.name}: passes over the first half, {UPDATES[policy]}"
    figure, ax = axes("passes over the first half", "error rate on the second half (%)", title)
    some = one.by_passes()
    passes = [part.passes for part in some]
    ranked = []
    for k, method in enumerate((PA, *REGULARISED)):
        errors = 100.0 * np.stack([part.curves(policy, HALVES[0], method)[:, -1] for part in some], axis=1)
        mean = errors.mean(axis=0)
        ax.plot(passes, mean, color=colour(k), marker=marker(k), label=method)
        if len(errors) > 1:
            reach = student_factor(len(errors)) * errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
            ax.errorbar(passes, mean, reach, color=colour(k), linestyle="none", elinewidth=1.0, capsize=2)
        ranked.append(f"{method} {', '.join(f'{rate:.2f}' for rate in mean)} %")
    ax.set_xscale("log")
    ax.set_xticks(passes, list(map(str, passes)))
    ax.minorticks_off()
    ax.set_ylim(bottom=0.0)
    legend(ax, columns=4)
    caption = (
        f"Mean of {one.trials} trials with 95 % intervals, parameters tuned on the first half. Error rates after "
        f"{', '.join(map(str, passes))} passes: {'; '.join(ranked)}."
    )
    return Drawing(f"passes-{one.key}-{policy}", title, caption, figure)
