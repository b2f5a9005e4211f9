"""Precision and recall at every threshold, from the counts in bins of probabilities.

The values at a threshold are exact: thresholds are edges of bins. Between two thresholds t < u, the
recall is between those of t and u. The average precision of the ungrouped probabilities is within
``average_precision_bounds``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftline.evaluate.decision.probability_bins import BINS, THRESHOLDS, at_or_above, bins_of, counted
from driftline.internals.compiled import Floats
from driftline.internals.require import require


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision and recall at every threshold, in order of increasing thresholds.

    Attributes
    ----------
    thresholds
        Thresholds on the probability of the positive label: the lower edges of all bins that have
        examples. An example is decided positive if its probability is at least the threshold.
    precision
        The share of positives among the examples decided positive; NaN without positives.
    recall
        The share of the positives that are decided positive; NaN without positives.
    positives, negatives
        The number of examples of each kind; discounted for a curve of the recent past.
    average_precision
        The sum of the precisions, each multiplied by the increase of the recall. NaN without
        positives.
    average_precision_bounds
        Bounds of the average precision of the probabilities before they were put into bins.
    note
        Why values are NaN; empty if none is.
    """

    thresholds: Floats
    precision: Floats
    recall: Floats
    positives: float
    negatives: float
    average_precision: float
    average_precision_bounds: tuple[float, float]
    note: str

    @classmethod
    def of_counts(cls, counts: np.ndarray) -> PrecisionRecallCurve:
        """The curve of the counts of negatives (row 0) and positives (row 1) in each bin.

        Parameters
        ----------
        counts
            The counts, of shape (2, bins).
        """
        above = at_or_above(counts)
        used = np.flatnonzero(counts.sum(axis=0) > 0.0)
        negatives, positives = (float(total) for total in above[:, 0])
        if positives <= 0.0:
            nothing = np.full(used.size, np.nan)
            note = "precision and recall are undefined: there are no positives"
            bounds = (float("nan"), float("nan"))
            return cls(THRESHOLDS[used], nothing, nothing, 0.0, negatives, float("nan"), bounds, note)
        false, true = above[:, used]
        before_false, before_true = above[:, used + 1]
        own = true - before_true
        precision = true / (true + false)
        low = own.copy()
        mixed = false > 0.0  # the integral of (T + x) / (T + x + F), a lower bound of the sum over own positives
        low[mixed] -= false[mixed] * np.log1p(own[mixed] / (before_true[mixed] + false[mixed]))
        high = np.divide(own * true, true + before_false, out=np.zeros(used.size), where=true > 0.0)
        found = [float(np.sum(one) / positives) for one in (own * precision, low, high)]
        return cls(
            thresholds=THRESHOLDS[used],
            precision=precision,
            recall=true / positives,
            positives=positives,
            negatives=negatives,
            average_precision=found[0],
            average_precision_bounds=(found[1], found[2]),
            note="",
        )

    def __repr__(self) -> str:
        value = f"average precision {self.average_precision:.4g}" if not self.note else self.note
        return f"<PrecisionRecallCurve: {self.thresholds.size:,} thresholds, {value}>"


def precision_recall(y: Sequence[Any], probabilities: Any, positive: Any = 1) -> PrecisionRecallCurve:
    """Compute precision and recall at every threshold, with constant memory.

    Parameters
    ----------
    y
        The label of each example.
    probabilities
        The probability of the positive label for each example.
    positive
        The positive label.

    Returns
    -------
    PrecisionRecallCurve
        The curve. It is exact at its thresholds, which are the edges of 2,048 bins.

    >>> curve = precision_recall([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.recall.tolist(), curve.precision.round(2).tolist()
    ([1.0, 1.0, 1.0, 0.5], [0.5, 0.67, 1.0, 1.0])
    """
    p = np.asarray(probabilities, np.float64)
    good = p.ndim == 1 and len(p) == len(y)
    require(good, "precision_recall", f"probabilities must be {len(y)} numbers, one for each label", p.shape)
    wrong = ~((p >= 0.0) & (p <= 1.0))
    if wrong.any():
        require(False, "precision_recall", "a probability must be from 0 to 1", float(p[wrong][0]))
    truth = np.array([label == positive for label in y], bool)
    counts = counted(bins_of(p), truth) if len(p) else np.zeros((2, BINS))
    return PrecisionRecallCurve.of_counts(counts)
