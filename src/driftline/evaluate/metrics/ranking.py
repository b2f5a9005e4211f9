"""How the rounds of a run rank by score or probability, for precision-recall curves."""

from __future__ import annotations

from driftline.engines.metrics.class_counts import Counts
from driftline.engines.metrics.score_bins import NOT_A_NUMBER
from driftline.evaluate.metrics.figures import Figures


def ranked_counts(figures: Figures, k: int) -> Counts | None:
    """The rounds in bins of increasing probability of class k, or of its score with two labels.

    Parameters
    ----------
    figures
        The metrics.
    k
        The class number; with two labels 1 is the positive one.

    Returns
    -------
    numpy.ndarray of shape (2, bins) or None
        Rounds of other classes, and rounds of class k. None if they were not counted: probabilities
        were not measured and there are several labels, or there are too many labels.
    """
    tables, group = figures._tables, figures._group
    if tables.measured:
        return tables.probability_bins[group, k] if k < tables.probability_bins.shape[1] else None
    if not tables.two:
        return None
    bins = tables.score_bins[group, :, :NOT_A_NUMBER]
    return bins if k == 1 else bins[::-1, ::-1]
