"""The speed of the expert algorithms with 100 experts and 20,000 rounds per call, in
expert-rounds per second.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

import driftline as dl

EXPERTS, ROUNDS = 100, 20_000
LEARNERS = ("FixedShare", "VariableShare", "ExponentialWeights", "AdaHedge", "WeightedMajority", "Halving")
WANTED = {"FixedShare": 10e6}


def measure(repeats: int) -> dict[str, Any]:
    """Return the median expert-rounds per second of each algorithm, after one warm-up call."""
    rng = np.random.default_rng(0)
    advice = rng.choice([-1.0, 1.0], (ROUNDS, EXPERTS))
    y = np.where(rng.random(ROUNDS) < 0.1, -1.0, 1.0) * advice[:, 3]
    seconds: dict[str, list[float]] = {name: [] for name in LEARNERS}
    for turn in range(repeats + 1):
        for name in LEARNERS:
            learner = getattr(dl, name)()
            start = time.perf_counter()
            learner.learn_many(advice, y)
            if turn:
                seconds[name].append(time.perf_counter() - start)
    return {name: ROUNDS * EXPERTS / statistics.median(times) for name, times in seconds.items()}


def lines(told: dict[str, Any]) -> list[str]:
    """Return the speeds and verdicts as lines of text."""
    speeds = ", ".join(f"{name} {speed / 1e6:.0f}" for name, speed in told.items())
    verdicts = [
        f"  {name}: target >= {least / 1e6:.0f}  {'met' if told[name] >= least else 'missed'}"
        for name, least in WANTED.items()
    ]
    return [f"100 experts, million expert-rounds per second: {speeds}", *verdicts]
