"""Targets that a learner of consistent classifiers has to find, and rows that make it hard."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import driftline as dl
from driftline.engines.state import FIRST


def unit(rng: np.random.Generator, d: int) -> np.ndarray:
    u = rng.normal(size=d)
    return u / np.linalg.norm(u)


def centre(learner: dl.Learner, d: int) -> np.ndarray:
    v = learner._engine.v[FIRST : FIRST + d]
    return np.concatenate([v, np.zeros(d - v.size)])


def hidden(rng: np.random.Generator, u: np.ndarray, gamma: float, rounds: int, learner: Any) -> Iterator[Any]:
    """Unit rows at margin gamma from the target u, orthogonal to the learner's centre, with labels.

    Where possible the learner errs on them.
    """
    for _ in range(rounds):
        c, x = centre(learner, u.size), rng.normal(size=u.size)
        if rng.random() < 0.8 and c.any():
            x -= (x @ c) / (c @ c) * c
        x -= (x @ u) * u
        x *= math.sqrt(1.0 - gamma * gamma) / np.linalg.norm(x)
        y = rng.choice([-1.0, 1.0])
        if rng.random() < 0.5 and y * (c @ (x + y * gamma * u)) > 0.0:
            y = -y
        yield x + y * gamma * u, y
