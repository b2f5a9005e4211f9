"""The prequential loop with late labels: row t is learned just before row t + delay + 1 is predicted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Predict = Callable[[Any], bool]
"""Predicts whether an example is positive."""
Learn = Callable[[Any, bool], None]


def errors(
    predict: Predict, learn: Learn, examples: Sequence[Any], positive: Sequence[bool], delay: int
) -> tuple[int, int]:
    """Return the number of wrong predictions and of rows."""
    wrong = 0
    for row, x in enumerate(examples):
        known = row - delay - 1
        if known >= 0:
            learn(examples[known], positive[known])
        wrong += predict(x) is not positive[row]
    return wrong, len(examples)


def last_known_label(positive: Sequence[bool], delay: int) -> int:
    """Return the wrong predictions of a baseline: the last label that has arrived, at first negative."""
    lag = delay + 1
    return sum(label is not (positive[row - lag] if row >= lag else False) for row, label in enumerate(positive))
