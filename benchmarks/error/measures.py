"""What is measured beside the error: log loss, area under the ROC curve, calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEAST = 1e-6
"""Probabilities are clipped to [LEAST, 1 - LEAST]: some peers say 0 or 1, and err."""
BINS = 15


@dataclass(frozen=True)
class Measures:
    """The measures of one run; None where a learner has no probability, or a label is missing."""

    log_loss: float | None = None
    auc: float | None = None
    calibration: float | None = None


def measured(scores: np.ndarray, probabilities: np.ndarray, positive: np.ndarray) -> Measures:
    """Return the measures of scores, of probabilities of the positive label, and of the labels.

    A learner without probabilities gives NaN for all of them.

    >>> found = measured(np.array([0.1, 0.9]), np.array([0.1, 0.9]), np.array([False, True]))
    >>> found.auc, round(found.log_loss, 4)
    (1.0, 0.1054)
    """
    if not positive.size:
        return Measures()
    calibrated = not np.isnan(probabilities).any()
    return Measures(
        log_loss(probabilities, positive) if calibrated else None,
        auc(scores, positive),
        calibration_error(probabilities, positive) if calibrated else None,
    )


def log_loss(probabilities: np.ndarray, positive: np.ndarray) -> float:
    """Return the mean of -log of the probability of the right label."""
    right = np.where(positive, probabilities, 1.0 - probabilities)
    return float(-np.log(np.clip(right, LEAST, 1.0 - LEAST)).mean())


def auc(scores: np.ndarray, positive: np.ndarray) -> float | None:
    """Return how often a positive example has a higher score than a negative one; ties count half.

    >>> auc(np.array([0.0, 1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    0.875
    """
    positives = int(positive.sum())
    negatives = positive.size - positives
    if not positives or not negatives or not np.isfinite(scores).all():
        return None
    _, group, count = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    rank = (last - (count - 1) / 2.0)[group]
    return float((rank[positive].sum() - positives * (positives + 1) / 2.0) / (positives * negatives))


def calibration_error(probabilities: np.ndarray, positive: np.ndarray, bins: int = BINS) -> float:
    """Return the mean distance of probability and frequency over bins of equally many examples.

    >>> calibration_error(np.full(8, 0.25), np.arange(8) < 2, bins=1)
    0.0
    """
    order = np.argsort(probabilities, kind="stable")
    parts = [part for part in np.array_split(order, bins) if part.size]
    gaps = [part.size * abs(probabilities[part].mean() - positive[part].mean()) for part in parts]
    return float(sum(gaps) / positive.size)
