"""Format the report of the speed benchmark as text."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import advice
import alarms
import dicts
import first_runs
import keyed
import metrics_cost
import scaling
import startup
import tables
import unsorted_rows
from columns import align
from race import SLOW_REPEATS
from serve import replay, speed


def render(report: dict[str, Any]) -> str:
    """Return the report: machine, versions, one table per heat, comparisons, and skipped
    contestants.
    """
    machine, sizes = report["machine"], report["sizes"]
    lines = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}",
        ", ".join(f"{name} {number}" for name, number in report["versions"].items()),
        f"sparse: {sizes['sparse_rows']:,} rows of unit length, {sizes['features']:,} features, "
        f"{report['nonzeros_per_row']:.1f} non-zeros per row; dense: "
        f"{sizes['dense_rows']:,} x {sizes['dense_columns']}; "
        f"{report['repeats']} interleaved repeats (tasks under 0.15 s: the median of 5 rounds each; "
        f"text: at most {SLOW_REPEATS} repeats), one thread unless stated otherwise",
    ]
    if report["quick"]:
        lines.append("quick: a twentieth of the rows; the targets apply to the full size")
    for heat, tasks in groupby(report["tasks"], key=lambda task: str(task["heat"])):
        head = [heat, "rows", "median", "min - max", "per row", "x C loop", "|w|^2"]
        lines += ["", *align([head, *(_task(task) for task in tasks)], words=1)]
    head = ["comparison", "", "", "ratio of medians", "median of ratios", "target", ""]
    lines += ["", *align([head, *(_comparison(told) for told in report["comparisons"])], words=3)]
    lines += ["", "x C loop: time per row divided by that of the faster C loop over the same rows in one call."]
    lines += ["text, cache: from opening the file to the saved model. Vowpal Wabbit parses in a second thread."]
    if report["experts"] is not None:
        lines += ["", *advice.lines(report["experts"])]
    if report["start_up"] is not None:
        lines += ["", *startup.lines(report["start_up"])]
    if report["first_runs"] is not None:
        lines += ["", *first_runs.lines(report["first_runs"])]
    if report["tables"] is not None:
        lines += ["", *tables.lines(report["tables"])]
    if report["alarms"] is not None:
        lines += ["", *alarms.lines(report["alarms"])]
    if report["metrics"] is not None:
        lines += ["", *metrics_cost.lines(report["metrics"])]
    if report["unsorted"] is not None:
        lines += ["", *unsorted_rows.lines(report["unsorted"])]
    if report["dicts"] is not None:
        lines += ["", *dicts.lines(report["dicts"])]
    if report["serve"] is not None:
        lines += ["", *speed.lines(report["serve"])]
    if report["serve_replay"] is not None:
        lines += ["", *replay.lines(report["serve_replay"])]
    if report.get("scale") is not None:
        lines += ["", *scaling.lines(report["scale"])]
    if report.get("keyed") is not None:
        lines += ["", *keyed.lines(report["keyed"])]
    lines += [f"left out: {name}: {why}" for name, why in report["absent"].items()]
    return "\n".join(lines)


def _task(task: dict[str, Any]) -> list[str]:
    times, w_sq = task["times_c_loop"], task["w_sq"]
    return [
        "  " + task["name"],
        f"{task['rows']:,}",
        _seconds(task["median"]),
        f"{_seconds(task['min'])} - {_seconds(task['max'])}",
        f"{task['microseconds_per_row']:.3f} us",
        "" if times is None else f"{times:.2f}",
        "" if w_sq is None else f"{w_sq:.8g}",
    ]


def _comparison(told: dict[str, Any]) -> list[str]:
    ratio, paired = told["ratio_of_medians"], told["median_of_ratios"]
    limited = told["at_most"] is not None
    says = "{:.2f}x the time" if limited else "{:.2f}x faster"
    bound = told["at_most"] if limited else told["at_least"]
    return [
        "  " + told["heat"],
        told["ours"],
        told["rival"],
        "-" if ratio is None else says.format(ratio),
        "-" if paired is None else says.format(paired),
        "" if bound is None else f"{'<=' if limited else '>='} {bound:g}x",
        told["verdict"],
    ]


def _seconds(value: float) -> str:
    return f"{1e3 * value:.1f} ms" if value < 1.0 else f"{value:.2f} s"
