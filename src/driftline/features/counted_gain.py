"""Information gain of a partition about the label, in bits, from counts of examples.

    IG(F) = H(Y) - H(Y | F),    H the entropy of the labels, F the cell of an example

The counts may be arrays: then the gains of many features are computed at once. They need not be
whole numbers, since older examples may count less.

Yang, Pedersen. A comparative study on feature selection in text categorization. ICML 1997.
Differs from the paper: nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats

Cell = Sequence[Any] | np.ndarray
"""The number of examples of each class in a cell, for one feature or many at once."""


def gain(cells: Sequence[Cell]) -> Floats:
    """Return the gain of a partition into these cells. It is 0 if there are no examples."""
    parts = [[np.asarray(count, float) for count in cell] for cell in cells]
    classes = [np.asarray(sum(some), float) for some in zip(*parts, strict=True)]
    examples = np.asarray(sum(classes), float)
    bits = _bits(classes) - sum(_bits(part) for part in parts)
    # rounding may leave -1e-17
    found: Floats = np.maximum(0.0, bits / np.where(examples > 0.0, examples, 1.0))
    return found


def of_table(counts: Floats) -> float:
    """Return the gain of one feature from a table of counts, a row per cell, a column per class."""
    classes, cells = counts.sum(axis=0), counts.sum(axis=1)
    examples = classes.sum()
    if not examples > 0.0:
        return 0.0
    before = _x_log_x(examples) - _x_log_x(classes).sum()
    after = _x_log_x(cells).sum() - _x_log_x(counts).sum()
    return max(0.0, float(before - after) / float(examples))


def of_on_and_off(on: Cell, classes: Cell) -> Floats:
    """Return the gain of features that are on or off.

    ``on`` has the counts of the examples in which a feature is on, ``classes`` of all examples.
    """
    return gain([on, [every - some for some, every in zip(on, classes, strict=True)]])


def of_pairs_on_and_off(together: Cell, on: Cell, classes: Cell) -> Floats:
    """Return the gain of each pair of features that are on or off, as a symmetric table.

    ``together`` has a table of the examples in which both are on, for each class. ``on`` and
    ``classes`` are those of ``of_on_and_off``. The diagonal holds the gain of the single features.
    """
    counts = [
        (both, one[:, None] - both, one[None, :] - both, every - one[:, None] - one[None, :] + both)
        for both, one, every in zip(together, on, classes, strict=True)
    ]
    return gain(list(zip(*counts, strict=True)))


def _bits(counts: Cell) -> Floats:
    """Return the number of examples times the entropy of their labels."""
    found: Floats = _x_log_x(sum(counts))
    for count in counts:
        found = found - _x_log_x(count)
    return found


def _x_log_x(x: Any) -> Floats:
    found: Floats = x * np.log2(np.where(np.asarray(x) > 0.0, x, 1.0))  # 0 log 0 is 0
    return found
