"""Settings of every learner of experts, and advice to learn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.support.expert_sequences import accurate, switching

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("halving", {}),
    ("weightedmajority", {"beta": 0.0}),
    ("weightedmajority", {}),
    ("weightedmajority", {"beta": 0.9}),
    ("exponentialweights", {}),
    ("exponentialweights", {"eta": 0.3}),
    ("exponentialweights", {"eta": 50.0}),
    ("exponentialweights", {"schedule": "doubling"}),
    ("adahedge", {}),
    ("fixedshare", {}),
    ("fixedshare", {"eta": 5.0, "alpha": 0.3}),
    ("fixedshare", {"eta": 800.0, "alpha": 1e-9}),
    ("fixedshare", {"eta": 0.5, "alpha": 1.0}),
    ("variableshare", {}),
    ("variableshare", {"eta": 3.0, "alpha": 0.9}),
    ("variableshare", {"eta": 800.0, "alpha": 1e-9}),
]
every_setting = pytest.mark.parametrize(("name", "parameters"), SETTINGS, ids=str)
NAMES = sorted({name for name, _ in SETTINGS})
every_name = pytest.mark.parametrize("name", NAMES)
SEEDS = range(12)


def made(name: str, **parameters: Any) -> Any:
    return dl.REGISTRY[name](**parameters)


def advice(kind: str, seed: int, rounds: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    Z, y = switching(rng, rounds, n, 4) if n > 1 else accurate(rng, rounds, np.full(1, 0.7))
    if kind == "reals":
        Z = np.clip(Z * rng.uniform(0.0, 2.0, Z.shape), -1.0, 1.0) * (rng.random(Z.shape) < 0.8)
    return Z, y
