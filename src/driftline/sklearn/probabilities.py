"""The probabilities of classes, given their scores."""

from __future__ import annotations

from math import nextafter

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners.several_classes import SMALLEST_SHARE, softmax

BELOW_HALF = nextafter(0.5, 0.0)


def probabilities(scores: Floats, classes: int, voting: bool) -> Floats:
    """The probability of each class; the largest is that of the predicted class.

    Parameters
    ----------
    scores
        One score per row with at most two classes, and one per row and class with more.
    classes
        The number of classes.
    voting
        Whether scores are votes between -1 and 1. The probabilities are then the shares of the
        vote. Otherwise they are the logistic function of the score, or the softmax of the scores.
    """
    if classes == 1:
        return np.ones((len(scores), 1))
    if scores.ndim == 1:
        size = np.abs(scores)
        odds = np.exp(-size)
        less = (1.0 - np.minimum(size, 1.0)) / 2.0 if voting else odds / (1.0 + odds)
        less = np.minimum(less, BELOW_HALF)
        shares = np.stack([1.0 - less, less], axis=1)
        return np.where((scores > 0.0)[:, None], shares[:, ::-1], shares)
    if voting:
        shares = np.maximum(1.0 + scores, SMALLEST_SHARE)
        shares /= shares.sum(axis=1, keepdims=True)
    else:
        shares = softmax(scores)
    best = np.argmax(scores, axis=1)
    tied = np.flatnonzero(np.argmax(shares, axis=1) != best)
    shares[tied, best[tied]] = np.nextafter(shares[tied, best[tied]], 1.0)
    return shares
