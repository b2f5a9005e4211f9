"""Independent examples from one source: some for training, and fresh ones to measure the risk."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.gentile2005 import newsgroups
from driftline.reproduce.gentile2005.parts import generator

DIMENSIONS, ROUNDS = 10, 1000
FRESH, FEWER = 10_000, 2000
"""Numbers of fresh examples. FEWER is for quick runs and for the slow batch classifier."""
NEWS, PLUGGED = "news", "plugged"
NOISE = {"clean": 0.0, "noisy": 0.1, PLUGGED: 0.1}
"""Fraction of labels that are flipped."""
NAMES = {
    "clean": "linear target",
    "noisy": "linear target, 10 % of labels turned",
    NEWS: newsgroups.NAME,
    PLUGGED: "logistic regression, 10 % of labels turned",
}

Examples = tuple[Any, Floats]


def streams(setting: Setting) -> list[str]:
    """Return the available streams."""
    return [name for name in NAMES if name != NEWS or newsgroups.available(setting)]


def draw(name: str, seed: int, setting: Setting) -> tuple[Examples, Examples]:
    """Return training examples and fresh examples. Fresh posts are those not used for training."""
    rng = generator(setting, f"batch-{name}", seed)
    if name == NEWS:
        X, y = newsgroups.posts(setting, rng)
    else:
        X, y = noisy(NOISE[name], ROUNDS + (FEWER if setting.quick or name == PLUGGED else FRESH), rng)
    return (X[:ROUNDS], y[:ROUNDS]), (X[ROUNDS:], y[ROUNDS:])


def noisy(noise: float, rounds: int, rng: np.random.Generator) -> Examples:
    """Return random directions labelled by a random plane, with some labels flipped."""
    X = rng.normal(size=(rounds, DIMENSIONS))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.sign(X @ rng.normal(size=DIMENSIONS))
    return X, np.where(rng.random(rounds) < noise, -y, y)
