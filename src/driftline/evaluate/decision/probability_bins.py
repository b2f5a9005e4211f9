"""Bins of probabilities: 2,048 bins of equal width in the log-odds.

The edges lie at log-odds from -16 to 16 in steps of about 1/64, so that two probabilities in one
bin have odds that differ by less than 1.6 %. Probabilities below 1.1e-7 share the first bin, those
above 1 - 1.1e-7 the last one. A decision ``p >= edge`` is decided exactly by the bin of p.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats

Bins = npt.NDArray[np.int64]
BINS = 2048
SPAN = 16.0  # log-odds of the last edge
EDGES = np.array([1.0 / (1.0 + math.exp(-z)) for z in np.linspace(-SPAN, SPAN, BINS - 1).tolist()])
"""The edges between bins; bin k has the probabilities from EDGES[k - 1] to below EDGES[k]."""
THRESHOLDS = np.concatenate([[0.0], EDGES, [math.inf]])
"""The lowest probability of each bin; last the threshold that no probability reaches."""


def bins_of(probabilities: Floats) -> Bins:
    """The bin of each probability."""
    return np.searchsorted(EDGES, probabilities, side="right")


def counted(bins: Bins, positive: np.ndarray) -> Bins:
    """How many negatives (row 0) and positives (row 1) each bin has."""
    flat = np.bincount(bins + BINS * positive.astype(np.int64), minlength=2 * BINS)
    return flat.reshape(2, BINS).astype(np.int64)


def at_or_above(counts: np.ndarray) -> Floats:
    """The sum of the counts in each bin and those above it; last 0, for no bin."""
    found = np.zeros((2, BINS + 1))
    found[:, :BINS] = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
    return found
