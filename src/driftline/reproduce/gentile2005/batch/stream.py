"""Independent examples of one source, some to learn from and others to measure the risk with."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.gentile2005 import text
from driftline.reproduce.gentile2005.parts import generator

DIMENSIONS, ROUNDS = 10, 1000
FRESH, FEWER = 10_000, 2000
"""Fresh examples; fewer in a quick run, and for a batch classifier, which scores one at a time."""
NEWS, PLUGGED = "news", "plugged"
NOISE = {"clean": 0.0, "noisy": 0.1, PLUGGED: 0.1}
"""How many labels are turned."""
NAMES = {
    "clean": "linear target",
    "noisy": "linear target, 10 % of labels turned",
    NEWS: text.NAME,
    PLUGGED: "logistic regression, 10 % of labels turned",
}

Examples = tuple[Any, Floats]


def streams(setting: Setting) -> list[str]:
    """Those that can be had."""
    return [name for name in NAMES if name != NEWS or text.at_hand(setting)]


def drawn(name: str, seed: int, setting: Setting) -> tuple[Examples, Examples]:
    """Return examples to learn from, and fresh ones; posts are fresh where they were not learned from."""
    rng = generator(setting, f"batch-{name}", seed)
    if name == NEWS:
        X, y = text.posts(setting, rng)
    else:
        X, y = noisy(NOISE[name], ROUNDS + (FEWER if setting.quick or name == PLUGGED else FRESH), rng)
    return (X[:ROUNDS], y[:ROUNDS]), (X[ROUNDS:], y[ROUNDS:])


def noisy(noise: float, rounds: int, rng: np.random.Generator) -> Examples:
    """Directions drawn evenly, the side of a plane as label, and so many labels turned."""
    X = rng.normal(size=(rounds, DIMENSIONS))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.sign(X @ rng.normal(size=DIMENSIONS))
    return X, np.where(rng.random(rounds) < noise, -y, y)
