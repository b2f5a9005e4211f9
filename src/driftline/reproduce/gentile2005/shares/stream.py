"""Advice of experts, one of which is good at a time, with changes of the good one."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats

EXPERTS, ROUNDS = 20, 2000
GOOD, OTHERS = 0.05, 0.4
"""Error rates of the good expert and of the others."""


def draw(changes: int, rounds: int, rng: np.random.Generator) -> tuple[Floats, Floats, np.ndarray]:
    """Return the advice, the labels, and the index of the good expert in each round."""
    steps = rng.integers(1, EXPERTS, changes + 1)
    turns = np.cumsum(steps) % EXPERTS
    who = turns[np.arange(rounds) * (changes + 1) // rounds]
    y = np.where(rng.random(rounds) < 0.5, -1.0, 1.0)
    rates = np.full((rounds, EXPERTS), OTHERS)
    rates[np.arange(rounds), who] = GOOD
    return np.where(rng.random((rounds, EXPERTS)) < rates, -y[:, None], y[:, None]), y, who
