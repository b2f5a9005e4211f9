"""Compute medians, ranges and ratios from the measured seconds, for the table and the JSON."""

from __future__ import annotations

from collections.abc import Collection
from statistics import median
from typing import Any

from contest import block_heat
from race import Entry, by_heat
from speed_targets import TARGETS, Target


def summarise(entries: list[Entry], heats: Collection[str]) -> dict[str, Any]:
    """Return {"tasks": ..., "comparisons": ...} of all tasks that ran in these heats."""
    ran = [entry for heat in by_heat(entries) for entry in heat if entry.error is None and entry.seconds]
    return {
        "tasks": [_task(entry, ran) for entry in ran],
        "comparisons": [_compare(target, ran) for target in TARGETS if target.heat in heats],
    }


def _task(entry: Entry, ran: list[Entry]) -> dict[str, Any]:
    c_loop = _find(ran, block_heat(entry.heat.split(",")[0], None), "C loop")
    return {
        "heat": entry.heat,
        "name": entry.name,
        "rows": entry.rows,
        "seconds": entry.seconds,
        "median": median(entry.seconds),
        "min": min(entry.seconds),
        "max": max(entry.seconds),
        "microseconds_per_row": 1e6 * _per_row(entry),
        "times_c_loop": None if c_loop is None else _per_row(entry) / _per_row(c_loop),
        "w_sq": entry.w_sq,
    }


def _compare(target: Target, ran: list[Entry]) -> dict[str, Any]:
    ours = next((e for e in ran if e.heat == target.heat and e.name == target.ours), None)
    rival = _find(ran, target.heat, target.rival)
    told: dict[str, Any] = {
        "heat": target.heat,
        "ours": target.ours,
        "rival": target.rival if rival is None else rival.name,
        "at_most": target.at_most,
        "at_least": target.at_least,
        "ratio_of_medians": None,
        "median_of_ratios": None,
        "verdict": "not run" if target.at_most or target.at_least else "",
    }
    if ours is None or rival is None:
        return told
    slow, fast = (ours, rival) if target.at_most else (rival, ours)
    pairs = zip(slow.seconds, fast.seconds, strict=True)
    scale = fast.rows / slow.rows
    ratio = _per_row(slow) / _per_row(fast)
    told["ratio_of_medians"] = ratio
    told["median_of_ratios"] = median(scale * a / b for a, b in pairs)
    if target.at_most:
        told["verdict"] = "met" if ratio <= target.at_most else "missed"
    elif target.at_least:
        told["verdict"] = "met" if ratio >= target.at_least else "missed"
    return told


def _per_row(entry: Entry) -> float:
    return median(entry.seconds) / entry.rows


def _find(ran: list[Entry], heat: str, prefix: str) -> Entry | None:
    """Return the fastest entry of `heat` with a name that starts with `prefix`."""
    found = [entry for entry in ran if entry.heat == heat and entry.name.startswith(prefix)]
    return min(found, key=_per_row, default=None)
