"""Write the figures of docs/benchmarks.md: ``python benchmarks/page.py [FOLDER]``.

The benchmarks write JSON files to a folder, by default ``benchmarks/.cache``. Every figure of the
page comes from these files. A benchmark that has not run has no section.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "benchmarks" / ".cache"
PAGE = "docs/benchmarks.md"
FIRST = "<!-- make benchmarks-page writes from here -->"
LAST = "<!-- to here -->"
TOGETHER = 5
"""The most streams in one table."""
NONE = "-"


def figures(folder: Path) -> str:
    """The sections of all benchmarks whose files are in a folder."""
    found = [
        render(json.loads((folder / name).read_text())) for name, render in PARTS.items() if (folder / name).exists()
    ]
    if not found:
        raise SystemExit(
            f"benchmarks/page.py: {folder} must have one of {', '.join(PARTS)}, got none. Run make bench-error first"
        )
    return "\n\n".join(found)


# sections -------------------------------------------------------------------------------------
def errors(report: dict[str, Any]) -> str:
    """Prequential errors and times of classifiers."""
    streams = report["streams"]
    lines = ["## Errors and times", "", f"`make bench-error`. {measured_on(report)}", ""]
    lines += [
        f"* {stream['name']}: {stream['rows']:,} rows, {stream['features']:,} features, {stream['classes']} classes"
        + (f", in {stream['draws']} draws" if stream["draws"] > 1 else "")
        for stream in streams
    ]
    for title, cell in (
        ("Prequential error in %", _error),
        ("Log loss", lambda one: _number(one["log_loss"], ".4f")),
        ("Microseconds per example, one example at a time", lambda one: _number(one["microseconds"], ".3g")),
    ):
        lines += ["", f"### {title}"]
        for some in _chunks(streams):
            names = dict.fromkeys(one["learner"] for stream in some for one in stream["results"])
            found = [{one["learner"]: cell(one) for one in stream["results"]} for stream in some]
            rows = [[name, *(results.get(name, NONE) for results in found)] for name in names]
            lines += ["", *_table(["", *(stream["name"] for stream in some)], rows)]
    notes = ["", "All learners have their default parameters. Each row is predicted before it is learned."]
    if any(one["cut"] for stream in streams for one in stream["results"]):
        notes.append(
            f"`*`: the run was stopped after {report['limit']:g} s, and the error is that of the rows before it."
        )
    if report["shuffled"]:
        notes.append(f"The rows are shuffled within blocks of {report['shuffled']}.")
    return "\n".join([*lines, *notes, *_left_out(report)])


def regressors(report: dict[str, Any]) -> str:
    """Mean absolute errors of regressors."""
    names = list(report["rows"])
    lines = ["## Regression", "", f"`make bench-error ONLY=regression`. {measured_on(report)}"]
    found = {(one["learner"], one["stream"]): one["mae"] for one in report["errors"]}
    learners = dict.fromkeys(who for who, _ in found)
    for some in _chunks(names):
        heads = [f"{name.removeprefix('regression-')}, {report['rows'][name]:,} rows" for name in some]
        rows = [[who, *(_number(found.get((who, name)), ".4g") for name in some)] for who in learners]
        lines += ["", *_table(["mean absolute error", *heads], rows)]
    lines += ["", "An error of 1 is one standard deviation of the target."]
    return "\n".join([*lines, *_left_out(report)])


def late_labels(report: dict[str, Any]) -> str:
    """Prequential errors with late labels."""
    lines = ["## Late labels", "", f"`make bench-delay`. {measured_on(report)}"]
    found = {(one["learner"], one["stream"], one["delay"]): one["wrong"] for one in report["wrong"]}
    learners = dict.fromkeys(who for who, _, _ in found)
    delays = sorted({delay for _, _, delay in found})
    for name, size in report["rows"].items():
        shares = [
            [who, *(_percent(found.get((who, name, delay)), size) for delay in delays)]
            for who in learners
            if any((who, name, delay) in found for delay in delays)
        ]
        heads = [f"{name}, {size:,} rows: error in % with the delay", *(f"{delay:,} rows" for delay in delays)]
        lines += ["", *_table(heads, shares)]
    return "\n".join([*lines, *_left_out(report)])


def speed(report: dict[str, Any]) -> str:
    """Times per row, and how they compare."""
    lines = ["## Speed", "", f"`make bench`. {measured_on(report)}"]
    if report["quick"]:
        lines.append("These are figures of `--quick`, with a twentieth of the rows.")
    tasks = [
        [task["heat"], task["name"], f"{task['rows']:,}", f"{task['microseconds_per_row']:.3f}"]
        for task in report["tasks"]
    ]
    lines += ["", *_table(["task", "program", "rows", "microseconds per row"], tasks)]
    compared = [
        [one["heat"], one["ours"], one["rival"], _ratio(one)]
        for one in report["comparisons"]
        if one["ratio_of_medians"] is not None
    ]
    if compared:
        lines += ["", *_table(["task", "driftline", "compared with", "ratio of medians"], compared)]
    return "\n".join([*lines, *_left_out(report)])


PARTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "error.json": errors,
    "regression.json": regressors,
    "delay.json": late_labels,
    "bench.json": speed,
}
"""The file of each benchmark, and what renders it."""


# parts of sections ----------------------------------------------------------------------------
def measured_on(report: dict[str, Any]) -> str:
    """The machine and the versions."""
    machine = report["machine"]
    versions = report.get("versions") or {"driftline": report["driftline"]}
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    return (
        f"Measured on {machine['cpu']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}; {listed}."
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [_line(head), "|---" * len(head) + "|", *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _error(one: dict[str, Any]) -> str:
    return f"{100 * one['error']:.2f}{'*' if one['cut'] else ''}"


def _number(value: float | None, form: str) -> str:
    return NONE if value is None else format(value, form)


def _percent(wrong: int | None, rows: int) -> str:
    return NONE if wrong is None else f"{100 * wrong / rows:.2f}"


def _ratio(one: dict[str, Any]) -> str:
    says = "{:.2f} x its time" if one["at_most"] is not None else "{:.2f} x faster"
    return says.format(one["ratio_of_medians"])


def _chunks(streams: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (streams[start : start + TOGETHER] for start in range(0, len(streams), TOGETHER))


def _left_out(report: dict[str, Any]) -> list[str]:
    lines = [f"* left out: {name}: {why}" for name, why in report["absent"].items()]
    return ["", *lines] if lines else []


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    from generate.source import with_block

    given = Path(sys.argv[1]) if len(sys.argv) > 1 else CACHE
    (ROOT / PAGE).write_text(with_block(PAGE, "\n" + figures(given) + "\n", FIRST, LAST))
