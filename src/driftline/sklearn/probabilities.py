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


def agreeing(shares: Floats, scores: Floats) -> Floats:
    """The probabilities, with that of the predicted class raised to the largest one of its row.

    Parameters
    ----------
    shares
        The probability of each class for each row.
    scores
        One score per row with two classes, and one per row and class with more.
    """
    rows = np.arange(len(shares))
    chosen = np.argmax(scores, axis=1) if scores.ndim == 2 else (scores > 0.0).astype(np.intp)
    changed = np.argmax(shares, axis=1) != chosen
    largest = shares.max(axis=1)
    shares[rows[changed], chosen[changed]] = np.nextafter(largest[changed], 2.0)
    shares[changed] /= shares[changed].sum(axis=1, keepdims=True)
    tied = rows[np.argmax(shares, axis=1) != chosen]  # rounding may have made them equal
    shares[tied, chosen[tied]] = np.nextafter(shares[tied, chosen[tied]], 1.0)
    return shares
