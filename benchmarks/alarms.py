"""False alarms, detections and delays of driftline's drift detectors and river's, on the same bits.

Each detector has its default parameters. The streams are bits with a known mean: one without a
change, a jump of the mean, and a slow rise. A detection is the first alarm after the change; "early"
is the share of streams with an alarm before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from columns import align

import driftline as dl

LONG, STREAMS = 5_000_000, 200
FEW, FEW_STREAMS = 100_000, 20
"""River's detectors take a Python call for each value, so they see shorter and fewer streams."""
BEFORE, AFTER = 10_000, 10_000
MEANS = (0.02, 0.1, 0.4)

Detector = Callable[[np.ndarray], np.ndarray]


def ours() -> dict[str, Callable[[], Detector]]:
    """The detectors of driftline."""
    return {
        "driftline: ADWIN": lambda: dl.drift.ADWIN().update_many,
        "driftline: CUSUM": lambda: dl.drift.CUSUM().update_many,
    }


def peers() -> dict[str, Callable[[], Detector]]:
    """The detectors of river; empty if it is not installed."""
    try:
        from river import drift
    except ImportError:
        return {}
    made: dict[str, Callable[[], Any]] = {
        "river: ADWIN": drift.ADWIN,
        "river: PageHinkley": lambda: drift.PageHinkley(mode="up"),
        "river: DDM": drift.binary.DDM,
        "river: EDDM": drift.binary.EDDM,
        "river: HDDMA": drift.binary.HDDMA,
        "river: HDDMW": drift.binary.HDDMW,
    }
    return {name: lambda make=make: _each(make()) for name, make in made.items()}


def _each(detector: Any) -> Detector:
    def update_many(values: np.ndarray) -> np.ndarray:
        found = []
        for k, value in enumerate(values.tolist()):
            detector.update(value)
            if detector.drift_detected:
                found.append(k)
        return np.array(found, np.int64)

    return update_many


def changed(kind: str, seed: int) -> np.ndarray:
    """A stream whose mean changes from 0.1 to 0.2 after BEFORE values: at once, or over half of the rest."""
    rng = np.random.default_rng(seed)
    ramp = {"jump": np.full(AFTER, 0.2), "slow rise": 0.1 + 0.1 * np.minimum(1.0, np.arange(AFTER) / (AFTER / 2))}
    mean = np.concatenate([np.full(BEFORE, 0.1), ramp[kind]])
    return (rng.random(len(mean)) < mean).astype(float)


def measure() -> list[dict[str, Any]]:
    """The results of all detectors."""
    told = []
    for name, make in (ours() | peers()).items():
        is_ours = name.startswith("driftline")
        size, streams = (LONG, STREAMS) if is_ours else (FEW, FEW_STREAMS)
        make()(np.zeros(100))  # compile
        alarms, seconds = 0, 0.0
        for mean in MEANS:
            values = (np.random.default_rng(7).random(size) < mean).astype(float)
            start = time.perf_counter()
            alarms += len(make()(values))
            seconds += time.perf_counter() - start
        one: dict[str, Any] = {"name": name, "values": size * len(MEANS), "alarms": alarms}
        one["nanoseconds"] = 1e9 * seconds / one["values"]
        for kind in ("jump", "slow rise"):
            delays, early = [], 0
            for seed in range(streams):
                found = make()(changed(kind, seed))
                early += bool(len(found) and found[0] < BEFORE)
                after = found[found >= BEFORE]
                if len(after):
                    delays.append(int(after[0]) - BEFORE)
            one[kind] = {"found": len(delays) / streams, "early": early / streams, "delays": delays}
        told.append(one)
    return told


def lines(told: list[dict[str, Any]]) -> list[str]:
    """The results as lines of text."""
    head = ["detector", "false alarms", "in values", "per million", "ns/value"]
    for kind in ("jump", "slow rise"):
        head += [f"{kind}: found", "early", "median delay", "90 %"]
    rows = [head]
    for one in told:
        row = [one["name"], f"{one['alarms']:,}", f"{one['values']:,}", f"{1e6 * one['alarms'] / one['values']:.2f}"]
        row.append(f"{one['nanoseconds']:,.0f}")
        for kind in ("jump", "slow rise"):
            some = one[kind]
            quantiles = np.quantile(some["delays"], [0.5, 0.9]) if some["delays"] else [np.nan, np.nan]
            row += [f"{100 * some['found']:.0f} %", f"{100 * some['early']:.0f} %", *(f"{q:,.0f}" for q in quantiles)]
        rows.append(row)
    about = (
        f"Drift detectors with default parameters. False alarms: bits with means {', '.join(map(str, MEANS))}. Jump "
        f"and slow rise: the mean goes from 0.1 to 0.2 after {BEFORE:,} values; early: an alarm before that:"
    )
    return [about, *align(rows, words=1)]
