"""The streams of the experiment: drifting and switching mixtures, some to tune on and others to judge on."""

from __future__ import annotations

from functools import cache

import numpy as np

from driftline.reproduce.experiment import Setting
from driftline.streams import DriftingMixtures, SwitchingMixtures
from driftline.streams.synthetic.stream import Matrix, Vector

DRIFTING, SWITCHING = "drifting", "switching"
KINDS = (DRIFTING, SWITCHING)
APART = 1000
"""Seeds between one setting's and the next one's."""
TUNED_FROM = 500
"""The first seed to tune on, after those to judge on."""


def judged(setting: Setting) -> list[int]:
    """Seeds of the streams that learners are judged on."""
    return [APART * setting.seed + k for k in range(3 if setting.quick else 20)]


def tuned(setting: Setting) -> list[int]:
    """Seeds of the streams that parameters are chosen on: none that is judged on."""
    return [APART * setting.seed + TUNED_FROM + k for k in range(2 if setting.quick else 8)]


def drawn(kind: str, seed: int, quick: bool) -> tuple[Matrix, Vector]:
    """All examples of a stream, 10,000 of them; of a quick one 1,000, which switch every 100 where others do so every
    1,000.
    """
    return _drawn(kind, seed, 1000, 100) if quick else _drawn(kind, seed, 10_000, 1000)


@cache
def _drawn(kind: str, seed: int, n: int, every: int) -> tuple[Matrix, Vector]:
    """Kept for the next task of this process."""
    stream = DriftingMixtures(n, seed=seed) if kind == DRIFTING else SwitchingMixtures(n, every=every, seed=seed)
    blocks = list(stream)
    return np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])
