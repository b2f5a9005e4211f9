"""Figure 3 in numbers: how a model's weight is distributed over the pixels.

The information gain of a pixel between two digits, over all their images, measures how well it
distinguishes them. Take the quarter of all pixels that best distinguishes P1 from N1 (3 from 8),
and the quarter that best distinguishes P2 from N2 (7 from 9). The old pixels are those in the
first quarter only, and the new pixels those in the second quarter only. A model's share on a set
of pixels is the sum of |w_i| there divided by the sum over all pixels.
"""

from __future__ import annotations

import numpy as np

from driftline.features.counted_gain import of_on_and_off
from driftline.internals.compiled import Floats
from driftline.reproduce.shen2009.data import DataSet

HELD = 0.9


def old_and_new(material: DataSet) -> tuple[np.ndarray, np.ndarray]:
    """Return the old pixels and the new pixels, which are disjoint."""
    p1, p2, n1, n2 = material.classes
    quarter = material.features // 4
    first, second = (
        set(np.argsort(-_telling(material, *pair), kind="stable")[:quarter].tolist()) for pair in ((p1, n1), (p2, n2))
    )
    return np.array(sorted(first - second), int), np.array(sorted(second - first), int)


def spread(size: Floats, old: np.ndarray, new: np.ndarray) -> dict[str, float]:
    """Return the shares of |w| on old and new pixels, and the fraction that holds HELD of it."""
    total = float(size.sum())
    if total == 0.0:
        return {"old": 0.0, "new": 0.0, "pixels": 0.0}
    held = np.cumsum(np.sort(size)[::-1])
    needed = int(np.searchsorted(held, HELD * total)) + 1
    return {"old": float(size[old].sum()) / total, "new": float(size[new].sum()) / total, "pixels": needed / len(size)}


def of_stream(on: np.ndarray, y: Floats) -> Floats:
    """Return the information gain of each pixel over a whole stream."""
    return _gains(on[y > 0.0], on[y <= 0.0])


def _telling(material: DataSet, positive: str, negative: str) -> Floats:
    """Return the information gain of each pixel between two classes."""
    X, y = material.collection.X, material.collection.y
    return _gains(material.on(X[y == positive]), material.on(X[y == negative]))


def _gains(positive: np.ndarray, negative: np.ndarray) -> Floats:
    on = positive.sum(axis=0, dtype=float), negative.sum(axis=0, dtype=float)
    return of_on_and_off(on, (len(positive), len(negative)))
