"""Information gain of binary features, or of pairs of them, about the label, in bits.

    IG(F) = H(Y) - H(Y | F),    H the entropy of the labels, F the cell of an example

Yang, Pedersen. A comparative study on feature selection in text categorization. ICML 1997.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats

Cell = tuple[Any, Any]
"""The numbers of positive and negative examples in a cell, for one feature or many at once."""


def gain(cells: Sequence[Cell]) -> Floats:
    """Return the gain of a partition into these cells. It is 0 if there are no examples."""
    parts = [(np.asarray(p, float), np.asarray(n, float)) for p, n in cells]
    positive, negative = (np.asarray(sum(some), float) for some in zip(*parts, strict=True))
    bits = _bits(positive, negative) - sum(_bits(p, n) for p, n in parts)
    # rounding may leave -1e-17
    found: Floats = np.maximum(0.0, bits / np.maximum(1.0, positive + negative))
    return found


def of_features(on_positive: Floats, on_negative: Floats, positive: float, negative: float) -> Floats:
    """Return the gain of each feature from its counts of positive and negative examples."""
    return gain([(on_positive, on_negative), (positive - on_positive, negative - on_negative)])


def of_pairs(on: np.ndarray, y: Floats) -> Floats:
    """Return the gain of each pair of features from a table of which features are on.

    The diagonal holds the gain of the single features.
    """
    (pp, p), (nn, n) = (_together(on[y > 0.0]), _together(on[y <= 0.0]))
    positive, negative = float(np.sum(y > 0.0)), float(np.sum(y <= 0.0))
    rows, columns = (p[:, None], n[:, None]), (p[None, :], n[None, :])
    neither = positive - rows[0] - columns[0] + pp, negative - rows[1] - columns[1] + nn
    return gain([(pp, nn), (rows[0] - pp, rows[1] - nn), (columns[0] - pp, columns[1] - nn), neither])


def _together(on: np.ndarray) -> tuple[Floats, Floats]:
    """Return the number of examples in which each pair is on, and each feature."""
    table = on.astype(np.float64)
    return table.T @ table, table.sum(axis=0)


def _bits(positive: Floats, negative: Floats) -> Floats:
    """Return the number of examples times the entropy of their labels."""
    both = positive + negative
    found: Floats = _x_log_x(both) - _x_log_x(positive) - _x_log_x(negative)
    return found


def _x_log_x(x: Floats) -> Floats:
    found: Floats = x * np.log2(np.maximum(x, 1.0))  # counts: 0 log 0 is 0, and so is 1 log 1
    return found
