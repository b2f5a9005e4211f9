"""AUC without bins, for rounds that are all in memory."""

from __future__ import annotations

import math

import numpy as np

from driftline.internals.compiled import Floats


def exact_auc(positive: np.ndarray, values: Floats) -> float:
    """The share of pairs in which the positive row has the higher value; ties count one half.

    Parameters
    ----------
    positive
        Whether each row is positive.
    values
        The score or probability of each row.

    Returns
    -------
    float
        NaN if all rows are positive or none is, or if a value is NaN.

    >>> exact_auc(np.array([True, False, True]), np.array([0.9, 0.5, 0.5]))
    0.75
    """
    positives = int(positive.sum())
    pairs = positives * (len(positive) - positives)
    if not pairs or np.isnan(values).any():
        return math.nan
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(sizes) - (sizes - 1) / 2.0
    won = float(ranks[place][positive].sum()) - positives * (positives + 1) / 2.0
    return won / pairs
