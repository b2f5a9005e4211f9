"""Baselines that see only labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from error.play import Outcome
from error.stored import Stream

NO_CHANGE, MAJORITY = "baseline, no change", "baseline, majority"


def outcomes(stream: Stream) -> dict[str, Outcome]:
    """Return the outcome of each baseline on a stream; they take no time."""
    labels = stream.labels
    found = {NO_CHANGE: no_change(labels), MAJORITY: majority(labels)}
    return {name: Outcome.of(wrong, 0.0) for name, wrong in found.items()}


def no_change(labels: Sequence[Any]) -> np.ndarray:
    """Mark the rows whose label is not that of the row before. The first row is wrong.

    >>> no_change([2, 2, 1, 2]).tolist()
    [True, False, True, True]
    """
    y = np.asarray(labels)
    return np.concatenate([[True], y[1:] != y[:-1]])


def majority(labels: Sequence[Any]) -> np.ndarray:
    """Mark the rows whose label is not the most frequent one so far. The first row is wrong; of
    equally frequent labels the one that was in front stays.

    >>> majority([2, 2, 1, 1, 1, 1]).tolist()
    [True, False, True, True, True, False]
    """
    counts: Counter[Any] = Counter()
    wrong, front = np.zeros(len(labels), bool), None
    for row, label in enumerate(labels):
        wrong[row] = label != front
        counts[label] += 1
        if front is None or counts[label] > counts[front]:
            front = label
    return wrong
