"""Format the report of the error benchmark as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from columns import align

NONE = "-"
COLUMNS = 8  # the most streams in one table


def render(report: dict[str, Any]) -> str:
    """Return the report: machine, versions, streams, errors, times, verdicts, and skipped
    learners.
    """
    machine, streams = report["machine"], report["streams"]
    lines = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}",
        ", ".join(f"{name} {number}" for name, number in report["versions"].items()),
        *(_stream(stream) for stream in streams),
        "",
        *_tables("prequential error", streams, _error),
        *_tables("log loss", streams, lambda told: _measure(told, "log_loss")),
        *_tables("area under the ROC curve", streams, lambda told: _measure(told, "auc")),
        *_tables("calibration error", streams, lambda told: _measure(told, "calibration")),
        *_tables("microseconds per example", streams, lambda told: _time(told, "microseconds", 1)),
        *_tables("the same, all rows in one call", streams, lambda told: _time(told, "microseconds_in_one_call", 2)),
        "All learners have their default parameters. On dense streams, the linear learners and nearest neighbours of "
        "the peers get a running standard scaler.",
        "Log loss: probabilities are clipped to [1e-6, 1 - 1e-6]. Calibration error: 15 bins of equally many examples. "
        "Learners without probabilities have neither.",
        "driftline's AROW is diagonal from 1,000 features on. With several classes, linear rules are one-vs-rest. "
        "Times are processor times; those of the peers may be cached.",
    ]
    if report["shuffled"]:
        lines.append(f"The rows of each stream are shuffled within blocks of {report['shuffled']}.")
    if _any_cut(streams):
        lines.append(f"* stopped after {report['limit']:g} s; the error is over the examples seen until then:")
        lines += [f"    {line}" for line in _cuts(streams)]
    rows = [["target of the Tracker", "", "", ""], *(_verdict(told) for told in report["verdicts"])]
    lines += ["", *align(rows, words=4)]
    lines += [f"left out: {name}: {why}" for name, why in report["absent"].items()]
    return "\n".join(lines)


def _stream(stream: dict[str, Any]) -> str:
    runs = f" in {stream['draws']} draws" if stream["draws"] > 1 else ""
    kind = "sparse" if stream["sparse"] else "dense"
    return f"{stream['name']}: {stream['rows']:,}{runs} x {stream['features']:,}, {kind}, {stream['classes']} classes"


def _tables(head: str, streams: list[dict[str, Any]], cell: Callable[[dict[str, Any]], str | None]) -> list[str]:
    """Return tables of some streams each, with an empty line after each of them."""
    lines: list[str] = []
    for start in range(0, len(streams), COLUMNS):
        found = _matrix(head, streams[start : start + COLUMNS], cell)
        if len(found) > 1:
            lines += [*found, ""]
    return lines


def _matrix(head: str, streams: list[dict[str, Any]], cell: Callable[[dict[str, Any]], str | None]) -> list[str]:
    """Return a table with a line per learner and a column per stream. Empty lines are left out."""
    names = dict.fromkeys(told["learner"] for stream in streams for told in stream["results"])
    rows = [[head, *(stream["name"] for stream in streams)]]
    for name in names:
        cells = []
        for stream in streams:
            found = [told for told in stream["results"] if told["learner"] == name]
            cells.append((cell(found[0]) if found else None) or NONE)
        if set(cells) != {NONE}:
            rows.append(["  " + name, *cells])
    return align(rows, words=1)


def _error(told: dict[str, Any]) -> str:
    return f"{told['error']:.4f}{'*' if told['cut'] else ' '}"


def _measure(told: dict[str, Any], name: str) -> str | None:
    return None if told[name] is None else f"{told[name]:.4f}{'*' if told['cut'] else ' '}"


def _time(told: dict[str, Any], name: str, digits: int) -> str | None:
    return None if told[name] is None else f"{told[name]:.{digits}f}"


def _any_cut(streams: list[dict[str, Any]]) -> bool:
    return any(told["cut"] for stream in streams for told in stream["results"])


def _cuts(streams: list[dict[str, Any]]) -> list[str]:
    return [
        f"{told['learner']} on {stream['name']}: {told['rows']:,} of {stream['rows']:,}"
        for stream in streams
        for told in stream["results"]
        if told["cut"]
    ]


def _verdict(told: dict[str, Any]) -> list[str]:
    word = {True: "met", False: "close" if told["close"] else "missed", None: ""}[told["met"]]
    return ["  " + told["stream"], told["aim"], told["got"], word]
