"""The streams: drifting and switching mixtures, with separate seeds for tuning and for testing."""

from __future__ import annotations

from functools import cache

import numpy as np

from driftline.reproduce.experiment import Setting
from driftline.streams import DriftingMixtures, SwitchingMixtures
from driftline.streams.synthetic.stream import Matrix, Vector

DRIFTING, SWITCHING = "drifting", "switching"
KINDS = (DRIFTING, SWITCHING)
APART = 1000
"""Distance between the seeds of consecutive settings."""
TUNED_FROM = 500
"""Offset of the first tuning seed. The test seeds come before it."""


def test_seeds(setting: Setting) -> list[int]:
    """Return the seeds of the test streams."""
    return [APART * setting.seed + k for k in range(3 if setting.quick else 20)]


def tuning_seeds(setting: Setting) -> list[int]:
    """Return the seeds of the tuning streams, disjoint from the test seeds."""
    return [APART * setting.seed + TUNED_FROM + k for k in range(2 if setting.quick else 8)]


def draw(kind: str, seed: int, quick: bool) -> tuple[Matrix, Vector]:
    """Return all examples of a stream.

    A full run has 10,000 examples with a switch every 1,000. A quick run has 1,000 with a switch
    every 100.
    """
    return _draw_cached(kind, seed, 1000, 100) if quick else _draw_cached(kind, seed, 10_000, 1000)


@cache
def _draw_cached(kind: str, seed: int, n: int, every: int) -> tuple[Matrix, Vector]:
    """Draw a stream, cached for later tasks of this process."""
    stream = DriftingMixtures(n, seed=seed) if kind == DRIFTING else SwitchingMixtures(n, every=every, seed=seed)
    blocks = list(stream)
    return np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])
