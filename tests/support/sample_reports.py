"""A small comparison of learners, and a report of it."""

from __future__ import annotations

import driftline as dl
from driftline.report import (
    Section,
    report,
)


def stream(n: int = 300, seed: int = 0) -> dl.streams.RotatingHyperplane:
    return dl.streams.RotatingHyperplane(n, 4, angle=0.01, seed=seed)


def comparison(learners: int = 3, n: int = 300, seed: int = 0):
    return dl.compare({f"rule {k}": dl.PA1(C=0.1 + k) for k in range(learners)}, stream(n, seed))


def a_report(**options) -> str:
    return report("A title", [Section("A stream", "About it.", [comparison()], 50, **options)])
