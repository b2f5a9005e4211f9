"""The cost of metrics: runs of PA-I and of the Tracker with and without them, in turn.

Without metrics means a run without observers. The metrics of labels and scores are always on; those
of probabilities are on by default for the Tracker.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from columns import align

import driftline as dl
from driftline.evaluate.blocks import ROWS as BLOCK
from driftline.evaluate.learner_run import LearnerRun
from driftline.evaluate.metrics import MetricsObserver
from driftline.evaluate.run import feed

PA_ROWS, TRACKER_ROWS = 500_000, 10_000
POINTS, WIDTH, ROUNDS = 2000, 20, 3
WITHOUT, LABELS, PROBABILITIES = "without metrics", "labels and scores", "and probabilities"
Observers = Callable[[], list[MetricsObserver]]
KINDS: dict[str, Observers] = {
    WITHOUT: list,
    LABELS: lambda: [MetricsObserver()],
    PROBABILITIES: lambda: [MetricsObserver(probabilities=True)],
}
WANTED = {("PA-I", LABELS): 1.25, ("Tracker", LABELS): 1.03, ("Tracker", PROBABILITIES): 1.5}
"""The most by which the median time may be multiplied."""
RUNS: dict[str, tuple[type[dl.Learner], int, tuple[str, ...]]] = {
    "PA-I": (dl.PA1, PA_ROWS, (WITHOUT, LABELS)),
    "Tracker": (dl.Tracker, TRACKER_ROWS, (WITHOUT, LABELS, PROBABILITIES)),
}


def measure(repeats: int) -> list[dict[str, Any]]:
    """Return the tasks with the times of all repeats, after one round that warms up."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(PA_ROWS, WIDTH))
    y = np.where(X @ rng.normal(size=WIDTH) + rng.normal(size=PA_ROWS) > 0.0, 1.0, -1.0)
    told: list[dict[str, Any]] = []
    for name, (make, rows, kinds) in RUNS.items():
        times: dict[str, list[float]] = {kind: [] for kind in kinds}
        for turn in range(ROUNDS * repeats + 1):
            for at in range(len(kinds)):
                kind = kinds[(at + turn) % len(kinds)]  # in rotating order
                seconds = _run(make(), X[:rows], y[:rows], KINDS[kind]())
                if turn:
                    times[kind].append(seconds)
        told += [{"learner": name, "kind": kind, "rows": rows, "seconds": times[kind]} for kind in kinds]
    return told


def _run(learner: dl.Learner, X: np.ndarray, y: np.ndarray, observers: list[MetricsObserver]) -> float:
    run = LearnerRun(learner.kind, learner, (X, y), POINTS, observers=observers)
    start = time.perf_counter()
    feed([run], (X, y), BLOCK, False)
    return time.perf_counter() - start


def lines(told: list[dict[str, Any]]) -> list[str]:
    """Return the times, their ratios to the run without metrics, and the verdicts."""
    base = {one["learner"]: statistics.median(one["seconds"]) for one in told if one["kind"] == WITHOUT}
    rows = [["learner", "metrics", "rows", "median", "min - max", "ratio", "target", ""]]
    for one in told:
        median = statistics.median(one["seconds"])
        ratio, most = median / base[one["learner"]], WANTED.get((one["learner"], one["kind"]))
        rows.append(
            [
                one["learner"],
                one["kind"],
                f"{one['rows']:,}",
                f"{median:.4f} s",
                f"{min(one['seconds']):.4f} - {max(one['seconds']):.4f}",
                f"{ratio:.3f}",
                "" if most is None else f"<= {most:g}",
                "" if most is None else "met" if ratio <= most else "missed",
            ]
        )
    return ["runs with and without metrics, in turn:", *align(rows, words=2)]
